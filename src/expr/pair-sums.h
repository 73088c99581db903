/* pair-sums.h: sums over pairs (cst_pair_sum) on any type of value: scalars, quadruple precision, or the lanes of
 * a group.
 *
 * The order of additions is fixed: it is that of eight pairs side by side, whatever the width of the vectors.
 * The pairs j = least, least + 1 ... of a row go to eight parts in turn. A part adds its slopes along x in
 * the order of j, beginning with 0; then the eight are added as
 * ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)) and to the result. The slope along y of a pair is added to the
 * result at once, before that; no two pairs of a row have the same j. Terms go to eight parts in the same
 * way; these continue from row to row and are added at the end. A sum that begins with 0 is never -0, so 0
 * may be added in the place of missing pairs.
 *
 * Include with VALUE, the type, PAIRS_ADD, how two are added where C has no operator for it, and in lane code for
 * `pairs_one` below; with PAIRS_TAPES behind tape-run.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/expr.h"
#ifndef PAIRS_INLINE
#define PAIRS_INLINE static inline __attribute__((always_inline, unused))
enum { PAIRS_PARTS = 8 };
#endif
#ifndef PAIRS_ADD
#define PAIRS_ADD(a, b) ((a) + (b))
#endif
#define PAIRS_RAISE(a, b) ((a) = PAIRS_ADD(a, b))

/* Puts the term of a pair or its slopes into o; self: the data of the evaluator. */
typedef void pairs_term(const void *self, const VALUE *c, const VALUE *x, const VALUE *y, VALUE *o);

PAIRS_INLINE VALUE pairs_total(const VALUE *part, int stride) {
#define P(k) part[(k)*stride]
  return PAIRS_ADD(PAIRS_ADD(PAIRS_ADD(P(0), P(4)), PAIRS_ADD(P(2), P(6))),
                   PAIRS_ADD(PAIRS_ADD(P(1), P(5)), PAIRS_ADD(P(3), P(7))));
#undef P
}

PAIRS_INLINE VALUE pairs_value(const cst_pair_sum *s, pairs_term *term, const void *self,
                               const VALUE *c, const VALUE *q) {
  VALUE part[PAIRS_PARTS], x[CST_PAIR_ARRAYS], y[CST_PAIR_ARRAYS], o[1];
  for (int k = 0; k < PAIRS_PARTS; k++)
    part[k] = (VALUE){0};
  for (int i = 0; i < s->rows; i++) {
    for (int a = 0; a < s->nx; a++)
      x[a] = q[s->x[a] + i * s->xstep[a]];
    for (int j = s->from[i]; j < s->to[i]; j++) {
      for (int b = 0; b < s->ny; b++)
        y[b] = q[s->y[b] + j * s->ystep[b]];
      term(self, c, x, y, o);
      PAIRS_RAISE(part[(j - s->least) % PAIRS_PARTS], o[0]);
    }
  }
  return pairs_total(part, 1);
}

/* o[place[k]] += the slope along q[k]; place NULL: o[k]. */
PAIRS_INLINE void pairs_slope(const cst_pair_sum *s, pairs_term *term, const void *self,
                              const VALUE *c, const VALUE *q, const int *place, VALUE *result) {
  VALUE part[PAIRS_PARTS][CST_PAIR_ARRAYS], x[CST_PAIR_ARRAYS], y[CST_PAIR_ARRAYS],
      o[2 * CST_PAIR_ARRAYS];
  for (int i = 0; i < s->rows; i++) {
    if (s->from[i] == s->to[i])
      continue;
    for (int a = 0; a < s->nx; a++)
      x[a] = q[s->x[a] + i * s->xstep[a]];
    for (int k = 0; k < PAIRS_PARTS; k++) {
      VALUE sum[CST_PAIR_ARRAYS];
      for (int a = 0; a < s->nx; a++)
        sum[a] = (VALUE){0};
      for (int j = s->from[i] + ((k + s->least - s->from[i]) & (PAIRS_PARTS - 1)); j < s->to[i];
           j += PAIRS_PARTS) {
        for (int b = 0; b < s->ny; b++)
          y[b] = q[s->y[b] + j * s->ystep[b]];
        term(self, c, x, y, o);
        for (int a = 0; a < s->nx; a++)
          PAIRS_RAISE(sum[a], o[a]);
        for (int b = 0; b < s->ny; b++) {
          const int at = s->y[b] + j * s->ystep[b];
          PAIRS_RAISE(result[place ? place[at] : at], o[s->nx + b]);
        }
      }
      for (int a = 0; a < s->nx; a++)
        part[k][a] = sum[a];
    }
    for (int a = 0; a < s->nx; a++) {
      const int at = s->x[a] + i * s->xstep[a];
      PAIRS_RAISE(result[place ? place[at] : at], pairs_total(&part[0][a], CST_PAIR_ARRAYS));
    }
  }
}

#ifdef PAIRS_TAPES
/* A term that is a tape. */
typedef struct {
  const cst_tape     *tape;
  const VALUE *const *in;
  const VALUE        *constants;
  VALUE              *scratch;
} pairs_tape;

static inline void pairs_run_tape(const void *self, const VALUE *c, const VALUE *x, const VALUE *y,
                                  VALUE *o) {
  const pairs_tape *t = self;
  const VALUE      *in[128];
  in['c'] = c;
  in['x'] = x;
  in['y'] = y;
  run(t->tape, in, t->constants, o, t->scratch);
}

static void pairs_of_tapes(const cst_pair_tapes *p, bool value, const int *place,
                           const VALUE *const in[128], const VALUE *constants, VALUE *out,
                           VALUE *scratch) {
  const pairs_tape t = {value ? p->value : p->slope, in, constants, scratch};
  const VALUE     *q = in[(int)p->array];
  if (value)
    PAIRS_RAISE(out[0], pairs_value(p->sum, pairs_run_tape, &t, in['c'], q));
  else
    pairs_slope(p->sum, pairs_run_tape, &t, in['c'], q, place, out);
}
#endif

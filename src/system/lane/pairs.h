/* pairs.h: lane code: sums over pairs with a compiled term, on the lanes of a group or, trajectory by
 * trajectory, on so many pairs at once.
 *
 * A group of different trajectories is done in lanes. A trajectory alone, whose other lanes are copies of it,
 * and long rows, which would leave the caches with all lanes at once, are done with lanes over the pairs of a
 * row. Both do what expr/pair-sums.h lays down, so that the bits are the same, whichever is taken and however
 * wide the machine is.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_PAIRS_H
#define CST_SYSTEM_PAIRS_H
#include "constella/lanes.h"
#include "core/inverse-root.h"
#define VALUE vd
#include "expr/pair-sums.h"
#undef VALUE

/* Where coordinates stand for lanes over pairs: number i in of[i] (-1: nowhere), and those of array b at y[b]
 * + j - least, aligned; n places. */
typedef struct {
  int        n;
  const int *of, *y;
} cst_pair_places;

enum { CST_PAIR_VECTORS = PAIRS_PARTS / CST_W };

/* The term that name_marked evaluates, n numbers (emit-header.c). self: NULL, or which lanes are looked at.
 * What takes care works on copies, so that the others stay in registers. */
#define CST_PAIR_TERM(name, n)                                                                     \
  static __attribute__((noinline, cold, unused)) void name##_with_care(const vd *c, const vd *x,   \
                                                                       const vd *y, vd *o) {       \
    name##_marked(1, c, x, y, o);                                                                  \
  }                                                                                                \
  CST_INLINE void name(const void *self, const vd *c, const vd *x, const vd *y, vd *o) {           \
    vl marks = name##_marked(0, c, x, y, o);                                                       \
    if (self)                                                                                      \
      marks &= *(const vl *)self;                                                                  \
    if (__builtin_expect(cst_inverse_root_any(marks), 0)) {                                        \
      vd at[2 * CST_PAIR_ARRAYS];                                                                  \
      vd again[n];                                                                                 \
      for (int k = 0; k < CST_PAIR_ARRAYS; k++) {                                                  \
        at[k] = x[k];                                                                              \
        at[CST_PAIR_ARRAYS + k] = y[k];                                                            \
      }                                                                                            \
      name##_with_care(c, at, at + CST_PAIR_ARRAYS, again);                                        \
      for (int k = 0; k < n; k++)                                                                  \
        o[k] = again[k];                                                                           \
    }                                                                                              \
  }

/* Bits that are not those of lane 0, in the lanes that have them; `differ`: of other arguments. Once all
 * lanes have some, no more are sought. */
CST_INLINE vl cst_pairs_differ(const vd *q, int n, vl differ) {
  enum { AT_ONCE = 8 };
  for (int i = 0; i < n;) {
    for (const int to = i + AT_ONCE < n ? i + AT_ONCE : n; i < to; i++) {
      const vl x = (vl)q[i];
      differ |= x ^ ((vl){} + x[0]);
    }
    vl same = (vl)(differ == 0);
    same[0] = 0;
    if (!vany(same))
      break;
  }
  return differ;
}

CST_INLINE int cst_pairs_bits(vl differ) {
  int bits = 0;
  for (int l = 0; l < CST_W; l++)
    bits |= (differ[l] != 0) << l;
  return bits;
}

/* Whether lanes are laid over pairs; `differ` lanes beside the first. */
CST_INLINE int cst_pairs_apart(const cst_pair_sum *s, int differ) {
  const double each = (double)(CST_PAIR_VECTORS * s->blocks);
  const int    different = 1 + __builtin_popcount((unsigned)differ);
  return different * each <= 1.2 * (double)s->pairs;
}

/* Lanes from .. to - 1. */
CST_INLINE vl cst_pairs_lanes(int from, int to) {
  vl lane;
  for (int l = 0; l < CST_W; l++)
    lane[l] = l;
  return (vl)(lane >= (vl){} + from) & (vl)(lane < (vl){} + to);
}

/* Eight pairs of a row from j = least + at on, of which from .. to - 1 are there. */
CST_INLINE void cst_pairs_block(const cst_pair_sum *s, const cst_pair_places *p, pairs_term *term,
                                const vd *c, const vd *x, const double *q, double *f, int at,
                                int from, int to, vd (*part)[CST_PAIR_ARRAYS], int value) {
  vd y[CST_PAIR_ARRAYS];
  vd o[2 * CST_PAIR_ARRAYS];
  for (int k = 0; k < CST_PAIR_VECTORS; k++) {
    const int first = from - k * CST_W;
    const int last = to - k * CST_W;
    const int here = at + k * CST_W;
    const vl  m = cst_pairs_lanes(first, last);
    if (first >= CST_W || last <= 0)
      continue;
    CST_UNROLL
    for (int b = 0; b < s->ny; b++)
      y[b] = *(const vd *)(q + p->y[b] + here);
    const int part_of_it = from > 0 || to < PAIRS_PARTS;
    term(part_of_it ? &m : NULL, c, x, y, o);
    if (part_of_it) {
      CST_UNROLL
      for (int a = 0; a < (value ? 1 : s->nx); a++)
        part[k][a] += vkeep(m, o[a]);
      if (value)
        continue;
      CST_UNROLL
      for (int b = 0; b < s->ny; b++) {
        vd *sum = (vd *)(f + p->y[b] + here);
        *sum = vselect(m, *sum + o[s->nx + b], *sum);
      }
    } else {
      CST_UNROLL
      for (int a = 0; a < (value ? 1 : s->nx); a++)
        part[k][a] += o[a];
      if (value)
        continue;
      CST_UNROLL
      for (int b = 0; b < s->ny; b++)
        *(vd *)(f + p->y[b] + here) += o[s->nx + b];
    }
  }
}

/* The eight parts, which stand side by side. */
CST_INLINE double cst_pairs_eight(vd (*part)[CST_PAIR_ARRAYS], int a) {
  double x[PAIRS_PARTS] __attribute__((aligned(8 * PAIRS_PARTS)));
  for (int k = 0; k < CST_PAIR_VECTORS; k++)
    ((vd *)x)[k] = part[k][a];
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

CST_INLINE int cst_pairs_least(int a, int b) { return a < b ? a : b; }

CST_INLINE void cst_pairs_rows(const cst_pair_sum *s, const cst_pair_places *p, pairs_term *term,
                               const vd *c, const double *q, double *f, int value) {
  vd part[CST_PAIR_VECTORS][CST_PAIR_ARRAYS];
  vd x[CST_PAIR_ARRAYS];
  if (value)
    for (int k = 0; k < CST_PAIR_VECTORS; k++)
      part[k][0] = vset(0);
  for (int i = 0; i < s->rows; i++) {
    const int first = s->from[i] - s->least;
    const int to = s->to[i] - s->least;
    const int above = first & (PAIRS_PARTS - 1);
    int       at = first - above;
    if (first == to)
      continue;
    CST_UNROLL
    for (int a = 0; a < s->nx; a++)
      x[a] = vset(q[p->of[s->x[a] + i * s->xstep[a]]]);
    if (!value)
      for (int k = 0; k < CST_PAIR_VECTORS; k++) {
        CST_UNROLL
        for (int a = 0; a < s->nx; a++)
          part[k][a] = vset(0);
      }
    if (above || to - at < PAIRS_PARTS) {
      const int end = cst_pairs_least(to - at, PAIRS_PARTS);
      cst_pairs_block(s, p, term, c, x, q, f, at, above, end, part, value);
      at += PAIRS_PARTS;
    }
    for (; at + PAIRS_PARTS <= to; at += PAIRS_PARTS)
      cst_pairs_block(s, p, term, c, x, q, f, at, 0, PAIRS_PARTS, part, value);
    if (at < to)
      cst_pairs_block(s, p, term, c, x, q, f, at, 0, to - at, part, value);
    if (!value) {
      CST_UNROLL
      for (int a = 0; a < s->nx; a++) {
        const int to_x = p->of[s->x[a] + i * s->xstep[a]];
        f[to_x] += cst_pairs_eight(part, a);
      }
    }
  }
  if (value)
    f[0] += cst_pairs_eight(part, 0);
}

/* Lane l alone. */
CST_INLINE void cst_pairs_alone(const cst_pair_sum *s, const cst_pair_places *p, pairs_term *term,
                                int npar, int nq, const vd *c, const vd *q, const int *place, vd *o,
                                int l, int value) {
  vd            Q[p->n / CST_W + 1];
  vd            F[value ? 1 : p->n / CST_W + 1];
  vd            C[npar + 1];
  double *const qs = (double *)Q;
  double *const fs = (double *)F;
  for (int k = 0; k < npar; k++)
    C[k] = vset(c[k][l]);
  for (int i = 0; i < p->n / CST_W + 1; i++)
    Q[i] = vset(0);
  for (int i = 0; i < nq; i++)
    if (p->of[i] >= 0)
      qs[p->of[i]] = q[i][l];
  if (value) {
    fs[0] = o[0][l];
    cst_pairs_rows(s, p, term, C, qs, fs, 1);
    ((double *)o)[l] = fs[0];
    return;
  }
  for (int i = 0; i < nq; i++)
    if (p->of[i] >= 0)
      fs[p->of[i]] = o[place ? place[i] : i][l];
  cst_pairs_rows(s, p, term, C, qs, fs, 0);
  for (int i = 0; i < nq; i++)
    if (p->of[i] >= 0)
      ((double *)&o[place ? place[i] : i])[l] = fs[p->of[i]];
}

/* value: o[0] += the sum of terms; else o[place[k]] += its slope along q[k], place NULL: o[k]. */
CST_INLINE void cst_pairs_sum(const cst_pair_sum *s, const cst_pair_places *p, pairs_term *term,
                              int npar, int nq, const vd *c, const vd *q, const int *place, vd *o,
                              int value) {
  const vl  others = cst_pairs_differ(c, npar, cst_pairs_differ(q, nq, vmask(0)));
  const int differ = cst_pairs_bits(others);
  if (!cst_pairs_apart(s, differ)) {
    if (value)
      o[0] += pairs_value(s, term, NULL, c, q);
    else
      pairs_slope(s, term, NULL, c, q, place, o);
    return;
  }
  for (int l = 0; l < CST_W; l++)
    if (!l || differ >> l & 1)
      cst_pairs_alone(s, p, term, npar, nq, c, q, place, o, l, value);
  const vl alone = (vl)(others != 0);
  for (int i = 0; i < (value ? 1 : nq); i++)
    o[i] = vselect(alone, o[i], vset(o[i][0]));
}
#endif

/* rounding.c: kernels whose outputs are off by the bound of their rounding (rounding.h). They are called where an
 * iteration does not end otherwise, so they may take memory and go lane by lane. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "expr/bound.h"
#include "system/internal.h"
#include "system/lane/rounding.h"

enum { LETTERS = 6 };
static const char letters[LETTERS] = {'c', 'q', 'v', 'w', 'u', 'l'};

/* How many numbers of each letter a kernel reads. */
static void find_reach(const cst_system *s, cst_kernel_id k, int reach[128]) {
  cst_tape_reach(cst_system_tape(s, k), reach);
  if (!cst_pairs_are_in(s, k))
    return;
  reach['c'] = s->npar;
  reach['q'] = s->nq;
}

/* out := the outputs of kernel k in one lane, with their errors. */
static void bound_lane(const cst_system *s, cst_kernel_id k, const int reach[128], int W, int lane,
                       const double *const in[LETTERS], cst_bounded *room, cst_bounded *out) {
  const cst_bounded *of[128];
  for (int i = 0; i < LETTERS; i++) {
    const int letter = letters[i];
    of[letter] = room;
    for (int j = 0; j < reach[letter]; j++) {
      const double x = in[i][j * W + lane];
      *room++ = (cst_bounded){x, letter == 'c' ? 0 : fabs(x) + CST_BOUND_FLOOR};
    }
  }
  cst_tape_bound(cst_system_tape(s, k), of, out);
  for (int i = 0; i < s->npairs && cst_pairs_are_in(s, k); i++)
    cst_pairs_bound(cst_pairs_tapes(s, i), k == CST_K_V, cst_pairs_place(s, k), of, out);
}

static void call(cst_kernel_id k, const void *self, const double *const in[LETTERS], double *o) {
  cst_rounding     *r = (cst_rounding *)self; /* which a kernel borrows as const */
  const cst_system *s = r->of->system;
  const int         W = r->W;
  r->of->kernel[k](r->of->self, in[0], in[1], in[2], in[3], in[4], in[5], o);
  if (!s->kernel_size[k])
    return;
  int reach[128], size = 0;
  find_reach(s, k, reach);
  for (int i = 0; i < LETTERS; i++)
    size += reach[(int)letters[i]];
  const int           n = cst_tape_outputs(cst_system_tape(s, k));
  cst_bounded        *room = cst_need(calloc((size_t)(size + n + 1), sizeof *room));
  cst_bounded        *out = room + size;
  const unsigned long from = r->state;
  for (int l = 0; l < W; l++) {
    if (l < r->apart)
      bound_lane(s, k, reach, W, l, in, room, out);
    r->state = from;
    for (int i = 0; i < n; i++) {
      const bool up = cst_rounding_draw(&r->state) & 1;
      o[i * W + l] += (up ? 0x1p-53 : -0x1p-53) * out[i].error;
    }
  }
  free(room);
}

#define X(name)                                                                                    \
  static void rounded_##name(const void *self, const double *c, const double *q, const double *v,  \
                             const double *w, const double *u, const double *l, double *o) {       \
    call(CST_K_##name, self, (const double *const[LETTERS]){c, q, v, w, u, l}, o);                 \
  }
CST_KERNELS(X)
#undef X

cst_kernel *const cst_rounding_kernels[CST_K_COUNT] = {
#define X(name) rounded_##name,
    CST_KERNELS(X)
#undef X
};

/* separable.c: whether the filtered force of Zhang and Skeel is a gradient without their third derivative.
 *
 * f = M (M + beta h^2 H)^-1 dV with H = Hess V has the Jacobian of a gradient if V separates in coordinates
 * in which M is diagonal: then each component of f is a function of one of them. This is so if all H(q)
 * have one M-orthogonal basis of eigenvectors, which is so if and only if
 *
 *   H(q) M^-1 H(r) = H(r) M^-1 H(q)    for all q, r.
 *
 * The identity is evaluated through the expression graph at scattered points and parameters, along scattered
 * vectors; one that does not hold fails at such points. Linear forces, whose H is constant, satisfy it.
 * Source: Tao, Owhadi, theorem 2.4.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "method/families.h"

enum { PAIRS = 3 };

static double scattered(int place, int i) { return sin(1.7320508 * (i + 1) + 0.7390851 * place); }

/* Values of the parameters apart from the given ones, at which no relation among those holds. */
static void shift_parameters(const cst_system *s, double *c) {
  cst_system_defaults(s, NULL, c);
  for (int i = 0; i < s->npar; i++)
    c[i] += 0.2 * scattered(1, i) * (c[i] != 0 ? c[i] : 1);
}

typedef struct {
  const cst_system *s;
  double            c[CST_MAX_PAR];
  double           *q, *H, *v; /* a point, the entries of its Hessian, a velocity */
} filter;

/* out := H(q) M^-1 p at the scattered point `place`. */
static void apply(filter *f, int place, const double *p, double *out) {
  const cst_pattern *P = &f->s->pattern[CST_K_d2V];
  for (int i = 0; i < f->s->nq; i++)
    f->q[i] = scattered(place, i);
  cst_system_eval_at(f->s, CST_K_d2V, f->c, f->q, f->H);
  cst_system_velocity(f->s, f->c, f->q, p, f->v);
  for (int i = 0; i < P->rows; i++)
    out[i] = 0;
  for (int i = 0; i < P->rows; i++)
    for (int e = P->start[i]; e < P->start[i + 1]; e++)
      out[i] += f->H[e] * f->v[P->column[e]];
}

/* Whether the two products agree along a scattered vector; false where they are not finite. */
static bool commute(filter *f, int pair, double *p, double *half, double *one, double *other) {
  const int n = f->s->nq;
  double    off = 0, size = 0;
  for (int i = 0; i < n; i++)
    p[i] = scattered(40 + pair, i);
  apply(f, 2 * pair + 10, p, half);
  apply(f, 2 * pair + 11, half, one);
  apply(f, 2 * pair + 11, p, half);
  apply(f, 2 * pair + 10, half, other);
  for (int i = 0; i < n; i++) {
    off += fabs(one[i] - other[i]);
    size += fabs(one[i]) + fabs(other[i]);
  }
  return off <= 1e-11 * size;
}

bool cst_newmark_is_separable(const cst_system *s) {
  const size_t n = (size_t)s->nq;
  filter       f = {.s = s};
  bool         all = cst_system_bend(s);
  if (!all)
    return false;
  double *room = malloc(sizeof *room * (6 * n + (size_t)s->pattern[CST_K_d2V].n + 1));
  if (!room)
    abort();
  f.q = room;
  f.v = room + n;
  f.H = room + 6 * n;
  shift_parameters(s, f.c);
  for (int pair = 0; pair < PAIRS && all; pair++)
    all = commute(&f, pair, room + 2 * n, room + 3 * n, room + 4 * n, room + 5 * n);
  free(room);
  return all;
}

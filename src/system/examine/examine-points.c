/* examine-points.c: the points at which the kernels of a system are examined: near its states, at generic
 * numbers. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "constella/random.h"
#include "system/examine/examiner.h"

static const uint64_t SEED = 20240229;
/* initial distance, relative to the size of q over sqrt(nq); halved until all functions are finite */
static const double AWAY = 0.2;
enum { HALVINGS = 24 };

static double normal(int k, int which, int i) {
  return cst_random_normal(SEED, (uint64_t)k, CST_PURPOSE_TEST, (uint32_t)which, (uint32_t)i);
}

static double size_or_1(const double *x, int n) {
  const double size = cst_examine_largest(x, n);
  return size > 0 && isfinite(size) ? size : 1;
}

/* Whether the differentiated functions and their first derivatives are finite at p. */
static bool is_finite(const cst_system *s, const double *c, const cst_point *p) {
  static const cst_kernel_id of[] = {CST_K_V, CST_K_g, CST_K_dV, CST_K_d2V, CST_K_G,
                                     CST_K_M, CST_K_a, CST_K_f,  CST_K_xi,  CST_K_gauge};
  bool                       good = true;
  for (size_t k = 0; k < sizeof of / sizeof *of && good; k++) {
    double *x = cst_linear_numbers((size_t)s->kernel_size[of[k]]);
    cst_system_eval(s, of[k], c, p->q, p->v, p->w, p->u, p->l, x);
    good = isfinite(cst_examine_largest(x, s->kernel_size[of[k]]));
    free(x);
  }
  return good;
}

static void allocate(const cst_system *s, cst_point *p) {
  const int n = s->nq;
  const int w = cst_system_entries(s, 'w');
  const int u = cst_system_entries(s, 'u');
  const int l = cst_system_entries(s, 'l');
  p->q = cst_linear_numbers((size_t)(2 * n + w + u + l));
  p->v = p->q + n;
  p->w = p->v + n;
  p->u = p->w + w;
  p->l = p->u + u;
}

bool cst_examine_point(const cst_examiner *e, int state, int k, cst_point *p) {
  const cst_system *s = e->s;
  const int         n = s->nq;
  allocate(s, p);
  double *q = cst_linear_numbers(n);
  double *v = cst_linear_numbers(n);
  double  away = AWAY / sqrt(n);
  cst_system_state(s, state, e->c, q, v);
  const double size = size_or_1(q, n);
  const double speed = size_or_1(v, n);
  for (int i = 0; i < n; i++)
    p->v[i] = v[i] + speed * normal(k, 1, i);
  for (int i = 0; i < cst_system_entries(s, 'w'); i++)
    p->w[i] = size * normal(k, 2, i);
  for (int i = 0; i < cst_system_entries(s, 'u'); i++)
    p->u[i] = speed * normal(k, 3, i);
  for (int a = 0; a < cst_system_entries(s, 'l'); a++)
    p->l[a] = normal(k, 4, a);
  bool good = false;
  for (int t = 0; t < HALVINGS && !good; t++, away /= 2) {
    for (int i = 0; i < n; i++) {
      const double change = away * size * normal(k, 0, i);
      p->q[i] = q[i] + change;
    }
    good = is_finite(s, e->c, p);
  }
  free(q);
  free(v);
  return good;
}

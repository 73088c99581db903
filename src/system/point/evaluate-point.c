/* evaluate-point.c: evaluates a system at single points: states, kernels through the interpreter, momenta, exact
 * motions.
 *
 * Used for set-up and checks only; steps run on lanes. Tapes are made at first use and kept with the system.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <string.h>
#include "core/boundary.h"
#include "system/internal.h"
#include "system/point/linear.h"
#include "system/point/quad-precision.h"
#include "system/point/residuals.h"

static cst_tape **tapes(cst_tape ***list, int n) {
  if (!*list)
    *list = cst_zeros(n, sizeof **list);
  return *list;
}

/* The tape with outputs a[n], b[n], c[m], in sequence. */
static cst_tape *joined(const cst_system *s, const cst_node *a, const cst_node *b, int n,
                        const cst_node *c, int m) {
  const int size = 2 * n + m;
  cst_node *out = cst_zeros(size, sizeof *out);
  for (int i = 0; i < n; i++) {
    out[i] = a[i];
    out[n + i] = b[i];
  }
  for (int i = 0; i < m; i++)
    out[2 * n + i] = c[i];
  cst_tape *tape = cst_tape_create(s->model->graph, out, size);
  free(out);
  return tape;
}

static cst_tape *start_of(const cst_system *s, int state) {
  cst_system_owned *o = s->owned;
  const cst_state  *x = &s->description->state[state];
  cst_tape        **all = tapes(&o->start, s->nstate);
  cst_tape        **tape = all + state;
  if (!*tape)
    *tape = joined(s, x->q, x->v, s->nq, NULL, 0);
  return *tape;
}

static cst_tape *motion_of(const cst_system *s, int state) {
  cst_system_owned *o = s->owned;
  const cst_state  *x = &s->description->state[state];
  cst_tape        **all = tapes(&o->motion, s->nstate);
  cst_tape        **tape = all + state;
  const int         nlambda = x->exact_lambda ? s->ng : 0;
  if (!*tape)
    *tape = joined(s, x->exact_q, x->exact_v, s->nq, x->exact_lambda, nlambda);
  return *tape;
}

void cst_system_state(const cst_system *s, int state, const double *c, double *q, double *v) {
  CST_REQUIRE(s && (c || !s->npar) && q && v && state >= 0 && state < s->nstate);
  const int     nq = s->nq;
  double       *out = cst_linear_numbers(2 * (size_t)nq);
  const double *in[128] = {['c'] = c};
  cst_evaluate_tape(start_of(s, state), in, out);
  cst_linear_copy(q, out, nq);
  cst_linear_copy(v, out + nq, nq);
  free(out);
}

cst_tape *cst_system_tape(const cst_system *s, cst_kernel_id k) {
  cst_system_owned *o = s->owned;
  cst_tape        **tape = &o->tape[k];
  if (!*tape) {
    const cst_node *out = cst_system_beside(s, k);
    *tape = cst_tape_create(s->model->graph, out, s->model->kernel_size[k]);
  }
  return *tape;
}

/* NaN, as many as a system has of anything: an input that the caller leaves out. */
static const double *absent(const cst_system *s) {
  static _Thread_local double *nan;
  static _Thread_local int     have;
  const int                    need = s->npar + 4 * s->nq + 4 * s->ng + 1 + s->model->nshared;
  if (need <= have)
    return nan;
  nan = cst_need(realloc(nan, sizeof *nan * (size_t)need));
  for (have = 0; have < need; have++)
    nan[have] = NAN;
  return nan;
}

void cst_system_eval(const cst_system *s, cst_kernel_id k, const double *c, const double *q,
                     const double *v, const double *w, const double *u, const double *l,
                     double *out) {
  CST_REQUIRE(s && out && k >= 0 && k < CST_K_COUNT);
  const double *in[128]; /* a tape reads only the inputs that it uses */
  const double *none = c && q && v && w && u && l ? NULL : absent(s);
  in['c'] = c ? c : none;
  in['q'] = q ? q : none;
  in['v'] = v ? v : none;
  in['w'] = w ? w : none;
  in['u'] = u ? u : none;
  in['l'] = l ? l : none;
  if (s->model->kernel_size[k])
    cst_evaluate_tape(cst_system_tape(s, k), in, out);
  if (!cst_pairs_are_in(s, k))
    return;
  const int *place = cst_pairs_place(s, k);
  for (int i = 0; i < s->model->npairs; i++)
    cst_evaluate_pairs(cst_pairs_tapes(s, i), k == CST_K_V, place, in, out);
}

void cst_system_eval_quad(const cst_system *s, cst_kernel_id k, const __float128 *c,
                          const __float128 *q, const __float128 *v, __float128 *out) {
  const __float128 *in[128] = {
      ['c'] = c,
      ['q'] = q,
      ['v'] = v,
  };
  if (s->model->kernel_size[k])
    cst_tape_eval_quad(cst_system_tape(s, k), in, out);
  if (!cst_pairs_are_in(s, k))
    return;
  const int *place = cst_pairs_place(s, k);
  for (int i = 0; i < s->model->npairs; i++)
    cst_pairs_eval_quad(cst_pairs_tapes(s, i), k == CST_K_V, place, in, out);
}

void cst_system_bound(const cst_system *s, cst_kernel_id k, const cst_bounded *const in[128],
                      cst_bounded *out) {
  if (s->model->kernel_size[k])
    cst_tape_bound(cst_system_tape(s, k), in, out);
  for (int i = 0; i < s->model->npairs && cst_pairs_are_in(s, k); i++)
    cst_pairs_bound(cst_pairs_tapes(s, i), k == CST_K_V, cst_pairs_place(s, k), in, out);
}

void cst_system_matrix(const cst_system *s, cst_kernel_id k, const double *c, const double *q,
                       const double *v, double *out) {
  CST_REQUIRE(s && (c || !s->npar) && q && out && k >= 0 && k < CST_K_COUNT);
  const cst_pattern *p = &s->model->pattern[k];
  const long         columns = p->columns;
  double            *A = cst_linear_numbers(p->n);
  cst_system_eval(s, k, c, q, v, NULL, NULL, NULL, A);
  cst_linear_clear(out, p->rows * columns);
  for (int a = 0; a < p->rows; a++) {
    double *row = out + a * columns;
    CST_EACH_ENTRY(p, a, e)
      row[p->column[e]] = A[e];
  }
  free(A);
}

/* Momenta. */

/* p := M v + a, with the pattern of M. */
static void general_momentum(const cst_system *s, const double *c, const double *q, const double *v,
                             double *p) {
  double *M = cst_linear_numbers(s->model->pattern[CST_K_M].n);
  double *a = cst_linear_numbers(s->nq);
  cst_system_eval_at(s, CST_K_M, c, q, M);
  cst_system_eval_at(s, CST_K_a, c, q, a);
  cst_linear_pattern_times(&s->model->pattern[CST_K_M], M, v, p);
  for (int i = 0; i < s->nq; i++)
    p[i] += a[i];
  free(M);
  free(a);
}

bool cst_system_is_gauged(const cst_system *s) {
  CST_REQUIRE(s, false);
  for (int k = 0; k < s->nsym; k++)
    if (!cst_graph_is_zero(s->model->graph, s->model->gauge[k]))
      return true;
  return false;
}

void cst_system_momentum(const cst_system *s, const double *c, const double *q, const double *v,
                         double *p) {
  CST_REQUIRE(s && (c || !s->npar) && q && v && p);
  const int nq = s->nq;
  if (!cst_has(s, CST_SEPARABLE)) {
    general_momentum(s, c, q, v, p);
    return;
  }
  if (cst_has(s, CST_MASS_UNIT)) {
    cst_linear_copy(p, v, nq);
    return;
  }
  double *m = cst_linear_numbers(nq);
  cst_linear_masses(s, c, m);
  for (int i = 0; i < nq; i++)
    p[i] = m[i] * v[i];
  free(m);
}

/* p -= sigma G'phi0, as (M + sigma G'G) v = p + sigma G'(G v) (linear.c). */
static void add_drive(const cst_mass *M, const double *c, const double *q, double *p) {
  const cst_system *s = M->s;
  double           *G = cst_linear_numbers(s->model->pattern[CST_K_G].n + s->ng);
  double           *phi0 = G + s->model->pattern[CST_K_G].n;
  cst_system_eval_at(s, CST_K_G, c, q, G);
  cst_system_eval_at(s, CST_K_phi0, c, q, phi0);
  for (int a = 0; a < s->ng; a++)
    phi0[a] *= -M->sigma;
  cst_linear_pattern_add_transposed(&s->model->pattern[CST_K_G], G, phi0, p);
  free(G);
}

bool cst_system_velocity(const cst_system *s, const double *c, const double *q, const double *p,
                         double *v) {
  CST_REQUIRE(s && (c || !s->npar) && q && p && v, false);
  const int nq = s->nq;
  cst_mass  M;
  bool      good = cst_linear_mass_create(&M, s, c, q);
  if (good) {
    double *a = cst_linear_numbers(nq);
    cst_system_eval_at(s, CST_K_a, c, q, a);
    for (int i = 0; i < nq; i++)
      v[i] = p[i] - a[i];
    if (cst_has(s, CST_MASSLESS | CST_AFFINE))
      add_drive(&M, c, q, v);
    cst_linear_mass_solve(&M, v);
    for (int i = 0; i < nq; i++)
      good &= isfinite(v[i]);
    free(a);
  }
  cst_linear_mass_destroy(&M);
  return good;
}

void cst_system_values(const cst_system *s, const cst_node *node, int n, const double *c,
                       double *value) {
  CST_REQUIRE(s && (n <= 0 || (node && (c || !s->npar) && value)));
  const double *in[128] = {['c'] = c};
  cst_tape     *tape = cst_tape_create(s->model->graph, node, n);
  cst_evaluate_tape(tape, in, value);
  cst_tape_destroy(tape);
}

/* Bodies. */

/* Its inertia, of the numbers of all bodies. */
static void inertia_of(const cst_body *b, const double *number, double inertia[9]) {
  static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  for (int e = 0; e < 9; e++)
    inertia[e] = number[b->at[place[e]]];
}

void cst_system_body_inertia(const cst_system *s, int k, const double *c, double inertia[9],
                             double *mass) {
  CST_REQUIRE(s && (c || !s->npar) && inertia && mass && k >= 0 && k < s->model->nbodies);
  const cst_body *b = &s->model->bodies[k];
  double         *number = cst_zeros(s->model->nbody, sizeof *number);
  cst_system_eval_at(s, CST_K_body, c, NULL, number);
  inertia_of(b, number, inertia);
  if (b->at[6] < 0)
    *mass = 0;
  else
    *mass = number[b->at[6]];
  free(number);
}

const cst_body *cst_system_flat_at(const cst_system *s, const double *c) {
  CST_REQUIRE(s && (c || !s->npar), NULL);
  const cst_body *flat = NULL;
  if (!cst_has(s, CST_BODIES) || cst_has(s, CST_MASS_RAISED))
    return NULL;
  double *number = cst_zeros(s->model->nbody, sizeof *number);
  cst_system_eval_at(s, CST_K_body, c, NULL, number);
  for (int k = 0; k < s->model->nbodies; k++) {
    double inertia[9];
    char   why[300];
    inertia_of(&s->model->bodies[k], number, inertia);
    if (cst_body_is_flat(inertia) && !cst_body_is_wrong(inertia, why, sizeof why))
      flat = &s->model->bodies[k];
  }
  free(number);
  return flat;
}

bool cst_system_check_bodies(const cst_system *s, const double *c, char *why, int n) {
  CST_REQUIRE(s && (c || !s->npar) && (why || n <= 0), false);
  char wrong[300];
  for (int k = 0; k < s->model->nbodies; k++) {
    double inertia[9], mass;
    cst_system_body_inertia(s, k, c, inertia, &mass);
    if (cst_body_is_wrong(inertia, wrong, sizeof wrong)) {
      const char *name = s->model->bodies[k].name;
      snprintf(why, (size_t)n, "inertia of %s: %s", name, wrong);
      return false;
    }
    const bool moves = s->model->bodies[k].centre >= 0;
    if (moves && !(mass > 0 && isfinite(mass))) {
      snprintf(why, (size_t)n, "mass of %s: it is %g; it must be positive and finite",
               s->model->bodies[k].name, mass);
      return false;
    }
  }
  return true;
}

/* Exact motions. */

bool cst_system_has_exact(const cst_system *s, int state) {
  CST_REQUIRE(s && state >= -1 && state < s->nstate, false);
  if (s->code->exact)
    return true;
  return state >= 0 && state < s->nstate && s->description->state[state].has_exact;
}

void cst_system_exact(const cst_system *s, int state, const double *c, const double *q0,
                      const double *v0, double t, double *q, double *p, double *lambda) {
  CST_REQUIRE(s && (c || !s->npar) && q && p && (lambda || !s->ng) &&
              cst_system_has_exact(s, state));
  const int     ng = s->ng;
  const size_t  n = (size_t)s->nq;
  const double *in[128] = {['c'] = c, ['t'] = &t};
  if (state < 0 || !s->description->state[state].has_exact) {
    CST_REQUIRE(q0 && v0);
    s->code->exact(c, q0, v0, t, q, p, lambda);
    return;
  }
  double *out = cst_linear_numbers(2 * n + (size_t)ng);
  double  now[CST_MAX_PAR];
  cst_linear_copy(now, c, s->npar);
  cst_system_set_time(s, now, t);
  cst_evaluate_tape(motion_of(s, state), in, out);
  cst_linear_copy(q, out, n);
  cst_system_momentum(s, c, q, out + n, p);
  if (ng && s->description->state[state].exact_lambda)
    cst_linear_copy(lambda, out + 2 * n, ng);
  else
    cst_system_multipliers(s, now, q, out + n, lambda);
  free(out);
}

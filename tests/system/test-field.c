/* test-field.c: accelerations, multipliers and the Lagrangian as formulas, on every dense system: they solve
 * the equations of motion, on and off the constraints, at inputs and at other nodes. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/field.h"
#include "../method/claims.h"

enum { N = CST_MAX_Q };

/* The formulas at some nodes and their values. */
typedef struct {
  cst_node out[2 * N + 1]; /* A, lambda, L */
  double   A[N], lambda[N], L;
} field;

static void formulas(const cst_system *s, const cst_node *q, const cst_node *v, field *f) {
  cst_field_acceleration(s, q, v, f->out, f->out + s->nq);
  f->out[s->nq + s->ng] = cst_field_lagrangian(s, q, v);
}

static void evaluate(const cst_system *s, const double *c, const double *q, const double *v,
                     field *f) {
  double    out[2 * N + 1];
  cst_tape *t = cst_tape_create(s->model->graph, f->out, s->nq + s->ng + 1);
  cst_evaluate_tape(
      t, (const double *const[128]){['c'] = c, ['q'] = q, ['v'] = v, ['t'] = (double[]){0.25}},
      out);
  cst_tape_destroy(t);
  memcpy(f->A, out, sizeof *out * (size_t)s->nq);
  memcpy(f->lambda, out + s->nq, sizeof *out * (size_t)s->ng);
  f->L = out[s->nq + s->ng];
}

/* p = M v, without a. */
static void inertia(const cst_system *s, const double *c, const double *q, const double *v,
                    double *p) {
  double a[N];
  cst_system_momentum(s, c, q, v, p);
  cst_system_momentum(s, c, q, (double[N]){0}, a);
  for (int i = 0; i < s->nq; i++)
    p[i] -= a[i];
}

/* The largest residual of M A = f - G'lambda and of G A = -D2g[v, v] for the enforced constraints, relative
 * to the size of the terms. */
static double residual(const cst_system *s, const double *c, const double *q, const double *v,
                       const field *x) {
  double f[N], MA[N], G[N * N], bend[N], worst = 0, size = 1e-300, curved = 1e-300;
  cst_system_eval(s, !cst_has(s, CST_SEPARABLE) ? CST_K_f : CST_K_dV, c, q, v, NULL, NULL, NULL, f);
  inertia(s, c, q, x->A, MA);
  cst_system_matrix(s, CST_K_G, c, q, NULL, G);
  cst_system_eval(s, CST_K_D2gvv, c, q, v, NULL, NULL, NULL, bend);
  for (int i = 0; i < s->nq; i++) {
    double r = MA[i] - (!cst_has(s, CST_SEPARABLE) ? f[i] : -f[i]);
    for (int a = 0; a < s->ng; a++) {
      r += G[a * s->nq + i] * x->lambda[a];
      size = fmax(size, fabs(G[a * s->nq + i] * x->lambda[a]));
    }
    size = fmax(size, fmax(fabs(f[i]), fabs(MA[i])));
    worst = larger(worst, fabs(r));
  }
  double worst_bend = 0;
  for (int a = 0; a < s->ng; a++) {
    double r = bend[a];
    for (int i = 0; i < s->nq; i++) {
      r += G[a * s->nq + i] * x->A[i];
      curved = fmax(curved, fabs(G[a * s->nq + i] * x->A[i]));
    }
    curved = fmax(curved, fabs(bend[a]));
    if (cst_system_enforces(s, a))
      worst_bend = larger(worst_bend, fabs(r));
  }
  return larger(worst / size, worst_bend / curved);
}

static double lagrangian(const cst_system *s, const double *c, const double *q, const double *v) {
  double p[N], a[N], V, L = 0;
  cst_system_momentum(s, c, q, v, p);
  cst_system_momentum(s, c, q, (double[N]){0}, a);
  cst_system_eval(s, CST_K_V, c, q, NULL, NULL, NULL, NULL, &V);
  for (int i = 0; i < s->nq; i++)
    L += v[i] * (p[i] + a[i]) / 2;
  return L - V;
}

static void test_point(const problem *x, field *f, const char *where, const double *q,
                       const double *v) {
  double L = lagrangian(x->s, x->c, q, v), r;
  evaluate(x->s, x->c, q, v, f);
  r = residual(x->s, x->c, q, v, f);
  if (!OK(r < 1e-12, "%s %s: the equations of motion", x->s->name, where))
    NOTE("residual %.2g", r);
  if (!OK(fabs(f->L - L) <= 1e-14 * (1 + fabs(L)), "%s %s: the Lagrangian", x->s->name, where))
    NOTE("%.17g, %.17g", f->L, L);
  f->A[0] += 1e-9 * (1 + norm(f->A, x->s->nq));
  OK(residual(x->s, x->c, q, v, f) > r, "%s %s: other accelerations do not solve them", x->s->name,
     where);
}

/* At the nodes q + v t, v (1 - t) the formulas agree with those at q, v if the values agree. Only round-off
 * differs, since sums and products take their operands in another order. */
static void test_elsewhere(const problem *x, const field *at) {
  cst_graph *g = x->s->model->graph;
  cst_node   q[N], v[N], t = cst_graph_input(g, 't', 0);
  double     Q[N], V[N];
  field      f = {0}, moved = *at;
  for (int i = 0; i < x->s->nq; i++) {
    q[i] = cst_graph_input(g, 'q', i);
    v[i] = cst_graph_input(g, 'v', i);
    q[i] = cst_graph_add(g, q[i], cst_graph_mul(g, t, v[i]));
    v[i] = cst_graph_mul(g, v[i], cst_graph_sub(g, cst_graph_constant(g, 1), t));
    Q[i] = x->q[i] + 0.25 * x->v[i];
    V[i] = x->v[i] * 0.75;
  }
  formulas(x->s, q, v, &f);
  evaluate(x->s, x->c, x->q, x->v, &f);
  evaluate(x->s, x->c, Q, V, &moved);
  OK(apart(f.A, moved.A, x->s->nq) <= 1e-13 * (1 + norm(moved.A, x->s->nq)) &&
         fabs(f.L - moved.L) <= 1e-14 * (1 + fabs(f.L)),
     "%s: at other nodes", x->s->name);
}

/* The distance between G'lambda and G'other. */
static double different_force(const problem *x, const double *lambda, const double *other) {
  const int ng = x->s->ng, nq = x->s->nq;
  double    G[N * N], worst = 0, size = 1;
  cst_system_matrix(x->s, CST_K_G, x->c, x->q, NULL, G);
  for (int i = 0; i < nq; i++) {
    double one = 0, two = 0;
    for (int a = 0; a < ng; a++) {
      one += G[a * nq + i] * lambda[a];
      two += G[a * nq + i] * other[a];
    }
    worst = larger(worst, fabs(one - two));
    size = fmax(size, fabs(two));
  }
  return worst / size;
}

static void test_system(problem *x) {
  const cst_system *s = x->s;
  cst_node          q[N], v[N];
  field             f = {0};
  double            off[N], lambda[N];
  for (int i = 0; i < s->nq; i++) {
    q[i] = cst_graph_input(s->model->graph, 'q', i);
    v[i] = cst_graph_input(s->model->graph, 'v', i);
  }
  formulas(s, q, v, &f);
  test_point(x, &f, "at its start", x->q, x->v);
  cst_system_multipliers(s, x->c, x->q, x->v, lambda);
  evaluate(s, x->c, x->q, x->v, &f);
  OK(different_force(x, f.lambda, lambda) < 1e-12,
     "%s: the multipliers of the continuous equations", s->name);
  for (int i = 0; i < s->nq; i++) {
    off[i] = x->q[i] + 0.01 * sin(1 + 2.3 * i);
    x->v[i] += 0.1 * cos(2.9 * i);
  }
  test_point(x, &f, "off its constraints", off, x->v);
  test_elsewhere(x, &f);
}

/* A redundant constraint has no multiplier. */
static void test_dropped(void) {
  static const char text[] = "system: twice\ncoordinates: [x, y]\nmass: [1, 2]\npotential: 3*y\n"
                             "constraints: {circle: x^2 + y^2 - 1, again: 2*x^2 + 2*y^2 - 2}\n"
                             "states: {default: {q: [0.6, 0.8], v: [-0.8, 0.6]}}\n";
  cst_diag         *d = cst_diag_create();
  char              why[200];
  problem           x;
  problem_of(&x, cst_system_read("twice.yaml", text, strlen(text), NULL, 0, d));
  OK(cst_system_enforce_independent(x.s, x.c, x.q, why, sizeof why) && x.s->model->dropped &&
         x.s->model->dropped[1],
     "twice: one constraint is dropped");
  test_system(&x);
  field f;
  cst_field_acceleration(x.s,
                         (cst_node[]){cst_graph_input(x.s->model->graph, 'q', 0),
                                      cst_graph_input(x.s->model->graph, 'q', 1)},
                         (cst_node[]){cst_graph_input(x.s->model->graph, 'v', 0),
                                      cst_graph_input(x.s->model->graph, 'v', 1)},
                         f.out, f.out + 2);
  OK(cst_graph_is_zero(x.s->model->graph, f.out[3]) &&
         !cst_graph_is_zero(x.s->model->graph, f.out[2]),
     "twice: and has no multiplier");
  cst_system_destroy(x.s);
  cst_diag_destroy(d);
}

static void tests(void) {
  char why[200];
  int  dense = 0;
  for (int k = 0; k < cst_catalogue_size(); k++) {
    problem *x = problem_open(cst_catalogue_name(k));
    if (cst_field_exists(x->s, why, sizeof why)) {
      test_system(x);
      dense++;
    } else
      OK(x->s->model->gram.banded && strstr(why, "couple as a band") && strstr(why, x->s->name),
         "%s: %s", x->s->name, why);
    problem_close(x);
  }
  OK(dense >= 15, "%d systems", dense);
  test_dropped();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

/* test-conjugate.c: the methods of Newmark's family are one method in different variables. x = q + b M^-1
 * grad V(q), b = beta h^2, turns Newmark's method into the pushforward method. x = q - b a, with a single
 * Newton iteration from a = 0, gives the simplified form of Zhang and Skeel. Both hold to round-off over many
 * steps. The quadratures of Zhang and Skeel's method are one method half a kick apart. Without its third
 * derivative the full form is the simplified one: only that term distinguishes them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

enum { STEPS = 100, LEFT = 0, RIGHT, TRAPEZOID, RULES };
static const double BETA = 0.4;

/* a := -(M + b Hess V(x))^-1 grad V(x), or -M^-1 grad V(x) if b is 0. M is diagonal. */
static void acceleration(const problem *s, const double *x, double b, double *a) {
  const int n = s->s->nq;
  double    A[CST_MAX_Q * CST_MAX_Q], H[CST_MAX_Q * CST_MAX_Q], mass[CST_MAX_Q], v[CST_MAX_Q],
      e[CST_MAX_Q];
  cst_system_eval(s->s, CST_K_dV, s->c, x, NULL, NULL, NULL, NULL, a);
  cst_system_matrix(s->s, CST_K_d2V, s->c, x, NULL, H);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++)
      e[k] = k == i;
    cst_system_momentum(s->s, s->c, x, e, v);
    mass[i] = v[i];
    a[i] = -a[i];
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      A[i * n + k] = b * H[i * n + k] + (i == k ? mass[i] : 0);
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      const double f = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++)
        A[i * n + j] -= f * A[k * n + j];
      a[i] -= f * a[k];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      a[i] -= A[i * n + j] * a[j];
    a[i] /= A[i * n + i];
  }
}

static void start(run *r, const problem *x, const char *method, const double *q, const double *v) {
  run_open_on(r, x, method, widest(), 1, 1e-15);
  cst_batch_reset(r->st, &r->b, 1);
  run_put(r, 0, q, v);
  cst_batch_ready(r->st, &r->b);
}

/* newmark starts from q, pushforward from x. */
static void test_full(const problem *x, double h) {
  const int    n = x->s->nq;
  const double b = BETA * h * h;
  double       a[CST_MAX_Q], y[CST_MAX_Q], q[CST_MAX_Q], p[CST_MAX_Q], z[CST_MAX_Q], w[CST_MAX_Q],
      off = 0;
  run newmark, pushed;
  acceleration(x, x->q, 0, a);
  for (int i = 0; i < n; i++)
    y[i] = x->q[i] - b * a[i];
  start(&newmark, x, "newmark(beta=0.4)", x->q, x->v);
  start(&pushed, x, "pushforward-newmark(beta=0.4)", y, x->v);
  for (int k = 0; k < STEPS; k++) {
    run_go(&newmark, h, 1);
    run_go(&pushed, h, 1);
    run_state(&newmark, 0, q, p);
    run_state(&pushed, 0, z, w);
    acceleration(x, q, 0, a);
    for (int i = 0; i < n; i++)
      y[i] = q[i] - b * a[i];
    off = larger(off, larger(apart(y, z, n), apart(p, w, n)));
  }
  OK(off < 1e-11, "%s: newmark is pushforward-newmark in another variable (%.2g)", x->s->name, off);
  run_close(&newmark);
  run_close(&pushed);
}

/* One iteration from a = 0 has its own start. From its first step on it is the simplified form. */
static void test_single(const problem *x, double h) {
  const int    n = x->s->nq;
  const double b = BETA * h * h;
  double       a[CST_MAX_Q], y[CST_MAX_Q], q[CST_MAX_Q], p[CST_MAX_Q], v[CST_MAX_Q], z[CST_MAX_Q],
      w[CST_MAX_Q], off = 0;
  run newmark, simplified;
  acceleration(x, x->q, 0, a);
  for (int i = 0; i < n; i++)
    y[i] = x->q[i] + h * x->v[i] + (0.5 - BETA) * h * h * a[i];
  start(&newmark, x, "newmark(beta=0.4, iterations=1, start=a)", x->q, x->v);
  run_go(&newmark, h, 1);
  run_state(&newmark, 0, q, p);
  cst_system_velocity(x->s, x->c, q, p, v);
  start(&simplified, x, "zhang-skeel(beta=0.4, form=simplified)", y, v);
  for (int k = 0; k < STEPS; k++) {
    run_state(&newmark, 0, q, p);
    run_state(&simplified, 0, z, w);
    acceleration(x, z, b, a);
    for (int i = 0; i < n; i++)
      y[i] = z[i] + b * a[i];
    off = larger(off, larger(apart(y, q, n), apart(p, w, n)));
    run_go(&newmark, h, 1);
    run_go(&simplified, h, 1);
  }
  OK(off < 1e-11, "%s: one iteration of newmark is the simplified form in another variable (%.2g)",
     x->s->name, off);
  run_close(&newmark);
  run_close(&simplified);
}

static void name(char *text, size_t n, const char *form, int rule) {
  static const char *const rules[] = {"left", "right", "trapezoid"};
  snprintf(text, n, "zhang-skeel(beta=0.4, form=%s, quadrature=%s)", form, rules[rule]);
}

/* The kick h F at q: the amount that a step of the left end adds to p. */
static void kick_of(const problem *x, const char *form, double h, double *kick) {
  double q[CST_MAX_Q], p[CST_MAX_Q], p0[CST_MAX_Q];
  char   text[80];
  run    r;
  name(text, sizeof text, form, LEFT);
  start(&r, x, text, x->q, x->v);
  run_state(&r, 0, q, p0);
  run_go(&r, h, 1);
  run_state(&r, 0, q, p);
  for (int i = 0; i < x->s->nq; i++)
    kick[i] = p[i] - p0[i];
  run_close(&r);
}

/* From p0 - h/2 F, p0 + h/2 F and p0 the three quadratures have the same q, and the p of the third is the
 * mean of the others. Masses are 1. */
static void test_quadratures(const problem *x, const char *form, double h) {
  const int n = x->s->nq;
  double kick[CST_MAX_Q], v[CST_MAX_Q], q[RULES][CST_MAX_Q], p[RULES][CST_MAX_Q], off = 0, wide = 0;
  char   text[80];
  run    r[RULES];
  kick_of(x, form, h, kick);
  for (int k = 0; k < RULES; k++) {
    for (int i = 0; i < n; i++)
      v[i] = x->v[i] + (k == LEFT ? -0.5 : k == RIGHT ? 0.5 : 0) * kick[i];
    name(text, sizeof text, form, k);
    start(&r[k], x, text, x->q, v);
  }
  for (int step = 0; step < STEPS; step++) {
    for (int k = 0; k < RULES; k++) {
      run_go(&r[k], h, 1);
      run_state(&r[k], 0, q[k], p[k]);
    }
    for (int i = 0; i < n; i++)
      v[i] = 0.5 * (p[LEFT][i] + p[RIGHT][i]);
    off = larger(off, larger(apart(v, p[TRAPEZOID], n),
                             larger(apart(q[LEFT], q[RIGHT], n), apart(q[LEFT], q[TRAPEZOID], n))));
    wide = larger(wide, apart(p[LEFT], p[TRAPEZOID], n));
  }
  OK(off < 1e-11 && wide > 1e-3,
     "%s, %s: the quadratures are half a kick apart (%.2g; kicks of %.2g)", x->s->name, form, off,
     wide);
  for (int k = 0; k < RULES; k++)
    run_close(&r[k]);
}

/* Equality to the last bit. */
static void test_adjoint(const problem *x, double h) {
  double q[2][CST_MAX_Q], p[2][CST_MAX_Q];
  run    r[2];
  start(&r[0], x, "adjoint(zhang-skeel(beta=0.4, quadrature=left))", x->q, x->v);
  start(&r[1], x, "zhang-skeel(beta=0.4, quadrature=right)", x->q, x->v);
  for (int k = 0; k < 2; k++) {
    run_go(&r[k], h, 10);
    run_state(&r[k], 0, q[k], p[k]);
    run_close(&r[k]);
  }
  OK(apart(q[0], q[1], x->s->nq) == 0 && apart(p[0], p[1], x->s->nq) == 0,
     "%s: the adjoint of the left end is the right end", x->s->name);
}

static void forms(const problem *x, double h, double *q_full, double *q_simplified) {
  double p[CST_MAX_Q];
  run    r;
  start(&r, x, "zhang-skeel(beta=0.4)", x->q, x->v);
  run_go(&r, h, 10);
  run_state(&r, 0, q_full, p);
  run_close(&r);
  start(&r, x, "zhang-skeel(beta=0.4, form=simplified)", x->q, x->v);
  run_go(&r, h, 10);
  run_state(&r, 0, q_simplified, p);
  run_close(&r);
}

static void nothing(const void *self, const double *c, const double *q, const double *v,
                    const double *w, const double *u, const double *l, double *o) {
  (void)self;
  (void)c;
  (void)q;
  (void)v;
  (void)w;
  (void)u;
  (void)l;
  for (int k = 0; k < 2 * cst_isas[widest()].width; k++)
    o[k] = 0;
}

static const char swing[] = "system: swing\ncoordinates: [x, y]\nmass: [2, 1]\npotential: x^4 + "
                            "x^2*y + y^3/3 + 3*y^2 + cos(x - y)\n"
                            "states: {default: {q: [0.3, -0.2], v: [0.5, 0.1]}}\n";

static void test_forms(void) {
  problem x = described(swing);
  double  full[2], simplified[2], without[2];
  forms(&x, 0.3, full, simplified);
  OK(apart(full, simplified, 2) > 1e-4, "the full form is not the simplified one (%.2g)",
     apart(full, simplified, 2));
  x.s->code->kernel[widest()][CST_K_D3V] = nothing;
  forms(&x, 0.3, without, simplified);
  OK(apart(without, simplified, 2) == 0, "and is it without its third derivative");
  cst_system_destroy(x.s);
}

static void tests(void) {
  static const char *const systems[] = {"henon-heiles", "dna-chain"};
  problem                  own = described(swing);
  for (int k = 0; k < 2; k++) {
    problem *x = problem_open(systems[k]);
    test_full(x, 0.3);
    test_single(x, 0.3);
    test_quadratures(x, "full", 0.3);
    test_quadratures(x, "simplified", 0.3);
    test_adjoint(x, 0.3);
    problem_close(x);
  }
  test_full(&own, 0.2);
  test_single(&own, 0.2);
  cst_system_destroy(own.s);
  test_forms();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

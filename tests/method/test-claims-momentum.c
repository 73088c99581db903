/* test-claims-momentum.c: if momentum maps are claimed, they stay constant to round-off over 2000 steps; rk4
 * visibly loses that of the spherical pendulum. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

enum { LANES = 3, STEPS = 2000, EVERY = 50 };

/* J_k = <p, xi_k(q)> - F_k(q) and its scale sum |p_i xi_i| + |F|. */
static void momenta(const problem *x, const double *q, const double *p, double *J, double *scale) {
  const int nq = x->s->nq;
  double    xi[CST_MAX_SYM * CST_MAX_Q], gauge[CST_MAX_SYM];
  cst_system_matrix(x->s, CST_K_xi, x->c, q, NULL, xi);
  cst_system_eval(x->s, CST_K_gauge, x->c, q, NULL, NULL, NULL, NULL, gauge);
  for (int k = 0; k < x->s->nsym; k++) {
    J[k] = -gauge[k];
    scale[k] = fabs(gauge[k]);
    for (int i = 0; i < nq; i++) {
      J[k] += p[i] * xi[k * nq + i];
      scale[k] += fabs(p[i] * xi[k * nq + i]);
    }
  }
}

/* The largest |J - J(0)| relative to the largest scale, over all momenta and lanes; of trajectories that
 * end, where they need not live, until their last good step. */
static double drift(const problem *x, const char *method, double h, bool lives) {
  run    r;
  double worst = 0, q[CST_MAX_Q], p[CST_MAX_Q], J[CST_MAX_SYM], scale[CST_MAX_SYM],
         J0[LANES][CST_MAX_SYM], top[LANES][CST_MAX_SYM];
  run_open(&r, x, method, LANES);
  run_start(&r, LANES);
  for (int n = 0; n <= affordable(x, method, STEPS); n += EVERY) {
    if (n)
      run_go(&r, h, EVERY);
    for (int l = 0; l < LANES; l++) {
      run_state(&r, l, q, p);
      momenta(x, q, p, J, scale);
      for (int k = 0; k < x->s->nsym; k++) {
        if (n == 0) {
          J0[l][k] = J[k];
          top[l][k] = 0;
        }
        top[l][k] = larger(top[l][k], scale[k]);
        /* for a motion in a plane it stays 0 */
        if (J[k] != J0[l][k])
          worst = larger(worst, fabs(J[k] - J0[l][k]) / top[l][k]);
      }
    }
  }
  if (lives && !run_well(&r, LANES))
    worst = INFINITY;
  run_close(&r);
  return worst;
}

static double greatest;

static void test(const problem *x, const char *method, cst_properties has) {
  if (!(has.claims & CST_CLAIM_MOMENTUM) || x->s->nsym == 0)
    return;
  double off = drift(x, method, 0.05 * pace_of(x->s->name),
                     has.order_p > 0); /* what claims no order in p need not last */
  if (!OK(off <= 1e-12, "%s on %s: keeps the momenta", method, x->s->name))
    NOTE("drift %.3g of their scale", off);
  greatest = larger(greatest, off);
}

static void test_others(void) {
  static const char *const methods[] = {"rk4", "heun", "rk6", "project(rk4)", "project(heun)"};
  problem                 *x = problem_open("spherical-pendulum");
  for (int i = 0; i < 5; i++) {
    double off = drift(x, methods[i], 0.2, true);
    OK(off > 1e-6, "%s on %s: loses the momentum (%.2g)", methods[i], x->s->name, off);
  }
  problem_close(x);
}

/* Momenta that a conversion does not keep, since its layer integrates the gauge F only approximately, F
 * differs at a projected point, or the Euclidean projection stretches along the symmetry; and momenta that it
 * keeps. */
static const struct {
  const char *text;
  bool        kept;
} stated[] = {
    {"system: landau-gauge\ncoordinates: [x, y]\nmass: [1, 1]\ngyroscopic: [0, x]\npotential: (x^2 "
     "+ "
     "y^2)^2/4\n"
     "symmetries: {turn: {generator: [-y, x], gauge: (x^2 - y^2)/2}}\nstates: {default: {q: [0.6, "
     "0.8], v: "
     "[-0.4, 0.5]}}\n",
     false},
    {"system: cylinder\ncoordinates: [x, y, z]\nmass: [1, 1, 1]\ngyroscopic: [0, 0, x]\npotential: "
     "y*z\n"
     "constraints: {surface: y^2 + 2*z^2 - 1}\nsymmetries: {along: {generator: [1, 0, 0], gauge: "
     "z}}\n"
     "states: {default: {q: [0.6, 1, 0], v: [-0.4, 0, 0.5]}}\n",
     false},
    {"system: ellipsoid\ncoordinates: [x, y, z]\nmass: [4, 1, 1]\npotential: z\nconstraints: "
     "{surface: 4*x^2 "
     "+ y^2 + z^2 - 1}\n"
     "symmetries: {turn: [-y/2, 2*x, 0]}\nstates: {default: {q: [0, 0.6, 0.8], v: [0.5, 0, 0]}}\n",
     false},
    {"system: spheroid\ncoordinates: [x, y, z]\nmass: [1, 1, 4]\npotential: z\nconstraints: "
     "{surface: x^2 + "
     "y^2 + 4*z^2 - 1}\n"
     "symmetries: {turn: [-y, x, 0]}\nstates: {default: {q: [0, 0.6, 0.4], v: [0.5, 0, 0]}}\n",
     true}};

static void test_stated(const char *text, const char *method, bool kept) {
  problem      x = described(text);
  cst_method  *m = method_of(method);
  const bool   claimed = cst_method_properties(m, x.s).claims & CST_CLAIM_MOMENTUM;
  const double off = drift(&x, method, 0.1, true);
  OK(claimed == kept && (claimed ? off <= 1e-12 : off > 1e-9), "%s on %s: momentum %s (%.2g)",
     method, x.s->name, claimed ? "claimed and kept" : "neither claimed nor kept", off);
  cst_method_destroy(m);
  cst_system_destroy(x.s);
}

static void test_all_stated(void) {
  for (size_t k = 0; k < sizeof stated / sizeof *stated; k++) {
    test_stated(stated[k].text, "convert(rk4)", stated[k].kept);
    /* each is quadratic and a symmetry also off g = 0 */
    test_stated(stated[k].text, "hbvm(k=2, s=2)", true);
  }
  /* the forces at two points do not integrate the gauge either */
  test_stated(stated[0].text, "rattle", false);
}

static void tests(void) {
  each_pair(test, SCOPE_CLAIM(CST_CLAIM_MOMENTUM));
  NOTE("largest drift %.3g", greatest);
  test_others();
  test_all_stated();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

/* test-claims-constraints.c: methods that claim positions keep g = 0 to the solver's tolerance, those that claim velocities G v = 0 to
 * round-off; the plain layers, which claim neither, drift off visibly.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

enum { LANES = 3, STEPS = 300 };
static const double H = 0.05;

typedef struct {
  double g, gv; /* largest scaled residuals so far */
} residuals;

/* Scales: s_j = sum |G_jk| |q_k|, at least the start's; sum |G_jk| times the largest |v_k| so far. */
static void look(const problem *x, const double *q, const double *p, double *least, double *speed, residuals *most) {
  const cst_system *s = x->s;
  double            g[CST_MAX_G], G[CST_MAX_G * CST_MAX_Q], v[CST_MAX_Q];
  cst_system_velocity(s, x->c, q, p, v);
  *speed = larger(*speed, norm(v, s->nq));
  cst_system_eval(s, CST_K_g, x->c, q, NULL, NULL, NULL, NULL, g);
  cst_system_matrix(s, CST_K_G, x->c, q, NULL, G);
  for (int a = 0; a < s->ng; a++) {
    double scale = 0, row = 0, gv = 0;
    for (int i = 0; i < s->nq; i++) {
      scale += fabs(G[a * s->nq + i]) * fabs(q[i]);
      row += fabs(G[a * s->nq + i]);
      gv += G[a * s->nq + i] * v[i];
    }
    if (least[a] < 0) least[a] = scale;
    if (g[a] != 0) most->g = larger(most->g, fabs(g[a]) / larger(scale, least[a])); /* both may vanish, as off-diagonal R'R at R = 1 */
    if (gv != 0) most->gv = larger(most->gv, fabs(gv) / (row * *speed));            /* a state at rest keeps it */
  }
}

static residuals residuals_of(const problem *x, const char *method, bool *well) {
  run       r;
  residuals most = {0, 0};
  double    least[LANES][CST_MAX_G], speed[LANES] = {0}, q[CST_MAX_Q], p[CST_MAX_Q];
  for (int l = 0; l < LANES; l++)
    for (int a = 0; a < CST_MAX_G; a++) least[l][a] = -1;
  run_open(&r, x, method, LANES);
  run_start(&r, LANES);
  for (int n = 0; n <= affordable(x, method, STEPS); n++) {
    if (n) run_go(&r, H * pace_of(x->s->name), 1);
    for (int l = 0; l < LANES; l++) {
      run_state(&r, l, q, p);
      look(x, q, p, least[l], &speed[l], &most);
    }
  }
  *well = run_well(&r, LANES);
  run_close(&r);
  return most;
}

static double worst_of[128], worst_hidden_of[128]; /* of an expression over the systems */

static void test(const problem *x, const char *method, cst_properties has) {
  bool well;
  if (x->s->ng == 0) return;
  residuals most = residuals_of(x, method, &well);
  if (has.claims) OK(well, "%s on %s: %d steps", method, x->s->name, affordable(x, method, STEPS));
  /* At R = 1 the scale of some constraints vanishes, to which a solver of g = 0 keeps and round-off of q does not. */
  const double bound = strstr(method, "hbvm") && !strcmp(x->s->name, "magnetised-body") ? 5e-14 : 1e-14;
  if (has.claims & CST_POSITIONS && !OK(most.g <= bound, "%s on %s: keeps g = 0", method, x->s->name)) NOTE("scaled |g| %.3g", most.g);
  if (has.claims & CST_VELOCITIES && !OK(most.gv <= 1e-13, "%s on %s: keeps G v = 0", method, x->s->name))
    NOTE("scaled |G v| %.3g", most.gv);
  for (int i = 0; i < expression_count() && well; i++)
    if (!strcmp(expression_at(i), method))
      worst_of[i] = larger(worst_of[i], most.g), worst_hidden_of[i] = larger(worst_hidden_of[i], most.gv);
}

/* Who does not claim it does not have it: no row is too modest. */
static void test_others(void) {
  problem *x = problem_open("spherical-pendulum");
  for (int i = 0; i < expression_count(); i++) {
    cst_method *m = method_of(expression_at(i));
    unsigned    claims = cst_method_properties(m, x->s).claims;
    if (!(claims & CST_POSITIONS))
      OK(worst_of[i] > 1e-11, "%s, which claims no positions, drifts off g = 0 (%.2g)", expression_at(i), worst_of[i]);
    if (!(claims & CST_VELOCITIES))
      OK(worst_hidden_of[i] > 1e-11, "%s, which claims no velocities, violates G v = 0 (%.2g)", expression_at(i), worst_hidden_of[i]);
    if (!strcmp(expression_at(i), "euler") || !strcmp(expression_at(i), "heun") || !strcmp(expression_at(i), "rk4"))
      OK(worst_of[i] > 1e-7 && worst_hidden_of[i] > 1e-7, "%s: visibly (%.2g, %.2g)", expression_at(i), worst_of[i], worst_hidden_of[i]);
    cst_method_destroy(m);
  }
  problem_close(x);
}

static void tests(void) {
  int n = each_pair(test);
  OK(n > 100, "%d pairs of a method and a system", n);
  test_others();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

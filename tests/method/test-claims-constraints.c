/* test-claims-constraints.c: methods that claim positions keep g = 0 to the solver's tolerance, and those
 * that claim velocities keep G v = 0 to round-off. Plain layers, which claim neither, drift visibly. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"
#include <float.h>

enum { LANES = 3, STEPS = 300 };
static const double H = 0.05;

typedef struct {
  double g, gv; /* largest scaled residuals so far */
  double way;   /* g relative to the sum of terms of its line integral along the motion */
} residuals;

/* Data for the scales of a lane: q and L_j at the start, the largest |v_k| and |q_k - q_k(0)| so far. */
typedef struct {
  double q[CST_MAX_Q], length[CST_MAX_G], speed, moved;
} course;

/* The scales of residuals. For g_j beyond the round-off of the coordinates, 4 eps sum |G_jk| max |q_k|: s_j =
 * L_j sum |G_jk|. For G v: sum |G_jk| times the largest |v_k|. For the line integral: the larger of s_j and
 * sum |G_jk| times the largest distance. */
static void observe(const problem *x, const double *q, const double *p, bool first, course *c,
                    residuals *most) {
  const cst_system *s = x->s;
  double            g[CST_MAX_G], G[CST_MAX_G * CST_MAX_Q], v[CST_MAX_Q], phi0[CST_MAX_G] = {0};
  cst_system_velocity(s, x->c, q, p, v);
  if (first) {
    *c = (course){.speed = 0};
    memcpy(c->q, q, sizeof *q * (size_t)s->nq);
    cst_system_lengths(s, x->c, q, c->length);
  }
  c->speed = larger(c->speed, norm(v, s->nq));
  c->moved = larger(c->moved, apart(q, c->q, s->nq));
  cst_system_eval(s, CST_K_g, x->c, q, NULL, NULL, NULL, NULL, g);
  cst_system_eval(s, CST_K_phi0, x->c, q, NULL, NULL, NULL, NULL, phi0);
  cst_system_matrix(s, CST_K_G, x->c, q, NULL, G);
  for (int a = 0; a < s->ng; a++) {
    double row = 0, far = 0, gv = phi0[a];
    for (int i = 0; i < s->nq; i++) {
      if (G[a * s->nq + i] != 0)
        far = larger(far, fabs(q[i]));
      row += fabs(G[a * s->nq + i]);
      gv += G[a * s->nq + i] * v[i];
    }
    const double scale = row * c->length[a], beyond = fabs(g[a]) - 4 * DBL_EPSILON * row * far;
    if (beyond > 0) {
      most->g = larger(most->g, beyond / scale);
      most->way = larger(most->way, beyond / larger(scale, row * c->moved));
    }
    if (gv != 0)
      most->gv = larger(most->gv, fabs(gv) / (row * c->speed)); /* a state at rest keeps it */
  }
}

/* A thermostat heats slow systems, whose steps are longer than H. */
static double step_of(const problem *x, const char *method) {
  const double pace = pace_of(x->s->name);
  cst_method  *m = method_of(method);
  const bool   heated = cst_method_has_noise(m);
  cst_method_destroy(m);
  return heated && pace > 1 ? H : H * pace;
}

static residuals residuals_of(const problem *start, const char *method, bool *well) {
  static problem now; /* with the time among its parameters */
  const problem *x = &now;
  run            r;
  residuals      most = {0, 0, 0};
  course         c[LANES];
  double         q[CST_MAX_Q], p[CST_MAX_Q];
  now = *start;
  const double step = step_of(x, method);
  run_open(&r, x, method, LANES);
  run_start(&r, LANES);
  for (int n = 0; n <= affordable(x, method, STEPS); n++) {
    if (n)
      run_go(&r, step, 1);
    if (cst_has(x->s, CST_TIMED))
      now.c[cst_system_named(x->s)] = n * step;
    for (int l = 0; l < LANES; l++) {
      run_state(&r, l, q, p);
      observe(x, q, p, n == 0, &c[l], &most);
    }
  }
  *well = run_well(&r, LANES);
  run_close(&r);
  return most;
}

/* True if g = 0 is not solved at the end of a step but is the result of a line integral, whose round-off adds
 * to the previous error. */
static bool ends_in_line(const char *method) {
  cst_method  *m = method_of(method);
  cst_program *p = cst_program_create(m);
  const bool   line = !strcmp(p->step[p->n - 1].row->name, "hbvm");
  cst_program_destroy(p);
  cst_method_destroy(m);
  return line;
}

static double worst_of[MOST_METHODS],
    worst_hidden_of[MOST_METHODS]; /* the worst of an expression over the systems */

static void test(const problem *x, const char *method, cst_properties has) {
  bool well;
  if (x->s->ng == 0)
    return;
  residuals  most = residuals_of(x, method, &well);
  const bool lives = has.order_p > 0; /* what claims no order in p need not last */
  if (has.claims && lives)
    OK(well, "%s on %s: %d steps", method, x->s->name, affordable(x, method, STEPS));
  const double g = ends_in_line(method) ? most.way : most.g,
               limit = ends_in_line(method) ? 1e-14 + 4 * DBL_EPSILON : 1e-14;
  if (has.claims & CST_CLAIM_POSITIONS &&
      !OK(g <= limit, "%s on %s: keeps g = 0", method, x->s->name))
    NOTE("scaled |g| %.3g", g);
  if (has.claims & CST_CLAIM_VELOCITIES &&
      !OK(most.gv <= 1e-13, "%s on %s: keeps G v = 0", method, x->s->name))
    NOTE("scaled |G v| %.3g", most.gv);
  for (int i = 0; i < expression_count() && (well || !lives); i++)
    if (!strcmp(expression_at(i), method)) {
      worst_of[i] = larger(worst_of[i], most.g);
      worst_hidden_of[i] = larger(worst_hidden_of[i], most.gv);
    }
}

/* Methods without the claim do not have the property: no row claims too little. */
static void test_others(void) {
  problem *x = problem_open("spherical-pendulum");
  for (int i = 0; i < expression_count(); i++) {
    cst_method *m = method_of(expression_at(i));
    char        why[200];
    const bool  fits = cst_method_fits(m, x->s, why, sizeof why);
    unsigned    claims =
        fits ? cst_method_properties(m, x->s).claims : CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES;
    if (!(claims & CST_CLAIM_POSITIONS))
      OK(worst_of[i] > 1e-11, "%s, which claims no positions, drifts off g = 0 (%.2g)",
         expression_at(i), worst_of[i]);
    if (!(claims & CST_CLAIM_VELOCITIES))
      OK(worst_hidden_of[i] > 1e-11, "%s, which claims no velocities, violates G v = 0 (%.2g)",
         expression_at(i), worst_hidden_of[i]);
    if (!strcmp(expression_at(i), "euler") || !strcmp(expression_at(i), "heun") ||
        !strcmp(expression_at(i), "rk4"))
      OK(worst_of[i] > 1e-7 && worst_hidden_of[i] > 1e-7, "%s: visibly (%.2g, %.2g)",
         expression_at(i), worst_of[i], worst_hidden_of[i]);
    cst_method_destroy(m);
  }
  problem_close(x);
}

static void tests(void) {
  int n = each_pair(test, SCOPE_CONSTRAINTS);
  OK(n > 100, "%d pairs of a method and a system", n);
  test_others();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

/* newmark.c: newmark(beta=0.25, gamma=0.5): Newmark's method; with iterations= and start= the equations of a
 * step are solved only approximately.
 *
 * With gamma = 1/2 it is its own adjoint and of order 2, and conjugate to the symplectic pushforward method
 * by x = q + beta h^2 M^-1 grad V: it keeps neither dp ^ dq nor volume, but its energy error is bounded. beta
 * = 0 is Verlet's method.
 *
 * With `iterations`, a1 is the result of that many Newton iterations from a1 = 0 (start=a) or from the a1 for
 * which q1 = q0 (start=q), and is used as it is in the next step. One iteration from a is the simplified
 * method of Zhang and Skeel, conjugated in the same way; one from q is what Tao and Owhadi call partially
 * solved Newmark. Source: Newmark 1959; Kane, Marsden, Ortiz, West 2000; Tao, Owhadi, (2.1)-(2.3).
 * Arithmetic: core/newmark.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/families.h"

/* ---- shared by the family ------------------------------------------------------------------- */

bool cst_newmark_fits(const cst_term *t, const cst_system *s, char *why, int n) {
  if (!cst_term_bends(t, s, why, n))
    return false;
  if (s->model->kernel_size[CST_K_dVH])
    return true;
  if (s->ng)
    snprintf(why, (size_t)n,
             "%s steps systems without constraints, and %s has %d; penalty(%s(...), omega=...) "
             "replaces them "
             "by springs",
             t->name, s->name, s->ng, t->name);
  else if (cst_has(s, CST_GYROSCOPIC))
    snprintf(why, (size_t)n, "%s steps systems without a(q), and %s has one", t->name, s->name);
  else if (!cst_has(s, CST_SEPARABLE))
    snprintf(
        why, (size_t)n,
        "%s needs a constant mass, diagonal or of at most %d coordinates, and that of %s is not so",
        t->name, CST_MAX_Q, s->name);
  else
    snprintf(why, (size_t)n, "%s: the Hessian of the potential of %s is too large", t->name,
             s->name);
  return false;
}

cst_properties cst_newmark_properties(int order, unsigned claims) {
  return (cst_properties){.order_q = order, .order_p = order, .claims = claims, .lambda_time = 1};
}

/* ---- newmark --------------------------------------------------------------------------------- */

typedef struct {
  double beta, gamma;
  int    iterations, start; /* iterations 0: to the solver's tolerance */
} values;

enum { FROM_A, FROM_Q };
static const char *const starts[] = {"a", "q", NULL};

static const cst_key arguments[] = {
    CST_BETA(values, "0.25", "newmark(beta=0.3)"),
    {"", "gamma", CST_BY_NAME, NULL, "0.5", "", "newmark(gamma=0.6)",
     "the weight of a1 in v1; 1/2 for order 2",
     .value = {CST_VALUE_NUMBER, CST_AT(values, gamma), 0, 1}},
    {"", "iterations", CST_BY_NAME, NULL, "to the solver's tolerance", "",
     "newmark(beta=0.4, iterations=1)", "how many of Newton's method a step takes",
     .value = {CST_VALUE_INTEGER, CST_AT(values, iterations), 1, 100, .rule = true}},
    {"", "start", CST_BY_NAME, NULL, "a, and only with iterations", "",
     "newmark(beta=0.4, iterations=1, start=q)",
     "of the iterations: the acceleration 0, or the position before the step",
     .value = {CST_VALUE_CHOICE, CST_AT(values, start), .words = starts, .rule = true}},
    {0}};

CST_VALUES_OF_TERM

static bool check(const cst_term *t, cst_expr_error *e) {
  const cst_term *start = cst_term_argument(t, "start");
  const values    x = values_of(t);
  if (start && !x.iterations)
    return cst_term_error(start, e,
                          "start= needs iterations=: newmark(beta=0.4, iterations=1, start=q)");
  if (x.start == FROM_Q && x.beta == 0)
    return cst_term_error(start, e,
                          "with beta = 0 there is nothing to solve, and start=q has no meaning");
  return true;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  const values x = values_of(t);
  cst_program_add(p, cst_newmark(fraction, x.beta, x.gamma, x.iterations, x.start == FROM_Q));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  const values x = values_of(t);
  unsigned     claims = cst_symmetry_is_translation(s) ? CST_CLAIM_MOMENTUM : 0;
  if (x.gamma == 0.5 && !x.iterations)
    claims |= CST_CLAIM_SYMMETRIC | CST_CLAIM_BOUNDED;
  if (x.gamma == 0.5 && x.beta == 0)
    claims |= CST_CLAIM_SYMMETRIC | CST_CLAIM_BOUNDED | CST_CLAIM_SYMPLECTIC | CST_CLAIM_VOLUME |
              CST_CLAIM_MOMENTUM;
  return cst_newmark_properties(x.gamma == 0.5 ? 2 : 1, claims);
}

const cst_method_row cst_method_row_newmark = {
    .info =
        {.name = "newmark",
         .doc = "Newmark's method; implicit, on systems without constraints.",
         .equations =
             "q1 = q0 + h v0 + h^2/2 ((1 - 2 beta) a0 + 2 beta a1),  v1 = v0 + h ((1 - gamma) a0 + "
             "gamma a1),  M a = -dV(q)",
         .notes =
             "Linearly stable for every h if beta >= 1/4. gamma = 1/2 gives order 2 and a bounded "
             "energy error; that of compose(newmark, SCHEME) is not claimed to be bounded, but "
             "measured on "
             "chaotic orbits in docs/springs.md.\nnewmark(beta=, iterations=1, start=a) makes one "
             "Newton iteration from "
             "a1 = "
             "0, and start=q from q1 = q0; a1 is then used as it is in the next step.",
         .source = "Newmark, J. Eng. Mech. Div. ASCE 85 (1959) 67; Tao, Owhadi, IMA J. Numer. "
                   "Anal. (2016), (2.1)",
         .signature = "newmark(beta=0.25, gamma=0.5)",
         .example = "newmark"},
    .arguments = arguments,
    .check = check,
    .fits = cst_newmark_fits,
    .properties = properties,
    .expand = expand,
};

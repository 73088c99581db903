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
#include <math.h>

/* ---- shared by the family ------------------------------------------------------------------- */

bool cst_newmark_keys(const cst_term *t, const char *const *keys, cst_expr_error *e) {
  for (int i = 0; i < t->n; i++) {
    int k = 0;
    while (keys[k] && t->key[i] && strcmp(keys[k], t->key[i]))
      k++;
    if (!t->key[i] || !keys[k])
      return cst_term_error(t->arg[i], e, "%s takes no %s%s; write %s", t->name,
                            t->key[i] ? t->key[i] : "argument without a name", t->key[i] ? "=" : "",
                            t->row->info.signature);
    for (int j = 0; j < i; j++)
      if (!strcmp(t->key[j], t->key[i]))
        return cst_term_error(t->arg[i], e, "'%s=' appears twice", t->key[i]);
  }
  return true;
}

bool cst_newmark_check_beta(const cst_term *t, bool required, cst_expr_error *e) {
  const cst_term *b = cst_term_argument(t, "beta");
  if (!b && required)
    return cst_term_error(t, e, "%s needs beta: %s(beta=0.25)", t->name, t->name);
  if (b && (b->kind != CST_TERM_NUMBER || !(b->number >= 0)))
    return cst_term_error(
        b, e,
        "the beta of %s is a number of at least 0, and at least 1/4 for stability at every step",
        t->name);
  return true;
}

double cst_newmark_number(const cst_term *t, const char *key, double otherwise) {
  const cst_term *x = cst_term_argument(t, key);
  return x ? x->number : otherwise;
}

bool cst_newmark_fits(const cst_term *t, const cst_system *s, char *why, int n) {
  if (!cst_term_bends(t, s, why, n))
    return false;
  if (s->kernel_size[CST_K_dVH])
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

static bool check_start(const cst_term *t, cst_expr_error *e) {
  const cst_term *start = cst_term_argument(t, "start");
  const cst_term *many = cst_term_argument(t, "iterations");
  if (many && (many->kind != CST_TERM_NUMBER || !(many->number >= 1 && many->number <= 100) ||
               many->number != floor(many->number)))
    return cst_term_error(many, e,
                          "the iterations of newmark are a whole number from 1 to 100; default: to "
                          "the solver's tolerance");
  if (!start)
    return true;
  if (start->kind != CST_TERM_NAME || start->n ||
      (strcmp(start->name, "q") && strcmp(start->name, "a")))
    return cst_term_error(start, e,
                          "start is q (the position before the step) or a (the acceleration 0)");
  if (!many)
    return cst_term_error(start, e,
                          "start= needs iterations=: newmark(beta=0.4, iterations=1, start=q)");
  if (*start->name == 'q' && cst_newmark_number(t, "beta", 0.25) == 0)
    return cst_term_error(start, e,
                          "with beta = 0 there is nothing to solve, and start=q has no meaning");
  return true;
}

static bool check(const cst_term *t, cst_expr_error *e) {
  static const char *const keys[] = {"beta", "gamma", "iterations", "start", NULL};
  const cst_term          *gamma = cst_term_argument(t, "gamma");
  if (!cst_newmark_keys(t, keys, e) || !cst_newmark_check_beta(t, false, e))
    return false;
  if (gamma && (gamma->kind != CST_TERM_NUMBER || !(gamma->number >= 0 && gamma->number <= 1)))
    return cst_term_error(gamma, e,
                          "the gamma of newmark is a number from 0 to 1; 1/2 for order 2");
  return check_start(t, e);
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  const cst_term *start = cst_term_argument(t, "start");
  cst_program_add(p, cst_newmark(fraction, cst_newmark_number(t, "beta", 0.25),
                                 cst_newmark_number(t, "gamma", 0.5),
                                 (int)cst_newmark_number(t, "iterations", 0),
                                 start && *start->name == 'q'));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  const double beta = cst_newmark_number(t, "beta", 0.25);
  const double gamma = cst_newmark_number(t, "gamma", 0.5);
  unsigned     claims = cst_symmetry_is_translation(s) ? CST_CLAIM_MOMENTUM : 0;
  if (gamma == 0.5 && !cst_term_argument(t, "iterations"))
    claims |= CST_CLAIM_SYMMETRIC | CST_CLAIM_BOUNDED;
  if (gamma == 0.5 && beta == 0)
    claims |= CST_CLAIM_SYMMETRIC | CST_CLAIM_BOUNDED | CST_CLAIM_SYMPLECTIC | CST_CLAIM_VOLUME |
              CST_CLAIM_MOMENTUM;
  return cst_newmark_properties(gamma == 0.5 ? 2 : 1, claims);
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
    .check = check,
    .fits = cst_newmark_fits,
    .properties = properties,
    .expand = expand,
};

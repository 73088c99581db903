/* zhang-skeel.c: zhang-skeel(beta=, form=full|simplified|stiff): the linearly implicit methods of Zhang and Skeel.
 *
 * A Verlet step by a force that M + beta h^2 Hess V filters, so that stiff springs need no small step: stable on every quadratic V for
 * beta >= 1/4. The full form adds the third derivative that makes the force a gradient, and the map symplectic and momentum preserving: it
 * is variational, the Lagrangian being that of the pushforward Newmark method, expanded to second order in a. Without that term
 * (simplified) the map keeps phase-space volume, is its own adjoint, and keeps the momenta of translations; it keeps dp ^ dq where the
 * Jacobian of its force is symmetric, as with one coordinate, and angular momenta not at all. The stiff form takes the Hessian of the key
 * `stiff` of the system alone. Source: Zhang, Skeel 1997; Tao, Owhadi. Arithmetic: core/filtered.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/newmark.h"

static const char *const forms[] = {"full", "simplified", "stiff"};
enum { FULL, SIMPLIFIED, STIFF, FORMS };

static int form_of(const cst_term *t) {
  const cst_term *f = cst_term_argument(t, "form");
  for (int k = 0; f && k < FORMS; k++)
    if (f->kind == CST_TERM_NAME && !f->n && !strcmp(f->name, forms[k])) return k;
  return f ? -1 : FULL;
}

static bool check(const cst_term *t, cst_expr_error *e) {
  static const char *const keys[] = {"beta", "form", NULL};
  if (!cst_newmark_keys(t, keys, e) || !cst_newmark_check_beta(t, true, e)) return false;
  return form_of(t) >= 0 || cst_term_error(cst_term_argument(t, "form"), e, "the form of zhang-skeel is full, simplified or stiff");
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  if (!cst_newmark_fits(t, s, why, n)) return false;
  if (form_of(t) != STIFF || s->kernel_size[CST_K_dVS]) return true;
  snprintf(why, (size_t)n, "zhang-skeel(form=stiff) takes the Hessian of the stiff part of the potential, and %s has no key `stiff`",
           s->name);
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_program_add(p, cst_filtered_kick(fraction, cst_newmark_number(t, "beta", 0.25), form_of(t)));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  const bool     symplectic = form_of(t) == FULL || s->nq == 1;
  const unsigned kept = symplectic                                                  ? CST_SYMPLECTIC | CST_MOMENTUM
                        : cst_symmetries_are_translations(s) && form_of(t) != STIFF ? CST_MOMENTUM
                                                                                    : 0;
  return cst_newmark_properties(2, CST_SYMMETRIC | CST_VOLUME | CST_BOUNDED | kept);
}

const cst_method_row cst_method_row_zhang_skeel = {
    .info = {.name = "zhang-skeel",
             .doc = "Zhang and Skeel's linearly implicit method: one linear solve a step, stable on stiff springs.",
             .equations = "x1 = x0 + h v0 + h^2/2 f0,  v1 = v0 + h/2 (f0 + f1),  (M + beta h^2 Hess V) a = -dV\n"
                          "full: f = a - 1/2 beta^2 h^4 M^-1 V'''[a, a];  simplified: f = a;  stiff: f = a, Hess of the stiff part alone",
             .notes =
                 "Linearly stable for every h where beta >= 1/4; below, for h w < 2/sqrt(1 - 4 beta), w the largest frequency.\n"
                 "The full form is symplectic and keeps momenta. On strongly nonlinear springs it breaks down at smaller steps than the "
                 "simplified one, which keeps volume in phase space, and linear momentum, and is not symplectic.",
             .source = "Zhang, Skeel, Appl. Numer. Math. 25 (1997) 297; Tao, Owhadi, IMA J. Numer. Anal. (2016), (1.3), (2.7), (2.8)",
             .signature = "zhang-skeel(beta=, form=full)",
             .example = "zhang-skeel(beta=0.4)"},
    .check = check,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};

/* generalized-alpha.c: generalized-alpha(rho=) and hht(alpha=): the methods of structural and multibody
 * codes, with the constraints imposed at the end of every step.
 *
 *   q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),   v1 = v0 + h ((1 - gamma) a0 + gamma a1)
 *   (1 - am) a1 + am a0 = (1 - af) A1 + af A0,   M A1 = f(q1, v1, t1) - G(q1)'lambda1,   g(q1) = 0
 *
 * with gamma = 1/2 + af - am, beta = (gamma + 1/2)^2/4. The state holds a and A besides q and v; a run
 * starts with A0 of the index-1 equations, and a0 = A0. form=ggl adds -h G(q1)'mu to q1 and the equation
 * G(q1) v1 = 0, and starts with a0 = A at the time (am - af) h, to second order. form=newmark is am = af =
 * 0: Newmark's method with gamma = 1/2, beta = 1/4.
 *
 * am = (2 rho - 1)/(rho + 1), af = rho/(rho + 1) damp the highest frequencies by rho per step; am = 0, af
 * = alpha is the method of Hilber, Hughes and Taylor. Multipliers of form=index-3 are of order 1 in the
 * first steps, for a0 = A0 as for any other a0; the error decays with damping. Without it (rho = 1,
 * newmark, alpha = 0) it stays, with a sign that alternates, and may grow on nonlinear constraints
 * (Cardona, Geradin 1989); with damping it grows where a step turns G by about 1 - rho. The multipliers of form=ggl have order 2 from the first step on, with damping
 * and without.
 *
 * Source: Chung, Hulbert 1993; Arnold, Bruels 2007; Hilber, Hughes, Taylor 1977; Gear, Gupta, Leimkuhler
 * 1985. Arithmetic: core/constrained.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "method/families.h"

enum { INDEX_3, GGL, NEWMARK };
static const char *const forms[] = {"index-3", "ggl", "newmark", NULL};

typedef struct {
  double am, af, beta, gamma;
} coefficients;

static bool is_hht(const cst_term *t) { return !strcmp(t->name, "hht"); }

static int form(const cst_term *t) { return cst_term_choice(t, "form", forms); }

static coefficients coefficients_of(const cst_term *t) {
  const cst_term *x = cst_term_argument(t, is_hht(t) ? "alpha" : "rho");
  const double    r = x ? x->number : 0;
  coefficients    c = {0, is_hht(t) ? r : 0, 0, 0};
  if (!is_hht(t) && form(t) != NEWMARK) {
    c.am = (2 * r - 1) / (r + 1);
    c.af = r / (r + 1);
  }
  c.gamma = 0.5 + c.af - c.am;
  c.beta = (c.gamma + 0.5) * (c.gamma + 0.5) / 4;
  return c;
}

/* Whether the highest frequencies are damped. */
static bool damps(const cst_term *t) { return coefficients_of(t).gamma > 0.5 + 1e-14; }

static bool check_number(const cst_term *t, const char *key, double most, const char *what,
                         cst_expr_error *e) {
  const cst_term *x = cst_term_argument(t, key);
  if (!x)
    return cst_term_error(t, e, "%s needs %s: %s", t->name, key, t->row->info.example);
  return (x->kind == CST_TERM_NUMBER && x->number >= 0 && x->number <= most * (1 + 1e-15)) ||
         cst_term_error(x, e, "%s of %s is a number from 0 to %s", key, t->name, what);
}

static bool check(const cst_term *t, cst_expr_error *e) {
  static const char *const known[] = {"rho", "form", NULL}, *const hht[] = {"alpha", "form", NULL};
  if (!cst_term_keys(t, is_hht(t) ? hht : known, e) || !cst_term_check_choice(t, "form", forms, e))
    return false;
  if (is_hht(t))
    return form(t) != NEWMARK
               ? check_number(t, "alpha", 1 / 3., "1/3", e)
               : cst_term_error(t, e, "form of hht is index-3 or ggl; newmark is hht(alpha=0)");
  if (form(t) != NEWMARK)
    return check_number(t, "rho", 1, "1", e);
  const cst_term *rho = cst_term_argument(t, "rho");
  return !rho || cst_term_error(rho, e, "form=newmark has no rho: generalized-alpha(form=newmark)");
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  return cst_constrained_fits(t, s, 1, form(t) == GGL, why, n);
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  const coefficients c = coefficients_of(t);
  cst_program_add(p, cst_constrained_alpha(fraction, c.am, c.af, c.beta, c.gamma, form(t) == GGL));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  return cst_constrained_properties(2, 2, damps(t) || form(t) == GGL || !s->ng ? 2 : 0, true,
                                    form(t) == GGL);
}

#define NOTES                                                                                      \
  "The state holds a and A besides q and v, so the method is not composed with others.\nOrders "   \
  "are those at a fixed time. Over the mesh the multipliers of form=index-3 have order 1, "        \
  "because those of the first steps have; form=ggl starts with a0 = A at the time (am - af) h "    \
  "and has order 2 there too.\nWithout damping (rho = 1, alpha = 0, form=newmark) the "            \
  "multipliers of index 3 do not converge, and none is claimed; their errors may grow in long "    \
  "runs, up to failure.\nWith damping they grow, too, where a step turns G by about 1 - rho or "   \
  "more (of hht 1 - rho = 2 alpha/(1 + alpha)): errors are damped by rho in each step, and grow "  \
  "as G turns. The energy then explodes, and no step fails. The pendulum of planar-pendulum from " \
  "`rotating`, |v| up to 2.4, explodes at h = 0.1 with rho = 0.8, 0.9, 0.95 at t = 13, 5, 4; at "  \
  "h = 0.05 with the last two at t = 13, 6; at h = 0.025 with the last at t = 15. It did not "     \
  "until t = 1000 at smaller steps or rho, nor at any of these with form=ggl, which is the form "  \
  "to use there; radau(2) is another.\nEnergy is dissipated where there is damping and the step "  \
  "is not that large; how much depends on the step, and is not claimed."

#define ALPHA(ident, label, text, formulas, from, sign, one)                                       \
  const cst_method_row cst_method_row_##ident = {                                                  \
      .info = {.name = label,                                                                      \
               .doc = text,                                                                        \
               .equations = formulas,                                                              \
               .notes = NOTES,                                                                     \
               .source = from,                                                                     \
               .signature = sign,                                                                  \
               .example = one},                                                                    \
      .steps = CST_FORCED | CST_TIMED,                                                             \
      .whole = true,                                                                               \
      .check = check,                                                                              \
      .fits = fits,                                                                                \
      .properties = properties,                                                                    \
      .expand = expand,                                                                            \
  }
#define STEP                                                                                       \
  "q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),  v1 = v0 + h ((1 - gamma) a0 + gamma a1)\n"
#define END                                                                                        \
  "M A1 = f(q1, v1) - G(q1)'lambda1,  g(q1) = 0;  form=ggl: - h G(q1)'mu in q1, and G(q1) v1 = 0"
ALPHA(
    generalized_alpha, "generalized-alpha",
    "The generalised-alpha method of Chung and Hulbert, with the constraints of index 3 or "
    "stabilised; "
    "damps the highest frequencies by rho per step.",
    STEP
    "(1 - am) a1 + am a0 = (1 - af) A1 + af A0,  am = (2 rho - 1)/(rho + 1),  af = rho/(rho + 1),  "
    "gamma = 1/2 + af - am,  beta = (gamma + 1/2)^2/4;  form=newmark: am = af = 0\n" END,
    "Chung, Hulbert, J. Appl. Mech. 60 (1993); Arnold, Bruels, Multibody Syst. Dyn. 18 (2007); "
    "form=ggl: Gear, Gupta, Leimkuhler, J. Comput. Appl. Math. 12-13 (1985)",
    "generalized-alpha(rho=, form=index-3)", "generalized-alpha(rho=0.8)");
ALPHA(hht, "hht",
      "The method of Hilber, Hughes and Taylor, with the constraints of index 3 or stabilised.",
      STEP "a1 = (1 - alpha) A1 + alpha A0,  gamma = 1/2 + alpha,  beta = (1 + alpha)^2/4,  0 <= "
           "alpha <= 1/3\n" END,
      "Hilber, Hughes, Taylor, Earthq. Eng. Struct. Dyn. 5 (1977); Arnold, Bruels, Multibody Syst. "
      "Dyn. 18 (2007)",
      "hht(alpha=, form=index-3)", "hht(alpha=0.1)");

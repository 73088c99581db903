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
#include "method/families.h"

typedef struct {
  double rho, alpha; /* negative: not given */
  int    form;
} values;

enum { INDEX_3, GGL, NEWMARK };
static const char *const forms[] = {"index-3", "ggl", "newmark", NULL};
static const char *const hht_forms[] = {"index-3", "ggl", NULL};

#define FORM(words_, example, what)                                                                \
  {                                                                                                \
    "", "form", CST_BY_NAME, NULL, "index-3", "", example, what, .value = {                        \
      CST_VALUE_CHOICE,                                                                            \
      CST_AT(values, form),                                                                        \
      .words = words_                                                                              \
    }                                                                                              \
  }
static const cst_key arguments[] = {
    {"", "rho", CST_BY_NAME, NULL, "required but for form=newmark", "",
     "generalized-alpha(rho=0.8)", "by which a step damps the highest frequencies",
     .value = {CST_VALUE_NUMBER, CST_AT(values, rho), 0, 1, .rule = true}},
    FORM(forms, "generalized-alpha(rho=0.8, form=ggl)", "which constraints are imposed"),
    {0}};

/* 1/3 need not be written to the last digit. */
static const cst_key hht_arguments[] = {
    {"", "alpha", CST_BY_NAME, "number from 0 to 1/3", NULL, "", "hht(alpha=0.1)",
     "which damps the highest frequencies",
     .value = {CST_VALUE_NUMBER, CST_AT(values, alpha), 0, (1 + 1e-15) / 3}},
    FORM(hht_forms, "hht(alpha=0.1, form=ggl)",
         "which constraints are imposed; newmark is hht(alpha=0)"),
    {0}};

typedef struct {
  double am, af, beta, gamma;
} coefficients;

static values values_of(const cst_term *t) {
  values x = {.rho = -1, .alpha = -1};
  cst_term_read(t, &x);
  return x;
}

static int form(const cst_term *t) { return values_of(t).form; }

static coefficients coefficients_of(const cst_term *t) {
  const values x = values_of(t);
  coefficients c = {0};
  if (x.alpha >= 0) {
    c.af = x.alpha;
  } else if (x.form != NEWMARK) {
    c.am = (2 * x.rho - 1) / (x.rho + 1);
    c.af = x.rho / (x.rho + 1);
  }
  c.gamma = 0.5 + c.af - c.am;
  c.beta = (c.gamma + 0.5) * (c.gamma + 0.5) / 4;
  return c;
}

/* Whether the highest frequencies are damped. */
static bool damps(const cst_term *t) { return coefficients_of(t).gamma > 0.5 + 1e-14; }

static bool check(const cst_term *t, cst_expr_error *e) {
  const values x = values_of(t);
  if (x.form == NEWMARK && x.rho >= 0)
    return cst_term_error(cst_term_argument(t, "rho"), e,
                          "form=newmark has no rho: generalized-alpha(form=newmark)");
  return x.form == NEWMARK || x.rho >= 0 ||
         cst_term_error(t, e, "%s needs rho: %s", t->name, t->row->info.example);
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

#define ALPHA(ident, label, text, formulas, from, sign, one, table, test)                          \
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
      .arguments = table,                                                                          \
      .check = test,                                                                               \
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
    "generalized-alpha(rho=, form=index-3)", "generalized-alpha(rho=0.8)", arguments, check);
ALPHA(hht, "hht",
      "The method of Hilber, Hughes and Taylor, with the constraints of index 3 or stabilised.",
      STEP "a1 = (1 - alpha) A1 + alpha A0,  gamma = 1/2 + alpha,  beta = (1 + alpha)^2/4,  0 <= "
           "alpha <= 1/3\n" END,
      "Hilber, Hughes, Taylor, Earthq. Eng. Struct. Dyn. 5 (1977); Arnold, Bruels, Multibody Syst. "
      "Dyn. 18 (2007)",
      "hht(alpha=, form=index-3)", "hht(alpha=0.1)", hht_arguments, NULL);

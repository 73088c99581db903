/* penalty.c: penalty(METHOD, omega=, average=0): applies a method for systems without constraints to a system
 * whose constraints it replaces by stiff springs, V + omega^2/2 sum g_j^2.
 *
 * The motion differs from the constrained one by O(omega^-2) if the start is consistent: errors against the
 * constrained motion do not fall below this, however small the step. The multipliers are +omega^2 g in M A =
 * f - G'lambda. They oscillate at the frequency of the springs, and only their mean over a short time
 * converges (Tao, Owhadi, theorem 1.3): with average=T they are the mean over the last time T, a moving mean that
 * every step has, and are compared at its centre. The system with springs is derived like any other (system/penalised.c).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/families.h"

typedef struct {
  cst_term *method;
  double    omega, average;
} values;

#define EXAMPLE "penalty(zhang-skeel(beta=0.4, form=simplified), omega=20)"
static const cst_key arguments[] = {
    {"", "METHOD", CST_BY_PLACE, NULL, NULL, "", EXAMPLE, "a method",
     .value = {CST_VALUE_METHOD, CST_AT(values, method)}},
    {"", "omega", CST_BY_NAME, NULL, NULL, "", EXAMPLE, "the springs are omega^2/2 g^2",
     .value = {CST_VALUE_NUMBER, CST_AT(values, omega), 0, CST_NO_LIMIT, .above = true}},
    {"", "average", CST_BY_NAME, NULL, "0", "time", "penalty(rattle, omega=20, average=0.2)",
     "a time, over which multipliers are averaged; 0: they are not",
     .value = {CST_VALUE_NUMBER, CST_AT(values, average), 0, CST_NO_LIMIT}},
    {0}};

CST_VALUES_OF_TERM

static const cst_system *on(const cst_term *t, const cst_system *s, double *more) {
  char why[200];
  more[0] = values_of(t).omega;
  return cst_system_penalised(s, why, sizeof why);
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  const cst_system *springs = cst_system_penalised(s, why, n);
  char              reason[200];
  if (!springs)
    return false;
  if (cst_term_fits(values_of(t).method, springs, reason, sizeof reason))
    return true;
  snprintf(why, (size_t)n, "with springs in place of its constraints: %s", reason);
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_term_expand(values_of(t).method, p, fraction);
}

/* No order against the constrained motion. Of the method's claims, symmetry, temperature and momenta remain.
 */
static cst_properties properties(const cst_term *t, const cst_system *s) {
  char                 why[200];
  const cst_system    *springs = cst_system_penalised(s, why, sizeof why);
  const values         v = values_of(t);
  const cst_properties x = springs ? cst_term_properties(v.method, springs) : (cst_properties){0};
  const unsigned       kept =
      /* momenta also kept off g = 0 */
      CST_CLAIM_SYMMETRIC | CST_CLAIM_TEMPERATURE |
      (cst_symmetry_momenta_are_quadratic(s) ? CST_CLAIM_MOMENTUM : 0u);
  return (cst_properties){.claims = x.claims & kept,
                          .lambda_time = 1,
                          .own_lambda = true,
                          .order_measure = cst_properties_measure(&x),
                          .mean = v.average};
}

const cst_method_row cst_method_row_penalty = {
    .info = {.name = "penalty",
             .doc = "A method for systems without constraints, applied with springs in place of "
                    "the constraints.",
             .equations =
                 "V + omega^2/2 sum g_j^2,  no constraints;  lambda = omega^2 g, averaged over "
                 "the last `average`",
             .notes =
                 "Errors are measured against the constrained motion: an order study ends at a "
                 "floor, the "
                 "error of the model, O(omega^-2).\naverage is a time, rounded to steps: the "
                 "multipliers are "
                 "the mean over it, whoever reads them (before that time has passed, the mean "
                 "since the start), and "
                 "belong to its centre. 0: they are those of the state, and oscillate.\nExplicit "
                 "methods and conversions need a step below about 2 over the "
                 "springs' "
                 "frequency; newmark, zhang-skeel, gauss and midpoint do not.",
             .source = "Rubin, Ungar 1957; Tao, Owhadi, IMA J. Numer. Anal. (2016), (1.7), (1.8)",
             .signature = "penalty(METHOD, omega=, average=0)",
             .example = EXAMPLE},
    .steps = CST_FORCED | CST_TIMED | CST_DRIVEN,
    .arguments = arguments,
    .fits = fits,
    .properties = properties,
    .on = on,
    .expand = expand,
};

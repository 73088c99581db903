/* dopri5.c: dopri5(tolerance=e): the adaptive Dormand-Prince pair on the index-reduced equations, for
 * comparison. Arithmetic: core/dopri5.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/layer.h"

typedef struct {
  double tolerance;
} values;

static const cst_key arguments[] = {
    {"", "tolerance", CST_BY_NAME, NULL, "1e-8", "", "dopri5(tolerance=0.001)",
     "of the error in a step of the pair, relative to 1 + |q, v|",
     .value = {CST_VALUE_NUMBER, CST_AT(values, tolerance), 1e-15, 1}},
    {0}};

static void expand(const cst_term *t, cst_program *p, double fraction) {
  values x;
  cst_term_read(t, &x);
  cst_program_add(p, cst_dopri5_coefficients(fraction, x.tolerance));
}

/* Valid if the tolerance requires no step below h; otherwise the tolerance determines the error. */
static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)t;
  (void)s;
  return cst_layer_properties(5, 0);
}

const cst_method_row cst_method_row_dopri5 = {
    .info =
        {.name = "dopri5",
         .doc = "The adaptive Runge-Kutta pair of Dormand and Prince, order 5(4), within each "
                "step; for "
                "comparison. Keeps nothing.",
         .equations =
             "steps of the pair lead from t to t + h, with lengths chosen by each lane's own error "
             "such that\n  sqrt(mean_k (e_k / (tolerance (1 + max(|y_k|, |y1_k|))))^2) <= 1,  y = "
             "(q, v),  e the difference of both solutions",
         .notes = "The step h sets the times of observations and limits the pair's steps: errors "
                  "are of the "
                  "order of the tolerance times a growth in time, and of order 5 if h is shorter "
                  "than the "
                  "tolerance requires. The solution of order 5 is continued. The length of the "
                  "pair's steps "
                  "is kept from step to step. A trajectory fails if it needs more than 100000 "
                  "steps of the "
                  "pair in one step h, or steps shorter than rounding allows.",
         .source = "J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, J. "
                   "Comp. Appl. Math. 6 "
                   "(1980) 19; Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, "
                   "II.4-5",
         .signature = "dopri5(tolerance=1e-8)",
         .example = "dopri5(tolerance=0.001)"},
    .steps = CST_STEPS_ALL | CST_SLIPS,
    .arguments = arguments,
    .properties = properties,
    .expand = expand,
};

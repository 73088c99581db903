/* radau.c: radau(s): Radau IIA with s stages on the constrained equations.
 *
 * form says which constraints its stages satisfy:
 *   ggl      g = 0 and G v = 0, with q' = v - G'mu : the stabilised equations of index 2
 *   index-3  g = 0
 *   index-2  G v = 0
 *   index-1  G A = -D2g[v, v]: a layer, as gauss(s) is
 *
 * The last stage is the end of the step, so that it has the constraints and the multipliers of the stages.
 * The method is L-stable: it damps what its step does not resolve, and energy falls.
 *
 * Source: Hairer, Lubich, Roche 1989; Hairer, Wanner, Solving Ordinary Differential Equations II, VII.4.
 * Arithmetic: core/constrained.c, core/rk.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/families.h"
#include "method/layer.h"

typedef struct {
  int stages, form;
} values;

enum { GGL, INDEX_3, INDEX_2, INDEX_1 };
static const char *const forms[] = {"ggl", "index-3", "index-2", "index-1", NULL};

static const cst_key arguments[] = {
    {"", "s", CST_BY_PLACE, NULL, NULL, "", "radau(3, form=index-2)", "the number of stages",
     .value = {CST_VALUE_INTEGER, CST_AT(values, stages), 1, CST_MAX_RADAU}},
    {"", "form", CST_BY_NAME, NULL, "ggl", "", "radau(3, form=index-2)",
     "which constraints the stages satisfy",
     .value = {CST_VALUE_CHOICE, CST_AT(values, form), .words = forms}},
    {0}};

CST_VALUES_OF_TERM
static int form(const cst_term *t) { return values_of(t).form; }
static int stages(const cst_term *t) { return values_of(t).stages; }

static bool layer(const cst_term *t, cst_layer *l) {
  if (form(t) == INDEX_1)
    l->tableau = cst_tableau_radau(stages(t));
  return form(t) == INDEX_1;
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  return form(t) == INDEX_1 || cst_constrained_fits(t, s, stages(t), form(t) == GGL, why, n);
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  const cst_tableau tableau = cst_tableau_radau(stages(t));
  if (form(t) == INDEX_1)
    cst_layer_add(p, fraction, &tableau);
  else
    cst_program_add(
        p, cst_constrained_radau(fraction, stages(t), form(t) != INDEX_2, form(t) != INDEX_3));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  const cst_tableau tableau = cst_tableau_radau(stages(t));
  const int         n = stages(t), order = 2 * n - 1;
  if (form(t) == INDEX_1)
    return cst_tableau_properties(&tableau, s);
  if (form(t) == INDEX_3 && s->ng > 0)
    return cst_constrained_properties(order, n, n - 1, true, false);
  return cst_constrained_properties(order, order, n, form(t) != INDEX_2, form(t) != INDEX_3);
}

const cst_method_row cst_method_row_radau = {
    .info =
        {.name = "radau",
         .doc =
             "Radau IIA with s stages, order 2s - 1, on the constrained equations, as in RADAU5; "
             "L-stable, dissipates energy.",
         .equations =
             "q_k' = V_k - G(Q_k)'mu_k,  M v_k' = f(Q_k, V_k) - G(Q_k)'lambda_k,  g(Q_k) = 0,  "
             "G(Q_k) V_k = 0 at the stages k;  q1, v1, lambda1 = last stage\n"
             "form=index-3: g = 0 alone, mu = 0;  form=index-2: G v = 0 alone, mu = 0;  "
             "form=index-1: G A = -D2g[v, v]",
         .notes = "Orders in q, p, lambda: ggl and index-2: 2s-1, 2s-1, s; index-3: 2s-1, s, s-1; "
                  "index-1: 2s-1 in all. Without constraints all forms agree.\nform=index-1 is a "
                  "layer, as gauss(s) is, and keeps no constraint; project(radau(3, form=index-1)) "
                  "does.",
         .source =
             "Hairer, Lubich, Roche, The Numerical Solution of Differential-Algebraic Systems by "
             "Runge-Kutta Methods, 1989; Hairer, Wanner, Solving Ordinary Differential Equations "
             "II, VII.4; form=ggl: Gear, Gupta, Leimkuhler, J. Comput. Appl. Math. 12-13 (1985)",
         .signature = "radau(s, form=ggl)",
         .example = "radau(3)"},
    .steps = CST_STEPS_LAYERS,
    .layer = layer,
    .arguments = arguments,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};

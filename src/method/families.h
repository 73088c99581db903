/* families.h: what the methods of one family share. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FAMILIES_H
#define CST_FAMILIES_H
#include <stdio.h>
#include <string.h>
#include "method/method.h"
#include "method/substep.h"
#include "method/symmetry.h"

/* ---- forces at the ends of a drift: the kick core -------------------------------------------- */

static inline void cst_kick_add(cst_program *p, double fraction, double w0, double w1,
                                int tangent) {
  cst_program_add(p, cst_kick(fraction, w0, w1, tangent));
}

/* Properties of a variational method that keeps both constraints: symplectic, momentum-preserving; `order` 1
 * or 2, symmetric if 2. If a symmetry has a gauge, momenta are not claimed: the discrete Lagrangian changes
 * by more than a difference of the gauge. */
static inline cst_properties cst_variational(int order, const cst_system *s) {
  return (cst_properties){.order_q = order,
                          .order_p = order,
                          .order_lambda = order,
                          .claims = CST_CLAIM_SYMPLECTIC | CST_CLAIM_POSITIONS |
                                    CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED |
                                    (order == 2 ? CST_CLAIM_SYMMETRIC : 0) |
                                    (cst_system_is_gauged(s) ? 0 : CST_CLAIM_MOMENTUM),
                          .lambda_time = 0.5,
                          .own_lambda = true};
}

/* ---- Newmark's family: arguments, conditions on systems, claims ------------------------------ */

/* Whether every argument of t has one of the keys, each at most once. */
bool cst_newmark_keys(const cst_term *t, const char *const *keys, cst_expr_error *e);
/* Whether beta is a number of at least 0, and present if required. */
bool cst_newmark_check_beta(const cst_term *t, bool required, cst_expr_error *e);
/* The number under `key`, or the default `otherwise`. */
double cst_newmark_number(const cst_term *t, const char *key, double otherwise);
/* Whether s has no constraints, a constant mass and no a(q). */
bool           cst_newmark_fits(const cst_term *t, const cst_system *s, char *why, int n);
cst_properties cst_newmark_properties(int order, unsigned claims);

/* ---- constraints imposed at stages (core/constrained.c) -------------------------------------- */

/* Whether they can step s, with `stages` stages at which both constraints or one are imposed. */
bool cst_constrained_fits(const cst_term *t, const cst_system *s, int stages, bool both, char *why,
                          int n);

/* A[nq] := the accelerations of the index-1 equations. */
void cst_constrained_accelerations(const cst_system *s, const double *c, const double *q,
                                   const double *v, double *A);

/* Orders, and the constraints that are imposed. */
cst_properties cst_constrained_properties(int q, int p, int lambda, bool positions,
                                          bool velocities);

/* ---- thermostats: arguments, conditions on systems, claims ----------------------------------- */

/* The heat bath; rate 0: no effect. by_mass: the rate is that of a unit mass. */
typedef struct {
  double rate, inverse_temperature;
  bool   by_mass;
} cst_bath;
/* Whether the named arguments of t are those of a bath or `more` (NULL: none), and the bath's are valid;
 * fills *e if not. */
bool cst_langevin_check(const cst_term *t, const char *more, cst_expr_error *e);
/* Whether the bath can act on s, whose mass must be constant and not zero. */
bool cst_langevin_fits(const cst_term *t, const cst_system *s, char *why, int n);
bool cst_langevin_fits_flat(const cst_term *t, const cst_system *s, const cst_body *flat, char *why,
                            int n);
/* Properties of a method followed by the bath's noise: those for constraints, and the temperature. */
cst_properties cst_langevin_properties(const cst_term *t, const cst_system *s, cst_properties of);
/* Appends the bath's kick for the whole step; none if the rate is 0. */
void cst_langevin_add(const cst_term *t, cst_program *p);

/* ---- the rotation group ---------------------------------------------------------------------- */

/* Whether s has bodies, and besides them only coordinates of constant mass, without a(q). */
bool cst_lie_fits(const cst_term *t, const cst_system *s, char *why, int n);
#endif

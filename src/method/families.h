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

/* The row of beta, of a struct with this member; standard NULL: it is required. */
#define CST_BETA(type, standard, example)                                                          \
  {                                                                                                \
    "", "beta", CST_BY_NAME, NULL, standard, "", example,                                          \
        "the weight of the acceleration at the end; at least 1/4 for stability at every step",     \
        .value = {                                                                                 \
          CST_VALUE_NUMBER,                                                                        \
          CST_AT(type, beta),                                                                      \
          0,                                                                                       \
          CST_NO_LIMIT                                                                             \
        }                                                                                          \
  }
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
/* The rows of its arguments, of a struct with these members. */
#define CST_FRICTION(type, member, standard, ruled, example)                                       \
  {                                                                                                \
    "", "friction", CST_BY_NAME, NULL, standard, "1/time", example, "a rate; 0: no noise",         \
        .value = {                                                                                 \
          CST_VALUE_NUMBER,                                                                        \
          CST_AT(type, member),                                                                    \
          0,                                                                                       \
          CST_NO_LIMIT,                                                                            \
          .rule = ruled                                                                            \
        }                                                                                          \
  }
#define CST_INVERSE_TEMPERATURE(type, member, example)                                             \
  {                                                                                                \
    "", "inverse-temperature", CST_BY_NAME, NULL, NULL, "1/energy", example,                       \
        "1/kT in the units of the energy", .value = {                                              \
          CST_VALUE_NUMBER,                                                                        \
          CST_AT(type, member),                                                                    \
          0,                                                                                       \
          CST_NO_LIMIT,                                                                            \
          .above = true                                                                            \
        }                                                                                          \
  }
/* Whether the bath can act on s, whose mass must be constant and not zero. */
bool cst_langevin_fits(const cst_term *t, cst_bath bath, const cst_system *s, char *why, int n);
bool cst_langevin_fits_flat(cst_bath bath, const cst_system *s, const cst_body *flat, char *why,
                            int n);
/* Properties of a method followed by the bath's noise: those for constraints, and the temperature. */
cst_properties cst_langevin_properties(cst_bath bath, const cst_system *s, cst_properties of);
/* Appends the bath's kick for the whole step; none if the rate is 0. */
void cst_langevin_add(cst_bath bath, cst_program *p);

/* ---- the rotation group ---------------------------------------------------------------------- */

/* Whether s has bodies, and besides them only coordinates of constant mass, without a(q). */
bool cst_lie_fits(const cst_term *t, const cst_system *s, char *why, int n);
#endif

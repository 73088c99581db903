/* thermostat.h: shared by thermostats: arguments, conditions on systems, claims. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_THERMOSTAT_H
#define CST_THERMOSTAT_H
#include "method/method.h"
#include "method/substep.h"

/* The heat bath; rate 0: no effect. by_mass: the rate is that of a unit mass. */
typedef struct {
  double rate, inverse_temperature;
  bool   by_mass;
} cst_bath;

cst_bath cst_langevin_of(const cst_term *t);
/* Whether the named arguments of t are those of a bath or `more` (NULL: none), and the bath's are valid;
 * fills *e if not. */
bool cst_langevin_check(const cst_term *t, const char *more, cst_expr_error *e);
/* Whether the bath can act on s, whose mass must be constant and not zero. */
bool cst_langevin_fits(const cst_term *t, const cst_system *s, char *why, int n);
/* Properties of a method followed by the bath's noise: those for constraints, and the temperature. */
cst_properties cst_langevin_properties(const cst_term *t, const cst_system *s, cst_properties of);
/* Appends the bath's kick for the whole step; none if the rate is 0. */
void cst_langevin_add(const cst_term *t, cst_program *p);
#endif

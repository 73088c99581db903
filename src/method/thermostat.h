/* thermostat.h: what thermostats share: their arguments, what they ask of a system, their claims. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_THERMOSTAT_H
#define CST_THERMOSTAT_H
#include "method/method.h"
#include "method/substeps.h"

/* The bath: rate is 0 where it does not act. by_mass: the rate is that of a unit mass. */
typedef struct {
  double rate, inverse_temperature;
  bool   by_mass;
} cst_bath;

cst_bath cst_langevin_of(const cst_term *t);
/* Whether the arguments of t with a name are a bath's or among `more` (NULL: none), and the bath's are right;
 * *e filled when not. */
bool cst_langevin_check(const cst_term *t, const char *more, cst_expr_error *e);
/* Whether the bath can act on s, whose mass must be constant, and not vanish. */
bool cst_langevin_fits(const cst_term *t, const cst_system *s, char *why, int n);
/* Properties of a method with the bath's noise behind it: what it has of constraints, and the temperature. */
cst_properties cst_langevin_properties(const cst_term *t, const cst_system *s, cst_properties of);
/* Its kick, of the whole step; none where the rate is 0. */
void cst_langevin_add(const cst_term *t, cst_program *p);
#endif

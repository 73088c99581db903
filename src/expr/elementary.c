/* elementary.c: the elementary functions with reproducible bits, and every operation of expressions, on
 * scalars.
 *
 * SLEEF's cinz family gives the same bits in plain C and in each vector width, and sines and cosines are
 * those of one lane; constant folding, scalar evaluation and lanes therefore agree.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "constella/lanes.h" /* declares the functions of SLEEF */
#include "core/inverse-root.h"
#include "expr/expr-internal.h"

double cst_elementary_sin(double x) { return vsin(vset(x))[0]; }

double cst_elementary_cos(double x) { return vcos(vset(x))[0]; }

double cst_elementary_tan(double x) { return Sleef_cinz_tand1_u10purec(x); }

double cst_elementary_exp(double x) { return Sleef_cinz_expd1_u10purec(x); }

double cst_elementary_log(double x) { return Sleef_cinz_logd1_u10purec(x); }

double cst_elementary_atan2(double y, double x) { return Sleef_cinz_atan2d1_u10purec(y, x); }

double cst_elementary_pow(double x, double y) { return Sleef_cinz_powd1_u10purec(x, y); }

double cst_elementary_apply(cst_op op, double a, double b) {
  switch (op) {
#define OPERATION(OP, name, n, kind, ...)                                                          \
  case CST_OP_##OP:                                                                                \
    __VA_ARGS__
#define REAL(x) return x;
#define ANY(x)  return x;
#include "expr/operations.h"
  default:
    return a;
  }
}

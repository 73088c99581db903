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
  case CST_OP_ADD:
    return a + b;
  case CST_OP_SUB:
    return a - b;
  case CST_OP_MUL:
    return a * b;
  case CST_OP_DIV:
    return a / b;
  case CST_OP_NEG:
    return -a;
  case CST_OP_STEP:
    return a > 0 ? 1 : a < 0 ? 0 : a + 0.5;
  case CST_OP_SQRT:
    return sqrt(a);
  case CST_OP_RSQRT:
    return cst_inverse_root(a);
  case CST_OP_SIN:
    return cst_elementary_sin(a);
  case CST_OP_COS:
    return cst_elementary_cos(a);
  case CST_OP_TAN:
    return cst_elementary_tan(a);
  case CST_OP_EXP:
    return cst_elementary_exp(a);
  case CST_OP_LOG:
    return cst_elementary_log(a);
  case CST_OP_ATAN2:
    return cst_elementary_atan2(a, b);
  case CST_OP_POW:
    return cst_elementary_pow(a, b);
  default:
    return a;
  }
}

/* cases.c: the cases of a study (parameter sets x tolerances x methods x steps) and the step sizes used. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/boundary.h"
#include "constella/study.h"
#include "core/need.h"

/* The nearest number with 20 significant bits: n h is then exact for n below 2^33, and the time has no
 * round-off. */
static double dyadic(double h) {
  int    exponent;
  double mantissa = frexp(h, &exponent);
  return ldexp(round(ldexp(mantissa, 20)), exponent - 20);
}

static cst_case make(const cst_study *s, int variant, int tolerance, int method, int step) {
  double h = s->step[variant * s->nstep + step];
  return (cst_case){
      variant, tolerance, method, step, s->dyadic ? dyadic(h) : h, h, lround(s->end[variant] / h)};
}

cst_case *cst_study_cases(const cst_study *s, int *count) {
  CST_REQUIRE(s && count, NULL);
  int       n = s->nvariant * s->ntolerance * s->nmethod * s->nstep;
  cst_case *list = cst_need(malloc(sizeof *list * (size_t)(n ? n : 1)));
  cst_case *next = list;
  for (int v = 0; v < s->nvariant; v++)
    for (int t = 0; t < s->ntolerance; t++)
      for (int m = 0; m < s->nmethod; m++)
        for (int k = 0; k < s->nstep; k++)
          *next++ = make(s, v, t, m, k);
  *count = n;
  return list;
}

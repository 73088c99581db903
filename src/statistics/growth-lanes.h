/* growth-lanes.h: internal: the loops of verdicts that are compiled for each instruction set
 * (statistics/core/growth-lanes.c). Arrays of lanes are aligned to 64 bytes. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_GROWTH_LANES_H
#define CST_GROWTH_LANES_H
#include "constella/isa.h"
#include "constella/statistics.h"

/* Fits log R_w^2 = c + 2 alpha l_w in W lanes (growth-rms.c), from the same c and alpha: r2[CST_WINDOWS][W],
 * weight[CST_WINDOWS][W], l[CST_WINDOWS]; exponent[W]. */
typedef void cst_growth_fit(const double *r2, const double *weight, const double *l, double c,
                            double alpha, int rounds, double *exponent);
/* x[CST_WINDOWS] := exp x. */
typedef void cst_growth_exp(double *x);
/* sum_j = sum over k = 1 .. n-1 of products[k][j] weight_k phi_k, j < CST_WINDOWS (growth-power.c). */
typedef void cst_growth_project(const double *products, const double *phi, const double *weight,
                                int n, double *sum);

typedef struct {
  int                 width; /* lanes */
  cst_growth_fit     *fit;
  cst_growth_exp     *exp;
  cst_growth_project *project;
} cst_growth_loops;

/* cst_growth_lanes_ISA of the widest set that this CPU has, or of CONSTELLA_ISA. */
const cst_growth_loops *cst_growth_loops_chosen(void);
#endif

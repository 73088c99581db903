/* rk-stages.h: the stages of a Runge-Kutta step on q' = v, v' = A(q, v), and their first variations, of one
 * trajectory at a time; for what differentiates steps or sums over their stages.
 *
 *   V_i = v + h sum a_ij A_j,  Q_i = q + h sum a_ij V_j,  M A_i = f(Q_i, V_i, t_i) - G'lambda_i
 *
 * The mass is a constant diagonal, and no force depends on multipliers. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RK_STAGES_H
#define CST_RK_STAGES_H
#include <stdbool.h>
#include "system/system.h"
#include "tableau/tableau.h"

typedef struct {
  const cst_system *s;
  int               n, ng, m; /* coordinates, constraints, enforced constraints */
  int              *row;      /* [m] of the enforced ones */
  double           *c, *mass; /* [npar] at the time of the last stage; [n] */
  /* of the last step: [stages][n], multipliers [stages][ng] */
  const cst_tableau *of;
  double             h, t;
  double            *Q, *V, *A, *lambda;
  double            *dQ, *dV, *dA;     /* of the last variation */
  double            *G, *S;            /* [stages][ng][n], [stages][m][m]: factors of G M^-1 G' */
  int               *pivot;            /* [stages][m] */
  double            *f, *y, *u, *past; /* [n + ng], [m], [2 n], [stages][n] */
} cst_rk_stages;

/* Of tableaus with at most `most` stages. Owned. */
cst_rk_stages *cst_rk_stages_create(const cst_system *s, int most);
void           cst_rk_stages_destroy(cst_rk_stages *x);
/* Sets the parameters c[npar]. */
void cst_rk_stages_set(cst_rk_stages *x, const double *c);
/* Sets the time, of systems that have one. */
void cst_rk_stages_clock(cst_rk_stages *x, double t);
/* The stages of a step of h from (q, v) at the time t; false: they were not solved. */
bool cst_rk_stages_run(cst_rk_stages *x, const cst_tableau *of, double h, double t, const double *q,
                       const double *v);
/* Where that step ends. */
void cst_rk_stages_end(const cst_rk_stages *x, const double *q, const double *v, double *q1,
                       double *v1);
/* The change of its stages and of its end for the change (dq, dv) of (q, v); the latter may be in place. */
void cst_rk_stages_vary(cst_rk_stages *x, const double *dq, const double *dv, double *dq1,
                        double *dv1);
#endif

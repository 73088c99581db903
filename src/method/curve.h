/* curve.h: the curves of taylor-curve, as nodes of a system's graph (see curve.c). Internal. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CURVE_H
#define CST_CURVE_H
#include "constella/system.h"

enum { CST_CURVE_DEGREE = 4, CST_CURVE_NODES = 8 };

/* A kind of curve: its degree, and the Gauss points at which L and the work are evaluated; 0: at t = 0. */
typedef struct {
  int degree, points;
} cst_curve_kind;

typedef struct {
  const cst_system *s;
  cst_graph        *g;
  /* constraints, and the coordinates that they determine */
  int    p, m, row[CST_MAX_G], column[CST_MAX_Q];
  bool   dependent[CST_MAX_Q];
  double b[CST_CURVE_NODES],
      c[CST_CURVE_NODES]; /* of the integrals of R'^c, whose rates at the c: */
  cst_node rate[CST_CURVE_NODES][CST_MAX_G];
  int      points;
  double   weight[CST_CURVE_NODES], node[CST_CURVE_NODES]; /* of the others */
  cst_node t;
  /* Taylor coefficients */
  cst_node q[CST_MAX_Q][CST_CURVE_DEGREE + 1], v[CST_MAX_Q][CST_CURVE_DEGREE + 1];
  cst_node r[CST_MAX_G]; /* phi v + phi0, [m] */
} cst_curve;

/* The curve from (q, v)[nq] for a step of t. */
void cst_curve_open(cst_curve *x, const cst_curve_kind *of, const cst_system *s, cst_node t,
                    const cst_node *q, const cst_node *v);
/* (R, R')[nq] at this fraction of the step. */
void cst_curve_point(const cst_curve *x, double fraction, cst_node *R, cst_node *v);
/* (R, v)[nq] at the end of the step: v by its Taylor polynomial, its dependent entries by phi v + phi0 = r. */
void cst_curve_end(const cst_curve *x, cst_node *R, cst_node *v);
/* phi[m][nq] and phi0[m] at R[nq]. */
void cst_curve_constraints(const cst_curve *x, const cst_node *R, cst_node *phi, cst_node *phi0);
#endif

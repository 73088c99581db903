/* order-floor.h: the steps of an order fit that lie above the floors of their errors. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ORDER_FLOOR_H
#define CST_ORDER_FLOOR_H
#include "constella/expr.h"
#include "constella/statistics.h"
#include <math.h>

enum { CST_ORDER_POINTS = 64 };
#define CST_ORDER_LEAST 0.25 /* a lower order means no convergence */
#define CST_ORDER_AGREE 0.35 /* largest difference of slopes of one order */

/* A step, and its error. */
typedef struct {
  int    index;
  double h, e, floor;
  double x, y, noise; /* x = log h, y = log e, noise of y */
  int    near;        /* near its floor */
} cst_order_point;

/* The slope from one step to the next finer one. */
static inline double cst_order_floor_slope(const cst_order_point *a) {
  return (a[1].y - a[0].y) / (a[1].x - a[0].x);
}

/* y at x of the line with slope p through step a. */
static inline double cst_order_floor_line(const cst_order_point *a, double p, double x) {
  return a->y + p * (x - a->x);
}

/* Collects the usable steps, at most the CST_ORDER_POINTS finest, each h once. Returns their number. */
int cst_order_floor_collect(const double *h, const double *error, const double *floor, int n,
                            cst_order_point *points);
/* Level of the longest tail of steps that does not converge; 0 if there is none. */
double cst_order_floor_level(const cst_order_point *points, int count);
/* Drops the steps at or below ten times a level, which becomes a floor of the remaining ones. Returns their
 * number. */
int cst_order_floor_above(cst_order_point *points, int count, double level);
/* The number of steps that remain without the finest ones near their floors whose slope has fallen. */
int cst_order_floor_clear(const cst_order_point *points, int count);
#endif

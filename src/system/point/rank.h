/* rank.h: how near the rows of G = (Dg; phi) are to dependence. Internal. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RANK_H
#define CST_RANK_H
#include "system/system.h"

/* A unit row depends on others where what they do not contain is at most so long. */
#define CST_RANK_SMALL 1e-9

/* x := x without its components along the orthonormal rows Q[k][n], removed twice against round-off. Returns
 * its length. */
double cst_rank_remainder(double *x, const double *Q, int k, int n);
/* The rows of G(q) divided by their lengths, [ng][nq]; the lengths too unless `length` is NULL. Owned. */
double *cst_rank_unit_rows(const cst_system *s, const double *c, const double *q, double *length);
/* Whether S = G G' has no weak pivot: large systems have full rank then. */
bool cst_rank_is_strong(const cst_system *s, const double *c, const double *q);

/* length[ng] of the rows of G(q). */
void cst_rank_lengths(const cst_system *s, const double *c, const double *q, double *length);

/* Whether q has left a dropped constraint on positions, by more than CST_RANK_AWAY of its size, and by more than the enforced
 * ones, which a method may leave too, explain. */
bool cst_rank_fails(const cst_system *s, const double *c, const double *q);
#define CST_RANK_AWAY 1e-8

/* One step of Newton's method for g(q) = 0 with the shortest change; it uses a maximal set of independent
 * constraints, none of which is in `without` (NULL: none is). Returns the size of the step. *off: the largest distance
 * from a surface g_a = 0 of the others before it. For systems of up to some hundred coordinates. */
double cst_rank_approach(const cst_system *s, const double *c, const unsigned char *without,
                         double *q, double *off);
#endif

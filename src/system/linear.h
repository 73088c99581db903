/* linear.h: linear algebra of one point: G and M by their patterns, M^-1, and S = G W G' of the constraints
 * that are enforced.
 *
 * Dense with pivoting, or banded where cst_system.gram says so (diagonal masses only): then time and memory
 * grow with the number of constraints times the square, and the first power, of the band.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_LINEAR_H
#define CST_SYSTEM_LINEAR_H
#include "system/internal.h"

/* n zeros. Owned, free(). */
double *cst_linear_numbers(size_t n);

/* M(q) of one point. */
typedef struct {
  const cst_system *s;
  double           *m;   /* [nq] of a diagonal; else the LU factors of M(q) */
  int              *row; /* NULL when diagonal */
  double sigma; /* where a body is flat: of what M + sigma O'O stands for M (multipliers.c); else 0 */
} cst_mass;

/* false when M(q) is singular; destroy it all the same. */
bool cst_linear_mass_create(cst_mass *M, const cst_system *s, const double *c, const double *q);
void cst_linear_mass_destroy(cst_mass *M);
void cst_linear_mass_solve(const cst_mass *M, double *x); /* x := M^-1 x */

/* Distinct masses spread over the coordinates, m[nq]. */
void cst_linear_masses(const cst_system *s, const double *c, double *m);

/* A residual r in units of its scale: what exceeds the noise CST_ROUNDOFF * rough counts relative to `scale`,
 * what does not to scale + rough. Of g_j: scale = L_j sum_k |G_jk|, rough = max_k |q_k| sum_k |G_jk|. */
double cst_evaluate_scaled(double r, double scale, double rough);

/* y[rows] = A x, and y[columns] += A'x, with the entries A of a pattern. */
void cst_linear_pattern_times(const cst_pattern *p, const double *A, const double *x, double *y);
void cst_linear_pattern_add_transposed(const cst_pattern *p, const double *A, const double *x, double *y);

/* S = G W G' of the constraints that are not dropped, factored. */
typedef struct {
  const cst_system *s;
  int               n, *kept; /* [n] the constraints */
  bool              banded;
  double *S, least; /* smallest pivot over its diagonal entry of S, or, when dense, over the largest one */
  int    *row;      /* dense only */
} cst_schur;

/* W = M^-1, or 1 for M NULL. false when S is singular; destroy it all the same. */
bool cst_linear_schur_create(cst_schur *S, const cst_system *s, const double *G, const cst_mass *M);
void cst_linear_schur_destroy(cst_schur *S);
void cst_linear_schur_solve(const cst_schur *x, double *l); /* l[ng] := S^-1 l; 0 for dropped constraints */

/* Dense matrices. */
#define NUMBER    double
#define MAGNITUDE __builtin_fabs
#define FACTOR    cst_dense_factor
#define SOLVE     cst_dense_solve
#include "core/pivoted.h"
#endif

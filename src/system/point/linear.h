/* linear.h: linear algebra at one point: G and M by their patterns, M^-1, and S = G W G' of the enforced
 * constraints.
 *
 * S is dense with pivoting, or banded if cst_system.gram says so (diagonal masses only). For a banded S the
 * time grows with the number of constraints times the square of the bandwidth, the memory with the number of
 * constraints times the bandwidth.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_LINEAR_H
#define CST_SYSTEM_LINEAR_H
#include <string.h>
#include "system/internal.h"

/* n zeros. Owned; release with free(). */
double            *cst_linear_numbers(long n);
static inline void cst_linear_copy(double *to, const double *from, long n) {
  memcpy(to, from, sizeof *to * (size_t)n);
}
static inline void cst_linear_clear(double *x, long n) { memset(x, 0, sizeof *x * (size_t)n); }

/* M(q) at one point. */
typedef struct {
  const cst_system *s;
  double           *m;   /* [nq] of a diagonal M; else the LU factors of M(q) */
  int              *row; /* NULL when diagonal */
  /* the weight in M + sigma O'O, which replaces M where a body is flat or a coordinate has no mass
   * (multipliers.c); else 0 */
  double sigma;
} cst_mass;

/* Returns false if M(q) is singular; destroy M in either case. */
bool cst_linear_mass_create(cst_mass *M, const cst_system *s, const double *c, const double *q);
void cst_linear_mass_destroy(cst_mass *M);
void cst_linear_mass_solve(const cst_mass *M, double *x); /* x := M^-1 x */

/* The constraints from .. to - 1 that M + sigma O'O has. */
void cst_linear_raised(const cst_system *s, int *from, int *to);

/* The mass of each coordinate, m[nq]. */
void cst_linear_masses(const cst_system *s, const double *c, double *m);

/* A residual r relative to its scale. The part of |r| up to the noise CST_ROUNDOFF * rough is divided by
 * scale + rough, the rest by `scale`. For g_j: scale = L_j sum_k |G_jk|, rough = max_k |q_k| sum_k |G_jk|. */
double cst_evaluate_scaled(double r, double scale, double rough);

/* y[rows] = A x, and y[columns] += A'x, with the entries A of a pattern. */
void cst_linear_pattern_times(const cst_pattern *p, const double *A, const double *x, double *y);
void cst_linear_pattern_add_transposed(const cst_pattern *p, const double *A, const double *x,
                                       double *y);

/* S = G W G' of the enforced constraints, factored. */
typedef struct {
  const cst_system *s;
  int               n, *kept; /* [n] the constraints */
  bool              banded;
  /* smallest ratio of a pivot to its diagonal entry of S; for a dense S to the largest diagonal entry */
  double *S, least;
  int    *row; /* dense only */
  double *b;   /* [n], workspace of a solution */
} cst_schur;

/* W = M^-1, or 1 if M is NULL. Returns false if S is singular; destroy S in either case. */
bool cst_linear_schur_create(cst_schur *S, const cst_system *s, const double *G, const cst_mass *M);
void cst_linear_schur_destroy(cst_schur *S);
void cst_linear_schur_solve(const cst_schur *x,
                            double          *l); /* l[ng] := S^-1 l; 0 for redundant constraints */

/* x := x - G'(G G')^-1 G x, the part of x that is tangential; S = G G'. */
void cst_linear_project_tangent(const cst_system *s, const double *G, const cst_schur *S,
                                double *x);

double cst_linear_dot(const double *x, const double *y, int n);

/* v := its M-orthogonal projection on G v + phi0 = 0 at q (project-point.c). False where it cannot be computed; v is then
 * undefined. */
bool cst_system_project_velocity(const cst_system *s, const double *c, const double *q, double *v);

/* A[n + row[n]], of the form of core/sparse.h without what is below the diagonal: A = U' D U, U with ones on its
 * diagonal. D becomes its reciprocals, and what is right of the diagonal D U. */
void cst_sparse_blocks_factor(double *A, int n, const int *row, const int *column);

/* Dense matrices. */
#define NUMBER    double
#define MAGNITUDE __builtin_fabs
#define FACTOR    cst_dense_factor
#define SOLVE     cst_dense_solve
#include "core/pivoted.h"
#endif

/* gram.h: lane code. Forms and eliminates S = A W B' for A, B with the pattern of G and a diagonal W, dense
 * banded or sparse depending on the system.
 *
 * W is w[CLASS(i)], or `unit` where every mass is 1 or w is NULL. A redundant constraint (DROPPED) has the
 * equation 1 x = 0.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_GRAM_H
#define CST_GRAM_H
#include <math.h>
#include "system/lane/group.h"
#include "core/dense.h"

/* ---- determinants ---------------------------------------------------------------------------- */

/* The determinant of the matrix of one lane, as a mantissa and an exponent, so that those of
 * large matrices are numbers. Only IEEE operations: comparisons do not depend on the machine.
 */

/* mantissa 2^exponent; the mantissa is 0 or of size 1/2 to 1. */
typedef struct {
  double mantissa;
  long   exponent;
} cst_determinant;

static inline __attribute__((unused)) void cst_determinant_times(cst_determinant *D, double x) {
  int n;
  D->mantissa = frexp(D->mantissa * x, &n);
  D->exponent += n;
}

/* ---- what is compiled apart ------------------------------------------------------------------- */

/* Not in sized code: system/core/gram.c. S is that of a system whose gram is `banded`, which is eliminated in the order
 * of its band, without pivoting. */
#if !CST_SIZED
typedef struct {
  /* S := its factors; symmetric: reads only its upper triangle. x := S^-1 x behind it */
  void (*factor)(const cst_context *C, vd *S, int symmetric);
  void (*backsolve)(const cst_context *C, const vd *S, vd *x, int symmetric);
  /* both; of a band of 1 no factors are left, but the pivots */
  void (*solve)(const cst_context *C, vd *S, vd *x, int symmetric);
  /* all-ones where the pivots are positive behind any of them; h < 0: where they are negative */
  vl (*is_positive)(const cst_context *C, const vd *S, vd h);
  /* D := D det A of this lane; A[n * n] is kept */
  void (*determinant)(const vd *A, int n, int lane, cst_determinant *D);
  /* D := D times the determinant of S / h in this lane, where S, of any system, has the length h of a step in every
   * row. S is destroyed */
  void (*multiply)(const cst_context *C, vd *S, vd h, int lane, cst_determinant *D);
} cst_gram_apart;
extern const cst_gram_apart CST_NAME(cst_gram);
#define GRAM_APART CST_NAME(cst_gram)
#endif

/* ---- S --------------------------------------------------------------------------------------- */

#if CST_SIZED
#define GRAM_SIZE (NG * NG)
#else
#define GRAM_SIZE (C->system->model->gram.size)
#endif
#define WEIGHT(i) (*(MASS_UNIT || !w ? &unit : &w[CLASS(i)]))

#if !CST_SIZED
/* Sums the first n pairs. The terms of coordinate i have the weight w[class[i]], or `unit` if class is NULL.
 * Sums start with 0, like those of the sized form. For a banded system they start with -0, which adds nothing,
 * like those of compiled pairs. */
CST_INLINE void cst_gram_pairs(const cst_gram *g, int n, const vd *restrict A, const vd *restrict B,
                               const vd *restrict w, const int *restrict class, vd unit,
                               vd *restrict S) {
  const int *restrict const at = g->at, *restrict const first = g->first,
                            *restrict const ea = g->ea, *restrict const eb = g->eb,
                            *restrict const of = g->i;
  const double start = g->banded ? -0.0 : 0.0;
  for (int p = 0, t = 0; p < n; p++) {
    const int end = first[p + 1];
    vd        s = vset(t == end ? 1 : start); /* no terms: a redundant constraint */
    for (; t < end; t++)
      s += (A[ea[t]] * (class ? w[class[of[t]]] : unit)) * B[eb[t]];
    S[at[p]] = s;
  }
}
#endif

/* symmetric: only the upper triangle is needed. */
CST_INLINE void cst_gram_fill(const cst_context *C, const vd *A, const vd *B, const vd *w, vd unit,
                              int symmetric, vd *S) {
#if CST_SIZED
  (void)C;
  UNROLL
  for (int a = 0; a < NG; a++) {
    UNROLL
    for (int b = symmetric ? a : 0; b < NG; b++) {
      vd s = vset(0);
      UNROLL
      for (int i = 0; i < NQ; i++)
        if (sys_at_G[a * NQ + i] >= 0 && sys_at_G[b * NQ + i] >= 0)
          s += (A[sys_at_G[a * NQ + i]] * WEIGHT(i)) * B[sys_at_G[b * NQ + i]];
      S[a * NG + b] = s;
    }
  }
#else
  const cst_gram *g = &C->system->model->gram;
  const int       n = symmetric ? g->upper : g->n;
  if (g->n < g->inside)
    for (int k = 0; k < g->size; k++)
      S[k] = vset(0);
  if (C->gram && w)
    C->gram[symmetric](NULL, NULL, (const double *)A, (const double *)B, (const double *)w, NULL,
                       NULL, (double *)S);
  else if (MASS_UNIT || !w || C->nmass == 1)
    cst_gram_pairs(g, n, A, B, w, NULL, MASS_UNIT || !w ? unit : w[0], S);
  else
    cst_gram_pairs(g, n, A, B, w, C->mass_class, unit, S);
#endif
}

/* The equation of a redundant constraint is x = 0. */
CST_INLINE void cst_gram_drop(const cst_context *C, vd *x) {
#if !CST_SIZED
  const unsigned char *dropped = C->system->model->dropped;
  if (!dropped)
    return;
  for (int a = 0; a < NG; a++)
    if (dropped[a])
      x[a] = vset(0);
#endif
  (void)C;
  (void)x;
}

/* x := S^-1 x; overwrites S. symmetric: reads only its upper triangle. */
CST_INLINE void cst_gram_solve(const cst_context *C, vd *S, vd *x, int symmetric) {
  cst_gram_drop(C, x);
#if !CST_SIZED
  if (C->by) {
    C->by->factor(C->by->context, (const double *)S, symmetric);
    C->by->solve(C->by->context, (double *)x);
    return;
  }
  if (C->system->model->gram.banded) {
    GRAM_APART.solve(C, S, x, symmetric);
    return;
  }
#endif
  if (symmetric)
    cst_ldl(S, NG);
  else
    cst_lu(S, NG);
  cst_lu_solve(S, x, NG);
}

/* The two halves of cst_gram_solve, for several right-hand sides: cst_gram_factor overwrites a symmetric S with its
 * factors, cst_gram_backsolve computes x := S^-1 x. */
CST_INLINE void cst_gram_factor(const cst_context *C, vd *S) {
#if !CST_SIZED
  if (C->by) {
    C->by->factor(C->by->context, (const double *)S, 1);
    return;
  }
  if (C->system->model->gram.banded) {
    GRAM_APART.factor(C, S, 1);
    return;
  }
#endif
  cst_ldl(S, NG);
}

CST_INLINE void cst_gram_backsolve(const cst_context *C, const vd *S, vd *x, int symmetric) {
  cst_gram_drop(C, x);
#if !CST_SIZED
  if (C->by) {
    C->by->solve(C->by->context, (double *)x);
    return;
  }
  if (C->system->model->gram.banded) {
    GRAM_APART.backsolve(C, S, x, symmetric);
    return;
  }
#endif
  cst_lu_solve(S, x, NG);
}

/* All-ones where the pivots of S [NG * NG] are positive, behind cst_lu; h < 0: where they are negative. Those of
 * redundant constraints are always positive. */
CST_INLINE vl cst_dense_is_positive(const cst_context *C, const vd *S, vd h) {
  vl odd = vmask(0);
  UNROLL
  for (int a = 0; a < NG; a++)
    odd |= (vl)S[a * NG + a] ^ ((vl)(h < 0) & vmask(!DROPPED(a)));
  return (vl)(odd >= 0);
}

/* All-ones where the symmetric part of S [NG * NG] is positive definite; h < 0: where that of -S is. */
CST_INLINE vl cst_dense_leans(const cst_context *C, const vd *S, vd h) {
  vd        A[ROOM(NG * NG)];
  vl        odd = vmask(0);
  const vd  half = vselect((vl)(h < 0), vset(-0.5), vset(0.5));
  const int n = NG;
  UNROLL
  for (int a = 0; a < n; a++) {
    UNROLL
    for (int b = a; b < n; b++)
      A[a * n + b] =
          vpick(DROPPED(a) || DROPPED(b), vset(a == b), half * (S[a * n + b] + S[b * n + a]));
  }
  cst_ldl(A, n);
  UNROLL
  for (int a = 0; a < n; a++)
    odd |= (vl)A[a * n + a];
  return (vl)(odd >= 0);
}

/* All-ones where S [NG * NG] has changed so little from S0, its value at q1 = q0, which is symmetric and definite, that no
 * matrix on the straight way between them is singular: the moduli of the entries of S S0^-1 - 1 are a matrix R whose
 * largest eigenvalue is at most max_a (R v)_a / v_a for every v > 0, and this is below 1/4. v is brought near to its
 * eigenvector, so that neither the units of constraints nor light bodies matter. */
static __attribute__((noinline, unused)) vl cst_dense_is_close(const cst_context *C, const vd *S,
                                                               const vd *S0) {
  enum { TIMES = 4 };
  const int n = NG;
  vd        A[ROOM(NG * NG)], R[ROOM(NG * NG)], v[ROOM(NG)], w[ROOM(NG)];
  vl        close = vmask(0);
  for (int a = 0; a < n; a++) {
    v[a] = vpick(DROPPED(a), vset(1), vsqrt(vabs(S0[a * n + a])));
    for (int b = 0; b < n; b++) {
      A[a * n + b] = vpick(DROPPED(a) || DROPPED(b), vset(a == b), S0[a * n + b]);
      R[a * n + b] = vpick(DROPPED(a) || DROPPED(b), vset(0), S[a * n + b] - S0[a * n + b]);
    }
  }
  cst_ldl(A, n);
  for (int a = 0; a < n; a++) {
    cst_lu_solve(A, R + a * n, n);
    for (int b = 0; b < n; b++)
      R[a * n + b] = vabs(R[a * n + b]);
  }
  for (int k = 0; k < TIMES; k++) {
    vl all = vmask(1);
    for (int a = 0; a < n; a++) {
      w[a] = vset(0);
      for (int b = 0; b < n; b++)
        w[a] += R[a * n + b] * v[b];
      all &= (vl)(w[a] <= 0.25 * v[a]);
    }
    close |= all;
    for (int a = 0; a < n; a++)
      v[a] = w[a] + 0.01 * v[a];
  }
  return close;
}

/* The same behind and before cst_gram_solve. Of a band the pivots alone are tested. */
CST_INLINE vl cst_gram_is_positive(const cst_context *C, const vd *S, vd h) {
#if !CST_SIZED
  if (C->by) /* whose factors are its own; it tells itself what the solution is */
    return vmask(1);
  if (C->system->model->gram.banded)
    return GRAM_APART.is_positive(C, S, h);
#endif
  return cst_dense_is_positive(C, S, h);
}

CST_INLINE vl cst_gram_leans(const cst_context *C, const vd *S, vd h) {
#if !CST_SIZED
  if (C->system->model->gram.banded)
    return vmask(1);
#endif
  return cst_dense_leans(C, S, h);
}

/* Like cst_gram_solve, lane by lane with row pivoting, for the rare step that needs it. (A banded matrix is
 * eliminated in the order of its band, without pivoting.) */
CST_INLINE void cst_gram_solve_pivoted(const cst_context *C, vd *S, vd *x) {
#if !CST_SIZED
  if (!C->system->model->gram.banded) {
    cst_gram_drop(C, x);
    cst_pivoted_solve(S, x, NG);
    return;
  }
#endif
  cst_gram_solve(C, S, x, 0);
}
#endif

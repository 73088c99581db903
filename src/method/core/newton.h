/* newton.h: lane code for M a + grad V(x + b a) = 0: one iteration of Newton's method, and its stopping
 * criteria. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_NEWTON_H
#define CST_CORE_NEWTON_H
#include "method/core/bands.h"

/* beta h^2 in substep j. */
#define BETA_HH(j) (OWN(j)->beta * (H(j) * H(j)))
/* Whether a step consists of one such substep, so that what the record keeps of a belongs to its q. */
#define ALONE (MARCH->opens && MARCH->closes && MARCH->nsub == 1)

/* Work space, and its fields for LOCAL. */
typedef struct {
  vd *y, *bent, *A, *Ma;
} cst_newton_space;
#define CST_NEWTON_FIELDS(X)                                                                       \
  X(y, NQ)                                                                                         \
  X(bent, BENT_SIZE)                                                                               \
  X(A, MOST_BAND)                                                                                  \
  X(Ma, NQ)
#define CST_NEWTON_SPACE(L)                                                                        \
  (cst_newton_space) { (L)->y, (L)->bent, (L)->A, (L)->Ma }

/* f := -(M a + grad V(x + b a)) by rows; the Hessian there is left in bent. */
CST_INLINE void cst_newton_residual(const cst_context *C, const cst_linear_masses *m, const vd *c,
                                    vd b, const vd *x, const vd *a, const cst_newton_space *w,
                                    vd *f) {
  for (int i = 0; i < NQ; i++)
    w->y[i] = x[i] + b * a[PLACE(0)[i]];
  K_dVH(c, w->y, w->bent);
  cst_masses_times(C, m, 0, a, w->Ma);
  for (int r = 0; r < NQ; r++)
    f[r] = -(w->Ma[ORDER(0)[r]] + w->bent[r]);
}

/* f := (M + b Hess V)^-1 f with the Hessian in bent. */
CST_INLINE void cst_newton_correction(const cst_context *C, const cst_linear_masses *m, vd b,
                                      const cst_newton_space *w, vd *f) {
  cst_bands_solve(C, m, 0, b, w->bent + NQ, w->A, f);
}

/* d := the correction of the n unknowns a at which the residual is f; f itself where others eliminate (C->by). */
CST_INLINE void cst_newton_direction(const cst_context *C, const cst_linear_masses *m, vd b,
                                     const cst_newton_space *w, int n, const vd *f, vd *d) {
  for (int r = 0; r < n; r++)
    d[r] = f[r];
  if (n > 0 && !C->by)
    cst_newton_correction(C, m, b, w, d);
}

/* Tolerances up to this one are left to the round-off of the iteration. */
#define CST_NEWTON_STRICT 1e-12

/* The lanes whose residual f of the last call is within their tolerance, relative to its terms. */
CST_INLINE vl cst_newton_met(const cst_context *C, vd tolerance, const cst_newton_space *w,
                             const vd *f) {
  vd off = vset(0), of = vset(0);
  if (!vany((vl)(tolerance > CST_NEWTON_STRICT)))
    return vmask(0);
  for (int r = 0; r < NQ; r++) {
    off = vmax(vabs(f[r]), off);
    of = vmax(vmax(vabs(w->Ma[ORDER(0)[r]]), vabs(w->bent[r])), of);
  }
  return (vl)(off <= tolerance * of) & (vl)(tolerance > CST_NEWTON_STRICT);
}

/* The size that an update of a smaller a is compared with: the effect of the round-off of x on a. */
CST_INLINE vd cst_newton_size(const cst_context *C, vd b, const vd *x) {
  vd most = vset(0);
  for (int i = 0; i < NQ; i++)
    most = vmax(vabs(x[i]), most);
  return vselect((vl)(b == 0), vset(INFINITY), most * (1 / vabs(b)));
}
#endif

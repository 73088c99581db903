/* gram.h: lane code: S = A W B' for A, B with the pattern of G and a diagonal W, and its elimination, dense or banded as the system asks.
 *
 * W is w[CLASS(i)], or `unit` where every mass is 1 or there is no w. A constraint that is implied by the others (DROPPED) is the equation
 * 1 x = 0.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_GRAM_H
#define CST_GRAM_H
#include "system/group.h"
#include "core/band.h"
#include "core/dense.h"

#if CST_HOT
#define GRAM_SIZE (NG * NG)
#else
#define GRAM_SIZE (C->system->gram.size)
#endif
#define WEIGHT(i) vpick(MASS_UNIT || !w, unit, w[CLASS(i)])

/* symmetric: only the upper triangle is asked for. */
CST_INLINE void cst_gram_fill(const cst_context *C, const vd *A, const vd *B, const vd *w, vd unit, int symmetric, vd *S) {
#if CST_HOT
  (void)C;
  U for (int a = 0; a < NG; a++) U for (int b = symmetric ? a : 0; b < NG; b++) {
    vd s = vset(0);
    U for (int i = 0; i < NQ; i++) if (sys_at_G[a * NQ + i] >= 0 && sys_at_G[b * NQ + i] >= 0) s +=
        (A[sys_at_G[a * NQ + i]] * WEIGHT(i)) * B[sys_at_G[b * NQ + i]];
    S[a * NG + b] = s;
  }
#else
  const cst_gram  *g = &C->system->gram;
  const int *const at = g->at, *const first = g->first, *const ea = g->ea, *const eb = g->eb, *const of = g->i;
  const int *const class = C->system->mass_class, one = MASS_UNIT || !w || NMASS == 1;
  const vd all = MASS_UNIT || !w ? unit : w[0];
  for (int k = 0, n = g->ngap; k < n; k++) S[g->gap[k]] = vset(0);
  for (int p = 0, n = symmetric ? g->nupper : g->n; p < n; p++) { /* pairs of the upper triangle come first */
    vd s = vset(first[p] == first[p + 1] ? 1 : 0);
    for (int t = first[p]; t < first[p + 1]; t++) s += (A[ea[t]] * (one ? all : w[class[of[t]]])) * B[eb[t]];
    S[at[p]] = s;
  }
#endif
}

/* Equations of dropped constraints are x = 0. */
CST_INLINE void cst_gram_drop(const cst_context *C, vd *x) {
#if !CST_HOT
  const unsigned char *dropped = C->system->dropped;
  if (!dropped) return;
  for (int a = 0; a < NG; a++)
    if (dropped[a]) x[a] = vset(0);
#endif
  (void)C, (void)x;
}

#if !CST_HOT
/* x := S^-1 x for a banded S, in the order of its band. */
CST_INLINE void cst_gram_banded(const cst_context *C, vd *S, vd *x, int symmetric) {
  const cst_gram *g = &C->system->gram;
  if (g->natural) {
    cst_band_solve(S, x, NG, g->band, symmetric);
    return;
  }
  vd y[ROOM(NG)];
  for (int a = 0; a < NG; a++) y[g->place[a]] = x[a];
  cst_band_solve(S, y, NG, g->band, symmetric);
  for (int a = 0; a < NG; a++) x[a] = y[g->place[a]];
}
#endif

/* x := S^-1 x; S is destroyed. symmetric: only its upper triangle is read. */
CST_INLINE void cst_gram_solve(const cst_context *C, vd *S, vd *x, int symmetric) {
  cst_gram_drop(C, x);
#if !CST_HOT
  const cst_gram *g = &C->system->gram;
  if (g->banded) {
    cst_gram_banded(C, S, x, symmetric);
    return;
  }
#endif
  if (symmetric)
    cst_ldl(S, NG);
  else
    cst_lu(S, NG);
  cst_lu_solve(S, x, NG);
}

/* The same lane by lane with row pivoting, for the rare step that needs it. (A banded matrix is eliminated in the order of its band.) */
CST_INLINE void cst_gram_solve_pivoted(const cst_context *C, vd *S, vd *x) {
#if !CST_HOT
  if (!C->system->gram.banded) {
    cst_gram_drop(C, x);
    cst_pivoted_solve(S, x, NG);
    return;
  }
#endif
  cst_gram_solve(C, S, x, 0);
}
#endif

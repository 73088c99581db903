/* group.h: a group of CST_W trajectories as lane code sees it: the record that holds it, and the system's
 * kernels.
 *
 * Lane code (method cores, observer folds) is written once against the macros NQ, NG ... and K_dV(...)
 * below, and compiled in two ways, for every instruction set:
 *   - sized: with CST_SYSTEM_HEADER naming a generated header. Sizes and patterns are constants,
 *     kernels are inlined, loops unroll.
 *   - generic: without it. Sizes and patterns are read from the system, kernels are called through pointers.
 * Both do the same operations on the same operands in the same order, so their bits agree.
 *
 * record.h has the layout of a record.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_GROUP_H
#define CST_GROUP_H
#include "constella/lanes.h"
#include "system/data.h"
#include "system/lane/record.h"

/* Sizes, loops over the entries that may be nonzero, and the fields of a core.
 *   ROW_G(a, i, e)   for the entries e of row a of G, in columns i, ascending; USES_G stands among the
 *                    declarations of the function
 *   COL_G(i, a, e)   for the entries e of column i, in rows a, ascending
 *   ROW_M, ROW_LVQ   as ROW_G, of M and of the derivative of M v + a by q; behind USES_M, USES_LVQ
 *   GENERAL          whether the mass is another than a constant diagonal, or there is an a(q)
 *   CST_FIELD        declares a field of n vectors: sized in place, generic in the work space of the context
 *   CST_TAKE         one field becomes what another is, which is of no use then
 */
#ifdef CST_SYSTEM_HEADER
#include "core/inverse-root.h"
#include CST_SYSTEM_HEADER
#if defined(USES_ELIMINATION) ? SYS_ELIMINATED : SYS_SIZED
#define CST_SIZED 1
#else
#define CST_COLD /* nothing is compiled for this system but its kernels */
#endif
#endif
/* UNROLL, before a loop over a size of the system: it is unrolled where this size is a constant. */

/* The length of an array of n; C has none of length 0. */
#define ROOM(n) ((n) > 0 ? (n) : 1)

#ifdef CST_SIZED
#define NQ     SYS_NQ
#define NG     SYS_NG
#define NPAR   SYS_NPAR
#define NSYM   SYS_NSYM
#define UNROLL CST_UNROLL
#define USES_G
#define ROW_G(a, i, e)                                                                             \
  UNROLL                                                                                           \
  for (int i = 0, e; i < NQ; i++)                                                                  \
    if ((e = sys_at_G[(a)*NQ + i]) >= 0)
#define COL_G(i, a, e)                                                                             \
  UNROLL                                                                                           \
  for (int a = 0, e; a < NG; a++)                                                                  \
    if ((e = sys_at_G[(a)*NQ + i]) >= 0)
#define ROW_X(k, i, e)                                                                             \
  UNROLL                                                                                           \
  for (int i = 0, e; i < NQ; i++)                                                                  \
    if ((e = sys_at_xi[(k)*NQ + i]) >= 0)
#define CLASS(i)  sys_mass_class[i]
#define LAYOUT(C) cst_layout_of(NPAR, NMASS, NQ, NG)
#define ROW_M(r, i, e)                                                                             \
  UNROLL                                                                                           \
  for (int i = 0, e; i < NQ; i++)                                                                  \
    if ((e = sys_at_M[(r)*NQ + i]) >= 0)
#define ROW_LVQ(r, i, e)                                                                           \
  UNROLL                                                                                           \
  for (int i = 0, e; i < NQ; i++)                                                                  \
    if ((e = sys_at_Lvq[(r)*NQ + i]) >= 0)
#define USES_M
#define USES_LVQ
#define GENERAL                         SYS_GENERAL
#define GYROSCOPIC                      SYS_GYROSCOPIC
#define NVEL                            SYS_NVEL
#define AFFINE                          SYS_AFFINE
#define TIMED                           SYS_TIMED
#define DRIVEN                          SYS_DRIVEN
#define NACCOUNT                        SYS_NACCOUNT
#define ACCOUNT                         SYS_ACCOUNT
#define NFORCE                          SYS_NFORCE
#define SLIPS                           0
#define MASSLESS                        0
#define DROPPED(a)                      0
#define CALL(C, k, c, q, v, w, u, l, o) sys_##k(c, q, v, w, u, l, o)
#else
#define CST_SIZED 0
#define UNROLL
#define NQ    (C->nq)
#define NG    (C->ng)
#define NSYM  (C->nsym)
#define NMASS (C->nmass)
#define NNZ_G (C->system->model->pattern[CST_K_G].n)
#define NNZ_X (C->system->model->pattern[CST_K_xi].n)
#define USES_(k, p)                                                                                \
  const int *const        p##_start = C->system->model->pattern[k].start,                          \
                   *const p##_column = C->system->model->pattern[k].column
#define USES_G                                                                                     \
  USES_(CST_K_G, G_);                                                                              \
  const int *const        G__tstart = C->system->model->pattern[CST_K_G].tstart,                   \
                   *const G__trow = C->system->model->pattern[CST_K_G].trow,                       \
                   *const G__tentry = C->system->model->pattern[CST_K_G].tentry;                   \
  (void)G__start, (void)G__column, (void)G__tstart, (void)G__trow, (void)G__tentry;
#define ROW_(p, a, i, e)                                                                           \
  for (int e = p##_start[a], i; e < p##_start[(a) + 1] && (i = p##_column[e], 1); e++)
#define ROW_G(a, i, e) ROW_(G_, a, i, e)
#define COL_G(i, a, e)                                                                             \
  for (int k_##a = G__tstart[i], a, e;                                                             \
       k_##a < G__tstart[(i) + 1] && (a = G__trow[k_##a], e = G__tentry[k_##a], 1); k_##a++)
#define ROW_X(k, i, e)                                                                             \
  for (int e = C->system->model->pattern[CST_K_xi].start[k], i;                                    \
       e < C->system->model->pattern[CST_K_xi].start[(k) + 1] &&                                   \
       (i = C->system->model->pattern[CST_K_xi].column[e], 1);                                     \
       e++)
#define CLASS(i)         C->mass_class[i]
#define MASS_UNIT        C->mass_unit
#define LINEAR_V         cst_has(C->system, CST_LINEAR_V)
#define QUADRATIC        cst_has(C->system, CST_QUADRATIC_G)
#define NNZ_M            (C->system->model->pattern[CST_K_M].n)
#define NNZ_LVQ          (C->system->model->pattern[CST_K_Lvq].n)
#define USES_M           USES_(CST_K_M, M_);
#define USES_LVQ         USES_(CST_K_Lvq, Lvq_);
#define ROW_M(r, i, e)   ROW_(M_, r, i, e)
#define ROW_LVQ(r, i, e) ROW_(Lvq_, r, i, e)
#define GENERAL          (!cst_has(C->system, CST_MASS_DIAGONAL))
#define GYROSCOPIC       cst_has(C->system, CST_GYROSCOPIC)
#define NPAR             (C->npar)
#define NVEL             (C->system->model->nvel)
#define AFFINE           (cst_has(C->system, CST_AFFINE))
#define TIMED            (cst_has(C->system, CST_TIMED))
#define DRIVEN           (cst_has(C->system, CST_DRIVEN))
#define NACCOUNT         (C->system->model->naccount)
#define ACCOUNT          (C->system->model->account)
#define NFORCE           (C->system->model->nforce)
#define SLIPS            (cst_has(C->system, CST_SLIPS))
#define MASSLESS         (cst_has(C->system, CST_MASSLESS))
#define DROPPED(a)       (C->dropped && C->dropped[a])
#define LAYOUT(C)        ((C)->at)
#define CALL(C, k, c, q, v, w, u, l, o)                                                            \
  (C)->kernel[CST_K_##k]((C)->self, (const double *)(c), (const double *)(q), (const double *)(v), \
                         (const double *)(w), (const double *)(u), (const double *)(l),            \
                         (double *)(o))
#endif
#if CST_SIZED && !defined(CST_FIELDS_IN_SPACE)
#define CST_FIELD(name, n, ...) vd name[ROOM(n)];
#define CST_TAKE(to, from, n)                                                                      \
  do {                                                                                             \
    UNROLL                                                                                         \
    for (int i_ = 0; i_ < (n); i_++) {                                                             \
      (to)[i_] = (from)[i_];                                                                       \
    }                                                                                              \
  } while (0)
#define CST_PLACE(name, n, ...)
#define CST_FIELD_COUNT(name, n, ...)
#else
#define CST_FIELD(name, n, ...) vd *name;
#define CST_TAKE(to, from, n)                                                                      \
  do {                                                                                             \
    vd *was_ = (to);                                                                               \
    (to) = (from), (from) = was_;                                                                  \
  } while (0)
#define CST_PLACE(name, n, ...)       L->name = at, at += (n);
#define CST_FIELD_COUNT(name, n, ...) +(size_t)(n)
#endif
#define K_V(c, q, o)               CALL(C, V, c, q, 0, 0, 0, 0, o)
#define K_dV(c, q, o)              CALL(C, dV, c, q, 0, 0, 0, 0, o)
#define K_d2V(c, q, o)             CALL(C, d2V, c, q, 0, 0, 0, 0, o)
#define K_g(c, q, o)               CALL(C, g, c, q, 0, 0, 0, 0, o)
#define K_G(c, q, o)               CALL(C, G, c, q, 0, 0, 0, 0, o)
#define K_D2gvv(c, q, v, o)        CALL(C, D2gvv, c, q, v, 0, 0, 0, o)
#define K_xi(c, q, o)              CALL(C, xi, c, q, 0, 0, 0, 0, o)
#define K_gauge(c, q, o)           CALL(C, gauge, c, q, 0, 0, 0, 0, o)
#define K_M(c, q, o)               CALL(C, M, c, q, 0, 0, 0, 0, o)
#define K_a(c, q, o)               CALL(C, a, c, q, 0, 0, 0, 0, o)
#define K_Lv(c, q, v, o)           CALL(C, Lv, c, q, v, 0, 0, 0, o)
#define K_Lq(c, q, v, o)           CALL(C, Lq, c, q, v, 0, 0, 0, o)
#define K_Lvq(c, q, v, o)          CALL(C, Lvq, c, q, v, 0, 0, 0, o)
#define K_Lqq(c, q, v, o)          CALL(C, Lqq, c, q, v, 0, 0, 0, o)
#define K_D2glw(c, q, w, l, o)     CALL(C, D2glw, c, q, 0, w, 0, l, o)
#define K_DMvw(c, q, v, w, o)      CALL(C, DMvw, c, q, v, w, 0, 0, o)
#define K_D3glwu(c, q, w, u, l, o) CALL(C, D3glwu, c, q, 0, w, u, l, o)
#define K_D2gvw(c, q, v, w, o)     CALL(C, D2gvw, c, q, v, w, 0, 0, o)
#define K_DE(c, q, v, w, u, l, o)  CALL(C, DE, c, q, v, w, u, l, o)
#define K_RE(c, q, v, w, l, o)     CALL(C, RE, c, q, v, w, 0, l, o)
#define K_DRE(c, q, v, w, u, l, o) CALL(C, DRE, c, q, v, w, u, l, o)
#define K_body(c, o)               CALL(C, body, c, 0, 0, 0, 0, 0, o)
#define K_f(c, q, v, o)            CALL(C, f, c, q, v, 0, 0, 0, o)
#define K_phi0(c, q, o)            CALL(C, phi0, c, q, 0, 0, 0, 0, o)
#define K_Dphi0w(c, q, w, o)       CALL(C, Dphi0w, c, q, 0, w, 0, 0, o)
#define K_F(c, q, v, o)            CALL(C, F, c, q, v, 0, 0, 0, o)
#define K_Fq(c, q, v, o)           CALL(C, Fq, c, q, v, 0, 0, 0, o)
#define K_Fv(c, q, v, o)           CALL(C, Fv, c, q, v, 0, 0, 0, o)
#define K_power(c, q, v, l, o)     CALL(C, power, c, q, v, 0, 0, l, o)
#define K_dVH(c, q, o)             CALL(C, dVH, c, q, 0, 0, 0, 0, o)
#define K_dVS(c, q, o)             CALL(C, dVS, c, q, 0, 0, 0, 0, o)
#define K_D3V(c, q, w, l, o)       CALL(C, D3V, c, q, 0, w, 0, l, o)

/* Blocks of a record. */
CST_INLINE const vd *cst_block(const double *record, int at) { return (const vd *)record + at; }

/* The n entries of the block at `at`, from the record and into it. */
CST_INLINE void cst_load(vd *to, const double *record, int at, int n) {
  UNROLL
  for (int i = 0; i < n; i++)
    to[i] = ((const vd *)record)[at + i];
}

CST_INLINE void cst_store(double *record, int at, const vd *from, int n) {
  UNROLL
  for (int i = 0; i < n; i++)
    ((vd *)record)[at + i] = from[i];
}
#endif

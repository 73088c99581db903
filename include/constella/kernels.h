/* kernels.h: the kernels of a system, functions over lanes: which there are, their arguments, how their
 * matrices are stored, and the compiled code of a system.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_KERNELS_H
#define CONSTELLA_KERNELS_H
#include <stdbool.h>

/* Kernels. One table lists them all: name, number of outputs, and what they are. Every kernel has the same
 * signature; a pointer it does not use may be NULL. Arrays are [component][W]. Matrices are given by their
 * entries that may be nonzero, in the order of cst_system.pattern[kernel]. A system whose mass is a constant
 * diagonal and that has no a(q) does not have the kernels M .. DMvw (their size is 0): simpler formulas step
 * it.
 *   V        1           V(q)
 *   dV       nq          grad V(q)
 *   d2V      [nq x nq]   Hessian of V
 *   mass     nmass       distinct entries of the constant diagonal mass; parameters only
 *   g        ng          g(q)
 *   G        [ng x nq]   Dg(q)
 *   D2gvv    ng          D2g(q)[v, v]
 *   D2gvw    ng          D2g(q)[v, w]
 *   D2glw    nq          D2(l.g)(q) w
 *   D3glwu   nq          D3(l.g)(q)[w, u]
 *   xi       [nsym x nq] infinitesimal generators
 *   gauge    nsym        F_k(q): where L_xi a = dF, the momentum map is <Mv + a, xi> - F
 *   M        [nq x nq]   M(q), symmetric
 *   a        nq          a(q)
 *   Lv       nq          d L / d v = M(q) v + a(q)
 *   Lq       nq          d L / d q
 *   Lvq      [nq x nq]   entry (i, j): d Lv_i / d q_j
 *   Lqq      [nq x nq]   d2 L / dq dq, symmetric
 *   f        nq          Lq - Lvq v, so that M A = f - G' lambda
 *   DMvw     nq          D(M(q) v)[w], v held
 *   body     nbody       distinct numbers of the bodies' inertias and masses (cst_body.at); parameters only
 *
 * Of systems with constraints on velocities, in whose rows D2gvv is D(phi v + phi0)[v], D2gvw is D(phi v)[w],
 * D2glw D(phi'l)[w]; and of systems with constraints g(q, t), in whose rows phi0 is g_t, and D2gvv is
 * D2g[v, v] + 2 G_t v + g_tt:
 *   phi0     ng          the part of each constraint G v + phi0 = 0 that does not depend on v
 *   Dphi0w   ng          D phi0(q)[w]
 *
 * Of systems with forces, or with a potential or constraints that depend on the time:
 *   power    naccount    the integrands of the accounts: F.v of each force, dV/dt, l.g_t of constraints
 *   F        nq          the sum of the forces, which f has too
 *   Fq       [nq x nq]   its derivative by q
 *   Fv       [nq x nq]   and by v
 *   Fl       [nq x ng]   and by the multipliers l, where a force depends on them; f, F and Fv then read l too
 *
 * With the residuals of the equations of motion E1 = f - M A - G'lambda, E2 = -D2g[v, v] - G A (f = -dV and
 * no term M A where the mass is a constant diagonal), whose arguments are longer than those above. Systems of
 * more than CST_MOST_CONVERTED coordinates or constraints do not have them:
 *   DE       nq + ng     D(E1, E2)[dq, dv]; w = A, l = lambda, u = (dq, dv)
 *   RE       2 nq        grad_(q,v) (y.E1 + z.E2 + s L), and s (F - phi'lambda) added to its part by q: the
 *                        covector of s int (L dt + (F - phi'lambda) . dq); w = (y, A), l = (lambda, z, s)
 *   DRE      2 nq        its change; u = (dq, dv, dy, dA), l = (lambda, z, s, dlambda, dz)
 *
 * For linearly implicit methods, of systems without constraints, with a constant M and without a(q); rows r
 * in the order of elimination that cst_bands has, sharing their common work:
 *   d2S      [nq x nq]   Hessian of the stiff part of V
 *   dVH      nq + n + s  grad V by rows, the n upper entries of its Hessian, and s values that D3V shares
 *                        with them
 *   dVS      nq + n      grad V by rows, the n upper entries of the Hessian of the stiff part
 *   D3V      nq          D3V(q)[w, w] by rows, w by rows, l: the s values of dVH
 */
/* clang-format off */
#define CST_KERNELS(X)                                                                                                                     \
  X(V) X(dV) X(d2V) X(mass)                                                                                                                \
  X(g) X(G) X(D2gvv) X(D2gvw) X(D2glw) X(D3glwu) X(xi) X(gauge)                                                                            \
  X(M) X(a) X(Lv) X(Lq) X(Lvq) X(Lqq) X(f) X(DMvw) X(body)                                                                                 \
  X(phi0) X(Dphi0w) X(power) X(F) X(Fq) X(Fv)                                                                                              \
  X(DE) X(RE) X(DRE) X(d2S) X(dVH) X(dVS) X(D3V) X(Fl)
/* clang-format on */
typedef enum {
#define X(name) CST_K_##name,
  CST_KERNELS(X)
#undef X
      CST_K_COUNT
} cst_kernel_id;
extern const char *const cst_system_kernel_names[CST_K_COUNT];

typedef void cst_kernel(const void *self, const double *c, const double *q, const double *v,
                        const double *w, const double *u, const double *l, double *o);

/* The sparsity pattern of a matrix: compressed rows, and the same by columns. Entry e of the kernel is in
 * column[e] of its row; column i has the entries tentry[tstart[i]] .. in the rows trow[..], ascending. */
typedef struct {
  int  rows, columns, n;
  int *start, *column;         /* [rows + 1], [n] */
  int *tstart, *trow, *tentry; /* [columns + 1], [n], [n] */
} cst_pattern;
/* A loop over the entries e of row a. */
#define CST_EACH_ENTRY(pattern, a, e)                                                              \
  for (int e = (pattern)->start[a]; e < (pattern)->start[(a) + 1]; e++)

/* How S = G W G' is stored.
 *   CST_FORM_DENSE    S[a * ng + b]
 *   CST_FORM_BAND     only neighbours couple, in the order `place`: S[place[a] * (2 * band + 1) + place[b] -
 *                     place[a] + band]
 *   CST_FORM_SPARSE   the diagonal S[ng] in the order `place`, then the rows of the upper factor, fill-in included:
 *                     columns column[row[r]] .. of row r, ascending; then the columns of the lower factor, which
 *                     have the same pattern
 *   CST_FORM_PAIRS    pair by pair, S[k]; lanes do not eliminate it, since its factors are too large */
typedef enum { CST_FORM_DENSE, CST_FORM_BAND, CST_FORM_SPARSE, CST_FORM_PAIRS } cst_gram_form;

/* S = G W G', W diagonal: which constraints share which coordinates, and how S is stored and eliminated. */
typedef struct {
  cst_gram_form form;
  bool
      banded; /* it is eliminated in the order `place`, without pivoting: every form but the dense one */
  int    band, size; /* band: ng - 1 unless S is a band; size: numbers in S */
  int    inside;     /* the entries of S among them: a band has more at its ends */
  int   *place;      /* [ng] row of constraint a in the order of elimination */
  int   *order;      /* [ng] the constraint of each row */
  int    n; /* pairs (a, b) that share a coordinate: first the upper ones, place[a] <= place[b], */
  int    upper;        /* their number; then the lower ones */
  int   *a, *b, *at;   /* [n] at: index in S */
  int   *first;        /* [n + 1] terms of each pair: */
  int   *ea, *eb, *i;  /* entries of G of the two rows, and their coordinate */
  int   *row, *column; /* [ng + 1], [row[ng]] of sparse factors; else NULL */
  double work;         /* multiplications of a factorisation */
} cst_gram;

/* A symmetric matrix of nq rows as a band: row r is that of coordinate order[r], and its entry (r, r + d), 0
 * <= d <= band, is at r (band + 1) + d. Elimination in this order leaves (r, i) zero for i > last[r]. Entry e
 * of the upper half goes to at[e]. */
typedef struct {
  int  band, n;       /* n: entries that may be nonzero in the upper half, diagonal included */
  int *order, *place; /* [nq] the coordinate of each row, the row of each coordinate */
  int *last;          /* [nq] */
  int *at, *entry;    /* [n] places in the band; the entries of the pattern */
} cst_bands;

/* A form of lane code in which the kernels of one system are inlined. */
typedef struct {
  /* kick, fold ...; gram: two kernels of a banded system, for all pairs of S and for the upper
   * ones */
  const char *core;
  const void *form; /* its type is known to the files of this core; borrowed */
} cst_form;

/* The compiled code of one system for one instruction set. */
typedef struct {
  const char *key; /* "" in the catalogue; else the fingerprint of the source of a user's object */
  int         nq, ng, npar, nsym, width;
  cst_kernel *kernel[CST_K_COUNT];
  const cst_form *form; /* up to one whose core is NULL */
} cst_compiled;
#endif

/* system-data.h: what programs may read of a system: sizes, names and parameters, and which kernels there are.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_SYSTEM_DATA_H
#define CONSTELLA_SYSTEM_DATA_H
#include <stdbool.h>

/* Those of expr.h: a graph of expressions, and an index into it. */
typedef struct cst_graph cst_graph;
typedef int              cst_node;

typedef struct cst_system cst_system;

enum {
  CST_MAX_Q =
      40, /* coordinates and constraints of a system whose matrices are dense, and of every system of
                     the catalogue at its size */
  CST_MAX_G = 40,
  CST_MOST_Q = 2000000, /* of any system */
  /* coordinates, and constraints, where lane code has full matrices of them on the stack, a 90 MB with 8 lanes:
   * the mass is no constant diagonal, or a variational method is to keep forces or time */
  CST_MOST_FULL = 300,
  CST_MOST_CONVERTED =
      2000, /* of systems that convert(...) steps, because their residuals are differentiated */
  CST_MAX_NAMED = 256, /* parameters of a text */
  CST_MAX_SYM = 8,
  CST_MAX_FORCES = 8,
  CST_MAX_DRIVEN = 16, /* names of constraints that depend on t */
  /* parameters of a system: those of the text, t, the accounts, and omega of a penalised one */
  CST_MAX_PAR = CST_MAX_NAMED + 1 + CST_MAX_FORCES + 1 + CST_MAX_DRIVEN + 1
};

typedef struct {
  const char *name, *unit, *doc; /* unit and doc may be "" */
  double      value; /* default; of a size: the whole number that this object was made with */
  bool size; /* a whole number with which the description is unrolled; kernels cannot change it */
  /* the default as an expression of the parameters before it; of a size its constant */
  cst_node node;
} cst_parameter;

/* What programs may read of a system. The rest is private. */
struct cst_system {
  const char              *name, *doc, *source;
  int                      nq, ng, npar, nsym, nstate;
  cst_parameter           *parameter; /* [npar], and room for omega */
  void                    *owned;     /* the memory that destroy frees */
  struct cst_system_text  *description;
  struct cst_system_model *model;
  struct cst_system_code  *code;
};

/* Kernels: name, number of outputs, and what they are. cst_system_eval evaluates any of them at a point. The entries of a
 * matrix that may be nonzero are its outputs; cst_system_matrix gives the whole matrix. A system whose mass is a constant
 * diagonal and that has no a(q) does not have the kernels M .. DMvw.
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

#endif

/* group.h: a group of CST_W trajectories as lane code sees it: the record that holds it, and the system's kernels.
 *
 * Lane code (method cores, observer folds) is written once against the macros NQ, NG ... and K_dV(...) below, and compiled in two ways,
 * for every instruction set:
 *   - hot: with CST_SYSTEM_HEADER naming a generated header. Sizes and patterns are constants, kernels are inlined, loops unroll.
 *   - generic: without it. Sizes and patterns are read from the system, kernels are called through pointers.
 * Both do the same operations on the same operands in the same order, so their bits agree.
 *
 * A record is an array [component][CST_W] of doubles, 64-byte aligned. Its blocks are listed once, in CST_BLOCKS; offsets
 * follow from the list. Blocks behind `impulse` belong to the method: its warm starts, one row of unknowns a substep.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_GROUP_H
#define CST_GROUP_H
#include "constella/lanes.h"
#include "constella/system.h"

/* X(name, components): what a lane carries. c parameters; mass distinct masses; scale s_j of the start; tolerance of the solver; iterations
 * so far; state q, p with their compensation terms (zero unless the study asks for them); impulse of the constraints, summed over the last
 * step. */
#define CST_BLOCKS(X)                                                                                                                      \
  X(c, npar) X(mass, nmass) X(scale, ng) X(tolerance, 1) X(iterations, 1) X(q, nq) X(p, nq) X(eq, nq) X(ep, nq) X(impulse, ng)

typedef struct {
#define X(name, size) int name;
  CST_BLOCKS(X)
#undef X
  int warm; /* first component behind the listed blocks */
} cst_layout;

static inline __attribute__((always_inline)) cst_layout cst_layout_of(int npar, int nmass, int nq, int ng) {
  cst_layout o;
  int        at = 0;
#define X(name, size) o.name = at, at += size;
  CST_BLOCKS(X)
#undef X
  o.warm = at;
  return o;
}

/* What lane code is given beside a record: the system with its kernels of this instruction set, and the substeps of one step. */
typedef struct {
  double        h;       /* length of the substep */
  double        w0, w1;  /* kick cores: fractions of h that the force acts for at the left and at the right end */
  int           tangent; /* kick cores: whether p is projected on the tangent space at the right end */
  int           stages;  /* Runge-Kutta cores: tableau a[stages][stages], b[stages] */
  const double *a, *b;
} cst_substep;

typedef struct {
  const cst_system  *system;
  cst_kernel *const *kernel;
  const void        *self;
  int                nq, ng, npar, nmass, nsym;
  cst_layout         at;
  int                opens; /* this core makes the first substep of a step: the sum of impulses starts here */
  int                nsub;
  const cst_substep *sub;      /* [nsub] */
  int                unknowns; /* of one substep; warm starts are [nsub][unknowns] at at.warm */
  int                warm;     /* offset of this core's warm starts in the record */
  int                max_iterations;
  int                robust; /* solve with pivoting (a lane that failed is stepped again alone) */
  int                compensated;
} cst_context;

#ifdef CST_SYSTEM_HEADER
#include CST_SYSTEM_HEADER
#define CST_HOT                         1
#define U                               CST_UNROLL
#define QMAX                            NQ
#define GMAX                            (NG > 0 ? NG : 1)
#define NZG(a, i)                       sys_pattern_g[(a)*NQ + (i)]
#define NZV(i, j)                       sys_pattern_v[(i)*NQ + (j)]
#define NZX(s, i)                       sys_pattern_xi[(s)*NQ + (i)]
#define CLASS(i)                        sys_mass_class[i]
#define LAYOUT(C)                       cst_layout_of(NPAR, NMASS, NQ, NG)
#define KERNEL(k)                       sys_##k
#define CALL(C, k, c, q, v, w, u, l, o) sys_##k(c, q, v, w, u, l, o)
#else
#define CST_HOT 0
#define U
#define NQ        (C->nq)
#define NG        (C->ng)
#define NSYM      (C->nsym)
#define NMASS     (C->nmass)
#define QMAX      CST_MAX_Q
#define GMAX      CST_MAX_G
#define NZG(a, i) C->system->pattern_g[(a)*NQ + (i)]
#define NZV(i, j) C->system->pattern_v[(i)*NQ + (j)]
#define NZX(s, i) C->system->pattern_xi[(s)*NQ + (i)]
#define CLASS(i)  C->system->mass_class[i]
#define MASS_UNIT C->system->mass_unit
#define LINEAR_V  C->system->linear_v
#define LAYOUT(C) ((C)->at)
#define CALL(C, k, c, q, v, w, u, l, o)                                                                                                    \
  (C)->kernel[CST_K_##k]((C)->self, (const double *)(c), (const double *)(q), (const double *)(v), (const double *)(w),                    \
                         (const double *)(u), (const double *)(l), (double *)(o))
#endif
#define K_V(c, q, o)        CALL(C, V, c, q, 0, 0, 0, 0, o)
#define K_dV(c, q, o)       CALL(C, dV, c, q, 0, 0, 0, 0, o)
#define K_d2V(c, q, o)      CALL(C, d2V, c, q, 0, 0, 0, 0, o)
#define K_g(c, q, o)        CALL(C, g, c, q, 0, 0, 0, 0, o)
#define K_G(c, q, o)        CALL(C, G, c, q, 0, 0, 0, 0, o)
#define K_D2gvv(c, q, v, o) CALL(C, D2gvv, c, q, v, 0, 0, 0, o)
#define K_xi(c, q, o)       CALL(C, xi, c, q, 0, 0, 0, 0, o)

/* Blocks of a record. */
CST_INLINE const vd *cst_block(const double *record, int at) { return (const vd *)record + at; }
CST_INLINE void      cst_load(vd *to, const double *record, int at, int n) {
       U for (int i = 0; i < n; i++) to[i] = ((const vd *)record)[at + i];
}
CST_INLINE void cst_store(double *record, int at, const vd *from, int n) { U for (int i = 0; i < n; i++)((vd *)record)[at + i] = from[i]; }
#endif

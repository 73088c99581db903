/* record.h: the record of a group of trajectories, and what lane code is given beside it.
 *
 * A record is an array [component][W] of doubles, 64-byte aligned. Its blocks are listed once, in CST_BLOCKS; offsets
 * follow from the list. What is behind `impulse` belongs to the method: blocks that its substeps name, and its warm
 * starts, one row of unknowns a substep.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RECORD_LAYOUT_H
#define CST_RECORD_LAYOUT_H
#include "system/data.h"

/* X(name, components): what a lane carries. c parameters; mass distinct masses; length L_j of the constraints
 * and extent, that of the system, at the start; tolerance of the solver; iterations so far; the address of
 * its random numbers (seed, member), the number of steps behind it and that of some earlier state, since, whole
 * numbers that are read as vl; the time of that state, origin, and the length h of each step after it; state q, p with their compensation terms (zero unless the study asks for them); impulse of the constraints,
 * summed over the last step. */
#define CST_BLOCKS(X)                                                                              \
  X(c, npar)                                                                                       \
  X(mass, nmass)                                                                                   \
  X(length, ng)                                                                                    \
  X(extent, 1)                                                                                     \
  X(tolerance, 1)                                                                                  \
  X(iterations, 1)                                                                                 \
  X(seed, 1)                                                                                       \
  X(member, 1)                                                                                     \
  X(step, 1)                                                                                       \
  X(since, 1)                                                                                      \
  X(origin, 1)                                                                                     \
  X(h, 1)                                                                                          \
  X(q, nq)                                                                                         \
  X(p, nq)                                                                                         \
  X(eq, nq)                                                                                        \
  X(ep, nq)                                                                                        \
  X(impulse, ng)

/* A bit of `needs` of substeps, observers, collectors and kinds of study: it relies on one h for all steps of a lane. */
enum { CST_NEEDS_EQUAL_STEPS = 32 };

typedef struct {
#define X(name, size) int name;
  CST_BLOCKS(X)
#undef X
  int own; /* first component behind the listed blocks */
} cst_layout;

static inline __attribute__((always_inline)) cst_layout cst_layout_of(int npar, int nmass, int nq,
                                                                      int ng) {
  cst_layout o;
  int        at = 0;
#define X(name, size) o.name = at, at += size;
  CST_BLOCKS(X)
#undef X
  o.own = at;
  return o;
}

/* Eliminates S of gram.h for generic code, instead of it. S is [gram.size][W], as cst_gram_fill leaves it; symmetric:
 * its upper half is all that is filled. x [ng][W] := S^-1 x, of the S that was factored last. */
typedef struct {
  void *context;
  void (*factor)(void *context, const double *S, int symmetric);
  void (*solve)(void *context, double *x);
} cst_eliminator;

/* What lane code is given beside a record: the system with its kernels of this instruction set, and how the
 * record is laid out. */
typedef struct cst_context {
  const cst_system    *system;
  cst_kernel *const   *kernel;
  const void          *self;
  int                  nq, ng, npar, nmass, nsym;
  const int           *mass_class; /* those of the system, borrowed */
  const unsigned char *dropped;
  int flat; /* a body is flat for the parameters of some lane: nothing is divided by its masses */
  /* NULL, or what is compiled to make S and its upper half from q = A, v = B and weights w
   * (gram.h), and more (rows.h) */
  cst_kernel *const *gram;
  int                mass_unit;
  cst_layout         at;
  int tangential; /* the record's p is the part of Mv + a with G p = 0 (Euclidean), else Mv + a itself */
  /* generic code: memory for the fields of a core's `struct local`, as much as its room() asks
   * for */
  double               *work;
  const cst_eliminator *by; /* NULL: lane code eliminates S itself */
} cst_context;
#endif

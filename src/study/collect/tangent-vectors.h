/* tangent-vectors.h: k tangent vectors of each trajectory of a batch, which the method's map carries along and
 * which are orthonormalised after every period, by the scales of companions.h.
 *
 * They are differences to companions (companions.h), at the distance e of their trajectory, or, in the exact
 * form, vectors that the derivative of each step multiplies (method/derivative.h): of a copy of the trajectory,
 * which begins at it in every period. In both forms each depends on its trajectory alone.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TANGENT_VECTORS_H
#define CST_TANGENT_VECTORS_H
#include "method/derivative.h"
#include "statistics/orthonormal.h"
#include "study/collect/companions.h"

/* e, a power of 2, so that dividing by it does not round. */
#define CST_TANGENT_DISTANCE 0x1p-23

typedef struct {
  const cst_runner      *run;
  int                    k, n, in; /* numbers of a vector, and those that count: of q and p */
  long                   step;     /* of the batch, at which they are */
  const cst_orthonormal *lanes;
  double                *scale;       /* [lane][2] */
  double                *weight;      /* [group][in][W] */
  double                *growth;      /* [group][k][W] of the last period */
  double                *w, *scratch; /* of a group: [k][n][W], [n][W] */
  /* by companions */
  cst_companions c;
  int           *at; /* [n] components of a record */
  double       **near;
  /* in the exact form */
  bool             exact;
  cst_derivative **derivative; /* [nmethod], made when first needed */
  double          *kept;       /* [lane][2 nq + k 2 nq] the start of a period, and vectors there */
  bool            *lost;       /* [lane] */
  double          *move;       /* 2 nq + k 2 nq: of a lane that moves */
  double          *other;      /* [k][W] growth of displaced copies */
  double          *shift;      /* [lane] */
} cst_tangent_vectors;

cst_error cst_tangent_vectors_create(cst_tangent_vectors *v, const cst_runner *r, int k,
                                     bool exact);
cst_error cst_tangent_vectors_destroy(cst_tangent_vectors *v);
/* Begins with the batch that the run has just started, in random directions. */
cst_error cst_tangent_vectors_begin(cst_tangent_vectors *v);
/* Carries them to the step of the batch, and orthonormalises them. */
cst_error cst_tangent_vectors_advance(cst_tangent_vectors *v);
/* After that: puts companions onto both constraints, where the method keeps them. */
cst_error cst_tangent_vectors_settle(cst_tangent_vectors *v);
/* The lanes of a group of the batch that have their vectors. */
int cst_tangent_vectors_alive(const cst_tangent_vectors *v, int group);
/* growth[k]: by how much each vector of a lane has grown in the last period, without its parts along those before. */
void cst_tangent_vectors_growth(const cst_tangent_vectors *v, long lane, double *growth);
/* In the exact form, where the number of the period is a power of 2: by how much the logarithm of this growth
 * changes, at most, if the trajectory is displaced by round-off (2^-48); else 0. */
double cst_tangent_vectors_shift(const cst_tangent_vectors *v, long lane);

/* The numbers of a lane, to x and back. */
size_t cst_tangent_vectors_numbers(const cst_plan *p, int k, bool exact);
void   cst_tangent_vectors_save(const cst_tangent_vectors *v, long lane, double *x);
void   cst_tangent_vectors_restore(cst_tangent_vectors *v, long lane, const double *x);
#endif

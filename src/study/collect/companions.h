/* companions.h: trajectories near those of a running batch, for collectors that measure the derivative of a
 * method's map.
 *
 * Companions step with the method and the step of the batch, with the same parameters and noise, in a batch of
 * their own: what the batch computes does not change, and it holds none of them. Each depends on its
 * trajectory alone. Distances, and tangent vectors, are measured by scales of the trajectory: q is divided by L
 * and p by m L/T, where L is the length of the system, m its mean mass, and T a time of its motion, all taken at
 * the start.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COMPANIONS_H
#define CST_COMPANIONS_H
#include "study/runner/runner.h"

/* scale[2]: what q and p of a lane of the batch that has just started are divided by. */
void cst_tangent_scale(const cst_runner *r, long lane, double *scale);
/* A number between -1 and 1 for each component of a vector: a function of its address alone. */
double cst_tangent_draw(const cst_runner *r, long lane, long turn, int component);

typedef struct {
  const cst_runner *run;
  int               each;    /* companions of a trajectory */
  cst_stepper     **stepper; /* [nmethod], made when first needed */
  cst_batch        *batch;
  /* puts companions on g(q) = 0 and G v = 0; NULL: there are no constraints, or it cannot */
  cst_method   *projection;
  cst_prepared *prepared;
  cst_stepper  *projector;
  cst_batch     placed;
  /* of the current batch of the run */
  cst_stepper    *st;
  cst_batch      *b;
  long            stride;   /* from a lane of companion i to that of i + 1 */
  bool            beside;   /* groups of companions have the lanes of the batch's groups */
  bool            projects; /* the method keeps both constraints, and companions are put on them */
  int             nparts, numbers;
  cst_column_part part[CST_COLUMN_PARTS]; /* of the state; the first two are q and p */
  double         *scale;                  /* [lane][2] what q and p are divided by */
} cst_companions;

/* The core that puts companions onto both constraints after every period, and for how many lanes in all; NULL: no
 * method keeps them. */
const char *cst_companions_core(const cst_plan *p, int each, double *times);

cst_error cst_companions_create(cst_companions *c, const cst_runner *r, int each);
cst_error cst_companions_destroy(cst_companions *c);
/* Begins with the batch that the run has just started; no companion is there yet. */
cst_error cst_companions_begin(cst_companions *c);

/* Columns, whose entries are `width` of the run apart. */
double       *cst_companions_column(const cst_companions *c, long lane, int i);
const double *cst_companions_base(const cst_companions *c, long lane);
/* The parts of a column that are its state, x[numbers], q and p first; and back. */
void cst_companions_get(const cst_companions *c, const double *column, double *x);
void cst_companions_put(const cst_companions *c, double *column, const double *x);

/* Starts companion i of a lane again at the distance `distance` in the direction d[2 nq] from the start of its
 * trajectory, projected onto both constraints; false: it cannot. */
bool cst_companions_start(cst_companions *c, long lane, int i, double distance, const double *d);
/* Makes companion i a copy of its trajectory. */
void cst_companions_copy(cst_companions *c, long lane, int i);
/* Gives up the companions of a lane. */
void cst_companions_lose(cst_companions *c, long lane);
/* Gives up all of them, whose state is of no use any more. */
void cst_companions_rest(cst_companions *c);
bool cst_companions_live(const cst_companions *c, long lane);
/* The lanes of a group of the batch that live with all their companions. */
int cst_companions_alive(const cst_companions *c, int group);
/* Puts all companions on both constraints, where their method keeps them. */
cst_error cst_companions_project(cst_companions *c);
/* What substeps keep becomes what it is at a start from q and p. */
void cst_companions_restart(cst_companions *c);
/* n steps of all companions. */
cst_error cst_companions_advance(cst_companions *c, long n);

/* The numbers of all companions of a lane, of which cst_companions_numbers are at most, to x, and back; lost are those
 * of a lane that does not live with all of them. */
size_t cst_companions_numbers(const cst_plan *p, int each);
void   cst_companions_save(const cst_companions *c, long lane, double *x);
void   cst_companions_restore(cst_companions *c, long lane, const double *x);
#endif

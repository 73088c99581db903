/* stepper-internal.h: data that the set-up of a stepper leaves for its marches. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STEPPER_INTERNAL_H
#define CST_STEPPER_INTERNAL_H
#include "method/method.h"
#include "method/stepper/stepper.h"
#include "method/core.h"
#include "solve/solver.h"

/* Consecutive substeps of one kind. */
typedef struct {
  const cst_core      *core, *alone; /* alone: the generic core, for a lane that is stepped alone */
  const cst_solo_core *solo;         /* NULL: none */
  cst_march            march;
  cst_lane_substep    *sub;
  int                  first; /* index of its first substep */
} cst_segment;

/* What is done before the first substep of each whole step (cst_substep_row.opens). */
typedef struct {
  cst_open        *open;
  cst_march        march;
  cst_lane_substep sub;
} cst_stepper_opening;

/* The kernels of a layer given by formulas. */
typedef struct {
  const cst_flow_rule *rule;
  bool                 derivatives;
  cst_flow            *flow;
} cst_stepper_flow;

/* Data shared by substeps (cst_stepper_bind_shared). */
typedef struct {
  void *(*make)(const cst_system *s);
  void (*end)(void *);
  void *made;
} cst_stepper_shared;

/* The kick of a thermostat after substep `behind` of the program, and its data for lane code. */
typedef struct {
  cst_substep kick;
  int         behind;
  cst_noise   noise;
} cst_stepper_noise;

/* stepper-guard.c: what is asked of every step that has been made. */
typedef struct cst_guard cst_guard;

/* stepper-petsc.c: the equations of a segment for PETSc's own solvers. */
typedef struct cst_stepper_single cst_stepper_single;

struct cst_stepper {
  const cst_program   *whole;   /* that of the method on the system */
  cst_program         *program; /* the same without the noise after its substeps, and without: */
  cst_stepper_opening *opening;
  cst_stepper_noise   *noise;
  int                  nnoise, nopening, isa;
  double               resolution; /* of the noise's paths; 0: the step */
  cst_stepper_flow    *flow;
  cst_stepper_shared  *shared;
  double             **numbers; /* allocated for substeps */
  cst_state_place     *state;   /* their blocks in the record */
  int                  nflow, nshared, nnumbers, nstate;
  cst_segment         *segment;
  int                  nsegment, width, groups, components; /* components of a record */
  size_t               size;
  size_t      moving; /* of it what steps change: all but the multipliers of earlier steps */
  cst_layout  layout; /* of the asked system, with which every record begins */
  cst_context outer;  /* context for reading a record with that layout */
  /* layout of the system that is stepped, from component `shift` of a record on: shift 0 if it is the asked
   * one */
  cst_layout    inner;
  int           shift;
  const double *more; /* additional parameters of the stepped system */
  /* if multipliers are averaged: over this time, of so many steps, and the component from which on the record has those
   * of the last steps, of each step at its number modulo window + 1; window 0: they are not */
  double    mean;
  int       window, recent;
  cst_halt *halt;
  void     *halt_context;
  bool      halted; /* the current or the last advance was halted */
  double    h;      /* of lanes that start */
  /* those of the record from which the marches have the lengths of their substeps */
  _Alignas(64) long since[CST_W_MAX];
  _Alignas(64) double origin[CST_W_MAX], h_of[CST_W_MAX];
  bool                mixed;         /* in a step in parts: groups have different ones */
  double              first_impulse; /* fraction of the impulse in the first step */
  bool                tangential, flat;
  bool                smooth;          /* there is no noise */
  int                 more_iterations; /* of attempts after the first */
  cst_guard          *guard;           /* NULL: nothing is asked */
  cst_solver         *solver;
  cst_stepper_single *single;  /* [nsegment]; NULL: lanes */
  cst_scratch        *scratch; /* [groups] */
  double             *work;    /* three records: trial, column, saved */
  double             *saved;   /* [groups] records, for steps in parts */
  double             *space;   /* workspace of the generic cores */
  double             *trail;   /* [CST_BESIDE][CST_TRAIL][q, p][W], of groups that march, or NULL */
  /* workspace of marches over parts of a trajectory, kept between them; NULL: none */
  double *solo_space;
  /* arguments of the solver's callbacks */
  cst_batch          *batch;
  const cst_schedule *schedule;
  cst_segment        *now;
  int                 sub;
};

/* stepper.c: for methods that step another system than the asked one. */
/* Updates the first part of a record from the stepped part. */
void cst_stepper_bring(const cst_stepper *st, double *record);
/* Advances the batch to step `to` with calls of `stretch`, and keeps the multipliers of its steps for their means. */
cst_error cst_stepper_toward(cst_stepper *st, long to, cst_error (*stretch)(cst_stepper *, long));
/* Of lanes that fail only the multipliers of their last state are known: the mean becomes these. */
void cst_stepper_keep_last(cst_stepper *st, double *record, int lanes);

/* Whether the advance halts here, or has halted. */
bool cst_stepper_halts(cst_stepper *st);

/* stepper-march.c */
void cst_stepper_copy_lane(const cst_stepper *st, double *to, int lane, const double *from,
                           int source);
/* The part of a record that is stepped. */
static inline double *cst_stepper_inner(const cst_stepper *st, double *record) {
  return record + (size_t)st->shift * (size_t)st->width;
}
/* Gives the marches the lengths and times of the steps of a record, the part that is stepped. */
void cst_stepper_take_steps(cst_stepper *st, const double *record);
/* Opens the next whole step of a record; else which lanes cannot make it, and why. */
cst_outcome cst_stepper_open_step(cst_stepper *st, double *record);

/* Where the step of the lanes `failing` has failed: makes further attempts with them, to columns of next. Returns
 * those that fail again; reason[] says why. */
int cst_stepper_retry(cst_stepper *st, const double *record, int failing, double *next,
                      cst_reason *reason);
/* The lanes `left` end in their record of before the step, others are in next. */
void cst_stepper_end_lanes(cst_stepper *st, int group, long step, int left,
                           const cst_reason *reason, const double *next);

/* stepper-guard.c. NULL: the constraints of s give no cause to ask. s is borrowed. */
cst_guard *cst_guard_create(const cst_system *s, int isa, const cst_layout *at);
void       cst_guard_destroy(cst_guard *x);
/* Looks at a record before a step; behind it: lanes of the set whose step is refused, and why. */
void        cst_guard_before(cst_guard *x, const double *record);
cst_outcome cst_guard_behind(cst_guard *x, const double *record, int set);
/* Whether a constraint jumps on the straight way between two states, c and q in one row. */
bool cst_guard_jumps(const cst_guard *x, const double *from, const double *to);

/* stepper-petsc.c */
cst_error cst_stepper_single_create(cst_stepper *st, int max_iterations);
cst_error cst_stepper_single_destroy(cst_stepper *st);
/* Makes n steps of all groups. */
cst_error cst_stepper_single_stretch(cst_stepper *st, long n);

/* The equations of a step of all groups for the solver: whole, or in parts. */
cst_equations cst_stepper_equations(cst_stepper *st);
#endif

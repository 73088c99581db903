/* stepper-internal.h: what the set-up of a stepper leaves for its marches. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STEPPER_INTERNAL_H
#define CST_STEPPER_INTERNAL_H
#include "method/method.h"
#include "method/stepper.h"
#include "method/core.h"
#include "solve/solver.h"

/* Consecutive substeps of one kind. */
typedef struct {
  const cst_core      *core, *alone; /* alone: the generic one, for a lane stepped by itself */
  const cst_solo_core *solo;         /* NULL: there is none */
  cst_march            march;
  cst_lane_substep    *sub;
  int                  first; /* index of its first substep */
} cst_segment;

/* The kernels of a layer that is given by formulas. */
typedef struct {
  const cst_flow_rule *rule;
  bool                 derivatives;
  cst_flow            *flow;
} cst_stepper_flow;

/* What substeps share (cst_stepper_bind_shared). */
typedef struct {
  void *(*make)(const cst_system *s);
  void (*end)(void *);
  void *made;
} cst_stepper_shared;

/* A kick of a thermostat behind substep `behind` of the program, and what lane code reads of it. */
typedef struct {
  cst_substep kick;
  int         behind;
  cst_noise   noise;
} cst_stepper_noise;

struct cst_stepper {
  cst_program        *program; /* on the system, without the noise that stands behind its substeps: */
  cst_stepper_noise  *noise;
  int                 nnoise, isa;
  double              resolution; /* of the noise's paths; 0: the step */
  cst_stepper_flow   *flow;
  cst_stepper_shared *shared;
  double            **numbers; /* that substeps have asked for */
  cst_state_place    *state;   /* that they keep in the record */
  int                 nflow, nshared, nnumbers, nstate;
  cst_segment        *segment;
  int                 nsegment, width, groups, components; /* components of a record */
  size_t              size;
  cst_layout          layout; /* of the system that is asked for, as every record begins */
  cst_context         outer;  /* and what is read off a record with it */
  cst_layout inner; /* of the system that is stepped, from component `shift` of a record on: the same, shift
                       0, or another one */
  int shift, acc;   /* acc: component of the sums of multipliers and of their weight, where they are means */
  const double  *more; /* parameters of the other system beyond those of the first */
  double         mean;
  cst_next_read *reader;
  void          *reader_context;
  cst_halt      *halt;
  void          *halt_context;
  bool           halted; /* the advance that is made, or was the last one */
  double         h;
  double         first_impulse; /* part of the impulse that the first step has */
  bool           tangential;
  bool           smooth; /* there is no noise */
  int            robust_iterations;
  cst_solver    *solver;
  cst_scratch   *scratch; /* [groups] */
  double        *work;    /* three records: trial, column, saved */
  double        *saved;   /* [groups] records, for steps in pieces */
  double        *space;   /* of the generic cores */
  /* what the solver's callbacks work on */
  cst_batch          *batch;
  const cst_schedule *schedule;
  cst_segment        *now;
  int                 sub;
};

/* stepper-another.c: what belongs to a method that steps another system than the one it is asked for. */
/* The record's first part from the one that is stepped. */
void cst_stepper_bring(const cst_stepper *st, double *record);
/* The second part of a lane's column at its start. */
void cst_stepper_begin(const cst_stepper *st, double *column, const double *c, const double *q);
/* Advance the batch to step `to` by stretches of so many steps, and its multipliers' means with it. */
PetscErrorCode cst_stepper_toward(cst_stepper *st, long to, PetscErrorCode (*stretch)(cst_stepper *, long));
/* The multipliers that the springs stand for, [ng][W]. */
void cst_stepper_springs(const cst_stepper *st, const double *record, double *lambda);

/* Whether the advance halts here, or has. */
bool cst_stepper_halts(cst_stepper *st);

/* A step of all groups as the solver has it: whole, or in pieces. */
cst_equations cst_stepper_equations(cst_stepper *st);
#endif

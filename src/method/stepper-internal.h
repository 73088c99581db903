/* stepper-internal.h: what the set-up of a stepper leaves for its marches. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STEPPER_INTERNAL_H
#define CST_STEPPER_INTERNAL_H
#include "method/method.h"
#include "method/stepper.h"
#include "solve/solver.h"

/* Consecutive substeps of one kind. */
typedef struct {
  const cst_core   *core, *alone; /* alone: the generic one, for a lane stepped by itself */
  cst_march         march;
  cst_lane_substep *sub;
  int               first; /* index of its first substep */
} cst_segment;

/* The kernels of a layer that is given by formulas. */
typedef struct {
  const cst_flow_rule *rule;
  bool                 derivatives;
  cst_flow            *flow;
} cst_stepper_flow;

struct cst_stepper {
  cst_program      *program; /* on the system */
  cst_stepper_flow *flow;
  double          **numbers; /* that substeps have asked for */
  cst_state_place  *state;   /* that they keep in the record */
  int               nflow, nnumbers, nstate;
  cst_segment      *segment;
  int               nsegment, width, groups, components; /* components of a record */
  size_t            size;
  cst_layout        layout;
  double            h;
  double            first_impulse; /* part of the impulse that the first step has */
  bool              tangential;
  int               robust_iterations;
  cst_solver       *solver;
  cst_scratch      *scratch; /* [groups] */
  double           *work;    /* three records: trial, column, saved */
  double           *saved;   /* [groups] records, for steps in pieces */
  double           *space;   /* of the generic cores */
  /* what the solver's callbacks work on */
  cst_batch          *batch;
  const cst_schedule *schedule;
  cst_segment        *now;
  int                 sub;
};

/* A step of all groups as the solver has it: whole, or in pieces. */
cst_equations cst_stepper_equations(cst_stepper *st);
#endif

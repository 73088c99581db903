/* substep.h: one kind of substep is one row: its arithmetic on lanes (core.h) and what the planner must know
 * of it. Its file of core/ ends in the row and says what parameters a substep of the kind has; nobody else
 * asks which kind a substep is.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SUBSTEP_H
#define CST_SUBSTEP_H
#include <petscsys.h>
#include "constella/isa.h"
#include "constella/method.h"
#include "method/flow.h"
#include "method/lane-layer.h"
#include "tableau/tableau.h"

typedef struct cst_core  cst_core; /* method/core.h */
typedef struct cst_noise cst_noise;

/* A one-step layer for q' = v, v' = A(q, v), S' = L(q, v): a tableau, or formulas. */
typedef struct {
  const cst_flow_rule *rule; /* NULL: the tableau. Borrowed */
  cst_tableau          tableau;
} cst_layer;

/* Whether two layers are the same map. */
bool cst_program_same_layer(const cst_layer *x, const cst_layer *y);
/* Its stages; of formulas, their evaluations of A. */
int cst_program_layer_stages(const cst_layer *l);

typedef struct cst_substep_row cst_substep_row;

enum { CST_SUBSTEP_DATA = 2 * sizeof(cst_layer) + 64 };

/* One substep of a program. */
typedef struct {
  const cst_substep_row *row;
  double                 fraction;          /* of the step */
  _Alignas(16) char data[CST_SUBSTEP_DATA]; /* the row's own parameters */
} cst_substep;

/* What it takes on a system. Substeps of one kind that follow one another march together where `stages`,
 * `unknowns` and `each` are equal.
 */
typedef struct {
  int stages; /* its fields are laid out by them: of its layers, points where L is taken, the degree of a line
               */
  int unknowns;  /* that it solves for */
  int kept;      /* of these, for the next step */
  int predicted; /* of these, the last ones, whose start is extrapolated where motions are smooth: CST_PAST
                    rows more of them, and one */
  double matrix; /* numbers of a lane that the solver's matrices take */
  double fixed, each; /* evaluations of the force or of the right hand side, or of a derivative of it along
                         one direction or in reverse: of a step, and of each iteration of the solver */
  double cost;        /* nanoseconds of one lane, very roughly, for planning */
} cst_substep_size;

/* Numbers that a substep keeps in the record beside q and p: q nq + g ng + body of each body + one of them.
 * Substeps of a program that name the same block share it. Checkpoints have it, as they have all of the
 * record. */
typedef struct {
  const char *name;
  int         q, g, one, body;
} cst_state_block;

enum { CST_MAX_STATE = 8 }; /* blocks of one kind of substep */

enum {
  CST_COMPENSATES = 1, /* it can carry compensated sums */
  CST_ALWAYS_COMPENSATES =
      2,            /* it does so unasked where nothing else changes q and p, since it only adds to them */
  CST_TAKES_UP = 4, /* it has an impulse normal to g = 0 at its left end, and so does not see such a part of
                       the p that it is given */
  CST_TAKES_NO_TIME = 16, /* it moves nothing along: a projection */
  CST_STEPS_FLAT = 8,     /* it does not divide by masses of rotation matrices, which vanish of flat bodies */
};

/* Where a substep finds, when a stepper is made, what its lane code reads. */
typedef struct {
  const cst_system *system;
  int               isa;
  cst_iteration     iteration; /* not CST_ITERATION_AUTO */
  const int        *state; /* the first components of its blocks in the record, in the order of row->state */
  struct cst_stepper *stepper;
} cst_lane_binding;

/* The layer as lane code reads it, with the derivatives that are asked for of formulas. The stepper owns what
 * it points at. */
PetscErrorCode cst_stepper_bind_layer(const cst_lane_binding *b, const cst_layer *l, bool derivatives,
                                      cst_lane_layer *to);
/* What `make` makes of the system, once for all substeps that ask for it; end destroys it with the stepper.
 * NULL from make: too large. */
PetscErrorCode cst_stepper_bind_shared(const cst_lane_binding *b, void *(*make)(const cst_system *s),
                                       void (*end)(void *), void **x);
/* n numbers that live as long as the stepper. */
PetscErrorCode cst_stepper_bind_numbers(const cst_lane_binding *b, size_t n, double **x);

struct cst_substep_row {
  const char *name; /* of its file, and of what is compiled of it for a system */
  size_t      data; /* bytes of its parameters */
  unsigned    features;
  unsigned    iterations; /* bits 1 << cst_iteration of those that it knows; 0: it has a way of its own */
  const cst_state_block *state;               /* ends with one without a name; NULL: it keeps nothing */
  const cst_core        *core[CST_ISA_COUNT]; /* its forms for any system */
  const char
      *solo; /* the file of its march with lanes over parts of a trajectory (core.h); NULL: there is none */
  /* Whether substeps with the parameters x and y do the same in the same time. */
  bool (*same)(const void *x, const void *y);
  /* Make x those of the adjoint; false when there is none. NULL: there never is. */
  bool (*adjoint)(void *x);
  /* Make x the one that ends by projecting p on the tangent space; false where it does so already. NULL:
   * there is no such one. */
  bool (*project)(void *x);
  /* Of a kick of a thermostat, which stands behind another substep: what lane code reads of it in a step of
   * length h, which consists of so many increments of a shared path. NULL: it is none. */
  void (*noise)(const void *x, int isa, double h, long increments, cst_noise *n);
  /* The substep that takes its place on s, if another one does: true with *other filled. NULL: none ever
   * does. */
  bool (*on)(const cst_substep *x, const cst_system *s, cst_substep *other);
  cst_substep_size (*size)(const void *x, const cst_system *s);
  /* The layer that it is a step of, NULL where it is something else. */
  const cst_layer *(*layer)(const void *x);
  /* Fill its blocks, zeroed before, of a lane that starts from the data q, v with the parameters c. NULL:
   * they are zero. */
  void (*start)(const void *x, const cst_system *s, const double *c, const double *q, const double *v,
                double *const *state);
  /* Fill what lane code reads, zeroed before. NULL: the parameters themselves. */
  PetscErrorCode (*bind)(const void *x, const cst_lane_binding *with, void *lane);
};

/* With row->data bytes of parameters. */
cst_substep cst_substep_of(const cst_substep_row *row, double fraction, const void *data);
/* What is carried out on s in the place of x: x itself, or row->on. */
cst_substep      cst_substep_on(const cst_substep *x, const cst_system *s);
cst_substep_size cst_substep_size_on(const cst_substep *x, const cst_system *s);
/* Numbers of a lane that one substep of that size keeps between steps; smooth: without noise (core.h). */
int cst_substep_kept(const cst_substep_size *size, bool smooth);
/* What a substep of s costs that takes the force and the constraints once: the unit of row->size. */
double cst_substep_unit(const cst_system *s);

/* The core of a kind that is compiled for this system where there is one, else the one for any. */
const cst_core *cst_substep_core(const cst_substep_row *row, const cst_system *s, int isa);
#endif

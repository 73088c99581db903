/* integrator-internal.h: the parts of an integrator; see constella/integrator.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_INTEGRATOR_INTERNAL_H
#define CST_INTEGRATOR_INTERNAL_H
#include "constella/integrator.h"
#include "method/method.h"
#include "method/stepper.h"
#include "observe/observe.h"

enum { CST_INTEGRATOR_TEXT = 1024 };

struct cst_integrator {
  char message[CST_INTEGRATOR_TEXT];
  /* with defaults filled in; method and layers are only read at creation */
  cst_integrator_options options;
  cst_system            *system;
  cst_method            *method;
  int                    isa, width;
  bool                   whole;            /* created without an error */
  bool                   ready;            /* there is a stepper */
  bool                   redundancy_known; /* the redundant constraints are known */
  cst_prepared          *prepared;         /* made at the first start, with the stepper */
  cst_stepper           *stepper;
  cst_batch              batch;
  const cst_fold        *fold;
  long                   count;   /* trajectories started */
  double                 h, next; /* the step, and that of the next start */
  /* workspace of readings: velocities, multipliers, time, output of observers; 64-byte aligned */
  double    *workspace;
  cst_tape **observable;
  bool      *needs_lambda;
  int        nobservable;
  double    *scratch; /* registers of the longest tape */
};

/* Stores the message; returns the code. */
cst_integrator_code cst_integrator_fail(cst_integrator *x, cst_integrator_code code,
                                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* True between cst_integrator_begin and the end of MPI. */
bool cst_integrator_has_begun(void);
/* True if the integrator can be used now: it was created without an error, and MPI is initialised. Else the
 * reason is its message. */
bool cst_integrator_usable(cst_integrator *x);
/* n numbers, zero, 64-byte aligned; NULL without memory. */
double *cst_integrator_numbers(size_t n);
#endif

/* arkode.c: one step of ARKODE (SUNDIALS 6), explicit and of fixed length, as a stepper in a shared library.
 *
 *   cc -shared -fPIC -DORDER=4 $(pkg-config --cflags constella) -o arkode-4.so arkode.c \
 *     -lsundials_arkode -lsundials_nvecserial -lm
 *
 * ORDER: of the method, 2 to 8; ARKODE chooses the table. y = (q, v); the multipliers are those of the acceleration.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <arkode/arkode_arkstep.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include "constella/user-stepper.h"

#ifndef ORDER
#define ORDER 4
#endif

typedef struct {
  const cst_stepper_system *system;
  SUNContext                context;
  N_Vector                  y;
  void                     *solver;
} stepper;

static int field(sunrealtype t, N_Vector y, N_Vector dy, void *data) {
  const cst_stepper_system *s = data;
  const double             *q = N_VGetArrayPointer(y), *v = q + s->nq;
  double                   *x = N_VGetArrayPointer(dy);
  (void)t;
  memcpy(x, v, sizeof *x * (size_t)s->nq);
  s->acceleration(s, q, v, x + s->nq);
  return 0;
}

static void leave(void *own) {
  stepper *a = own;
  if (!a)
    return;
  if (a->solver)
    ARKStepFree(&a->solver);
  if (a->y)
    N_VDestroy(a->y);
  if (a->context)
    SUNContext_Free(&a->context);
  free(a);
}

static int open_stepper(const cst_stepper_system *s, void **own) {
  stepper *a = calloc(1, sizeof *a);
  *own = a;
  if (!a || SUNContext_Create(NULL, &a->context))
    return leave(a), 1;
  a->system = s;
  a->y = N_VNew_Serial(2 * s->nq, a->context);
  if (!a->y)
    return leave(a), 1;
  N_VConst(0, a->y);
  a->solver = ARKStepCreate(field, NULL, 0, a->y, a->context);
  if (!a->solver || ARKStepSStolerances(a->solver, 1e-10, 1e-10) ||
      ARKStepSetUserData(a->solver, (void *)s) || ARKStepSetOrder(a->solver, ORDER))
    return leave(a), 1;
  return 0;
}

static int begin(const cst_stepper_system *s, const double *c, unsigned long seed, void **own) {
  (void)c, (void)seed;
  return open_stepper(s, own);
}

static int step(void *own, double t, double h, double *q, double *v, double *lambda) {
  stepper     *a = own;
  const size_t bytes = sizeof(double) * (size_t)a->system->nq;
  double      *y = N_VGetArrayPointer(a->y);
  sunrealtype  at = t;
  (void)lambda;
  memcpy(y, q, bytes);
  memcpy(y + a->system->nq, v, bytes);
  if (ARKStepReset(a->solver, t, a->y) || ARKStepSetFixedStep(a->solver, h) ||
      ARKStepEvolve(a->solver, t + h, a->y, &at, ARK_ONE_STEP) < 0)
    return 1;
  memcpy(q, y, bytes);
  memcpy(v, y + a->system->nq, bytes);
  return 0;
}

static int copy(void *own, void **other) {
  const stepper *a = own;
  return open_stepper(a->system, other);
}

const cst_stepper_method cst_user_stepper = {CST_STEPPER_VERSION, begin, step, copy, leave};

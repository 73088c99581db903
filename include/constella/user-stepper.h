/* user-stepper.h: a stepper of your own in a shared library, for `constella certify --with FILE.yaml`.
 *
 * The library defines cst_user_stepper. It is called in a child process with a limit of time; it steps every system
 * that it does not refuse, whose mass, forces and constraints it gets as functions:
 *
 *   #include <stdlib.h>
 *   #include "constella/user-stepper.h"
 *   static int begin(const cst_stepper_system *s, const double *c, unsigned long seed, void **own) {
 *     *own = (void *)s;
 *     return s->ng > 0; // refuses constraints
 *   }
 *   static int step(void *own, double t, double h, double *q, double *v, double *lambda) { // symplectic Euler
 *     const cst_stepper_system *s = own;
 *     double A[64];
 *     s->acceleration(s, q, v, A);
 *     for (int i = 0; i < s->nq; i++) v[i] += h * A[i], q[i] += h * v[i];
 *     return 0;
 *   }
 *   static int copy(void *own, void **other) { *other = own; return 0; }
 *   static void leave(void *own) {}
 *   const cst_stepper_method cst_user_stepper = {CST_STEPPER_VERSION, begin, step, copy, leave};
 *
 *   cc -shared -fPIC $(pkg-config --cflags constella) -o mine.so mine.c
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_USER_STEPPER_H
#define CONSTELLA_USER_STEPPER_H

enum { CST_STEPPER_VERSION = 1 };

/* A system M(q) A = f(q, v) - G(q)' lambda, G v = 0 with G = Dg, at the parameters of the run. Its functions fill their
 * last argument; matrices are row-major. They take any state, and live as long as the stepper. */
typedef struct cst_stepper_system cst_stepper_system;
struct cst_stepper_system {
  const char *name;
  int         nq, ng, nvel; /* coordinates; constraints, of which the last nvel are on velocities */
  int         npar;         /* parameters, in the order of the system's text */
  void (*mass)(const cst_stepper_system *s, const double *q, double *M);      /* [nq][nq] */
  void (*potential)(const cst_stepper_system *s, const double *q, double *V); /* [1] */
  void (*gradient)(const cst_stepper_system *s, const double *q, double *dV); /* [nq] */
  void (*hessian)(const cst_stepper_system *s, const double *q, double *d2V); /* [nq][nq] */
  void (*force)(const cst_stepper_system *s, const double *q, const double *v,
                double *f); /* [nq]; -dV where M is constant and nothing else acts */
  void (*constraints)(const cst_stepper_system *s, const double *q, double *g); /* [ng] */
  void (*jacobian)(const cst_stepper_system *s, const double *q, double *G);    /* [ng][nq] */
  void (*curvature)(const cst_stepper_system *s, const double *q, const double *v, const double *w,
                    double *d2g); /* [ng], D2g(q)[v, w] */
  void (*bend)(const cst_stepper_system *s, const double *q, const double *lambda, const double *w,
               double *x); /* [nq], D2(lambda . g)(q) w */
  void (*acceleration)(const cst_stepper_system *s, const double *q, const double *v,
                       double *A); /* [nq], with the multipliers that keep the constraints */
  const void *own;
};

typedef struct {
  int version; /* CST_STEPPER_VERSION */
  /* A stepper for the system at parameters c[npar]; seed for random numbers. Not 0: it is refused. */
  int (*begin)(const cst_stepper_system *s, const double *c, unsigned long seed, void **own);
  /* One step of length h, which may be negative, from time t: q[nq] and v[nq] in place. lambda[ng]: the
   * multipliers at the end of the step; a stepper without them leaves it. Not 0: the step failed. */
  int (*step)(void *own, double t, double h, double *q, double *v, double *lambda);
  int (*copy)(void  *own,
              void **other); /* the same stepper for another trajectory; not 0: it failed */
  void (*free)(void *own);
} cst_stepper_method;
extern __attribute__((visibility("default"))) const cst_stepper_method cst_user_stepper;
#endif

/* integrator.h: steps trajectories of a system by a method, from your own program.
 *
 *   cst_integrator_begin(NULL, 0);
 *   cst_system     *s = cst_catalogue_create("planar-pendulum");
 *   cst_integrator *x;
 *   const cst_integrator_options options = {.system = s, .method = "rattle", .step = 0.01};
 *   if (cst_integrator_create(&options, &x) ||
 *       cst_integrator_start(x, 1, NULL, q, v) || cst_integrator_advance(x, 1000))
 *     fprintf(stderr, "%s\n", cst_integrator_message(x));
 *   cst_integrator_positions(x, q);
 *   cst_integrator_destroy(x);
 *   cst_system_destroy(s);
 *   cst_integrator_end();
 *
 * An integrator holds a batch of up to `trajectories` trajectories of one system, which step together by
 * one method and one step h. A batch fills the lanes of the vector unit: eight trajectories cost little
 * more than one. The result does not depend on the batch, on the instruction set or on how the steps are
 * divided among calls: it has the bits that `constella run` writes for the same start and step.
 *
 * Arrays are [trajectory][component], contiguous, in the units of the system's text: parameters c[npar]
 * (system.h), coordinates q[nq], velocities v[nq], momenta p[nq] = M v + a, multipliers lambda[ng] with M A
 * = f - G' lambda.
 *
 * Errors: functions that can fail return a cst_integrator_code; the text is that of cst_integrator_message.
 * A trajectory that cannot continue is not an error of a function: it stays at its last good state, and the
 * others continue (cst_integrator_status).
 *
 * Threads and MPI: an integrator keeps its state to itself, but errors are handed on by a variable of the
 * process. Call these functions from one thread at a time; different processes are independent. No function
 * communicates or is collective: each rank of a parallel program may create and advance its own integrators.
 * Several integrators may share a system; their batches then enforce the same constraints. Advancing does not
 * allocate memory.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_INTEGRATOR_H
#define CONSTELLA_INTEGRATOR_H
#include <stdbool.h>
#include <stdint.h>
#include "constella/method.h"
#include "constella/system.h"

typedef enum {
  CST_INTEGRATOR_OK,
  CST_INTEGRATOR_BAD_ARGUMENT, /* a number or pointer that is not allowed, or a call out of order */
  CST_INTEGRATOR_BAD_METHOD, /* an expression that cannot be read, or that does not fit the system */
  CST_INTEGRATOR_BAD_START,  /* not finite, or not on the constraints */
  CST_INTEGRATOR_INTERNAL    /* memory, or an error of MPI */
} cst_integrator_code;

/* The status of a trajectory; the numbers are those of /final/status in results. */
typedef enum {
  CST_TRAJECTORY_WELL,
  CST_TRAJECTORY_NOT_CONVERGED, /* the solver did not converge in the step after the last good one */
  CST_TRAJECTORY_NOT_FINITE,    /* that step had no finite result */
  /* its equations have no solution that continues the motion */
  CST_TRAJECTORY_STEP_TOO_LARGE = 4,
  CST_TRAJECTORY_RANK_LOST,         /* the constraints lose rank on the way of that step */
  CST_TRAJECTORY_NO_MULTIPLIER = 7, /* forces that depend on multipliers leave no motion there */
  CST_TRAJECTORY_CONSTRAINT_JUMPED, /* a constraint jumps in that step */
  /* behind that step a redundant constraint no longer follows from the others */
  CST_TRAJECTORY_CONSTRAINT_DROPPED,
  CST_TRAJECTORY_NO_SOLUTION /* g(q, t) = 0 has no solution near the state behind that step */
} cst_trajectory_status;

typedef struct cst_integrator cst_integrator;

/* 0 is the default of every number. */
typedef struct {
  /* required. Borrowed until destroy; kernels may be attached to it, constraints marked
   * redundant */
  cst_system *system;
  /* required: a method expression (method.h), such as "compose(rattle, yoshida4)" */
  const char *method;
  /* names of user methods that it may use; NULL: none. Borrowed for the call */
  const cst_layers *layers;
  double            step;           /* required: h, not 0; negative steps go backwards */
  long              trajectories;   /* the largest number of trajectories; default 1 */
  double            tolerance;      /* of the constraints, relative; default 1e-14, at most 0.01 */
  int               max_iterations; /* of the solver, per substep; default 25 */
  bool              compensated;    /* sum q and p in twice the precision, where the method can */
  /* compile a system that is not in the catalogue; it is interpreted otherwise, and where there
   * is no compiler */
  bool     compile;
  uint64_t seed; /* of thermostats; trajectory k of a start has the noise of member k */
} cst_integrator_options;

/* Initialises MPI, unless the program has done so: a program that uses MPI calls MPI_Init before, directly or by
 * PETSc. INTERNAL with the reason in why[n] (may be NULL with n = 0). */
cst_integrator_code cst_integrator_begin(char *why, int n);
/* Finalises what begin has initialised. All integrators must be destroyed before. */
void cst_integrator_end(void);

/* Creates an integrator. *x is also filled when the code is not OK, but then only for cst_integrator_message
 * and cst_integrator_destroy; it is NULL only when out of memory. Owned. */
cst_integrator_code cst_integrator_create(const cst_integrator_options *options,
                                          cst_integrator              **x);
void                cst_integrator_destroy(cst_integrator *x); /* NULL is allowed */
/* The message of the last call that failed: what was found, and what is allowed. "" when none has failed. x NULL:
 * why a function of the library was last refused in this thread. Borrowed until the next call. */
const char *cst_integrator_message(const cst_integrator *x);

/* The step of the trajectories started next: h, not 0. */
cst_integrator_code cst_integrator_set_step(cst_integrator *x, double h);
/* Starts n trajectories at t = 0 from q[n][nq] and v[n][nq] with parameters c[n][npar] (NULL: the defaults
 * for all); they replace earlier ones. |g| and |G v| may be 1e-10 of their scale (cst_system_residuals;
 * cst_system_project makes a start consistent); the first trajectory determines the redundant constraints. */
cst_integrator_code cst_integrator_start(cst_integrator *x, long n, const double *c,
                                         const double *q, const double *v);
/* The same from momenta p[n][nq] = M v + a. */
cst_integrator_code cst_integrator_start_momenta(cst_integrator *x, long n, const double *c,
                                                 const double *q, const double *p);
/* Takes n >= 0 further steps of every trajectory that has not failed. Some may fail: see
 * cst_integrator_status. */
cst_integrator_code cst_integrator_advance(cst_integrator *x, long n);

/* The number of trajectories started; steps done; the time, steps * h, of a method that changes the lengths of its steps
 * that of the first trajectory. nq, ng and npar are those of the system. */
long   cst_integrator_count(const cst_integrator *x);
long   cst_integrator_steps(const cst_integrator *x);
double cst_integrator_time(const cst_integrator *x);

/* Fills status[n] and, where not NULL, steps[n], the good steps of each trajectory. Returns the number of
 * failed ones. */
long cst_integrator_status(const cst_integrator *x, cst_trajectory_status *status, long *steps);
/* "solver did not converge" and the like. Static. */
const char *cst_integrator_reason(cst_trajectory_status status);

/* The current state in arrays [n][nq] and [n][ng]; the last good one of failed trajectories. p is the
 * representative that the method carries (cst_properties.tangential), v = M^-1 (p - a), lambda that of the
 * method's row. */
void cst_integrator_positions(const cst_integrator *x, double *q);
void cst_integrator_momenta(const cst_integrator *x, double *p);
void cst_integrator_velocities(const cst_integrator *x, double *v);
void cst_integrator_multipliers(const cst_integrator *x, double *lambda);
/* The iterations of the solver in all steps so far, iterations[n]: 0 for explicit methods. */
void cst_integrator_iterations(const cst_integrator *x, double *iterations);
/* Energies T + V, energy[n]; momentum maps of the symmetries, map[n][nsym]. */
void cst_integrator_energy(const cst_integrator *x, double *energy);
void cst_integrator_momentum_maps(const cst_integrator *x, double *map);

/* An observable: an expression of coordinates, velocities (x'), multipliers (lambda_NAME), parameters and t,
 * as the key `observables` of a study has it; *index numbers it from 0. BAD_ARGUMENT with the place of a
 * syntax error. */
cst_integrator_code cst_integrator_add_observable(cst_integrator *x, const char *expression,
                                                  int *index);
/* Its value in every trajectory, value[n]. */
void cst_integrator_observe(const cst_integrator *x, int index, double *value);
#endif

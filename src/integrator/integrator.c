/* integrator.c: MPI, options, starts, steps and readings of an integrator (constella/integrator.h).
 *
 * The stepper is made at the first start: the redundant constraints are a property of a start, and the
 * structure of the equations depends on them.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/integrator.h"
#include "core/boundary.h"
#include "method/method.h"
#include "method/stepper/stepper.h"
#include "observe/observe.h"
#include "study/file/names.h"
#include "study/result/failure.h"
#include "system/compile/compile.h"
#include "system/point/mass.h"
#include "system/point/residuals.h"

enum { MESSAGE = 1024 };

struct cst_integrator {
  char message[MESSAGE];
  /* with defaults filled in; method and layers are only read at creation */
  cst_integrator_options options;
  cst_system            *system;
  const cst_body        *flat; /* for the default parameters, or those of a start; NULL: none */
  cst_method            *method;
  int                    isa, width;
  bool                   whole;            /* created without an error */
  bool                   ready;            /* there is a stepper */
  bool                   redundancy_known; /* the redundant constraints are known */
  cst_prepared          *prepared;         /* made at the first start, with the stepper */
  cst_stepper           *stepper;
  cst_batch              batch;
  const cst_fold        *fold;
  long                   count; /* trajectories started */
  double                 next;  /* the step of the next start */
  /* workspace of readings: velocities, multipliers, time, output of observers; 64-byte aligned */
  double    *workspace;
  cst_tape **observable;
  bool      *needs_lambda;
  int        nobservable;
  double    *scratch; /* registers of the longest tape */
};

/* ---- MPI ------------------------------------------------------------------------------------- */

/* MPI for programs that do not use it. MPI reports whether it is initialised; the flags record what was asked for
 * here, and whether this file did it. PETSc is not used. */

/* Properties of the process, as MPI's are. */
static bool begun, ours;

static cst_integrator_code refuse(char *why, int n, const char *reason) {
  if (why && n > 0)
    snprintf(why, (size_t)n, "%s", reason);
  return CST_INTEGRATOR_INTERNAL;
}

cst_integrator_code cst_integrator_begin(char *why, int n) {
  int there, over, threads;
  if (MPI_Finalized(&over) || MPI_Initialized(&there))
    return refuse(why, n, "MPI does not answer");
  if (over)
    return refuse(why, n,
                  "MPI has been finalised, and a process can initialise it only once; call "
                  "cst_integrator_end when no integrator is needed any more");
  if (!there && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads))
    return refuse(why, n, "MPI cannot be initialised");
  ours = ours || !there;
  begun = true;
  return CST_INTEGRATOR_OK;
}

/* True between cst_integrator_begin and the end of MPI. */
static bool has_begun(void) {
  int over = 1;
  return begun && !MPI_Finalized(&over) && !over;
}

void cst_integrator_end(void) {
  if (ours && has_begun())
    (void)MPI_Finalize();
  if (ours)
    begun = false;
}

/* ---- messages and memory --------------------------------------------------------------------- */

/* Stores the message; returns the code. */
static cst_integrator_code fail(cst_integrator *x, cst_integrator_code code, const char *format,
                                ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(x->message, sizeof x->message, format, arguments);
  va_end(arguments);
  return code;
}

/* n numbers, zero, 64-byte aligned; NULL without memory. */
static double *numbers(size_t n) {
  void        *p = NULL;
  const size_t bytes = (n + 8) * sizeof(double);
  if (posix_memalign(&p, 64, bytes))
    return NULL;
  return memset(p, 0, bytes);
}

const char *cst_integrator_message(const cst_integrator *x) {
  return x ? x->message : cst_boundary_reason();
}

/* True if the integrator can be used now: it was created without an error, and MPI is initialised. Else the
 * reason is its message. */
static bool usable(cst_integrator *x) {
  if (!x->whole && *x->message)
    return false; /* the message of the creation */
  if (!has_begun()) {
    fail(x, CST_INTEGRATOR_BAD_ARGUMENT, "cst_integrator_end has been called");
    return false;
  }
  return true;
}

/* ---- readings of states and observables ------------------------------------------------------ */

long cst_integrator_count(const cst_integrator *x) {
  CST_REQUIRE(x, 0);
  return x->count;
}

long cst_integrator_steps(const cst_integrator *x) {
  CST_REQUIRE(x, 0);
  return x->count ? x->batch.step : 0;
}

double cst_integrator_time(const cst_integrator *x) {
  CST_REQUIRE(x, NAN);
  const double *column = x->count ? cst_batch_lane(x->stepper, &x->batch, 0) : NULL;
  return column ? cst_stepper_time(x->stepper, column, (double)x->batch.step) : 0;
}

const char *cst_integrator_reason(cst_trajectory_status status) {
  return status == CST_TRAJECTORY_WELL ? "well" : cst_failure_word((int)status);
}

/* True if what the readings call is there. */
static bool is_alive(const cst_integrator *x) { return !x->count || has_begun(); }

static bool is_well(const cst_integrator *x, long k) {
  return x->batch.status[k].reason == CST_DONE;
}

static long steps_of(const cst_integrator *x, long k) {
  return is_well(x, k) ? x->batch.step : x->batch.status[k].step;
}

long cst_integrator_status(const cst_integrator *x, cst_trajectory_status *status, long *steps) {
  CST_REQUIRE(x && status, 0);
  long failed = 0;
  for (long k = 0; k < x->count; k++) {
    failed += !is_well(x, k);
    status[k] = (cst_trajectory_status)x->batch.status[k].reason;
    if (steps)
      steps[k] = steps_of(x, k);
  }
  return failed;
}

/* n components from `first` on of every trajectory's record. */
static void components(const cst_integrator *x, int first, int n, double *to) {
  for (long k = 0; k < x->count; k++) {
    const double *column = cst_batch_lane(x->stepper, &x->batch, k);
    for (int i = 0; i < n; i++)
      to[k * n + i] = column[(first + i) * x->width];
  }
}

void cst_integrator_positions(const cst_integrator *x, double *q) {
  CST_REQUIRE(x && q);
  if (x->count)
    components(x, cst_stepper_layout(x->stepper)->q, x->system->nq, q);
}

void cst_integrator_momenta(const cst_integrator *x, double *p) {
  CST_REQUIRE(x && p);
  if (x->count)
    components(x, cst_stepper_layout(x->stepper)->p, x->system->nq, p);
}

void cst_integrator_iterations(const cst_integrator *x, double *iterations) {
  CST_REQUIRE(x && iterations);
  if (x->count)
    components(x, cst_stepper_layout(x->stepper)->iterations, 1, iterations);
}

/* ---- quantities computed group by group ------------------------------------------------------ */

typedef struct {
  const cst_integrator *x;
  const double         *record; /* of the group */
  long                  step;   /* of the record */
  int                   alive;  /* bits of the lanes that are read */
  const cst_observer   *row;    /* for an observer, */
  int                   index;  /* or for an observable */
} reading;

/* Fills out[n][W], 64-byte aligned. */
typedef void measure(const reading *r, double *out);

/* Reads each trajectory from the record that has its state: that of the batch, or that of its last good
 * state, at any step. */
static void read_all(const cst_integrator *x, reading r, measure *of, int n, double *to) {
  const int    W = x->width;
  const size_t size = x->count ? cst_stepper_record_size(x->stepper) : 0;
  double      *out = numbers((size_t)n * (size_t)W);
  r.x = x;
  for (long k = 0; out && k < x->count; k++) {
    const long group = k / W;
    const int  lane = (int)(k % W);
    r.record = (is_well(x, k) ? x->batch.record : x->batch.last) + (size_t)group * size;
    r.step = steps_of(x, k);
    r.alive = is_well(x, k) ? x->batch.alive[group] : 1 << lane;
    const bool done = lane > 0 && is_well(x, k) &&
                      is_well(x, k - 1); /* all living lanes of the group are read together */
    if (!done)
      of(&r, out);
    for (int i = 0; i < n; i++)
      to[k * n + i] = out[i * W + lane];
  }
  free(out);
}

static void velocities(const reading *r, double *v) {
  r->x->fold->velocities(cst_stepper_context(r->x->stepper), r->record, v);
}

void cst_integrator_velocities(const cst_integrator *x, double *v) {
  CST_REQUIRE(x && v && is_alive(x));
  read_all(x, (reading){0}, velocities, x->system->nq, v);
}

/* Where constraints are redundant, only the force G'lambda is determined: takes the multipliers of least
 * norm. */
static void make_least(const reading *r, double *lambda) {
  const cst_system *s = r->x->system;
  const cst_layout *at = cst_stepper_layout(r->x->stepper);
  const int         W = r->x->width;
  double            c[CST_MAX_PAR], q[s->nq + 1],
      l[s->ng + 1]; /* small: only dense systems have redundant constraints */
  for (int lane = 0; lane < W; lane++) {
    for (int k = 0; k < s->npar; k++)
      c[k] = r->record[(at->c + k) * W + lane];
    for (int i = 0; i < s->nq; i++)
      q[i] = r->record[(at->q + i) * W + lane];
    for (int a = 0; a < s->ng; a++)
      l[a] = lambda[a * W + lane];
    cst_system_least_norm(s, c, q, l);
    for (int a = 0; a < s->ng; a++)
      lambda[a * W + lane] = l[a];
  }
}

static void multipliers(const reading *r, double *lambda) {
  const cst_integrator *x = r->x;
  if (x->prepared->properties.own_lambda && r->step > 0)
    cst_stepper_lambda(x->stepper, r->record, r->step, lambda);
  else
    x->fold->multipliers(cst_stepper_context(x->stepper), r->record, lambda);
  if (x->system->model->dropped)
    make_least(r, lambda);
}

void cst_integrator_multipliers(const cst_integrator *x, double *lambda) {
  CST_REQUIRE(x && lambda && is_alive(x));
  read_all(x, (reading){0}, multipliers, x->system->ng, lambda);
}

/* ---- observers ------------------------------------------------------------------------------- */

/* The view of a group, with its velocities; *rest is the workspace behind them, for the kept numbers and
 * scales of an observer. */
static cst_view see(const reading *r, double **rest) {
  const cst_integrator *x = r->x;
  const int             W = x->width;
  double               *v = x->workspace;
  double               *lambda = v + x->system->nq * W;
  double               *time = lambda + x->system->ng * W;
  velocities(r, v);
  for (int l = 0; l < W; l++)
    time[l] = cst_stepper_time(x->stepper, r->record + l, (double)r->step);
  *rest = time + W;
  return (cst_view){.context = cst_stepper_context(x->stepper),
                    .record = r->record,
                    .v = v,
                    .lambda = lambda,
                    .time = time,
                    .scratch = x->scratch,
                    .isa = x->isa,
                    .alive = r->alive,
                    .keep = CST_KEEP_NOT};
}

static void built_in(const reading *r, double *value) {
  double               *kept;
  const cst_view        view = see(r, &kept);
  const cst_observation look = {.row = r->row, .system = r->x->system, .wanted = true};
  cst_fold_measure(r->x->fold, r->row)(&look, &view, kept, value, kept + r->x->width);
}

void cst_integrator_energy(const cst_integrator *x, double *energy) {
  CST_REQUIRE(x && energy && is_alive(x));
  read_all(x, (reading){.row = CST_OBSERVER(energy)}, built_in, 1, energy);
}

void cst_integrator_momentum_maps(const cst_integrator *x, double *map) {
  CST_REQUIRE(x && map && is_alive(x));
  read_all(x, (reading){.row = CST_OBSERVER(momentum)}, built_in, x->system->nsym, map);
}

static const cst_observer *of_expressions(void) {
  int k = 0;
  while (!cst_observers[k]->expression)
    k++;
  return cst_observers[k];
}

static void expression(const reading *r, double *value) {
  const cst_integrator *x = r->x;
  double               *rest;
  const cst_view        view = see(r, &rest);
  const cst_observation look = {.system = x->system, .tape = x->observable[r->index]};
  if (x->needs_lambda[r->index])
    multipliers(r, x->workspace + x->system->nq * x->width);
  of_expressions()->measure(&look, &view, NULL, value, rest);
}

void cst_integrator_observe(const cst_integrator *x, int index, double *value) {
  CST_REQUIRE(x && value && is_alive(x) && index >= 0 && index < x->nobservable);
  read_all(x, (reading){.index = index}, expression, 1, value);
}

static bool make_room(cst_integrator *x, const cst_tape *tape) {
  const size_t n = (size_t)x->nobservable + 1;
  cst_tape   **more = realloc(x->observable, n * sizeof *more);
  if (more)
    x->observable = more;
  bool *needs = realloc(x->needs_lambda, n * sizeof *needs);
  if (needs)
    x->needs_lambda = needs;
  size_t most = (size_t)cst_tape_registers(tape);
  for (int i = 0; i < x->nobservable; i++)
    if ((size_t)cst_tape_registers(x->observable[i]) > most)
      most = (size_t)cst_tape_registers(x->observable[i]);
  double *scratch = numbers((most + 4) * (size_t)x->width);
  if (scratch) {
    free(x->scratch);
    x->scratch = scratch;
  }
  return more && needs && scratch;
}

cst_integrator_code cst_integrator_add_observable(cst_integrator *x, const char *text, int *index) {
  CST_REQUIRE(x && text && index, CST_INTEGRATOR_BAD_ARGUMENT);
  if (!usable(x))
    return CST_INTEGRATOR_BAD_ARGUMENT;
  cst_expr_error error;
  cst_graph     *g = x->system->model->graph;
  cst_names      names = cst_names_create(x->system, g, text);
  const cst_node node = cst_expr_parse(g, text, names.name, names.n, &error);
  cst_names_destroy(&names);
  if (node < 0)
    return fail(x, CST_INTEGRATOR_BAD_ARGUMENT, "%s: at character %d: %s", text, error.offset + 1,
                error.message);
  cst_tape *tape = cst_tape_create(g, &node, 1);
  if (!make_room(x, tape)) {
    cst_tape_destroy(tape);
    return fail(x, CST_INTEGRATOR_INTERNAL, "no memory for an observable");
  }
  x->observable[x->nobservable] = tape;
  x->needs_lambda[x->nobservable] = cst_graph_depends(g, node, 'l');
  *index = x->nobservable++;
  return CST_INTEGRATOR_OK;
}

/* ---- options, starts and steps --------------------------------------------------------------- */

static const double consistent = 1e-10; /* of the scale of |g| and |G v| */

_Static_assert((int)CST_TRAJECTORY_NOT_CONVERGED == CST_NOT_CONVERGED &&
                   (int)CST_TRAJECTORY_NOT_FINITE == CST_NOT_FINITE &&
                   (int)CST_TRAJECTORY_STEP_TOO_LARGE == CST_STEP_TOO_LARGE &&
                   (int)CST_TRAJECTORY_RANK_LOST == CST_RANK_LOST &&
                   (int)CST_TRAJECTORY_NO_MULTIPLIER == CST_NO_MULTIPLIER &&
                   (int)CST_TRAJECTORY_CONSTRAINT_JUMPED == CST_CONSTRAINT_JUMPED &&
                   (int)CST_TRAJECTORY_CONSTRAINT_DROPPED == CST_CONSTRAINT_DROPPED &&
                   (int)CST_TRAJECTORY_NO_SOLUTION == CST_NO_SOLUTION,
               "same numbers");

/* The first check of functions with an error code. */
#define USABLE(x)                                                                                  \
  CST_REQUIRE(x, CST_INTEGRATOR_BAD_ARGUMENT);                                                     \
  if (!usable(x))                                                                                  \
  return CST_INTEGRATOR_BAD_ARGUMENT

/* ---- errors of the stepper ---- */

/* Keeps the message of the innermost error; prints nothing. */
static cst_error keep(MPI_Comm comm, int line, const char *function, const char *file, cst_error n,
                      bool arises, const char *message, void *context) {
  (void)comm, (void)line, (void)function, (void)file;
  if (arises && message)
    fail(context, CST_INTEGRATOR_INTERNAL, "%s", message);
  return n;
}

static cst_integrator_code code_of(cst_integrator *x, cst_error error) {
  if (!error)
    return CST_INTEGRATOR_OK;
  return *x->message ? CST_INTEGRATOR_INTERNAL
                     : fail(x, CST_INTEGRATOR_INTERNAL, "error %d of the stepper", (int)error);
}

/* ---- creation ---- */

static cst_integrator_code check_options(cst_integrator *x) {
  cst_integrator_options *o = &x->options;
  const char             *reason;
  if (!has_begun())
    return fail(x, CST_INTEGRATOR_BAD_ARGUMENT,
                "MPI is not initialised; call cst_integrator_begin first");
  if (!o->trajectories)
    o->trajectories = 1;
  if (o->tolerance == 0)
    o->tolerance = 1e-14;
  if (!o->max_iterations)
    o->max_iterations = 25;
  if (!o->system || !o->method)
    return fail(x, CST_INTEGRATOR_BAD_ARGUMENT, "a system and a method are required");
  if (o->trajectories < 1 || o->trajectories > 100000000)
    return fail(x, CST_INTEGRATOR_BAD_ARGUMENT, "trajectories is %ld; allowed are 1 to 100000000",
                o->trajectories);
  if (!(o->tolerance > 0 && o->tolerance <= 0.01))
    return fail(x, CST_INTEGRATOR_BAD_ARGUMENT,
                "tolerance is %g; it must be above 0 and at most 0.01", o->tolerance);
  if (o->max_iterations < 1)
    return fail(x, CST_INTEGRATOR_BAD_ARGUMENT, "max_iterations is %d; it must be at least 1",
                o->max_iterations);
  x->isa = cst_isa_choose(&reason);
  if (x->isa < 0)
    return fail(x, CST_INTEGRATOR_BAD_ARGUMENT, "%s", reason);
  x->width = cst_isas[x->isa].width;
  x->system = o->system;
  x->flat = cst_system_flat(o->system);
  return CST_INTEGRATOR_OK;
}

static cst_integrator_code read_method(cst_integrator *x) {
  cst_expr_error error;
  char           why[400];
  x->method = cst_method_parse(x->options.method, x->options.layers, &error);
  if (!x->method)
    return fail(x, CST_INTEGRATOR_BAD_METHOD, "%s: at character %d: %s", x->options.method,
                error.offset + 1, error.message);
  if (!cst_method_fits(x->method, x->system, why, sizeof why))
    return fail(x, CST_INTEGRATOR_BAD_METHOD, "%s", why);
  return CST_INTEGRATOR_OK;
}

/* Makes kernels of a system that has none for this processor: compiled, with the cores of the method that it
 * lacks, where that is requested and possible, else interpreted. */
static void attach(const cst_integrator *x, cst_system *s, bool compile) {
  enum { MOST = 16 };
  const char   *cores[MOST + 1] = {NULL};
  const int     isa = x->isa;
  cst_code      code = {0};
  char          why[CST_WHY];
  cst_prepared *p;
  if (compile) {
    p = cst_method_prepare(x->method, x->system);
    if (p->stepped == s && !x->flat)
      cst_program_cores(p->program, cores, 0, MOST);
    cst_program_prepared_destroy(p);
  }
  if (compile && (!s->code->compiled[isa] || cst_compile_adds(s, isa, cores)) &&
      cst_compile(s, isa, cores, false, &code, why)) {
    const bool loaded = cst_load_code(s, &code, why);
    cst_compile_free(&code);
    if (loaded)
      return;
  }
  if (!s->code->kernel[isa][CST_K_V])
    cst_system_interpret(s);
}

static cst_integrator_code set_step(cst_integrator *x, double h) {
  if (!isfinite(h) || h == 0)
    return fail(x, CST_INTEGRATOR_BAD_ARGUMENT, "the step is %g; it must be finite and not 0", h);
  x->next = h;
  return CST_INTEGRATOR_OK;
}

cst_integrator_code cst_integrator_set_step(cst_integrator *x, double h) {
  USABLE(x);
  return set_step(x, h);
}

cst_integrator_code cst_integrator_create(const cst_integrator_options *options,
                                          cst_integrator              **integrator) {
  cst_integrator_code code;
  CST_REQUIRE(integrator, CST_INTEGRATOR_BAD_ARGUMENT);
  *integrator = NULL;
  CST_REQUIRE(options, CST_INTEGRATOR_BAD_ARGUMENT);
  cst_integrator *x = *integrator = calloc(1, sizeof *x);
  CST_REQUIRE(x /* no memory */, CST_INTEGRATOR_INTERNAL);
  x->options = *options;
  if ((code = check_options(x)) || (code = set_step(x, options->step)) || (code = read_method(x)))
    return code;
  x->options.method = NULL;
  x->options.layers = NULL;
  attach(x, x->system, x->options.compile);
  x->whole = true;
  return CST_INTEGRATOR_OK;
}

/* ---- the stepper ---- */

static void drop_stepper(cst_integrator *x) {
  (void)cst_batch_destroy(&x->batch);
  (void)cst_stepper_destroy(&x->stepper);
  cst_program_prepared_destroy(x->prepared);
  free(x->workspace);
  x->prepared = NULL;
  x->workspace = NULL;
  x->ready = false;
}

/* A system that the method steps instead of the given one is interpreted, unless compiling is requested. */
static void attach_stepped(cst_integrator *x) {
  char        why[400];
  cst_system *other =
      x->prepared->stepped == x->system ? NULL : cst_system_penalised(x->system, why, sizeof why);
  if (other && other == x->prepared->stepped)
    attach(x, other, x->options.compile);
}

static cst_error make_stepper(cst_integrator *x) {
  const cst_system         *s = x->system;
  const cst_stepper_options o = {x->isa,
                                 (int)((x->options.trajectories + x->width - 1) / x->width),
                                 x->options.max_iterations,
                                 x->options.compensated,
                                 CST_ITERATION_AUTO,
                                 true,
                                 false,
                                 x->next};
  x->prepared = cst_method_prepare(x->method, s);
  x->prepared->flat = x->flat;
  attach_stepped(x);
  CST_TRY(cst_stepper_create(x->prepared, &o, &x->stepper));
  CST_TRY(cst_batch_create(x->stepper, &x->batch));
  x->fold = cst_fold_for(s, x->isa, x->flat);
  x->workspace = numbers((size_t)x->width * (size_t)(s->nq + s->ng + 2 * s->nsym + 8));
  CST_CHECK(x->workspace, MPI_COMM_SELF, CST_ERR_MEM, "no memory for an integrator");
  x->ready = true;
  return 0;
}

/* ---- starts ---- */

static cst_integrator_code check_finite(cst_integrator *x, long k, const double *q,
                                        const double *v) {
  const cst_system *s = x->system;
  for (int i = 0; i < s->nq; i++)
    if (!isfinite(q[i]) || !isfinite(v[i]))
      return fail(x, CST_INTEGRATOR_BAD_START,
                  "trajectory %ld: %s is %g, its velocity %g; both must be finite", k,
                  s->description->coordinate[i], q[i], v[i]);
  for (int b = 0; b < s->model->nbodies; b++)
    if (cst_system_body_is_reflected(&s->model->bodies[b], q))
      return fail(x, CST_INTEGRATOR_BAD_START,
                  "trajectory %ld: the matrix of %s is a reflection, not a rotation", k,
                  s->model->bodies[b].name);
  return CST_INTEGRATOR_OK;
}

/* The parameters: finite, and with masses and bodies that are possible. */
static cst_integrator_code check_parameters(cst_integrator *x, long k, const double *c,
                                            const double *q) {
  const cst_system *s = x->system;
  char              why[300];
  for (int i = 0; i < s->npar; i++)
    if (!isfinite(c[i]))
      return fail(x, CST_INTEGRATOR_BAD_START,
                  "trajectory %ld: the parameter %s is %g; it must be finite", k,
                  s->parameter[i].name, c[i]);
  if (!cst_system_check_bodies(s, c, why, sizeof why) ||
      cst_mass_wrong(s, c, q, why, sizeof why) >= 0)
    return fail(x, CST_INTEGRATOR_BAD_START, "trajectory %ld: %s", k, why);
  const cst_body *flat = cst_system_flat_at(s, c);
  x->flat = flat ? flat : x->flat;
  return CST_INTEGRATOR_OK;
}

static cst_integrator_code check_start(cst_integrator *x, long k, const double *c, const double *q,
                                       const double *v) {
  cst_integrator_code code = check_finite(x, k, q, v);
  cst_worst           g, gv;
  if (!code)
    code = check_parameters(x, k, c, q);
  if (code || !x->system->ng)
    return code;
  cst_system_worst(x->system, c, q, v, &g, &gv);
  if (g.scaled <= consistent && gv.scaled <= consistent)
    return CST_INTEGRATOR_OK;
  return fail(
      x, CST_INTEGRATOR_BAD_START,
      "trajectory %ld is inconsistent: |g| = %.3g (%.3g of its scale), |G v| = %.3g (%.3g of its "
      "scale); at "
      "most 1e-10 of the scale is allowed; cst_system_project makes a start consistent",
      k, g.raw, g.scaled, gv.raw, gv.scaled);
}

/* Finds the redundant constraints, at the first start. */
static cst_integrator_code find_redundant(cst_integrator *x, const double *c, const double *q) {
  char why[400];
  if (x->redundancy_known || !x->system->ng)
    return CST_INTEGRATOR_OK;
  if (!x->system->model->dropped &&
      !cst_system_enforce_independent(x->system, c, q, why, sizeof why))
    return fail(x, CST_INTEGRATOR_BAD_START, "%s", why);
  x->redundancy_known = true;
  return CST_INTEGRATOR_OK;
}

static cst_integrator_code prepare(cst_integrator *x, const double *c, const double *q) {
  cst_integrator_code code = find_redundant(x, c, q);
  const bool          other = x->ready && x->flat && !x->prepared->flat;
  if (!code && x->ready && (other || !cst_stepper_takes(x->stepper, x->next)))
    drop_stepper(x);
  if (code || x->ready)
    return code;
  *x->message = 0;
  cst_error_push(keep, x);
  code = code_of(x, make_stepper(x));
  cst_error_pop();
  if (code)
    drop_stepper(x);
  return code;
}

/* The parameters of trajectory k: the given ones, or the defaults in standard[npar], which the first call
 * fills. */
static const double *parameters(const cst_integrator *x, const double *c, long k,
                                const double *standard) {
  return c ? c + k * x->system->npar : standard;
}

cst_integrator_code cst_integrator_start(cst_integrator *x, long n, const double *c,
                                         const double *q, const double *v) {
  double standard[CST_MAX_PAR] = {0};
  USABLE(x);
  const cst_system   *s = x->system;
  cst_integrator_code code = CST_INTEGRATOR_OK;
  if (n < 1 || n > x->options.trajectories || !q || !v)
    return fail(x, CST_INTEGRATOR_BAD_ARGUMENT,
                "cannot start %ld trajectories%s; allowed are 1 to %ld", n,
                q && v ? "" : " without q or v", x->options.trajectories);
  cst_system_defaults(s, NULL, standard);
  for (long k = 0; k < n && !code; k++)
    code = check_start(x, k, parameters(x, c, k, standard), q + k * s->nq, v + k * s->nq);
  if (code || (code = prepare(x, parameters(x, c, 0, standard), q)))
    return code;
  x->count = n;
  cst_stepper_set_step(x->stepper, x->next);
  cst_batch_reset(x->stepper, &x->batch, n);
  for (long k = 0; k < n; k++) {
    cst_batch_start(x->stepper, &x->batch, k, parameters(x, c, k, standard), q + k * s->nq,
                    v + k * s->nq, x->options.tolerance);
    cst_batch_address(x->stepper, &x->batch, k, x->options.seed, (uint64_t)k);
  }
  cst_batch_ready(x->stepper, &x->batch);
  return CST_INTEGRATOR_OK;
}

cst_integrator_code cst_integrator_start_momenta(cst_integrator *x, long n, const double *c,
                                                 const double *q, const double *p) {
  double standard[CST_MAX_PAR] = {0};
  USABLE(x);
  const cst_system *s = x->system;
  const bool        fits = n > 0 && n <= x->options.trajectories && q && p;
  for (long i = 0; fits && i < n * s->nq; i++)
    if (!isfinite(p[i]))
      return fail(x, CST_INTEGRATOR_BAD_START,
                  "trajectory %ld: momentum %ld is %g; it must be finite", i / s->nq, i % s->nq,
                  p[i]);
  double *v = fits ? malloc((size_t)n * (size_t)s->nq * sizeof *v) : NULL;
  bool    good = true;
  if (!v)
    return cst_integrator_start(x, n, c, q, NULL);
  cst_system_defaults(s, NULL, standard);
  for (long k = 0; k < n && good; k++)
    good = cst_system_velocity(s, parameters(x, c, k, standard), q + k * s->nq, p + k * s->nq,
                               v + k * s->nq);
  const cst_integrator_code code =
      good ? cst_integrator_start(x, n, c, q, v)
           : fail(x, CST_INTEGRATOR_BAD_START, "the mass matrix of %s is singular at a start",
                  s->name);
  free(v);
  return code;
}

cst_integrator_code cst_integrator_advance(cst_integrator *x, long n) {
  USABLE(x);
  if (!x->count)
    return fail(x, CST_INTEGRATOR_BAD_ARGUMENT, "no trajectory has been started");
  if (n < 0)
    return fail(x, CST_INTEGRATOR_BAD_ARGUMENT, "%ld steps; allowed are 0 and more", n);
  *x->message = 0;
  cst_error_push(keep, x);
  const cst_integrator_code code = code_of(x, cst_stepper_advance(x->stepper, &x->batch, n));
  cst_error_pop();
  return code;
}

void cst_integrator_destroy(cst_integrator *x) {
  if (!x)
    return;
  drop_stepper(x);
  cst_method_destroy(x->method);
  for (int i = 0; i < x->nobservable; i++)
    cst_tape_destroy(x->observable[i]);
  free(x->observable);
  free(x->needs_lambda);
  free(x->scratch);
  free(x);
}

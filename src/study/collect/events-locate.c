/* events-locate.c: locates an event within a step.
 *
 * The lane is copied and stepped again: theta in (0, 1] is found with s(Phi_(theta h)(x_n)) = 0, Phi being the
 * method itself, by Brent's method to 4 eps. The state there lies on the constraints and has the method's
 * order; theta = 1 is x_(n+1) bit for bit. A thermostat's step, and one that recalls earlier steps, cannot be
 * shortened: there, and where a shortened step fails, the cubic Hermite polynomial through (q, v) at both ends
 * takes the place of Phi, projected onto the constraints.
 *
 * Source: Brent, Algorithms for Minimization without Derivatives, 1973, chapter 4; Hairer, Norsett, Wanner,
 * Solving Ordinary Differential Equations I, 1993, II.6.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper/stepper.h"
#include "study/collect/events.h"

enum { SPAN = 16 }; /* steps after which another record is kept */

struct cst_locator {
  const cst_runner   *r;
  double             *base; /* [group] records, from which lanes are stepped again */
  size_t              bases;
  long               *based;              /* [group] their step */
  cst_scratch_lanes **scratch;            /* [nmethod]; NULL: not needed yet */
  double             *v, *lambda, *clock; /* [..][W] of the state */
  double             *record;             /* of a state on the cubic */
  size_t              room;
  double             *q0, *v0, *q1, *v1, *p, *c, *mean; /* of the ends of the step */
  /* the open step: */
  cst_scratch_lanes *now;
  long               step;
  bool               cubic, ends; /* ends: those of the cubic are there */
  double             theta;       /* the state; its record: */
  const double      *at;
};

cst_locator *cst_locator_create(const cst_runner *r) {
  cst_locator      *x = cst_need(calloc(1, sizeof *x));
  const cst_system *s = r->plan->study->problem.system;
  const size_t      W = (size_t)r->width, nq = (size_t)s->nq;
  x->r = r;
  x->scratch = cst_zeros(r->plan->study->methods.n, sizeof *x->scratch);
  x->based = cst_zeros((r->batch + r->width - 1) / r->width, sizeof *x->based);
  x->v = cst_aligned(nq * W);
  x->lambda = cst_aligned(((size_t)s->ng + 1) * W);
  x->clock = cst_aligned(W);
  x->q0 = cst_zeros(5 * s->nq + s->npar + 1, sizeof(double));
  x->v0 = x->q0 + nq;
  x->q1 = x->v0 + nq;
  x->v1 = x->q1 + nq;
  x->p = x->v1 + nq;
  x->c = x->p + nq;
  return x;
}

void cst_locator_destroy(cst_locator *x) {
  for (int i = 0; i < x->r->plan->study->methods.n; i++)
    (void)cst_scratch_destroy(&x->scratch[i]);
  free(x->scratch);
  free(x->base);
  free(x->based);
  free(x->v);
  free(x->lambda);
  free(x->clock);
  free(x->record);
  free(x->q0);
  free(x);
}

/* Whether the current method's own step can be shortened; else a cubic in time stands in its place. */
static bool shortens(const cst_locator *x) {
  return cst_scratch_shortens(x->r->plan->method[x->r->class->method]);
}

/* The scratch lane of the current method, created when it is first needed. */
static cst_error prepare(cst_locator *x) {
  const cst_plan           *p = x->r->plan;
  const cst_study          *s = p->study;
  const int                 m = x->r->class->method;
  const cst_stepper_options o = {
      p->isa, 1,     s->solver.max_iterations, s->steps.compensated, s->solver.iteration,
      false,  false, cst_clock_step(x->r)};
  if (x->scratch[m] && !cst_stepper_takes(cst_scratch_stepper(x->scratch[m]), o.step))
    CST_TRY(cst_scratch_destroy(&x->scratch[m]));
  if (!x->scratch[m])
    CST_TRY(cst_scratch_create(p->method[m], &o, s->steps.resolution, &x->scratch[m]));
  x->now = x->scratch[m];
  return 0;
}

/* The steps behind a record, which may be ahead of the state that is looked at. */
static long step_of(const cst_runner *r, int group) {
  const int lane = __builtin_ctz((unsigned)r->b->alive[group]);
  int64_t   step;
  memcpy(&step, cst_runner_record(r, group) + cst_stepper_layout(r->st)->step * r->width + lane,
         sizeof step);
  return (long)step;
}

/* The record of a group, from now on the one from which its lanes are stepped again. */
static void keep_base(const cst_locator *x, int group, long step) {
  const size_t n = cst_stepper_record_size(x->r->st);
  memcpy(x->base + (size_t)group * n, cst_runner_record(x->r, group), n * sizeof *x->base);
  x->based[group] = step;
}

void cst_locator_begin(cst_locator *x, long step) {
  const size_t need = (size_t)x->r->b->groups * cst_stepper_record_size(x->r->st);
  if (x->bases < need) {
    free(x->base);
    x->base = cst_aligned(need);
    x->bases = need;
  }
  for (int g = 0; g < x->r->b->groups; g++)
    keep_base(x, g, step);
}

void cst_locator_changed(cst_locator *x) {
  for (int g = 0; g < x->r->b->groups; g++)
    if (x->r->b->alive[g])
      keep_base(x, g, x->r->b->step);
}

void cst_locator_passed(cst_locator *x, int group, long step) {
  if (step - x->based[group] < SPAN || !x->r->b->alive[group])
    return;
  if (step_of(x->r, group) == step) /* nothing before this step is left of it */
    keep_base(x, group, step);
}

cst_error cst_locator_open(cst_locator *x, int group, int lane, long step) {
  const double *record = x->base + (size_t)group * cst_stepper_record_size(x->r->st);
  bool          good;
  CST_TRY(prepare(x));
  cst_scratch_copy(x->now, record, lane);
  CST_TRY(cst_scratch_advance(x->now, step, &good));
  CST_CHECK(good, MPI_COMM_SELF, CST_ERR_PLIB,
            "a trajectory fails before step %ld where it is stepped again", step);
  cst_scratch_keep(x->now);
  x->step = step;
  x->cubic = !shortens(x);
  x->ends = false;
  return 0;
}

const double *cst_locator_before(const cst_locator *x) { return cst_scratch_kept(x->now); }

static double time_at(const cst_locator *x, double theta) {
  return cst_clock_at(x->r, (double)x->step + theta);
}

/* ---- the cubic ------------------------------------------------------------------------------- */

/* q and v of the first lane of a record. */
static void read_state(cst_locator *x, const double *record, double *q, double *v) {
  const cst_stepper *st = cst_scratch_stepper(x->now);
  const cst_layout  *at = cst_stepper_layout(st);
  const int          W = x->r->width, nq = x->r->plan->study->problem.system->nq;
  x->r->fold->velocities(cst_stepper_context(st), record, x->v);
  for (int i = 0; i < nq; i++) {
    q[i] = record[(at->q + i) * W];
    v[i] = x->v[i * W];
  }
}

/* Steps to the end of the step, and reads the ends of the cubic. */
static cst_error read_ends(cst_locator *x) {
  const size_t n = cst_stepper_record_size(cst_scratch_stepper(x->now));
  bool         good;
  if (x->ends)
    return 0;
  CST_TRY(cst_scratch_from_kept(x->now, 1, false, &good));
  CST_CHECK(good, MPI_COMM_SELF, CST_ERR_PLIB,
            "a trajectory fails in step %ld where it is stepped again", x->step + 1);
  read_state(x, cst_scratch_kept(x->now), x->q0, x->v0);
  read_state(x, cst_scratch_record(x->now), x->q1, x->v1);
  if (x->room < n) {
    free(x->record);
    x->record = cst_aligned(n);
    x->room = n;
  }
  x->ends = true;
  return 0;
}

/* q and v of the cubic, projected onto the constraints; the parameters are in x->c. */
static void interpolate(const cst_locator *x, double theta, double *q, double *v) {
  const cst_system *s = x->r->plan->study->problem.system;
  const double      h = cst_clock_step(x->r), a = theta, b = 1 - theta;
  for (int i = 0; i < s->nq; i++) {
    const double d = x->q1[i] - x->q0[i];
    q[i] = x->q0[i] + a * a * (3 - 2 * a) * d + h * a * b * (b * x->v0[i] - a * x->v1[i]);
    v[i] = 6 * a * b * d / h + b * (1 - 3 * a) * x->v0[i] + a * (1 - 3 * b) * x->v1[i];
  }
  if (s->ng)
    (void)cst_system_project(s, x->c, q, v);
}

static void put(double *record, int W, int at, double y) {
  for (int l = 0; l < W; l++)
    record[at * W + l] = y;
}

/* The record of the state on the cubic. */
static void make_record(cst_locator *x, double theta) {
  const cst_system  *s = x->r->plan->study->problem.system;
  const cst_stepper *st = cst_scratch_stepper(x->now);
  const cst_layout  *at = cst_stepper_layout(st);
  const int          W = x->r->width;
  double             q[s->nq + 1], v[s->nq + 1];
  memcpy(x->record, cst_scratch_record(x->now), cst_stepper_record_size(st) * sizeof *x->record);
  if (cst_has(s, CST_TIMED))
    put(x->record, W, at->c + s->model->account - 1, time_at(x, theta));
  for (int k = 0; k < s->npar; k++)
    x->c[k] = x->record[(at->c + k) * W];
  interpolate(x, theta, q, v);
  cst_system_momentum(s, x->c, q, v, x->p);
  if (cst_stepper_context(st)->tangential)
    cst_system_tangential(s, x->c, q, x->p);
  for (int i = 0; i < s->nq; i++) {
    put(x->record, W, at->q + i, q[i]);
    put(x->record, W, at->p + i, x->p[i]);
  }
  x->at = x->record;
}

/* ---- states within the step ------------------------------------------------------------------ */

/* Goes to theta; a step that fails is replaced by the cubic. */
static cst_error go(cst_locator *x, double theta) {
  bool good;
  x->theta = theta;
  if (!x->cubic || theta == 1) {
    CST_TRY(cst_scratch_from_kept(x->now, theta, theta < 1, &good));
    x->at = cst_scratch_record(x->now);
    x->cubic |= !good;
    x->ends &= theta == 1;
  }
  if (x->cubic && theta < 1) {
    CST_TRY(read_ends(x));
    make_record(x, theta);
  }
  return 0;
}

static const double *evaluate(cst_locator *x, const cst_values *of) {
  const cst_stepper *st = cst_scratch_stepper(x->now);
  const cst_view     view = {.context = cst_stepper_context(st),
                             .record = x->at,
                             .v = x->v,
                             .lambda = x->lambda,
                             .time = x->clock,
                             .isa = x->r->plan->isa};
  for (int l = 0; l < x->r->width; l++)
    x->clock[l] = time_at(x, x->theta);
  x->r->fold->velocities(view.context, x->at, x->v);
  if (of->lambda)
    cst_runner_state_lambda(x->r, st, x->at, x->lambda);
  cst_values_look(of, &view);
  return of->value;
}

cst_error cst_locator_go(cst_locator *x, double at) {
  const double theta = (at - time_at(x, 0)) / cst_clock_step(x->r);
  const bool   at_end = fabs(theta - 1) <= 4 * DBL_EPSILON * (double)(x->step + 1);
  CST_TRY(go(x, at_end ? 1 : fmin(1, fmax(DBL_EPSILON, theta))));
  return 0;
}

void cst_locator_take(cst_locator *x, const cst_values *take, double *value) {
  if (!take->n)
    return;
  const double *from = evaluate(x, take);
  for (int k = 0; k < take->n; k++)
    value[k] = from[k * x->r->width];
}

/* ---- Brent's method -------------------------------------------------------------------------- */

/* b: the best root so far, a: the one before, c: on the other side of the root. */
typedef struct {
  double a, b, c, fa, fb, fc, d, e;
} bracket;

/* The next step from b: by interpolation where that falls well inside the bracket, else to its middle. */
static double next_step(bracket *k, double tolerance) {
  const double middle = (k->c - k->b) / 2, s = k->fb / k->fa;
  double       p, q;
  if (fabs(k->e) < tolerance || fabs(k->fa) <= fabs(k->fb)) {
    k->d = k->e = middle;
    return middle;
  }
  if (k->a == k->c) {
    p = 2 * middle * s;
    q = 1 - s;
  } else {
    const double t = k->fa / k->fc, u = k->fb / k->fc;
    p = s * (2 * middle * t * (t - u) - (k->b - k->a) * (u - 1));
    q = (t - 1) * (u - 1) * (s - 1);
  }
  q = p > 0 ? -q : q;
  p = fabs(p);
  if (2 * p < fmin(3 * middle * q - fabs(tolerance * q), fabs(k->e * q))) {
    k->e = k->d;
    k->d = p / q;
  } else
    k->d = k->e = middle;
  return k->d;
}

/* Keeps the root between b and c, b with the smaller value. */
static void arrange(bracket *k) {
  if ((k->fb > 0) == (k->fc > 0)) {
    k->c = k->a;
    k->fc = k->fa;
    k->d = k->e = k->b - k->a;
  }
  if (fabs(k->fc) < fabs(k->fb)) {
    k->a = k->b;
    k->b = k->c;
    k->c = k->a;
    k->fa = k->fb;
    k->fb = k->fc;
    k->fc = k->fa;
  }
}

cst_error cst_locator_find(cst_locator *x, const cst_values *when, double before, double after,
                           double *time, bool *jumps) {
  static const double near = 4 * DBL_EPSILON, shrunk = 1e-3;
  enum { MOST = 100 };
  const double size = fmax(fabs(before), fabs(after));
  double       least[2] = {INFINITY, INFINITY}; /* of |s| below 0, and above */
  bracket      k = {.a = 0, .b = 1, .c = 1, .fa = before, .fb = after, .fc = after};
  double       seen = -1;
  least[before > 0] = fabs(before);
  least[before < 0] = fabs(after);
  for (int i = 0; i < MOST && k.fb != 0; i++) {
    arrange(&k);
    if (k.fb == 0 || fabs(k.c - k.b) <= near)
      break;
    const double tolerance = near / 2, d = next_step(&k, tolerance);
    k.a = k.b;
    k.fa = k.fb;
    k.b += fabs(d) > tolerance ? d : copysign(tolerance, (k.c - k.b));
    CST_TRY(go(x, seen = k.b));
    k.fb = evaluate(x, when)[0];
    least[k.fb > 0] = fmin(fabs(k.fb), least[k.fb > 0]);
  }
  *jumps = k.fb != 0 && !(fmax(least[0], least[1]) <= shrunk * size);
  if (!(k.b > 0))
    k.b = near;
  if (k.b != seen)
    CST_TRY(go(x, k.b));
  *time = time_at(x, k.b);
  return 0;
}

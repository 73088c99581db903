/* relax.c: the key `relax` of `initial`, and the relaxation of a start before the run (relax.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/file/relax.h"
#include <math.h>
#include <string.h>
#include "core/need.h"
#include "method/method.h"
#include "method/stepper/stepper.h"
#include "study/file/reader.h"

/* ---- the key --------------------------------------------------------------------------------- */

static cst_method *method(cst_reader *r, cst_yaml *n) {
  cst_expr_error error;
  char           why[400];
  const char    *text = cst_reader_text(r, n, "method", "a method such as rattle");
  cst_method    *m = text ? cst_method_parse(text, r->s->problem.layers, &error) : NULL;
  if (text && !m)
    cst_yaml_error_at(r->doc, n, error.offset, r->d, "%s", error.message);
  if (!m)
    return NULL;
  const bool noise = cst_method_has_noise(m);
  if (!noise &&
      (!r->s->problem.system ||
       cst_method_fits_flat(m, r->s->problem.system, r->s->problem.flat, why, sizeof why)))
    return m;
  if (noise)
    snprintf(why, sizeof why, "'%.200s' has noise; 'relax' needs a method without noise",
             cst_method_label(m));
  cst_yaml_error(r->doc, n, r->d, "%s", why);
  cst_method_destroy(m);
  return NULL;
}

void cst_file_relax(cst_reader *r, cst_yaml *n) {
  cst_study *s = r->s;
  if (!n || !cst_reader_section(r, n, "relax", "initial.relax", CST_KEYS_ALL, s))
    return;
  if (s->problem.system && cst_has(s->problem.system, CST_DRIVEN))
    cst_yaml_error(
        r->doc, n, r->d,
        "'relax' brings a start to rest, and the constraint '%s' of %s depends on t: "
        "what is at rest on it at a later time is not at the start",
        s->problem.system->description->family[s->problem.system->model->driven_name[0]].name,
        s->problem.system->name);
  s->starts.relax.method = method(r, cst_reader_required(r, n, "relax", "method"));
  s->starts.state = -1; /* no exact motion is known from the relaxed state */
  if (!s->starts.relax.step || !s->starts.relax.end)
    return;
  const double steps = round(s->starts.relax.end / s->starts.relax.step);
  const bool   whole =
      fabs(steps * s->starts.relax.step - s->starts.relax.end) <= 1e-9 * s->starts.relax.end;
  if (steps < 1 || steps > 1e9 || !whole)
    cst_yaml_error(r->doc, cst_yaml_get(n, "end"), r->d,
                   "'end' is %s; it must be a whole number of steps of %s, from 1 to 1e9",
                   cst_reader_shortest(s->starts.relax.end),
                   cst_reader_shortest(s->starts.relax.step));
}

/* ---- the relaxation -------------------------------------------------------------------------- */

static const double consistent = 1e-10; /* tolerance on scaled constraints, as for a given start */

typedef struct {
  const cst_study *s;
  cst_stepper     *st;
  cst_batch        b;
  const double    *c;
  double          *q, *v, *p; /* [nq] of the lane; its next start */
} quench;

/* Starts the lane at rest at q. */
static void start(quench *x) {
  memset(x->v, 0, sizeof *x->v * (size_t)x->s->problem.system->nq);
  cst_batch_reset(x->st, &x->b, 1);
  cst_batch_start(x->st, &x->b, 0, x->c, x->q, x->v, x->s->solver.tolerance[0]);
  cst_batch_ready(x->st, &x->b);
}

/* Reads q, p and v from the lane; returns twice the kinetic energy. */
static double read_state(quench *x) {
  const cst_system *s = x->s->problem.system;
  const cst_layout *at = cst_stepper_layout(x->st);
  const int         width = cst_stepper_width(x->st);
  const double     *column = cst_batch_lane(x->st, &x->b, 0);
  double            sum = 0;
  for (int i = 0; i < s->nq; i++) {
    x->q[i] = column[(at->q + i) * width];
    x->p[i] = column[(at->p + i) * width];
  }
  cst_system_velocity(s, x->c, x->q, x->p, x->v);
  for (int i = 0; i < s->nq; i++)
    sum += x->v[i] * x->p[i];
  return sum;
}

static cst_error run(quench *x, int variant) {
  const long steps = lround(x->s->starts.relax.end / x->s->starts.relax.step);
  double     before = 0;
  start(x);
  for (long k = 0; k < steps; k++) {
    CST_TRY(cst_stepper_advance(x->st, &x->b, 1));
    CST_CHECK(x->b.status[0].reason == CST_DONE, cst_world, CST_ERR_CONV_FAILED,
              "the start could not be relaxed with %s: step %ld of parameter set %d failed; try a "
              "smaller step",
              cst_method_label(x->s->starts.relax.method), k + 1, variant);
    const double now = read_state(x);
    if (now < before)
      start(x);
    before = now < before ? 0 : now;
  }
  return 0;
}

/* Projects the start back if the method, which may replace constraints by springs, has left them. */
static cst_error return_to_constraints(quench *x) {
  const cst_system *s = x->s->problem.system;
  double            g, g_scaled, gv, gv_scaled;
  memset(x->v, 0, sizeof *x->v * (size_t)s->nq);
  if (!s->ng)
    return 0;
  cst_system_residuals(s, x->c, x->q, x->v, &g, &g_scaled, &gv, &gv_scaled);
  CST_CHECK(g_scaled <= consistent || cst_system_project(s, x->c, x->q, x->v), cst_world,
            CST_ERR_CONV_FAILED, "the start relaxed with %s is too far from the constraints",
            cst_method_label(x->s->starts.relax.method));
  return 0;
}

bool cst_study_relaxes_on(const cst_study *s, int isa) {
  if (!s->starts.relax.method)
    return true;
  cst_prepared *method = cst_method_prepare(s->starts.relax.method, s->problem.system);
  const bool    built = cst_program_is_built(method->program, isa);
  cst_program_prepared_destroy(method);
  return built;
}

cst_error cst_relax_start(cst_study *s, int isa) {
  const cst_stepper_options o = {
      isa, 1, s->solver.max_iterations, false, CST_ITERATION_AUTO, false, false, 0};
  const size_t nq = s->problem.system ? (size_t)s->problem.system->nq : 0;
  quench       x = {.s = s};
  if (!s->starts.relax.method)
    return 0;
  x.p = cst_zeros(nq, sizeof *x.p);
  cst_prepared *method = cst_method_prepare(s->starts.relax.method, s->problem.system);
  method->flat = s->problem.flat;
  CST_TRY(cst_stepper_create(method, &o, &x.st));
  CST_TRY(cst_batch_create(x.st, &x.b));
  cst_stepper_set_step(x.st, s->starts.relax.step);
  for (int k = 0; k < s->problem.nvariant; k++) {
    x.c = s->problem.parameter + (size_t)k * (size_t)s->problem.system->npar;
    x.q = s->starts.q + (size_t)k * nq;
    x.v = s->starts.v + (size_t)k * nq;
    CST_TRY(run(&x, k));
    CST_TRY(return_to_constraints(&x));
  }
  CST_TRY(cst_batch_destroy(&x.b));
  CST_TRY(cst_stepper_destroy(&x.st));
  cst_program_prepared_destroy(method);
  free(x.p);
  cst_method_destroy(s->starts.relax.method);
  s->starts.relax.method = NULL; /* done */
  return 0;
}

/* test-representative.c: the representative of p: if a method carries the tangential part of M v + a, starts
 * have G p = 0, and velocities, energy, momentum maps, constraints and multipliers are the same as from M v +
 * a itself. Tested on every system with the context's flag set by hand, over every instruction set, with the
 * compiled forms of a system and with the generic one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"
#include "observe/observe.h"

enum { LANES = 3, VALUES = 6 + CST_MAX_SYM };
static const double ROUNDOFF = 1e-14;

/* The quantities of the first group. */
typedef struct {
  _Alignas(64) double v[CST_MAX_Q * CST_W_MAX], lambda[CST_MAX_G * CST_W_MAX],
      value[VALUES * CST_W_MAX], scale[VALUES * CST_W_MAX];
} reading;

static void read_off(const run *r, int isa, int tangential, reading *x) {
  static _Alignas(64) double q0[CST_MAX_Q * CST_W_MAX], kept[CST_W_MAX];
  cst_context                c = *cst_stepper_context(r->st);
  const bool                 flat = r->prepared->flat;
  const cst_fold            *fold = cst_fold_for(r->x->s, isa, flat);
  memset(x, 0, sizeof *x);
  c.tangential = tangential;
  c.flat = flat;
  fold->velocities(&c, r->b.record, x->v);
  fold->multipliers(&c, r->b.record, x->lambda);
  for (int k = 0, at = 0; k < cst_observer_count; k++) {
    const cst_observer   *row = cst_observers[k];
    const cst_observation look = {.row = row, .system = r->x->s, .wanted = true};
    const cst_view        view = {.context = &c,
                                  .record = r->b.record,
                                  .q0 = q0,
                                  .v = x->v,
                                  .isa = isa,
                                  .keep = CST_KEEP_NOT};
    memset(kept, 0, sizeof kept);
    if (row->expression || row->state || row->kept.q || row->kept.g ||
        (row->refuse && row->refuse(r->x->s)))
      continue;
    cst_fold_measure(fold, row)(&look, &view, kept, x->value + at, x->scale + at);
    at += (row->count ? row->count(r->x->s) : 1) * cst_isas[isa].width;
  }
}

/* The number of lanes of the first group. */
static int lanes_of(int isa) { return cst_isas[isa].width < LANES ? cst_isas[isa].width : LANES; }

/* The largest |x - y| of n numbers per lane, relative to the largest |y| but at least 1. */
static double off(const double *x, const double *y, int n, int isa) {
  double most = 0, size = 1;
  for (int l = 0; l < lanes_of(isa); l++)
    for (int i = 0; i < n; i++) {
      const int k = i * cst_isas[isa].width + l;
      most = larger(most, fabs(x[k] - y[k]));
      size = larger(size, fabs(y[k]));
    }
  return most / size;
}

/* Energy and momenta, each relative to its scale. */
static double off_conserved(const reading *x, const reading *y, int nsym, int isa) {
  double most = 0;
  for (int k = 0; k < (1 + nsym) * cst_isas[isa].width; k++)
    if (k % cst_isas[isa].width < lanes_of(isa))
      most = larger(most, fabs(x->value[k] - y->value[k]) / fmax(y->scale[k], 1e-3));
  return most;
}

/* Starts a kinetic and a tangential run from the same data. Returns the distance of their momenta; *normal is
 * the largest scaled G p of the tangential ones. */
static double start_both(run *kinetic, run *tangential, double *normal) {
  const cst_system *s = kinetic->x->s;
  double            q[CST_MAX_Q], p[CST_MAX_Q], t[CST_MAX_Q], g, most = 0;
  ((cst_context *)cst_stepper_context(tangential->st))->tangential = 1;
  run_start(kinetic, LANES);
  run_start(tangential, LANES);
  *normal = 0;
  for (int l = 0; l < LANES; l++) {
    run_carried(kinetic, l, q, p);
    run_carried(tangential, l, q, t);
    cst_system_residuals(s, kinetic->x->c, q, t, NULL, NULL, NULL, &g);
    *normal = larger(*normal, g);
    most = larger(most, apart(p, t, s->nq));
  }
  return most;
}

/* The distance of the kinetic and tangential momenta of the starts. */
static double test_readings(const problem *x, const char *form, int isa) {
  static reading    a, b, wrong;
  const cst_system *s = x->s;
  run               kinetic, tangential;
  double            normal;
  const char *const on = cst_isas[isa].name;
  run_open_on(&kinetic, x, "rattle", isa, LANES, 1e-14);
  run_open_on(&tangential, x, "rattle", isa, LANES, 1e-14);
  const double differ = start_both(&kinetic, &tangential, &normal);
  OK(normal < 1e-15, "%s: starts have G p = 0 (%.1e)", s->name, normal);
  read_off(&kinetic, isa, 0, &a);
  read_off(&tangential, isa, 1, &b);
  OK(off(b.v, a.v, s->nq, isa) < ROUNDOFF, "%s, %s, %s: the same velocities (%.1e)", s->name, form,
     on, off(b.v, a.v, s->nq, isa));
  OK(off_conserved(&b, &a, s->nsym, isa) < ROUNDOFF,
     "%s, %s, %s: the same energy and momentum maps (%.1e)", s->name, form, on,
     off_conserved(&b, &a, s->nsym, isa));
  OK(off(b.lambda, a.lambda, s->ng, isa) < 10 * ROUNDOFF, "%s, %s, %s: the same multipliers (%.1e)",
     s->name, form, on, off(b.lambda, a.lambda, s->ng, isa));
  if (s->ng)
    OK(b.value[(4 + s->nsym) * cst_isas[isa].width] < ROUNDOFF, "%s, %s, %s: and G v = 0", s->name,
       form, on);
  read_off(&tangential, isa, 0, &wrong);
  if (differ > 1e-6)
    OK(off(wrong.v, a.v, s->nq, isa) > 1e-8, "%s, %s, %s: taken for M v + a it gives others",
       s->name, form, on);
  run_close(&kinetic);
  run_close(&tangential);
  return differ;
}

/* Bodies treated as flat, for which nothing is divided by masses of rotations, give the same quantities. */
static void test_flat_readings(const problem *x, int isa) {
  static reading    a, b;
  const cst_system *s = x->s;
  run               r;
  const char *const on = cst_isas[isa].name;
  run_open_on(&r, x, "rattle", isa, LANES, 1e-14);
  run_start(&r, LANES);
  read_off(&r, isa, 0, &a);
  r.prepared->flat = true;
  read_off(&r, isa, 0, &b);
  OK(off(b.v, a.v, s->nq, isa) < ROUNDOFF && off_conserved(&b, &a, s->nsym, isa) < ROUNDOFF,
     "%s, %s: as a flat body the same velocities, energy and momentum maps (%.1e)", s->name, on,
     off(b.v, a.v, s->nq, isa));
  OK(off(b.lambda, a.lambda, s->ng, isa) < 10 * ROUNDOFF, "%s, %s: and the same multipliers (%.1e)",
     s->name, on, off(b.lambda, a.lambda, s->ng, isa));
  run_close(&r);
}

/* A body with a full inertia and coordinates with a full mass. */
static const char full[] =
    "system: full\ncoordinates: [a, b]\nparameters: {m: 1}\nmass: [[2, m], [m, 3]]\n"
    "bodies: {top: {rotation: R, centre: [x, y, z], mass: m, inertia: [[1, 0.1, 0], "
    "[0.1, 1.1, 0.2], [0, 0.2, 0.9]]}}\n"
    "potential: a^2 + b^2/2 + z + R33\nconstraints: {pin: x - a - R13}\n"
    "states: {default: {q: [0.1, 0.2], v: [0.3, 1], bodies: {top: {omega: [0, 0, 1], "
    "centre: [0.1, 1, 0], velocity: [0.3, 0, 0]}}}}\n";

/* A system of the catalogue without its compiled code. */
static cst_system *plain(const char *name) {
  const char *text = strcmp(name, "full") ? cst_catalogue_text(name) : full;
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read(name, text, strlen(text), NULL, 0, d);
  if (!s) {
    fprintf(stderr, "no system %s\n", name);
    abort();
  }
  cst_diag_destroy(d);
  cst_system_interpret(s);
  return s;
}

static void tests(void) {
  int differing = 0;
  for (int k = 0; k < cst_catalogue_size(); k++) {
    problem *x = problem_open(cst_catalogue_name(k)), y;
    double   differ = 0;
    problem_of(&y, plain(x->s->name));
    for (int isa = 0; isa < cst_isa_count; isa++)
      if (fits(x, "rattle") && runs_on(x, "rattle", isa)) {
        differ = test_readings(x, "as built", isa);
        test_readings(&y, "generic", isa);
      }
    for (int isa = 0; isa < cst_isa_count && y.s->model->nbodies && fits(x, "rattle"); isa++)
      if (runs_on(&y, "rattle", isa))
        test_flat_readings(&y, isa);
    if (!x->s->ng)
      OK(differ == 0, "%s: without constraints p is M v + a", x->s->name);
    if (differ > 1e-6)
      NOTE("%s: M v + a and its tangential part are %.2g apart", x->s->name, differ);
    differing += differ > 1e-6;
    cst_system_destroy(y.s);
    problem_close(x);
  }
  problem y;
  problem_of(&y, plain("full"));
  for (int isa = 0; isa < cst_isa_count; isa++)
    if (runs_on(&y, "rattle", isa))
      test_flat_readings(&y, isa);
  cst_system_destroy(y.s);
  OK(differing >= 5, "on %d systems M v + a is not tangential", differing);
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

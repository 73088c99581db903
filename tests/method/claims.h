/* claims.h: what the tests of methods share: every method of the registry and a list of composites, every
 * system of the catalogue, and trajectories.
 *
 * A test takes the claims of a method on a system from cst_method_properties and checks them with each_pair:
 * in `make test` on the pairs that cover.h chooses, in `make test-all` on all. A family is a set of methods
 * with the same kinds of substeps, alone or composed. A kind is a set of systems with the same nature_of:
 * constraints, general, full and gyroscopic masses, bands, redundancy, linear V, symmetries, velocity
 * constraints, time. PETSc options are passed through: run a test with -snes_type newtonls to check the same
 * claims with PETSc's own solver types.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLAIMS_H
#define CLAIMS_H
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "method/method.h"
#include "method/stepper/stepper.h"
#include "solve/petsc.h"
#include "solve/solver.h"
#include "cover.h"
#include "tap.h"

#define MUST(call)                                                                                 \
  do {                                                                                             \
    if (call)                                                                                      \
      fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #call), abort();                   \
  } while (0)

#define UNUSED __attribute__((unused))

/* Methods in addition to the examples of the registry. */
static const char *const composites[] UNUSED = {
    "compose(rattle, suzuki4)",
    "compose(rattle, yoshida6)",
    "compose(rattle, kahan-li6)",
    "compose(rattle, kahan-li8)",
    "compose(midpoint, yoshida4)",
    "compose(euler-a, yoshida4)",
    "compose(euler-a, euler-b)",
    "compose(rattle, midpoint)",
    "rattle(form=null-space)",
    "compose(midpoint(form=null-space), yoshida4)",
    "compose(discretization(theta=0.7), yoshida4)",
    "lie-euler-a(retraction=exp)",
    "lie-rattle(retraction=exp)",
    "adjoint(lie-euler-b)",
    "compose(lie-rattle, yoshida4)",
    "compose(lie-rattle(retraction=exp), yoshida6)",
    "compose(lie-euler-a, suzuki4)",
    "compose(lie-rattle, rattle)",
    "compose(midpoint, rattle, midpoint)",
    "compose(rattle, shake)",
    "compose(shake, rattle)",
    "compose(rattle, [0.25, 0.5, 0.25])",
    "compose(euler-b, [1.3512071919596578, -1.7024143839193155, 1.3512071919596578])",
    "compose(compose(rattle, yoshida4), midpoint)",
    "compose(heun, suzuki4)",
    "compose(gauss(1), yoshida6)",
    "adjoint(euler-b)",
    "adjoint(heun)",
    "adjoint(compose(euler-a, midpoint))",
    "gauss(1)",
    "gauss(3)",
    "project(heun)",
    "project(gauss(2))",
    "project(taylor(3))",
    "compose(taylor(2), heun)",
    "project(compose(heun, rk3))",
    "project(adjoint(heun))",
    "compose(gauss(1), suzuki4)",
    "{a: [[5/12, -1/12], [3/4, 1/4]], b: [3/4, 1/4], c: [1/3, 1]}",
    "convert(euler)",
    "convert(euler, bias=-0.5)",
    "convert(heun, bias=-0.3)",
    "convert(rk3, bias=-0.5)",
    "convert(rk4, bias=-1)",
    "convert(taylor(3), bias=-0.3)",
    "convert(rk6, bias=-0.5)",
    "convert(gauss(2), bias=-0.3)",
    "convert(minus=adjoint(heun), plus=heun, bias=-0.5)",
    "compose(convert(euler, bias=-0.5), yoshida4)",
    "compose(convert(heun, bias=-0.3), suzuki4)",
    "adjoint(convert(heun, bias=-0.3))",
    "compose(convert(rk4), rattle)",
    "lagrange-dalembert(taylor-curve(2), bias=-0.5)",
    "lagrange-dalembert(rk3, bias=-0.5, state=w)",
    "discrete-lagrange-dalembert(leapfrog)",
    "hbvm(k=1, s=1)",
    "hbvm(k=3, s=3)",
    "compose(hbvm(k=4, s=2), suzuki4)",
    "compose(rattle, hbvm(k=2, s=1))",
    "compose(hbvm(k=2, s=2), hbvm(k=2, s=2), hbvm(k=2, s=2))",
    "compose(shake, hbvm(k=2, s=1))",
    "compose(hbvm(k=2, s=1), yoshida4)",
    "zhang-skeel(beta=0.4, form=simplified)",
    "zhang-skeel(beta=0.4, quadrature=left)",
    "zhang-skeel(beta=0.4, form=simplified, quadrature=right)",
    "compose(zhang-skeel(beta=0.25, quadrature=left), yoshida4)",
    "compose(zhang-skeel(beta=0.25), suzuki4)",
    "compose(zhang-skeel(beta=0.4, form=simplified), yoshida4)",
    "newmark(beta=0.4, gamma=0.6)",
    "newmark(beta=0)",
    "newmark(beta=0.4, iterations=1, start=a)",
    "newmark(beta=0.4, iterations=1, start=q)",
    "adjoint(newmark(beta=0.4, gamma=0.6))",
    "compose(newmark, suzuki4)",
    "compose(pushforward-newmark(beta=0.3), suzuki4)",
    "compose(newmark, rattle)",
    "compose(pushforward-newmark(beta=0.3), zhang-skeel(beta=0.4))",
    "penalty(rattle, omega=0.1)",
    "penalty(compose(zhang-skeel(beta=0.25), suzuki4), omega=0.2)",
    "penalty(newmark(beta=0.4), omega=0.2, average=0.1)",
    "langevin(compose(rattle, yoshida4), friction=0.5, inverse-temperature=2)",
    "langevin(lie-rattle, coefficient=0.5, inverse-temperature=2)",
    "langevin(convert(heun), friction=0.5, inverse-temperature=2)",
    "langevin(penalty(newmark, omega=0.2), friction=0.5, inverse-temperature=2)",
    "penalty(langevin(zhang-skeel(beta=0.4), friction=0.5, inverse-temperature=2), omega=0.2)",
    "baoab(friction=0.5, inverse-temperature=2, drifts=3)",
    "baoab(friction=0, inverse-temperature=2)",
    "baoab(friction=0, inverse-temperature=2, drifts=2)",
    "radau(1)",
    "radau(2, form=index-3)",
    "radau(2, form=index-2)",
    "radau(4, form=index-1)",
    "generalized-alpha(rho=0.9, form=ggl)",
    "hht(alpha=0.1, form=ggl)",
    "bdf(4)",
    "semi-implicit-euler(erp=0)",
    "semi-implicit-euler(erp=0, post=1)",
    "ends(suzuki4)",
    "discretization(map={left: q - v/4, right: q + 3*v/4 + (1 + q)*v^2/8})",
    "discretization(map={left: q - v/2 + q*v^2/8, right: q + v/2 + q*v^2/8})",
    "adjoint(discretization(map={left: q - v^2/9, right: q + v + sin(q)*v^2/7}))",
    "compose(lie-discretization(theta=0.3), yoshida4)",
    "convert(rk3, bias=-0.5, iota=mass)",
    "convert(project(heun), bias=-0.3)",
    "lagrange-dalembert(heun, bias=-0.3, state=w)",
    "discretization(retraction={point: q + v + q*v^2/8}, theta=0.3)",
    "discretization(map={left: q - v/4, right: q + 3*v/4 + (1 + q)*v^2/8}, form=null-space)",
    "lie-rattle(retraction={tangent: 1/2 + s/5})",
};

UNUSED static int expression_count(void) {
  return cst_method_count() + (int)(sizeof composites / sizeof *composites);
}
UNUSED static const char *expression_at(int i) {
  return i < cst_method_count() ? cst_method_info_at(i)->example
                                : composites[i - cst_method_count()];
}

UNUSED static cst_method *method_of(const char *text) {
  cst_expr_error e;
  cst_method    *m = cst_method_parse(text, NULL, &e);
  if (!m) {
    fprintf(stderr, "%s: %s\n", text, e.message);
    abort();
  }
  return m;
}

/* The speed of systems for which it is not of order one; the steps and times of the tests are multiplied by
 * pace. delta: a distance over which the system's functions are smooth enough for differences of order six.
 */
static const struct {
  const char *name;
  double      pace, delta;
} paces[] UNUSED = {{"four-bar", 0.2, 1e-3},
                    {"slider-crank", 0.3, 1e-3},
                    {"kepler", 0.3, 3e-4},
                    {"double-pendulum-angles", 0.5, 1e-3},
                    {"damped-double-pendulum", 0.5, 1e-3},
                    {"pendulum-chain", 1.6, 1e-3},
                    {"dna-chain", 2, 3e-3},
                    {"tethered-satellites", 2.6, 3e-3}};
UNUSED static double pace_of(const char *system) {
  for (size_t i = 0; i < sizeof paces / sizeof *paces; i++)
    if (!strcmp(paces[i].name, system))
      return paces[i].pace;
  return 1;
}
UNUSED static double delta_of(const char *system) {
  for (size_t i = 0; i < sizeof paces / sizeof *paces; i++)
    if (!strcmp(paces[i].name, system))
      return paces[i].delta;
  return 3e-3;
}

/* A system with its default parameters and one of its starts. */
typedef struct {
  cst_system *s;
  double      c[CST_MAX_PAR], q[CST_MAX_Q], v[CST_MAX_Q];
} problem;

UNUSED static void problem_of(problem *x, cst_system *s) {
  x->s = s;
  for (int i = 0; i < s->npar; i++)
    x->c[i] = s->parameter[i].value;
  cst_system_state(s, 0, x->c, x->q, x->v);
}
UNUSED static problem *problem_open(const char *name) {
  problem    *x = calloc(1, sizeof *x);
  cst_system *s = cst_catalogue_create(name);
  if (!x || !s) {
    fprintf(stderr, "no system %s\n", name);
    abort();
  }
  problem_of(x, s);
  return x;
}
UNUSED static void problem_close(problem *x) {
  cst_system_destroy(x->s);
  free(x);
}

/* The system that a text describes, interpreted, with its default start; cst_system_destroy(x.s). */
UNUSED static problem described(const char *text) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("described.yaml", text, strlen(text), NULL, 0, d);
  problem     x;
  if (!s) {
    cst_diag_print(d, stderr);
    abort();
  }
  cst_diag_destroy(d);
  cst_system_interpret(s);
  problem_of(&x, s);
  return x;
}

/* True if the method of this expression can step the system. */
UNUSED static bool fits(const problem *x, const char *method) {
  char        why[400];
  cst_method *m = method_of(method);
  const bool  good = cst_method_fits(m, x->s, why, sizeof why);
  cst_method_destroy(m);
  return good;
}

/* The kind of a method's first substep. */
UNUSED static const cst_substep_row *row_of(const char *method) {
  cst_method            *m = method_of(method);
  cst_program           *p = cst_program_create(m);
  const cst_substep_row *row = p->step[0].row;
  cst_program_destroy(p);
  cst_method_destroy(m);
  return row;
}

/* The cost of a step relative to one on a small system. Conversions solve several times per substep for a
 * multiple of nq + ng unknowns; for large systems the iterations need fewer solves. Line integrals of general
 * systems invert a mass matrix at many points. On large systems the stages of the multistage baselines are one
 * dense linear system. */
UNUSED static double cost_of_program(const problem *x, const cst_program *p) {
  const double size = fmin(x->s->nq + x->s->ng, 20) / 6,
               one = fmax(1, size * size) * (!cst_has(x->s, CST_SEPARABLE) ? 2 : 1);
  double cost = 0;
  for (int i = 0; i < p->n; i++)
    cost += !strcmp(p->step[i].row->name, "convert") ? one
            : !strcmp(p->step[i].row->name, "hbvm") && !cst_has(x->s, CST_SEPARABLE)
                ? cst_substep_size_on(&p->step[i], x->s).each * sqrt(one) / 6
            : !strcmp(p->step[i].row->name, "constrained") && x->s->nq > 12
                ? pow(cst_substep_size_on(&p->step[i], x->s).unknowns / 20.0, 2)
                : 0;
  return fmax(1, cost);
}
UNUSED static double cost_of(const problem *x, const char *method) {
  cst_method  *m = method_of(method);
  cst_program *p = cst_program_create(m);
  const double cost = cost_of_program(x, p);
  cst_program_destroy(p);
  cst_method_destroy(m);
  return cost;
}
/* `steps`, or fewer (down to a 20th) if they are expensive. */
UNUSED static int affordable(const problem *x, const char *method, int steps) {
  return (int)(steps / fmin(cost_of(x, method), 20));
}

/* Start number `lane`: first the system's own, then neighbours of it on the constraints. */
UNUSED static void start_of(const problem *x, int lane, double *q, double *v) {
  for (int i = 0; i < x->s->nq; i++) {
    q[i] = x->q[i] + (lane ? 0.03 * sin(1.7 * lane + 2.3 * i) : 0);
    v[i] = x->v[i] + (lane ? 0.05 * cos(2.9 * lane + 1.1 * i) : 0);
  }
  if (lane && !cst_system_project(x->s, x->c, q, v)) {
    fprintf(stderr, "%s: start %d\n", x->s->name, lane);
    abort();
  }
}

/* Some trajectories of one method. */
typedef struct {
  const problem *x;
  cst_method    *m;
  cst_prepared  *prepared;
  cst_stepper   *st;
  cst_batch      b;
  double         tolerance;
} run;

UNUSED static int widest(void) {
  const char *why = "";
  int         isa = cst_isa_choose(&why);
  if (isa < 0) {
    fprintf(stderr, "%s\n", why);
    abort();
  }
  return isa;
}
/* Whether the CPU can run row isa of lane code, and the build has the method for it. */
UNUSED static bool runs_on(const problem *x, const char *method, int isa) {
  cst_method   *m = method_of(method);
  cst_prepared *p = cst_method_prepare(m, x->s);
  const bool    built = cst_isa_available(isa) && cst_program_is_built(p->program, isa);
  cst_program_prepared_destroy(p);
  cst_method_destroy(m);
  return built;
}
UNUSED static void run_open_with(run *r, const problem *x, const char *method, int isa, int lanes,
                                 double tolerance, cst_iteration iteration) {
  const int groups = (lanes + cst_isas[isa].width - 1) / cst_isas[isa].width;
  memset(r, 0, sizeof *r);
  r->x = x;
  r->tolerance = tolerance;
  r->m = method_of(method);
  r->prepared = cst_method_prepare(r->m, x->s);
  MUST(cst_stepper_create(
      r->prepared, &(cst_stepper_options){isa, groups, 100, false, iteration, false, false, 0.02},
      &r->st));
  MUST(cst_batch_create(r->st, &r->b));
}
UNUSED static void run_open_on(run *r, const problem *x, const char *method, int isa, int lanes,
                               double tolerance) {
  run_open_with(r, x, method, isa, lanes, tolerance, CST_ITERATION_AUTO);
}
/* Opens a run with the default solver tolerance of study files. */
UNUSED static void run_open(run *r, const problem *x, const char *method, int lanes) {
  run_open_on(r, x, method, widest(), lanes, 1e-14);
}
UNUSED static void run_close(run *r) {
  MUST(cst_batch_destroy(&r->b));
  MUST(cst_stepper_destroy(&r->st));
  cst_program_prepared_destroy(r->prepared);
  cst_method_destroy(r->m);
}
UNUSED static void run_put(run *r, int lane, const double *q, const double *v) {
  cst_batch_start(r->st, &r->b, lane, r->x->c, q, v, r->tolerance);
}
/* Start all lanes from start_of. */
UNUSED static void run_start(run *r, int lanes) {
  double q[CST_MAX_Q], v[CST_MAX_Q];
  cst_batch_reset(r->st, &r->b, lanes);
  for (int i = 0; i < lanes; i++) {
    start_of(r->x, i, q, v);
    run_put(r, i, q, v);
  }
  cst_batch_ready(r->st, &r->b);
}
UNUSED static void run_go(run *r, double h, long n) {
  cst_batch_set_step(r->st, &r->b, h);
  MUST(cst_stepper_advance(r->st, &r->b, n));
}
UNUSED static bool run_well(const run *r, int lanes) {
  for (int i = 0; i < lanes; i++)
    if (r->b.status[i].reason != CST_DONE)
      return false;
  return true;
}
UNUSED static void run_block(const run *r, int lane, int at, int n, double *out) {
  const double *column = cst_batch_lane(r->st, &r->b, lane);
  for (int i = 0; i < n; i++)
    out[i] = column[(at + i) * cst_stepper_width(r->st)];
}
/* The state in the variables of the method. */
UNUSED static void run_carried(const run *r, int lane, double *q, double *p) {
  run_block(r, lane, cst_stepper_layout(r->st)->q, r->x->s->nq, q);
  run_block(r, lane, cst_stepper_layout(r->st)->p, r->x->s->nq, p);
}
/* q and p = M v + a. A method may carry only the tangential part of p: p - a - M v is then G' times a vector,
 * and G v = 0. */
UNUSED static void run_state(const run *r, int lane, double *q, double *p) {
  const problem *x = r->x;
  double         at[CST_MAX_Q], v[CST_MAX_Q];
  run_carried(r, lane, q, p);
  if (!cst_stepper_context(r->st)->tangential || !x->s->ng)
    return;
  memcpy(at, q, sizeof *at * (size_t)x->s->nq);
  cst_system_velocity(x->s, x->c, q, p, v);
  if (cst_system_project(x->s, x->c, at, v))
    cst_system_momentum(x->s, x->c, q, v, p);
}

/* The method's own multipliers of the last step. */
UNUSED static void run_lambda(const run *r, int lane, double *lambda) {
  const int     width = cst_stepper_width(r->st);
  const double *record = r->b.record + (size_t)(lane / width) * cst_stepper_record_size(r->st);
  double        all[CST_MAX_G * CST_W_MAX];
  cst_stepper_lambda(r->st, record, r->b.step, all);
  for (int a = 0; a < r->x->s->ng; a++)
    lambda[a] = all[a * width + lane % width];
}

/* The larger number; NaN if either is NaN. */
UNUSED static double larger(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
}
UNUSED static double norm(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most))
      most = fabs(x[i]); /* keeps a NaN */
  return most;
}
UNUSED static double apart(const double *x, const double *y, int n) {
  double d[2 * CST_MAX_Q];
  for (int i = 0; i < n; i++)
    d[i] = x[i] - y[i];
  return norm(d, n);
}

UNUSED static double energy(const problem *x, const double *q, const double *p, double *scale) {
  double V = 0, T = 0, v[CST_MAX_Q], a[CST_MAX_Q] = {0};
  cst_system_eval(x->s, CST_K_V, x->c, q, NULL, NULL, NULL, NULL, &V);
  cst_system_velocity(x->s, x->c, q, p, v);
  if (!cst_has(x->s, CST_SEPARABLE))
    cst_system_eval(x->s, CST_K_a, x->c, q, NULL, NULL, NULL, NULL, a);
  for (int i = 0; i < x->s->nq; i++)
    T += (p[i] - a[i]) * v[i] / 2;
  if (scale)
    *scale = fabs(T) + fabs(V);
  return T + V;
}

/* The testable promises of a pair, as bits for cover.h: the method runs; it has claims; it has no claim of
 * constraints, whose absence can be tested; orders of multipliers; a tangential p. */
enum { RUNS = 1, LAMBDA = 1 << 12, TANGENTIAL = 1 << 13 };
UNUSED static unsigned claims_of(unsigned claims) { return claims << 1; }
UNUSED static unsigned absent(unsigned claims) { return claims << 8; }

/* Claims of momenta count if there are symmetries, claims of constraints if there are constraints. */
UNUSED static unsigned promises_of(const cst_system *s, cst_properties has) {
  const unsigned on_constraints = CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES,
                 claims = has.claims & ~(s->nsym ? 0u : (unsigned)CST_CLAIM_MOMENTUM);
  if (!s->ng)
    return RUNS | claims_of(claims & ~on_constraints);
  return RUNS | claims_of(claims) | absent(on_constraints & ~claims) |
         (has.order_lambda ? LAMBDA : 0u) | (has.tangential ? TANGENTIAL : 0u);
}

/* The composition of a method: the kinds of its substeps, and whether a kind occurs more than once. */
UNUSED static unsigned make_of(const char *method) {
  static const char *names[32];
  cst_method        *m = method_of(method);
  cst_program       *p = cst_program_create(m);
  unsigned           make = 0;
  int                kinds = 0, k;
  for (int j = 0; j < p->n; j++) {
    for (k = 0; names[k] && strcmp(names[k], p->step[j].row->name); k++)
      continue;
    if (k > 30)
      abort();
    names[k] = p->step[j].row->name;
    kinds += !(make & 1u << k);
    make |= 1u << k;
  }
  make |= p->n > kinds ? 1u << 31 : 0;
  cst_program_destroy(p);
  cst_method_destroy(m);
  return make;
}

/* The properties of a system that matter to methods. */
UNUSED static unsigned nature_of(const cst_system *s) {
  const bool is[] = {s->ng,
                     !cst_has(s, CST_SEPARABLE),
                     cst_has(s, CST_MASS_MATRIX),
                     cst_has(s, CST_GYROSCOPIC),
                     s->model->gram.banded,
                     s->model->dropped,
                     cst_has(s, CST_LINEAR_V),
                     s->nsym,
                     s->model->nvel,
                     cst_has(s, CST_TIMED)};
  unsigned   nature = 0;
  for (size_t b = 0; b < sizeof is / sizeof *is; b++)
    nature |= is[b] ? 1u << b : 0;
  return nature;
}

/* The cost class of a step, from 0, below DEAR. */
UNUSED static int cost_class_of_program(const problem *x, const cst_program *p) {
  const double size = x->s->nq > 12  ? 4
                      : x->s->nq > 6 ? 2
                                     : 1,
               cost = fmax(p->n, cost_of_program(x, p)) * size *
                      (!cst_has(x->s, CST_SEPARABLE) ? 2 : 1);
  return cost <= 2 ? 0 : cost <= 6 ? 1 : cost <= 20 ? 2 : 3;
}
UNUSED static int cost_class_of(const problem *x, const char *method) {
  cst_method  *m = method_of(method);
  cst_program *p = cst_program_create(m);
  const int    cost = cost_class_of_program(x, p);
  cst_program_destroy(p);
  cst_method_destroy(m);
  return cost;
}

/* The index of the first equal entry. */
UNUSED static int first_like(const unsigned *x, int i) {
  int k = 0;
  while (x[k] != x[i])
    k++;
  return k;
}

/* Systems on which the observed order equals the claimed one, and properties that are not claimed are visibly
 * absent. On one of them each method is tested for both. */
UNUSED static bool is_reference(const char *system) {
  return !strcmp(system, "modified-pendulum") || !strcmp(system, "henon-heiles");
}

/* What a test examines. */
typedef struct {
  unsigned promises;
  /* every method is tested on the reference systems */
  bool references;
  bool (*left_out)(const problem *x,
                   const char    *method); /* pairs that the test cannot examine; NULL: none */
} scope;
enum { CONSTRAINT_CLAIMS = CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES };
#define SCOPE_ORDER                                                                                \
  (scope) { RUNS | LAMBDA | TANGENTIAL, true, NULL }
#define SCOPE_RUNS                                                                                 \
  (scope) { RUNS, false, NULL }
#define SCOPE_CONSTRAINTS                                                                          \
  (scope) { claims_of(CONSTRAINT_CLAIMS) | absent(CONSTRAINT_CLAIMS), true, NULL }
#define SCOPE_CLAIM(c)                                                                             \
  (scope) { claims_of(c), false, NULL }

/* The pairs of expressions and systems of the catalogue for a test; free(). */
UNUSED static cover *cover_of_claims(scope of) {
  cover       *c = calloc(1, sizeof *c);
  unsigned     make[MOST_METHODS], nature[MOST_SYSTEMS];
  cst_method  *m[MOST_METHODS];
  cst_program *p[MOST_METHODS];
  if (!c || expression_count() > MOST_METHODS || cst_catalogue_size() > MOST_SYSTEMS)
    abort();
  c->methods = expression_count();
  c->systems = cst_catalogue_size();
  for (int i = 0; i < c->methods; i++) {
    m[i] = method_of(expression_at(i));
    p[i] = cst_program_create(m[i]);
    make[i] = make_of(expression_at(i));
    c->family[i] = first_like(make, i);
  }
  for (int k = 0; k < c->systems; k++) {
    problem *x = problem_open(cst_catalogue_name(k));
    nature[k] = nature_of(x->s);
    c->kind[k] = first_like(nature, k);
    c->reference[k] = of.references && is_reference(x->s->name);
    for (int i = 0; i < c->methods; i++) {
      char why[200];
      if (!cst_method_fits(m[i], x->s, why, sizeof why) ||
          (of.left_out && of.left_out(x, expression_at(i))))
        continue; /* cost counts for pairs that promise something */
      c->promises[i][k] = promises_of(x->s, cst_method_properties(m[i], x->s)) & of.promises;
      c->costly[i][k] = cost_class_of_program(x, p[i]);
    }
    problem_close(x);
  }
  for (int i = 0; i < c->methods; i++) {
    cst_program_destroy(p[i]);
    cst_method_destroy(m[i]);
  }
  cover_choose(c);
  return c;
}

/* Calls test(problem, expression, properties) for every method on the systems that cover.h chooses, among
 * those on which the method makes a promise that the test examines. Returns the number of pairs. */
typedef void      claim_test(const problem *x, const char *method, cst_properties has);
UNUSED static int each_pair(claim_test *test, scope of) {
  cover *c = cover_of_claims(of);
  int    count = 0;
  for (int k = 0; k < c->systems; k++) {
    problem *x = problem_open(cst_catalogue_name(k));
    for (int i = 0; i < c->methods; i++) {
      if (!c->taken[i][k])
        continue;
      cst_method *m = method_of(expression_at(i));
      test(x, expression_at(i), cst_method_properties(m, x->s));
      count++;
      cst_method_destroy(m);
    }
    problem_close(x);
  }
  free(c);
  return count;
}

/* Reports every pair in TAP, so that none is omitted silently. */
UNUSED static int claims_main(int *argc, char ***argv, void (*tests)(void)) {
  MUST(PetscInitialize(argc, argv, NULL, NULL));
  MUST(cst_solver_register());
  tests();
  MUST(PetscFinalize());
  return tap_done();
}
#endif

/* test-bits.c: the generic core and the sized one, every instruction set and PETSc's own SNES types give the
 * same bits, for any set of lanes and any division into stretches. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"
#include "core/lane-form.h"
#include "system/compile/compile.h"
#include "system/internal.h"

enum { LANES = 5, STEPS = 64, STRETCH = 8 };
static const double H = 0.05;

/* The results of each lane: q, p, lambda, iterations, the number of steps. */
typedef struct {
  double q[LANES][CST_MAX_Q], p[LANES][CST_MAX_Q], lambda[LANES][CST_MAX_G], iterations[LANES],
      steps[LANES];
} result;

static void collect(const run *r, int from, int lanes, result *out) {
  memset(out, 0, sizeof *out);
  for (int l = 0; l < lanes; l++) {
    run_carried(r, from + l, out->q[l], out->p[l]);
    run_block(r, from + l, cst_stepper_layout(r->st)->impulse, r->x->s->ng, out->lambda[l]);
    run_block(r, from + l, cst_stepper_layout(r->st)->iterations, 1, &out->iterations[l]);
    run_block(r, from + l, cst_stepper_layout(r->st)->step, 1, &out->steps[l]);
  }
}

/* `steps` steps in stretches of length `stretch`. */
static void result_over(const problem *x, const char *method, int isa, double tolerance, int steps,
                        int stretch, result *out) {
  run r;
  run_open_on(&r, x, method, isa, LANES, tolerance);
  run_start(&r, LANES);
  for (int n = 0; n < steps; n += stretch)
    run_go(&r, H, steps - n < stretch ? steps - n : stretch);
  collect(&r, 0, LANES, out);
  run_close(&r);
}

/* STEPS steps, or as many as can be afforded, but more than one stretch. */
static int steps_of(const problem *x, const char *method) {
  return (int)fmax(affordable(x, method, STEPS), STRETCH + 2);
}

static void result_of(const problem *x, const char *method, int isa, int stretch, result *out) {
  result_over(x, method, isa, 1e-14, steps_of(x, method), stretch, out);
}

static const char *what[] = {"q", "p", "iterations", "lambda", "the number of steps"};

/* The first entry of `what` that differs in some lane; NULL if all are equal. */
static const char *unlike(const result *a, const result *b) {
  if (memcmp(a->q, b->q, sizeof a->q))
    return what[0];
  if (memcmp(a->p, b->p, sizeof a->p))
    return what[1];
  if (memcmp(a->iterations, b->iterations, sizeof a->iterations))
    return what[2];
  if (memcmp(a->lambda, b->lambda, sizeof a->lambda))
    return what[3];
  return memcmp(a->steps, b->steps, sizeof a->steps) ? what[4] : NULL;
}

static void same(const result *a, const result *b, const char *method, const problem *x,
                 const char *how) {
  const char *off = unlike(a, b);
  if (OK(!off, "%s on %s: %s, same bits", method, x->s->name, how))
    return;
  NOTE("%s differs", off);
  for (int l = 0; l < LANES; l++)
    NOTE("lane %d: q apart %.3g, p %.3g, lambda %.3g; iterations %g and %g", l,
         apart(a->q[l], b->q[l], CST_MAX_Q), apart(a->p[l], b->p[l], CST_MAX_Q),
         apart(a->lambda[l], b->lambda[l], CST_MAX_G), a->iterations[l], b->iterations[l]);
}

/* Must agree with FORM_ISAS of the Makefile. */
#ifdef __SANITIZE_ADDRESS__
static bool has_forms(int isa) { return (void)isa, false; }
#else
static bool has_forms(int isa) {
  return strcmp(cst_isas[isa].name, "v2") && cst_isas[isa].full == isa;
}
#endif

/* Must agree with GENERAL_ONLY of the Makefile. */
static bool is_general_only(const problem *x) {
  static const char *const names[] = {"chaplygin-sphere", "forced-oscillator", "knife-edge",
                                      "pivoted-top",      "turntable",         "van-der-pol"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(x->s->name, names[i]))
      return true;
  return false;
}

/* The kind of substep that is carried out on x. */
static const cst_substep_row *row_on(const problem *x, const char *method) {
  cst_method            *m = method_of(method);
  cst_program           *p = cst_program_create(m);
  const cst_substep_row *row = cst_substep_on(&p->step[0], x->s).row;
  cst_program_destroy(p);
  cst_method_destroy(m);
  return row;
}

/* Compares the record after STEPS steps of the generic core with that of the core that the stepper chooses,
 * both with the context of the first segment. */
static void test_hot(const problem *x, const char *method, int isa, bool own) {
  run                    one, other;
  const cst_substep_row *row = row_on(x, method);
  const cst_core        *generic = cst_substep_generic(row, isa),
                 *sized = cst_substep_core(row, x->s, isa);
  run_open_on(&one, x, method, isa, 2, 1e-14);
  run_open_on(&other, x, method, isa, 2, 1e-14);
  run_start(&one, 2);
  run_start(&other, 2);
  cst_batch_set_step(one.st, &one.b, H);
  cst_batch_set_step(other.st, &other.b, H);
  cst_outcome a = generic->march(cst_stepper_march(one.st, one.b.record), one.b.record, STEPS),
              b = sized->march(cst_stepper_march(other.st, other.b.record), other.b.record, STEPS);
  size_t bytes = cst_stepper_record_size(one.st) * sizeof(double);
  OK((generic != sized) == own, "%s: a core of its own for %s, where there is one", x->s->name,
     cst_lane_suffix(isa));
  OK(a.reason == CST_DONE && b.reason == CST_DONE && !memcmp(one.b.record, other.b.record, bytes),
     "%s on %s, %s: generic and sized core, same bits", method, x->s->name, cst_lane_suffix(isa));
  run_close(&one);
  run_close(&other);
}

static const char *const kicks[] = {"rattle", "shake", "euler-a", "euler-b",
                                    "compose(euler-a, yoshida4)"};
enum { KICKS = sizeof kicks / sizeof *kicks };

static void test_built_in(const problem *x, int isa) {
  const bool usual = cst_system_is_sized(x->s) && cst_has(x->s, CST_SEPARABLE);
  for (int i = 0; i < KICKS && (usual || cst_system_is_eliminated(x->s)); i++)
    if (fits(x, kicks[i]) && runs_on(x, kicks[i], isa))
      test_hot(x, kicks[i], isa, usual && has_forms(isa) && !is_general_only(x));
}

/* The core for a mass that depends on the coordinates, which the build leaves to long studies. */
static void test_added(const char *name) {
  problem *x = problem_open(name);
  int      isa = 0;
  char     why[CST_WHY] = "";
  cst_code code;
  isa = widest();
  if (!OK(cst_compile(x->s, isa, (const char *const[]){"lagrange", NULL}, false, &code, why) &&
              cst_load_code(x->s, &code, why),
          "%s is compiled for %s", name, cst_isas[isa].name))
    NOTE("%s", why);
  cst_compile_free(&code);
  for (int i = 0; i < KICKS; i++)
    if (fits(x, kicks[i]))
      test_hot(x, kicks[i], isa, true);
  problem_close(x);
}

/* The cores of form=null-space, which long studies compile: of groups that march alone and side by side. */
static void test_null_space(const char *name) {
  static const char *const forms[] = {"rattle(form=null-space)", "euler-a(form=null-space)",
                                      "discretization(theta=0.25, form=null-space)",
                                      "compose(rattle(form=null-space), yoshida4)"};
  enum { FORMS = sizeof forms / sizeof *forms };
  problem *x = problem_open(name);
  int      isa = 0; /* the narrowest that has it */
  while (!runs_on(x, forms[0], isa))
    isa++;
  result   general[FORMS], sized;
  char     why[CST_WHY] = "";
  cst_code code;
  for (int i = 0; i < FORMS; i++)
    result_of(x, forms[i], isa, STEPS, &general[i]);
  if (!OK(cst_compile(x->s, isa, (const char *const[]){"null-space", NULL}, false, &code, why) &&
              cst_load_code(x->s, &code, why),
          "%s is compiled for %s", name, cst_isas[isa].name))
    NOTE("%s", why);
  cst_compile_free(&code);
  OK(cst_system_form(x->s, isa, "null-space") != NULL, "%s: a core of form=null-space", name);
  for (int i = 0; i < FORMS; i++) {
    test_hot(x, forms[i], isa, true);
    result_of(x, forms[i], isa, 7, &sized);
    same(&general[i], &sized, forms[i], x, "compiled, in stretches of 7");
  }
  problem_close(x);
}

static void test_hot_cores(void) {
  for (int k = 0; k < cst_catalogue_size(); k++) {
    problem *x = problem_open(cst_catalogue_name(k));
    for (int isa = 0; isa < cst_isa_count; isa++)
      if (cst_isa_available(isa))
        test_built_in(x, isa);
    problem_close(x);
  }
  test_added("double-pendulum-angles");
  test_added("charged-pendulum");
  test_null_space("spherical-pendulum");
  test_null_space("tethered-satellites");
}

/* The kernels of the interpreter in generic cores give the bits of the compiled kernels. */
static void test_interpreter(void) {
  static const char *const methods[] = {"rattle",
                                        "midpoint",
                                        "rk4",
                                        "project(rk4)",
                                        "gauss(2)",
                                        "convert(rk4)",
                                        "convert(gauss(2), bias=-0.3)",
                                        "hbvm(k=6, s=2)",
                                        "hbvm(k=3, s=3)",
                                        "lagrange-dalembert(rk4, bias=-0.5)"};
  for (int k = 0; k < cst_catalogue_size(); k++) {
    problem *x = problem_open(cst_catalogue_name(k)), *y = problem_open(cst_catalogue_name(k));
    cst_system_interpret(y->s);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
      static result a, b;
      if (!fits(x, methods[i]))
        continue;
      result_of(x, methods[i], widest(), STEPS, &a);
      result_of(y, methods[i], widest(), STEPS, &b);
      same(&a, &b, methods[i], x, "compiled and interpreted");
    }
    problem_close(x);
    problem_close(y);
  }
}

static void test_type(const problem *x, const char *method, const char *type,
                      const result *expected) {
  static result got;
  MUST(PetscOptionsSetValue(NULL, "-snes_type", type));
  result_of(x, method, widest(), STEPS, &got);
  MUST(PetscOptionsClearValue(NULL, "-snes_type"));
  same(expected, &got, method, x, type);
}

/* A solver that stops early gives different bits. */
static void test_early(const char *system, const char *method) {
  static result expected, got;
  problem      *x = problem_open(system);
  const int     steps = steps_of(x, method);
  result_over(x, method, widest(), 1e-14, steps, steps, &expected);
  result_over(x, method, widest(), 1e-9, steps, steps, &got);
  OK(unlike(&expected, &got) != NULL, "%s on %s: a solver that stops early is noticed", method,
     system);
  problem_close(x);
}

static void test(const problem *x, const char *method, cst_properties has) {
  static result expected, got;
  (void)has;
  result_of(x, method, widest(), STEPS, &expected);
  for (int isa = 0; isa < cst_isa_count; isa++) {
    if (isa == widest() || !runs_on(x, method, isa))
      continue;
    result_of(x, method, isa, STEPS, &got);
    same(&expected, &got, method, x, cst_lane_suffix(isa));
  }
  result_of(x, method, widest(), STRETCH, &got);
  same(&expected, &got, method, x, "in stretches of 8 steps");
  test_type(x, method, "newtonls", &expected);
  test_type(x, method, "nrichardson", &expected);
}

/* Each lane alone gives the same bits as all lanes together. */
static void test_alone(const char *system, const char *method) {
  static result together, alone;
  problem      *x = problem_open(system);
  int           same = 0;
  result_of(x, method, widest(), STEPS, &together);
  for (int l = 0; l < LANES; l++) {
    run    r;
    double q[CST_MAX_Q], v[CST_MAX_Q];
    run_open_on(&r, x, method, widest(), 1, 1e-14);
    cst_batch_reset(r.st, &r.b, 1);
    start_of(x, l, q, v);
    run_put(&r, 0, q, v);
    cst_batch_ready(r.st, &r.b);
    run_go(&r, H, steps_of(x, method));
    collect(&r, 0, 1, &alone);
    same += !memcmp(alone.q[0], together.q[l], sizeof alone.q[0]) &&
            !memcmp(alone.p[0], together.p[l], sizeof alone.p[0]) &&
            alone.iterations[0] == together.iterations[l];
    run_close(&r);
  }
  OK(same == LANES, "%s on %s: alone and in company, same bits", method, system);
  problem_close(x);
}

static void tests(void) {
  test_hot_cores();
  test_interpreter();
  each_pair(test, SCOPE_RUNS);
  test_early("heavy-top", "rattle");
  test_early("modified-pendulum", "midpoint");
  test_early("pendulum-chain", "rattle");
  test_alone("heavy-top", "rattle");
  test_alone("modified-pendulum", "midpoint");
  test_alone("modified-pendulum", "compose(rattle, midpoint)");
  test_alone("double-pendulum", "project(heun)");
  test_alone("double-pendulum", "gauss(2)");
  test_alone("double-pendulum", "convert(rk3, bias=-0.3)");
  test_alone("charged-pendulum", "convert(gauss(2), bias=-0.5)");
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

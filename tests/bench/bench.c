/* bench.c: `make bench`: the program against what the machine can do, in one run: million
 * trajectory-steps per second on one core.
 *
 * For rattle on planar-pendulum, double-pendulum and heavy-top, from an ensemble of ordinary energy (normal
 * spread around the default start):
 *
 *   - limit: a hand-written lane loop of the same arithmetic and iterations (hand.c)
 *   - scalar: the same loop with one lane
 *   - core: the program's batch at its default size, nothing observed
 *   - newtonls: the same batch under PETSc's own Newton
 *   - run: the normal path of `constella run`: conservation study, default samples and observables, with file
 *   - slope: the same without start-up, verdicts and file, from runs of two lengths
 *   - SNES: one tuned SNES per trajectory and step, reduced unknowns
 *
 * Final states of product and hand-written loop are compared, so that both do the same work.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <petscsnes.h>
#include "bench.h"
#include "solve/solver.h"
#include "study/run/run-study.h"
#include "tools.h"

enum {
  LANES = 1024,
  STEPS = 20000,
  LONG = 3, /* times as many steps has the second run of a slope */
  SCALAR_LANES = 64,
  RUN_LANES = 2048,
  SNES_LANES = 8,
  SNES_STEPS = 200,
  CHECK_STEPS = 50
};
enum { LIMIT, SCALAR, CORE, NEWTONLS, RUN, SLOPE, NAIVE, KINDS };
static const char *const kinds[KINDS] = {"limit", "scalar", "core", "newtonls",
                                         "run",   "slope",  "SNES"};

typedef struct {
  const char *name;
  double      h, spread;
  hand_loop  *scalar, *lanes[4]; /* by width 1, 2, 4, 8 */
} bench_case;

static const bench_case cases[] = {
    {"planar-pendulum",
     0.02,
     0.3,
     hand_pendulum_scalar,
     {NULL, hand_pendulum_v2, hand_pendulum_v3, hand_pendulum_v4}},
    {"double-pendulum",
     0.02,
     0.3,
     hand_double_scalar,
     {NULL, hand_double_v2, hand_double_v3, hand_double_v4}},
    {"heavy-top", 0.02, 0.1, hand_top_scalar, {NULL, hand_top_v2, hand_top_v3, hand_top_v4}},
};

/* ---- the study that all share ---------------------------------------------------------------- */

static cst_study *make_study(const bench_case *b, long members, long steps) {
  char text[1024];
  snprintf(text, sizeof text,
           "study: conservation\nsystem: %s\ninitial: {members: %ld, seed: 1, spread: {q: %g, v: "
           "%g}}\nend: "
           "%.17g\nsteps: [%g]\n"
           "methods: [rattle]\nroundoff: {dyadic-steps: false}\n",
           b->name, members, b->spread, b->spread, b->h * (double)steps, b->h);
  return bench_study(text);
}

/* ---- hand-written loops ---------------------------------------------------------------------- */

static double time_hand(const cst_study *s, hand_loop *loop, int width, long lanes, double h,
                        long n, double *state) {
  bench_hand_fill(s, state, width, lanes);
  double t = bench_busy();
  loop(state, (int)(lanes / width), h, n);
  return bench_busy() - t;
}

/* ---- the product's core ---------------------------------------------------------------------- */

/* Largest difference of q and p from those of the hand-written loop. */
static double apart(const bench_run *r, const double *hand) {
  const cst_system *s = r->system;
  const int         width = cst_stepper_width(r->stepper), rows = 2 * s->nq + s->ng;
  double            worst = 0;
  for (long l = 0; l < LANES; l++)
    for (int i = 0; i < 2 * s->nq; i++)
      worst = fmax(worst, fabs(bench_component(r, l, cst_stepper_layout(r->stepper)->q + i) -
                               hand[(size_t)(l / width) * (size_t)(rows * width) +
                                    (size_t)(i * width) + (size_t)(l % width)]));
  return worst;
}

/* Seconds of n steps; *difference, where hand is given, from its states. */
static cst_error time_core(const cst_study *s, int isa, double h, long n, double *seconds,
                           const double *hand, double *difference) {
  bench_run r = {.study = s,
                 .system = s->problem.system,
                 .method = "rattle",
                 .lanes = LANES,
                 .h = h,
                 .steps = n};
  CST_TRY(bench_run_create(&r, isa));
  CST_TRY(bench_run_time(&r));
  *seconds = 1e-9 * r.best * (double)n * LANES;
  if (hand)
    *difference = apart(&r, hand);
  CST_TRY(bench_run_destroy(&r));
  return 0;
}

/* ---- the normal path ------------------------------------------------------------------------- */

static cst_error time_run(const bench_case *b, int isa, long steps, double *seconds) {
  cst_study  *s = make_study(b, RUN_LANES, steps);
  cst_diag   *d = cst_diag_create();
  cst_plan   *p;
  cst_run_end end = {0};
  const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
  char        path[4096], why[512];
  snprintf(path, sizeof path, "%s/constella-bench-%d.h5", folder, (int)getpid());
  p = bench_need(cst_plan_create(s, isa, d));
  cst_agenda     *agenda = cst_agenda_create(p, 1, 0, NULL, NULL, 0);
  cst_checkpoint *checkpoint = cst_checkpoint_create(p);
  cst_lock       *lock = bench_need(cst_lock_take(path, why, sizeof why));
  cst_run_options o = {.output = path,
                       .progress = "none",
                       .checkpoint_seconds = 600,
                       .deadline = INFINITY,
                       .lock = lock};
  snprintf(o.path, sizeof o.path, "%s", path);
  cst_resume_name(o.resume.run);
  double t = bench_busy();
  CST_TRY(cst_run(p, agenda, checkpoint, &o, &end));
  *seconds = bench_busy() - t;
  CST_CHECK(end.failed == 0, MPI_COMM_SELF, CST_ERR_CONV_FAILED, "%ld trajectories failed",
            end.failed);
  cst_lock_release(lock);
  unlink(path);
  cst_agenda_destroy(agenda);
  cst_checkpoint_destroy(p, checkpoint);
  cst_plan_destroy(p);
  cst_study_destroy(s);
  cst_diag_destroy(d);
  return 0;
}

/* ---- one SNES per trajectory ----------------------------------------------------------------- */

/* What its callbacks work on: the drift of the current step, q1 = qt - h M^-1 G0' L. */
typedef struct {
  const cst_system *s;
  const double     *c;
  double      h, minv[CST_MAX_Q], qt[CST_MAX_Q], G0[CST_MAX_G * CST_MAX_Q], q1[CST_MAX_Q], last;
  cst_kernel *g, *G;
  int         width;
} naive;

static void eval(const naive *x, cst_kernel_id k, const double *q, double *out) {
  cst_system_eval(x->s, k, x->c, q, NULL, NULL, NULL, NULL, out);
}

/* Hand-written constraints, so that the comparison is about SNES and not about our interpreter. */
static void constraint(const naive *x, const double *q, double *g, double *G) {
  const int n = x->s->nq;
  if (n == 2) {
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    G[0] = 2 * q[0], G[1] = 2 * q[1];
  } else if (n == 4) {
    double a = q[2] - q[0], b = q[3] - q[1];
    g[0] = q[0] * q[0] + q[1] * q[1] - 1, g[1] = a * a + b * b - 2;
    double row[8] = {2 * q[0], 2 * q[1], 0, 0, -2 * a, -2 * b, 2 * a, 2 * b};
    memcpy(G, row, sizeof row);
  } else {
    static const int first[6] = {0, 0, 0, 1, 1, 2}, second[6] = {0, 1, 2, 1, 2, 2};
    memset(G, 0, sizeof *G * 54);
    for (int a = 0; a < 6; a++) {
      int j = first[a], k = second[a];
      g[a] = j == k ? -1 : 0;
      for (int i = 0; i < 3; i++)
        g[a] += q[3 * i + j] * q[3 * i + k], G[a * 9 + 3 * i + j] += q[3 * i + k],
            G[a * 9 + 3 * i + k] += q[3 * i + j];
    }
  }
}

static cst_error residual(SNES snes, Vec X, Vec F, void *context) {
  naive             *x = context;
  const PetscScalar *l;
  PetscScalar       *f;
  double             G[CST_MAX_G * CST_MAX_Q];
  (void)snes;
  CST_TRY(VecGetArrayRead(X, &l));
  CST_TRY(VecGetArray(F, &f));
  for (int i = 0; i < x->s->nq; i++) {
    x->q1[i] = x->qt[i];
    for (int a = 0; a < x->s->ng; a++)
      x->q1[i] -= x->h * x->minv[i] * x->G0[a * x->s->nq + i] * l[a];
  }
  constraint(x, x->q1, f, G);
  x->last = 0;
  for (int a = 0; a < x->s->ng; a++)
    x->last = fmax(x->last, fabs(f[a]));
  CST_TRY(VecRestoreArrayRead(X, &l));
  CST_TRY(VecRestoreArray(F, &f));
  return 0;
}

static cst_error jacobian(SNES snes, Vec X, Mat A, Mat B, void *context) {
  naive       *x = context;
  PetscScalar *J;
  double       g[CST_MAX_G], G[CST_MAX_G * CST_MAX_Q];
  (void)snes, (void)X, (void)A;
  constraint(x, x->q1, g, G);
  CST_TRY(MatDenseGetArrayWrite(B, &J));
  for (int a = 0; a < x->s->ng; a++)
    for (int b = 0; b < x->s->ng; b++) {
      double s = 0;
      for (int i = 0; i < x->s->nq; i++)
        s -= G[a * x->s->nq + i] * x->h * x->minv[i] * x->G0[b * x->s->nq + i];
      J[b * x->s->ng + a] = s;
    }
  CST_TRY(MatDenseRestoreArrayWrite(B, &J));
  CST_TRY(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  CST_TRY(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  return 0;
}

static cst_error converged(SNES snes, PetscInt it, PetscReal xn, PetscReal gn, PetscReal f,
                           SNESConvergedReason *reason, void *context) {
  naive *x = context;
  (void)snes, (void)it, (void)xn, (void)gn, (void)f;
  *reason = x->last <= 2e-14 ? SNES_CONVERGED_FNORM_ABS : SNES_CONVERGED_ITERATING;
  return 0;
}

/* One step: positions under SNES, then p projected (with a small elimination of its own). */
static cst_error naive_step(naive *x, SNES snes, Vec X, double *q, double *p, const double *dV) {
  const int          n = x->s->nq, d = x->s->ng;
  const PetscScalar *l;
  double             g[CST_MAX_G], S[CST_MAX_G * CST_MAX_G], m[CST_MAX_G], G[CST_MAX_G * CST_MAX_Q];
  constraint(x, q, g, x->G0);
  for (int i = 0; i < n; i++)
    x->qt[i] = q[i] + x->h * x->minv[i] * (p[i] - 0.5 * x->h * dV[i]);
  CST_TRY(SNESSolve(snes, NULL, X));
  CST_TRY(VecGetArrayRead(X, &l));
  for (int i = 0; i < n; i++) {
    p[i] -= x->h * dV[i];
    for (int a = 0; a < d; a++)
      p[i] -= x->G0[a * n + i] * l[a];
    q[i] = x->q1[i];
  }
  CST_TRY(VecRestoreArrayRead(X, &l));
  constraint(x, q, g, G);
  for (int a = 0; a < d; a++) {
    m[a] = 0;
    for (int i = 0; i < n; i++)
      m[a] += G[a * n + i] * x->minv[i] * p[i];
    for (int b = 0; b < d; b++) {
      S[a * d + b] = 0;
      for (int i = 0; i < n; i++)
        S[a * d + b] += G[a * n + i] * x->minv[i] * G[b * n + i];
    }
  }
  for (int k = 0; k < d; k++)
    for (int i = k + 1; i < d; i++) {
      double f = S[i * d + k] / S[k * d + k];
      for (int j = k; j < d; j++)
        S[i * d + j] -= f * S[k * d + j];
      m[i] -= f * m[k];
    }
  for (int i = d - 1; i >= 0; i--) {
    for (int j = i + 1; j < d; j++)
      m[i] -= S[i * d + j] * m[j];
    m[i] /= S[i * d + i];
  }
  for (int a = 0; a < d; a++)
    for (int i = 0; i < n; i++)
      p[i] -= G[a * n + i] * m[a];
  return 0;
}

static cst_error make_snes(naive *x, SNES *snes, Vec *X, Vec *F, Mat *J) {
  KSP            ksp;
  PC             pc;
  SNESLineSearch ls;
  CST_TRY(VecCreateSeq(MPI_COMM_SELF, x->s->ng, X));
  CST_TRY(VecDuplicate(*X, F));
  CST_TRY(MatCreateSeqDense(MPI_COMM_SELF, x->s->ng, x->s->ng, NULL, J));
  CST_TRY(SNESCreate(MPI_COMM_SELF, snes));
  CST_TRY(SNESSetFunction(*snes, *F, residual, x));
  CST_TRY(SNESSetJacobian(*snes, *J, *J, jacobian, x));
  CST_TRY(SNESSetType(*snes, SNESNEWTONLS));
  CST_TRY(SNESGetKSP(*snes, &ksp));
  CST_TRY(KSPSetType(ksp, KSPPREONLY));
  CST_TRY(KSPGetPC(ksp, &pc));
  CST_TRY(PCSetType(pc, PCLU));
  CST_TRY(SNESGetLineSearch(*snes, &ls));
  CST_TRY(SNESLineSearchSetType(ls, SNESLINESEARCHBASIC));
  CST_TRY(SNESLineSearchSetComputeNorms(ls, PETSC_FALSE));
  CST_TRY(SNESSetConvergenceTest(*snes, converged, x, NULL));
  CST_TRY(SNESSetTolerances(*snes, 0, 0, 0, 60, PETSC_MAX_INT));
  CST_TRY(SNESSetUp(*snes));
  return 0;
}

static cst_error time_naive(const cst_study *s, double h, double *seconds) {
  naive  x = {.s = s->problem.system, .c = s->problem.parameter, .h = h};
  SNES   snes;
  Vec    X, F;
  Mat    J;
  double mass[CST_MAX_Q], dV[CST_MAX_Q], q[CST_MAX_Q], v[CST_MAX_Q], p[CST_MAX_Q];
  eval(&x, CST_K_mass, s->starts.q, mass);
  eval(&x, CST_K_dV, s->starts.q, dV); /* constant here */
  for (int i = 0; i < s->problem.system->nq; i++)
    x.minv[i] = 1 / mass[s->problem.system->model->mass_class[i]];
  CST_TRY(make_snes(&x, &snes, &X, &F, &J));
  double t = bench_busy();
  for (int l = 0; l < SNES_LANES; l++) {
    cst_study_member(s, 0, l, q, v);
    for (int i = 0; i < s->problem.system->nq; i++)
      p[i] = v[i] / x.minv[i];
    CST_TRY(VecSet(X, 0));
    for (int k = 0; k < SNES_STEPS; k++)
      CST_TRY(naive_step(&x, snes, X, q, p, dV));
  }
  *seconds = bench_busy() - t;
  CST_TRY(SNESDestroy(&snes));
  CST_TRY(VecDestroy(&X));
  CST_TRY(VecDestroy(&F));
  CST_TRY(MatDestroy(&J));
  return 0;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void keep(double *best, double seconds, double steps) {
  double rate = steps / seconds * 1e-6;
  if (rate > *best)
    *best = rate;
}

static cst_error bench(const bench_case *b, int isa) {
  const int  width = cst_isas[isa].width, slot = width == 2 ? 1 : width == 4 ? 2 : 3;
  cst_study *s = make_study(b, LANES, STEPS);
  double     best[KINDS] = {0}, seconds, difference = 0, least = INFINITY, longest = INFINITY,
         *state = bench_aligned((size_t)LANES *
                                (size_t)(2 * s->problem.system->nq + s->problem.system->ng));
  time_hand(s, b->lanes[slot], width, LANES, b->h, CHECK_STEPS, state);
  CST_TRY(time_core(s, isa, b->h, CHECK_STEPS, &seconds, state, &difference));
  for (int round = 0; round < BENCH_ROUNDS; round++) {
    keep(&best[SCALAR], time_hand(s, b->scalar, 1, SCALAR_LANES, b->h, STEPS, state),
         (double)SCALAR_LANES * STEPS);
    keep(&best[LIMIT], time_hand(s, b->lanes[slot], width, LANES, b->h, STEPS, state),
         (double)LANES * STEPS);
    CST_TRY(time_core(s, isa, b->h, STEPS, &seconds, NULL, NULL));
    keep(&best[CORE], seconds, (double)LANES * STEPS);
    CST_TRY(time_run(b, isa, STEPS, &seconds));
    keep(&best[RUN], seconds, (double)RUN_LANES * STEPS);
    least = fmin(least, seconds);
    CST_TRY(time_run(b, isa, (long)LONG * STEPS, &seconds));
    longest = fmin(longest, seconds);
    CST_TRY(time_naive(s, b->h, &seconds));
    keep(&best[NAIVE], seconds, (double)SNES_LANES * SNES_STEPS);
    CST_TRY(PetscOptionsSetValue(NULL, "-snes_type", "newtonls"));
    CST_TRY(time_core(s, isa, b->h, STEPS / 10, &seconds, NULL, NULL));
    CST_TRY(PetscOptionsClearValue(NULL, "-snes_type"));
    keep(&best[NEWTONLS], seconds, (double)LANES * STEPS / 10);
  }
  keep(&best[SLOPE], longest - least, (LONG - 1.) * RUN_LANES * STEPS);
  printf("%-16s", b->name);
  for (int k = 0; k < KINDS; k++)
    printf(" %9.3f", best[k]);
  printf("   %6.2f %6.2f %6.2f %8.0f   %.0e\n", best[CORE] / best[LIMIT], best[RUN] / best[LIMIT],
         best[SLOPE] / best[LIMIT], best[CORE] / best[NAIVE], difference);
  fflush(stdout);
  free(state);
  cst_study_destroy(s);
  return 0;
}

int main(int argc, char **argv) {
  int isa;
  CST_TRY(bench_open(&argc, &argv, &isa));
  printf("rattle, h = 0.02, %d members (normal spread around the default start), %d steps, %s (%d "
         "lanes); "
         "million trajectory-steps per "
         "second, best of %d\n",
         LANES, STEPS, cst_isas[isa].name, cst_isas[isa].width, BENCH_ROUNDS);
  printf("%-16s", "");
  for (int k = 0; k < KINDS; k++)
    printf(" %9s", kinds[k]);
  printf("   %6s %6s %6s %8s   %s\n", "core", "run", "slope", "core", "difference after 50 steps");
  printf("%-16s %70s /limit /limit /limit    /SNES   from the limit's\n", "", "");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CST_TRY(bench(&cases[i], isa));
  return PetscFinalize();
}

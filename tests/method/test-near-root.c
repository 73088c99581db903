/* test-near-root.c: the step is the solution of its equations that is continued in the step from q1 = q0. States
 * of trajectories at steps up to their failure are stepped once more from their q and p alone, and compared with
 * the trajectory, which has a history, and with a continuation in quadruple precision. Where one of them ends,
 * all do. `make test` takes a sample of the states, CONSTELLA_TEST_ALL about five thousand. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <quadmath.h>
#include "claims.h"
#include "method/stepper/stepper-internal.h"
#include "system/point/quad-precision.h"

typedef __float128 quad;

enum { MOST = 2 * CST_MAX_Q + CST_MAX_G, STEPS = 6 };
static const double TOLERANCE = 1e-14;

/* The points of a drift at which L is evaluated: parts of the step, and where in them. 0 points: only the
 * history is tested. */
static const struct method {
  const char *name;
  int         points;
  double      part[2], theta[2];
} methods[] = {
    {"rattle", 2, {0.5, 0.5}, {0, 1}},
    {"shake", 2, {0.5, 0.5}, {0, 1}},
    {"euler-a", 1, {1}, {0}},
    {"euler-b", 1, {1}, {1}},
    {"midpoint", 1, {1}, {0.5}},
    {"discretization(theta=0.3)", 1, {1}, {0.3}},
    {"rattle(form=null-space)", 2, {0.5, 0.5}, {0, 1}},
    {"midpoint(form=null-space)", 1, {1}, {0.5}},
    {"compose(rattle, yoshida4)", 0, {0}, {0}},
    {"compose(midpoint, shake)", 0, {0}, {0}},
    {"baoab(friction=0, inverse-temperature=2)", 0, {0}, {0}},
    {"lie-rattle", 0, {0}, {0}},
    {"lie-euler-a", 0, {0}, {0}},
};
enum { METHODS = sizeof methods / sizeof *methods };

/* The step at which this system moves by about its size. */
static const struct {
  const char *name;
  double      step;
} systems[] = {
    {"planar-pendulum", 0.7},   {"spherical-pendulum", 0.5}, {"double-pendulum", 0.35},
    {"bead-on-torus", 0.5},     {"four-bar", 0.15},          {"slider-crank", 0.15},
    {"modified-pendulum", 0.5}, {"charged-pendulum", 0.5},   {"double-pendulum-angles", 0.3},
    {"heavy-top", 0.4},         {"henon-heiles", 1},         {"tethered-satellites", 4},
};
enum { SYSTEMS = sizeof systems / sizeof *systems };

/* ---- the step's equations in quadruple precision --------------------------------------------- */

typedef struct {
  const problem       *x;
  const struct method *m;
  cst_quad            *at; /* for momenta */
  double               h;
  quad                 c[CST_MAX_PAR], q[CST_MAX_Q], p[CST_MAX_Q], G[CST_MAX_G * CST_MAX_Q];
  quad                 end[CST_MAX_Q]; /* q1 at the last evaluation */
} equations;

static int unknowns(const equations *e) { return e->m->points * e->x->s->nq + e->x->s->ng; }

/* G[a * nq + i] at q. */
static void slopes(const equations *e, const quad *q, quad *G) {
  const cst_system  *s = e->x->s;
  const cst_pattern *p = &s->model->pattern[CST_K_G];
  quad               entry[CST_MAX_G * CST_MAX_Q];
  cst_system_eval_quad(s, CST_K_G, e->c, q, NULL, entry);
  for (int k = 0; k < s->ng * s->nq; k++)
    G[k] = 0;
  for (int a = 0; a < s->ng; a++)
    for (int k = p->start[a]; k < p->start[a + 1]; k++)
      G[a * s->nq + p->column[k]] = entry[k];
}

/* L_q at (q, u). */
static void force(const equations *e, const quad *q, const quad *u, quad *f) {
  const cst_system *s = e->x->s;
  cst_system_eval_quad(s, !cst_has(s, CST_SEPARABLE) ? CST_K_Lq : CST_K_dV, e->c, q, u, f);
  for (int i = 0; i < s->nq && cst_has(s, CST_SEPARABLE); i++)
    f[i] = -f[i];
}

/* f := the residual for a step of `part` h. */
static void residual(equations *e, quad part, const quad *x, quad *f) {
  const cst_system *s = e->x->s;
  const int         nq = s->nq, ng = s->ng, points = e->m->points;
  quad              P[CST_MAX_Q], at[CST_MAX_Q], Lv[CST_MAX_Q], Lq[CST_MAX_Q];
  for (int i = 0; i < nq; i++) {
    e->end[i] = e->q[i];
    P[i] = e->p[i];
    for (int a = 0; a < ng; a++)
      P[i] -= e->G[a * nq + i] * x[points * nq + a];
  }
  for (int r = 0; r < points; r++) {
    const quad  w = part * (quad)e->h * e->m->part[r], theta = e->m->theta[r];
    const quad *u = x + r * nq;
    for (int i = 0; i < nq; i++)
      at[i] = e->end[i] + theta * w * u[i];
    cst_quad_momentum(e->at, at, u, Lv);
    force(e, at, u, Lq);
    for (int i = 0; i < nq; i++) {
      f[r * nq + i] = Lv[i] - (1 - theta) * w * Lq[i] - P[i];
      P[i] += w * Lq[i];
      e->end[i] += w * u[i];
    }
  }
  cst_system_eval_quad(s, CST_K_g, e->c, e->end, NULL, f + points * nq);
  for (int a = 0; a < ng; a++)
    f[points * nq + a] /= part;
}

/* d := J^-1 f, where J is the matrix of differences of f; returns log |det J|, with the sign in *sign. */
static quad solve(equations *e, quad part, quad *x, const quad *f, quad *d, int *sign) {
  static quad J[MOST * MOST], g[MOST];
  const int   n = unknowns(e);
  quad        sum = 0;
  *sign = 1;
  for (int k = 0; k < n; k++) {
    const quad was = x[k], by = 1e-16Q * (1 + fabsq(was));
    x[k] = was + by;
    residual(e, part, x, g);
    x[k] = was;
    for (int i = 0; i < n; i++)
      J[i * n + k] = (g[i] - f[i]) / by;
    d[k] = f[k];
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabsq(J[i * n + k]) > fabsq(J[best * n + k]))
        best = i;
    for (int j = 0; j < n && best != k; j++) {
      const quad t = J[k * n + j];
      J[k * n + j] = J[best * n + j];
      J[best * n + j] = t;
    }
    const quad t = d[k];
    d[k] = d[best];
    d[best] = t;
    const quad pivot = J[k * n + k];
    *sign *= (best != k ? -1 : 1) * (pivot < 0 ? -1 : 1);
    sum += logq(fabsq(pivot));
    for (int i = k + 1; i < n; i++) {
      const quad by = J[i * n + k] / pivot;
      for (int j = k + 1; j < n && by != 0; j++)
        J[i * n + j] -= by * J[k * n + j];
      d[i] -= by * d[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      d[i] -= J[i * n + j] * d[j];
    d[i] /= J[i * n + i];
  }
  return sum;
}

/* Newton's method; false unless it contracts by 0.3 at least from correction to correction, the first of which
 * must be small: behind a fold it leads to another branch. */
static bool contracts(equations *e, quad part, bool first, quad *x, quad *log, int *sign) {
  quad      f[MOST], d[MOST], last = INFINITY;
  const int n = unknowns(e);
  for (int it = 0; it < 12; it++) {
    quad size = 0, of = 1e-3Q;
    residual(e, part, x, f);
    *log = solve(e, part, x, f, d, sign);
    for (int i = 0; i < n; i++) {
      x[i] -= d[i];
      size = fmaxq(size, fabsq(d[i]));
      of = fmaxq(of, fabsq(x[i]));
    }
    if (!(size <= 0.3Q * last) || (it == 0 && !first && !(size <= 0.05Q * of)))
      return false;
    if (size <= 1e-14Q * of) { /* the square of it is left */
      residual(e, part, x, f);
      return true;
    }
    last = size;
  }
  return false;
}

/* Continues the root from the step 0 to h. Returns the part of the step where the branch ends, 1 if it exists; q1,
 * and how much smaller the determinant has become. */
static double continued(equations *e, quad *q1, double *shrunk) {
  const cst_system *s = e->x->s;
  const int         n = unknowns(e), nq = s->nq;
  const quad        most = everything() ? 1 / 64.0Q : 1 / 16.0Q;
  double            v[CST_MAX_Q], q[CST_MAX_Q], p[CST_MAX_Q];
  quad              x[MOST] = {0}, was[MOST] = {0}, before[MOST] = {0}, f[MOST], d[MOST];
  quad              here = 1e-12Q, last = 0, by = most / 16, log, first;
  int               sign, start;
  for (int i = 0; i < nq; i++) {
    q[i] = (double)e->q[i];
    p[i] = (double)e->p[i];
  }
  cst_system_velocity(s, e->x->c, q, p, v);
  for (int i = 0; i < e->m->points * nq; i++)
    was[i] = v[i % nq];
  residual(e, here, was, f);
  log = first = solve(e, here, was, f, d, &start);
  while (here < 1) {
    const quad to = fminq(1, here + by);
    quad       found;
    for (int i = 0; i < n; i++)
      x[i] = was[i] + (last > 0 ? (to - here) / (here - last) * (was[i] - before[i]) : 0);
    if (contracts(e, to, last == 0, x, &found, &sign) && sign == start &&
        fabsq(found - log) < 0.5Q) {
      memcpy(before, was, sizeof before);
      memcpy(was, x, sizeof was);
      last = here;
      here = to;
      log = found;
      by = fminq(most, 2 * by);
    } else if ((by /= 2) < 0x1p-36Q)
      return (double)here;
  }
  memcpy(q1, e->end, sizeof(quad) * (size_t)nq);
  *shrunk = (double)expq(log - first);
  return 1;
}

/* ---- states ---------------------------------------------------------------------------------- */

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static void random_start(const problem *x, uint64_t *seed, double speed, double *q, double *v) {
  do {
    for (int i = 0; i < x->s->nq; i++) {
      q[i] = x->q[i] + 0.3 * uniform(seed);
      v[i] = speed * (x->v[i] + uniform(seed));
    }
  } while (x->s->ng && !cst_system_project(x->s, x->c, q, v));
}

typedef struct {
  int    states, ended, folds, failed; /* folds: states so close to one that nothing is compared */
  double history, reference;           /* the largest distances, in allowed ones */
} tally;

/* A step from (q, p) without a history. */
static cst_reason single(const problem *x, const char *method, double h, const double *q,
                         const double *p, double *q1, double *p1) {
  run    r;
  double v[CST_MAX_Q];
  cst_system_velocity(x->s, x->c, q, p, v);
  run_open(&r, x, method, 1);
  cst_batch_reset(r.st, &r.b, 1);
  run_put(&r, 0, q, v);
  cst_batch_ready(r.st, &r.b);
  run_go(&r, h, 1);
  const cst_reason reason = r.b.status[0].reason;
  run_carried(&r, 0, q1, p1);
  run_close(&r);
  return reason;
}

/* Compares the step from (q, p) with that of a trajectory, which ended for `reason` or led to q1. */
static void compare(const problem *x, const struct method *m, double h, const double *q,
                    const double *p, cst_reason reason, const double *q1, tally *t) {
  double           again[CST_MAX_Q], p1[CST_MAX_Q], shrunk = 1, end = 1;
  quad             root[CST_MAX_Q] = {0};
  const cst_reason alone = single(x, m->name, h, q, p, again, p1);
  t->states++;
  if (m->points) {
    equations e = {.x = x, .m = m, .h = h, .at = cst_quad_create(x->s, x->c)};
    for (int i = 0; i < x->s->npar; i++)
      e.c[i] = x->c[i];
    for (int i = 0; i < x->s->nq; i++) {
      e.q[i] = q[i];
      e.p[i] = p[i];
    }
    slopes(&e, e.q, e.G);
    end = continued(&e, root, &shrunk);
    cst_quad_destroy(e.at);
    if ((end < 1 && end > 1 - 1e-6) || shrunk < 2e-3) {
      t->folds++;
      return;
    }
    const bool ends = end < 1;
    t->ended += ends;
    if (ends != (reason == CST_STEP_TOO_LARGE) || ends != (alone == CST_STEP_TOO_LARGE)) {
      t->failed++;
      NOTE("%s on %s, h = %.3g: the branch ends at %.9g, shrunk %.3g; reasons %d, alone %d",
           m->name, x->s->name, h, end, shrunk, reason, alone);
      return;
    }
  } else if (reason != alone) {
    t->failed++;
    NOTE("%s on %s, h = %.3g: reasons %d, alone %d", m->name, x->s->name, h, reason, alone);
  }
  if (reason != CST_DONE || alone != CST_DONE)
    return;
  double       scale = fmax(1, fmax(norm(q, x->s->nq), norm(q1, x->s->nq))), off = 0;
  const double allowed = 10 * (TOLERANCE + 4 * 2.2e-16) * scale / fmin(1, shrunk);
  for (int i = 0; i < x->s->nq && m->points; i++)
    off = larger(off, fabs((double)(q1[i] - root[i])));
  t->reference = larger(t->reference, off / allowed);
  t->history =
      larger(t->history, apart(q1, again, x->s->nq) / (m->points ? allowed : 100 * allowed));
  if (!(off <= allowed))
    NOTE("%s on %s, h = %.3g: off by %.3g, shrunk %.3g", m->name, x->s->name, h, off, shrunk);
}

static void follow(const problem *x, const struct method *m, double h, double speed, uint64_t *seed,
                   tally *t) {
  run    r;
  double q[CST_MAX_Q], p[CST_MAX_Q], q1[CST_MAX_Q], p1[CST_MAX_Q];
  run_open(&r, x, m->name, 1);
  cst_batch_reset(r.st, &r.b, 1);
  random_start(x, seed, speed, q, p);
  run_put(&r, 0, q, p);
  cst_batch_ready(r.st, &r.b);
  for (int n = 0; n < STEPS && r.b.status[0].reason == CST_DONE; n++) {
    run_carried(&r, 0, q, p);
    run_go(&r, h, 1);
    run_carried(&r, 0, q1, p1);
    compare(x, m, h, q, p, r.b.status[0].reason, q1, t);
  }
  run_close(&r);
}

static void test_system(problem *x, double step) {
  const int trials = everything() ? 16 : 1;
  uint64_t  seed = 7;
  for (int k = 0; k < METHODS; k++) {
    tally t = {0};
    seed = 1000003 * (uint64_t)k + 31;
    if (!fits(x, methods[k].name))
      continue;
    for (int i = 0; i < trials; i++)
      follow(x, &methods[k], step, 0.3 + 0.5 * (i + k % 3), &seed, &t);
    OK(!t.failed && t.reference <= 1 && t.history <= 1,
       "%s on %s: %d states, %d of them without a near root, %d at a fold: the same root from a "
       "state, in a trajectory and by continuation",
       methods[k].name, x->s->name, t.states, t.ended, t.folds);
    NOTE("in allowed errors: history %.3g, reference %.3g", t.history, t.reference);
  }
}

/* ---- bits ------------------------------------------------------------------------------------ */

enum { LANES = 11 };

/* LANES random states, or state `only` alone; generic: by the core for any system. */
static void open_lanes(run *r, const problem *x, const char *method, int isa, int only,
                       bool generic) {
  double   q[CST_MAX_Q], v[CST_MAX_Q];
  uint64_t seed = 3;
  int      at = 0;
  run_open_on(r, x, method, isa, LANES, TOLERANCE);
  if (generic)
    r->st->segment[0].core = r->st->segment[0].alone;
  cst_batch_reset(r->st, &r->b, only < 0 ? LANES : 1);
  for (int l = 0; l < LANES; l++) {
    random_start(x, &seed, 0.2 + 0.15 * l, q, v);
    if (only < 0 || only == l)
      run_put(r, at++, q, v);
  }
  cst_batch_ready(r->st, &r->b);
}

static bool same_state(const run *a, int i, const run *b, int j) {
  double       q[2][CST_MAX_Q], p[2][CST_MAX_Q];
  const size_t bytes = sizeof(double) * (size_t)a->x->s->nq;
  run_carried(a, i, q[0], p[0]);
  run_carried(b, j, q[1], p[1]);
  return !memcmp(q[0], q[1], bytes) && !memcmp(p[0], p[1], bytes) &&
         a->b.status[i].reason == b->b.status[j].reason &&
         a->b.status[i].step == b->b.status[j].step;
}

/* States of which some have no near root and some need a continuation: the bits of a lane are those that it has
 * alone, with every instruction set, by the generic core and in stretches of a step. */
static void test_bits(const char *system, const char *method, double h) {
  problem *x = problem_open(system);
  run      all, other;
  int      ended = 0;
  open_lanes(&all, x, method, widest(), -1, false);
  run_go(&all, h, STEPS);
  for (int l = 0; l < LANES; l++)
    ended += all.b.status[l].reason == CST_STEP_TOO_LARGE;
  int alone = 0, single = 0;
  for (int l = 0; l < LANES; l++) {
    open_lanes(&other, x, method, widest(), l, false);
    run_go(&other, h, STEPS);
    alone += same_state(&all, l, &other, 0);
    run_close(&other);
  }
  OK(alone == LANES && ended > 0 && ended < LANES,
     "%s on %s, h = %.3g, %d of %d lanes fail: the bits of each lane alone (%d)", method, system, h,
     ended, LANES, alone);
  for (int isa = 0; isa < cst_isa_count; isa++)
    for (int generic = 0; generic < 2 && runs_on(x, method, isa); generic++) {
      int same = 0;
      open_lanes(&other, x, method, isa, -1, generic);
      run_go(&other, h, STEPS);
      for (int l = 0; l < LANES; l++)
        same += same_state(&all, l, &other, l);
      run_close(&other);
      OK(same == LANES, "the same bits with %s%s", cst_isas[isa].name, generic ? ", generic" : "");
    }
  open_lanes(&other, x, method, widest(), -1, false);
  for (int n = 0; n < STEPS; n++)
    run_go(&other, h, 1);
  for (int l = 0; l < LANES; l++)
    single += same_state(&all, l, &other, l);
  OK(single == LANES, "the same bits step by step");
  run_close(&other);
  run_close(&all);
  problem_close(x);
}

static void tests(void) {
  for (int i = 0; i < SYSTEMS; i++) {
    problem *x = problem_open(systems[i].name);
    test_system(x, systems[i].step);
    problem_close(x);
  }
  test_bits("planar-pendulum", "rattle", 0.7);
  test_bits("double-pendulum", "rattle", 0.5);
  test_bits("double-pendulum", "compose(rattle, yoshida4)", 0.35);
  test_bits("bead-on-torus", "midpoint", 0.25);
  test_bits("two-tops", "lie-rattle", 0.6);
  test_bits("heavy-top", "rattle", 0.5);
  test_bits("four-bar", "rattle", 0.3);
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

/* test-openings.c: what opens a whole step fills its blocks once before it, and may change the length of the step of each
 * lane, by rows of substeps that only this test has: lanes know their times, have the bits of steps that a caller makes
 * of the same lengths, and survive saving, other groups, failures and PETSc's solvers. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"
#include "method/stepper/stepper.h"
#include "method/substep.h"
#include "system/compile/compile.h"

enum { LANES = 11, STEPS = 40 }; /* of at least two groups */
static const double H = 0.05;

/* ---- rows of this test ----------------------------------------------------------------------- */

struct places {
  int at;
};

static cst_error bind(const void *x, const cst_lane_binding *with, void *lane) {
  (void)x;
  *(struct places *)lane = (struct places){with->state[0]};
  return 0;
}

static bool same(const void *x, const void *y) {
  (void)x, (void)y;
  return true;
}

static cst_substep_size size(const void *x, const cst_system *s) {
  (void)x, (void)s;
  return (cst_substep_size){.stages = 1};
}

static int width_of(const cst_march *m) {
  int isa = 0;
  while (m->group.kernel != m->group.system->code->kernel[isa])
    isa++;
  return cst_isas[isa].width;
}

/* The block: cosine, sine, the angle that is continued, and how often it has been. */
enum { COSINE, SINE, ANGLE, COUNT, NUMBERS };

static cst_outcome turn(const cst_march *m, double *record) {
  const cst_layout at = m->group.at;
  const int        W = width_of(m), from = ((const struct places *)m->sub[0].data)->at;
  for (int l = 0; l < W; l++) {
    double      *x = record + from * W + l;
    const double c = -record[(at.q + 1) * W + l], s = record[at.q * W + l];
    const double was = x[COSINE * W], before = x[SINE * W];
    x[ANGLE * W] += atan2(was * s - before * c, was * c + before * s);
    x[COSINE * W] = c;
    x[SINE * W] = s;
    x[COUNT * W]++;
  }
  return (cst_outcome){1, 0, CST_DONE};
}

static void start_turn(const void *x, const cst_system *s, const double *c, const double *q,
                       const double *v, double *const *state) {
  (void)x, (void)s, (void)c, (void)v;
  state[0][COSINE] = -q[1];
  state[0][SINE] = q[0];
  state[0][ANGLE] = atan2(q[0], -q[1]);
}

static cst_open *opens_turn(int isa) {
  (void)isa;
  return turn;
}

static const cst_state_block turned[] = {{"turned", .one = NUMBERS}, {NULL}};
static const cst_substep_row turning = {
    .name = "turning",
    .data = 0,
    .features = CST_COMPENSATES | CST_STEPS_FLAT,
    .state = turned,
    .opens = opens_turn,
    .same = same,
    .size = size,
    .start = start_turn,
    .bind = bind,
};

/* Steps of h and 2 h in turn, in lanes of odd members 2 h first. The block: h. */
static cst_outcome alternate(const cst_march *m, double *record) {
  const cst_layout at = m->group.at;
  const int        W = width_of(m), from = ((const struct places *)m->sub[0].data)->at;
  for (int l = 0; l < W; l++) {
    int64_t step, since, member;
    memcpy(&step, record + at.step * W + l, sizeof step);
    memcpy(&member, record + at.member * W + l, sizeof member);
    memcpy(&since, record + at.since * W + l, sizeof since);
    double *h = record + at.h * W + l, *origin = record + at.origin * W + l;
    if (step == 0)
      record[from * W + l] = *h;
    *origin += (double)(step - since) * *h;
    memcpy(record + at.since * W + l, &step, sizeof step);
    *h = record[from * W + l] * (double)(1 + (step + member) % 2);
  }
  return (cst_outcome){1, 0, CST_DONE};
}

static cst_open *opens_alternate(int isa) {
  (void)isa;
  return alternate;
}

static const cst_state_block base[] = {{"base", .one = 1}, {NULL}};
static const cst_substep_row alternating = {
    .name = "alternating",
    .data = 0,
    .features = CST_COMPENSATES | CST_STEPS_FLAT | CST_VARIES,
    .state = base,
    .opens = opens_alternate,
    .same = same,
    .size = size,
    .bind = bind,
};

/* ---- runs ------------------------------------------------------------------------------------ */

/* As run_open, of the method with such a row, which is named twice at the end of its program: what opens a step does so
 * wherever it stands, and once. */
static void open_with(run *r, const problem *x, const char *method, const cst_substep_row *row,
                      int lanes) {
  run_open(r, x, method, lanes);
  MUST(cst_batch_destroy(&r->b));
  MUST(cst_stepper_destroy(&r->st));
  for (int k = 0; row && k < 2; k++)
    cst_program_add(r->prepared->program, cst_substep_of(row, 1, NULL));
  const int isa = widest(), W = cst_isas[isa].width;
  MUST(cst_stepper_create(r->prepared,
                          &(cst_stepper_options){isa, (lanes + W - 1) / W, 100, false,
                                                 CST_ITERATION_AUTO, false, false, 0.02},
                          &r->st));
  MUST(cst_batch_create(r->st, &r->b));
}

/* In two groups the lanes of one place have different ones. */
static int member_of(const run *r, int lane) { return lane + lane / cst_stepper_width(r->st); }

/* Lanes that turn over; `bad` is thrown as many times faster as it takes for its step to fail. */
static void start_fast(run *r, int lanes, double speed, int bad, double thrown) {
  double q[CST_MAX_Q], v[CST_MAX_Q];
  cst_stepper_set_step(r->st, H);
  cst_batch_reset(r->st, &r->b, lanes);
  for (int l = 0; l < lanes; l++) {
    start_of(r->x, l, q, v);
    for (int i = 0; i < r->x->s->nq; i++)
      v[i] *= l == bad ? thrown : speed;
    run_put(r, l, q, v);
    cst_batch_address(r->st, &r->b, l, 0, (uint64_t)member_of(r, l));
  }
  cst_batch_ready(r->st, &r->b);
}

static double time_of(const run *r, int lane) {
  return cst_stepper_time(r->st, cst_batch_lane(r->st, &r->b, lane),
                          (double)(r->b.status[lane].reason ? r->b.status[lane].step : r->b.step));
}

/* The complete states of a lane in two runs are equal. */
static bool same_lane(const run *a, int i, const run *b, int j) {
  const size_t n = cst_batch_numbers(a->st);
  double       x[n], y[n];
  cst_batch_save(a->st, &a->b, i, x);
  cst_batch_save(b->st, &b->b, j, y);
  return !memcmp(x, y, sizeof x);
}

static bool same_motion(const run *a, const run *b, int lane) {
  const int n = a->x->s->nq;
  double    q[2][n], p[2][n];
  run_carried(a, lane, q[0], p[0]);
  run_carried(b, lane, q[1], p[1]);
  return !memcmp(q[0], q[1], sizeof q[0]) && !memcmp(p[0], p[1], sizeof p[0]);
}

/* ---- a block --------------------------------------------------------------------------------- */

static void test_turned(const char *how, int bad) {
  problem *x = problem_open("planar-pendulum");
  run      r;
  double   angle[LANES], c[LANES], s[LANES], q[CST_MAX_Q], p[CST_MAX_Q], block[NUMBERS], most = 0;
  int      good = 0, lived = 0;
  open_with(&r, x, "rattle", &turning, LANES);
  start_fast(&r, LANES, 8, bad, 300);
  for (int k = 0; k < STEPS; k++) {
    for (int l = 0; l < LANES; l++) {
      run_carried(&r, l, q, p);
      if (k == 0)
        angle[l] = atan2(q[0], -q[1]), c[l] = -q[1], s[l] = q[0];
      angle[l] += atan2(c[l] * q[0] + s[l] * q[1], -c[l] * q[1] + s[l] * q[0]);
      c[l] = -q[1], s[l] = q[0];
    }
    MUST(cst_stepper_advance(r.st, &r.b, 1));
  }
  for (int l = 0; l < LANES; l++) {
    if (r.b.status[l].reason != CST_DONE)
      continue;
    run_block(&r, l, cst_stepper_state(r.st, "turned"), NUMBERS, block);
    good += block[ANGLE] == angle[l] && block[COUNT] == STEPS;
    most = fmax(most, fabs(angle[l]));
    lived++;
  }
  OK(lived == LANES - (bad >= 0) && good == lived && most > 4 * M_PI,
     "the angle of %d of %d lanes is continued over %.1f turns, once a step%s", good, lived,
     most / (2 * M_PI), how);
  run_close(&r);
  problem_close(x);
}

/* ---- lengths --------------------------------------------------------------------------------- */

/* The same steps, by a caller who sets the length of each. */
static void step_by_hand(run *r, long n) {
  const int    W = cst_stepper_width(r->st);
  const size_t size = cst_stepper_record_size(r->st);
  for (long k = 0; k < n; k++) {
    for (int l = 0; l < LANES; l++)
      cst_stepper_put_steps(r->st, r->b.record + (size_t)(l / W) * size + l % W,
                            (k + member_of(r, l)) % 2 ? 2 * H : H, 0, 0);
    cst_batch_ready(r->st, &r->b);
    MUST(cst_stepper_advance(r->st, &r->b, 1));
  }
}

static double sum_of_steps(const run *r, int lane, long n) {
  const int odd = member_of(r, lane) % 2;
  return H * (double)(n + (n + odd) / 2);
}

/* parts: its steps are made in parts, by a solver of PETSc's; those of the caller never are. */
static void test_alternating_on(const problem *x, const char *method, bool parts) {
  const int clock = cst_has(x->s, CST_TIMED) ? x->s->model->account - 1 : -1;
  run       one, hand;
  int       good = 0, timed = 0;
  if (parts)
    MUST(PetscOptionsSetValue(NULL, "-snes_type", "newtonls"));
  open_with(&one, x, method, &alternating, LANES);
  MUST(PetscOptionsClearValue(NULL, "-snes_type"));
  open_with(&hand, x, method, NULL, LANES);
  start_fast(&one, LANES, 1, -1, 300);
  start_fast(&hand, LANES, 1, -1, 300);
  MUST(cst_stepper_advance(one.st, &one.b, 7));
  MUST(cst_stepper_advance(one.st, &one.b, STEPS + 1 - 7));
  if (clock < 0)
    step_by_hand(&hand, STEPS + 1);
  for (int l = 0; l < LANES; l++) {
    const double sum = sum_of_steps(&one, l, STEPS + 1);
    double       t = sum;
    good += clock >= 0 || same_motion(&one, &hand, l);
    if (clock >= 0)
      run_block(&one, l, cst_stepper_layout(one.st)->c + clock, 1, &t);
    timed += fabs(time_of(&one, l) - sum) < 1e-12 && fabs(t - time_of(&one, l)) < 1e-13;
  }
  OK(good == LANES && timed == LANES && run_well(&one, LANES),
     "%s on %s by h and 2 h in turn: %d of %d lanes have the bits of such steps, %d their time%s",
     method, x->s->name, good, LANES, timed, parts ? " in parts" : "");
  run_close(&one);
  run_close(&hand);
}

static void test_alternating(const char *system, const char *method, bool parts) {
  problem *x = problem_open(system);
  test_alternating_on(x, method, parts);
  problem_close(x);
}

/* In the system's own core groups march side by side where they have the same steps, and only there. */
static void test_compiled(const char *system, const char *method, const char *core) {
  problem   *x = problem_open(system);
  char       why[CST_WHY] = "";
  cst_code   code;
  const bool made =
      cst_compile(x->s, widest(), (const char *const[]){core, NULL}, false, &code, why) &&
      cst_load_code(x->s, &code, why);
  OK(made, "%s is compiled%s", system, why);
  cst_compile_free(&code);
  if (made)
    test_alternating_on(x, method, false);
  problem_close(x);
}

/* Saved in the middle and restored into another batch, with other neighbours, a lane goes on as if it had stayed; a copy
 * apart reaches the same state, and a check of saved numbers knows them. */
static void test_saved(const char *method, const cst_substep_row *row) {
  problem           *x = problem_open("planar-pendulum");
  run                r, other;
  cst_scratch_lanes *apart;
  int                good = 0, copies = 0, known = 0;
  open_with(&r, x, method, row, LANES);
  open_with(&other, x, method, row, LANES);
  start_fast(&r, LANES, 3, -1, 300);
  start_fast(&other, LANES, 3, -1, 300);
  MUST(cst_stepper_advance(r.st, &r.b, 13));
  const size_t n = cst_batch_numbers(r.st), size = cst_stepper_record_size(r.st);
  const int    W = cst_stepper_width(r.st);
  double       saved[n];
  for (int l = 0; l < LANES; l++) {
    cst_batch_save(r.st, &r.b, l, saved);
    known += cst_batch_continues(other.st, &other.b, l, x->c, saved, 13);
    cst_batch_restore(other.st, &other.b, l, saved);
  }
  other.b.step = 13;
  cst_batch_ready(other.st, &other.b);
  const cst_stepper_options o = {widest(), 1, 100, false, CST_ITERATION_AUTO, false, false, 0.02};
  MUST(cst_scratch_create(r.prepared, &o, 0, &apart));
  double was[size];
  memcpy(was, r.b.record, sizeof was);
  MUST(cst_stepper_advance(r.st, &r.b, STEPS));
  MUST(cst_stepper_advance(other.st, &other.b, STEPS));
  for (int l = 0; l < LANES; l++) {
    good += same_lane(&r, l, &other, l);
    bool done = false, equal = true;
    if (l >= W)
      continue;
    cst_scratch_copy(apart, was, l);
    MUST(cst_scratch_advance(apart, 13 + STEPS, &done));
    for (size_t k = 0; k < size; k += (size_t)W)
      equal &= !memcmp(cst_scratch_record(apart) + k, r.b.record + k + l, sizeof(double));
    copies += done && equal;
  }
  OK(good == LANES && known == LANES && copies == (LANES < W ? LANES : W),
     "%s with %s: %d of %d saved lanes go on with their bits, %d are known, %d copies have them",
     method, row->name, good, LANES, known, copies);
  MUST(cst_scratch_destroy(&apart));
  run_close(&r);
  run_close(&other);
  problem_close(x);
}

/* A lane that fails has the state and time of its last step; the others go on. */
static void test_failure(void) {
  enum { BAD = 2 };
  problem *x = problem_open("planar-pendulum");
  run      all, few;
  int      good = 0;
  open_with(&all, x, "rattle", &alternating, LANES);
  open_with(&few, x, "rattle", &alternating, LANES);
  start_fast(&all, LANES, 1, BAD, 13);
  start_fast(&few, LANES, 1, -1, 300);
  MUST(cst_stepper_advance(all.st, &all.b, STEPS));
  MUST(cst_stepper_advance(few.st, &few.b, STEPS));
  for (int l = 0; l < LANES; l++)
    good += l != BAD && same_lane(&all, l, &few, l);
  const long last = all.b.status[BAD].step;
  OK(all.b.status[BAD].reason != CST_DONE && last > 0 && good == LANES - 1 &&
         fabs(time_of(&all, BAD) - sum_of_steps(&all, BAD, last)) < 1e-13,
     "a lane fails behind step %ld, at its time %g; the others, %d of %d, go on", last,
     time_of(&all, BAD), good, LANES - 1);
  run_close(&all);
  run_close(&few);
  problem_close(x);
}

/* Features by which rows say what they do and what they rely on. */
static void test_features(void) {
  problem *x = problem_open("planar-pendulum");
  run      r;
  open_with(&r, x, "rattle", &alternating, 1);
  OK(cst_program_has(r.prepared->program, CST_VARIES) && !cst_scratch_shortens(r.prepared),
     "a method with such steps is known, and no part of its step is one of its own");
  run_close(&r);
  problem_close(x);
}

static void tests(void) {
  static const struct {
    const char *system, *method;
  } on[] = {{"double-pendulum", "rattle"},
            {"heavy-top", "compose(rattle, yoshida4)"},
            {"planar-pendulum", "hbvm(k=4, s=2)"},
            {"planar-pendulum", "convert(rk4)"},
            {"lagrange-top", "lie-rattle"},
            {"planar-pendulum", "penalty(newmark(beta=0.4), omega=2)"},
            {"forced-oscillator", "gauss(2)"}};
  for (size_t i = 0; i < sizeof on / sizeof *on; i++)
    test_alternating(on[i].system, on[i].method, false);
  test_compiled("double-pendulum", "rattle", "kick");
  test_turned("", -1);
  test_turned(", where a lane fails", 2);
  test_saved("rattle", &alternating);
  test_saved("compose(rattle, midpoint)", &alternating);
  test_saved("rattle", &turning);
  test_failure();
  test_features();
  test_alternating("double-pendulum", "rattle", true);
  test_alternating("heavy-top", "compose(rattle, midpoint)", true);
  MUST(PetscOptionsSetValue(NULL, "-snes_type", "newtonls"));
  test_turned(" under another solver", -1);
  MUST(PetscOptionsClearValue(NULL, "-snes_type"));
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

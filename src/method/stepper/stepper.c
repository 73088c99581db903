/* stepper.c: sets up a program as segments of substeps of one kind, which stepper-march.c advances, with the data
 * that their lane code takes, the lengths and times of their steps, and the records of methods that step another
 * system. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper/stepper-internal.h"
#include "solve/petsc.h"
#include "system/lane/context.h"

/* ---- what substeps are bound to -------------------------------------------------------------- */

/* Numbers, data that substeps share, and the kernels of layers. Each is made once, and the stepper owns it. */

cst_error cst_stepper_bind_numbers(const cst_lane_binding *b, size_t n, double **x) {
  cst_stepper *st = b->stepper;
  st->numbers = cst_need(realloc(st->numbers, (size_t)(st->nnumbers + 1) * sizeof *st->numbers));
  *x = cst_zeros(n, sizeof **x);
  st->numbers[st->nnumbers++] = *x;
  return 0;
}

cst_error cst_stepper_bind_shared(const cst_lane_binding *b, void *(*make)(const cst_system *s),
                                  void (*end)(void *), void **x) {
  cst_stepper *st = b->stepper;
  int          i = 0;
  while (i < st->nshared && st->shared[i].make != make)
    i++;
  if (i == st->nshared) {
    st->shared = cst_need(realloc(st->shared, (size_t)(i + 1) * sizeof *st->shared));
    st->shared[st->nshared++] = (cst_stepper_shared){make, end, make(b->system)};
  }
  *x = st->shared[i].made;
  CST_CHECK(*x, MPI_COMM_SELF, CST_ERR_SUP, "the constraints of %s make too large a matrix",
            b->system->name);
  return 0;
}

/* The kernels of a rule, made on first use. */
static cst_error find_flow(const cst_lane_binding *b, const cst_flow_rule *rule, bool derivatives,
                           const cst_flow **flow) {
  cst_stepper *st = b->stepper;
  char         why[400];
  for (int i = 0; i < st->nflow; i++)
    if (st->flow[i].rule == rule && st->flow[i].derivatives == derivatives) {
      *flow = st->flow[i].flow;
      return 0;
    }
  st->flow = cst_need(realloc(st->flow, (size_t)(st->nflow + 1) * sizeof *st->flow));
  cst_flow *made = cst_flow_create(rule, b->system, b->isa, derivatives, why, sizeof why);
  CST_CHECK(made, MPI_COMM_SELF, CST_ERR_SUP, "%s", why);
  st->flow[st->nflow++] = (cst_stepper_flow){rule, derivatives, made};
  *flow = made;
  return 0;
}

cst_error cst_stepper_bind_layer(const cst_lane_binding *b, const cst_layer *l, bool derivatives,
                                 cst_lane_layer *to) {
  const cst_flow *f;
  *to = (cst_lane_layer){
      l->tableau.stages, l->tableau.implicit, l->tableau.a, l->tableau.b, NULL, NULL};
  if (!l->rule)
    return 0;
  CST_TRY(find_flow(b, l->rule, derivatives, &f));
  *to = (cst_lane_layer){.flow = cst_flow_kernels(f), .self = cst_flow_self(f)};
  return 0;
}

/* ---- the lengths of the steps of lanes, and their times -------------------------------------- */

void cst_stepper_set_resolution(cst_stepper *st, double resolution) { st->resolution = resolution; }

static void set_noise(cst_stepper *st, double h) {
  const double ratio = st->resolution > 0 ? fabs(h) / st->resolution : 1;
  const long   increments = CST_LARGER(1, lround(ratio));
  for (int i = 0; i < st->nnoise; i++) {
    cst_stepper_noise *x = &st->noise[i];
    x->kick.row->noise(x->kick.data, st->isa, h, increments, &x->noise);
  }
}

/* The lengths of the substeps of lane l. */
static void give_step(cst_stepper *st, int l, double h) {
  double start = 0;
  for (int i = 0; i < st->nopening; i++)
    st->opening[i].sub.h[l] = st->opening[i].sub.whole[l] = h;
  for (int i = 0; i < st->nsegment; i++) {
    cst_segment       *g = &st->segment[i];
    const cst_substep *step = &st->program->step[g->first];
    for (int j = 0; j < g->march.nsub; j++) {
      cst_lane_substep *to = &g->sub[j];
      const bool        takes_time = !(step[j].row->features & CST_TAKES_NO_TIME);
      to->h[l] = step[j].fraction * h;
      to->start[l] = start;
      to->whole[l] = h;
      if (takes_time)
        start += to->h[l];
    }
  }
}

void cst_stepper_take_steps(cst_stepper *st, const double *record) {
  const size_t  W = (size_t)st->width, bytes = W * sizeof *record;
  const double *since = record + (size_t)st->inner.since * W;
  const double *origin = record + (size_t)st->inner.origin * W;
  const double *h = record + (size_t)st->inner.h * W;
  memcpy(st->since, since, bytes);
  memcpy(st->origin, origin, bytes);
  if (!memcmp(st->h_of, h, bytes))
    return;
  memcpy(st->h_of, h, bytes);
  for (size_t l = 0; l < W; l++)
    give_step(st, (int)l, h[l]);
}

cst_outcome cst_stepper_open_step(cst_stepper *st, double *record) {
  cst_outcome o = {1, 0, CST_DONE};
  double     *own = cst_stepper_inner(st, record);
  for (int i = 0; i < st->nopening && o.reason == CST_DONE; i++)
    o = st->opening[i].open(&st->opening[i].march, own);
  if (st->nopening)
    cst_stepper_take_steps(st, own);
  return o;
}

void cst_stepper_set_step(cst_stepper *st, double h) {
  st->h = h;
  set_noise(st, h);
}

double cst_stepper_step(const cst_stepper *st) { return st->h; }

static void put(double *column, int width, int at, uint64_t x) {
  memcpy(column + (size_t)at * (size_t)width, &x, sizeof x);
}

/* In one part of a record. */
static void put_steps(double *column, int width, const cst_layout *at, double h, double time,
                      long step) {
  put(column, width, at->since, (uint64_t)step);
  column[at->origin * width] = time;
  column[at->h * width] = h;
}

void cst_stepper_put_steps(const cst_stepper *st, double *column, double h, double time,
                           long step) {
  put_steps(column, st->width, &st->layout, h, time, step);
  put_steps(column + st->shift * st->width, st->width, &st->inner, h, time, step);
}

double cst_stepper_time(const cst_stepper *st, const double *column, double step) {
  const cst_layout *at = &st->layout;
  int64_t           since;
  memcpy(&since, column + at->since * st->width, sizeof since);
  return column[at->origin * st->width] + (step - (double)since) * column[at->h * st->width];
}

bool cst_stepper_varies(const cst_stepper *st) { return st->nnoise == 0 && !(st->mean > 0); }

bool cst_stepper_changes_steps(const cst_stepper *st) {
  return cst_program_has(st->whole, CST_VARIES);
}

bool cst_stepper_takes(const cst_stepper *st, double h) {
  const cst_properties mean = {.mean = st->mean};
  return cst_properties_window(&mean, h) == st->window;
}

/* ---- methods that step another system than the asked one ------------------------------------- */

/* As penalty does: the record of that system follows the one of the asked system.
 *
 * In M A = f - G'lambda the springs of V + omega^2/2 sum g^2 give lambda = omega^2 g, which oscillates. Its
 * mean over a time is the trapezoidal mean of the values of the last steps, which the record keeps: a function of the
 * trajectory alone, whoever reads it.
 */

void cst_stepper_bring(const cst_stepper *st, double *record) {
  const size_t      W = (size_t)st->width;
  const size_t      nq = (size_t)st->outer.nq;
  const cst_layout *to = &st->layout;
  const cst_layout *from = &st->inner;
  const double     *other = record + (size_t)st->shift * W;
  const cst_system *asked = st->outer.system;
  const int         clock = asked->model->account - 1; /* the time, and the accounts behind it */
  if (!st->shift)
    return;
  memcpy(record + (size_t)to->q * W, other + (size_t)from->q * W, nq * W * sizeof *record);
  memcpy(record + (size_t)to->p * W, other + (size_t)from->p * W, nq * W * sizeof *record);
  if (cst_has(asked, CST_TIMED))
    memcpy(record + (size_t)(to->c + clock) * W, other + (size_t)(from->c + clock) * W,
           (size_t)(1 + asked->model->naccount) * W * sizeof *record);
  memcpy(record + (size_t)to->iterations * W, other + (size_t)from->iterations * W,
         W * sizeof *record);
  memcpy(record + (size_t)to->step * W, other + (size_t)from->step * W,
         (size_t)(to->q - to->step) * W * sizeof *record); /* with their lengths and times */
}

/* Fills the second part of a lane's column at its start. */
static void begin_other(const cst_stepper *st, double *column, const double *c, const double *q) {
  const cst_system *s = st->segment[0].march.group.system;
  const cst_layout *to = &st->inner;
  const cst_layout *from = &st->layout;
  const int         W = st->width;
  const int         npar = st->outer.npar;
  double           *other = column + st->shift * W;
  for (int k = 0; k < s->npar; k++)
    other[(to->c + k) * W] = k < npar ? c[k] : st->more[k - npar];
  for (int k = 0; k < s->model->nmass; k++)
    other[(to->mass + k) * W] = column[(from->mass + k) * W];
  other[to->extent * W] = column[from->extent * W];
  other[to->tolerance * W] = column[from->tolerance * W];
  for (int k = 0; k < to->q - to->since; k++)
    other[(to->since + k) * W] = column[(from->since + k) * W];
  for (int i = 0; i < s->nq; i++) {
    other[(to->q + i) * W] = q[i];
    other[(to->p + i) * W] = column[(from->p + i) * W];
  }
}

void cst_stepper_address(const cst_stepper *st, double *column, uint64_t seed, uint64_t member) {
  double *other = column + (size_t)st->shift * (size_t)st->width;
  put(column, st->width, st->layout.seed, seed);
  put(column, st->width, st->layout.member, member);
  put(other, st->width, st->inner.seed, seed);
  put(other, st->width, st->inner.member, member);
}

/* ---- the multipliers that springs represent -------------------------------------------------- */

static double stiffness(const cst_stepper *st) { return st->more[0] * st->more[0]; }

/* Multipliers of the current state. The kernel's output is aligned; lambda need not be. */
static void springs_now(const cst_stepper *st, const double *record, double *lambda) {
  const size_t W = (size_t)st->width;
  const size_t n = (size_t)st->outer.ng * W;
  st->outer.kernel[CST_K_g](st->outer.self, record + (size_t)st->layout.c * W,
                            record + (size_t)st->layout.q * W, NULL, NULL, NULL, NULL, st->work);
  for (size_t k = 0; k < n; k++)
    lambda[k] = st->work[k] * stiffness(st);
}

static long step_of(const cst_stepper *st, const double *record, int lane) {
  int64_t step;
  memcpy(&step, record + st->layout.step * st->width + lane, sizeof step);
  return (long)step;
}

/* The multipliers that a lane keeps of a step. */
static double *kept_of(const cst_stepper *st, double *record, int lane, long step) {
  const long at = st->recent + step % (st->window + 1) * st->outer.ng;
  return record + at * st->width + lane;
}

/* Keeps those of the current states. */
static void keep(cst_stepper *st, double *record) {
  const int W = st->width;
  springs_now(st, record, st->work);
  for (int l = 0; l < W; l++) {
    double *kept = kept_of(st, record, l, step_of(st, record, l));
    for (int k = 0; k < st->outer.ng; k++)
      kept[k * W] = st->work[k * W + l];
  }
}

/* The mean of the last values of a lane. */
static void average(const cst_stepper *st, double *record, int lane, double *lambda) {
  const int  W = st->width, ng = st->outer.ng;
  const long last = step_of(st, record, lane);
  const long first = CST_LARGER(0, last - st->window);
  for (int k = 0; k < ng; k++)
    lambda[k * W] = 0;
  for (long step = first; step <= last; step++) {
    const double  weight = first < last && (step == first || step == last) ? 0.5 : 1;
    const double *kept = kept_of(st, record, lane, step);
    for (int k = 0; k < ng; k++)
      lambda[k * W] += weight * kept[k * W];
  }
  for (int k = 0; k < ng && first < last; k++)
    lambda[k * W] /= (double)(last - first);
}

/* The multipliers that the springs represent, [ng][W]. */
static void springs(const cst_stepper *st, const double *record, double *lambda) {
  if (!st->window)
    springs_now(st, record, lambda);
  for (int l = 0; l < st->width && st->window; l++)
    average(st, (double *)record, l, lambda + l);
}

void cst_stepper_keep_last(cst_stepper *st, double *record, int lanes) {
  if (st->window)
    springs_now(st, record, st->work);
  for (int l = 0; l < st->width && st->window; l++)
    for (int i = 0; lanes >> l & 1 && i <= st->window; i++)
      for (int k = 0; k < st->outer.ng; k++)
        kept_of(st, record, l, i)[k * st->width] = st->work[k * st->width + l];
}

static void keep_all(cst_stepper *st) {
  for (int g = 0; g < st->batch->groups && !st->halted; g++)
    keep(st, st->batch->record + (size_t)g * st->size);
}

/* When they are read next all are kept that a mean takes there, however the batch comes there; of others nobody asks. */
cst_error cst_stepper_toward(cst_stepper *st, long to, cst_error (*stretch)(cst_stepper *, long)) {
  const cst_schedule *s = st->schedule;
  cst_batch          *b = st->batch;
  const long read = st->window && s->read ? s->read(s->context) : to, first = read - st->window;
  const long from = st->window ? CST_LARGER(b->step, CST_SMALLER(first, to)) : to;
  if (b->step < from && !st->halted)
    CST_TRY(stretch(st, from - b->step));
  b->step = from;
  if (st->window && (from == first || from == 0))
    keep_all(st);
  for (; b->step < to && !st->halted; b->step++) {
    CST_TRY(stretch(st, 1));
    keep_all(st);
  }
  b->step = to;
  return 0;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static double *aligned(size_t n) {
  void *p = NULL;
  if (posix_memalign(&p, 64, (n ? n : 8) * sizeof(double)))
    return NULL;
  memset(p, 0, (n ? n : 8) * sizeof(double));
  return p;
}

/* Whether b belongs to the same segment as a. */
static bool continues(const cst_substep *a, const cst_substep *b, const cst_system *s) {
  if (a->row != b->row)
    return false;
  const cst_substep_size x = a->row->size(a->data, s);
  const cst_substep_size y = b->row->size(b->data, s);
  return x.unknowns == y.unknowns && x.stages == y.stages && x.each == y.each;
}

bool cst_stepper_iteration_possible(cst_iteration asked, const cst_system *s) {
  return asked == CST_ITERATION_AUTO || asked == CST_ITERATION_KRYLOV ||
         (s->nq <= CST_MAX_Q && s->ng <= CST_MAX_G && !s->model->gram.banded);
}

static cst_iteration iteration_for(cst_iteration asked, const cst_system *s) {
  if (asked != CST_ITERATION_AUTO)
    return asked;
  return cst_stepper_iteration_possible(CST_ITERATION_SIMPLIFIED, s) ? CST_ITERATION_SIMPLIFIED
                                                                     : CST_ITERATION_KRYLOV;
}

static cst_context context_of(const cst_stepper *st, const cst_system *s, int isa, cst_layout at) {
  cst_context c = cst_context_of(s, isa, at);
  c.tangential = st->tangential;
  if (st->flat) { /* compiled code divides by masses */
    c.flat = true;
    c.gram = NULL;
  }
  return c;
}

static void fill_march(cst_stepper *st, cst_segment *g, const cst_system *s,
                       const cst_stepper_options *o, int *warm) {
  const cst_substep     *first = &st->program->step[g->first];
  const cst_substep_size size = first->row->size(first->data, s);
  cst_march             *m = &g->march;
  m->group = context_of(st, s, o->isa, st->inner);
  m->opens = g->first == 0;
  m->sub = g->sub;
  m->stages = size.stages;
  m->unknowns = size.unknowns;
  m->warm = *warm;
  m->max_iterations = o->max_iterations;
  m->compensated = o->compensated || cst_program_always_compensates(st->program);
  m->smooth = st->smooth;
  m->origin = st->origin;
  m->since = st->since;
  *warm += m->nsub * cst_substep_kept(&size, m->smooth);
}

/* ---- noise ----------------------------------------------------------------------------------- */

static const cst_noise *find_noise(const cst_stepper *st, int substep) {
  for (int i = 0; i < st->nnoise; i++)
    if (st->noise[i].behind == substep)
      return &st->noise[i].noise;
  return NULL;
}

static bool is_opening(const cst_substep *x) { return x->row->opens; }

/* Removes noise from the program if the substep before it applies it; otherwise keeps it as a substep that
 * applies its own noise. Removes what opens steps. */
static void divide_program(cst_stepper *st, const cst_program *from) {
  cst_program *p = st->program = cst_need(calloc(1, sizeof *p));
  st->noise = cst_zeros(from->n, sizeof *st->noise);
  for (int i = 0; i < from->n; i++) {
    const cst_substep x = from->step[i];
    const bool        given = p->n > 0 && !find_noise(st, p->n - 1) &&
                       cst_substep_generic(p->step[p->n - 1].row, st->isa)->takes_noise;
    if (!is_opening(&x) && (!x.row->noise || !given))
      cst_program_add(p, x);
    if (x.row->noise)
      st->noise[st->nnoise++] = (cst_stepper_noise){.kick = x, .behind = p->n - 1};
  }
}

/* ---- data for lane code ---------------------------------------------------------------------- */

/* Finds the blocks of a kind of substep among those of the record. */
static int find_state(const cst_stepper *st, const cst_substep_row *row,
                      const cst_state_place **state) {
  int n = 0;
  for (const cst_state_block *b = row->state; b && b->name; b++)
    for (int i = 0; i < st->nstate; i++)
      if (!strcmp(st->state[i].name, b->name))
        state[n++] = &st->state[i];
  return n;
}

int cst_stepper_state(const cst_stepper *st, const char *name) {
  for (int i = 0; i < st->nstate; i++)
    if (!strcmp(st->state[i].name, name))
      return st->shift + st->state[i].at;
  return -1;
}

/* The data of a substep for lane code. */
static cst_error bind(cst_stepper *st, const cst_substep *x, const cst_system *s,
                      const cst_stepper_options *o, cst_lane_substep *to) {
  const cst_state_place *state[CST_MAX_STATE];
  int                    at[CST_MAX_STATE];
  const int              n = find_state(st, x->row, state);
  for (int k = 0; k < n; k++)
    at[k] = state[k]->at;
  const cst_lane_binding with = {s, o->isa, iteration_for(o->iteration, s), at, st};
  if (x->row->bind)
    CST_TRY(x->row->bind(x->data, &with, to->data));
  else
    memcpy(to->data, x->data, x->row->data);
  return 0;
}

/* What opens steps, each once, however often the method names it. */
static cst_error make_openings(cst_stepper *st, const cst_system *s, const cst_stepper_options *o) {
  const cst_program *p = st->whole;
  const cst_substep *made[p->n];
  st->opening = cst_need((void *)aligned((size_t)p->n * sizeof *st->opening / sizeof(double)));
  for (int i = 0; i < p->n; i++) {
    const cst_substep   *x = &p->step[i];
    cst_stepper_opening *to = &st->opening[st->nopening];
    bool                 known = !is_opening(x);
    for (int k = 0; k < st->nopening && !known; k++)
      known = made[k]->row == x->row && x->row->same(made[k]->data, x->data);
    if (known)
      continue;
    to->open = x->row->opens(o->isa);
    to->march = (cst_march){.group = context_of(st, s, o->isa, st->inner),
                            .nsub = 1,
                            .sub = &to->sub,
                            .origin = st->origin,
                            .since = st->since};
    CST_TRY(bind(st, x, s, o, &to->sub));
    made[st->nopening++] = x;
  }
  return 0;
}

/* ---- segments -------------------------------------------------------------------------------- */

static cst_error make_segment(cst_stepper *st, cst_segment *g, int first, const cst_system *s,
                              const cst_stepper_options *o, int *warm) {
  const cst_program     *p = st->program;
  const cst_substep_row *row = p->step[first].row;
  g->first = first;
  for (int i = first; i < p->n && continues(&p->step[first], &p->step[i], s); i++)
    g->march.nsub++;
  g->alone = cst_substep_generic(row, o->isa);
  const bool general = o->compensated || st->flat;
  g->core = general ? g->alone : cst_substep_core(row, s, o->isa);
  g->solo = general || !row->solo ? NULL : cst_system_form(s, o->isa, row->solo);
  const size_t bytes = (size_t)g->march.nsub * sizeof *g->sub;
  g->sub = cst_need(aligned_alloc(64, (bytes + 63) / 64 * 64));
  memset(g->sub, 0, bytes);
  fill_march(st, g, s, o, warm);
  for (int j = 0; j < g->march.nsub; j++) {
    g->sub[j].noise = find_noise(st, first + j);
    CST_TRY(bind(st, &p->step[first + j], s, o, &g->sub[j]));
  }
  return 0;
}

static cst_error make_segments(cst_stepper *st, const cst_system *s, const cst_stepper_options *o) {
  const cst_program *p = st->program;
  int                warm = st->inner.own;
  st->smooth = st->nnoise == 0;
  st->state = cst_program_state(st->whole, s, warm, &st->nstate);
  for (int i = 0; i < st->nstate; i++)
    warm += st->state[i].n;
  st->segment = cst_need((void *)aligned((size_t)p->n * (sizeof *st->segment / sizeof(double))));
  for (int first = 0; first < p->n; st->nsegment++) {
    cst_segment *g = &st->segment[st->nsegment];
    CST_TRY(make_segment(st, g, first, s, o, &warm));
    first += g->march.nsub;
  }
  st->segment[st->nsegment - 1].march.closes = 1;
  st->recent = st->components = st->shift + warm;
  if (st->window)
    st->components += (st->window + 1) * st->outer.ng;
  st->moving = (size_t)st->recent * (size_t)st->width;
  st->size = (size_t)st->components * (size_t)st->width;
  return 0;
}

/* One workspace for all segments, since only one is active at a time. */
static cst_error make_space(cst_stepper *st) {
  size_t most = 0, solo = 0;
  for (int i = 0; i < st->nsegment; i++) {
    const cst_segment *g = &st->segment[i];
    most = CST_LARGER(most, CST_LARGER(g->alone->room(&g->march), g->core->room(&g->march)));
    if (g->solo)
      solo = CST_LARGER(solo, g->solo->room(&g->march));
  }
  st->space = aligned(most * (size_t)st->width);
  if (solo)
    st->solo_space = aligned(solo * (size_t)st->width);
  CST_CHECK(st->space && (!solo || st->solo_space), MPI_COMM_SELF, CST_ERR_MEM,
            "no memory for the work space of a step");
  for (int i = 0; i < st->nsegment; i++)
    st->segment[i].march.group.work = st->space;
  return 0;
}

/* A trail is kept where the march of a step is a single one, and observers read nothing of a record that the
 * march changes but q and p; of large systems, caches would not hold it. */
static cst_error make_trail(cst_stepper *st, const cst_system *s) {
  const size_t most = 1 << 16, n = (size_t)CST_TRAIL * 2 * (size_t)s->nq * (size_t)st->width;
  if (st->nsegment > 1 || st->nopening || st->shift || cst_has(s, CST_TIMED) ||
      !st->segment[0].core->keeps_trail)
    return 0;
  if (n * sizeof(double) > most)
    return 0;
  st->trail = aligned(CST_BESIDE * n);
  CST_CHECK(st->trail, MPI_COMM_SELF, CST_ERR_MEM, "no memory for the states of %d steps",
            CST_TRAIL);
  return 0;
}

/* Sets the layouts of the two parts of a record. */
static void lay_out(cst_stepper *st, const cst_system *asked, const cst_system *stepped, int isa) {
  st->layout = cst_layout_of(asked->npar, asked->model->nmass, asked->nq, asked->ng);
  st->inner = cst_layout_of(stepped->npar, stepped->model->nmass, stepped->nq, stepped->ng);
  if (stepped != asked)
    st->shift = st->layout.own;
  st->outer = context_of(st, asked, isa, st->layout);
}

cst_error cst_stepper_create(const cst_prepared *p, const cst_stepper_options *o,
                             cst_stepper **stepper) {
  const cst_properties *has = &p->properties;
  cst_stepper          *st;
  int                   most = 0;
  *stepper = NULL;
  CST_CHECK(cst_isa_available(o->isa) && cst_program_is_built(p->program, o->isa), MPI_COMM_SELF,
            CST_ERR_SUP,
            "%s: no lane code that this CPU can run for row %d of the instruction sets",
            cst_method_label(p->method), o->isa);
  st = cst_need((void *)aligned(sizeof *st / sizeof(double)));
  *stepper = st;
  st->isa = o->isa;
  st->more = p->more;
  st->whole = p->program;
  divide_program(st, p->program);
  CST_CHECK(!o->compensated || cst_program_compensates(st->program), MPI_COMM_SELF, CST_ERR_SUP,
            "%s has no compensated form on %s", cst_method_label(p->method), p->stepped->name);
  st->width = cst_isas[o->isa].width;
  st->groups = o->groups;
  st->first_impulse = has->first_impulse > 0 ? has->first_impulse : 1;
  st->tangential = has->tangential;
  st->flat = p->flat;
  st->mean = has->mean;
  st->window = o->step != 0 ? (int)cst_properties_window(has, o->step) : has->mean > 0;
  lay_out(st, p->asked, p->stepped, o->isa);
  st->more_iterations = 4 * o->max_iterations;
  CST_TRY(make_segments(st, p->stepped, o));
  CST_TRY(make_openings(st, p->stepped, o));
  CST_TRY(make_space(st));
  CST_TRY(make_trail(st, p->stepped));
  st->guard = cst_guard_create(p->asked, o->isa, &st->layout);
  for (int i = 0; i < st->nsegment; i++)
    most = CST_LARGER(most, st->segment[i].march.unknowns);
  st->work = aligned(3 * st->size);
  st->saved = aligned(st->size * (size_t)o->groups);
  st->scratch = (cst_scratch *)aligned(sizeof(cst_scratch) / sizeof(double) * (size_t)o->groups);
  CST_CHECK(st->work && st->saved && st->scratch, MPI_COMM_SELF, CST_ERR_MEM,
            "no memory for %d groups of lanes", o->groups);
  if (o->petsc)
    CST_TRY(cst_stepper_single_create(st, o->max_iterations));
  else if (!o->bare && cst_petsc_is_on())
    CST_TRY(cst_solver_create(cst_stepper_equations(st), o->groups, st->width, most,
                              o->max_iterations, &st->solver));
  return 0;
}

cst_error cst_stepper_destroy(cst_stepper **stepper) {
  cst_stepper *st = *stepper;
  if (!st)
    return 0;
  CST_TRY(cst_stepper_single_destroy(st));
  for (int i = 0; i < st->nsegment; i++)
    free(st->segment[i].sub);
  free(st->segment);
  for (int i = 0; i < st->nflow; i++)
    cst_flow_destroy(st->flow[i].flow);
  free(st->flow);
  for (int i = 0; i < st->nnumbers; i++)
    free(st->numbers[i]);
  free(st->numbers);
  for (int i = 0; i < st->nshared; i++)
    st->shared[i].end(st->shared[i].made);
  free(st->shared);
  free(st->state);
  free(st->noise);
  free(st->opening);
  cst_program_destroy(st->program);
  CST_TRY(cst_solver_destroy(&st->solver));
  cst_guard_destroy(st->guard);
  free(st->work);
  free(st->saved);
  free(st->space);
  free(st->solo_space);
  free(st->trail);
  free(st->scratch);
  free(*stepper);
  *stepper = NULL;
  return 0;
}

void cst_stepper_halt_by(cst_stepper *st, cst_halt *halt, void *context) {
  st->halt = halt;
  st->halt_context = context;
  st->halted = false;
}

bool cst_stepper_halted(const cst_stepper *st) { return st->halted; }

int               cst_stepper_groups(const cst_stepper *s) { return s->groups; }
int               cst_stepper_width(const cst_stepper *s) { return s->width; }
const cst_layout *cst_stepper_layout(const cst_stepper *s) { return &s->layout; }
size_t            cst_stepper_record_size(const cst_stepper *s) { return s->size; }

void cst_stepper_start(const cst_stepper *st, double *column, const double *c, const double *q,
                       const double *v) {
  const cst_system      *s = st->segment[0].march.group.system;
  const cst_state_place *state[CST_MAX_STATE];
  double                *block[CST_MAX_STATE], all[CST_MAX_PAR] = {0};
  if (st->shift)
    begin_other(st, column, c, q);
  memcpy(all, c, (size_t)st->outer.npar * sizeof *c);
  for (int i = st->outer.npar; i < s->npar; i++)
    all[i] = st->more[i - st->outer.npar];
  for (int i = 0; i < st->whole->n; i++) {
    const cst_substep *x = &st->whole->step[i];
    const int          n = x->row->start ? find_state(st, x->row, state) : 0;
    for (int k = 0; k < n; k++)
      block[k] = cst_zeros(state[k]->n, sizeof **block);
    if (n)
      x->row->start(x->data, s, all, q, v, block);
    for (int k = 0; k < n; k++) {
      for (int e = 0; e < state[k]->n; e++)
        column[(st->shift + state[k]->at + e) * st->width] = block[k][e];
      free(block[k]);
    }
  }
}

static bool is_vector(const cst_stepper *st, const char *name) {
  for (int i = 0; i < st->whole->n; i++)
    for (const cst_state_block *b = st->whole->step[i].row->state; b && b->name; b++)
      if (!strcmp(b->name, name))
        return b->q > 0 || b->body > 0;
  return false;
}

int cst_stepper_vectors(const cst_stepper *st, cst_column_part part[CST_COLUMN_PARTS]) {
  const int nq = st->outer.nq;
  int       n = 0;
  part[n++] = (cst_column_part){st->layout.q, nq};
  part[n++] = (cst_column_part){st->layout.p, nq};
  if (st->shift) {
    part[n++] = (cst_column_part){st->shift + st->inner.q, nq};
    part[n++] = (cst_column_part){st->shift + st->inner.p, nq};
  }
  for (int i = 0; i < st->nstate && n < CST_COLUMN_PARTS; i++)
    if (st->state[i].n && is_vector(st, st->state[i].name))
      part[n++] = (cst_column_part){st->shift + st->state[i].at, st->state[i].n};
  return n;
}

void cst_stepper_lambda(const cst_stepper *st, const double *record, long step, double *lambda) {
  if (st->shift) {
    springs(st, record, lambda);
    return;
  }
  const double  part = step == 1 ? st->first_impulse : 1;
  const double *impulse = record + (size_t)st->layout.impulse * (size_t)st->width;
  const double *h = record + (size_t)st->layout.h * (size_t)st->width;
  for (int k = 0; k < st->outer.ng * st->width; k++)
    lambda[k] = impulse[k] * (1 / (h[k % st->width] * part));
}

const cst_context *cst_stepper_context(const cst_stepper *s) { return &s->outer; }

const cst_march *cst_stepper_march(cst_stepper *st, const double *record) {
  cst_stepper_take_steps(st, record + (size_t)st->shift * (size_t)st->width);
  return &st->segment[0].march;
}

void cst_stepper_evaluations(const cst_stepper *st, double *per_step, double *per_iteration) {
  *per_step = *per_iteration = 0;
  for (int i = 0; i < st->program->n; i++) {
    const cst_substep     *x = &st->program->step[i];
    const cst_substep_size size = x->row->size(x->data, st->segment[0].march.group.system);
    *per_step += size.fixed;
    if (size.each > 0)
      *per_iteration = size.each;
  }
}

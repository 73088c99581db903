/* stepper.c: sets up a program as segments of substeps of one kind, which stepper-march.c advances and for
 * whose lane code stepper-bind.c finds the data. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper-internal.h"
#include "solve/petsc.h"
#include "system/lane/context.h"

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
         (s->nq <= CST_MAX_Q && s->ng <= CST_MAX_G && !s->gram.banded);
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
  *warm += m->nsub * cst_substep_kept(&size, m->smooth);
}

/* ---- noise ----------------------------------------------------------------------------------- */

static const cst_noise *find_noise(const cst_stepper *st, int substep) {
  for (int i = 0; i < st->nnoise; i++)
    if (st->noise[i].behind == substep)
      return &st->noise[i].noise;
  return NULL;
}

/* Removes noise from the program if the substep before it applies it; otherwise keeps it as a substep that
 * applies its own noise. */
static void extract_noise(cst_stepper *st, const cst_program *from) {
  cst_program *p = st->program = cst_need(calloc(1, sizeof *p));
  st->noise = cst_zeros(from->n, sizeof *st->noise);
  for (int i = 0; i < from->n; i++) {
    const cst_substep x = from->step[i];
    const bool        given = p->n > 0 && !find_noise(st, p->n - 1) &&
                       cst_substep_generic(p->step[p->n - 1].row, st->isa)->takes_noise;
    if (!x.row->noise || !given)
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

static cst_error bind(cst_stepper *st, cst_segment *g, const cst_system *s,
                      const cst_stepper_options *o) {
  const cst_state_place *state[CST_MAX_STATE];
  int                    at[CST_MAX_STATE];
  const int              n = find_state(st, st->program->step[g->first].row, state);
  for (int k = 0; k < n; k++)
    at[k] = state[k]->at;
  const cst_lane_binding with = {s, o->isa, iteration_for(o->iteration, s), at, st};
  for (int j = 0; j < g->march.nsub; j++) {
    const cst_substep *x = &st->program->step[g->first + j];
    g->sub[j].noise = find_noise(st, g->first + j);
    if (x->row->bind)
      CST_TRY(x->row->bind(x->data, &with, g->sub[j].data));
    else
      memcpy(g->sub[j].data, x->data, x->row->data);
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
  g->core = o->compensated ? g->alone : cst_substep_core(row, s, o->isa);
  g->solo = o->compensated || !row->solo ? NULL : cst_system_form(s, o->isa, row->solo);
  const size_t bytes = (size_t)g->march.nsub * sizeof *g->sub;
  g->sub = cst_need(aligned_alloc(64, (bytes + 63) / 64 * 64));
  memset(g->sub, 0, bytes);
  fill_march(st, g, s, o, warm);
  CST_TRY(bind(st, g, s, o));
  return 0;
}

static cst_error make_segments(cst_stepper *st, const cst_system *s, const cst_stepper_options *o) {
  const cst_program *p = st->program;
  int                warm = st->inner.own;
  st->smooth = st->nnoise == 0;
  st->state = cst_program_state(p, s, warm, &st->nstate);
  for (int i = 0; i < st->nstate; i++)
    warm += st->state[i].n;
  st->segment = cst_need((void *)aligned((size_t)p->n * (sizeof *st->segment / sizeof(double))));
  for (int first = 0; first < p->n; st->nsegment++) {
    cst_segment *g = &st->segment[st->nsegment];
    CST_TRY(make_segment(st, g, first, s, o, &warm));
    first += g->march.nsub;
  }
  st->segment[st->nsegment - 1].march.closes = 1;
  st->components = st->shift + warm;
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
  if (st->nsegment > 1 || st->shift || s->timed || !st->segment[0].core->keeps_trail)
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
  st->layout = cst_layout_of(asked->npar, asked->nmass, asked->nq, asked->ng);
  st->inner = cst_layout_of(stepped->npar, stepped->nmass, stepped->nq, stepped->ng);
  st->acc = st->layout.own;
  if (stepped != asked)
    st->shift = st->acc + (st->mean > 0 ? CST_READERS : 1) * (asked->ng + 1);
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
  st = cst_zeros(1, sizeof *st);
  *stepper = st;
  st->isa = o->isa;
  st->more = p->more;
  extract_noise(st, p->program);
  CST_CHECK(!o->compensated || cst_program_compensates(st->program), MPI_COMM_SELF, CST_ERR_SUP,
            "%s has no compensated form on %s", cst_method_label(p->method), p->stepped->name);
  st->width = cst_isas[o->isa].width;
  st->groups = o->groups;
  st->first_impulse = has->first_impulse > 0 ? has->first_impulse : 1;
  st->tangential = has->tangential;
  st->mean = has->mean;
  lay_out(st, p->asked, p->stepped, o->isa);
  st->more_iterations = 4 * o->max_iterations;
  CST_TRY(make_segments(st, p->stepped, o));
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
    cst_stepper_begin(st, column, c, q);
  memcpy(all, c, (size_t)st->outer.npar * sizeof *c);
  for (int i = st->outer.npar; i < s->npar; i++)
    all[i] = st->more[i - st->outer.npar];
  for (int i = 0; i < st->program->n; i++) {
    const cst_substep *x = &st->program->step[i];
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
  for (int i = 0; i < st->program->n; i++)
    for (const cst_state_block *b = st->program->step[i].row->state; b && b->name; b++)
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

void cst_stepper_read_at(cst_stepper *st, cst_next_read *next, void *context) {
  st->reader = next;
  st->reader_context = context;
}

void cst_stepper_read_for(cst_stepper *st, cst_readers readers) { st->readers = readers; }

void cst_stepper_lambda(const cst_stepper *st, const double *record, long step, double *lambda) {
  if (st->shift) {
    cst_stepper_springs(st, record, lambda);
    return;
  }
  const double  part = step == 1 ? st->first_impulse : 1;
  const double *impulse = record + (size_t)st->layout.impulse * (size_t)st->width;
  for (int k = 0; k < st->outer.ng * st->width; k++)
    lambda[k] = impulse[k] * (1 / (st->h_of[k % st->width] * part));
}

const cst_context *cst_stepper_context(const cst_stepper *s) { return &s->outer; }
const cst_march   *cst_stepper_march(const cst_stepper *s) { return &s->segment[0].march; }

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

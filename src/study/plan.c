/* plan.c: turns a study into classes of cases, batches of lanes and the steps at which something is looked at. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "method/method.h"
#include "study/names.h"
#include "study/run.h"

enum {
  BATCH_BYTES = 512 * 1024,
  LARGE_BATCH_BYTES = 32 << 20,
  GROUP_BYTES = 1 << 20,
  BATCH_LEAST = CST_W_MAX,
  BATCH_MOST = 4096,
  BATCHES_A_RANK = 16,
  OBSERVE_MOST = 15,
  OBSERVE_TIMES = 1024
};

static void *need(void *p) {
  if (!p) abort();
  return p;
}

/* Fold at every k-th step, k the largest odd number not above min(15, n / 1024), at least 1. */
static long observe_every(const cst_study *s, long n) {
  long k = n / OBSERVE_TIMES < OBSERVE_MOST ? n / OBSERVE_TIMES : OBSERVE_MOST;
  if (s->observe_every || k < 1) return 1;
  return k % 2 ? k : k - 1;
}

/* At most `count` steps of 0..n, even or, behind 0, even in the logarithm; 0 and n among them. */
static int sample_steps(const cst_study *s, long n, long **steps) {
  int  k = 0;
  long last = -1;
  *steps = NULL;
  if (s->samples <= 0) return 0;
  const int count = s->samples < 2 ? 2 : s->samples;
  *steps = need(calloc((size_t)count, sizeof **steps));
  for (int i = 0; i < count; i++) {
    double part = s->samples_log ? (i - 1.0) / (count - 2) : i / (count - 1.0);
    double at = i == 0 ? 0 : s->samples_log ? cst_exp(cst_log((double)n) * part) : (double)n * part;
    long   step = i == count - 1 ? n : lround(at);
    if (step > last && step <= n) (*steps)[k++] = last = step;
  }
  return k;
}

/* Steps between reads of the error: 1 on the mesh, the coarse mesh's spacing, or the whole run. */
static long read_every(const cst_study *s, const cst_case *c) {
  const cst_case *coarsest = c - c->step; /* the steps of a method decrease */
  if (s->reference == CST_REFERENCE_NONE) return 0;
  if (s->over == CST_OVER_MESH) return 1;
  return s->over == CST_OVER_COARSE ? c->n / coarsest->n : c->n;
}

/* On the coarse mesh multipliers are compared at its own points t_0 .. t_(N-1) where a step's belong to its left end: those of the step
 * that begins there. */
static long read_lead(const cst_plan *p, const cst_case *c) {
  return p->study->over == CST_OVER_COARSE && p->study->system->ng > 0 && p->properties[c->method].lambda_time == 0;
}

static int find_class(cst_plan *p, const cst_case *c) {
  const long read = read_every(p->study, c);
  for (int k = 0; k < p->nclass; k++)
    if (p->classes[k].method == c->method && p->classes[k].h == c->h && p->classes[k].n == c->n && p->classes[k].read == read) return k;
  cst_class *k = &p->classes[p->nclass];
  k->method = c->method;
  k->h = c->h;
  k->n = c->n;
  k->observe = observe_every(p->study, c->n);
  k->read = read;
  k->lead = read_lead(p, c);
  k->nsample = sample_steps(p->study, c->n, &k->sample);
  k->cases = need(calloc((size_t)p->ncase, sizeof *k->cases));
  if (k->nsample > p->most_samples) p->most_samples = k->nsample;
  return p->nclass++;
}

static void make_classes(cst_plan *p) {
  p->classes = need(calloc((size_t)p->ncase + 1, sizeof *p->classes));
  p->class_of = need(calloc((size_t)p->ncase + 1, sizeof *p->class_of));
  for (int i = 0; i < p->ncase; i++) {
    int        at = find_class(p, &p->cases[i]);
    cst_class *k = &p->classes[at];
    p->class_of[i] = at;
    k->cases[k->ncase++] = i;
    k->lanes = k->ncase * p->study->members;
  }
}

/* ---- quantities --------------------------------------------------------------------------------------------------------- */

static cst_quantity *add_quantity(cst_plan *p, const char *name, const char *doc, bool drifts) {
  cst_quantity *x = &p->quantity[p->nquantity++];
  snprintf(x->name, sizeof x->name, "%s", name);
  x->unit = "1";
  x->doc = doc;
  x->drifts = drifts;
  return x;
}

static void add_expression(cst_plan *p, const cst_observable *o) {
  const cst_system *s = p->study->system;
  cst_names         names = cst_names_create(s, s->graph);
  cst_expr_error    error;
  cst_node          node = cst_expr_parse(s->graph, o->expression, names.name, names.n, &error);
  cst_names_destroy(&names);
  if (node < 0) abort(); /* the reader has checked it */
  add_quantity(p, o->name, o->expression, true)->tape = cst_tape_create(s->graph, &node, 1);
  p->needs_lambda |= cst_graph_depends(s->graph, node, 'l');
}

static const struct {
  unsigned    want;
  const char *doc;
} hidden[] = {[CST_NORM_MAX] = {0, "max_j |(G v)_j|"},
              [CST_NORM_ONE] = {CST_WANT_HIDDEN_ONE, "sum_j |(G v)_j|"},
              [CST_NORM_TWO] = {CST_WANT_HIDDEN_TWO, "sqrt(sum_j (G v)_j^2)"}};

static void make_quantities(cst_plan *p) {
  const cst_study *s = p->study;
  p->quantity = need(calloc((size_t)(cst_builtin_count(s->system->nsym) + s->nobservable), sizeof *p->quantity));
  add_quantity(p, "energy", "T + V", true);
  for (int k = 0; k < s->system->nsym; k++) add_quantity(p, s->system->symmetry[k], "momentum map <p, xi(q)>", true);
  add_quantity(p, "constraint", "largest |g_j|", false);
  add_quantity(p, "constraint_scaled", "largest |g_j| / s_j, s_j = sum_k |G_jk| |q_k|", false);
  add_quantity(p, "hidden", hidden[s->hidden].doc, false);
  add_quantity(p, "hidden_scaled", "largest |(G v)_j| over sum_k |G_jk| times the largest |v_k| so far", false);
  add_quantity(p, "displacement", "|q(t) - q(0)|", false);
  p->nbuiltin = p->nquantity;
  p->want = hidden[s->hidden].want;
  for (int i = 0; i < s->nobservable; i++) {
    const char *name = s->observable[i].name;
    if (s->observable[i].expression)
      add_expression(p, &s->observable[i]);
    else if (!strcmp(name, "energy"))
      p->want |= CST_WANT_ENERGY;
    else if (!strcmp(name, "momentum"))
      p->want |= CST_WANT_MOMENTUM;
    else
      p->want |= CST_WANT_CONSTRAINT;
  }
}

/* ---- batches ------------------------------------------------------------------------------------------------------------ */

/* The largest matrices of a solver, in numbers a lane, and the most unknowns that a method keeps from step to step. */
static void solver_numbers(const cst_study *s, double *matrix, double *kept) {
  *matrix = *kept = 0;
  for (int i = 0; i < s->nmethod; i++) {
    cst_program *p = cst_program_create(s->method[i]);
    double       own = 0;
    for (int k = 0; k < p->n; k++) {
      *matrix = fmax(*matrix, cst_instruction_matrix(&p->step[k], s->system));
      own += cst_instruction_kept(&p->step[k], s->system);
    }
    *kept = fmax(*kept, own);
    cst_program_destroy(p);
  }
}

static double lane_bytes(const cst_study *study) {
  const cst_system *s = study->system;
  double            matrix, kept;
  solver_numbers(study, &matrix, &kept);
  return 8.0 * (kept + s->npar + s->nmass + 3.0 * s->ng + 2 + 4.0 * s->nq + (s->nsym + 6.0) * CST_SLOTS);
}

/* What the arithmetic of one group needs besides, a lane: matrices of Newton's method. */
static double work_bytes(const cst_study *study) {
  const cst_system *s = study->system;
  double            matrix, kept;
  solver_numbers(study, &matrix, &kept);
  return 8.0 * matrix + 8.0 * (s->gram.size + 2.0 * s->pattern[CST_K_G].n + s->pattern[CST_K_d2V].n + s->pattern[CST_K_M].n +
                               s->pattern[CST_K_Lvq].n + s->pattern[CST_K_Lqq].n);
}

static long most_lanes(const cst_plan *p) {
  long most = 0;
  for (int k = 0; k < p->nclass; k++) most = p->classes[k].lanes > most ? p->classes[k].lanes : most;
  return most;
}

/* Few trajectories would leave most lanes of a wide set idle, and large groups fall out of the caches: both take a narrower set, whose bits
 * are the same. CONSTELLA_ISA is obeyed. */
static int fitting_isa(const cst_plan *p, int isa) {
  const char  *forced = getenv("CONSTELLA_ISA");
  const double bytes = lane_bytes(p->study) + work_bytes(p->study);
  for (int i = 0; i < isa && (!forced || !*forced); i++) {
    const bool last = cst_isas[i].width >= most_lanes(p), next_falls_out = 2 * cst_isas[i].width * bytes > GROUP_BYTES;
    if (cst_isa_available(i) && (last || next_falls_out)) return i;
  }
  return isa;
}

static double program_cost(const cst_method *m, const cst_system *s) {
  cst_program *p = cst_program_create(m);
  double       sum = 0;
  for (int i = 0; i < p->n; i++) sum += cst_instruction_cost(&p->step[i], s);
  cst_program_destroy(p);
  return sum;
}

/* The same of one fold of all quantities. */
static double look_cost(const cst_plan *p) {
  const cst_system *s = p->study->system;
  return 0.8 * p->nquantity + 0.5 * (s->nq + s->pattern[CST_K_G].n + s->pattern[CST_K_xi].n);
}

/* Lanes of one class at the same step, side by side. */
typedef struct {
  int          n, room;
  cst_stretch *stretch;
  int         *piece; /* as in cst_work */
} agenda;

static void put(agenda *a, cst_stretch s, int piece) {
  if (a->n == a->room) {
    a->room = a->room ? 2 * a->room : 64;
    a->stretch = need(realloc(a->stretch, (size_t)a->room * sizeof *a->stretch));
    a->piece = need(realloc(a->piece, (size_t)a->room * sizeof *a->piece));
  }
  a->piece[a->n] = piece;
  a->stretch[a->n++] = s;
}

static void discard(agenda *a) {
  free(a->stretch);
  free(a->piece);
}

static long batches(const agenda *a, long size) {
  long n = 0;
  for (int i = 0; i < a->n; i++) n += (a->stretch[i].count + size - 1) / size;
  return n;
}

/* What keeps a batch in the second-level cache, or one of a large system within bounds, and gives every rank enough batches, down to one
 * group; no more than there is. */
static long default_batch(const cst_plan *p, const agenda *a, int ranks) {
  const double bytes = lane_bytes(p->study);
  const long   width = cst_isas[p->isa].width, lanes = (most_lanes(p) + width - 1) / width * width;
  long         size = BATCH_MOST;
  while (size > 256 && (double)size * bytes > BATCH_BYTES) size /= 2;
  while (size > BATCH_LEAST && (double)size * bytes > LARGE_BATCH_BYTES) size /= 2;
  while (size > BATCH_LEAST && batches(a, size) < (long)BATCHES_A_RANK * ranks) size /= 2;
  return lanes > 0 && size > lanes ? lanes : size;
}

static int dearer(const void *a, const void *b) {
  const cst_work *x = a, *y = b;
  if (x->cost != y->cost) return x->cost < y->cost ? 1 : -1;
  if (x->klass != y->klass) return x->klass - y->klass;
  return (x->first > y->first) - (x->first < y->first);
}

/* Pieces come first, so that what an earlier run left behind is soon of no use. */
static int sooner(const void *a, const void *b) {
  const cst_work *x = a, *y = b;
  if ((x->piece < 0) != (y->piece < 0)) return x->piece < 0 ? 1 : -1;
  return dearer(a, b);
}

static void make_work(cst_plan *p, const agenda *a) {
  free(p->work);
  p->work = need(calloc((size_t)batches(a, p->batch) + 1, sizeof *p->work));
  p->nwork = 0;
  for (int i = 0; i < a->n; i++) {
    const cst_stretch *s = &a->stretch[i];
    const cst_class   *k = &p->classes[s->klass];
    for (long at = 0; at < s->count; at += p->batch) {
      const long count = s->count - at < p->batch ? s->count - at : p->batch;
      p->work[p->nwork++] = (cst_work){s->klass, s->first + at, count, (double)count * (double)k->n * k->cost, a->piece[i], at};
    }
  }
  qsort(p->work, (size_t)p->nwork, sizeof *p->work, sooner);
}

static void cut(cst_plan *p, const agenda *a, int ranks, long batch) {
  p->batch = batch > 0 ? (batch + BATCH_LEAST - 1) / BATCH_LEAST * BATCH_LEAST : default_batch(p, a, ranks);
  make_work(p, a);
}

static void cut_all(cst_plan *p, int ranks, long batch) {
  agenda a = {0};
  for (int k = 0; k < p->nclass; k++) put(&a, (cst_stretch){k, 0, p->classes[k].lanes, 0}, -1);
  cut(p, &a, ranks, batch);
  discard(&a);
}

static void put_open(agenda *a, int klass, const unsigned char *lane, long lanes) {
  for (long from = 0, to; from < lanes; from = to) {
    for (to = from + 1; to < lanes && lane[to] == lane[from];) to++;
    if (lane[from] == CST_LANE_OPEN) put(a, (cst_stretch){klass, from, to - from, 0}, -1);
  }
}

void cst_plan_take_up(cst_plan *p, int ranks, long batch, unsigned char *const *lane, const cst_stretch *pieces, int n) {
  agenda a = {0};
  for (int i = 0; i < n; i++) put(&a, pieces[i], i);
  for (int k = 0; k < p->nclass; k++) put_open(&a, k, lane[k], p->classes[k].lanes);
  cut(p, &a, ranks, batch);
  p->left = 0;
  for (int i = 0; i < a.n; i++) {
    const cst_stretch *s = &a.stretch[i];
    p->left += (double)s->count * (double)(p->classes[s->klass].n - s->step) * p->classes[s->klass].cost;
  }
  discard(&a);
}

/* Whether `test` holds for the program of method i. */
static bool is_so(const cst_study *s, int i, bool (*test)(const cst_program *)) {
  cst_program *p = cst_program_create(s->method[i]);
  const bool   so = test(p);
  cst_program_destroy(p);
  return so;
}

static bool are_all_so(const cst_study *s, bool (*test)(const cst_program *)) {
  bool all = true;
  for (int i = 0; i < s->nmethod; i++) all &= is_so(s, i, test);
  return all;
}

/* Methods, and systems, that have no compensated form cannot run in a study that asks for it. */
static void check_compensated(const cst_study *s, cst_diag *d) {
  if (!s->compensated) return;
  if (s->system->general && !are_all_so(s, cst_program_always_compensates))
    cst_diag_add(d, s->file, 1, 1,
                 "%s has no compensated form: its mass is not a constant diagonal or it has gyroscopic terms; leave out roundoff: "
                 "{compensated: true}",
                 s->system->name);
  for (int i = 0; i < s->nmethod; i++)
    if (!is_so(s, i, cst_program_compensates))
      cst_diag_add(d, s->file, 1, 1,
                   "'%s' has no compensated form; with roundoff: {compensated: true} only euler-a, euler-b, shake, rattle, hbvm(...) and "
                   "their compositions run",
                   cst_method_label(s->method[i]));
}

static bool has(const cst_program *p, cst_core_id core) {
  bool found = false;
  for (int i = 0; i < p->n; i++) found |= p->step[i].core == core;
  return found;
}

static bool has_no_conversion(const cst_program *p) { return !has(p, CST_CORE_convert); }
static bool has_no_line(const cst_program *p) { return !has(p, CST_CORE_hbvm); }

/* What solver: {iteration:} says must be possible and must matter. */
static void check_iteration(const cst_study *s, cst_diag *d) {
  const bool converts = !are_all_so(s, has_no_conversion), lines = !are_all_so(s, has_no_line);
  const bool newton = s->iteration == CST_ITERATION_NEWTON || s->iteration == CST_ITERATION_SIMPLIFIED;
  if (s->iteration != CST_ITERATION_AUTO && !converts && !(lines && newton))
    cst_diag_add(d, s->file, 1, 1,
                 "'iteration' is for convert(...), simplified and newton also for hbvm(...), and no method of this study heeds it");
  if (converts && !cst_iteration_possible(s->iteration, s->system))
    cst_diag_add(
        d, s->file, 1, 1,
        "this 'iteration' of convert(...) needs dense matrices of at most %d coordinates, and %s has %d%s; leave it out or use krylov",
        CST_MAX_Q, s->system->name, s->system->nq, s->system->gram.banded ? " that couple as a band" : "");
}

cst_plan *cst_plan_create(const cst_study *s, int isa, int ranks, long batch, cst_diag *d) {
  int before = cst_diag_count(d);
  check_compensated(s, d);
  check_iteration(s, d);
  if (cst_diag_count(d) > before) return NULL;
  cst_plan *p = need(calloc(1, sizeof *p));
  p->study = s;
  p->cases = cst_study_cases(s, &p->ncase);
  p->properties = need(calloc((size_t)s->nmethod, sizeof *p->properties));
  for (int i = 0; i < s->nmethod; i++) p->properties[i] = cst_method_properties(s->method[i], s->system);
  make_classes(p);
  p->isa = fitting_isa(p, isa);
  make_quantities(p);
  for (int k = 0; k < p->nclass; k++) {
    cst_class *c = &p->classes[k];
    c->cost = program_cost(s->method[c->method], s->system) + look_cost(p) / (double)c->observe;
  }
  cut_all(p, ranks, batch);
  for (int i = 0; i < p->nwork; i++) p->cost += p->work[i].cost;
  p->left = p->cost;
  return p;
}

void cst_plan_destroy(cst_plan *p) {
  if (!p) return;
  for (int k = 0; k < p->nclass; k++) {
    free(p->classes[k].cases);
    free(p->classes[k].sample);
  }
  for (int i = 0; i < p->nquantity; i++) cst_tape_destroy(p->quantity[i].tape);
  free(p->classes);
  free(p->class_of);
  free(p->cases);
  free(p->work);
  free(p->quantity);
  free(p->properties);
  free(p);
}

bool cst_class_reads_states(const cst_class *k, long step) { return k->read > 0 && step % k->read == 0; }
bool cst_class_reads_lambda(const cst_class *k, long step) { return k->read > 0 && (step - k->lead) % k->read == 0; }

const double *cst_plan_parameters(const cst_plan *p, int variant) {
  return p->study->parameter + (size_t)variant * (size_t)p->study->system->npar;
}

double cst_plan_steps(const cst_plan *p) {
  double sum = 0;
  for (int i = 0; i < p->ncase; i++) sum += (double)p->cases[i].n * (double)p->study->members;
  return sum;
}

static double series_cells(const cst_plan *p) { return (double)p->ncase * p->most_samples * p->nquantity; }

static int drifting(const cst_plan *p) {
  int n = 0;
  for (int i = 0; i < p->nquantity; i++) n += p->quantity[i].drifts;
  return n;
}

/* Rows of the table of reference states, where times of different cases are not taken together. */
static double reference_rows(const cst_plan *p) {
  double rows = 0;
  if (p->study->reference != CST_REFERENCE_METHOD) return 0;
  for (int i = 0; i < p->ncase; i++) {
    const cst_class *k = &p->classes[p->class_of[i]];
    const double     times = k->lead > 0 || p->properties[p->cases[i].method].lambda_time == 1 || !p->study->system->ng ? 1 : 2;
    rows += times * (double)(k->read > 0 ? k->n / k->read : 0);
  }
  return rows * (double)p->study->members;
}

/* A method keeps its batch: records, their last good columns, saved ones and the solver's vectors; with reference: self its partner's, too.
 */
double cst_plan_memory(const cst_plan *p) {
  const cst_system *s = p->study->system;
  const double      batches = 4.0 * p->study->nmethod * (p->study->reference == CST_REFERENCE_SELF ? 2 : 1);
  const double      group = cst_isas[p->isa].width * work_bytes(p->study) + 8 * reference_rows(p) * (2.0 * s->nq + s->ng);
  double lane = batches * lane_bytes(p->study) + 8.0 * (drifting(p) * CST_WINDOWS + p->nquantity * CST_FIGURES + 4.0 * s->nq + 2.0 * s->ng);
  double column = 8.0 * (double)p->study->members * (p->study->kind == CST_CONSERVATION ? drifting(p) * CST_WINDOWS : 4.0 + s->nq + s->ng);
  return 60e6 + group + lane * (double)p->batch + (p->study->members > 1 ? series_cells(p) * (sizeof(cst_sum) + 16) : 0) + column;
}

double cst_plan_file_size(const cst_plan *p) {
  const cst_system *s = p->study->system;
  double            row = 8.0 * (2.0 * s->nq + s->ng + p->nquantity * CST_FIGURES + 8) + 1;
  if (p->study->kind == CST_CONSERVATION) row += 8.0 * drifting(p) * CST_WINDOWS;
  return 2e5 + row * p->ncase * (double)p->study->members + (p->study->members > 1 ? 24 + sizeof(cst_sum) : 16) * series_cells(p);
}

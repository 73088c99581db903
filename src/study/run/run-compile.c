/* run-compile.c: the code of the system on every rank: kernels and cores of a user's system, and the cores that
 * the program lacks for one of the catalogue. Rank 0 compiles for each instruction set in use and broadcasts the
 * code, if the study asks for it or gains by it; otherwise kernels are interpreted, and cores are the generic ones.
 * The bits are the same. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/method.h"
#include "study/run/back-end.h"
#include "study/rows/collector.h"
#include "study/file/relax.h"
#include "system/compile/compile.h"

/* Approximate slowdown of the interpreter; the plan's estimate is for compiled code. */
static const double interpreted = 5;

/* The cores that step s, and that of the observers if it saves more than its compilation takes; terminated by
 * NULL. */
enum { MOST_CORES = 24 };
typedef struct {
  const char *name[MOST_CORES + 2];
} core_list;

/* Observations of single trajectories of a system, in the whole study. */
static double observations_of(const cst_system *s, const cst_plan *p) {
  double sum = 0;
  for (int i = 0; i < p->nclass; i++) {
    const cst_class *k = &p->classes[i];
    if (k->observe <= 0 || p->method[k->method]->stepped != s)
      continue;
    sum += (double)k->lanes * (double)k->n / (double)k->observe;
  }
  return sum;
}

static int add(const char *core, core_list *c, int n) {
  for (int i = 0; i < n; i++)
    if (!strcmp(c->name[i], core))
      return n;
  if (n < MOST_CORES)
    c->name[n++] = core;
  return n;
}

/* Adds the cores that collectors call on the system of the study, where their compilation pays. */
static int add_called(const cst_plan *p, core_list *c, int n) {
  const double worth = 2e7; /* calls of one lane */
  for (int i = 0; i < cst_collector_count; i++) {
    const cst_collector *x = cst_collectors[i];
    double               times = 0;
    const char *core = x->plan.calls && x->plan.wanted(p) ? x->plan.calls(p, &times) : NULL;
    if (core && (times > worth || p->study->run.compile == CST_COMPILE_ALWAYS))
      n = add(core, c, n);
  }
  return n;
}

static core_list needed(const cst_system *s, const cst_plan *p) {
  const double worth = 3e6; /* observations, from which on the compilation of folds pays */
  core_list    c = {{NULL}};
  int          n = 0;
  if (p->study->problem.flat) /* compiled cores divide by masses */
    return c;
  for (int i = 0; i < p->study->methods.n; i++)
    if (p->method[i]->stepped == s)
      n = cst_program_cores(p->method[i]->program, c.name, n, MOST_CORES);
  if (p->reference && p->reference->stepped == s)
    n = cst_program_cores(p->reference->program, c.name, n, MOST_CORES);
  if (s == p->study->problem.system)
    n = add_called(p, &c, n);
  if (observations_of(s, p) > worth)
    c.name[n] = "fold";
  return c;
}

static const core_list none = {{NULL}};

/* What a step of a group costs, over that of its lanes in the plan's estimate, which is of lanes in a group of eight. */
static double idle(const cst_plan *p) {
  const double width = cst_isas[p->isa].width;
  double       all = 0, used = 0;
  for (int i = 0; i < p->nclass; i++) {
    const cst_class *k = &p->classes[i];
    const double     steps = (double)k->n * k->cost;
    all += ceil((double)k->lanes / width) * CST_W_MAX * steps;
    used += (double)k->lanes * steps;
  }
  return used > 0 ? all / used : 1;
}

/* Seconds of all steps with compiled cores. */
static double seconds(const cst_plan *p, double left, int ranks) {
  return left * idle(p) * 1e-9 / ranks;
}

/* True if compiling the kernels takes longer than it saves. The estimate of a large system takes a while itself. */
static bool is_small(const cst_system *s, const cst_plan *p, double left, int ranks) {
  static const double least = 0.4; /* seconds of any compilation */
  const double        interpretation = interpreted * seconds(p, left, ranks);
  return interpretation < least || interpretation < cst_compile_seconds(s, p->isa, none.name);
}

/* What generic cores take more than compiled ones, over the time of these: 0.15 to 5 in 60 measured pairs of a method
 * and a system, 1.2 in the middle; kicks of small systems have the larger ones. */
static const double saved = 1.3;

/* Whether compiling the cores takes longer than it saves. */
static bool is_short(const cst_system *s, const cst_plan *p, const core_list *c, double left,
                     int ranks) {
  return saved * seconds(p, left, ranks) < cst_compile_core_seconds(s, p->isa, c->name);
}

/* What is compiled at all (kernels), and what with it; what is not may have been compiled before. */
typedef struct {
  core_list with;
  bool      kernels, cores;
  bool      cores_only; /* it has kernels: nothing is of use without the cores */
} request;

static request request_for(const cst_system *s, const cst_study *study, const cst_plan *p,
                           double left, int ranks) {
  request w = {.with = needed(s, p), .kernels = true};
  w.cores = study->run.compile == CST_COMPILE_ALWAYS || !is_short(s, p, &w.with, left, ranks);
  if (study->run.compile == CST_COMPILE_AUTO)
    w.kernels = !is_small(s, p, left, ranks);
  return w;
}

/* Of the cores those that step; false: there are no others. */
static bool drop_fold(core_list *c) {
  int n = 0;
  while (c->name[n])
    n++;
  if (!n || strcmp(c->name[n - 1], "fold"))
    return false;
  c->name[n - 1] = NULL;
  return true;
}

/* What may not be compiled may have been, with or without the cores of observers, or without any. */
static bool compile_as(const request *w, const cst_system *s, int isa, cst_code *code,
                       char why[CST_WHY]) {
  const bool cached = !w->kernels || !w->cores;
  if (cst_compile(s, isa, w->with.name, cached, code, why))
    return true;
  core_list steps = w->with;
  if (cached && drop_fold(&steps) && cst_compile(s, isa, steps.name, true, code, why))
    return true;
  return cached && !w->cores_only && cst_compile(s, isa, none.name, !w->kernels, code, why);
}

/* Broadcasts the code for one instruction set from rank 0. `good` and `why` are equal on all ranks. */
static cst_error obtain(const cst_system *s, int isa, const request *w, cst_code *code, int *good,
                        char why[CST_WHY]) {
  int rank;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  if (rank == 0)
    *good = compile_as(w, s, isa, code, why);
  CST_TRY_MPI(MPI_Bcast(good, 1, MPI_INT, 0, cst_world));
  CST_TRY_MPI(MPI_Bcast(why, CST_WHY, MPI_CHAR, 0, cst_world));
  if (!*good)
    return 0;
  char *bytes = code->bytes;
  CST_TRY_MPI(MPI_Bcast(code, sizeof *code, MPI_BYTE, 0, cst_world));
  code->bytes = rank ? malloc(code->size) : bytes;
  cst_need(code->bytes);
  CST_TRY_MPI(MPI_Bcast(code->bytes, (int)code->size, MPI_BYTE, 0, cst_world));
  return 0;
}

/* *good: true if all ranks are good; why: reason of the first rank that is not. */
static cst_error agree(int *good, char why[CST_WHY]) {
  int rank, ranks, first;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY_MPI(MPI_Comm_size(cst_world, &ranks));
  first = *good ? ranks : rank;
  CST_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, cst_world));
  *good = first == ranks;
  if (!*good)
    CST_TRY_MPI(MPI_Bcast(why, CST_WHY, MPI_CHAR, first, cst_world));
  return 0;
}

static cst_error attach(cst_system *s, int mine, const request *w, cst_back_end *b, int *good,
                        char why[CST_WHY]) {
  int used = 1 << mine;
  CST_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &used, 1, MPI_INT, MPI_BOR, cst_world));
  *good = 1;
  b->cached = true;
  for (int isa = 0; isa < cst_isa_count && *good; isa++) {
    cst_code code = {0};
    if (!(used >> isa & 1))
      continue;
    CST_TRY(obtain(s, isa, w, &code, good, why));
    if (!*good)
      break;
    snprintf(b->compiler, sizeof b->compiler, "%s", code.compiler);
    b->seconds += code.seconds;
    b->cached = b->cached && code.cached;
    if (isa == mine)
      *good = cst_load_code(s, &code, why);
    cst_compile_free(&code);
    CST_TRY(agree(good, why));
  }
  return 0;
}

/* One line: what failed, and the compiler's first message. */
static void warn(cst_back_end *b, const char *file, const char *does, const char *why) {
  int first = (int)strcspn(why, "\n");
  int second = why[first] ? (int)strcspn(why + first + 1, "\n") : 0;
  snprintf(b->warning, sizeof b->warning, "%s %s: %.*s%s%.*s", file, does, first, why,
           second ? ": " : "", second, why + first + (second > 0));
}

/* The system that a method steps in place of the study's; NULL if none does. */
static cst_system *other_system(const cst_study *s) {
  char   why[200];
  double more[CST_MORE_PARAMETERS];
  for (int i = 0; i < s->methods.n; i++)
    if (cst_method_system(s->methods.method[i], s->problem.system, more) != s->problem.system)
      return cst_system_penalised(s->problem.system, why, sizeof why);
  return NULL;
}

/* Compiled under the same conditions as a user's own system; otherwise it stays interpreted. */
static cst_error compile_other(const cst_study *s, const cst_plan *p, double left) {
  cst_system  *other = other_system(s);
  cst_back_end b = {0};
  char         why[CST_WHY] = "";
  int          good;
  int          ranks;
  if (!other || s->run.compile == CST_COMPILE_NEVER || other->code->compiled[p->isa])
    return 0;
  CST_TRY_MPI(MPI_Comm_size(cst_world, &ranks));
  const request w = request_for(other, s, p, left, ranks);
  CST_TRY(attach(other, p->isa, &w, &b, &good, why));
  if (!good)
    cst_system_interpret(other); /* on all ranks */
  CST_CHECK(good || s->run.compile != CST_COMPILE_ALWAYS, cst_world, CST_ERR_LIB,
            "%s with springs cannot be compiled: %s", other->name, why);
  return 0;
}

/* Below so many seconds of steps even a look into the cache takes longer than it saves. */
static const double moment = 0.03;

/* The cores that a system of the catalogue lacks: made where that pays, else found if they were made before. */
static cst_error add_cores(const cst_study *s, const cst_plan *p, const request *w, double left,
                           cst_back_end *b) {
  const bool    makes = w->cores;
  const request all = {.with = w->with, .kernels = true, .cores = makes, .cores_only = true};
  char          why[CST_WHY] = "";
  int           good;
  int           rank;
  if (!makes && left < moment * 1e9)
    return 0;
  if (!cst_compile_adds(s->problem.system, p->isa, w->with.name))
    return 0;
  CST_TRY(attach(s->problem.system, p->isa, &all, b, &good, why));
  CST_CHECK(good || s->run.compile != CST_COMPILE_ALWAYS, cst_world, CST_ERR_LIB,
            "%s cannot be compiled: %s", s->problem.system->name, why);
  if (good)
    b->kernels = "compiled";
  if (good || !makes)
    return 0;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  if (rank == 0)
    warn(b, s->problem.system->name, "is stepped by general code, not compiled", why);
  snprintf(b->why, sizeof b->why, "%s", why);
  return 0;
}

static cst_error compile(cst_study *s, const cst_plan *p, double left, cst_back_end *b) {
  char why[CST_WHY] = "";
  int  good;
  int  rank, ranks;
  CST_TRY(compile_other(s, p, left));
  *b = (cst_back_end){.kernels = s->run.compile == CST_COMPILE_NEVER ? "interpreted" : "built-in"};
  if (s->run.compile == CST_COMPILE_NEVER)
    return 0;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY_MPI(MPI_Comm_size(cst_world, &ranks));
  const request w = request_for(s->problem.system, s, p, left, ranks);
  if (s->problem.system->code->compiled[p->isa]) {
    CST_TRY(add_cores(s, p, &w, left, b));
    return 0;
  }
  CST_TRY(attach(s->problem.system, p->isa, &w, b, &good, why));
  b->kernels = good ? "compiled" : "interpreted";
  if (good)
    return 0;
  const char *name = s->problem.file ? s->problem.file : s->problem.system->name;
  cst_system_interpret(s->problem.system); /* on all ranks */
  CST_CHECK(s->run.compile != CST_COMPILE_ALWAYS, cst_world, CST_ERR_LIB,
            "%s cannot be compiled: %s", name, why);
  if (rank == 0 && w.kernels)
    warn(b, name, "is interpreted, not compiled", why);
  snprintf(b->why, sizeof b->why, "%s", !w.kernels ? "the study is small" : why);
  return 0;
}

/* Seconds of steps, from which on `check` and `submit` compile ahead: of these the compilation is a small part. */
static const double worth_waiting = 60;

/* Loads what a run of the plan would load for the system, where it is in the cache; false: a run would compile it. */
static bool load_cached(cst_system *s, const cst_plan *p) {
  const bool    cores_only = s->code->compiled[p->isa];
  const request w = request_for(s, p->study, p, p->cost, 1);
  const bool    makes = cores_only ? w.cores : w.kernels;
  const bool    small = cores_only && !makes && p->cost < moment * 1e9;
  if (small || (cores_only && !cst_compile_adds(s, p->isa, w.with.name)))
    return true;
  const char *const *const cores[] = {w.with.name, none.name};
  const int                n = cores_only || (w.kernels && w.cores) ? 1 : 2;
  bool                     found = false;
  for (int i = 0; i < n && !found; i++) {
    char     why[CST_WHY];
    cst_code code = {0};
    found = cst_compile(s, p->isa, cores[i], true, &code, why) && cst_load_code(s, &code, why);
    cst_compile_free(&code);
  }
  return found || !makes;
}

bool cst_study_load(const cst_plan *p) {
  const cst_study *s = p->study;
  if (s->run.compile == CST_COMPILE_NEVER)
    return true;
  cst_system *other = other_system(s);
  if (other && !other->code->compiled[p->isa])
    (void)load_cached(other, p);
  return load_cached(s->problem.system, p);
}

/* Kernels gain most of it where their operations are the work, and little where full matrices are eliminated; by the
 * plan's estimate, which is of the first kind, one sees where between both a system is. */
double cst_study_gain(const cst_plan *p, double measured, double *compile) {
  static const double least = 2, cores_too = 12;
  const cst_study    *s = p->study;
  const double        planned = cst_plan_time(p) * 1e-9;
  const request       w = request_for(s->problem.system, s, p, p->cost, 1);
  if (s->problem.system->code->compiled[p->isa]) {
    *compile = cst_compile_seconds(s->problem.system, p->isa, w.with.name);
    return 1 + saved;
  }
  *compile = cst_compile_seconds(s->problem.system, p->isa, w.cores ? w.with.name : none.name);
  return fmin(fmax(measured / planned, least), w.cores ? cores_too : interpreted);
}

double cst_study_compile_ahead(const cst_study *s, const cst_plan *p, int ranks) {
  char     why[CST_WHY];
  cst_code code = {0};
  if (s->run.compile == CST_COMPILE_NEVER || p->cost * 1e-9 < worth_waiting)
    return 0;
  request w = request_for(s->problem.system, s, p, p->cost, ranks);
  w.cores_only = s->problem.system->code->compiled[p->isa];
  if (w.cores_only ? !w.cores || !cst_compile_adds(s->problem.system, p->isa, w.with.name)
                   : !w.kernels)
    return 0;
  const bool good = compile_as(&w, s->problem.system, p->isa, &code, why);
  cst_compile_free(&code);
  return good && !code.cached ? code.seconds : 0;
}

cst_error cst_study_compile(cst_study *s, const cst_plan *p, double left, cst_back_end *b) {
  CST_TRY(compile(s, p, left, b));
  CST_TRY(cst_relax_start(s, p->isa));
  return 0;
}

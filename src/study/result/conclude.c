/* conclude.c: makes the table from the finished rows, case by case: the columns that every study has. The kind
 * of study adds its own (see conclude.h). Before the run it checks the names of all columns and datasets. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/conclude.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/plan/clock.h"
#include "study/rows/collector.h"
#include "study/rows/kind.h"
#include "study/result/case-rows.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* All datasets and columns of a study have different names (see plan.h).
 *
 * Datasets and columns are named after quantities, and users name quantities: symmetries and expressions.
 * Conflicts are found in the lists of datasets and columns themselves, so that no other file has to know
 * their names.
 */

static const char *last_part(const char *path) { return strrchr(path, '/') + 1; }

/* The user's observable whose name begins the dataset's name, the longest such; NULL: none. */
static const cst_observable *named_by(const cst_study *s, const char *path) {
  const cst_observable *found = NULL;
  for (int i = 0; i < s->observe.n; i++) {
    const cst_observable *x = &s->observe.observable[i];
    const size_t          n = strlen(x->name);
    if (x->expression && !strncmp(last_part(path), x->name, n) &&
        (!found || n > strlen(found->name)))
      found = x;
  }
  return found;
}

/* The symmetry whose name begins the dataset's name, likewise. */
static const char *symmetry_of(const cst_system *s, const char *path) {
  const char *found = NULL;
  const char *part = last_part(path);
  size_t      longest = 0;
  for (int i = 0; i < s->nsym; i++) {
    const size_t n = strlen(s->description->symmetry[i]);
    if (strncmp(part, s->description->symmetry[i], n))
      continue;
    if (found && n <= longest)
      continue;
    found = s->description->symmetry[i];
    longest = n;
  }
  return found;
}

static void report(const cst_study *s, const char *path, const char *what, cst_diag *d) {
  const cst_observable *x = named_by(s, path);
  const char           *symmetry = symmetry_of(s->problem.system, path);
  const cst_study_word  at = cst_study_place(s, "system");
  if (x)
    cst_diag_add(
        d, s->source.file, x->line, x->column,
        "the observable '%s' cannot be called that: %s in the result %s; choose another name",
        x->name, path, what);
  else if (symmetry)
    cst_diag_add(
        d, s->source.file, at.line, at.column,
        "the symmetry '%s' of %s cannot be called that: %s in the result %s; choose another name",
        symmetry, s->problem.system->name, path, what);
  else
    cst_diag_add(d, s->source.file, at.line, at.column,
                 "%s in the result %s; a name of %s is taken", path, what, s->problem.system->name);
}

static int by_path(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Reports the first dataset whose path is also a folder of another one. */
static void check_folders(const cst_study *s, const char **path, int n, cst_diag *d) {
  char folder[sizeof((cst_field *)NULL)->path];
  for (int i = 0; i < n; i++)
    for (const char *at = strchr(path[i] + 1, '/'); at; at = strchr(at + 1, '/')) {
      const char *key = folder;
      snprintf(folder, sizeof folder, "%.*s", (int)(at - path[i]), path[i]);
      if (!bsearch(&key, path, (size_t)n, sizeof *path, by_path))
        continue;
      report(s, folder, "would have two meanings", d);
      return;
    }
}

/* Reports the first path that occurs twice. Sorts the paths. */
static void check_paths(const cst_study *s, const char **path, int n, cst_diag *d) {
  qsort(path, (size_t)n, sizeof *path, by_path);
  for (int i = 1; i < n; i++)
    if (!strcmp(path[i - 1], path[i])) {
      report(s, path[i], "would have two meanings", d);
      return;
    }
}

static void check_dimensions(const cst_study *s, const cst_channels *c, cst_diag *d) {
  for (int i = 0; i < c->nfield; i++) {
    const char *path = c->field[i].path;
    for (int k = 0; k < c->ndim; k++)
      if (!strcmp(path + 1, c->dim[k].name))
        report(s, path, "is a dimension", d);
  }
}

void cst_plan_check_names(const cst_plan *p, cst_diag *d) {
  const cst_study *s = p->study;
  cst_conclusion  *x = cst_conclude_create(p);
  cst_channels    *c = cst_channels_create(p, cst_conclude_columns(x));
  const char     **path = cst_zeros(c->nfield, sizeof *path);
  for (int i = 0; i < c->nfield; i++)
    path[i] = c->field[i].path;
  check_paths(s, path, c->nfield, d);
  check_folders(s, path, c->nfield, d);
  check_dimensions(s, c, d);
  free(path);
  cst_channels_destroy(c);
  cst_conclude_destroy(x);
}

/* ---- the table ------------------------------------------------------------------------------- */

struct cst_conclusion {
  const cst_plan   *plan;
  cst_columns      *columns;
  cst_number_column failed, iterations, evaluations;
  cst_text_column   failures, undefined; /* undefined: only with observables of the study */
  void             *kind;                /* handles of the kind's columns */
  void             *collected[CST_MOST_COLLECTORS]; /* handles of the collectors' columns */
};

/* Whether every value of a swept argument is a number. */
static bool is_numeric(const cst_study *s, const cst_argument *a) {
  bool  numeric = true;
  char *end;
  for (int i = 0; i < s->methods.n && numeric; i++)
    if (a->value[i]) {
      strtod(a->value[i], &end);
      numeric = !*end;
    }
  return numeric;
}

/* The name of the column of an argument; parameters and the solver's tolerance come first. */
static const char *prefix_of(const cst_study *s, const char *name) {
  bool taken = !strcmp(name, "tolerance");
  for (int k = 0; k < s->problem.system->npar; k++)
    taken |= !strcmp(name, s->problem.system->parameter[k].name);
  return taken ? "argument_" : "";
}

static void declare_argument(const cst_plan *p, cst_columns *c, const cst_argument *a) {
  static const char    doc[] = "swept argument of methods";
  const cst_study     *s = p->study;
  const cst_column_use use = {.shown = true, .labels = true, .role = "argument", .of = a->name};
  const char          *prefix = prefix_of(s, a->name);
  if (!is_numeric(s, a)) {
    const cst_text_column x = cst_columns_text(c, use, doc, "%s%s", prefix, a->name);
    for (int i = 0; i < p->ncase; i++)
      if (a->value[p->cases[i].method])
        cst_column_say(x, i, a->value[p->cases[i].method]);
    return;
  }
  const cst_number_column x = cst_columns_number(c, use, doc, "%s%s", prefix, a->name);
  for (int i = 0; i < p->ncase; i++)
    if (a->value[p->cases[i].method])
      cst_column_set(x, i, strtod(a->value[p->cases[i].method], NULL));
}

/* Swept arguments, and the names of the methods without them. */
static void declare_arguments(const cst_plan *p, cst_columns *c) {
  const cst_study *s = p->study;
  if (s->methods.nargument == 0)
    return;
  const cst_text_column family =
      cst_columns_text(c, (cst_column_use){.labels = true, .role = "family"},
                       "method, with names in place of swept arguments", "family");
  for (int i = 0; i < p->ncase; i++) {
    const int m = p->cases[i].method;
    cst_column_say(family, i,
                   s->methods.family[m] ? s->methods.family[m]
                                        : cst_method_label(s->methods.method[m]));
  }
  for (int k = 0; k < s->methods.nargument; k++)
    declare_argument(p, c, &s->methods.argument[k]);
}

/* Columns that describe the case; known before the run. */
static void declare_case(const cst_plan *p, cst_columns *c) {
  const cst_study      *s = p->study;
  const int             npar = (s->sweep.n ? s->sweep.nset : s->problem.nvariant) > 1
                                   ? cst_system_named(s->problem.system)
                                   : 0;
  const cst_text_column system =
      cst_columns_text(c, (cst_column_use){.labels = true, .role = "system"}, "system", "system");
  const cst_text_column method =
      cst_columns_text(c, (cst_column_use){.shown = true, .labels = true, .role = "method"},
                       "method expression", "method");
  const cst_number_column step = cst_columns_number(
      c, (cst_column_use){.shown = true, .labels = true, .role = "step", .axis = "x log"},
      "nominal step", "step");
  for (int i = 0; i < p->ncase; i++) {
    cst_column_say(system, i, s->problem.system->name);
    cst_column_say(method, i, cst_method_label(s->methods.method[p->cases[i].method]));
    cst_column_set(step, i, p->cases[i].h_nominal);
  }
  if (s->sweep.n) {
    const cst_text_column start =
        cst_columns_text(c, (cst_column_use){.shown = true, .labels = true, .role = "start"},
                         "start of the sweep", "start");
    for (int i = 0; i < p->ncase; i++)
      cst_column_say(start, i, s->sweep.name[p->cases[i].variant / s->sweep.nset]);
  }
  for (int k = 0; k < s->sweep.naxis; k++) {
    const cst_number_column x = cst_columns_number(
        c, (cst_column_use){.labels = true, .role = "start-axis", .of = s->sweep.axis_name[k]},
        "coordinate or velocity of the swept start", "start_%s", s->sweep.axis_name[k]);
    for (int i = 0; i < p->ncase; i++)
      cst_column_set(x, i, s->sweep.axis[k][p->cases[i].variant / s->sweep.nset]);
  }
  for (int k = 0; k < npar; k++) {
    const cst_parameter    *x = &s->problem.system->parameter[k];
    const cst_number_column parameter = cst_columns_number(
        c,
        (cst_column_use){
            .shown = cst_study_sweeps(s, k), .labels = true, .role = "parameter", .of = x->name},
        x->doc, "%s", x->name);
    for (int i = 0; i < p->ncase; i++)
      cst_column_set(parameter, i, cst_plan_parameters(p, p->cases[i].variant)[k]);
  }
  declare_arguments(p, c);
  if (s->solver.ntolerance == 1)
    return;
  const cst_number_column tolerance =
      cst_columns_number(c, (cst_column_use){.shown = true, .labels = true, .role = "tolerance"},
                         "tolerance of the solver", "tolerance");
  for (int i = 0; i < p->ncase; i++)
    cst_column_set(tolerance, i, s->solver.tolerance[p->cases[i].tolerance]);
}

static void declare_run(cst_conclusion *x) {
  const cst_plan         *p = x->plan;
  cst_columns            *c = x->columns;
  const bool              many = p->study->ensemble.members > 1;
  const cst_number_column members = cst_columns_number(
      c, (cst_column_use){.shown = many, .role = "members"}, "trajectories of the case", "members");
  x->failed = cst_columns_number(c, (cst_column_use){.shown = true, .role = "failed"},
                                 "trajectories that failed, or have no finite reference", "failed");
  x->failures = cst_columns_text(c, (cst_column_use){.role = "failures"},
                                 "reasons of the failures, with counts", "failures");
  if (p->nquantity > p->nbuiltin)
    x->undefined = cst_columns_text(
        c, (cst_column_use){.role = "undefined"},
        "observables that are not a number for members that did not fail, with counts",
        "undefined");
  x->iterations = cst_columns_number(
      c, (cst_column_use){.role = "iterations"},
      "iterations of the solver per step, over members that did not fail", "iterations_mean");
  x->evaluations = cst_columns_number(
      c, (cst_column_use){.role = "evaluations"},
      "evaluations of the force per step, over members that did not fail", "evaluations_per_step");
  const cst_number_column observe = cst_columns_number(
      c, (cst_column_use){.role = "observe"},
      "number of steps between observations, for maxima, means and drift", "observe");
  const cst_number_column taken = cst_columns_number(
      c, (cst_column_use){.role = "step-taken"},
      "step that was run: the nominal one, or the nearest number with 20 bits", "step_taken");
  const cst_number_column end =
      cst_columns_number(c, (cst_column_use){.role = "end"},
                         "end of the run, steps times the step that was run", "end");
  for (int i = 0; i < p->ncase; i++) {
    cst_column_set(members, i, (double)p->study->ensemble.members);
    cst_column_set(observe, i, (double)p->classes[p->class_of[i]].observe);
    cst_column_set(taken, i, p->cases[i].h);
    cst_column_set(end, i, cst_clock_of(&p->cases[i], (double)p->cases[i].n));
  }
}

static void declare_collected(cst_conclusion *x) {
  for (int k = 0; k < cst_collector_count; k++)
    if (cst_collectors[k]->file.columns)
      x->collected[k] = cst_collectors[k]->file.columns(x->plan, x->columns);
}

cst_conclusion *cst_conclude_create(const cst_plan *p) {
  cst_conclusion *x = cst_need(calloc(1, sizeof *x));
  x->plan = p;
  x->columns = cst_columns_create(p->ncase);
  declare_case(p, x->columns);
  declare_run(x);
  const bool errors_first = cst_study_needs(p->study, CST_NEEDS_REFERENCE);
  if (!errors_first)
    declare_collected(x);
  x->kind = p->study->kind->declare(p, x->columns);
  if (errors_first)
    declare_collected(x);
  return x;
}

void cst_conclude_destroy(cst_conclusion *x) {
  if (!x)
    return;
  cst_columns_destroy(x->columns);
  free(x->kind);
  for (int k = 0; k < cst_collector_count; k++)
    free(x->collected[k]);
  free(x);
}

const cst_columns *cst_conclude_columns(const cst_conclusion *x) { return x->columns; }

/* Mean per step over the members that did not fail. */
static double per_step(const cst_case_rows *rows, const double *x) {
  const long n = rows->plan->study->ensemble.members;
  double     sum = 0, steps = 0;
  for (long m = 0; m < n; m++)
    if (rows->good[m]) {
      sum += x[m];
      steps += (double)rows->plan->cases[rows->icase].n;
    }
  return sum / steps;
}

/* Statistics leave out such members, so their number must be told: "NAME: 33 (11 at the end)". */
static cst_error conclude_undefined(cst_conclusion *x, cst_case_rows *rows) {
  const cst_plan *p = x->plan;
  char            text[CST_TEXT_WIDTH] = "", one[2 * CST_TEXT_WIDTH];
  const double   *summary;
  for (int k = p->nbuiltin; k < p->nquantity; k++) {
    long ever = 0, last = 0;
    CST_TRY(cst_case_rows_summary(rows, k, &summary));
    for (long m = 0; m < p->study->ensemble.members; m++) {
      const double *f = summary + m * CST_SUMMARY_NUMBERS;
      const bool    without = isnan(f[CST_SUMMARY_END]);
      last += rows->good[m] && without;
      ever += rows->good[m] && (without || isnan(f[CST_SUMMARY_DRIFT]));
    }
    if (!ever)
      continue;
    snprintf(one, sizeof one, "%s%s: %ld (%ld at the end)", *text ? ", " : "", p->quantity[k].name,
             ever, last);
    strncat(text, one, sizeof text - strlen(text) - 1);
  }
  cst_column_say(x->undefined, rows->icase, text);
  return 0;
}

cst_error cst_conclude_count(cst_case_rows *rows, int icase, cst_failures *failures) {
  const double *status;
  CST_TRY(cst_case_rows_open(rows, icase));
  CST_TRY(cst_case_rows_get(rows, &cst_channel_status, 0, &status));
  cst_failures_count(failures, status, rows->error, rows->plan->study->ensemble.members);
  return 0;
}

static cst_error conclude_run(cst_conclusion *x, cst_case_rows *rows, int i) {
  cst_failures  failures = {{0}};
  char          why[CST_FAILURE_TEXT];
  const double *number;
  CST_TRY(cst_conclude_count(rows, i, &failures));
  cst_failures_say(&failures, why, sizeof why);
  cst_column_set(x->failed, i, (double)cst_failures_total(&failures));
  cst_column_say(x->failures, i, why);
  CST_TRY(cst_case_rows_get(rows, &cst_channel_iterations, 0, &number));
  cst_column_set(x->iterations, i, per_step(rows, number));
  CST_TRY(cst_case_rows_get(rows, &cst_channel_evaluations, 0, &number));
  cst_column_set(x->evaluations, i, per_step(rows, number));
  if (x->undefined.label)
    CST_TRY(conclude_undefined(x, rows));
  return 0;
}

cst_error cst_conclude_case(cst_conclusion *x, cst_case_rows *rows, int icase) {
  CST_TRY(conclude_run(x, rows, icase));
  CST_TRY(x->plan->study->kind->conclude(rows, x->kind));
  for (int k = 0; k < cst_collector_count; k++)
    if (x->collected[k])
      CST_TRY(cst_collectors[k]->file.conclude(rows, x->collected[k]));
  return 0;
}

cst_error cst_conclude_steps(cst_conclusion *x, cst_case_rows *rows, int first) {
  const cst_kind *kind = x->plan->study->kind;
  if (kind->conclude_steps)
    CST_TRY(kind->conclude_steps(rows, x->kind, first));
  return 0;
}

cst_error cst_conclude_write(cst_conclusion *x, cst_output *o, int first, int n) {
  CST_TRY(cst_output_columns(o, x->columns, first, n));
  return 0;
}

cst_error cst_conclude_across(cst_conclusion *x) {
  const cst_kind *kind = x->plan->study->kind;
  if (kind->conclude_table)
    CST_TRY(kind->conclude_table(x->plan, x->kind));
  return 0;
}

cst_error cst_conclude_table(cst_conclusion *x, cst_output *o) {
  if (!x->plan->study->kind->conclude_table)
    return 0;
  CST_TRY(cst_output_read_columns(o, x->columns, 0, x->plan->ncase));
  CST_TRY(cst_conclude_across(x));
  CST_TRY(cst_output_columns(o, x->columns, 0, x->plan->ncase));
  return 0;
}

/* stages.c: the collector `stages`: from a time on trajectories have other parameters.
 *
 * A stage ends at a step. What is observed there belongs to the stage that ends: this is the last
 * collector, and all others have looked. Then q and v stay, and p and what substeps keep follow from them
 * (cst_batch_change).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "method/method.h"
#include "study/collect/expressions.h"
#include "study/collect/tangent.h"
#include "study/rows/collector.h"
#include "study/file/reader.h"
#include "study/plan/plan-stages.h"
#include "study/runner/runner.h"
#include "system/point/mass.h"

/* ---- the study file -------------------------------------------------------------------------- */

/* clang-format off */
static const cst_key keys[] = {
    {"", "stages", CST_KEYS_ALL, "list of maps", "none", "", "stages: [{until: 1}, {parameters: {g: 2}}]", "Other parameters from a time on; q and v are continuous (docs/stages.md)."},
    {"stages", "until", CST_KEYS_ALL, NULL, "the end of the run", "time", "stages: [{until: 0.5}, {parameters: {g: 2}}]", "Where the stage ends: a whole number of every step. The last stage has none.",
     .value = {CST_VALUE_NUMBER, .rule = true}},
    {"stages", "parameters", CST_KEYS_ALL, "map of parameters to numbers", "those of `system`", "of the parameters", "stages: [{until: 1}, {until: 1.5, parameters: {g: \"2*g\"}}, {}]", "Parameters of this stage, expressions of those of `system`; the others are those of `system`. The first stage has none."},
    {0},
};
/* clang-format on */

static bool check_grid(cst_reader *r, cst_yaml *n, double until, int v) {
  const cst_study *s = r->s;
  for (int i = 0; i < s->steps.n; i++) {
    const double h = s->steps.h[v * s->steps.n + i];
    if (cst_sampled_divides(until, h))
      continue;
    cst_yaml_error(
        r->doc, n, r->d,
        "the stage ends at %s, which is no multiple of the step %s%s: stages end between "
        "two steps; the nearest time is %s",
        cst_reader_shortest(until), cst_reader_shortest(h), cst_reader_with(r, v),
        cst_reader_shortest(h * fmax(1, round(until / h))));
    return false;
  }
  return true;
}

static void read_until(cst_reader *r, cst_yaml *map, cst_stages *s, int i) {
  cst_yaml    *n = cst_reader_required(r, map, "stages", "until");
  double      *until = &s->until[i];
  const double before = i ? s->until[i - 1] : 0;
  *until = before;
  if (!cst_reader_value(r, n, cst_key_find(keys, "stages", "until"), "until", until))
    return;
  if (!(*until > before)) {
    cst_yaml_error(r->doc, n, r->d, "the stage ends at %s; it must be after %s, where it begins",
                   cst_reader_shortest(*until), cst_reader_shortest(before));
    return;
  }
  for (int v = 0; r->s->steps.h && v < r->s->problem.nvariant; v++) {
    if (*until >= r->s->steps.end[v] * (1 - 1e-9)) {
      cst_yaml_error(r->doc, n, r->d, "the stage ends at %s, and the run at %s%s",
                     cst_reader_shortest(*until), cst_reader_shortest(r->s->steps.end[v]),
                     cst_reader_with(r, v));
      return;
    }
    if (!check_grid(r, n, *until, v))
      return;
  }
}

/* The first constraint that depends on a parameter; NULL: none. */
static const char *constraint_with(const cst_system *s, int parameter) {
  for (int a = 0; a < s->ng; a++) {
    const int      velocity = a - (s->ng - s->model->nvel);
    const cst_node x = velocity >= 0 ? s->model->phi[velocity] : s->model->g[a];
    int           *index = NULL, n = cst_graph_support(s->model->graph, x, 'c', &index), found = 0;
    for (int i = 0; i < n; i++)
      found |= index[i] == parameter;
    free(index);
    if (found)
      return s->description->constraint[a];
  }
  return NULL;
}

static void read_value(cst_reader *r, cst_yaml *key, cst_yaml *value, cst_stages *s, int i,
                       bool *given) {
  const cst_system *sys = r->s->problem.system;
  const char       *names[CST_MAX_PAR], *text = cst_yaml_text(key), *constraint;
  const int         n = cst_system_named(sys);
  int               k = 0;
  for (int j = 0; j < n; j++)
    names[j] = sys->parameter[j].name;
  while (k < n && (!text || strcmp(names[k], text)))
    k++;
  if (k == n) {
    cst_reader_unknown(r, key, "parameter", text ? text : "", names, n);
    return;
  }
  if (sys->parameter[k].size) {
    cst_yaml_error(r->doc, key, r->d, "'%s' is a size, which is the same in all stages", text);
    return;
  }
  if ((constraint = constraint_with(sys, k))) {
    cst_yaml_error(r->doc, key, r->d,
                   "the constraint '%s' depends on '%s': q and v, which are continuous, would not "
                   "fulfil it in the next stage",
                   constraint, text);
    return;
  }
  double *each = cst_reader_memory((size_t)r->s->problem.nvariant, sizeof *each);
  given[k] = true;
  if (cst_reader_numbers(r, value, text, each))
    for (int v = 0; v < r->s->problem.nvariant; v++)
      s->parameter[i][v * sys->npar + k] = each[v];
  free(each);
}

/* Defaults that are expressions of other parameters follow these. */
static void fill_defaults(cst_reader *r, cst_stages *s, int i, bool *given) {
  const cst_system *sys = r->s->problem.system;
  cst_yaml         *own = cst_yaml_get(cst_yaml_get(r->root, "system"), "parameters");
  for (int k = 0; k < sys->npar; k++)
    given[k] |= cst_yaml_is_map(own) && cst_yaml_get(own, sys->parameter[k].name);
  for (int v = 0; v < r->s->problem.nvariant; v++)
    cst_system_defaults(sys, given, s->parameter[i] + v * sys->npar);
}

static void check_masses(cst_reader *r, cst_yaml *n, const cst_stages *s, int i) {
  cst_system *sys = r->s->problem.system;
  char        why[500];
  for (int v = 0; v < r->s->problem.nvariant; v++) {
    const double *c = s->parameter[i] + v * sys->npar;
    for (int k = 0; k < sys->npar; k++)
      if (!isfinite(c[k])) {
        cst_yaml_error(r->doc, n, r->d, "parameter '%s' is not a finite number in this stage%s",
                       sys->parameter[k].name, cst_reader_with(r, v));
        return;
      }
    const double *q = r->s->starts.q + v * sys->nq;
    const bool    bodies = !sys->model->nbodies || cst_system_check_bodies(sys, c, why, sizeof why);
    if (bodies)
      cst_study_note_flat(r->s, c);
    if (bodies && cst_mass_wrong(sys, c, q, why, sizeof why) < 0)
      continue;
    cst_yaml_error(r->doc, n, r->d, "%s in this stage%s", why, cst_reader_with(r, v));
    return;
  }
}

static void read_parameters(cst_reader *r, cst_yaml *n, cst_stages *s, int i) {
  const cst_system *sys = r->s->problem.system;
  bool              given[CST_MAX_PAR] = {false};
  const int         before = cst_diag_count(r->d);
  if (n && i == 0) {
    cst_yaml_error(r->doc, n, r->d,
                   "the first stage has the parameters of `system`, from which trajectories start; "
                   "write them there");
    return;
  }
  if (!cst_yaml_is_map(n)) {
    if (n)
      cst_yaml_error(r->doc, n, r->d, "'parameters' is a map of parameters to numbers");
    return;
  }
  for (int k = 0; k < cst_yaml_size(n); k++)
    read_value(r, cst_yaml_key(n, k), cst_yaml_value(n, k), s, i, given);
  if (cst_diag_count(r->d) != before)
    return;
  fill_defaults(r, s, i, given);
  check_masses(r, n, s, i);
  for (int v = 0; v < r->s->problem.nvariant; v++)
    for (int k = 0; k < sys->npar; k++)
      s->changed[k] |= s->parameter[i][v * sys->npar + k] != s->parameter[0][v * sys->npar + k];
}

static void read_stage(cst_reader *r, cst_yaml *n, cst_stages *s, int i) {
  const cst_study *study = r->s;
  const size_t     size = (size_t)study->problem.nvariant * (size_t)study->problem.system->npar;
  s->parameter[i] = cst_reader_memory(size + 1, sizeof(double));
  memcpy(s->parameter[i], study->problem.parameter, size * sizeof(double));
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d, "a stage is a map {until: ..., parameters: {...}}");
    return;
  }
  cst_reader_keys(r, n, "stages", "stages", CST_KEYS_ALL);
  if (i < s->n - 1)
    read_until(r, n, s, i);
  else if (cst_yaml_get(n, "until"))
    cst_yaml_error(r->doc, cst_yaml_get(n, "until"), r->d,
                   "the last stage ends with the run, and has no 'until'");
  read_parameters(r, cst_yaml_get(n, "parameters"), s, i);
}

static void read(cst_reader *r, void *request) {
  cst_stages *s = request;
  cst_yaml   *n = cst_yaml_get(r->root, "stages");
  if (!cst_reader_list(r, n, "stages", "maps {until: ..., parameters: {...}}", false))
    return;
  const int count = cst_yaml_size(n);
  if (count < 2 || count > CST_STAGES_MOST) {
    cst_yaml_error(r->doc, n, r->d, "there %s %d stage%s; 2 to %d are allowed",
                   count == 1 ? "is" : "are", count, count == 1 ? "" : "s", CST_STAGES_MOST);
    return;
  }
  if (!r->s->problem.system || !r->s->problem.parameter)
    return;
  s->n = count;
  s->until = cst_reader_memory((size_t)count, sizeof *s->until);
  s->parameter = cst_reader_memory((size_t)count, sizeof *s->parameter);
  s->changed = cst_reader_memory((size_t)r->s->problem.system->npar + 1, sizeof *s->changed);
  for (int i = 0; i < count; i++)
    read_stage(r, cst_yaml_item(n, i), s, i);
}

/* ---- what does not go with it ---------------------------------------------------------------- */

static const char *other_key(cst_reader *r) {
  static char what[200];
  static const struct {
    const char *key, *why;
  } others[] = {
      {"reference", "a reference has the same parameters all the time"},
      {"timing", "the steps of one set of parameters are timed"},
      {"tangent", "nearby trajectories have the same parameters all the time"},
  };
  for (int i = 0; i < CST_COUNT(others); i++)
    if (cst_yaml_get(r->root, others[i].key)) {
      snprintf(what, sizeof what, "'%s' does not go with 'stages': %s", others[i].key,
               others[i].why);
      return what;
    }
  if (cst_study_needs(r->s, CST_NEEDS_REFERENCE))
    return "studies that need a reference have no 'stages': it has the same parameters all the "
           "time";
  if (cst_tangent_entry(r, "energy-shadow"))
    return "'energy-shadow' does not go with 'stages': it is of one set of parameters";
  return NULL;
}

static const char *system_with(const cst_study_problem *x) {
  if (x->flat)
    return "the system has a flat body, whose velocity does not follow from p";
  if (cst_has(x->system, CST_MASSLESS))
    return "the system has coordinates without mass, whose velocity does not follow from p";
  return NULL;
}

/* The first method that keeps what it cannot compute again at a state. */
static const char *method_with(const cst_study *s) {
  static char why[300];
  double      more[CST_MORE_PARAMETERS];
  for (int i = 0; i < s->methods.n; i++) {
    if (!s->methods.method[i])
      continue;
    cst_program *p = cst_program_create_on(
        s->methods.method[i], cst_method_system(s->methods.method[i], s->problem.system, more));
    const char *block = cst_program_kept_only(p);
    cst_program_destroy(p);
    if (!block)
      continue;
    snprintf(
        why, sizeof why,
        "%.100s keeps '%s' from step to step, which is of the parameters before; other methods "
        "go on with them",
        cst_method_label(s->methods.method[i]), block);
    return why;
  }
  return NULL;
}

static void tell(const cst_plan *p, FILE *out) {
  const cst_stages *s = cst_stages_of(p);
  const cst_system *sys = p->study->problem.system;
  for (int i = 0; i < s->n; i++) {
    fprintf(out, "%-14s ", i ? "" : "stages");
    if (i < s->n - 1)
      fprintf(out, "until %g%s:", s->until[i], cst_system_unit(sys, "time"));
    else
      fprintf(out, "then:");
    for (int k = 0, first = 1; k < cst_system_named(sys); k++)
      if (s->changed[k]) {
        fprintf(out, "%s %s = %.10g%s", first ? "" : ",", sys->parameter[k].name,
                s->parameter[i][k], cst_system_unit(sys, sys->parameter[k].name));
        first = 0;
      }
    fprintf(out, "\n");
  }
}

static void check(cst_reader *r, const void *request) {
  const cst_stages *s = request;
  cst_yaml         *n = cst_yaml_get(r->root, "stages");
  const char       *why = NULL;
  if (!s->n)
    return;
  if (!(why = other_key(r)) && !(why = system_with(&r->s->problem)))
    why = method_with(r->s);
  if (why)
    cst_yaml_error(r->doc, n, r->d, "%s", why);
}

/* ---- a batch --------------------------------------------------------------------------------- */

static bool wanted(const cst_plan *p) { return cst_stages_of(p)->n > 1; }

static long next(const cst_collection *x, long step) {
  const cst_runner *r = x->run;
  for (int i = 0; i < cst_stages_of(r->plan)->n - 1; i++) {
    const long end = cst_stages_end(r->plan, r->class, i);
    if (end > step)
      return end;
  }
  return LONG_MAX;
}

static bool ends_here(const cst_runner *r) {
  bool ends = false;
  for (int i = 0; i < cst_stages_of(r->plan)->n - 1; i++)
    ends |= cst_stages_end(r->plan, r->class, i) == r->b->step;
  return ends;
}

static cst_error stop(cst_collection *x) {
  const cst_runner *r = x->run;
  if (!ends_here(r))
    return 0;
  for (long l = 0; l < r->work->count; l++)
    if (cst_runner_lives(r, r->b, l))
      cst_batch_change(
          r->st, r->b, l,
          cst_stages_parameters(r->plan, r->class, cst_runner_case(r, l)->variant, r->b->step));
  cst_batch_ready(r->st, r->b);
  cst_runner_changed(r);
  return 0;
}

static void forget(void *request) {
  cst_stages *s = request;
  for (int i = 0; i < s->n; i++)
    free(s->parameter[i]);
  free(s->until);
  free(s->parameter);
  free(s->changed);
}

/* ---- the row --------------------------------------------------------------------------------- */

const cst_collector cst_collector_stages = {
    .name = "stages",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "other parameters from a time on",
    .keys = {.table = keys,
             .request = sizeof(cst_stages),
             .read = read,
             .check = check,
             .forget = forget},
    .plan = {.tell = tell, .wanted = wanted},
    .run = {.next = next, .stop = stop},
};

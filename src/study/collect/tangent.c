/* tangent.c: the collector `tangent`: reads the key `tangent`, and which of the observables that nearby
 * trajectories measure the study wants; refuses what has no meaning, with the reason. It keeps nothing itself:
 * lyapunov.c, two-form.c, reversibility.c and momentum-balance.c measure, and share what is in tangent.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/tangent.h"
#include <math.h>
#include <string.h>
#include "core/need.h"
#include "method/derivative.h"
#include "study/channels/columns.h"
#include "study/collect/expressions.h"
#include "study/rows/collector.h"
#include "study/file/reader.h"
#include "study/result/case-rows.h"
#include "study/result/parts.h"
#include "study/runner/runner.h"

static const char *const forms[] = {"companions", "exact", NULL}; /* by cst_tangent.exact */

static double dimension(const void *study) {
  const cst_system *s = ((const cst_study *)study)->problem.system;
  return s ? cst_tangent_dimension(s) : CST_NO_LIMIT;
}

/* clang-format off */
static const cst_key keys[] = {
    {"", "tangent", CST_KEYS_ALL, "map", "none; required by the observables that it concerns", "", "tangent: {vectors: 2, every: 1}", "How tangent vectors are carried along trajectories, for lyapunov, megno, two-form, volume, reversibility and momentum-balance (docs/tangent.md)."},
    {"tangent", "vectors", CST_KEYS_ALL, NULL, "1; 2 with two-form", "", "tangent: {vectors: 2, every: 0.5}", "Number k of tangent vectors.",
     .value = {CST_VALUE_INTEGER, CST_AT(cst_tangent, vectors), 1, CST_TANGENT_MOST, .rule = true, .most = dimension, .until = "the dimension of T*Q"}},
    {"tangent", "every", CST_KEYS_ALL, NULL, NULL, "time", "tangent: {every: 0.1}", "Time between renormalisations, and between measurements of a step; a multiple of every step.",
     .value = {CST_VALUE_NUMBER, CST_AT(cst_tangent, every), 0, CST_NO_LIMIT, .above = true}},
    {"tangent", "form", CST_KEYS_ALL, NULL, "companions", "", "tangent: {every: 1, form: companions}", "How tangent vectors are computed, for lyapunov, megno, two-form and volume: as differences to trajectories at a small distance, or by differentiating the equations of a step.",
     .value = {CST_VALUE_CHOICE, CST_AT(cst_tangent, exact), .words = forms}},
    {0},
};
static const cst_measured measures[CST_TANGENTS + 1] = {
    [CST_TANGENT_LYAPUNOV] = {"lyapunov", "the first k Lyapunov exponents (key `tangent`)", false},
    [CST_TANGENT_MEGNO] = {"megno", "mean exponential growth of nearby orbits, 2 for regular motion (key `tangent`)", false},
    [CST_TANGENT_TWO_FORM] = {"two-form", "largest change of dp ^ dq in a step (key `tangent`)", false},
    [CST_TANGENT_VOLUME] = {"volume", "largest relative change of volume on T*Q in a step (key `tangent`)", false},
    [CST_TANGENT_REVERSIBILITY] = {"reversibility", "largest distance after steps forth, v -> -v, and as many steps back (key `tangent`)", false},
    [CST_TANGENT_MOMENTUM_BALANCE] = {"momentum-balance", "defect of the momentum equation in a step (keys `tangent` and `momentum-balance`)", false},
};
/* clang-format on */

const cst_tangent *cst_tangent_of(const cst_plan *p) {
  return p->study->collected[CST_COLLECTOR(tangent)];
}

long cst_tangent_steps(const cst_plan *p, const cst_class *k) {
  return lround(cst_tangent_of(p)->every / k->h);
}

int cst_tangent_dimension(const cst_system *s) {
  return 2 * (s->nq - cst_system_enforced(s, s->ng)) + s->model->nvel;
}

/* ---- the observables ------------------------------------------------------------------------- */

cst_yaml *cst_tangent_entry(cst_reader *r, const char *name) {
  cst_yaml *list = cst_yaml_get(r->root, "observables"), *found = NULL;
  for (int i = 0; cst_yaml_is_list(list) && i < cst_yaml_size(list); i++) {
    cst_yaml *n = cst_yaml_item(list, i);
    if (!cst_yaml_is_scalar(n) || strcmp(cst_yaml_text(n), name))
      continue;
    if (found)
      cst_yaml_error(r->doc, n, r->d, "the observable '%s' appears twice", name);
    found = n;
  }
  return found;
}

/* Room for a reason that names something. */
typedef struct {
  char text[160];
} reason;

/* Why a method's step is no map of q and p alone; NULL: it is one. */
static const char *not_of_state(const cst_method *m, const cst_system *s, reason *why) {
  double            more[CST_MORE_PARAMETERS];
  const cst_system *on = cst_method_system(m, s, more);
  cst_program      *p = cst_program_create_on(m, on);
  const char       *memory = cst_program_memory(p);
  cst_program_destroy(p);
  if (on != s)
    return "steps another system in the place of the study's";
  if (!memory)
    return NULL;
  snprintf(why->text, sizeof why->text,
           "keeps '%s' from step to step, so that a step is no map of q and p", memory);
  return why->text;
}

/* Why it is no map of T*Q. */
static const char *not_on_phase_space(const cst_method *m, const cst_system *s, reason *why) {
  const unsigned both = CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES;
  const unsigned claims = cst_method_properties(m, s).claims;
  if (s->ng && !(claims & CST_CLAIM_POSITIONS))
    return "leaves the constraints g(q) = 0, so that a step is no map of T*Q; project(...) keeps "
           "them";
  if (s->ng && (claims & both) != both)
    return "keeps G v = 0 to the order of its error only, so that a step is no map of T*Q";
  return not_of_state(m, s, why);
}

/* Why its steps have no balance of momenta. */
static const char *no_balance(const cst_method *m, const cst_system *s) {
  double more[CST_MORE_PARAMETERS];
  if (cst_method_has_noise(m))
    return "has noise, whose kicks no momentum equation knows";
  if (cst_method_system(m, s, more) != s)
    return "steps another system in the place of the study's";
  return NULL;
}

/* Why this observable has no meaning for a method; NULL: it has one. */
static const char *refusal(int which, const cst_method *m, const cst_study_problem *of,
                           reason *why) {
  const cst_system *s = of->system;
  const bool        of_map = which == CST_TANGENT_TWO_FORM || which == CST_TANGENT_VOLUME;
  const bool        back = which == CST_TANGENT_REVERSIBILITY;
  if (of->flat)
    return "steps a flat body, of which some coordinates have no mass; no companions are put near "
           "it";
  if (cst_has(s, CST_MASSLESS))
    return "steps coordinates without mass, of which no companions are put near it";
  if (which == CST_TANGENT_MOMENTUM_BALANCE)
    return no_balance(m, s);
  if (of_map && s->model->nvel)
    return "has constraints on velocities, and no two-form on its phase space";
  if (back && cst_method_has_noise(m))
    return "has noise, so that no step goes back";
  if (back && (s->model->traits & (CST_TIMED | CST_GYROSCOPIC)))
    return "steps a system whose equations change under v -> -v: they contain t or a(q)";
  if (of_map)
    return not_on_phase_space(m, s, why);
  return back ? not_of_state(m, s, why) : NULL;
}

static void check_methods(cst_reader *r, cst_yaml *n, int which) {
  const cst_study *s = r->s;
  for (int i = 0; s->problem.system && i < s->methods.n; i++) {
    reason      room;
    const char *why =
        s->methods.method[i] ? refusal(which, s->methods.method[i], &s->problem, &room) : NULL;
    if (!why)
      continue;
    cst_yaml_error(r->doc, n, r->d, "'%s': %s %s", measures[which].name,
                   cst_method_label(s->methods.method[i]), why);
    return;
  }
}

static bool read_observables(cst_reader *r, cst_tangent *t) {
  bool any = false;
  for (int k = 0; k < CST_TANGENTS; k++) {
    cst_yaml *n = cst_tangent_entry(r, measures[k].name);
    t->asked[k] = n != NULL;
    any |= n != NULL;
    if (n)
      check_methods(r, n, k);
    if (n && !cst_yaml_get(r->root, "tangent"))
      cst_yaml_error(r->doc, n, r->d,
                     "'%s' needs the key 'tangent', which says how often it is measured: tangent: "
                     "{every: 1}",
                     measures[k].name);
  }
  return any;
}

/* ---- the key --------------------------------------------------------------------------------- */

/* Every step divides it. */
static void check_every(cst_reader *r, cst_yaml *n, double every) {
  const cst_study *s = r->s;
  for (int v = 0; s->steps.h && v < s->problem.nvariant; v++) {
    if (every > s->steps.end[v]) {
      cst_yaml_error(r->doc, n, r->d, "'every' is %s and the run ends at %s%s",
                     cst_reader_shortest(every), cst_reader_shortest(s->steps.end[v]),
                     cst_reader_with(r, v));
      return;
    }
    for (int i = 0; i < s->steps.n; i++) {
      const double h = s->steps.h[v * s->steps.n + i];
      if (cst_sampled_divides(every, h))
        continue;
      cst_yaml_error(r->doc, n, r->d, "'every' is %s, which is no multiple of the step %s%s",
                     cst_reader_shortest(every), cst_reader_shortest(h), cst_reader_with(r, v));
      return;
    }
  }
}

/* What has no exact form: observables, and methods. */
static void check_exact(cst_reader *r, cst_yaml *n, const cst_tangent *t) {
  const cst_study *s = r->s;
  if (t->asked[CST_TANGENT_REVERSIBILITY]) {
    cst_yaml_error(
        r->doc, n, r->d,
        "'form' is exact, and '%s' takes companions; lyapunov, megno, two-form and volume "
        "have an exact form",
        measures[CST_TANGENT_REVERSIBILITY].name);
    return;
  }
  for (int i = 0; s->problem.system && i < s->methods.n; i++) {
    const char *why = s->methods.method[i]
                          ? cst_derivative_refusal(s->methods.method[i], s->problem.system)
                          : NULL;
    if (!why)
      continue;
    cst_yaml_error(r->doc, n, r->d, "'form' is exact: %s %s",
                   cst_method_label(s->methods.method[i]), why);
    return;
  }
}

static void read(cst_reader *r, void *request) {
  cst_tangent *t = request;
  cst_yaml    *map = cst_yaml_get(r->root, "tangent");
  const bool   any = read_observables(r, t);
  t->vectors = t->asked[CST_TANGENT_TWO_FORM] ? 2 : 1;
  if (!cst_reader_section(r, map, "tangent", "tangent", CST_KEYS_ALL, t))
    return;
  if (!any)
    cst_yaml_error(r->doc, map, r->d,
                   "'tangent' has no effect: none of lyapunov, megno, two-form, volume, "
                   "reversibility, momentum-balance is among the observables");
  if (t->vectors < 2 && t->asked[CST_TANGENT_TWO_FORM])
    cst_yaml_error(r->doc, cst_yaml_get(map, "vectors"), r->d,
                   "'two-form' is of two vectors; 'vectors' must be at least 2");
  if (t->every > 0)
    check_every(r, cst_yaml_get(map, "every"), t->every);
  if (t->exact)
    check_exact(r, cst_yaml_get(map, "form"), t);
}

/* ---- the form in the result ------------------------------------------------------------------ */

static bool has_vectors(const cst_tangent *t) {
  return t->asked[CST_TANGENT_LYAPUNOV] || t->asked[CST_TANGENT_MEGNO] ||
         t->asked[CST_TANGENT_TWO_FORM] || t->asked[CST_TANGENT_VOLUME];
}

static void *columns(const cst_plan *p, cst_columns *c) {
  if (!has_vectors(cst_tangent_of(p)))
    return NULL;
  cst_text_column *x = cst_zeros(1, sizeof *x);
  *x = cst_columns_text(c, cst_columns_use("tangent-form", NULL),
                        "how tangent vectors are computed: companions, by differences to nearby "
                        "trajectories; exact, by derivatives of the step",
                        "tangent_form");
  return x;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const cst_text_column *x = handles;
  cst_column_say(*x, rows->icase, forms[cst_tangent_of(rows->plan)->exact]);
  return 0;
}

/* It has nothing to do while trajectories run. */
static bool wanted(const cst_plan *p) {
  (void)p;
  return false;
}

static void tell(const cst_plan *p, FILE *out) {
  const cst_tangent *t = cst_tangent_of(p);
  if (!(t->every > 0))
    return;
  fprintf(out, "%-14s ", "tangent");
  for (int k = 0, first = 1; k < CST_TANGENTS; k++)
    if (t->asked[k]) {
      fprintf(out, "%s%s", first ? "" : ", ", measures[k].name);
      first = 0;
    }
  fprintf(out, ", %d vector%s, every %g%s%s\n", t->vectors, t->vectors > 1 ? "s" : "", t->every,
          cst_system_unit(p->study->problem.system, "time"),
          t->exact ? ", by exact derivatives" : "");
}

/* ---- what the collectors that measure share -------------------------------------------------- */

void cst_tangent_numbers_declare(const cst_tangent_numbers *x, const cst_plan *p, cst_channels *c) {
  for (int i = 0; i < x->n; i++)
    if (x->has(p, i))
      cst_channels_add(c, x->row, i,
                       (cst_channel_use){.name = x->text[i].name, .doc = x->text[i].doc});
}

void *cst_tangent_numbers_columns(const cst_tangent_numbers *x, const cst_plan *p, cst_columns *c) {
  cst_number_column *to = cst_zeros(x->n, sizeof *to);
  bool               any = false;
  for (int i = 0; i < x->n; i++) {
    if (!x->has(p, i))
      continue;
    any = true;
    to[i] = cst_columns_number(c, cst_columns_shown(true, "map-property", x->text[i].name),
                               x->text[i].doc, "%s", x->text[i].name);
  }
  if (any)
    return to;
  free(to);
  return NULL;
}

cst_error cst_tangent_numbers_conclude(const cst_tangent_numbers *x, cst_case_rows *rows,
                                       const void *handles) {
  const cst_number_column *to = handles;
  for (int i = 0; i < x->n; i++)
    if (x->has(rows->plan, i))
      CST_TRY(cst_parts_largest(rows, x->row, i, to[i]));
  return 0;
}

long cst_tangent_next(const cst_collection *x, long step) {
  const cst_runner *r = x->run;
  if (r->replayed)
    return LONG_MAX;
  return cst_runner_next_multiple(step, cst_tangent_steps(r->plan, r->class), 0);
}

/* ---- the row --------------------------------------------------------------------------------- */

const cst_collector cst_collector_tangent = {
    .name = "tangent",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "what nearby trajectories measure",
    .keys = {.table = keys, .request = sizeof(cst_tangent), .read = read, .measures = measures},
    .plan = {.tell = tell, .wanted = wanted},
    .file = {.columns = columns, .conclude = conclude},
};

/* extend.c: compares a larger study with that of a finished result, finds its trajectories there, checks them, and copies
 * them into its file (see extend.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/extend.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/document.h"
#include "study/rows/study.h"
#include "core/need.h"
#include "study/collect/continue-rows.h"
#include "study/result/output.h"

/* ---- studies, compared key by key by their canonical texts ----------------------------------- */

/* Removes a key of a map, and the map itself if it is then empty. */
static void drop(cst_yaml *root, const char *map, const char *key) {
  cst_yaml *inner = cst_yaml_get(root, map);
  if (cst_yaml_is_map(inner))
    cst_yaml_remove(inner, key);
  if (cst_yaml_is_map(inner) && !cst_yaml_size(inner))
    cst_yaml_remove(root, map);
}

static void drop_new_layers(cst_yaml *root, cst_yaml *old) {
  cst_yaml *layers = cst_yaml_get(root, "layers");
  cst_yaml *known = cst_yaml_get(old, "layers");
  for (int i = cst_yaml_size(layers) - 1; cst_yaml_is_map(layers) && i >= 0; i--) {
    char *name = strdup(cst_yaml_text(cst_yaml_key(layers, i)));
    if (!cst_yaml_get(known, name))
      drop(root, "layers", name);
    layers = cst_yaml_get(root, "layers");
    free(name);
  }
}

/* The canonical text without the keys that may differ. Systems are compared by content, not by name. */
static char *rest(const cst_study *s, const cst_study *old, cst_diag *d) {
  static const char *const free_keys[] = {"title", "system", "steps", "methods", "end"};
  cst_document            *doc =
      cst_document_parse(s->source.file, s->source.canonical, strlen(s->source.canonical), d);
  cst_document *before =
      cst_document_parse(old->source.file, old->source.canonical, strlen(old->source.canonical), d);
  cst_yaml *root = cst_document_root(doc);
  for (size_t i = 0; i < sizeof free_keys / sizeof *free_keys; i++)
    cst_yaml_remove(root, free_keys[i]);
  drop(root, "initial", "members");
  drop(root, "solver", "tolerance");
  drop_new_layers(root, cst_document_root(before));
  char *text = cst_document_canonical(doc);
  cst_document_destroy(before);
  cst_document_destroy(doc);
  return text;
}

/* A top-level key with its lines. */
typedef struct {
  const char *text;
  int         name, length;
} block;

static block block_at(const char *text) {
  block b = {text, (int)strcspn(text, ":\n"), 0};
  do
    b.length += (int)strcspn(text + b.length, "\n") +
                (text[b.length + (int)strcspn(text + b.length, "\n")] == '\n');
  while (text[b.length] == ' ');
  return b;
}

/* Order of the names; an empty block comes last. */
static int order(block a, block b) {
  if (!a.length || !b.length)
    return !a.length - !b.length;
  const int shorter = a.name < b.name ? a.name : b.name;
  const int difference = strncmp(a.text, b.text, (size_t)shorter);
  return difference ? difference : a.name - b.name;
}

/* The first line in which two blocks differ, without leading blanks. */
static const char *first_other(const char *a, const char *b, int *length) {
  const char *line = a;
  for (; *a && *a == *b; a++, b++)
    if (*a == '\n')
      line = a + 1;
  line += strspn(line, " ");
  *length = (int)strcspn(line, "\n");
  return line;
}

static void report(block a, block b, const cst_study *now, const char *path, cst_diag *d) {
  static const char allowed[] =
      "only members, steps, methods, parameters and tolerances may be more";
  int         m, n;
  const char *x = first_other(a.text, b.text, &m);
  const char *y = first_other(b.text, a.text, &n);
  cst_diag_add(d, now->source.file, 0, 0,
               "'%.*s' differs from %s, which has \"%.*s\" where this study has \"%.*s\"; %s",
               a.name, a.text, path, m, x, n, y, allowed);
}

static void report_missing(block b, const char *who, const char *lacks, const cst_study *now,
                           cst_diag *d) {
  cst_diag_add(d, now->source.file, 0, 0,
               "'%.*s' is in %s and not in %s; only members, steps, methods, parameters and "
               "tolerances may be more",
               b.name, b.text, who, lacks);
}

static void compare_texts(const char *x, const char *y, const cst_study *now, const char *path,
                          cst_diag *d) {
  while (*x || *y) {
    const block a = block_at(x);
    const block b = block_at(y);
    const int   which = order(a, b);
    const bool  same = a.length == b.length && !strncmp(a.text, b.text, (size_t)a.length);
    if (which < 0)
      report_missing(a, path, now->source.file, now, d);
    if (which > 0)
      report_missing(b, now->source.file, path, now, d);
    if (which == 0 && !same)
      report(a, b, now, path, d);
    if (which <= 0)
      x += a.length;
    if (which >= 0)
      y += b.length;
  }
}

/* True if the end differs. It may be later if the result holds the states from which to continue. */
static bool compare_ends(const cst_study *old, const cst_study *now, const char *path,
                         cst_diag *d) {
  bool        other = false, earlier = false;
  const char *unit = cst_system_unit(now->problem.system, "time");
  for (int v = 0; v < old->problem.nvariant && v < now->problem.nvariant; v++) {
    other |= now->steps.end[v] != old->steps.end[v];
    earlier |= now->steps.end[v] < old->steps.end[v];
  }
  if (!other)
    return false;
  if (earlier)
    cst_diag_add(
        d, now->source.file, 0, 0,
        "'end' is %g%s, which is before that of %s, %g%s; a study that extends it must keep all it "
        "has",
        now->steps.end[0], unit, path, old->steps.end[0], unit);
  else if (!old->run.extensible)
    cst_diag_add(d, now->source.file, 0, 0,
                 "'end' is %g%s, and %s, which ends at %g%s, does not hold the states that a later "
                 "end needs; "
                 "run it again with `extensible: true`, or with this end",
                 now->steps.end[0], unit, path, old->steps.end[0], unit);
  else if (old->ensemble.members != now->ensemble.members ||
           old->problem.nvariant != now->problem.nvariant || old->steps.n != now->steps.n ||
           old->methods.n != now->methods.n || old->solver.ntolerance != now->solver.ntolerance)
    cst_diag_add(
        d, now->source.file, 0, 0,
        "'end' is later than that of %s, and there are more members, steps, methods, parameters or "
        "tolerances; extend it in two steps, the end first",
        path);
  else
    return true;
  return false;
}

static void compare_systems(const cst_system *old, const cst_system *now, const char *file,
                            const char *path, cst_diag *d) {
  const bool same_name = !strcmp(old->name, now->name);
  if (same_name && !strcmp(old->description->text, now->description->text))
    return;
  const char *change = same_name ? ", whose description has changed" : "";
  cst_diag_add(d, file, 0, 0, "its system is not that of %s: %s%s", path, old->name, change);
}

/* path: the result of the old study. Steps, methods, members, tolerances, parameters, the title and new
 * layers are not compared. True if the end is later, which requires both studies to be extensible. */
static bool compare_studies(const cst_study *old, const cst_study *now, const char *path,
                            cst_diag *d) {
  compare_systems(old->problem.system, now->problem.system, now->source.file, path, d);
  if (old->ensemble.members > now->ensemble.members)
    cst_diag_add(d, now->source.file, 0, 0,
                 "it has %ld members, %s has %ld; a study that extends it must keep all it has",
                 now->ensemble.members, path, old->ensemble.members);
  char      *x = rest(old, old, d);
  char      *y = rest(now, old, d);
  const int  before = cst_diag_count(d);
  const bool longer = compare_ends(old, now, path, d);
  if (cst_diag_count(d) == before)
    compare_texts(x, y, now, path, d);
  free(x);
  free(y);
  return longer;
}

/* ---- cases that are the same ----------------------------------------------------------------- */

static const cst_class *class_of(const cst_plan *p, int icase) {
  return &p->classes[p->class_of[icase]];
}

static bool same_numbers(const double *a, const double *b, int n) {
  return !n || !memcmp(a, b, sizeof *a * (size_t)n);
}

static const char *label(const cst_plan *p, const cst_case *c) {
  return cst_method_label(p->study->methods.method[c->method]);
}

/* The start of a case in a sweep over starts; "" without such a sweep. */
static const char *start_of(const cst_plan *p, const cst_case *c) {
  return p->study->sweep.n ? p->study->sweep.name[c->variant / p->study->sweep.nset] : "";
}

static bool is_case(const cst_plan *old, int i, const cst_plan *now, int k) {
  const cst_case  *a = &old->cases[i];
  const cst_case  *b = &now->cases[k];
  const cst_study *s = old->study;
  const int        npar = s->problem.system->npar;
  const bool       longer = s->run.extensible && now->study->run.extensible;
  if (a->h != b->h || a->h_nominal != b->h_nominal)
    return false;
  if (longer ? a->n > b->n : a->n != b->n)
    return false;
  if (strcmp(label(old, a), label(now, b)))
    return false;
  if (strcmp(start_of(old, a), start_of(now, b)))
    return false;
  if (s->solver.tolerance[a->tolerance] != now->study->solver.tolerance[b->tolerance])
    return false;
  if (npar != now->study->problem.system->npar)
    return false;
  return same_numbers(cst_plan_parameters(old, a->variant), cst_plan_parameters(now, b->variant),
                      npar);
}

/* Both studies order their cases alike: searching from the last match walks through both lists once. */
static int find_case(const cst_plan *old, int i, const cst_plan *now, int from) {
  for (int k = 0; k < now->ncase; k++) {
    const int at = (from + k) % now->ncase;
    if (is_case(old, i, now, at))
      return at;
  }
  return -1;
}

static bool same_looks(const cst_class *a, const cst_class *b) {
  if (a->observe != b->observe || a->read != b->read || a->lead != b->lead)
    return false;
  if (a->nsample != b->nsample)
    return false;
  return !a->nsample || !memcmp(a->sample, b->sample, sizeof *a->sample * (size_t)a->nsample);
}

/* The last digits of a method's states depend on all times at which it stops. */
static bool same_times(const cst_plan *old, int variant, const cst_plan *now, int other) {
  int     m, n;
  double *t = cst_reference_times(old, variant, &m);
  double *u = cst_reference_times(now, other, &n);
  bool    same = m == n && same_numbers(t, u, n);
  free(t);
  free(u);
  return same;
}

/* Cached answer for one variant of the file; cases come variant by variant. */
typedef struct {
  int  variant;
  bool same_times;
} variant_cache;

static void compare_times(const cst_extension *e, int i, int k, variant_cache *m) {
  if (m->variant == e->old->cases[i].variant)
    return;
  m->variant = e->old->cases[i].variant;
  m->same_times = e->old->study->reference.kind != CST_REFERENCE_METHOD ||
                  same_times(e->old, m->variant, e->now, e->now->cases[k].variant);
}

static const cst_reuse *reuse_of(int collector) {
  static const cst_reuse none = {NULL};
  const cst_reuse       *reuse = cst_collectors[collector]->reuse;
  return reuse ? reuse : &none;
}

/* Why case i of the file must be recomputed as case k; NULL: it is taken over. */
static const char *refuse(const cst_extension *e, int i, int k, variant_cache *m) {
  const char *why = NULL;
  compare_times(e, i, k, m);
  if (!same_looks(class_of(e->old, i), class_of(e->now, k)))
    return "errors are read at other steps";
  for (int c = 0; c < cst_collector_count && !why; c++)
    if (reuse_of(c)->recompute)
      why = reuse_of(c)->recompute(e, i, k);
  return why || m->same_times ? why : "the reference is read at other times";
}

/* Whether case i of the file can go on to the end of case k; else there is one error for all cases, at the key
 * `end`. */
static bool reaches(cst_extension *e, const char *path, int i, int k, cst_diag *d) {
  const cst_study_word at = cst_study_place(e->now->study, "end");
  const cst_case      *c = &e->old->cases[i];
  char                 text[256];
  for (int j = 0; j < cst_collector_count; j++) {
    if (!reuse_of(j)->reaches || reuse_of(j)->reaches(e, i, k, text, sizeof text))
      continue;
    if (!e->end_refused)
      cst_diag_add(d, e->now->study->source.file, at.line, at.column,
                   "%s, which ends at %.10g%s, %s", path, (double)c->n * c->h_nominal,
                   cst_system_unit(e->now->study->problem.system, "time"), text);
    e->end_refused = true;
    return false;
  }
  return true;
}

/* Why a class cannot be continued as another one; NULL: it can. Static text. */
static const char *refuse_later(const cst_plan *old, const cst_class *from, const cst_plan *now,
                                const cst_class *to) {
  static char text[256];
  const char *why = NULL;
  if (to->observe != from->observe) {
    snprintf(text, sizeof text,
             "a run of that length is observed at one step in %ld, not in %ld; with `observe: "
             "every` both "
             "are alike",
             to->observe, from->observe);
    return text;
  }
  for (int k = 0; k < cst_collector_count && !why; k++)
    if (reuse_of(k)->refuse)
      why = reuse_of(k)->refuse(old, from, now, to);
  return why;
}

/* Continues case i of the file as case k. */
static void go_on(cst_extension *e, const char *path, int i, int k, cst_diag *d) {
  const cst_case  *c = &e->old->cases[i];
  const cst_class *from = class_of(e->old, i);
  const cst_class *to = class_of(e->now, k);
  const int        first = e->from[to->cases[0]];
  const char      *why = NULL;
  if (reaches(e, path, i, k, d))
    why = refuse_later(e->old, from, e->now, to);
  if (!why && first >= 0 && e->old->cases[first].n != from->n)
    why = "it would share a batch with cases that ended at other steps";
  if (why)
    cst_diag_add(d, e->now->study->source.file, 0, 0,
                 "case %d of %s (%s, step %.10g) cannot be continued: %s", i, path,
                 label(e->old, c), c->h_nominal, why);
  e->from[k] = i;
}

static void match(cst_extension *e, const char *path, cst_diag *d) {
  const long    members = e->old->study->ensemble.members;
  variant_cache m = {.variant = -1};
  for (int i = 0, k = -1; i < e->old->ncase; i++) {
    const cst_case *c = &e->old->cases[i];
    const int       found = find_case(e->old, i, e->now, k + 1);
    if (found < 0) {
      cst_diag_add(
          d, path, 0, 0,
          "its case %d (%s, step %.10g, %ld steps) is not in %s; a study that extends it must keep "
          "all it has",
          i, label(e->old, c), c->h_nominal, c->n, e->now->study->source.file);
      continue;
    }
    k = found;
    const char *why = e->continues ? NULL : refuse(e, i, k, &m);
    if (e->continues)
      go_on(e, path, i, k, d);
    else if (why) {
      e->recomputed += members;
      e->why = why;
    } else {
      e->from[k] = i;
      e->taken += members;
    }
  }
}

static void name_origin(cst_extension *e) {
  char *run = cst_result_text(e->file, "/run", "id");
  snprintf(e->origin, sizeof e->origin, "from an earlier end, of %s", run ? run : "");
  free(run);
}

void cst_extend_create(cst_extension *e, cst_result *file, const char *path, const cst_plan *old,
                       const cst_plan *now, cst_diag *d) {
  const int before = cst_diag_count(d);
  char      why[256];
  *e = (cst_extension){.file = file,
                       .old = old,
                       .now = now,
                       .channels = cst_channels_create(old, NULL),
                       .now_channels = cst_channels_create(now, NULL),
                       .from = cst_need(malloc(sizeof(int) * (size_t)(now->ncase + 1)))};
  for (int k = 0; k < now->ncase; k++)
    e->from[k] = -1;
  e->joined = cst_continue_joined(file, old, why, sizeof why);
  if (!e->joined)
    cst_diag_add(d, path, 0, 0, "%s", why);
  e->continues = compare_studies(old->study, now->study, path, d);
  if (e->continues)
    name_origin(e);
  if (cst_diag_count(d) == before)
    match(e, path, d);
}

void cst_extend_destroy(cst_extension *e) {
  cst_channels_destroy(e->channels);
  cst_channels_destroy(e->now_channels);
  free(e->from);
  free(e->joined);
}

void cst_extend_mark(const cst_extension *e, cst_checkpoint *checkpoint) {
  if (e->continues)
    return;
  for (int k = 0; k < e->now->ncase; k++) {
    if (e->from[k] < 0)
      continue;
    unsigned char *lane = checkpoint->lane[e->now->class_of[k]] + cst_plan_lane(e->now, k, 0);
    memset(lane, CST_LANE_DONE, (size_t)e->old->study->ensemble.members);
  }
}

double cst_extend_steps(const cst_extension *e, int class) {
  const cst_class *k = &e->now->classes[class];
  long             lanes = k->lanes;
  if (e->continues) {
    const cst_case *first = &e->old->cases[e->from[k->cases[0]]];
    return (double)lanes * (double)(k->n - first->n);
  }
  for (int i = 0; i < k->ncase; i++)
    if (e->from[k->cases[i]] >= 0)
      lanes -= e->old->study->ensemble.members;
  return (double)lanes * (double)k->n;
}

/* ---- into the new file ----------------------------------------------------------------------- */

/* Members of case k of the study that were continued from an earlier end. */
static long joined(const cst_extension *e, int k) {
  if (e->continues)
    return e->now->study->ensemble.members;
  return e->from[k] < 0 ? 0 : e->joined[e->from[k]];
}

long *cst_extend_joined(const cst_extension *e) {
  long *members = cst_zeros(e->now->ncase, sizeof *members);
  for (int k = 0; k < e->now->ncase; k++)
    members[k] = joined(e, k);
  return members;
}

void cst_extend_members(const cst_extension *e, int icase, long *first, long *count) {
  *first = 0;
  *count = e->old->study->ensemble.members;
  if (e->division)
    cst_division_members(e->old, e->division, e->part, icase, first, count);
}

cst_error cst_extend_case(const cst_extension *e, cst_output *o, int icase) {
  long first, count;
  cst_extend_members(e, e->from[icase], &first, &count);
  if (count > 0)
    CST_TRY(cst_output_take_over(o, e->file, e->old, e->from[icase], icase, first, count));
  return 0;
}

void cst_extend_whole(cst_extension *e, cst_result *file, const cst_plan *p,
                      const cst_division *division, long part) {
  *e = (cst_extension){.file = file,
                       .old = p,
                       .now = p,
                       .channels = cst_channels_create(p, NULL),
                       .now_channels = cst_channels_create(p, NULL),
                       .from = cst_need(malloc(sizeof(int) * (size_t)(p->ncase + 1))),
                       .division = division,
                       .part = part};
  for (int k = 0; k < p->ncase; k++)
    e->from[k] = k;
}

cst_error cst_extend_rows(const cst_extension *e, cst_output *o) {
  int rank, ranks;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY_MPI(MPI_Comm_size(cst_world, &ranks));
  for (int k = 0; k < e->now->ncase && rank == 0; k++)
    CST_TRY(cst_continue_join(o, k, joined(e, k)));
  for (int k = rank; k < e->now->ncase; k += ranks)
    if (e->continues)
      CST_TRY(
          cst_output_copies(o, e->file, e->old, e->from[k], k, 0, e->old->study->ensemble.members));
    else if (e->from[k] >= 0)
      CST_TRY(cst_extend_case(e, o, k));
  return 0;
}

cst_error cst_extend_row(const cst_extension *e, const cst_output *o, int icase, long member,
                         double *row) {
  CST_TRY(cst_continue_read(e->file, e->channels, e->from[icase], cst_output_channels(o), icase,
                            member, row));
  return 0;
}

cst_error cst_extend_tallies(const cst_extension *e, cst_tallies *t) {
  for (int k = 0; k < cst_collector_count; k++)
    if (reuse_of(k)->add)
      CST_TRY(reuse_of(k)->add(e, t));
  return 0;
}

/* ---- checks of what is read from a result, before any work ----------------------------------- */

enum { AT_ONCE = 1 << 20, REPORTED = 3 };

typedef struct {
  const cst_extension *e;
  const char          *path;
  cst_diag            *d;
  int                  before;  /* messages in d before these */
  double              *numbers; /* [nclass] of the first row of each class */
} check;

static bool enough(const check *x) { return cst_diag_count(x->d) >= x->before + REPORTED; }

static void report_missing_rows(const check *x, const cst_channel *c) {
  const char *why = c->row->is & CST_IS_WIDER
                        ? "; a result that was made by another version of the program, which keeps "
                          "other numbers of a trajectory, can be continued by that one only"
                        : "";
  cst_diag_add(x->d, x->path, 0, 0, "%s cannot be read, or has another shape%s", c->field.path,
               why);
}

/* Extents of a channel of the file. */
static long extent(const check *x, const cst_channel *c, int k) {
  return x->e->channels->dim[c->field.dim[k]].size;
}

/* Reads rows first .. first + n - 1 of a case, along dimension 1 of the channel. */
static bool read_rows(const check *x, const cst_channel *c, int icase, long first, long n,
                      void *to) {
  long start[CST_FIELD_DIMS] = {icase, first}, count[CST_FIELD_DIMS] = {1, n};
  for (int k = 2; k < c->field.ndim; k++)
    count[k] = extent(x, c, k);
  if (cst_result_read_block(x->e->file, c->field.path, c->field.type, start, count, to))
    return true;
  report_missing_rows(x, c);
  return false;
}

/* Numbers per row along dimension 1. */
static long width_of(const check *x, const cst_channel *c) {
  long n = 1;
  for (int k = 2; k < c->field.ndim; k++)
    n *= extent(x, c, k);
  return n;
}

/* Whether the n rows of a case from `first` on may be used; the first that may not is reported. */
typedef bool judge(const check *x, const cst_channel *c, int icase, long first, long n,
                   const void *rows);

static bool are_possible(const check *x, const cst_channel *c, int icase, long first, long n,
                         const void *rows) {
  char why[256];
  (void)first;
  if (cst_sound(x->e->old, icase, c, rows, (size_t)(n * width_of(x, c)), why, sizeof why))
    return true;
  cst_diag_add(x->d, x->path, 0, 0, "%s", why);
  return false;
}

/* All rows of a class have as many numbers. */
static bool is_first_or_alike(const check *x, int class, const double *row) {
  if (x->numbers[class] == 0)
    x->numbers[class] = row[CST_CONTINUE_NUMBERS];
  return x->numbers[class] == row[CST_CONTINUE_NUMBERS];
}

static bool can_be_continued(const check *x, const cst_channel *c, int icase, long first, long n,
                             const void *rows) {
  const cst_plan  *p = x->e->old;
  const cst_class *k = &p->classes[p->class_of[icase]];
  const double    *row = rows;
  char             why[200];
  for (long m = 0; m < n; m++, row += c->count) {
    if (cst_continue_check(x->e->channels, k, x->e->now_channels, row, why, sizeof why)) {
      if (is_first_or_alike(x, p->class_of[icase], row))
        continue;
      snprintf(why, sizeof why, "it has other numbers than the rows of the same method and step");
    }
    cst_diag_add(x->d, x->path, 0, 0, "%s, case %d, member %ld: %s", c->field.path, icase,
                 first + m, why);
    return false;
  }
  return true;
}

/* Judges all rows of a channel in one case: of its members, or samples. */
static void check_rows(const check *x, const cst_channel *c, int icase, judge *accepts) {
  long         at = 0, all = extent(x, c, 1);
  const size_t row = cst_record_width(c->field.type) * (size_t)width_of(x, c);
  const long   some = row ? 1 + (long)(AT_ONCE / row) : 1;
  char        *rows = cst_need(malloc((size_t)some * row + 1));
  if (c->count)
    cst_extend_members(x->e, icase, &at, &all);
  for (all += at; row && at < all; at += some) {
    const long n = all - at < some ? all - at : some;
    if (!read_rows(x, c, icase, at, n, rows) || !accepts(x, c, icase, at, n, rows))
      break;
  }
  free(rows);
}

static bool is_summed(const cst_channel *c) { return c->row->is & CST_IS_SUMMED; }

static void check_case(const check *x, int icase) {
  const cst_extension *e = x->e;
  for (int k = 0; k < e->channels->n && !enough(x); k++) {
    const cst_channel *c = &e->channels->channel[k];
    if (c->place < 0)
      continue;
    if ((c->row->is & CST_IS_WIDER) && e->continues)
      check_rows(x, c, icase, can_be_continued);
    else if (is_summed(c) || (c->count && !e->continues && !(c->row->is & CST_IS_WIDER)))
      check_rows(x, c, icase, are_possible);
  }
}

void cst_extend_check(const cst_extension *e, const char *path, cst_diag *d) {
  const check x = {e, path, d, cst_diag_count(d), cst_zeros(e->old->nclass, sizeof(double))};
  for (int k = 0; k < e->now->ncase; k++)
    if (e->from[k] >= 0)
      check_case(&x, e->from[k]);
  free(x.numbers);
}

/* starts.c: sweeps over starts, and members that have their own starts (see starts.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/boundary.h"
#include "study/file/starts.h"
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"

#define FORM(name) extern const cst_start_form cst_start_form_##name;
#include "study/file/start-forms.h"
#undef FORM
static const cst_start_form *const forms[] = {
#define FORM(name) &cst_start_form_##name,
#include "study/file/start-forms.h"
#undef FORM
};

enum { MOST_KEYS = 32, MOST_SWEPT = 10000 };
static const double most_numbers = 4e8; /* limit for all starts together */

/* ---- tables of starts ------------------------------------------------------------------------ */

double *cst_starts_row(const cst_study *s, int variant, long i) {
  const long row = (s->starts_each ? variant * s->nstart : 0) + i;
  return s->starts + (size_t)row * 2 * (size_t)s->system->nq;
}

bool cst_starts_make(cst_reader *r, cst_yaml *at, double n, bool each) {
  cst_study   *s = r->s;
  const size_t nq = (size_t)s->system->nq;
  each |= s->project; /* projections depend on the parameters */
  const int sets = each ? s->nvariant : 1;
  if (n * sets * 2 * (double)nq > most_numbers) {
    cst_yaml_error(r->doc, at, r->d,
                   "%.0f starts for %d sets of parameters are too many; at most %.0f numbers in "
                   "total are allowed",
                   n, sets, most_numbers);
    return false;
  }
  s->nstart = (long)n;
  s->starts_each = each;
  s->starts = cst_reader_memory((size_t)n * (size_t)sets * 2 * nq, sizeof(double));
  for (int v = 0; v < sets; v++)
    for (long i = 0; i < s->nstart; i++) {
      double *x = cst_starts_row(s, v, i);
      memcpy(x, s->q0 + (size_t)v * nq, nq * sizeof *x);
      memcpy(x + nq, s->v0 + (size_t)v * nq, nq * sizeof *x);
    }
  return true;
}

int cst_starts_place(const cst_system *s, const char *name, int from) {
  const size_t length = strlen(name);
  const bool   velocity = length && name[length - 1] == '\'';
  const size_t n = length - velocity;
  for (int k = 0; k < s->nq; k++) {
    const int   i = (from + k) % s->nq;
    const char *coordinate = s->coordinate[i];
    const bool  same = strlen(coordinate) == n && !strncmp(coordinate, name, n);
    if (same)
      return velocity ? s->nq + i : i;
  }
  return -1;
}

/* ---- members with their own starts ------------------------------------------------------------- */

static const cst_start_form *form_of(cst_reader *r, cst_yaml *map) {
  const cst_start_form *found = NULL;
  for (size_t k = 0; cst_yaml_is_map(map) && k < sizeof forms / sizeof *forms; k++) {
    cst_yaml *value = cst_yaml_get(map, forms[k]->key);
    if (value && found)
      cst_yaml_error(r->doc, value, r->d, "'initial' has both '%s' and '%s'; one is allowed",
                     found->key, forms[k]->key);
    if (value && !found)
      found = forms[k];
  }
  return found;
}

static void check_keys(cst_reader *r, cst_yaml *map, const cst_start_form *f) {
  const char        *keys[CST_MOST_KEYS + MOST_KEYS];
  int                n = cst_keys_of(cst_study_keys(), "initial", CST_START_TABLE, keys);
  const char *const *also = f->also;
  keys[n++] = f->key;
  while (also && *also && n < CST_COUNT(keys))
    keys[n++] = *also++;
  cst_reader_map(r, map, "initial", keys, n);
}

/* Reads the number of members; the default is the number of starts. */
static void read_members(cst_reader *r, cst_yaml *map) {
  cst_study *s = r->s;
  cst_yaml  *n = cst_yaml_get(map, "members");
  s->members = s->nstart ? s->nstart : 1;
  if (!cst_reader_integer(r, n, "members", 1, 1000000000000, &s->members) || !s->nstart)
    return;
  if (s->members > s->nstart && !cst_study_spreads(s))
    cst_yaml_error(
        r->doc, n, r->d,
        "there are %ld starts for %ld members, and no spread, so some members would be equal",
        s->nstart, s->members);
}

/* The start of member 0 becomes that of the study. */
static void take_first(cst_study *s) {
  const size_t nq = (size_t)s->system->nq;
  for (int v = 0; v < s->nvariant; v++) {
    memcpy(s->q0 + (size_t)v * nq, cst_starts_row(s, v, 0), nq * sizeof(double));
    memcpy(s->v0 + (size_t)v * nq, cst_starts_row(s, v, 0) + nq, nq * sizeof(double));
  }
}

/* A key without effect is a mistake. */
static void check_unused(cst_reader *r, cst_yaml *map, const cst_start_form *f) {
  cst_yaml *project = cst_yaml_get(map, "project");
  cst_yaml *around = cst_yaml_get(map, "around");
  if (project && f->projects && !r->s->project)
    cst_yaml_error(r->doc, project, r->d,
                   "'%s' always moves its starts to the nearest point of the constraints", f->key);
  if (around && f->whole)
    cst_yaml_error(r->doc, around, r->d,
                   "'around' has no effect: the starts of '%s' have all coordinates and velocities",
                   f->key);
}

static void read_form(cst_reader *r, cst_yaml *map, const cst_start_form *f) {
  cst_study *s = r->s;
  check_keys(r, map, f);
  cst_file_seed(r, cst_yaml_get(map, "seed"));
  cst_start_spread(r, cst_yaml_get(map, "spread"));
  cst_start_project(r, cst_yaml_get(map, "project"));
  check_unused(r, map, f);
  s->project |= f->projects;
  cst_file_single_start(r, cst_yaml_get(map, "around"), "around");
  if (r->start_known)
    r->start_known = f->read(r, map, cst_yaml_get(map, f->key));
  if (r->start_known)
    take_first(s);
  s->state = -1;
  s->ensemble = cst_study_spreads(s);
  r->start = cst_yaml_get(map, f->key);
  read_members(r, map);
}

/* ---- a sweep --------------------------------------------------------------------------------- */

void cst_starts_multiply(cst_study *s, int n, double *q, double *v) {
  const size_t npar = (size_t)s->system->npar;
  const size_t bytes = sizeof(double) * npar * (size_t)s->nvariant;
  double      *all = cst_reader_memory((size_t)n * npar * (size_t)s->nvariant, sizeof(double));
  for (int i = 0; i < n; i++)
    memcpy((char *)all + (size_t)i * bytes, s->parameter, bytes);
  free(s->parameter);
  free(s->q0);
  free(s->v0);
  s->parameter = all;
  s->q0 = q;
  s->v0 = v;
  s->nset = s->nvariant;
  s->nvariant *= n;
}

static void label(cst_reader *r, cst_yaml *item, int i) {
  char text[32];
  snprintf(text, sizeof text, "start %d", i + 1);
  r->s->start_name[i] = strdup(cst_yaml_is_scalar(item) ? cst_yaml_text(item) : text);
}

static bool is_repeated(cst_reader *r, cst_yaml *item, int i) {
  for (int k = 0; k < i; k++)
    if (!strcmp(r->s->start_name[k], r->s->start_name[i])) {
      cst_yaml_error(r->doc, item, r->d, "the start '%s' appears twice", r->s->start_name[i]);
      return true;
    }
  return false;
}

bool cst_starts_allow_sweep(cst_reader *r, cst_yaml *at, double n) {
  const int sets = r->s->nvariant;
  if (n <= MOST_SWEPT && n * sets <= 1e6)
    return true;
  cst_yaml_error(
      r->doc, at, r->d,
      "a sweep over %.0f starts and %d sets of parameters; at most %d starts and 1000000 of both",
      n, sets, MOST_SWEPT);
  return false;
}

static void read_sweep(cst_reader *r, cst_yaml *list) {
  cst_study   *s = r->s;
  const int    n = cst_yaml_size(list);
  const size_t m = s->system ? (size_t)s->nvariant * (size_t)s->system->nq : 0;
  bool         good = cst_reader_list(r, list, "initial", "starts", false);
  good = good && cst_starts_allow_sweep(r, list, n);
  if (!good || !s->system)
    return;
  double *q = cst_reader_memory((size_t)n * m, sizeof *q);
  double *v = cst_reader_memory((size_t)n * m, sizeof *v);
  s->start_name = cst_reader_memory((size_t)n, sizeof *s->start_name);
  s->start_state = cst_reader_memory((size_t)n, sizeof *s->start_state);
  for (int i = 0; i < n; i++) {
    cst_yaml *item = cst_yaml_item(list, i);
    cst_file_single_start(r, item, "initial");
    good &= r->start_known;
    s->nswept = i + 1;
    label(r, item, i);
    good = !is_repeated(r, item, i) && good;
    s->start_state[i] = s->state;
    memcpy(q + (size_t)i * m, s->q0, m * sizeof *q);
    memcpy(v + (size_t)i * m, s->v0, m * sizeof *v);
  }
  r->start = list;
  r->start_known = good;
  cst_starts_multiply(s, n, q, v);
}

int cst_study_state(const cst_study *s, int variant) {
  CST_REQUIRE(s && variant >= 0 && variant < s->nvariant, -1);
  if (s->ensemble || s->nstart)
    return -1;
  return s->nswept ? s->start_state[variant / s->nset] : s->state;
}

bool cst_starts_beside(cst_reader *r, cst_yaml *map, cst_yaml *value, const char *name,
                       cst_fetch *fetch) {
  cst_study *s = r->s;
  size_t     length;
  char      *path = cst_reader_beside(r, name);
  bool       good = cst_reader_fetch(r, value, fetch, path, &s->starts_text, &length);
  if (good) {
    cst_sha256(s->starts_text, length, s->starts_sha256);
    cst_reader_check_sum(r, cst_yaml_get(map, "sha256"), path, s->starts_sha256);
    char *text = strdup(s->starts_text);
    good = text && cst_starts_table(r, value, path, text);
    free(text);
  }
  free(path);
  return good;
}

bool cst_starts_read(cst_reader *r, cst_yaml *initial) {
  if (cst_yaml_is_list(initial)) {
    read_sweep(r, initial);
    return true;
  }
  if (cst_yaml_is_map(initial) && cst_yaml_get(initial, "sweep")) {
    if (r->s->system)
      cst_starts_sweep(r, initial);
    return true;
  }
  const cst_start_form *f = form_of(r, initial);
  if (!f)
    return false;
  if (r->s->system)
    read_form(r, initial, f);
  return true;
}

/* file-start.c: the key `initial`: a named state, numbers, or an ensemble around either. start.c checks that
 * they are valid starts. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "study/file/names.h"
#include "study/file/reader.h"
#include "study/file/starts.h"

static const char start_wanted[] = "the name of a state, a map {q: [...], v: [...]}, an ensemble "
                                   "{members: ..., spread: ...}, a list of "
                                   "starts, or a map with list, grid, csv or from";

static double *q_of(const cst_study *s, int variant) {
  return s->q0 + (size_t)variant * (size_t)s->system->nq;
}
static double *v_of(const cst_study *s, int variant) {
  return s->v0 + (size_t)variant * (size_t)s->system->nq;
}
static const double *c_of(const cst_study *s, int variant) {
  return s->parameter + (size_t)variant * (size_t)s->system->npar;
}

static bool state_values(cst_reader *r, int state) {
  cst_study *s = r->s;
  s->state = state;
  for (int v = 0; v < s->nvariant; v++)
    cst_system_state(s->system, state, c_of(s, v), q_of(s, v), v_of(s, v));
  return true;
}

static bool named(cst_reader *r, cst_yaml *n, const char *what) {
  const char *word = cst_reader_text(r, n, what, start_wanted);
  if (!word || !r->s->system)
    return false;
  const cst_system *s = r->s->system;
  const char      **names = cst_reader_memory((size_t)s->nstate, sizeof *names);
  int               i = 0;
  for (int k = 0; k < s->nstate; k++)
    names[k] = s->state[k].name;
  while (i < s->nstate && strcmp(names[i], word))
    i++;
  if (i == s->nstate)
    cst_reader_unknown(r, n, "state", word, names, s->nstate);
  free(names);
  return i < s->nstate && state_values(r, i);
}

/* Reads q or v into out[nvariant][nq]. */
static bool vector(cst_reader *r, cst_yaml *n, const char *what, double *out) {
  const cst_study *s = r->s;
  if (!cst_reader_list(r, n, what, "numbers", false) || !s->system)
    return false;
  int nq = s->system->nq;
  int size = cst_yaml_size(n);
  if (size != nq) {
    cst_yaml_error(r->doc, n, r->d, "'%s' has %d entries; %s has %d coordinates: %s", what, size,
                   s->system->name, nq,
                   cst_names_list(s->system->coordinate_name, s->system->ncoordinate));
    return false;
  }
  bool    good = true;
  double *one = cst_reader_memory((size_t)s->nvariant, sizeof *one);
  for (int i = 0; i < nq; i++) {
    good &= cst_reader_numbers(r, cst_yaml_item(n, i), what, one);
    for (int v = 0; v < s->nvariant; v++)
      out[v * nq + i] = one[v];
  }
  free(one);
  return good;
}

/* A start given by bodies, as a state of a system file is. */
static bool with_bodies(cst_reader *r, cst_yaml *n) {
  cst_study   *s = r->s;
  const size_t nq = (size_t)s->system->nq;
  cst_node    *q = cst_reader_memory(2 * nq, sizeof *q);
  cst_node    *v = q + nq;
  const bool   good =
      s->nvariant && cst_system_read_start(s->system, r->doc, n, c_of(s, 0), r->d, q, v);
  for (int k = 0; k < s->nvariant && good; k++) {
    cst_system_values(s->system, q, (int)nq, c_of(s, k), q_of(s, k));
    cst_system_values(s->system, v, (int)nq, c_of(s, k), v_of(s, k));
  }
  free(q);
  return good;
}

static bool numbers(cst_reader *r, cst_yaml *n, const char *what) {
  const bool bodies = r->s->system && r->s->system->nbodies;
  cst_reader_keys(r, n, what, "initial", CST_START_SINGLE | (bodies ? CST_START_BODIES : 0));
  cst_start_project(r, cst_yaml_get(n, "project"));
  r->s->state = -1;
  if (bodies && cst_yaml_get(n, "bodies"))
    return with_bodies(r, n);
  bool q = vector(r, cst_reader_required(r, n, what, "q"), "q", r->s->q0);
  bool v = vector(r, cst_reader_required(r, n, what, "v"), "v", r->s->v0);
  return q && v;
}

/* A start that is not an ensemble; n NULL: the first state of the system. */
void cst_file_single_start(cst_reader *r, cst_yaml *n, const char *what) {
  cst_yaml *system = cst_yaml_get(r->root, "system");
  cst_yaml *parameters = cst_yaml_get(system, "parameters");
  r->start = n ? n : parameters ? parameters : system;
  if (!n)
    r->start_known = r->s->system && state_values(r, 0);
  else if (cst_yaml_is_map(n))
    r->start_known = numbers(r, n, what);
  else
    r->start_known = named(r, n, what);
}

void cst_file_seed(cst_reader *r, cst_yaml *n) {
  static const char wanted[] = "an integer from 0 to 18446744073709551615";
  const char       *text = cst_reader_text(r, n, "seed", wanted);
  if (!text)
    return;
  errno = 0;
  r->s->seed = strtoull(text, NULL, 10);
  if (errno || strspn(text, "0123456789") != strlen(text))
    cst_yaml_error(r->doc, n, r->d, "'seed' is '%s'; it must be %s", text, wanted);
}

static void ensemble(cst_reader *r, cst_yaml *n) {
  const long most = 1000000000000;
  cst_study *s = r->s;
  s->ensemble = true;
  s->members = most; /* if unreadable: then accept any number of a member */
  cst_reader_keys(r, n, "initial", "initial", CST_START_ENSEMBLE);
  if (cst_yaml_get(n, "members") || !cst_yaml_get(n, "relax"))
    cst_reader_integer(r, cst_reader_required(r, n, "initial", "members"), "members", 1, most,
                       &s->members);
  else
    s->members = 1;
  cst_file_seed(r, cst_yaml_get(n, "seed"));
  cst_start_project(r, cst_yaml_get(n, "project"));
  s->unspread = !cst_yaml_get(n, "spread");
  /* file-noise.c checks for a zero spread once the methods are known */
  cst_start_spread(r, cst_yaml_get(n, "spread"));
  cst_file_single_start(r, cst_yaml_get(n, "around"), "around");
  cst_file_relax(r, cst_yaml_get(n, "relax"));
}

/* A start of the system file, or numbers, that is projected: {around: low, project: true}. */
static bool is_moved(cst_yaml *n) {
  return cst_yaml_get(n, "around") && cst_yaml_get(n, "project") && !cst_yaml_get(n, "members") &&
         !cst_yaml_get(n, "seed") && !cst_yaml_get(n, "spread") && !cst_yaml_get(n, "relax");
}

static bool is_ensemble(cst_yaml *n) {
  static const char *const own[] = {"members", "seed", "around", "spread", NULL};
  for (const char *const *key = own; *key; key++)
    if (cst_yaml_get(n, *key))
      return true;
  return cst_yaml_get(n, "relax") && !cst_yaml_get(n, "q") && !cst_yaml_get(n, "bodies");
}

void cst_file_start(cst_reader *r) {
  cst_study *s = r->s;
  cst_yaml  *n = cst_yaml_get(r->root, "initial");
  size_t     size = s->system ? (size_t)s->nvariant * (size_t)s->system->nq : 0;
  s->members = 1;
  s->seed = 1;
  s->q0 = cst_reader_memory(size, sizeof(double));
  s->v0 = cst_reader_memory(size, sizeof(double));
  if (cst_starts_read(r, n))
    return;
  if (is_moved(n)) {
    cst_reader_keys(r, n, "initial", "initial", CST_START_MOVED);
    cst_file_single_start(r, cst_yaml_get(n, "around"), "around");
    cst_start_project(r, cst_yaml_get(n, "project"));
    s->state = -1; /* no exact motion is known from there */
    return;
  }
  if (is_ensemble(n)) {
    ensemble(r, n);
    return;
  }
  cst_file_single_start(r, n, "initial");
  cst_file_relax(r, cst_yaml_is_map(n) ? cst_yaml_get(n, "relax") : NULL);
}

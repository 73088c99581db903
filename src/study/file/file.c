/* file.c: reads a study file into a cst_study: reports every mistake with its place, then makes the canonical
 * text and its fingerprint.
 *
 * Groups of keys are read in file-*.c. Reading continues after a mistake, so that one run shows them all.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/file/reader.h"
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "core/boundary.h"
#include "core/diag.h"
#include "core/document-places.h"
#include "core/need.h"
#include "method/texts/text.h"
#include "study/rows/collector.h"
#include "study/rows/kind.h"

/* ---- the places of keys, for mistakes that only the plan of a study shows -------------------- */

static void note(cst_study *s, const char *of, cst_yaml *map, int k) {
  const char     *name = cst_yaml_text(cst_yaml_key(map, k));
  const size_t    room = strlen(of) + strlen(name) + 2;
  cst_study_word *x = &s->source.key[s->source.nkey++];
  x->text = cst_reader_memory(room, 1);
  snprintf(x->text, room, "%s%s%s", of, *of ? "." : "", name);
  cst_yaml_place(cst_yaml_value(map, k), &x->line, &x->column);
}

/* Notes the places of all keys, for cst_study_place. */
static void read_places(cst_reader *r) {
  cst_study *s = r->s;
  cst_yaml  *root = r->root;
  const int  n = cst_yaml_size(root);
  int        all = n;
  for (int i = 0; i < n; i++)
    all += cst_yaml_is_map(cst_yaml_value(root, i)) ? cst_yaml_size(cst_yaml_value(root, i)) : 0;
  s->source.key = cst_reader_memory((size_t)all, sizeof *s->source.key);
  for (int i = 0; i < n; i++) {
    cst_yaml *value = cst_yaml_value(root, i);
    note(s, "", root, i);
    for (int k = 0; cst_yaml_is_map(value) && k < cst_yaml_size(value); k++)
      note(s, cst_yaml_text(cst_yaml_key(root, i)), value, k);
  }
}

cst_study_word cst_study_place(const cst_study *s, const char *key) {
  CST_REQUIRE(s && key, (cst_study_word){0});
  cst_study_word found = {NULL, 1, 1};
  size_t         longest = 0;
  for (int i = 0; i < s->source.nkey; i++) {
    const size_t n = strlen(s->source.key[i].text);
    if (n < longest || strncmp(s->source.key[i].text, key, n) || (key[n] && key[n] != '.'))
      continue;
    longest = n;
    found = s->source.key[i];
  }
  return found;
}

/* ---- a file of methods without a study ------------------------------------------------------- */

/* A file with the keys `layers`, `schemes`, `maps` and `retractions` alone: methods of the
 * user without a study. */

/* In a study whose kind has its own keys these may stand beside them. */
static void check_keys(const cst_reader *r) {
  const char *names[CST_MOST_KEYS];
  const int   forms = cst_yaml_get(r->root, "study") ? CST_WITH_STUDY : CST_WITH_ALONE;
  const int   n = cst_keys_of(cst_certify_keys, "", forms, names);
  cst_yaml_check_keys(r->doc, r->root, names, n, r->d);
}

cst_layers *cst_study_read_layers(const char *file, const char *text, size_t length,
                                  cst_share *share, cst_diag *d) {
  CST_REQUIRE(file && text && share && d, NULL);
  const int     before = cst_diag_count(d);
  cst_document *doc = cst_document_parse(file, text, length, d);
  if (!doc)
    return NULL;
  cst_reader r = {.s = cst_reader_memory(1, sizeof(cst_study)),
                  .doc = doc,
                  .root = cst_document_root(doc),
                  .d = d,
                  .before = before,
                  .share = share,
                  .graph = cst_graph_create()};
  r.s->source.file = cst_need(strdup(file));
  r.s->problem.layers = cst_layers_create();
  check_keys(&r);
  cst_file_layers(&r);
  cst_layers *l = cst_diag_count(d) == before ? cst_layers_share(r.s->problem.layers) : NULL;
  cst_study_destroy(r.s);
  cst_graph_destroy(r.graph);
  cst_document_destroy(doc);
  return l;
}

/* ---- a study --------------------------------------------------------------------------------- */

static const double most_cases = 1e7;

/* False: a kind without trajectories, of which nothing else is read. */
static bool read_kind(cst_reader *r) {
  const char *names[64];
  int         kind;
  int         n = cst_kind_count() < CST_COUNT(names) ? cst_kind_count() : CST_COUNT(names);
  for (int i = 0; i < n; i++)
    names[i] = cst_kind_name(cst_kind_at(i));
  if (!cst_reader_choice(r, cst_reader_required(r, r->root, "", "study"), "study", names, n, &kind))
    return true;
  if (cst_kind_at(kind)->command) {
    cst_yaml_error(
        r->doc, cst_yaml_get(r->root, "study"), r->d,
        "%s studies have no trajectories; `constella run`, `check` and `extend` take them",
        names[kind]);
    return false;
  }
  r->s->kind = cst_kind_at(kind);
  if (r->s->kind->own)
    r->s->own = cst_reader_memory(1, r->s->kind->own);
  return true;
}

static void read_title(cst_reader *r) {
  cst_yaml *n = cst_yaml_get(r->root, "title");
  if (n && !cst_yaml_is_scalar(n))
    cst_yaml_error(r->doc, n, r->d, "'title' must be a line of text");
  r->s->source.title = strdup(cst_yaml_is_scalar(n) ? cst_yaml_text(n) : "");
}

/* Adds a tolerance, which must be new. */
static void tolerance(cst_reader *r, cst_yaml *n, const cst_key *k) {
  cst_study *s = r->s;
  double     x;
  if (!cst_reader_value(r, n, k, k->key, &x))
    return;
  for (int i = 0; i < s->solver.ntolerance; i++)
    if (s->solver.tolerance[i] == x) {
      cst_yaml_error(r->doc, n, r->d, "the tolerance %s appears twice", cst_reader_shortest(x));
      return;
    }
  s->solver.tolerance[s->solver.ntolerance++] = x;
}

static void tolerances(cst_reader *r, cst_yaml *list, const cst_key *k) {
  r->s->solver.tolerance = cst_reader_memory((size_t)cst_yaml_size(list) + 1, sizeof(double));
  if (cst_yaml_size(list) > k->value.entries)
    cst_yaml_error(r->doc, list, r->d, "there are %d tolerances; at most %d are allowed",
                   cst_yaml_size(list), k->value.entries);
  else if (cst_yaml_is_scalar(list))
    tolerance(r, list, k);
  else if (cst_reader_list(r, list, "tolerance", "numbers, or one number", false))
    for (int i = 0; i < cst_yaml_size(list) && !cst_diag_full(r->d); i++)
      tolerance(r, cst_yaml_item(list, i), k);
}

static void read_solver(cst_reader *r) {
  const cst_key *k = cst_key_find(cst_study_keys(), "solver", "tolerance");
  cst_yaml      *n = cst_yaml_get(r->root, "solver"), *given = cst_yaml_get(n, k->key), *usual;
  cst_document  *standard = cst_reader_standard(r, k, &usual);
  cst_reader_section(r, n, "solver", "solver", CST_KEYS_ALL, r->s);
  tolerances(r, given ? given : usual, k);
  cst_document_destroy(standard);
}

/* A map all of whose keys have types. */
static void read_section(cst_reader *r, const char *key) {
  cst_yaml *n = cst_yaml_get(r->root, key);
  cst_reader_section(r, n, key, key, CST_KEYS_ALL, r->s);
}

/* The keys of collectors. */
static void read_collected(cst_reader *r) {
  r->s->collected = cst_reader_memory(cst_collector_count, sizeof *r->s->collected);
  for (int k = 0; k < cst_collector_count; k++) {
    const cst_collector *row = cst_collectors[k];
    if (row->keys.request)
      r->s->collected[k] = cst_reader_memory(1, row->keys.request);
    if (row->keys.table)
      cst_reader_values(r, r->root, "", row->keys.table, "", CST_KEYS_ALL, r->s->collected[k]);
    if (row->keys.read)
      row->keys.read(r, r->s->collected[k]);
  }
}

/* Those of the kind of study. */
static void read_own(cst_reader *r) {
  const cst_kind *kind = r->s->kind;
  if (kind && kind->keys)
    cst_reader_values(r, r->root, "", kind->keys, "", CST_KEYS_ALL, r->s->own);
  if (kind && kind->read)
    kind->read(r);
}

static void check_collected(cst_reader *r) {
  for (int k = 0; k < cst_collector_count; k++)
    if (cst_collectors[k]->keys.check)
      cst_collectors[k]->keys.check(r, r->s->collected[k]);
}

static void forget_collected(cst_study *s) {
  for (int k = 0; s->collected && k < cst_collector_count; k++) {
    if (s->collected[k] && cst_collectors[k]->keys.forget)
      cst_collectors[k]->keys.forget(s->collected[k]);
    free(s->collected[k]);
  }
  free(s->collected);
}

static void check_size(cst_reader *r) {
  const cst_study *s = r->s;
  double cases = (double)s->problem.nvariant * s->solver.ntolerance * s->methods.n * s->steps.n;
  if (cases > most_cases)
    cst_yaml_error(r->doc, NULL, r->d, "the study has %.0f cases; at most %.0f are allowed", cases,
                   most_cases);
}

/* Checks the top-level keys: those of every study, and those of its kind. */
static void check_study_keys(cst_reader *r) {
  const char    *keys[CST_MOST_KEYS + 32];
  int            n = cst_keys_of(cst_study_keys(), "", CST_KEYS_ALL, keys);
  const cst_key *own = r->s->kind ? r->s->kind->keys : NULL;
  for (; own && own->key && n < CST_COUNT(keys); own++)
    keys[n++] = own->key;
  cst_yaml_check_keys(r->doc, r->root, keys, n, r->d);
}

static void read_all(cst_reader *r) {
  if (!read_kind(r))
    return;
  check_study_keys(r);
  read_places(r);
  read_title(r);
  cst_file_system(r);
  cst_file_layers(r);
  cst_file_start(r);
  cst_start_settle(r);
  cst_reader_values(r, r->root, "", cst_study_file_keys, "", CST_KEYS_ALL, r->s);
  cst_file_error(r);
  cst_file_steps(r);
  cst_file_methods(r);
  cst_file_observe(r);
  read_collected(r);
  read_solver(r);
  r->s->steps.dyadic = !cst_study_needs(r->s, CST_NEEDS_NOMINAL_STEPS);
  read_section(r, "roundoff");
  read_section(r, "checkpoint");
  check_collected(r);
  read_section(r, "timing");
  cst_file_noise(r);
  check_size(r);
  read_own(r);
  cst_start_check(r);
}

/* The fingerprint leaves out keys that change no result and includes the checksums of the user's files. */
static void fingerprint(cst_reader *r) {
  cst_study *s = r->s;
  cst_yaml  *system = cst_yaml_get(r->root, "system");
  cst_yaml  *layers = cst_yaml_get(r->root, "layers");
  cst_yaml_remove(r->root, "checkpoint");
  cst_yaml_remove(system, "compile");
  if (s->problem.file && cst_yaml_is_scalar(system)) {
    cst_yaml_wrap(r->root, "system", "name");
    system = cst_yaml_get(r->root, "system");
  }
  if (s->problem.file)
    cst_yaml_put(system, "sha256", s->problem.sha256);
  for (int i = 0; i < s->problem.nlayer; i++)
    cst_yaml_put(cst_yaml_get(layers, s->problem.layer[i].name), "sha256",
                 s->problem.layer[i].sha256);
  if (s->starts.table.text)
    cst_yaml_put(cst_yaml_get(r->root, "initial"), "sha256", s->starts.table.sha256);
  s->source.canonical = cst_document_canonical(r->doc);
  cst_sha256(s->source.canonical, strlen(s->source.canonical), s->source.sha256);
}

cst_study *cst_study_read(const char *file, const char *text, size_t length, cst_share *share,
                          cst_diag *d) {
  CST_REQUIRE(file && text && share && d, NULL);
  const int     before = cst_diag_count(d);
  cst_document *doc = cst_document_parse(file, text, length, d);
  if (!doc)
    return NULL;
  cst_reader r = {.s = cst_reader_memory(1, sizeof(cst_study)),
                  .doc = doc,
                  .root = cst_document_root(doc),
                  .d = d,
                  .before = before,
                  .share = share,
                  .graph = cst_graph_create()};
  r.s->source.file = strdup(file);
  r.s->problem.layers = cst_layers_create();
  read_all(&r);
  bool good = cst_diag_count(d) == before;
  if (good)
    fingerprint(&r);
  cst_graph_destroy(r.graph);
  cst_document_destroy(doc);
  if (good)
    return r.s;
  cst_study_destroy(r.s);
  return NULL;
}

bool cst_study_sweeps(const cst_study *s, int parameter) {
  CST_REQUIRE(s && parameter >= 0 && parameter < s->problem.system->npar, false);
  const int npar = s->problem.system->npar;
  for (int v = 1; v < s->problem.nvariant; v++)
    if (s->problem.parameter[v * npar + parameter] != s->problem.parameter[parameter])
      return true;
  return false;
}

void cst_study_destroy(cst_study *s) {
  if (!s)
    return;
  cst_file_methods_destroy(s);
  if (s->reference.method)
    cst_method_destroy(s->reference.method);
  if (s->starts.relax.method)
    cst_method_destroy(s->starts.relax.method);
  cst_layers_destroy(s->problem.layers);
  for (int i = 0; i < s->observe.n; i++) {
    free(s->observe.observable[i].name);
    free(s->observe.observable[i].expression);
  }
  forget_collected(s);
  for (int i = 0; i < s->source.nkey; i++)
    free(s->source.key[i].text);
  for (int i = 0; i < s->problem.nlayer; i++) {
    free(s->problem.layer[i].name);
    free(s->problem.layer[i].file);
  }
  for (int i = 0; i < s->problem.nscheme; i++)
    free(s->problem.scheme[i].name);
  free(s->problem.scheme);
  if (s->problem.system)
    cst_system_destroy(s->problem.system);
  for (int i = 0; i < s->sweep.n; i++)
    free(s->sweep.name[i]);
  for (int k = 0; k < s->sweep.naxis; k++) {
    free(s->sweep.axis_name[k]);
    free(s->sweep.axis[k]);
  }
  void *owned[] = {s->source.file,
                   s->problem.file,
                   s->source.title,
                   s->source.canonical,
                   s->problem.parameter,
                   s->starts.q,
                   s->starts.v,
                   s->steps.end,
                   s->steps.h,
                   s->observe.observable,
                   s->solver.tolerance,
                   s->problem.layer,
                   s->own,
                   s->sweep.name,
                   s->sweep.state,
                   s->sweep.axis_name,
                   s->sweep.axis,
                   s->ensemble.deviation[0],
                   s->ensemble.deviation[1],
                   s->starts.keep,
                   s->starts.table.state,
                   s->starts.table.text,
                   s->source.key};
  for (int i = 0; i < CST_COUNT(owned); i++)
    free(owned[i]);
  free(s);
}

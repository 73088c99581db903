/* stored.c: the study of a result file (see stored.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "cli/stored.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <limits.h>
#include "core/document.h"
#include "constella/random.h"
#include "core/text.h"
#include "method/texts/user-layer.h"
#include "study/rows/collector.h"
#include "study/file/starts.h"
#include "system/library.h"

/* ---- trust: the layers in C that may be compiled and loaded (see stored.h) ------------------- */

/* Whether the file, whose links are resolved, is in the folder or below it. */
static bool is_below(const char *folder, size_t n, const char *file) {
  char *name = strndup(folder, n);
  char  real[PATH_MAX];
  bool  below = name && *name == '/' && realpath(name, real);
  n = below ? strlen(real) : 0;
  free(name);
  return below && !strncmp(file, real, n) && (n == 1 || file[n] == '/');
}

static bool is_in_own_folder(const char *path) {
  char        real[PATH_MAX];
  const char *at = getenv("CONSTELLA_TRUST_CODE");
  if (!at || !realpath(path, real))
    return false;
  for (size_t n; *at; at += n + (at[n] == ':'))
    if (is_below(at, n = strcspn(at, ":"), real))
      return true;
  return false;
}

static bool is_in_own_study(const cst_study *s, const char *path) {
  char  *bytes, sha256[65];
  size_t length;
  if (!s || cst_document_fetch(path, &bytes, &length))
    return false;
  cst_sha256(bytes, length, sha256);
  free(bytes);
  for (int i = 0; i < s->problem.nlayer; i++)
    if (!strcmp(s->problem.layer[i].sha256, sha256))
      return true;
  return false;
}

/* Whether the C file or shared object at path may be compiled and loaded. Reads it; call it on one process.
 */
static bool is_trusted(const cst_trust *t, const char *path) {
  return t->given || is_in_own_folder(path) || is_in_own_study(t->own, path);
}

/* ---- the study of a file --------------------------------------------------------------------- */

static struct {
  char  folder[4096], study_folder[4096]; /* with the last slash, or empty */
  char *system; /* the name of the system's file; NULL: a system of the catalogue */
  char *description,
      *starts; /* starts: the table of starts that come from another file; NULL: none */
  cst_share       *share;
  cst_fetch       *fetch; /* the function for the current request */
  const cst_trust *trust;
} source;

static void folder_of(const char *path, char folder[4096]) {
  const char *slash = strrchr(path, '/');
  snprintf(folder, 4096, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
}

/* The folder of the study in the command line that made the file. */
static void find_study_folder(const char *command) {
  for (const char *at = command; at && *at; at += strspn(at, " ")) {
    const size_t n = strcspn(at, " ");
    char         word[4096];
    snprintf(word, sizeof word, "%.*s", (int)n, at);
    if (cst_text_ends(word, ".yaml") || cst_text_ends(word, ".yml"))
      folder_of(word, source.study_folder);
    at += n;
  }
}

static void find_system(const char *file, const char *study, cst_diag *d) {
  cst_document *doc = cst_document_parse(file, study, strlen(study), d);
  cst_yaml     *name =
      doc ? cst_yaml_get(cst_yaml_get(cst_document_root(doc), "system"), "file") : NULL;
  if (name && cst_yaml_text(name))
    source.system = strdup(cst_yaml_text(name));
  cst_document_destroy(doc);
}

static const char *beside(const char *path) {
  const size_t n = strlen(source.folder);
  return strncmp(path, source.folder, n) ? path : path + n;
}

static const char *fetch(const char *path, char **bytes, size_t *length) {
  return source.fetch == cst_user_layer_fetch && !is_trusted(source.trust, path)
             ? cst_reader_layer_withheld
             : source.fetch(path, bytes, length);
}

/* The place of a file that is not beside the result: the folder of the study. */
static const char *elsewhere_of(const char *path) {
  static char elsewhere[8192];
  snprintf(elsewhere, sizeof elsewhere, "%s%s", source.study_folder, beside(path));
  return elsewhere;
}

static const char *fetch_either(const char *path, char **bytes, size_t *length) {
  static char why[9000];
  const char *elsewhere = elsewhere_of(path);
  if (!access(path, F_OK) || !strcmp(path, elsewhere))
    return fetch(path, bytes, length);
  if (!access(elsewhere, F_OK))
    return fetch(elsewhere, bytes, length);
  snprintf(why, sizeof why, "%s; nor is it at %s, where the study was", strerror(ENOENT),
           elsewhere);
  return why;
}

/* As cst_share. */
static const char *serve(cst_fetch *fetch, const char *path, char **bytes, size_t *length) {
  source.fetch = fetch;
  if (source.starts && (fetch == cst_starts_fetch_csv || fetch == cst_starts_fetch_result)) {
    *bytes = strdup(source.starts);
    *length = strlen(source.starts);
    return NULL;
  }
  const bool described = fetch == cst_library_fetch
                             ? *source.description != 0
                             : source.system && !strcmp(beside(path), source.system);
  if (!described)
    return source.share(fetch_either, path, bytes, length);
  *bytes = strdup(source.description);
  *length = strlen(source.description);
  return NULL;
}

cst_study *cst_stored_study(cst_result *file, const char *path, cst_share *share,
                            const cst_trust *trust, cst_diag *d) {
  char      *schema = cst_result_text(file, "/", "schema");
  char      *study = cst_result_text(file, "/", "study");
  char      *command = cst_result_text(file, "/run", "command");
  char      *sum = cst_result_text(file, "/", "study_sha256");
  cst_study *s = NULL;
  if (!schema || strcmp(schema, "constella-result 1") || !study)
    cst_diag_add(d, path, 0, 0,
                 "its schema is '%s'; this program reads files of 'constella-result 1'",
                 schema ? schema : "");
  else {
    source.share = share;
    source.trust = trust;
    source.description = cst_result_text(file, "/", "system_description");
    if (!source.description)
      source.description = strdup("");
    source.starts = cst_result_text(file, "/", "starts");
    folder_of(path, source.folder);
    find_study_folder(command);
    find_system(path, study, d);
    s = cst_study_read(path, study, strlen(study), serve, d);
    if (s)
      cst_collectors_as_in(s, file);
    if (s && (!sum || strcmp(sum, s->source.sha256)))
      cst_diag_add(d, path, 0, 0, "its study is not the one that was run: the sha256 is %s, not %s",
                   s->source.sha256, sum ? sum : "there");
    free(source.description);
    free(source.starts);
    source.starts = NULL;
    free(source.system);
    source.system = NULL;
  }
  free(schema);
  free(study);
  free(command);
  free(sum);
  return s;
}

const char *cst_stored_withheld(const cst_study *s) {
  static char text[4096];
  size_t      n = 0;
  *text = 0;
  for (int i = 0; i < s->problem.nlayer && n < sizeof text; i++) {
    const cst_layer_file *x = &s->problem.layer[i];
    const char           *file = access(x->file, F_OK) ? elsewhere_of(x->file) : x->file;
    if (x->withheld)
      n += (size_t)snprintf(text + n, sizeof text - n, "%s'%s' (%s, sha256 %s, as recorded)",
                            n ? ", " : "", x->name, file, x->sha256);
  }
  return text;
}

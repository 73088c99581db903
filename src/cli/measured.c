/* measured.c: studies of kinds that have no trajectories: hands them to the command that measures them (study/rows/kind.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* asprintf, memmem */
#include "cli/run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/cli.h"
#include "core/document.h"
#include "core/need.h"
#include "study/file/study-keys.h"
#include "study/rows/kind.h"

/* The kind that a text names, which may be long: it is parsed only where the name is in it. */
static const cst_kind *find(const char *file, const char *text, size_t length, cst_diag *d) {
  const cst_kind *found = NULL;
  cst_diag       *silent = cst_diag_create();
  for (int i = 0; !found && i < cst_kind_count(); i++) {
    const cst_kind *k = cst_kind_at(i);
    if (!k->command || !memmem(text, length, k->name, strlen(k->name)))
      continue;
    cst_document *doc = cst_document_parse(file, text, length, silent);
    cst_yaml     *root = doc ? cst_document_root(doc) : NULL;
    cst_yaml     *named = cst_yaml_get(root, "study");
    const char   *keys[CST_MOST_KEYS];
    if (named && cst_yaml_is_scalar(named) && !strcmp(cst_yaml_text(named), k->name)) {
      found = k;
      cst_yaml_check_keys(doc, root, keys, cst_keys_of(k->keys, "", CST_WITH_STUDY, keys), d);
    }
    cst_document_destroy(doc);
  }
  cst_diag_destroy(silent);
  return found;
}

const cst_kind *cst_measured_find(const char *file, cst_diag *d) {
  struct stat s;
  char       *text = NULL;
  size_t      length;
  if (!file || stat(file, &s) || !S_ISREG(s.st_mode) ||
      cst_document_fetch(file, &text, &length)) /* a pipe can be read once */
    return NULL;
  const cst_kind *found = find(file, text, length, d);
  free(text);
  return found;
}

int cst_measured_start(const cst_kind *k, const char *study, int n, const char *const *word) {
  const char **words = cst_zeros(n + 3, sizeof *words);
  char        *named;
  if (asprintf(&named, "study=%s", study) < 0)
    cst_need_fail();
  words[0] = k->command;
  words[1] = named;
  for (int i = 0; i < n; i++)
    words[i + 2] = word[i];
  const int status = cst_analysis_start(n + 2, words);
  free(named);
  free(words);
  return status;
}

/* Options of runs with trajectories. */
static void refuse(const cst_arguments *a, const cst_kind *k, cst_diag *d) {
  const struct {
    bool        given;
    const char *name, *why;
  } option[] = {
      {a->run.part.k, "--part", "mpirun shares its cells"},
      {a->hours > 0, "--max-hours", "it keeps every cell; stop it, and go on with --resume"},
      {a->run.checkpoint_seconds > 0, "--checkpoint-seconds", "it keeps every cell"},
      {a->run.batch > 0, "--batch", "it has no lanes"},
      {a->npetsc > 1, a->npetsc > 1 ? a->petsc[1] : "", "PETSc solves nothing in it"},
  };
  for (size_t i = 0; i < sizeof option / sizeof *option; i++)
    if (option[i].given)
      cst_diag_add(d, NULL, 0, 0, "'%s' is nothing to a %s study: %s", option[i].name, k->name,
                   option[i].why);
}

static const char *joined(const char *name, const char *value) {
  char *word;
  if (asprintf(&word, "%s=%s", name, value) < 0)
    cst_need_fail();
  return word;
}

int cst_measured_run(const cst_arguments *a, const cst_kind *k, cst_diag *d) {
  const char *word[4];
  int         n = 0;
  refuse(a, k, d);
  if (cst_diag_count(d)) {
    cst_diag_print(d, stderr);
    return 2;
  }
  if (a->run.output)
    word[n++] = joined("output", a->run.output);
  if (a->extends)
    word[n++] = joined("extended", a->file);
  if (a->run.resumes)
    word[n++] = "resume=1";
  if (a->run.overwrite)
    word[n++] = "overwrite=1";
  return cst_measured_start(k, a->study, n, word); /* what it owns ends with this process */
}

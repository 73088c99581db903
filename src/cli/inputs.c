/* inputs.c: reads the study or the system that the command line names, and remembers its files (see inputs.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/inputs.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/diag.h"
#include "core/need.h"
#include "system/library.h"

static char **inputs; /* [n] */
static int    n;

void cst_inputs_note(const char *path) {
  inputs = cst_need(realloc(inputs, sizeof *inputs * (size_t)(n + 1)));
  inputs[n++] = cst_need(strdup(path));
}

static bool is_same(const char *a, const char *b) {
  struct stat x, y;
  return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

void cst_inputs_check(const char *output, cst_diag *d) {
  for (int i = 0; i < n; i++)
    if (is_same(inputs[i], output)) {
      cst_diag_add(d, output, 0, 0, "is read by the study (%s); name another output with -o",
                   inputs[i]);
      return;
    }
}

/* ---- a study that is checked and planned in this process alone ------------------------------- */

static const char *share(cst_fetch *fetch, const char *path, char **bytes, size_t *length) {
  cst_inputs_note(path);
  return fetch(path, bytes, length);
}

cst_checked cst_checked_read(const char *file, int ranks, cst_diag *d) {
  cst_checked c = {0};
  char       *text = NULL;
  size_t      length = 0;
  const char *reason;
  int         isa = cst_isa_choose(&reason);
  if (isa < 0)
    cst_diag_add(d, NULL, 0, 0, "%s", reason);
  cst_inputs_note(file);
  if (cst_document_read_file(file, &text, &length, d))
    c.study = cst_study_read(file, text, length, share, d);
  if (c.study && isa >= 0)
    c.plan = cst_plan_create(c.study, isa, d);
  if (c.plan)
    c.agenda = cst_agenda_create(c.plan, ranks, 0, NULL, NULL, 0);
  free(text);
  return c;
}

void cst_checked_free(cst_checked *c) {
  cst_agenda_destroy(c->agenda);
  cst_plan_destroy(c->plan);
  cst_study_destroy(c->study);
}

/* ---- a system: of a file, or of the catalogue ------------------------------------------------ */

static char *fetch(const char *path, size_t *length, cst_diag *d) {
  char       *text = NULL;
  const char *why = cst_description_fetch(path, &text, length);
  if (why)
    cst_diag_add(d, path, 0, 0, "%s", why);
  return why ? NULL : text;
}

char *cst_description_text(const char *name, size_t *length, bool *catalogue, cst_diag *d) {
  char       *text = NULL;
  const char *known = cst_catalogue_text(name);
  *catalogue = known && access(name, F_OK);
  if (*catalogue) {
    text = cst_need(strdup(known));
    *length = strlen(text);
  } else if (access(name, F_OK) && cst_library_path(name)) {
    return fetch(cst_library_path(name), length, d);
  } else if (access(name, F_OK)) {
    cst_diag_add(
        d, NULL, 0, 0,
        "there is no file '%s', and no system of that name in the catalogue; `constella list "
        "systems` tells them%s",
        name, cst_diag_guess(name, cst_catalogue_names(), cst_catalogue_size()));
  } else {
    return fetch(name, length, d);
  }
  return text;
}

cst_system *cst_description_read(const char *name, cst_diag *d) {
  size_t      length = 0;
  bool        catalogue = false;
  char       *text = cst_description_text(name, &length, &catalogue, d);
  cst_system *s = !text       ? NULL
                  : catalogue ? cst_catalogue_create(name)
                              : cst_system_read(name, text, length, NULL, 0, d);
  free(text);
  return s;
}

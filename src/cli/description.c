/* description.c: reads the system that the command line names: a file, or a system of the catalogue. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/description.h"
#include "core/diag.h"
#include "core/need.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "system/library.h"

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

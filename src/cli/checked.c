/* checked.c: reads, checks and plans a study in this process alone. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/checked.h"
#include <stdlib.h>
#include "cli/inputs.h"

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

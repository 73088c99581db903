/* start-list.c: `initial: {list: [default, {q: [...], v: [...]}]}`: member m has the m-th start of the list.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "study/file/starts.h"

/* A named start that the list already has: members are equal where none is spread. */
static bool is_repeated(cst_reader *r, cst_yaml *item, bool *taken) {
  const cst_study *s = r->s;
  const bool       known = r->start_known && s->state >= 0;
  const bool       again = known && taken[s->state] && !cst_study_spreads(s);
  if (known)
    taken[s->state] = true;
  if (again)
    cst_yaml_error(r->doc, item, r->d, "the start '%s' appears twice", cst_yaml_text(item));
  return again;
}

static bool read(cst_reader *r, cst_yaml *map, cst_yaml *value) {
  cst_study *s = r->s;
  const int  nq = s->system->nq;
  const int  n = cst_yaml_size(value);
  bool       good = true;
  (void)map;
  if (!cst_reader_list(r, value, "list", "starts", false) || !cst_starts_make(r, value, n, true))
    return false;
  bool *taken = cst_reader_memory((size_t)s->system->nstate, sizeof *taken);
  for (int i = 0; i < n && !cst_diag_full(r->d); i++) {
    cst_yaml *item = cst_yaml_item(value, i);
    cst_file_single_start(r, item, "list");
    good &= r->start_known && !is_repeated(r, item, taken);
    for (int k = 0; k < s->nvariant; k++) {
      double *x = cst_starts_row(s, k, i);
      memcpy(x, s->q0 + (size_t)k * (size_t)nq, sizeof *x * (size_t)nq);
      memcpy(x + nq, s->v0 + (size_t)k * (size_t)nq, sizeof *x * (size_t)nq);
    }
  }
  free(taken);
  return good;
}

const cst_start_form cst_start_form_list = {.key = "list", .whole = true, .read = read};

/* start-list.c: `initial: {list: [default, {q: [...], v: [...]}]}`: member m has the m-th start of the list.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "study/file/starts.h"

static bool read(cst_reader *r, cst_yaml *map, cst_yaml *value) {
  cst_study *s = r->s;
  const int  nq = s->system->nq;
  const int  n = cst_yaml_size(value);
  bool       good = true;
  (void)map;
  if (!cst_reader_list(r, value, "list", "starts", false) || !cst_starts_make(r, value, n, true))
    return false;
  for (int i = 0; i < n && !cst_diag_full(r->d); i++) {
    cst_file_single_start(r, cst_yaml_item(value, i), "list");
    good &= r->start_known;
    for (int k = 0; k < s->nvariant; k++) {
      double *x = cst_starts_row(s, k, i);
      memcpy(x, s->q0 + (size_t)k * (size_t)nq, sizeof *x * (size_t)nq);
      memcpy(x + nq, s->v0 + (size_t)k * (size_t)nq, sizeof *x * (size_t)nq);
    }
  }
  return good;
}

const cst_start_form cst_start_form_list = {.key = "list", .whole = true, .read = read};

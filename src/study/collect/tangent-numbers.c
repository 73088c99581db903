/* tangent-numbers.c: what collectors with companions have in common (see tangent-numbers.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/tangent-numbers.h"
#include "core/need.h"
#include "study/channels/columns.h"
#include "study/collect/tangent.h"
#include "study/result/parts.h"
#include "study/runner/runner-internal.h"

void cst_tangent_numbers_declare(const cst_tangent_numbers *x, const cst_plan *p, cst_channels *c) {
  for (int i = 0; i < x->n; i++)
    if (x->has(p, i))
      cst_channels_add(c, x->row, i,
                       (cst_channel_use){.name = x->text[i].name, .doc = x->text[i].doc});
}

void *cst_tangent_numbers_columns(const cst_tangent_numbers *x, const cst_plan *p, cst_columns *c) {
  cst_number_column *to = cst_zeros(x->n, sizeof *to);
  bool               any = false;
  for (int i = 0; i < x->n; i++) {
    if (!x->has(p, i))
      continue;
    any = true;
    to[i] = cst_columns_number(c, cst_columns_shown(true, "map-property", x->text[i].name),
                               x->text[i].doc, "%s", x->text[i].name);
  }
  if (any)
    return to;
  free(to);
  return NULL;
}

cst_error cst_tangent_numbers_conclude(const cst_tangent_numbers *x, cst_case_rows *rows,
                                       const void *handles) {
  const cst_number_column *to = handles;
  for (int i = 0; i < x->n; i++)
    if (x->has(rows->plan, i))
      CST_TRY(cst_parts_largest(rows, x->row, i, to[i]));
  return 0;
}

long cst_tangent_next(const cst_collection *x, long step) {
  const cst_runner *r = x->run;
  if (r->replayed)
    return LONG_MAX;
  return cst_runner_next_multiple(step, cst_tangent_steps(r->plan, r->class), 0);
}

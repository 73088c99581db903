/* piece.c: the batch at work as a section of a checkpoint (see piece.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/piece.h"

void cst_piece_pack(const cst_runner *r, cst_bundle *b) {
  const cst_work *w = cst_runner_work(r);
  if (!w) return;
  cst_piece p = {.count = w->count, .numbers = cst_runner_numbers(r), .at = cst_runner_position(r)};
  cst_plan_trajectory(cst_runner_plan(r), w->cohort, w->first, &p.icase, &p.member);
  cst_piece *head = cst_bundle_add(b, "lanes", sizeof p + sizeof(double) * (size_t)(p.count * p.numbers));
  double    *row = (double *)(head + 1);
  *head = p;
  for (long l = 0; l < p.count; l++) cst_runner_save(r, l, row + l * p.numbers);
}

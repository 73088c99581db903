/* lane-rows.c: writes the current batch as a section of a checkpoint (see lane-rows.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/lane-rows.h"

/* Lanes from..to of the batch. */
static void pack(const cst_runner *r, long from, long to, bool ahead, cst_bundle *b) {
  const cst_work *w = cst_runner_work(r);
  cst_lane_rows   p = {.count = to - from,
                       .numbers = cst_runner_numbers(r),
                       .at = cst_runner_position(r),
                       .opens = ahead};
  p.at.step += ahead;
  cst_plan_trajectory(cst_runner_plan(r), w->class, w->first + from, &p.icase, &p.member);
  cst_lane_rows *head =
      cst_bundle_add(b, "lanes", sizeof p + sizeof(double) * (size_t)(p.count * p.numbers));
  double *row = (double *)(head + 1);
  *head = p;
  for (long l = from; l < to; l++)
    cst_runner_save(r, l, row + (l - from) * p.numbers);
}

void cst_lane_rows_pack(const cst_runner *r, cst_bundle *b) {
  const cst_work *w = cst_runner_work(r);
  if (!w)
    return;
  const long ahead = cst_runner_ahead(r);
  if (ahead > 0)
    pack(r, 0, ahead, true, b);
  if (ahead < w->count)
    pack(r, ahead, w->count, false, b);
}

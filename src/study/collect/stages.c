/* stages.c: the collector `stages`: from a time on trajectories have other parameters.
 *
 * A stage ends at a step. What is observed there belongs to the stage that ends: this is the last
 * collector, and all others have looked. Then q and v stay, and p and what substeps keep follow from them
 * (cst_batch_change).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <stdlib.h>
#include "study/collector.h"
#include "study/plan/plan-stages.h"
#include "study/runner/runner-internal.h"

/* ---- a batch --------------------------------------------------------------------------------- */

static bool wanted(const cst_plan *p) { return cst_stages_of(p)->n > 1; }

static long next(const cst_collection *x, long step) {
  const cst_runner *r = x->run;
  for (int i = 0; i < cst_stages_of(r->plan)->n - 1; i++) {
    const long end = cst_stages_end(r->plan, r->class, i);
    if (end > step)
      return end;
  }
  return LONG_MAX;
}

static bool ends_here(const cst_runner *r) {
  bool ends = false;
  for (int i = 0; i < cst_stages_of(r->plan)->n - 1; i++)
    ends |= cst_stages_end(r->plan, r->class, i) == r->b->step;
  return ends;
}

static cst_error stop(cst_collection *x) {
  cst_runner *r = x->run;
  if (!ends_here(r))
    return 0;
  for (long l = 0; l < r->work->count; l++)
    if (cst_runner_lives(r, r->b, l))
      cst_batch_change(
          r->st, r->b, l,
          cst_stages_parameters(r->plan, r->class, cst_runner_case(r, l)->variant, r->b->step));
  cst_batch_ready(r->st, r->b);
  for (int i = 0; i < r->ncollection; i++)
    if (r->collection[i].row->changed)
      r->collection[i].row->changed(&r->collection[i]);
  return 0;
}

static void tell(const cst_plan *p, FILE *out) {
  const cst_stages *s = cst_stages_of(p);
  const cst_system *sys = p->study->system;
  for (int i = 0; i < s->n; i++) {
    fprintf(out, "%-14s ", i ? "" : "stages");
    if (i < s->n - 1)
      fprintf(out, "until %g%s:", s->until[i], cst_system_unit(sys, "time"));
    else
      fprintf(out, "then:");
    for (int k = 0, first = 1; k < cst_system_named(sys); k++)
      if (s->changed[k]) {
        fprintf(out, "%s %s = %.10g%s", first ? "" : ",", sys->parameter[k].name,
                s->parameter[i][k], cst_system_unit(sys, sys->parameter[k].name));
        first = 0;
      }
    fprintf(out, "\n");
  }
}

static void forget(void *wish) {
  cst_stages *s = wish;
  for (int i = 0; i < s->n; i++)
    free(s->parameter[i]);
  free(s->until);
  free(s->parameter);
  free(s->changed);
}

void                 cst_stages_read(struct cst_reader *r, void *wish);
void                 cst_stages_check(struct cst_reader *r, const void *wish);
extern const cst_key cst_stages_keys[];

const cst_collector cst_collector_stages = {
    .name = "stages",
    .doc = "other parameters from a time on",
    .keys = cst_stages_keys,
    .wish = sizeof(cst_stages),
    .read = cst_stages_read,
    .check = cst_stages_check,
    .forget = forget,
    .tell = tell,
    .wanted = wanted,
    .next = next,
    .stop = stop,
};

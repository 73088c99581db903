/* test-agenda.c: how the lanes of a study are cut into batches by default: groups march in pairs, and no rank
 * is left without work where there is a group for it.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "study/plan/agenda.h"
#include "tap.h"

static cst_study *study_of(long members, cst_diag *d) {
  char text[512];
  snprintf(text, sizeof text,
           "study: conservation\nsystem: planar-pendulum\ninitial: {members: %ld, seed: 1, spread: "
           "{q: 0.01}}\nend: 1\nsteps: [0.1]\nmethods: [rattle]\n",
           members);
  return cst_study_read("agenda.yaml", text, strlen(text), cst_reader_share_alone, d);
}

/* No batch but the last is a single group where there are more groups than ranks. Else every rank has work,
 * or there are no eight lanes for it. */
static void look_at(const cst_plan *p, long members, int ranks) {
  cst_agenda *a = cst_agenda_create(p, ranks, 0, NULL, NULL, 0);
  const int   width = cst_isas[p->isa].width;
  long        lanes = 0;
  int         single = 0;
  for (int i = 0; i < a->n; i++) {
    const cst_work *w = &a->work[i];
    lanes += w->count;
    single += w->count <= width && w->first + w->count < members;
  }
  const bool many = members > (long)ranks * width;
  const long eights = (members + 7) / 8;
  const int  idle = eights <= ranks && a->n < eights ? (int)eights - a->n : 0;
  OK(lanes == members && !(many && single) && !idle,
     "%s: %ld members on %d ranks: %d batches, %d of one group, %d ranks idle",
     cst_isas[p->isa].name, members, ranks, a->n, single, idle);
  cst_agenda_destroy(a);
}

int main(void) {
  static const long members[] = {5, 16, 17, 24, 32, 40, 64, 100, 255, 1000, 20000};
  for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
    cst_diag  *d = cst_diag_create();
    cst_study *s = study_of(members[m], d);
    for (int isa = 0; s && isa < cst_isa_count; isa++) {
      cst_plan *p = cst_isa_available(isa) ? cst_plan_create(s, isa, d) : NULL;
      for (int ranks = 1; p && ranks <= 16; ranks *= 2)
        look_at(p, members[m], ranks);
      cst_plan_destroy(p);
    }
    OK(s && !cst_diag_count(d), "%ld members are planned", members[m]);
    cst_diag_print(d, stdout);
    cst_study_destroy(s);
    cst_diag_destroy(d);
  }
  return tap_done();
}

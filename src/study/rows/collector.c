/* collector.c: the list of all collectors. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/rows/collector.h"
#include <string.h>
#include "study/rows/study.h"

#define COLLECTOR(name) extern const cst_collector cst_collector_##name;
#include "study/rows/collectors.h"
#undef COLLECTOR

#define COLLECTOR(name) &cst_collector_##name,
const cst_collector *const cst_collectors[] = {
#include "study/rows/collectors.h"
};
#undef COLLECTOR
enum { COUNT = sizeof cst_collectors / sizeof *cst_collectors };
_Static_assert((int)COUNT <= (int)CST_MOST_COLLECTORS, "raise CST_MOST_COLLECTORS");
const int cst_collector_count = COUNT;

const cst_measured *cst_collector_measured(const char *name) {
  for (int k = 0; k < cst_collector_count; k++)
    for (const cst_measured *m = cst_collectors[k]->keys.measures; m && m->name; m++)
      if (!strcmp(m->name, name))
        return m;
  return NULL;
}

const cst_choice *cst_collector_choice(const cst_plan *p) {
  for (int k = 0; k < cst_collector_count; k++)
    if (cst_collectors[k]->choice && cst_collectors[k]->choice->wanted(p))
      return cst_collectors[k]->choice;
  return NULL;
}

void cst_collectors_as_in(const cst_study *s, cst_result *file) {
  for (int k = 0; k < cst_collector_count; k++)
    if (cst_collectors[k]->keys.as_in)
      cst_collectors[k]->keys.as_in(s->collected[k], file);
}

/* collector.h: a collector as a row: something that is kept of trajectories while they are stepped. It is a
 * file in src/study/collect and a line in collectors.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COLLECTOR_H
#define CST_COLLECTOR_H

typedef struct cst_plan     cst_plan;
typedef struct cst_channels cst_channels;

typedef struct cst_collector {
  const char *name, *doc;
  /* Adds its channels, those that there are in this study. */
  void (*declare)(const cst_plan *p, cst_channels *c);
  /* NULL, or adds those that depend on the channels of all others. */
  void (*declare_last)(const cst_plan *p, cst_channels *c);
} cst_collector;

/* The rows, in the order in which they look. */
#define COLLECTOR(name) CST_COLLECTOR_##name,
enum {
#include "study/collectors.h"
  CST_COLLECTORS
};
#undef COLLECTOR
extern const cst_collector *const cst_collectors[CST_COLLECTORS];
#endif

/* collector.h: a collector as a row: something that is kept of trajectories while they are stepped. It is a
 * file in src/study/collect and a line in collectors.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COLLECTOR_H
#define CST_COLLECTOR_H

#include <petscsys.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "core/keys.h"
#include "observe/observer.h"

typedef struct cst_plan       cst_plan;
typedef struct cst_channels   cst_channels;
typedef struct cst_columns    cst_columns;
typedef struct cst_case_rows  cst_case_rows;
typedef struct cst_runner     cst_runner;
typedef struct cst_collection cst_collection;
struct cst_reader;

/* What a collector asks of the plan. */
typedef struct {
  bool   lambda;      /* it reads multipliers at observed steps */
  double nanoseconds; /* per observation and lane */
} cst_demand;

typedef struct cst_collector {
  const char *name, *doc;
  /* Its keys of the study file, ending with a row without a key; NULL: none of its own. read: reads them,
   * after those that others read too, into wish, of `wish` bytes, which begin as zeros and are then
   * cst_study.collected[CST_COLLECTOR_name]. forget: NULL, or releases what wish owns. */
  const cst_key *keys;
  size_t         wish;
  void (*read)(struct cst_reader *r, void *wish);
  void (*forget)(void *wish);
  /* NULL: it asks for nothing. */
  cst_demand (*demand)(const cst_plan *p);
  /* NULL, or prints its lines of `constella check`. */
  void (*tell)(const cst_plan *p, FILE *out);
  /* Adds its channels, those that there are in this study. */
  void (*declare)(const cst_plan *p, cst_channels *c);
  /* NULL, or adds those that depend on the channels of all others. */
  void (*declare_last)(const cst_plan *p, cst_channels *c);

  /* On a rank that steps. Members that are NULL have nothing to do. */
  bool (*wanted)(const cst_plan *p); /* in this study; NULL: in every study */
  size_t own;                        /* bytes of cst_collection.own, which begin as zeros */
  void (*create)(cst_collection *x);
  void (*destroy)(cst_collection *x);
  /* A batch begins: sets its numbers in the rows. Then, and whenever the batch has been set to a step: it is
   * there; done: what is due there has been looked at. */
  void (*begin)(cst_collection *x);
  void (*locate)(cst_collection *x, long step, bool done);
  /* The next step after `step` at which the batch stops for it; LONG_MAX: none. It depends on steps alone,
   * not on how the batch came there. reads: likewise where it reads multipliers. */
  long (*next)(const cst_collection *x, long step);
  long (*reads)(const cst_collection *x, long step);
  /* At a stop, between steps, before anything is looked at there; the batch may be halted in it. */
  PetscErrorCode (*before)(cst_collection *x);
  /* A group at an observed step, whose observables have been measured. */
  void (*look)(cst_collection *x, int group, const cst_view *view);
  /* The same for several states of a group after the first one, which are not measured. A collector that
   * looks and has no `along` makes all observed states be measured one by one. */
  void (*along)(cst_collection *x, int group, const cst_view *view, const cst_states *states);
  /* A group at every step, in their order, at the i-th of these states; it may end lanes
   * (cst_runner_end_lane), which then are not looked at there. Called twice at one step, it does nothing.
   * Velocities are there if it has asked for them (cst_watch.speeds). */
  void (*watch)(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                const long *step, int i);
  /* Whether there is nothing in these states for which `watch` must be called; they are then passed over. NULL:
   * there is always. */
  bool (*quiet)(cst_collection *x, int group, const cst_view *view, const cst_states *states);
  /* A group, and its record, after these states: `step` is the last of them. */
  void (*watched)(cst_collection *x, int group, long step);
  /* At a stop, after that. */
  PetscErrorCode (*stop)(cst_collection *x);
  /* The batch has ended: its numbers in the rows become those of the file. */
  PetscErrorCode (*finish)(cst_collection *x);
  /* What is buffered is written, before a checkpoint and at the end of a batch. */
  PetscErrorCode (*flush)(cst_collection *x);

  /* On a rank that concludes, where the rows are in the file. Declares its columns, and returns their handles,
   * owned: free(); NULL: it has none in this study. */
  void *(*columns)(const cst_plan *p, cst_columns *c);
  /* Sets the columns of the open case, and writes its datasets. */
  PetscErrorCode (*conclude)(cst_case_rows *rows, const void *handles);
} cst_collector;

/* A collector at work. */
struct cst_collection {
  const cst_collector *row;
  cst_runner          *run;
  void                *own;
};

/* The rows, in the order in which they look. */
#define COLLECTOR(name) CST_COLLECTOR_##name,
enum {
#include "study/collectors.h"
  CST_COLLECTORS
};
#undef COLLECTOR
extern const cst_collector *const cst_collectors[CST_COLLECTORS];
#endif

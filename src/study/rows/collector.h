/* collector.h: a collector as a row: something that is kept of trajectories while they are stepped. It is a
 * file in src/study/collect and a line in collectors.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COLLECTOR_H
#define CST_COLLECTOR_H

#include "core/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "constella/diag.h"
#include "core/keys.h"
#include "observe/observer.h"

typedef struct cst_plan       cst_plan;
typedef struct cst_class      cst_class;
typedef struct cst_channels   cst_channels;
typedef struct cst_columns    cst_columns;
typedef struct cst_case_rows  cst_case_rows;
typedef struct cst_runner     cst_runner;
typedef struct cst_collection cst_collection;
typedef struct cst_continued  cst_continued;
typedef struct cst_extension  cst_extension;
typedef struct cst_class      cst_class;
typedef struct cst_study      cst_study;
typedef struct cst_result     cst_result;
typedef struct cst_output     cst_output;
typedef struct cst_tallies    cst_tallies;
typedef struct cst_cell       cst_cell;
struct cst_reader;

/* What a collector asks of the plan. */
typedef struct {
  bool   lambda;      /* it reads multipliers at observed steps */
  double nanoseconds; /* per observation and lane */
  double ends;        /* of them, those at the end of a trajectory, in all */
  double concludes;   /* numbers of each member of a case that it holds while it concludes */
  double bins;        /* of each block of each member that it sums while it concludes */
  bool   blocks;      /* it counts by blocks of the run (plan.h) */
  int    chosen;      /* members of each case that it follows */
} cst_demand;

/* What becomes of its data of an earlier result in a study that extends that. Members that are NULL: nothing is
 * against it; rows are copied; kept numbers are carried into a longer run as they are. */
typedef struct {
  /* Why case `from` of the result is computed again as case `to`; NULL: it need not be. */
  const char *(*recompute)(const cst_extension *e, int from, int to);
  /* Copies its datasets of a case that are no rows of trajectories, also to a later end: those of n members from
   * `first` on. */
  cst_error (*copy)(cst_output *o, cst_result *file, const cst_plan *old, int from, int to,
                    long first, long n);
  /* Adds what the result has summed over the members of its cases. */
  cst_error (*add)(const cst_extension *e, cst_tallies *t);
  /* With a later end. False: no class can go on to this one; text[n]: to which it can, as the end of "FILE,
   * which ends at T, ". */
  bool (*reaches)(const cst_extension *e, int from, int to, char *text, size_t n);
  /* Why a class cannot go on as another one; NULL: it can. */
  const char *(*refuse)(const cst_plan *old, const cst_class *from, const cst_plan *now,
                        const cst_class *to);
  /* Sets its kept numbers in the row from which a trajectory goes on (collect/continue-rows.h); then none of its
   * channels is carried. */
  void (*go_on)(const cst_continued *x);
} cst_reuse;
/* A name in the list `observables` of a study file for which a collector measures. */
typedef struct {
  const char *name, *doc;
  bool        yields; /* an expression may have its name, as those of older studies do */
} cst_measured;
/* The row of this name; NULL: no collector measures it. */
const cst_measured *cst_collector_measured(const char *name);

/* Which members have a term in a cell: those that are still there at this step, -1: none; only those that reached the
 * end, if `done`. What is no number is left out, but of neighbouring cells with the same members one has all. */
typedef struct {
  long step;
  bool done;
} cst_tally_term;

/* Exact sums over the members of each case (result/tallies.h): the number of cells of a case, 0: there are none in
 * this study; of the terms of a cell, at most; whose terms these are, NULL: each member may have any
 * number of them; what is written of the cells of a case, on one rank,
 * when the sums of all members are there. */
typedef struct {
  long (*cells)(const cst_plan *p);
  double (*most)(const cst_plan *p, int icase);
  cst_tally_term (*term)(const cst_plan *p, int icase, long cell);
  cst_error (*finish)(const cst_plan *p, int icase, const cst_cell *x, cst_output *o);
} cst_tally;

/* Members of each case, at most cst_demand.chosen, that are known only when the run has ended: they are chosen by
 * the rows of all, and stepped once more (run/run-study.c). */
typedef struct {
  bool (*wanted)(const cst_plan *p);
  /* Fills size[members] of the open case: those with the largest are chosen; NaN: never. */
  cst_error (*sizes)(cst_case_rows *rows, double *size);
  /* Reads member[chosen] of a case, the largest first, -1: none; or writes it, when what is kept of them is in
   * the file. */
  cst_error (*read)(cst_output *o, int icase, long *member);
  cst_error (*write)(cst_output *o, int icase, const long *member);
} cst_choice;

/* What a collector reads of the study file. Members that are NULL have nothing to do, here and below. */
typedef struct {
  /* Its keys, ending with a row without a key; NULL: none of its own. They are read after those that others read too, into
   * request, of `request` bytes, which begin as zeros and are then cst_study.collected[CST_COLLECTOR(name)]: typed rows of
   * the map "" as they are, the others by `read`, if there is one. forget: NULL, or releases what request owns. */
  const cst_key *table;
  size_t         request;
  void (*read)(struct cst_reader *r, void *request);
  void (*forget)(void *request);
  /* NULL, or makes its request what it was to the program that wrote this result, so that the study has the same datasets. */
  void (*as_in)(void *request, cst_result *file);
  /* What it measures where `observables` names it, ending with a row without a name; NULL: nothing. */
  const cst_measured *measures;
  /* NULL, or reports what does not go with other keys, when all of them have been read. */
  void (*check)(struct cst_reader *r, const void *request);
} cst_collector_keys;

/* What it asks of the plan, and what it tells of itself before the run. */
typedef struct {
  /* NULL, or the steps of further trajectories that it makes in a step of a trajectory. */
  double (*steps)(const cst_plan *p, const cst_class *k);
  /* NULL, or the core that it calls besides those that step; NULL: none. times: how often, for one lane. */
  const char *(*calls)(const cst_plan *p, double *times);
  /* NULL, or the further lanes that it holds for each one of a batch. */
  double (*lanes)(const cst_plan *p);
  /* NULL, or whether time averages of the observables are taken for its sake. */
  bool (*averages)(const cst_study *s);
  /* NULL, or sets in a new class the steps that its keys tell. */
  void (*schedule)(const cst_plan *p, cst_class *k);
  /* NULL: it asks for nothing. */
  cst_demand (*demand)(const cst_plan *p);
  /* NULL, or finds what its keys name, with messages in d: owned, free(), then cst_plan.settled[..]. */
  void *(*settle)(const cst_plan *p, cst_diag *d);
  /* NULL, or bytes that it takes in batches of so many lanes, besides rows. */
  double (*bytes)(const cst_plan *p, long batch);
  /* NULL, or prints its lines of `constella check`. */
  void (*tell)(const cst_plan *p, FILE *out);
  /* Whether it runs in this study; NULL: in every study. */
  bool (*wanted)(const cst_plan *p);
} cst_collector_plan;

/* What it does on a rank that steps. */
typedef struct {
  size_t own; /* bytes of cst_collection.own, which begin as zeros */
  void (*create)(cst_collection *x);
  void (*destroy)(cst_collection *x);
  /* A batch begins: sets its numbers in the rows. Then, and whenever the batch has been set to a step: it is
   * there; done: what is due there has been looked at. */
  void (*begin)(cst_collection *x);
  void (*locate)(cst_collection *x, long step, bool done);
  /* The next step after `step` at which the batch stops for it; LONG_MAX: none. It depends on steps alone,
   * not on how the batch came there. */
  long (*next)(const cst_collection *x, long step);
  /* At a stop, between steps, before anything is looked at there; the batch may be halted in it. */
  cst_error (*before)(cst_collection *x);
  /* A group at an observed step, whose observables have been measured. */
  void (*look)(cst_collection *x, int group, const cst_view *view);
  /* The same for several states of a group after the first one, which are not measured. A collector that
   * looks and has no `along` makes all observed states be measured one by one. */
  void (*along)(cst_collection *x, int group, const cst_view *view, const cst_states *states);
  /* A group at every step, in their order, at the i-th of these states; it may end lanes
   * (cst_runner_end_lane), which then are not looked at there. Called twice at one step, it does nothing.
   * Velocities and momenta are there if it has asked for them (cst_runner_watches). */
  void (*watch)(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                const long *step, int i);
  /* Whether there is nothing in these states for which `watch` must be called; they are then passed over. NULL:
   * there is always. */
  bool (*quiet)(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                const long *step);
  /* A group, and its record, after these states: `step` is the last of them. */
  void (*watched)(cst_collection *x, int group, long step);
  /* At a stop, after that. */
  cst_error (*stop)(cst_collection *x);
  /* Lanes go on from here with other parameters (stages): earlier records are none from which they can be stepped
   * again. */
  void (*changed)(cst_collection *x);
  /* The batch has ended: its numbers in the rows become those of the file. */
  cst_error (*finish)(cst_collection *x);
  /* Its state of a lane goes into its numbers in the rows, which are then saved, and comes back from them. */
  void (*save)(cst_collection *x, long lane);
  void (*restore)(cst_collection *x, long lane);
  /* What is buffered is written, before a checkpoint and at the end of a batch. */
  cst_error (*flush)(cst_collection *x);
} cst_collector_run;

/* What is in the result, and what is concluded of it on a rank where the rows are in the file. */
typedef struct {
  /* Adds its channels, those that there are in this study. */
  void (*declare)(const cst_plan *p, cst_channels *c);
  /* NULL, or adds those that depend on the channels of all others. */
  void (*declare_last)(const cst_plan *p, cst_channels *c);
  /* NULL, or writes what is known before the run into a new file, on one rank. */
  cst_error (*open)(const cst_plan *p, cst_output *o);
  /* On a rank that concludes, where the rows are in the file. Declares its columns, and returns their handles,
   * owned: free(); NULL: it has none in this study. */
  void *(*columns)(const cst_plan *p, cst_columns *c);
  /* Sets the columns of the open case, and writes its datasets. */
  cst_error (*conclude)(cst_case_rows *rows, const void *handles);
  /* Its figures in a report, after those of the kind of study: names of `constella list figures`, separated by
   * commas; NULL: none. */
  const char *figures;
} cst_collector_file;

/* A row: one collector. */
typedef struct cst_collector {
  const char        *name, *doc;
  unsigned           needs; /* 0, or CST_NEEDS_EQUAL_STEPS (system/lane/record.h) */
  cst_collector_keys keys;
  cst_collector_plan plan;
  cst_collector_run  run;
  cst_collector_file file;
  const cst_reuse   *reuse;  /* NULL: as if all its members were */
  const cst_choice  *choice; /* NULL: it chooses no members */
  /* NULL: none. It adds with cst_runner_cells, in look, along or stop. */
  const cst_tally *tally;
} cst_collector;

/* A collector at work. */
struct cst_collection {
  const cst_collector *row;
  int                  number; /* of the row in the list */
  const cst_runner    *run;
  void                *own;
};

/* The rows, in the order in which they look; at most CST_MOST_COLLECTORS. */
extern const cst_collector *const cst_collectors[];
extern const int                  cst_collector_count;
enum { CST_MOST_COLLECTORS = 64 };
static inline int cst_collector_number(const cst_collector *row) { /* in the list */
  int k = 0;
  while (cst_collectors[k] != row)
    k++;
  return k;
}
/* The number of the row of the file src/study/collect/name.c. */
#define CST_COLLECTOR(name)                                                                        \
  ({                                                                                               \
    extern const cst_collector cst_collector_##name;                                               \
    cst_collector_number(&cst_collector_##name);                                                   \
  })
/* Calls as_in of all collectors. */
void cst_collectors_as_in(const cst_study *s, cst_result *file);
/* Of the collector that chooses members in this study; NULL: none does. */
const cst_choice *cst_collector_choice(const cst_plan *p);
#endif

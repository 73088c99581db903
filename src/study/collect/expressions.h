/* expressions.h: expressions of the study file, for collectors that look at them: their values, a key that lists them by
 * name, and samples of them at equal distances in time. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPRESSIONS_H
#define CST_EXPRESSIONS_H
#include "study/file/reader.h"
#include "study/runner/runner.h"

typedef struct {
  int       n;
  cst_tape *tape;
  double   *value;        /* [n][W] of the state evaluated last */
  double   *scratch;      /* of the tape */
  bool      lambda, v, t; /* it reads multipliers; velocities; the time */
} cst_values;

cst_values cst_values_create(const cst_runner *r, const cst_expressions *x);
void       cst_values_destroy(cst_values *x);
/* Evaluates them for a group: at the state of its record, and at the i-th of several states. */
void cst_values_look(const cst_values *x, const cst_view *view);
void cst_values_along(const cst_values *x, const cst_view *view, const cst_states *states, int i);
/* Adds what expressions ask of the plan. */
void cst_values_demand(const cst_plan *p, const cst_expressions *x, cst_demand *d);

/* ---- a key that is a list of named expressions ----------------------------------------------- */

/* What each entry has: the first member of what a collector has of it. */
typedef struct {
  char           *name;
  cst_expressions expressions;
} cst_named;

typedef struct cst_named_key cst_named_key;

/* The values of the key, for cst_collector_keys.request. */
typedef struct {
  const cst_named_key *key;
  int                  n;
  void                *each; /* [n] entries of the collector */
} cst_named_list;

struct cst_named_key {
  const char *key, *what; /* what: an entry, as in "an extreme" */
  bool        plural;     /* the key is the plural of that; else messages have the key itself */
  const char *map, *more; /* the map that an entry is, and what it may be and have besides */
  int         most;       /* entries */
  size_t      size;       /* bytes of an entry, which begins as zeros */
  /* NULL, or whether entries of these names would have datasets of one name. */
  bool (*collide)(const char *name, const char *other);
  /* NULL, or reads an item that is no map; false: it is no entry either. */
  bool (*read_other)(cst_reader *r, cst_yaml *n, cst_named_list *w);
  /* NULL, or reads of an entry what the types of its keys do not say, and checks it. label: what messages call it.
   * sound: there was no mistake in it so far. */
  void (*read)(cst_reader *r, cst_yaml *n, const char *label, bool sound, void *entry);
  /* NULL, or releases what an entry owns besides cst_named. */
  void (*forget)(void *entry);
};

/* Reads the list: the keys of an entry are those of map `key`, and their values members of the entry. add: appends one with
 * the name in a node, which is checked, and the defaults of its keys. */
void  cst_named_read(const cst_named_key *key, cst_reader *r, cst_named_list *w);
void *cst_named_add(cst_reader *r, cst_yaml *n, const char *name, cst_named_list *w);
void  cst_named_forget(void *list);
/* What the expressions ask of the plan. */
cst_demand cst_named_demand(const cst_plan *p, const cst_named_list *w);
/* Adds a channel of each entry, under its name. */
void cst_named_channels(cst_channels *c, const cst_named_list *w, const cst_channel_row *row,
                        int axis);
/* Declares the columns of each entry, of `size` bytes: owned, free(); NULL: there are no entries. */
void *cst_named_columns(cst_columns *c, const cst_named_list *w, size_t size,
                        void (*declare)(cst_columns *c, const void *entry, void *columns));
/* [n], for those that have expressions, else zeros. */
cst_values *cst_named_values(const cst_runner *r, const cst_named_list *w);
void        cst_named_values_destroy(cst_values *x, const cst_named_list *w);

/* ---- at equal distances in time, for collectors that have a key `every` ---------------------- */

/* Whether a time is a whole number of steps h, at least one. */
bool cst_sampled_divides(double every, double h);
/* Whether `every`, which node n has, is a multiple of every step; else that is said there, but for 0: a mistake that has
 * been reported. */
bool cst_sampled_check(cst_reader *r, cst_yaml *n, double every);
/* The samples of a run of the study, the most over its parameter sets; 0: not known. */
long cst_sampled_most(const cst_study *s, double every);
/* Steps between samples, and the samples of a run of this class, with that at the start. */
long cst_sampled_steps(const cst_class *k, double every);
long cst_sampled_count(const cst_class *k, double every);
/* Evaluates expressions for a group at the current step; 0 of lanes that have ended. */
void cst_sampled_look(const cst_values *x, const cst_runner *r, int group);
#endif

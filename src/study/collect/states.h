/* states.h: what a study asks of stored states: the key `trajectories`; and what of it the plan finds
 * (states-plan.c). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STATES_H
#define CST_STATES_H
#include "study/rows/collector.h"
#include "study/file/reader.h"
#include "study/plan/plan.h"

typedef struct {
  int             n;        /* members whose states are stored, at most */
  long           *member;   /* [n]; NULL: the worst ones, which are known after the run */
  long            every;    /* steps from one stored state to the next */
  cst_study_word  worst_by; /* the quantity by which the worst are chosen */
  bool            q, p, v, lambda;
  int             nstored; /* names of further stored quantities */
  cst_study_word *stored;
} cst_states_request;

const cst_states_request *cst_states_request_of(const cst_study *s);

/* Of a plan: the quantities that are stored; that by which the worst members are chosen, -1: the error, or none
 * are chosen. */
typedef struct {
  bool error; /* the error against the reference is stored */
  int  worst_by, n;
  int  quantity[]; /* [n] */
} cst_states_found;

const cst_states_found *cst_states_found_of(const cst_plan *p);

/* The keys, and their values. */
extern const cst_key cst_states_keys[];
void                 cst_states_read(cst_reader *r, void *request);
void                 cst_states_forget(void *request);

/* Finds quantities by name, with messages in d; cst_states_found, owned: free(). */
void *cst_states_settle(const cst_plan *p, cst_diag *d);
/* Whether an expression of the study has this name, and whether a stored name is the error against the reference. */
bool cst_states_has_expression(const cst_study *s, const char *name);
bool cst_states_is_error(const cst_study *s, const cst_study_word *w);
/* The states per trajectory held in memory if a batch follows `tracks` trajectories; and
 * the bytes these take in batches of `batch` lanes. */
long   cst_states_depth(const cst_plan *p, const cst_class *k, long tracks);
double cst_states_bytes(const cst_plan *p, long batch);
/* Index of the member among the stored ones of a case; -1: it is not stored. */
int cst_states_find(const cst_plan *p, const cst_chosen *c, long icase, long member);
/* Prints what `check` tells of them. */
void cst_states_tell(const cst_plan *p, FILE *out);
#endif

/* reference.h: what errors are measured against: states of the reference at the times at which cases are
 * read. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_REFERENCE_H
#define CST_REFERENCE_H
#include "method/stepper.h"
#include "study/agenda.h"
#include "study/bundle.h"

/* Reference states by variant, time and member: computed once for a method, evaluated on the spot for an
 * exact motion. Momenta are kinetic, M v + a, whatever the method that computes them carries. */
typedef struct {
  const cst_plan *plan;
  int            *ntime; /* [nvariant] */
  double        **time;  /* [nvariant][ntime] ascending */
  long **twice; /* [nvariant][ntime]: steps of the method at twice its step since its last stop; -1: it does
                   not stop here */
  double         **value;  /* [tables][ntime][members of the table][2 nq + ng] */
  double          *unused; /* [2 nq + ng] */
  unsigned char   *item;   /* [items] CST_ITEM_... */
  struct cst_item *at;     /* the one at work here; NULL: none */
  cst_halt        *halt;   /* asked in the middle of steps that may take long (stepper.h); NULL: none */
  void            *halt_context;
} cst_reference;

typedef struct cst_item cst_item;
/* Tables: one a variant, of all members; then, in an order study, one a variant of the first members at twice
 * the reference's step, which tell the error of the reference itself. What an item is of: members first.. of
 * a table. */
typedef struct {
  int  variant, table;
  long first, count;
} cst_reference_share;
int  cst_reference_tables(const cst_reference *r);
long cst_reference_members(const cst_reference *r, int table);
long cst_reference_twice(
    const cst_study *s); /* how many the first members are; 0: there are no such tables */
cst_reference_share cst_reference_share_of(const cst_reference *r, long item);
/* The times at which cases of a variant are read against a method's states, ascending. Owned, free(). */
double *cst_reference_times(const cst_plan *p, int variant, int *count);
/* reference-cost.c: steps of the method that is the reference, of all members and sets of parameters, and
 * what they cost on one core; 0: the reference is no method. */
double cst_reference_work(const cst_plan *p, double *nanoseconds);
/* Row {q, p, lambda} of a member at the time of that index; those of the next members follow. */
double *cst_reference_cell(const cst_reference *r, int table, int time, long member);
/* Steps of an equal length that lead to a time from *from, where the table stopped last; -1: it does not stop
 * there. */
long cst_reference_way(const cst_reference *r, int table, int time, double *from);
/* The stops of the method at twice its step among the n times of its own, as in `twice` above: equal steps,
 * at least twice as long as its own and at most a tenth longer, but for the last ones. false: none is so
 * long. */
bool cst_reference_plan_twice(const cst_study *s, const double *time, int n, long *twice);
/* The largest difference of the two, over their members and stops: error[nvariant][CST_ERRORS], NaN where
 * there is none. */
void cst_reference_errors(const cst_reference *r, double *error);
/* Copy the values of an item at its first `times` times, [times][count][row], out of the table or into it. */
void cst_reference_copy(const cst_reference *r, long item, int times, double *values, bool in);

/* State of an item of the reference: open, computed here, reported to rank 0, or known from an earlier run.
 */
enum { CST_ITEM_OPEN, CST_ITEM_DONE, CST_ITEM_TOLD };

cst_reference *cst_reference_create(const cst_plan *p);
void           cst_reference_destroy(cst_reference *r);
int cst_reference_items(const cst_reference *r); /* pieces of work; 0 unless a method is the reference */
/* Items whose members have nothing left to be computed, lane[nclass][lanes], are done without work. */
void cst_reference_spare(cst_reference *r, unsigned char *const *lane);
/* An item, from its start (midway NULL) or from what cst_reference_pack_midway left of it; *stop: the run
 * stops in the middle of it. */
PetscErrorCode cst_reference_compute(cst_reference *r, int item, const void *midway, size_t size,
                                     cst_poll *poll, void *context, bool *stop);
/* A member of a variant alone, from its start: what its item has for it. */
PetscErrorCode cst_reference_compute_member(cst_reference *r, int variant, long member, cst_poll *poll,
                                            void *context, bool *stop);
/* Sections "reference": the items that were computed here and not told yet, or all that are known; and one of
 * them taken in. */
void cst_reference_pack(cst_reference *r, bool all, cst_bundle *b);
bool cst_reference_take(cst_reference *r, const void *bytes, size_t size);
/* The item at work, if there is one, as a section "midway", which begins with its number. */
void           cst_reference_pack_midway(const cst_reference *r, cst_bundle *b);
PetscErrorCode cst_reference_gather(cst_reference *r,
                                    MPI_Comm       comm); /* collective: all have the whole table */
/* Steps of the reference's method over a span > 0 between two times that are read: equal ones, not longer
 * than its own. */
long cst_reference_steps(const cst_study *s, double span);
/* q[nq], p[nq] (kinetic) at time t and lambda[ng] at time tl; q, p NULL, or lambda NULL: not wanted. */
void cst_reference_get(const cst_reference *r, int variant, long member, const double *q0, const double *v0,
                       double t, double tl, double *q, double *p, double *lambda);

/* Before the run: a warning where the reference is hardly better than the finest run is likely to be, from
 * their orders and steps. */
void cst_reference_warn(const cst_plan *p, cst_diag *d);
/* |x - y|, and the norm of two parts together. */
double cst_runner_norm_apart(cst_norm kind, const double *x, const double *y, int n);
double cst_runner_norm_join(cst_norm kind, double a, double b);
#endif

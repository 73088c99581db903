/* reference.h: the reference: solutions against which errors are measured, at the times at which cases are
 * read. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_REFERENCE_H
#define CST_REFERENCE_H
#include "method/stepper/stepper.h"
#include "record/bundle.h"
#include "study/plan/agenda.h"

/* Reference states by variant, time and member. States of a method are computed once; an exact motion is
 * evaluated on demand. Momenta are kinetic, M v + a, whatever representative the method uses. */
typedef struct {
  const cst_plan *plan;
  int            *ntime; /* [nvariant] */
  double        **time;  /* [nvariant][ntime] ascending */
  /* [nvariant][ntime]: for the method at twice its step, the steps since its last stop; -1: it does not stop
   * here */
  long         **twice;
  double       **value;  /* [tables][ntime][members of the table][2 nq + ng] */
  double        *unused; /* [2 nq + ng] */
  unsigned char *item;   /* [items] CST_ITEM_... */
  double         cost;   /* planned nanoseconds of a step of a member */
  long          *again;  /* [items] members that stopped, and were taken again with smaller steps */
  struct cst_item *at;   /* the current item; NULL: none */
  cst_halt        *halt; /* called inside steps that may take long (stepper.h); NULL: none */
  void            *halt_context;
} cst_reference;

typedef struct cst_item cst_item;
/* Tables: one per variant, of all members; in an order study also one per variant of the first members at
 * twice the reference's step, to estimate the error of the reference itself. An item is the share first ..
 * first+count-1 of the members of a table. */
typedef struct {
  int  variant, table;
  long first, count;
} cst_reference_share;
/* The number of first members; 0: there are no such tables. */
long                cst_reference_twice(const cst_study *s);
cst_reference_share cst_reference_share_of(const cst_reference *r, long item);
/* The motion of a member at its start, in quadruple precision; NULL: it has no valid start. Owned. */
struct cst_motion *cst_reference_motion(const cst_plan *p, int variant, long member);
/* The times at which cases of a variant are compared with a method's states, ascending. Owned, free(). */
double *cst_reference_times(const cst_plan *p, int variant, int *count);
/* The reference method's steps, over all members and parameter sets, and their cost on one
 * core; 0: the reference is not a method. */
double cst_reference_work(const cst_plan *p, double *nanoseconds);
/* Row {q, p, lambda} of a member at the time with this index; the rows of the next members follow. */
double *cst_reference_cell(const cst_reference *r, int table, int time, long member);
/* Number of equal steps from the table's last stop, at time *from, to a time; -1: it does not stop there. */
long cst_reference_way(const cst_reference *r, int table, int time, double *from);
/* The largest difference between the two, over members and stops: error[nvariant][CST_ERRORS], NaN if
 * unknown. */
void cst_reference_errors(const cst_reference *r, double *error);
/* Copies the values of an item at its first `times` times, [times][count][row], out of the table or into it.
 */
void cst_reference_copy(const cst_reference *r, long item, int times, double *values, bool in);

/* A member that stops is taken again with a half, a quarter and an eighth of the reference's step. */
enum { CST_REFERENCE_TRIES = 3 };
/* After cst_reference_gather: the number of members that lasted only so. */
long cst_reference_again(const cst_reference *r);

/* State of an item of the reference: open, computed here, reported to rank 0, or known from an earlier run.
 */
enum { CST_ITEM_OPEN, CST_ITEM_DONE, CST_ITEM_TOLD };

cst_reference *cst_reference_create(const cst_plan *p);
void           cst_reference_destroy(cst_reference *r);
/* Number of items; 0 unless a method is the reference. */
int cst_reference_items(const cst_reference *r);
/* Marks items whose members need no further computation as done. lane[nclass][lanes]. */
void cst_reference_scratch(cst_reference *r, unsigned char *const *lane);
/* Computes an item, from its start (midway NULL) or from the state that cst_reference_pack_midway saved.
 * *stop: the run stops inside it. */
cst_error cst_reference_compute(cst_reference *r, int item, const void *midway, size_t size,
                                cst_poll *poll, void *context, bool *stop);
/* Computes a single member of a variant from its start, with the same values as its item. */
cst_error cst_reference_compute_member(cst_reference *r, int variant, long member, cst_poll *poll,
                                       void *context, bool *stop);
/* Adds sections "reference": the items computed here and not yet reported, or (all) every known item; and
 * reads such a section. */
void cst_reference_pack(cst_reference *r, bool all, cst_bundle *b);
bool cst_reference_take(cst_reference *r, const void *bytes, size_t size);
/* Adds the current item, if any, as a section "midway", which begins with its index. */
void cst_reference_pack_midway(const cst_reference *r, cst_bundle *b);
/* Collective: combines the tables of all ranks on every rank. */
cst_error cst_reference_gather(cst_reference *r, MPI_Comm comm);
/* q[nq], p[nq] (kinetic) at time t and lambda[ng] at time tl. q and p, or lambda, may be NULL: not wanted.
 * An error: no case reads at one of these times. */
cst_error cst_reference_get(const cst_reference *r, int variant, long member, const double *q0,
                            const double *v0, double t, double tl, double *q, double *p,
                            double *lambda);

/* Before the run: warns if, by its order and step, the reference is probably hardly more accurate than the
 * finest run. */
void cst_reference_warn(const cst_plan *p, cst_diag *d);
/* The same as a text without its place; "" where there is nothing to say. */
void cst_reference_doubt(const cst_plan *p, char *text, size_t n);
/* |x - y|, and the norm of two parts combined. */
double cst_norm_apart(cst_norm kind, const double *x, const double *y, int n);
double cst_norm_join(cst_norm kind, double a, double b);
#endif

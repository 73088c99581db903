/* tallies.c: exact sums over the members of each case (see tallies.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/tallies.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/result/case-rows.h"

struct cst_tallies {
  const cst_plan *plan;
  cst_cell      **cell[CST_MOST_COLLECTORS]; /* [ncase]: NULL until something is added */
};

void cst_cell_add(cst_cell *x, double term) {
  cst_sum_add(&x->sum, term);
  x->top = fmax(x->top, term);
  x->count++;
}

void cst_cell_merge(cst_cell *x, const cst_cell *other) {
  cst_sum_merge(&x->sum, &other->sum);
  x->top = fmax(x->top, other->top);
  x->count += other->count;
}

static size_t cells(const cst_plan *p, int collector) {
  const cst_tally *tally = cst_collectors[collector]->tally;
  return tally ? (size_t)tally->cells(p) : 0;
}

cst_tallies *cst_tallies_create(const cst_plan *p) {
  cst_tallies *t = cst_need(calloc(1, sizeof *t));
  t->plan = p;
  for (int k = 0; k < cst_collector_count; k++)
    t->cell[k] = cst_zeros(p->ncase, sizeof *t->cell[k]);
  return t;
}

void cst_tallies_clear(cst_tallies *t) {
  for (int k = 0; k < cst_collector_count; k++)
    for (int i = 0; i < t->plan->ncase; i++) {
      free(t->cell[k][i]);
      t->cell[k][i] = NULL;
    }
}

void cst_tallies_destroy(cst_tallies *t) {
  if (!t)
    return;
  cst_tallies_clear(t);
  for (int k = 0; k < cst_collector_count; k++)
    free(t->cell[k]);
  free(t);
}

cst_cell *cst_tallies_at(cst_tallies *t, int collector, int icase) {
  cst_cell **x = &t->cell[collector][icase];
  if (!*x)
    *x = cst_need(calloc(cells(t->plan, collector) + 1, sizeof **x));
  return *x;
}

double cst_tallies_bytes(const cst_plan *p) {
  double n = 0;
  for (int k = 0; k < cst_collector_count; k++)
    n += (double)cells(p, k);
  return n * p->ncase * sizeof(cst_cell);
}

/* ---- between ranks and runs ------------------------------------------------------------------ */

/* How a section begins, before its cells. */
typedef struct {
  long collector, icase;
} head;

void cst_tallies_pack(const cst_tallies *t, cst_bundle *b) {
  for (int k = 0; k < cst_collector_count; k++)
    for (int i = 0; i < t->plan->ncase; i++) {
      const size_t size = cells(t->plan, k) * sizeof(cst_cell);
      if (!t->cell[k][i])
        continue;
      head *to = cst_bundle_add(b, CST_TALLY, sizeof *to + size);
      *to = (head){k, i};
      memcpy(to + 1, t->cell[k][i], size);
    }
}

static bool is_sound(const cst_tallies *t, const head *h, size_t size) {
  if (size < sizeof *h || h->collector < 0 || h->collector >= cst_collector_count || h->icase < 0 ||
      h->icase >= t->plan->ncase)
    return false;
  const size_t n = cells(t->plan, (int)h->collector);
  if (!n || size != sizeof *h + n * sizeof(cst_cell))
    return false;
  const cst_cell *x = (const cst_cell *)(h + 1);
  const double    most = cst_collectors[h->collector]->tally->most(t->plan, (int)h->icase);
  for (size_t k = 0; k < n; k++)
    if (!(x[k].count >= 0 && x[k].count <= most))
      return false;
  return true;
}

bool cst_tallies_take(cst_tallies *t, const void *bytes, size_t size) {
  const head     *h = bytes;
  const cst_cell *from = (const cst_cell *)(h + 1);
  if (!is_sound(t, h, size))
    return false;
  cst_cell *to = cst_tallies_at(t, (int)h->collector, (int)h->icase);
  for (size_t k = 0; k < cells(t->plan, (int)h->collector); k++)
    cst_cell_merge(&to[k], &from[k]);
  return true;
}

/* ---- whose terms they are -------------------------------------------------------------------- */

/* Of the members of a case, the last steps at which they were there: of all, of those that reached the end, and of these two
 * without the first `joined`, whose terms may be in an earlier result. Each in ascending order. */
enum { ALL, DONE, ALL_HERE, DONE_HERE, SETS };
typedef struct {
  double *step[SETS];
  long    n[SETS];
} stays;

static int ascending(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

static cst_error find_stays(cst_case_rows *rows, long joined, stays *s) {
  const cst_plan *p = rows->plan;
  const double   *steps;
  double         *status = cst_zeros(p->study->ensemble.members, sizeof *status);
  CST_TRY(cst_case_rows_get(rows, &cst_channel_status, 0, &steps));
  memcpy(status, steps, sizeof *status * (size_t)p->study->ensemble.members);
  CST_TRY(cst_case_rows_get(rows, &cst_channel_steps, 0, &steps));
  memset(s->n, 0, sizeof s->n);
  for (long m = 0; m < p->study->ensemble.members; m++) {
    if (status[m] < 0 || status[m] == CST_NO_START)
      continue;
    for (int k = 0; k < SETS; k++)
      if ((k % 2 == 0 || status[m] == CST_DONE) && (k < ALL_HERE || m >= joined))
        s->step[k][s->n[k]++] = steps[m];
  }
  free(status);
  for (int k = 0; k < SETS; k++)
    qsort(s->step[k], (size_t)s->n[k], sizeof(double), ascending);
  return 0;
}

/* Of n ascending numbers, those of at least x. */
static long count_from(const double *of, long n, double x) {
  long low = 0, high = n;
  while (low < high) {
    const long half = (low + high) / 2;
    if (of[half] < x)
      low = half + 1;
    else
      high = half;
  }
  return n - low;
}

/* Whether members that were continued from an earlier end have a term too: all runs sample the start, and the last one
 * has sampled the end. */
static bool has_joined(const cst_plan *p, int icase, long step) {
  return step == 0 || step == p->cases[icase].n;
}

/* Whether the cells of one collector in a case have as many terms as members were there. */
static void check(cst_tallies *t, int collector, int icase, const stays *s, char *why, size_t n) {
  const cst_tally *row = cst_collectors[collector]->tally;
  const long       count = row && row->term ? (long)cells(t->plan, collector) : 0;
  const cst_cell  *x = count ? cst_tallies_at(t, collector, icase) : NULL;
  for (long k = 0, next; k < count && !*why; k = next) {
    const cst_tally_term term = row->term(t->plan, icase, k);
    const double         at = term.step < 0 ? INFINITY : (double)term.step;
    const int            all = term.done ? DONE : ALL;
    const int            here = has_joined(t->plan, icase, term.step) ? all : all + ALL_HERE;
    const long           most = count_from(s->step[all], s->n[all], at);
    const long           least = count_from(s->step[here], s->n[here], at);
    double               terms = 0;
    for (next = k; next < count && row->term(t->plan, icase, next).step == term.step; next++)
      terms = fmax(terms, x[next].count);
    if (terms > (double)most || terms < (double)least)
      snprintf(why, n,
               "%s: sums over the members of case %d have %.0f terms at step %ld, where %ld "
               "members were",
               cst_collectors[collector]->name, icase, terms, term.step, most);
  }
}

static cst_error check_all(cst_tallies *t, cst_output *o, const long *joined, char *why, size_t n) {
  const cst_plan *p = t->plan;
  cst_case_rows  *rows;
  stays           s;
  *why = 0;
  if (cst_tallies_bytes(p) == 0)
    return 0;
  for (int k = 0; k < SETS; k++)
    s.step[k] = cst_zeros(p->study->ensemble.members, sizeof(double));
  CST_TRY(cst_case_rows_create(p, o, NULL, &rows));
  cst_case_rows_ahead(rows, p->ncase);
  for (int i = 0; i < p->ncase && !*why; i++) {
    CST_TRY(cst_case_rows_open(rows, i));
    CST_TRY(find_stays(rows, joined ? joined[i] : 0, &s));
    for (int k = 0; k < cst_collector_count && !*why; k++)
      check(t, k, i, &s, why, n);
  }
  CST_TRY(cst_case_rows_destroy(&rows));
  for (int k = 0; k < SETS; k++)
    free(s.step[k]);
  return 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void merge_cells(void *in, void *inout, int *n, MPI_Datatype *type) {
  const cst_cell *a = in;
  cst_cell       *b = inout;
  (void)type;
  for (int i = 0; i < *n; i++)
    cst_cell_merge(&b[i], &a[i]);
}

static cst_error reduce(cst_tallies *t, MPI_Comm comm) {
  MPI_Datatype type;
  MPI_Op       op;
  int          rank;
  CST_TRY_MPI(MPI_Comm_rank(comm, &rank));
  CST_TRY_MPI(MPI_Type_contiguous(sizeof(cst_cell), MPI_BYTE, &type));
  CST_TRY_MPI(MPI_Type_commit(&type));
  CST_TRY_MPI(MPI_Op_create(merge_cells, 1, &op));
  for (int k = 0; k < cst_collector_count; k++)
    for (int i = 0; i < t->plan->ncase && cells(t->plan, k); i++) {
      cst_cell *x = cst_tallies_at(t, k, i);
      CST_TRY_MPI(
          MPI_Reduce(rank ? x : MPI_IN_PLACE, x, (int)cells(t->plan, k), type, op, 0, comm));
    }
  CST_TRY_MPI(MPI_Op_free(&op));
  CST_TRY_MPI(MPI_Type_free(&type));
  return 0;
}

/* Lets the collectors write, all or those whose terms are known. */
static cst_error write_sums(cst_tallies *t, cst_output *o, bool all) {
  for (int k = 0; k < cst_collector_count; k++)
    for (int i = 0; i < t->plan->ncase && cells(t->plan, k); i++)
      if (all || cst_collectors[k]->tally->term)
        CST_TRY(cst_collectors[k]->tally->finish(t->plan, i, cst_tallies_at(t, k, i), o));
  return 0;
}

cst_error cst_tallies_compare(cst_tallies *t, cst_output *o, const long *joined, char *why,
                              size_t n) {
  CST_TRY(check_all(t, o, joined, why, n));
  if (!*why)
    CST_TRY(write_sums(t, o, false));
  return 0;
}

cst_error cst_tallies_finish(cst_tallies *t, MPI_Comm comm, const long *joined, cst_output *o) {
  char why[256];
  int  rank;
  CST_TRY(reduce(t, comm));
  CST_TRY_MPI(MPI_Comm_rank(comm, &rank));
  if (rank)
    return 0;
  CST_TRY(check_all(t, o, joined, why, sizeof why));
  CST_CHECK(!*why, MPI_COMM_SELF, CST_ERR_FILE_UNEXPECTED, "%s",
            cst_output_is_whole(o) ? why : CST_RECORD_LOST);
  CST_TRY(write_sums(t, o, true));
  return 0;
}

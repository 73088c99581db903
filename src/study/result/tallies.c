/* tallies.c: exact sums over the members of each case (see tallies.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/tallies.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

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

static void merge_cells(void *in, void *inout, int *n, MPI_Datatype *type) {
  const cst_cell *a = in;
  cst_cell       *b = inout;
  (void)type;
  for (int i = 0; i < *n; i++)
    cst_cell_merge(&b[i], &a[i]);
}

static PetscErrorCode finish_collector(cst_tallies *t, int k, MPI_Comm comm, MPI_Datatype type,
                                       MPI_Op op, cst_output *o) {
  const PetscMPIInt n = (PetscMPIInt)cells(t->plan, k);
  PetscMPIInt       rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (int i = 0; i < t->plan->ncase && n; i++) {
    cst_cell *x = cst_tallies_at(t, k, i);
    PetscCallMPI(MPI_Reduce(rank ? x : MPI_IN_PLACE, x, n, type, op, 0, comm));
    if (rank == 0)
      PetscCall(cst_collectors[k]->tally->finish(t->plan, i, x, o));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode cst_tallies_finish(cst_tallies *t, MPI_Comm comm, cst_output *o) {
  MPI_Datatype type;
  MPI_Op       op;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous(sizeof(cst_cell), MPI_BYTE, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCallMPI(MPI_Op_create(merge_cells, 1, &op));
  for (int k = 0; k < cst_collector_count; k++)
    PetscCall(finish_collector(t, k, comm, type, op, o));
  PetscCallMPI(MPI_Op_free(&op));
  PetscCallMPI(MPI_Type_free(&type));
  PetscFunctionReturn(0);
}

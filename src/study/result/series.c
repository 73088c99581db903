/* series.c: sampled series of a case reduced over its members: largest value and exact sum of squares,
 * independent of which rank computed them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/result/series.h"

cst_series *cst_series_create(const cst_plan *p) {
  cst_series *s = calloc(1, sizeof *s);
  if (!s)
    abort();
  s->plan = p;
  s->sum = calloc((size_t)p->ncase, sizeof *s->sum);
  s->top = calloc((size_t)p->ncase, sizeof *s->top);
  s->count = calloc((size_t)p->ncase, sizeof *s->count);
  if (!s->sum || !s->top || !s->count)
    cst_need_fail();
  return s;
}

void cst_series_clear(cst_series *s) {
  for (int i = 0; i < s->plan->ncase; i++) {
    free(s->sum[i]);
    free(s->top[i]);
    free(s->count[i]);
    s->sum[i] = NULL;
    s->top[i] = s->count[i] = NULL;
  }
}

void cst_series_destroy(cst_series *s) {
  if (!s)
    return;
  cst_series_clear(s);
  free(s->sum);
  free(s->top);
  free(s->count);
  free(s);
}

/* squares of larger values exceed the range of the exact sums */
static const double LARGE = 0x1p39;

static size_t cells(const cst_series *s) {
  return (size_t)s->plan->most_samples * (size_t)s->plan->nquantity;
}

static void allocate(cst_series *s, int icase) {
  if (s->sum[icase])
    return;
  s->sum[icase] = calloc(cells(s), sizeof **s->sum);
  s->top[icase] = calloc(cells(s), sizeof **s->top);
  s->count[icase] = calloc(cells(s), sizeof **s->count);
  if (!s->sum[icase] || !s->top[icase] || !s->count[icase])
    cst_need_fail();
}

void cst_series_add(cst_series *s, int icase, int sample, int width, const double *bins,
                    const double *top, const double *count) {
  allocate(s, icase);
  for (int k = 0; k < s->plan->nquantity; k++) {
    const size_t at = (size_t)sample * (size_t)s->plan->nquantity + (size_t)k;
    double      *most = &s->top[icase][at];
    for (int b = 0; b < CST_BINS; b++) {
      double part = 0; /* exact: multiples of one unit, far from overflow */
      for (int l = 0; l < width; l++)
        part += bins[(k * CST_BINS + b) * width + l];
      if (part != 0)
        cst_sum_add(&s->sum[icase][at], part);
    }
    for (int l = 0; l < width; l++) {
      *most = fmax(*most, top[k * width + l]);
      s->count[icase][at] += count[k * width + l];
    }
  }
}

void cst_series_merge(cst_series *s, int icase, int sample, int quantity, const cst_sum *sum,
                      double top, double count) {
  allocate(s, icase);
  const size_t at = (size_t)sample * (size_t)s->plan->nquantity + (size_t)quantity;
  cst_sum_merge(&s->sum[icase][at], sum);
  s->top[icase][at] = fmax(s->top[icase][at], top);
  s->count[icase][at] += count;
}

/* ---- between ranks and runs ------------------------------------------------------------------ */

/* Contents of a section "series": one case. */
typedef struct {
  cst_sum sum;
  double  top, count;
} cell;

static size_t packed(const cst_series *s) { return sizeof(long) + sizeof(cell) * cells(s); }

void cst_series_pack(const cst_series *s, cst_bundle *b) {
  for (int i = 0; i < s->plan->ncase; i++) {
    if (!s->sum[i])
      continue;
    long *icase = cst_bundle_add(b, "series", packed(s));
    cell *to = (cell *)(icase + 1);
    *icase = i;
    for (size_t k = 0; k < cells(s); k++)
      to[k] = (cell){s->sum[i][k], s->top[i][k], s->count[i][k]};
  }
}

bool cst_series_take(cst_series *s, const void *bytes, size_t size) {
  const long  *icase = bytes;
  const cell  *from = (const cell *)(icase + 1);
  const double members = (double)s->plan->study->members;
  if (size != packed(s) || *icase < 0 || *icase >= s->plan->ncase)
    return false;
  for (size_t k = 0; k < cells(s); k++) {
    const bool sound = from[k].count >= 0 && from[k].count <= members;
    if (!sound)
      return false;
  }
  allocate(s, (int)*icase);
  for (size_t k = 0; k < cells(s); k++) {
    cst_sum_merge(&s->sum[*icase][k], &from[k].sum);
    s->top[*icase][k] = fmax(s->top[*icase][k], from[k].top);
    s->count[*icase][k] += from[k].count;
  }
  return true;
}

static void merge_sums(void *in, void *inout, int *n, MPI_Datatype *type) {
  cst_sum *a = in, *b = inout;
  (void)type;
  for (int i = 0; i < *n; i++)
    cst_sum_merge(&b[i], &a[i]);
}

static PetscErrorCode reduce_case(cst_series *s, int icase, MPI_Comm comm, MPI_Datatype type,
                                  MPI_Op op) {
  PetscMPIInt rank;
  PetscMPIInt n = (PetscMPIInt)cells(s);
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  allocate(s, icase);
  PetscCallMPI(
      MPI_Reduce(rank ? s->sum[icase] : MPI_IN_PLACE, s->sum[icase], n, type, op, 0, comm));
  PetscCallMPI(MPI_Reduce(rank ? s->top[icase] : MPI_IN_PLACE, s->top[icase], n, MPI_DOUBLE,
                          MPI_MAX, 0, comm));
  PetscCallMPI(MPI_Reduce(rank ? s->count[icase] : MPI_IN_PLACE, s->count[icase], n, MPI_DOUBLE,
                          MPI_SUM, 0, comm));
  PetscFunctionReturn(0);
}

/* The sum as it is stored. If squares exceeded its range, the rest would depend on the order of the terms;
 * then only that fact is stored. */
static cst_sum stored(const cst_sum *sum, double most) {
  cst_sum beyond = {{0}};
  cst_sum_add(&beyond, INFINITY);
  return most >= LARGE ? beyond : *sum;
}

static PetscErrorCode write_case(cst_series *s, int icase, cst_output *o) {
  const cst_plan  *p = s->plan;
  const cst_class *k = &p->classes[p->class_of[icase]];
  double          *x;
  cst_sum         *sum;
  long            *number;
  PetscFunctionBegin;
  x = cst_zeros(p->most_samples, sizeof *x);
  sum = cst_zeros(p->most_samples, sizeof *sum);
  number = cst_zeros(p->most_samples, sizeof *number);
  for (int q = 0; q < p->nquantity; q++) {
    for (int i = 0; i < p->most_samples; i++) {
      const size_t at = (size_t)i * (size_t)p->nquantity + (size_t)q;
      sum[i] = stored(&s->sum[icase][at], s->top[icase][at]);
      number[i] = (long)s->count[icase][at];
    }
    PetscCall(cst_output_case(o, &cst_channel_series_sum, q, icase, sum));
    PetscCall(cst_output_case(o, &cst_channel_series_count, q, icase, number));
    for (int which = 0; which < 2; which++) {
      for (int i = 0; i < p->most_samples; i++) {
        size_t at = (size_t)i * (size_t)p->nquantity + (size_t)q;
        double most = s->top[icase][at];
        double count = s->count[icase][at];
        if (i >= k->nsample || count == 0)
          x[i] = NAN;
        else
          x[i] =
              which == 0 || most >= LARGE ? most : sqrt(cst_sum_value(&s->sum[icase][at]) / count);
      }
      PetscCall(cst_output_case(o, which ? &cst_channel_series_rms : &cst_channel_series_max, q,
                                icase, x));
    }
  }
  free(x);
  free(sum);
  free(number);
  PetscFunctionReturn(0);
}

PetscErrorCode cst_series_finish(cst_series *s, MPI_Comm comm, cst_output *o) {
  MPI_Datatype type;
  MPI_Op       op;
  PetscMPIInt  rank;
  PetscFunctionBegin;
  if (!s->plan->most_samples || s->plan->study->members == 1)
    PetscFunctionReturn(0);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Type_contiguous(sizeof(cst_sum), MPI_BYTE, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCallMPI(MPI_Op_create(merge_sums, 1, &op));
  for (int i = 0; i < s->plan->ncase; i++) {
    PetscCall(reduce_case(s, i, comm, type, op));
    if (rank == 0)
      PetscCall(write_case(s, i, o));
  }
  PetscCallMPI(MPI_Op_free(&op));
  PetscCallMPI(MPI_Type_free(&type));
  PetscFunctionReturn(0);
}

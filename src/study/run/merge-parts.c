/* merge-parts.c: takes the parts of a study over into one result (see merge-parts.h). merge-examine.c says what is
 * refused. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/merge-parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

void cst_merge_share(cst_merge *m) {
  long n = m->division ? m->division->n : 0;
  (void)MPI_Bcast(&n, 1, MPI_LONG, 0, cst_world);
  if (!m->division && n) {
    m->division = cst_division_create(m->plan, n);
    m->part = cst_zeros(n, sizeof *m->part);
  }
  (void)MPI_Bcast(m->part, (int)(n * (long)sizeof *m->part), MPI_BYTE, 0, cst_world);
}

void cst_merge_destroy(cst_merge *m) {
  cst_division_destroy(m->division);
  free(m->part);
}

void cst_merge_mark(const cst_merge *m, cst_checkpoint *checkpoint) {
  for (int k = 0; k < m->plan->nclass; k++)
    memset(checkpoint->lane[k], CST_LANE_DONE, (size_t)m->plan->classes[k].lanes);
}

/* Opens a part again, which must still be the one that was examined. */
static cst_error reopen(const cst_merge *m, long part, cst_result **file) {
  const cst_merge_part *x = &m->part[part - 1];
  const char           *path = m->file[x->file];
  char                  why[512];
  *file = cst_result_open(path, why, sizeof why);
  CST_CHECK(*file, MPI_COMM_SELF, CST_ERR_FILE_OPEN, "%s: %s", path, why);
  char      *token = cst_result_text(*file, "/run", "id");
  const bool same = token && !strcmp(token, x->token);
  free(token);
  CST_CHECK(same, MPI_COMM_SELF, CST_ERR_FILE_UNEXPECTED,
            "%s was replaced while the parts were merged", path);
  return 0;
}

cst_error cst_merge_rows(const cst_merge *m, cst_output *o, cst_tallies *t) {
  int           rank, ranks;
  cst_extension e;
  cst_result   *file;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY_MPI(MPI_Comm_size(cst_world, &ranks));
  for (long part = 1 + rank; part <= m->division->n; part += ranks) {
    CST_TRY(reopen(m, part, &file));
    cst_extend_whole(&e, file, m->plan, m->division, part);
    for (int k = 0; k < m->plan->ncase; k++)
      CST_TRY(cst_extend_case(&e, o, k));
    CST_TRY(cst_extend_tallies(&e, t));
    cst_extend_destroy(&e);
    cst_result_close(file);
  }
  return 0;
}

/* The seconds of each class, from the rates that the part has of its cases. */
static void add_seconds(const cst_merge *m, long part, const double *rate, double *seconds) {
  long first, count;
  for (int k = 0; k < m->plan->nclass; k++) {
    const cst_class *c = &m->plan->classes[k];
    const double     r = rate[c->cases[0]];
    cst_division_lanes(m->plan, m->division, part, k, &first, &count);
    if (isfinite(r) && r > 0)
      seconds[k] += (double)count * (double)c->n / r;
  }
}

cst_error cst_merge_seconds(const cst_merge *m, double *seconds) {
  cst_result *file;
  for (long part = 1; part <= m->division->n; part++) {
    int  ndim;
    long e[CST_FIELD_DIMS];
    CST_TRY(reopen(m, part, &file));
    double *rate = cst_result_read(file, cst_channel_rate.path, &ndim, e);
    if (rate && ndim == 1 && e[0] == m->plan->ncase)
      add_seconds(m, part, rate, seconds);
    free(rate);
    cst_result_close(file);
  }
  return 0;
}

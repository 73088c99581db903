/* tallies.h: exact sums over the members of each case, for collectors whose row has a tally (collector.h).
 *
 * A rank adds what its lanes have; the sums of all ranks and runs are merged. The result depends neither on the
 * order of the terms nor on who added them, so its bits are those of one rank.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TALLIES_H
#define CST_TALLIES_H
#include "record/bundle.h"
#include "study/rows/collector.h"
#include "study/result/output.h"

/* Of some terms: their sum, the largest of them (at least 0), their number. */
struct cst_cell {
  cst_sum sum;
  double  top, count;
};

void cst_cell_add(cst_cell *x, double term);
void cst_cell_merge(cst_cell *x, const cst_cell *other);

typedef struct cst_tallies cst_tallies;
cst_tallies               *cst_tallies_create(const cst_plan *p);
void                       cst_tallies_destroy(cst_tallies *t);
/* The cells of a case, of the collector with this number; zeros before anything is added. */
cst_cell *cst_tallies_at(cst_tallies *t, int collector, int icase);
/* pack: appends a section CST_TALLY for each collector and case to which anything was added. take: adds such a
 * section; false if it is from another study. clear: resets to zero. */
#define CST_TALLY "tally"
void cst_tallies_pack(const cst_tallies *t, cst_bundle *b);
bool cst_tallies_take(cst_tallies *t, const void *bytes, size_t size);
void cst_tallies_clear(cst_tallies *t);
/* On one rank, of the sums of a file whose rows are in the output, which compares (cst_output_compare): whether every cell
 * has as many terms as members have one; why[n]: where it has not; and compares what is made of them. joined[ncase]: so
 * many members, from the first on, were continued from an earlier result, which may have no terms of them at times between
 * the start and the end; NULL: none. */
cst_error cst_tallies_compare(cst_tallies *t, cst_output *o, const long *joined, char *why,
                              size_t n);
/* Collective: reduces over all ranks; fails where that check does; lets the collectors write. */
cst_error cst_tallies_finish(cst_tallies *t, MPI_Comm comm, const long *joined, cst_output *o);
/* Bytes of all cells. */
double cst_tallies_bytes(const cst_plan *p);
#endif

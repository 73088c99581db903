/* emit-rows.h: what the files share that generate a kick by rows of G: emit-rows.c and emit-elimination.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EMIT_ROWS_H
#define CST_EMIT_ROWS_H
#include "system/emit/strips.h"
#include "system/internal.h"

enum { CST_ROWS_MOST_BAND = 8 }; /* a wider band is eliminated by the loops of core/band.h */

/* Entry e of G is entry kept[e] of the same row, or its negative. symmetric: the matrix is G1 W G1', else
 * G1 W G'. there[i]: whether the text has the new coordinate or momentum i; known[i]: of how many of its
 * constraints it has d. row, pair: the pairs of S by rows. */
typedef struct {
  const cst_system  *s;
  const cst_pattern *G;
  int               *kept, *there, *known, *row, *pair;
  unsigned char     *negative;
  bool               symmetric, short_enough;
} cst_rows;

/* Whether constraints a and b have an entry in Newton's matrix. */
bool cst_rows_has_entry(const cst_rows *z, int a, int b);
/* Write "NAME = ...;": this entry, and the right-hand side of constraint a. */
void cst_rows_write_entry(const cst_rows *z, FILE *f, const char *name, int a, int b);
void cst_rows_write_right(cst_rows *z, FILE *f, const char *name, int a);
/* Writes what follows where d[a] is known; once for every constraint. */
void cst_rows_write_found(cst_rows *z, FILE *f, int a);

/* emit-elimination.c: the elimination and the solution d, for a band of 1 and for any band. */
void cst_rows_write_tridiagonal(cst_rows *z, cst_strips *strips);
void cst_rows_write_band(cst_rows *z, cst_strips *strips);
#endif

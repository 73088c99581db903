/* kernels.h: the kernels of a system over lanes: their type, how their matrices are stored, and the compiled code of
 * a system. constella/system.h says which there are.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_KERNELS_H
#define CST_SYSTEM_KERNELS_H
#include <stdbool.h>
#include "constella/system-data.h"

typedef void cst_kernel(const void *self, const double *c, const double *q, const double *v,
                        const double *w, const double *u, const double *l, double *o);

/* The sparsity pattern of a matrix: compressed rows, and the same by columns. Entry e of the kernel is in
 * column[e] of its row; column i has the entries tentry[tstart[i]] .. in the rows trow[..], ascending. */
typedef struct {
  int  rows, columns, n;
  int *start, *column;         /* [rows + 1], [n] */
  int *tstart, *trow, *tentry; /* [columns + 1], [n], [n] */
} cst_pattern;
/* A loop over the entries e of row a. */
#define CST_EACH_ENTRY(pattern, a, e)                                                              \
  for (int e = (pattern)->start[a]; e < (pattern)->start[(a) + 1]; e++)

/* How S = G W G' is stored.
 *   CST_FORM_DENSE    S[a * ng + b]
 *   CST_FORM_BAND     only neighbours couple, in the order `place`: S[place[a] * (2 * band + 1) + place[b] -
 *                     place[a] + band]
 *   CST_FORM_SPARSE   the diagonal S[ng] in the order `place`, then the rows of the upper factor, fill-in included:
 *                     columns column[row[r]] .. of row r, ascending; then the columns of the lower factor, which
 *                     have the same pattern
 *   CST_FORM_PAIRS    pair by pair, S[k]; lanes do not eliminate it, since its factors are too large */
typedef enum { CST_FORM_DENSE, CST_FORM_BAND, CST_FORM_SPARSE, CST_FORM_PAIRS } cst_gram_form;

/* S = G W G', W diagonal: which constraints share which coordinates, and how S is stored and eliminated. */
typedef struct {
  cst_gram_form form;
  bool
      banded; /* it is eliminated in the order `place`, without pivoting: every form but the dense one */
  int    band, size; /* band: ng - 1 unless S is a band; size: numbers in S */
  int    inside;     /* the entries of S among them: a band has more at its ends */
  int   *place;      /* [ng] row of constraint a in the order of elimination */
  int   *order;      /* [ng] the constraint of each row */
  int    n; /* pairs (a, b) that share a coordinate: first the upper ones, place[a] <= place[b], */
  int    upper;        /* their number; then the lower ones */
  int   *a, *b, *at;   /* [n] at: index in S */
  int   *first;        /* [n + 1] terms of each pair: */
  int   *ea, *eb, *i;  /* entries of G of the two rows, and their coordinate */
  int   *row, *column; /* [ng + 1], [row[ng]] of sparse factors; else NULL */
  double work;         /* multiplications of a factorisation */
} cst_gram;

/* A symmetric matrix of nq rows as a band: row r is that of coordinate order[r], and its entry (r, r + d), 0
 * <= d <= band, is at r (band + 1) + d. Elimination in this order leaves (r, i) zero for i > last[r]. Entry e
 * of the upper half goes to at[e]. */
typedef struct {
  int  band, n;       /* n: entries that may be nonzero in the upper half, diagonal included */
  int *order, *place; /* [nq] the coordinate of each row, the row of each coordinate */
  int *last;          /* [nq] */
  int *at, *entry;    /* [n] places in the band; the entries of the pattern */
} cst_bands;

/* A form of lane code in which the kernels of one system are inlined. */
typedef struct {
  /* kick, fold ...; gram: two kernels of a banded system, for all pairs of S and for the upper
   * ones */
  const char *core;
  const void *form; /* its type is known to the files of this core; borrowed */
} cst_form;

/* The compiled code of one system for one instruction set. */
typedef struct {
  const char *key; /* "" in the catalogue; else the fingerprint of the source of a user's object */
  int         nq, ng, npar, nsym, width;
  cst_kernel *kernel[CST_K_COUNT];
  const cst_form *form; /* up to one whose core is NULL */
} cst_compiled;
#endif

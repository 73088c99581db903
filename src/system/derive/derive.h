/* derive.h: what the files that derive the kernels of a system share: the inputs, lists of matrix entries,
 * and the parts of the derivation in their order. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_DERIVE_H
#define CST_SYSTEM_DERIVE_H
#include "system/internal.h"

/* The inputs, made once. */
typedef struct {
  cst_system *s;
  cst_graph  *graph;
  int         n;
  cst_node    one;
  /* sizes as in cst_system_entries; v follows q in memory, so that (q, v) is an array too */
  cst_node *q, *v, *w, *u, *l;
} cst_derivation;

typedef struct {
  int      row, column;
  cst_node node;
} cst_derived_entry;

typedef struct {
  int                n, capacity;
  cst_derived_entry *at;
  const cst_system  *s; /* that it is a matrix of */
} cst_derived_entries;

/* derive.c. n + 1 zeros; free(). */
cst_node *cst_derive_memory(long n);

/* The outputs of kernel k, `size` zeros that the caller fills. */
cst_node *cst_derive_kernel(cst_system *s, cst_kernel_id k, int size);

/* Adds an entry. A node that does not fit into the graph (-1) ends the list: the matrix is then incomplete.
 */
void cst_derive_add(cst_derived_entries *e, int row, int column, cst_node node);

/* Adds the nonzero entries of row[n]. */
void cst_derive_add_row(const cst_derivation *d, cst_derived_entries *e, int at,
                        const cst_node *row);

/* Makes kernel k, a matrix of rows x columns, from the entries, which it releases. */
void cst_derive_matrix(cst_system *s, cst_kernel_id k, int rows, int columns,
                       cst_derived_entries *e);

/* Adds row `row` of the Jacobian of `of`. If `symmetric`, only the upper half is derived and mirrored. */
void cst_derive_add_gradient(const cst_derivation *d, cst_node of, int row, bool symmetric,
                             cst_derived_entries *e);

/* Makes kernel k the Jacobian of of[rows] by q. */
void cst_derive_jacobian(const cst_derivation *d, cst_kernel_id k, const cst_node *of, int rows,
                         bool symmetric);

/* derive-motion.c: V, dV and d2V; then the kernels of linearly implicit methods, for the whole V and for
 * its stiff part. */
void cst_derive_potential(const cst_derivation *d);
void cst_derive_linear(const cst_derivation *d);
void cst_derive_linear_stiff(const cst_derivation *d);

/* derive-motion.c: all kernels of the constraints. */
void cst_derive_constraints(const cst_derivation *d);

/* derive-motion.c: the classes of a diagonal mass. Coordinates whose masses are the same node share a class;
 * classes are numbered in order of appearance. */
void cst_derive_diagonal(const cst_derivation *d);

/* L = v.(1/2 M v + a) - V and its derivatives. */
void cst_derive_lagrangian(const cst_derivation *d);

/* Kernels that differentiate accelerations: forward, reverse, and forward over reverse. */
void cst_derive_residuals(const cst_derivation *d);
#endif

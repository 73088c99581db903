/* team-parts.h: the direct solver of a team for symmetric matrices: each rank factors a part, all meet in the interface.
 *
 * Matrices are A = [A_1 .. B_1; .. A_R B_R; B_1' .. B_R' C] in the order of parts.h. Rank r factors A_r and finds
 * B_r' A_r^-1 B_r; the first rank takes them from C, in the order of ranks, and factors what is left. A solution takes one
 * message of each rank of the size of the interface, and one back. Results have the same bits each time. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TEAM_PARTS_H
#define CST_TEAM_PARTS_H
#include <mpi.h>
#include "core/error.h"
#include "solve/fronts.h"

typedef struct {
  MPI_Comm   comm;
  int        rank, size;
  int        own, interface, entries;
  cst_fronts part;
  double    *values, *x, *schur;
  /* of the leader, the first rank: */
  cst_fronts root;
  int        n, numbers;
  int       *order, *from; /* old numbers of unknowns, and of the values, in the order of parts */
  int       *unknowns, *unknowns_at, *numbers_of, *numbers_at; /* of each rank */
  double    *vector, *matrix, *theirs;
} cst_team_parts;

/* Collective on comm. The arguments of the matrix are those of the leader: the pattern of single.h. */
cst_error cst_team_parts_create(cst_team_parts *x, MPI_Comm comm, int n, const int *row,
                                const int *column);
void      cst_team_parts_destroy(cst_team_parts *x);
/* Values of the pattern, of the leader. Those above the diagonal are used. */
cst_error cst_team_parts_factor(cst_team_parts *x, const double *values);
/* solution[n] := A^-1 b, of the leader; no numbers where a pivot was zero. */
cst_error cst_team_parts_solve(cst_team_parts *x, const double *b, double *solution);
#endif

/* team.h: sparse linear systems that several ranks, a team, solve together: the first rank leads, the others serve.
 *
 * Symmetric ones are factored in parts (cst_team_parts). Others, and those that options of PETSc name a solver for, are
 * divided among the ranks in blocks of adjacent rows: matrix, vectors and KSP are PETSc's objects on the
 * communicator of the team, and take PETSc's options; without options it is the LU of MUMPS. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TEAM_H
#define CST_TEAM_H
#include <mpi.h>
#include <stdbool.h>
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
/* Divides `all` into teams of `ranks` adjacent ones; collective. *leaders: the first ranks of all teams, on these;
 * MPI_COMM_NULL on the others, which call cst_team_serve. PETSc is initialised on all. */
cst_error cst_team_divide(MPI_Comm all, int ranks, MPI_Comm *leaders);
/* Whether this rank leads a team of more than itself. */
bool cst_team_leads(void);
/* Obeys the leader until it calls cst_team_dismiss. */
cst_error cst_team_serve(void);
cst_error cst_team_dismiss(void);

/* By leaders. A system of n unknowns with the pattern of single.h; its number. `direct`: it is taken as symmetric, by
 * its values above the diagonal, and definite. */
cst_error cst_team_create(int n, const int *row, const int *column, bool direct, int *system);
cst_error cst_team_destroy(int system);
/* Sets the preconditioner up with these values. */
cst_error cst_team_factor(int system, const double *values);
/* x[n] := A^-1 b. *good: whether the solver says so. */
cst_error cst_team_solve(int system, const double *b, double *x, bool *good);
#endif

/* team.c: linear systems of a team of ranks (see team.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CST_WITH_PETSC
#include "solve/team.h"
#include <limits.h>
#include <stdlib.h>
#include "core/need.h"
#include "solve/petsc.h"
#include "solve/team-parts.h"

typedef enum { CREATE, DESTROY, FACTOR, SOLVE, DISMISS } word;

typedef struct {
  bool           used;
  bool           direct; /* symmetric, without PETSc: by `parts` */
  cst_team_parts parts;
  int            n, first, end;                       /* of the rows of this rank */
  int           *row, *column;                        /* the pattern of these rows, from 0 */
  int           *rows, *rows_at, *values, *values_at; /* of all ranks */
  PetscInt      *index;
  double        *own;
  Mat            A;
  Vec            B, X;
  KSP            ksp;
} portion;

enum { SYSTEMS = 64 };

static struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  bool        divided;
  portion     system[SYSTEMS];
} team;

PetscErrorCode cst_team_divide(MPI_Comm all, int ranks, MPI_Comm *leaders) {
  PetscMPIInt rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(all, &rank));
  PetscCallMPI(MPI_Comm_split(all, rank / ranks, rank, &team.comm));
  PetscCallMPI(MPI_Comm_rank(team.comm, &team.rank));
  PetscCallMPI(MPI_Comm_size(team.comm, &team.size));
  PetscCallMPI(MPI_Comm_split(all, team.rank ? MPI_UNDEFINED : 0, rank, leaders));
  team.divided = true;
  PetscFunctionReturn(0);
}

bool cst_team_leads(void) { return team.divided && team.rank == 0 && team.size > 1; }

static PetscErrorCode order(word w, int system, int n, int direct) {
  int text[4] = {w, system, n, direct};
  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(text, 4, MPI_INT, 0, team.comm));
  PetscFunctionReturn(0);
}

/* ---- what all ranks of a team do together; arrays of whole systems are those of the leader -------- */

static void divide_rows(portion *p, const int *row) {
  p->rows = cst_zeros(4 * team.size, sizeof *p->rows);
  p->rows_at = p->rows + team.size;
  p->values = p->rows_at + team.size;
  p->values_at = p->values + team.size;
  for (int k = 0; k < team.size; k++) {
    const int a = (int)((long)p->n * k / team.size), b = (int)((long)p->n * (k + 1) / team.size);
    p->rows_at[k] = a;
    p->rows[k] = b - a;
    p->values_at[k] = row[a];
    p->values[k] = row[b] - row[a];
  }
  p->first = p->rows_at[team.rank];
  p->end = p->first + p->rows[team.rank];
}

static PetscErrorCode create_matrix(portion *p) {
  const int m = p->end - p->first;
  PetscFunctionBegin;
  PetscInt *inside = cst_zeros(m, sizeof *inside), *outside = cst_zeros(m, sizeof *outside);
  for (int k = 0; k < m; k++)
    for (int i = p->row[k]; i < p->row[k + 1]; i++)
      (p->column[i] >= p->first && p->column[i] < p->end ? inside : outside)[k]++;
  PetscCall(cst_petsc.MatCreate(team.comm, &p->A));
  PetscCall(cst_petsc.MatSetSizes(p->A, m, m, p->n, p->n));
  PetscCall(cst_petsc.MatSetType(p->A, MATMPIAIJ));
  PetscCall(cst_petsc.MatMPIAIJSetPreallocation(p->A, 0, inside, 0, outside));
  PetscCall(cst_petsc.MatSetUp(p->A));
  free(inside);
  free(outside);
  PetscFunctionReturn(0);
}

static PetscErrorCode create_solver(portion *p) {
  PC pc;
  PetscFunctionBegin;
  PetscCall(cst_petsc.KSPCreate(team.comm, &p->ksp));
  PetscCall(cst_petsc.KSPSetType(p->ksp, KSPPREONLY));
  PetscCall(cst_petsc.KSPGetPC(p->ksp, &pc));
  PetscCall(cst_petsc.PCSetType(pc, PCLU));
  PetscCall(cst_petsc.PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  PetscCall(cst_petsc.KSPSetFromOptions(p->ksp));
  PetscCall(cst_petsc.KSPSetOperators(p->ksp, p->A, p->A));
  PetscFunctionReturn(0);
}

/* The pattern is given to all: it is needed once. */
static PetscErrorCode create(portion *p, int n, bool direct, const int *row, const int *column) {
  PetscFunctionBegin;
  p->used = true;
  p->direct = direct;
  if (direct) {
    PetscCall(cst_team_parts_create(&p->parts, team.comm, n, row, column));
    PetscFunctionReturn(0);
  }
  int *all = cst_zeros(n + 1, sizeof *all);
  p->n = n;
  for (int k = 0; k <= n && row; k++)
    all[k] = row[k];
  PetscCallMPI(MPI_Bcast(all, n + 1, MPI_INT, 0, team.comm));
  divide_rows(p, all);
  const int m = p->end - p->first, own = p->values[team.rank];
  p->row = cst_zeros(m + 1, sizeof *p->row);
  for (int k = 0; k <= m; k++)
    p->row[k] = all[p->first + k] - all[p->first];
  free(all);
  p->column = cst_zeros(own, sizeof *p->column);
  p->index = cst_zeros(own, sizeof *p->index);
  p->own = cst_zeros(own, sizeof *p->own);
  PetscCallMPI(MPI_Scatterv(column, p->values, p->values_at, MPI_INT, p->column, own, MPI_INT, 0,
                            team.comm));
  for (int i = 0; i < own; i++)
    p->index[i] = p->column[i];
  PetscCall(cst_petsc.VecCreateMPI(team.comm, m, n, &p->B));
  PetscCall(cst_petsc.VecDuplicate(p->B, &p->X));
  PetscCall(create_matrix(p));
  PetscCall(create_solver(p));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(portion *p) {
  PetscFunctionBegin;
  cst_team_parts_destroy(&p->parts);
  PetscCall(cst_petsc.KSPDestroy(&p->ksp));
  PetscCall(cst_petsc.MatDestroy(&p->A));
  PetscCall(cst_petsc.VecDestroy(&p->B));
  PetscCall(cst_petsc.VecDestroy(&p->X));
  free(p->rows);
  free(p->row);
  free(p->column);
  free(p->index);
  free(p->own);
  *p = (portion){0};
  PetscFunctionReturn(0);
}

/* MUMPS counts the room for its factors before it pivots, and takes a fifth more by default. Matrices with multipliers
 * need more: without an option of the user it is three times the room. */
static PetscErrorCode set_up(KSP ksp) {
  static const char room[] = "-mat_mumps_icntl_14";
  PetscBool         is;
  PetscFunctionBegin;
  PetscCall(cst_petsc.PetscOptionsHasName(NULL, NULL, room, &is));
  if (!is)
    PetscCall(cst_petsc.PetscOptionsInsertString(NULL, "-mat_mumps_icntl_14 200"));
  PetscCall(cst_petsc.KSPSetUp(ksp));
  if (!is)
    PetscCall(cst_petsc.PetscOptionsClearValue(NULL, room));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(portion *p, const double *values) {
  PetscFunctionBegin;
  if (p->direct) {
    PetscCall(cst_team_parts_factor(&p->parts, values));
    PetscFunctionReturn(0);
  }
  PetscCallMPI(MPI_Scatterv(values, p->values, p->values_at, MPI_DOUBLE, p->own,
                            p->values[team.rank], MPI_DOUBLE, 0, team.comm));
  for (PetscInt k = p->first; k < p->end; k++) {
    const int at = p->row[k - p->first];
    PetscCall(cst_petsc.MatSetValues(p->A, 1, &k, p->row[k - p->first + 1] - at, p->index + at,
                                     p->own + at, INSERT_VALUES));
  }
  PetscCall(cst_petsc.MatAssemblyBegin(p->A, MAT_FINAL_ASSEMBLY));
  PetscCall(cst_petsc.MatAssemblyEnd(p->A, MAT_FINAL_ASSEMBLY));
  PetscCall(cst_petsc.KSPSetOperators(p->ksp, p->A, p->A));
  PetscCall(set_up(p->ksp));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(portion *p, const double *b, double *x, bool *good) {
  KSPConvergedReason why;
  PetscScalar       *at;
  const PetscScalar *from;
  const int          m = p->end - p->first;
  PetscFunctionBegin;
  *good = true;
  if (p->direct) {
    PetscCall(cst_team_parts_solve(&p->parts, b, x));
    PetscFunctionReturn(0);
  }
  PetscCall(cst_petsc.VecGetArray(p->B, &at));
  PetscCallMPI(MPI_Scatterv(b, p->rows, p->rows_at, MPI_DOUBLE, at, m, MPI_DOUBLE, 0, team.comm));
  PetscCall(cst_petsc.VecRestoreArray(p->B, &at));
  PetscCall(cst_petsc.KSPSolve(p->ksp, p->B, p->X));
  PetscCall(cst_petsc.KSPGetConvergedReason(p->ksp, &why));
  *good = why > 0 || why == KSP_DIVERGED_ITS;
  PetscCall(cst_petsc.VecGetArrayRead(p->X, &from));
  PetscCallMPI(MPI_Gatherv(from, m, MPI_DOUBLE, x, p->rows, p->rows_at, MPI_DOUBLE, 0, team.comm));
  PetscCall(cst_petsc.VecRestoreArrayRead(p->X, &from));
  PetscFunctionReturn(0);
}

/* ---- leaders, and those who serve ------------------------------------------------------------ */

PetscErrorCode cst_team_create(int n, const int *row, const int *column, bool direct, int *system) {
  int k = 0;
  PetscFunctionBegin;
  while (k < SYSTEMS && team.system[k].used)
    k++;
  PetscCheck(k < SYSTEMS, PETSC_COMM_SELF, PETSC_ERR_SUP, "a team has %d systems at most", SYSTEMS);
  *system = k;
  PetscCall(order(CREATE, k, n, direct));
  PetscCall(create(&team.system[k], n, direct, row, column));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_team_destroy(int system) {
  PetscFunctionBegin;
  PetscCall(order(DESTROY, system, 0, 0));
  PetscCall(destroy(&team.system[system]));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_team_factor(int system, const double *values) {
  PetscFunctionBegin;
  PetscCall(order(FACTOR, system, 0, 0));
  PetscCall(factor(&team.system[system], values));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_team_solve(int system, const double *b, double *x, bool *good) {
  PetscFunctionBegin;
  PetscCall(order(SOLVE, system, 0, 0));
  PetscCall(solve(&team.system[system], b, x, good));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_team_dismiss(void) {
  PetscFunctionBegin;
  if (cst_team_leads())
    PetscCall(order(DISMISS, 0, 0, 0));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_team_serve(void) {
  int  text[4];
  bool good;
  PetscFunctionBegin;
  for (;;) {
    PetscCallMPI(MPI_Bcast(text, 4, MPI_INT, 0, team.comm));
    portion *p = &team.system[text[1]];
    if (text[0] == DISMISS)
      break;
    if (text[0] == CREATE)
      PetscCall(create(p, text[2], text[3] != 0, NULL, NULL));
    else if (text[0] == DESTROY)
      PetscCall(destroy(p));
    else if (text[0] == FACTOR)
      PetscCall(factor(p, NULL));
    else
      PetscCall(solve(p, NULL, NULL, &good));
  }
  PetscFunctionReturn(0);
}

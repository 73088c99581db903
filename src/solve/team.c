/* team.c: linear systems of a team of ranks (see team.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "solve/team.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "solve/petsc.h"

/* ---- factors in parts ------------------------------------------------------------------------ */

enum {
  SETS,
  FIRST,
  OWN,
  LAST,
  INTERFACE,
  ENTRIES,
  WORDS
};                     /* what ranks are told about their part */
enum { MOST = 46336 }; /* of the interface: MPI counts the numbers of its matrix by an int */

static size_t square(const cst_team_parts *x) {
  const size_t n = (size_t)cst_fronts_even(x->interface);
  return n * n;
}

/* The entries (row, column) of each part and of the interface in new numbers, one part after another. */
typedef struct {
  int *row, *column;
} entries;

static int part_of(const cst_parts *parts, int unknown) {
  int k = 0;
  while (k < parts->parts && unknown >= parts->unknown[k + 1])
    k++;
  return k;
}

static entries sort_entries(cst_team_parts *x, const cst_parts *parts, const int *row,
                            const int *column) {
  int    *place = cst_zeros(x->n, sizeof *place), *next = cst_zeros(x->size + 2, sizeof *next);
  entries e;
  for (int k = 0; k < x->n; k++)
    place[parts->order[k]] = k;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) {
      for (int k = 0; k <= x->size; k++)
        next[k + 1] += next[k];
      x->numbers = next[x->size + 1];
      x->from = cst_zeros(x->numbers, sizeof *x->from);
      e.row = cst_zeros(x->numbers, sizeof *e.row);
      e.column = cst_zeros(x->numbers, sizeof *e.column);
      for (int k = 0; k <= x->size; k++) {
        x->numbers_at[k] = next[k];
        x->numbers_of[k] = next[k + 1] - next[k];
      }
    }
    for (int a = 0; a < x->n; a++)
      for (int k = row[a]; k < row[a + 1]; k++) {
        const int b = column[k];
        if (b < a)
          continue;
        const int low = place[a] < place[b] ? place[a] : place[b], part = part_of(parts, low);
        if (!pass) {
          next[part + 1]++;
          continue;
        }
        const int at = next[part]++;
        x->from[at] = k;
        e.column[at] = low;
        e.row[at] = place[a] + place[b] - low;
      }
  }
  free(place);
  free(next);
  return e;
}

/* The leader's own arrays. */
static entries create_leader(cst_team_parts *x, cst_parts *parts, int n, const int *row,
                             const int *column) {
  const int words = x->size + 1;
  x->n = n;
  x->unknowns = cst_zeros(4L * words, sizeof *x->unknowns);
  x->unknowns_at = x->unknowns + words;
  x->numbers_of = x->unknowns_at + words;
  x->numbers_at = x->numbers_of + words;
  cst_parts_create(parts, n, row, column, x->size);
  for (int k = 0; k < x->size; k++) {
    x->unknowns_at[k] = parts->unknown[k];
    x->unknowns[k] = parts->unknown[k + 1] - parts->unknown[k];
  }
  const entries e = sort_entries(x, parts, row, column);
  x->order = parts->order;
  parts->order = NULL;
  x->vector = cst_zeros(n, sizeof *x->vector);
  x->matrix = cst_zeros(x->numbers, sizeof *x->matrix);
  return e;
}

static int first_set(const cst_parts *parts, int part) { return part ? parts->end[part - 1] : 0; }

/* Tells rank r > 0 about its part. */
static cst_error send_part(cst_team_parts *x, const cst_parts *parts, const entries *e, int r,
                           const int *word) {
  CST_TRY_MPI(MPI_Send(word, WORDS, MPI_INT, r, 0, x->comm));
  CST_TRY_MPI(MPI_Send(parts->set + first_set(parts, r), word[SETS] * (int)sizeof *parts->set,
                       MPI_BYTE, r, 0, x->comm));
  CST_TRY_MPI(MPI_Send(e->row + x->numbers_at[r], word[ENTRIES], MPI_INT, r, 0, x->comm));
  CST_TRY_MPI(MPI_Send(e->column + x->numbers_at[r], word[ENTRIES], MPI_INT, r, 0, x->comm));
  return 0;
}

static void create_part(cst_team_parts *x, const int *word, const cst_part_set *set, const int *row,
                        const int *column) {
  x->own = word[OWN];
  x->interface = word[INTERFACE];
  x->entries = word[ENTRIES];
  cst_fronts_create(&x->part, set, word[SETS], word[FIRST], word[OWN], word[LAST], word[INTERFACE],
                    word[ENTRIES], row, column);
  x->values = cst_zeros(x->entries, sizeof *x->values);
  x->x = cst_zeros((long)x->own + x->interface, sizeof *x->x);
  x->schur = cst_aligned(square(x));
}

static cst_error receive_part(cst_team_parts *x) {
  int word[WORDS];
  CST_TRY_MPI(MPI_Recv(word, WORDS, MPI_INT, 0, 0, x->comm, MPI_STATUS_IGNORE));
  cst_part_set *set = cst_zeros(word[SETS], sizeof *set);
  int          *row = cst_zeros(2L * word[ENTRIES], sizeof *row), *column = row + word[ENTRIES];
  CST_TRY_MPI(
      MPI_Recv(set, word[SETS] * (int)sizeof *set, MPI_BYTE, 0, 0, x->comm, MPI_STATUS_IGNORE));
  CST_TRY_MPI(MPI_Recv(row, word[ENTRIES], MPI_INT, 0, 0, x->comm, MPI_STATUS_IGNORE));
  CST_TRY_MPI(MPI_Recv(column, word[ENTRIES], MPI_INT, 0, 0, x->comm, MPI_STATUS_IGNORE));
  create_part(x, word, set, row, column);
  free(set);
  free(row);
  return 0;
}

static cst_error divide(cst_team_parts *x, int n, const int *row, const int *column) {
  cst_parts     parts;
  const entries e = create_leader(x, &parts, n, row, column);
  const int     last = parts.unknown[x->size], interface = n - last;
  CST_CHECK(interface <= MOST, MPI_COMM_SELF, CST_ERR_SUP,
            "%d ranks per trajectory: their parts meet in %d unknowns; allowed: %d, fewer ranks "
            "have fewer, and "
            "`-pc_type lu` is a solver without parts",
            x->size, interface, MOST);
  for (int r = x->size - 1; r >= 0; r--) {
    const int word[WORDS] = {parts.end[r] - first_set(&parts, r),
                             parts.unknown[r],
                             x->unknowns[r],
                             last,
                             interface,
                             x->numbers_of[r]};
    if (r > 0)
      CST_TRY(send_part(x, &parts, &e, r, word));
    else
      create_part(x, word, parts.set, e.row, e.column);
  }
  const int at = x->numbers_at[x->size];
  cst_fronts_create(&x->root, &parts.set[parts.sets - 1], 1, last, interface, n, 0,
                    x->numbers_of[x->size], e.row + at, e.column + at);
  x->theirs = cst_aligned(square(x) + (size_t)x->size * (size_t)interface);
  free(e.row);
  free(e.column);
  cst_parts_destroy(&parts);
  return 0;
}

cst_error cst_team_parts_create(cst_team_parts *x, MPI_Comm comm, int n, const int *row,
                                const int *column) {
  *x = (cst_team_parts){.comm = comm};
  CST_TRY_MPI(MPI_Comm_rank(comm, &x->rank));
  CST_TRY_MPI(MPI_Comm_size(comm, &x->size));
  if (x->rank)
    CST_TRY(receive_part(x));
  else
    CST_TRY(divide(x, n, row, column));
  return 0;
}

void cst_team_parts_destroy(cst_team_parts *x) {
  cst_fronts_destroy(&x->part);
  cst_fronts_destroy(&x->root);
  free(x->values);
  free(x->x);
  free(x->schur);
  free(x->order);
  free(x->from);
  free(x->unknowns);
  free(x->vector);
  free(x->matrix);
  free(x->theirs);
  *x = (cst_team_parts){0};
}

cst_error cst_team_parts_factor(cst_team_parts *x, const double *values) {
  const size_t n = square(x);
  for (int k = 0; k < x->numbers; k++)
    x->matrix[k] = values[x->from[k]];
  CST_TRY_MPI(MPI_Scatterv(x->matrix, x->numbers_of, x->numbers_at, MPI_DOUBLE, x->values,
                           x->entries, MPI_DOUBLE, 0, x->comm));
  memset(x->schur, 0, n * sizeof *x->schur);
  cst_fronts_factor(&x->part, x->values, NULL, x->schur);
  if (x->rank) {
    CST_TRY_MPI(MPI_Send(x->schur, (int)n, MPI_DOUBLE, 0, 0, x->comm));
    return 0;
  }
  for (int r = 1; r < x->size; r++) {
    CST_TRY_MPI(MPI_Recv(x->theirs, (int)n, MPI_DOUBLE, r, 0, x->comm, MPI_STATUS_IGNORE));
    for (size_t k = 0; k < n; k++)
      x->schur[k] += x->theirs[k];
  }
  cst_fronts_factor(&x->root, x->matrix + x->numbers_at[x->size], x->schur, NULL);
  return 0;
}

/* The interface's unknowns from right-hand sides of all ranks; of the leader. */
static void solve_interface(cst_team_parts *x, double *shared) {
  for (int r = 0; r < x->size; r++)
    for (int k = 0; k < x->interface; k++)
      shared[k] += x->theirs[(size_t)r * (size_t)x->interface + (size_t)k];
  cst_fronts_forward(&x->root, shared);
  cst_fronts_back(&x->root, shared);
}

cst_error cst_team_parts_solve(cst_team_parts *x, const double *b, double *solution) {
  double *shared = x->rank ? x->x + x->own : x->vector + x->n - x->interface;
  for (int k = 0; k < x->n; k++)
    x->vector[k] = b[x->order[k]];
  CST_TRY_MPI(MPI_Scatterv(x->vector, x->unknowns, x->unknowns_at, MPI_DOUBLE, x->x, x->own,
                           MPI_DOUBLE, 0, x->comm));
  memset(x->x + x->own, 0, (size_t)x->interface * sizeof *x->x);
  cst_fronts_forward(&x->part, x->x);
  CST_TRY_MPI(MPI_Gather(x->x + x->own, x->interface, MPI_DOUBLE, x->theirs, x->interface,
                         MPI_DOUBLE, 0, x->comm));
  if (!x->rank)
    solve_interface(x, shared);
  CST_TRY_MPI(MPI_Bcast(shared, x->interface, MPI_DOUBLE, 0, x->comm));
  memmove(x->x + x->own, shared, (size_t)x->interface * sizeof *shared);
  cst_fronts_back(&x->part, x->x);
  CST_TRY_MPI(MPI_Gatherv(x->x, x->own, MPI_DOUBLE, x->vector, x->unknowns, x->unknowns_at,
                          MPI_DOUBLE, 0, x->comm));
  for (int k = 0; k < x->n; k++)
    solution[x->order[k]] = x->vector[k];
  return 0;
}

/* ---- teams ----------------------------------------------------------------------------------- */

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
} block;

enum { SYSTEMS = 64 };

static struct {
  MPI_Comm comm;
  int      rank, size;
  bool     divided;
  block    system[SYSTEMS];
} team;

cst_error cst_team_divide(MPI_Comm all, int ranks, MPI_Comm *leaders) {
  int rank;
  CST_TRY_MPI(MPI_Comm_rank(all, &rank));
  CST_TRY_MPI(MPI_Comm_split(all, rank / ranks, rank, &team.comm));
  CST_TRY_MPI(MPI_Comm_rank(team.comm, &team.rank));
  CST_TRY_MPI(MPI_Comm_size(team.comm, &team.size));
  CST_TRY_MPI(MPI_Comm_split(all, team.rank ? MPI_UNDEFINED : 0, rank, leaders));
  team.divided = true;
  return 0;
}

bool cst_team_leads(void) { return team.divided && team.rank == 0 && team.size > 1; }

static cst_error order(word w, int system, int n, int direct) {
  int text[4] = {w, system, n, direct};
  CST_TRY_MPI(MPI_Bcast(text, 4, MPI_INT, 0, team.comm));
  return 0;
}

/* ---- what all ranks of a team do together; arrays of whole systems are those of the leader --- */

static void divide_rows(block *p, const int *row) {
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

static cst_error create_matrix(block *p) {
  const int m = p->end - p->first;
  PetscInt *inside = cst_zeros(m, sizeof *inside), *outside = cst_zeros(m, sizeof *outside);
  for (int k = 0; k < m; k++)
    for (int i = p->row[k]; i < p->row[k + 1]; i++)
      (p->column[i] >= p->first && p->column[i] < p->end ? inside : outside)[k]++;
  CST_TRY(cst_petsc.MatCreate(team.comm, &p->A));
  CST_TRY(cst_petsc.MatSetSizes(p->A, m, m, p->n, p->n));
  CST_TRY(cst_petsc.MatSetType(p->A, MATMPIAIJ));
  CST_TRY(cst_petsc.MatMPIAIJSetPreallocation(p->A, 0, inside, 0, outside));
  CST_TRY(cst_petsc.MatSetUp(p->A));
  free(inside);
  free(outside);
  return 0;
}

static cst_error create_solver(block *p) {
  PC pc;
  CST_TRY(cst_petsc.KSPCreate(team.comm, &p->ksp));
  CST_TRY(cst_petsc.KSPSetType(p->ksp, KSPPREONLY));
  CST_TRY(cst_petsc.KSPGetPC(p->ksp, &pc));
  CST_TRY(cst_petsc.PCSetType(pc, PCLU));
  CST_TRY(cst_petsc.PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  CST_TRY(cst_petsc.KSPSetFromOptions(p->ksp));
  CST_TRY(cst_petsc.KSPSetOperators(p->ksp, p->A, p->A));
  return 0;
}

/* The pattern is given to all: it is needed once. */
static cst_error create(block *p, int n, bool direct, const int *row, const int *column) {
  p->used = true;
  p->direct = direct;
  if (direct) {
    CST_TRY(cst_team_parts_create(&p->parts, team.comm, n, row, column));
    return 0;
  }
  int *all = cst_zeros(n + 1, sizeof *all);
  p->n = n;
  for (int k = 0; k <= n && row; k++)
    all[k] = row[k];
  CST_TRY_MPI(MPI_Bcast(all, n + 1, MPI_INT, 0, team.comm));
  divide_rows(p, all);
  const int m = p->end - p->first, own = p->values[team.rank];
  p->row = cst_zeros(m + 1, sizeof *p->row);
  for (int k = 0; k <= m; k++)
    p->row[k] = all[p->first + k] - all[p->first];
  free(all);
  p->column = cst_zeros(own, sizeof *p->column);
  p->index = cst_zeros(own, sizeof *p->index);
  p->own = cst_zeros(own, sizeof *p->own);
  CST_TRY_MPI(MPI_Scatterv(column, p->values, p->values_at, MPI_INT, p->column, own, MPI_INT, 0,
                           team.comm));
  for (int i = 0; i < own; i++)
    p->index[i] = p->column[i];
  CST_TRY(cst_petsc.VecCreateMPI(team.comm, m, n, &p->B));
  CST_TRY(cst_petsc.VecDuplicate(p->B, &p->X));
  CST_TRY(create_matrix(p));
  CST_TRY(create_solver(p));
  return 0;
}

static cst_error destroy(block *p) {
  cst_team_parts_destroy(&p->parts);
  CST_TRY(cst_petsc.KSPDestroy(&p->ksp));
  CST_TRY(cst_petsc.MatDestroy(&p->A));
  CST_TRY(cst_petsc.VecDestroy(&p->B));
  CST_TRY(cst_petsc.VecDestroy(&p->X));
  free(p->rows);
  free(p->row);
  free(p->column);
  free(p->index);
  free(p->own);
  *p = (block){0};
  return 0;
}

/* MUMPS counts the room for its factors before it pivots, and takes a fifth more by default. Matrices with multipliers
 * need more: without an option of the user it is three times the room. */
static PetscErrorCode set_up(KSP ksp) {
  static const char room[] = "-mat_mumps_icntl_14";
  PetscBool         is;
  CST_TRY(cst_petsc.PetscOptionsHasName(NULL, NULL, room, &is));
  if (!is)
    CST_TRY(cst_petsc.PetscOptionsInsertString(NULL, "-mat_mumps_icntl_14 200"));
  CST_TRY(cst_petsc.KSPSetUp(ksp));
  if (!is)
    CST_TRY(cst_petsc.PetscOptionsClearValue(NULL, room));
  return 0;
}

static cst_error factor(block *p, const double *values) {
  if (p->direct) {
    CST_TRY(cst_team_parts_factor(&p->parts, values));
    return 0;
  }
  CST_TRY_MPI(MPI_Scatterv(values, p->values, p->values_at, MPI_DOUBLE, p->own,
                           p->values[team.rank], MPI_DOUBLE, 0, team.comm));
  for (PetscInt k = p->first; k < p->end; k++) {
    const int at = p->row[k - p->first];
    CST_TRY(cst_petsc.MatSetValues(p->A, 1, &k, p->row[k - p->first + 1] - at, p->index + at,
                                   p->own + at, INSERT_VALUES));
  }
  CST_TRY(cst_petsc.MatAssemblyBegin(p->A, MAT_FINAL_ASSEMBLY));
  CST_TRY(cst_petsc.MatAssemblyEnd(p->A, MAT_FINAL_ASSEMBLY));
  CST_TRY(cst_petsc.KSPSetOperators(p->ksp, p->A, p->A));
  CST_TRY(set_up(p->ksp));
  return 0;
}

static cst_error solve(block *p, const double *b, double *x, bool *good) {
  KSPConvergedReason why;
  PetscScalar       *at;
  const PetscScalar *from;
  const int          m = p->end - p->first;
  *good = true;
  if (p->direct) {
    CST_TRY(cst_team_parts_solve(&p->parts, b, x));
    return 0;
  }
  CST_TRY(cst_petsc.VecGetArray(p->B, &at));
  CST_TRY_MPI(MPI_Scatterv(b, p->rows, p->rows_at, MPI_DOUBLE, at, m, MPI_DOUBLE, 0, team.comm));
  CST_TRY(cst_petsc.VecRestoreArray(p->B, &at));
  CST_TRY(cst_petsc.KSPSolve(p->ksp, p->B, p->X));
  CST_TRY(cst_petsc.KSPGetConvergedReason(p->ksp, &why));
  *good = why > 0 || why == KSP_DIVERGED_ITS;
  CST_TRY(cst_petsc.VecGetArrayRead(p->X, &from));
  CST_TRY_MPI(MPI_Gatherv(from, m, MPI_DOUBLE, x, p->rows, p->rows_at, MPI_DOUBLE, 0, team.comm));
  CST_TRY(cst_petsc.VecRestoreArrayRead(p->X, &from));
  return 0;
}

/* ---- leaders, and those who serve ------------------------------------------------------------ */

cst_error cst_team_create(int n, const int *row, const int *column, bool direct, int *system) {
  int k = 0;
  while (k < SYSTEMS && team.system[k].used)
    k++;
  CST_CHECK(k < SYSTEMS, MPI_COMM_SELF, CST_ERR_SUP, "a team has %d systems at most", SYSTEMS);
  *system = k;
  CST_TRY(order(CREATE, k, n, direct));
  CST_TRY(create(&team.system[k], n, direct, row, column));
  return 0;
}

cst_error cst_team_destroy(int system) {
  CST_TRY(order(DESTROY, system, 0, 0));
  CST_TRY(destroy(&team.system[system]));
  return 0;
}

cst_error cst_team_factor(int system, const double *values) {
  CST_TRY(order(FACTOR, system, 0, 0));
  CST_TRY(factor(&team.system[system], values));
  return 0;
}

cst_error cst_team_solve(int system, const double *b, double *x, bool *good) {
  CST_TRY(order(SOLVE, system, 0, 0));
  CST_TRY(solve(&team.system[system], b, x, good));
  return 0;
}

cst_error cst_team_dismiss(void) {
  if (cst_team_leads())
    CST_TRY(order(DISMISS, 0, 0, 0));
  return 0;
}

cst_error cst_team_serve(void) {
  int  text[4];
  bool good;
  for (;;) {
    CST_TRY_MPI(MPI_Bcast(text, 4, MPI_INT, 0, team.comm));
    block *p = &team.system[text[1]];
    if (text[0] == DISMISS)
      break;
    if (text[0] == CREATE)
      CST_TRY(create(p, text[2], text[3] != 0, NULL, NULL));
    else if (text[0] == DESTROY)
      CST_TRY(destroy(p));
    else if (text[0] == FACTOR)
      CST_TRY(factor(p, NULL));
    else
      CST_TRY(solve(p, NULL, NULL, &good));
  }
  return 0;
}

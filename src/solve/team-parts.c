/* team-parts.c: a direct solver in parts (see team-parts.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "solve/team-parts.h"
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

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

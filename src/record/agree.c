/* agree.c: ranks agree before they do anything together (see agree.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/agree.h"
#include "core/need.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AGREE = PATH_MAX + 256 }; /* bytes of a reason */

bool cst_agree(MPI_Comm comm, bool ok, char *why, int n) {
  int rank, size, mine, bad;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  mine = ok ? size : rank;
  MPI_Allreduce(&mine, &bad, 1, MPI_INT, MPI_MIN, comm);
  if (bad == size)
    return true;
  char text[AGREE] = "";
  if (rank == bad)
    snprintf(text, sizeof text, "%s", why);
  MPI_Bcast(text, sizeof text, MPI_CHAR, bad, comm);
  snprintf(why, (size_t)n, "%s", text);
  return false;
}

/* The text of rank 0, and its host in front; owned. */
static char *text_of_first(MPI_Comm comm, int rank, const char *text, char host[256]) {
  int size = (int)strlen(text) + 1;
  gethostname(host, 255);
  host[255] = 0;
  MPI_Bcast(host, 256, MPI_CHAR, 0, comm);
  MPI_Bcast(&size, 1, MPI_INT, 0, comm);
  char *first = cst_need(malloc((size_t)size));
  if (rank == 0)
    memcpy(first, text, (size_t)size);
  MPI_Bcast(first, size, MPI_CHAR, 0, comm);
  return first;
}

/* Skips the lines that both texts begin with. */
static void skip_equal(const char **a, const char **b) {
  while (**a && **b) {
    const size_t n = strcspn(*a, "\n");
    if (n != strcspn(*b, "\n") || strncmp(*a, *b, n))
      return;
    *a += n + ((*a)[n] == '\n');
    *b += n + ((*b)[n] == '\n');
  }
}

bool cst_agree_on(MPI_Comm comm, const char *text, char *why, int n) {
  char host[256], here[256] = "";
  int  rank;
  MPI_Comm_rank(comm, &rank);
  char       *first = text_of_first(comm, rank, text, host);
  const char *theirs = first, *mine = text;
  skip_equal(&theirs, &mine);
  const bool same = !*theirs && !*mine;
  gethostname(here, sizeof here - 1);
  if (!same)
    snprintf(why, (size_t)n,
             "all ranks must be started alike: rank %d on host %.100s has \"%.*s\", rank 0 on host "
             "%.100s has \"%.*s\"",
             rank, here, (int)strcspn(mine, "\n"), mine, host, (int)strcspn(theirs, "\n"), theirs);
  free(first);
  return cst_agree(comm, same, why, n);
}

/* foreign-ranks.c: the processes of mpirun, for programs in other languages (constella/foreign.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "constella/foreign.h"
#include "core/boundary.h"
#include "core/need.h"

int cst_foreign_ranks(int *rank) {
  int size;
  CST_REQUIRE(rank, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

char *cst_foreign_share(int root, const char *text, long *length) {
  CST_REQUIRE(length, NULL);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(length, 1, MPI_LONG, root, MPI_COMM_WORLD);
  char *copy = cst_need(calloc((size_t)*length + 1, 1));
  if (rank == root)
    memcpy(copy, text, (size_t)*length);
  for (long done = 0; done < *length; done += INT_MAX) {
    const long rest = *length - done;
    MPI_Bcast(copy + done, rest < INT_MAX ? (int)rest : INT_MAX, MPI_CHAR, root, MPI_COMM_WORLD);
  }
  return copy;
}

void cst_foreign_release(char *text) { free(text); }

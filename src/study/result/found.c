/* found.c: puts together what all ranks found (see found.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/found.h"
#include <mpi.h>
#include <string.h>
#include "core/need.h"

cst_error cst_found_gather(const void *mine, size_t size, cst_found_before *before, void *first) {
  const int  bytes = (int)size;
  cst_found *to = first;
  long       count = 0;
  char      *all;
  int        rank, ranks;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY_MPI(MPI_Comm_size(cst_world, &ranks));
  all = cst_zeros(ranks, size);
  CST_TRY_MPI(MPI_Gather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, cst_world));
  memset(first, 0, size);
  for (int r = 0; r < ranks && rank == 0; r++) {
    const cst_found *x = (const void *)(all + (size_t)r * size);
    if (x->count && (!count || before(x, first)))
      memcpy(first, x, size);
    count += x->count;
  }
  to->count = count;
  free(all);
  return 0;
}

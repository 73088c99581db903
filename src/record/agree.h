/* agree.h: ranks agree before they do anything together, so that none waits for one that has failed, or that
 * does something else. Collective; a few messages per rank, whatever the number of ranks. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_AGREE_H
#define CST_AGREE_H
#include <mpi.h>
#include <stdbool.h>

/* True when ok is true on every rank; else all ranks get the reason why[n] of the lowest rank that failed. */
bool cst_agree(MPI_Comm comm, bool ok, char *why, int n);
/* Whether all ranks have the same text, of lines "name: value"; else why[n] names the lowest rank that differs
 * from rank 0, its host, and the first line that differs. */
bool cst_agree_on(MPI_Comm comm, const char *text, char *why, int n);
#endif

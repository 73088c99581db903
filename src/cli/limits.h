/* limits.h: inside the room: limits of the process (`ulimit`) under which MPI and HDF5 cannot start, told
 * before they fail in their own ways. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_LIMITS_H
#define CST_CLI_LIMITS_H
#include <stdbool.h>

/* Before MPI_Init: whether fewer descriptors, or smaller files, are allowed than MPI needs to start; says so
 * on stderr, once for all ranks. Without this check ranks end in MPI's own messages, and may wait for each
 * other until they are killed. */
bool cst_limits_refuse(void);
#endif

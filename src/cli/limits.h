/* limits.h: private to src/cli: reports limits of the process (`ulimit`) under which MPI, HDF5 or Python
 * cannot start. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_LIMITS_H
#define CST_CLI_LIMITS_H
#include <stdbool.h>

/* Before MPI_Init: whether MPI needs more descriptors, or larger files, than the limits allow; reports that
 * on stderr, once for all ranks. Without this check ranks end with messages of MPI, and may wait for each
 * other until they are killed. */
bool cst_limits_refuse(void);
/* The same of the memory that Python needs for figures. */
bool cst_limits_refuse_drawing(void);

/* At the start of the program: lets the stack grow to 256 MiB, as far as the hard limit permits. General lane
 * code keeps vectors and matrices of a large system there, up to 128 MB with 8 lanes. Linux leaves room for
 * at least 128 MiB, and for much more where it places the stack at random. False with a message if the limit
 * is too small for any command. */
bool cst_limits_raise_stack(void);
#endif

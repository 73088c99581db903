/* launch.h: private to src/cli: tells whether a launcher started this process, and whether the ranks that it
 * started have found each other.
 *
 * A launcher that does not support the program's MPI, such as `srun --mpi=none` or the mpirun of another MPI,
 * starts N processes, each of which is rank 0 of 1: N runs of one study that write one file. The launcher's
 * environment shows that they belong together.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LAUNCH_H
#define CST_LAUNCH_H
#include <stdbool.h>

/* Before MPI_Init, without a launcher: settings of Open MPI that start a single process in a third of the
 * time, without a daemon and without a search for networks. Variables that are set already stay. False, after
 * an error message, if no temporary folder can be made, neither in TMPDIR nor in /tmp. With a launcher: what
 * ranks on several nodes need, and no networks for ranks on one. */
bool cst_launch_alone(void);

/* Before MPI_Init: whether srun started these tasks without PMI, by which they would find each other.
 * MPI_Init may then end the process with its own messages. */
bool cst_launch_is_mute(void);

/* Whether `ranks`, the size of MPI_COMM_WORLD (1 before MPI_Init), is 1 although the launcher started more;
 * reports that on stderr, once for all of them. */
bool cst_launch_refuse(int ranks);

/* Before MPI_Init: how many processes the launcher started (1 without one), and the rank of this one. */
int cst_launch_ranks(void);
int cst_launch_rank(void);

/* Finalises PETSc and MPI, without PETSc's error stack where limits of the process prevent that. status: that
 * of the command; an error is reported only where the command succeeded. Returns the exit status. */
int cst_launch_end(int status);
#endif

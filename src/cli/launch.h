/* launch.h: inside the room: whether a launcher started this process, and whether the ranks that were started
 * have found each other.
 *
 * A launcher that the program's MPI does not speak with, such as `srun --mpi=none` or the mpirun of another
 * MPI, starts N processes that each believe to be alone: N runs of one study that write one file. The
 * launcher's environment shows that they belong together.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LAUNCH_H
#define CST_LAUNCH_H
#include <stdbool.h>

/* Before MPI_Init: where no launcher is seen, settings of Open MPI with which a process alone starts in a
 * third of the time: no daemon is started and no network is looked for. What the environment sets already
 * stays. */
void cst_launch_alone(void);

/* Before MPI_Init: whether srun has given these tasks nothing to find each other by. MPI_Init may then end
 * the process in its own words. */
bool cst_launch_is_mute(void);

/* Whether `ranks`, the size of MPI_COMM_WORLD (1 before MPI_Init), is 1 where the launcher has started more;
 * says so on stderr, once for all of them. */
bool cst_launch_refuse(int ranks);

/* What the launcher says, before MPI_Init: how many it has started, 1 without one, and which of them this one
 * is. */
int cst_launch_ranks(void);
int cst_launch_rank(void);

/* The end of PETSc and MPI, without PETSc's stack of errors where limits of the process have broken
 * something: `status` is what the command came to, and an error is told where it had told of none. Returns
 * the exit status. */
int cst_launch_end(int status);
#endif

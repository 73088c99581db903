/* launch.h: private to src/cli: the process of a command: the launcher that started it, its limits, its standard streams,
 * and the child in which commands read files from elsewhere. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LAUNCH_H
#define CST_LAUNCH_H
#include <stdbool.h>

/* ---- launchers ------------------------------------------------------------------------------- */

/* Whether a launcher started this process, and whether the ranks that it started have found each other.
 *
 * A launcher that does not support the program's MPI, such as `srun --mpi=none` or the mpirun of another MPI,
 * starts N processes, each of which is rank 0 of 1: N runs of one study that write one file. The launcher's
 * environment shows that they belong together.
 */

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

/* Before MPI_Init: the rank of this process among those that the launcher started; 0 without one. */
int cst_launch_rank(void);

/* Finalises PETSc and MPI, without PETSc's error stack where limits of the process prevent that. status: that
 * of the command; an error is reported only where the command succeeded. Returns the exit status. */
int cst_launch_end(int status);

/* ---- limits (`ulimit`) under which MPI, HDF5 or Python cannot start -------------------------- */

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

/* ---- standard input, output and error -------------------------------------------------------- */

/* Opens /dev/null in place of standard streams that the caller has closed: a file that is opened later would
 * get their descriptors, and messages would be written into it. The first call of the program. */
void cst_streams_open(void);

/* Flushes standard output at the end of a command. Returns status or, if that is 0 and some of the output
 * could not be written, 1, with a message. If nobody reads a pipe any more, it is silent, with the status
 * that a shell gives to SIGPIPE. */
int cst_streams_end(int status);

/* ---- the guard of commands that read a file from elsewhere ----------------------------------- */

/* Calls run(argc, argv) in a child process, so that a fault of HDF5 on a damaged file ends with a message. Returns its
 * exit status; 2 with a message where a fault ended it. To be called before MPI starts, because a fork must not share
 * memory that a network card has registered.
 */
int cst_guard(int (*run)(int argc, char **argv), int argc, char **argv);
#endif

/* guard.h: private to src/cli: commands that read a file from elsewhere run in a child process, so that a
 * fault of HDF5 on a damaged file ends with a message. To be called before MPI starts, because a fork must
 * not share memory that a network card has registered.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_GUARD_H
#define CST_GUARD_H

/* Calls run(argc, argv) in a child. Returns its exit status; 2 with a message where a fault ended it.
 */
int cst_guard(int (*run)(int argc, char **argv), int argc, char **argv);
#endif

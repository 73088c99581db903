/* guard.h: inside the room: commands that read a file of somebody else's run in a child, so that what a
 * damaged file does to HDF5 ends with a message. Before MPI is started: nothing that a network card has
 * registered is shared.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_GUARD_H
#define CST_GUARD_H

/* The exit status of run(argc, argv), which a child calls; 2 with a message where that is ended by a fault.
 */
int cst_guard(int (*run)(int argc, char **argv), int argc, char **argv);
#endif

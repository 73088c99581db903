/* watch.h: inside the room: a limit of time for what HDF5 does with a file that may be damaged, since the library does not always come to
 * an end with one. Time is that of the processor: a slow disk or a busy machine is no reason. One watch at a time.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_RECORD_WATCH_H
#define CONSTELLA_RECORD_WATCH_H

/* From here on until cst_watch_end, when `bytes` are read at most: after a second and what so many bytes may take more, the process says
 * that the file at path is damaged, and ends with status 2. */
void cst_watch_begin(const char *path, double bytes);
void cst_watch_end(void);
#endif

/* watch.h: private to src/record: a time limit for HDF5 on files that may be damaged, because the library may
 * then loop for ever. It limits processor time, so that a slow disk or a busy machine does not matter. One
 * watch at a time.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_RECORD_WATCH_H
#define CONSTELLA_RECORD_WATCH_H

/* Starts a watch that cst_watch_end ends, on reading at most `bytes`. After a second plus the time that these
 * bytes may take, the process reports that the file at path is damaged and ends with status 2. */
void cst_watch_begin(const char *path, double bytes);
void cst_watch_end(void);
#endif

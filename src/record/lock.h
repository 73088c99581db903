/* lock.h: private to src/record: tests whether a process lives, and takes a lock with a given waiting time,
 * and knows NFS. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_RECORD_LOCK_H
#define CONSTELLA_RECORD_LOCK_H
#include "constella/record.h"

/* Start of a process of this host in clock ticks since boot (with its number this identifies a process); -1
 * when it cannot be read, -2 for a zombie. */
double cst_lock_process_start(long pid);
/* Whether the process of this host with this number and start lives; start < 0: any start. */
bool cst_lock_process_lives(long pid, double start);

/* cst_lock_take with a given time, in seconds, to wait for a sign of life of the owner. */
cst_lock *cst_lock_take_within(const char *path, double seconds, char *why, int n);

/* Whether an open file is on NFS. */
bool cst_lock_is_nfs(int file);
#endif

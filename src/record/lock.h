/* lock.h: private to src/record: whether a process lives, and a claim with a patience of its own. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_RECORD_LOCK_H
#define CONSTELLA_RECORD_LOCK_H
#include "constella/record.h"

/* Start of a process of this host in clock ticks since boot (with its number this names a process for good), -1 when it cannot be read, -2
 * when it is dead and only its parent does not know. */
double cst_lock_process_start(long pid);
/* Whether the process of this host that started then lives; start < 0: any of this number. */
bool cst_lock_process_lives(long pid, double start);

/* cst_lock_take with a given wait, in seconds, for a sign of life of the owner. */
cst_lock *cst_lock_take_within(const char *path, double seconds, char *why, int n);
#endif

/* stop.h: when a run is to stop before its end: signals and a limit of time. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STOP_H
#define CST_STOP_H

/* From here on SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 (which Grid Engine sends before it kills) are noted,
 * whatever a library made of them before; a second SIGINT, a moment later, ends the process as it would have.
 */
void        cst_stop_listen(void);
int         cst_stop_signal(void); /* the signal that came, 0 before */
const char *cst_stop_name(int signal);
/* A signal that comes from here on ends the process so many seconds later, with status 75, whatever it waits
 * for then; 0: it is noted only, and none that came before ends anything. */
void cst_stop_grace(int seconds);
void cst_stop_ignore(
    void); /* signals have no effect from here on, whatever a library that ends makes of them */
/* The process ends so many seconds from here with that status, unless it has ended before: where libraries
 * may wait for what never comes.
 */
void cst_stop_after(int seconds, int status);
#endif

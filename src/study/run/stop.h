/* stop.h: stopping a run before its end: signals and a time limit. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STOP_H
#define CST_STOP_H

/* From here on SIGTERM, SIGINT, SIGQUIT, SIGHUP (of a closed terminal), SIGUSR1 and SIGUSR2 (which Grid
 * Engine sends before it kills) and SIGXCPU (of a limit of processor time) are recorded, whatever handler a
 * library installed before. SIGHUP stays ignored if it was when the process began, as under nohup. A second
 * SIGINT, at least 2 s later, ends the process. SIGPIPE is ignored: a run goes on when nobody reads its
 * messages. */
void cst_stop_listen(void);
/* Notes whether SIGHUP is ignored; the first call counts. UCX, with which Open MPI 5 is linked, handles it as
 * soon as it is loaded: only what acts before that knows how the process began (main.c). */
void        cst_stop_inherit(void);
int         cst_stop_signal(void); /* the signal received, or 0 */
const char *cst_stop_name(int signal);
/* A signal from here on ends the process `seconds` later with status 75, whatever it waits for. 0: signals
 * are only recorded, and an earlier one no longer ends the process. */
void cst_stop_grace(int seconds);
/* From here on signals are ignored, even if a library handles them during its shutdown. */
void cst_stop_ignore(void);
/* Ends the process with this status after `seconds`, unless it has ended before: guards against libraries
 * that hang during shutdown. */
void cst_stop_after(int seconds, int status);
#endif

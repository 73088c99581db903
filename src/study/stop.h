/* stop.h: when a run is to stop before its end: signals and a limit of time. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STOP_H
#define CST_STOP_H

/* From here on SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 (which Grid Engine sends before it kills) are noted, whatever a library made of them
 * before; a second SIGINT, a moment later, ends the process as it would have. */
void        cst_stop_listen(void);
void        cst_stop_ignore(void); /* noted no more, and without effect */
int         cst_stop_signal(void); /* the signal that came, 0 before */
const char *cst_stop_name(int signal);
#endif

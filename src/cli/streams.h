/* streams.h: private to src/cli: standard input, output and error of the program. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_STREAMS_H
#define CLI_STREAMS_H

/* Opens /dev/null in place of standard streams that the caller has closed: a file that is opened later would
 * get their descriptors, and messages would be written into it. The first call of the program. */
void cst_streams_open(void);

/* Flushes standard output at the end of a command. Returns status or, if that is 0 and some of the output
 * could not be written, 1, with a message. If nobody reads a pipe any more, it is silent, with the status
 * that a shell gives to SIGPIPE. */
int cst_streams_end(int status);

#endif

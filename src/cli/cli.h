/* cli.h: the list of the commands. Each is a row, cst_command_NAME, in the file of its name (options.h). Its
 * function takes the command's name as argv[0] and returns the exit status: 0 done, 1 something failed while
 * running, 2 bad input, 75 stopped with a checkpoint. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_H
#define CST_CLI_H
#include "cli/options.h"

/* In the order of `constella help`. */
/* clang-format off */
#define CST_COMMANDS(X) \
  X(run) \
  X(merge) \
  X(extend) \
  X(check) \
  X(list) \
  X(show) \
  X(system) \
  X(table) \
  X(status) \
  X(submit) \
  X(verify) \
  X(report) \
  X(plot) \
  X(export) \
  X(compare) \
  X(certify) \
  X(choose) \
  X(explain) \
  X(modified) \
  X(cite)
/* clang-format on */

#define CST_COMMAND_ROW(NAME) extern const cst_command cst_command_##NAME;
CST_COMMANDS(CST_COMMAND_ROW)
#undef CST_COMMAND_ROW

int cst_analysis_list_figures(
    void); /* analysis.c: the kinds of figures, a line each; the exit status */
/* analysis.c: becomes analysis/command.py with words[0..n), a command and words NAME=VALUE; words[n] is NULL. Returns
 * the exit status where it cannot. */
int cst_analysis_start(int n, const char **words);
/* The same with a word for each option of the command that is set in its struct `given`; of a flag NAME=1. */
int cst_analysis_start_with(const cst_command *c, const void *given);
#endif

/* cli.h: the commands. Each takes its own name as argv[0] and returns the exit status: 0 done, 1 something failed while running, 2 bad
 * input, 75 stopped with a checkpoint. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_H
#define CST_CLI_H

int  cst_cli_run(int argc, char **argv);
int  cst_cli_check(int argc, char **argv);
int  cst_cli_list(int argc, char **argv);
int  cst_cli_show(int argc, char **argv);
void cst_cli_show_study(void); /* show-study.c: the page on the keys of a study file */
int  cst_cli_system(int argc, char **argv);
int  cst_cli_table(int argc, char **argv);
int  cst_cli_status(int argc, char **argv);
int  cst_cli_submit(int argc, char **argv);
int  cst_cli_extend(int argc, char **argv);
int  cst_cli_verify(int argc, char **argv);
int  cst_cli_report(int argc, char **argv);
int  cst_cli_plot(int argc, char **argv);
int  cst_cli_export(int argc, char **argv);
int  cst_cli_cite(int argc, char **argv);

/* One row a command, for `constella help` and for the nearest name. */
typedef struct {
  const char *name, *arguments, *doc;
  int (*run)(int argc, char **argv);
  int reads; /* it reads a result, without MPI: in a child (guard.h) */
} cst_command;
extern const cst_command cst_commands[]; /* ends with name NULL */
#endif

/* analysis.c: `constella report`, `plot` and `export` hand over to analysis/command.py, which draws and writes. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"

/* The folder of the program, "." where the system does not tell. */
static const char *home(void) {
  static char self[4096];
  ssize_t     n = readlink("/proc/self/exe", self, sizeof self - 1);
  char       *slash = n > 0 ? strrchr(self, '/') : NULL;
  if (!slash) return ".";
  *slash = 0;
  return self;
}

/* In CONSTELLA_ANALYSIS, or where it is installed beside the program, or in the sources that the folder of the build lies in, or those that
 * are here. */
static const char *script(void) {
  static char path[4200];
  const char *set = getenv("CONSTELLA_ANALYSIS"), *program = home();
  if (set) return snprintf(path, sizeof path, "%s/command.py", set), path;
  snprintf(path, sizeof path, "%s/../share/constella/analysis/command.py", program);
  if (access(path, R_OK)) snprintf(path, sizeof path, "%s/../analysis/command.py", program);
  if (access(path, R_OK)) strcpy(path, "analysis/command.py");
  return path;
}

/* Python in the place of this process, with the command and its arguments. */
static int hand_over(const char *command, int argc, char **argv) {
  const char *python = getenv("PYTHON");
  char      **args = calloc((size_t)argc + 3, sizeof *args);
  if (!args) return 1;
  args[0] = (char *)(python ? python : "/usr/bin/python3");
  args[1] = (char *)script();
  args[2] = (char *)command;
  for (int i = 1; i < argc; i++) args[i + 2] = argv[i];
  if (access(args[1], R_OK))
    return fprintf(stderr, "constella: error: %s cannot be read; set CONSTELLA_ANALYSIS to the folder analysis/\n", args[1]), free(args), 2;
  execv(args[0], args);
  fprintf(stderr, "constella: error: %s cannot be started; set PYTHON to a python3 with h5py and matplotlib\n", args[0]);
  free(args);
  return 2;
}

int cst_cli_report(int argc, char **argv) { return hand_over("report", argc, argv); }
int cst_cli_plot(int argc, char **argv) { return hand_over("plot", argc, argv); }
int cst_cli_export(int argc, char **argv) { return hand_over("export", argc, argv); }

/* analysis.c: `constella report`, `plot` and `export` hand over to analysis/command.py, which draws and writes. They run in a child
 * (guard.h), since neither HDF5 nor h5py survives every damaged file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "cli/cli.h"
#include "constella/record.h"

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

/* The file that is drawn: the first word that is no option, nor the value of one. NULL: there is none. */
static const char *file_of(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (argv[i][0] != '-')
      return argv[i];
    else if (!strchr(argv[i], '=') && strcmp(argv[i], "-h") && strcmp(argv[i], "--help"))
      i++;
  return NULL;
}

/* Whether the file opens, under the limits of `table`: h5py would never come back from some. What is not there is left to the script. */
static int examine(int argc, char **argv) {
  const char *file = file_of(argc, argv);
  char        why[512];
  cst_result *r = file && !access(file, R_OK) ? cst_result_open(file, why, sizeof why) : NULL;
  if (file && !access(file, R_OK) && !r) return fprintf(stderr, "constella: error: %s: %s\n", file, why), 2;
  cst_result_close(r);
  return 0;
}

enum { MOST_SECONDS = 900 }; /* of the processor: pages take seconds, those of large results a minute */

/* Python in the place of this process, with the command, argv[0], and its arguments. */
static int draw(int argc, char **argv) {
  const char *python = getenv("PYTHON");
  char      **args = calloc((size_t)argc + 3, sizeof *args);
  if (!args) return 1;
  args[0] = (char *)(python ? python : "/usr/bin/python3");
  args[1] = (char *)script();
  args[2] = argv[0];
  for (int i = 1; i < argc; i++) args[i + 2] = argv[i];
  if (access(args[1], R_OK))
    return fprintf(stderr, "constella: error: %s cannot be read; set CONSTELLA_ANALYSIS to the folder analysis/\n", args[1]), free(args), 2;
  setrlimit(RLIMIT_CPU, &(struct rlimit){MOST_SECONDS, MOST_SECONDS + 1});
  execv(args[0], args);
  fprintf(stderr, "constella: error: %s cannot be started; set PYTHON to a python3 with h5py and matplotlib\n", args[0]);
  free(args);
  return 2;
}

static int guarded(int argc, char **argv) {
  const int status = examine(argc, argv);
  return status ? status : draw(argc, argv);
}

int cst_cli_report(int argc, char **argv) { return guarded(argc, argv); }
int cst_cli_plot(int argc, char **argv) { return guarded(argc, argv); }
int cst_cli_export(int argc, char **argv) { return guarded(argc, argv); }

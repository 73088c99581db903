/* report.c: `constella report FILE -o PAGE.html`: hands over to analysis/report.py, which draws. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"

#ifndef CST_ANALYSIS_DIR
#define CST_ANALYSIS_DIR "analysis"
#endif

/* CONSTELLA_ANALYSIS, or analysis/ beside the folder of the program, or the one of the build. */
static const char *script(void) {
  static char path[4200];
  char        self[4096];
  const char *set = getenv("CONSTELLA_ANALYSIS");
  ssize_t     n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (set) return snprintf(path, sizeof path, "%s/report.py", set), path;
  self[n > 0 ? n : 0] = 0;
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
  }
  snprintf(path, sizeof path, "%s/analysis/report.py", self);
  if (access(path, R_OK)) snprintf(path, sizeof path, "%s/report.py", CST_ANALYSIS_DIR);
  return path;
}

int cst_cli_report(int argc, char **argv) {
  const char *python = getenv("PYTHON");
  char      **args = calloc((size_t)argc + 2, sizeof *args);
  if (!args) return 1;
  args[0] = (char *)(python ? python : "/usr/bin/python3");
  args[1] = (char *)script();
  for (int i = 1; i < argc; i++) args[i + 1] = argv[i];
  if (access(args[1], R_OK))
    return fprintf(stderr, "constella: error: %s cannot be read; set CONSTELLA_ANALYSIS to the folder analysis/\n", args[1]), free(args), 2;
  execv(args[0], args);
  fprintf(stderr, "constella: error: %s cannot be started; set PYTHON to a python3 with h5py and matplotlib\n", args[0]);
  free(args);
  return 2;
}

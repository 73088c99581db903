/* run-arguments.c: the command lines of `constella run` and `constella extend`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/run.h"
#include "core/diag.h"

static const char *const options[] = {"-o",      "--resume",   "--max-hours", "--checkpoint-seconds",
                                      "--batch", "--progress", "--help",      "--overwrite"}; /* the last one of run alone */
enum { OPTIONS = sizeof options / sizeof *options, MOST_LANES = 1 << 20 };

static bool ends_in(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n > m && !strcmp(text + n - m, end);
}

static bool is_study(const char *text) { return ends_in(text, ".yaml") || ends_in(text, ".yml"); }

static void set_batch(cst_arguments *a, const char *text, cst_diag *d) {
  char *end;
  errno = 0;
  a->run.batch = strtol(text, &end, 10);
  if (end != text && !*end && !errno && a->run.batch >= 1 && a->run.batch <= MOST_LANES) return;
  cst_diag_add(d, NULL, 0, 0, "--batch takes a number of lanes from 1 to %d, not '%s'", MOST_LANES, text);
  a->run.batch = 0;
}

static void set_time(double *x, const char *name, const char *text, cst_diag *d) {
  char        *end;
  const double value = strtod(text, &end);
  if (end != text && !*end && value > 0 && isfinite(value))
    *x = value;
  else
    cst_diag_add(d, NULL, 0, 0, "%s takes a positive number, not '%s'", name, text);
}

static void set_progress(cst_arguments *a, const char *text, cst_diag *d) {
  static const char *const allowed[] = {"auto", "line", "log", "none"};
  for (int i = 0; i < 4; i++)
    if (!strcmp(text, allowed[i])) {
      a->run.progress = text;
      return;
    }
  cst_diag_add(d, NULL, 0, 0, "--progress takes one of auto, line, log, none, not '%s'", text);
}

static void unknown_option(const cst_arguments *a, const char *text, cst_diag *d) {
  const int n = a->extends ? OPTIONS - 1 : OPTIONS;
  cst_diag_add(d, NULL, 0, 0, "unknown option '%s'; allowed: %s and PETSc's options%s", text, cst_diag_join(options, n),
               cst_diag_guess(text, options, n));
}

/* Options of ours start with --, but for -o; the others with - are PETSc's, with their value if one follows. */
void cst_run_arguments_parse(int argc, char **argv, cst_arguments *a, cst_diag *d) {
  a->run.progress = "auto";
  a->petsc = calloc((size_t)argc + 1, sizeof *a->petsc);
  if (!a->petsc) abort();
  a->petsc[a->npetsc++] = argv[0];
  for (int i = 1; i < argc; i++) {
    const char *x = argv[i];
    bool        takes = !strcmp(x, "-o") || !strcmp(x, "--batch") || !strcmp(x, "--progress") || !strcmp(x, "--max-hours") ||
                 !strcmp(x, "--checkpoint-seconds");
    if (takes && i + 1 == argc)
      cst_diag_add(d, NULL, 0, 0, "'%s' needs a value", x);
    else if (!strcmp(x, "-o"))
      a->run.output = argv[++i];
    else if (!strcmp(x, "--batch"))
      set_batch(a, argv[++i], d);
    else if (!strcmp(x, "--progress"))
      set_progress(a, argv[++i], d);
    else if (!strcmp(x, "--max-hours"))
      set_time(&a->hours, x, argv[++i], d);
    else if (!strcmp(x, "--checkpoint-seconds"))
      set_time(&a->run.checkpoint_seconds, x, argv[++i], d);
    else if (!a->extends && !strcmp(x, "--overwrite"))
      a->run.overwrite = true;
    else if (!strcmp(x, "--resume"))
      a->run.resumes = true;
    else if (!strncmp(x, "--", 2))
      unknown_option(a, x, d);
    else if (!strcmp(x, "-options_file") && i + 1 < argc && access(argv[i + 1], R_OK))
      cst_diag_add(d, argv[++i], 0, 0, "%s", strerror(errno));
    else if (x[0] == '-')
      a->petsc[a->npetsc++] = argv[i];
    else if (a->extends && !a->file && (ends_in(x, ".h5") || a->npetsc == 1))
      a->file = x;
    else if (!a->study && (is_study(x) || a->npetsc == 1))
      a->study = x;
    else if (a->npetsc > 1 && a->petsc[a->npetsc - 1][0] == '-')
      a->petsc[a->npetsc++] = argv[i];
    else
      cst_diag_add(d, NULL, 0, 0, "unexpected argument '%s'; `constella %s` takes one %sstudy", x, a->command,
                   a->extends ? "result and one " : "");
  }
  if (!a->study) cst_diag_add(d, NULL, 0, 0, "`constella %s` needs a %sstudy file", a->command, a->extends ? "result and a " : "");
  if (a->run.resumes && a->run.overwrite)
    cst_diag_add(d, NULL, 0, 0, "--resume goes on from what is there and --overwrite throws it away; give one of them");
}

/* Beside the file that is extended; else the study's name with .h5 in the current folder. */
void cst_run_arguments_name_output(cst_arguments *a) {
  a->renames = a->extends && a->file && !a->run.output;
  if (a->renames) {
    snprintf(a->output, sizeof a->output, "%s.extended", a->file);
    a->run.output = a->output;
  }
  if (a->run.output || !a->study) return;
  const char *slash = strrchr(a->study, '/'), *name = slash ? slash + 1 : a->study, *dot = strrchr(name, '.');
  snprintf(a->output, sizeof a->output, "%.*s.h5", (int)(dot ? dot - name : (long)strlen(name)), name);
  a->run.output = a->output;
}

char *cst_run_arguments_join(int argc, char **argv) {
  char  *text = NULL;
  size_t n;
  FILE  *f = open_memstream(&text, &n);
  fputs("constella", f);
  for (int i = 0; i < argc; i++) fprintf(f, " %s", argv[i]);
  fclose(f);
  return text;
}

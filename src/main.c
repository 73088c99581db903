/* main.c: the program `constella`: finds the command and calls it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/guard.h"
#include "constella/constella.h"
#include "core/diag.h"

#ifndef CST_VERSION
#define CST_VERSION "unknown"
#endif

const cst_command cst_commands[] = {
    {"run",
     "STUDY [-o FILE] [--resume | --overwrite] [--max-hours H] [--checkpoint-seconds S] [--batch B] [--progress auto|line|log|none] "
     "[PETSc options]",
     "run a study, under mpirun/srun or alone", cst_cli_run, 0},
    {"extend",
     "FILE STUDY [-o NEW] [--resume] [--max-hours H] [--checkpoint-seconds S] [--batch B] [--progress auto|line|log|none] [PETSc options]",
     "a finished result, with more members, steps or methods: only these are run", cst_cli_extend, 0},
    {"check", "STUDY", "validate a study and print its plan; runs nothing", cst_cli_check, 0},
    {"list", "systems|methods|observables|studies|schemes", "what there is", cst_cli_list, 0},
    {"show", "NAME [--system NAME|FILE]", "a page on a system, method or scheme; what a method claims on a system", cst_cli_show, 0},
    {"system", "FILE [--parameters NAME=VALUE ...]", "examine a system file: states, derivatives, symmetries, exact motions",
     cst_cli_system, 0},
    {"table", "FILE [--format text|csv|json|markdown|latex] [--columns ...] [--where ...]", "results as a table", cst_cli_table, 1},
    {"status", "FILE", "how far a run is", cst_cli_status, 1},
    {"submit",
     "STUDY --scheduler slurm|pbs|sge --ranks N --hours H [--nodes K] [--account A] [--partition|--queue Q] [--module M ...] [--output "
     "FILE] "
     "[--name NAME] [--template FILE] [--requeue COUNT] [--dry-run]",
     "check a study, write a job script and hand it to the scheduler", cst_cli_submit, 0},
    {"verify", "FILE [--member K ...] [--case C ...] [--sample N] [--seed S] [--from-start] [--trust-code]",
     "recompute trajectories of a result and compare their bits with the file's", cst_cli_verify, 0},
    {"report", "FILE [-o PAGE.html] [--methods A,B] [--where ...] [--figures DIR] [--formats png,pdf,svg] [--style screen|paper]",
     "figures and tables in one page", cst_cli_report, 1},
    {"plot",
     "FILE KIND [--methods A,B] [--where ...] [--x ...] [--y ...] [--z COLUMN] [--members ...] [--time FROM:TO] [-o OUT] "
     "[--style screen|paper] [--width INCHES]",
     "one figure; `constella plot --help` tells the kinds", cst_cli_plot, 1},
    {"export", "FILE -o OUT.csv|OUT.parquet|OUT.nc|OUT.tex [--methods A,B] [--where ...] [--columns ...] [--case K]",
     "a result as a table, as netCDF for xarray, or as a table for LaTeX", cst_cli_export, 1},
    {"cite", "FILE", "BibTeX of what a result was made with: methods, system, software", cst_cli_cite, 1},
    {NULL, NULL, NULL, NULL, 0},
};

/* The variables of the environment that one may want to set. */
static const char *const variables[][2] = {
    {"CONSTELLA_ISA", "the instruction set, v2, v3 or v4; the widest of the machine"},
    {"CONSTELLA_CC", "the compiler of your own systems and layers; the one that compiled constella, or cc"},
    {"CONSTELLA_TRUST_CODE", "folders of your own C files, with : between them, which `verify` may compile; none"},
    {"XDG_CACHE_HOME", "the folder where they are kept compiled, in constella/; ~/.cache"},
    {"PYTHON", "the python3 with h5py, numpy and matplotlib that draws reports; /usr/bin/python3"},
    {"CONSTELLA_ANALYSIS", "the folder of its scripts; the one that was installed"},
};

static int help(FILE *out) {
  fputs("constella: studies of structure-preserving integrators for constrained mechanical systems\n\n", out);
  for (const cst_command *c = cst_commands; c->name; c++) fprintf(out, "  constella %s %s\n      %s\n", c->name, c->arguments, c->doc);
  fputs("\nEnvironment, each with what holds where it is not set:\n", out);
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) fprintf(out, "  %s  %s\n", variables[i][0], variables[i][1]);
  fputs("\nExit status: 0 done, 1 something failed while running, 2 bad input, 75 stopped with a checkpoint (the\n"
        "same line with --resume goes on). `constella --version` prints the version.\n",
        out);
  return 0;
}

static int unknown(const char *name) {
  const char *names[sizeof cst_commands / sizeof *cst_commands];
  int         n = 0;
  for (const cst_command *c = cst_commands; c->name; c++) names[n++] = c->name;
  fprintf(stderr, "constella: error: unknown command '%s'; allowed: %s%s\n", name, cst_diag_join(names, n), cst_diag_guess(name, names, n));
  return 2;
}

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow further is an error of its writer, told in words */
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  setenv("OMP_NUM_THREADS", "1", 0);
  /* Open MPI's shared file pointers, which no run uses, leave locks behind in /dev/shm when a process is killed while it opens a file, and
   * the next run on a file of that name waits for them for ever. */
  setenv("OMPI_MCA_sharedfp", "^sm,lockedfile", 0);
  if (argc < 2) return help(stderr), 2;
  if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) return help(stdout);
  if (!strcmp(argv[1], "--version")) return printf("constella %s (%s)\n", CST_RELEASE, CST_VERSION), 0;
  for (const cst_command *c = cst_commands; c->name; c++)
    if (!strcmp(argv[1], c->name)) return c->reads ? cst_guard(c->run, argc - 1, argv + 1) : c->run(argc - 1, argv + 1);
  return unknown(argv[1]);
}

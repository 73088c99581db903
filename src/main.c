/* main.c: the program `constella`: finds the command and calls it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/launch.h"
#include "constella/constella.h"
#include "core/diag.h"
#include "study/run/stop.h"

#ifndef CST_VERSION
#define CST_VERSION "unknown"
#endif

#define ADDRESS(NAME) &cst_command_##NAME,
static const cst_command *const commands[] = {CST_COMMANDS(ADDRESS)};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* Environment variables: what each sets, and what holds where it is not set. */
static const char *const variables[][2] = {
    {"CONSTELLA_ISA", "the instruction set, v2, v3 or v4, or scalar for debugging; the widest that "
                      "the build and the machine have"},
    {"CONSTELLA_CPU", "v2 or v3: the machine is taken for one that has no more; what it has"},
    {"CONSTELLA_CC",
     "the compiler for your own systems and methods; the one that compiled constella, or cc"},
    {"CONSTELLA_TRUST_CODE",
     "folders with your own C files, separated by :, that `verify` may compile; none"},
    {"XDG_CACHE_HOME", "the folder for compiled code, in constella/ below it; ~/.cache"},
    {"PYTHON", "the python3 with h5py, numpy and matplotlib that draws figures; /usr/bin/python3"},
    {"CONSTELLA_ANALYSIS", "the folder of its scripts; the installed one"},
};

static const cst_command *find(const char *name) {
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(name, commands[i]->name))
      return commands[i];
  return NULL;
}

/* The commands with their documentation; with their options too where `all`: tools/manual.sh and
 * tools/completion.sh read these lines. */
static int help(FILE *out, bool all) {
  fputs("constella: studies of structure-preserving integrators for constrained mechanical "
        "systems\n\n",
        out);
  for (int i = 0; i < COMMANDS; i++) {
    fprintf(out, "  constella %s%s", commands[i]->name, all ? " " : "");
    if (all)
      cst_usage_synopsis(commands[i], 0, INT_MAX, out);
    else
      cst_usage_summary(commands[i], out);
    fprintf(out, "\n      %s\n", commands[i]->doc);
    if (all)
      cst_usage_options(commands[i], 8, out);
  }
  fputs("\nEnvironment, each with the value that holds where it is not set:\n", out);
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    fprintf(out, "  %s  %s\n", variables[i][0], variables[i][1]);
  fputs(
      "\nExit status: 0 done, 1 something failed while running, 2 bad input, 75 stopped with a "
      "checkpoint "
      "(the same\n"
      "line with --resume continues). An option is given once, unless dots follow it; a value that "
      "begins with -- is\n"
      "written --name=VALUE. `constella help COMMAND` explains a command and its options, "
      "`constella help all`\n"
      "those of every command. `constella --version` prints the version.\n",
      out);
  return 0;
}

static int unknown(const char *name) {
  const char *names[COMMANDS];
  for (int i = 0; i < COMMANDS; i++)
    names[i] = commands[i]->name;
  fprintf(stderr, "constella: error: unknown command '%s'; allowed: %s%s\n", name,
          cst_diag_join(names, COMMANDS), cst_diag_guess(name, names, COMMANDS));
  return 2;
}

/* `constella help [COMMAND]`. */
static int explain(const char *name) {
  if (!name || !strcmp(name, "all"))
    return help(stdout, name != NULL);
  if (!find(name))
    return unknown(name);
  cst_usage_page(find(name), stdout);
  return 0;
}

static int run(const cst_command *c, int argc, char **argv) {
  if (cst_options_ask_help(argc, argv))
    return explain(c->name);
  return c->reads ? cst_guard(c->run, argc, argv) : c->run(argc, argv);
}

static int begin(int argc, char **argv) {
  signal(SIGCHLD, SIG_DFL); /* a parent that ignores it would hide how children of ours end */
  signal(SIGXFSZ, SIG_IGN); /* the failed write reports a file that may not grow */
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  setenv("OMP_NUM_THREADS", "1", 0);
  if (argc < 2) {
    help(stderr, false);
    return 2;
  }
  const char *name = argv[1];
  if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
    return explain(argv[2]);
  if (!strcmp(name, "--version")) {
    printf("constella %s (%s)\ninstruction sets: %s\n", CST_RELEASE, CST_VERSION, cst_isa_built());
    return 0;
  }
  return find(name) ? run(find(name), argc - 1, argv + 1) : unknown(name);
}

#ifdef CST_SCALAR
static bool becomes_scalar(char **argv) {
  (void)argv;
  return true;
}
#else
/* CONSTELLA_ISA=scalar: the program without optimisation and with one lane, for debugging, takes this one's
 * place. `make scalar` builds it into the folder scalar/ beside this program. */
static bool becomes_scalar(char **argv) {
  const char *isa = getenv("CONSTELLA_ISA");
  char        self[PATH_MAX + 32];
  if (!isa || strcmp(isa, "scalar"))
    return true;
  const ssize_t n = readlink("/proc/self/exe", self, PATH_MAX);
  self[n > 0 ? n : 0] = 0;
  char *name = strrchr(self, '/');
  if (name) {
    strcpy(name, "/scalar/constella");
    execv(self, argv);
  }
  fprintf(stderr,
          "constella: error: CONSTELLA_ISA=scalar: cannot start %s: %s; `make scalar` builds it\n",
          self, strerror(errno));
  return false;
}
#endif

/* Called before libraries are initialised. */
__attribute__((section(".preinit_array"), used)) static void (*inherit)(void) = cst_stop_inherit;

int main(int argc, char **argv) {
  cst_streams_open();
  if (!becomes_scalar(argv))
    return cst_streams_end(2);
  if (!cst_limits_raise_stack())
    return 2;
  return cst_streams_end(begin(argc, argv));
}

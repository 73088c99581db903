/* explain.c: `constella explain FILE`: the command line of analysis/constella/explaining. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"
#include "core/diag.h"

typedef struct {
  const char *file, *methods, *where, *budget;
} arguments;

static const cst_option options[] = {
    {"FILE", .is = CST_OPTION_REQUIRED, .at = offsetof(arguments, file),
     .doc = "the result of a conservation study", .takes = "a result"},
    {"--methods", .value = "A,B", .at = offsetof(arguments, methods), .doc = "only these methods"},
    {"--where", .value = "CONDITIONS", .at = offsetof(arguments, where),
     .doc = "only cases that fulfil them, as in `constella table`"},
    {"--budget", .value = "TIME", .standard = "1min", .at = offsetof(arguments, budget),
     .doc = "of the map tolerance x step that is run: 30s, 1min"},
    {NULL},
};

static int explain(int argc, char **argv) {
  arguments a = {0};
  cst_diag *d = cst_diag_create();
  cst_options_parse(&cst_command_explain, argc, argv, &a, d);
  const bool bad = cst_diag_count(d) > 0;
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return bad ? 2 : cst_analysis_start_with(&cst_command_explain, &a);
}

const cst_command cst_command_explain = {
    .name = "explain",
    .doc = "Tells where a drift comes from: truncation, the solver, round-off, resonance, a wrong "
           "root, an instability, constraints, noise, the motion; measures a map tolerance x step, "
           "kept in FILE.explain.h5.",
    .option = options,
    .run = explain,
};

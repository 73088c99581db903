/* choose.c: `constella choose SYSTEM --goal "..."`: the command line of analysis/constella/choosing. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"
#include "core/diag.h"

typedef struct {
  const char *system, *goal, *initial, *parameters, *members, *budget, *methods, *proof, *output;
  bool        resume, explain, quiet;
} arguments;

static const cst_option options[] = {
    {"SYSTEM", .is = CST_OPTION_REQUIRED, .at = offsetof(arguments, system),
     .doc = "a system of the catalogue, or a system file", .takes = "a system"},
    {"--goal", .value = "GOAL", .is = CST_OPTION_REQUIRED, .at = offsetof(arguments, goal),
     .doc = "in words: \"energy 1e-4 until 1e6\", \"position 1e-6 until 10\", \"constraint 1e-8\", "
            "\"momentum exact\", \"average EXPR 1 %\", \"temperature 1 %\", joined by commas",
     .takes = "a goal, such as \"energy 1e-4 until 1e6\""},
    {"--initial", .value = "STATE|FILE", .at = offsetof(arguments, initial),
     .doc = "a state of the system, or a file with the key `initial` of a study, or a table of "
            "starts (.csv); default: the first state"},
    {"--parameters", .value = "a=1,...", .at = offsetof(arguments, parameters),
     .doc = "values of parameters"},
    {"--members", .value = "N", .standard = "8", .at = offsetof(arguments, members),
     .of = {CST_VALUE_INTEGER, .low = 1, .high = 4096},
     .doc = "starts of a heat; eight times as many confirm"},
    {"--budget", .value = "TIME", .standard = "10min", .at = offsetof(arguments, budget),
     .doc = "of computing: 90s, 10min, 1h"},
    {"--methods", .value = "A,B", .at = offsetof(arguments, methods),
     .doc = "only these methods, with their arguments"},
    {"--explain", .at = offsetof(arguments, explain), .doc = "why each other method lost"},
    {"--proof", .value = "STUDY.yaml", .at = offsetof(arguments, proof),
     .doc = "write the study that shows what is recommended"},
    {"--resume", .at = offsetof(arguments, resume), .doc = "go on with an interrupted choice"},
    {"--quiet", .at = offsetof(arguments, quiet), .doc = "no line for each heat"},
    {"--output", .short_name = "-o", .value = "FILE", .at = offsetof(arguments, output),
     .doc = "FILE.json with all heats, or .html, .md with the .json beside it"},
    {NULL},
};

static int choose(int argc, char **argv) {
  arguments a = {0};
  cst_diag *d = cst_diag_create();
  cst_options_parse(&cst_command_choose, argc, argv, &a, d);
  const bool bad = cst_diag_count(d) > 0;
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  if (bad)
    return 2;
  return cst_analysis_start_with(&cst_command_choose, &a);
}

const cst_command cst_command_choose = {
    .name = "choose",
    .doc =
        "Finds the cheapest method and step that meet a goal on a system, by measurement; status "
        "1 where none does. A choose study asks the same from a file, with `constella run`.",
    .option = options,
    .run = choose,
};

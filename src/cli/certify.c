/* certify.c: `constella certify METHOD...`: the command line of analysis/constella/certifying. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include "cli/cli.h"
#include "core/diag.h"
#include "core/need.h"

typedef struct {
  char       *methods; /* one a line; owned */
  const char *with, *systems, *claims, *output;
  bool        quick, full, all;
} arguments;

static bool add_method(void *member, const char *value) {
  char **all = member, *longer;
  if (asprintf(&longer, *all ? "%s\n%s" : "%s%s", *all ? *all : "", value) < 0)
    cst_need_fail();
  free(*all);
  *all = longer;
  return true;
}

static const cst_option options[] = {
    {"METHOD", .is = CST_OPTION_REPEATS, .at = offsetof(arguments, methods), .set = add_method,
     .doc = "methods, as in studies; quoted where they have parentheses", .takes = "methods"},
    {"--all", .at = offsetof(arguments, all), .doc = "every method of `constella list methods`"},
    {"--with", .value = "FILE.yaml", .at = offsetof(arguments, with),
     .doc = "a file with `steppers:` of others, which are run, and `layers:` and `schemes:` as in "
            "studies (docs/certificate.md)"},
    {"--systems", .value = "A,B", .at = offsetof(arguments, systems),
     .doc = "systems of the catalogue or files, in place of the default ones"},
    {"--claims", .value = "order=4,symplectic", .at = offsetof(arguments, claims),
     .doc = "the claims to judge; default: those of the method"},
    {"--quick", .at = offsetof(arguments, quick), .doc = "fewer states and steps: the default"},
    {"--full", .at = offsetof(arguments, full), .doc = "more states, smaller steps, longer runs"},
    {"--output", .short_name = "-o", .value = "FILE", .at = offsetof(arguments, output),
     .doc = "FILE.json, or .html, .md, .tex, .svg, .txt with the .json beside it; what the .json "
            "has is "
            "not measured again"},
    {NULL},
};

static int certify(int argc, char **argv) {
  arguments a = {0};
  cst_diag *d = cst_diag_create();
  cst_options_parse(&cst_command_certify, argc, argv, &a, d);
  if (a.quick && a.full)
    cst_diag_add(d, NULL, 0, 0, "'--quick' and '--full' exclude each other");
  if (!a.methods && !a.with && !a.all && !cst_diag_count(d))
    cst_diag_add(d, NULL, 0, 0,
                 "`constella certify` needs methods, --all, or steppers by --with FILE");
  const bool bad = cst_diag_count(d) > 0;
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  if (bad)
    return 2;
  return cst_analysis_start_with(&cst_command_certify, &a);
}

const cst_command cst_command_certify = {
    .name = "certify",
    .doc = "Measures what methods claim, ours or others'; status 1 where a claim is refuted.",
    .option = options,
    .run = certify,
};

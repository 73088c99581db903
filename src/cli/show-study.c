/* show-study.c: `constella show study`: every key of a study file, from the table that its reader uses. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "cli/cli.h"
#include "cli/page.h"
#include "study/keys.h"

enum { INDENT = 4 };

static void paragraph(const char *text) {
  printf("%*s", INDENT, "");
  cst_page_wrap(text, INDENT, INDENT, stdout);
}

static void field(const char *name, const char *text) {
  if (text && *text) printf("%*s%-9s%s\n", INDENT, "", name, text);
}

void cst_cli_show_study(void) {
  printf("study: the keys of a study file\n\n");
  paragraph("A key is named by its path: initial.spread.q is the key q of the map `spread` of the map "
            "`initial`; range.from is that of a range "
            "of values, {from: 0, to: 1, count: 11}; layers.NAME.a is that of a layer under a name of your "
            "own. Numbers may be written as "
            "quoted expressions of the system's parameters and pi. `constella list "
            "studies|systems|methods|observables` tells the names.");
  for (const cst_key *k = cst_keys; k->key; k++) {
    printf("\n%s%s%s\n", k->in, *k->in ? "." : "", k->key);
    field("type", k->type);
    field("default", k->standard ? k->standard : "required");
    field("unit", k->unit);
    field("example", k->example);
    paragraph(k->doc);
  }
}

/* show-keys.c: `constella show study` and `constella show system`: every key of a study file and of a system
 * file, from the tables that their readers use. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "cli/cli.h"
#include "cli/page.h"
#include "study/keys.h"
#include "system/keys.h"

enum { INDENT = 4 };

static void paragraph(const char *text) {
  printf("%*s", INDENT, "");
  cst_page_wrap(text, INDENT, INDENT, stdout);
}

static void field(const char *name, const char *text) {
  if (text && *text) printf("%*s%-9s%s\n", INDENT, "", name, text);
}

static void print_key(const char *in, const char *key, const char *type, const char *standard,
                      const char *unit, const char *example, const char *doc) {
  printf("\n%s%s%s\n", in, *in ? "." : "", key);
  field("type", type);
  field("default", standard ? standard : "required");
  field("unit", unit);
  field("example", example);
  paragraph(doc);
}

void cst_show_study(void) {
  printf("study: the keys of a study file\n\n");
  paragraph(
      "A key is named by its path: initial.spread.q is the key q of the map `spread` of the map `initial`; "
      "range.from is that of a range of values, {from: 0, to: 1, count: 11}; layers.NAME.a is that of a "
      "layer under a name of your own. Numbers may be written as quoted expressions of the system's "
      "parameters and pi. `constella list studies|systems|methods|observables` lists the names.");
  for (const cst_key *k = cst_keys; k->key; k++)
    print_key(k->in, k->key, k->type, k->standard, k->unit, k->example, k->doc);
}

void cst_show_system(void) {
  printf("system: the keys of a system file\n\n");
  paragraph("A key is named by its path: states.NAME.q is the key q of a state under a name of your own. "
            "Expressions have + - * / ^, sqrt, sin, cos, tan, exp, log, atan2, sums, numbers, pi, parameters "
            "and, where the key allows them, coordinates, velocities x' and the time t. `constella system "
            "FILE` examines a file.");
  for (const cst_system_key *k = cst_system_keys; k->key; k++)
    print_key(k->in, k->key, k->type, k->standard, k->unit, k->example, k->doc);
}

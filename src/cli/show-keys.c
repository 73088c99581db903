/* show-keys.c: `constella show study` and `constella show system`: every key of a study file and of a system
 * file, from the tables that their readers use. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "cli/show.h"
#include "study/file/study-keys.h"
#include "system/read/system-keys.h"

enum { INDENT = 4 };

static void paragraph(const char *text) {
  printf("%*s", INDENT, "");
  cst_page_wrap(text, INDENT, INDENT, stdout);
}

static void field(const char *name, const char *text) {
  if (text && *text)
    printf("%*s%-9s%s\n", INDENT, "", name, text);
}

void cst_show_keys(const cst_key *table) {
  for (const cst_key *k = table; k && k->key; k++) {
    printf("\n%s%s%s\n", k->in, *k->in ? "." : "", k->key);
    field("type", k->type);
    field("default", k->standard ? k->standard : "required");
    field("unit", k->unit);
    field("example", k->example);
    paragraph(k->doc);
  }
}

void cst_show_study_keys(void) {
  printf("study: the keys of a study file\n\n");
  paragraph(
      "A key is named by its path: initial.spread.q is the key q of the map `spread` of the map "
      "`initial`; "
      "range.from is that of a range of values, {from: 0, to: 1, count: 11}; layers.NAME.a is that "
      "of a "
      "layer under a name of your own. Numbers may be written as quoted expressions of the "
      "system's "
      "parameters and pi. `constella list studies|systems|methods|observables` lists the names.");
  cst_show_keys(cst_study_keys());
}

void cst_show_system_keys(void) {
  printf("system: the keys of a system file\n\n");
  paragraph(
      "A key is named by its path: states.NAME.q is the key q of a state under a name of your own. "
      "Expressions have + - * / ^, sqrt, sin, cos, tan, exp, log, atan2, expm1, log1p, sinh, cosh, "
      "tanh, acos, asin, sums, numbers, pi, "
      "parameters "
      "and, where the key allows them, coordinates, velocities x' and the time t. `constella "
      "system "
      "FILE` examines a file.");
  cst_show_keys(cst_system_keys);
}

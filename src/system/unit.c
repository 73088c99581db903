/* unit.c: the units that a description states, for messages. Nothing is computed with them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "core/boundary.h"
#include "system/internal.h"

/* The length of a name without its index: that of "x" in "x[3]". */
static size_t stem(const char *name) { return strcspn(name, "["); }

static const char *stated(const cst_system *s, const char *name) {
  const size_t n = stem(name);
  for (int i = 0; i < s->description->nunit; i++)
    if (strlen(s->description->unit[i].name) == n &&
        !strncmp(s->description->unit[i].name, name, n))
      return s->description->unit[i].text;
  return "";
}

/* The unit of a parameter; "" if there is none of this name, or it has none. */
static const char *of_parameter(const cst_system *s, const char *name) {
  static char ring[4][64];
  static int  turn;
  for (int i = 0; i < cst_system_named(s); i++) {
    if (strcmp(s->parameter[i].name, name) || !s->parameter[i].unit || !*s->parameter[i].unit)
      continue;
    char *text = ring[turn++ % 4];
    snprintf(text, sizeof ring[0], " %s", s->parameter[i].unit);
    return text;
  }
  return "";
}

const char *cst_system_unit(const cst_system *s, const char *name) {
  CST_REQUIRE(s && name, "");
  const char *text = stated(s, name);
  return *text ? text : of_parameter(s, name);
}

const char *cst_system_speed_unit(const cst_system *s, const char *coordinate) {
  CST_REQUIRE(s && coordinate, "");
  static char ring[4][72];
  static int  turn;
  const char *length = stated(s, coordinate), *time = stated(s, "time");
  if (!*length || !*time)
    return "";
  char *text = ring[turn++ % 4];
  snprintf(text, sizeof ring[0], "%s/%s", length, time + 1);
  return text;
}

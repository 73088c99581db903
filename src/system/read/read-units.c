/* read-units.c: the key `units`: the units of time, coordinates and observables. They are texts that figures and
 * messages show. Nothing is computed from them, and no result depends on them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "system/read/system-reader.h"

enum { LONGEST = 31 }; /* length of a unit in bytes */

static void check_unit(cst_reading *r, cst_yaml *key, cst_yaml *value) {
  const char *name = cst_yaml_text(key);
  const char *unit = cst_read_text(r, value, name);
  if (!cst_read_is_name(name, true))
    cst_yaml_error(
        r->doc, key, r->d,
        "'%s' under 'units' is not a valid name; it must be 'time', a coordinate or an observable",
        name);
  else if (strlen(unit) > LONGEST)
    cst_yaml_error(r->doc, value, r->d,
                   "the unit of '%s' has %d characters; at most %d are allowed", name,
                   (int)strlen(unit), LONGEST);
}

static void keep_unit(cst_system *s, const char *name, const char *unit) {
  char *text = cst_system_keep(s, strlen(unit) + 2, sizeof *text);
  snprintf(text, strlen(unit) + 2, " %s", unit);
  s->unit[s->nunit++] = (cst_unit){name, *unit ? text : ""};
}

void cst_read_units(cst_reading *r) {
  cst_yaml   *map = cst_read_map(r, "units", "name: unit");
  const int   n = map ? cst_yaml_size(map) : 0;
  cst_system *s = r->s;
  s->unit = cst_system_keep(s, (size_t)n + 1, sizeof *s->unit);
  for (int i = 0; i < n; i++) {
    check_unit(r, cst_yaml_key(map, i), cst_yaml_value(map, i));
    if (cst_diag_count(r->d) == r->before)
      keep_unit(s, cst_yaml_text(cst_yaml_key(map, i)),
                cst_read_text(r, cst_yaml_value(map, i), "units"));
  }
}

/* read-events.c: the key `events`: where expressions change their sign, under names that a study may use. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/named-events.h"
#include "system/read/system-reader.h"

int cst_system_events(const cst_system *s, const cst_system_event **event) {
  const cst_system_owned *o = s->owned;
  *event = o->event;
  return o->nevent;
}

const cst_system_event *cst_system_event_find(const cst_system *s, const char *name) {
  const cst_system_event *all;
  const int               n = cst_system_events(s, &all);
  for (int k = 0; k < n; k++)
    if (!strcmp(all[k].name, name))
      return &all[k];
  return NULL;
}

static const char *read_direction(cst_reading *r, cst_yaml *n) {
  static const char *const ways[] = {"up", "down", "both"};
  const char              *text = n ? cst_read_text(r, n, "direction") : NULL;
  for (int i = 0; text && i < 3; i++)
    if (!strcmp(text, ways[i]))
      return ways[i];
  if (text && *text)
    cst_yaml_error(r->doc, n, r->d, "'direction' is '%s'; allowed: %s", text,
                   cst_diag_join(ways, 3));
  return NULL;
}

/* `name: expression` or `name: {when: expression, direction: up}`. */
static void read_event(cst_reading *r, cst_yaml *key, cst_yaml *n, cst_system_event *x) {
  cst_yaml *when = n;
  char      what[80];
  cst_read_label(r, key, "event");
  x->name = cst_yaml_text(key);
  x->when = -1;
  snprintf(what, sizeof what, "event '%.60s'", x->name ? x->name : "");
  if (cst_yaml_is_map(n)) {
    cst_system_keys_check(r->doc, n, "events.NAME", CST_KEYS_ALL, r->d);
    when = cst_read_required(r, n, "when", "of the event");
    x->direction = read_direction(r, cst_yaml_get(n, "direction"));
  }
  if (!when)
    return;
  x->text = cst_read_written(r, when);
  x->when = cst_read_expression(r, when, cst_read_velocities(r, true), what);
}

void cst_read_events(cst_reading *r) {
  cst_system_owned *o = r->s->owned;
  cst_yaml         *map = cst_read_map(r, "events", "name: expression");
  const int         n = cst_yaml_size(map);
  if (n > CST_SYSTEM_EVENTS_MOST) {
    cst_yaml_error(r->doc, map, r->d, "%d events; at most %d are allowed", n,
                   CST_SYSTEM_EVENTS_MOST);
    return;
  }
  o->event = cst_system_keep(r->s, (size_t)n, sizeof *o->event);
  o->nevent = n;
  for (int k = 0; k < n; k++)
    read_event(r, cst_yaml_key(map, k), cst_yaml_value(map, k), &o->event[k]);
}

/* named-events.h: the events that a system names: where an expression of the motion changes its sign. A study may
 * take them by name. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_NAMED_EVENTS_H
#define CST_NAMED_EVENTS_H
#include "system/system.h"

enum { CST_SYSTEM_EVENTS_MOST = 16 };

typedef struct {
  const char *name, *text; /* borrowed: the expression as written */
  const char *direction;   /* "up", "down", "both"; NULL: not told */
  cst_node    when;        /* in the graph of the system */
} cst_system_event;

/* *event: the first of them. Borrowed. Returns their number. */
int cst_system_events(const cst_system *s, const cst_system_event **event);
/* The event of this name; NULL: there is none. Borrowed. */
const cst_system_event *cst_system_event_find(const cst_system *s, const char *name);
#endif

/* events-keys.c: the key `events` of the study file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collect/events.h"
#include "system/named-events.h"

enum { TAKE_MOST = 64 };

static const char *const directions[] = {"both", "up", "down", NULL};
static const unsigned    bits[] = {CST_EVENT_UP | CST_EVENT_DOWN, CST_EVENT_UP, CST_EVENT_DOWN};

/* clang-format off */
const cst_key cst_events_keys[] = {
    {"", "events", CST_KEYS_ALL, "list of maps, or of names of events of the system", "none", "", "events: [{name: section, when: x, direction: up, take: [y, y']}]", "Where an expression changes its sign along each trajectory, or a time comes back: times, and values of expressions there (docs/events.md)."},
    {"events", "name", CST_KEYS_ALL, NULL, NULL, "", "events: [{name: apex, when: y', direction: down}]", "Name of its datasets and columns.",
     .value = {CST_VALUE_NAME, CST_AT(cst_event, named.name), .of = "an event"}},
    {"events", "when", CST_KEYS_ALL, NULL, "none", "", "events: [{name: contact, when: y + 0.5}]", "The expression that changes its sign there, of coordinates, velocities, multipliers of the state, parameters and t; or `every`. Neither where the system names the event.",
     .value = {CST_VALUE_EXPRESSION, CST_AT(cst_event, named.expressions)}},
    {"events", "every", CST_KEYS_ALL, NULL, "none", "", "events: [{name: strobe, every: 2*pi, take: [x, x']}]", "Instead of `when`: the time after which it comes back, at least the largest step; an expression of parameters.",
     .value = {CST_VALUE_NUMBERS, CST_AT(cst_event, every)}},
    {"events", "direction", CST_KEYS_ALL, NULL, "both", "", "events: [{name: apex, when: y', direction: down}]", "Changes of sign that count: up, s_n < 0 <= s_(n+1), down, or both. Two within a step are missed.",
     .value = {CST_VALUE_CHOICE, CST_AT(cst_event, way), .words = directions}},
    {"events", "take", CST_KEYS_ALL, "list of expressions", "none", "", "events: [{name: section, when: x, direction: up, take: [y, y']}]", "What is taken at each event."},
    {"events", "keep", CST_KEYS_ALL, NULL, "1000", "", "events: [{name: section, when: x, keep: 50}]", "Events of each trajectory that are kept; those beyond are counted. With `stop` it is 1.",
     .value = {CST_VALUE_INTEGER, CST_AT(cst_event, keep), 1, 1000000}},
    {"events", "stop", CST_KEYS_ALL, NULL, "false", "", "events: [{name: turned, when: y', stop: true}]", "The first such event ends the trajectory, which has not failed.",
     .value = {CST_VALUE_FLAG, CST_AT(cst_event, stop)}},
    {0},
};
/* clang-format on */

/* The event that the system has under this name; NULL: none. */
static const cst_system_event *of_system(const cst_reader *r, const char *name) {
  return r->s->problem.system && name ? cst_system_event_find(r->s->problem.system, name) : NULL;
}

/* What the system says of an event. given: the study says in which direction. */
static void take_over(const cst_system_event *from, cst_event *x, bool given) {
  cst_expressions *when = &x->named.expressions;
  when->node = cst_need(malloc(sizeof *when->node));
  when->node[when->n++] = from->when;
  when->text = strdup(from->text);
  for (int i = 0; from->direction && !given && directions[i]; i++)
    if (!strcmp(from->direction, directions[i]))
      x->way = i;
}

/* The longest step of a parameter set: the first of each case. */
static void check_every(cst_reader *r, cst_yaml *n, const cst_event *x) {
  const cst_study *s = r->s;
  for (int v = 0; v < s->problem.nvariant && s->steps.h; v++)
    if (!(x->every[v] >= s->steps.h[v * s->steps.n])) {
      cst_yaml_error(r->doc, n, r->d, "'every' is %s%s; it must be at least the largest step, %s",
                     cst_reader_shortest(x->every[v]), cst_reader_with(r, v),
                     cst_reader_shortest(s->steps.h[v * s->steps.n]));
      return;
    }
}

static void read_take(cst_reader *r, cst_yaml *n, const char *what, cst_event *x) {
  if (!n || !cst_reader_list(r, n, "take", "expressions", false))
    return;
  const int count = cst_yaml_size(n);
  if (count > TAKE_MOST) {
    cst_yaml_error(r->doc, n, r->d, "there are %d expressions; at most %d are allowed", count,
                   TAKE_MOST);
    return;
  }
  x->text = cst_zeros(count, sizeof *x->text);
  for (int i = 0; i < count; i++) {
    cst_yaml *item = cst_yaml_item(n, i);
    if (cst_reader_expression(r, item, what, &x->take))
      x->text[x->take.n - 1] = cst_need(strdup(cst_yaml_text(item)));
  }
}

/* An event that ends the trajectory is the only one. */
static void check_keep(cst_reader *r, cst_yaml *keep, cst_event *x) {
  if (x->stop && keep && x->keep > 1)
    cst_yaml_error(r->doc, keep, r->d,
                   "'keep' is %ld, but 'stop' ends the trajectory at the first such event",
                   x->keep);
  if (x->stop)
    x->keep = 1;
}

/* An item that is the name of an event of the system alone. */
static bool read_name(cst_reader *r, cst_yaml *n, cst_named_list *w) {
  const char             *text = cst_yaml_text(n);
  const cst_system_event *from = of_system(r, text);
  const cst_system_event *all;
  const char             *names[CST_SYSTEM_EVENTS_MOST];
  if (!cst_yaml_is_scalar(n))
    return false;
  if (!r->s->problem.system)
    return true;
  if (!from) {
    const int count = cst_system_events(r->s->problem.system, &all);
    for (int k = 0; k < count; k++)
      names[k] = all[k].name;
    cst_yaml_error(r->doc, n, r->d, "%s has no event '%s'; %s%s", r->s->problem.system->name, text,
                   count ? "it has " : "it names none", count ? cst_diag_join(names, count) : "");
    return true;
  }
  cst_event *x = cst_named_add(r, n, text, w);
  take_over(from, x, false);
  x->direction = bits[x->way];
  return true;
}

static void read_one(cst_reader *r, cst_yaml *n, const char *label, bool sound, void *entry) {
  cst_event              *x = entry;
  cst_yaml               *when = cst_yaml_get(n, "when"), *every = cst_yaml_get(n, "every");
  cst_yaml               *way = cst_yaml_get(n, "direction");
  const cst_system_event *from = of_system(r, x->named.name);
  (void)sound;
  if (from && !when && !every)
    take_over(from, x, way != NULL);
  else if (!when == !every)
    cst_yaml_error(r->doc, n, r->d, "%s has %s; it takes one of 'when' and 'every'", label,
                   when ? "both" : "neither");
  else if (every && way)
    cst_yaml_error(r->doc, way, r->d,
                   "'direction' belongs to 'when'; an event with 'every' has none");
  x->direction = every ? 0 : bits[x->way];
  if (x->every)
    check_every(r, every, x);
  read_take(r, cst_yaml_get(n, "take"), label, x);
  check_keep(r, cst_yaml_get(n, "keep"), x);
}

static void forget(void *entry) {
  cst_event *x = entry;
  for (int k = 0; k < x->take.n; k++)
    free(x->text[k]);
  free(x->text);
  free(x->every);
  cst_reader_forget(&x->take);
}

static const cst_named_key events = {
    .key = "events",
    .what = "an event",
    .plural = true,
    .map = "{name: ..., when: ...}",
    .more = ", or {name: ..., every: ...}, and optionally direction, take, keep and stop, or the "
            "name of an event of the system",
    .most = CST_EVENTS_MOST,
    .size = sizeof(cst_event),
    .read_other = read_name,
    .read = read_one,
    .forget = forget};

void cst_events_read(cst_reader *r, void *request) {
  cst_named_list *w = request;
  cst_named_read(&events, r, w);
  cst_event *x = w->each;
  for (int i = 0; i < w->n; i++, x++) {
    const cst_expressions *when = &x->named.expressions;
    x->steps = when->n &&
               cst_graph_smoothness(r->s->problem.system->model->graph, when->node[0]) == CST_JUMPS;
  }
}

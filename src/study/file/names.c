/* names.c: the names of a system bound to the inputs of a graph (see names.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "core/need.h"
#include "study/file/names.h"

enum { LENGTH = 96 }; /* of a name with its prefix and suffix */

static void text(cst_names *x, const char *before, const char *name, const char *behind) {
  char *t = x->text + (size_t)x->n * LENGTH;
  snprintf(t, LENGTH, "%s%.60s%s", before, name, behind);
  x->name[x->n].name = t;
}

/* The index of the last element. */
static int last(const cst_name *name) { return name->first + name->count - 1; }

/* Binds name[n] to inputs of `array`; *entry: where the next array of nodes begins. */
static void bind(cst_names *x, cst_graph *g, const cst_name *name, int n, const char *before,
                 const char *behind, char array, cst_node **entry) {
  for (int i = 0; i < n; i++) {
    text(x, before, name[i].name, behind);
    if (name[i].array) {
      for (int k = 0; k < name[i].count; k++)
        (*entry)[k] = cst_graph_input(g, array, name[i].at + k * name[i].step);
      x->name[x->n].entry = *entry;
      x->name[x->n].count = name[i].count;
      x->name[x->n].shift = name[i].first - 1;
      *entry += name[i].count;
    } else
      x->name[x->n].node = cst_graph_input(g, array, name[i].at);
    x->n++;
  }
}

static void bind_parameters(cst_names *x, cst_graph *g, const cst_system *s) {
  for (int i = 0; i < cst_system_named(s); i++) {
    const cst_parameter *p = &s->parameter[i];
    text(x, "", p->name, "");
    x->name[x->n].node = p->size ? cst_graph_constant(g, p->value) : cst_graph_input(g, 'c', i);
    x->n++;
  }
}

static size_t room(const cst_name *name, int n) {
  size_t sum = 0;
  for (int i = 0; i < n; i++)
    sum += (size_t)name[i].count;
  return sum;
}

/* "omega_top_1" */
static void quantity_name(char t[LENGTH], const cst_body_quantity *x, const char *body,
                          int component) {
  snprintf(t, LENGTH, "%s_%.60s_%c", x->prefix, body, x->components[component]);
}

bool cst_names_has_quantity(const cst_system *s, const char *word) {
  char t[LENGTH];
  for (const cst_body_quantity *x = cst_body_quantities; x->prefix; x++)
    for (int k = 0; k < s->description->nbody_name; k++)
      for (int i = 0; x->components[i]; i++) {
        quantity_name(t, x, s->description->body_name[k].name, i);
        if (!strcmp(t, word))
          return true;
      }
  return false;
}

/* True if the text may name it. (With many bodies there would be many nodes.) */
static bool wanted(const cst_body_quantity *x, const char *text) {
  return strstr(text, x->prefix) != NULL;
}

static size_t quantities(const char *text) {
  size_t n = 0;
  for (const cst_body_quantity *x = cst_body_quantities; x->prefix; x++)
    n += wanted(x, text) ? strlen(x->components) : 0;
  return n;
}

static void bind_quantity(cst_names *x, cst_graph *g, const cst_system *s, const cst_name *body,
                          const cst_body_quantity *what, int component, cst_node **entry) {
  char *t = x->text + (size_t)x->n * LENGTH;
  quantity_name(t, what, body->name, component);
  cst_binding *b = &x->name[x->n++];
  b->name = t;
  for (int k = 0; k < body->count; k++)
    (*entry)[k] = cst_body_quantity_node(s, g, body->at + k, what, component);
  b->node = **entry;
  if (body->array) {
    b->entry = *entry;
    b->count = body->count;
    b->shift = body->first - 1;
  }
  *entry += body->count;
}

static void bind_quantities(cst_names *x, cst_graph *g, const cst_system *s, const char *text,
                            cst_node **entry) {
  for (const cst_body_quantity *what = cst_body_quantities; what->prefix; what++) {
    if (!wanted(what, text))
      continue;
    for (int k = 0; k < s->description->nbody_name; k++)
      for (int i = 0; what->components[i]; i++)
        bind_quantity(x, g, s, &s->description->body_name[k], what, i, entry);
  }
}

cst_names cst_names_create(const cst_system *s, cst_graph *g, const char *written) {
  const size_t of_bodies = quantities(written);
  const size_t n =
      (size_t)(2 * s->description->ncoordinate + s->description->nfamily + s->npar + 1) +
      of_bodies * (size_t)s->description->nbody_name;
  cst_names x = {.name = cst_need(calloc(n, sizeof *x.name)), .text = cst_need(malloc(n * LENGTH))};
  cst_node *entry = x.entry =
      cst_need(calloc(2 * room(s->description->coordinate_name, s->description->ncoordinate) +
                          room(s->description->family, s->description->nfamily) +
                          of_bodies * (size_t)s->model->nbodies + 1,
                      sizeof *entry));
  bind(&x, g, s->description->coordinate_name, s->description->ncoordinate, "", "", 'q', &entry);
  bind(&x, g, s->description->coordinate_name, s->description->ncoordinate, "", "'", 'v', &entry);
  bind(&x, g, s->description->family, s->description->nfamily, "lambda_", "", 'l', &entry);
  bind_parameters(&x, g, s);
  text(&x, "", "t", "");
  x.name[x.n++].node = cst_graph_input(g, 't', 0);
  bind_quantities(&x, g, s, written, &entry);
  return x;
}

void cst_names_destroy(cst_names *x) {
  free(x->name);
  free(x->text);
  free(x->entry);
}

const char *cst_names_list(const cst_name *name, int n) {
  enum { ROOM = 1024 };
  static char ring[4][ROOM];
  static int  turn;
  char       *s = ring[turn++ % 4];
  size_t      at = 0;
  *s = 0;
  for (int i = 0; i < n; i++) {
    char one[LENGTH + 32];
    if (name[i].array)
      snprintf(one, sizeof one, "%.60s[%d..%d]", name[i].name, name[i].first, last(&name[i]));
    else
      snprintf(one, sizeof one, "%.60s", name[i].name);
    if (at + strlen(one) + sizeof ", , ..." > ROOM) {
      strcpy(s + at, ", ...");
      break;
    }
    at += (size_t)sprintf(s + at, "%s%s", i ? ", " : "", one);
  }
  return s;
}

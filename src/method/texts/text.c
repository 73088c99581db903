/* text.c: keeps what users write for methods, and what lane code reads of it (text.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/texts/text.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "core/need.h"
#include "method/method.h"
#include "method/stepper/stepper-internal.h"

typedef struct {
  char           *name;
  const cst_text *text;
} entry;

struct cst_layers {
  int       holders;
  cst_text *text; /* the newest first */
  int       n;
  entry    *entry; /* [n] */
};

/* ---- texts ----------------------------------------------------------------------------------- */

int cst_text_width(const cst_wording *w) { return w->n ? w->n : 1; }

static bool same(const cst_wording *x, const cst_wording *y) {
  bool same =
      x->kind == y->kind && x->n == y->n && x->ndefine == y->ndefine && x->theta == y->theta;
  for (int k = 0; k < 2; k++)
    for (int i = 0; same && x->side[k] && i < cst_text_width(x); i++)
      same = !strcmp(x->side[k][i], y->side[k][i]);
  for (int i = 0; same && i < x->ndefine; i++)
    same = !strcmp(x->define[i].name, y->define[i].name) &&
           !strcmp(x->define[i].text, y->define[i].text);
  return same;
}

const cst_text *cst_text_find(const cst_layers *l, const cst_wording *w) {
  const cst_text *x = l->text;
  while (x && !same(&x->of, w))
    x = x->next;
  return x;
}

static size_t length_of(const cst_wording *w) {
  size_t n = 0;
  for (int k = 0; k < 2; k++)
    for (int i = 0; w->side[k] && i < cst_text_width(w); i++)
      n += strlen(w->side[k][i]) + 1;
  for (int i = 0; i < w->ndefine; i++)
    n += strlen(w->define[i].name) + strlen(w->define[i].text) + 2;
  return n;
}

/* Copies a word to *end, and moves *end behind it. */
static const char *put(char **end, const char *word) {
  char *copy = strcpy(*end, word);
  *end += strlen(word) + 1;
  return copy;
}

/* A text with a copy of w, in one piece. */
static cst_text *copy(const cst_wording *w) {
  const int    width = cst_text_width(w);
  const size_t lists =
      sizeof(cst_definition) * (size_t)w->ndefine + 2 * sizeof(char *) * (size_t)width;
  cst_text       *x = cst_need(calloc(1, sizeof *x + lists + length_of(w)));
  cst_definition *define = (cst_definition *)(x + 1);
  const char    **word = (const char **)(define + w->ndefine);
  char           *end = (char *)(word + 2 * width);
  x->of = *w;
  x->of.define = define;
  for (int i = 0; i < w->ndefine; i++)
    define[i] = (cst_definition){.name = put(&end, w->define[i].name),
                                 .text = put(&end, w->define[i].text)};
  for (int k = 0; k < 2 && w->side[k]; k++, word += width) {
    x->of.side[k] = word;
    for (int i = 0; i < width; i++)
      word[i] = put(&end, w->side[k][i]);
  }
  return x;
}

const cst_text *cst_text_keep(cst_layers *l, const cst_wording *w, void *made,
                              void (*end)(void *made)) {
  cst_text *x = copy(w);
  x->number = 1;
  for (const cst_text *y = l->text; y; y = y->next)
    x->number += y->of.kind == w->kind;
  x->made = made;
  x->end = end;
  x->next = l->text;
  return l->text = x;
}

/* ---- the registry ---------------------------------------------------------------------------- */

enum { NAME_LENGTH = 48 };

cst_layers *cst_layers_create(void) {
  cst_layers *l = cst_zeros(1, sizeof *l);
  l->holders = 1;
  return l;
}

cst_layers *cst_layers_share(const cst_layers *l) {
  if (!l)
    return cst_layers_create();
  cst_layers *shared = (cst_layers *)l; /* cst_layers_create has made it */
  shared->holders++;
  return shared;
}

void cst_layers_destroy(cst_layers *l) {
  if (!l || --l->holders)
    return;
  for (cst_text *x = l->text, *next; x; x = next) {
    next = x->next;
    if (x->end)
      x->end(x->made);
    free(x);
  }
  for (int i = 0; i < l->n; i++)
    free(l->entry[i].name);
  free(l->entry);
  free(l);
}

const cst_text *cst_layers_find(const cst_layers *l, const char *name) {
  for (int i = 0; i < l->n; i++)
    if (!strcmp(l->entry[i].name, name))
      return l->entry[i].text;
  return NULL;
}

void cst_layers_add(cst_layers *l, const char *name, const cst_text *x) {
  l->entry = cst_need(realloc(l->entry, sizeof *l->entry * (size_t)(l->n + 1)));
  l->entry[l->n++] = (entry){cst_need(strdup(name)), x};
}

int cst_layers_names(const cst_layers *l, unsigned kinds, const char **names) {
  int n = 0;
  for (int i = 0; i < l->n; i++) {
    if (!(kinds >> l->entry[i].text->of.kind & 1))
      continue;
    if (names)
      names[n] = l->entry[i].name;
    n++;
  }
  return n;
}

static bool is_word(const char *s) {
  size_t n = 0;
  while (isalnum((unsigned char)s[n]) || s[n] == '-' || s[n] == '_')
    n++;
  return isalpha((unsigned char)*s) && !s[n] && n <= NAME_LENGTH;
}

static const char *what_is(const cst_text *x) {
  const unsigned kind = x ? 1u << x->of.kind : 0;
  return kind & CST_TEXTS_LAYERS    ? "another layer"
         : kind & CST_TEXTS_SCHEMES ? "another scheme"
         : kind                     ? "another map, retraction or fibre"
                                    : NULL;
}

bool cst_layers_allow(const cst_layers *l, const char *name, char *why, int n) {
  CST_REQUIRE(l && name && (why || n <= 0), false);
  const char *taken = cst_method_row_find(name) ? "a method"
                      : cst_scheme_find(name)   ? "a scheme"
                                                : what_is(cst_layers_find(l, name));
  if (!is_word(name))
    snprintf(
        why, (size_t)n,
        "'%s' cannot name a layer, scheme or map; allowed: a letter, then letters, digits, _ and "
        "-, at most %d",
        name, NAME_LENGTH);
  else if (taken)
    snprintf(why, (size_t)n, "the name '%s' is taken by %s; choose another", name, taken);
  return is_word(name) && !taken;
}

/* ---- samples and lanes ----------------------------------------------------------------------- */

double cst_text_sample(int point, int i) {
  static const double golden = 0.6180339887498949;
  const double        x = golden * (i + 1) + 0.37 * point;
  return (point >= CST_TEXT_SAMPLES / 2 && (i + point) % 2 ? -1 : 1) * (0.4 + 0.9 * (x - floor(x)));
}

void *cst_text_bind(const cst_lane_binding *b, const cst_text *x, bool adjoint,
                    void *(*make)(const cst_lane_binding *b, const cst_text *x, bool adjoint),
                    void (*end)(void *)) {
  cst_stepper *st = b->stepper;
  for (int i = 0; i < st->nshared; i++) {
    const cst_text_bound *of = st->shared[i].made;
    if (st->shared[i].end == end && of->text == x && of->adjoint == adjoint)
      return st->shared[i].made;
  }
  cst_text_bound *made = make(b, x, adjoint);
  if (!made)
    return NULL;
  *made = (cst_text_bound){x, adjoint};
  st->shared = cst_need(realloc(st->shared, (size_t)(st->nshared + 1) * sizeof *st->shared));
  st->shared[st->nshared++] = (cst_stepper_shared){.end = end, .made = made};
  return made;
}

double *cst_text_scratch(int registers) {
  return cst_need(
      aligned_alloc(8 * CST_W_MAX, 8 * CST_W_MAX * (size_t)(registers > 0 ? registers : 1)));
}

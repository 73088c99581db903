/* plan-classes.c: the classes of cases that are advanced together: those of one method with the same steps,
 * which are read and sampled at the same steps. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/method.h"
#include "study/collector.h"
#include "study/plan/plan.h"

enum { OBSERVE_MOST = 15, OBSERVE_TIMES = 1024 };

/* Observe every k-th step, k the largest odd number not above min(15, n / 1024), at least 1. */
static long observe_every(const cst_study *s, long n) {
  long k = n / OBSERVE_TIMES < OBSERVE_MOST ? n / OBSERVE_TIMES : OBSERVE_MOST;
  if (s->observe_every || k < 1)
    return 1;
  return k % 2 ? k : k - 1;
}

/* Steps between reads of the error: 1 on the mesh, the spacing of the coarse mesh, or the whole run. */
static long read_every(const cst_study *s, const cst_case *c) {
  const cst_case *coarsest = c - c->step; /* the steps of a method decrease */
  if (s->reference == CST_REFERENCE_NONE)
    return 0;
  if (s->over == CST_OVER_MESH)
    return 1;
  if (s->over == CST_OVER_COARSE)
    return c->n / coarsest->n;
  return c->n;
}

/* On the coarse mesh the multipliers are compared at its points t_0 .. t_(N-1) if a step's multipliers belong
 * to its left end: those of the step that begins there. */
static long read_lead(const cst_plan *p, const cst_case *c) {
  return p->study->over == CST_OVER_COARSE && p->study->system->ng > 0 &&
         p->method[c->method]->properties.lambda_time == 0;
}

/* Hash table of classes with open addressing: a power of two slots, at most half of them in use; -1: empty.
 */
typedef struct {
  int     *slot;
  unsigned mask;
} class_table;

static class_table table_of(int n) {
  unsigned slots = 16;
  while (slots < 2 * (unsigned)n)
    slots *= 2;
  class_table t = {cst_need(malloc(slots * sizeof *t.slot)), slots - 1};
  memset(t.slot, 0xff, slots * sizeof *t.slot);
  return t;
}

static unsigned hash(const cst_case *c) {
  uint64_t x;
  memcpy(&x, &c->h, sizeof x);
  x ^= (uint64_t)c->n * 0x9e3779b97f4a7c15u + (uint64_t)c->method;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  return (unsigned)(x ^ (x >> 31));
}

static bool is_class(const cst_class *k, const cst_case *c, long read) {
  return k->method == c->method && k->h == c->h && k->n == c->n && k->read == read;
}

static int find_class(cst_plan *p, const class_table *t, const cst_case *c) {
  const cst_study *s = p->study;
  const long       read = read_every(s, c);
  unsigned         at = hash(c) & t->mask;
  while (t->slot[at] >= 0) {
    const int i = t->slot[at];
    if (is_class(&p->classes[i], c, read))
      return i;
    at = (at + 1) & t->mask;
  }
  t->slot[at] = p->nclass;
  cst_class *k = &p->classes[p->nclass];
  k->method = c->method;
  k->h = c->h;
  k->n = c->n;
  k->observe = observe_every(s, c->n);
  k->read = read;
  k->lead = read_lead(p, c);
  for (int x = 0; x < cst_collector_count; x++)
    if (cst_collectors[x]->schedule)
      cst_collectors[x]->schedule(p, k);
  if (k->nsample > p->most_samples)
    p->most_samples = k->nsample;
  return p->nclass++;
}

void cst_plan_classes_make(cst_plan *p) {
  p->classes = cst_zeros(p->ncase, sizeof *p->classes);
  p->class_of = cst_zeros(p->ncase, sizeof *p->class_of);
  const class_table t = table_of(p->ncase);
  for (int i = 0; i < p->ncase; i++) {
    const int  at = find_class(p, &t, &p->cases[i]);
    cst_class *k = &p->classes[at];
    const bool full = !(k->ncase & (k->ncase - 1)); /* the room is a power of two */
    p->class_of[i] = at;
    if (full) {
      const size_t room = 2 * ((size_t)k->ncase + 1);
      k->cases = cst_need(realloc(k->cases, room * sizeof *k->cases));
    }
    k->cases[k->ncase++] = i;
    k->lanes = k->ncase * p->study->members;
  }
  free(t.slot);
}

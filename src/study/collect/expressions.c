/* expressions.c: expressions of the study file, for collectors that look at them (see expressions.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/expressions.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/isa.h"
#include "core/need.h"
#include "expr/tape-lanes.h"

cst_values cst_values_create(const cst_runner *r, const cst_expressions *x) {
  cst_values   v = {.n = x->n};
  const size_t W = (size_t)r->width;
  v.tape = cst_tape_create(r->plan->study->problem.system->model->graph, x->node, x->n);
  v.value = cst_aligned((size_t)x->n * W);
  for (int k = 0; k < x->n; k++) {
    v.lambda |= cst_graph_depends(r->plan->study->problem.system->model->graph, x->node[k], 'l');
    v.t |= cst_graph_depends(r->plan->study->problem.system->model->graph, x->node[k], 't');
    v.v |= cst_graph_depends(r->plan->study->problem.system->model->graph, x->node[k], 'v');
  }
  const int registers = x->n == 1 ? cst_tape_along_registers(v.tape) : cst_tape_registers(v.tape);
  v.scratch = cst_aligned((size_t)registers * W);
  return v;
}

void cst_values_destroy(cst_values *x) {
  cst_tape_destroy(x->tape);
  free(x->value);
  free(x->scratch);
}

/* in: q, v and t are set; a tape reads only the inputs that it uses. */
static void run(const cst_values *x, const cst_view *view, const double *in[128]) {
  in['c'] = view->record + view->context->at.c * cst_isas[view->isa].width;
  in['l'] = view->lambda;
  cst_tape_lanes_of(view->isa)->run(x->tape, in, x->value, x->scratch);
}

void cst_values_look(const cst_values *x, const cst_view *view) {
  const double *in[128] = {0};
  in['q'] = view->record + view->context->at.q * cst_isas[view->isa].width;
  in['v'] = view->v;
  in['t'] = view->time;
  run(x, view, in);
}

void cst_values_along(const cst_values *x, const cst_view *view, const cst_states *states, int i) {
  const double *in[128] = {0};
  const size_t  W = (size_t)cst_isas[view->isa].width;
  in['q'] = states->q + (size_t)i * states->stride;
  in['v'] = states->v + (size_t)i * (size_t)view->context->nq * W;
  in['t'] = states->time + (size_t)i * W;
  run(x, view, in);
}

void cst_values_demand(const cst_plan *p, const cst_expressions *x, cst_demand *d) {
  static const double value = 10;
  d->nanoseconds += value * x->n;
  for (int k = 0; k < x->n; k++)
    d->lambda |= cst_graph_depends(p->study->problem.system->model->graph, x->node[k], 'l');
}

/* ---- a key that is a list of named expressions ----------------------------------------------- */

static cst_named *entry_of(const cst_named_list *w, int k) {
  void *x = (char *)w->each + (size_t)k * w->key->size;
  return x;
}

/* What messages call an entry. */
static const char *word_of(const cst_named_key *key) {
  return key->plural ? strchr(key->what, ' ') + 1 : key->key;
}

/* The last entry against those before it. */
static void check_new(cst_reader *r, cst_yaml *n, const cst_named_list *w) {
  const cst_named_key *key = w->key;
  const char          *name = entry_of(w, w->n - 1)->name;
  for (int i = 0; i < w->n - 1; i++) {
    const char *other = entry_of(w, i)->name;
    if (strcmp(other, name) && key->collide && key->collide(name, other))
      cst_yaml_error(
          r->doc, n, r->d,
          "the %s '%s' and '%s' would have datasets of the same name; choose another name",
          key->key, name, other);
    if (strcmp(other, name))
      continue;
    if (key->plural)
      cst_yaml_error(r->doc, n, r->d, "the %s '%s' appears twice", word_of(key), name);
    else
      cst_yaml_error(r->doc, n, r->d, "the name '%s' appears twice in '%s'", name, key->key);
  }
}

/* A new entry, with the defaults of its keys. */
static void *add(cst_reader *r, cst_named_list *w) {
  const cst_named_key *key = w->key;
  void                *x = entry_of(w, w->n++);
  cst_reader_values(r, NULL, key->key, cst_study_keys(), key->key, CST_KEYS_ALL, x);
  return x;
}

void *cst_named_add(cst_reader *r, cst_yaml *n, const char *name, cst_named_list *w) {
  cst_named *x = add(r, w);
  x->name = cst_need(strdup(name));
  if (cst_reader_name(r, n, w->key->what, name))
    check_new(r, n, w);
  return x;
}

static void read_one(cst_reader *r, cst_yaml *n, cst_named_list *w) {
  const cst_named_key *key = w->key;
  char                 label[80];
  if (!cst_yaml_is_map(n)) {
    if (!key->read_other || !key->read_other(r, n, w))
      cst_yaml_error(r->doc, n, r->d, "%s is a map %s%s", key->what, key->map, key->more);
    return;
  }
  const int  before = cst_diag_count(r->d);
  cst_named *x = add(r, w);
  cst_reader_section(r, n, key->key, key->key, CST_KEYS_ALL, x);
  if (x->name)
    check_new(r, cst_yaml_get(n, "name"), w);
  else
    x->name = cst_need(strdup(""));
  snprintf(label, sizeof label, "%s '%.40s'", word_of(key), x->name);
  if (key->read)
    key->read(r, n, label, cst_diag_count(r->d) == before, x);
}

void cst_named_read(const cst_named_key *key, cst_reader *r, cst_named_list *w) {
  cst_yaml *n = cst_yaml_get(r->root, key->key);
  char      of[120];
  w->key = key;
  snprintf(of, sizeof of, "maps %s", key->map);
  if (!cst_reader_list(r, n, key->key, of, false))
    return;
  const int count = cst_yaml_size(n);
  if (count > key->most) {
    if (key->plural)
      cst_yaml_error(r->doc, n, r->d, "there are %d %s; at most %d are allowed", count, key->key,
                     key->most);
    else
      cst_yaml_error(r->doc, n, r->d, "'%s' has %d entries; at most %d are allowed", key->key,
                     count, key->most);
    return;
  }
  w->each = cst_zeros(count, key->size);
  for (int i = 0; i < count; i++)
    read_one(r, cst_yaml_item(n, i), w);
}

void cst_named_forget(void *list) {
  cst_named_list *w = list;
  for (int k = 0; k < w->n; k++) {
    cst_named *x = entry_of(w, k);
    if (w->key->forget)
      w->key->forget(x);
    free(x->name);
    cst_reader_forget(&x->expressions);
  }
  free(w->each);
}

cst_demand cst_named_demand(const cst_plan *p, const cst_named_list *w) {
  cst_demand d = {0};
  for (int k = 0; k < w->n; k++)
    cst_values_demand(p, &entry_of(w, k)->expressions, &d);
  return d;
}

void cst_named_channels(cst_channels *c, const cst_named_list *w, const cst_channel_row *row,
                        int axis) {
  for (int k = 0; k < w->n; k++)
    cst_channels_add(c, row, k, (cst_channel_use){.name = entry_of(w, k)->name, .axis = axis});
}

void *cst_named_columns(cst_columns *c, const cst_named_list *w, size_t size,
                        void (*declare)(cst_columns *c, const void *entry, void *columns)) {
  if (!w->n)
    return NULL;
  char *x = cst_zeros(w->n, size);
  for (int k = 0; k < w->n; k++)
    declare(c, entry_of(w, k), x + (size_t)k * size);
  return x;
}

cst_values *cst_named_values(const cst_runner *r, const cst_named_list *w) {
  cst_values *x = cst_zeros(w->n, sizeof *x);
  for (int k = 0; k < w->n; k++) {
    const cst_expressions *of = &entry_of(w, k)->expressions;
    if (of->n)
      x[k] = cst_values_create(r, of);
  }
  return x;
}

void cst_named_values_destroy(cst_values *x, const cst_named_list *w) {
  for (int k = 0; k < w->n; k++)
    if (x[k].n)
      cst_values_destroy(&x[k]);
  free(x);
}

/* ---- at equal distances in time --------------------------------------------------------------- */

bool cst_sampled_divides(double every, double h) {
  const double n = round(every / h);
  return n >= 1 && fabs(n * h - every) <= 1e-9 * every;
}

static bool check_step(cst_reader *r, cst_yaml *n, double every, int variant) {
  const cst_study *s = r->s;
  for (int i = 0; i < s->steps.n; i++) {
    const double h = s->steps.h[variant * s->steps.n + i];
    if (cst_sampled_divides(every, h))
      continue;
    cst_yaml_error(r->doc, n, r->d, "'every' is %s, which is no multiple of the step %s%s",
                   cst_reader_shortest(every), cst_reader_shortest(h), cst_reader_with(r, variant));
    return false;
  }
  return true;
}

bool cst_sampled_check(cst_reader *r, cst_yaml *n, double every) {
  bool good = every > 0;
  for (int v = 0; r->s->steps.h && v < r->s->problem.nvariant && good; v++)
    good = check_step(r, n, every, v);
  return good;
}

long cst_sampled_most(const cst_study *s, double every) {
  double most = 0;
  for (int v = 0; s->steps.h && v < s->problem.nvariant; v++)
    most = fmax(most, floor(s->steps.end[v] / every * (1 + 1e-9)) + 1);
  return (long)fmin(most, 0x1p62);
}

long cst_sampled_steps(const cst_class *k, double every) { return lround(every / k->h); }

long cst_sampled_count(const cst_class *k, double every) {
  return k->n / cst_sampled_steps(k, every) + 1;
}

/* Of lanes that have ended there are no values: what is there has those of their neighbours. */
static void clear_ended(const cst_values *x, int alive, int W) {
  for (int dead = ~alive & ((1 << W) - 1); dead; dead &= dead - 1)
    for (int i = 0; i < x->n; i++)
      x->value[i * W + __builtin_ctz((unsigned)dead)] = 0;
}

void cst_sampled_look(const cst_values *x, const cst_runner *r, int group) {
  const cst_view view = cst_runner_see(r, group, x->v, x->lambda);
  cst_values_look(x, &view);
  clear_ended(x, view.alive, r->width);
}

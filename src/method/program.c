/* program.c: expands a method expression to the list of substeps of one step. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/substep.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "core/lane-form.h"
#include "core/need.h"
#include "method/core.h"
#include "method/method.h"

/* ---- substeps of every kind ------------------------------------------------------------------ */

cst_substep cst_substep_of(const cst_substep_row *row, double fraction, const void *data) {
  cst_substep x = {.row = row, .fraction = fraction};
  if (row->data)
    memcpy(x.data, data, row->data);
  return x;
}

cst_substep cst_substep_on(const cst_substep *x, const cst_system *s) {
  cst_substep other;
  return x->row->on && x->row->on(x, s, &other) ? other : *x;
}

cst_substep_size cst_substep_size_on(const cst_substep *x, const cst_system *s) {
  const cst_substep other = cst_substep_on(x, s);
  return other.row->size(other.data, s);
}

cst_jacobian cst_substep_jacobian(const cst_substep *x, const cst_system *s) {
  return x->row->jacobian ? x->row->jacobian(x->data, s) : CST_JACOBIAN_DIFFERENCES;
}

bool cst_substep_corrects(const cst_substep *x, const cst_system *s) {
  const cst_jacobian from = cst_substep_jacobian(x, s);
  return from == CST_JACOBIAN_CORRECTIONS || from == CST_JACOBIAN_GRAM;
}

bool cst_is_own_adjoint(void *x) {
  (void)x;
  return true;
}

cst_jacobian cst_jacobian_of_corrections(const void *x, const cst_system *s) {
  (void)x, (void)s;
  return CST_JACOBIAN_CORRECTIONS;
}

bool cst_coupling_of_accelerations(const void *x, const cst_system *s, cst_coupling *c) {
  (void)x, (void)s;
  *c = (cst_coupling){.blocks = 1, .force = true, .by_rows = true, .power = 2, .sign = -1};
  return true;
}

int cst_substep_kept(const cst_substep_size *size, bool smooth) {
  return size->kept + (smooth && size->predicted ? CST_PAST * size->predicted + 1 : 0);
}

/* Nanoseconds for the pairs of a potential that is a sum over pairs, measured on water with the interpreter.
 */
static double pairs_cost(const cst_system *s) {
  double n = 0;
  for (int k = 0; k < s->model->npairs; k++)
    n += (double)s->model->pairs[k].sum.pairs;
  return 150 * n;
}

/* Fitted on one of eight lanes of one machine: sized kicks from 6 (pendulum) to 60 (rigid body). Generic cores
 * are four times slower; the cores account for that, pairs are not affected. For banded systems the cost
 * grows only with the constraints. */
double cst_substep_unit(const cst_system *s) {
  const double q = s->nq, g = s->ng;
  const double elimination = s->model->gram.banded ? 8 * g : 0.07 * (g * g * q + g * g * g);
  return 2 * q + 2 * g + elimination + pairs_cost(s) / 4;
}

int cst_substep_solves(const cst_system *s) { return s->ng > 0 || !cst_has(s, CST_MASS_DIAGONAL); }

int cst_substep_blocks(const cst_system *s) { return cst_has(s, CST_SEPARABLE) ? 1 : 2; }

double cst_substep_newton_cost(const cst_system *s) {
  const double q = s->nq;
  return 8 * (cst_substep_unit(s) + (cst_has(s, CST_LINEAR_V) ? 0 : 0.1 * q * q * q));
}

const cst_core *cst_substep_generic(const cst_substep_row *row, int isa) {
  return cst_lane_form(isa, row->file ? row->file : row->name);
}

const cst_core *cst_substep_core(const cst_substep_row *row, const cst_system *s, int isa) {
  const cst_core *sized = cst_system_form(s, isa, row->name);
  return sized && sized->march ? sized : cst_substep_generic(row, isa);
}

/* ---- programs -------------------------------------------------------------------------------- */

cst_program *cst_program_create(const cst_method *m) {
  cst_program *p = calloc(1, sizeof *p);
  cst_need(p);
  cst_term_expand(cst_method_root(m), p, 1.0);
  return p;
}

cst_program *cst_program_create_on(const cst_method *m, const cst_system *s) {
  cst_program *p = cst_program_create(m);
  for (int i = 0; i < p->n; i++)
    p->step[i] = cst_substep_on(&p->step[i], s);
  return p;
}

cst_prepared *cst_method_prepare(const cst_method *m, const cst_system *s) {
  cst_prepared *p = cst_need(calloc(1, sizeof *p));
  p->method = m;
  p->asked = s;
  p->stepped = cst_method_system(m, s, p->more);
  p->flat = cst_system_flat(s);
  p->properties = cst_method_properties(m, s);
  p->program = cst_program_create_on(m, p->stepped);
  return p;
}

void cst_program_prepared_destroy(cst_prepared *p) {
  if (!p)
    return;
  cst_program_destroy(p->program);
  free(p);
}

const char *cst_program_memory(const cst_program *p) {
  for (int i = 0; i < p->n; i++)
    for (const cst_state_block *b = p->step[i].row->state; b && b->name; b++)
      if (b->q)
        return b->name;
  return NULL;
}

const char *cst_program_kept_only(const cst_program *p) {
  for (int i = 0; i < p->n; i++)
    for (const cst_state_block *b = p->step[i].row->state; b && b->name; b++)
      if (b->q && !p->step[i].row->start)
        return b->name;
  return NULL;
}

void cst_program_destroy(cst_program *p) {
  if (!p)
    return;
  free(p->step);
  free(p);
}

void cst_program_add(cst_program *p, cst_substep step) {
  if (p->n == p->capacity) {
    p->capacity = p->capacity ? 2 * p->capacity : 8;
    p->step = realloc(p->step, sizeof *p->step * (size_t)p->capacity);
    cst_need(p->step);
  }
  p->step[p->n++] = step;
}

bool cst_program_adjoint(cst_program *p, int first) {
  for (int i = first, j = p->n - 1; i < j; i++, j--) {
    cst_substep t = p->step[i];
    p->step[i] = p->step[j];
    p->step[j] = t;
  }
  for (int i = first; i < p->n; i++)
    if (!p->step[i].row->adjoint || !p->step[i].row->adjoint(p->step[i].data))
      return false;
  return true;
}

static bool compose(const cst_program *p, cst_tableau *t) {
  for (int i = 0; i < p->n; i++) {
    const cst_substep *s = &p->step[i];
    const cst_layer   *l = s->row->layer ? s->row->layer(s->data) : NULL;
    if (!l || l->rule || !cst_tableau_compose(t, s->fraction, &l->tableau))
      return false;
  }
  t->order = cst_tableau_order(t);
  return true;
}

bool cst_program_layer(const cst_term *t, cst_layer *l) {
  cst_program p = {0};
  *l = (cst_layer){0};
  cst_term_expand(t, &p, 1.0);
  bool one = compose(&p, &l->tableau);
  free(p.step);
  return one;
}

int cst_program_layer_stages(const cst_layer *l) {
  return l->rule ? l->rule->evaluations : l->tableau.stages;
}

void cst_method_solves(const cst_prepared *p, double *per_step, double *per_iteration) {
  *per_step = *per_iteration = 0;
  for (int i = 0; i < p->program->n; i++) {
    const cst_substep_size size = cst_substep_size_on(&p->program->step[i], p->stepped);
    *per_step += size.solves_fixed;
    *per_iteration = fmax(*per_iteration, size.solves_each);
  }
}

bool cst_method_iterates(const cst_prepared *p) {
  for (int i = 0; i < p->program->n; i++)
    if (cst_substep_size_on(&p->program->step[i], p->stepped).unknowns > 0)
      return true;
  return false;
}

bool cst_program_same_layer(const cst_layer *x, const cst_layer *y) {
  const cst_tableau *t = &x->tableau;
  const cst_tableau *u = &y->tableau;
  if (x->rule || y->rule)
    return x->rule == y->rule;
  if (t->stages != u->stages)
    return false;
  for (int i = 0; i < t->stages; i++)
    if (fabs(t->b[i] - u->b[i]) > 1e-14)
      return false;
  for (int k = 0; k < t->stages * t->stages; k++)
    if (fabs(t->a[k] - u->a[k]) > 1e-14)
      return false;
  return true;
}

static bool same_step(const cst_substep *x, const cst_substep *y) {
  return x->row == y->row && fabs(x->fraction - y->fraction) <= 1e-14 &&
         x->row->same(x->data, y->data);
}

bool cst_program_symmetric(const cst_program *p) {
  cst_program r = {0};
  for (int i = 0; i < p->n; i++)
    cst_program_add(&r, p->step[i]);
  bool same = cst_program_adjoint(&r, 0);
  for (int i = 0; same && i < p->n; i++)
    same = same_step(&p->step[i], &r.step[i]);
  free(r.step);
  return same;
}

static bool all_have(const cst_program *p, unsigned feature) {
  for (int i = 0; i < p->n; i++)
    if (!(p->step[i].row->features & feature))
      return false;
  return true;
}

bool cst_program_compensates(const cst_program *p) { return all_have(p, CST_COMPENSATES); }

bool cst_program_is_built(const cst_program *p, int isa) {
  for (int i = 0; i < p->n; i++)
    if (p->step[i].row->opens ? !p->step[i].row->opens(isa)
                              : !cst_substep_generic(p->step[i].row, isa))
      return false;
  return true;
}

bool cst_program_has(const cst_program *p, unsigned feature) {
  for (int i = 0; i < p->n; i++)
    if (p->step[i].row->features & feature)
      return true;
  return false;
}

bool cst_program_always_compensates(const cst_program *p) {
  return all_have(p, CST_ALWAYS_COMPENSATES);
}

static int add_core(const char *core, const char **name, int n, int most) {
  int k = 0;
  while (k < n && strcmp(name[k], core))
    k++;
  if (k == n && n < most)
    name[n++] = core;
  return n;
}

int cst_program_cores(const cst_program *p, const char **name, int n, int most) {
  for (int i = 0; i < p->n; i++) {
    n = add_core(p->step[i].row->name, name, n, most);
    if (p->step[i].row->solo)
      n = add_core(p->step[i].row->solo, name, n, most);
  }
  return n;
}

unsigned cst_program_iterations(const cst_program *p) {
  unsigned all = 0;
  for (int i = 0; i < p->n; i++)
    all |= p->step[i].row->iterations;
  return all;
}

/* The noise in a step; false if there is none. */
static bool find_noise(const cst_method *m, cst_substep *noise) {
  cst_program *p = cst_program_create(m);
  int          i = 0;
  while (i < p->n && !p->step[i].row->noise)
    i++;
  const bool found = i < p->n;
  if (found)
    *noise = p->step[i];
  cst_program_destroy(p);
  return found;
}

bool cst_method_has_noise(const cst_method *m) {
  CST_REQUIRE(m, false);
  cst_substep x;
  return find_noise(m, &x);
}

bool cst_method_same_noise(const cst_method *m, const cst_method *other) {
  CST_REQUIRE(m && other, false);
  cst_substep x, y;
  const bool  has = find_noise(m, &x);
  const bool  too = find_noise(other, &y);
  return has == too && (!has || same_step(&x, &y));
}

static cst_state_place *find_state(cst_state_place *list, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (!strcmp(list[i].name, name))
      return &list[i];
  return NULL;
}

cst_state_place *cst_program_state(const cst_program *p, const cst_system *s, int at, int *count) {
  cst_state_place *list = cst_need(malloc(((size_t)p->n * CST_MAX_STATE + 1) * sizeof *list));
  *count = 0;
  for (int i = 0; i < p->n; i++)
    for (const cst_state_block *b = p->step[i].row->state; b && b->name; b++) {
      const int        n = b->q * s->nq + b->g * s->ng + b->body * s->model->nbodies + b->one;
      cst_state_place *known = find_state(list, *count, b->name);
      if (!known) {
        list[(*count)++] = (cst_state_place){b->name, at, n};
        at += n;
      }
      if (known && known->n != n)
        abort(); /* two kinds use one name for different blocks */
    }
  return list;
}

/* program.c: a method expression as the list of substeps that one step consists of. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "method/method.h"

cst_program *cst_program_create(const cst_method *m) {
  cst_program *p = calloc(1, sizeof *p);
  if (!p) abort();
  cst_term_expand(cst_method_root(m), p, 1.0);
  return p;
}

void cst_program_destroy(cst_program *p) {
  if (!p) return;
  free(p->step);
  free(p);
}

void cst_program_add(cst_program *p, cst_instruction step) {
  if (p->n == p->capacity) {
    p->capacity = p->capacity ? 2 * p->capacity : 8;
    p->step = realloc(p->step, sizeof *p->step * (size_t)p->capacity);
    if (!p->step) abort();
  }
  p->step[p->n++] = step;
}

/* The adjoint of one substep: A and B change places, a tableau becomes its adjoint, the halves of a conversion change places. */
static bool step_adjoint(cst_instruction *s) {
  double    w = s->w0;
  cst_layer minus = s->layer[0];
  switch (s->core) {
  case CST_CORE_kick:
    s->w0 = s->w1;
    s->w1 = w;
    return s->tangent;
  case CST_CORE_midpoint:
  case CST_CORE_hbvm:
    return true;
  case CST_CORE_rk:
    if (s->layer->rule) return false;
    s->layer->tableau = cst_tableau_adjoint(&s->layer->tableau);
    return true;
  case CST_CORE_convert:
    s->bias = -1 - s->bias;
    s->layer[0] = s->layer[1];
    s->layer[1] = minus;
    return true;
  case CST_CORE_project:
  case CST_CORE_lagrange: /* stands in no program: it steps kicks and midpoints of general systems */
  case CST_CORE_COUNT:
    break;
  }
  return false;
}

bool cst_program_adjoint(cst_program *p, int first) {
  for (int i = first, j = p->n - 1; i < j; i++, j--) {
    cst_instruction t = p->step[i];
    p->step[i] = p->step[j];
    p->step[j] = t;
  }
  for (int i = first; i < p->n; i++)
    if (!step_adjoint(&p->step[i])) return false;
  return true;
}

static bool compose(const cst_program *p, cst_tableau *t) {
  for (int i = 0; i < p->n; i++) {
    const cst_instruction *s = &p->step[i];
    if (s->core != CST_CORE_rk || s->layer->rule || !cst_tableau_compose(t, s->fraction, &s->layer->tableau)) return false;
  }
  t->order = cst_tableau_order(t);
  return true;
}

bool cst_layer_expanded(const cst_term *t, cst_layer *l) {
  cst_program p = {0};
  *l = (cst_layer){0};
  cst_term_expand(t, &p, 1.0);
  bool one = compose(&p, &l->tableau);
  free(p.step);
  return one;
}

bool cst_layer_same(const cst_layer *x, const cst_layer *y) {
  const cst_tableau *t = &x->tableau, *u = &y->tableau;
  if (x->rule || y->rule) return x->rule == y->rule;
  if (t->stages != u->stages) return false;
  for (int i = 0; i < t->stages; i++)
    if (fabs(t->b[i] - u->b[i]) > 1e-14) return false;
  for (int k = 0; k < t->stages * t->stages; k++)
    if (fabs(t->a[k] - u->a[k]) > 1e-14) return false;
  return true;
}

/* Every core by the data that it has: a switch without a default, so that the compiler asks for those of a new one. */
static bool same_data(const cst_instruction *x, const cst_instruction *y) {
  switch (x->core) {
  case CST_CORE_kick:
  case CST_CORE_lagrange:
    return x->w0 == y->w0 && x->w1 == y->w1 && x->tangent == y->tangent;
  case CST_CORE_midpoint:
  case CST_CORE_project:
    return true; /* none */
  case CST_CORE_rk:
    return cst_layer_same(x->layer, y->layer);
  case CST_CORE_convert:
    return fabs(x->bias - y->bias) < 1e-15 && cst_layer_same(&x->layer[0], &y->layer[0]) && cst_layer_same(&x->layer[1], &y->layer[1]);
  case CST_CORE_hbvm:
    return x->k == y->k && x->s == y->s;
  case CST_CORE_COUNT:
    break;
  }
  return false;
}

static bool same_step(const cst_instruction *x, const cst_instruction *y) {
  return x->core == y->core && fabs(x->fraction - y->fraction) <= 1e-14 && same_data(x, y);
}

bool cst_program_symmetric(const cst_program *p) {
  cst_program r = {0};
  for (int i = 0; i < p->n; i++) cst_program_add(&r, p->step[i]);
  bool same = cst_program_adjoint(&r, 0);
  for (int i = 0; same && i < p->n; i++) same = same_step(&p->step[i], &r.step[i]);
  free(r.step);
  return same;
}

bool cst_program_compensates(const cst_program *p) {
  for (int i = 0; i < p->n; i++)
    if (p->step[i].core != CST_CORE_kick && p->step[i].core != CST_CORE_hbvm) return false;
  return true;
}

bool cst_program_always_compensates(const cst_program *p) {
  for (int i = 0; i < p->n; i++)
    if (p->step[i].core != CST_CORE_hbvm) return false;
  return true;
}

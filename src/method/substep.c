/* substep.c: functions for substeps of every kind. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/substep.h"
#include "core/lane-form.h"
#include "method/core.h"
#include <string.h>

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
  for (int k = 0; k < s->npairs; k++)
    n += (double)s->pairs[k].sum.pairs;
  return 150 * n;
}

/* Fitted on one of eight lanes of one machine: sized kicks from 6 (pendulum) to 60 (rigid body). Generic cores
 * are four times slower; the cores account for that, pairs are not affected. For banded systems the cost
 * grows only with the constraints. */
double cst_substep_unit(const cst_system *s) {
  const double q = s->nq, g = s->ng;
  const double elimination = s->gram.banded ? 8 * g : 0.07 * (g * g * q + g * g * g);
  return 2 * q + 2 * g + elimination + pairs_cost(s) / 4;
}

int cst_substep_solves(const cst_system *s) { return s->ng > 0 || !s->diagonal; }

const cst_core *cst_substep_generic(const cst_substep_row *row, int isa) {
  return cst_lane_form(isa, row->file ? row->file : row->name);
}

const cst_core *cst_substep_core(const cst_substep_row *row, const cst_system *s, int isa) {
  const cst_core *sized = cst_system_form(s, isa, row->name);
  return sized && sized->march ? sized : cst_substep_generic(row, isa);
}

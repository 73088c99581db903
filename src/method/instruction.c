/* instruction.c: the size of an instruction on a system, and what it costs. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "method/method.h"

static int most(int a, int b) { return a > b ? a : b; }

cst_core_id cst_instruction_core(const cst_instruction *p, const cst_system *s) {
  return s->general && (p->core == CST_CORE_kick || p->core == CST_CORE_midpoint) ? CST_CORE_lagrange : p->core;
}

static int layer_stages(const cst_layer *l) { return l->rule ? l->rule->evaluations : l->tableau.stages; }

int cst_instruction_stages(const cst_instruction *p, const cst_system *s) {
  if (p->core == CST_CORE_rk) return layer_stages(p->layer);
  if (p->core == CST_CORE_hbvm) return p->k;
  if (p->core == CST_CORE_convert) return most(layer_stages(&p->layer[0]), layer_stages(&p->layer[1]));
  return cst_instruction_core(p, s) == CST_CORE_lagrange && p->core == CST_CORE_kick && p->w0 != 0 && p->w1 != 0 ? 2 : 1;
}

int cst_instruction_unknowns(const cst_instruction *p, const cst_system *s) {
  switch (cst_instruction_core(p, s)) {
  case CST_CORE_kick:
    return s->ng;
  case CST_CORE_rk:
    return p->layer->tableau.implicit ? p->layer->tableau.stages * s->nq : 0;
  case CST_CORE_lagrange:
    return cst_instruction_stages(p, s) * s->nq + s->ng;
  case CST_CORE_convert:
    return 4 * s->nq + 4 * s->ng;
  case CST_CORE_hbvm:
    return 2 * p->s * s->nq + s->ng;
  default:
    return s->nq + s->ng;
  }
}

int cst_instruction_kept(const cst_instruction *p, const cst_system *s) {
  return p->core == CST_CORE_hbvm ? 0 : cst_instruction_unknowns(p, s);
}

double cst_instruction_matrix(const cst_instruction *p, const cst_system *s) {
  const double q = s->nq, g = s->ng, block = p->s * q, newton = (s->general ? 2 : 1) * block + g;
  if (p->core == CST_CORE_hbvm) return newton * newton + block * block;
  if (p->core == CST_CORE_convert && q <= CST_MAX_Q && !s->gram.banded) return 2 * pow(3 * (q + g), 2);
  return 0;
}

/* Values and reverses of the halves that have a length: one of each in a residual. The predictor is one value more, and Newton's matrix
 * takes one point a half, and its variation in 2 nq directions. */
static void conversion_evaluations(const cst_instruction *p, const cst_system *s, double *fixed, double *each) {
  const int minus = p->bias == 0 ? 0 : layer_stages(&p->layer[0]), plus = p->bias == -1 ? 0 : layer_stages(&p->layer[1]);
  const int points = s->nq <= CST_MAX_Q && !s->gram.banded ? (minus > 0) + (plus > 0) : 0;
  *fixed = minus + (minus + plus) + points * (1 + 2 * s->nq);
  *each = 2 * (minus + plus);
}

void cst_instruction_evaluations(const cst_instruction *p, const cst_system *s, double *fixed, double *each) {
  *fixed = *each = 0;
  if (p->core == CST_CORE_convert) {
    conversion_evaluations(p, s, fixed, each);
  } else if (p->core == CST_CORE_hbvm) {
    *fixed = 2; /* at the start: acceleration and force */
    *each = p->k;
  } else if (p->core != CST_CORE_project) {
    const bool again = cst_instruction_core(p, s) == CST_CORE_lagrange || p->core == CST_CORE_midpoint || p->layer->tableau.implicit;
    *fixed = cst_instruction_stages(p, s);
    *each = again ? *fixed : 0;
  }
}

/* Fitted on a lane of eight of one machine: hot kicks from 6 (pendulum) to 60 (rigid body), generic cores four times slower. */
double cst_instruction_cost(const cst_instruction *p, const cst_system *s) {
  const double q = s->nq, g = s->ng, unit = 2 * q + 2 * g + 0.07 * (g * g * q + g * g * g), generic = 4, iterations = 5;
  double       fixed, each;
  cst_instruction_evaluations(p, s, &fixed, &each);
  switch (cst_instruction_core(p, s)) {
  case CST_CORE_kick:
    return s->gram.banded ? 4 * (q + 3 * g) : unit;
  case CST_CORE_lagrange:
    return generic * (unit + 0.03 * pow(cst_instruction_unknowns(p, s), 3));
  case CST_CORE_rk:
    return generic * layer_stages(p->layer) * (p->layer->tableau.implicit ? iterations : 1) * unit;
  case CST_CORE_hbvm:
    return s->general ? (fixed + 2 * iterations * each) * generic * unit : 0.5 * (fixed + iterations * each) * unit;
  case CST_CORE_convert:
    if (s->nq > CST_MAX_Q || s->gram.banded) return 40 * each * 4 * (q + 3 * g);
    return 0.5 * generic * (fixed + iterations * each) * unit + 0.05 * pow(q + g, 3);
  default:
    return generic * 2 * (unit + (s->linear_v ? 0 : 0.1 * q * q * q));
  }
}

/* plan-stages.c: the parameters of each stage, and what depends on those that change (see plan-stages.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/plan/plan-stages.h"
#include <math.h>
#include <stdlib.h>
#include "study/rows/collector.h"

const cst_stages *cst_stages_of(const cst_plan *p) {
  return p->study->collected[CST_COLLECTOR(stages)];
}

long cst_stages_end(const cst_plan *p, const cst_class *k, int i) {
  const cst_stages *s = cst_stages_of(p);
  return i < s->n - 1 ? lround(s->until[i] / p->cases[k->cases[0]].h_nominal) : k->n;
}

const double *cst_stages_parameters(const cst_plan *p, const cst_class *k, int variant, long step) {
  const cst_stages *s = cst_stages_of(p);
  int               i = 0;
  if (!s->n)
    return cst_plan_parameters(p, variant);
  while (i < s->n - 1 && cst_stages_end(p, k, i) <= step)
    i++;
  return s->parameter[i] + (size_t)variant * (size_t)p->study->problem.system->npar;
}

/* ---- what changes ---------------------------------------------------------------------------- */

bool cst_stages_change(const cst_plan *p, cst_node x) {
  const cst_stages *s = cst_stages_of(p);
  int              *index,
      n = s->n ? cst_graph_support(p->study->problem.system->model->graph, x, 'c', &index) : 0;
  bool found = false;
  for (int i = 0; i < n; i++)
    found |= index[i] < p->study->problem.system->npar && s->changed[index[i]];
  if (n)
    free(index);
  return found;
}

bool cst_stages_change_momentum(const cst_plan *p) {
  const cst_system *s = p->study->problem.system;
  const long        n = cst_system_masses(s);
  bool              found = false;
  for (long i = 0; i < n && !found && cst_stages_of(p)->n; i++)
    found = cst_stages_change(p, s->model->mass[i]);
  for (int i = 0; cst_has(s, CST_GYROSCOPIC) && i < s->nq && !found && cst_stages_of(p)->n; i++)
    found = cst_stages_change(p, s->model->a[i]);
  return found;
}

/* Sums over pairs are taken to change. */
bool cst_stages_change_energy(const cst_plan *p) {
  const cst_system *s = p->study->problem.system;
  if (!cst_stages_of(p)->n)
    return false;
  return s->model->npairs > 0 || cst_stages_change(p, s->model->V) || cst_stages_change_momentum(p);
}

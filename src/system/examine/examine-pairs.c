/* examine-pairs.c: checks sums over too many pairs to expand: numerically, without complex steps.
 *
 * dV is compared with central differences of V, both of which add up the pairs; V is invariant under a
 * symmetry if dV.xi vanishes.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "system/examine/examiner.h"

/* STEP: relative to the largest coordinate, along a random direction */
static const double NEARLY = 1e-6, EXACT = 1e-10, STEP = 1e-4;

static double dot(const double *x, const double *y, int n, double *size) {
  double sum = 0;
  *size = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * y[i];
    *size += fabs(x[i] * y[i]);
  }
  return sum;
}

/* V at q + h w. */
static double value_at(const cst_examiner *e, const cst_point *p, double h, double *q) {
  double V;
  for (int i = 0; i < e->s->nq; i++)
    q[i] = p->q[i] + h * p->w[i];
  cst_system_eval_at(e->s, CST_K_V, e->c, q, &V);
  return V;
}

/* By differences of sixth order. */
static bool is_slope(const cst_examiner *e, const cst_point *p, const double *dV) {
  static const double weight[] = {45, -9, 1};
  const cst_system   *s = e->s;
  const int           nq = s->nq;
  double             *q = cst_linear_numbers(nq);
  double              sum = 0, size;
  const double        size_q = cst_examine_largest(p->q, nq);
  const double        size_w = cst_examine_largest(p->w, nq);
  double              h = STEP * size_q / size_w;
  for (int k = 1; k <= 3; k++) {
    const double ahead = value_at(e, p, k * h, q);
    const double behind = value_at(e, p, -k * h, q);
    sum += weight[k - 1] * (ahead - behind);
  }
  const double slope = dot(dV, p->w, nq, &size);
  free(q);
  return fabs(sum / (60 * h) - slope) <= NEARLY * size;
}

static void check_symmetry(cst_examiner *e, int k, const cst_point *p, const double *dV,
                           bool *said) {
  const cst_system  *s = e->s;
  const cst_pattern *P = &s->pattern[CST_K_xi];
  double            *entry = cst_linear_numbers(P->n);
  double            *xi = cst_linear_numbers(s->nq);
  double             size;
  char               topic[200];
  cst_system_eval_at(s, CST_K_xi, e->c, p->q, entry);
  CST_EACH_ENTRY(P, k, at)
    xi[P->column[at]] = entry[at];
  const double change = dot(dV, xi, s->nq, &size);
  snprintf(topic, sizeof topic, "symmetry %s", s->symmetry[k]);
  if (!(fabs(change) <= EXACT * size) && !*said) {
    cst_examine_say(e, CST_FAULT, topic, "V changes along it: %.3g of its size",
                    fabs(change) / size);
    *said = true;
  }
  free(entry);
  free(xi);
}

void cst_examine_pairs(cst_examiner *e) {
  const cst_system *s = e->s;
  bool              good = true;
  bool              said[CST_MAX_SYM] = {false};
  if (!s->npairs || s->bent)
    return;
  for (int i = 0; i < e->npoint; i++) {
    double *dV = cst_linear_numbers(s->nq);
    cst_system_eval_at(s, CST_K_dV, e->c, e->point[i].q, dV);
    good &= is_slope(e, &e->point[i], dV);
    for (int k = 0; k < s->nsym; k++)
      check_symmetry(e, k, &e->point[i], dV, &said[k]);
    free(dV);
  }
  if (!good)
    cst_examine_say(e, CST_FAULT, "derivatives",
                    "dV is not the derivative of V by central differences");
}

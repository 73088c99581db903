/* tableau-compose.c: tableaus made of tableaus: the adjoint of one, one after another. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "tableau/tableau.h"

bool cst_tableau_implicit(const cst_tableau *t) {
  for (int i = 0; i < t->stages; i++)
    for (int j = i; j < t->stages; j++)
      if (t->a[i * t->stages + j] != 0)
        return true;
  return false;
}

cst_tableau cst_tableau_adjoint(const cst_tableau *t) {
  cst_tableau r = *t;
  const int   s = t->stages;
  r.name = "adjoint";
  for (int i = 0; i < s; i++) {
    r.b[i] = t->b[s - 1 - i];
    r.c[i] = 1 - t->c[s - 1 - i];
    for (int j = 0; j < s; j++)
      r.a[i * s + j] = t->b[s - 1 - j] - t->a[(s - 1 - i) * s + (s - 1 - j)];
  }
  r.implicit = cst_tableau_implicit(&r);
  return r;
}

/* The rows of a stage of `next`: all of t's step first, then its own part. */
static void append_stage(cst_tableau *r, const cst_tableau *t, double fraction,
                         const cst_tableau *next, int i) {
  const int m = t->stages, n = next->stages;
  double   *row = r->a + (m + i) * r->stages;
  double    start = 0;
  for (int j = 0; j < m; j++)
    start += row[j] = t->b[j];
  for (int j = 0; j < n; j++)
    row[m + j] = fraction * next->a[i * n + j];
  r->b[m + i] = fraction * next->b[i];
  r->c[m + i] = start + fraction * next->c[i];
}

bool cst_tableau_compose(cst_tableau *t, double fraction, const cst_tableau *next) {
  const int   m = t->stages;
  const int   s = m + next->stages;
  cst_tableau r = {.name = "compose",
                   .doc = "A composition.",
                   .source = "",
                   .stages = s,
                   .implicit = t->implicit || next->implicit};
  if (s > CST_MAX_STAGES)
    return false;
  for (int i = 0; i < m; i++) {
    r.b[i] = t->b[i];
    r.c[i] = t->c[i];
    for (int j = 0; j < m; j++)
      r.a[i * s + j] = t->a[i * m + j];
  }
  for (int i = 0; i < next->stages; i++)
    append_stage(&r, t, fraction, next, i);
  *t = r;
  return true;
}

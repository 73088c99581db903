/* energy-leap.c: says where a trajectory that did not fail has an energy error as large as its energy (see
 * energy-leap.h).
 *
 * The parts of the energy, |T| + |V - V(q(0))|, are exchanged in a motion that keeps it. An error of more than
 * half of their largest sum cannot be an error of an orbit near the true one. Systems with forces or with time
 * in the potential, and methods with noise, do not keep the energy and are left out.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/energy-leap.h"
#include <math.h>
#include <stdio.h>
#include "study/plan/plan-stages.h"
#include "study/result/parts.h"
#include "study/plan/clock.h"
#include "core/need.h"

#define HALF 0.5
#define ROUNDING                                                                                   \
  1e-12 /* of the energy at the start; of a system at rest no part of it is exchanged */

/* When the mean over a window first differs by half of the largest error; the end, where no windows are kept. */
static cst_error find_time(cst_case_rows *rows, int energy, cst_energy_leaps *l) {
  const cst_plan *p = rows->plan;
  const cst_case *c = &p->cases[rows->icase];
  double         *x;
  l->time = cst_clock_of(c, (double)c->n);
  if (!cst_study_needs(p->study, CST_NEEDS_WINDOWS))
    return 0;
  x = cst_zeros(p->study->members * CST_WINDOWS, sizeof *x);
  CST_TRY(cst_case_rows_windows(rows, energy, x));
  for (int w = CST_WINDOWS - 1; w >= 0; w--)
    if (fabs(x[l->at.member * CST_WINDOWS + w]) > HALF * l->error)
      l->time = cst_clock_of(c, (double)c->n) * (w + 1) / CST_WINDOWS;
  free(x);
  return 0;
}

static cst_error look_at(cst_case_rows *rows, int energy, cst_energy_leaps *l) {
  const double *summary;
  double        worst = l->share;
  CST_TRY(cst_case_rows_summary(rows, energy, &summary));
  for (long m = 0; m < rows->plan->study->members; m++) {
    const double *f = summary + m * CST_SUMMARY_NUMBERS;
    const double  share = f[CST_SUMMARY_DRIFT] / f[CST_SUMMARY_SCALE];
    if (!rows->good[m] || !(share > HALF) ||
        f[CST_SUMMARY_DRIFT] <= ROUNDING * fabs(f[CST_SUMMARY_START]))
      continue;
    l->at.count++;
    if (share <= l->share)
      continue;
    l->share = share;
    l->error = f[CST_SUMMARY_DRIFT];
    l->at.member = m;
    l->at.icase = rows->icase;
  }
  if (l->share > worst)
    CST_TRY(find_time(rows, energy, l));
  return 0;
}

cst_error cst_energy_leap_look(cst_case_rows *rows, int i, cst_energy_leaps *l) {
  const cst_plan  *p = rows->plan;
  const cst_study *s = p->study;
  if (s->system->nforce || s->system->timed ||
      cst_method_has_noise(s->method[p->cases[i].method]) || cst_stages_change_energy(p))
    return 0;
  CST_TRY(cst_case_rows_open(rows, i));
  CST_TRY(look_at(rows, cst_parts_quantity_find(p, "energy"), l));
  return 0;
}

/* The worse of two; of equal ones that of the first case, so that ranks do not matter. */
static bool is_worse(const void *one, const void *other) {
  const cst_energy_leaps *a = one, *b = other;
  return a->share != b->share ? a->share > b->share : a->at.icase < b->at.icase;
}

cst_error cst_energy_leap_tell(const cst_plan *p, const cst_energy_leaps *l, char *text, size_t n) {
  const cst_study *s = p->study;
  cst_energy_leaps worst;
  const char      *unit = cst_system_unit(s->system, "time");
  CST_TRY(cst_found_gather(l, sizeof *l, is_worse, &worst));
  *text = 0;
  if (worst.at.count)
    snprintf(text, n,
             "the energy of %ld trajectories changed by more than half of its "
             "parts: that of member %ld of %s, step %.5g%s, by %.3g%s before t = "
             "%.5g%s",
             worst.at.count, worst.at.member,
             cst_method_label(s->method[p->cases[worst.at.icase].method]),
             p->cases[worst.at.icase].h_nominal, unit, worst.error,
             cst_system_unit(s->system, "energy"), worst.time, unit);
  return 0;
}

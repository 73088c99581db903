/* examine-consistency.c: checks whether a state satisfies the constraints. If not, reports the largest
 * violation, and the projected state in a form that can be copied. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "system/examine/examiner.h"
#include "system/point/worst.h"

static const double CONSISTENT = 1e-10; /* scaled: a run refuses larger residuals */
enum { WHY = 200, PASTED = 60 };        /* most coordinates of a printed state */

static void offer_projected(cst_examiner *e, const char *topic, const double *q0,
                            const double *v0) {
  const cst_system *s = e->s;
  const int         n = s->nq;
  double           *q = cst_linear_numbers(n);
  double           *v = cst_linear_numbers(n);
  cst_linear_copy(q, q0, n);
  cst_linear_copy(v, v0, n);
  if (!cst_system_project(s, e->c, q, v))
    cst_examine_say(e, CST_NOTE, topic,
                    "no point of the constraints near q was found; check the constraint with the "
                    "largest residual");
  else {
    double moved = 0;
    for (int i = 0; i < n; i++)
      moved = fmax(moved, fabs(q[i] - q0[i]));
    char *state = NULL;
    if (n <= PASTED)
      state = cst_worst_state(s, q, v);
    const char *separator = state ? ": " : "";
    const char *advice = state ? state : "; in a study: `initial: {q: ..., v: ..., project: true}`";
    cst_examine_say(e, CST_NOTE, topic, "projection moves it by at most %.3g in a coordinate%s%s%s",
                    moved, separator, advice, "");
    free(state);
  }
  free(q);
  free(v);
}

void cst_examine_consistency(cst_examiner *e, const char *topic, const double *q, const double *v) {
  const cst_system *s = e->s;
  cst_worst         g, gv;
  char              why[WHY];
  if (!s->ng)
    return;
  cst_system_worst(s, e->c, q, v, &g, &gv);
  cst_examine_say(e, CST_FACT, topic, "|g| %.2g (scaled %.2g), |Gv| %.2g (scaled %.2g)", g.raw,
                  g.scaled, gv.raw, gv.scaled);
  const bool on = g.scaled <= CONSISTENT;
  const bool along = gv.scaled <= CONSISTENT;
  if (!on)
    cst_examine_say(
        e, CST_FAULT, topic,
        "q does not satisfy the constraints: |g| %.3g, scaled %.3g, %s; at most %g is consistent",
        g.raw, g.scaled, cst_worst_say(s, &g, why, sizeof why), CONSISTENT);
  if (!along)
    cst_examine_say(
        e, CST_FAULT, topic,
        "v does not satisfy Gv = 0: |Gv| %.3g, scaled %.3g, %s; at most %g is consistent", gv.raw,
        gv.scaled, cst_worst_say(s, &gv, why, sizeof why), CONSISTENT);
  if (!on || !along)
    offer_projected(e, topic, q, v);
}

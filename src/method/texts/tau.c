/* tau.c: retractions of the rotation group from text: made, checked, kept by their texts, and bound to lanes
 * (map.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/tape-lanes.h"
#include "method/texts/map.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper/stepper-internal.h"

enum { OF_AXES = 39 }; /* values of a retraction of axes */

/* out[3] := f, f', f''; false with *e filled at a mistake. */
static bool read_one(cst_graph *g, const cst_wording *w, cst_node *out, cst_expr_error *e) {
  const cst_node    s = cst_graph_input(g, 'q', 0), one = cst_graph_constant(g, 1);
  const cst_binding known[] = {{.name = "s", .node = s}};
  cst_graph_define(g, w->define, w->ndefine);
  const cst_node t = cst_expr_parse(g, w->side[0][0], known, 1, e);
  cst_graph_define(g, NULL, 0);
  if (t < 0)
    return false;
  out[0] = cst_graph_mul(g, cst_graph_constant(g, 2), t);
  for (int k = 0; k < 2; k++)
    cst_graph_tangent(g, out + k, 1, &s, &one, 1, out + k + 1);
  return true;
}

/* phi in x[3], its derivatives and theirs. */
static bool read_axes(cst_graph *g, const cst_wording *w, cst_node *out, int *entry,
                      cst_expr_error *e) {
  cst_node x[3], dx[3];
  for (int i = 0; i < 3; i++)
    x[i] = cst_graph_input(g, 'q', i);
  const cst_binding known[] = {{.name = "x", .entry = x, .count = 3}};
  cst_graph_define(g, w->define, w->ndefine);
  for (*entry = 0; *entry < 3; ++*entry) {
    const cst_node t = cst_expr_parse(g, w->side[0][*entry], known, 1, e);
    if (t < 0)
      break;
    out[*entry] = cst_graph_mul(g, cst_graph_constant(g, 2), t);
  }
  cst_graph_define(g, NULL, 0);
  if (*entry < 3)
    return false;
  for (int k = 0; k < 3; k++) {
    cst_node slope[9];
    for (int i = 0; i < 3; i++)
      dx[i] = cst_graph_constant(g, i == k);
    cst_graph_tangent(g, out, 3, x, dx, 3, slope);
    for (int i = 0; i < 3; i++)
      out[3 + 3 * i + k] = slope[i];
  }
  for (int m = 0; m < 3; m++) {
    cst_node slope[9];
    for (int i = 0; i < 3; i++)
      dx[i] = cst_graph_constant(g, i == m);
    cst_graph_tangent(g, out + 3, 9, x, dx, 3, slope);
    for (int i = 0; i < 9; i++)
      out[12 + 3 * i + m] = slope[i];
  }
  return true;
}

static bool read(cst_graph *g, const cst_wording *w, cst_node *out, int *entry, cst_expr_error *e) {
  *entry = 0;
  return w->n ? read_axes(g, w, out, entry, e) : read_one(g, w, out, e);
}

static int values_of(const cst_wording *w) { return w->n ? OF_AXES : 3; }

/* phi(0) = 0 and D phi(0) = 1. */
static bool check_axes(const cst_tape *tape, int *entry, cst_expr_error *e) {
  const double  zero[3] = {0};
  const double *in[128] = {['q'] = zero};
  double        value[OF_AXES];
  cst_evaluate_tape(tape, in, value);
  e->offset = 0;
  for (int k = 0; k < OF_AXES; k++) {
    const double want = k >= 3 && k < 12 && (k - 3) % 4 == 0;
    *entry = k < 3 ? k : k < 12 ? (k - 3) / 3 : (k - 12) / 9;
    if (!isfinite(value[k]))
      snprintf(e->message, sizeof e->message,
               "the tangent of a retraction and two derivatives by x must be numbers at x = 0 (a "
               "square root of x'x has none; write a series)");
    else if (k < 3 && fabs(value[k]) > 1e-12)
      snprintf(
          e->message, sizeof e->message,
          "the tangent of a retraction, tan(angle/2) along the axis, must be 0 at x = 0; it is "
          "%.6g",
          value[k] / 2);
    else if (k >= 3 && k < 12 && fabs(value[k] - want) > 1e-12)
      snprintf(e->message, sizeof e->message,
               "the derivative of the tangent of a retraction by x[%d] must be %s at x = 0; it is "
               "%.6g",
               (k - 3) % 3 + 1, want > 0 ? "1/2" : "0", value[k] / 2);
    else
      continue;
    return false;
  }
  return true;
}

static bool check(const cst_tape *tape, cst_expr_error *e) {
  const double  s = 0;
  const double *in[128] = {['q'] = &s};
  double        value[3];
  cst_evaluate_tape(tape, in, value);
  e->offset = 0;
  if (!isfinite(value[0]) || !isfinite(value[1]) || !isfinite(value[2]))
    snprintf(
        e->message, sizeof e->message,
        "the tangent of a retraction and two derivatives by s must be numbers at s = 0 (a square "
        "root of s has none; write a series)");
  else if (fabs(value[0] - 1) > 1e-12)
    snprintf(
        e->message, sizeof e->message,
        "the tangent of a retraction, tan(angle/2)/|x| at s = |x|^2, must be 1/2 at s = 0; it is "
        "%.6g",
        value[0] / 2);
  else
    return true;
  return false;
}

const cst_text *cst_tau_make(cst_layers *l, const cst_wording *w, int *entry, cst_expr_error *e) {
  cst_node        out[OF_AXES];
  const cst_text *made = cst_text_find(l, w);
  if (made)
    return made;
  cst_graph *g = cst_graph_create();
  if (read(g, w, out, entry, e)) {
    cst_tape *tape = cst_tape_create(g, out, values_of(w));
    if (w->n ? check_axes(tape, entry, e) : check(tape, e))
      made = cst_text_keep(l, w, NULL, NULL);
    cst_tape_destroy(tape);
  }
  cst_graph_destroy(g);
  return made;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

typedef struct {
  cst_text_bound of;
  cst_tape      *tape;
  cst_lane_tau   lane;
} bound;

static void end(void *made) {
  bound *x = made;
  cst_tape_destroy(x->tape);
  free(x->lane.scratch);
  free(x);
}

static void *make(const cst_lane_binding *b, const cst_text *t, bool adjoint) {
  (void)adjoint;
  cst_node       out[OF_AXES];
  int            entry;
  cst_expr_error none;
  bound         *x = cst_zeros(1, sizeof *x);
  cst_graph     *g = cst_graph_create();
  read(g, &t->of, out, &entry, &none);
  x->tape = cst_tape_create(g, out, values_of(&t->of));
  x->lane = (cst_lane_tau){cst_tape_lanes_of(b->isa)->run, x->tape,
                           cst_text_scratch(cst_tape_registers(x->tape))};
  cst_graph_destroy(g);
  return x;
}

cst_error cst_tau_bind(const cst_lane_binding *b, const cst_text *t, cst_lane_tau *to) {
  *to = t ? ((const bound *)cst_text_bind(b, t, false, make, end))->lane : (cst_lane_tau){0};
  return 0;
}

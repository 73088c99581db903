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

struct cst_tau {
  int             n; /* texts: 1, or 3 of axes */
  char           *text[3];
  cst_definition *define;
  int             ndefine, number;
  struct cst_tau *next;
};

/* The retractions so far, the newest first. */
static cst_tau *registry;

static bool same(const cst_tau *x, const char *const *text, int n, const cst_definition *define,
                 int ndefine) {
  bool same = x->n == n && x->ndefine == ndefine;
  for (int i = 0; same && i < n; i++)
    same = !strcmp(x->text[i], text[i]);
  for (int i = 0; same && i < ndefine; i++)
    same = !strcmp(x->define[i].name, define[i].name) && !strcmp(x->define[i].text, define[i].text);
  return same;
}

/* out[3] := f, f', f''; false with *e filled at a mistake. */
static bool read_one(cst_graph *g, const char *text, const cst_definition *define, int ndefine,
                     cst_node *out, cst_expr_error *e) {
  const cst_node    s = cst_graph_input(g, 'q', 0), one = cst_graph_constant(g, 1);
  const cst_binding known[] = {{.name = "s", .node = s}};
  cst_graph_define(g, define, ndefine);
  const cst_node t = cst_expr_parse(g, text, known, 1, e);
  cst_graph_define(g, NULL, 0);
  if (t < 0)
    return false;
  out[0] = cst_graph_mul(g, cst_graph_constant(g, 2), t);
  for (int k = 0; k < 2; k++)
    cst_graph_tangent(g, out + k, 1, &s, &one, 1, out + k + 1);
  return true;
}

/* phi in x[3], its derivatives and theirs. */
static bool read_axes(cst_graph *g, const char *const *text, const cst_definition *define,
                      int ndefine, cst_node *out, int *entry, cst_expr_error *e) {
  cst_node x[3], dx[3];
  for (int i = 0; i < 3; i++)
    x[i] = cst_graph_input(g, 'q', i);
  const cst_binding known[] = {{.name = "x", .entry = x, .count = 3}};
  cst_graph_define(g, define, ndefine);
  for (*entry = 0; *entry < 3; ++*entry) {
    const cst_node t = cst_expr_parse(g, text[*entry], known, 1, e);
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

static bool read(cst_graph *g, const char *const *text, int n, const cst_definition *define,
                 int ndefine, cst_node *out, int *entry, cst_expr_error *e) {
  *entry = 0;
  return n == 3 ? read_axes(g, text, define, ndefine, out, entry, e)
                : read_one(g, text[0], define, ndefine, out, e);
}

static int values_of(int n) { return n == 3 ? OF_AXES : 3; }

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

static cst_tau *keep(const char *const *text, int n, const cst_definition *define, int ndefine) {
  cst_tau *t = cst_zeros(1, sizeof *t);
  *t = (cst_tau){.n = n,
                 .define = cst_zeros(ndefine + 1, sizeof *define),
                 .ndefine = ndefine,
                 .number = registry ? registry->number + 1 : 1,
                 .next = registry};
  for (int i = 0; i < n; i++)
    t->text[i] = cst_need(strdup(text[i]));
  for (int i = 0; i < ndefine; i++)
    t->define[i] = (cst_definition){.name = cst_need(strdup(define[i].name)),
                                    .text = cst_need(strdup(define[i].text))};
  return registry = t;
}

const cst_tau *cst_tau_make(const char *const *text, int n, const cst_definition *define,
                            int ndefine, int *entry, cst_expr_error *e) {
  cst_node out[OF_AXES];
  cst_tau *made = NULL;
  for (const cst_tau *t = registry; t; t = t->next)
    if (same(t, text, n, define, ndefine))
      return t;
  cst_graph *g = cst_graph_create();
  if (read(g, text, n, define, ndefine, out, entry, e)) {
    cst_tape *tape = cst_tape_create(g, out, values_of(n));
    if (n == 3 ? check_axes(tape, entry, e) : check(tape, e))
      made = keep(text, n, define, ndefine);
    cst_tape_destroy(tape);
  }
  cst_graph_destroy(g);
  return made;
}

int  cst_tau_number(const cst_tau *t) { return t->number; }
bool cst_tau_is_of_axes(const cst_tau *t) { return t->n == 3; }

char *cst_tau_text(const cst_tau *t) {
  char  *text;
  size_t length;
  FILE  *f = cst_need(open_memstream(&text, &length));
  if (t->n == 3)
    fprintf(f, "{tangent: [%s, %s, %s]}", t->text[0], t->text[1], t->text[2]);
  else
    fprintf(f, "{tangent: %s}", t->text[0]);
  fclose(f);
  return text;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

typedef struct {
  const cst_tau *tau;
  cst_tape      *tape;
  cst_lane_tau   lane;
} bound;

static void end(void *made) {
  bound *x = made;
  cst_tape_destroy(x->tape);
  free(x->lane.scratch);
  free(x);
}

static bound *make(const cst_tau *t, int isa) {
  cst_node       out[OF_AXES];
  int            entry;
  cst_expr_error none;
  bound         *x = cst_zeros(1, sizeof *x);
  cst_graph     *g = cst_graph_create();
  read(g, (const char *const *)t->text, t->n, t->define, t->ndefine, out, &entry, &none);
  x->tau = t;
  x->tape = cst_tape_create(g, out, values_of(t->n));
  const int n = cst_tape_registers(x->tape);
  x->lane = (cst_lane_tau){
      cst_tape_lanes_of(isa)->run, x->tape,
      cst_need(aligned_alloc(8 * CST_W_MAX, 8 * CST_W_MAX * (size_t)(n > 0 ? n : 1)))};
  cst_graph_destroy(g);
  return x;
}

cst_error cst_tau_bind(const cst_lane_binding *b, const cst_tau *t, cst_lane_tau *to) {
  cst_stepper *st = b->stepper;
  *to = (cst_lane_tau){0};
  if (!t)
    return 0;
  for (int i = 0; i < st->nshared; i++) {
    const bound *x = st->shared[i].made;
    if (st->shared[i].end == end && x->tau == t) {
      *to = x->lane;
      return 0;
    }
  }
  bound *x = make(t, b->isa);
  st->shared = cst_need(realloc(st->shared, (size_t)(st->nshared + 1) * sizeof *st->shared));
  st->shared[st->nshared++] = (cst_stepper_shared){.end = end, .made = x};
  *to = x->lane;
  return 0;
}

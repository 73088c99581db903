/* tau.c: retractions of the rotation group from text: made, checked, kept by their texts, and bound to lanes
 * (tau.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/tau.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper-internal.h"

struct cst_tau {
  char           *text;
  cst_definition *define;
  int             ndefine, number;
  struct cst_tau *next;
};

/* The retractions so far, the newest first. */
static cst_tau *registry;

static bool same(const cst_tau *x, const char *text, const cst_definition *define, int ndefine) {
  bool same = !strcmp(x->text, text) && x->ndefine == ndefine;
  for (int i = 0; same && i < ndefine; i++)
    same = !strcmp(x->define[i].name, define[i].name) && !strcmp(x->define[i].text, define[i].text);
  return same;
}

/* out[3] := f, f', f''; false with *e filled at a mistake. */
static bool read(cst_graph *g, const char *text, const cst_definition *define, int ndefine,
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

static cst_tau *keep(const char *text, const cst_definition *define, int ndefine) {
  cst_tau *t = cst_zeros(1, sizeof *t);
  *t = (cst_tau){cst_need(strdup(text)), cst_zeros(ndefine + 1, sizeof *define), ndefine,
                 registry ? registry->number + 1 : 1, registry};
  for (int i = 0; i < ndefine; i++)
    t->define[i] = (cst_definition){.name = cst_need(strdup(define[i].name)),
                                    .text = cst_need(strdup(define[i].text))};
  return registry = t;
}

const cst_tau *cst_tau_make(const char *text, const cst_definition *define, int ndefine,
                            cst_expr_error *e) {
  cst_node out[3];
  cst_tau *made = NULL;
  for (const cst_tau *t = registry; t; t = t->next)
    if (same(t, text, define, ndefine))
      return t;
  cst_graph *g = cst_graph_create();
  if (read(g, text, define, ndefine, out, e)) {
    cst_tape *tape = cst_tape_create(g, out, 3);
    if (check(tape, e))
      made = keep(text, define, ndefine);
    cst_tape_destroy(tape);
  }
  cst_graph_destroy(g);
  return made;
}

int cst_tau_number(const cst_tau *t) { return t->number; }

char *cst_tau_text(const cst_tau *t) {
  char  *text;
  size_t length;
  FILE  *f = cst_need(open_memstream(&text, &length));
  fprintf(f, "{tangent: %s}", t->text);
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
  static void (*const run[CST_ISA_COUNT])(const cst_tape *, const double *const[128], double *,
                                          double *) = {
#define X(isa, lanes) cst_tape_run_##isa,
      CST_ISA_LIST(X)
#undef X
  };
  cst_node       out[3];
  cst_expr_error none;
  bound         *x = cst_zeros(1, sizeof *x);
  cst_graph     *g = cst_graph_create();
  read(g, t->text, t->define, t->ndefine, out, &none);
  x->tau = t;
  x->tape = cst_tape_create(g, out, 3);
  const int n = cst_tape_registers(x->tape);
  x->lane = (cst_lane_tau){
      run[isa], x->tape,
      cst_need(aligned_alloc(8 * CST_W_MAX, 8 * CST_W_MAX * (size_t)(n > 0 ? n : 1)))};
  cst_graph_destroy(g);
  return x;
}

PetscErrorCode cst_tau_bind(const cst_lane_binding *b, const cst_tau *t, cst_lane_tau *to) {
  cst_stepper *st = b->stepper;
  PetscFunctionBegin;
  *to = (cst_lane_tau){0};
  if (!t)
    PetscFunctionReturn(0);
  for (int i = 0; i < st->nshared; i++) {
    const bound *x = st->shared[i].made;
    if (st->shared[i].end == end && x->tau == t) {
      *to = x->lane;
      PetscFunctionReturn(0);
    }
  }
  bound *x = make(t, b->isa);
  st->shared = cst_need(realloc(st->shared, (size_t)(st->nshared + 1) * sizeof *st->shared));
  st->shared[st->nshared++] = (cst_stepper_shared){.end = end, .made = x};
  *to = x->lane;
  PetscFunctionReturn(0);
}

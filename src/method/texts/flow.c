/* flow.c: makes value, tangent, reverse and second kernels from the formulas of a step, interpreted over
 * lanes (see flow.h).
 *
 * The formulas are made in a copy of the system's graph, which is freed when the tapes are written, so they
 * do not stay with the system, and methods do not share space in the graph.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/need.h"
#include "expr/tape-lanes.h"
#include "method/texts/flow.h"
#include <stdio.h>
#include <stdlib.h>
#include "system/field.h"

/* The `self` of the kernels: their tapes, and how this instruction set runs them. */
typedef struct {
  void (*run)(const cst_tape *t, const double *const in[128], double *out, double *scratch);
  cst_tape *tape[CST_FLOW_COUNT];
  double   *scratch;
} programs;

struct cst_flow {
  programs self;
};

enum {
  N = CST_MAX_Q,
  MOST = 200000 /* operations; the derivatives take up to fifteen times as many */
};
static const char too_large[] = "take more operations than can be differentiated";

/* Zeroed memory. */
static void *memory(size_t n, size_t size) {
  void *p = calloc(n, size);
  cst_need(p);
  return p;
}

#define EACH(X) X(value) X(tangent) X(reverse) X(second)
#define X(name)                                                                                    \
  static void flow_##name(const void *self, const double *c, const double *q, const double *v,     \
                          const double *w, const double *u, const double *l, double *o) {          \
    const programs *p = self;                                                                      \
    const double   *in[128]; /* tapes read only these letters */                                   \
    in['c'] = c, in['q'] = q, in['v'] = v, in['w'] = w, in['u'] = u, in['l'] = l;                  \
    p->run(p->tape[CST_FLOW_##name], in, o, p->scratch);                                           \
  }
EACH(X)
#undef X

static cst_kernel *const kernels[CST_FLOW_COUNT] = {
#define X(name) [CST_FLOW_##name] = flow_##name,
    EACH(X)
#undef X
};

/* A system with its own graph, the inputs, and the formulas. */
typedef struct {
  cst_system       s;
  cst_system_model model;
  int              n;
  cst_node         state[2 * N], x[N], along[3 * N], t,
      seed;                    /* (q, v); covector; directions (dq, dv, dx); s */
  cst_node      end[2 * N], S; /* (q1, v1) */
  cst_flow_work work;
} workshop;

static void inputs(cst_graph *g, char array, int n, cst_node *x) {
  for (int i = 0; i < n; i++)
    x[i] = cst_graph_input(g, array, i);
}

static workshop *open_workshop(const cst_flow_rule *rule, const cst_system *s) {
  workshop *w = memory(1, sizeof *w);
  w->model = *s->model;
  w->s = *s;
  w->s.model = &w->model;
  w->n = s->nq;
  cst_graph *g = w->s.model->graph = cst_graph_copy(s->model->graph);
  inputs(g, 'q', w->n, w->state);
  inputs(g, 'v', w->n, w->state + w->n);
  inputs(g, 'w', w->n, w->x);
  inputs(g, 'u', 3 * w->n, w->along);
  w->t = cst_graph_input(g, 'l', 0);
  w->seed = cst_graph_input(g, 'l', 1);
  rule->formulas(rule->self, &w->s, w->t, w->state, w->state + w->n, w->end, w->end + w->n, &w->S);
  if (rule->work && s->model->nvel)
    rule->work(rule->self, &w->s, w->t, w->state, w->state + w->n, &w->work);
  return w;
}

static void close_workshop(workshop *w) {
  cst_graph_destroy(w->s.model->graph);
  free(w);
}

static bool complete(const cst_node *out, int n) {
  for (int i = 0; i < n; i++)
    if (out[i] < 0)
      return false;
  return true;
}

/* The functions that the reverse kernel differentiates, and their weights; returns their number. */
static int weigh(const workshop *w, cst_node *y, cst_node *seed) {
  int n = 0;
  for (int i = 0; i < w->n; i++) {
    y[n] = w->end[i];
    seed[n++] = w->x[i];
  }
  y[n] = w->S;
  seed[n++] = w->seed;
  for (int k = 0; k < w->work.n; k++)
    for (int i = 0; i < w->n; i++) {
      y[n] = w->work.Q[k][i];
      seed[n++] = cst_graph_mul(w->s.model->graph, w->seed, w->work.N[k][i]);
    }
  return n;
}

/* The outputs of all kernels except the value, [2 nq] each; false if the graph is full. */
static bool derive(const workshop *w, cst_node out[CST_FLOW_COUNT][2 * N]) {
  cst_graph *g = w->s.model->graph;
  const int  n = w->n;
  cst_node   x[3 * N], y[(1 + CST_FLOW_POINTS) * N + 1], seed[(1 + CST_FLOW_POINTS) * N + 1];
  for (int i = 0; i < 2 * n; i++)
    x[i] = w->state[i];
  for (int i = 0; i < n; i++)
    x[2 * n + i] = w->x[i];
  const int weighed = weigh(w, y, seed);
  cst_graph_tangent(g, w->end, 2 * n, x, w->along, 2 * n, out[CST_FLOW_tangent]);
  cst_graph_gradient(g, y, seed, weighed, x, 2 * n, out[CST_FLOW_reverse]);
  cst_graph_tangent(g, out[CST_FLOW_reverse], 2 * n, x, w->along, 3 * n, out[CST_FLOW_second]);
  return complete(out[CST_FLOW_second], 2 * n);
}

/* The first `count` tapes, and aligned scratch for the largest one at the largest width. */
static void write_programs(const workshop *w, cst_node out[CST_FLOW_COUNT][2 * N], int count,
                           programs *p) {
  int most = 1;
  for (int k = 0; k < count; k++) {
    const cst_node *outputs = k == CST_FLOW_value ? w->end : out[k];
    p->tape[k] = cst_tape_create(w->s.model->graph, outputs, 2 * w->n);
    const int registers = cst_tape_registers(p->tape[k]);
    if (registers > most)
      most = registers;
  }
  p->scratch = aligned_alloc(8 * CST_W_MAX, 8 * CST_W_MAX * (size_t)most);
  cst_need(p->scratch);
}

static bool refuse(const workshop *w, const cst_flow_rule *rule, const char *reason, char *why,
                   int n) {
  snprintf(why, (size_t)n, "%s on %s: its formulas %s", rule->name, w->s.name, reason);
  return false;
}

/* Checks that the formulas are complete and not too large; before: size of the graph without them. */
static bool good(const workshop *w, const cst_flow_rule *rule, int before, char *why, int n) {
  if (cst_graph_size(w->s.model->graph) - before > MOST)
    return refuse(w, rule, too_large, why, n);
  return (complete(w->end, 2 * w->n) && w->S >= 0) ||
         refuse(w, rule, "do not set all of q1, v1 and S", why, n);
}

bool cst_flow_fits(const cst_flow_rule *rule, const cst_system *s, char *why, int n) {
  if (!cst_field_exists(s, why, n))
    return false;
  workshop  *w = open_workshop(rule, s);
  const bool fits = good(w, rule, cst_graph_size(s->model->graph), why, n);
  close_workshop(w);
  return fits;
}

cst_flow *cst_flow_create(const cst_flow_rule *rule, const cst_system *s, int isa, bool derivatives,
                          char *why, int n) {
  cst_flow *f = NULL;
  cst_node  out[CST_FLOW_COUNT][2 * N];
  if (!cst_field_exists(s, why, n))
    return NULL;
  workshop *w = open_workshop(rule, s);
  if (good(w, rule, cst_graph_size(s->model->graph), why, n) &&
      (!derivatives || derive(w, out) || refuse(w, rule, too_large, why, n))) {
    f = memory(1, sizeof *f);
    f->self.run = cst_tape_lanes_of(isa)->run;
    write_programs(w, out, derivatives ? CST_FLOW_COUNT : 1, &f->self);
  }
  close_workshop(w);
  return f;
}

void cst_flow_destroy(cst_flow *f) {
  if (!f)
    return;
  for (int k = 0; k < CST_FLOW_COUNT; k++)
    cst_tape_destroy(f->self.tape[k]);
  free(f->self.scratch);
  free(f);
}

cst_kernel *const *cst_flow_kernels(const cst_flow *f) {
  (void)f;
  return kernels;
}

const void *cst_flow_self(const cst_flow *f) { return &f->self; }

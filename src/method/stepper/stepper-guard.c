/* stepper-guard.c: what is asked of every step that has been made, where the system gives cause: that no constraint on
 * positions jumps in it, as at the cut of atan2, and that the redundant constraints, which are not enforced, hold behind it.
 *
 * The equations of a step do not know: behind a jump other positions satisfy them. Lanes find steps in which the sign of an
 * operation changes that may jump, and redundant constraints that have been left; for these alone the rest is asked.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "core/need.h"
#include "expr/cuts.h"
#include "expr/tape-lanes.h"
#include "method/stepper/stepper-internal.h"
#include "system/point/rank.h"

/* A constraint jumps where its change over a vanishing part of the step is more than this part of its scale. */
static const double JUMP = 1e-6;
enum { HALVES = 60 };

struct cst_guard {
  const cst_system     *system;
  const cst_tape_lanes *lanes;
  /* outputs: the signs of the operations that may jump; of each redundant constraint g, and the square of its gradient */
  cst_tape *tape;
  int       cuts, outputs, width, c, q; /* c, q: where a record has them */
  double   *before, *after, *scratch;   /* outputs over the lanes */
  double   *start;                      /* c and q of the lanes before the step */
};

/* ---- set-up ---------------------------------------------------------------------------------- */

/* The sum of the squares of the slopes of n along the coordinates. */
static cst_node steepness(cst_graph *g, cst_node n) {
  int           *index;
  const int      many = cst_graph_support(g, n, 'q', &index);
  const cst_node one = cst_graph_constant(g, 1);
  cst_node      *x = cst_zeros(2 * many, sizeof *x), sum = cst_graph_constant(g, 0);
  for (int i = 0; i < many; i++)
    x[i] = cst_graph_input(g, 'q', index[i]);
  cst_graph_gradient(g, &n, &one, 1, x, many, x + many);
  for (int i = many; i < 2 * many; i++)
    sum = cst_graph_add_product(g, sum, x[i], x[i]);
  free(x);
  free(index);
  return sum;
}

cst_guard *cst_guard_create(const cst_system *s, int isa, const cst_layout *at) {
  const int  held = s->ng - s->model->nvel;
  cst_graph *g = s->model->graph;
  cst_cut   *cut = NULL;
  cst_guard *x = NULL;
  const int  cuts = held > 0 ? cst_graph_cuts(g, s->model->g, held, "q", &cut) : 0;
  cst_node  *out = cst_zeros(cuts + 2 * held, sizeof *out);
  int        n = 0;
  for (; n < cuts; n++)
    out[n] = cut[n].sign;
  for (int a = 0; a < held; a++) {
    if (cst_system_enforces(s, a))
      continue;
    out[n++] = s->model->g[a];
    out[n++] = steepness(g, s->model->g[a]);
  }
  if (n) {
    const size_t W = (size_t)cst_isas[isa].width;
    x = cst_zeros(1, sizeof *x);
    *x = (cst_guard){.system = s, .cuts = cuts, .outputs = n, .width = (int)W};
    x->c = (int)at->c;
    x->q = (int)at->q;
    x->lanes = cst_tape_lanes_of(isa);
    x->tape = cst_tape_create(g, out, n);
    x->before = cst_need(cst_aligned((size_t)n * W));
    x->after = cst_need(cst_aligned((size_t)n * W));
    x->scratch = cst_need(cst_aligned((size_t)cst_tape_registers(x->tape) * W));
    x->start = cst_need(cst_aligned((size_t)(s->npar + s->nq) * W));
  }
  free(out);
  free(cut);
  return x;
}

void cst_guard_destroy(cst_guard *x) {
  if (!x)
    return;
  cst_tape_destroy(x->tape);
  free(x->before);
  free(x->after);
  free(x->scratch);
  free(x->start);
  free(x);
}

/* ---- one lane -------------------------------------------------------------------------------- */

/* A way from one state to another, in c and q. */
typedef struct {
  const cst_guard *guard;
  const double    *from, *to; /* [npar + nq] */
  double          *at, *out;
} way;

static double sign_at(const way *w, int cut, double part) {
  const cst_system *s = w->guard->system;
  const double     *in[128] = {0};
  for (int i = 0; i < s->npar + s->nq; i++)
    w->at[i] = (1 - part) * w->from[i] + part * w->to[i];
  in['c'] = w->at;
  in['q'] = w->at + s->npar;
  cst_evaluate_tape(w->guard->tape, in, w->out);
  return w->out[cut];
}

/* Whether a constraint jumps where the sign changes on the way. */
static bool jumps_at(const way *w, int cut, const double *scale, double *g) {
  const cst_system *s = w->guard->system;
  double            low = 0, high = 1;
  const bool        negative = sign_at(w, cut, low) < 0;
  bool              jumps = false;
  if (negative == (sign_at(w, cut, high) < 0))
    return false;
  for (int k = 0; k < HALVES; k++) {
    const double part = (low + high) / 2;
    if ((sign_at(w, cut, part) < 0) == negative)
      low = part;
    else
      high = part;
  }
  sign_at(w, cut, low);
  cst_system_eval_at(s, CST_K_g, w->at, w->at + s->npar, g);
  sign_at(w, cut, high);
  cst_system_eval_at(s, CST_K_g, w->at, w->at + s->npar, g + s->ng);
  for (int a = 0; a < s->ng - s->model->nvel; a++)
    jumps |= fabs(g[s->ng + a] - g[a]) > JUMP * scale[a];
  return jumps;
}

bool cst_guard_jumps(const cst_guard *x, const double *from, const double *to) {
  const cst_system *s = x->system;
  const int         n = s->npar + s->nq;
  double           *room = cst_zeros(n + x->outputs + 3 * s->ng, sizeof *room);
  double           *g = room + n + x->outputs, *scale = g + 2 * s->ng, size = 0;
  const way         w = {x, from, to, room, room + n};
  bool              jumps = false;
  for (int i = s->npar; i < n; i++)
    size = fmax(size, fabs(from[i]));
  cst_rank_lengths(s, from, from + s->npar, scale);
  for (int a = 0; a < s->ng; a++)
    scale[a] *= size;
  for (int k = 0; k < x->cuts && !jumps; k++)
    jumps = jumps_at(&w, k, scale, g);
  free(room);
  return jumps;
}

/* ---- all lanes ------------------------------------------------------------------------------- */

static void run(const cst_guard *x, const double *c, const double *q, double *out) {
  const double *in[128] = {0};
  in['c'] = c;
  in['q'] = q;
  x->lanes->run(x->tape, in, out, x->scratch);
}

void cst_guard_before(cst_guard *x, const double *record) {
  const cst_system *s = x->system;
  const size_t      W = (size_t)x->width;
  const double     *c = record + (size_t)x->c * W, *q = record + (size_t)x->q * W;
  memcpy(x->start, c, (size_t)s->npar * W * sizeof *c);
  memcpy(x->start + (size_t)s->npar * W, q, (size_t)s->nq * W * sizeof *q);
  run(x, c, q, x->before);
}

/* Whether a sign changes in the lane. */
static bool passes_cut(const cst_guard *x, int lane) {
  bool passes = false;
  for (int k = 0; k < x->cuts; k++) {
    const int at = k * x->width + lane;
    passes |= (x->before[at] < 0) != (x->after[at] < 0);
  }
  return passes;
}

/* Whether a redundant constraint has been left in it. */
static bool has_left(const cst_guard *x, const double *q, int lane) {
  double size = 0;
  bool   left = false;
  for (int i = 0; i < x->system->nq; i++)
    size = fmax(size, fabs(q[i * x->width + lane]));
  for (int k = x->cuts; k < x->outputs; k += 2) {
    const double g = x->after[k * x->width + lane] / (CST_RANK_AWAY * size);
    left |= g * g > x->after[(k + 1) * x->width + lane];
  }
  return left;
}

/* Why the step of a lane to c, q is refused. */
static cst_reason judge(const cst_guard *x, const double *c, const double *q, int lane, bool cut) {
  const cst_system *s = x->system;
  const int         n = s->npar + s->nq, W = x->width;
  double           *from = cst_zeros(2 * n, sizeof *from), *to = from + n;
  cst_reason        why = CST_DONE;
  for (int i = 0; i < n; i++) {
    from[i] = x->start[i * W + lane];
    to[i] = i < s->npar ? c[i * W + lane] : q[(i - s->npar) * W + lane];
  }
  if (cut && cst_guard_jumps(x, from, to))
    why = CST_CONSTRAINT_JUMPED;
  else if (s->model->dropped && cst_rank_fails(s, to, to + s->npar))
    why = CST_CONSTRAINT_DROPPED;
  free(from);
  return why;
}

cst_outcome cst_guard_behind(cst_guard *x, const double *record, int set) {
  const double *c = record + x->c * x->width, *q = record + x->q * x->width;
  cst_outcome   o = {1, 0, CST_DONE};
  run(x, c, q, x->after);
  for (int l = 0; l < x->width; l++) {
    const bool cut = passes_cut(x, l);
    if (!(set >> l & 1) || !(cut || has_left(x, q, l)))
      continue;
    const cst_reason why = judge(x, c, q, l, cut);
    if (why == CST_DONE || (o.lanes && why != o.reason))
      continue;
    o = (cst_outcome){0, o.lanes | 1 << l, why};
  }
  return o;
}

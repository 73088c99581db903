/* iota.c: projections along fibres of the user: made from text, checked by differentiation, kept by their
 * texts, and bound to lanes (map.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/tape-lanes.h"
#include "method/texts/map.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "core/need.h"
#include "method/stepper/stepper-internal.h"

enum { N = CST_MAX_Q };

/* ---- formulas -------------------------------------------------------------------------------- */

/* In a graph of its own: inputs q, l = theta, w = mu, u = (dq, dtheta), and iota. */
typedef struct {
  int        n, m;
  cst_graph *graph;
  cst_node   x[2 * N], mu[N], u[2 * N]; /* x = (q, theta) */
  cst_node   out[N];
} formulas;

static void inputs(cst_graph *g, char array, int n, cst_node *x) {
  for (int i = 0; i < n; i++)
    x[i] = cst_graph_input(g, array, i);
}

/* Reads iota for n coordinates and m constraints; false with *e filled at the first mistake, of text *entry.
 */
static bool open_formulas(formulas *f, const cst_wording *w, int n, int m, int *entry,
                          cst_expr_error *e) {
  *f = (formulas){.n = n, .m = m, .graph = cst_graph_create()};
  cst_graph *g = f->graph;
  inputs(g, 'q', n, f->x);
  inputs(g, 'l', m, f->x + n);
  inputs(g, 'w', n, f->mu);
  inputs(g, 'u', n + m, f->u);
  cst_graph_define(g, w->define, w->ndefine);
  bool good = true;
  for (int i = 0; i < n && good; i++) {
    const cst_binding one[] = {{.name = "q", .node = f->x[i]}, {.name = "theta", .node = f->x[n]}};
    const cst_binding all[] = {{.name = "q", .entry = f->x, .count = n},
                               {.name = "theta", .entry = f->x + n, .count = m}};
    *entry = w->n ? i : 0;
    f->out[i] = cst_expr_parse(g, w->side[0][*entry], w->n ? all : one, 2, e);
    good = f->out[i] >= 0;
  }
  cst_graph_define(g, NULL, 0);
  return good;
}

static void close_formulas(formulas *f) { cst_graph_destroy(f->graph); }

static cst_tape *point_of(const formulas *f, cst_node *gradient) {
  cst_node out[4 * N];
  for (int i = 0; i < f->n; i++)
    out[i] = f->out[i];
  cst_graph_gradient(f->graph, f->out, f->mu, f->n, f->x, f->n + f->m, gradient);
  for (int k = 0; k < f->n + f->m; k++)
    out[f->n + k] = gradient[k];
  return cst_tape_create(f->graph, out, 2 * f->n + f->m);
}

static cst_tape *matrix_of(const formulas *f) {
  const int n = f->n, width = f->n + f->m;
  cst_node *out = cst_zeros(n * width, sizeof *out), dx[2 * N], dout[N];
  for (int k = 0; k < width; k++) {
    for (int i = 0; i < width; i++)
      dx[i] = cst_graph_constant(f->graph, i == k);
    cst_graph_tangent(f->graph, f->out, n, f->x, dx, width, dout);
    for (int i = 0; i < n; i++)
      out[i * width + k] = dout[i];
  }
  cst_tape *t = cst_tape_create(f->graph, out, n * width);
  free(out);
  return t;
}

static cst_tape *bend_of(const formulas *f, const cst_node *gradient) {
  const int width = f->n + f->m;
  cst_node  out[2 * N];
  cst_graph_tangent(f->graph, gradient, width, f->x, f->u, width, out);
  return cst_tape_create(f->graph, out, width);
}

/* ---- the conditions -------------------------------------------------------------------------- */

/* iota(q, 0) = q where there are numbers. */
static bool starts_at_q(const formulas *f, int *entry, cst_expr_error *e) {
  const double zero[N] = {0};
  double       q[N], value[N];
  int          found = 0;
  cst_tape    *tape = cst_tape_create(f->graph, f->out, f->n);
  *entry = 0;
  e->offset = 0;
  for (int k = 0; k < CST_TEXT_SAMPLES; k++) {
    const double *in[128] = {['q'] = q, ['l'] = zero};
    bool          finite = true;
    for (int i = 0; i < f->n; i++)
      q[i] = cst_text_sample(k, i);
    cst_evaluate_tape(tape, in, value);
    for (int i = 0; i < f->n; i++)
      finite &= isfinite(value[i]) != 0;
    found += finite;
    for (int i = 0; i < f->n && finite; i++) {
      if (fabs(value[i] - q[i]) <= 1e-10 * (1 + fabs(q[i])))
        continue;
      *entry = i;
      snprintf(e->message, sizeof e->message,
               "a fibre must be q at theta = 0; this one is %.6g where q is %.6g", value[i], q[i]);
      cst_tape_destroy(tape);
      return false;
    }
  }
  cst_tape_destroy(tape);
  if (found < CST_TEXT_ENOUGH)
    snprintf(e->message, sizeof e->message,
             "a fibre must have values at theta = 0; it has none at %d of %d points with 0.4 <= "
             "|q| <= 1.3",
             CST_TEXT_SAMPLES - found, CST_TEXT_SAMPLES);
  return found >= CST_TEXT_ENOUGH;
}

const cst_text *cst_iota_make(cst_layers *l, const cst_wording *w, int *entry,
                              cst_expr_error *error) {
  CST_REQUIRE(l && w && entry && error && w->n <= N, NULL);
  formulas        f;
  const cst_text *x = cst_text_find(l, w);
  if (x)
    return x;
  if (open_formulas(&f, w, cst_text_width(w), w->n ? N : 1, entry, error) &&
      starts_at_q(&f, entry, error))
    x = cst_text_keep(l, w, NULL, NULL);
  close_formulas(&f);
  return x;
}

/* The ratio of the least and the largest pivot of A[m][m], its rows and columns scaled. */
static double regularity(double *A, int m) {
  double least = INFINITY, most = 0;
  for (int k = 0; k < m; k++) {
    int best = k;
    for (int i = k + 1; i < m; i++)
      if (fabs(A[i * m + k]) > fabs(A[best * m + k]))
        best = i;
    for (int j = 0; j < m; j++) {
      const double t = A[k * m + j];
      A[k * m + j] = A[best * m + j];
      A[best * m + j] = t;
    }
    const double pivot = A[k * m + k];
    least = fmin(least, fabs(pivot));
    most = fmax(most, fabs(pivot));
    for (int i = k + 1; i < m && pivot != 0; i++)
      for (int j = m - 1; j >= k; j--)
        A[i * m + j] -= A[i * m + k] / pivot * A[k * m + j];
  }
  return isfinite(most) && most > 0 ? least / most : 0;
}

static void scale_rows(double *A, int rows, int columns, int by_row, int by_column) {
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int k = 0; k < columns; k++)
      sum += A[i * by_row + k * by_column] * A[i * by_row + k * by_column];
    for (int k = 0; k < columns && sum > 0; k++)
      A[i * by_row + k * by_column] /= sqrt(sum);
  }
}

/* That of G D_theta iota at q, with rows of G and columns of D_theta iota of length 1. */
static double transversality(const formulas *f, const cst_tape *matrix, const cst_system *s,
                             const double *c, const double *q) {
  const int    n = f->n, m = f->m, width = n + m;
  const double zero[N] = {0}, *in[128] = {['q'] = q, ['l'] = zero};
  double      *A = cst_zeros(n * width, sizeof *A), *G = cst_zeros(m * n, sizeof *G), S[N * N];
  cst_evaluate_tape(matrix, in, A);
  cst_system_matrix(s, CST_K_G, c, q, NULL, G);
  scale_rows(A + n, m, n, 1, width);
  scale_rows(G, m, n, n, 1);
  for (int a = 0; a < m; a++)
    for (int b = 0; b < m; b++) {
      S[a * m + b] = 0;
      for (int i = 0; i < n; i++)
        S[a * m + b] += G[a * n + i] * A[i * width + n + b];
    }
  free(A);
  free(G);
  return regularity(S, m);
}

static bool is_transversal(const formulas *f, const cst_system *s, char *why, int n) {
  double   *c = cst_zeros(s->npar + 1, sizeof *c), q[N], v[N];
  cst_tape *matrix = matrix_of(f);
  int       bad = -1;
  cst_system_defaults(s, NULL, c);
  for (int k = 0; k < s->nstate && bad < 0; k++) {
    cst_system_state(s, k, c, q, v);
    if (transversality(f, matrix, s, c, q) < 1e-8)
      bad = k;
  }
  if (bad >= 0)
    snprintf(why, (size_t)n,
             "the fibre must lead away from the constraints of %s, and at the state %s its "
             "derivative by theta has a part along them: G d iota/d theta is singular",
             s->name, s->description->state[bad].name);
  cst_tape_destroy(matrix);
  free(c);
  return bad < 0;
}

static const char *other(const cst_system *s) {
  const char *trait = cst_trait_among(s, CST_NONHOLONOMIC | CST_DRIVEN);
  return trait || !s->model->dropped ? trait : "redundant constraints";
}

bool cst_iota_fits(const cst_text *x, const cst_system *s, char *why, int n) {
  const int      given = x->of.n;
  int            entry;
  cst_expr_error e;
  formulas       f;
  if (s->ng == 0)
    snprintf(why, (size_t)n, "iota is a projection on constraints, and %s has none", s->name);
  else if (s->nq > N || s->ng > N)
    snprintf(why, (size_t)n,
             "a fibre from text takes at most %d coordinates and constraints, and %s has %d and %d",
             N, s->name, s->nq, s->ng);
  else if (given ? given != s->nq : s->ng != 1)
    snprintf(why, (size_t)n,
             given ? "the fibre has %d entries, and %s has %d coordinates"
                   : "a fibre of one expression is for %d constraint, and %s has %d",
             given ? given : 1, s->name, given ? s->nq : s->ng);
  else if (other(s))
    snprintf(why, (size_t)n,
             "a fibre from text projects on constraints on positions, and %s has %s", s->name,
             other(s));
  else {
    bool good = open_formulas(&f, &x->of, s->nq, s->ng, &entry, &e);
    if (!good)
      snprintf(why, (size_t)n, "the fibre on %s, which has %d constraints: %s", s->name, s->ng,
               e.message);
    good = good && is_transversal(&f, s, why, n);
    close_formulas(&f);
    return good;
  }
  return false;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

typedef struct {
  cst_text_bound of;
  cst_tape      *point, *matrix, *bend;
  cst_lane_iota  lane;
} bound;

static void end(void *made) {
  bound *x = made;
  cst_tape_destroy(x->point);
  cst_tape_destroy(x->matrix);
  cst_tape_destroy(x->bend);
  free(x->lane.scratch);
  free(x);
}

static int larger(int x, int y) { return x > y ? x : y; }

static void *make(const cst_lane_binding *b, const cst_text *of, bool adjoint) {
  (void)adjoint;
  int            entry;
  cst_expr_error none;
  formulas       f;
  cst_node       gradient[2 * N];
  bound         *x = cst_zeros(1, sizeof *x);
  open_formulas(&f, &of->of, b->system->nq, b->system->ng, &entry, &none);
  x->point = point_of(&f, gradient);
  x->matrix = matrix_of(&f);
  x->bend = bend_of(&f, gradient);
  close_formulas(&f);
  const int most = larger(larger(cst_tape_registers(x->point), cst_tape_registers(x->matrix)),
                          cst_tape_registers(x->bend));
  x->lane = (cst_lane_iota){cst_tape_lanes_of(b->isa)->run, x->point, x->matrix, x->bend,
                            cst_text_scratch(most)};
  return x;
}

cst_error cst_iota_bind(const cst_lane_binding *b, const cst_text *of, const cst_lane_iota **to) {
  *to = &((const bound *)cst_text_bind(b, of, false, make, end))->lane;
  return 0;
}

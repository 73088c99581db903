/* length.c: the length of each constraint: the distance over which the constraint bends, independent of the
 * origin.
 *
 * The formula of g_j gives the linear expressions u = u_0 + sum_k alpha_k q_k on which g_j depends
 * nonlinearly: x - X and y - Y for (x - X)^2 + (y - Y)^2 - l^2, phi for z - sin(phi). The length of u is |u|
 * / max_k |alpha_k|. If u is the argument of sin, cos, tan or exp, its length is 1 / max_k |alpha_k|: over
 * this distance the function changes by its own size. The length L_j of the constraint is the root of the sum
 * of squares over its u: the radius of a sphere, the length of a rod, 1 for the columns of a rotation matrix.
 *
 * A linear constraint has no length of its own and takes the largest of the others. If all constraints are
 * linear, or there are none, L_j is the length of the potential, defined in the same way; if the potential
 * has none, L_j is 1 in the unit of the coordinates. So L_j is positive, and a shift of the origin does not
 * change it, since u does not change.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "core/boundary.h"
#include "system/point/linear.h"

enum { FEW = 64 }; /* numbers that need no memory of their own */

/* Collects expressions: the value of each part, then its slopes. */
typedef struct {
  cst_graph *graph; /* a copy, since slopes add nodes */
  cst_node  *out;
  int        nout, room;
} gathering;

static void put(gathering *x, cst_node n) {
  if (x->nout == x->room) {
    if (x->room)
      x->room = 2 * x->room;
    else
      x->room = 64;
    x->out = cst_need(realloc(x->out, sizeof *x->out * (size_t)x->room));
  }
  x->out[x->nout++] = n;
}

static void put_part(gathering *x, cst_node u) {
  int           *index;
  const int      n = cst_graph_support(x->graph, u, 'q', &index);
  cst_node      *q = cst_zeros(2 * n, sizeof *q);
  cst_node      *slope = q + n;
  const cst_node one = cst_graph_constant(x->graph, 1);
  for (int k = 0; k < n; k++)
    q[k] = cst_graph_input(x->graph, 'q', index[k]);
  cst_graph_gradient(x->graph, &u, &one, 1, q, n, slope);
  put(x, u);
  for (int k = 0; k < n; k++)
    put(x, slope[k]);
  free(q);
  free(index);
}

/* Appends the parts of expression g as row `row`. */
static void gather(cst_lengths *l, gathering *x, cst_node g, int row) {
  cst_linear_part *part;
  const int        n = cst_graph_linear_parts(x->graph, g, 'q', &part);
  const size_t     room = (size_t)(l->n + n + 1);
  l->at = cst_need(realloc(l->at, room * sizeof *l->at));
  l->dimensionless = cst_need(realloc(l->dimensionless, room));
  for (int i = 0; i < n; i++) {
    l->at[l->n] = x->nout;
    l->dimensionless[l->n++] = part[i].dimensionless;
    put_part(x, part[i].node);
    l->at[l->n] = x->nout;
  }
  l->row[row + 1] = l->n;
  free(part);
}

/* The parts of the term of sum k as expressions of q: the arrays at i come before those at j. They are
 * evaluated pair by pair. */
static cst_lengths pair_parts(const cst_system *s, int k) {
  const cst_pair_sum *p = &s->model->pairs[k].sum;
  const int           n = p->nx + p->ny;
  gathering           x = {.graph = cst_graph_copy(s->model->graph)};
  cst_lengths         l = {.row = cst_zeros(1, sizeof *l.row)};
  cst_node            from[2 * CST_PAIR_ARRAYS];
  cst_node            to[2 * CST_PAIR_ARRAYS];
  cst_node            term;
  for (int a = 0; a < n; a++) {
    const bool of_i = a < p->nx;
    if (of_i)
      from[a] = cst_graph_input(x.graph, 'x', a);
    else
      from[a] = cst_graph_input(x.graph, 'y', a - p->nx);
    to[a] = cst_graph_input(x.graph, 'q', a);
  }
  cst_graph_substitute(x.graph, &p->term, 1, from, to, n, &term);
  gather(&l, &x, term, 0);
  l.tape = cst_tape_create(x.graph, x.out, x.nout);
  cst_graph_destroy(x.graph);
  free(x.out);
  return l;
}

/* A row per constraint, and one for the potential if no constraint has a part. */
const cst_lengths *cst_length_parts(const cst_system *s) {
  const int         ng = s->ng;
  cst_system_owned *o = s->owned;
  cst_lengths      *l = &o->length;
  if (l->tape)
    return l;
  gathering x = {.graph = cst_graph_copy(s->model->graph)};
  l->row = cst_zeros(ng + 1, sizeof *l->row);
  for (int j = 0; j < ng; j++)
    gather(l, &x, s->model->g[j], j);
  l->row[ng + 1] = l->n;
  if (!l->n)
    gather(l, &x, s->model->V, ng);
  l->tape = cst_tape_create(x.graph, x.out, x.nout);
  cst_graph_destroy(x.graph);
  free(x.out);
  return l;
}

/* The length of the part with value out[0] and slopes out[1] .. out[n - 1]. */
static double length_of(const double *out, int n, bool dimensionless) {
  double slope = 0;
  for (int k = 1; k < n; k++)
    slope = fmax(slope, fabs(out[k]));
  const double value = dimensionless ? 1 : fabs(out[0]);
  return value / slope;
}

static double row_length(const cst_lengths *l, int row, const double *out) {
  double sum = 0;
  for (int i = l->row[row]; i < l->row[row + 1]; i++) {
    const int    at = l->at[i];
    const int    n = l->at[i + 1] - at;
    const double x = length_of(out + at, n, l->dimensionless[i]);
    if (isfinite(x))
      sum += x * x;
  }
  return sqrt(sum);
}

/* The sum of squares over all pairs of sum k. */
static double pairs_square(const cst_system *s, int k, const double *c, const double *q) {
  const cst_pair_sum *p = &s->model->pairs[k].sum;
  cst_lengths         l = pair_parts(s, k);
  double              in_pair[2 * CST_PAIR_ARRAYS];
  double             *x = in_pair;
  double             *y = in_pair + p->nx;
  double             *out = cst_linear_numbers(cst_tape_outputs(l.tape));
  double              sum = 0;
  const double       *in[128] = {['c'] = c, ['q'] = in_pair};
  for (int i = 0; i < p->rows; i++)
    for (int j = p->from[i]; j < p->to[i]; j++) {
      for (int a = 0; a < p->nx; a++) {
        const int at = p->x[a] + i * p->xstep[a];
        x[a] = q[at];
      }
      for (int b = 0; b < p->ny; b++) {
        const int at = p->y[b] + j * p->ystep[b];
        y[b] = q[at];
      }
      cst_evaluate_tape(l.tape, in, out);
      const double length = row_length(&l, 0, out);
      sum += length * length;
    }
  cst_tape_destroy(l.tape);
  free(l.row);
  free(l.at);
  free(l.dimensionless);
  free(out);
  return sum;
}

static double potential_length(const cst_system *s, const cst_lengths *l, const double *c,
                               const double *q, const double *out) {
  const double rest = row_length(l, s->ng, out);
  double       sum = rest * rest;
  for (int k = 0; k < s->model->npairs; k++)
    sum += pairs_square(s, k, c, q);
  return s->model->npairs ? sqrt(sum) : rest;
}

double cst_system_lengths(const cst_system *s, const double *c, const double *q, double *length) {
  CST_REQUIRE(s && (c || !s->npar) && q && (length || !s->ng), NAN);
  const cst_lengths *l = cst_length_parts(s);
  const double      *in[128];
  const int          n = cst_tape_outputs(l->tape);
  double             few[FEW], *more = n > FEW ? cst_linear_numbers(n) : NULL;
  double            *out = more ? more : few;
  double             common = 0;
  in['c'] = c;
  in['q'] = q;
  if (n)
    cst_evaluate_tape(l->tape, in, out);
  for (int j = 0; j < s->ng; j++) {
    length[j] = row_length(l, j, out);
    common = fmax(common, length[j]);
  }
  if (!(common > 0))
    common = potential_length(s, l, c, q, out);
  if (!(common > 0))
    common = 1;
  for (int j = 0; j < s->ng; j++)
    if (!(length[j] > 0))
      length[j] = common;
  free(more);
  return common;
}

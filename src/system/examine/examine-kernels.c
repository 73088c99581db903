/* examine-kernels.c: checks that every derivative kernel is the derivative of its function.
 *
 * The functions themselves are compared with the expressions of the description. Every other kernel,
 * contracted with directions w, u and multipliers l at generic points, is compared with the directional
 * derivative of the kernel below it: by a complex step, which has no error but round-off, and by central
 * differences, which do not depend on complex arithmetic; these decide where there is no complex step. Formulas whose terms
 * cancel have a larger round-off than their value says: differences within what both sides scatter by at points a few
 * last bits away are none.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include "system/examine/examiner.h"
#include "system/lane/interpreted-kernels.h"

/* ---- kernels of linearly implicit methods ---------------------------------------------------- */

/* By rows of the bands, dVH and dVS hold
 * entries of grad V and of Hessians, d2S is a Hessian, and D3V is a third derivative when given the shared
 * subexpressions. */

static const double SAME = 1e-12, SAME_SLOPE = 1e-8;

static void say(cst_examiner *e, cst_kernel_id k) {
  cst_examine_say(e, CST_FAULT, "derivatives",
                  "the kernel %s differs from the derivatives that it must contain",
                  cst_system_kernel_names[k]);
}

static double *value_of(const cst_examiner *e, cst_kernel_id k, const cst_point *p, const double *w,
                        const double *l) {
  const cst_system *s = e->s;
  double           *x = cst_linear_numbers(s->model->kernel_size[k]);
  cst_system_eval(s, k, e->c, p->q, NULL, w, NULL, l, x);
  return x;
}

/* Whether x and y differ by at most `bound` of their size, or by `rounding`. */
static bool near(const double *x, const double *y, int n, double bound, double rounding) {
  const double one = cst_examine_largest(x, n);
  const double other = cst_examine_largest(y, n);
  const double size = fmax(one, other);
  double       off = 0;
  for (int i = 0; i < n; i++)
    if (x[i] != y[i])
      off = fmax(off, fabs(x[i] - y[i]));
  return off <= bound * size + rounding;
}

/* Whether kernel k consists of grad V and the Hessian `of`, by rows of b. */
static bool is_made_of(const cst_examiner *e, cst_kernel_id k, cst_kernel_id of, const cst_bands *b,
                       const cst_point *p) {
  const int n = e->s->nq;
  double   *x = value_of(e, k, p, NULL, NULL);
  double   *dV = value_of(e, CST_K_dV, p, NULL, NULL);
  double   *H = value_of(e, of, p, NULL, NULL);
  double   *y = cst_linear_numbers((size_t)(n + b->n));
  for (int r = 0; r < n; r++)
    y[r] = dV[b->order[r]];
  for (int i = 0; i < b->n; i++)
    y[n + i] = H[b->entry[i]];
  const bool above = near(x, y, n, SAME, 0);
  const bool same = above && near(x + n, y + n, b->n, SAME, 0);
  free(x);
  free(dV);
  free(H);
  free(y);
  return same;
}

/* Directional derivatives of nodes along w. */
static double *slopes(const cst_examiner *e, const cst_node *node, const cst_point *p) {
  const cst_analytic f = {
      .e = e,
      .at = p,
      .n = e->s->nq,
      .node = node,
      .value = cst_examine_field_own,
  };
  const cst_change d = {.q = p->w};
  double          *x = cst_linear_numbers(e->s->nq);
  if (!cst_examine_field_slope(&f, &d, x))
    cst_examine_field_difference(&f, &d, 1e-3, x);
  return x;
}

static cst_node *inputs(cst_system *s, char letter) {
  cst_node *x = cst_zeros(s->nq, sizeof *x);
  for (int i = 0; i < s->nq; i++)
    x[i] = cst_graph_input(s->model->graph, letter, i);
  return x;
}

static bool is_third(const cst_examiner *e, const cst_node *Hw, const cst_point *p) {
  const cst_system *s = e->s;
  const int         nq = s->nq;
  const cst_bands  *b = &s->model->bands[0];
  double           *w = cst_linear_numbers(nq);
  double           *bent = value_of(e, CST_K_dVH, p, NULL, NULL);
  double           *y = slopes(e, Hw, p);
  for (int i = 0; i < nq; i++)
    w[b->place[i]] = p->w[i];
  double *row = value_of(e, CST_K_D3V, p, w, bent + nq + b->n);
  double *x = cst_linear_numbers(nq);
  for (int i = 0; i < nq; i++)
    x[i] = row[b->place[i]];
  /* where V is flat both are the round-off of its slopes, some ulps of them over the square of the coordinates */
  const double far = cst_examine_largest(p->q, nq), along = cst_examine_largest(p->w, nq);
  const double rounding = 64 * DBL_EPSILON * cst_examine_largest(bent, nq) * along / (far * far);
  const bool   same = near(x, y, nq, SAME_SLOPE, rounding);
  free(w);
  free(bent);
  free(row);
  free(x);
  free(y);
  return same;
}

static bool is_stiff(const cst_examiner *e, const cst_node *dS, const cst_point *p) {
  double *H = value_of(e, CST_K_d2S, p, NULL, NULL);
  double *x = cst_linear_numbers(e->s->nq);
  double *y = slopes(e, dS, p);
  cst_linear_pattern_times(&e->s->model->pattern[CST_K_d2S], H, p->w, x);
  const bool same = near(x, y, e->s->nq, SAME_SLOPE, 0);
  free(H);
  free(x);
  free(y);
  return same;
}

static void examine_linear(cst_examiner *e) {
  cst_system    *s = e->s;
  cst_node      *q = inputs(s, 'q');
  cst_node      *w = inputs(s, 'w');
  cst_node      *of = cst_zeros(s->nq, sizeof *of);
  const cst_node one = cst_graph_constant(s->model->graph, 1);
  bool           good[4] = {true, true, true, true};
  if (s->model->kernel_size[CST_K_dVH])
    cst_graph_tangent(s->model->graph, s->model->kernel_out[CST_K_dV], s->nq, q, w, s->nq, of);
  for (int k = 0; k < e->npoint && s->model->kernel_size[CST_K_dVH]; k++) {
    good[0] &= is_made_of(e, CST_K_dVH, CST_K_d2V, &s->model->bands[0], &e->point[k]);
    good[1] &= is_third(e, of, &e->point[k]);
  }
  if (s->model->kernel_size[CST_K_dVS])
    cst_graph_gradient(s->model->graph, &s->model->stiff, &one, 1, q, s->nq, of);
  for (int k = 0; k < e->npoint && s->model->kernel_size[CST_K_dVS]; k++) {
    good[2] &= is_made_of(e, CST_K_dVS, CST_K_d2S, &s->model->bands[1], &e->point[k]);
    good[3] &= is_stiff(e, of, &e->point[k]);
  }
  static const cst_kernel_id kernels[4] = {CST_K_dVH, CST_K_D3V, CST_K_dVS, CST_K_d2S};
  for (int i = 0; i < 4; i++)
    if (!good[i])
      say(e, kernels[i]);
  free(q);
  free(w);
  free(of);
}

/* ---- sums over pairs ------------------------------------------------------------------------- */

/* Sums over too many pairs to expand are checked numerically, without complex steps.
 *
 * dV is compared with central differences of V, both of which add up the examine_pairs; V is invariant under a
 * symmetry if dV.xi vanishes.
 */

/* STEP: relative to the largest coordinate, along a random direction */
static const double PAIR_SLOPE = 1e-6, PAIR_SUM = 1e-10, STEP = 1e-4;

static double dot(const double *x, const double *y, int n, double *size) {
  double sum = 0;
  *size = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * y[i];
    *size += fabs(x[i] * y[i]);
  }
  return sum;
}

/* V at q + h w. */
static double value_at(const cst_examiner *e, const cst_point *p, double h, double *q) {
  double V;
  for (int i = 0; i < e->s->nq; i++)
    q[i] = p->q[i] + h * p->w[i];
  cst_system_eval_at(e->s, CST_K_V, e->c, q, &V);
  return V;
}

/* By differences of sixth order. */
static bool is_slope(const cst_examiner *e, const cst_point *p, const double *dV) {
  static const double weight[] = {45, -9, 1};
  const cst_system   *s = e->s;
  const int           nq = s->nq;
  double             *q = cst_linear_numbers(nq);
  double              sum = 0, size;
  const double        size_q = cst_examine_largest(p->q, nq);
  const double        size_w = cst_examine_largest(p->w, nq);
  double              h = STEP * size_q / size_w;
  for (int k = 1; k <= 3; k++) {
    const double ahead = value_at(e, p, k * h, q);
    const double behind = value_at(e, p, -k * h, q);
    sum += weight[k - 1] * (ahead - behind);
  }
  const double slope = dot(dV, p->w, nq, &size);
  free(q);
  return fabs(sum / (60 * h) - slope) <= PAIR_SLOPE * size;
}

static void check_symmetry(cst_examiner *e, int k, const cst_point *p, const double *dV,
                           bool *said) {
  const cst_system  *s = e->s;
  const cst_pattern *P = &s->model->pattern[CST_K_xi];
  double            *entry = cst_linear_numbers(P->n);
  double            *xi = cst_linear_numbers(s->nq);
  double             size;
  char               topic[200];
  cst_system_eval_at(s, CST_K_xi, e->c, p->q, entry);
  CST_EACH_ENTRY(P, k, at)
    xi[P->column[at]] = entry[at];
  const double change = dot(dV, xi, s->nq, &size);
  snprintf(topic, sizeof topic, "symmetry %s", s->description->symmetry[k]);
  if (!(fabs(change) <= PAIR_SUM * size) && !*said) {
    cst_examine_say(e, CST_FAULT, topic, "V changes along it: %.3g of its size",
                    fabs(change) / size);
    *said = true;
  }
  free(entry);
  free(xi);
}

static void examine_pairs(cst_examiner *e) {
  const cst_system *s = e->s;
  bool              good = true;
  bool              said[CST_MAX_SYM] = {false};
  if (!s->model->npairs || s->model->bent)
    return;
  for (int i = 0; i < e->npoint; i++) {
    double *dV = cst_linear_numbers(s->nq);
    cst_system_eval_at(s, CST_K_dV, e->c, e->point[i].q, dV);
    good &= is_slope(e, &e->point[i], dV);
    for (int k = 0; k < s->nsym; k++)
      check_symmetry(e, k, &e->point[i], dV, &said[k]);
    free(dV);
  }
  if (!good)
    cst_examine_say(e, CST_FAULT, "derivatives",
                    "dV is not the derivative of V by central differences");
}

/* ---- derivatives of kernels ------------------------------------------------------------------ */

static const double EXACT = 1e-12;
static const double NEARLY = 1e-7;
static const double GOOD_ENOUGH = 1e-10;
static const double FIRST_STEP = 0.03;
static const double LAST_STEP = 1e-7;

/* The argument that changes, and its direction: q or v; both along the halves of u; all arguments of DRE; the
 * coordinates and the time, as they do in a motion; the time. */
typedef enum {
  Q_ALONG_V,
  Q_ALONG_W,
  Q_ALONG_U,
  V_ALONG_W,
  QV_ALONG_U,
  ALL_ALONG_U,
  QT_ALONG_V,
  T_ALONG_1
} movement;

/* How a kernel gives a directional derivative: as it is; a gradient times the direction; a matrix times it,
 * or only the rows of velocity constraints; the remainder of Lq. */
typedef enum { PLAIN, DOT, TIMES, TAIL, REST } contraction;

typedef struct {
  cst_kernel_id kernel,
      below;      /* below: the kernel that is differentiated by cst_examine_field_own */
  const char *of; /* description for messages */
  bool (*function)(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
  movement    change;
  contraction form;
} derivative;

static const derivative derivatives[] = {
    {CST_K_dV, CST_K_V, "V", cst_examine_field_own, Q_ALONG_W, DOT},
    {CST_K_d2V, CST_K_dV, "dV", cst_examine_field_own, Q_ALONG_W, TIMES},
    {CST_K_G, CST_K_g, "g", cst_examine_field_own, Q_ALONG_W, TIMES},
    {CST_K_G, CST_K_g, "phi", cst_examine_function_phi, V_ALONG_W, TAIL},
    {CST_K_phi0, CST_K_g, "g by the time", cst_examine_field_own, T_ALONG_1, PLAIN},
    {CST_K_Dphi0w, CST_K_phi0, "phi0", cst_examine_field_own, Q_ALONG_W, PLAIN},
    {CST_K_Fq, CST_K_F, "F", cst_examine_field_own, Q_ALONG_W, TIMES},
    {CST_K_Fv, CST_K_F, "F", cst_examine_field_own, V_ALONG_W, TIMES},
    {CST_K_D2gvv, CST_K_g, "G v", cst_examine_function_hidden, QT_ALONG_V, PLAIN},
    {CST_K_D2gvw, CST_K_g, "G v", cst_examine_function_Gv, Q_ALONG_W, PLAIN},
    {CST_K_D2glw, CST_K_g, "G'l", cst_examine_function_Gl, Q_ALONG_W, PLAIN},
    {CST_K_D3glwu, CST_K_D2glw, "D2glw", cst_examine_field_own, Q_ALONG_U, PLAIN},
    {CST_K_Lv, CST_K_V, "L", cst_examine_function_L, V_ALONG_W, DOT},
    {CST_K_Lq, CST_K_V, "L", cst_examine_function_L, Q_ALONG_W, DOT},
    {CST_K_Lvq, CST_K_Lv, "Lv", cst_examine_field_own, Q_ALONG_W, TIMES},
    {CST_K_Lqq, CST_K_Lq, "Lq", cst_examine_field_own, Q_ALONG_W, TIMES},
    {CST_K_f, CST_K_Lv, "Lv along v, taken from Lq,", cst_examine_field_own, Q_ALONG_V, REST},
    {CST_K_DMvw, CST_K_M, "M v", cst_examine_function_Mv, Q_ALONG_W, PLAIN},
    {CST_K_DE, CST_K_f, "the residuals of motion", cst_examine_function_E, QV_ALONG_U, PLAIN},
    {CST_K_RE, CST_K_f, "the residuals of motion and L, combined,", cst_examine_function_yE,
     QV_ALONG_U, DOT},
    {CST_K_DRE, CST_K_RE, "RE", cst_examine_field_own, ALL_ALONG_U, PLAIN},
};
enum { DERIVATIVES = sizeof derivatives / sizeof *derivatives };

static cst_change change_of(const cst_system *s, const cst_point *p, movement m) {
  const int n = s->nq;
  switch (m) {
  case Q_ALONG_V:
    return (cst_change){.q = p->v};
  case QT_ALONG_V:
    return (cst_change){.q = p->v, .t = cst_has(s, CST_DRIVEN)};
  case T_ALONG_1:
    return (cst_change){.t = 1};
  case Q_ALONG_W:
    return (cst_change){.q = p->w};
  case Q_ALONG_U:
    return (cst_change){.q = p->u};
  case V_ALONG_W:
    return (cst_change){.v = p->w};
  case QV_ALONG_U:
    return (cst_change){.q = p->u, .v = p->u + n};
  default:
    return (cst_change){
        .q = p->u,
        .v = p->u + n,
        .w = p->u + 2 * n,
        .l = p->l + 2 * s->ng + 1,
    };
  }
}

/* Lq plus the forces, which f contains besides it. */
static void left_of_force(const cst_examiner *e, const cst_point *p, double *Lq) {
  const double     *c = e->c;
  const cst_system *s = e->s;
  double           *F = cst_linear_numbers(s->nq);
  cst_system_eval(s, CST_K_Lq, c, p->q, p->v, NULL, NULL, NULL, Lq);
  cst_system_eval(s, CST_K_F, c, p->q, p->v, NULL, NULL, p->l, F);
  for (int i = 0; i < s->nq; i++)
    Lq[i] += F[i];
  free(F);
}

/* Subtracts from RE the part that is not a gradient, s (F - phi'lambda). */
static void take_work(const cst_examiner *e, const cst_point *p, double *RE) {
  const double      *c = e->c;
  const cst_system  *s = e->s;
  const int          ng = s->ng;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double            *F = cst_linear_numbers(s->nq);
  double            *G = cst_linear_numbers(P->n);
  cst_system_eval(s, CST_K_F, c, p->q, p->v, NULL, NULL, p->l, F);
  cst_system_eval_at(s, CST_K_G, c, p->q, G);
  for (int a = ng - s->model->nvel; a < ng; a++)
    CST_EACH_ENTRY(P, a, k)
      F[P->column[k]] -= G[k] * p->l[a];
  for (int i = 0; i < s->nq; i++)
    RE[i] -= p->l[2 * ng] * F[i];
  free(F);
  free(G);
}

static int values_of(const cst_system *s, const derivative *d);

/* The first rows of a matrix times the direction, or the last ones. */
static void rows_along(const cst_system *s, const derivative *d, const double *x,
                       const double *along, double *y) {
  const cst_pattern *P = &s->model->pattern[d->kernel];
  const int          n = values_of(s, d);
  const int          first = d->form == TAIL ? P->rows - n : 0;
  double            *all = cst_linear_numbers(P->rows);
  cst_linear_pattern_times(P, x, along, all);
  for (int i = 0; i < n; i++)
    y[i] = all[first + i];
  free(all);
}

/* The factor of output i in the sum of which entry i of a kernel is a part. */
static double factor_of(const derivative *d, const cst_pattern *P, const double *along, int i) {
  switch (d->form) {
  case DOT:
    return along[i];
  case TIMES:
  case TAIL:
    return along[P->column[i]];
  default:
    return 1;
  }
}

/* The directional derivative y[n] from the kernel, and in *size the largest term. */
static void contract(const cst_examiner *e, const derivative *d, const cst_point *p,
                     const cst_change *c, double *y, double *size) {
  const cst_system  *s = e->s;
  const cst_pattern *P = &s->model->pattern[d->kernel];
  const int          n = s->model->kernel_size[d->kernel];
  const double *along = c->q ? c->q : c->v; /* if both change, their directions are consecutive */
  double       *x = cst_linear_numbers(n);
  double       *Lq = cst_linear_numbers(s->nq);
  cst_system_eval(s, d->kernel, e->c, p->q, p->v, p->w, p->u, p->l, x);
  if (d->form == REST)
    left_of_force(e, p, Lq);
  if (d->kernel == CST_K_RE)
    take_work(e, p, x);
  if (d->form == REST)
    *size = cst_examine_largest(Lq, s->nq);
  else
    *size = 0;
  if (d->form == TIMES || d->form == TAIL)
    rows_along(s, d, x, along, y);
  if (d->form == DOT)
    y[0] = 0;
  for (int i = 0; i < n; i++) {
    if (d->form == DOT)
      y[0] += x[i] * along[i];
    if (d->form == PLAIN)
      y[i] = x[i];
    if (d->form == REST)
      y[i] = Lq[i] - x[i];
    const double factor = factor_of(d, P, along, i);
    const double part = fabs(x[i] * factor);
    if (!(part <= *size))
      *size = part;
  }
  free(x);
  free(Lq);
}

/* Differences over all points. */
typedef struct {
  double complex_step, central;
  int    skipped, row; /* skipped: points without a complex step; row: of the largest difference */
} difference;

static double most_apart(const double *x, const double *y, int n, double size, int *row) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    const bool   equal = x[i] == y[i];
    const double apart = equal ? 0 : fabs(x[i] - y[i]) / size;
    if (!(apart <= most)) {
      most = apart;
      *row = i;
    }
  }
  return most;
}

/* The smallest difference over a sequence of steps, since the length scale of the functions is unknown. */
static double central(const cst_analytic *f, const cst_change *d, const double *y, double size,
                      int *row) {
  double *x = cst_linear_numbers(f->n);
  double *value = cst_linear_numbers(f->n);
  double  least = INFINITY;
  cst_examine_field_value(f, value);
  const double noise = DBL_EPSILON * cst_examine_largest(value, f->n);
  for (double h = FIRST_STEP; h > LAST_STEP && !(least <= GOOD_ENOUGH); h /= 8) {
    cst_examine_field_difference(f, d, h, x);
    const double scale = size + noise / h / NEARLY;
    const double apart = most_apart(x, y, f->n, scale, row);
    if (apart < least)
      least = apart;
  }
  free(x);
  free(value);
  return least;
}

/* x[n], from complex steps, and y[n], from the kernel; false where there is no complex step. */
static bool find_both(const cst_analytic *f, const derivative *d, double *x, double *y,
                      double *size) {
  const cst_change c = change_of(f->e->s, f->at, d->change);
  contract(f->e, d, f->at, &c, y, size);
  *size = fmax(*size, cst_examine_largest(y, f->n));
  return cst_examine_field_slope(f, &c, x);
}

enum { NEARBY = 6, SCATTER = 16, FLAT = 64 };

/* scatter[i] := the largest change that x and y show together at points that differ by some last bits of q and v. Where
 * the terms of a formula cancel its rounding is another at each of them, and larger than that of its value. */
static void find_scatter(const cst_analytic *f, const derivative *d, const double *x,
                         const double *y, double *scatter) {
  const cst_system *s = f->e->s;
  const int         n = s->nq;
  double           *q = cst_linear_numbers(2 * n), *v = q + n;
  double           *near = cst_linear_numbers(2 * f->n), *also = near + f->n, size;
  cst_point         p = *f->at;
  cst_analytic      there = *f;
  unsigned long     state = 1;
  p.q = q;
  p.v = v;
  there.at = &p;
  for (int i = 0; i < f->n; i++)
    scatter[i] = 0;
  for (int k = 0; k < NEARBY; k++) {
    for (int i = 0; i < n; i++) {
      q[i] = f->at->q[i] * (1 + DBL_EPSILON * ((double)(cst_rounding_draw(&state) & 3) - 1.5));
      v[i] = f->at->v[i] * (1 + DBL_EPSILON * ((double)(cst_rounding_draw(&state) & 3) - 1.5));
    }
    if (!find_both(&there, d, near, also, &size))
      continue;
    for (int i = 0; i < f->n; i++)
      scatter[i] = fmax(fabs(near[i] - x[i]) + fabs(also[i] - y[i]), scatter[i]);
  }
  free(near);
  free(q);
}

/* The largest difference of x and y beyond their rounding, of this size. Where the function is flat its slope is the
 * round-off of its terms, some ulps of its value over the size of the argument, whether it scatters or not. */
static double apart_beyond_rounding(const cst_analytic *f, const derivative *d, double *x,
                                    const double *y, double size, int *row) {
  const cst_change c = change_of(f->e->s, f->at, d->change);
  double          *scatter = cst_linear_numbers(2 * f->n), *value = scatter + f->n;
  find_scatter(f, d, x, y, scatter);
  cst_examine_field_value(f, value);
  const double argument = cst_examine_largest(c.q ? f->at->q : f->at->v, f->e->s->nq);
  for (int i = 0; i < f->n; i++) {
    const double flat = FLAT * DBL_EPSILON * fabs(value[i]) / argument;
    if (fabs(x[i] - y[i]) <= SCATTER * scatter[i] + flat)
      x[i] = y[i];
  }
  free(scatter);
  return most_apart(x, y, f->n, size, row);
}

static void compare_at(const cst_examiner *e, const derivative *d, const cst_point *p, int n,
                       difference *worst) {
  const cst_analytic f = {
      .e = e,
      .at = p,
      .n = n,
      .node = e->s->model->kernel_out[d->below],
      .value = d->function,
  };
  const cst_change c = change_of(e->s, p, d->change);
  double          *x = cst_linear_numbers(n);
  double          *y = cst_linear_numbers(n);
  double           size;
  int              row = 0;
  if (find_both(&f, d, x, y, &size)) {
    size = fmax(size, cst_examine_largest(x, n));
    double apart = most_apart(x, y, n, size, &row);
    if (!(apart <= EXACT))
      apart = apart_beyond_rounding(&f, d, x, y, size, &row);
    if (!(apart <= worst->complex_step)) {
      worst->complex_step = apart;
      worst->row = row;
    }
  } else {
    worst->skipped++;
  }
  const double apart = central(&f, &c, y, size, &row);
  if (!(apart <= worst->central)) {
    worst->central = apart;
    if (worst->skipped)
      worst->row = row;
  }
  free(x);
  free(y);
}

/* Number of values of the derivative; 0 if the system has no such kernel. (A Hessian without entries is
 * zero.) */
static int values_of(const cst_system *s, const derivative *d) {
  if (d->form == DOT)
    return s->model->kernel_size[d->kernel] > 0;
  if (d->form == TAIL)
    return s->model->nvel;
  if (d->kernel == CST_K_phi0)
    return cst_has(s, CST_DRIVEN) ? s->ng - s->model->nvel : 0;
  if (d->kernel == CST_K_G)
    return s->ng - s->model->nvel;
  if (d->form == TIMES)
    return s->model->pattern[d->kernel].rows;
  return s->model->kernel_size[d->kernel];
}

static void compare(cst_examiner *e, const derivative *d, difference *all) {
  difference  worst = {0};
  const int   n = values_of(e->s, d);
  const char *name = cst_system_kernel_names[d->kernel];
  if (!n)
    return;
  if (d->kernel == CST_K_dV && !e->s->model->bent)
    return;
  for (int k = 0; k < e->npoint; k++)
    compare_at(e, d, &e->point[k], n, &worst);
  if (!(worst.complex_step <= EXACT) || (worst.skipped && !(worst.central <= NEARLY)))
    cst_examine_say(
        e, CST_FAULT, "derivatives",
        "%s is not the derivative of %s: row %d is off by %.2g of its size by a complex step, "
        "%.2g by central differences",
        name, d->of, worst.row + 1, worst.complex_step, worst.central);
  if (worst.skipped)
    cst_examine_say(e, CST_NOTE, "derivatives",
                    "%s: no complex step at %d of %d points; central differences only", name,
                    worst.skipped, e->npoint);
  if (!(worst.complex_step <= all->complex_step))
    all->complex_step = worst.complex_step;
  if (!(worst.central <= all->central))
    all->central = worst.central;
}

static int kernels_with_outputs(const cst_system *s) {
  int n = 0;
  for (int k = 0; k < CST_K_COUNT; k++)
    n += s->model->kernel_size[k] > 0;
  return n;
}

void cst_examine_kernels(cst_examiner *e) {
  const cst_system *s = e->s;
  difference        all = {0};
  const int         faults = e->x->faults;
  cst_examine_originals(e);
  examine_linear(e);
  examine_pairs(e);
  for (int k = 0; k < DERIVATIVES; k++)
    compare(e, &derivatives[k], &all);
  if (e->x->faults == faults)
    cst_examine_say(e, CST_FACT, "derivatives",
                    "%d kernels at %d points: largest difference %.1g (complex step), %.1g "
                    "(central differences)",
                    kernels_with_outputs(s), e->npoint, all.complex_step, all.central);
}

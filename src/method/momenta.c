/* momenta.c: discrete momenta of a step (see momenta.h).
 *
 * Of points (cst_action): p- = M u - h sum part_r (1 - theta_r) (L_q + F)(q_r, u),
 *   p+ = M u + h sum part_r theta_r (L_q + F)(q_r, u),   u = (q1 - q0)/h
 * Of a layer, w = (q, v) follows from d-(w) = q0, d+(w) = q1 by Newton's method, and p- and p+ from
 *   Theta(w) = p+ D d+ - p- D d-,  Theta = D L_h + sum h alpha b_i (F - phi'lambda)(Q_i) . D Q_i,
 * 2 nq linear equations.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/momenta.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/scalar-solve.h"
#include "method/rk-stages.h"
#include "method/substep.h"

struct cst_momenta_of {
  const cst_system  *s;
  int                n;
  double             fraction;
  cst_action         action;
  bool               acts;
  const cst_layer   *layer;   /* whose stages are the points of the quadrature; NULL: its ends */
  cst_rk_stages     *half[2]; /* of the action's layers; the second also of `layer` */
  cst_momenta        found;
  cst_momenta_points points;
  double            *w, *end[2]; /* [2 nq] (q, v); [2 nq] ends of both halves */
  double            *D, *d;      /* [2 nq][2 nq], [2 nq] */
  double            *push;       /* [nq] */
  int               *pivot;      /* [2 nq] */
};

/* The only substep that takes time; NULL: there are several. */
static const cst_substep *single(const cst_program *p) {
  const cst_substep *one = NULL;
  for (int i = 0; i < p->n; i++) {
    if (p->step[i].row->features & CST_TAKES_NO_TIME)
      continue;
    if (one)
      return NULL;
    one = &p->step[i];
  }
  return one;
}

static bool is_tableau(const cst_layer *l) { return l && !l->rule; }

/* Where momenta are masses times velocities. */
static bool has_masses(const cst_system *s) {
  return cst_has(s, CST_MASS_DIAGONAL) && !cst_has(s, CST_SLIPS);
}

static bool has_scalars(const cst_system *s) {
  return has_masses(s) && s->model->kernel_size[CST_K_DE] == s->nq + s->ng;
}

static const char *refusal_of(const cst_prepared *p, const cst_system *s) {
  const cst_substep *one = p->program->n == 1 ? single(p->program) : NULL;
  cst_action         a;
  if (p->stepped != s)
    return "steps another system in the place of the study's";
  if (p->flat || !has_masses(s))
    return "has discrete momenta that are known where the mass is a constant diagonal, without "
           "a(q) and forces that depend on multipliers";
  if (!one)
    return "consists of several substeps, whose states in between are not kept";
  if (!one->row->action || !one->row->action(one->data, &a))
    return "is no variational method whose states are at the ends of its discrete Lagrangian; "
           "rattle, shake, euler-a, euler-b, midpoint, discretization, "
           "discrete-lagrange-dalembert(midpoint) and (reversible), lagrange-dalembert and convert "
           "are";
  if (a.points)
    return NULL;
  if (s->ng > s->model->nvel)
    return "has discrete momenta off the constraints on positions, between which it projects";
  if (!has_scalars(s))
    return "needs second derivatives that this system has none of";
  return is_tableau(a.minus) && is_tableau(a.plus)
             ? NULL
             : "has a layer of formulas, whose stages are not known";
}

const char *cst_momenta_refusal(const cst_method *m, const cst_system *s, bool flat) {
  cst_prepared *p = cst_method_prepare(m, s);
  p->flat = flat;
  const char *why = refusal_of(p, s);
  cst_program_prepared_destroy(p);
  return why;
}

static int stages_of(const cst_layer *l) { return is_tableau(l) ? l->tableau.stages : 0; }

/* Which points a quadrature has. */
static void choose(cst_momenta_of *x, const cst_prepared *p) {
  const cst_substep *one = single(p->program);
  x->acts = !refusal_of(p, p->stepped);
  if (one)
    x->fraction = one->fraction;
  if (x->acts)
    one->row->action(one->data, &x->action);
  if (one && one->row->layer && has_scalars(p->stepped) && is_tableau(one->row->layer(one->data)))
    x->layer = one->row->layer(one->data);
}

static double *numbers(size_t n) { return cst_zeros(n + 1, sizeof(double)); }

cst_momenta_of *cst_momenta_create(const cst_prepared *p) {
  cst_momenta_of *x = cst_zeros(1, sizeof *x);
  x->s = p->stepped;
  x->n = x->s->nq;
  x->fraction = 1;
  choose(x, p);
  const size_t n = (size_t)x->n, g = (size_t)x->s->ng;
  const int stages = stages_of(x->action.minus) + stages_of(x->action.plus) + stages_of(x->layer);
  const size_t most = (size_t)(stages > 2 ? stages : 2);
  for (int k = 0; k < 2; k++) {
    x->half[k] = cst_rk_stages_create(x->s, (int)most);
    x->end[k] = numbers(2 * n);
  }
  x->found = (cst_momenta){numbers(n), numbers(n), 0, numbers(most * n), numbers(most * n)};
  x->points = (cst_momenta_points){
      0, numbers(most), numbers(most), numbers(most * n), numbers(most * n), numbers(most * g)};
  x->w = numbers(2 * n);
  x->D = numbers(4 * n * n);
  x->d = numbers(2 * n);
  x->push = numbers(n);
  x->pivot = cst_zeros(2 * n, sizeof *x->pivot);
  return x;
}

void cst_momenta_destroy(cst_momenta_of *x) {
  if (!x)
    return;
  double *owned[] = {x->found.left,
                     x->found.right,
                     x->found.impulse,
                     x->found.place,
                     x->points.weight,
                     x->points.t,
                     x->points.q,
                     x->points.v,
                     x->points.lambda,
                     x->w,
                     x->end[0],
                     x->end[1],
                     x->D,
                     x->d,
                     x->push};
  for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
    free(owned[k]);
  for (int k = 0; k < 2; k++)
    cst_rk_stages_destroy(x->half[k]);
  free(x->pivot);
  free(x);
}

/* ---- of points ------------------------------------------------------------------------------- */

/* F[nq] at a point, 0 without forces. */
static void find_force(const cst_momenta_of *x, const double *q, const double *v, double *F) {
  memset(F, 0, sizeof *F * (size_t)x->n);
  if (x->s->model->nforce)
    cst_system_eval(x->s, CST_K_F, x->half[0]->c, q, v, NULL, NULL, NULL, F);
}

static void find_by_points(cst_momenta_of *x, const cst_momenta_step *k) {
  const int         n = x->n;
  const cst_action *a = &x->action;
  const double     *mass = x->half[0]->mass;
  double           *u = x->w, *dV = x->d;
  for (int i = 0; i < n; i++) {
    u[i] = (k->q1[i] - k->q0[i]) / k->h;
    x->found.left[i] = x->found.right[i] = mass[i] * u[i];
  }
  x->found.n = a->points;
  for (int r = 0; r < a->points; r++) {
    double *N = x->found.impulse + r * n, *q = x->found.place + r * n;
    for (int i = 0; i < n; i++)
      q[i] = k->q0[i] + a->theta[r] * (k->q1[i] - k->q0[i]);
    cst_rk_stages_clock(x->half[0], k->t + a->theta[r] * k->h);
    cst_system_eval_at(x->s, CST_K_dV, x->half[0]->c, q, dV);
    find_force(x, q, u, N);
    for (int i = 0; i < n; i++) {
      const double push = a->part[r] * k->h * (N[i] - dV[i]);
      x->found.left[i] -= (1 - a->theta[r]) * push;
      x->found.right[i] += a->theta[r] * push;
      N[i] *= a->part[r] * k->h;
    }
  }
}

static double length_of(const cst_momenta_of *x, const cst_momenta_step *k, int half) {
  return k->h * (half ? 1 + x->action.bias : x->action.bias);
}

/* Both halves from w; false: their stages were not solved. */
static bool run_halves(cst_momenta_of *x, const cst_momenta_step *k) {
  const double at = k->t - k->h * x->action.bias;
  bool         good = true;
  for (int half = 0; half < 2; half++) {
    const cst_layer *l = half ? x->action.plus : x->action.minus;
    good &=
        cst_rk_stages_run(x->half[half], &l->tableau, length_of(x, k, half), at, x->w, x->w + x->n);
    cst_rk_stages_end(x->half[half], x->w, x->w + x->n, x->end[half], x->end[half] + x->n);
  }
  return good;
}

/* The variation of both halves along coordinate e of w, in x->end. */
static void vary_halves(cst_momenta_of *x, int e) {
  memset(x->d, 0, sizeof *x->d * 2 * (size_t)x->n);
  x->d[e] = 1;
  for (int half = 0; half < 2; half++)
    cst_rk_stages_vary(x->half[half], x->d, x->d + x->n, x->end[half], x->end[half] + x->n);
}

static double most_of(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* w with d-(w) = q0, d+(w) = q1: v in units of 1/h. */
static bool find_w(cst_momenta_of *x, const cst_momenta_step *k) {
  enum { MOST = 30 };
  const int n = x->n;
  double    last = INFINITY, f[2 * n];
  for (int i = 0; i < n; i++) {
    x->w[n + i] = (k->q1[i] - k->q0[i]) / k->h;
    x->w[i] = k->q0[i] - k->h * x->action.bias * x->w[n + i];
  }
  const double size = most_of(x->w, n) + k->h * most_of(x->w + n, n);
  for (int it = 0; it < MOST; it++) {
    if (!run_halves(x, k))
      return false;
    for (int i = 0; i < n; i++) {
      f[i] = k->q0[i] - x->end[0][i];
      f[n + i] = k->q1[i] - x->end[1][i];
    }
    for (int e = 0; e < 2 * n; e++) {
      vary_halves(x, e);
      for (int i = 0; i < n; i++) {
        x->D[i * 2 * n + e] = x->end[0][i] / (e < n ? 1 : k->h);
        x->D[(n + i) * 2 * n + e] = x->end[1][i] / (e < n ? 1 : k->h);
      }
    }
    factor(2 * n, x->D, x->pivot);
    solve_with(2 * n, x->D, x->pivot, f);
    const double change = most_of(f, 2 * n);
    if (!(change < INFINITY))
      return false;
    for (int e = 0; e < 2 * n; e++)
      x->w[e] += e < n ? f[e] : f[e] / k->h;
    if (change <= DBL_EPSILON * size || (change >= last / 2 && change <= 1e-12 * size))
      return run_halves(x, k);
    last = change;
  }
  return false;
}

/* push := F - phi'lambda at stage i of a half. */
static void find_push(cst_momenta_of *x, int half, int i) {
  const cst_rk_stages *h = x->half[half];
  const int            n = x->n;
  double               c = 0;
  for (int l = 0; l < h->of->stages; l++)
    c += h->of->a[i * h->of->stages + l];
  cst_rk_stages_clock(x->half[0], h->t + h->h * c);
  find_force(x, h->Q + i * n, h->V + i * n, x->push);
  for (int a = 0; a < x->s->ng; a++)
    for (int e = 0; e < n; e++)
      x->push[e] -= h->G[(i * x->s->ng + a) * n + e] * h->lambda[i * x->s->ng + a];
}

/* The impulses N_j; and at the same points dV, in `slope` [n][nq]. */
static void find_impulses(cst_momenta_of *x, double *slope) {
  const int n = x->n;
  x->found.n = 0;
  for (int half = 0; half < 2; half++) {
    const cst_rk_stages *h = x->half[half];
    for (int i = 0; i < h->of->stages && h->h != 0; i++) {
      const double w = (half ? 1 : -1) * h->h * h->of->b[i];
      double      *N = x->found.impulse + x->found.n * n;
      find_push(x, half, i);
      for (int e = 0; e < n; e++)
        N[e] = w * x->push[e];
      memcpy(x->found.place + x->found.n * n, h->Q + i * n, sizeof *N * (size_t)n);
      cst_system_eval_at(x->s, CST_K_dV, x->half[0]->c, h->Q + i * n, slope + x->found.n * n);
      x->found.n++;
    }
  }
}

/* Theta along the variation that the halves hold. */
static double theta_of(const cst_momenta_of *x, const double *slope) {
  const int n = x->n;
  double    sum = 0;
  int       j = 0;
  for (int half = 0; half < 2; half++) {
    const cst_rk_stages *h = x->half[half];
    for (int i = 0; i < h->of->stages && h->h != 0; i++, j++) {
      const double w = (half ? 1 : -1) * h->h * h->of->b[i];
      for (int e = 0; e < n; e++)
        sum += (x->found.impulse[j * n + e] - w * slope[j * n + e]) * h->dQ[i * n + e] +
               w * h->mass[e] * h->V[i * n + e] * h->dV[i * n + e];
    }
  }
  return sum;
}

static bool find_by_layers(cst_momenta_of *x, const cst_momenta_step *k) {
  const int n = x->n, N = 2 * n;
  if (!find_w(x, k))
    return false;
  double Theta[N], slope[(x->half[0]->of->stages + x->half[1]->of->stages) * n];
  find_impulses(x, slope);
  for (int e = 0; e < N; e++) {
    const double unit = e < n ? 1 : 1 / k->h;
    vary_halves(x, e);
    Theta[e] = unit * theta_of(x, slope);
    for (int i = 0; i < n; i++) {
      x->D[e * N + i] = unit * x->end[1][i];
      x->D[e * N + n + i] = -unit * x->end[0][i];
    }
  }
  factor(N, x->D, x->pivot);
  solve_with(N, x->D, x->pivot, Theta);
  memcpy(x->found.right, Theta, sizeof *Theta * (size_t)n);
  memcpy(x->found.left, Theta + n, sizeof *Theta * (size_t)n);
  return true;
}

bool cst_momenta_find(cst_momenta_of *x, const double *c, const cst_momenta_step *k,
                      const cst_momenta **found) {
  cst_momenta_step part = *k;
  *found = &x->found;
  if (!x->acts)
    return false;
  part.h *= x->fraction;
  for (int half = 0; half < 2; half++)
    cst_rk_stages_set(x->half[half], c);
  if (!x->action.points)
    return find_by_layers(x, &part);
  find_by_points(x, &part);
  return true;
}

static void add_stages(cst_momenta_points *to, const cst_rk_stages *h, double sign) {
  const size_t n = (size_t)h->n, g = (size_t)h->ng;
  for (int i = 0; i < h->of->stages && h->h != 0; i++, to->n++) {
    const size_t j = (size_t)to->n;
    to->weight[j] = sign * h->h * h->of->b[i];
    to->t[j] = h->t + h->h * h->of->c[i];
    memcpy(to->q + j * n, h->Q + (size_t)i * n, n * sizeof *to->q);
    memcpy(to->v + j * n, h->V + (size_t)i * n, n * sizeof *to->v);
    memcpy(to->lambda + j * g, h->lambda + (size_t)i * g, g * sizeof *to->lambda);
  }
}

static bool add_end(cst_momenta_of *x, double t, double weight, const double *q, const double *p) {
  cst_momenta_points *to = &x->points;
  const int           n = x->n, j = to->n++;
  double             *v = to->v + j * n;
  to->weight[j] = weight;
  to->t[j] = t;
  memcpy(to->q + j * n, q, sizeof *q * (size_t)n);
  cst_rk_stages_clock(x->half[0], t);
  if (!cst_system_velocity(x->s, x->half[0]->c, q, p, v))
    return false;
  cst_system_multipliers(x->s, x->half[0]->c, q, v, to->lambda + j * x->s->ng);
  return true;
}

bool cst_momenta_sample(cst_momenta_of *x, const double *c, const cst_momenta_step *k,
                        const cst_momenta_points **found) {
  const int n = x->n;
  *found = &x->points;
  x->points.n = 0;
  for (int half = 0; half < 2; half++)
    cst_rk_stages_set(x->half[half], c);
  if (x->acts && !x->action.points) {
    cst_momenta_step part = *k;
    part.h *= x->fraction;
    if (!find_w(x, &part))
      return false;
    add_stages(&x->points, x->half[0], -1);
    add_stages(&x->points, x->half[1], 1);
    return true;
  }
  if (x->layer) {
    double v[n];
    if (!cst_system_velocity(x->s, x->half[1]->c, k->q0, k->p0, v) ||
        !cst_rk_stages_run(x->half[1], &x->layer->tableau, x->fraction * k->h, k->t, k->q0, v))
      return false;
    add_stages(&x->points, x->half[1], 1);
    return true;
  }
  return add_end(x, k->t, k->h / 2, k->q0, k->p0) &&
         add_end(x, k->t + k->h, k->h / 2, k->q1, k->p1);
}

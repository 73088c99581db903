/* multipliers.c: multipliers of the continuous equations at one point.
 *
 *   M A = f - G' lambda,  G A = -D2g[v, v]   so   (G M^-1 G') lambda = D2g[v, v] + G M^-1 f
 *
 * Where a body is flat M is singular. M + sigma O'O then replaces it, where O has the rows of G of the
 * orthogonality constraints (linear.c). With f - sigma O'D2o[v, v] in place of f the equations have the
 * same A and lambda.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "system/system.h"
#include "core/boundary.h"
#include "system/point/linear.h"

/* ---- forces that depend on multipliers ------------------------------------------------------- */

/* Multipliers there, and whether there are any on the way ahead.
 *
 *   r = D2g[v, v] + G M^-1 (f(lambda) - G'lambda) = 0,   J = G M^-1 (G' - f_lambda)
 *
 * by Newton's method from lambda = 0, as lane code does (system/lane/acceleration.h). For f_lambda = 0 the
 * determinant of J is positive. Where it is not, the equations do not tell a motion: in Painleve's examples of
 * Coulomb's law there are then several multipliers, or none. Source: P. Painleve, C. R. Acad. Sci. 121 (1895);
 * F. Genot, B. Brogliato, Eur. J. Mech. A 18 (1999) 653.
 */

enum { MOST = 40, PARTS = 96 };  /* iterations; points of a step */
static const double REACH = 1.5; /* steps */

/* What is at the point: X[n][nq] = G M^-1 and S[n][n] of the n enforced constraints, and room. */
typedef struct {
  const cst_system *s;
  const double     *c, *q, *v;
  int               n, *kept, *row;
  double           *G, *X, *S, *J, *bend, *f, *Fl, *d;
} slip;

static slip slip_create(const cst_system *s, const double *c, const double *q, const double *v) {
  const long nq = s->nq, ng = s->ng, nG = s->model->pattern[CST_K_G].n;
  slip       x = {.s = s, .c = c, .q = q, .v = v, .kept = cst_zeros(2 * ng, sizeof(int))};
  x.row = x.kept + ng;
  x.G = cst_linear_numbers(nG + ng * nq + 2 * ng * ng + ng + nq + nq * ng + ng);
  x.X = x.G + nG;
  x.S = x.X + ng * nq;
  x.J = x.S + ng * ng;
  x.bend = x.J + ng * ng;
  x.f = x.bend + ng;
  x.Fl = x.f + nq;
  x.d = x.Fl + nq * ng;
  for (int a = 0; a < s->ng; a++)
    if (cst_system_enforces(s, a))
      x.kept[x.n++] = a;
  return x;
}

static void slip_destroy(slip *x) {
  free(x->kept);
  free(x->G);
}

static bool prepare(slip *x) {
  const cst_system  *s = x->s;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  const long         nq = s->nq;
  cst_mass           M;
  const bool         good = cst_linear_mass_create(&M, s, x->c, x->q);
  cst_system_eval_at(s, CST_K_G, x->c, x->q, x->G);
  cst_system_eval(s, CST_K_D2gvv, x->c, x->q, x->v, NULL, NULL, NULL, x->bend);
  for (int a = 0; a < x->n && good; a++) {
    double *row = x->X + a * nq;
    CST_EACH_ENTRY(P, x->kept[a], e)
      row[P->column[e]] = x->G[e];
    cst_linear_mass_solve(&M, row);
    for (int b = 0; b < x->n; b++) {
      double sum = 0;
      CST_EACH_ENTRY(P, x->kept[b], e)
        sum += row[P->column[e]] * x->G[e];
      x->S[a * x->n + b] = sum;
    }
  }
  cst_linear_mass_destroy(&M);
  return good;
}

/* J, and d := r. */
static void linearise(slip *x, const double *lambda) {
  const cst_system  *s = x->s;
  const cst_pattern *P = &s->model->pattern[CST_K_Fl];
  const int          n = x->n, nq = s->nq;
  double            *Fl = x->Fl;
  cst_system_eval(s, CST_K_f, x->c, x->q, x->v, NULL, NULL, lambda, x->f);
  cst_system_eval(s, CST_K_Fl, x->c, x->q, x->v, NULL, NULL, lambda, Fl);
  for (int a = 0; a < n; a++) {
    const double *row = x->X + (long)a * nq;
    x->d[a] = x->bend[x->kept[a]] + cst_linear_dot(row, x->f, nq);
    for (int b = 0; b < n; b++) {
      x->d[a] -= x->S[a * n + b] * lambda[x->kept[b]];
      x->J[a * n + b] = x->S[a * n + b];
      for (int i = 0; i < nq; i++)
        CST_EACH_ENTRY(P, i, e)
          if (P->column[e] == x->kept[b])
            x->J[a * n + b] -= row[i] * Fl[e];
    }
  }
}

/* The sign of the determinant of the factors that cst_dense_factor makes. */
static bool is_positive(const double *J, const int *row, int n) {
  bool positive = true;
  for (int k = 0; k < n; k++) {
    positive ^= J[(long)k * n + k] < 0;
    positive ^= row[k] != k;
  }
  return positive;
}

/* lambda[ng] at (q, v) of a system whose forces depend on multipliers, with 0 for redundant constraints; false
 * where they do not tell a motion. */
static bool solve_with_slips(const cst_system *s, const double *c, const double *q, const double *v,
                             double *lambda) {
  slip   x = slip_create(s, c, q, v);
  double before = INFINITY;
  bool   ended = false, good = prepare(&x);
  cst_linear_clear(lambda, s->ng);
  for (int k = 0; k < MOST && good && !ended; k++) {
    double size = 0, move = 0;
    linearise(&x, lambda);
    good = cst_dense_factor(x.J, x.row, x.n);
    if (!good)
      break;
    const bool positive = is_positive(x.J, x.row, x.n);
    cst_dense_solve(x.J, x.row, x.n, x.d);
    for (int a = 0; a < x.n; a++) {
      lambda[x.kept[a]] += x.d[a];
      size = fmax(size, fabs(lambda[x.kept[a]]));
      move = fmax(move, fabs(x.d[a]));
    }
    ended = move <= 0x1p-50 * size || (move <= 1e-9 * size && move >= 0.5 * before);
    good = isfinite(move) && (!ended || positive);
    before = move;
  }
  slip_destroy(&x);
  return good && ended;
}

/* A := the acceleration at (q, v) with the multipliers lambda. */
static void accelerate(const cst_system *s, const double *c, const double *q, const double *v,
                       const double *lambda, double *A) {
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double            *G = cst_linear_numbers(P->n + s->ng), *l = G + P->n;
  cst_mass           M;
  cst_system_eval(s, CST_K_f, c, q, v, NULL, NULL, lambda, A);
  cst_system_eval_at(s, CST_K_G, c, q, G);
  for (int a = 0; a < s->ng; a++)
    l[a] = -lambda[a];
  cst_linear_pattern_add_transposed(P, G, l, A);
  if (cst_linear_mass_create(&M, s, c, q))
    cst_linear_mass_solve(&M, A);
  cst_linear_mass_destroy(&M);
  free(G);
}

/* The points are those of a parabola of the acceleration at the start, `share` of it: stages of a step take the
 * part of it that their weights are. */
bool cst_system_slip_ahead(const cst_system *s, const double *c, const double *q, const double *v,
                           double h) {
  static const double share[] = {1, 0.5, 0, 2};
  CST_REQUIRE(s && (c || !s->npar) && q && v, false);
  const long nq = s->nq;
  if (!cst_has(s, CST_SLIPS))
    return false;
  double *x = cst_linear_numbers(3 * nq + s->ng), *u = x + nq, *A = u + nq, *lambda = A + nq;
  bool    lost = !solve_with_slips(s, c, q, v, lambda);
  if (!lost)
    accelerate(s, c, q, v, lambda, A);
  for (int k = 0; k < 4 * PARTS && !lost; k++) {
    const double part = share[k / PARTS], t = REACH * h * (k % PARTS + 1) / PARTS;
    for (int i = 0; i < nq; i++) {
      x[i] = q[i] + t * (v[i] + 0.5 * t * part * A[i]);
      u[i] = v[i] + t * part * A[i];
    }
    lost = !solve_with_slips(s, c, x, u, lambda);
  }
  free(x);
  return lost;
}

/* ---- multipliers at a point ------------------------------------------------------------------ */

void cst_system_force(const cst_system *s, const double *c, const double *q, const double *v,
                      const double *lambda, double *f) {
  const cst_kernel_id force = cst_system_force_kernel(s);
  CST_REQUIRE(s && (c || !s->npar) && q && v && f);
  cst_system_eval(s, force, c, q, v, NULL, NULL, lambda, f);
  for (int i = 0; i < s->nq && force == CST_K_dV; i++)
    f[i] = -f[i];
}

/* f := f - sigma O'D2o[v, v]; bend is D2g[v, v]. */
static void lower_force(const cst_mass *M, const double *G, const double *bend, double *f) {
  const cst_system  *s = M->s;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  if (!(M->sigma > 0))
    return;
  int from, to;
  cst_linear_raised(s, &from, &to);
  for (int a = from; a < to; a++)
    CST_EACH_ENTRY(P, a, e) {
      const double pull = M->sigma * G[e] * bend[a];
      f[P->column[e]] -= pull;
    }
}

void cst_system_multipliers(const cst_system *s, const double *c, const double *q, const double *v,
                            double *lambda) {
  CST_REQUIRE(s && (c || !s->npar) && q && v && lambda);
  const int          ng = s->ng;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  if (!ng)
    return;
  if (cst_has(s, CST_SLIPS)) {
    const bool there = solve_with_slips(s, c, q, v, lambda);
    for (int a = 0; a < ng && !there; a++)
      lambda[a] = NAN;
    return;
  }
  double    *G = cst_linear_numbers(P->n);
  double    *A = cst_linear_numbers(s->nq);
  double    *b = cst_linear_numbers(ng);
  cst_mass   M;
  cst_schur  S = {0};
  const bool mass = cst_linear_mass_create(&M, s, c, q);
  cst_system_eval_at(s, CST_K_G, c, q, G);
  const bool good = mass && cst_linear_schur_create(&S, s, G, &M);
  if (good) {
    cst_system_force(s, c, q, v, NULL, A);
    cst_system_eval(s, CST_K_D2gvv, c, q, v, NULL, NULL, NULL, lambda);
    lower_force(&M, G, lambda, A);
    cst_linear_mass_solve(&M, A);
    cst_linear_pattern_times(P, G, A, b);
    for (int a = 0; a < ng; a++)
      lambda[a] += b[a];
    cst_linear_schur_solve(&S, lambda);
    if (s->model->dropped)
      cst_system_least_norm(s, c, q, lambda);
  }
  for (int a = 0; a < ng && !good; a++)
    lambda[a] = NAN;
  cst_linear_schur_destroy(&S);
  cst_linear_mass_destroy(&M);
  free(G);
  free(A);
  free(b);
}

bool cst_system_acceleration(const cst_system *s, const double *c, const double *q, const double *v,
                             const double *lambda, double *A) {
  CST_REQUIRE(s && (c || !s->npar) && q && v && A, false);
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double            *G = cst_linear_numbers(P->n + (long)s->ng + s->nq);
  double            *bend = G + P->n, *pull = bend + s->ng;
  cst_mass           M;
  const bool         good = cst_linear_mass_create(&M, s, c, q);
  double             sum = 0;
  if (good) {
    cst_system_eval_at(s, CST_K_G, c, q, G);
    cst_system_eval(s, CST_K_D2gvv, c, q, v, NULL, NULL, NULL, bend);
    cst_system_force(s, c, q, v, NULL, A);
    lower_force(&M, G, bend, A);
    if (lambda)
      cst_linear_pattern_add_transposed(P, G, lambda, pull);
    for (int i = 0; i < s->nq; i++)
      A[i] -= pull[i];
    cst_linear_mass_solve(&M, A);
  }
  for (int i = 0; i < s->nq && good; i++)
    sum += A[i];
  cst_linear_mass_destroy(&M);
  free(G);
  return good && isfinite(sum);
}

/* test-convert-stages.c: two computed steps of convert(LAYER, bias=b) satisfy the equations of its source,
 * from the fundamental Stage 0 to the equations of Stage 4; a perturbed one does not. The equations are
 * written out here in scalar code.
 *
 * For two consecutive steps (q0, p0) -> (q1, p1) -> (q2, p2) with the points w1, w2 of TQ from the core,
 * the source's unknowns are lambda- = -p0, mu = p1, lambda+ = p2, q1- = q0, qbar = q1, q2+ = q2. Both
 * halves of every stage then read, for k = 1, 2,
 *
 *   D L_h(w_k) = p_k D d+(w_k) - p_{k-1} D d-(w_k)
 *
 * With state=w the two points are those before and after a step, and the p_k follow from them. A layer that
 * is projected is that of Stages 0 to 2, whose points keep the constraint.
 *
 * The multipliers nu are found by least squares. Layer, action and projection are evaluated at complex
 * arguments, and derivatives are taken by a step in the imaginary direction, independently of the kernels
 * that the core differentiates with.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <complex.h>
#include "claims.h"
#include "tableau/tableau.h"

typedef double complex NUMBER;

enum { MOST_Q = 12, MOST_G = 6, MOST_K = MOST_Q + MOST_G, MOST_SWEEPS = 100 };
static const double TINY = 1e-30, BOUND = 1e-13, VISIBLE = 1e-8;
/* where the p_k are found from w, with the round-off of positions over h */
static const double BOUND_OF_W = 1e-11;

/* ---- the system at complex points ------------------------------------------------------------ */

static void evaluate(const problem *x, cst_kernel_id k, const NUMBER *q, const NUMBER *v,
                     const NUMBER *w, const NUMBER *l, NUMBER *out) {
  NUMBER c[CST_MAX_PAR];
  for (int i = 0; i < x->s->npar; i++)
    c[i] = x->c[i];
  cst_graph_eval_complex(
      x->s->model->graph, x->s->model->kernel_out[k], x->s->model->kernel_size[k],
      (const NUMBER *const[128]){['c'] = c, ['q'] = q, ['v'] = v, ['w'] = w, ['l'] = l}, out);
}

/* A matrix kernel with its zeros, in rows of `columns`. */
static void matrix(const problem *x, cst_kernel_id k, const NUMBER *q, int columns, NUMBER *out) {
  const cst_pattern *P = &x->s->model->pattern[k];
  NUMBER             entry[MOST_Q * MOST_Q];
  evaluate(x, k, q, NULL, NULL, NULL, entry);
  for (int i = 0; i < P->rows * columns; i++)
    out[i] = 0;
  for (int i = 0; i < P->rows; i++)
    for (int e = P->start[i]; e < P->start[i + 1]; e++)
      out[i * columns + P->column[e]] = entry[e];
}

static void mass(const problem *x, const NUMBER *q, NUMBER *M) {
  const int n = x->s->nq;
  NUMBER    distinct[MOST_Q];
  if (!cst_has(x->s, CST_SEPARABLE)) {
    matrix(x, CST_K_M, q, n, M);
    return;
  }
  evaluate(x, CST_K_mass, q, NULL, NULL, NULL, distinct);
  for (int i = 0; i < n * n; i++)
    M[i] = i / n == i % n ? distinct[x->s->model->mass_class[i % n]] : 0;
}

/* b := K^-1 b, with pivoting by the real parts; overwrites K[n][n]. */
static void solve(int n, NUMBER *K, NUMBER *b) {
  for (int j = 0; j < n; j++) {
    int p = j;
    for (int i = j + 1; i < n; i++)
      if (fabs(creal(K[i * n + j])) > fabs(creal(K[p * n + j])))
        p = i;
    for (int k = 0; k < n; k++) {
      NUMBER swap = K[j * n + k];
      K[j * n + k] = K[p * n + k];
      K[p * n + k] = swap;
    }
    NUMBER swap = b[j];
    b[j] = b[p];
    b[p] = swap;
    for (int i = j + 1; i < n; i++) {
      NUMBER l = K[i * n + j] / K[j * n + j];
      for (int k = j; k < n; k++)
        K[i * n + k] -= l * K[j * n + k];
      b[i] -= l * b[j];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      b[i] -= K[i * n + k] * b[k];
    b[i] /= K[i * n + i];
  }
}

/* [[D, G'], [G, 0]] with D[nq][nq]. */
static void saddle(const problem *x, const NUMBER *D, const NUMBER *q, NUMBER *K) {
  const int n = x->s->nq, m = x->s->ng;
  NUMBER    G[MOST_G * MOST_Q];
  matrix(x, CST_K_G, q, n, G);
  memset(K, 0, sizeof *K * (size_t)((n + m) * (n + m)));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      K[i * (n + m) + j] = D[i * n + j];
    for (int a = 0; a < m; a++)
      K[i * (n + m) + n + a] = K[(n + a) * (n + m) + i] = G[a * n + i];
  }
}

/* A(q, v) of the index-reduced equations. */
static void accelerate(const problem *x, const NUMBER *q, const NUMBER *v, NUMBER *A) {
  const int n = x->s->nq, m = x->s->ng;
  NUMBER    M[MOST_Q * MOST_Q], K[MOST_K * MOST_K], b[MOST_K];
  mass(x, q, M);
  saddle(x, M, q, K);
  evaluate(x, !cst_has(x->s, CST_SEPARABLE) ? CST_K_f : CST_K_dV, q, v, NULL, NULL, b);
  for (int i = 0; i < n && cst_has(x->s, CST_SEPARABLE); i++)
    b[i] = -b[i];
  evaluate(x, CST_K_D2gvv, q, v, NULL, NULL, b + n);
  for (int a = 0; a < m; a++)
    b[n + a] = -b[n + a];
  solve(n + m, K, b);
  memcpy(A, b, sizeof *A * (size_t)n);
}

static NUMBER lagrangian(const problem *x, const NUMBER *q, const NUMBER *v) {
  const int n = x->s->nq;
  NUMBER    M[MOST_Q * MOST_Q], a[MOST_Q] = {0}, L;
  evaluate(x, CST_K_V, q, NULL, NULL, NULL, &L);
  L = -L;
  mass(x, q, M);
  if (!cst_has(x->s, CST_SEPARABLE))
    evaluate(x, CST_K_a, q, NULL, NULL, NULL, a);
  for (int i = 0; i < n; i++) {
    L += a[i] * v[i];
    for (int j = 0; j < n; j++)
      L += 0.5 * v[i] * M[i * n + j] * v[j];
  }
  return L;
}

/* ---- the layer R_t and the projection P ------------------------------------------------------ */

/* y := base + t sum_j row[j] K_j. */
static void add_stages(int n, int stages, double t, const double *row, NUMBER (*K)[MOST_Q],
                       const NUMBER *base, NUMBER *y) {
  for (int i = 0; i < n; i++) {
    y[i] = base[i];
    for (int j = 0; j < stages; j++)
      y[i] += t * row[j] * K[j][i];
  }
}

/* q1 = R^q_t(q, v) and S = R^S_t(q, v). Implicit stages are iterated to stagnation. */
static void flow(const problem *x, const cst_tableau *T, double t, const NUMBER *q, const NUMBER *v,
                 NUMBER *q1, NUMBER *S) {
  NUMBER Q[CST_MAX_STAGES][MOST_Q], V[CST_MAX_STAGES][MOST_Q] = {{0}},
                                    A[CST_MAX_STAGES][MOST_Q] = {{0}}, last[CST_MAX_STAGES][MOST_Q];
  for (int sweep = 0; sweep < (T->implicit ? MOST_SWEEPS : 1); sweep++) {
    memcpy(last, A, sizeof A);
    for (int i = 0; i < T->stages; i++) {
      add_stages(x->s->nq, T->stages, t, T->a + i * T->stages, A, v, V[i]);
      add_stages(x->s->nq, T->stages, t, T->a + i * T->stages, V, q, Q[i]);
      accelerate(x, Q[i], V[i], A[i]);
    }
    if (!memcmp(last, A, sizeof A))
      break;
  }
  for (int i = 0; i < T->stages && T->implicit; i++)
    add_stages(x->s->nq, T->stages, t, T->a + i * T->stages, A, v, V[i]);
  add_stages(x->s->nq, T->stages, t, T->b, V, q, q1);
  *S = 0;
  for (int i = 0; i < T->stages; i++)
    *S += t * T->b[i] * lagrangian(x, Q[i], V[i]);
}

/* 1 + D2(theta.g)(q). */
static void bend(const problem *x, const NUMBER *q, const NUMBER *theta, NUMBER *D) {
  const int n = x->s->nq;
  for (int j = 0; j < n; j++) {
    NUMBER unit[MOST_Q] = {0}, column[MOST_Q];
    unit[j] = 1;
    evaluate(x, CST_K_D2glw, q, NULL, unit, theta, column);
    for (int i = 0; i < n; i++)
      D[i * n + j] = (i == j) + column[i];
  }
}

/* q = P(y): y = q + G(q)'theta, g(q) = 0, by Newton from q = y. */
static void project(const problem *x, const NUMBER *y, NUMBER *q, NUMBER *theta) {
  const int n = x->s->nq, m = x->s->ng;
  memcpy(q, y, sizeof *q * (size_t)n);
  memset(theta, 0, sizeof *theta * (size_t)m);
  for (int it = 0; it < 8; it++) {
    NUMBER D[MOST_Q * MOST_Q], K[MOST_K * MOST_K], b[MOST_K], G[MOST_G * MOST_Q];
    matrix(x, CST_K_G, q, n, G);
    evaluate(x, CST_K_g, q, NULL, NULL, NULL, b + n);
    for (int a = 0; a < m; a++)
      b[n + a] = -b[n + a];
    for (int i = 0; i < n; i++) {
      b[i] = y[i] - q[i];
      for (int a = 0; a < m; a++)
        b[i] -= G[a * n + i] * theta[a];
    }
    bend(x, q, theta, D);
    saddle(x, D, q, K);
    solve(n + m, K, b);
    for (int i = 0; i < n; i++)
      q[i] += b[i];
    for (int a = 0; a < m; a++)
      theta[a] += b[n + a];
  }
}

/* y := y - G'(G G')^-1 (G y - s); theta receives the multiplier. s may be NULL. */
static void make_tangential(const problem *x, const NUMBER *q, const NUMBER *s, NUMBER *y,
                            NUMBER *theta) {
  const int n = x->s->nq, m = x->s->ng;
  NUMBER    D[MOST_Q * MOST_Q], K[MOST_K * MOST_K], b[MOST_K] = {0};
  for (int i = 0; i < n * n; i++)
    D[i] = i / n == i % n;
  for (int i = 0; i < n; i++)
    b[i] = y[i];
  for (int a = 0; a < m && s; a++)
    b[n + a] = s[a];
  saddle(x, D, q, K);
  solve(n + m, K, b);
  memcpy(y, b, sizeof *y * (size_t)n);
  memcpy(theta, b + n, sizeof *theta * (size_t)m);
}

/* ---- two steps ------------------------------------------------------------------------------- */

/* For a point w of TQ: the ends of both halves, with and without projection ([0] minus, [1] plus), and their
 * derivatives along w. */
typedef struct {
  NUMBER q[MOST_Q], v[MOST_Q];
  NUMBER hat[2][MOST_Q], end[2][MOST_Q], theta[2][MOST_G];
  double Dhat[2][MOST_Q][2 * MOST_Q], Dend[2][MOST_Q][2 * MOST_Q], DL[2 * MOST_Q];
} segment;

typedef struct {
  const problem *x;
  cst_tableau    T;
  double         h, bias;
  NUMBER         q[3][MOST_Q], p[3][MOST_Q];
  segment        w[2];
} course;

/* Both halves from (q, v). */
static void halves(const course *c, const NUMBER *q, const NUMBER *v, segment *to, NUMBER *L) {
  NUMBER S[2];
  for (int k = 0; k < 2; k++) {
    flow(c->x, &c->T, c->h * (k + c->bias), q, v, to->hat[k], &S[k]);
    project(c->x, to->hat[k], to->end[k], to->theta[k]);
  }
  *L = S[1] - S[0];
}

static void fill_segment(const course *c, segment *w) {
  const int n = c->x->s->nq;
  NUMBER    L;
  segment   off;
  for (int j = 0; j < 2 * n; j++) {
    NUMBER q[MOST_Q], v[MOST_Q];
    for (int i = 0; i < n; i++) {
      q[i] = w->q[i] + (i == j) * TINY * I;
      v[i] = w->v[i] + (n + i == j) * TINY * I;
    }
    halves(c, q, v, &off, &L);
    w->DL[j] = cimag(L) / TINY;
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < n; i++) {
        w->Dhat[k][i][j] = cimag(off.hat[k][i]) / TINY;
        w->Dend[k][i][j] = cimag(off.end[k][i]) / TINY;
      }
  }
  halves(c, w->q, w->v, w, &L);
}

/* Two steps from start `lane`, after two preliminary ones. */
static void fill_course(course *c, const char *method, int lane) {
  const int n = c->x->s->nq;
  double    q[MOST_Q], p[MOST_Q], w[2 * MOST_Q];
  run       r;
  run_open_on(&r, c->x, method, widest(), lane + 1, 1e-15);
  run_start(&r, lane + 1);
  run_go(&r, c->h, 2);
  for (int k = 0; k < 3; k++) {
    if (k)
      run_go(&r, c->h, 1);
    run_carried(&r, lane, q, p);
    run_block(&r, lane, cst_stepper_march(r.st, r.b.record)->warm, 2 * n, w);
    for (int i = 0; i < n; i++) {
      c->q[k][i] = q[i];
      c->p[k][i] = p[i];
      if (k) {
        c->w[k - 1].q[i] = w[i];
        c->w[k - 1].v[i] = w[n + i];
      }
    }
  }
  if (!run_well(&r, lane + 1)) {
    fprintf(stderr, "%s on %s: no steps\n", method, c->x->s->name);
    abort();
  }
  run_close(&r);
  for (int k = 0; k < 2; k++)
    fill_segment(c, &c->w[k]);
}

/* p_{k-1} and p_k of segment k: the covectors, tangential at the ends, of D L_h = p_k D d+ - p_{k-1} D d-
 * along TQ. */
static void find_covectors(const course *c, int k, NUMBER *minus, NUMBER *plus) {
  const segment *w = &c->w[k];
  const int      n = c->x->s->nq, m = c->x->s->ng, all = 2 * (n + m);
  NUMBER         K[4 * MOST_K * MOST_K] = {0}, b[2 * MOST_K] = {0}, G[3][MOST_G * MOST_Q];
  matrix(c->x, CST_K_G, w->end[1], n, G[0]);
  matrix(c->x, CST_K_G, w->end[0], n, G[1]);
  matrix(c->x, CST_K_G, w->q, n, G[2]);
  for (int j = 0; j < 2 * n; j++) {
    NUMBER unit[MOST_Q] = {0}, bent[MOST_G] = {0};
    unit[j % n] = 1;
    evaluate(c->x, CST_K_D2gvw, w->q, w->v, unit, NULL, bent);
    b[j] = w->DL[j];
    for (int i = 0; i < n; i++) {
      K[j * all + i] = w->Dend[1][i][j];
      K[j * all + n + i] = -w->Dend[0][i][j];
    }
    for (int a = 0; a < m; a++) {
      K[j * all + 2 * n + a] = j < n ? G[2][a * n + j] : 0;
      K[j * all + 2 * n + m + a] = j < n ? bent[a] : G[2][a * n + j - n];
    }
  }
  for (int side = 0; side < 2; side++)
    for (int a = 0; a < m; a++)
      for (int i = 0; i < n; i++)
        K[(2 * n + side * m + a) * all + side * n + i] = G[side][a * n + i];
  solve(all, K, b);
  memcpy(plus, b, sizeof *b * (size_t)n);
  memcpy(minus, b + n, sizeof *b * (size_t)n);
}

/* A step from w to w, after two preliminary ones; what the segments have in common are those of the second.
 * */
static void fill_course_of_w(course *c, const char *method, int lane) {
  const int n = c->x->s->nq;
  double    q[MOST_Q], p[MOST_Q], v[MOST_Q];
  run       r;
  run_open_on(&r, c->x, method, widest(), lane + 1, 1e-15);
  run_start(&r, lane + 1);
  run_go(&r, c->h, 1);
  for (int k = 0; k < 2; k++) {
    run_go(&r, c->h, 1);
    run_carried(&r, lane, q, p);
    cst_system_velocity(c->x->s, c->x->c, q, p, v);
    for (int i = 0; i < n; i++) {
      c->w[k].q[i] = q[i];
      c->w[k].v[i] = v[i];
    }
    fill_segment(c, &c->w[k]);
  }
  run_close(&r);
  find_covectors(c, 0, c->p[0], c->p[1]);
  find_covectors(c, 1, c->p[1], c->p[2]);
  for (int k = 0; k < 3; k++)
    memcpy(c->q[k], k ? c->w[k - 1].end[1] : c->w[0].end[0], sizeof c->q[k]);
}

/* ---- the equations --------------------------------------------------------------------------- */

/* The largest residuals of a stage so far, relative to the terms that are subtracted. */
typedef struct {
  double most, scale;
} residual;

static void look(residual *r, const NUMBER *x, int n) {
  for (int i = 0; i < n; i++)
    r->most = larger(r->most, fabs(creal(x[i])) / r->scale);
}

/* f[2 nq] = D L_h(w_k) - p_k D d+ + p_{k-1} D d- with the covectors plus, minus and the given derivatives. */
static void lagrange(const course *c, int k, const double D[2][MOST_Q][2 * MOST_Q],
                     const NUMBER *minus, const NUMBER *plus, NUMBER *f) {
  const int n = c->x->s->nq;
  for (int j = 0; j < 2 * n; j++) {
    f[j] = c->w[k].DL[j];
    for (int i = 0; i < n; i++)
      f[j] += minus[i] * D[0][i][j] - plus[i] * D[1][i][j];
  }
}

/* f - nu1 [Dg, 0] - nu2 [v'D2g, Dg] with the nu that minimise it. */
static void subtract_multipliers(const course *c, int k, NUMBER *f) {
  const int n = c->x->s->nq;
  NUMBER    nu[MOST_G], bent[MOST_Q];
  make_tangential(c->x, c->w[k].q, NULL, f + n, nu);
  evaluate(c->x, CST_K_D2glw, c->w[k].q, NULL, c->w[k].v, nu, bent);
  for (int i = 0; i < n; i++)
    f[i] -= bent[i];
  make_tangential(c->x, c->w[k].q, NULL, f, nu);
}

/* (S0.1), (S0.2): on vectors that span T_w TQ, the tangential parts of the unit vectors. */
static void check_on_tangents(const course *c, int k, const NUMBER *f, residual *r) {
  const int      n = c->x->s->nq, m = c->x->s->ng;
  const segment *w = &c->w[k];
  for (int j = 0; j < 2 * n; j++) {
    NUMBER dq[MOST_Q] = {0}, dv[MOST_Q] = {0}, bent[MOST_G], unused[MOST_G], sum = 0;
    (j < n ? dq : dv)[j % n] = 1;
    make_tangential(c->x, w->q, NULL, dq, unused);
    evaluate(c->x, CST_K_D2gvw, w->q, w->v, dq, NULL, bent);
    for (int a = 0; a < m; a++)
      bent[a] = -bent[a];
    make_tangential(c->x, w->q, bent, dv, unused);
    for (int i = 0; i < n; i++)
      sum += f[i] * dq[i] + f[n + i] * dv[i];
    look(r, &sum, 1);
  }
}

/* The positions of both segments: (S0.3), (S3.5), (S3.6), (S4.1), (S4.2), (S4.7a), (S4.8). */
static void check_positions(const course *c, residual *r) {
  const int n = c->x->s->nq;
  for (int k = 0; k < 2; k++)
    for (int side = 0; side < 2; side++) {
      NUMBER off[MOST_Q];
      for (int i = 0; i < n; i++)
        off[i] = c->w[k].end[side][i] - c->q[k + side][i];
      look(r, off, n);
    }
}

/* (S3.7): g(q) and Dg(q) v; (S2.4), (S3.8): Dg(q) p. */
static void check_constraints(const course *c, residual *r) {
  const int n = c->x->s->nq, m = c->x->s->ng;
  for (int k = 0; k < 2; k++) {
    NUMBER g[MOST_G], G[MOST_G * MOST_Q], Gv[MOST_G] = {0};
    evaluate(c->x, CST_K_g, c->w[k].q, NULL, NULL, NULL, g);
    matrix(c->x, CST_K_G, c->w[k].q, n, G);
    for (int i = 0; i < m * n; i++)
      Gv[i / n] += G[i] * c->w[k].v[i % n];
    look(r, g, m);
    look(r, Gv, m);
  }
}
static void look_at_covectors(const course *c, residual *r) {
  const int n = c->x->s->nq, m = c->x->s->ng;
  for (int k = 0; k < 3; k++) {
    NUMBER G[MOST_G * MOST_Q], Gp[MOST_G] = {0};
    matrix(c->x, CST_K_G, c->q[k], n, G);
    for (int i = 0; i < m * n; i++)
      Gp[i / n] += G[i] * c->p[k][i % n];
    look(r, Gp, m);
  }
}

/* (S3.3), (S3.4) by (4.7): hat = DP'p at the end of half `side` of segment k. */
static void pull_back(const course *c, int k, int side, NUMBER *hat) {
  const int n = c->x->s->nq, m = c->x->s->ng;
  NUMBER    D[MOST_Q * MOST_Q], K[MOST_K * MOST_K], b[MOST_K] = {0};
  for (int i = 0; i < n; i++)
    b[i] = c->p[k + side][i];
  bend(c->x, c->w[k].end[side], c->w[k].theta[side], D);
  saddle(c->x, D, c->w[k].end[side], K);
  solve(n + m, K, b);
  memcpy(hat, b, sizeof *hat * (size_t)n);
}

/* The sizes of coordinates, momenta and their products. */
static double scale_of(const course *c) {
  double q = 0, p = 0;
  for (int i = 0; i < c->x->s->nq; i++) {
    q = larger(q, fabs(creal(c->q[0][i])));
    p = larger(p, fabs(creal(c->p[0][i])));
  }
  return larger(1, larger(q, p));
}

enum { STAGES = 5 };

/* Stage 4 is Stage 3 in partial derivatives; those by v are of order h and scaled accordingly. */
static void check_stages(const course *c, residual *r) {
  const int n = c->x->s->nq;
  for (int k = 0; k < STAGES; k++) {
    r[k] = (residual){0, scale_of(c)};
    check_positions(c, &r[k]);
    check_constraints(c, &r[k]);
    if (k >= 2)
      look_at_covectors(c, &r[k]);
  }
  for (int k = 0; k < 2; k++) {
    NUMBER f[2 * MOST_Q], hat[2][MOST_Q];
    lagrange(c, k, c->w[k].Dend, c->p[k], c->p[k + 1], f);
    check_on_tangents(c, k, f, &r[0]);
    subtract_multipliers(c, k, f);
    look(&r[1], f, 2 * n);
    look(&r[2], f, 2 * n);
    for (int side = 0; side < 2; side++)
      pull_back(c, k, side, hat[side]);
    lagrange(c, k, c->w[k].Dhat, hat[0], hat[1], f);
    subtract_multipliers(c, k, f);
    look(&r[3], f, 2 * n);
    look(&r[4], f, n);
    for (int i = 0; i < n; i++)
      f[n + i] /= c->h;
    look(&r[4], f + n, n);
  }
}

/* Moves the second point along TQ. */
static void perturb(course *c) {
  NUMBER along[MOST_Q], unused[MOST_G];
  for (int i = 0; i < c->x->s->nq; i++)
    along[i] = cos(1 + i);
  make_tangential(c->x, c->w[1].q, NULL, along, unused);
  for (int i = 0; i < c->x->s->nq; i++)
    c->w[1].v[i] += 1e-5 * along[i];
  fill_segment(c, &c->w[1]);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static double greatest[STAGES], least = INFINITY;

/* form: of convert(...) with the layer, or with the projected layer; or of state=w. */
static void test(const problem *x, const char *layer, const cst_tableau *T, double bias, double h,
                 int lane, const char *form) {
  static course c;
  char          method[96];
  residual      r[STAGES];
  double        most = 0;
  const bool    of_w = strstr(form, "state=w") != NULL;
  snprintf(method, sizeof method, form, layer, bias);
  c = (course){.x = x, .T = *T, .h = h, .bias = bias};
  if (of_w)
    fill_course_of_w(&c, method, lane);
  else
    fill_course(&c, method, lane);
  check_stages(&c, r);
  for (int k = 0; k < STAGES; k++) {
    most = larger(most, r[k].most);
    greatest[k] = larger(greatest[k], of_w ? 0 : r[k].most);
  }
  if (!OK(most <= (of_w ? BOUND_OF_W : BOUND), "%s on %s, start %d: Stages 0 to 4", method,
          x->s->name, lane))
    NOTE("%.2g %.2g %.2g %.2g %.2g", r[0].most, r[1].most, r[2].most, r[3].most, r[4].most);
  perturb(&c);
  check_stages(&c, r);
  for (int k = 0; k < STAGES; k++)
    most = k ? fmin(most, r[k].most) : r[k].most;
  OK(most > VISIBLE, "%s on %s, start %d: a perturbed point is none (%.2g)", method, x->s->name,
     lane, most);
  least = fmin(least, most);
}

static const char *const layers[] = {"euler", "heun", "rk3", "rk4", "rk6", "gauss(2)"};
static const double      biases[] = {0, -0.3, -0.5, -1};
static const char *const forms[] = {"convert(%s, bias=%g)", "convert(project(%s), bias=%g)",
                                    "lagrange-dalembert(%s, bias=%g, state=w)"};

static void test_system(const char *name, int n) {
  problem *x = problem_open(name);
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
    const cst_tableau gauss = cst_tableau_gauss(2), *T = cst_tableau_find(layers[i]);
    for (size_t k = 0; k < sizeof biases / sizeof *biases; k++)
      if (on_diagonal(n + (int)(i + k), 3))
        for (int f = 0; f < 3; f++)
          if (f == 0 || ((n + i + k / 2) % 4 == 0 && (f == 2 || x->s->ng)))
            test(x, layers[i], T ? T : &gauss, biases[k], 0.1 * pace_of(name), (n + (int)k) % 2,
                 forms[f]);
  }
  problem_close(x);
}

static void tests(void) {
  static const char *const systems[] = {
      "spherical-pendulum", "double-pendulum", "modified-pendulum", "rigid-body",
      "four-bar",           "slider-crank",    "magnetised-body",   "charged-pendulum",
      "underwater-vehicle", "kepler"};
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
    test_system(systems[i], (int)i);
  for (int k = 0; k < STAGES; k++)
    NOTE("largest residual of Stage %d: %.3g", k, greatest[k]);
  NOTE("least residual of a perturbed point: %.3g", least);
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

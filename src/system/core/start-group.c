/* start-group.c: lane code: projects the starts of a group onto the constraints, as project-point.c does one by one.
 *
 * Every lane makes the operations of cst_system_project in their order and is left as it is once it has arrived, so
 * that its bits are the same, whatever is beside it. Only the way of most starts is made here: Newton's method from
 * x = q reaches g = 0, and the point there is a minimum in all directions. The others are left to project-point.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/lane/context.h"
#include <float.h>
#include "expr/tape-lanes.h"
#include "system/lane/group.h"

enum { ITERATIONS = 12 }; /* as stationary.c */

/* What stationary.h has of a point, of all lanes; n = nq + ng. */
typedef struct {
  const cst_context *C;
  const vd          *c, *q;
  vd                *x, *theta, *g, *G, *length, *g0;
  vd                *r, *J; /* [n], [n][n] */
  vl                *row;   /* [n] rows exchanged */
} point;

static int bits_of(vl m) {
  int bits = 0;
  for (int l = 0; l < CST_W; l++)
    bits |= (m[l] != 0) << l;
  return bits;
}

static vl mask_of(int bits) {
  vl m;
  for (int l = 0; l < CST_W; l++)
    m[l] = -(long)(bits >> l & 1);
  return m;
}

CST_INLINE vl is_finite(vd a) { return (vl)(a - a == 0); }

/* ---- matrices, as core/pivoted.h ----------------------------------------------------------------- */

/* best[k]: the row that lanes take as row k. */
static vl pivot(const vd *A, int n, int k, vd *top) {
  vl best = (vl){} + (long)k;
  *top = vabs(A[k * n + k]);
  for (int i = k + 1; i < n; i++) {
    const vd size = vabs(A[i * n + k]);
    const vl more = (vl)(size > *top);
    *top = vselect(more, size, *top);
    best = (more & ((vl){} + (long)i)) | (~more & best);
  }
  return best;
}

/* Exchanges x[m] and y[m] in lanes. */
CST_INLINE void exchange(vl in, vd *x, vd *y, int m) {
  for (int j = 0; j < m; j++) {
    const vd a = x[j], b = y[j];
    x[j] = vselect(in, b, a);
    y[j] = vselect(in, a, b);
  }
}

static void exchange_rows(vl best, int k, vd *A, int n, int m) {
  for (int i = k + 1; i < n; i++) {
    const vl in = (vl)(best == (long)i);
    if (vany(in))
      exchange(in, A + k * m, A + i * m, m);
  }
}

/* A := its factors; returns the lanes that have them. */
static vl factor(vd *A, vl *row, int n) {
  vl good = vmask(1);
  for (int k = 0; k < n; k++) {
    vd most;
    row[k] = pivot(A, n, k, &most);
    exchange_rows(row[k], k, A, n, n);
    const vd *const top = A + k * n;
    good &= (vl)(vabs(top[k]) > 0) & is_finite(top[k]);
    for (int i = k + 1; i < n; i++) {
      vd *const now = A + i * n;
      const vd  f = now[k] / top[k];
      now[k] = f;
      for (int j = k + 1; j < n; j++)
        now[j] -= f * top[j];
    }
  }
  return good;
}

static void solve(const vd *A, const vl *row, int n, vd *b) {
  for (int k = 0; k < n; k++)
    exchange_rows(row[k], k, b, n, 1);
  for (int i = 0; i < n; i++) {
    vd x = b[i];
    for (int j = 0; j < i; j++)
      x -= A[i * n + j] * b[j];
    b[i] = x;
  }
  for (int i = n - 1; i >= 0; i--) {
    vd x = b[i];
    for (int j = i + 1; j < n; j++)
      x -= A[i * n + j] * b[j];
    b[i] = x / A[i * n + i];
  }
}

/* The lanes in which the symmetric A[n][n] is positive definite beyond round-off (stationary.c). */
static vl is_positive(vd *A, int n) {
  vd top = vset(0);
  vl good = vmask(1);
  for (int i = 0; i < n * n; i++)
    top = vmax(vabs(A[i]), top);
  const vd least = (n * DBL_EPSILON) * top;
  for (int j = 0; j < n; j++) {
    vd *const row = A + j * n;
    vd        p = row[j];
    for (int k = 0; k < j; k++)
      p -= row[k] * row[k];
    good &= (vl)(p > least);
    row[j] = vsqrt(p);
    for (int i = j + 1; i < n; i++) {
      vd *const below = A + i * n;
      vd        known = vset(0);
      for (int k = 0; k < j; k++)
        known += below[k] * row[k];
      below[j] = (below[j] - known) / row[j];
    }
  }
  return good;
}

/* ---- positions ----------------------------------------------------------------------------------- */

/* K = 1 - D2(theta.g), in rows of length n. */
static void curvature(const point *p, vd *K, int n) {
  const cst_context *C = p->C;
  const int          nq = NQ;
  vd                 w[nq], column[nq];
  for (int j = 0; j < nq; j++)
    w[j] = vset(0);
  for (int j = 0; j < nq; j++) {
    w[j] = vset(1);
    K_D2glw(p->c, p->x, w, p->theta, column);
    w[j] = vset(0);
    for (int i = 0; i < nq; i++)
      K[i * n + j] = vset(i == j) - column[i];
  }
}

/* r := minus the equations, J := their derivatives. */
static void equations(point *p) {
  const cst_context *C = p->C;
  const int          nq = NQ, n = NQ + NG;
  USES_G
  K_g(p->c, p->x, p->g);
  K_G(p->c, p->x, p->G);
  for (int i = 0; i < nq; i++)
    p->r[i] = p->q[i] - p->x[i];
  for (int k = 0; k < n * n; k++)
    p->J[k] = vset(0);
  curvature(p, p->J, n);
  for (int a = 0; a < NG; a++) {
    ROW_G(a, i, e) {
      p->r[i] += p->G[e] * p->theta[a];
      p->J[i * n + nq + a] = -p->G[e];
      p->J[(nq + a) * n + i] = p->G[e];
    }
    p->r[nq + a] = 0.0 * p->g0[a] - p->g[a];
  }
}

/* Newton's method for g(x) = 0; returns the lanes that get there. */
static vl reach(point *p, vl on) {
  const cst_context *C = p->C;
  const int          nq = NQ, ng = NG;
  vl                 done = vmask(0);
  for (int k = 0; k < ITERATIONS && vany(on); k++) {
    vd size = vset(0), step = vset(0);
    equations(p);
    on &= factor(p->J, p->row, nq + ng);
    solve(p->J, p->row, nq + ng, p->r);
    for (int i = 0; i < nq; i++) {
      p->x[i] = vselect(on, p->x[i] + p->r[i], p->x[i]);
      step = vmax(vabs(p->r[i]), step);
      size = vmax(vabs(p->x[i]), size);
    }
    for (int a = 0; a < ng; a++)
      p->theta[a] = vselect(on, p->theta[a] + p->r[nq + a], p->theta[a]);
    const vl there = on & (vl)(step <= 4 * DBL_EPSILON * size) & is_finite(size);
    done |= there;
    on &= ~there & is_finite(size);
  }
  for (int i = 0; i < nq; i++)
    done &= is_finite(p->x[i]);
  for (int a = 0; a < ng; a++)
    done &= is_finite(p->theta[a]);
  return done;
}

/* The lanes where |r|, of a constraint, is below `most` (cst_evaluate_scaled). */
static vl is_below(vd r, vd scale, vd rough, double most) {
  const vd noise = CST_ROUNDOFF * rough, x = vabs(r), within = vmin(x, noise) / (scale + rough);
  const vl above = (vl)(x > noise), small = (vl)(within <= most);
  return (vl)(x == 0) | (small & (~above | (vl)((x - noise) / scale <= most)));
}

/* The lanes where x satisfies the constraints to round-off. Fills g and G at x. */
static vl arrived(point *p) {
  const cst_context *C = p->C;
  vl                 good = vmask(1);
  USES_G
  K_g(p->c, p->x, p->g);
  K_G(p->c, p->x, p->G);
  for (int a = 0; a < NG; a++) {
    vd row = vset(0), far = vset(0);
    ROW_G(a, i, e) {
      row += vabs(p->G[e]);
      far = vmax(vabs(p->x[i]), far);
    }
    good &= is_below(p->g[a], row * p->length[a], row * far, 16 * DBL_EPSILON);
  }
  return good;
}

/* ---- lengths ------------------------------------------------------------------------------------- */

extern const cst_tape_lanes CST_NAME(cst_interpret);

/* The length of each constraint at q (length.c); returns the lanes where they do not come from the potential. */
static vl lengths(const cst_system *s, const vd *c, const vd *q, vd *length) {
  const cst_lengths *l = cst_length_parts(s);
  const int          ng = s->ng, registers = cst_tape_registers(l->tape);
  vd                 out[ROOM(cst_tape_outputs(l->tape))], scratch[ROOM(registers)];
  vd                 common = vset(0);
  const double      *in[128]; /* a tape reads only the inputs that it uses */
  in['c'] = (const double *)c;
  in['q'] = (const double *)q;
  if (cst_tape_outputs(l->tape))
    CST_NAME(cst_interpret).run(l->tape, in, (double *)out, (double *)scratch);
  for (int j = 0; j < ng; j++) {
    vd sum = vset(0);
    for (int i = l->row[j]; i < l->row[j + 1]; i++) {
      vd slope = vset(0);
      for (int k = l->at[i] + 1; k < l->at[i + 1]; k++)
        slope = vmax(vabs(out[k]), slope);
      const vd x = vpick(l->dimensionless[i], vset(1), vabs(out[l->at[i]])) / slope;
      sum += vkeep(is_finite(x), x * x);
    }
    length[j] = vsqrt(sum);
    common = vmax(length[j], common);
  }
  for (int j = 0; j < ng; j++)
    length[j] = vselect((vl)(length[j] > 0), length[j], common);
  return (vl)(common > 0);
}

/* ---- velocities ---------------------------------------------------------------------------------- */

/* S := G M^-1 G' of all constraints, with the masses m of the coordinates. */
static void multiply(const cst_context *C, const vd *G, const vd *m, vd *S) {
  const int nq = NQ, ng = NG;
  vd        Z[ng * nq];
  USES_G
  for (int a = 0; a < ng; a++) {
    for (int i = 0; i < nq; i++)
      Z[a * nq + i] = vset(0);
    ROW_G(a, i, e) {
      Z[a * nq + i] = G[e] / m[i];
    }
  }
  for (int a = 0; a < ng; a++)
    for (int b = 0; b < ng; b++) {
      vd sum = vset(0);
      ROW_G(a, i, e) {
        sum += G[e] * Z[b * nq + i];
      }
      S[a * ng + b] = sum;
    }
}

/* v := v - M^-1 G'mu with G v = 0, twice. G is that at x. Returns the lanes that have it. */
static vl project_velocity(const point *p, vd *v) {
  const cst_context *C = p->C;
  const int          nq = NQ, ng = NG;
  vd                 m[nq], mass[ROOM(C->nmass)], mu[ng], d[nq];
  USES_G
  CALL(C, mass, p->c, 0, 0, 0, 0, 0, mass);
  for (int i = 0; i < nq; i++)
    m[i] = mass[CLASS(i)];
  multiply(C, p->G, m, p->J);
  vl good = factor(p->J, p->row, ng);
  for (int pass = 0; pass < 2; pass++) {
    for (int a = 0; a < ng; a++) {
      mu[a] = vset(0);
      ROW_G(a, i, e) {
        mu[a] += p->G[e] * v[i];
      }
    }
    solve(p->J, p->row, ng, mu);
    for (int i = 0; i < nq; i++)
      d[i] = vset(0);
    for (int a = 0; a < ng; a++)
      ROW_G(a, i, e) {
        d[i] += p->G[e] * mu[a];
      }
    for (int i = 0; i < nq; i++)
      v[i] -= d[i] / m[i];
  }
  for (int i = 0; i < nq; i++)
    good &= (vl)(m[i] != 0) & is_finite(v[i]);
  return good;
}

static int project(const cst_system *s, int isa, const double *c, double *q, double *v, int lanes) {
  const cst_context of = cst_context_of(s, isa, (cst_layout){0}), *C = &of;
  const int         nq = NQ, ng = NG, n = NQ + NG;
  if (!ng)
    return lanes;
  vd    x[nq], theta[ng], g[ng], g0[ng], length[ng], r[n], G[NNZ_G], J[n * n];
  vl    row[n];
  point p = {C, (const vd *)c, (const vd *)q, x, theta, g, G, length, g0, r, J, row};
  for (int i = 0; i < nq; i++)
    x[i] = p.q[i];
  for (int a = 0; a < ng; a++)
    theta[a] = vset(0);
  K_g(p.c, p.q, g0);
  vl on = mask_of(lanes) & lengths(s, p.c, p.q, length);
  on = reach(&p, on);
  if (!vany(on))
    return 0;
  on &= arrived(&p);
  curvature(&p, J, nq);
  on &= is_positive(J, nq);
  on &= project_velocity(&p, (vd *)v);
  for (int i = 0; i < nq; i++)
    ((vd *)q)[i] = x[i];
  return bits_of(on);
}

extern cst_start_group *const CST_NAME(cst_start_group);
cst_start_group *const        CST_NAME(cst_start_group) = project;

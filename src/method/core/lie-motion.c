/* lie-motion.c: the core of the methods on SE(3)^k x R^m by the exponential, group=se3: the turn of a body and
 * the displacement of its centre are one motion, and the force acts inside the drift at theta.
 *
 * With left-trivialised momenta a = (I omega, m R'c') and x = h (omega, u), for L_d = h L(g0 exp(theta x), x/h):
 *
 *   a = alpha0 - h (F - K),  (dR exp^-1_x)* (I w, m u) = h a,  g1 = g0 exp(x),  alpha1 = Ad* (a - h K)
 *   K = theta (dR exp^-1_x)* (dR exp_(theta x))* F,   F the wrench at g0 exp(theta x), in the axes of g0
 *
 * se(3) is so(3) over dual numbers, x = w + e u: the maps of rotation.h at w, and their derivatives along u.
 * With D(w)' = (dR exp^-1_w)* of rotation.h and E = its derivative along u,
 *
 *   (dR exp^-1_x)* (y, z) = (D(w)'y + E'z, D(w)'z),   g0 exp(x) = (R0 exp(w), c0 + R0 (dR exp_w) u)
 *
 * Ad* leaves the momenta about the origin in space axes, m c' and R I omega + c x m c', as they are; they
 * lose h times the wrench. So neither the residual of the equations nor K enters them. Other coordinates
 * drift on lines. Newton's matrix is that of the drift, six rows a body, without the second derivative of E
 * along w; the iteration contracts by theta (1-theta) h^2 |V''|. There are no joints and no explicit time.
 * Source: Barbero-Linan, Martin de Diego, Sato Martin de Almagro, sections 3 and 6.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE   lie_motion
#define PIECES 1
#define STAGE
#define MOTION
#define CST_ROW_NAME "lie-motion"
#define CONVERGES_LINEARLY
#include "method/core/lie-row.h"
#ifdef CST_W
#include "core/dense.h"
#include "core/rotation.h"
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "method/core/time.h"
#include "method/core/lie-parts.h"
#undef NX
#undef SPLIT_AT
#define NX        NZ
#define CENTRE(b) (JOINTS->centre[b])
#define THETA(j)  (OWN(j)->w1)
/* The entries of an array by variations that belong to the centre of body b, which has one. */
#define OF_CENTRE(y, b) ((y) + 3 * NB + CENTRE(b))

/* ---- the exponential of SE(3), and one body -------------------------------------------------- */

/* The inverse mass of ordinary coordinate k; masses are not coupled. */
CST_INLINE vd inverse_mass(const cst_context *C, const struct local *L, int k) {
  return vpick(GENERAL, L->M[GENERAL ? k * NO + k : 0], L->minv[k]);
}

/* Whether ordinary coordinate k belongs to no centre. */
CST_INLINE int is_plain(const cst_context *C, int k) {
  for (int b = 0; b < NB; b++)
    if (CENTRE(b) >= 0 && k >= CENTRE(b) && k < CENTRE(b) + 3)
      return 0;
  return 1;
}

/* z += E'y */
CST_INLINE void add_bend(const cst_retraction *t, const vd *w, const vd *u, const vd *y, vd *z) {
  const vd along = 2 * cst_dot(w, u), wy = cst_dot(w, y), uy = cst_dot(u, y);
  vd       turned[3];
  cst_cross(u, y, turned);
  for (int i = 0; i < 3; i++)
    z[i] += (0.5 * turned[i] + (t->dc * along * wy) * w[i]) +
            (t->c1 * (u[i] * wy + w[i] * uy) - (t->fall * along) * y[i]);
}

/* z := the derivative of D(w)'y along dw and dy. */
CST_INLINE void vary_lift(const cst_retraction *t, const vd *w, const vd *y, const vd *dw,
                          const vd *dy, vd *z) {
  cst_lift(t, 1, w, dy, z);
  add_bend(t, w, dw, y, z);
}

/* z += that of E'y along dw, du and dy, without the second derivatives of the coefficients. */
CST_INLINE void add_varied_bend(const cst_retraction *t, const vd *w, const vd *u, const vd *y,
                                const vd *dw, const vd *du, const vd *dy, vd *z) {
  const vd along = 2 * cst_dot(w, u), wy = cst_dot(w, y), uy = cst_dot(u, y);
  const vd turning = 2 * (cst_dot(dw, u) + cst_dot(w, du)), ds = 2 * cst_dot(w, dw);
  const vd dwy = cst_dot(dw, y) + cst_dot(w, dy), duy = cst_dot(du, y) + cst_dot(u, dy);
  vd       one[3], other[3];
  cst_cross(du, y, one);
  cst_cross(u, dy, other);
  for (int i = 0; i < 3; i++)
    z[i] += 0.5 * (one[i] + other[i]) +
            t->dc * ((turning * wy + along * dwy) * w[i] + (along * wy) * dw[i]) +
            (t->dc * ds) * (u[i] * wy + w[i] * uy) +
            t->c1 * (du[i] * wy + u[i] * dwy + dw[i] * uy + w[i] * duy) -
            (t->fall * turning + (2 * t->dc) * (ds * along)) * y[i] - (t->fall * along) * dy[i];
}

/* to := (dR exp_w) u, the way of the centre in the axes at its beginning. */
CST_INLINE void way_of(const cst_retraction *t, const vd *w, const vd *u, vd *to) {
  vd back[3];
  for (int i = 0; i < 3; i++) {
    back[i] = -w[i];
    to[i] = u[i];
  }
  cst_tangent(t, 1, back, to);
}

/* q := g0 exp(theta x), the bodies' rotations not yet repaired. */
static void reach(const cst_context *C, const struct local *L, const vd *x, double theta, vd *q) {
  for (int k = 0; k < NO; k++)
    q[ORDINARY(k)] = L->q[ORDINARY(k)] + theta * x[3 * NB + k];
  for (int b = 0; b < NB; b++) {
    const vd *R0 = L->q + ROTATION(b);
    vd       *R = q + ROTATION(b), w[3], u[3], way[3];
    for (int i = 0; i < 3; i++)
      w[i] = theta * x[3 * b + i];
    const cst_retraction t = cst_exponential(cst_dot(w, w));
    for (int e = 0; e < 9; e++)
      R[e] = R0[e];
    for (int k = 0; k < 3; k++)
      cst_turn(&t, w, R + 3 * k);
    if (CENTRE(b) < 0)
      continue;
    for (int i = 0; i < 3; i++)
      u[i] = theta * OF_CENTRE(x, b)[i];
    way_of(&t, w, u, way);
    to_space(R0, way, u);
    for (int i = 0; i < 3; i++) {
      const int at = ORDINARY(CENTRE(b) + i);
      q[at] = L->q[at] + u[i];
    }
  }
}

/* Of body b: L->F from the axes of the stage to those of g0, and L->K. */
static void act_on(const cst_context *C, struct local *L, double theta, int b, const vd *x) {
  vd *const F = L->F + 3 * b, *const K = L->K + 3 * b;
  vd w[3], back[3], z[3], u[3], y[3];
  for (int i = 0; i < 3; i++) {
    w[i] = theta * x[3 * b + i];
    back[i] = -w[i];
  }
  const cst_retraction t = cst_exponential(cst_dot(w, w)),
                       whole = cst_exponential(cst_dot(x + 3 * b, x + 3 * b));
  cst_turn(&t, back, F);
  for (int i = 0; i < 3; i++)
    z[i] = F[i];
  if (CENTRE(b) < 0) {
    cst_tangent(&t, 1, w, z);
    cst_lift(&whole, 1, x + 3 * b, z, K);
    for (int i = 0; i < 3; i++)
      K[i] *= theta;
    return;
  }
  vd *const f = OF_CENTRE(L->F, b), *const k = OF_CENTRE(L->K, b), bent[3] = {0};
  to_body(L->q + ROTATION(b), L->dV + ORDINARY(CENTRE(b)), f);
  for (int i = 0; i < 3; i++)
    u[i] = theta * OF_CENTRE(x, b)[i];
  way_of(&t, w, u, y);
  cst_add_cross(y, f, F);
  for (int i = 0; i < 3; i++) {
    z[i] = F[i];
    y[i] = f[i];
  }
  /* (z, y) := (dR exp)* F */
  cst_tangent(&t, 1, w, y);
  add_bend(&t, w, u, y, bent);
  for (int i = 0; i < 3; i++)
    z[i] -= bent[i];
  cst_tangent(&t, 1, w, z);
  cst_lift(&whole, 1, x + 3 * b, z, K);
  add_bend(&whole, x + 3 * b, OF_CENTRE(x, b), y, K);
  cst_lift(&whole, 1, x + 3 * b, y, k);
  for (int i = 0; i < 3; i++) {
    K[i] *= theta;
    k[i] *= theta;
  }
}

static void act_inside(const cst_context *C, struct local *L, int j, const vd *x) {
  for (int k = 3 * NB; k < NZ; k++)
    L->K[k] = THETA(j) * L->F[k];
  for (int b = 0; b < NB; b++)
    act_on(C, L, THETA(j), b, x);
}

/* m u of a body with a centre. */
CST_INLINE void push_of(const cst_context *C, const struct local *L, int b, const vd *u, vd *y) {
  for (int i = 0; i < 3; i++)
    y[i] = u[i] / inverse_mass(C, L, CENTRE(b) + i);
}

/* All-ones where the three residuals f are round-off of numbers of the sizes of y, a and b. */
CST_INLINE vl is_round_off(const vd *f, vd much, const vd *y, vd h, const vd *pt, const vd *F) {
  vd off = vset(0), size = vset(0);
  for (int i = 0; i < 3; i++) {
    off = vmax(vabs(f[i]), off);
    size = vmax(vmax(vabs(y[i]), h * (vabs(pt[i]) + vabs(h * F[i]))), size);
  }
  return (vl)(off <= (8 * EPS) * (size * much));
}

/* The residual of the equations of body b; returns the lanes in which it is round-off. */
static vl remainder_of(const cst_context *C, const struct local *L, vd h, int b, const vd *x,
                       vd *f) {
  const vd            *w = x + 3 * b;
  const cst_retraction t = cst_exponential(cst_dot(w, w));
  vd                   Iw[3];
  times(L->I + 9 * b, PRINCIPAL, w, Iw);
  cst_lift(&t, 1, w, Iw, f + 3 * b);
  vd much = 1.0 + t.s;
  vl done = vmask(1);
  if (CENTRE(b) >= 0) {
    const vd *u = OF_CENTRE(x, b);
    vd       *of = OF_CENTRE(f, b), y[3];
    push_of(C, L, b, u, y);
    cst_lift(&t, 1, w, y, of);
    add_bend(&t, w, u, y, f + 3 * b);
    for (int i = 0; i < 3; i++)
      of[i] -= h * OF_CENTRE(L->a, b)[i];
    done &= is_round_off(of, much, y, h, OF_CENTRE(L->pt, b), OF_CENTRE(L->F, b));
    much += cst_dot(u, u) + vabs(cst_dot(u, y)) / (vset(1e-300) + cst_dot(Iw, w));
  }
  for (int i = 0; i < 3; i++)
    f[3 * b + i] -= h * L->a[3 * b + i];
  return done & is_round_off(f + 3 * b, much, Iw, h, L->pt + 3 * b, L->F + 3 * b);
}

/* d := Newton's correction of body b. */
static void correct_body(const cst_context *C, const struct local *L, int b, const vd *x,
                         const vd *f, vd *d) {
  const int            n = CENTRE(b) < 0 ? 3 : 6;
  const vd            *w = x + 3 * b, *u = n > 3 ? OF_CENTRE(x, b) : w;
  const cst_retraction t = cst_exponential(cst_dot(w, w));
  vd                   Iw[3], y[3] = {0}, J[36], r[6];
  times(L->I + 9 * b, PRINCIPAL, w, Iw);
  if (n > 3)
    push_of(C, L, b, u, y);
  for (int k = 0; k < n; k++) {
    vd dw[3], du[3], dI[3], dy[3] = {0}, z[6];
    for (int i = 0; i < 3; i++) {
      dw[i] = vset(k == i);
      du[i] = vset(k == 3 + i);
    }
    times(L->I + 9 * b, PRINCIPAL, dw, dI);
    vary_lift(&t, w, Iw, dw, dI, z);
    if (n > 3) {
      push_of(C, L, b, du, dy);
      add_varied_bend(&t, w, u, y, dw, du, dy, z);
      vary_lift(&t, w, y, dw, dy, z + 3);
    }
    for (int i = 0; i < n; i++)
      J[i * n + k] = z[i];
  }
  for (int i = 0; i < n; i++)
    r[i] = i < 3 ? -f[3 * b + i] : -OF_CENTRE(f, b)[i - 3];
  cst_pivoted_solve(J, r, n);
  for (int i = 0; i < n; i++)
    *(i < 3 ? d + 3 * b + i : OF_CENTRE(d, b) + i - 3) = r[i];
}

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  load_parts(C, L, record);
}

/* The drift starts from the momenta of the state. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  const vd h = H(j);
  cst_open_impulses(C, j, L->impulse);
  for (int k = 3 * NB; k < NZ; k++)
    L->pt[k] = L->p[k];
  for (int b = 0; b < NB; b++) {
    const vd *R = L->q + ROTATION(b);
    vd       *a = L->pt + 3 * b, y[3], z[3];
    to_body(R, L->p + 3 * b, a);
    if (CENTRE(b) >= 0)
      to_body(R, OF_CENTRE(L->p, b), OF_CENTRE(L->pt, b));
    times(L->W + 9 * b, PRINCIPAL, a, y);
    cst_cross(y, a, z);
    for (int i = 0; i < 3; i++)
      z[i] = h * (a[i] - (0.5 * h) * z[i]);
    times(L->W + 9 * b, PRINCIPAL, z, x + 3 * b);
  }
  for (int k = 0; k < NO; k++)
    x[3 * NB + k] = h * (inverse_mass(C, L, k) * L->pt[3 * NB + k]);
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const vd h = H(j);
  vl       done = vmask(1);
  reach(C, L, x, THETA(j), L->q1);
  load_force(C, L, L->q1);
  act_inside(C, L, j, x);
  for (int k = 0; k < NZ; k++)
    L->a[k] = L->pt[k] - h * (L->F[k] - L->K[k]);
  for (int b = 0; b < NB; b++)
    done &= remainder_of(C, L, h, b, x, f);
  for (int k = 0; k < NO; k++) {
    const vd y = x[3 * NB + k], mass = 1.0 / inverse_mass(C, L, k);
    if (is_plain(C, k))
      f[3 * NB + k] = mass * y - h * L->a[3 * NB + k];
    const vd size =
        vmax(vabs(mass * y), h * (vabs(L->pt[3 * NB + k]) + vabs(h * L->F[3 * NB + k])));
    if (is_plain(C, k))
      done &= (vl)(vabs(f[3 * NB + k]) <= (4 * EPS) * size);
  }
  return done;
}

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  (void)j;
  for (int b = 0; b < NB; b++)
    correct_body(C, L, b, x, f, d);
  for (int k = 0; k < NO; k++)
    if (is_plain(C, k))
      d[3 * NB + k] = -(inverse_mass(C, L, k) * f[3 * NB + k]);
}

/* The momenta lose h times the wrench of the last evaluation, which stands in L->F and, of the centres, in
 * L->dV. */
CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd h = H(j);
  for (int k = 0; k < NO; k++)
    L->p[3 * NB + k] -= h * L->dV[ORDINARY(k)];
  for (int b = 0; b < NB; b++) {
    vd torque[3];
    to_space(L->q + ROTATION(b), L->F + 3 * b, torque);
    for (int i = 0; i < 3; i++)
      L->p[3 * b + i] -= h * torque[i];
  }
  reach(C, L, x, 1, L->q1);
  for (int b = 0; b < NB; b++) {
    vd moved[3], lever[3];
    cst_orthogonalize(L->q1 + ROTATION(b));
    if (CENTRE(b) < 0)
      continue;
    for (int i = 0; i < 3; i++) {
      const int at = ORDINARY(CENTRE(b) + i);
      moved[i] = L->q1[at] - L->q[at];
    }
    cst_cross(moved, OF_CENTRE(L->p, b), lever);
    for (int i = 0; i < 3; i++)
      L->p[3 * b + i] -= lever[i];
  }
  CST_TAKE(L->q, L->q1, NQ);
}

#define LEAVES
CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  cst_store(record, OWN(0)->turning, L->p, 3 * NB);
  ambient_momenta(C, L, (vd *)record + LAYOUT(C).p);
}

#define KEEPS_TRAIL
#define TRAIL_MOMENTA(C, L, read, p) (read) ? ambient_momenta(C, L, p) : (void)0
#include "method/core/march.h"
#else
cst_substep cst_lie_motion(double fraction, double theta) {
  return cst_substep_of(&row, fraction, &(struct parameters){1 - theta, theta, 1, NULL});
}
#endif

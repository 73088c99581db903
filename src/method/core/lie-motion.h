/* lie-motion.h: the exponential of SE(3) over lanes, and the equations of one body in lie-motion.c, which
 * defines the notation. Included only there. */
/* SPDX-License-Identifier: BSD-2-Clause */

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

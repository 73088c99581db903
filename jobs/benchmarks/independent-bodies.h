/* independent-bodies.h: Newton-Euler equations of bodies, for independent.c. */
/* SPDX-License-Identifier: BSD-2-Clause */

/* ---- rattleback and tippe top: y = R[9], centre[3], omega[3] in body axes, of the tippe top also velocity[2] ----- */
static int body_end(const real *y, real *q) { return first_of(y, q, 12); }

/* Rolling without slip: v = r x omega with r from the centre to the contact, in body axes. */
static void rattleback(real t, const real *y, real *o) {
  const real m = 1, g = 9.81L, d = 0.05L, i1 = 2e-4L, i2 = 1.6e-3L,
             axes[3] = {0.04L, 0.0009L, 0.0004L};
  const real C = cosl(d), S = sinl(d), *R = y, *w = y + 12,
             *n = y + 6; /* n: e_z in body axes, the last row of R */
  const real J[9] = {i1 * C * C + i2 * S * S,
                     (i1 - i2) * S * C,
                     0,
                     (i1 - i2) * S * C,
                     i1 * S * S + i2 * C * C,
                     0,
                     0,
                     0,
                     1.7e-3L};
  real       r[3], rate[3], dn[3], v[3], a[3], b[3], Jw[3], A[9], h = 0, dh = 0;
  (void)t;
  cross(n, w, dn);
  for (int k = 0; k < 3; k++)
    h += axes[k] * n[k] * n[k], dh += axes[k] * n[k] * dn[k], Jw[k] = dot(J + 3 * k, w);
  h = sqrtl(h), dh /= h;
  for (int k = 0; k < 3; k++)
    r[k] = -axes[k] * n[k] / h, rate[k] = -axes[k] * (dn[k] - n[k] * dh / h) / h;
  cross(r, w, v);
  cross(rate, w, a), cross(w, v, b);
  for (int k = 0; k < 3; k++)
    a[k] = m * (a[k] + b[k] + g * n[k]); /* the reaction without r x omega' */
  cross(r, a, b), cross(Jw, w, a);
  for (int k = 0; k < 3; k++)
    o[12 + k] = a[k] + b[k];
  for (int i = 0; i < 3; i++) /* J - m r x (r x .) */
    for (int j = 0; j < 3; j++)
      A[3 * i + j] = J[3 * i + j] + m * ((i == j ? dot(r, r) : 0) - r[i] * r[j]);
  solve(3, A, o + 12);
  turn(R, w, o);
  for (int i = 0; i < 3; i++)
    o[9 + i] = dot(R + 3 * i, v);
}
static void rattleback_start(real *y) {
  y[0] = y[4] = y[8] = 1, y[11] = 0.02L, y[12] = 0.1L, y[14] = 5;
}
#define rattleback_end body_end

static void tippe(real t, const real *y, real *o) {
  const real m = 0.02L, rad = 0.02L, off = 0.003L, mu = 0.1L, g = 9.81L, I1 = 0.4L * m * rad * rad,
             I3 = 0.95L * I1;
  const real moment[3] = {I1, I1, I3}, *R = y, *n = y + 6, *w = y + 12;
  const real Iw[3] = {I1 * w[0], I1 * w[1], I3 * w[2]};
  const real r[3] = {-rad * n[0], -rad * n[1], off - rad * n[2]}; /* to the contact, in body axes */
  real       slip[3], dn[3], drag[3], A[16] = {0}, b[4], x[3];
  (void)t;
  cross(w, r, slip), cross(n, w, dn);
  const real sx = y[15] + dot(R, slip), sy = y[16] + dot(R + 3, slip);
  for (int k = 0; k < 3; k++)
    drag[k] = -mu * (R[k] * sx + R[3 + k] * sy);
  cross(r, drag, x), cross(Iw, w, b);
  for (int k = 0; k < 3; k++)
    b[k] += x[k], A[5 * k] = moment[k];
  cross(r, n, x); /* I omega' - N r x n = ..., m z'' = N - m g, z = rad - off n_3 */
  for (int k = 0; k < 3; k++)
    A[4 * k + 3] = -x[k];
  A[12] = m * off * -n[1], A[13] = m * off * n[0], A[15] = 1;
  b[3] = m * g - m * off * (dn[0] * w[1] - dn[1] * w[0]);
  solve(4, A, b);
  turn(R, w, o);
  o[9] = y[15], o[10] = y[16], o[11] = -off * dn[2];
  memcpy(o + 12, b, 3 * sizeof *o);
  o[15] = -mu * sx / m, o[16] = -mu * sy / m;
}
static void tippe_start(real *y) {
  const real c = cosl(0.1L), s = sinl(0.1L);
  y[0] = 1, y[4] = c, y[5] = -s, y[7] = s, y[8] = c, y[11] = 0.02L - 0.003L * c, y[14] = 150;
}
#define tippe_end body_end

/* ---- bicycle: four bodies with joints, velocities v and omega in space axes; 21 constraints ---------------------- */
enum { REAR, FRAME, FORK, FRONT, BODIES };
enum { BICYCLE = 18 * BODIES + 3 }; /* centre, R, v, omega of each, then the angles of the joints */
static const real wheel_radius[BODIES] = {[REAR] = 0.3L, [FRONT] = 0.35L};
static const real bicycle_mass[BODIES] = {2, 85, 4, 3};
static const real bicycle_inertia[BODIES][9] = {
    {0.0603L, 0, 0, 0, 0.12L, 0, 0, 0, 0.0603L},
    {9.2L, 0, -2.4L, 0, 11, 0, -2.4L, 0, 2.8L},
    {0.05892L, 0, 0.00756L, 0, 0.06L, 0, 0.00756L, 0, 0.00708L},
    {0.1405L, 0, 0, 0, 0.28L, 0, 0, 0, 0.1405L}};
static const real bicycle_centre[BODIES][3] = {
    {0, 0, 0.3L}, {0.3L, 0, 0.9L}, {0.9L, 0, 0.7L}, {1.02L, 0, 0.35L}};
/* The point of each joint and its axis, upright; a joint is of this body and the next one. */
static const real joint_point[3][3] = {{0, 0, 0.3L}, {1.1L, 0, 0}, {1.02L, 0, 0.35L}};

static void joint_axis(int k, real *a) {
  const real lam = acosl(-1) / 10;
  a[0] = k == 1 ? -sinl(lam) : 0, a[1] = k != 1, a[2] = k == 1 ? cosl(lam) : 0;
}

/* Rows of J u = 0, u = (v, omega) of each body. At y + i e y' their imaginary parts are e times their rates. */
typedef wave row[6 * BODIES];

static void wave_cross(const wave *a, const wave *b, wave *o) {
  o[0] = a[1] * b[2] - a[2] * b[1], o[1] = a[2] * b[0] - a[0] * b[2],
  o[2] = a[0] * b[1] - a[1] * b[0];
}

/* r := R a in space axes */
static void placed(const wave *R, const real *a, wave *r) {
  for (int i = 0; i < 3; i++)
    r[i] = R[3 * i] * a[0] + R[3 * i + 1] * a[1] + R[3 * i + 2] * a[2];
}

/* J += by times the velocity along d of the point at r from the centre of body b. */
static void add_point(row J, int b, const wave *r, const wave *d, real by) {
  wave arm[3];
  wave_cross(r, d, arm);
  for (int k = 0; k < 3; k++)
    J[6 * b + k] += by * d[k], J[6 * b + 3 + k] += by * arm[k];
}

/* The body k and the next one have a point in common, and an axis. */
static void join(const wave *y, int k, row *J) {
  real axis[3], across[2][3] = {{0, 0, 0}, {0, 0, 0}};
  joint_axis(k, axis);
  across[0][0] = axis[2] + axis[1],
  across[0][2] = -axis[0]; /* at right angles to it, in body axes of k */
  cross(axis, across[0], across[1]);
  for (int i = 0; i < 3; i++) {
    const wave unit[3] = {i == 0, i == 1, i == 2};
    for (int b = k; b <= k + 1; b++) {
      real a[3];
      wave r[3];
      for (int j = 0; j < 3; j++)
        a[j] = joint_point[k][j] - bicycle_centre[b][j];
      placed(y + 18 * b + 3, a, r);
      add_point(J[i], b, r, unit, b == k ? 1 : -1);
    }
  }
  for (int i = 0; i < 2; i++) { /* both turn alike across the axis */
    wave d[3];
    placed(y + 18 * k + 3, across[i], d);
    for (int j = 0; j < 3; j++)
      J[3 + i][6 * k + 3 + j] += d[j], J[3 + i][6 * (k + 1) + 3 + j] -= d[j];
  }
}

/* The lowest point of wheel b is at rest. */
static void roll(const wave *y, int b, row *J) {
  static const real axle[3] = {0, 1, 0};
  wave              n[3], r[3];
  placed(y + 18 * b + 3, axle, n);
  const wave root = csqrtl(1 - n[2] * n[2]);
  for (int i = 0; i < 3; i++)
    r[i] = -wheel_radius[b] * ((i == 2) - n[2] * n[i]) / root;
  for (int i = 0; i < 3; i++) {
    const wave unit[3] = {i == 0, i == 1, i == 2};
    add_point(J[i], b, r, unit, 1);
  }
}

static void bicycle_rows(const wave *y, row *J) {
  memset(J, 0, 21 * sizeof *J);
  for (int k = 0; k < 3; k++)
    join(y, k, J + 5 * k);
  roll(y, REAR, J + 15);
  roll(y, FRONT, J + 18);
}

/* The rates of centres and rotations, and of the angles of the joints. */
static void bicycle_move(const real *y, real *o) {
  for (int b = 0; b < BODIES; b++) {
    const real *s = y + 18 * b, *w = s + 15;
    memcpy(o + 18 * b, s + 12, 3 * sizeof *o);
    for (int j = 0; j < 3; j++) {
      const real column[3] = {s[3 + j], s[6 + j], s[9 + j]};
      real       rate[3];
      cross(w, column, rate);
      for (int i = 0; i < 3; i++)
        o[18 * b + 3 + 3 * i + j] = rate[i];
    }
  }
  for (int k = 0; k < 3; k++) {
    real       axis[3], turning = 0;
    const real sign = k == 0 ? -1 : 1; /* the rear wheel comes before its frame */
    joint_axis(k, axis);
    for (int i = 0; i < 3; i++)
      turning += sign * (y[18 * (k + 1) + 15 + i] - y[18 * k + 15 + i]) *
                 dot(y + 18 * k + 3 + 3 * i, axis);
    o[18 * BODIES + k] = turning;
  }
}

static void bicycle(real t, const real *y, real *o) {
  static real M[24 * 24], G[21 * 24], f[24], c[21], a[24];
  static row  J[21];
  const real  e = 1e-30L;
  wave        z[BICYCLE];
  (void)t;
  bicycle_move(y, o);
  for (int i = 0; i < BICYCLE; i++)
    z[i] = y[i] + e * I * o[i] * (i % 18 < 12 && i < 18 * BODIES);
  bicycle_rows(z, J);
  memset(M, 0, sizeof M), memset(f, 0, sizeof f), memset(c, 0, sizeof c);
  for (int b = 0; b < BODIES; b++) {
    const real *R = y + 18 * b + 3, *w = y + 18 * b + 15;
    real       *block = M + (6 * b + 3) * 24 + 6 * b + 3, Lw[3];
    for (int i = 0; i < 3; i++)
      M[(6 * b + i) * 25] = bicycle_mass[b];
    for (int i = 0; i < 9; i++)
      for (int k = 0; k < 9; k++)
        block[i / 3 * 24 + i % 3] +=
            R[i / 3 * 3 + k / 3] * bicycle_inertia[b][k] * R[i % 3 * 3 + k % 3];
    for (int i = 0; i < 3; i++)
      Lw[i] = block[i * 24] * w[0] + block[i * 24 + 1] * w[1] + block[i * 24 + 2] * w[2];
    f[6 * b + 2] = -9.81L * bicycle_mass[b];
    cross(Lw, w, f + 6 * b + 3);
  }
  for (int r = 0; r < 21; r++)
    for (int i = 0; i < 24; i++) {
      G[r * 24 + i] = creall(J[r][i]);
      c[r] -= cimagl(J[r][i]) / e * y[18 * (i / 6) + 12 + i % 6];
    }
  accelerate(24, 21, M, G, f, c, a);
  for (int i = 0; i < 24; i++)
    o[18 * (i / 6) + 12 + i % 6] = a[i];
}

static void bicycle_start(real *y) {
  const real speed = 4.6L, lean = 0.5L;
  for (int b = 0; b < BODIES; b++) {
    real *s = y + 18 * b;
    memcpy(s, bicycle_centre[b], 3 * sizeof *s);
    s[3] = s[7] = s[11] = 1, s[12] = speed, s[13] = -lean * s[2], s[15] = lean;
    if (wheel_radius[b] > 0)
      s[16] = speed / wheel_radius[b];
  }
}
static int bicycle_end(const real *y, real *q) {
  const real *R = y + 18 * FRAME + 3, *angle = y + 18 * BODIES;
  q[0] = y[0], q[1] = y[1], q[2] = atan2l(-R[1], R[4]), q[3] = asinl(R[7]);
  q[4] = atan2l(-R[6], R[8]) - acosl(-1) / 10;
  q[5] = angle[1], q[6] = angle[0], q[7] = angle[2];
  return 8;
}

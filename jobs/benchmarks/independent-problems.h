/* independent-problems.h: the equations of independent.c, its only reader. */
/* SPDX-License-Identifier: BSD-2-Clause */
typedef struct {
  const char *name;
  int         size, steps;
  real        end;
  void (*start)(real *y);
  void (*f)(real t, const real *y, real *o);
  int (*coordinates)(const real *y, real *q); /* at the end; returns their number */
} problem;

/* ---- andrews: accelerations with multipliers; the constraints are sums of sines and cosines ------------------- */
typedef struct {
  int  row;
  real by;
  int  sine, angles; /* bits of the coordinates that are added */
} wave_term;
enum { BE = 1, TH = 2, GA = 4, PH = 8, DE = 16, OM = 32, EP = 64 };
static const wave_term andrews_terms[] = {
    {0, 0.007L, 0, BE},       {0, -0.028L, 0, BE + TH}, {0, -0.035L, 1, GA},
    {1, 0.007L, 1, BE},       {1, -0.028L, 1, BE + TH}, {1, 0.035L, 0, GA},
    {2, 0.007L, 0, BE},       {2, -0.028L, 0, BE + TH}, {2, -0.02L, 1, PH + DE},
    {2, -0.04L, 0, DE},       {3, 0.007L, 1, BE},       {3, -0.028L, 1, BE + TH},
    {3, 0.02L, 0, PH + DE},   {3, -0.04L, 1, DE},       {4, 0.007L, 0, BE},
    {4, -0.028L, 0, BE + TH}, {4, -0.02L, 0, OM + EP},  {4, -0.04L, 1, EP},
    {5, 0.007L, 1, BE},       {5, -0.028L, 1, BE + TH}, {5, -0.02L, 1, OM + EP},
    {5, 0.04L, 0, EP}};

static real sum_of(const real *x, int angles) {
  real s = 0;
  for (int k = 0; k < 7; k++)
    if (angles >> k & 1)
      s += x[k];
  return s;
}
static void andrews_constrain(const real *q, const real *v, real *G, real *c) {
  memset(G, 0, 42 * sizeof *G), memset(c, 0, 6 * sizeof *c);
  for (size_t i = 0; i < sizeof andrews_terms / sizeof *andrews_terms; i++) {
    const wave_term *t = &andrews_terms[i];
    const real       a = sum_of(q, t->angles), rate = sum_of(v, t->angles);
    c[t->row] += t->by * (t->sine ? sinl(a) : cosl(a)) * rate * rate;
    for (int k = 0; k < 7; k++)
      if (t->angles >> k & 1)
        G[t->row * 7 + k] += t->by * (t->sine ? cosl(a) : -sinl(a));
  }
}
static void andrews(real time, const real *y, real *o) {
  const real *q = y, *v = y + 7;
  const real  da = 0.0115L, rr = 0.007L, z = 0.02L - 0.01421L, u = 0.04L, m2 = 0.00365L,
             m4 = 0.00706L, m6 = 0.00706L;
  const real i1 = 2.194e-6L, i2 = 4.410e-7L, i3 = 5.255e-6L, i4 = 5.667e-7L, i5 = 1.169e-5L,
             i6 = 5.667e-7L, i7 = 1.912e-5L;
  const real cth = cosl(q[1]), sph = sinl(q[3]), som = sinl(q[5]), cg = cosl(q[2]), sg = sinl(q[2]);
  real       M[49] = {0}, f[7], G[42], c[6];
  (void)time;
  M[0] = 0.04325L * square(0.00092L) + m2 * (rr * rr - 2 * da * rr * cth + da * da) + i1 + i2;
  M[1] = M[7] = m2 * (da * da - da * rr * cth) + i2;
  M[8] = m2 * da * da + i2;
  M[16] = 0.02373L * (square(0.01874L) + square(0.01043L)) + i3;
  M[24] = m4 * z * z + i4;
  M[25] = M[31] = m4 * (z * z + u * z * sph) + i4;
  M[32] = m4 * (u * u + 2 * u * z * sph + z * z) +
          0.07050L * (square(0.02308L) + square(0.00916L)) + i4 + i5;
  M[40] = m6 * z * z + i6;
  M[41] = M[47] = m6 * (z * z - u * z * som) + i6;
  M[48] = m6 * (z * z - 2 * u * z * som + u * u) +
          0.05498L * (square(0.01228L) + square(0.00449L)) + i6 + i7;
  const real xd = 0.02L * cg + 0.018L * sg - 0.03635L - 0.014L,
             yd = 0.02L * sg - 0.018L * cg + 0.03273L - 0.072L;
  const real len = sqrtl(xd * xd + yd * yd), pull = -4530 * (len - 0.07785L) / len;
  f[0] = 0.033L - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sinl(q[1]);
  f[1] = m2 * da * rr * v[0] * v[0] * sinl(q[1]);
  f[2] = pull * (xd * (0.018L * cg - 0.02L * sg) + yd * (0.02L * cg + 0.018L * sg));
  f[3] = m4 * u * z * v[4] * v[4] * cosl(q[3]);
  f[4] = -m4 * u * z * v[3] * (v[3] + 2 * v[4]) * cosl(q[3]);
  f[5] = -m6 * u * z * v[6] * v[6] * cosl(q[5]);
  f[6] = m6 * u * z * v[5] * (v[5] + 2 * v[6]) * cosl(q[5]);
  andrews_constrain(q, v, G, c);
  memcpy(o, v, 7 * sizeof *o);
  accelerate(7, 6, M, G, f, c, o + 7);
}
static void andrews_start(real *y) {
  static const real q[] = {-0.0617138900142764496358948458001L, 0,
                           0.455279819163070380255912382449L,   0.222668390165885884674473185609L,
                           0.487364979543842550225598953530L,   -0.222668390165885884674473185609L,
                           1.23054744454982119249735015568L};
  memcpy(y, q, sizeof q);
}
static int first_of(const real *y, real *q, int n) {
  memcpy(q, y, (size_t)n * sizeof *q);
  return n;
}
static int first7(const real *y, real *q) { return first_of(y, q, 7); }
static int first3(const real *y, real *q) { return first_of(y, q, 3); }
static int first14(const real *y, real *q) { return first_of(y, q, 14); }

/* ---- pleiades ------------------------------------------------------------------------------------------------- */
static void pleiades(real t, const real *y, real *o) {
  (void)t;
  memcpy(o, y + 14, 14 * sizeof *o);
  for (int i = 0; i < 7; i++) {
    o[14 + i] = o[21 + i] = 0;
    for (int j = 0; j < 7; j++) {
      const real dx = y[j] - y[i], dy = y[7 + j] - y[7 + i], r2 = dx * dx + dy * dy;
      if (j != i)
        o[14 + i] += (j + 1) * dx / (r2 * sqrtl(r2)), o[21 + i] += (j + 1) * dy / (r2 * sqrtl(r2));
    }
  }
}
static void pleiades_start(real *y) {
  static const real s[] = {3, 3, -1, -3, 2, -2,    2,     3, -3, 2, 0,      0, -4, 4,
                           0, 0, 0,  0,  0, 1.75L, -1.5L, 0, 0,  0, -1.25L, 1, 0,  0};
  memcpy(y, s, sizeof s);
}

/* ---- fekete: x'' = F - x' / 2 + (its part along x, so that |x| = 1) --------------------------------------------- */
enum { POINTS = 20 };
static void fekete(real t, const real *y, real *o) {
  (void)t;
  memcpy(o, y + 60, 60 * sizeof *o);
  for (int i = 0; i < POINTS; i++) {
    const real *x = y + 3 * i, *v = y + 60 + 3 * i;
    real        F[3] = {-v[0] / 2, -v[1] / 2, -v[2] / 2};
    for (int j = 0; j < POINTS; j++) {
      const real d[3] = {x[0] - y[3 * j], x[1] - y[3 * j + 1], x[2] - y[3 * j + 2]}, r2 = dot(d, d);
      for (int k = 0; k < 3 && j != i; k++)
        F[k] += d[k] / r2;
    }
    const real lambda = (dot(x, F) + dot(v, v)) / dot(x, x);
    for (int k = 0; k < 3; k++)
      o[60 + 3 * i + k] = F[k] - lambda * x[k];
  }
}
static void fekete_start(real *y) {
  const real pi = acosl(-1);
  for (int i = 1; i <= POINTS; i++) {
    const real a = i <= 3    ? 2 * pi * i / 3 + pi / 13
                   : i <= 10 ? 2 * pi * (i - 3) / 7 + pi / 29
                   : i <= 16 ? 2 * pi * (i - 10) / 6 + pi / 7
                             : 2 * pi * (i - 17) / 4 + pi / 17;
    const real b = i <= 3 ? 3 * pi / 8 : i <= 10 ? pi / 8 : i <= 16 ? -2 * pi / 15 : -3 * pi / 10;
    real      *x = y + 3 * (i - 1);
    x[0] = cosl(a) * cosl(b), x[1] = sinl(a) * cosl(b), x[2] = sinl(b);
  }
}
static int fekete_end(const real *y, real *q) {
  for (int k = 0; k < 60; k++)
    q[k % 3 * 20 + k / 3] = y[k];
  return 60;
}

/* ---- crank: accelerations with multipliers, in matrices c1, c2, c12, c21, B, MQ, KQ ----------------------------- */
static const real crank_L1 = 0.15L, crank_L2 = 0.30L, crank_rho = 7870, crank_pi = 3.1415927L;
typedef struct {
  real MQ[4][4], KQ[4][4], B[4][4], c1[4], c2[4], c12[4], c21[4];
} crank_rod;
static crank_rod rod_of_crank(void) {
  const real w2 = 0.008L * 0.008L, L = crank_L2, pi = crank_pi, m = crank_rho * w2 * L,
             k = 0.2e12L * w2 / L, b = w2 * L;
  const real thin = w2 / (L * L), p4 = pi * pi * pi * pi, p3 = pi * pi * pi,
             b14 = b * (8 / p3 - 1 / pi);
  return (crank_rod){
      .MQ = {{m / 2}, {0, m / 2}, {0, 0, 8 * m, m}, {0, 0, m, 2 * m}},
      .KQ = {{k * p4 / 24 * thin},
             {0, k * p4 * 2 / 3 * thin},
             {0, 0, k * 16 / 3, -k * 8 / 3},
             {0, 0, -k * 8 / 3, k * 7 / 3}},
      .B = {{0, 0, -b * 16 / p3, b14}, {0, 0, 0, b / 2 / pi}, {b * 16 / p3}, {-b14, -b / 2 / pi}},
      .c1 = {0, 0, b * 2 / 3, b / 6},
      .c2 = {b * 2 / pi},
      .c12 = {0, 0, L * b / 3, L * b / 6},
      .c21 = {L * b / pi, -L * b / 2 / pi}};
}
static void crank(real t, const real *y, real *o) {
  const crank_rod r = rod_of_crank();
  const real     *q = y + 3, *d = y + 10, p[2] = {150 * t, y[1]}, v[2] = {150, y[8]};
  const real L1 = crank_L1, L2 = crank_L2, rho = crank_rho, M2 = 0.151104L, s = sinl(p[0] - p[1]),
             c = cosl(p[0] - p[1]), S1 = sinl(p[0]), C1 = cosl(p[0]), S2 = sinl(p[1]),
             C2 = cosl(p[1]), l = L2 + q[3];
  real c1q = 0, c1d = 0, c2q = 0, c2d = 0, c12q = 0, c12d = 0, qMq = 0, dMq = 0, dBd = 0,
       M[49] = {0}, f[7] = {0};
  for (int i = 0; i < 4; i++) {
    c1q += r.c1[i] * q[i], c1d += r.c1[i] * d[i], c2q += r.c2[i] * q[i], c2d += r.c2[i] * d[i];
    c12q += r.c12[i] * q[i], c12d += r.c12[i] * d[i];
    for (int j = 0; j < 4; j++) {
      qMq += q[i] * r.MQ[i][j] * q[j], dMq += d[i] * r.MQ[i][j] * q[j],
          dBd += q[i] * r.B[i][j] * d[j];
      M[(3 + i) * 7 + 3 + j] = r.MQ[i][j];
    }
  }
  M[0] = 0.002727L + M2 * L1 * L1;
  M[1] = M[7] = L1 * L2 * M2 * c / 2 + rho * L1 * (s * c2q + c * c1q);
  M[8] = 0.0045339259L + qMq + 2 * rho * c12q;
  M[16] = 0.075552L;
  f[0] = -L1 * L2 * M2 * v[1] * v[1] * s / 2 + rho * L1 * v[1] * v[1] * (c * c2q - s * c1q) -
         2 * rho * L1 * v[1] * (c * c1d + s * c2d);
  f[1] = L1 * L2 * M2 * v[0] * v[0] * s / 2 + rho * L1 * v[0] * v[0] * (s * c1q - c * c2q) -
         2 * rho * v[1] * c12d - 2 * v[1] * dMq - rho * dBd;
  for (int i = 0; i < 4; i++) {
    real qB = 0, Bd = 0, Mq = 0, Kq = 0;
    for (int j = 0; j < 4; j++)
      qB += q[j] * r.B[j][i], Bd += r.B[i][j] * d[j], Mq += r.MQ[i][j] * q[j],
          Kq += r.KQ[i][j] * q[j];
    M[3 + i] = M[(3 + i) * 7] = rho * L1 * (c * r.c2[i] - s * r.c1[i]);
    M[7 + 3 + i] = M[(3 + i) * 7 + 1] = rho * (r.c21[i] + qB);
    f[3 + i] = v[1] * v[1] * (Mq + rho * r.c12[i]) +
               rho * L1 * v[0] * v[0] * (c * r.c1[i] + s * r.c2[i]) + 2 * rho * v[1] * Bd - Kq;
  }
  const real G[21] = {L1 * C1, l * C2, 0, 0, 0, 0, S2, L1 * S1, l * S2, 1, 0, 0, 0, -C2, 1};
  const real a[3] = {L1 * S1 * v[0] * v[0] + l * S2 * v[1] * v[1] - 2 * v[1] * C2 * d[3],
                     -L1 * C1 * v[0] * v[0] - l * C2 * v[1] * v[1] - 2 * v[1] * S2 * d[3], 0};
  memcpy(o, y + 7, 7 * sizeof *o);
  accelerate(7, 3, M, G, f, a, o + 7);
}
static void crank_start(real *y) {
  y[6] = 1.69327969e-5L, y[5] = 1.03339863e-5L, y[2] = crank_L1 + crank_L2 + y[6];
  y[7] = 150, y[8] = -crank_L1 * 150 / (crank_L2 + y[6]), y[9] = y[13] = -2.68938672e-6L;
  y[10] = 0.444896105L, y[11] = 4.63434311e-3L, y[12] = -1.78591076e-6L;
}

static int crank_end(const real *y, real *q) {
  first_of(y, q, 7);
  q[0] = 15; /* as the motor turns it */
  return 7;
}

/* ---- slider-crank: the energy of its one degree of freedom ------------------------------------------------------- */
static wave crank_energies(wave a, wave *V) { /* kinetic, at the rate 1 */
  const wave b = -casinl(csinl(a) / 2), rate = -ccosl(a) / (2 * ccosl(b)),
             x = -csinl(a) - 2 * csinl(b) * rate;
  *V = csinl(a) / 2 + csinl(a) + csinl(b);
  return (4.0L / 3 + 2 * ccosl(a - b) * rate + 4.0L / 3 * rate * rate + x * x / 2) / 2;
}
static void slider_crank(real t, const real *y, real *o) {
  const real e = 1e-30L;
  wave       V;
  const wave T = crank_energies(y[0] + e * I, &V);
  (void)t;
  o[0] = y[1];
  o[1] = -(cimagl(V) / e + y[1] * y[1] * cimagl(T) / e) / (2 * creall(T));
}
static void slider_crank_start(real *y) { y[0] = atan2l(3, 4), y[1] = 2.5L; }
static int  slider_crank_end(const real *y, real *q) {
   q[0] = y[0], q[1] = -asinl(sinl(y[0]) / 2), q[2] = cosl(y[0]) + 2 * cosl(q[1]);
   return 3;
}

/* ---- governor: both rods alike; the moment about the shaft, which is kept, in place of its rate ------------------ */
static wave governor_moment(wave b) {
  const real w = 0.01L, mr = 0.3L, ball = 5, a = 0.05L;
  return mr * w * w / 6 + 3 * 0.01L / 6 +
         2 * (mr * w * w / 6 * csinl(b) * csinl(b) + mr * (1 + w * w) / 12 * ccosl(b) * ccosl(b) +
              mr * (a + ccosl(b) / 2) * (a + ccosl(b) / 2) +
              ball * (a + ccosl(b)) * (a + ccosl(b)));
}
static void governor(real t, const real *y, real *o) { /* psi, b, s, b', s' */
  const real e = 1e-30L, g = 9.81L, b = y[1], s = y[2], pi = acosl(-1);
  const wave J = governor_moment(b + e * I);
  const real rate = creall(governor_moment(pi / 6)) * 2 * pi / creall(J);
  const real h = 1 - sinl(b) / 2 - s, gap = sqrtl(square(cosl(b) / 2) + h * h);
  const real gb = -cosl(b) * (1 - s) / (2 * gap), gs = -h / gap;
  const real pull = 8e5L * (gap - 0.5L) + 4e4L * (gb * y[3] + gs * y[4]);
  const real tilt = 0.3L * (1 + 1e-4L) / 12 + 0.3L / 4 + 5;
  (void)t;
  o[0] = rate, o[1] = y[3], o[2] = y[4];
  o[3] = (rate * rate * cimagl(J) / e / 4 + (0.15L + 5) * g * cosl(b) - pull * gb) / tilt;
  o[4] = -g - 2 * pull * gs / 3;
}
static void governor_start(real *y) { y[1] = acosl(-1) / 6, y[2] = 0.5L; }
static int  governor_end(const real *y, real *q) {
   q[0] = y[0], q[1] = q[2] = y[1], q[3] = y[2];
   return 4;
}

/* ---- four-bar-chain: the angle of the upright rods; the first top ------------------------------------------------ */
static void four_bars(real t, const real *y, real *o) {
  (void)t;
  o[0] = y[1], o[1] = -3 * 9.81L * 121 / (2 * 161) * cosl(y[0]);
}
static void four_bars_start(real *y) { y[0] = acosl(-1) / 2, y[1] = -1; }
static int  four_bars_end(const real *y, real *q) {
   q[0] = cosl(y[0]), q[1] = sinl(y[0]);
   return 2;
}

/* ---- pendulum-cvt: one equation less ----------------------------------------------------------------------------- */
static void cvt(real t, const real *y, real *o) { /* x, z, y, z', y' */
  const real s = sinl(y[2]), c = cosl(y[2]);
  (void)t;
  o[0] = -s * y[3], o[1] = y[3], o[2] = y[4];
  o[3] = (s * y[0] - y[1] - s * c * y[4] * y[3]) / (1 + s * s);
  o[4] = -s - 0.5L * cosl(2 * y[2]);
}
static void cvt_start(real *y) { y[0] = 1, y[1] = 0.3L, y[3] = 0.5L, y[4] = 2.5L; }

#include "independent-bodies.h"

static const problem problems[] = {
    {"andrews", 14, 600, 0.03L, andrews_start, andrews, first7},
    {"pleiades", 28, 8000, 3, pleiades_start, pleiades, first14},
    {"fekete", 120, 6000, 1000, fekete_start, fekete, fekete_end},
    {"crank", 14, 3000, 0.1L, crank_start, crank, crank_end},
    {"slider-crank", 2, 500, 10, slider_crank_start, slider_crank, slider_crank_end},
    {"governor", 5, 60000, 10, governor_start, governor, governor_end},
    {"four-bar-chain", 2, 50, 0.5L, four_bars_start, four_bars, four_bars_end},
    {"pendulum-cvt", 5, 500, 20, cvt_start, cvt, first3},
    {"rattleback", 17, 3000, 5, rattleback_start, rattleback, rattleback_end},
    {"tippe-top", 17, 3000, 0.4L, tippe_start, tippe, tippe_end},
    {"bicycle", BICYCLE, 200, 2, bicycle_start, bicycle, bicycle_end},
};

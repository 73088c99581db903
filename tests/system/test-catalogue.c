/* test-catalogue.c: every system of the catalogue: states, bits of kernels, multipliers, projection; known
 * motions and values of some systems. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/system.h"
#include "tap.h"
#include <math.h>
#include <quadmath.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A generic point: parameters near their defaults, everything else of order one. */
typedef struct {
  double c[CST_MAX_PAR], q[CST_MAX_Q], v[CST_MAX_Q], w[2 * CST_MAX_Q], u[4 * CST_MAX_Q],
      l[4 * CST_MAX_G + 1];
} point;

static double chance(void) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

static void fill(double *x, int n) {
  for (int i = 0; i < n; i++)
    x[i] = 2.6 * chance() - 1.3;
}

static point somewhere(const cst_system *s) {
  point p;
  for (int i = 0; i < s->npar; i++)
    p.c[i] = s->parameter[i].value * (0.8 + 0.4 * chance());
  fill(p.q, s->nq);
  fill(p.v, s->nq);
  fill(p.w, cst_system_entries(s, 'w'));
  fill(p.u, cst_system_entries(s, 'u'));
  fill(p.l, cst_system_entries(s, 'l'));
  return p;
}

static void eval(const cst_system *s, cst_kernel_id k, const point *p, double *out) {
  cst_system_eval(s, k, p->c, p->q, p->v, p->w, p->u, p->l, out);
}

static double norm(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* Largest difference relative to 1 + the size of a. */
static double apart(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, isnan(a[i] - b[i]) ? INFINITY : fabs(a[i] - b[i]));
  return most / (1 + norm(a, n));
}

static void defaults(const cst_system *s, double *c) {
  for (int i = 0; i < s->npar; i++)
    c[i] = s->parameter[i].value;
}

static void test_states(const cst_system *s) {
  double c[CST_MAX_PAR], q[CST_MAX_Q], v[CST_MAX_Q], g, gv, raw;
  defaults(s, c);
  OK(!strcmp(s->description->state[0].name, "default"), "%s: the first state is the default",
     s->name);
  for (int i = 0; i < s->nstate; i++) {
    cst_system_state(s, i, c, q, v);
    cst_system_residuals(s, c, q, v, &raw, &g, NULL, &gv);
    OK(g <= 1e-15 && gv <= 1e-15 && raw < 4e-15, "%s: description->state %s is consistent", s->name,
       s->description->state[i].name);
    if (g > 1e-15 || gv > 1e-15)
      NOTE("g %g (raw %g), Gv %g", g, raw, gv);
  }
  OK(*s->doc && *s->source && *s->description->potential_text,
     "%s: it says what it is and where it comes from", s->name);
}

/* Copies x[n] to lane `lane` of lanes[n][width]. */
static void spread(const double *x, int n, int width, int lane, double *lanes) {
  for (int i = 0; i < n; i++)
    lanes[i * width + lane] = x[i];
}

/* Compares kernel k over the lanes of set isa with one evaluation per lane. */
static int same_bits(const cst_system *s, int isa, cst_kernel_id k) {
  enum { W = CST_W_MAX, MOST = CST_MAX_Q * CST_MAX_Q };
  static _Alignas(64) double c[CST_MAX_PAR * W], q[CST_MAX_Q * W], v[CST_MAX_Q * W],
      w[2 * CST_MAX_Q * W], u[4 * CST_MAX_Q * W], l[(4 * CST_MAX_G + 1) * W], o[MOST * W];
  static double expected[MOST];
  static point  p[W];
  int           lanes = cst_isas[isa].width, same = 1;
  for (int i = 0; i < lanes; i++) {
    p[i] = somewhere(s);
    spread(p[i].c, s->npar, lanes, i, c);
    spread(p[i].q, s->nq, lanes, i, q);
    spread(p[i].v, s->nq, lanes, i, v);
    spread(p[i].w, cst_system_entries(s, 'w'), lanes, i, w);
    spread(p[i].u, cst_system_entries(s, 'u'), lanes, i, u);
    spread(p[i].l, cst_system_entries(s, 'l'), lanes, i, l);
  }
  s->code->kernel[isa][k](s->code->kernel_self[isa], c, q, v, w, u, l, o);
  for (int i = 0; i < lanes; i++) {
    eval(s, k, &p[i], expected);
    for (int e = 0; e < s->model->kernel_size[k]; e++)
      same &= !memcmp(&o[e * lanes + i], &expected[e], 8);
  }
  return same;
}

static void test_bits(cst_system *s, const char *how) {
  for (int isa = 0; isa < cst_isa_count; isa++) {
    if (!cst_isa_available(isa)) {
      NOTE("this CPU lacks %s", cst_isas[isa].name);
      continue;
    }
    for (int k = 0; k < CST_K_COUNT; k++)
      OK(same_bits(s, isa, k), "%s: %s kernel %s over %s has the bits of one lane", s->name, how,
         cst_system_kernel_names[k], cst_isas[isa].name);
  }
}

/* Force of the equations M A = F - G'lambda at the point. */
static void force(const cst_system *s, const point *p, double *F) {
  eval(s, !cst_has(s, CST_SEPARABLE) ? CST_K_f : CST_K_dV, p, F);
  for (int i = 0; i < s->nq && cst_has(s, CST_SEPARABLE); i++)
    F[i] = -F[i];
}

/* x := M^-1 x. */
static void divide(const cst_system *s, const point *p, double *x) {
  double a[CST_MAX_Q] = {0}, v[CST_MAX_Q];
  if (!cst_has(s, CST_SEPARABLE))
    eval(s, CST_K_a, p, a);
  for (int i = 0; i < s->nq; i++)
    x[i] += a[i];
  cst_system_velocity(s, p->c, p->q, x, v);
  memcpy(x, v, sizeof(double) * (size_t)s->nq);
}

/* Residual of M A = F - G'lambda, G A = -D2g[v, v]. */
static void test_multipliers(const cst_system *s) {
  double lambda[CST_MAX_G], A[CST_MAX_Q], G[CST_MAX_G * CST_MAX_Q], r[CST_MAX_G];
  point  p = somewhere(s);
  if (!s->ng)
    return;
  cst_system_multipliers(s, p.c, p.q, p.v, lambda);
  force(s, &p, A);
  cst_system_matrix(s, CST_K_G, p.c, p.q, NULL, G);
  eval(s, CST_K_D2gvv, &p, r);
  for (int i = 0; i < s->nq; i++)
    for (int a = 0; a < s->ng; a++)
      A[i] -= G[a * s->nq + i] * lambda[a];
  divide(s, &p, A);
  for (int i = 0; i < s->nq; i++)
    for (int a = 0; a < s->ng; a++)
      r[a] += G[a * s->nq + i] * A[i];
  OK(norm(r, s->ng) < 1e-10 * (1 + norm(lambda, s->ng)),
     "%s: multipliers keep the constraint's second derivative at zero (%.1e)", s->name,
     norm(r, s->ng));
}

static void test_projection(const cst_system *s) {
  double c[CST_MAX_PAR], q[CST_MAX_Q], v[CST_MAX_Q], q0[CST_MAX_Q], v0[CST_MAX_Q], g, gv;
  defaults(s, c);
  cst_system_state(s, 0, c, q0, v0);
  memcpy(q, q0, sizeof q);
  memcpy(v, v0, sizeof v);
  OK(cst_system_project(s, c, q, v) && apart(q0, q, s->nq) < 1e-15 && apart(v0, v, s->nq) < 2e-15,
     "%s: a consistent state stays where it is", s->name);
  for (int i = 0; i < s->nq; i++) {
    q[i] = q0[i] + 0.05 * sin(i + 1.0);
    v[i] = v0[i] + 0.3 * cos(i + 2.0);
  }
  int done = cst_system_project(s, c, q, v);
  cst_system_residuals(s, c, q, v, NULL, &g, NULL, &gv);
  OK(done && g <= 1e-15 && gv <= 1e-15 && apart(q0, q, s->nq) < 0.2,
     "%s: a state nearby is projected (%.1e, %.1e)", s->name, g, gv);
  if (!s->ng)
    return;
  for (int i = 0; i < s->nq; i++) {
    q[i] = NAN;
    v[i] = 1;
  }
  OK(!cst_system_project(s, c, q, v) && isnan(q[0]) && v[0] == 1,
     "%s: what cannot be projected is left alone", s->name);
  cst_system_residuals(s, c, q0, v0, &g, NULL, &gv, NULL);
  OK(g >= 0 && gv >= 0, "%s: its residuals are numbers", s->name);
}

static void test_singular(void) {
  cst_system *s = cst_catalogue_create("spherical-pendulum");
  double      c[CST_MAX_PAR], q[3] = {0, 0, 0}, v[3] = {1, 1, 1};
  defaults(s, c);
  OK(!cst_system_project(s, c, q, v) && q[0] == 0 && v[0] == 1, "a singular point is left alone");
  cst_system_destroy(s);
}

/* The largest defect of the equations of the pendulum's motion from (q0, v0) at time t. */
static double motion_error(const cst_system *s, int state, const double *c, const double *q0,
                           const double *v0, double t) {
  static const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12},
                      step[] = {-2, -1, 1, 2};
  double h = 0x1p-10, lambda[CST_MAX_G], other[CST_MAX_G], velocity[CST_MAX_Q] = {0},
         impulse[CST_MAX_Q] = {0}, g, gv, most;
  double F[CST_MAX_Q], G[CST_MAX_G * CST_MAX_Q], q[CST_MAX_Q], P[CST_MAX_Q];
  point  p;
  for (int j = 0; j < 4; j++) {
    cst_system_exact(s, state, c, q0, v0, t + step[j] * h, q, P, other);
    for (int i = 0; i < s->nq; i++) {
      velocity[i] += weight[j] * q[i] / h;
      impulse[i] += weight[j] * P[i] / h;
    }
  }
  cst_system_exact(s, state, c, q0, v0, t, p.q, P, lambda);
  memcpy(p.c, c, sizeof(double) * (size_t)s->npar);
  cst_system_velocity(s, c, p.q, P, p.v);
  force(s, &p, F);
  cst_system_matrix(s, CST_K_G, p.c, p.q, NULL, G);
  cst_system_residuals(s, c, p.q, p.v, NULL, &g, NULL, &gv);
  cst_system_multipliers(s, c, p.q, p.v, other);
  most =
      fmax(fmax(apart(velocity, p.v, s->nq), 1e4 * apart(other, lambda, s->ng)), 1e4 * fmax(g, gv));
  for (int i = 0; i < s->nq; i++)
    for (int a = 0; a < s->ng; a++)
      F[i] -= G[a * s->nq + i] * lambda[a];
  return fmax(most, apart(impulse, F, s->nq));
}

/* The planar pendulum from starts of every kind, with parameters m, g, L. */
static void pendulum_from(const cst_system *s, const double *c, double angle, double rate,
                          const char *what) {
  double q[2] = {c[2] * sin(angle), -c[2] * cos(angle)},
         v[2] = {c[2] * rate * cos(angle), c[2] * rate * sin(angle)}, most = 0;
  for (int k = 0; k < 12; k++)
    most = fmax(most, motion_error(s, -1, c, q, v, 3.7 * k));
  OK(most < 1e-9 * fmax(1, pow(rate / 5, 4)), "planar-pendulum: %s satisfies its equations (%.1e)",
     what, most);
  double Q[2], P[2], l, back[2], W[2];
  cst_system_exact(s, -1, c, q, v, 2.7, Q, P, &l);
  for (int i = 0; i < 2; i++)
    W[i] = P[i] / c[0];
  cst_system_exact(s, -1, c, Q, W, -2.7, back, P, &l);
  OK(apart(q, back, 2) < 1e-13, "planar-pendulum: %s returns when time runs back", what);
}

static void test_pendulum(void) {
  cst_system  *s = cst_catalogue_create("planar-pendulum");
  const double one[3] = {1, 1, 1}, other[3] = {2.3, 9.81, 0.7}, weightless[3] = {1.5, 0, 2},
               upward[3] = {1.2, -3, 0.8};
  pendulum_from(s, one, 0.3, 0.1, "a small swing");
  pendulum_from(s, one, 3.1, 0, "a swing from nearly upright");
  pendulum_from(s, one, -2, -1.5, "a rotation to the left");
  pendulum_from(s, one, 0, 2 * (1 + 1e-9), "a rotation just above the separatrix");
  pendulum_from(s, one, 0, 2 * (1 - 1e-9), "a swing just below the separatrix");
  pendulum_from(s, one, 0, -2, "the separatrix");
  pendulum_from(s, one, 0.4, 30, "a fast rotation");
  pendulum_from(s, other, 1.1, 2, "a swing with other parameters");
  pendulum_from(s, other, 2.6, 9, "a rotation with other parameters");
  pendulum_from(s, weightless, 0.5, 1.3, "a motion without gravity");
  pendulum_from(s, upward, 0.5, 0.3, "a motion with gravity upwards");
  double Q[2], P[2], l, q[2] = {0, 1}, v[2] = {0, 0};
  cst_system_exact(s, -1, one, q, v, 1e6, Q, P, &l);
  OK(Q[0] == 0 && Q[1] == 1 && P[0] == 0 && P[1] == 0 && l == -0.5,
     "planar-pendulum: upright at rest it stays");
  q[1] = -1;
  cst_system_exact(s, -1, one, q, v, 1e6, Q, P, &l);
  OK(Q[0] == 0 && Q[1] == -1 && P[0] == 0 && P[1] == 0 && l == 0.5,
     "planar-pendulum: hanging at rest it stays");
  v[0] = 2;
  cst_system_exact(s, -1, one, q, v, 1.75, Q, P, &l);
  double x = 2 * tanh(1.75) / cosh(1.75);
  OK(fabs(Q[0] - x) < 4e-16, "planar-pendulum: on the separatrix x = 2 tanh t / cosh t");
  cst_system_exact(s, -1, one, q, v, 2000, Q, P, &l);
  OK(fabs(Q[1] - 1) < 1e-15 && fabs(P[0]) < 1e-15, "planar-pendulum: it ends upright");
  __float128 a = 1, b = cosq(1.25Q); /* period 2 pi / agm(1, cos(angle / 2)) */
  for (int i = 0; i < 20; i++) {
    __float128 mean = (a + b) / 2;
    b = sqrtq(a * b);
    a = mean;
  }
  double period = (double)(2 * M_PIq / a), worst = 0;
  q[0] = sin(2.5);
  q[1] = -cos(2.5);
  v[0] = v[1] = 0;
  for (int n = 1; n <= 1000; n *= 10) {
    cst_system_exact(s, -1, one, q, v, n * period, Q, P, &l);
    worst = fmax(worst, fmax(apart(q, Q, 2), apart(v, P, 2)) / n);
  }
  OK(worst < 2e-15, "planar-pendulum: it is periodic with Gauss's period (%.1e)", worst);
  cst_system_destroy(s);
}

static void test_conical(void) {
  cst_system *s = cst_catalogue_create("spherical-pendulum");
  double      c[3] = {1, 1, 1}, q[3], v[3], l, p[3];
  OK(!cst_system_has_exact(s, 0) && cst_system_has_exact(s, 1) && !cst_system_has_exact(s, -1),
     "spherical-pendulum: only the conical motion is exact");
  cst_system_state(s, 1, c, q, v);
  cst_system_multipliers(s, c, q, v, &l);
  OK(fabs(l - M_SQRT1_2) < 1e-15 && fabs(v[1] - pow(2, -0.25)) < 2e-16 && q[0] == M_SQRT1_2,
     "spherical-pendulum: the conical start is that of the paper");
  cst_system_exact(s, 1, c, NULL, NULL, pow(2, 0.75) * M_PI, q, p, &l);
  OK(fabs(q[0] - M_SQRT1_2) < 1e-15 && fabs(q[1]) < 1e-15 && fabs(l - M_SQRT1_2) < 1e-15,
     "spherical-pendulum: its period is 2^(3/4) pi");
  cst_system_destroy(s);
}

/* A body with angular velocity (1, 1/2, 1/4): T = 1/2 sum I_j w_j^2, and the momentum maps are R I w. */
static void test_body(void) {
  static const double w[3] = {1, 0.5, 0.25};
  cst_system         *s = cst_catalogue_create("rigid-body");
  double              c[3], q[9], v[9], m[9], xi[27], energy = 0, expected = 0, most = 0;
  defaults(s, c);
  cst_system_state(s, 0, c, q, v);
  cst_system_eval(s, CST_K_mass, c, NULL, NULL, NULL, NULL, NULL, m);
  cst_system_matrix(s, CST_K_xi, c, q, NULL, xi);
  for (int i = 0; i < 9; i++)
    energy += 0.5 * m[s->model->mass_class[i]] * v[i] * v[i];
  for (int j = 0; j < 3; j++)
    expected += 0.5 * c[j] * w[j] * w[j];
  OK(fabs(energy - expected) < 1e-15,
     "rigid-body: its kinetic energy is that of its moments of inertia");
  for (int k = 0; k < 3; k++) {
    double momentum = 0, spatial = 0;
    for (int i = 0; i < 9; i++)
      momentum += m[s->model->mass_class[i]] * v[i] * xi[k * 9 + i];
    for (int j = 0; j < 3; j++)
      spatial += q[3 * k + j] * c[j] * w[j];
    most = fmax(most, fabs(momentum - spatial));
  }
  OK(most < 1e-15, "rigid-body: its momentum maps are the angular momentum in space");
  cst_system_destroy(s);
}

static void test_modified(void) {
  cst_system *s = cst_catalogue_create("modified-pendulum");
  double      q[3], v[3], l;
  cst_system_state(s, 0, NULL, q, v);
  cst_system_multipliers(s, NULL, q, v, &l);
  OK(fabs(l + 0.64) < 1e-14, "modified-pendulum: lambda(0) = -0.64 (%.17g)", l);
  cst_system_destroy(s);
}

static void test_table(void) {
  const char *const *names = cst_catalogue_names();
  int                good = cst_catalogue_size() >= 7;
  for (int i = 0; i < cst_catalogue_size(); i++) {
    cst_system *s = cst_catalogue_create(names[i]);
    good &= s && !strcmp(s->name, names[i]) && !strcmp(cst_catalogue_name(i), names[i]) &&
            cst_expr_parse(s->model->graph, "1", NULL, 0, &(cst_expr_error){0}) >= 0;
    cst_system_destroy(s);
  }
  OK(good, "the catalogue has %d systems", cst_catalogue_size());
  OK(!cst_catalogue_create("nothing") && !cst_catalogue_name(-1) && !cst_catalogue_name(1000),
     "and no others");
}

int main(void) {
  test_table();
  for (int i = 0; i < cst_catalogue_size(); i++) {
    cst_system *s = cst_catalogue_create(cst_catalogue_name(i));
    test_states(s);
    test_bits(s, "compiled");
    cst_system_interpret(s);
    test_bits(s, "interpreted");
    test_multipliers(s);
    test_projection(s);
    cst_system_destroy(s);
  }
  test_singular();
  test_pendulum();
  test_conical();
  test_modified();
  test_body();
  return tap_done();
}

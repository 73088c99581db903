/* test-saddle.c: accelerations and multipliers by the saddle matrix, and their derivatives. The first
 * variation and the change of the reverse sweep are compared with central differences, the reverse sweep with
 * the first variation. The systems are those of the catalogue, one of them a banded chain, and a body with
 * redundant constraints. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "bed.h"

static const double H = 0x1p-8, NEARLY = 1e-8, EXACT = 1e-12;

/* A point, its change u = (dq, dv), a covector a of A with its change da, and s. */
typedef struct {
  bed        b;
  cst_saddle K;
  vd        *u, *a, *da, *y, *z, s;
} trial;

static trial trial_open(cst_system *system, int isa) {
  trial              t = {.b = bed_open(system, isa), .s = vset(0.7)};
  const cst_context *C = &t.b.C;
  t.K = (cst_saddle){.G = vectors(SADDLE_G), .S = vectors(SADDLE_S), .M = vectors(SADDLE_M)};
  t.u = directions(2 * NQ, 1);
  t.a = directions(NQ, 2);
  t.da = directions(NQ, 3);
  t.y = vectors(NQ);
  t.z = vectors(NG);
  return t;
}

static void trial_close(trial *t) {
  vd *owned[] = {t->K.G, t->K.S, t->K.M, t->u, t->a, t->da, t->y, t->z};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  bed_close(&t->b);
}

/* The results at a point: A, lambda and the gradient of a.A + s L, one after the other. */
#define ALL   (3 * NQ + NG)
#define GRAD_ (NQ + NG)

static void at(void *of, double e, vd *out) {
  trial             *t = of;
  const cst_context *C = &t->b.C;
  vd                *q = vectors(NQ), *v = vectors(NQ), *a = vectors(NQ);
  for (int i = 0; i < NQ; i++) {
    q[i] = t->b.q[i] + e * t->u[i];
    v[i] = t->b.v[i] + e * t->u[NQ + i];
    a[i] = t->a[i] + e * t->da[i];
  }
  cst_saddle_factor(C, t->b.c, t->b.minv, q, t->K);
  cst_saddle_acceleration(C, t->b.c, t->b.minv, t->K, q, v, out, out + NQ);
  cst_saddle_reverse(C, t->b.c, t->b.minv, t->K, q, v, out, out + NQ, a, t->s, t->y, t->z,
                     out + GRAD_);
  free(q);
  free(v);
  free(a);
}

/* The changes of these results, with the multipliers lambda. */
static void changes(trial *t, const vd *x, const vd *lambda, vd *dx) {
  const cst_context *C = &t->b.C;
  cst_saddle_variation(C, t->b.c, t->b.minv, t->K, t->b.q, t->b.v, x, lambda, t->u, dx, dx + NQ);
  cst_saddle_second(C, t->b.c, t->b.minv, t->K, t->b.q, t->b.v, x, lambda, t->y, t->z, t->s, t->u,
                    dx, dx + NQ, t->da, dx + GRAD_);
}

/* The difference of a.dA + s dL, plus s times the virtual work, from gradient.(dq, dv), relative to the size
 * of the terms. */
static double reverse_off(const trial *t, const vd *x, const vd *dx) {
  const cst_context *C = &t->b.C;
  vd                *L = vectors(2 * NQ), size = vset(0);
  if (GENERAL) {
    K_Lq(t->b.c, t->b.q, t->b.v, L);
    K_Lv(t->b.c, t->b.q, t->b.v, L + NQ);
  } else {
    const vd *minv = t->b.minv;
    K_dV(t->b.c, t->b.q, L);
    for (int i = 0; i < NQ; i++) {
      L[i] = -L[i];
      L[NQ + i] = t->b.v[i] / MINV(i);
    }
  }
  vd off = dot(t->a, dx, NQ, &size) + t->s * dot(L, t->u, 2 * NQ, &size) -
           dot(x + GRAD_, t->u, 2 * NQ, &size);
  off += t->s * virtual_work(C, t->b.c, t->b.q, t->b.v, x + NQ, t->u);
  double most = 0;
  for (int l = 0; l < CST_W; l++)
    most = off[l] / size[l] == off[l] / size[l] ? fmax(most, fabs(off[l] / size[l])) : INFINITY;
  free(L);
  return most;
}

/* True if every lane has the same bits in another position. */
static int independent(trial *t, const vd *x, const vd *dx) {
  const cst_context *C = &t->b.C;
  vd                *turned = vectors(2 * ALL);
  vd *const          moved[] = {t->b.q, t->b.v, t->u, t->a, t->da};
  const int          n[] = {NQ, NQ, 2 * NQ, NQ, NQ};
  int                same = 1;
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < n[k]; i++) {
      const vd from = moved[k][i];
      for (int l = 0; l < CST_W; l++)
        moved[k][i][l] = from[(l + 1) % CST_W];
    }
  at(t, 0, turned);
  changes(t, turned, turned + NQ, turned + ALL);
  for (int i = 0; i < 2 * ALL; i++)
    for (int l = 0; l < CST_W; l++) {
      const double was = (i < ALL ? x[i] : dx[i - ALL])[(l + 1) % CST_W], is = turned[i][l];
      same &= !memcmp(&was, &is, sizeof is);
    }
  free(turned);
  return same;
}

/* True if slightly wrong multipliers change the first variation, which they do if constraints are curved. */
static int sees_multipliers(trial *t, const vd *x, const vd *slope) {
  const cst_context *C = &t->b.C;
  vd                *lambda = vectors(NG), *dx = vectors(ALL);
  for (int a = 0; a < NG; a++)
    lambda[a] = 1.001 * x[NQ + a];
  changes(t, x, lambda, dx);
  const int seen = apart(slope, dx, GRAD_) > NEARLY;
  free(lambda);
  free(dx);
  return seen;
}

static int sees_slip(trial *t, vd *x, const vd *dx) {
  const cst_context *C = &t->b.C;
  x[GRAD_] *= 1 + 1e-9;
  const int seen = reverse_off(t, x, dx) > EXACT;
  x[GRAD_] /= 1 + 1e-9;
  return seen;
}

/* True if wrong multipliers are detected. */
static int test(cst_system *system, const char *name, int isa) {
  trial              t = trial_open(system, isa);
  const cst_context *C = &t.b.C;
  vd *x = vectors(ALL), *plain = vectors(GRAD_), *dx = vectors(ALL), *slope = vectors(ALL);
  differences(at, &t, ALL, H, slope);
  cst_acceleration(C, t.b.c, t.b.minv, t.b.q, t.b.v, plain, plain + NQ);
  at(&t, 0, x);
  changes(&t, x, x + NQ, dx);
  const double value = apart(plain, x, GRAD_), first = apart(slope, dx, GRAD_),
               second = apart(slope + GRAD_, dx + GRAD_, 2 * NQ), reverse = reverse_off(&t, x, dx);
  OK(value < 1e-13, "%s: accelerations and multipliers, as by the reduced equations (%.1e)", name,
     value);
  OK(first < NEARLY, "%s: their first variation (%.1e)", name, first);
  OK(reverse < EXACT, "%s: a.dA + s dL is the gradient times the change (%.1e)", name, reverse);
  OK(second < NEARLY, "%s: the change of the gradient (%.1e)", name, second);
  OK(sees_slip(&t, x, dx), "%s: a slip would be seen", name);
  const int seen = sees_multipliers(&t, x, slope);
  OK(independent(&t, x, dx), "%s: no lane depends on the others", name);
  vd *owned[] = {x, plain, dx, slope};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  trial_close(&t);
  return seen;
}

static void tests(int isa) {
  int seen = 0, banded = 0;
  for (int i = 0; i < cst_catalogue_size(); i++) {
    cst_system *s = cst_catalogue_create(cst_catalogue_name(i));
    banded += s->model->gram.banded;
    seen += test(s, cst_catalogue_name(i), isa);
  }
  OK(seen >= 8 && banded >= 1, "wrong multipliers would be seen on %d systems; %d are banded", seen,
     banded);
  cst_system *body = read_redundant();
  OK(body->model->dropped && body->ng == 9,
     "a body with nine constraints has some that others imply");
  test(body, "redundant body", isa);
}

int main(void) {
  const int isa = set_of_this_width();
  if (isa >= 0)
    tests(isa);
  OK(true, "%s",
     isa < 0 ? "no instruction set of this width here" : "every system of the catalogue");
  return tap_done();
}

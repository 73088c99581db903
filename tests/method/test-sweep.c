/* test-sweep.c: a one-step layer over a time t and its derivatives: tangent, reverse and second derivative
 * compared with central differences, with the action S of the layer summed here from L at its stages. Every
 * explicit tableau, Gauss with two and three stages and the adjoint of Heun, on every system of the catalogue
 * and on a body with redundant constraints; forward, backward and with t = 0.
 *
 * The tangent and the second derivative of implicit stages are iterated CST_TANGENT_SWEEPS = n times. A sweep
 * turns an error e of the stages' accelerations into one of about t |A_v| e + t^2 |A_q| e. The remaining
 * error is O(t^n), and halving t divides it by about 2^n; the test requires 2^(n-3) unless it is already the
 * error of the differences. The reverse is iterated to convergence and leaves no error.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "../system/bed.h"
static int stages; /* of the layer under test */
#define STAGES stages
#include "method/core/sweep.h"
#include "tableau/tableau.h"

static const double H = 0x1p-8, NEARLY = 1e-8, T = 0.025;

/* The stages and the results of the two sweeps of CST_SWEEP_FIELDS, of which one is used. */
typedef struct {
  CST_SWEEP_FIELDS(CST_FIELD)
  const vd *c, *minv, *given;
} fields;

/* A layer on a system; a point, its change u = (dq, dv), a covector x of q1 with its change dx, and s. */
typedef struct {
  bed            b;
  fields         L;
  cst_lane_layer layer;
  cst_sweep      sweep;
  vd            *u, *x, *dx, s;
} trial;

static trial trial_open(cst_system *system, const cst_tableau *tableau, int isa) {
  trial t = {.b = bed_open(system, isa),
             .layer = {.stages = tableau->stages,
                       .implicit = tableau->implicit,
                       .a = tableau->a,
                       .b = tableau->b}};
  stages = tableau->stages;
  const cst_context *C = &t.b.C;
  t.s = vset(0.7);
  t.u = directions(2 * NQ, 1);
  t.x = directions(NQ, 2);
  t.dx = directions(NQ, 3);
#define ALLOCATE(name, n) t.L.name = vectors(n);
  CST_SWEEP_FIELDS(ALLOCATE)
#undef ALLOCATE
  return t;
}

static void trial_close(trial *t) {
#define FREE(name, n) free(t->L.name);
  CST_SWEEP_FIELDS(FREE)
#undef FREE
  free(t->u), free(t->x), free(t->dx);
  bed_close(&t->b);
}

/* The sweep over the time `time`. */
static void set_time(trial *t, double time) {
  const cst_context *C = &t->b.C;
  fields            *L = &t->L;
  const int          k = 0;
  L->c = t->b.c;
  L->minv = t->b.minv;
  t->sweep = CST_SWEEP_OF(L, k, &t->layer, vset(time));
  if (TIMED) {
    t->sweep.clock = &t->b.c[ACCOUNT - 1];
    t->sweep.at = vset(0.3);
  }
}

/* t sum b_i L at the stages. */
static vd action(const trial *t) {
  const cst_context *C = &t->b.C;
  vd                 S = vset(0);
  for (int i = 0; i < t->layer.stages && cst_sweep_moves(&t->sweep); i++) {
    cst_sweep_clock(C, &t->sweep, i);
    S += t->sweep.t * t->layer.b[i] *
         lagrangian(C, t->b.c, t->b.minv, t->sweep.Q + i * NQ, t->sweep.V + i * NQ);
  }
  return S;
}

/* t sum b_i times the virtual work at the stages along the changes dQ of their points; valid after a sweep
 * from the point. */
static vd work(const trial *t, const vd *dQ) {
  const cst_context *C = &t->b.C;
  const cst_sweep   *at = &t->sweep;
  vd                 W = vset(0);
  for (int i = 0; i < t->layer.stages; i++) {
    cst_sweep_clock(C, at, i);
    W += at->t * t->layer.b[i] *
         virtual_work(C, t->b.c, at->Q + i * NQ, at->V + i * NQ, at->lambda + i * NG, dQ + i * NQ);
  }
  return W;
}

/* The results at a point: (q1, v1), the gradient of x.q1 + s S, S, and the points of the stages, one after
 * the other. */
#define ALL   (4 * NQ + 1 + STAGES * NQ)
#define GRAD_ (2 * NQ)
#define S_    (4 * NQ)
#define Q_    (4 * NQ + 1)

static void at(void *of, double e, vd *out) {
  trial             *t = of;
  const cst_context *C = &t->b.C;
  vd                *q = vectors(NQ), *v = vectors(NQ), *x = vectors(NQ);
  for (int i = 0; i < NQ; i++) {
    q[i] = t->b.q[i] + e * t->u[i];
    v[i] = t->b.v[i] + e * t->u[NQ + i];
    x[i] = t->x[i] + e * t->dx[i];
  }
  cst_sweep_value(C, &t->sweep, q, v, out, out + NQ);
  cst_sweep_reverse(C, &t->sweep, q, v, x, t->s, out + GRAD_);
  out[S_] = action(t);
  if (cst_sweep_moves(&t->sweep))
    memcpy(out + Q_, t->sweep.Q, sizeof *out * (size_t)(STAGES * NQ));
  free(q);
  free(v);
  free(x);
}

/* The changes of all results except S. */
static void changes(trial *t, vd *d) {
  const cst_context *C = &t->b.C;
  cst_sweep_tangent(C, &t->sweep, CST_TANGENT_SWEEPS, t->b.q, t->b.v, t->u, t->u + NQ, d, d + NQ);
  cst_sweep_second(C, &t->sweep, t->b.q, t->b.v, t->x, t->s, t->u, t->dx, d + GRAD_);
}

/* Errors at one time. For the reverse: the difference of x.dq1 + s dS plus s times the virtual work from
 * gradient.(dq, dv), relative to the size of the terms. */
typedef struct {
  double tangent, reverse, second;
} defects;

static double reverse_off(const trial *t, const vd *x, const vd *slope) {
  const cst_context *C = &t->b.C;
  vd                 size = vset(1e-300);
  const vd           off = dot(t->x, slope, NQ, &size) + dot(&t->s, slope + S_, 1, &size) -
                 dot(x + GRAD_, t->u, 2 * NQ, &size) + t->s * work(t, slope + Q_);
  double most = 0;
  for (int l = 0; l < CST_W; l++)
    most = isnan(off[l]) ? INFINITY : fmax(most, fabs(off[l] / size[l]));
  return most;
}

static defects measure(trial *t, double time) {
  const cst_context *C = &t->b.C;
  vd                *x = vectors(ALL), *slope = vectors(ALL), *d = vectors(ALL);
  set_time(t, time);
  differences(at, t, ALL, H, slope);
  at(t, 0, x);
  changes(t, d);
  const defects off = {apart(slope, d, 2 * NQ), reverse_off(t, x, slope),
                       apart(slope + GRAD_, d + GRAD_, 2 * NQ)};
  free(x);
  free(slope);
  free(d);
  return off;
}

static bool good(defects d) {
  return d.tangent < NEARLY && d.reverse < NEARLY && d.second < NEARLY;
}

/* With t = 0 nothing changes. */
static bool stands_still(trial *t) {
  const cst_context *C = &t->b.C;
  const vd           zero = vset(0);
  vd                *x = vectors(ALL), *d = vectors(ALL);
  const size_t       bytes = sizeof(vd) * (size_t)NQ;
  bool               same = true;
  set_time(t, 0);
  at(t, 0, x);
  changes(t, d);
  same &= !memcmp(x, t->b.q, bytes) && !memcmp(x + NQ, t->b.v, bytes) &&
          !memcmp(x + GRAD_, t->x, bytes);
  same &= !memcmp(d, t->u, 2 * bytes) && !memcmp(d + GRAD_, t->dx, bytes);
  for (int i = 3 * NQ; i < 4 * NQ; i++)
    same &= !memcmp(&x[i], &zero, sizeof zero) && !memcmp(&d[i], &zero, sizeof zero);
  free(x);
  free(d);
  return same;
}

/* True if the lanes, shifted by one position, keep their bits; implicit stages end in each lane
 * independently. */
static bool independent(trial *t) {
  const cst_context *C = &t->b.C;
  vd                *x = vectors(2 * ALL),
     *turned = vectors(2 * ALL), *const moved[] = {t->b.q, t->b.v, t->u, t->x, t->dx};
  const int n[] = {NQ, NQ, 2 * NQ, NQ, NQ};
  bool      same = true;
  set_time(t, T);
  at(t, 0, x);
  changes(t, x + ALL);
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < n[k]; i++) {
      const vd from = moved[k][i];
      for (int l = 0; l < CST_W; l++)
        moved[k][i][l] = from[(l + 1) % CST_W];
    }
  at(t, 0, turned);
  changes(t, turned + ALL);
  for (int i = 0; i < 2 * ALL; i++)
    for (int l = 0; l < CST_W; l++) {
      const double was = x[i][(l + 1) % CST_W], is = turned[i][l];
      same &= !memcmp(&was, &is, sizeof is);
    }
  free(x);
  free(turned);
  return same;
}

/* True if a slightly wrong coefficient changes the gradient and the tangent. */
static bool sees_coefficient(trial *t, double time) {
  const cst_context *C = &t->b.C;
  vd                *x = vectors(ALL), *slope = vectors(ALL), *d = vectors(ALL);
  double             b[CST_MAX_STAGES];
  const double      *right = t->layer.b;
  set_time(t, time);
  differences(at, t, ALL, H, slope);
  for (int i = 0; i < t->layer.stages; i++)
    b[i] = right[i] * (1 + 1e-4);
  t->layer.b = b;
  at(t, 0, x);
  changes(t, d);
  t->layer.b = right;
  const bool seen = apart(slope, d, 2 * NQ) > NEARLY && reverse_off(t, x, slope) > NEARLY;
  free(x);
  free(slope);
  free(d);
  return seen;
}

/* For implicit stages: true if half the time has an error smaller by nearly 2^CST_TANGENT_SWEEPS; *seen is
 * set if there was an error. */
static bool falls(double whole, double half, int *seen) {
  *seen += whole > 100 * NEARLY;
  return half < NEARLY || half < whole / (1 << (CST_TANGENT_SWEEPS - 3));
}

static void test_implicit(trial *t, const char *system, const char *layer, int *seen) {
  const defects whole = measure(t, 4 * T), half = measure(t, 2 * T);
  OK(falls(whole.tangent, half.tangent, seen) && falls(whole.second, half.second, seen) &&
         whole.reverse < NEARLY,
     "%s on %s: in half the time sweeps leave less (%.1e, %.1e after %.1e, %.1e), and nothing in "
     "reverse "
     "(%.1e)",
     layer, system, half.tangent, half.second, whole.tangent, whole.second, whole.reverse);
}

static void test(cst_system *s, const char *system, const cst_tableau *tableau, const char *layer,
                 int isa, int *seen) {
  static const double time[] = {T, -T};
  trial               t = trial_open(s, tableau, isa);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      t.s = vset(k ? 0 : 0.7);
      const defects d = measure(&t, time[i]);
      OK(good(d), "%s on %s over %g, %s the action: tangent %.1e, reverse %.1e, second %.1e", layer,
         system, time[i], k ? "without" : "with", d.tangent, d.reverse, d.second);
    }
  if (tableau->implicit)
    test_implicit(&t, system, layer, seen);
  OK(stands_still(&t), "%s on %s: over no time nothing changes", layer, system);
  OK(sees_coefficient(&t, T), "%s on %s: a wrong coefficient would be seen", layer, system);
  OK(independent(&t), "%s on %s: no lane depends on the others", layer, system);
  trial_close(&t);
}

static void test_layer(const cst_tableau *tableau, const char *layer, int isa, int *seen) {
  for (int i = 0; i < cst_catalogue_size(); i++)
    test(cst_catalogue_create(cst_catalogue_name(i)), cst_catalogue_name(i), tableau, layer, isa,
         seen);
  test(read_redundant(), "redundant body", tableau, layer, isa, seen);
}

static void tests(int isa) {
  const cst_tableau gauss2 = cst_tableau_gauss(2), gauss3 = cst_tableau_gauss(3),
                    adjoint = cst_tableau_adjoint(cst_tableau_find("heun"));
  int seen = 0;
  for (int i = 0; cst_tableau_at(i); i++)
    test_layer(cst_tableau_at(i), cst_tableau_at(i)->name, isa, &seen);
  test_layer(&gauss2, "gauss(2)", isa, &seen);
  test_layer(&gauss3, "gauss(3)", isa, &seen);
  test_layer(&adjoint, "adjoint(heun)", isa, &seen);
  OK(seen > 5, "sweeps that are not enough were seen %d times", seen);
}

int main(void) {
  const int isa = set_of_this_width();
  if (isa >= 0)
    tests(isa);
  OK(true, "%s", isa < 0 ? "no instruction set of this width here" : "every layer on every system");
  return tap_done();
}

/* lie-alpha.c: the core of generalised-alpha on SO(3)^k x R^m, with the user's constraints at index 3.
 *
 *   q1 = q0 exp(h v0 + h^2 ((1/2 - beta) a0 + beta a1)),   v1 = v0 + h ((1 - gamma) a0 + gamma a1)
 *   (1 - am) a1 + am a0 = (1 - af) A1 + af A0
 *   N A1 + v1 x N v1 + dV(q1) + G(q1)'lambda = 0,   g(q1) = 0
 *
 * v, a and A are angular in body axes for bodies, and N is then the inertia; for the ordinary coordinates the
 * group is addition, and there is no gyroscopic term. dV and G are derivatives by variations (lie-parts.h).
 * Bruels, Cardona 2010.
 *
 * Unknowns are A1 and lambda. The iteration takes Newton's matrix without the derivatives of dV and
 * G'lambda, which are of order h^2: the body's D = 1 + gamma kappa h N^-1 (v1^ N - (N v1)^), kappa = (1 -
 * af)/(1 - am), and, with T the tangent of exp, S = G1 T D^-1 N^-1 G1'. Updates of A are compared with the
 * accelerations that positions and velocities stand for, as in constrained.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/joints.h"
#define CORE lie_alpha

struct data {
  double am, af, beta, gamma;
  int    turning, a,
      A; /* positions in the record; of a and A the first numbers are used, one a variation */
  const cst_joints *joints;
};

#ifdef CST_W
#include "core/rotation.h"
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "method/core/time.h"
#define PIECES 1
#include "method/core/lie-parts.h"
#undef NX
#undef SPLIT_AT
#undef SEEKS_NEAR_ROOT
#define NX (NZ + NU)
#define KEEPS_NOTHING
#define IS_DONE_BY_UPDATE
#define CONVERGES_LINEARLY
#define NX_TESTED NZ

/* The fields of lie-parts.h as they are used here: velocities, a0, A0, and the size of an update. */
#define V0(L)    ((L)->pt)
#define a0(L)    ((L)->d)
#define A0(L)    ((L)->a)
#define SIZE(L)  (*(L)->b)
#define KAPPA(j) ((1 - OWN(j)->af) / (1 - OWN(j)->am))

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  cst_load(a0(L), record, OWN(0)->a, NZ);
  cst_load(A0(L), record, OWN(0)->A, NZ);
  load_parts(C, L, record);
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  cst_open_impulses(C, j, L->impulse);
  for (int b = 0; b < NB; b++) {
    vd alpha[3];
    to_body(L->q + ROTATION(b), L->p + 3 * b, alpha);
    times(L->W + 9 * b, PRINCIPAL, alpha, V0(L) + 3 * b);
  }
  velocities(C, L, L->p + 3 * NB, V0(L) + 3 * NB);
  for (int k = 0; k < NX; k++)
    x[k] = k < NZ ? A0(L)[k] : vset(0);
}

/* a1 */
CST_INLINE vd next(const cst_context *C, const struct local *L, int j, int k, vd A1) {
  const struct data *s = OWN(j);
  return KAPPA(j) * A1 + (s->af * A0(L)[k] - s->am * a0(L)[k]) * (1 / (1 - s->am));
}

/* The step w on the group, v1 and q1 for the accelerations A1. */
static void move(const cst_context *C, struct local *L, int j, const vd *A1, vd *w, vd *v1) {
  const struct data *s = OWN(j);
  const vd           h = H(j);
  for (int k = 0; k < NZ; k++) {
    const vd a1 = next(C, L, j, k, A1[k]);
    v1[k] = V0(L)[k] + h * ((1 - s->gamma) * a0(L)[k] + s->gamma * a1);
    w[k] = h * (V0(L)[k] + h * ((0.5 - s->beta) * a0(L)[k] + s->beta * a1));
  }
  for (int b = 0; b < NB; b++) {
    const cst_retraction t = cst_exponential(cst_dot(w + 3 * b, w + 3 * b));
    vd *const            R = L->q1 + ROTATION(b);
    for (int e = 0; e < 9; e++)
      R[e] = L->q[ROTATION(b) + e];
    for (int k = 0; k < 3; k++)
      cst_turn(&t, w + 3 * b, R + 3 * k);
    cst_orthogonalize(R);
  }
  for (int k = 0; k < NO; k++)
    L->q1[ORDINARY(k)] = L->q[ORDINARY(k)] + w[3 * NB + k];
}

/* z := N^-1 z */
CST_INLINE void divide(const cst_context *C, const struct local *L, vd *z) {
  for (int b = 0; b < NB; b++) {
    vd y[3];
    times(L->W + 9 * b, PRINCIPAL, z + 3 * b, y);
    for (int i = 0; i < 3; i++)
      z[3 * b + i] = y[i];
  }
  velocities(C, L, z + 3 * NB, z + 3 * NB);
}

/* The accelerations that the largest terms stand for. */
CST_INLINE vd size_of(const cst_context *C, const struct local *L, int j, const vd *v1, vd terms) {
  const vd over = 1 / H(j);
  vd       v = vset(0), q = vset(NB > 0);
  for (int k = 0; k < NZ; k++)
    v = vmax(vabs(v1[k]), v);
  for (int k = 0; k < NO; k++)
    q = vmax(vabs(L->q1[ORDINARY(k)]), q);
  return vmax(vmax(v * over, terms), vpick(NU > 0, q * (over * over), vset(0)));
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  vd z[ROOM(NZ)], reaction[ROOM(NZ)], w[ROOM(NZ)], v1[ROOM(NZ)];
  vd terms = vset(0);
  move(C, L, j, x, w, v1);
  load_force(C, L, L->q1);
  if (NU > 0) {
    K_g(L->c, L->q1, L->g);
    K_G(L->c, L->q1, L->full);
  }
  reduce_joints(C, L, L->q1, L->G1);
  for (int k = 0; k < NZ; k++) {
    z[k] = -L->F[k];
    reaction[k] = vset(0);
  }
  for (int b = 0; b < NB; b++) {
    vd turning[3], gyration[3];
    times(L->I + 9 * b, PRINCIPAL, v1 + 3 * b, turning);
    cst_cross(v1 + 3 * b, turning, gyration);
    for (int i = 0; i < 3; i++)
      z[3 * b + i] -= gyration[i];
  }
  add_joints(C, L->G1, x + NZ, reaction);
  divide(C, L, z);
  divide(C, L, reaction);
  for (int k = 0; k < NZ; k++) {
    f[k] = (x[k] - z[k]) - reaction[k];
    terms = vmax(vabs(z[k]) + vabs(reaction[k]), terms);
  }
  for (int k = 0; k < NU; k++)
    f[NZ + k] = L->g[k] * (1 / (H(j) * H(j)));
  SIZE(L) = size_of(C, L, j, v1, terms);
  return vmask(0); /* ends by its updates */
}

/* D[9] of body b, factored. */
static void gyrate(const cst_context *C, const struct local *L, int j, int b, const vd *v, vd *D) {
  const vd *const I = L->I + 9 * b;
  const vd        part = OWN(j)->gamma * KAPPA(j) * H(j);
  vd              turning[3];
  times(I, PRINCIPAL, v, turning);
  for (int k = 0; k < 3; k++) { /* the column of the change of v along axis k */
    vd column[3], other[3], unit[3] = {vset(k == 0), vset(k == 1), vset(k == 2)};
    times(I, PRINCIPAL, unit, other);
    cst_cross(v, other, column);
    cst_add_cross(unit, turning, column);
    times(L->W + 9 * b, PRINCIPAL, column, other);
    for (int i = 0; i < 3; i++)
      D[3 * i + k] = part * other[i] + (i == k ? 1.0 : 0.0);
  }
  cst_lu(D, 3);
}

/* K[9] := T D^-1 N^-1 of body b, from D and its step w. */
static void make_turn(const cst_context *C, const struct local *L, int b, const vd *D, const vd *w,
                      vd *K) {
  const cst_retraction t = cst_exponential(cst_dot(w, w));
  (void)C;
  for (int k = 0; k < 3; k++) {
    vd column[3] = {L->W[9 * b + k], L->W[9 * b + 3 + k], L->W[9 * b + 6 + k]};
    cst_lu_solve(D, column, 3);
    cst_tangent(&t, 1, w, column);
    for (int i = 0; i < 3; i++)
      K[3 * i + k] = column[i];
  }
}

#if !CST_SIZED
/* l, which has g/(beta kappa h^2): := dlambda of S dlambda = l - G1 eta, eta the change of q1 without it. */
static void couple_alpha(const cst_context *C, const struct local *L, const vd *K, const vd *eta,
                         vd *l) {
  const cst_context view = view_of(C);
  vd                X[ROOM(NR)], S[ROOM(NS)];
  (void)couple, (void)make_tangent; /* those of methods that project */
  USES_J
  for (int a = 0; a < NU; a++)
    ROW_J(a, v, e)
      l[a] -= L->G1[e] * eta[v];
  weigh(C, L, L->G1, K, vset(1), X);
  cst_gram_fill(&view, X, L->G1, NULL, vset(1.0), 0, S);
  if (MARCH->attempt && !JOINTS->view.model->gram.banded)
    cst_gram_solve_pivoted(&view, S, l);
  else
    cst_gram_solve(&view, S, l, 0);
}
#endif

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  vd w[ROOM(NZ)], v1[ROOM(NZ)], eta[ROOM(NZ)], D[ROOM(9 * NB)], K[ROOM(9 * NB)];
  move(C, L, j, x, w, v1);
  for (int k = 0; k < NZ; k++)
    eta[k] = f[k];
  for (int b = 0; b < NB; b++) {
    const cst_retraction t = cst_exponential(cst_dot(w + 3 * b, w + 3 * b));
    gyrate(C, L, j, b, v1 + 3 * b, D + 9 * b);
    make_turn(C, L, b, D + 9 * b, w + 3 * b, K + 9 * b);
    cst_lu_solve(D + 9 * b, eta + 3 * b, 3);
    cst_tangent(&t, 1, w + 3 * b, eta + 3 * b);
  }
  for (int k = 0; k < NZ; k++)
    d[k] = vset(0);
  if (NU > 0) {
    for (int k = 0; k < NU; k++)
      d[NZ + k] = f[NZ + k] * (1 / (OWN(j)->beta * KAPPA(j)));
    couple_alpha(C, L, K, eta, d + NZ);
    add_joints(C, L->G1, d + NZ, d);
    divide(C, L, d);
  }
  for (int k = 0; k < NZ; k++)
    d[k] -= f[k];
  for (int b = 0; b < NB; b++)
    cst_lu_solve(D + 9 * b, d + 3 * b, 3);
}

/* p := M v of the ordinary coordinates. */
static void momenta(const cst_context *C, const struct local *L, const vd *v, vd *p) {
  if (GENERAL) {
    vd entry[ROOM(NNZ_M)], M[ROOM(NQ * NQ)];
    K_M(L->c, L->q1, entry);
    cst_expand(C, CST_K_M, entry, M);
    for (int i = 0; i < NO; i++) {
      p[i] = vset(0);
      for (int k = 0; k < NO; k++)
        p[i] += M[ORDINARY(i) * NQ + ORDINARY(k)] * v[k];
    }
    return;
  }
  for (int k = 0; k < NO; k++)
    p[k] = v[k] / L->minv[k];
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  vd w[ROOM(NZ)], v1[ROOM(NZ)];
  move(C, L, j, x, w, v1);
  for (int k = 0; k < NU; k++)
    L->impulse[k] += H(j) * x[NZ + k];
  for (int k = 0; k < NZ; k++) {
    a0(L)[k] = next(C, L, j, k, x[k]);
    A0(L)[k] = x[k];
  }
  for (int b = 0; b < NB; b++) {
    vd alpha[3];
    times(L->I + 9 * b, PRINCIPAL, v1 + 3 * b, alpha);
    to_space(L->q1 + ROTATION(b), alpha, L->p + 3 * b);
  }
  momenta(C, L, v1 + 3 * NB, L->p + 3 * NB);
  CST_TAKE(L->q, L->q1, NQ);
}

#define LEAVES
CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  vd *p = (vd *)record + LAYOUT(C).p;
  cst_store(record, OWN(0)->turning, L->p, 3 * NB);
  cst_store(record, OWN(0)->a, a0(L), NZ);
  cst_store(record, OWN(0)->A, A0(L), NZ);
  for (int b = 0; b < NB; b++) {
    vd alpha[3];
    to_body(L->q + ROTATION(b), L->p + 3 * b, alpha);
    carried(C, L, b, L->q + ROTATION(b), alpha, p + ROTATION(b));
  }
  for (int k = 0; k < NO; k++)
    p[ORDINARY(k)] = L->p[3 * NB + k];
}

#include "method/core/march.h"
#else

#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/families.h"
#include "method/substep.h"

/* ---- the row --------------------------------------------------------------------------------- */

struct parameters {
  double am, af, beta, gamma;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  return !memcmp(one, other, sizeof(struct parameters));
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const int    unknowns = s->nq - 6 * s->model->nbodies + s->model->nown;
  const double g = s->model->gram.banded ? 30.0 * s->model->nown
                                         : 0.1 * s->model->nown * s->model->nown *
                                               (s->model->nown + 3.0 * s->model->nbodies);
  (void)of;
  return (cst_substep_size){
      .stages = 1,
      .unknowns = unknowns,
      .each = 1,
      .solves_each = 1,
      .cost = 8 * (60.0 * s->model->nbodies + 4 * g),
  };
}

/* The angular acceleration in body axes, of R'R'', for R'' = A. */
static void angular(const double *R, const double *A, double *to) {
  for (int k = 0; k < 3; k++) {
    const int i = (k + 2) % 3, j = (k + 1) % 3;
    double    twist = 0;
    for (int r = 0; r < 3; r++)
      twist += R[3 * r + i] * A[3 * r + j] - R[3 * r + j] * A[3 * r + i];
    to[k] = twist / 2;
  }
}

static void start(const void *x, const cst_system *s, const double *c, const double *q,
                  const double *v, double *const *state) {
  double     *A = cst_need(calloc((size_t)s->nq + 1, sizeof *A));
  cst_joints *joints = cst_joints_create(s);
  (void)x;
  cst_constrained_accelerations(s, c, q, v, A);
  for (int b = 0; joints && b < joints->bodies; b++)
    angular(q + joints->rotation[b], A + joints->rotation[b], state[0] + 3 * b);
  for (int k = 0; joints && k < joints->ordinary; k++)
    state[0][3 * joints->bodies + k] = A[joints->coordinate[k]];
  memcpy(state[1], state[0], (size_t)s->nq * sizeof **state);
  cst_joints_destroy(joints);
  free(A);
}

static void *make(const cst_system *s) { return cst_joints_create(s); }
static void  end(void *joints) { cst_joints_destroy(joints); }

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  void                    *joints;
  CST_TRY(cst_stepper_bind_shared(with, make, end, &joints));
  *(struct data *)lane = (struct data){x->am,          x->af,          x->beta,        x->gamma,
                                       with->state[0], with->state[1], with->state[2], joints};
  return 0;
}

static const cst_state_block state[] = {
    {"turning", .body = 3}, {"a-alpha", .q = 1}, {"A-alpha", .q = 1}, {NULL}};

/* start fills the accelerations; what turns is read off p at first. */
static void begin_run(const void *x, const cst_system *s, const double *c, const double *q,
                      const double *v, double *const *blocks) {
  start(x, s, c, q, v, blocks + 1);
}

static const cst_substep_row row = {
    .name = "lie-alpha",
    .data = sizeof(struct parameters),
    .features = CST_NEEDS_EQUAL_STEPS,
    .state = state,
    .same = same,
    .size = size,
    .start = begin_run,
    .bind = bind,
};

cst_substep cst_lie_alpha(double fraction, double am, double af, double beta, double gamma) {
  return cst_substep_of(&row, fraction, &(struct parameters){am, af, beta, gamma});
}

#endif

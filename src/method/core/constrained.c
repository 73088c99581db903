/* constrained.c: the core of methods that impose the constraints at their stages: Radau IIA,
 * generalised-alpha and BDF, on the equations of index 3, on those of index 2, or on both (Gear, Gupta,
 * Leimkuhler).
 *
 *   V_i = V0_i + h sum_j C_ij A_j,   Q_i = Q0_i + h^2 sum_j (B_ij A_j + D_ij P_j)
 *   M(Q_i) A_i = f(Q_i, V_i, t_i) - G(Q_i)' lambda_i,   P_i = -G(Q_i)' mu_i
 *   g(Q_i) = 0 (positions),   G(Q_i) V_i = 0 (velocities);  P and mu only where both are imposed
 *
 * The methods differ in the tables C, B, D and in what precedes the step:
 *
 *   radau  C = D = a, B = a^2, V0 = v0, Q0_i = q0 + h c_i v0
 *   bdf    C = D = beta, B = beta^2, V0 = sum_j gamma_j v_(1-j), Q0 = sum_j gamma_j q_(1-j) + h beta V0
 *   alpha  one stage with a1 = kappa A1 + r, kappa = (1 - af)/(1 - am), r = (af A0 - am a0)/(1 - am):
 *          C = gamma kappa, B = beta kappa, D = 1,
 *          V0 = v0 + h ((1 - gamma) a0 + gamma r), Q0 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta r)
 *
 * The step ends at the last stage. generalised-alpha carries a and A, bdf the q and v of earlier steps; its
 * first steps are Radau IIA steps with three stages.
 *
 * Newton's matrix is that of the iterate without the change of G(Q)' in P, which is of the size of mu, the
 * local error. The residuals of g and G v are divided by h^2 and h, so that all unknowns are
 * accelerations. The iteration ends by its updates of A, which are compared with the accelerations that
 * the terms of the equations stand for: with f and G'lambda over M; with |v|/h if G v = 0 determines A;
 * and if g = 0 alone does, with |q|/h^2.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE         constrained
#define COMPILED_FOR .needs = CST_SEPARABLE | CST_CONSTRAINED, .lacks = CST_NONHOLONOMIC, .most = 6

enum { RADAU, ALPHA, BDF };
enum { STARTING_STAGES = 3 }; /* of the first steps of bdf */

struct data {
  int           kind, positions, velocities;
  int           back;        /* steps of bdf before the last one, that are kept */
  const double *own, *first; /* tables C, B, D, c; of the first steps */
  double        am, af, beta, gamma;
  int           block[2]; /* positions of a and A, or of the earlier q and v */
};

#ifdef CST_W
#define CST_FIELDS_IN_SPACE /* the sizes depend on the number of stages */
#include "method/core/lane.h"
#include "method/core/time.h"
#include "system/lane/acceleration.h"
#include <stddef.h>
#include "core/dense.h"

/* ---- panels ---------------------------------------------------------------------------------- */

/* LU without pivoting of matrices over lanes that are too large for registers, eight columns of a row at a
 * time, with the operations of cst_lu (core/dense.h) in their order, and the solution of the linear system. */
/* Columns first to first + width - 1 of row i of A := LU, those before them being done, in registers. Every
 * number is made by the operations of cst_lu in their order. */
CST_INLINE void cst_lu_panel(vd *A, int n, int i, int first, const int width) {
  vd *const row = A + (size_t)i * (size_t)n;
  vd        x[8];
  CST_UNROLL
  for (int j = 0; j < width; j++)
    x[j] = row[first + j];
  for (int k = 0; k < (i < first ? i : first); k++) {
    const vd        f = row[k];
    const vd *const above = A + (size_t)k * (size_t)n + first;
    CST_UNROLL
    for (int j = 0; j < width; j++)
      x[j] -= f * above[j];
  }
  CST_UNROLL
  for (int k = 0; k < width; k++) {
    const vd *const above = A + (size_t)(first + k) * (size_t)n + first;
    if (first + k == i)
      x[k] = 1.0 / x[k];
    if (first + k >= i)
      break;
    x[k] *= above[k];
    CST_UNROLL
    for (int j = k + 1; j < width; j++)
      x[j] -= x[k] * above[j];
  }
  CST_UNROLL
  for (int j = 0; j < width; j++)
    row[first + j] = x[j];
}

/* b := A^-1 b with A from cst_lu, a column at a time, which makes the rows independent of one another. */
CST_INLINE void cst_lu_solve_by_columns(const vd *A, vd *b, int n) {
  UNROLL
  for (int j = 0; j < n; j++)
    UNROLL
  for (int i = j + 1; i < n; i++)
    b[i] -= A[(size_t)i * (size_t)n + (size_t)j] * b[j];
  UNROLL
  for (int j = n - 1; j >= 0; j--) {
    b[j] *= A[(size_t)j * (size_t)n + (size_t)j];
    UNROLL
    for (int i = 0; i < j; i++)
      b[i] -= A[(size_t)i * (size_t)n + (size_t)j] * b[j];
  }
}

/* A := LU as by cst_lu, and b := A^-1 b, for any n: eight columns of a row at a time. */
static __attribute__((noinline, unused)) void cst_lu_by_panels(vd *A, vd *b, int n) {
  for (int i = 0; i < n; i++) {
    int first = 0;
    for (; first + 8 <= n; first += 8)
      cst_lu_panel(A, n, i, first, 8);
    for (; first + 2 <= n; first += 2)
      cst_lu_panel(A, n, i, first, 2);
    if (first < n)
      cst_lu_panel(A, n, i, first, 1);
  }
  cst_lu_solve_by_columns(A, b, n);
}

#define USES_STEP
#define KIND         (OWN(0)->kind)
#define BOTH         (NG > 0 && OWN(0)->positions && OWN(0)->velocities)
#define UNKNOWNS(s)  ((s) * (1 + BOTH) * (NQ + NG))
#define MOST_STAGES  (KIND == BDF ? STARTING_STAGES : MARCH->stages)
#define NJ           (MOST_STAGES * (NQ + (1 + BOTH) * NG))
#define STARTS(n)    (KIND == BDF ? (n) : 0)
#define NX           UNKNOWNS(MARCH->stages)
#define NX_PREDICTED (KIND == BDF ? 0 : NX)
#define NX_TESTED    (MARCH->stages * NQ)
#define HAS_NO_PIECES
#define PREDICTS_FREELY
#define IS_DONE_BY_UPDATE
#define NP NQ /* steps start from L->v: noise on p follows this core as a separate step */

/* Q0, V0: what the stages start from; Q, V, G: of the stages at the last evaluation; J: Newton's matrix, and
 * its right-hand side; Kq, Kv, W: derivatives at a stage; past: the blocks of the record. */
#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(v, NQ)                                                                                         \
  X(m, NMASS, READ(at.mass))                                                                       \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(inertia, GENERAL *NQ *NQ)                                                                      \
  X(impulse, NG, STATE(at.impulse))                                                                \
  X(past0, PAST_OF(0), STATE(OWN(0)->block[0]))                                                    \
  X(past1, PAST_OF(1), STATE(OWN(0)->block[1]))                                                    \
  X(Q0, MOST_STAGES *NQ)                                                                           \
  X(V0, NQ)                                                                                        \
  X(Q, MOST_STAGES *NQ)                                                                            \
  X(V, MOST_STAGES *NQ)                                                                            \
  X(G, MOST_STAGES *NNZ_G)                                                                         \
  X(J, NJ *NJ)                                                                                     \
  X(rhs, NJ)                                                                                       \
  X(Kq, NQ *NQ)                                                                                    \
  X(Kv, NQ *NQ)                                                                                    \
  X(W, NG *NQ)                                                                                     \
  X(x0, STARTS(UNKNOWNS(STARTING_STAGES)))                                                         \
  X(f0, STARTS(UNKNOWNS(STARTING_STAGES)))                                                         \
  X(d0, STARTS(UNKNOWNS(STARTING_STAGES)))                                                         \
  X(q1, STARTS(NQ))                                                                                \
  X(v1, STARTS(NQ))                                                                                \
  CST_TIME_FIELD(X)

/* Numbers in a block of the record. */
#define PAST_OF(k) (KIND == ALPHA ? NQ : KIND == BDF ? OWN(0)->back * NQ : 0)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations, size, remote;
  vl        step, near, starting, without;
};
#define SIZE(L)           (L)->size
#define BEGINS_WITHOUT(L) ((L)->without)

/* A table of coefficients of s stages, which constraints they satisfy, and the length of the step. */
typedef struct {
  int           s, positions, velocities;
  const double *C, *B, *D, *c;
  vd            h;
} table;

CST_INLINE table table_of(const cst_context *C, const double *numbers, int s, vd h) {
  const struct data *x = OWN(0);
  return (table){s,
                 x->positions,
                 x->velocities,
                 numbers,
                 numbers + s * s,
                 numbers + 2 * s * s,
                 numbers + 3 * s * s,
                 h};
}

CST_INLINE table own_table(const cst_context *C, int j) {
  return table_of(C, OWN(j)->own, MARCH->stages, H(j));
}

#if !CST_SIZED
#include "method/core/round-off.h"
#endif
#include "method/core/by-velocity.h"

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  velocity(C, L);
  L->remote = CST_REMOTE * *cst_block(record, LAYOUT(C).extent);
  L->near = vmask(0);
}

/* ---- the stages, and the residual of their equations ----------------------------------------- */

/* The unknowns are A[s][nq], then P[s][nq] if both constraints are imposed, lambda[s][ng], and mu[s][ng]
 * with P. The residuals are in the same order; those of g and G v, over h^2 and h, are where lambda and mu
 * are.
 */
#define IS_STABILISED(T) (NG > 0 && (T).positions && (T).velocities)
#define PUSH(T)          ((T).s * NQ)
#define LAMBDA(T)        ((T).s * (1 + IS_STABILISED(T)) * NQ)
#define MU(T)            (LAMBDA(T) + (T).s * NG)
#define MOVING           (GENERAL || NFORCE > 0) /* f depends on v */
#if CST_SIZED && !SYS_GENERAL
#define ENTRIES_M 0
#else
#define ENTRIES_M NNZ_M
#endif

/* Calls with the sizes of generalised-alpha of index 3 as constants, where T has them: the matrix of one
 * stage fits into registers. Only sized code has this form. */
CST_INLINE table of_one_stage(table T) {
  T.s = T.positions = 1, T.velocities = 0;
  return T;
}
#define BY_SIZE(T, call)                                                                           \
  do {                                                                                             \
    if (CST_SIZED && T.s == 1 && T.positions && !T.velocities) {                                   \
      T = of_one_stage(T);                                                                         \
      call;                                                                                        \
    } else                                                                                         \
      call;                                                                                        \
  } while (0)

/* Q and V of the stages at the unknowns x. */
CST_INLINE void stages_with(const cst_context *C, struct local *L, table T, const vd *x) {
  for (int i = 0; i < T.s; i++)
    UNROLL
  for (int k = 0; k < NQ; k++) {
    vd v = vset(0), q = vset(0);
    for (int j = 0; j < T.s; j++) {
      v += T.C[i * T.s + j] * x[j * NQ + k];
      q += T.B[i * T.s + j] * x[j * NQ + k];
      if (IS_STABILISED(T))
        q += T.D[i * T.s + j] * x[PUSH(T) + j * NQ + k];
    }
    L->V[i * NQ + k] = L->V0[k] + T.h * v;
    L->Q[i * NQ + k] = L->Q0[i * NQ + k] + (T.h * T.h) * q;
  }
}

static __attribute__((noinline)) void stages(const cst_context *C, struct local *L, table T,
                                             const vd *x) {
  BY_SIZE(T, stages_with(C, L, T, x));
}

/* x := M^-1 x with the mass at the start of the step. */
CST_INLINE void divide(const cst_context *C, const struct local *L, vd *x) {
  const vd *const minv = L->minv;
  if (GENERAL) {
    cst_lu_solve(L->inertia, x, NQ);
    return;
  }
  for (int i = 0; i < NQ; i++)
    x[i] *= MINV(i);
}

CST_INLINE vd largest(const vd *x, int n) {
  vd most = vset(0);
  for (int i = 0; i < n; i++)
    most = vmax(vabs(x[i]), most);
  return most;
}

/* f + row k of M A; entry: of M where it is no constant diagonal. */
CST_INLINE vd add_inertia(const cst_context *C, const struct local *L, int k, const vd *entry,
                          const vd *A, vd f) {
#if !CST_SIZED || SYS_GENERAL
  USES_M
  if (GENERAL) {
    ROW_M(k, l, e)
      f += entry[e] * A[l];
    return f;
  }
#endif
  return f + vpick(MASS_UNIT, A[k], L->m[CLASS(k)] * A[k]);
}

/* f := M A - force + G'lambda at stage i; terms[k]: the sum of the sizes of what is added in row k. */
CST_INLINE void balance(const cst_context *C, const struct local *L, int i, const vd *A,
                        const vd *lambda, vd *f, vd *terms) {
  const vd *const q = L->Q + i * NQ, *const v = L->V + i * NQ, *const G = L->G + i * NNZ_G;
  vd force[ROOM(NQ)], entry[ROOM(ENTRIES_M)];
  USES_G
  if (GENERAL) {
    K_f(L->c, q, v, force);
    K_M(L->c, q, entry);
  } else
    cst_force(C, L->c, NULL, q, v, force);
  UNROLL
  for (int k = 0; k < NQ; k++) {
    f[k] = -force[k];
    terms[k] = vabs(force[k]);
    COL_G(k, a, e) {
      f[k] += G[e] * lambda[a];
      terms[k] += vabs(G[e] * lambda[a]);
    }
    f[k] = add_inertia(C, L, k, entry, A, f[k]);
  }
}

/* to[a] := (G(Q_i) w + more) times `by`, more NULL: 0; 0 for a dropped constraint. */
CST_INLINE void across(const cst_context *C, const struct local *L, int i, const vd *w,
                       const vd *more, vd by, vd *to) {
  const vd *const G = L->G + i * NNZ_G;
  USES_G
  UNROLL
  for (int a = 0; a < NG; a++) {
    vd sum = more ? more[a] : vset(0);
    ROW_G(a, k, e)
      sum += G[e] * w[k];
    to[a] = vpick(DROPPED(a), vset(0), by * sum);
  }
}

/* The equations of the constraints at stage i. */
CST_INLINE void constrain(const cst_context *C, const struct local *L, int i, table T, const vd *x,
                          vd *f) {
  const vd  over = 1 / T.h;
  vd *const first = f + LAMBDA(T) + i * NG;
  vd        rate[ROOM(NG)];
  USES_G
  if (DRIVEN)
    K_phi0(L->c, L->Q + i * NQ, rate);
  if (T.positions) {
    K_g(L->c, L->Q + i * NQ, first);
    UNROLL
    for (int a = 0; a < NG; a++)
      first[a] = vpick(DROPPED(a), vset(0), (over * over) * first[a]);
  } else
    across(C, L, i, L->V + i * NQ, DRIVEN ? rate : NULL, over, first);
  if (!IS_STABILISED(T))
    return;
  across(C, L, i, L->V + i * NQ, DRIVEN ? rate : NULL, over, f + MU(T) + i * NG);
  UNROLL
  for (int k = 0; k < NQ; k++) {
    vd sum = x[PUSH(T) + i * NQ + k];
    COL_G(k, a, e)
      sum += L->G[i * NNZ_G + e] * x[MU(T) + i * NG + a];
    f[PUSH(T) + i * NQ + k] = sum;
  }
}

/* The time of stage i is that of kernels from here on. */
CST_INLINE void at_stage(const cst_context *C, struct local *L, int j, table T, int i) {
  (void)i, (void)j, (void)L, (void)T;
  SET_TIME(L, START_OF(L, j) + H(j) * T.c[i]);
}

/* The size with which updates of A are compared, from the largest sum of terms. */
CST_INLINE vd size_of(const cst_context *C, const struct local *L, table T, vd terms) {
  const vd far = largest(L->q, NQ);
  const vd v = vmax(largest(L->V, T.s * NQ), largest(L->v, NQ));
  vd       size = terms;
  if (NG == 0 || T.velocities)
    size = vmax(size, v * (1 / T.h));
  else
    size = vmax(size, vmax(far, T.h * v) * (1 / (T.h * T.h)));
  return size * vmax(far / L->remote, vset(1));
}

/* f at the unknowns x; Q, V, G and the size of updates. */
CST_INLINE void residual_with(const cst_context *C, struct local *L, int j, table T, const vd *x,
                              vd *f) {
  vd terms[ROOM(NQ)];
  vd most = vset(0);
  stages_with(C, L, T, x);
  for (int i = 0; i < T.s; i++) {
    at_stage(C, L, j, T, i);
    K_G(L->c, L->Q + i * NQ, L->G + i * NNZ_G);
    balance(C, L, i, x + i * NQ, x + LAMBDA(T) + i * NG, f + i * NQ, terms);
    divide(C, L, terms);
    most = vmax(largest(terms, NQ), most);
    constrain(C, L, i, T, x, f);
  }
  L->size = size_of(C, L, T, most);
}

static __attribute__((noinline)) void residual(const cst_context *C, struct local *L, int j,
                                               table T, const vd *x, vd *f) {
  BY_SIZE(T, residual_with(C, L, j, T, x, f));
}

/* Accounts by the quadrature of Radau IIA, whose weights are the last row of C. */
static void gather_stages(const cst_context *C, struct local *L, int j, table T, const vd *x) {
  for (int i = 0; i < T.s && NACCOUNT > 0; i++) {
    at_stage(C, L, j, T, i);
    cst_gather(C, L->own, T.h * T.C[(T.s - 1) * T.s + i], L->Q + i * NQ, L->V + i * NQ,
               x + LAMBDA(T) + i * NG);
  }
}

/* ---- what the stages start from -------------------------------------------------------------- */

static void precede_radau(const cst_context *C, struct local *L, table T) {
  for (int k = 0; k < NQ; k++) {
    L->V0[k] = L->v[k];
    for (int i = 0; i < T.s; i++)
      L->Q0[i * NQ + k] = L->q[k] + (T.h * T.c[i]) * L->v[k];
  }
}

/* The part of a1 that does not depend on A1. */
CST_INLINE vd rest(const cst_context *C, const struct local *L, int k) {
  const struct data *x = OWN(0);
  return (x->af * L->past1[k] - x->am * L->past0[k]) * (1 / (1 - x->am));
}

/* a0 at the start of a run: the acceleration at the time (am - af) h, to second order. */
static __attribute__((noinline)) void start_alpha(const cst_context *C, struct local *L, int j) {
  const vd later = (OWN(j)->am - OWN(j)->af) * H(j);
  vd       q[ROOM(NQ)], v[ROOM(NQ)], A[ROOM(NQ)], lambda[ROOM(NG)];
  for (int k = 0; k < NQ; k++) {
    q[k] = L->q[k] + later * L->v[k];
    v[k] = L->v[k] + later * L->past1[k];
  }
  SET_TIME(L, START_OF(L, j) + later);
  cst_acceleration(C, L->c, L->minv, q, v, A, lambda);
  for (int k = 0; k < NQ; k++)
    L->past0[k] = vselect((vl)(L->step == 0), A[k], L->past0[k]);
}

static void precede_alpha(const cst_context *C, struct local *L, int j) {
  const struct data *x = OWN(j);
  const vd           h = H(j);
  if (x->velocities && vany((vl)(L->step == 0)))
    start_alpha(C, L, j);
  for (int k = 0; k < NQ; k++) {
    const vd a0 = L->past0[k], r = rest(C, L, k);
    L->V0[k] = L->v[k] + h * ((1 - x->gamma) * a0 + x->gamma * r);
    L->Q0[k] = L->q[k] + h * (L->v[k] + h * ((0.5 - x->beta) * a0 + x->beta * r));
  }
}

/* Weights gamma_j of BDF with k steps, by the number of steps. */
static const double weights[5][5] = {{1},
                                     {4 / 3., -1 / 3.},
                                     {18 / 11., -9 / 11., 2 / 11.},
                                     {48 / 25., -36 / 25., 16 / 25., -3 / 25.},
                                     {300 / 137., -300 / 137., 200 / 137., -75 / 137., 12 / 137.}};

static void precede_bdf(const cst_context *C, struct local *L, int j) {
  const int     back = OWN(j)->back;
  const double *w = weights[back];
  const double  beta = OWN(j)->own[0]; /* C */
  for (int k = 0; k < NQ; k++) {
    vd q = w[0] * L->q[k], v = w[0] * L->v[k];
    for (int i = 0; i < back; i++) {
      q += w[i + 1] * L->past0[i * NQ + k];
      v += w[i + 1] * L->past1[i * NQ + k];
    }
    L->V0[k] = v;
    L->Q0[k] = q + (H(j) * beta) * v;
  }
}

/* The blocks of the record at the end of a step that began at L->q and L->v. */
static void keep_past(const cst_context *C, struct local *L, int j, const vd *x) {
  const int    back = OWN(j)->back;
  const double kappa = (1 - OWN(j)->af) / (1 - OWN(j)->am);
  for (int k = 0; k < NQ && KIND == ALPHA; k++) {
    L->past0[k] = kappa * x[k] + rest(C, L, k);
    L->past1[k] = x[k];
  }
  for (int i = back - 1; i >= 0 && KIND == BDF; i--)
    for (int k = 0; k < NQ; k++) {
      L->past0[i * NQ + k] = i ? L->past0[(i - 1) * NQ + k] : L->q[k];
      L->past1[i * NQ + k] = i ? L->past1[(i - 1) * NQ + k] : L->v[k];
    }
}

#include "method/core/constrained-newton.h"

/* ---- the first steps of bdf ------------------------------------------------------------------ */

/* Steps of Radau IIA with three stages and the same constraints. The iteration is done here, since the unknowns of the march are those of one stage. It ends like that of
 * the march, lane by lane; the step of a lane in which it does not fails.
 */
static void residual_of_start(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  residual(C, L, j, table_of(C, OWN(j)->first, STARTING_STAGES, H(j)), x, f);
}

static void correction_of_start(const cst_context *C, struct local *L, int j, const vd *x,
                                const vd *f, vd *d) {
  newton(C, L, j, table_of(C, OWN(j)->first, STARTING_STAGES, H(j)), x, f, d);
}

static __attribute__((noinline)) void start_up(const cst_context *C, struct local *L, int j) {
  const table T = table_of(C, OWN(j)->first, STARTING_STAGES, H(j));
  const int   n = UNKNOWNS(STARTING_STAGES);
  vl          done = ~L->starting;
  vd          last = vset(INFINITY);
  precede_radau(C, L, T);
  for (int k = 0; k < n; k++)
    L->x0[k] = vset(0);
  for (int it = 0; it < MARCH->max_iterations && vany(~done); it++) {
    residual(C, L, j, T, L->x0, L->f0);
    newton(C, L, j, T, L->x0, L->f0, L->d0);
    for (int k = 0; k < n; k++)
      L->x0[k] += vkeep(~done, L->d0[k]);
    const vd size = largest(L->d0, T.s * NQ);
    const vd of = vmax(largest(L->x0, T.s * NQ), L->size);
    const vl stalled = (vl)(size >= 0.98 * last) & (vl)(size <= 1e-12 * of);
    done |= (vl)(size <= (8 * EPS) * of) | stalled;
    last = size;
  }
#if !CST_SIZED
  if (MARCH->attempt && vany(~done)) {
    const cst_rest_equations e = {n, FIELDS, residual_of_start, correction_of_start, NULL};
    done |= ROUND_OFF.field_rests(C, L, j, &e, ~done, L->x0);
  }
#endif
  stages(C, L, T, L->x0);
  L->without = ~done;
  for (int k = 0; k < NQ; k++) {
    L->q1[k] = L->Q[(T.s - 1) * NQ + k];
    L->v1[k] = L->V[(T.s - 1) * NQ + k];
  }
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  (void)x;
  cst_open_impulses(C, j, L->impulse);
  SET_TIME(L, START_OF(L, j));
  if (GENERAL)
    cst_inertia(C, L->c, L->q, L->inertia);
  if (KIND != RADAU)
    gather_end(C, L, j, START_OF(L, j));
  L->starting = L->without = vmask(0);
  if (KIND == BDF)
    L->starting = (vl)(L->step < OWN(0)->back);
  if (vany(L->starting))
    start_up(C, L, j);
  if (KIND == RADAU)
    precede_radau(C, L, own_table(C, j));
  else if (KIND == ALPHA)
    precede_alpha(C, L, j);
  else
    precede_bdf(C, L, j);
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  residual(C, L, j, own_table(C, j), x, f);
  return L->starting; /* all others end by their updates */
}

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  newton(C, L, j, own_table(C, j), x, f, d);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const table T = own_table(C, j);
  const table first = table_of(C, OWN(j)->first, STARTING_STAGES, H(j));
  const int   last = T.s - 1;
  stages(C, L, T, x);
  if (KIND == RADAU)
    gather_stages(C, L, j, T, x);
  keep_past(C, L, j, x);
  for (int i = 0; i < NQ; i++) {
    const vd q1 = L->Q[last * NQ + i];
    const vd v1 = L->V[last * NQ + i];
    L->q[i] = KIND == BDF ? vselect(L->starting, L->q1[i], q1) : q1;
    L->v[i] = KIND == BDF ? vselect(L->starting, L->v1[i], v1) : v1;
  }
  for (int a = 0; a < NG; a++) {
    vd lambda = x[LAMBDA(T) + last * NG + a];
    if (KIND == BDF)
      lambda = vselect(L->starting, L->x0[LAMBDA(first) + (first.s - 1) * NG + a], lambda);
    L->impulse[a] += H(j) * lambda;
  }
  if (KIND != RADAU)
    gather_end(C, L, j, START_OF(L, j) + H(j));
  end_state(C, L);
}

#include "method/core/march.h"
#else

#include <string.h>
#include "method/families.h"
#include "method/substep.h"

/* ---- the row --------------------------------------------------------------------------------- */

struct parameters {
  int    kind, stages, positions, velocities;
  double am, af, beta, gamma;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->kind == y->kind && x->stages == y->stages && x->positions == y->positions &&
         x->velocities == y->velocities && x->am == y->am && x->af == y->af && x->beta == y->beta &&
         x->gamma == y->gamma;
}

/* each: the residual, and derivatives of it along all coordinates and, if f depends on them, velocities. */
static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const int                both = s->ng > 0 && x->positions && x->velocities;
  const int                stages = x->kind == BDF ? 1 : x->stages;
  const int                unknowns = stages * (1 + both) * (s->nq + s->ng);
  const double             matrix = (double)stages * (s->nq + (1 + both) * s->ng);
  const double             each = stages * (1.0 + cst_substep_blocks(s) * s->nq);
  const double             iterations = 3;
  return (cst_substep_size){
      .stages = stages,
      .unknowns = unknowns,
      .kept = unknowns,
      .predicted = x->kind == BDF ? 0 : unknowns,
      .matrix = matrix * matrix,
      .each = each,
      .solves_each = 1,
      .cost = iterations * (each * cst_substep_unit(s) + 0.2 * matrix * matrix * matrix),
  };
}

/* a and A of generalised-alpha: the accelerations of the index-1 equations. */
static void start(const void *x, const cst_system *s, const double *c, const double *q,
                  const double *v, double *const *state) {
  (void)x;
  cst_constrained_accelerations(s, c, q, v, state[0]);
  memcpy(state[1], state[0], (size_t)s->nq * sizeof **state);
}

/* C, B, D and c of Radau IIA with s stages. */
static void radau_table(int s, double *to) {
  const cst_tableau t = cst_tableau_radau(s);
  for (int i = 0; i < s; i++) {
    to[3 * s * s + i] = t.c[i];
    for (int j = 0; j < s; j++) {
      double square = 0;
      for (int k = 0; k < s; k++)
        square += t.a[i * s + k] * t.a[k * s + j];
      to[i * s + j] = to[2 * s * s + i * s + j] = t.a[i * s + j];
      to[s * s + i * s + j] = square;
    }
  }
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  static const double      bdf[] = {1, 2 / 3., 6 / 11., 12 / 25., 60 / 137.};
  const struct parameters *x = of;
  struct data             *to = lane;
  const int                s = x->kind == RADAU ? x->stages : 1, first = STARTING_STAGES;
  double                  *table;
  CST_TRY(
      cst_stepper_bind_numbers(with, (size_t)(s * (3 * s + 1) + first * (3 * first + 1)), &table));
  *to = (struct data){
      .kind = x->kind,
      .positions = x->positions,
      .velocities = x->velocities,
      .back = x->kind == BDF ? x->stages - 1 : 0,
      .own = table,
      .first = table + s * (3 * s + 1),
      .am = x->am,
      .af = x->af,
      .beta = x->beta,
      .gamma = x->gamma,
  };
  radau_table(first, table + s * (3 * s + 1));
  if (x->kind == RADAU) {
    radau_table(s, table);
    return 0;
  }
  const double kappa = (1 - x->af) / (1 - x->am), beta = bdf[x->kind == BDF ? x->stages - 1 : 0];
  const double alpha_table[] = {x->gamma * kappa, x->beta * kappa, 1, 1};
  const double bdf_table[] = {beta, beta * beta, beta, 1};
  memcpy(table, x->kind == BDF ? bdf_table : alpha_table, sizeof bdf_table);
  if (x->kind == ALPHA || x->stages > 1)
    memcpy(to->block, with->state, sizeof to->block);
  return 0;
}

/* One row for each set of blocks of the record. */
#define ROW(blocks, begin)                                                                         \
  {                                                                                                \
    .name = "constrained", .data = sizeof(struct parameters), .state = blocks,                     \
    .features = (begin) != NULL || (blocks) != NULL ? CST_NEEDS_EQUAL_STEPS : 0, .same = same,     \
    .size = size, .start = begin, .bind = bind                                                     \
  }
static const cst_state_block accelerations[] = {{"a-alpha", .q = 1}, {"A-alpha", .q = 1}, {NULL}};
static const cst_state_block earlier[4][3] = {{{"q-earlier", .q = 1}, {"v-earlier", .q = 1}},
                                              {{"q-earlier", .q = 2}, {"v-earlier", .q = 2}},
                                              {{"q-earlier", .q = 3}, {"v-earlier", .q = 3}},
                                              {{"q-earlier", .q = 4}, {"v-earlier", .q = 4}}};
static const cst_substep_row row = ROW(NULL, NULL);
static const cst_substep_row row_alpha = ROW(accelerations, start);
static const cst_substep_row row_bdf[] = {ROW(NULL, NULL), ROW(earlier[0], NULL),
                                          ROW(earlier[1], NULL), ROW(earlier[2], NULL),
                                          ROW(earlier[3], NULL)};

cst_substep cst_constrained_radau(double fraction, int s, bool positions, bool velocities) {
  return cst_substep_of(
      &row, fraction,
      &(struct parameters){
          .kind = RADAU, .stages = s, .positions = positions, .velocities = velocities});
}

cst_substep cst_constrained_alpha(double fraction, double am, double af, double beta, double gamma,
                                  bool velocities) {
  return cst_substep_of(&row_alpha, fraction,
                        &(struct parameters){ALPHA, 1, 1, velocities, am, af, beta, gamma});
}

cst_substep cst_constrained_bdf(double fraction, int k) {
  return cst_substep_of(
      &row_bdf[k - 1], fraction,
      &(struct parameters){.kind = BDF, .stages = k, .positions = 1, .velocities = 1});
}

#endif

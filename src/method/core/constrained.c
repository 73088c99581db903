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
 * first steps are Radau IIA steps with three stages (constrained-start.h).
 *
 * Newton's matrix is that of the iterate without the change of G(Q)' in P, which is of the size of mu, the
 * local error. The residuals of g and G v are divided by h^2 and h, so that all unknowns are
 * accelerations. The iteration ends by its updates of A, which are compared with the accelerations that
 * the terms of the equations stand for: with f and G'lambda over M; with |v|/h if G v = 0 determines A;
 * and if g = 0 alone does, with |q|/h^2.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE constrained
#define CORE_IS_FOR_TIED

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
#include "core/panels.h"
#include "system/lane/acceleration.h"
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
  X(q, NQ)                                                                                         \
  X(p, NQ)                                                                                         \
  X(v, NQ)                                                                                         \
  X(m, NMASS)                                                                                      \
  X(minv, NMASS)                                                                                   \
  X(inertia, GENERAL *NQ *NQ)                                                                      \
  X(impulse, NG)                                                                                   \
  X(past0, PAST_OF(0))                                                                             \
  X(past1, PAST_OF(1))                                                                             \
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

#include "method/core/round-off.h"
#include "method/core/by-velocity.h"

CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  enter_state(C, L, record);
  cst_load(L->impulse, record, at.impulse, NG);
  cst_load(L->past0, record, OWN(0)->block[0], PAST_OF(0));
  cst_load(L->past1, record, OWN(0)->block[1], PAST_OF(1));
  L->remote = CST_REMOTE * *cst_block(record, at.extent);
  L->near = vmask(0);
}

#include "method/core/constrained-stages.h"
#include "method/core/constrained-newton.h"
#include "method/core/constrained-start.h"

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  (void)x;
  if (j == 0 && MARCH->opens)
    for (int a = 0; a < NG; a++)
      L->impulse[a] = vset(0);
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

CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  const cst_layout at = LAYOUT(C);
  leave_state(C, L, record);
  cst_store(record, at.impulse, L->impulse, NG);
  cst_store(record, OWN(0)->block[0], L->past0, PAST_OF(0));
  cst_store(record, OWN(0)->block[1], L->past1, PAST_OF(1));
}

#include "method/core/march.h"
#else
#include "method/core/constrained-row.h"
#endif

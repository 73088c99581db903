/* constrained-stages.h: lane code: the stages of constrained.c, what they start from, and the residual of
 * their equations. Part of constrained.c.
 *
 * The unknowns are A[s][nq], then P[s][nq] if both constraints are imposed, lambda[s][ng], and mu[s][ng]
 * with P. The residuals are in the same order; those of g and G v, over h^2 and h, are where lambda and mu
 * are.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
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

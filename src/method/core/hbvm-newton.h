/* hbvm-newton.h: Newton's method for a step, with second derivatives at every node. Part of hbvm.c.
 *
 * Constant M: with T_rm = sum_i b_i P_r(c_i) h int_0^{c_i} P_m K(u(c_i)), K the Hessian of V + lambda.g, dphi
 * = T dgamma + rho' dlambda - D is put into the first line, which leaves (1 + h M^-1 X T) dgamma + h M^-1 X
 * rho' dlambda = -E + h M^-1 X D. General: with B = d(M v + a)/dq at v, H_p changes by M^-1 (dp - B dq) and
 * H_q by (B'M^-1 B - L_qq) dq - B'M^-1 dp.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* K += the Hessian of lambda.g at a point. */
static void bend(const cst_context *C, const struct local *L, const vd *point, const vd *lambda,
                 vd *K) {
  vd unit[ROOM(NQ)], column[ROOM(NQ)];
  for (int k = 0; k < NQ && NG > 0; k++) {
    for (int i = 0; i < NQ; i++)
      unit[i] = vset(i == k);
    K_D2glw(L->c, point, unit, lambda, column);
    for (int i = 0; i < NQ; i++)
      K[i * NQ + k] += column[i];
  }
}

/* For node i: block (r, m) of a matrix with rows of length n += w_r h integral_m A. */
static void add_blocks(const cst_context *C, vd h, int i, const vd *A, vd *to, int n) {
  for (int r = 0; r < DEGREE; r++)
    for (int m = 0; m < DEGREE; m++) {
      const vd w = OWN(0)->weighted[i * DEGREE + r] * (h * OWN(0)->integral[i * DEGREE + m]);
      for (int a = 0; a < NQ; a++)
        for (int b = 0; b < NQ; b++)
          to[(r * NQ + a) * n + m * NQ + b] += w * A[a * NQ + b];
    }
}

/* The rows of the constraints, and the columns of dlambda in the equations from row `first` on: `sign` rho',
 * or h M^-1 X rho' if sign is 0. */
static void border(const cst_context *C, const struct local *L, vd h, int first, double sign,
                   vd *J) {
  const int n = NJ;
  const int last = n - NG;
  const vd *minv = L->minv;
  USES_G
  for (int a = 0; a < NG; a++) {
    ROW_G(a, i, e) {
      for (int r = 0; r < DEGREE; r++)
        J[(first + r * NQ + i) * n + last + a] =
            sign != 0 ? sign * L->rho[r * NNZ_G + e]
                      : h * (MINV(i) * turned(C, L->rho, NNZ_G, r, e));
      J[(last + a) * n + i] = L->G1[e];
    }
    for (int k = 0; k < n && DROPPED(a); k++) {
      const vd unit = vset(k == last + a);
      J[k * n + last + a] = unit;
      J[(last + a) * n + k] = unit;
    }
  }
}

static void solve_newton(const cst_context *C, struct local *L, vd *b) {
  if (MARCH->attempt) {
    cst_pivoted_solve(L->J, b, NJ);
    return;
  }
  cst_lu(L->J, NJ);
  cst_lu_solve(L->J, b, NJ);
}

/* T and J for a constant diagonal M. */
static void matrix_of_separable(const cst_context *C, struct local *L, vd h, const vd *x) {
  const cst_pattern *p = &C->system->pattern[CST_K_d2V];
  const int          n = NJ;
  const vd          *minv = L->minv;
  vd                 point[ROOM(NQ)];
  vd                 H[ROOM(p->n)];
  for (int k = 0; k < BLOCK * BLOCK; k++)
    L->T[k] = vset(0);
  for (int k = 0; k < n * n; k++)
    L->J[k] = vset(0);
  for (int i = 0; i < NODES; i++) {
    at_node(C, L, h, i);
    point_of(C, L->q, L->eq, h, i, x + GAMMA, point);
    for (int k = 0; k < NQ * NQ; k++)
      L->K[k] = vset(0);
    bend(C, L, point, x + LAMBDA, L->K);
    K_d2V(L->c, point, H);
    for (int a = 0; a < NQ; a++)
      for (int e = p->start[a]; e < p->start[a + 1]; e++)
        L->K[a * NQ + p->column[e]] += H[e];
    add_blocks(C, h, i, L->K, L->T, BLOCK);
  }
  for (int r = 0; r < DEGREE; r++)
    for (int i = 0; i < NQ; i++)
      for (int k = 0; k < BLOCK; k++) {
        const int row = r * NQ + i;
        const vd  unit = vset(row == k);
        L->J[row * n + k] = unit + h * (MINV(i) * turned(C, L->T, NQ * BLOCK, r, i * BLOCK + k));
      }
  border(C, L, h, 0, 0, L->J);
}

static void newton_of_separable(const cst_context *C, struct local *L, vd h, const vd *x,
                                const vd *f, vd *d) {
  vd b[ROOM(NJ)];
  USES_G
  matrix_of_separable(C, L, h, x);
  free_part(C, L, h, f, d);
  for (int k = 0; k < BLOCK; k++)
    b[k] = d[k];
  for (int a = 0; a < NG; a++)
    b[BLOCK + a] = -f[LAMBDA + a];
  solve_newton(C, L, b);
  for (int k = 0; k < BLOCK; k++) {
    d[k] = b[k];
    for (int m = 0; m < BLOCK; m++)
      d[PHI + k] += L->T[k * BLOCK + m] * b[m];
  }
  for (int a = 0; a < NG; a++) {
    d[LAMBDA + a] = b[BLOCK + a];
    for (int r = 0; r < DEGREE; r++)
      ROW_G(a, i, e)
        d[PHI + r * NQ + i] += L->rho[r * NNZ_G + e] * b[BLOCK + a];
  }
}

#if !CST_SIZED
/* y := A x of square matrices. */
static void times(const vd *A, const vd *x, int n, vd *y) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      y[i * n + k] = vset(0);
      for (int m = 0; m < n; m++)
        y[i * n + k] += A[i * n + m] * x[m * n + k];
    }
}

/* The contribution of a node to J. E contains -H_p, D contains -H_q, and p changes by -h int dphi. */
static void add_node(const cst_context *C, struct local *L, vd h, int i, const vd *x) {
  const int n = NJ;
  const int size = NQ * NQ;
  vd        point[ROOM(NQ)];
  vd        v[ROOM(NQ)];
  vd        entry[ROOM(size)];
  vd        M[ROOM(size)];
  vd        B[ROOM(size)];
  vd        N[ROOM(size)];
  vd        Y[ROOM(size)];
  vd        Z[ROOM(size)];
  at_node(C, L, h, i);
  point_of(C, L->q, L->eq, h, i, x + GAMMA, point);
  velocity_at(C, L, h, i, x, point, v);
  cst_inertia(C, L->c, point, M);
  K_Lvq(L->c, point, v, entry);
  cst_expand(C, CST_K_Lvq, entry, B);
  for (int k = 0; k < NQ; k++) {
    vd unit[ROOM(NQ)];
    for (int a = 0; a < NQ; a++)
      unit[a] = vset(a == k);
    cst_lu_solve(M, unit, NQ);
    for (int a = 0; a < NQ; a++)
      N[a * NQ + k] = unit[a];
  }
  times(N, B, NQ, Y);
  add_blocks(C, h, i, Y, L->J, n);
  add_blocks(C, h, i, N, L->J + PHI, n);
  for (int a = 0; a < NQ; a++)
    for (int b = 0; b < NQ; b++)
      M[a * NQ + b] = -B[b * NQ + a]; /* -B' */
  times(M, N, NQ, Z);
  add_blocks(C, h, i, Z, L->J + (size_t)PHI * (size_t)n + PHI, n);
  times(M, Y, NQ, L->K);
  K_Lqq(L->c, point, v, entry);
  cst_expand(C, CST_K_Lqq, entry, B);
  for (int k = 0; k < size; k++)
    L->K[k] = -(L->K[k] + B[k]); /* B'M^-1 B - L_qq */
  bend(C, L, point, x + LAMBDA, L->K);
  for (int k = 0; k < size; k++)
    L->K[k] = -L->K[k];
  add_blocks(C, h, i, L->K, L->J + (size_t)PHI * (size_t)n, n);
}

static void newton_of_general(const cst_context *C, struct local *L, vd h, const vd *x, const vd *f,
                              vd *d) {
  const int n = NJ;
  for (int k = 0; k < n * n; k++)
    L->J[k] = vset(0);
  for (int i = 0; i < NODES; i++)
    add_node(C, L, h, i, x);
  for (int k = 0; k < 2 * BLOCK; k++)
    L->J[k * n + k] += 1;
  border(C, L, h, PHI, -1, L->J);
  for (int k = 0; k < n; k++)
    d[k] = -f[k];
  solve_newton(C, L, d);
}
#endif

static __attribute__((noinline)) void newton(const cst_context *C, struct local *L, vd h,
                                             const vd *x, const vd *f, vd *d) {
#if !CST_SIZED
  if (GENERAL) {
    newton_of_general(C, L, h, x, f, d);
    return;
  }
#endif
  newton_of_separable(C, L, h, x, f, d);
}

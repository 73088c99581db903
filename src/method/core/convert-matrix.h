/* convert-matrix.h: Newton's matrix in the core of convert(...): its assembly from the variations
 * (convert-variations.h) and the constraints, and its elimination. Part of convert.h, which defines the
 * equations. */
/* SPDX-License-Identifier: BSD-2-Clause */

#define AT_J(r, c) L->J[(r)*NJ + (c)]

/* Rows and columns of the matrix. */
#define J_Q  0
#define J_TH NQ
#define J_MU (NQ + NG)
#define J_N1 (2 * NQ + NG)
#define J_V  (2 * NQ + 2 * NG)
#define J_N2 (3 * NQ + 2 * NG)

/* Column k of w, 0 <= k < 2 nq. */
CST_INLINE int column_of(const cst_context *C, int k) { return k < NQ ? J_Q + k : J_V + k - NQ; }

/* The row of entry k of the gradient of H by w, and its factor there: F4 is divided by h. */
#define GRADIENT_ROW(k)      ((k) < NQ ? J_MU + (k) : J_V + (k)-NQ)
#define GRADIENT_SCALE(j, k) vpick((k) < NQ, vset(1), 1 / H(j))

/* Whether the matrix is that of the present iterate, with all its terms. */
CST_INLINE int exact(const cst_context *C) {
  return FIBRED || OWN(0)->iteration == CST_ITERATION_NEWTON || KRYLOV || MARCH->attempt;
}

/* The columns of theta-: mu- changes, and this changes the gradient of H. */
static void fill_pull_back(const cst_context *C, struct local *L, int j, const vd *x) {
  vd l[ROOM(NG)];
  vd change[ROOM(NQ)];
  for (int a = 0; a < NG; a++) {
    for (int b = 0; b < NG; b++)
      l[b] = vset(a == b);
    vary_pull_back(C, L, x, l, change);
    for (int k = 0; k < 2 * NQ; k++) {
      vd sum = vset(0);
      for (int i = 0; i < NQ; i++)
        sum -= AT_D(0, i, k) * change[i];
      AT_J(GRADIENT_ROW(k), J_TH + a) = sum * GRADIENT_SCALE(j, k);
    }
  }
}

#if !FIBRED
/* The derivatives of F0 by theta- and of F5 by mu+. */
static void fill_fibres(const cst_context *C, struct local *L, const vd *x) {
  (void)x;
  USES_G
  for (int a = 0; a < NG; a++) {
    ROW_G(a, i, e) {
      AT_J(J_Q + i, J_TH + a) = -WEIGHED(i, L->Gb[e]);
      AT_J(J_N1 + a, J_MU + i) = WEIGHED(i, L->G1[e]);
    }
  }
}
#else
static void fill_fibres(const cst_context *C, struct local *L, const vd *x) {
  vd minus[ROOM(NQ * NA)], plus[ROOM(NQ * NA)];
  run_fibre(L, L->iota->matrix, L->q, x + MINUS, NULL, NULL, minus);
  run_fibre(L, L->iota->matrix, x + R_, x + PLUS, NULL, NULL, plus);
  for (int i = 0; i < NQ; i++)
    for (int a = 0; a < NG; a++) {
      AT_J(J_Q + i, J_TH + a) = -minus[i * NA + NQ + a];
      AT_J(J_N1 + a, J_MU + i) = plus[i * NA + NQ + a];
    }
}
#endif

/* The equations without derivatives of the layer: constraints and their multipliers, at w and at r. */
static void fill_constraints(const cst_context *C, struct local *L, int j, const vd *x, int all) {
  const vd h = H(j);
  vd       u[ROOM(2 * NQ)];
  vd       bent[ROOM(NG)];
  vd       dr[ROOM(NQ)];
  vd       turned[ROOM(NG)];
  USES_G
  fill_fibres(C, L, x);
  for (int a = 0; a < NG; a++) {
    ROW_G(a, i, e) {
      AT_J(J_TH + a, J_Q + i) = L->G0[e];
      AT_J(J_N2 + a, J_V + i) = L->G0[e];
      AT_J(J_MU + i, J_N1 + a) = -L->G0[e];
      AT_J(J_V + i, J_N2 + a) = -L->G0[e];
    }
  }
  for (int k = 0; k < 2 * NQ && NG > 0; k++) {
    unit(C, k, u);
    if (k < NQ) {
      K_D2gvw_AT(L->E0, L->c, x + Q_, x + V_, u, bent);
      for (int a = 0; a < NG; a++) {
        AT_J(J_N2 + a, J_Q + k) = bent[a];
        AT_J(J_MU + k, J_N2 + a) = -h * bent[a];
      }
    }
    for (int i = 0; i < NQ; i++)
      dr[i] = AT_D(1, i, k);
    if (all)
      follow(C, L, x, NULL, dr, turned);
    vary_along_fibres(C, L, x, dr, turned, bent);
    for (int a = 0; a < NG; a++)
      AT_J(J_N1 + a, column_of(C, k)) = bent[a];
  }
}

/* Redundant constraints: their multipliers do not change. */
static void fill_dropped(const cst_context *C, struct local *L) {
  for (int a = 0; a < NG; a++) {
    const int at[3] = {J_TH + a, J_N1 + a, J_N2 + a};
    for (int k = 0; k < 3 && DROPPED(a); k++) {
      for (int i = 0; i < NJ; i++) {
        AT_J(i, at[k]) = vset(0);
        AT_J(at[k], i) = vset(0);
      }
      AT_J(at[k], at[k]) = vset(1);
    }
  }
}

static void part_velocities(const cst_context *C, struct local *L);
static void fill_velocities(const cst_context *C, struct local *L, int j, const vd *x);

/* J := its factors without pivoting, the diagonal holding reciprocals. Rows of q and theta- are 0 in the
 * columns of mu+, nu1 and nu2, and stay so. By rows and four pivots at once. */
static void factor_matrix(const cst_context *C, struct local *L) {
  for (int i = 0; i < NJ; i++) {
    vd *const row = &AT_J(i, 0);
    for (int k = 0, end; k < i; k = end) {
      const int first = k < J_MU;
      const int last = first && i > J_MU ? J_MU : i;
      end = k + 4 < last ? k + 4 : last;
      for (int l = k; l < end; l++) {
        row[l] *= AT_J(l, l);
        for (int j = l + 1; j < end; j++)
          row[j] -= row[l] * AT_J(l, j);
      }
      subtract_rows(row + k, end - k, &AT_J(k, end), NJ, (first ? J_MU : NJ) - end, row + end);
      if (first)
        subtract_rows(row + k, end - k, &AT_J(k, J_V), NJ, J_N2 - J_V, row + J_V);
    }
    row[i] = 1.0 / row[i];
  }
}

/* sum over n entries of a b, in four parts. */
CST_INLINE vd dot(const vd *a, const vd *b, int n) {
  vd  s[4] = {vset(0), vset(0), vset(0), vset(0)};
  int l = 0;
  for (; l + 4 <= n; l += 4) {
    CST_UNROLL
    for (int k = 0; k < 4; k++)
      s[k] += a[l + k] * b[l + k];
  }
  for (; l < n; l++)
    s[0] += a[l] * b[l];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

/* J from D d-, D d+ and B, with G1 at r; factored, unless it is solved with pivoting. all: r follows d+ with
 * all terms; D d+ dw alone is nearly correct if dw is tangent to TQ. */
static void make_matrix(const cst_context *C, struct local *L, int j, const vd *x, int all) {
  const vd over = 1 / H(j);
  for (int i = 0; i < NJ * NJ; i++)
    L->J[i] = vset(0);
  K_place(L->c, L->given, x + Q_, L->E0);
  K_G_AT(L->E0, L->c, x + Q_, L->G0);
  part_velocities(C, L);
  for (int i = 0; i < NQ; i++)
    for (int k = 0; k < 2 * NQ; k++) {
      AT_J(J_Q + i, column_of(C, k)) = AT_D(0, i, k);
      AT_J(J_MU + i, column_of(C, k)) = AT_B(i, k);
      AT_J(J_V + i, column_of(C, k)) = over * AT_B(NQ + i, k);
      if (k < NQ)
        AT_J(J_MU + k, J_MU + i) = -AT_D(1, i, k);
      else
        AT_J(J_V + k - NQ, J_MU + i) = -over * AT_D(1, i, k);
    }
  fill_constraints(C, L, j, x, all);
  fill_pull_back(C, L, j, x);
  /* Where the minus half does not move, the equation of theta- is theta- = 0, and q is qb. */
  for (int a = 0; a < NG && FIBRED && !cst_sweep_moves(&L->sweep[0]); a++)
    for (int k = 0; k < NJ; k++)
      AT_J(J_TH + a, k) = vset(k == J_TH + a);
  fill_velocities(C, L, j, x);
  fill_dropped(C, L);
  if (!PIVOTED)
    factor_matrix(C, L);
}

static void solve_matrix(const cst_context *C, const struct local *L, vd *b) {
  if (!PIVOTED) {
    for (int i = 1; i < NJ; i++)
      b[i] -= dot(&AT_J(i, 0), b, i);
    for (int i = NJ - 1; i >= J_MU; i--)
      b[i] = (b[i] - dot(&AT_J(i, i + 1), b + i + 1, NJ - i - 1)) * AT_J(i, i);
    for (int i = J_MU - 1; i >= 0; i--)
      b[i] =
          (b[i] - dot(&AT_J(i, i + 1), b + i + 1, J_MU - i - 1) - dot(&AT_J(i, J_V), b + J_V, NQ)) *
          AT_J(i, i);
    return;
  }
  for (int i = 0; i < NJ * NJ; i++)
    L->room[i] = L->J[i];
  cst_pivoted_solve(L->room, b, NJ);
}

/* The matrix of the iterate. */
static void renew_matrix(const cst_context *C, struct local *L, int j, const vd *x) {
  matrix_by_second_variations(C, L, j, x);
  make_matrix(C, L, j, x, 1);
}

/* convert-newton.h: Newton's matrix in the core of convert(...), and the solution of Newton's equations without one.
 * Part of convert.h, which defines the equations.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* ---- variations of the layer ----------------------------------------------------------------- */

/* How the end of each half changes with w: D d-, D d+ and B, by first variations of the flow, by second variations of the layer, or as in the paper's
 * chord.
 */

#define AT_D(k, i, j) L->D[((k)*NQ + (i)) * 2 * NQ + (j)]
#define AT_B(i, j)    L->B[(i)*2 * NQ + (j)]

CST_INLINE void unit(const cst_context *C, int j, vd *u) {
  for (int i = 0; i < 2 * NQ; i++)
    u[i] = vset(i == j);
}

/* y[n] -= the sum over the rows l < m of B, `row` entries apart, times a[l]; in the order of l. */
CST_INLINE void subtract_rows(const vd *a, int m, const vd *B, int row, int n, vd *y) {
  int l = 0;
  for (; l + 4 <= m; l += 4) {
    const vd  a0 = a[l];
    const vd  a1 = a[l + 1];
    const vd  a2 = a[l + 2];
    const vd  a3 = a[l + 3];
    const vd *b0 = B + l * row;
    const vd *b1 = b0 + row;
    const vd *b2 = b1 + row;
    const vd *b3 = b2 + row;
    for (int j = 0; j < n; j++)
      y[j] = (((y[j] - a0 * b0[j]) - a1 * b1[j]) - a2 * b2[j]) - a3 * b3[j];
  }
  for (; l < m; l++)
    for (int j = 0; j < n; j++)
      y[j] -= a[l] * B[l * row + j];
}

/* p[nq] := D(M v + a)[dd, de] + D2(m.g)(d) dd at the end (d, e) of a half, with E of K_place there. */
static __attribute__((unused)) void momentum_variation(const cst_context *C, const struct local *L,
                                                       const vd *d, const vd *e, const vd *E,
                                                       const vd *m, const vd *dd, const vd *de,
                                                       vd *p) {
  K_D2glw_AT(E, L->c, d, dd, m, p);
#if !CST_SIZED || SYS_GENERAL
  if (GENERAL) {
    vd mass[ROOM(NNZ_M)], bent[ROOM(NNZ_LVQ)];
    USES_M
    USES_LVQ
    K_M_AT(E, L->c, d, mass);
    K_Lvq_AT(E, L->c, d, e, bent);
    for (int i = 0; i < NQ; i++) {
      ROW_M(i, j, k)
        p[i] += mass[k] * de[j];
      ROW_LVQ(i, j, k)
        p[i] += bent[k] * dd[j];
    }
    return;
  }
#endif
  for (int i = 0; i < NQ; i++)
    p[i] += vpick(MASS_UNIT, de[i], L->m[CLASS(i)] * de[i]);
}

/* D d- and D d+, and B := D2H - D2(nu1.g + nu2.(G v)) by second variations, at the iterate x of the last
 * residual. */
static void matrix_by_second_variations(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd h = H(j);
  vd       u[ROOM(2 * NQ)];
  vd       zero[ROOM(NQ)];
  vd       plus[ROOM(NQ)];
  vd       de[ROOM(NQ)];
  vd       grad[ROOM(2 * NQ)];
  vd       nu2[ROOM(NG)];
  vd       bent[ROOM(NQ)];
  for (int i = 0; i < NQ; i++) {
    zero[i] = vset(0);
    plus[i] = -x[MU + i];
  }
  for (int a = 0; a < NG; a++)
    nu2[a] = vpick(a < NG - NVEL, h * x[NU2 + a], vset(0));
  for (int c = 0; c < 2 * NQ; c++) {
    unit(C, c, u);
    for (int i = 0; i < 2 * NQ; i++)
      AT_B(i, c) = vset(0);
    for (int k = 0; k < 2; k++) {
      vd dd[ROOM(NQ)];
      cst_sweep_tangent(C, &L->sweep[k], CST_TANGENT_SWEEPS, x + Q_, x + V_, u, u + NQ, dd, de);
      cst_sweep_second(C, &L->sweep[k], x + Q_, x + V_, k ? plus : L->minus, vset(k ? 1 : -1), u,
                       zero, grad);
      for (int i = 0; i < NQ; i++)
        AT_D(k, i, c) = dd[i];
      for (int i = 0; i < 2 * NQ; i++)
        AT_B(i, c) += grad[i];
    }
    if (NG == 0)
      continue;
    K_D2glw_AT(L->E0, L->c, x + Q_, u, x + NU1, bent);
    for (int i = 0; i < NQ; i++)
      AT_B(i, c) -= bent[i];
    K_D3glwu_AT(L->E0, L->c, x + Q_, x + V_, u, nu2, bent);
    for (int i = 0; i < NQ; i++)
      AT_B(i, c) -= bent[i];
    K_D2glw_AT(L->E0, L->c, x + Q_, u + NQ, nu2, bent);
    for (int i = 0; i < NQ; i++)
      AT_B(i, c) -= bent[i];
    K_D2glw_AT(L->E0, L->c, x + Q_, u, nu2, bent);
    for (int i = 0; i < NQ; i++)
      AT_B(NQ + i, c) -= bent[i];
  }
}

/* D d = [1, t 1] and B = h diag(0, M). */
static void matrix_of_chord(const cst_context *C, struct local *L, int j, const vd *q) {
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < NQ; i++)
      for (int c = 0; c < 2 * NQ; c++)
        AT_D(k, i, c) = c == NQ + i ? L->sweep[k].t : vset(c == i);
  for (int i = 0; i < 4 * NQ * NQ; i++)
    L->B[i] = vset(0);
#if !CST_SIZED || SYS_GENERAL
  if (GENERAL) {
    vd mass[ROOM(NNZ_M)];
    USES_M
    K_M(L->c, q, mass);
    for (int i = 0; i < NQ; i++)
      ROW_M(i, k, e)
        AT_B(NQ + i, NQ + k) = H(j) * mass[e];
    return;
  }
#endif
  for (int i = 0; i < NQ; i++)
    AT_B(NQ + i, NQ + i) = H(j) * vpick(MASS_UNIT, vset(1.0), L->m[CLASS(i)]);
}

/* ---- the matrix, from the variations and the constraints, and its elimination ---------------- */

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

/* ---- constraints on velocities --------------------------------------------------------------- */

/* Constraints on velocities are phi(q) v + phi0(q) = 0. Their rows of G are the last ones. F2 of such a row is phi v + phi0 = 0 at w. Its unknown, in the place of
 * nu2 / h of other rows, is kappa: mu- = DP'(pb + phi(qb)'kappa). Only the part of pb that acts on admissible
 * variations matters, B'(p- - pb) = 0. A step ends with all of p+, which is stored as M v + a with G v = 0
 * and phi v + phi0 = 0, an equivalent representative. F1, F3, F5, F7 and theta, nu1 do not involve these
 * rows: their unknowns there are 0 by the equations 1 x = 0.
 *
 * Source: C. Cuell, thesis, 4 to 6, in the form for any layer; signs M A = f - G'lambda - phi'lambda.
 */

/* Moves the rows of constraints on velocities from L->G0 to L->phi. */
static void part_velocities(const cst_context *C, struct local *L) {
  if (NVEL == 0)
    return;
  for (int e = 0; e < NNZ_G; e++)
    L->phi[e] = L->G0[e];
  clear_velocities(C, L->G0);
}

/* p += phi(qb)'kappa */
static void add_reaction(const cst_context *C, const struct local *L, const vd *x, vd *p) {
  (void)L, (void)x, (void)p;
  USES_G
  UNROLL
  for (int a = NG - NVEL; a < NG; a++)
    if (!DROPPED(a))
      ROW_G(a, i, e)
        p[i] += L->phib[e] * x[NU2 + a];
}

/* The residuals of these rows; nu2 is set to 0 there, because it is no multiplier. */
static void evaluate_velocities(const cst_context *C, const struct local *L, const vd *x, vd *f,
                                vd *nu2) {
  vd phi0[ROOM(NG)];
  (void)L, (void)x, (void)f, (void)nu2;
  USES_G
  if (AFFINE)
    K_phi0_AT(L->E0, L->c, x + Q_, phi0);
  UNROLL
  for (int a = NG - NVEL; a < NG; a++) {
    nu2[a] = vset(0);
    f[NU2 + a] = vpick(AFFINE, phi0[a], vset(0));
    ROW_G(a, i, e)
      f[NU2 + a] += L->phi[e] * x[V_ + i];
    if (DROPPED(a))
      f[NU2 + a] = vset(0);
  }
}

/* The rows and columns of the matrix for which fill_constraints has assumed G0 = 0. */
static void fill_velocities(const cst_context *C, struct local *L, int j, const vd *x) {
  const int first = NG - NVEL;
  vd        u[ROOM(2 * NQ)];
  vd        bent[ROOM(NG)];
  vd        moved[ROOM(NG)];
  vd        change[ROOM(NQ)];
  vd        unused[ROOM(NG)];
  (void)j;
  USES_G
  for (int a = first; a < NG; a++) {
    for (int k = 0; k < NJ; k++) {
      AT_J(J_TH + a, k) = AT_J(k, J_TH + a) = AT_J(J_N1 + a, k) = AT_J(k, J_N1 + a) =
          AT_J(J_N2 + a, k) = AT_J(k, J_N2 + a) = vset(0);
    }
    AT_J(J_TH + a, J_TH + a) = AT_J(J_N1 + a, J_N1 + a) = vset(1);
    for (int i = 0; i < NQ; i++)
      change[i] = vset(0);
    ROW_G(a, i, e) {
      AT_J(J_N2 + a, J_V + i) = L->phi[e];
      change[i] = L->phib[e];
    }
    PULL_BACK(x, change, unused);
    for (int k = 0; k < 2 * NQ; k++) {
      vd sum = vset(0);
      for (int i = 0; i < NQ; i++)
        sum += AT_D(0, i, k) * change[i];
      AT_J(GRADIENT_ROW(k), J_N2 + a) = sum * GRADIENT_SCALE(j, k);
    }
  }
  for (int k = 0; k < NQ && NVEL > 0; k++) {
    unit(C, k, u);
    K_D2gvw_AT(L->E0, L->c, x + Q_, x + V_, u, bent);
    if (AFFINE)
      K_Dphi0w_AT(L->E0, L->c, x + Q_, u, moved);
    for (int a = first; a < NG; a++)
      AT_J(J_N2 + a, J_Q + k) = vpick(AFFINE, bent[a] + moved[a], bent[a]);
  }
}

/* ---- large systems, without a matrix --------------------------------------------------------- */

/* The matrix is applied by one forward and one forward-over-reverse sweep of each half. The preconditioner is
 * the paper's chord, D d = [1, h alpha 1] and D2H = h diag(0, M), without its terms of order h. It is solved
 * block by block with the matrix G G' and with the saddle matrix of M and G, which are banded if the system
 * is. GMRES then reduces the residual by a factor of about h per iteration.
 */

/* Of GMRES, relative to the residual: Newton's method gains as much per iteration. */
#define KRYLOV_TOLERANCE 1e-7

/* The data of apply and precondition. */
typedef struct {
  const cst_context *C;
  struct local      *L;
  int                j;
  const vd          *x; /* the iterate, at which the sweeps were evaluated */
} equations;

/* y := D(grad H) for the changes dw, dmu of mu+ and dtheta of theta-, and dd[2][nq] := D d- dw, D d+ dw. */
static void vary_gradient(const equations *e, const vd *dw, const vd *dmu, const vd *dtheta, vd *dd,
                          vd *y) {
  const cst_context *C = e->C;
  struct local      *L = e->L;
  vd                 seed[ROOM(NQ)];
  vd                 dseed[ROOM(NQ)];
  vd                 unused[ROOM(NQ)];
  vd                 part[ROOM(2 * NQ)];
  vd                 pulled[ROOM(NQ)];
  vd                 none[ROOM(NG)];
  vd                 room[ROOM(NQ)];
  K_D2glw(L->c, L->q, weighed(C, L, L->minus, room), dtheta, pulled);
  PULL_BACK(e->x, pulled, none);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < NQ; i++) {
      seed[i] = vpick(k, -e->x[MU + i], L->minus[i]);
      dseed[i] = -vpick(k, dmu[i], pulled[i]);
    }
    cst_sweep_tangent(C, &L->sweep[k], CST_TANGENT_SWEEPS, e->x + Q_, e->x + V_, dw, dw + NQ,
                      dd + k * NQ, unused);
    cst_sweep_second(C, &L->sweep[k], e->x + Q_, e->x + V_, seed, vset(k ? 1 : -1), dw, dseed,
                     part);
    for (int i = 0; i < 2 * NQ; i++)
      y[i] = vkeep(vmask(k), y[i]) + part[i];
  }
}

/* y -= D2(nu1.g + nu2.(G v)) dw and the contributions of the changes of nu1 and nu2. */
static void vary_constraint_forces(const equations *e, const vd *dw, const vd *dnu1, const vd *dnu2,
                                   vd *y) {
  const cst_context *C = e->C;
  struct local      *L = e->L;
  const vd           h = H(e->j);
  vd                 bent[ROOM(NQ)];
  vd                 nu2[ROOM(NG)];
  USES_G
  for (int a = 0; a < NG; a++)
    nu2[a] = h * e->x[NU2 + a];
  K_D2glw(L->c, e->x + Q_, dw, e->x + NU1, bent);
  for (int i = 0; i < NQ; i++)
    y[i] -= bent[i];
  K_D3glwu(L->c, e->x + Q_, e->x + V_, dw, nu2, bent);
  for (int i = 0; i < NQ; i++)
    y[i] -= bent[i];
  K_D2glw(L->c, e->x + Q_, dw + NQ, nu2, bent);
  for (int i = 0; i < NQ; i++)
    y[i] -= bent[i];
  K_D2glw(L->c, e->x + Q_, dw, nu2, bent);
  for (int i = 0; i < NQ; i++)
    y[NQ + i] -= bent[i];
  for (int a = 0; a < NG; a++)
    nu2[a] = h * dnu2[a];
  K_D2glw(L->c, e->x + Q_, e->x + V_, nu2, bent);
  for (int i = 0; i < NQ; i++) {
    y[i] -= bent[i];
    COL_G(i, a, k) {
      y[i] -= L->G0[k] * dnu1[a];
      y[NQ + i] -= L->G0[k] * nu2[a];
    }
  }
}

/* y := J z, rows and columns as in the matrix. */
static void apply(void *self, const vd *z, vd *y) {
  const equations   *e = self;
  const cst_context *C = e->C;
  struct local      *L = e->L;
  const vd           over = 1 / H(e->j);
  vd                 dw[ROOM(2 * NQ)];
  vd                 dd[ROOM(2 * NQ)];
  vd                 grad[ROOM(2 * NQ)];
  vd                 bent[ROOM(NG)];
  vd                 moved[ROOM(NG)];
  vd                 unused[ROOM(NG)];
  vd                 room[ROOM(NQ)];
  USES_G
  for (int i = 0; i < NQ; i++) {
    dw[i] = z[J_Q + i];
    dw[NQ + i] = z[J_V + i];
  }
  vary_gradient(e, dw, z + J_MU, z + J_TH, dd, grad);
  if (NG > 0)
    vary_constraint_forces(e, dw, z + J_N1, z + J_N2, grad);
  for (int i = 0; i < NQ; i++) {
    y[J_Q + i] = dd[i];
    y[J_MU + i] = grad[i];
    y[J_V + i] = over * grad[NQ + i];
    COL_G(i, a, k)
      y[J_Q + i] -= WEIGHED(i, L->Gb[k]) * z[J_TH + a];
  }
  if (NG == 0)
    return;
  follow(C, L, e->x, NULL, dd + NQ, unused);
  K_D2gvw(L->c, e->x + R_, weighed(C, L, e->x + MU, room), dd + NQ, bent);
  K_D2gvw(L->c, e->x + Q_, e->x + V_, dw, moved);
  for (int a = 0; a < NG; a++) {
    vd g = vset(0);
    vd gv = moved[a];
    vd gmu = bent[a];
    ROW_G(a, i, k) {
      g += L->G0[k] * dw[i];
      gv += L->G0[k] * dw[NQ + i];
      gmu += WEIGHED(i, L->G1[k]) * z[J_MU + i];
    }
    y[J_TH + a] = vpick(DROPPED(a), z[J_TH + a], g);
    y[J_N1 + a] = vpick(DROPPED(a), z[J_N1 + a], gmu);
    y[J_N2 + a] = vpick(DROPPED(a), z[J_N2 + a], gv);
  }
}

/* The saddle matrix of the preconditioner. */
#define CHORD_SADDLE                                                                               \
  (cst_saddle) { L->G0, L->K0, L->M0, L->E0, L->given }

/* z := the solution of the chord equations for the right-hand side b. In turn: (q, theta-) by F0, F1; (mu+,
 * nu1) by F3, F5; (v, nu2) by F4, F2; and q again. */
static void precondition(void *self, const vd *b, vd *z) {
  const equations   *e = self;
  const cst_context *C = e->C;
  struct local      *L = e->L;
  const vd           h = H(e->j);
  vd                 bent[ROOM(NG)];
  vd                 y[ROOM(NG)];
  vd                 room[ROOM(NQ)];
  const int          scaled = L->by_mass && !MASS_UNIT;
  USES_G
  for (int i = 0; i < NQ; i++) {
    z[J_Q + i] = vpick(scaled, L->m[CLASS(i)] * b[J_Q + i], b[J_Q + i]);
    z[J_MU + i] = -b[J_MU + i];
  }
  make_tangential(C, L, L->G0, L->S0, b + J_TH, z + J_Q, z + J_TH);
  for (int i = 0; i < NQ && scaled; i++)
    z[J_Q + i] *= L->minv[CLASS(i)];
  for (int a = 0; a < NG; a++)
    z[J_TH + a] = -z[J_TH + a];
  if (NG > 0)
    K_D2gvw(L->c, e->x + R_, weighed(C, L, e->x + MU, room), z + J_Q, bent);
  for (int a = 0; a < NG; a++)
    y[a] = b[J_N1 + a] - bent[a];
  make_tangential(C, L, L->G1, L->S1, y, z + J_MU, z + J_N1);
  for (int i = 0; i < NQ; i++)
    z[J_V + i] = b[J_V + i] + (L->sweep[1].t / h) * z[J_MU + i];
  if (NG > 0)
    K_D2gvw(L->c, e->x + Q_, e->x + V_, z + J_Q, bent);
  for (int a = 0; a < NG; a++)
    z[J_N2 + a] = b[J_N2 + a] - bent[a];
  cst_saddle_solve(C, L->minv, CHORD_SADDLE, z + J_V, z + J_N2);
  for (int a = 0; a < NG; a++)
    z[J_N2 + a] = -z[J_N2 + a];
  for (int i = 0; i < NQ; i++)
    z[J_Q + i] -= L->sweep[0].t * z[J_V + i];
}

/* b := the solution of Newton's equations at x. */
static void solve_by_krylov(const cst_context *C, struct local *L, int j, const vd *x, vd *b) {
  equations e = {C, L, j, x};
  gram_at(C, L, x + Q_, L->E0, L->G0, L->S0);
  cst_saddle_factor(C, L->c, L->minv, x + Q_, CHORD_SADDLE);
  cst_gmres(&(cst_linear){&e, apply, precondition}, b, NJ, MOST_DIRECTIONS, KRYLOV_TOLERANCE,
            L->basis);
}

/* convert-matrix.h: Newton's matrix in the core of convert(...): first and second variations, the paper's
 * chord, assembly and elimination. Part of convert.c, which defines the equations. */
/* SPDX-License-Identifier: BSD-2-Clause */

#define AT_D(k, i, j) L->D[((k)*NQ + (i)) * 2 * NQ + (j)]
#define AT_P(k, i, j) L->P[((k)*NQ + (i)) * 2 * NQ + (j)]
#define AT_B(i, j)    L->B[(i)*2 * NQ + (j)]
#define AT_J(r, c)    L->J[(r)*NJ + (c)]

CST_INLINE void unit(const cst_context *C, int j, vd *u) {
  for (int i = 0; i < 2 * NQ; i++) u[i] = vset(i == j);
}

/* p[nq] := D(M v + a)[dd, de] + D2(m.g)(d) dd at the end (d, e) of a half, with E of K_place there. */
static void momentum_variation(const cst_context *C, const struct local *L, const vd *d, const vd *e,
                               const vd *E, const vd *m, const vd *dd, const vd *de, vd *p) {
  K_AT(E, D2glw, L->c, d, 0, dd, 0, m, p);
#if !CST_HOT || SYS_GENERAL
  if (GENERAL) {
    vd mass[ROOM(NNZ_M)], bent[ROOM(NNZ_LVQ)];
    USES_M
    USES_LVQ
    K_AT(E, M, L->c, d, 0, 0, 0, 0, mass);
    K_AT(E, Lvq, L->c, d, e, 0, 0, 0, bent);
    for (int i = 0; i < NQ; i++) {
      ROW_M(i, j, k) p[i] += mass[k] * de[j];
      ROW_LVQ(i, j, k) p[i] += bent[k] * dd[j];
    }
    return;
  }
#endif
  for (int i = 0; i < NQ; i++) p[i] += vpick(MASS_UNIT, de[i], L->m[CLASS(i)] * de[i]);
}

/* F[nq][2 nq] := the derivative of A at the midpoint of half k, between w and its end. */
static void halfway(const cst_context *C, struct local *L, const vd *w, int k, vd *F) {
  const cst_sweep *H = &L->sweep[k];
  const vd        *d = L->end + 2 * k * NQ, *e = d + NQ;
  cst_saddle       K = cst_sweep_saddle(C, H, 0); /* the next evaluation overwrites its arrays, except e */
  vd q[ROOM(NQ)], v[ROOM(NQ)], u[ROOM(2 * NQ)], dA[ROOM(NQ)], dlambda[ROOM(NG)], E[ROOM(NPOINT)];
  K.e = E;
  for (int i = 0; i < NQ; i++) {
    q[i] = 0.5 * (w[i] + d[i]);
    v[i] = 0.5 * (w[NQ + i] + e[i]);
  }
  if (TIMED) *H->clock = H->at + 0.5 * H->t;
  K_clock(L->c, L->given, E);
  cst_saddle_factor(C, L->c, L->minv, q, K);
  cst_saddle_acceleration(C, L->c, L->minv, K, q, v, H->A, H->lambda);
  for (int j = 0; j < 2 * NQ; j++) {
    unit(C, j, u);
    cst_saddle_variation(C, L->c, L->minv, K, q, v, H->A, H->lambda, u, dA, dlambda);
    for (int i = 0; i < NQ; i++) F[i * 2 * NQ + j] = dA[i];
  }
}

/* D[2 nq][2 nq] := the derivative of the flow of half k over its time, exp(t [0 1; F]) up to t^3. */
static void flow_variation(const cst_context *C, struct local *L, const vd *w, int k, vd *D) {
  enum { TERMS = 3 };
  const int    n = 2 * NQ;
  const double t = L->sweep[k].t;
  vd           F[ROOM(NQ * n)], term[ROOM(n * n)], next[ROOM(n * n)];
  for (int i = 0; i < n * n; i++) D[i] = term[i] = vset(i % (n + 1) == 0);
  if (t == 0) return;
  halfway(C, L, w, k, F);
  for (int power = 1; power <= TERMS; power++) {
    for (int i = 0; i < NQ; i++)
      for (int j = 0; j < n; j++) {
        vd sum = vset(0);
        for (int l = 0; l < n; l++) sum += F[i * n + l] * term[l * n + j];
        next[(NQ + i) * n + j] = (t / power) * sum;
        next[i * n + j] = (t / power) * term[(NQ + i) * n + j];
      }
    for (int i = 0; i < n * n; i++) {
      term[i] = next[i];
      D[i] += next[i];
    }
  }
}

/* D d- and D d+, and D p- and D p+ with the multipliers m of both ends. They are those of the exact flow up
 * to O(h^3), which is as accurate as the layer's for this purpose and needs one point per half. The ends of
 * the sweeps are those of w. */
static void first_variations(const cst_context *C, struct local *L, const vd *w, const vd *const m[2]) {
  const int n = 2 * NQ;
  vd        D[ROOM(n * n)], dd[ROOM(NQ)], de[ROOM(NQ)], p[ROOM(NQ)], E[ROOM(NPOINT)];
  for (int k = 0; k < 2; k++) {
    K_place(L->c, L->given, L->end + 2 * k * NQ, E);
    flow_variation(C, L, w, k, D);
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < NQ; i++) {
        dd[i] = D[i * n + j];
        de[i] = D[(NQ + i) * n + j];
      }
      momentum_variation(C, L, L->end + 2 * k * NQ, L->end + (2 * k + 1) * NQ, E, m[k], dd, de, p);
      for (int i = 0; i < NQ; i++) {
        AT_D(k, i, j) = dd[i];
        AT_P(k, i, j) = p[i];
      }
    }
  }
}

/* B := D d+' D p+ - D d-' D p-. */
static void matrix_of_flow(const cst_context *C, struct local *L) {
  for (int i = 0; i < 2 * NQ; i++)
    for (int j = 0; j < 2 * NQ; j++) {
      vd sum = vset(0);
      for (int k = 0; k < NQ; k++) sum += AT_D(1, k, i) * AT_P(1, k, j) - AT_D(0, k, i) * AT_P(0, k, j);
      AT_B(i, j) = sum;
    }
}

/* D d- and D d+, and B := D2H - D2(nu1.g + nu2.(G v)) by second variations, at the iterate x of the last
 * residual. */
static void matrix_by_second_variations(const cst_context *C, struct local *L, int j, const vd *x) {
  const double h = H(j);
  vd u[ROOM(2 * NQ)], zero[ROOM(NQ)], plus[ROOM(NQ)], de[ROOM(NQ)], grad[ROOM(2 * NQ)], nu2[ROOM(NG)],
      bent[ROOM(NQ)];
  for (int i = 0; i < NQ; i++) {
    zero[i] = vset(0);
    plus[i] = -x[MU + i];
  }
  for (int a = 0; a < NG; a++) nu2[a] = vpick(a < NG - NVEL, h * x[NU2 + a], vset(0));
  for (int c = 0; c < 2 * NQ; c++) {
    unit(C, c, u);
    for (int i = 0; i < 2 * NQ; i++) AT_B(i, c) = vset(0);
    for (int k = 0; k < 2; k++) {
      vd dd[ROOM(NQ)];
      cst_sweep_tangent(C, &L->sweep[k], x + Q_, x + V_, u, u + NQ, dd, de);
      cst_sweep_second(C, &L->sweep[k], x + Q_, x + V_, k ? plus : L->minus, vset(k ? 1 : -1), u, zero, grad);
      for (int i = 0; i < NQ; i++) AT_D(k, i, c) = dd[i];
      for (int i = 0; i < 2 * NQ; i++) AT_B(i, c) += grad[i];
    }
    if (NG == 0) continue;
    K_AT(L->E0, D2glw, L->c, x + Q_, 0, u, 0, x + NU1, bent);
    for (int i = 0; i < NQ; i++) AT_B(i, c) -= bent[i];
    K_AT(L->E0, D3glwu, L->c, x + Q_, 0, x + V_, u, nu2, bent);
    for (int i = 0; i < NQ; i++) AT_B(i, c) -= bent[i];
    K_AT(L->E0, D2glw, L->c, x + Q_, 0, u + NQ, 0, nu2, bent);
    for (int i = 0; i < NQ; i++) AT_B(i, c) -= bent[i];
    K_AT(L->E0, D2glw, L->c, x + Q_, 0, u, 0, nu2, bent);
    for (int i = 0; i < NQ; i++) AT_B(NQ + i, c) -= bent[i];
  }
}

/* D d = [1, t 1] and B = h diag(0, M). */
static void matrix_of_chord(const cst_context *C, struct local *L, int j, const vd *q) {
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < NQ; i++)
      for (int c = 0; c < 2 * NQ; c++) AT_D(k, i, c) = vset(c == i ? 1.0 : c == NQ + i ? L->sweep[k].t : 0.0);
  for (int i = 0; i < 4 * NQ * NQ; i++) L->B[i] = vset(0);
#if !CST_HOT || SYS_GENERAL
  if (GENERAL) {
    vd mass[ROOM(NNZ_M)];
    USES_M
    K_M(L->c, q, mass);
    for (int i = 0; i < NQ; i++) ROW_M(i, k, e) AT_B(NQ + i, NQ + k) = H(j) * mass[e];
    return;
  }
#endif
  for (int i = 0; i < NQ; i++) AT_B(NQ + i, NQ + i) = H(j) * vpick(MASS_UNIT, vset(1.0), L->m[CLASS(i)]);
}

/* Rows and columns of the matrix. */
#define J_Q  0
#define J_TH NQ
#define J_MU (NQ + NG)
#define J_N1 (2 * NQ + NG)
#define J_V  (2 * NQ + 2 * NG)
#define J_N2 (3 * NQ + 2 * NG)

/* Column k of w, 0 <= k < 2 nq. */
CST_INLINE int column_of(const cst_context *C, int k) { return k < NQ ? J_Q + k : J_V + k - NQ; }

/* Whether the matrix is that of the present iterate, with all its terms. */
CST_INLINE int exact(const cst_context *C) {
  return OWN(0)->iteration == CST_ITERATION_NEWTON || KRYLOV || MARCH->robust;
}

/* dr := the change of r for the change dr of d+ (F6, F7); y[ng] is the required change of g(r), or NULL;
 * dtheta is that of theta+. */
static void follow(const cst_context *C, const struct local *L, const vd *x, const vd *y, vd *dr,
                   vd *dtheta) {
  project_linearly(C, L->c, x + R_, L->E1, L->G1, L->S1, x + PLUS, y, dr, dtheta);
}

/* The columns of theta-: mu- changes by -DP (D2(dtheta.g) mu-), and this changes the gradient of H. */
static void fill_pull_back(const cst_context *C, struct local *L, int j, const vd *x) {
  vd l[ROOM(NG)], change[ROOM(NQ)], unused[ROOM(NG)];
  for (int a = 0; a < NG; a++) {
    for (int b = 0; b < NG; b++) l[b] = vset(a == b);
    K_AT(L->Eb, D2glw, L->c, L->q, 0, L->minus, 0, l, change);
    project_linearly(C, L->c, L->q, L->Eb, L->Gb, L->Sb, x + MINUS, NULL, change, unused);
    for (int k = 0; k < 2 * NQ; k++) {
      vd sum = vset(0);
      for (int i = 0; i < NQ; i++) sum -= AT_D(0, i, k) * change[i];
      AT_J(k < NQ ? J_MU + k : J_V + k - NQ, J_TH + a) = sum * (k < NQ ? 1 : 1 / H(j));
    }
  }
}

/* The equations without derivatives of the layer: constraints and their multipliers, at w and at r. */
static void fill_constraints(const cst_context *C, struct local *L, int j, const vd *x, int all) {
  const double h = H(j);
  vd           u[ROOM(2 * NQ)], bent[ROOM(NG)], dr[ROOM(NQ)], unused[ROOM(NG)];
  USES_G
  for (int a = 0; a < NG; a++) {
    ROW_G(a, i, e) {
      AT_J(J_Q + i, J_TH + a) = -L->Gb[e];
      AT_J(J_TH + a, J_Q + i) = L->G0[e];
      AT_J(J_N2 + a, J_V + i) = L->G0[e];
      AT_J(J_MU + i, J_N1 + a) = -L->G0[e];
      AT_J(J_V + i, J_N2 + a) = -L->G0[e];
      AT_J(J_N1 + a, J_MU + i) = L->G1[e];
    }
  }
  for (int k = 0; k < 2 * NQ && NG > 0; k++) {
    unit(C, k, u);
    if (k < NQ) {
      K_AT(L->E0, D2gvw, L->c, x + Q_, x + V_, u, 0, 0, bent);
      for (int a = 0; a < NG; a++) {
        AT_J(J_N2 + a, J_Q + k) = bent[a];
        AT_J(J_MU + k, J_N2 + a) = -h * bent[a];
      }
    }
    for (int i = 0; i < NQ; i++) dr[i] = AT_D(1, i, k);
    if (all) follow(C, L, x, NULL, dr, unused);
    K_AT(L->E1, D2gvw, L->c, x + R_, x + MU, dr, 0, 0, bent);
    for (int a = 0; a < NG; a++) AT_J(J_N1 + a, column_of(C, k)) = bent[a];
  }
}

/* Redundant constraints: their multipliers do not change. */
static void fill_dropped(const cst_context *C, struct local *L) {
  for (int a = 0; a < NG; a++) {
    const int at[3] = {J_TH + a, J_N1 + a, J_N2 + a};
    for (int k = 0; k < 3 && DROPPED(a); k++) {
      for (int i = 0; i < NJ; i++) AT_J(at[k], i) = AT_J(i, at[k]) = vset(0);
      AT_J(at[k], at[k]) = vset(1);
    }
  }
}

static void part_velocities(const cst_context *C, struct local *L);
static void fill_velocities(const cst_context *C, struct local *L, int j, const vd *x);

/* J from D d-, D d+ and B, with G1 at r; factored, unless it is solved with pivoting. all: r follows d+ with
 * all terms; D d+ dw alone is nearly correct if dw is tangent to TQ. */
static void make_matrix(const cst_context *C, struct local *L, int j, const vd *x, int all) {
  const double over = 1 / H(j);
  for (int i = 0; i < NJ * NJ; i++) L->J[i] = vset(0);
  K_place(L->c, L->given, x + Q_, L->E0);
  K_AT(L->E0, G, L->c, x + Q_, 0, 0, 0, 0, L->G0);
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
  fill_velocities(C, L, j, x);
  fill_dropped(C, L);
  if (!MARCH->robust) cst_lu(L->J, NJ);
}

static void solve_matrix(const cst_context *C, const struct local *L, vd *b) {
  if (!MARCH->robust) {
    cst_lu_solve(L->J, b, NJ);
    return;
  }
  for (int i = 0; i < NJ * NJ; i++) L->keptJ[i] = L->J[i]; /* its other use does not occur in this case */
  cst_pivoted_solve(L->keptJ, b, NJ);
}

/* The matrix of the iterate: in all lanes, or, if most keep that of the predictor, in lanes whose iteration
 * is slow. */
static void renew_matrix(const cst_context *C, struct local *L, int j, const vd *x) {
  const int nd = 4 * NQ * NQ, nj = NJ * NJ;
  for (int i = 0; i < nd && !exact(C); i++) L->keptD[i] = L->D[i];
  for (int i = 0; i < nj && !exact(C); i++) L->keptJ[i] = L->J[i];
  matrix_by_second_variations(C, L, j, x);
  make_matrix(C, L, j, x, 1);
  for (int i = 0; i < nd && !exact(C); i++) L->D[i] = vselect(L->slow, L->D[i], L->keptD[i]);
  for (int i = 0; i < nj && !exact(C); i++) L->J[i] = vselect(L->slow, L->J[i], L->keptJ[i]);
}

/* convert-flow.h: the correction of an iterate of convert(...) from first variations of the layer alone. Part of
 * convert.h, which defines the equations.
 *
 * The step of a layer of order r is the exact flow up to O(h^{r+1}), and with p the tangential part of M v + a the
 * exact flow has, along TQ and up to terms C'(..) that nu takes up,
 *
 *   D H = (p+ - mu+).D d+ - (p- - mu-).D d-
 *
 * With U a basis of the tangent vectors of TQ at w, a = dmu+ - D p+ dw and b = dmu- - D p- dw, Newton's equations
 * fall into two parts of 2 m = 2 (nq - ng) unknowns each:
 *
 *   (D d+ U)'a - (D d- U)'b = U'(F3, h F4)                                                              T
 *   D d- dw = -F0,  D p- dw = dmu- - b along E-,  dw = U xi                                              R
 *
 * The parts of a and b along G' have no effect: a = E+ a', b = E- b' with E the D d of the first m vectors of U.
 * D d comes from tangents of the layer at the first iterate of a step; those of an implicit tableau are swept as often
 * as it has stages, since more sweeps spare few corrections. Of formulas it comes from the flow of the
 * equations frozen halfway. Both matrices are near triangular ones of blocks 1 and M as h -> 0, so that elimination
 * needs no pivoting. What F1 and F2 are off is removed apart, and once before the first residual. With constraints on velocities R has their equations, and kappa
 * (convert-newton.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/householder.h"

/* The directions of U, their ends and momenta: [2 m][..]. */
#define U_Q(c)     (L->U + (c)*2 * NQ)
#define U_V(c)     (L->U + (c)*2 * NQ + NQ)
#define DD(k, c)   (L->moves + ((k)*2 * NQ + (c)) * NQ)
#define PP(c)      (L->pushes + (c)*NQ)
#define HALF       (NQ - enforced(C))
#define AT_T(r, c) L->T[(r)*2 * HALF + (c)]
#define AT_R(r, c) L->R[(r) * (2 * HALF + NVEL) + (c)]

/* The constraints on positions that are not redundant. */
CST_INLINE int enforced(const cst_context *C) {
  int n = 0;
  UNROLL
  for (int a = 0; a < NG - NVEL; a++)
    n += !DROPPED(a);
  return n;
}

CST_INLINE vd inner(const vd *x, const vd *y, int n) {
  vd s = vset(0);
  UNROLL
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

/* G0' = Q R. */
static void factor_constraints(const cst_context *C, struct local *L) {
  const int n = enforced(C);
  USES_G
  for (int k = 0; k < NQ * n; k++)
    L->QR[k] = vset(0);
  UNROLL
  for (int a = 0, row = 0; a < NG - NVEL; a++) {
    if (DROPPED(a))
      continue;
    ROW_G(a, i, e)
      L->QR[i * n + row] = L->G0[e];
    row++;
  }
  cst_householder(L->QR, L->diagonal, L->reflects, NQ, n);
}

/* x[nq] := the vector in the range of G0' with G0 x = -y. */
static void reach_normal(const cst_context *C, const struct local *L, const vd *y, vd *x) {
  const int n = enforced(C);
  UNROLL
  for (int a = 0, row = 0; a < NG - NVEL; a++)
    if (!DROPPED(a))
      x[row++] = -y[a];
  UNROLL
  for (int i = 0; i < n; i++) {
    UNROLL
    for (int j = 0; j < i; j++)
      x[i] -= L->QR[j * n + i] * x[j];
    x[i] /= L->diagonal[i];
  }
  UNROLL
  for (int i = n; i < NQ; i++)
    x[i] = vset(0);
  cst_householder_back(L->QR, L->reflects, NQ, n, x);
}

/* l[ng] := the multipliers of the part of x along G0'. */
static void find_multipliers(const cst_context *C, const struct local *L, const vd *x, vd *l) {
  const int n = enforced(C);
  vd        y[ROOM(NQ)];
  UNROLL
  for (int i = 0; i < NQ; i++)
    y[i] = x[i];
  cst_householder_forth(L->QR, L->reflects, NQ, n, y);
  cst_householder_solve(L->QR, L->diagonal, n, y);
  UNROLL
  for (int a = 0, row = 0; a < NG; a++)
    if (a >= NG - NVEL || DROPPED(a))
      l[a] = vset(0);
    else
      l[a] = y[row++];
}

/* change[2 nq] := the change of w = x normal to TQ for g(q) = y and G v = z, G0 at q; z is used up. */
static void find_normal(const cst_context *C, const struct local *L, const vd *x, const vd *y,
                        vd *z, vd *change) {
  vd bent[ROOM(NG)];
  UNROLL
  for (int i = 0; i < 2 * NQ; i++)
    change[i] = vset(0);
  if (NG == NVEL)
    return;
  if (cst_sweep_moves(&L->sweep[0])) { /* else q is qb */
    reach_normal(C, L, y, change);
    K_D2gvw_AT(L->E0, L->c, x + Q_, x + V_, change, bent);
    UNROLL
    for (int a = 0; a < NG; a++)
      z[a] += bent[a];
  }
  reach_normal(C, L, z, change + NQ);
}

/* Puts w of x on TQ, but for what the constraints bend over the distance. */
static void enter_tangent_space(const cst_context *C, struct local *L, vd *x) {
  vd y[ROOM(NG)], z[ROOM(NG)], change[ROOM(2 * NQ)];
  USES_G
  K_place(L->c, L->given, x + Q_, L->E0);
  K_G_AT(L->E0, L->c, x + Q_, L->G0);
  part_velocities(C, L);
  factor_constraints(C, L);
  K_g_AT(L->E0, L->c, x + Q_, y);
  UNROLL
  for (int a = 0; a < NG; a++) {
    z[a] = vset(0);
    ROW_G(a, i, e)
      z[a] += L->G0[e] * x[V_ + i];
  }
  find_normal(C, L, x, y, z, change);
  UNROLL
  for (int i = 0; i < 2 * NQ; i++)
    x[Q_ + i] += change[i];
}

/* Makes the equations at the middle between w and the end of a half ready for vary_halfway. */
static void stop_halfway(const cst_context *C, struct local *L, const vd *w, int k) {
  const cst_sweep *H = &L->sweep[k];
  const cst_saddle K = cst_sweep_saddle(C, H, 0);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    H->Q[i] = 0.5 * (w[i] + END_Q(k)[i]);
    H->V[i] = 0.5 * (w[NQ + i] + END_V(k)[i]);
  }
  if (TIMED)
    *H->clock = H->at + 0.5 * H->t;
  K_clock(L->c, L->given, K.e);
  cst_saddle_factor(C, L->c, L->minv, H->Q, K);
  cst_saddle_acceleration(C, L->c, L->minv, K, H->Q, H->V, H->A, H->lambda);
}

/* (dd, de) := the change of the end for (dq, dv) at w, of the flow of the equations frozen halfway, up to t^3. Tangents
 * of formulas are costly, and this is good enough. */
static __attribute__((noinline)) void vary_halfway(const cst_context *C, const struct local *L,
                                                   const cst_sweep *H, const vd *dq, const vd *dv,
                                                   vd *dd, vd *de) {
  enum { TERMS = 3 };
  vd u[ROOM(2 * NQ)], dA[ROOM(NQ)], unused[ROOM(NG)];
  UNROLL
  for (int i = 0; i < NQ; i++) {
    dd[i] = u[i] = dq[i];
    de[i] = u[NQ + i] = dv[i];
  }
  for (int power = 1; power <= TERMS; power++) {
    const vd by = H->t / power;
    cst_saddle_variation(C, L->c, L->minv, cst_sweep_saddle(C, H, 0), H->Q, H->V, H->A, H->lambda,
                         u, dA, unused);
    UNROLL
    for (int i = 0; i < NQ; i++) {
      u[i] = by * u[NQ + i];
      u[NQ + i] = by * dA[i];
      dd[i] += u[i];
      de[i] += u[NQ + i];
    }
  }
}

/* U, and how both ends and the momentum at the right one change along it; before[2 m][nq]: that at the left. */
static void vary_ends(const cst_context *C, struct local *L, const vd *x, vd *before) {
  const int m = HALF;
  vd        p[ROOM(NQ)], l[ROOM(NG)], y[ROOM(NG)], de[ROOM(NQ)];
  for (int c = 0; c < m; c++) {
    UNROLL
    for (int i = 0; i < NQ; i++) {
      U_Q(c)[i] = vset(i == NQ - m + c);
      U_Q(m + c)[i] = U_V(c)[i] = vset(0);
    }
    cst_householder_back(L->QR, L->reflects, NQ, NQ - m, U_Q(c));
    UNROLL
    for (int i = 0; i < NQ; i++)
      U_V(m + c)[i] = U_Q(c)[i];
    if (NG == NVEL)
      continue;
    K_D2gvw_AT(L->E0, L->c, x + Q_, x + V_, U_Q(c), y);
    reach_normal(C, L, y, U_V(c));
  }
  cst_momentum(C, L->c, L->m, x + R_, END_V(1), p);
  make_tangential(C, L, L->G1, L->S1, NULL, p, l);
  UNROLL
  for (int a = 0; a < NG; a++)
    l[a] = -l[a];
  for (int k = 0; k < 2; k++) {
    const cst_sweep *H = &L->sweep[k];
    const int        halfway = H->layer->flow && cst_sweep_moves(H);
    if (halfway)
      stop_halfway(C, L, x, k);
    for (int c = 0; c < 2 * m; c++) {
      if (halfway)
        vary_halfway(C, L, H, U_Q(c), U_V(c), DD(k, c), de);
      else
        cst_sweep_tangent(C, H, H->layer->stages, x + Q_, x + V_, U_Q(c), U_V(c), DD(k, c), de);
      momentum_variation(C, L, k ? x + R_ : L->q, END_V(k), k ? L->E1 : L->Eb, k ? l : L->mb,
                         DD(k, c), de, k ? PP(c) : before + c * NQ);
    }
  }
}

/* The rows and columns of R for constraints on velocities; those of kappa of redundant ones are 1 x = 0. */
static void fill_reactions(const cst_context *C, struct local *L, const vd *x) {
  const int m = HALF;
  vd        bent[ROOM(NG)], moved[ROOM(NG)];
  USES_G
  UNROLL
  for (int a = 0; a < NVEL; a++) {
    for (int k = 0; k < 2 * m + NVEL; k++)
      AT_R(2 * m + a, k) = AT_R(k, 2 * m + a) = vset(0);
    AT_R(2 * m + a, 2 * m + a) = vset(DROPPED(NG - NVEL + a));
  }
  for (int c = 0; c < 2 * m && NVEL > 0; c++) {
    if (c < m) {
      K_D2gvw_AT(L->E0, L->c, x + Q_, x + V_, U_Q(c), bent);
      if (AFFINE)
        K_Dphi0w_AT(L->E0, L->c, x + Q_, U_Q(c), moved);
    }
    UNROLL
    for (int a = NG - NVEL; a < NG; a++) {
      vd s = vkeep(vmask(c < m), vpick(AFFINE, bent[a] + moved[a], bent[a]));
      vd g = vset(0);
      if (DROPPED(a))
        continue;
      ROW_G(a, i, e) {
        s += L->phi[e] * U_V(c)[i];
        g += L->phib[e] * DD(0, c % m)[i];
      }
      AT_R(2 * m + a - (NG - NVEL), c) = s;
      if (c >= m)
        AT_R(c, 2 * m + a - (NG - NVEL)) = -g;
    }
  }
}

/* T and R at the iterate x of which the values are taken. */
static void make_flow(const cst_context *C, struct local *L, int j, const vd *x) {
  const int m = HALF;
  const vd  over = 1 / H(j);
  vd        before[ROOM(2 * NQ * NQ)];
  vary_ends(C, L, x, before);
  for (int k = 0; k < 2 * m; k++)
    for (int l = 0; l < m; l++) {
      const vd by = vpick(k < m, vset(1), over);
      AT_T(k, l) = inner(DD(1, k), DD(1, l), NQ) * by;
      AT_T(k, m + l) = -(inner(DD(0, k), DD(0, l), NQ) * by);
    }
  for (int k = 0; k < m; k++) {
    vd left[ROOM(NQ)];
    UNROLL
    for (int i = 0; i < NQ; i++)
      left[i] = vpick(L->by_mass && !MASS_UNIT, L->m[CLASS(i)] * DD(0, k)[i], DD(0, k)[i]);
    for (int l = 0; l < 2 * m; l++) {
      AT_R(k, l) = inner(left, DD(0, l), NQ);
      AT_R(m + k, l) = inner(DD(0, k), before + l * NQ, NQ);
    }
  }
  fill_reactions(C, L, x);
  cst_lu(L->T, 2 * m);
  cst_lu(L->R, 2 * m + NVEL);
}

/* Adds to dr and dp how d+ and p+ change with w by dw, a vector tangent to TQ. */
static void add_by_flow(const cst_context *C, const struct local *L, const vd *dw, vd *dr, vd *dp) {
  const int m = HALF;
  vd        dv[ROOM(NQ)];
  UNROLL
  for (int i = 0; i < NQ; i++)
    dv[i] = dw[NQ + i];
  for (int c = 0; c < 2 * m; c++) {
    const vd along = c < m ? inner(U_Q(c), dw, NQ) : inner(U_V(c), dv, NQ);
    UNROLL
    for (int i = 0; i < NQ; i++) {
      dr[i] += along * DD(1, c)[i];
      dp[i] += along * PP(c)[i];
      if (c < m)
        dv[i] -= along * U_V(c)[i];
    }
  }
}

/* dmu- for what F0 is off along G', and dtheta-; as where theta- = 0. */
static void vary_foot(const cst_context *C, const struct local *L, const vd *f, vd *dtheta,
                      vd *dmu) {
  vd room[ROOM(NQ)], unused[ROOM(NG)];
  USES_G
  UNROLL
  for (int i = 0; i < NQ; i++)
    dmu[i] = vset(0);
  UNROLL
  for (int a = 0; a < NG; a++)
    dtheta[a] = vset(0);
  if (!cst_sweep_moves(&L->sweep[0]) || NG == NVEL)
    return;
  UNROLL
  for (int a = 0; a < NG; a++)
    ROW_G(a, i, e)
      dtheta[a] += L->Gb[e] * f[Q_ + i];
  cst_gram_backsolve(C, L->Sb, dtheta, 1);
  K_D2glw_AT(L->Eb, L->c, L->q, weighed(C, L, L->minus, room), dtheta, dmu);
  UNROLL
  for (int i = 0; i < NQ; i++)
    dmu[i] = -dmu[i];
  make_tangential(C, L, L->Gb, L->Sb, NULL, dmu, unused);
}

/* follow, as where theta+ = 0. */
static void follow_nearly(const cst_context *C, const struct local *L, const vd *y, vd *dr,
                          vd *dtheta) {
  const int scaled = L->by_mass && !MASS_UNIT;
  for (int i = 0; i < NQ && scaled; i++)
    dr[i] *= L->m[CLASS(i)];
  make_tangential(C, L, L->G1, L->S1, y, dr, dtheta);
  for (int i = 0; i < NQ && scaled; i++)
    dr[i] *= L->minv[CLASS(i)];
}

/* The corrections of nu1 and nu2, the part of the residuals along G0'; bent[nq] := F3 without what nu2 does to it. */
static void correct_multipliers(const cst_context *C, const struct local *L, int j, const vd *x,
                                const vd *f, vd *d, vd *bent) {
  vd nu2[ROOM(NG)];
  UNROLL
  for (int a = 0; a < NG; a++)
    d[NU1 + a] = d[NU2 + a] = vset(0);
  UNROLL
  for (int i = 0; i < NQ; i++)
    bent[i] = f[MU + i];
  if (NG == NVEL)
    return;
  find_multipliers(C, L, f + V_, d + NU2);
  UNROLL
  for (int a = 0; a < NG; a++)
    nu2[a] = H(j) * d[NU2 + a];
  K_D2glw_AT(L->E0, L->c, x + Q_, x + V_, nu2, bent);
  UNROLL
  for (int i = 0; i < NQ; i++)
    bent[i] = f[MU + i] - bent[i];
  find_multipliers(C, L, bent, d + NU1);
}

/* xi (and the change of kappa) by T and R. The rest of F4 has no part along U_V(c), c < m, which are normal. a[nq] := the change of mu+ apart from D p+ dw. */
static void solve_flow(const cst_context *C, const struct local *L, const vd *f, const vd *bent,
                       const vd *dmu, vd *xi, vd *a) {
  const int m = HALF;
  vd        b[ROOM(2 * NQ)], left[ROOM(NQ)], right[ROOM(NQ)];
  for (int c = 0; c < m; c++) {
    b[c] = inner(U_Q(c), bent, NQ);
    b[m + c] = inner(U_V(m + c), f + V_, NQ);
  }
  cst_lu_solve(L->T, b, 2 * m);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    a[i] = vset(0);
    left[i] = -vpick(L->by_mass && !MASS_UNIT, L->m[CLASS(i)] * f[Q_ + i], f[Q_ + i]);
    right[i] = dmu[i];
  }
  for (int c = 0; c < m; c++)
    UNROLL
  for (int i = 0; i < NQ; i++) {
    a[i] += DD(1, c)[i] * b[c];
    right[i] -= DD(0, c)[i] * b[m + c];
  }
  for (int c = 0; c < m; c++) {
    xi[c] = inner(DD(0, c), left, NQ);
    xi[m + c] = inner(DD(0, c), right, NQ);
  }
  UNROLL
  for (int k = 0; k < NVEL; k++)
    xi[2 * m + k] = -f[NU2 + NG - NVEL + k];
  cst_lu_solve(L->R, xi, 2 * m + NVEL);
}

/* The correction d of the iterate x for its residual f. */
static void correct_by_flow(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                            vd *d) {
  const int m = HALF;
  vd        xi[ROOM(2 * NQ + NVEL)], a[ROOM(NQ)], dmu[ROOM(NQ)], y[ROOM(NG)], unused[ROOM(NG)];
  vd        bent[ROOM(NQ)];
  UNROLL
  for (int k = 0; k < NG; k++)
    y[k] = f[NU2 + k];
  find_normal(C, L, x, f + MINUS, y, d + Q_);
  correct_multipliers(C, L, j, x, f, d, bent);
  vary_foot(C, L, f, d + MINUS, dmu);
  solve_flow(C, L, f, bent, dmu, xi, a);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    vd sum[4] = {d[Q_ + i], d[V_ + i], a[i], f[R_ + i] + d[Q_ + i] + L->sweep[1].t * d[V_ + i]};
    for (int c = 0; c < 2 * m; c++) {
      sum[0] += U_Q(c)[i] * xi[c];
      sum[1] += U_V(c)[i] * xi[c];
      sum[2] += PP(c)[i] * xi[c];
      sum[3] += DD(1, c)[i] * xi[c];
    }
    d[Q_ + i] = sum[0];
    d[V_ + i] = sum[1];
    d[MU + i] = sum[2];
    d[R_ + i] = sum[3];
  }
  UNROLL
  for (int k = 0; k < NVEL; k++)
    d[NU2 + NG - NVEL + k] = xi[2 * m + k];
  UNROLL
  for (int k = 0; k < NG; k++)
    y[k] = -f[PLUS + k];
  follow_nearly(C, L, y, d + R_, d + PLUS);
  vary_along_fibres(C, L, x, d + R_, d + PLUS, y);
  UNROLL
  for (int k = 0; k < NG; k++)
    y[k] = vpick(k < NG - NVEL && !DROPPED(k), -f[NU1 + k] - y[k], vset(0));
  make_tangential(C, L, L->G1, L->S1, y, d + MU, unused);
}

/* convert-krylov.h: matrix-free solution of Newton's equations in the core of convert(...), for systems that
 * are too large for a matrix. Part of convert.h.
 *
 * The matrix is applied by one forward and one forward-over-reverse sweep of each half. The preconditioner is
 * the paper's chord, D d = [1, h alpha 1] and D2H = h diag(0, M), without its terms of order h. It is solved
 * block by block with the matrix G G' and with the saddle matrix of M and G, which are banded if the system
 * is. GMRES then reduces the residual by a factor of about h per iteration.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

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

/* y := J z, rows and columns as in convert-matrix.h. */
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

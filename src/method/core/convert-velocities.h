/* convert-velocities.h: constraints on velocities, phi(q) v + phi0(q) = 0, in the core of convert(...). Part
 * of convert.h.
 *
 * Their rows of G are the last ones. F2 of such a row is phi v + phi0 = 0 at w. Its unknown, in the place of
 * nu2 / h of other rows, is kappa: mu- = DP'(pb + phi(qb)'kappa). Only the part of pb that acts on admissible
 * variations matters, B'(p- - pb) = 0. A step ends with all of p+, which is stored as M v + a with G v = 0
 * and phi v + phi0 = 0, an equivalent representative. F1, F3, F5, F7 and theta, nu1 do not involve these
 * rows: their unknowns there are 0 by the equations 1 x = 0.
 *
 * Source: C. Cuell, thesis, 4 to 6, in the form for any layer; signs M A = f - G'lambda - phi'lambda.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

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

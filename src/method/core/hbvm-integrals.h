/* hbvm-integrals.h: a step of HBVM(k, s) by its nodes: the polynomials u and w at a node, the integrals
 * nu, psi and rho over the step, and the product with X. Part of hbvm.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* start + e + h int_0^{c_i} of the polynomial with the coefficients y. */
CST_INLINE void point_of(const cst_context *C, const vd *start, const vd *e, vd h, int i,
                         const vd *y, vd *point) {
  const double *integral = OWN(0)->integral + i * DEGREE;
  UNROLL
  for (int k = 0; k < NQ; k++) {
    vd way = (h * integral[0]) * y[k];
    for (int r = 1; r < DEGREE; r++)
      way += (h * integral[r]) * y[r * NQ + k];
    point[k] = start[k] + (e[k] + way);
  }
}

/* H_p at a node, in a general system. */
CST_INLINE void velocity_at(const cst_context *C, const struct local *L, vd h, int i, const vd *x,
                            const vd *point, vd *v) {
  vd p[ROOM(NQ)];
  point_of(C, L->p, L->ep, -h, i, x + PHI, p);
  velocity(C, L, point, p, v);
}

/* The time of node i is that of kernels from here on. */
CST_INLINE void at_node(const cst_context *C, struct local *L, vd h, int i) {
  (void)C, (void)L, (void)h, (void)i;
  SET_TIME(L, L->begun + h * OWN(0)->integral[i * DEGREE]);
}

/* Adds the contribution of a node to the integral of g_t. */
CST_INLINE void add_rate(const cst_context *C, struct local *L, int i, const vd *point) {
  vd rate[ROOM(NG)];
  (void)rate, (void)i, (void)point;
  if (!DRIVEN)
    return;
  K_phi0(L->c, point, rate);
  for (int a = 0; a < NG; a++)
    L->rate[a] += OWN(0)->weighted[i * DEGREE] * rate[a];
}

/* The accounts, by the nodes. */
static void gather_nodes(const cst_context *C, struct local *L, vd h, const vd *x) {
  vd point[ROOM(NQ)], v[ROOM(NQ)];
  for (int i = 0; i < NODES && NACCOUNT > 0; i++) {
    at_node(C, L, h, i);
    point_of(C, L->q, L->eq, h, i, x + GAMMA, point);
    velocity_at(C, L, h, i, x, point, v);
    cst_gather(C, L->own, h * OWN(0)->weighted[i * DEGREE], point, v, x + LAMBDA);
  }
}

/* nu (of H_p, in a general system), psi and rho, and the integral of g_t, at the unknowns. */
CST_INLINE void integrate(const cst_context *C, struct local *L, vd h, const vd *x, vd *psi,
                          vd *rho) {
  vd point[ROOM(NQ)];
  vd v[ROOM(NQ)];
  vd dH[ROOM(NQ)];
  vd G[ROOM(NNZ_G)];
  for (int k = 0; k < GENERAL * BLOCK; k++)
    L->nu[k] = vset(0);
  FOR_DEGREE(r) {
    UNROLL
    for (int k = 0; k < NQ; k++)
      psi[r * NQ + k] = vset(0);
    UNROLL
    for (int e = 0; e < NNZ_G; e++)
      rho[r * NNZ_G + e] = vset(0);
  }
  for (int a = 0; a < NG && DRIVEN; a++)
    L->rate[a] = vset(0);
  for (int i = 0; i < NODES; i++) {
    at_node(C, L, h, i);
    point_of(C, L->q, L->eq, h, i, x + GAMMA, point);
    if (GENERAL)
      velocity_at(C, L, h, i, x, point, v);
    slope(C, L, point, v, dH);
    K_G(L->c, point, G);
    add_rate(C, L, i, point);
    FOR_DEGREE(r) {
      const double w = OWN(0)->weighted[i * DEGREE + r];
      for (int k = 0; k < GENERAL * NQ; k++)
        L->nu[r * NQ + k] += w * v[k];
      UNROLL
      for (int k = 0; k < NQ; k++)
        psi[r * NQ + k] += w * dH[k];
      UNROLL
      for (int e = 0; e < NNZ_G; e++)
        rho[r * NNZ_G + e] += w * G[e];
    }
  }
}

/* Entry k of row r of X y, y of DEGREE blocks of n. */
CST_INLINE vd turned(const cst_context *C, const vd *y, int n, int r, int k) {
  const double *xi = OWN(0)->xi;
  vd            x = xi[r] * y[(r ? r - 1 : 0) * n + k];
  if (r + 1 < DEGREE)
    x -= xi[r + 1] * y[(r + 1) * n + k];
  return x;
}

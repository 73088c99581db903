/* convert-state.h: the map from w to w in the core of convert(...), the form in which its source and that of
 * lagrange-dalembert define a step. Part of convert.h.
 *
 * The step solves p-(w1) = p+(w) with P d-(w1) = P d+(w). The state between steps is w = (q, v), stored as
 * q and M v + a. A step therefore begins with w. With r- and r+ the projected ends of its halves, theta-
 * and theta+ those of the projections,
 *
 *   Theta(w) = mu+ D d+ - mu- D d- + nu1 [G, 0] + nu2 [v'D2g, G],   G(r+) mu+ = 0,   G(r-) mu- = 0
 *
 * are 2 nq + 2 ng linear equations, and the step starts from r+ and p+, the tangential part of (1 +
 * D2(theta+.g)(r+)) mu+. Sources: Patrick, Cuell, Spiteri, Zhang, Stage 4; C. Cuell, thesis, 4.4. There is
 * no explicit time.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* The projection P of d: r, theta with d = r + G(r)'theta, g(r) = 0; and G at r. */
static void find_foot(const cst_context *C, const struct local *L, const vd *d, vd *r, vd *theta,
                      vd *E, vd *G, vd *S) {
  vd known[ROOM(NQ)], now[ROOM(NQ)], y[ROOM(NG)], change[ROOM(NG)];
  vd last = vset(INFINITY);
  vl active = vmask(1);
  USES_G
  for (int i = 0; i < NQ; i++)
    r[i] = d[i];
  for (int a = 0; a < NG; a++)
    theta[a] = vset(0);
  gram_at(C, L, r, E, G, S);
  for (int it = 0; it < CST_MOST_SWEEPS && NG > NVEL && vany(active); it++) {
    K_g_AT(E, L->c, r, y);
    for (int i = 0; i < NQ; i++) {
      known[i] = d[i] - r[i];
      COL_G(i, a, e)
        known[i] -= G[e] * theta[a];
    }
    for (int a = 0; a < NG; a++)
      y[a] = vpick(a < NG - NVEL && !DROPPED(a), -y[a], vset(0));
    project_linearly(C, L, r, E, G, S, theta, y, known, change);
    for (int a = 0; a < NG; a++)
      theta[a] += vkeep(active, change[a]);
    for (int i = 0; i < NQ; i++)
      now[i] = r[i] + known[i];
    active &= ~cst_sweep_take(active, now, r, NQ, &last);
    gram_at(C, L, r, E, G, S);
  }
}

/* Adds the rows G mu = 0 of an end, and the columns of nu1 or nu2 in the rows of q or v; with G that of w.
 * Rows on velocities and redundant ones have the equation 1 x = 0. */
static void border(const cst_context *C, const vd *end, const vd *G, int mu, int at, vd by, vd *A) {
  const int n = 2 * NQ + 2 * NG;
  USES_G
  for (int a = 0; a < NG; a++) {
    if (DROPPED(a) || a >= NG - NVEL) {
      A[(at + a) * n + at + a] = vset(1);
      continue;
    }
    ROW_G(a, i, e) {
      A[(at + a) * n + mu + i] = end[e];
      A[((at == 2 * NQ ? 0 : NQ) + i) * n + at + a] = G[e] * by;
    }
  }
}

/* The equations of mu+, mu-, nu1, nu2 / h at w = (q, v), where the sweeps were evaluated; those of the
 * columns of v are divided by h. G1, Gb, G0: at r+, r-, q. */
static void covector_matrix(const cst_context *C, struct local *L, int j, const vd *q, const vd *v,
                            vd *A) {
  const int n = 2 * NQ + 2 * NG;
  vd        u[ROOM(2 * NQ)], bent[ROOM(NG)];
  vd        dd[ROOM(NQ)];
  vd        de[ROOM(NQ)];
  for (int k = 0; k < n * n; k++)
    A[k] = vset(0);
  for (int c = 0; c < 2 * NQ; c++) {
    for (int i = 0; i < 2 * NQ; i++)
      u[i] = vset(i == c);
    for (int k = 0; k < 2; k++) {
      cst_sweep_tangent(C, &L->sweep[k], CST_TANGENT_SWEEPS, q, v, u, u + NQ, dd, de);
      for (int i = 0; i < NQ; i++)
        A[c * n + (k ? i : NQ + i)] = dd[i] * ((k ? 1 : -1) * vpick(c < NQ, vset(1), 1 / H(j)));
    }
    if (c >= NQ || NG == NVEL)
      continue;
    K_D2gvw_AT(L->E0, L->c, q, v, u, bent);
    for (int a = 0; a < NG - NVEL; a++)
      A[c * n + 2 * NQ + NG + a] = vpick(DROPPED(a), vset(0), H(j) * bent[a]);
  }
  border(C, L->G1, L->G0, 0, 2 * NQ, vset(1), A);
  border(C, L->Gb, L->G0, NQ, 2 * NQ + NG, vset(1), A);
}

/* L->q and L->p: from w to r+ and p+. */
static void leave_w(const cst_context *C, struct local *L, int j) {
  const int n = 2 * NQ + 2 * NG;
  vd        v[ROOM(NQ)], none[ROOM(NQ)], r[ROOM(NQ)], theta[ROOM(NG)];
  vd        A[ROOM(n * n)], grad[ROOM(n)], other[ROOM(2 * NQ)];
  cst_velocity(C, L->c, L->m, L->q, L->p, v);
  place_sweeps(C, L, j);
  for (int i = 0; i < NQ; i++) {
    L->vb[i] = v[i];
    none[i] = vset(0);
  }
  first_stages(C, L, j);
  for (int k = 0; k < 2; k++)
    cst_sweep_value(C, &L->sweep[k], L->q, v, END_Q(k), END_V(k));
  cst_sweep_reverse(C, &L->sweep[0], L->q, v, none, vset(-1), grad);
  cst_sweep_reverse(C, &L->sweep[1], L->q, v, none, vset(1), other);
  for (int i = 0; i < 2 * NQ; i++)
    grad[i] = (grad[i] + other[i]) * vpick(i < NQ, vset(1), 1 / H(j));
  for (int i = 2 * NQ; i < n; i++)
    grad[i] = vset(0);
  gram_at(C, L, L->q, L->E0, L->G0, L->S1);
  find_foot(C, L, END_Q(0), r, theta, L->Eb, L->Gb, L->Sb);
  find_foot(C, L, END_Q(1), r, theta, L->E1, L->G1, L->S1);
  covector_matrix(C, L, j, L->q, v, A);
  cst_pivoted_solve(A, grad, n);
  if (NG > 0)
    K_D2glw_AT(L->E1, L->c, r, grad, theta, none);
  for (int i = 0; i < NQ; i++) {
    L->q[i] = r[i];
    L->p[i] = vpick(NG > 0, grad[i] + none[i], grad[i]);
  }
}

/* L->q and L->p := those of the solution w. */
static void reach_w(const cst_context *C, struct local *L, const vd *x) {
  for (int i = 0; i < NQ; i++)
    L->q[i] = x[Q_ + i];
  cst_momentum(C, L->c, L->m, x + Q_, x + V_, L->p);
}

/* convert-start.h: how a step of convert(...) begins: from the state to pb and its velocity, the unknowns
 * that are predicted from them alone, and Newton's matrix there. Part of convert.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* The state as the step needs it: pb tangential, its velocity and the multiplier mb with pb = M vb + a +
 * G'mb. */
static void prepare(const cst_context *C, struct local *L) {
  vd unused[ROOM(NG)], kinetic[ROOM(NQ)];
  gram_at(C, L, L->q, L->Eb, L->Gb, L->Sb);
  make_tangential(C, L, L->Gb, L->Sb, NULL, L->p, unused);
  UNROLL
  for (int i = 0; i < NQ; i++)
    kinetic[i] = L->p[i];
  if (NVEL > 0)
    K_G_AT(L->Eb, L->c, L->q, L->phib);
  if (NG > 0)
    cst_make_tangent(C, L->c, L->q, NVEL ? L->phib : L->Gb, L->minv, kinetic, L->mb);
  cst_velocity(C, L->c, L->m, L->q, kinetic, L->vb);
}

CST_INLINE void place_sweeps(const cst_context *C, struct local *L, int j) {
  const struct data *s = OWN(j);
  for (int k = 0; k < 2; k++)
    L->sweep[k] = CST_SWEEP_OF(L, k, &s->layer[k], H(j) * (k ? 1 + s->bias : s->bias));
  for (int k = 0; k < 2 && TIMED; k++) {
    L->sweep[k].clock = L->own + ACCOUNT - 1;
    L->sweep[k].at = START_OF(L, j) - H(j) * s->bias;
    cst_sweep_times(C, &L->sweep[k]);
  }
}

/* Implicit stages begin with the acceleration at the start of the step. */
static void first_stages(const cst_context *C, struct local *L, int j) {
  vd A[ROOM(NQ)], lambda[ROOM(NG)];
  if (!L->sweep[0].layer->implicit && !L->sweep[1].layer->implicit)
    return;
  SET_TIME(L, START_OF(L, j));
  cst_acceleration(C, L->c, L->minv, L->q, L->vb, A, lambda);
  for (int k = 0; k < 2; k++)
    for (int stage = 0; stage < L->sweep[k].layer->stages; stage++)
      UNROLL
  for (int i = 0; i < NQ; i++)
    L->sweep[k].first[stage * NQ + i] = A[i];
}

CST_INLINE void take_values(const cst_context *C, struct local *L, const vd *w) {
  for (int k = 0; k < 2; k++)
    cst_sweep_value(C, &L->sweep[k], w, w + NQ, END_Q(k), END_V(k));
}

/* w := R_{-h alpha-}(qb, vb), or where that led nowhere (qb, vb) itself. */
static void predict(const cst_context *C, const struct local *L, int j, vd *x) {
  cst_sweep back = L->sweep[0];
  if (TIMED)
    back.at = START_OF(L, j);
  (void)j;
  back.t = vpick(MARCH->attempt < 2, -back.t, vset(0));
  cst_sweep_times(C, &back);
  cst_sweep_value(C, &back, L->q, L->vb, x + Q_, x + V_);
  cst_sweep_times(C, &L->sweep[0]);
}

/* ---- the map from w to w --------------------------------------------------------------------- */

/* The form in which the sources of convert(...) and of lagrange-dalembert define a step.
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

/* The same, unless w is that of the last values in all lanes. Stages of an implicit layer depend on those that
 * their iteration begins with. */
static void take_values_again(const cst_context *C, struct local *L, const vd *w) {
  vl other = vmask(L->sweep[0].layer->implicit || L->sweep[1].layer->implicit);
  UNROLL
  for (int i = 0; i < 2 * NQ; i++) {
    other |= (vl)(w[i] != L->last_w[i]);
    L->last_w[i] = w[i];
  }
  if (vany(other))
    take_values(C, L, w);
}

/* G1 and S1 at r. */
static void take_foot_again(const cst_context *C, struct local *L, const vd *r) {
  vl other = vmask(0);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    other |= (vl)(r[i] != L->last_r[i]);
    L->last_r[i] = r[i];
  }
  if (vany(other))
    gram_at(C, L, r, L->E1, L->G1, L->S1);
}

/* r and mu+ of L->start and of x: those of w, of which the values are taken, and from there on by how much x
 * holds. */
static void begin_ends(const cst_context *C, struct local *L, vd *x) {
  vd *const start = L->start;
  const int differs = MARCH->smooth && !MARCH->attempt;
  vd        unused[ROOM(NG)];
  UNROLL
  for (int i = 0; i < 2 * NQ; i++)
    L->first_w[i] = L->last_w[i] = x[i];
  take_values(C, L, x);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < L->sweep[k].layer->stages * NQ && L->sweep[k].layer->implicit; i++)
      L->sweep[k].first[i] = L->sweep[k].A[i];
  UNROLL
  for (int i = 0; i < NQ; i++) {
    start[R_ + i] = END_Q(1)[i];
    x[R_ + i] = L->last_r[i] = vpick(differs, start[R_ + i] + x[R_ + i], start[R_ + i]);
  }
  gram_at(C, L, x + R_, L->E1, L->G1, L->S1);
  cst_momentum(C, L->c, L->m, x + R_, END_V(1), start + MU);
  make_tangential(C, L, L->G1, L->S1, NULL, start + MU, unused);
  UNROLL
  for (int i = 0; i < NQ; i++)
    x[MU + i] = vpick(differs, start[MU + i] + x[MU + i], start[MU + i]);
  UNROLL
  for (int a = 0; a < 4 * NG; a++) {
    start[4 * NQ + a] = vset(0);
    x[4 * NQ + a] = vpick(differs, x[4 * NQ + a], vset(0));
  }
}

/* Adds to dr and dp how r and p+ change with w by dw: as in the chord. */
static void add_by_chord(const cst_context *C, const struct local *L, const vd *x, const vd *dw,
                         vd *dr, vd *dp) {
  vd before[ROOM(NQ)], after[ROOM(NQ)];
  cst_momentum(C, L->c, L->m, x + Q_, L->first_w + NQ, before);
  cst_momentum(C, L->c, L->m, x + Q_, x + V_, after);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    dr[i] += dw[i] + L->sweep[1].t * dw[NQ + i];
    dp[i] += after[i] - before[i];
  }
}

/* What r and mu+ of L->start are for w of the solution x, to first order in the distance: by how much x differs
 * from this is smooth in time. G1 and S1 are those at r. */
static void follow_start(const cst_context *C, struct local *L, const vd *x) {
  vd dw[ROOM(2 * NQ)], dp[ROOM(NQ)], unused[ROOM(NG)];
  UNROLL
  for (int i = 0; i < 2 * NQ; i++)
    dw[i] = x[Q_ + i] - L->first_w[i];
  UNROLL
  for (int i = 0; i < NQ; i++)
    dp[i] = vset(0);
#if !FIBRED
  if (ADAPTS)
    add_by_flow(C, L, dw, L->start + R_, dp);
  else
#endif
    add_by_chord(C, L, x, dw, L->start + R_, dp);
  make_tangential(C, L, L->G1, L->S1, NULL, dp, unused);
  UNROLL
  for (int i = 0; i < NQ; i++)
    L->start[MU + i] += dp[i];
}

/* The matrix of the chord at x. */
static void begin_matrix(const cst_context *C, struct local *L, int j, const vd *x) {
  UNROLL
  for (int i = 0; i < NQ; i++)
    L->minus[i] = L->p[i];
  matrix_of_chord(C, L, j, L->q);
  make_matrix(C, L, j, x, 0);
}

/* On entry x holds by how much the unknowns differ from the prediction, extrapolated from the last steps. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  L->by_mass = OWN(j)->by_mass;
#if FIBRED
  L->iota = OWN(j)->iota;
#endif
  if (OWN(j)->of_w)
    leave_w(C, L, j);
  prepare(C, L);
  place_sweeps(C, L, j);
  first_stages(C, L, j);
  predict(C, L, j, L->start);
  UNROLL
  for (int i = 0; i < 2 * NQ; i++)
    x[i] = vpick(MARCH->smooth && !MARCH->attempt, L->start[i] + x[i], L->start[i]);
#if !FIBRED
  if (ADAPTS)
    enter_tangent_space(C, L, x);
#endif
  begin_ends(C, L, x);
  if (OWN(0)->iteration == CST_ITERATION_CHORD && !exact(C))
    begin_matrix(C, L, j, x);
#if !FIBRED
  if (ADAPTS)
    make_flow(C, L, j, x);
#endif
}

/* convert-projection.h: projections onto the constraints at one point, for convert(...): G G' and its
 * factors, the tangential part of a covector, and the linearised projection DP. Part of convert.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* W x, where W is the inverse of the metric in which P is orthogonal: 1, or M^-1. */
#define WEIGHED(i, x) vpick(L->by_mass && !MASS_UNIT, L->minv[CLASS(i)] * (x), x)
CST_INLINE const vd *weighed(const cst_context *C, const struct local *L, const vd *x, vd *room) {
  if (!L->by_mass || MASS_UNIT)
    return x;
  UNROLL
  for (int i = 0; i < NQ; i++)
    room[i] = L->minv[CLASS(i)] * x[i];
  return room;
}

/* G with the rows of constraints on velocities 0. */
static void clear_velocities(const cst_context *C, vd *G) {
  (void)G;
  USES_G
  UNROLL
  for (int a = NG - NVEL; a < NG; a++)
    ROW_G(a, i, e) {
      (void)i;
      G[e] = vset(0);
    }
}

/* G at q, of constraints on positions, and the factors of G W G'. Those on velocities are the equations 1 x
 * = 0 there. E: of K_place. */
static void gram_at(const cst_context *C, const struct local *L, const vd *q, vd *E, vd *G, vd *S) {
  K_place(L->c, L->given, q, E);
  K_G_AT(E, L->c, q, G);
  if (NG == 0)
    return;
  clear_velocities(C, G);
  cst_gram_fill(C, G, G, L->by_mass ? L->minv : NULL, vset(1.0), 1, S);
  UNROLL
  for (int a = NG - NVEL; a < NG; a++)
    S[a * NG + a] = vset(1);
  cst_gram_factor(C, S);
}

/* x := its tangential part, x - G'(G W G')^-1 (G W x - y); y may be NULL. theta[ng] is the multiplier. */
static void make_tangential(const cst_context *C, const struct local *L, const vd *G, const vd *S,
                            const vd *y, vd *x, vd *theta) {
  vd room[ROOM(NQ)];
  USES_G
  if (NG == 0)
    return;
  const vd *Wx = weighed(C, L, x, room);
  UNROLL
  for (int a = 0; a < NG; a++) {
    theta[a] = y ? -y[a] : vset(0);
    ROW_G(a, i, e)
      theta[a] += G[e] * Wx[i];
  }
  cst_gram_backsolve(C, S, theta, 1);
  UNROLL
  for (int i = 0; i < NQ; i++)
    COL_G(i, a, e)
      x[i] -= G[e] * theta[a];
}

/* DP of a covector: x := the solution of (1 + D2(theta.g) W) x + G'k = x, G W x = y, by a contraction of
 * about |theta|; k[ng] is filled. */
static void project_linearly(const cst_context *C, const struct local *L, const vd *q, const vd *E,
                             const vd *G, const vd *S, const vd *theta, const vd *y, vd *x, vd *k) {
  vd room[ROOM(NQ)];
  vd bent[ROOM(NQ)];
  vd right[ROOM(NQ)];
  vd now[ROOM(NQ)];
  vd with[ROOM(NG)];
  vd last = vset(INFINITY);
  vl active = vmask(NG > 0);
  UNROLL
  for (int i = 0; i < NQ; i++)
    right[i] = x[i];
  make_tangential(C, L, G, S, y, x, k);
  for (int it = 0; it < CST_MOST_SWEEPS && vany(active); it++) {
    K_D2glw_AT(E, L->c, q, weighed(C, L, x, room), theta, bent);
    UNROLL
    for (int i = 0; i < NQ; i++)
      now[i] = right[i] - bent[i];
    make_tangential(C, L, G, S, y, now, with);
    UNROLL
    for (int a = 0; a < NG; a++)
      k[a] = vselect(active, with[a], k[a]);
    active &= ~cst_sweep_take(active, now, x, NQ, &last);
  }
}

/* ---- what depends on the fibres; those from text have the same below ------------------------- */

#if !FIBRED
/* DP at qb of a covector p, with the theta- of the iterate x; k[ng] is filled. */
#define PULL_BACK(x, p, k)                                                                         \
  project_linearly(C, L, L->q, L->Eb, L->Gb, L->Sb, (x) + MINUS, NULL, p, k)

/* dr := the change of r for the change dr of d+ (F6, F7); y[ng] is the required change of g(r), or NULL;
 * dtheta is that of theta+. W^-1 dr is the covector that DP projects. */
static void follow(const cst_context *C, const struct local *L, const vd *x, const vd *y, vd *dr,
                   vd *dtheta) {
  const int scaled = L->by_mass && !MASS_UNIT;
  UNROLL
  for (int i = 0; i < NQ && scaled; i++)
    dr[i] *= L->m[CLASS(i)];
  project_linearly(C, L, x + R_, L->E1, L->G1, L->S1, x + PLUS, y, dr, dtheta);
  UNROLL
  for (int i = 0; i < NQ && scaled; i++)
    dr[i] *= L->minv[CLASS(i)];
}

/* f -= iota(q, theta) - q */
static void subtract_way(const cst_context *C, const struct local *L, const vd *q, const vd *G,
                         const vd *theta, vd *f) {
  USES_G(void)
  q;
  UNROLL
  for (int i = 0; i < NQ; i++)
    COL_G(i, a, e)
      f[i] -= WEIGHED(i, G[e]) * theta[a];
}

/* f[NG] := D_theta iota' mu+ at r, theta+ */
static void take_along_fibres(const cst_context *C, const struct local *L, const vd *x, vd *f) {
  vd        room[ROOM(NQ)];
  const vd *mu = weighed(C, L, x + MU, room);
  USES_G
  UNROLL
  for (int a = 0; a < NG; a++) {
    f[a] = vset(0);
    ROW_G(a, i, e)
      f[a] += L->G1[e] * mu[i];
  }
}

/* df[NG] := its change for the changes dr and dtheta */
static void vary_along_fibres(const cst_context *C, const struct local *L, const vd *x,
                              const vd *dr, const vd *dtheta, vd *df) {
  vd room[ROOM(NQ)];
  (void)dtheta;
  K_D2gvw_AT(L->E1, L->c, x + R_, weighed(C, L, x + MU, room), dr, df);
}

/* change := minus the change of mu- for the change l of theta-, DP (D2(l.g) W mu-) */
static void vary_pull_back(const cst_context *C, const struct local *L, const vd *x, const vd *l,
                           vd *change) {
  vd unused[ROOM(NG)], room[ROOM(NQ)];
  K_D2glw_AT(L->Eb, L->c, L->q, weighed(C, L, L->minus, room), l, change);
  PULL_BACK(x, change, unused);
}

/* p += (D_q iota - 1)' mu+ at r, theta+ */
static void carry_to_foot(const cst_context *C, const struct local *L, const vd *x, vd *p) {
  vd bent[ROOM(NQ)], room[ROOM(NQ)];
  K_D2glw_AT(L->E1, L->c, L->q, weighed(C, L, x + MU, room), x + PLUS, bent);
  UNROLL
  for (int i = 0; i < NQ; i++)
    p[i] += bent[i];
}
#endif

#if FIBRED

/* ---- along fibres from text ------------------------------------------------------------------ */

/* With FIBRED: what is above for iota = q + W G'theta, for d = iota(r, theta).
 *
 * With A = [[D_q iota, D_theta iota], [G, 0]] at (r, theta), r moves with d by A (dr, dtheta) = (dd, 0), and
 * the covector of d that belongs to p at r is A'(mu, k) = (p, 0): mu = DP'p. So
 *
 *   F0  d- - iota(qb, theta-) = 0    F5  D_theta iota(r, theta+)'mu+ = 0    F6  d+ - iota(r, theta+) = 0
 *   D_q iota(qb, theta-)'mu- + G(qb)'k = pb, D_theta iota(qb, theta-)'mu- = 0
 *
 * and the step ends at D_q iota(r, theta+)'mu+, in its kinetic form. All terms depend on theta, and the blocks
 * G D_theta iota are not symmetric: the matrix is that of the iterate, and is eliminated with pivoting.
 */
#define NA (NQ + NG)

/* out: what the tape of the fibre gives at q, theta. mu or u may be NULL. */
static void run_fibre(const struct local *L, const struct cst_tape *t, const vd *q, const vd *theta,
                      const vd *mu, const vd *u, vd *out) {
  const double *in[128] = {['q'] = (const double *)q,
                           ['l'] = (const double *)theta,
                           ['w'] = (const double *)mu,
                           ['u'] = (const double *)u};
  L->iota->run(t, in, (double *)out, L->iota->scratch);
}

/* b[NA] := A^-1 b, or A'^-1 b. */
static void solve_fibres(const cst_context *C, const struct local *L, const vd *q, const vd *G,
                         const vd *theta, int transposed, vd *b) {
  vd D[ROOM(NQ * NA)], A[ROOM(NA * NA)];
  USES_G
  run_fibre(L, L->iota->matrix, q, theta, NULL, NULL, D);
  for (int i = 0; i < NA * NA; i++)
    A[i] = vset(0);
  for (int i = 0; i < NQ; i++)
    for (int k = 0; k < NA; k++)
      A[transposed ? k * NA + i : i * NA + k] = D[i * NA + k];
  for (int a = 0; a < NG; a++)
    ROW_G(a, i, e)
      A[transposed ? i * NA + NQ + a : (NQ + a) * NA + i] = G[e];
  cst_pivoted_solve(A, b, NA);
}

static void pull_back(const cst_context *C, const struct local *L, const vd *x, vd *p, vd *k) {
  vd b[ROOM(NA)];
  for (int i = 0; i < NA; i++)
    b[i] = i < NQ ? p[i] : vset(0);
  solve_fibres(C, L, L->q, L->Gb, x + MINUS, 1, b);
  for (int i = 0; i < NQ; i++)
    p[i] = b[i];
  for (int a = 0; a < NG; a++)
    k[a] = b[NQ + a];
}

/* DP at qb of a covector p, with the theta- of the iterate x; k[ng] is filled. */
#define PULL_BACK(x, p, k) pull_back(C, L, x, p, k)

/* dr := the change of r for the change dr of d+ (F6, F7); y[ng] is the required change of g(r), or NULL;
 * dtheta is that of theta+. */
static void follow(const cst_context *C, const struct local *L, const vd *x, const vd *y, vd *dr,
                   vd *dtheta) {
  vd b[ROOM(NA)];
  for (int i = 0; i < NQ; i++)
    b[i] = dr[i];
  for (int a = 0; a < NG; a++)
    b[NQ + a] = y ? y[a] : vset(0);
  solve_fibres(C, L, x + R_, L->G1, x + PLUS, 0, b);
  for (int i = 0; i < NQ; i++)
    dr[i] = b[i];
  for (int a = 0; a < NG; a++)
    dtheta[a] = b[NQ + a];
}

/* f -= iota(q, theta) - q */
static void subtract_way(const cst_context *C, const struct local *L, const vd *q, const vd *G,
                         const vd *theta, vd *f) {
  vd out[ROOM(NQ + NA)], none[ROOM(NQ)];
  (void)G;
  for (int i = 0; i < NQ; i++)
    none[i] = vset(0);
  run_fibre(L, L->iota->point, q, theta, none, NULL, out);
  for (int i = 0; i < NQ; i++)
    f[i] -= out[i] - q[i];
}

/* f[NG] := D_theta iota' mu+ at r, theta+ */
static void take_along_fibres(const cst_context *C, const struct local *L, const vd *x, vd *f) {
  vd out[ROOM(NQ + NA)];
  run_fibre(L, L->iota->point, x + R_, x + PLUS, x + MU, NULL, out);
  for (int a = 0; a < NG; a++)
    f[a] = out[2 * NQ + a];
}

/* df[NG] := its change for the changes dr and dtheta */
static void vary_along_fibres(const cst_context *C, const struct local *L, const vd *x,
                              const vd *dr, const vd *dtheta, vd *df) {
  vd u[ROOM(NA)], out[ROOM(NA)];
  for (int i = 0; i < NA; i++)
    u[i] = i < NQ ? dr[i] : dtheta[i - NQ];
  run_fibre(L, L->iota->bend, x + R_, x + PLUS, x + MU, u, out);
  for (int a = 0; a < NG; a++)
    df[a] = out[NQ + a];
}

/* change := minus the change of mu- for the change l of theta- */
static void vary_pull_back(const cst_context *C, const struct local *L, const vd *x, const vd *l,
                           vd *change) {
  vd u[ROOM(NA)], out[ROOM(NA)];
  for (int i = 0; i < NA; i++)
    u[i] = i < NQ ? vset(0) : l[i - NQ];
  run_fibre(L, L->iota->bend, L->q, x + MINUS, L->minus, u, out);
  solve_fibres(C, L, L->q, L->Gb, x + MINUS, 1, out);
  for (int i = 0; i < NQ; i++)
    change[i] = out[i];
}

/* p := D_q iota' mu+ at r, theta+ */
static void carry_to_foot(const cst_context *C, const struct local *L, const vd *x, vd *p) {
  vd out[ROOM(NQ + NA)];
  run_fibre(L, L->iota->point, x + R_, x + PLUS, x + MU, NULL, out);
  for (int i = 0; i < NQ; i++)
    p[i] = out[NQ + i];
}

#endif

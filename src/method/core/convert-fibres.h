/* convert-fibres.h: projections along fibres from text, d = iota(r, theta), in the core of convert(...): what
 * convert-projection.h does for iota = q + W G'theta. Part of convert.h, with FIBRED.
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
/* SPDX-License-Identifier: BSD-2-Clause */
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

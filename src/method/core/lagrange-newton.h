/* lagrange-newton.h: lane code: Newton's correction of lagrange.c, by blocks.
 *
 *   A0 du0 + G' dL = -f0,   A1 du1 + C du0 + G' dL = -f1,   G1 (w0 du0 + w1 du1) = -fg
 *
 * A0 and then A1 are eliminated with the right-hand sides (-f, G'); ng equations for dL remain. Only entries
 * of the matrices that may be nonzero are touched (system/derive/elimination.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define SIDES (1 + NG)

/* A := its LU factors, in place; the diagonal contains the reciprocals of the pivots. */
CST_INLINE void factor(vd *A, int n, const unsigned char *filled) {
  UNROLL
  for (int i = 0; i < n; i++) {
    UNROLL
    for (int k = 0; k < n; k++) {
      if (k < i && filled[i * n + k]) {
        const vd f = A[i * n + k] * A[k * n + k];
        A[i * n + k] = f;
        UNROLL
        for (int j = 0; j < n; j++)
          if (j > k && filled[k * n + j])
            A[i * n + j] -= f * A[k * n + j];
      }
    }
    A[i * n + i] = 1.0 / A[i * n + i];
  }
}

/* R := A^-1 R with A from factor; R[i * m + k] is row i of right hand side k. */
CST_INLINE void substitute(const vd *A, int n, const unsigned char *filled, vd *R, int m) {
  UNROLL
  for (int i = 0; i < n; i++) {
    UNROLL
    for (int j = 0; j < n; j++)
      if (j < i && filled[i * n + j]) {
        UNROLL
        for (int k = 0; k < m; k++)
          R[i * m + k] -= A[i * n + j] * R[j * m + k];
      }
  }
  UNROLL
  for (int i = n - 1; i >= 0; i--) {
    UNROLL
    for (int j = 0; j < n; j++)
      if (j > i && filled[i * n + j]) {
        UNROLL
        for (int k = 0; k < m; k++)
          R[i * m + k] -= A[i * n + j] * R[j * m + k];
      }
    UNROLL
    for (int k = 0; k < m; k++)
      R[i * m + k] *= A[i * n + i];
  }
}

/* to -= A from, for m right-hand sides. */
CST_INLINE void take_off(const vd *A, int n, const unsigned char *filled, const vd *from, vd *to,
                         int m) {
  UNROLL
  for (int i = 0; i < n; i++) {
    UNROLL
    for (int j = 0; j < n; j++)
      if (filled[i * n + j]) {
        UNROLL
        for (int k = 0; k < m; k++)
          to[i * m + k] -= A[i * n + j] * from[j * m + k];
      }
  }
}

/* These for the matrix `name` of the elimination, which is written out where it is large; R has SIDES
 * right-hand sides. */
#if CST_SIZED && SYS_WRITTEN_OUT
#define FACTOR(name, A)            sys_factor_##name(A)
#define SUBSTITUTE(name, A, R)     sys_substitute_##name(A, R)
#define TAKE_OFF(name, A, from, R) sys_take_off_##name(A, from, R)
#else
#define FACTOR(name, A)            factor(A, NQ, FILLED(name))
#define SUBSTITUTE(name, A, R)     substitute(A, NQ, FILLED(name), R, SIDES)
#define TAKE_OFF(name, A, from, R) take_off(A, NQ, FILLED(name), from, R, SIDES)
#endif

/* A := M where it has entries, zero elsewhere. */
CST_INLINE void spread_mass(const cst_context *C, const vd *M, vd *A) {
  UNROLL
  for (int i = 0; i < NQ * NQ; i++)
    A[i] = vset(0);
  EACH_ENTRY(M, i, j, e)
    A[i * NQ + j] = M[e];
  (void)C;
}

/* A -= w times the part of D_v (L_q + F) that comes from the force. */
CST_INLINE void take_off_Fv(const cst_context *C, const vd *c, const vd *q, const vd *v, vd w,
                            vd *A) {
#if !CST_SIZED
  vd Fv[ROOM(ENTRIES(Fv))];
  if (!FORCED)
    return;
  K_Fv(c, q, v, Fv);
  EACH_ENTRY(Fv, i, j, e)
    A[i * NQ + j] -= w * Fv[e];
#endif
  (void)C, (void)c, (void)q, (void)v, (void)w, (void)A;
}

/* A := M - w D_v (L_q + F), from the equations at the left end; across := the derivative of the equations at
 * the right end with respect to the velocity at the left end. */
CST_INLINE void left_end(const cst_context *C, const vd *c, const vd *q, const vd *v, const vd *T,
                         vd w, vd *A, vd *across) {
  vd M[ROOM(ENTRIES(M))];
  vd Lvq[ROOM(ENTRIES(Lvq))];
  POINT_M(c, q, T, M);
  POINT_Lvq(c, q, v, T, Lvq);
  spread_mass(C, M, A);
  EACH_ENTRY(Lvq, i, j, e)
    A[j * NQ + i] -= w * Lvq[e];
  take_off_Fv(C, c, q, v, w, A);
  if (!across)
    return;
  UNROLL
  for (int i = 0; i < NQ * NQ; i++)
    across[i] = vset(0);
  EACH_ENTRY(Lvq, i, j, e)
    across[j * NQ + i] -= w * Lvq[e];
  take_off_Fv(C, c, q, v, w, across);
}

/* A := M + w D_q L_v, from the equations at the right end; across += before D_q L_v. */
CST_INLINE void right_end(const cst_context *C, const vd *c, const vd *q, const vd *v, const vd *T,
                          vd w, vd before, vd *A, vd *across) {
  vd M[ROOM(ENTRIES(M))];
  vd Lvq[ROOM(ENTRIES(Lvq))];
  POINT_M(c, q, T, M);
  POINT_Lvq(c, q, v, T, Lvq);
  spread_mass(C, M, A);
  EACH_ENTRY(Lvq, i, j, e)
    A[i * NQ + j] += w * Lvq[e];
  if (!across)
    return;
  EACH_ENTRY(Lvq, i, j, e)
    across[i * NQ + j] += before * Lvq[e];
}

/* A := (M + left D_q L_v) - right (D_v + left D_q)(L_q + F) at a point within the step. */
CST_INLINE void inside(const cst_context *C, const vd *c, const vd *q, const vd *v, const vd *T,
                       vd left, vd right, vd *A) {
  vd M[ROOM(ENTRIES(M))];
  vd Lvq[ROOM(ENTRIES(Lvq))];
  vd Lqq[ROOM(ENTRIES(Lqq))];
  POINT_M(c, q, T, M);
  POINT_Lvq(c, q, v, T, Lvq);
  K_Lqq(c, q, v, Lqq);
  spread_mass(C, M, A);
  EACH_ENTRY(Lvq, i, j, e)
    A[i * NQ + j] += left * Lvq[e];
  EACH_ENTRY(Lvq, i, j, e)
    A[j * NQ + i] -= right * Lvq[e];
  EACH_ENTRY(Lqq, i, j, e)
    A[i * NQ + j] -= (right * left) * Lqq[e];
  take_off_Fv(C, c, q, v, right, A);
#if !CST_SIZED
  vd Fq[ROOM(ENTRIES(Fq))];
  if (!FORCED)
    return;
  K_Fq(c, q, v, Fq);
  EACH_ENTRY(Fq, i, j, e)
    A[i * NQ + j] -= (right * left) * Fq[e];
#endif
}

/* R := (-f, G'). */
CST_INLINE void right_hand_sides(const cst_context *C, const vd *f, const vd *G, vd *R) {
  USES_G
  UNROLL
  for (int i = 0; i < NQ; i++) {
    R[i * SIDES] = -f[i];
    UNROLL
    for (int a = 0; a < NG; a++)
      R[i * SIDES + 1 + a] = vset(0);
    COL_G(i, a, e)
      R[i * SIDES + 1 + a] = G[e];
  }
}

/* The equations of constraints without an impulse at the left end become 1 x = 0. */
CST_INLINE void hold_shared(const cst_context *C, vd *S) {
  (void)C, (void)S;
#if !CST_SIZED
  for (int a = APART; a < NG; a++)
    for (int b = 0; b < NG; b++)
      S[a * NG + b] = S[b * NG + a] = vset(a == b);
#endif
}

/* m := S^-1 m. S is factored then. */
CST_INLINE void solve_impulses(const cst_context *C, vd *S, vd *m) {
#if !CST_SIZED
  for (int a = 0; a < NG; a++)
    for (int b = 0; b < NG; b++)
      if (DROPPED(a) || DROPPED(b))
        S[a * NG + b] = vset(a == b);
#endif
  cst_gram_drop(C, m);
  cst_lu(S, NG);
  cst_lu_solve(S, m, NG);
}

/* Solves for the correction d of (u0, u1, L); the matrices are A, and for two points also across and B. w[r]
 * is the weight of point r in the equations for g. Two points are at the ends, one may be anywhere. Returns where
 * all pivots are positive and, if strict, the matrix of the impulses has a positive definite symmetric part. */
CST_INLINE vl eliminate(const cst_context *C, int points, vd *A, const vd *across, vd *B,
                        const vd *w, const vd *G, const vd *G1, const vd *f, int strict, vd *d) {
  vd R[ROOM(NQ * SIDES)];
  vd Q[ROOM(NQ * SIDES)];
  vd S[ROOM(NG * NG)];
  USES_G
  right_hand_sides(C, f, G, R);
  if (points == 1) {
    FACTOR(inside, A);
    SUBSTITUTE(inside, A, R);
  } else {
    FACTOR(ends, A);
    SUBSTITUTE(ends, A, R);
    right_hand_sides(C, f + NQ, G, Q);
    TAKE_OFF(across, across, R, Q);
    FACTOR(ends, B);
    SUBSTITUTE(ends, B, Q);
  }
#define ALONG(i, k)                                                                                \
  (points == 2 ? w[0] * R[(i)*SIDES + (k)] + w[1] * Q[(i)*SIDES + (k)] : w[0] * R[(i)*SIDES + (k)])
  vd *const m = d + points * NQ;
  UNROLL
  for (int a = 0; a < NG; a++) {
    m[a] = f[points * NQ + a];
    ROW_G(a, i, e)
      m[a] += G1[e] * ALONG(i, 0);
    UNROLL
    for (int b = 0; b < NG; b++) {
      vd s = vset(0);
      ROW_G(a, i, e)
        s += G1[e] * ALONG(i, 1 + b);
      S[a * NG + b] = s;
    }
  }
#undef ALONG
  hold_shared(C, S);
  vl sure = cst_lu_is_positive(A, NQ);
  if (points == 2)
    sure &= cst_lu_is_positive(B, NQ);
  if (strict)
    sure &= cst_dense_leans(C, S, w[0]);
  solve_impulses(C, S, m);
  sure &= cst_dense_is_positive(C, S, w[0]);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    d[i] = R[i * SIDES];
    UNROLL
    for (int b = 0; b < NG; b++)
      d[i] -= R[i * SIDES + 1 + b] * m[b];
    if (points == 2) {
      d[NQ + i] = Q[i * SIDES];
      UNROLL
      for (int b = 0; b < NG; b++)
        d[NQ + i] -= Q[i * SIDES + 1 + b] * m[b];
    }
  }
  return sure;
}

#if !CST_SIZED
/* J := the whole matrix. */
static void assemble(const cst_context *C, int points, const vd *A, const vd *across, const vd *B,
                     const vd *w, const vd *G, const vd *G1, vd *J) {
  const int n = points * NQ + NG, last = points * NQ;
  USES_G
  for (int i = 0; i < n * n; i++)
    J[i] = vset(0);
  for (int i = 0; i < NQ; i++) {
    for (int j = 0; j < NQ; j++) {
      J[i * n + j] = A[i * NQ + j];
      if (points == 2) {
        J[(NQ + i) * n + j] = across[i * NQ + j];
        J[(NQ + i) * n + NQ + j] = B[i * NQ + j];
      }
    }
    for (int r = 0; r < points; r++)
      COL_G(i, a, e) {
        J[(r * NQ + i) * n + last + a] = G[e];
        J[(last + a) * n + r * NQ + i] = w[r] * G1[e];
      }
  }
  for (int a = last; a < n; a++)
    for (int i = 0; i < n && (DROPPED(a - last) || a - last >= APART); i++)
      J[a * n + i] = J[i * n + a] = vset(i == a);
}

/* The same by Gaussian elimination with pivoting of the whole matrix, lane by lane. */
static void eliminate_pivoted(const cst_context *C, int points, const vd *A, const vd *across,
                              const vd *B, const vd *w, const vd *G, const vd *G1, const vd *f,
                              vd *d) {
  const int n = points * NQ + NG, last = points * NQ;
  vd        J[ROOM(n * n)];
  assemble(C, points, A, across, B, w, G, G1, J);
  for (int i = 0; i < n; i++)
    d[i] = -f[i];
  cst_gram_drop(C, d + last);
  cst_pivoted_solve(J, d, n);
}
#endif

/* p := p - G' m with G v + phi0 = 0 for M(q) v + a(q) = p; m[ng] is filled. M: entries at q; phi0, a: at q.
 */
CST_INLINE void project_momenta(const cst_context *C, const vd *M, const vd *a, const vd *phi0,
                                const vd *G, vd *p, vd *m) {
  vd A[ROOM(NQ * NQ)];
  vd R[ROOM(NQ * SIDES)];
  vd S[ROOM(NG * NG)];
  USES_G
  spread_mass(C, M, A);
  FACTOR(mass, A);
  right_hand_sides(C, p, G, R);
  UNROLL
  for (int i = 0; i < NQ; i++)
    R[i * SIDES] = vpick(HAS_A, p[i] - a[i], p[i]);
  SUBSTITUTE(mass, A, R);
  UNROLL
  for (int b = 0; b < NG; b++) {
    m[b] = vpick(AFFINE, phi0[b], vset(0));
    ROW_G(b, i, e)
      m[b] += G[e] * R[i * SIDES];
    UNROLL
    for (int k = 0; k < NG; k++) {
      vd s = vset(0);
      ROW_G(b, i, e)
        s += G[e] * R[i * SIDES + 1 + k];
      S[b * NG + k] = s;
    }
  }
  solve_impulses(C, S, m);
  UNROLL
  for (int i = 0; i < NQ; i++)
    COL_G(i, b, e)
      p[i] -= G[e] * m[b];
}

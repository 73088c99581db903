/* lagrange-residual.h: lane code: the equations of a substep of lagrange.c at given unknowns, and whether
 * they are satisfied: to round-off those for P, to the solver's tolerance g = 0.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* An upper bound of the change of the equations at the point (x, u) if the coordinates change by one unit in
 * the last place; right: the part of the step after the point. */
static __attribute__((noinline, cold)) vd roughness(const cst_context *C, const vd *c, const vd *q,
                                                    const vd *x, const vd *u, vd right) {
  vd B[ROOM(ENTRIES(Lvq))];
  vd K[ROOM(ENTRIES(Lqq))];
  vd sum[ROOM(NQ)];
  vd most = vset(0);
  K_Lvq(c, x, u, B);
  K_Lqq(c, x, u, K);
  for (int i = 0; i < NQ; i++)
    sum[i] = vset(0);
  EACH_ENTRY(Lvq, i, j, e)
    sum[i] += vabs(B[e] * q[j]);
  EACH_ENTRY(Lqq, i, j, e)
    sum[i] += right * vabs(K[e] * q[j]);
  for (int i = 0; i < NQ; i++)
    most = vmax(sum[i], most);
  return EPS * most;
}

/* The residual of the equations for P that round-off of the coordinates causes. */
CST_INLINE vd floor_of(const cst_context *C, const struct local *L, int j, const vd *x) {
  vd q[ROOM(NQ)];
  vd y[ROOM(NQ)];
  vd u[ROOM(NQ)];
  vd most = vset(0);
  for (int i = 0; i < NQ; i++)
    q[i] = L->q[i];
  for (int r = 0; r < POINTS; r++) {
    for (int i = 0; i < NQ; i++) {
      y[i] = r == LAST ? L->x[i] : L->q[i];
      u[i] = x[r * NQ + i];
    }
    const vd right = vabs(vpick(POINTS == 1, BEHIND(j), vkeep(vmask(r == 0), PART(j, 0))));
    most = vmax(roughness(C, L->c, q, y, u, right), most);
  }
  return most;
}

/* Lq := L_q + F */
CST_INLINE void force_at(const cst_context *C, const vd *c, const vd *q, const vd *u, const vd *T,
                         vd *Lq) {
  POINT_Lq(c, q, u, T, Lq);
#if !CST_SIZED
  vd F[ROOM(NQ)];
  if (!FORCED)
    return;
  K_F(c, q, u, F);
  for (int i = 0; i < NQ; i++)
    Lq[i] += F[i];
#endif
  (void)C, (void)T;
}

/* The first of two points, at the left end. f: the residual of its equations; P := P + w h L_q, q1 := q + w h
 * u. */
CST_INLINE void first_point(const cst_context *C, struct local *L, int j, const vd *u, vd *f,
                            vd *size) {
  const vd w = PART(j, 0);
  vd       Lv[ROOM(NQ)], Lq[ROOM(NQ)];
  SET_TIME(L, TIME_LEFT(L, j));
  POINT_Lv(L->c, L->q, u, L->T, Lv);
  force_at(C, L->c, L->q, u, L->T, Lq);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    const vd part = w * Lq[i];
    f[i] = (Lv[i] - L->p1[i]) - part;
    *size = vmax(vmax(vabs(Lv[i]), vabs(part)), *size);
    L->p1[i] += part;
    L->q1[i] += w * u[i];
  }
}

/* The last point, at x: T1 there, and L_q unless the point is at the right end. f: the residual of its
 * equations; q1 := q1 + w h u. */
CST_INLINE void last_point(const cst_context *C, struct local *L, int j, const vd *u, vd *f,
                           vd *size) {
  const vd w = LAST_PART(j);
  vd       Lv[ROOM(NQ)];
  SET_TIME(L, TIME_POINT(L, j));
  UNROLL
  for (int i = 0; i < NQ; i++) {
    const vd end = L->q1[i] + w * u[i];
    if (IS_RIGHT(j))
      L->x[i] = end;
    else if (IS_LEFT(j))
      L->x[i] = L->q1[i];
    else
      L->x[i] = L->q1[i] + BEFORE(j) * u[i];
    L->q1[i] = end;
  }
  if (IS_LEFT(j)) {
    UNROLL
    for (int k = 0; k < NUMBERS; k++)
      L->T1[k] = L->T[k];
  } else
    INERTIA_AT(L->c, L->x, L->T1);
  POINT_Lv(L->c, L->x, u, L->T1, Lv);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    f[i] = Lv[i] - L->p1[i];
    *size = vmax(vabs(Lv[i]), *size);
  }
  if (IS_RIGHT(j))
    return;
  if (!IS_LEFT(j))
    FORCE_AT(L->c, L->x, L->T1);
  force_at(C, L->c, L->x, u, L->T1, L->Lq);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    f[i] -= BEHIND(j) * L->Lq[i];
    *size = vmax(vabs(w * L->Lq[i]), *size);
  }
}

/* All-ones in lanes where the equations for P, with the residual `off` and terms of the size `size`, are
 * satisfied to round-off. After a correction from where is_close held they are, as well as numbers allow. */
CST_INLINE vl balanced(const cst_context *C, const struct local *L, int j, const vd *x, vl met,
                       vd off, vd size) {
  const vl tiny = (vl)(off <= (8 * EPS) * size);
  vl       done = tiny | (L->was_near & (vl)(off <= 1e-12 * size));
  vl       rough = met & ~done & (vl)(off <= 1e-9 * size);
  vd       far = L->extent;
  if (!vany(rough))
    return done;
  UNROLL
  for (int i = 0; i < NQ; i++)
    far = vmax(vabs(L->q1[i]), far);
  rough &= (vl)(off * L->extent <= (512 * EPS) * (size * far));
  if (__builtin_expect(vany(rough), 0))
    done |= rough & (vl)(off <= (8 * EPS) * size + 4 * floor_of(C, L, j, x));
  return done;
}

/* All-ones in lanes where the error of the equations for P after a correction by Newton's method is far below
 * round-off. For a residual of relative size r this error is about r^2 times the change of M in the step, if
 * the coordinates move by a length of the system. */
CST_INLINE vl is_close(const cst_context *C, const struct local *L, vd off, vd size) {
  vd moved = vset(0);
  UNROLL
  for (int i = 0; i < NQ; i++)
    moved = vmax(vabs(L->q1[i] - L->q[i]), moved);
  const vd left = (off * off) * moved;
  const vd roundoff = (EPS / 16) * ((size * size) * L->extent);
  return (vl)(left <= roundoff) & (vl)(off <= 1e-6 * size);
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  vd size = vset(0), off = vset(0); /* the terms of the equations for P, and their residual */
  const int ng = POINTS * NQ;
  USES_G
  UNROLL
  for (int i = 0; i < NQ; i++) {
    L->q1[i] = L->q[i];
    L->p1[i] = L->p[i];
    size = vmax(vabs(L->p[i]), size);
    COL_G(i, a, e) {
      const vd part = L->G[e] * x[ng + a];
      L->p1[i] -= part;
      size = vmax(vabs(part), size);
    }
#if !CST_SIZED
    COL_G(i, a, e)
      if (a >= APART)
        L->p1[i] -= L->phi[e] * ((0.5 * H(j)) * L->reaction[a]);
#endif
  }
  if (POINTS == 2)
    first_point(C, L, j, x, f, &size);
  last_point(C, L, j, x + LAST * NQ, f + LAST * NQ, &size);
  UNROLL
  for (int i = 0; i < NQ; i++)
    off = vmax(vabs(f[i]), off);
  if (POINTS == 2) {
    UNROLL
    for (int i = 0; i < NQ; i++)
      off = vmax(vabs(f[NQ + i]), off);
  }
  SET_TIME(L, TIME_RIGHT(L, j));
  K_g(L->c, L->q1, f + ng);
  K_G(L->c, L->q1, L->G1);
  part_rows(C, L->G1, L->phi1, false);
  vl met = vmask(1);
  L->near = is_close(C, L, off, size);
  UNROLL
  for (int a = 0; a < NG; a++) {
    met &= cst_is_met(C, a, f[ng + a], L->G1, L->q1, L->slack);
    L->near &= cst_is_near(C, a, f[ng + a], L->G1, L->q1, L->slack);
  }
  return met & balanced(C, L, j, x, met, off, size);
}

/* rk-newton.h: implicit tableaus on stiff springs: the size of round-off and, at large steps, Newton's
 * method. Part of rk.c.
 *
 * With V = potential + stiff, M constant and f = -grad V(q) the stages solve M A_i + grad V(Q_i) = 0, Q_i = q
 * + h sum_j a_ij v + h^2 sum_l (a^2)_il A_l. Newton's matrix is 1 + h^2 (a^2)_il M^-1 Hess V(Q_i) in block
 * (i, l), dense, eliminated with pivots.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* Row and column of entry e of a Hessian, in the upper half, in the order of dVH and dVS. */
CST_INLINE int entry_row(const cst_bands *b, int e) { return b->order[b->at[e] / (b->band + 1)]; }
CST_INLINE int entry_column(const cst_bands *b, int e) {
  return b->order[b->at[e] / (b->band + 1) + b->at[e] % (b->band + 1)];
}

/* (a^2)_il */
CST_INLINE double squared(const cst_lane_layer *s, int i, int l) {
  double sum = 0;
  for (int j = 0; j < s->stages; j++)
    sum += s->a[i * s->stages + j] * s->a[j * s->stages + l];
  return sum;
}

/* x := M^-1 x */
CST_INLINE void divide_by_mass(const cst_context *C, const struct local *L, vd *x) {
  const vd *const minv = L->minv;
  if (GENERAL) {
    vd M[ROOM(NQ * NQ)];
    cst_inertia(C, L->c, L->q, M);
    cst_lu_solve(M, x, NQ);
    return;
  }
  for (int i = 0; i < NQ; i++)
    x[i] *= MINV(i);
}

/* |a^2|, the largest row sum. */
CST_INLINE double norm_of_square(const cst_lane_layer *s) {
  double most = 0;
  for (int i = 0; i < s->stages; i++) {
    double sum = 0;
    for (int l = 0; l < s->stages; l++)
      sum += fabs(squared(s, i, l));
    most = sum > most ? sum : most;
  }
  return most;
}

/* On stiff springs the round-off of q changes A by more than the round-off of A, by |M^-1| |H| |q| eps, where
 * H is the Hessian of the stiff part; updates do not become smaller. Updates are compared with a fraction of
 * this, so that much smaller ones count as converged, and somewhat larger ones as stagnating (march.h).
 * Newton's method is used in lanes in which the functional iteration would contract by less than a half, by
 * the norm of h^2 a^2 M^-1 H. */
CST_INLINE void meet_stiffness(const cst_context *C, struct local *L, int j) {
  const cst_bands *b = &C->system->bands[1];
  vd               bent[ROOM(NQ + b->n)];
  vd               A[ROOM(NQ)];
  vd               rows[ROOM(NQ)];
  vd               most = vset(0);
  vd               steep = vset(0);
  K_dVS(L->c, L->q, bent);
  for (int i = 0; i < NQ; i++) {
    rows[i] = vset(0);
    A[i] = vset(0);
  }
  for (int e = 0; e < b->n; e++) {
    const int i = entry_row(b, e);
    const int k = entry_column(b, e);
    const vd  entry = vabs(bent[NQ + e]);
    A[i] += entry * vabs(L->q[k]);
    rows[i] += entry;
    if (k != i) {
      A[k] += entry * vabs(L->q[i]);
      rows[k] += entry;
    }
  }
  divide_by_mass(C, L, A);
  divide_by_mass(C, L, rows);
  for (int i = 0; i < NQ; i++) {
    most = vmax(vabs(A[i]), most);
    steep = vmax(vabs(rows[i]), steep);
  }
  L->size = most * (1.0 / 256);
  L->newton = vmask(BY_NEWTON) & (vl)((H(j) * H(j) * norm_of_square(&OWN(j)->layer)) * steep > 0.5);
}

/* Block row i of Newton's matrix += h^2 a^2 M^-1 H, or that times M if M is full. */
static void add_stage(const cst_context *C, const struct local *L, int j, int i, const vd *bent) {
  const cst_bands      *b = &C->system->bands[0];
  const cst_lane_layer *s = &OWN(j)->layer;
  const vd *const       minv = L->minv;
  for (int l = 0; l < s->stages; l++) {
    const vd  w = H(j) * H(j) * squared(s, i, l);
    vd *const block = L->J + (size_t)(i * NQ) * (size_t)NX + l * NQ;
    for (int e = 0; e < b->n; e++) {
      const int r = entry_row(b, e);
      const int k = entry_column(b, e);
      const vd  entry = w * bent[NQ + e];
      block[r * NX + k] += vpick(GENERAL, entry, MINV(r) * entry);
      if (k != r)
        block[k * NX + r] += vpick(GENERAL, entry, MINV(k) * entry);
    }
  }
}

/* d := the correction of the stages from the residual f; uses the V that evaluate has stored. */
static __attribute__((noinline)) void newton_direction(const cst_context *C, const struct local *L,
                                                       int j, const vd *f, vd *d) {
  vd Q[ROOM(NQ)];
  vd bent[ROOM(BENT_SIZE)];
  vd M[ROOM(GENERAL ? NQ * NQ : 1)];
  if (GENERAL) {
    vd entry[ROOM(C->system->pattern[CST_K_M].n)];
    K_M(L->c, L->q, entry);
    cst_expand(C, CST_K_M, entry, M);
  }
  for (int k = 0; k < NX * NX; k++)
    L->J[k] = vset(0);
  for (int i = 0; i < OWN(j)->layer.stages; i++) {
    stage(C, j, i, OWN(j)->layer.stages, L->q, L->V, Q);
    K_dVH(L->c, Q, bent);
    add_stage(C, L, j, i, bent);
    for (int r = 0; r < NQ; r++) {
      d[i * NQ + r] = GENERAL ? vset(0) : f[i * NQ + r];
      if (!GENERAL)
        L->J[(size_t)(i * NQ + r) * (NX + 1)] += 1.0;
      for (int k = 0; GENERAL && k < NQ; k++) {
        L->J[(size_t)(i * NQ + r) * NX + i * NQ + k] += M[r * NQ + k];
        d[i * NQ + r] += M[r * NQ + k] * f[i * NQ + k];
      }
    }
  }
  cst_pivoted_solve(L->J, d, NX);
}

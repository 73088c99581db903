/* molecules-constraints.h: the constraints of all molecules of one trajectory, in tiles: their residuals,
 * Newton's method for the impulses, and tangential momenta. Part of molecules.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

#define HM(k) s->hm[sys_molecule_class[k]]

/* S := A W B', rows in the order of elimination; symmetric: the lower half mirrors the upper one. */
CST_INLINE void fill(const molecule_set *s, const vd *A, const vd *B, int symmetric, vd S[KG][KG]) {
  CST_UNROLL
  for (int r = 0; r < KG; r++) {
    CST_UNROLL
    for (int c = 0; c < KG; c++) {
      const int mirrored = symmetric && c < r;
      const int a = sys_molecule_order[mirrored ? c : r];
      const int b = sys_molecule_order[mirrored ? r : c];
      vd        sum = vset(-0.0);
      CST_UNROLL
      for (int k = 0; k < KQ; k++) {
        const int of_a = sys_molecule_at[a * KQ + k];
        const int of_b = sys_molecule_at[b * KQ + k];
        if (of_a >= 0 && of_b >= 0)
          sum += (A[of_a] * HM(k)) * B[of_b];
      }
      S[r][c] = sum;
    }
  }
}

/* The operations of cst_band_lu. */
CST_INLINE void factor(vd S[KG][KG]) {
  CST_UNROLL
  for (int r = 0; r < KG; r++) {
    const vd inverse = 1.0 / S[r][r];
    S[r][r] = inverse;
    CST_UNROLL
    for (int i = r + 1; i < KG; i++) {
      const vd f = S[i][r] * inverse;
      S[i][r] = f;
      CST_UNROLL
      for (int c = r + 1; c < KG; c++)
        S[i][c] -= f * S[r][c];
    }
  }
}

/* x := S^-1 x behind it, with those of cst_band_solve. */
CST_INLINE void substitute(vd S[KG][KG], vd *x) {
  vd b[KG];
  CST_UNROLL
  for (int r = 0; r < KG; r++)
    b[r] = x[sys_molecule_order[r]];
  CST_UNROLL
  for (int r = 1; r < KG; r++) {
    CST_UNROLL
    for (int c = 0; c < r; c++)
      b[r] -= S[r][c] * b[c];
  }
  CST_UNROLL
  for (int r = KG - 1; r >= 0; r--) {
    CST_UNROLL
    for (int c = KG - 1; c > r; c--)
      b[r] -= S[r][c] * b[c];
    b[r] *= S[r][r];
  }
  CST_UNROLL
  for (int r = 0; r < KG; r++)
    x[sys_molecule_order[r]] = b[r];
}

CST_INLINE void eliminate(vd S[KG][KG], vd *x) {
  factor(S);
  substitute(S, x);
}

/* Computes the residuals at the unknowns x. Returns whether every constraint is satisfied; sets s->near and, if
 * corrections may be bent, s->bent. */
CST_INLINE int evaluate(molecule_set *s, int may_bend, vd (*x)[KG]) {
  vl done = vmask(1);
  vl near = vmask(1);
  vl close = vmask(may_bend);
  for (int t = 0; t < TILES; t++) {
    tile *const T = &s->tile[t];
    vd          q1[KQ];
    vd          G1[KE];
    vd          f[KG];
    CST_UNROLL
    for (int k = 0; k < KQ; k++) {
      vd sum = T->pt[k];
      CST_UNROLL
      for (int a = 0; a < KG; a++) {
        const int e = sys_molecule_at[a * KQ + k];
        if (e >= 0)
          sum -= T->G[e] * x[t][a];
      }
      T->ph[k] = sum;
      q1[k] = T->q[k] + HM(k) * sum;
      T->q1[k] = q1[k];
    }
    sys_molecule_values(s->c, q1, f);
    sys_molecule_slopes(s->c, q1, G1);
    CST_UNROLL
    for (int e = 0; e < KE; e++)
      T->G1[e] = G1[e];
    CST_UNROLL
    for (int a = 0; a < KG; a++) {
      vd row = vset(0);
      vd far = vset(0);
      EACH_ENTRY(a, k, e) {
        row += vabs(G1[e]);
        far = vmax(vabs(q1[k]), far);
      }
      const vd room = (CST_ROUNDOFF * row) * (T->slack[a] + far);
      done &= (vl)(vabs(f[a]) <= room);
      near &= (vl)(vabs(0x1p-17 * f[a]) <= room);
      close &= (vl)(s->reach * vabs(f[a]) <= row * T->slack[a]);
      T->f[a] = f[a];
    }
  }
  s->bent = vany(~near) && !vany(~close);
  s->near = !vany(~near) || s->bent;
  return !vany(~done);
}

/* Adds to the correction d of a tile the one of what it leaves, with the factors S (bend.h). */
CST_INLINE void bend(const molecule_set *s, const tile *T, vd S[KG][KG], vd *d) {
  vd way[KQ], q2[KQ], G2[KE], left[KG];
  CST_UNROLL
  for (int k = 0; k < KQ; k++) {
    vd sum = vset(-0.0);
    CST_UNROLL
    for (int a = 0; a < KG; a++) {
      const int e = sys_molecule_at[a * KQ + k];
      if (e >= 0)
        sum += T->G[e] * d[a];
    }
    way[k] = HM(k) * sum;
    q2[k] = T->q1[k] - way[k];
  }
  sys_molecule_slopes(s->c, q2, G2);
  CST_UNROLL
  for (int a = 0; a < KG; a++) {
    vd sum = vset(-0.0);
    EACH_ENTRY(a, k, e)
      sum += (T->G1[e] - G2[e]) * way[k];
    left[a] = 0.5 * sum;
  }
  substitute(S, left);
  CST_UNROLL
  for (int a = 0; a < KG; a++)
    d[a] += left[a];
}

static double largest(vd x) {
  double most = x[0];
  for (int l = 1; l < CST_W; l++)
    most = x[l] > most ? x[l] : most;
  return most;
}

/* x += Newton's correction, unless `only_look`; *of and *size are the sizes of x and of the correction. Sets
 * s->sure where all pivots are positive, or with a step h < 0 negative. */
CST_INLINE void correct(molecule_set *s, double h, int only_look, vd (*x)[KG], double *of,
                        double *size) {
  const vl flip = vmask(h < 0);
  vl       odd = vmask(0);
  vd       X = vset(0);
  vd       D = vset(0);
  for (int t = 0; t < TILES; t++) {
    tile *const T = &s->tile[t];
    vd          S[KG][KG], d[KG];
    fill(s, T->G1, T->G, 0, S);
    CST_UNROLL
    for (int a = 0; a < KG; a++)
      d[a] = T->f[a];
    eliminate(S, d);
    if (s->bent)
      bend(s, T, S, d);
    CST_UNROLL
    for (int a = 0; a < KG; a++) {
      odd |= (vl)S[a][a] ^ flip;
      x[t][a] = vpick(only_look, x[t][a], x[t][a] + d[a]);
      D = vmax(vabs(d[a]), D);
      X = vmax(vabs(x[t][a]), X);
    }
  }
  s->sure = !vany((vl)(odd < 0));
  *of = largest(X);
  *size = largest(D);
}

/* The iteration of march.h and extrapolate.h, for a step h. Returns whether it converged to the near root. */
CST_INLINE int solve(molecule_set *s, const cst_march *m, double h, int predicts, int young,
                     vd (*x)[KG]) {
  double last = INFINITY;
  double of, size;
  int    was_near = 0;
  for (int it = 0;; it++) {
    const int met = evaluate(s, predicts && !young && !m->attempt, x);
    if (met && (!predicts || was_near || it >= 2)) {
      if (it == 0)
        correct(s, h, 1, x, &of, &size);
      return s->sure;
    }
    was_near = s->near;
    if (it == m->max_iterations)
      return 0;
    correct(s, h, 0, x, &of, &size);
    s->iterations++;
    const int missed = size >= 0.98 * last && size <= 1e-12 * of;
    last = size;
    if (size <= (8 * EPS) * of || missed) {
      evaluate(s, 0, x);
      return s->sure;
    }
  }
}

/* Remove from ph its part normal to the constraints at q1. */
CST_INLINE void make_tangent(const molecule_set *s, tile *T) {
  vd S[KG][KG], m[KG];
  fill(s, T->G1, T->G1, 1, S);
  CST_UNROLL
  for (int a = 0; a < KG; a++) {
    m[a] = vset(0);
    EACH_ENTRY(a, k, e)
      m[a] += (T->G1[e] * HM(k)) * T->ph[k];
  }
  eliminate(S, m);
  CST_UNROLL
  for (int a = 0; a < KG; a++) {
    T->impulse[a] += m[a];
    EACH_ENTRY(a, k, e)
      T->ph[k] -= T->G1[e] * m[a];
  }
}

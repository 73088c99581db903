/* lie-newton.h: Newton's correction of lie.h: the linearised drift, piece by piece for each body, and what
 * couples the bodies. Included only by lie.h, which defines the notation and the unknowns.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

#ifdef AXES
/* J[9] := the inverse of the derivative of (dR tau^-1_x)* I x = Y + phi^Y/2 + phi (phi.Y)/4, Y = B'I x, with
 * respect to x: dY = B'(I dx - (D2phi dx)'Y), dphi = A dx. */
static vl slope(const cst_context *C, const struct local *L, int b, const drift *t, const vd *x,
                vd *J) {
  const vd *I = L->I + 9 * b, *phi = t->phi;
  vd        Ix[3], Y[3];
  times(I, PRINCIPAL, x, Ix);
  drift_carry(t, Ix, Y);
  for (int m = 0; m < 3; m++) {
    vd       y[3], dY[3], dphi[3], z[3], twist[3];
    const vd along = cst_dot(phi, Y);
    for (int k = 0; k < 3; k++) {
      y[k] = I[3 * k + m];
      for (int i = 0; i < 3; i++)
        y[k] -= t->H[9 * i + 3 * k + m] * Y[i];
      dphi[k] = t->A[3 * k + m];
    }
    drift_carry(t, y, dY);
    cst_lift(&t->cayley, 0, phi, dY, z);
    cst_cross(dphi, Y, twist);
    for (int i = 0; i < 3; i++)
      J[3 * i + m] = z[i] + 0.5 * twist[i] + 0.25 * (dphi[i] * along + phi[i] * cst_dot(dphi, Y));
  }
  return invert(J);
}
#else
/* J[9] := the inverse of the derivative of (dR tau^-1_x)* I x with respect to x, I + (x^ I - (I x)^)/2 + c1
 * (x.Ix + 2 x (I x)') and the terms of the exponential. */
CST_INLINE vl slope(const cst_context *C, const struct local *L, int b, const cst_retraction *t,
                    const vd *x, vd *J) {
  const vd *I = L->I + 9 * b;
  vd        Ix[3];
  times(I, PRINCIPAL, x, Ix);
  const vd along = t->c1 * cst_dot(x, Ix);
  CST_UNROLL
  for (int k = 0; k < 3; k++) {
    const int m = (k + 1) % 3;
    const int n = (k + 2) % 3;
    vd        column[3] = {I[k], I[3 + k], I[6 + k]};
    vd        turned[3];
    if (PRINCIPAL) {
      turned[k] = vset(0);
      turned[m] = x[n] * column[k];
      turned[n] = -x[m] * column[k];
    } else
      cst_cross(x, column, turned);
    turned[m] -= Ix[n];
    turned[n] += Ix[m]; /* e_k cross I x */
    J[3 * k + k] = vpick(PRINCIPAL, column[k] + along, (column[k] + along) + 0.5 * turned[k]);
    J[3 * m + k] = vpick(PRINCIPAL, 0.5 * turned[m], column[m] + 0.5 * turned[m]);
    J[3 * n + k] = vpick(PRINCIPAL, 0.5 * turned[n], column[n] + 0.5 * turned[n]);
    CST_UNROLL
    for (int i = 0; i < 3; i++)
      J[3 * i + k] += (2 * t->c1) * (x[i] * Ix[k]);
  }
  if (EXPONENTIAL) {
    const vd off = t->off;
    const vd bend = t->dc * cst_dot(x, Ix);
    const vd fall = t->fall;
    CST_UNROLL
    for (int i = 0; i < 3; i++) {
      const vd w = 2 * (bend * x[i] - fall * Ix[i]);
      CST_UNROLL
      for (int k = 0; k < 3; k++)
        J[3 * i + k] += w * x[k] - off * I[3 * i + k];
    }
  }
  return invert(J);
}
#endif

/* One piece of the linearised drift: d := its change of x for a change da of its momentum and what its
 * equation leaves, -f (NULL: nothing); da becomes the change of the momentum behind the piece, eta that of
 * the end's rotation. b: the momentum behind the piece. None of da and eta is there where `from` is 0. */
CST_INLINE void follow(const cst_context *C, const vd *J, const DRIFT *t, vd h, const vd *x,
                       const vd *b, const vd *f, int from, vd *d, vd *da, vd *eta) {
  vd left[3], turn[3];
  CST_UNROLL
  for (int i = 0; i < 3; i++) {
    const vd gone = f ? f[i] : vset(0);
    left[i] = vpick(from, vpick(f != NULL, h * da[i] - gone, h * da[i]), -gone);
  }
  times(J, 0, left, d);
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    turn[i] = d[i];
  DRIFT_TANGENT(t, x, turn);
  if (from) {
    DRIFT_TURN(t, x, da);
    cst_add_cross(b, turn, da);
  } else {
    cst_cross(b, turn, da);
  }
  DRIFT_TURN(t, x, eta);
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    eta[i] += turn[i];
}

/* All pieces of body b, from a change da of its momentum or from none: d[3 PIECES], eta[3]. */
CST_INLINE void follow_all(const cst_context *C, const struct local *L, int j, int b, const vd *J,
                           const vd *x, const vd *f, int from, vd *d, vd *da, vd *eta) {
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    eta[i] = vset(0);
  CST_UNROLL
  for (int r = 0; r < PIECES; r++)
    follow(C, J + 9 * r, piece(C, L, b, r), H(j) / PIECES, X(b) + 3 * r,
           L->b + 3 * (PIECES * b + r), f ? f + 3 * r : NULL, from || r > 0, d + 3 * r, da, eta);
}

CST_INLINE vl slopes(const cst_context *C, const struct local *L, int b, const vd *x, vd *J) {
  vl odd = vmask(0);
  CST_UNROLL
  for (int r = 0; r < PIECES; r++)
    odd |= slope(C, L, b, piece(C, L, b, r), X(b) + 3 * r, J + 9 * r);
  return odd;
}

/* K[9] := the rotation of the end of body b by row for a change of its momentum. */
CST_INLINE void compliance(const cst_context *C, const struct local *L, int j, int b, const vd *J,
                           const vd *x, vd *K) {
  vd y[3 * PIECES];
  vd turn[3];
  for (int i = 0; i < 3; i++) {
    vd unit[3] = {vset(i == 0), vset(i == 1), vset(i == 2)};
    follow_all(C, L, j, b, J, x, NULL, 1, y, unit, turn);
    CST_UNROLL
    for (int k = 0; k < 3; k++)
      K[3 * k + i] = turn[k];
  }
}

#if !CST_SIZED && !defined(STAGE)
static void multiply(const cst_context *C, struct local *L, int j, const vd *x, int lane,
                     cst_determinant *D) {
  const cst_context view = view_of(C);
  vd                K[ROOM(9 * NB)];
  vd                S[ROOM(JOINTS->view.gram.size)];
  for (int b = 0; b < NB; b++) {
    vd              J[9 * PIECES];
    cst_determinant inverse = {1, 0};
    slopes(C, L, b, x, J);
    compliance(C, L, j, b, J, x, K + 9 * b);
    for (int r = 0; r < PIECES; r++)
      cst_determinant_of(J + 9 * r, 3, lane, &inverse);
    cst_determinant_times(D, 1 / inverse.mantissa);
    D->exponent -= inverse.exponent;
  }
  reduce_joints(C, L, L->q1, L->G1);
  fill_complement(C, L, j, L->G1, K, S);
  cst_gram_multiply(&view, S, H(j), lane, D);
}
#endif

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  vd *l = d + 3 * PIECES * NB;
  vd  K[ROOM(NU ? 9 * NB : 0)];
  vd  eta[ROOM(3 * NB)];
  vd  J[9 * PIECES];
  vd  dl[ROOM(NZ)];
  vd  turn[3];
  vl  odd = vmask(0);
  UNROLL
  for (int k = 0; k < NZ; k++)
    dl[k] = vset(0);
  UNROLL
  for (int b = 0; b < NB; b++) {
    vd da[3];
    odd |= slopes(C, L, b, x, J);
    follow_all(C, L, j, b, J, x, f + 3 * PIECES * b, 0, d + 3 * PIECES * b, da, eta + 3 * b);
    if (NU > 0)
      compliance(C, L, j, b, J, x, K + 9 * b);
  }
  if (NU == 0)
    return;
  for (int k = 0; k < NU; k++)
    l[k] = f[3 * PIECES * NB + k];
  reduce_joints(C, L, L->q1, L->G1);
  couple(C, L, j, K, eta, l);
  L->sure &= (vl)(odd >= 0);
  add_joints(C, L->G, l, dl);
  for (int b = 0; b < NB; b++) {
    slopes(C, L, b, x, J);
    follow_all(C, L, j, b, J, x, f + 3 * PIECES * b, 1, d + 3 * PIECES * b, dl + 3 * b, turn);
  }
}

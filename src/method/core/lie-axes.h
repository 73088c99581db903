/* lie-axes.h: retractions of rotations from text that need not treat all axes alike, in lie.h: tau(x) = cay(phi(x)),
 * phi(0) = 0, D phi(0) = 1 (method/tau.h). Included only by lie.h.
 *
 *   dR tau_x = dR cay_phi D phi,  (dR tau^-1_x)* y = (dR cay^-1_phi)* D phi'^-1 y,  dL tau_x = dL cay_phi D phi
 *
 * tau(-x) is in general not the inverse of tau(x). The adjoint of a drift by tau is that by tau(-x)^-1, which
 * has -phi(-x) in place of phi(x): `reversed`, of the force at the right end and of the second of two pieces.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* phi at one x, its Cayley map, A = D phi, B = A^-1, and H[i][k][m] = d2 phi_i / dx_k dx_m. */
typedef struct {
  cst_retraction cayley;
  vd             phi[3], A[9], B[9], H[27];
} drift;
#define DRIFT drift

#define DRIFT_TURN(t, x, y)    cst_turn(&(t)->cayley, (t)->phi, y)
#define DRIFT_LIFT(t, x, y, z) drift_lift(t, y, z)
#define DRIFT_TANGENT(t, x, y) drift_tangent(t, y)
#define DRIFT_SIZE(t)          ((t)->cayley.s)

/* z := A'^-1 y */
CST_INLINE void drift_carry(const drift *t, const vd *y, vd *z) {
  for (int i = 0; i < 3; i++)
    z[i] = t->B[i] * y[0] + t->B[3 + i] * y[1] + t->B[6 + i] * y[2];
}

CST_INLINE void drift_lift(const drift *t, const vd *y, vd *z) {
  vd Y[3];
  drift_carry(t, y, Y);
  cst_lift(&t->cayley, 0, t->phi, Y, z);
}

CST_INLINE void drift_tangent(const drift *t, vd *y) {
  vd z[3];
  for (int i = 0; i < 3; i++)
    z[i] = t->A[3 * i] * y[0] + t->A[3 * i + 1] * y[1] + t->A[3 * i + 2] * y[2];
  cst_tangent(&t->cayley, 0, t->phi, z);
  for (int i = 0; i < 3; i++)
    y[i] = z[i];
}

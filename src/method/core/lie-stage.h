/* lie-stage.h: lane code of lie.h for a force that acts inside the drift, at R0 tau(theta x) and at the
 * fraction theta of the way of the ordinary coordinates. With F the force there, by variations in the axes
 * of R0,
 *
 *   a0 = alpha0 - h (F - K) - G(q0)'L,   R1 alpha1 = R0 (a0 - h K) before G(q1)'m
 *   K = theta (dR tau^-1_x)* (dR tau_(theta x))* F,   K = theta F for the ordinary coordinates
 *
 * of L_d = h L(R0 tau(theta x), xi). L->F and L->K hold F and K. Included only by lie.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define THETA(j) (OWN(j)->w1)

/* a: the momenta behind the impulse without the force. The ordinary coordinates of the stage follow from
 * the force there: a lane ends this iteration by itself. Returns the lanes in which it has ended. */
static vl find_stage(const cst_context *C, struct local *L, int j, const vd *a) {
  enum { MOST = 60 };
  const vd h = H(j);
  vl       active = vmask(1);
  vd       p[ROOM(NO)], v[ROOM(NO)];
  for (int it = 0; it < MOST; it++) {
    const vd left = h * (it > 0 ? 1 - THETA(j) : 0);
    for (int k = 0; k < NO; k++)
      p[k] = a[3 * NB + k] - left * L->F[3 * NB + k];
    velocities(C, L, p, v);
    vd change = vset(0), size = vset(0);
    for (int k = 0; k < NO; k++) {
      vd      *at = L->q1 + ORDINARY(k);
      const vd to = L->q[ORDINARY(k)] + (THETA(j) * h) * v[k];
      change = vmax(vkeep(vmask(it > 0), vabs(to - *at)), change);
      size = vmax(vabs(to), size);
      *at = it ? vselect(active, to, *at) : to;
    }
    if (it > 0)
      active &= (vl)(change > (2 * EPS) * size);
    load_force(C, L, L->q1);
    if (NO == 0 || !vany(active))
      return vmask(1);
  }
  return ~active;
}

/* a -= h (F - K) */
CST_INLINE vl act_inside(const cst_context *C, struct local *L, int j, const vd *x, vd *a) {
  const double theta = THETA(j);
  vd           free[ROOM(NZ)];
  for (int k = 0; k < NZ; k++)
    free[k] = a[k];
  add_joints(C, L->G, x + 3 * PIECES * NB, free);
  for (int b = 0; b < NB; b++) {
    vd y[3], *R = L->q1 + ROTATION(b);
    for (int i = 0; i < 3; i++)
      y[i] = theta * X(b)[i];
    const cst_retraction t = retraction(C, y);
    for (int e = 0; e < 9; e++)
      R[e] = L->q[ROTATION(b) + e];
    for (int k = 0; k < 3; k++)
      cst_turn(&t, y, R + 3 * k);
  }
  const vl found = find_stage(C, L, j, free);
  for (int b = 0; b < NB; b++) {
    vd y[3], back[3], z[3], *F = L->F + 3 * b;
    for (int i = 0; i < 3; i++) {
      y[i] = theta * X(b)[i];
      back[i] = -y[i];
    }
    const cst_retraction t = retraction(C, y), whole = retraction(C, X(b));
    cst_turn(&t, back, F);
    for (int i = 0; i < 3; i++)
      z[i] = F[i];
    cst_tangent(&t, EXPONENTIAL, y, z);
    cst_lift(&whole, EXPONENTIAL, X(b), z, L->K + 3 * b);
    for (int i = 0; i < 3; i++)
      L->K[3 * b + i] *= theta;
  }
  for (int k = 0; k < NZ; k++) {
    if (k >= 3 * NB)
      L->K[k] = theta * L->F[k];
    a[k] -= H(j) * (L->F[k] - L->K[k]);
  }
  return found;
}

/* lie-motion.c: the core of the methods on SE(3)^k x R^m by the exponential, group=se3: the turn of a body and
 * the displacement of its centre are one motion, and the force acts inside the drift at theta.
 *
 * With left-trivialised momenta a = (I omega, m R'c') and x = h (omega, u), for L_d = h L(g0 exp(theta x), x/h):
 *
 *   a = alpha0 - h (F - K),  (dR exp^-1_x)* (I w, m u) = h a,  g1 = g0 exp(x),  alpha1 = Ad* (a - h K)
 *   K = theta (dR exp^-1_x)* (dR exp_(theta x))* F,   F the wrench at g0 exp(theta x), in the axes of g0
 *
 * se(3) is so(3) over dual numbers, x = w + e u: the maps of rotation.h at w, and their derivatives along u.
 * With D(w)' = (dR exp^-1_w)* of rotation.h and E = its derivative along u,
 *
 *   (dR exp^-1_x)* (y, z) = (D(w)'y + E'z, D(w)'z),   g0 exp(x) = (R0 exp(w), c0 + R0 (dR exp_w) u)
 *
 * Ad* leaves the momenta about the origin in space axes, m c' and R I omega + c x m c', as they are; they
 * lose h times the wrench. So neither the residual of the equations nor K enters them. Other coordinates
 * drift on lines. Newton's matrix is that of the drift, six rows a body, without the second derivative of E
 * along w; the iteration contracts by theta (1-theta) h^2 |V''|. There are no joints and no explicit time.
 * Source: Barbero-Linan, Martin de Diego, Sato Martin de Almagro, sections 3 and 6.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE   lie_motion
#define PIECES 1
#define STAGE
#define MOTION
#define CST_ROW_NAME "lie-motion"
#define CONVERGES_LINEARLY
#include "method/core/lie-data.h"
#ifdef CST_W
#include "core/dense.h"
#include "core/rotation.h"
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "method/core/time.h"
#include "method/core/lie-parts.h"
#undef NX
#undef SPLIT_AT
#define NX        NZ
#define CENTRE(b) (JOINTS->centre[b])
#define THETA(j)  (OWN(j)->w1)
/* The entries of an array by variations that belong to the centre of body b, which has one. */
#define OF_CENTRE(y, b) ((y) + 3 * NB + CENTRE(b))

#include "method/core/lie-motion.h"

CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  L->c = cst_block(record, at.c);
  cst_load(L->q, record, at.q, NQ);
  cst_load(L->impulse, record, at.impulse, NG);
  load_inertia(C, L);
  load_masses(C, L, record);
  load_turning(C, L, record);
  for (int k = 0; k < NO; k++)
    L->p[3 * NB + k] = cst_block(record, at.p)[ORDINARY(k)];
}

/* The drift starts from the momenta of the state. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  const vd h = H(j);
  for (int k = 0; k < NG && j == 0 && MARCH->opens; k++)
    L->impulse[k] = vset(0);
  for (int k = 3 * NB; k < NZ; k++)
    L->pt[k] = L->p[k];
  for (int b = 0; b < NB; b++) {
    const vd *R = L->q + ROTATION(b);
    vd       *a = L->pt + 3 * b, y[3], z[3];
    to_body(R, L->p + 3 * b, a);
    if (CENTRE(b) >= 0)
      to_body(R, OF_CENTRE(L->p, b), OF_CENTRE(L->pt, b));
    times(L->W + 9 * b, PRINCIPAL, a, y);
    cst_cross(y, a, z);
    for (int i = 0; i < 3; i++)
      z[i] = h * (a[i] - (0.5 * h) * z[i]);
    times(L->W + 9 * b, PRINCIPAL, z, x + 3 * b);
  }
  for (int k = 0; k < NO; k++)
    x[3 * NB + k] = h * (inverse_mass(C, L, k) * L->pt[3 * NB + k]);
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const vd h = H(j);
  vl       done = vmask(1);
  reach(C, L, x, THETA(j), L->q1);
  load_force(C, L, L->q1);
  act_inside(C, L, j, x);
  for (int k = 0; k < NZ; k++)
    L->a[k] = L->pt[k] - h * (L->F[k] - L->K[k]);
  for (int b = 0; b < NB; b++)
    done &= remainder_of(C, L, h, b, x, f);
  for (int k = 0; k < NO; k++) {
    const vd y = x[3 * NB + k], mass = 1.0 / inverse_mass(C, L, k);
    if (is_plain(C, k))
      f[3 * NB + k] = mass * y - h * L->a[3 * NB + k];
    const vd size =
        vmax(vabs(mass * y), h * (vabs(L->pt[3 * NB + k]) + vabs(h * L->F[3 * NB + k])));
    if (is_plain(C, k))
      done &= (vl)(vabs(f[3 * NB + k]) <= (4 * EPS) * size);
  }
  return done;
}

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  (void)j;
  for (int b = 0; b < NB; b++)
    correct_body(C, L, b, x, f, d);
  for (int k = 0; k < NO; k++)
    if (is_plain(C, k))
      d[3 * NB + k] = -(inverse_mass(C, L, k) * f[3 * NB + k]);
}

/* The momenta lose h times the wrench of the last evaluation, which stands in L->F and, of the centres, in
 * L->dV. */
CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd h = H(j);
  for (int k = 0; k < NO; k++)
    L->p[3 * NB + k] -= h * L->dV[ORDINARY(k)];
  for (int b = 0; b < NB; b++) {
    vd torque[3];
    to_space(L->q + ROTATION(b), L->F + 3 * b, torque);
    for (int i = 0; i < 3; i++)
      L->p[3 * b + i] -= h * torque[i];
  }
  reach(C, L, x, 1, L->q1);
  for (int b = 0; b < NB; b++) {
    vd moved[3], lever[3];
    cst_orthogonalize(L->q1 + ROTATION(b));
    if (CENTRE(b) < 0)
      continue;
    for (int i = 0; i < 3; i++) {
      const int at = ORDINARY(CENTRE(b) + i);
      moved[i] = L->q1[at] - L->q[at];
    }
    cst_cross(moved, OF_CENTRE(L->p, b), lever);
    for (int i = 0; i < 3; i++)
      L->p[3 * b + i] -= lever[i];
  }
  CST_TAKE(L->q, L->q1, NQ);
}

CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  const cst_layout at = LAYOUT(C);
  cst_store(record, at.q, L->q, NQ);
  cst_store(record, OWN(0)->turning, L->p, 3 * NB);
  ambient_momenta(C, L, (vd *)record + at.p);
  cst_store(record, at.impulse, L->impulse, NG);
}

#define KEEPS_TRAIL
#define TRAIL_MOMENTA(C, L, read, p) (read) ? ambient_momenta(C, L, p) : (void)0
#include "method/core/march.h"
#else
#include "method/core/lie-row.h"

cst_substep cst_lie_motion(double fraction, double theta) {
  return cst_substep_of(&row, fraction, &(struct parameters){1 - theta, theta, 1, NULL});
}
#endif

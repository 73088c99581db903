/* kick.h: shared by the rows that use the kick core: expansion and properties of methods with forces at the
 * ends of a drift. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_KICK_H
#define CST_KICK_H
#include "method/method.h"
#include "method/substep.h"

static inline void cst_kick_add(cst_program *p, double fraction, double w0, double w1,
                                int tangent) {
  cst_program_add(p, cst_kick(fraction, w0, w1, tangent));
}

/* Properties of a variational method that keeps both constraints: symplectic, momentum-preserving; `order` 1
 * or 2, symmetric if 2. If a symmetry has a gauge, momenta are not claimed: the discrete Lagrangian changes
 * by more than a difference of the gauge. */
static inline cst_properties cst_variational(int order, const cst_system *s) {
  return (cst_properties){.order_q = order,
                          .order_p = order,
                          .order_lambda = order,
                          .claims = CST_CLAIM_SYMPLECTIC | CST_CLAIM_POSITIONS |
                                    CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED |
                                    (order == 2 ? CST_CLAIM_SYMMETRIC : 0) |
                                    (cst_system_is_gauged(s) ? 0 : CST_CLAIM_MOMENTUM),
                          .lambda_time = 0.5,
                          .own_lambda = true};
}
#endif

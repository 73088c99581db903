/* time.h: lane code: the time and the accounts of systems that have them, for cores that step such systems.
 *
 * The core defines USES_STEP, has `vl step` and `const vd *c` in its struct local, and in LOCAL a field
 * own[npar] for the parameters; the last ones are the time and the accounts. SET_TIME
 * precedes a kernel that depends on the time, cst_gather integrates the accounts, and leave uses
 * STORE_ACCOUNTS.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_TIME_H
#define CST_CORE_TIME_H
#define CST_TIME_FIELD(X) X(own, TIMED ? NPAR : 0, TIME)

/* The time at which substep j of the step begins. */
#define START_OF(L, j)                                                                             \
  (ORIGIN + (__builtin_convertvector((L)->step - SINCE, vd) * WHOLE(j) + START(j)))

#define SET_TIME(L, t)                                                                             \
  do {                                                                                             \
    if (TIMED)                                                                                     \
      (L)->own[ACCOUNT - 1] = (t);                                                                 \
  } while (0)

/* own[account] += weight times the powers at (q, v) with the multipliers l, at the time of SET_TIME; l is read
 * only if a constraint depends on the time, or a force on multipliers. */
CST_INLINE void cst_gather(const cst_context *C, vd *own, vd weight, const vd *q, const vd *v,
                           const vd *l) {
  vd power[ROOM(NACCOUNT)];
  if (NACCOUNT == 0)
    return;
  K_power(own, q, v, l, power);
  for (int k = 0; k < NACCOUNT; k++)
    own[ACCOUNT + k] += weight * power[k];
}
#endif

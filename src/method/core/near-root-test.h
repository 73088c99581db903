/* near-root-test.h: part of the test of a near root (near-root.h), for cores whose fields are q, q1 and slack.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* All-ones where no coordinate of a constraint moves by more than half the length over which it bends, or
 * every constraint is quadratic. */
CST_INLINE vl has_moved_little(const cst_context *C, const struct local *L) {
  vl little = vmask(1);
  USES_G
  UNROLL
  for (int a = 0; a < NG && !QUADRATIC; a++) {
    vd moved = vset(0);
    ROW_G(a, i, e)
      moved = vmax(vabs(L->q1[i] - L->q[i]), moved);
    little &= (vl)(moved <= 0.5 * L->length[a]) | vmask(DROPPED(a));
  }
  (void)C, (void)L;
  return little;
}

/* near-root.h: which solution of its equations a step takes, for cores that SEEK_NEAR_ROOT (march.h).
 *
 * The equations of a step may have several solutions: a line meets a circle twice. The step is the nearby solution:
 * that on the branch that leaves q1 = q0 at the step 0 and is continued in the step, up to the first
 * singular matrix of Newton's method. It does not depend on where an iteration starts.
 *
 * Accepted at once is a root whose impulses have a matrix S, that of their equations after the elimination of
 * all other unknowns, with positive pivots, while the matrices eliminated before have positive pivots too. (S
 * = h G1 M^-1 G0'; with a mass or a force at other points than q0, h G1 M^-1 B^-1 G0', where B -> 1 for h ->
 * 0. Signs are those for h -> 0.) The matrix is the one that was factored last; an iteration that begins at
 * the root forms it for this. Where more than one correction was necessary, the start tells nothing, and
 *   - the symmetric part of S must be positive definite, if S is no band. If g is quadratic, there is no second
 *     such root: g(L) - g(L') = -(1/2) h (G1(L) + G1(L')) M^-1 G0' (L - L'). Where bodies are much lighter than
 *     others it is not, at steps that are small for every motion; S may then also have changed so little since
 *     the start of the step that nothing between is singular (cst_dense_is_close).
 *   - no coordinate of a constraint of higher degree may move by more than half the length L_j over which it
 *     bends, and none on which the mass depends by more than half the system's.
 * Lanes with other roots fail and are stepped again by the generic core (stepper-march.c), first from the
 * unknowns of the last step, and then by continuation (near-root.c).
 *
 * A core that SEEKS_NEAR_ROOT has `vl sure` and `int strict` in its struct local; direction sets sure by
 * these tests, those of more than one correction if strict. In generic code it defines
 *   restart(C, L, j, x)                  the fields that depend on the step's length; x := unknowns that do not
 *                                        depend on earlier steps
 *   multiply(C, L, j, x, lane, D)        D := D times the determinant of Newton's matrix at the x of the last
 *                                        evaluation in this lane, up to a factor that the step does not change
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_NEAR_ROOT_H
#define CST_CORE_NEAR_ROOT_H
#include "method/core/lane.h"
#include "system/lane/gram.h"

/* All-ones where no coordinate of a constraint moves by more than half the length over which it bends, or
 * every constraint is quadratic. */
CST_INLINE vl cst_has_moved_little(const cst_context *C, const vd *q, const vd *q1,
                                   const vd *length) {
  vl little = vmask(1);
  USES_G
  UNROLL
  for (int a = 0; a < NG && !QUADRATIC; a++) {
    vd moved = vset(0);
    ROW_G(a, i, e)
      moved = vmax(vabs(q1[i] - q[i]), moved);
    little &= (vl)(moved <= 0.5 * length[a]) | vmask(DROPPED(a));
  }
  (void)C, (void)q, (void)q1, (void)length;
  return little;
}

#if !CST_SIZED
/* What the continuation knows of a core: its functions, the lengths of x and of p, and fields of L. */
struct local;
typedef struct {
  void (*restart)(const cst_context *C, struct local *L, int j, vd *x);
  vl (*evaluate)(const cst_context *C, struct local *L, int j, const vd *x, vd *f);
  void (*direction)(const cst_context *C, struct local *L, int j, const vd *x, const vd *f, vd *d);
  void (*multiply)(const cst_context *C, struct local *L, int j, const vd *x, int lane,
                   cst_determinant *D);
  int       unknowns, momenta;
  const vd *q, *q1, *p, *c, *slack;
  vd       *iterations;
} cst_branch;

/* x := the nearby solutions of substep j. *ended: lanes whose branch has ended before. Returns these and those that
 * could not be continued. Each lane is continued by decisions of its own, so that its bits are its own; the
 * others only take part in the arithmetic. space [5 unknowns]: work space. */
typedef vl cst_seek(const cst_context *C, struct local *L, int j, const cst_branch *b, vd *x,
                    vd *space, vl *ended);
extern cst_seek *const CST_NAME(cst_core_near_root_generic);
#define SEEK_NEAR_ROOT CST_NAME(cst_core_near_root_generic)
#endif
#endif

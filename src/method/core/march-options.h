/* march-options.h: what a core defines before it includes march.h, and the defaults.
 *
 * A core defines CORE (its name), NX (unknowns of a substep), the fields LOCAL(X) of struct local and, all
 * CST_INLINE:
 *
 *   enter(C, L, record)            load the state and what is kept from step to step
 *   begin(C, L, j, x)              the explicit part of substep j; x has the warm start, if one is kept, and
 *                                  may be replaced
 *   vl evaluate(C, L, j, x, f)     residual f at the unknowns x; all-ones in lanes that need no further
 *                                  iteration
 *   direction(C, L, j, x, f, d)    Newton's correction: x + d
 *   finish(C, L, j, x)             end the substep; evaluate was last called with this x
 *   leave(C, L, record)            store the state
 *
 * and those of these macros that apply:
 *
 *   KEEPS_NOTHING        unknowns are of no use to the next step
 *   HAS_COMPENSATED      MARCH->compensated may be set
 *   NX_PREDICTED         this many of the unknowns, the last ones, are extrapolated from step to step;
 *                        L->near, of type vl, is then the result of cst_is_near for the residuals of evaluate
 *   PREDICTS_FREELY      all unknowns are extrapolated, whatever the iteration leaves; evaluate ends none
 *   PREDICTION(L)        the prediction of such a core from the state alone; the differences from it are
 *                        extrapolated
 *   NX_TESTED            this many of the unknowns, the first ones, tell when the iteration ends
 *   SIZE(L)              sizes with which updates of smaller unknowns are compared
 *   IS_DONE_BY_UPDATE    the iteration ends if the next update is predicted far below round-off; finish needs
 *                        no evaluation at the last x
 *   KEEPS_FIRST_MATRIX   Newton's matrix is that of the first iterate
 *   IS_EXACT             whether Newton's matrix is that of the iterate
 *   ADAPTS               whether it is in the lanes of L->slow
 *   CONVERGES_LINEARLY   no matrix is kept
 *   NP                   the length of L->p, if not NQ
 *   SPLIT_AT             a value of MARCH->stages for which sized code has a march of its own; SPLIT_ELSE: the
 *                        only other one
 *   HAS_NO_PIECES        sized code uses the pieces of the generic core, and compiles in two thirds of the time
 *   USES_STEP            L->step, of type vl, is the number of steps before this one
 *   USES_NEAR            L->was_near, of type vl, is L->near before the last correction of this substep
 *   DUE_ORDERS           this many orders of differences extrapolate the lanes for which two corrections are
 *                        due; 0: these lanes are not extrapolated
 *   FORGIVES             whether two corrections are never due in substep j
 *   BENDS                whether a correction of residuals that are small, but not near, has the second order
 *                        too (bend.h): evaluate is evaluate_only and, where a lane is not near, find_bent,
 *                        which bends none but the lanes of L->steady, extrapolated in full; evaluate_again is
 *                        evaluate_only at unknowns that a correction has changed by little
 *   REST_DIRECTION       the correction that the test of round-off makes, if not direction (round-off.h)
 *   BEGINS_WITHOUT(L)    the lanes in which begin found no solution of equations of its own; their step fails
 *   SEEKS_NEAR_ROOT      whether the equations may have other solutions than the step (near-root.h)
 *   MET_FROM, MET(C, L, a, f)   the residuals from row MET_FROM on are those of constraints; where that of number a, f, is
 *                        as small as the iteration asks
 *   BESIDE               sized code marches this many groups side by side, at most CST_BESIDE
 *   PASSING(X)           groups may be marched straight (march-straight.h): those fields of LOCAL that a step sets
 *                        before it reads them. L->c are the parameters
 *   KEEPS_TRAIL          L->q and L->p are the coordinates and momenta of the record after every step, so
 *                        that a trail of them may be kept
 *   TRAIL_MOMENTA(C, L, read, p)   momenta p[NQ] of the record in a core that keeps a trail, but other numbers in
 *                        L->p; nothing where they are not read
 *
 *   NOISE_KICK           the kick of a thermostat that this core is of
 *
 * After a substep the noise of a thermostat changes p, in cores whose L->q and L->p are the coordinates and
 * momenta of the record and whose NP is the default. Other fields of L depend on q only, or are computed
 * again.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifdef KEEPS_NOTHING
#define KEPT 0
#define ROWS 1
#else
#define KEPT NX
#define ROWS MARCH->nsub
#endif
#ifndef HAS_COMPENSATED
#define HAS_COMPENSATED 0
#endif
#ifdef NX_PREDICTED
#define PREDICTS (NX_PREDICTED > 0 && MARCH->smooth)
#define NEAR(L)  (L)->near
#else
#define NX_PREDICTED 0
#define PREDICTS     0
#define NEAR(L)      vmask(0)
#endif
#ifndef NX_TESTED
#define NX_TESTED NX
#endif
#ifdef NP
#define TAKES_NOISE 0
#else
#define TAKES_NOISE 1
#define NP          NQ
#endif
#ifndef NOISE_KICK
#define NOISE_KICK NULL
#endif
#ifndef IS_EXACT
#define IS_EXACT 0
#endif
#ifdef IS_DONE_BY_UPDATE
#define BY_UPDATE 1
#else
#define BY_UPDATE 0
#endif
#ifdef CONVERGES_LINEARLY
#define LINEAR 1
#else
#define LINEAR 0
#endif
#ifdef KEEPS_FIRST_MATRIX
#define STEADY 1
#else
#define STEADY 0
#endif
#ifndef SIZE
#define SIZE(L) vset(0)
#endif
#ifndef REST_DIRECTION
#define REST_DIRECTION direction
#endif
#ifndef BEGINS_WITHOUT
#define BEGINS_WITHOUT(L) vmask(0)
#endif
#ifndef BESIDE
#define BESIDE 1
#endif
#define EACH_GROUP(g)                                                                              \
  CST_UNROLL                                                                                       \
  for (int g = 0; g < K; g++)
#ifdef ADAPTS
#define SLOW(C, L, rate) (L)->slow = vmask(ADAPTS) & (vl)((rate) > 0.3)
#else
#define ADAPTS 0
#define SLOW(C, L, rate)
#endif

#ifndef PREDICTION
#define PREDICTION(L) NULL
#endif

#ifdef KEEPS_TRAIL
#define TRAILS 1
#else
#define TRAILS 0
#endif
#ifndef TRAIL_MOMENTA
#define TRAIL_MOMENTA(C, L, read, to) cst_store((double *)(to), 0, (L)->p, NQ)
#endif

#ifdef USES_STEP
#define SET_STEP(L, record, k) (L)->step = *(const vl *)cst_block(record, LAYOUT(C).step) + (k)
#else
#define SET_STEP(L, record, k)
#endif

#ifdef USES_NEAR
#define NEARS          1
#define SET_NEAR(L, c) (L)->was_near = (c)->was_near
#else
#define NEARS 0
#define SET_NEAR(L, c)
#endif

#ifndef FORGIVES
#define FORGIVES 0
#endif

#ifdef BENDS
#define EVALUATE_ONLY         evaluate_only
#define EVALUATE_AGAIN        evaluate_again
#define FIND_BENT(C, L, j, f) find_bent(C, L, j, f)
#define SET_BENDS(L, on)      (L)->bends = (on)
#define SET_STEADY(L, on)     (L)->steady = (on)
#else
#define EVALUATE_ONLY  evaluate
#define EVALUATE_AGAIN evaluate
#define FIND_BENT(C, L, j, f)
#define SET_BENDS(L, on)
#define SET_STEADY(L, on)
#endif

#ifdef SEEKS_NEAR_ROOT
#define SEEKS             (SEEKS_NEAR_ROOT)
#define SURE(L)           (L)->sure
#define SET_STRICT(L, on) (L)->strict = (on)
#else
#define SEEKS   0
#define SURE(L) vmask(1)
#define SET_STRICT(L, on)
#endif

#ifndef DUE_ORDERS
#define DUE_ORDERS 0
#endif

/* kick-rows.h: a kick of a long system by rows of G: what the functions read and write that are compiled
 * for the system (emit-rows.c) and called by src/method/core/kick.c.
 *
 * residual     ph := pt - G' x, q1 := q + W ph, f := g(q1), G1 := G(q1); met and near: where the
 *              constraints are satisfied and near (acceleration.h)
 * correction   d := (G1 W G')^-1 f; odd: negative where a pivot is, or where flip is set, where one is not
 * tangent      ph := ph - kick dV, d := (G1 W G1')^-1 G1 W ph, ph := ph - G1' d, impulse := impulse + x + d
 *
 * W has the weights hm by class of mass. Of entries in a row of G1 that differ by their sign alone, one is
 * written if there are all three functions. The bits are those of the loops over the pattern of G and of
 * gram.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_KICK_ROWS_H
#define CST_KICK_ROWS_H
#include "constella/lanes.h"

typedef struct {
  const vd *c;
  const vd *q;
  const vd *pt;
  const vd *hm;
  const vd *slack;
  const vd *x;
  const vd *G;
  const vd *dV;
  vd       *ph;
  vd       *q1;
  vd       *G1;
  vd       *f;
  vd       *d;
  vd       *impulse;
  vd       *work; /* of the size of G W G' */
  vd        kick;
  vl        met[2]; /* met, near */
  vl        flip, odd;
} cst_kick_rows;

/* The table `gram` of a compiled system: two kernels (gram.h), then these functions, whose `self` is the
 * structure, and what observers read (rows.h); NULL where there are none. */
enum {
  CST_GRAM_PAIRS,
  CST_GRAM_UPPER,
  CST_GRAM_RESIDUAL,
  CST_GRAM_CORRECTION,
  CST_GRAM_TANGENT,
  CST_GRAM_LOOK
};
#endif

/* kick-rows.h: a kick of a long system by rows of G: what the functions read and write that are compiled
 * for the system (emit-rows.c) and called by src/method/core/kick.c.
 *
 * residual     ph := pt - G' x, q1 := q + W ph, f := g(q1), G1 := G(q1); met: where the constraints are
 *              satisfied, near and close (acceleration.h)
 * correction   d := (G1 W G')^-1 f; odd: negative where a pivot is, or where flip is set, where one is not
 * bend         way := W G'd, q2 := q1 - way, f := 1/2 (G1 - G(q2)) way in the lanes of bent, else 0
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
  vd       *way;
  vd       *q2;
  vd        kick, reach;
  vl        met[3]; /* met, near, close */
  vl        flip, odd, bent;
} cst_kick_rows;

/* The table `gram` of a compiled system: two kernels (gram.h), then these functions, whose `self` is the
 * structure, and what observers read (rows.h); NULL where there are none. */
enum {
  CST_GRAM_PAIRS,
  CST_GRAM_UPPER,
  CST_GRAM_RESIDUAL,
  CST_GRAM_CORRECTION,
  CST_GRAM_TANGENT,
  CST_GRAM_LOOK,
  CST_GRAM_BEND
};
#endif

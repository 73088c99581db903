/* hold.h: lane code: equations for constraints on positions alone. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_HOLD_H
#define CST_CORE_HOLD_H
#include "system/lane/gram.h"

/* The equations of constraints on velocities in S x = b become 1 x = 0. S is as cst_gram_fill leaves it. */
CST_INLINE void cst_hold_velocities(const cst_context *C, vd *S, vd *b) {
  const int first = NG - NVEL;
  (void)C, (void)S, (void)b, (void)first;
#if !CST_SIZED
  const cst_gram *g = &C->system->model->gram;
  for (int k = 0; k < g->n && g->banded && NVEL > 0; k++)
    if (g->a[k] >= first || g->b[k] >= first)
      S[g->at[k]] = vset(g->a[k] == g->b[k]);
  if (g->banded) {
    for (int a = first; a < NG; a++)
      b[a] = vset(0);
    return;
  }
#endif
  for (int a = NG - NVEL; a < NG; a++) {
    for (int i = 0; i < NG; i++)
      S[a * NG + i] = S[i * NG + a] = vset(a == i);
    b[a] = vset(0);
  }
}
#endif

/* modified-lagrangian.h: the modified Lagrangian of a variational method, to order h^2.
 *
 * On L = v'M v/2 - V(q) with a constant diagonal mass and no constraints, the positions of such a method are those of
 * L~ = v'M~(q) v/2 - V~(q) up to an error of size h^4:
 *   M~ = M + 2 a h^2 V''(q),  V~ = V - b h^2 grad V' M^-1 grad V,
 * with a = -1/12, b = 1/24 for the Stoermer-Verlet method in all its forms and a = b = 1/24 for the midpoint rule
 * (Vermeeren, Modified equations for variational integrators, Numer. Math. 137 (2017) 1001, sections 3 and 6; Hairer,
 * Lubich, Wanner, Geometric Numerical Integration, IX.3 has the Hamiltonians H + h^2 (V''(v, v)/12 - |grad V|^2/24)
 * and H - h^2 (V''(v, v) + |grad V|^2)/24, which these are). Momenta are those of the method at its points:
 * p = M v = M~ v~, so that a start has v~ = v - 2 a h^2 M^-1 V'' v + O(h^4). The two forms of symplectic Euler have
 * the positions of Verlet from a start whose momentum is p - sigma h grad V; sigma is 1/2 for euler-a, -1/2 for
 * euler-b. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_MODIFIED_H
#define CST_MODIFIED_H
#include "system/system.h"

typedef struct {
  const char *method; /* its label */
  double      a, b, sigma;
} cst_modified_row;
extern const cst_modified_row cst_modified_rows[]; /* up to one without a method */

typedef struct {
  cst_graph *graph; /* that of the system with the nodes below; the input 'c'[npar] is h */
  cst_node  *mass, potential; /* [nq nq] row-major */
  cst_node **v;               /* [nstate][nq] velocities of the starts, of the parameters */
} cst_modified;

/* The reason why there is none for this system; NULL: there is. */
const char *cst_modified_refuses(const cst_system *s);
/* Owned: cst_modified_destroy. NULL where the second derivatives of V are too large. */
cst_modified *cst_modified_create(const cst_system *s, const cst_modified_row *row);
void          cst_modified_destroy(cst_modified *m, const cst_system *s);
#endif

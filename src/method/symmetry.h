/* symmetry.h: what the momentum maps of a method ask of the symmetries of a system; at its default
 * parameters. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYMMETRY_H
#define CST_SYMMETRY_H
#include "constella/system.h"

/* Whether all turn and shift without stretching, so that the Euclidean projection on g = 0 commutes with
 * them. */
bool cst_symmetry_is_rigid(const cst_system *s);
/* Whether every momentum map <p, xi> - F is quadratic in (q, p), as what Gauss collocation keeps, and belongs
 * to a symmetry of L and of each constraint function off g = 0, too. */
bool cst_symmetry_momenta_are_quadratic(const cst_system *s);
/* Whether all shift every point alike. */
bool cst_symmetry_is_translation(const cst_system *s);
#endif

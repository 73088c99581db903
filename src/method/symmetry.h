/* symmetry.h: conditions on the symmetries of a system for the momentum maps of a method, at its default
 * parameters. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYMMETRY_H
#define CST_SYMMETRY_H
#include "system/system.h"

/* Whether all symmetries are rigid motions, so that the Euclidean projection onto g = 0 commutes with them.
 */
bool cst_symmetry_is_rigid(const cst_system *s);
/* Whether every momentum map <p, xi> - F is quadratic in (q, p), as Gauss collocation requires, and belongs
 * to a symmetry of L and of each constraint function, also off g = 0. */
bool cst_symmetry_momenta_are_quadratic(const cst_system *s);
/* Whether all move the bodies that have centres by motions of space and turns in their own axes. */
bool cst_symmetry_moves_bodies(const cst_system *s);
/* Whether all turn bodies about axes of space alone. */
bool cst_symmetry_turns_space(const cst_system *s);
/* Whether all are translations. */
bool cst_symmetry_is_translation(const cst_system *s);
#endif

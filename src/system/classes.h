/* classes.h: the classes of systems for which lane code is compiled with their sizes as constants.
 * CLASS(NAME, function that tells whether a system belongs to it).
 *
 * Lane code says in a line `#define CORE_IS_FOR_NAME` for which class; the header of a system defines
 * SYS_IN_NAME as 0 or 1. USERS_CLASS: compiled for systems of users alone, and not for the catalogue. The
 * Makefile reads this file too.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USERS_CLASS
#define USERS_CLASS CLASS
#endif
/* clang-format off */
CLASS(USUAL, cst_system_is_usual)         /* a constant diagonal mass, no forces and no time */
CLASS(HOLONOMIC, cst_system_is_holonomic) /* usual, without constraints on velocities */
CLASS(SMALL, cst_system_is_small)         /* everything may be unrolled, for any mass, forces and time */
CLASS(TIED, cst_system_is_tied)           /* small and holonomic, with constraints */
CLASS(BODIES, cst_system_has_free_bodies) /* bodies without constraints of the text */
CLASS(GENERAL, cst_system_is_hot_general) /* small, with a mass that depends on the coordinates, no forces */
CLASS(MOLECULES, cst_molecules_are)       /* like molecules (system/derive/find-molecules.h) */
USERS_CLASS(USERS, cst_system_is_soft)    /* of any kind, without a stiff part of the potential */
/* clang-format on */
#undef CLASS
#undef USERS_CLASS

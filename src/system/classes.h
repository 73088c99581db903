/* classes.h: the classes of systems for which lane code is compiled with their sizes as constants.
 * CLASS(NAME, function that tells whether a system belongs to it).
 *
 * Lane code says in a line `#define CORE_IS_FOR_NAME` for which class; the header of a system defines
 * SYS_IN_NAME as 0 or 1. It is compiled when a study starts that gains by it. Cores of a CLASS serve many studies: `make
 * forms` compiles them beforehand for the catalogue (system/compile/forms.c). Cores of a RUN_TIME_CLASS take long to
 * compile or serve few studies. The Makefile reads this file too.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RUN_TIME_CLASS
#define RUN_TIME_CLASS CLASS
#endif
/* clang-format off */
CLASS(USUAL, cst_system_is_usual)         /* a constant diagonal mass, no forces and no time */
CLASS(HOLONOMIC, cst_system_is_holonomic) /* usual, without constraints on velocities */
CLASS(BODIES, cst_system_has_free_bodies) /* bodies without constraints of the text */
CLASS(MOLECULES, cst_molecules_are)       /* like molecules (system/derive/find-molecules.h) */
RUN_TIME_CLASS(UNFORCED, cst_system_is_holonomic) /* as HOLONOMIC */
RUN_TIME_CLASS(SIZED, cst_system_is_sized)         /* of any kind */
RUN_TIME_CLASS(TIED, cst_system_is_tied)           /* small and holonomic, with constraints */
RUN_TIME_CLASS(GENERAL, cst_system_is_sized_general) /* small, with a mass that depends on the coordinates, no forces */
RUN_TIME_CLASS(ANY, cst_system_is_soft)            /* of any kind, without a stiff part of the potential */
/* clang-format on */
#undef CLASS
#undef RUN_TIME_CLASS

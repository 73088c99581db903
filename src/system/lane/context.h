/* context.h: the context of a system for lane code (group.h), for one instruction set and layout of the
 * record. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CONTEXT_H
#define CST_CONTEXT_H
#include "constella/isa.h"
#include "system/internal.h"
#include "system/lane/record.h"

/* Borrows s. The record's p is kinetic, and there is no workspace; the caller sets either if needed. */
cst_context cst_context_of(const cst_system *s, int isa, cst_layout at);

/* The starts of the lanes of a group, with lanes: the projection onto the constraints
 * (cst_system_project) and the lengths of the constraints (cst_system_lengths), in the same bits. */
/* Whether lanes can do it: small systems with a constant diagonal mass, whose constraints are all independent and
 * on positions. */
bool cst_group_starts(const cst_system *s);
/* Projects the lanes of the bits `lanes`: c [npar][W], q and v [nq][W], aligned for vectors. Returns the bits of
 * those that are done. The others have any numbers in q and v: they are to be projected one by one, since their
 * starts are far away or have several points nearby, or do not exist. */
int cst_group_project(const cst_system *s, int isa, const double *c, double *q, double *v,
                      int lanes);

/* One of each row of cst_isas, cst_start_group_ISA. */
typedef int cst_start_group(const cst_system *s, int isa, const double *c, double *q, double *v,
                            int lanes);
#endif

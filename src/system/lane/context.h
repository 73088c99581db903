/* context.h: the context of a system for lane code (group.h), for one instruction set and layout of the
 * record. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CONTEXT_H
#define CST_CONTEXT_H
#include "system/lane/record.h"

/* Borrows s. The record's p is kinetic, and there is no workspace; the caller sets either if needed. */
cst_context cst_context_of(const cst_system *s, int isa, cst_layout at);
#endif

/* cores.h: finds the compiled form of a core. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORES_H
#define CST_CORES_H
#include "method/core.h"
#include "method/method.h"

/* The core for any system, of instruction set isa. */
const cst_core *cst_core_generic(cst_core_id id, int isa);
/* The one compiled for this system where there is one, else the generic one. */
const cst_core *cst_core_for(cst_core_id id, const cst_system *s, int isa);
#endif

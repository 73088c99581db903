/* orthonormal.c: chooses what orthonormalises by instruction set (see orthonormal.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/orthonormal.h"
#include "core/lane-form.h"

const cst_orthonormal *cst_orthonormal_of(int isa) { return cst_lane_form(isa, "orthonormal"); }

/* orthonormal.c: chooses what orthonormalises by instruction set (see orthonormal.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/orthonormal.h"

const cst_orthonormal *cst_orthonormal_of(int isa) {
  static const cst_orthonormal all[CST_ISA_COUNT] = {
#define X(isa, lanes) {cst_near_take_##isa, cst_near_put_##isa, cst_orthonormalise_##isa},
      CST_ISA_LIST(X)
#undef X
  };
  return &all[isa];
}

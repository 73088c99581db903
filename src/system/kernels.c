/* kernels.c: the kernels of one catalogue system over the lanes of one instruction set, as a table of functions.
 *
 * Compiled once for every system and instruction set, with CST_SYSTEM_HEADER naming the generated header.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/lanes.h"
#include "constella/system.h"
#include CST_SYSTEM_HEADER

#define X(name)                                                                                                                            \
  static void kernel_##name(const void *self, const double *c, const double *q, const double *v, const double *w, const double *u,         \
                            const double *l, double *o) {                                                                                  \
    (void)self;                                                                                                                            \
    sys_##name((const vd *)c, (const vd *)q, (const vd *)v, (const vd *)w, (const vd *)u, (const vd *)l, (vd *)o);                         \
  }
CST_KERNELS(X)
#undef X

#define TABLE CST_NAME(CST_PASTE(cst_kernels, SYS_ID))
extern cst_kernel *const TABLE[CST_K_COUNT];
cst_kernel *const        TABLE[CST_K_COUNT] = {
#define X(name) kernel_##name,
    CST_KERNELS(X)
#undef X
};

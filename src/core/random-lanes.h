/* random-lanes.h: random numbers of several lanes at once, for one instruction set (core/random-lanes.c). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RANDOM_LANES_H
#define CST_RANDOM_LANES_H
#include <stdint.h>
#include "constella/isa.h"

/* to[W] := the numbers that cst_random_normal gives for the members [W], all with substep 0, in all bits. Both are
 * aligned to 64 bytes. */
void cst_random_normals(int isa, uint64_t seed, const uint64_t *member, uint32_t purpose,
                        uint32_t component, double *to);

/* key: of the seed and the purpose, as random.c has it. One of each row of cst_isas, cst_random_lanes_ISA. */
typedef void cst_random_lanes(const uint32_t key[2], const uint64_t *member, uint32_t component,
                              double *to);
#endif

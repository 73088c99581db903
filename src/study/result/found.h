/* found.h: trajectories of which something is said once: how many there are, and the one that stands for them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FOUND_H
#define CST_FOUND_H
#include "core/error.h"
#include <stdbool.h>
#include <stddef.h>

/* What every description of such trajectories begins with. Starts as zeros. */
typedef struct {
  long count, member; /* found; and the member and case that stand for them */
  int  icase;
} cst_found;

/* Whether a comes first, whatever the rank. */
typedef bool cst_found_before(const void *a, const void *b);

/* Collective. On rank 0 fills first, of `size` bytes as mine, with that of the ranks before which no other one
 * comes, and its count with that of all ranks. */
cst_error cst_found_gather(const void *mine, size_t size, cst_found_before *before, void *first);
#endif

/* isa.h: the vectors that lane code is built for, and the choice among them at start.
 *
 * A build has one instruction set or several (`make ISAS=...`). Each set is there with all the lanes of its registers,
 * and, for what long systems and single trajectories run, with fewer lanes too: code for two lanes wastes less than code for
 * eight where one of them is in use. Bits are the same for all.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_ISA_H
#define CONSTELLA_ISA_H
#include <stddef.h>

enum { CST_ISA_MOST = 8, CST_W_MAX = 8 };

typedef struct {
  const char *name;  /* of the instruction set, as in CONSTELLA_ISA: v2, v3, v4, portable, scalar */
  int         width; /* lanes */
  int         full;  /* index of the row of the same set with all its lanes */
} cst_isa;

/* The rows of the build, cst_isa_count of them: sets in ascending order, of each set those of fewer lanes first. */
extern const cst_isa cst_isas[CST_ISA_MOST];
extern const int     cst_isa_count;

/* The index, with all lanes, of the set named in the environment variable CONSTELLA_ISA, or of the widest set of the build that
 * this CPU has. CONSTELLA_CPU=v3 takes the CPU for one that has no more than v3. -1 when a variable is wrong, the CPU lacks the
 * set or the build does; *reason (static text; reason may be NULL) then says which, what is allowed, and how to build it. */
int cst_isa_choose(const char **reason);
/* Whether this CPU can run row i. */
int cst_isa_available(int i);
/* The sets of the build: "v3, v4". Static text. */
const char *cst_isa_built(void);
#endif

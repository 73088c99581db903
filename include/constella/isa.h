/* isa.h: the instruction sets that kernels are built for, and the choice among them at start. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_ISA_H
#define CONSTELLA_ISA_H

#if defined(__x86_64__) && !defined(CST_SCALAR)
#define CST_ISA_LIST(X) X(v2, 2) X(v3, 4) X(v4, 8)
enum { CST_ISA_COUNT = 3 };
#else
#define CST_ISA_LIST(X) CST_ONLY_ISA(X)
enum { CST_ISA_COUNT = 1 };
#endif
enum { CST_W_MAX = 8 };

typedef struct {
  const char *name;  /* as in CONSTELLA_ISA */
  int         width; /* lanes */
} cst_isa;

extern const cst_isa cst_isas[CST_ISA_COUNT];

/* The index of the set named in the environment variable CONSTELLA_ISA, or of the widest one that this CPU
 * has. -1 when the name is unknown or the CPU lacks it; *reason (static text) then says which and what is
 * allowed. */
int cst_isa_choose(const char **reason);
/* Whether this CPU can run set i. */
int cst_isa_available(int i);

/* The only set: with `make scalar` one lane in plain C for debugging, on other processors four. */
#ifdef CST_SCALAR
#define CST_ONLY_ISA(X) X(scalar, 1)
#else
#define CST_ONLY_ISA(X) X(portable, 4)
#endif
#endif

/* kernels.c: what is compiled for one system and the lanes of one instruction set: its kernels as functions,
 * and a table of them and of the lane code that has them inlined.
 *
 * Compiled with CST_SYSTEM_HEADER naming the generated header: for the catalogue when the program is built,
 * for a user's system when it runs, with the fingerprint of its making in CST_OBJECT_KEY.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/lanes.h"
#include "constella/system.h"
#include "system/pairs.h"
#include CST_SYSTEM_HEADER

#define X(name)                                                                                              \
  static void kernel_##name(const void *self, const double *c, const double *q, const double *v,             \
                            const double *w, const double *u, const double *l, double *o) {                  \
    (void)self;                                                                                              \
    sys_##name((const vd *)c, (const vd *)q, (const vd *)v, (const vd *)w, (const vd *)u, (const vd *)l,     \
               (vd *)o);                                                                                     \
  }
CST_KERNELS(X)
#undef X

#if SYS_GRAM
#define X(name)                                                                                              \
  static void gram_##name(const void *self, const double *c, const double *q, const double *v,               \
                          const double *w, const double *u, const double *l, double *o) {                    \
    (void)self;                                                                                              \
    sys_##name((const vd *)c, (const vd *)q, (const vd *)v, (const vd *)w, (const vd *)u, (const vd *)l,     \
               (vd *)o);                                                                                     \
  }
X(pairs)
X(upper_pairs)
X(impulses)
X(sums)
X(drift)
#if SYS_TESTS
X(tests)
#else
#define gram_tests NULL
#endif
#undef X
static cst_kernel *const gram[] = {gram_pairs, gram_upper_pairs, gram_impulses,
                                   gram_sums,  gram_drift,       gram_tests}; /* system/rows.h */
#define GRAM {"gram", gram},
#else
#define GRAM
#endif

#ifndef CST_OBJECT_KEY
#define CST_OBJECT_KEY ""
#endif

/* The cores that are compiled with it, CST_FORM_LIST(X): X(core, prefix of its symbol). For a user's system
 * these are the cores that its methods need, CST_CHOSEN(X). For the catalogue they are in hot.list.h, which
 * the build writes: CST_HOT_LIST(X), every core that is compiled for each hot system; CST_SMALL_LIST(X),
 * those that take so long to compile that only small systems have them; CST_BODIES_LIST(X), those of bodies
 * without constraints of the text; CST_GENERAL_LIST(X), those of general systems; CST_MOLECULES_LIST(X),
 * those of like molecules. CST_NO_FORMS leaves all out, on instruction sets for which the Makefile builds
 * none. */
#ifdef CST_CHOSEN
#define CST_FORM_LIST(X) CST_CHOSEN(X)
#else
#include "hot.list.h"
#if !SYS_USUAL || defined(CST_NO_FORMS)
#undef CST_HOT_LIST
#define CST_HOT_LIST(X)
#endif
#if !SYS_SMALL || defined(CST_NO_SMALL_FORMS)
#undef CST_SMALL_LIST
#define CST_SMALL_LIST(X)
#endif
#if !SYS_FREE_BODIES || defined(CST_NO_FORMS)
#undef CST_BODIES_LIST
#define CST_BODIES_LIST(X)
#endif
#if !SYS_HOT_GENERAL || defined(CST_NO_FORMS)
#undef CST_GENERAL_LIST
#define CST_GENERAL_LIST(X)
#endif
#if !SYS_MOLECULES || defined(CST_NO_FORMS)
#undef CST_MOLECULES_LIST
#define CST_MOLECULES_LIST(X)
#endif
#define CST_FORM_LIST(X)                                                                                     \
  CST_HOT_LIST(X) CST_SMALL_LIST(X) CST_BODIES_LIST(X) CST_GENERAL_LIST(X) CST_MOLECULES_LIST(X)
#endif
#define DECLARE(core, symbol) extern const char CST_NAME(CST_PASTE(symbol, SYS_ID))[];
#define FORM(core, symbol)    {#core, CST_NAME(CST_PASTE(symbol, SYS_ID))},
CST_FORM_LIST(DECLARE)
static const cst_form forms[] = {CST_FORM_LIST(FORM) GRAM{NULL, NULL}};

#define COMPILED CST_NAME(CST_PASTE(cst_compiled, SYS_ID))
extern const cst_compiled                                 COMPILED;
__attribute__((visibility("default"))) const cst_compiled COMPILED = {
    .key = CST_OBJECT_KEY,
    .nq = SYS_NQ,
    .ng = SYS_NG,
    .npar = SYS_NPAR,
    .nsym = SYS_NSYM,
    .width = CST_W,
    .kernel =
        {
#define X(name) kernel_##name,
            CST_KERNELS(X)
#undef X
        },
    .form = forms,
};

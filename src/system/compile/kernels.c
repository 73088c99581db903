/* kernels.c: what is compiled for one system and the lanes of one instruction set: its kernels as functions,
 * and a table of them and of the lane code that has them inlined.
 *
 * Compiled with CST_SYSTEM_HEADER naming the generated header: for the catalogue when the program is built, without
 * cores; for any system when a study starts that gains by it, with the cores that it needs and the fingerprint of its
 * making in CST_OBJECT_KEY, and with CST_CORES_ONLY if it has compiled kernels.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/lanes.h"
#include "system/system.h"
#include "system/lane/kick-rows.h"
#include "system/lane/pairs.h"
#include CST_SYSTEM_HEADER

#ifndef CST_CORES_ONLY
#define X(name)                                                                                    \
  static void kernel_##name(const void *self, const double *c, const double *q, const double *v,   \
                            const double *w, const double *u, const double *l, double *o) {        \
    (void)self;                                                                                    \
    sys_##name((const vd *)c, (const vd *)q, (const vd *)v, (const vd *)w, (const vd *)u,          \
               (const vd *)l, (vd *)o);                                                            \
  }
CST_KERNELS(X)
#undef X

#if SYS_GRAM
#define X(name)                                                                                    \
  static void gram_##name(const void *self, const double *c, const double *q, const double *v,     \
                          const double *w, const double *u, const double *l, double *o) {          \
    (void)self;                                                                                    \
    sys_##name((const vd *)c, (const vd *)q, (const vd *)v, (const vd *)w, (const vd *)u,          \
               (const vd *)l, (vd *)o);                                                            \
  }
X(pairs)
X(upper_pairs)
#undef X
#define BY_ROWS(name, call)                                                                        \
  static void gram_##name(const void *self, const double *c, const double *q, const double *v,     \
                          const double *w, const double *u, const double *l, double *o) {          \
    cst_kick_rows *z = (cst_kick_rows *)self;                                                      \
    (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;                                 \
    call;                                                                                          \
  }
#if SYS_RESIDUAL
BY_ROWS(residual, sys_residual(z->c, z->q, z->pt, z->hm, z->slack, z->reach, z->x, z->G, z->ph,
                               z->q1, z->G1, z->f, z->met))
static void gram_look(const void *self, const double *c, const double *q, const double *v,
                      const double *w, const double *u, const double *l, double *o) {
  vd *to = (vd *)o;
  (void)self, (void)w, (void)u, (void)l;
  sys_look((const vd *)c, (const vd *)q, (const vd *)v, to, to + SYS_NG, to + 2 * SYS_NG,
           to + 3 * SYS_NG);
}
#else
#define gram_residual NULL
#define gram_look     NULL
#endif
#if SYS_SOLUTIONS
BY_ROWS(correction, sys_correction(z->hm, z->G1, z->G, z->f, z->d, z->work, z->flip, &z->odd))
BY_ROWS(tangent, sys_tangent(z->hm, z->G1, z->kick, z->dV, z->x, z->ph, z->impulse, z->d, z->work))
BY_ROWS(bend, sys_bend(z->c, z->hm, z->q1, z->G, z->G1, z->d, z->bent, z->way, z->q2, z->f))
#else
#define gram_correction NULL
#define gram_tangent    NULL
#define gram_bend       NULL
#endif
static cst_kernel *const gram[] = {
    gram_pairs,   gram_upper_pairs, gram_residual, gram_correction,
    gram_tangent, gram_look,        gram_bend}; /* system/lane/kick-rows.h */
#define GRAM {"gram", gram},
#else
#define GRAM
#endif
#else
#define GRAM
#endif

#ifndef CST_OBJECT_KEY
#define CST_OBJECT_KEY ""
#endif

/* The cores that are compiled with it, CST_CHOSEN(X): X(core, prefix of its symbol). */
#ifndef CST_CHOSEN
#define CST_CHOSEN(X)
#endif
#define DECLARE(core, symbol) extern const char CST_NAME(CST_PASTE(symbol, SYS_ID))[];
#define FORM(core, symbol)    {#core, CST_NAME(CST_PASTE(symbol, SYS_ID))},
CST_CHOSEN(DECLARE)
static const cst_form forms[] = {CST_CHOSEN(FORM) GRAM{NULL, NULL}};

#define COMPILED CST_NAME(CST_PASTE(cst_compiled, SYS_ID))
extern const cst_compiled                                 COMPILED;
__attribute__((visibility("default"))) const cst_compiled COMPILED = {
    .key = CST_OBJECT_KEY,
    .nq = SYS_NQ,
    .ng = SYS_NG,
    .npar = SYS_NPAR,
    .nsym = SYS_NSYM,
    .width = CST_W,
#ifndef CST_CORES_ONLY
    .kernel =
        {
#define X(name) kernel_##name,
            CST_KERNELS(X)
#undef X
        },
#endif
    .form = forms,
};

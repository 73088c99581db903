/* pushforward-newmark.c: pushforward-newmark(beta=): Newmark's method in the variable in which it is
 * symplectic.
 *
 * Variational, with L_d = h (1/2 u'M u - 1/2 sum over both ends of (beta h^2 1/2 a'M a + V(x + beta h^2 a))).
 * Its step is conjugate to Newmark's with gamma = 1/2 by x = q + beta h^2 M^-1 grad V(q). Nevertheless a run
 * starts from x = q0, and is read at x. Source: Skeel, Zhang, Schlick 1997; Marsden, West 2001; Tao, Owhadi,
 * (2.3). Arithmetic: core/pushforward.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/families.h"

typedef struct {
  double beta;
} values;

static const cst_key arguments[] = {CST_BETA(values, NULL, "pushforward-newmark(beta=0.25)"), {0}};

static void expand(const cst_term *t, cst_program *p, double fraction) {
  values x;
  cst_term_read(t, &x);
  cst_program_add(p, cst_pushforward(fraction, x.beta));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)t;
  (void)s;
  return cst_newmark_properties(2, CST_CLAIM_SYMPLECTIC | CST_CLAIM_VOLUME | CST_CLAIM_SYMMETRIC |
                                       CST_CLAIM_MOMENTUM | CST_CLAIM_BOUNDED);
}

const cst_method_row cst_method_row_pushforward_newmark = {
    .info = {.name = "pushforward-newmark",
             .doc = "Newmark's method, conjugated to be symplectic; implicit, on systems without "
                    "constraints.",
             .equations =
                 "x1 = x0 + h v0 + h^2/2 a0,  v1 = v0 + h/2 (a0 + a1),  M a = -dV(x + beta h^2 a)",
             .notes = "Linearly stable for every h if beta >= 1/4.",
             .source =
                 "Skeel, Zhang, Schlick, SIAM J. Sci. Comput. 18 (1997) 203; Tao, Owhadi, IMA J. "
                 "Numer. Anal. (2016), (2.3)",
             .signature = "pushforward-newmark(beta=)",
             .example = "pushforward-newmark(beta=0.25)"},
    .arguments = arguments,
    .fits = cst_newmark_fits,
    .properties = properties,
    .expand = expand,
};

/* iota.h: projections on the constraints along fibres of the user from text, for convert(LAYER, iota=): points
 * iota(q, theta) of R^n with iota(q, 0) = q; P(d) is the q with d = iota(q, theta) and g(q) = 0 (Patrick, Cuell,
 * Spiteri, Zhang, section 3, Stage 3).
 *
 * The two conditions of the source are checked by differentiation: iota(q, 0) = q at sample points when the
 * text is read, and at the states of a system that the columns of D_theta iota(q, 0) are a complement of ker
 * G, i.e. G D_theta iota is regular.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_IOTA_H
#define CST_IOTA_H
#include "constella/system.h"
#include "expr/define.h"
#include "method/lane-iota.h"
#include "method/substep.h"

/* What it is made of. */
typedef struct {
  int n; /* texts, with names q[i], theta[k]; 0: one, with names q, theta, for every coordinate */
  const char *const    *fibre;
  const cst_definition *define; /* names without arguments, which the texts may use */
  int                   ndefine;
} cst_iota_texts;

typedef struct cst_iota cst_iota;

/* That of these texts; NULL if they are none, with *error filled for text number *entry (-1: a definition).
 * Borrowed: it lives as long as the program, and equal texts give the same one. */
const cst_iota *cst_iota_make(const cst_iota_texts *texts, int *entry, cst_expr_error *error);
/* {fibre: ...}. Owned. */
char *cst_iota_text(const cst_iota *x);

/* Whether it is a projection on the constraints of s; false with why[n] filled if not. */
bool cst_iota_fits(const cst_iota *x, const cst_system *s, char *why, int n);
/* Its formulas over lanes, made on first use and owned by the stepper. */
cst_error cst_iota_bind(const cst_lane_binding *b, const cst_iota *x, const cst_lane_iota **to);
#endif

/* newmark.h: what the methods of Newmark's family share: their arguments, the systems that they step, their
 * claims. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_NEWMARK_H
#define CST_NEWMARK_H
#include <stdio.h>
#include <string.h>
#include "method/method.h"
#include "method/substeps.h"
#include "method/symmetry.h"

/* Whether every argument of t has one of the keys, and none stands twice. */
bool cst_newmark_keys(const cst_term *t, const char *const *keys, cst_expr_error *e);
/* Whether beta is a number from 0 on, and is there where it is required. */
bool cst_newmark_check_beta(const cst_term *t, bool required, cst_expr_error *e);
/* The number under `key`, or what it is where it is left out. */
double cst_newmark_number(const cst_term *t, const char *key, double otherwise);
/* Whether s has no constraints, a constant mass and no a(q). */
bool           cst_newmark_fits(const cst_term *t, const cst_system *s, char *why, int n);
cst_properties cst_newmark_properties(int order, unsigned claims);
#endif

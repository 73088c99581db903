/* show.h: internal: the pages that `constella show` prints. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SHOW_H
#define CST_SHOW_H
#include <stdbool.h>
#include "cli/page.h"
#include "constella/diag.h"
#include "constella/method.h"
#include "core/keys.h"

/* A label and its text, in the columns that all pages share. */
enum { CST_SHOW_INDENT = 13 };
static inline void cst_show_item(const char *name, const char *text) {
  cst_page_item(name, text, CST_SHOW_INDENT, stdout);
}

/* show-system.c: a system of the catalogue; false: there is none of this name. */
bool cst_show_system(const char *name);
/* show-method.c: order and claims of m on a system of the catalogue or in a file, after what its family says
 * of itself where `text` is a family's name. system NULL: a usual one. */
void cst_show_method(const char *text, const cst_method *m, const char *system, cst_diag *d);
/* The method of an expression, or the example of a family's name; NULL: neither, see e. */
cst_method *cst_show_method_of(const char *text, cst_expr_error *e);
/* show-scheme.c: a scheme of the list; false: there is none of this name. The gammas in a text "[EXPR, ...]".
 * The line on the order conditions. */
bool cst_show_scheme(const char *name);
void cst_show_gammas(const char *text, cst_diag *d);
void cst_show_defects(int indent, int order, const double *defect);
/* show-keys.c: every key of a study file, and of a system file. */
void cst_show_study_keys(void);
/* Rows of keys; NULL: none. */
void cst_show_keys(const cst_key *table);
void cst_show_system_keys(void);
#endif

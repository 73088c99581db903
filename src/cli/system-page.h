/* system-page.h: private to src/cli: the page of `constella system --html`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_SYSTEM_PAGE_H
#define CST_CLI_SYSTEM_PAGE_H
#include <stdbool.h>
#include <stdio.h>
#include "constella/system.h"
#include "system/examine/examine.h"

/* Writes the page of s with the parameters c and what was found of it. Nothing on it is fetched. */
void cst_system_page(const cst_system *s, const double *c, const cst_examination *x, FILE *out);
/* Degrees of freedom: coordinates less constraints that are enforced. */
int cst_system_page_freedom(const cst_system *s);
#endif

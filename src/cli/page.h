/* page.h: paragraphs of the pages that the program prints. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_PAGE_H
#define CST_CLI_PAGE_H
#include <stdio.h>

enum { CST_PAGE_WIDTH = 120 };

/* The text in lines of at most CST_PAGE_WIDTH columns, broken at blanks and where the text has a new line;
 * ends the last line. The first line goes on at column `at`; the others are indented by `indent`. */
void cst_page_wrap(const char *text, int at, int indent, FILE *out);
/* A label of `indent` - 1 columns and the text behind it; nothing where the text is NULL or empty. */
void cst_page_item(const char *label, const char *text, int indent, FILE *out);
#endif

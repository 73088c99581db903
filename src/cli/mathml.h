/* mathml.h: private to src/cli: expressions of system files as MathML. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_MATHML_H
#define CST_CLI_MATHML_H
#include <stdio.h>

/* An expression, or a list in parentheses or brackets, as a MathML row; a text that is none as <mtext>. */
void cst_mathml_write(const char *expression, FILE *out);
/* A name: theta1 is a letter with an index. */
void cst_mathml_name(const char *name, FILE *out);
/* Text with & < > and quotes as entities. */
void cst_mathml_escape(const char *text, FILE *out);
#endif

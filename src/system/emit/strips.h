/* strips.h: C code that is the same from piece to piece but for its indices, written as loops.
 *
 *   cst_strips *s = cst_strips_open();
 *   for (int i = 0; i < n; i++) {
 *     FILE *f = cst_strips_next(s);
 *     fprintf(f, "const vd t = q[%d] - q[%d];\no[%d] = t * t;\n", i + 1, i, i);
 *   }
 *   cst_strips_close(s, "  ", SIZE_MAX, file);
 *
 * Every piece is a block of its own. An integer in brackets, [12], is an index; pieces that differ in
 * nothing else, and whose indices increase by constant steps, become one loop. So do repetitions of a few
 * pieces in turn.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EMIT_STRIPS_H
#define CST_EMIT_STRIPS_H
#include <stdbool.h>
#include <stdio.h>

typedef struct cst_strips cst_strips;

cst_strips *cst_strips_open(void);
/* The file of the next piece, valid until the piece after it. */
FILE *cst_strips_next(cst_strips *s);
/* Writes the text, if it has no more than `most` characters, and frees s. Returns false if it is longer. */
bool cst_strips_close(cst_strips *s, const char *indent, size_t most, FILE *f);
#endif

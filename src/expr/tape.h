/* tape.h: the instructions of a tape, which tape.c writes and tape-run.h runs.
 *
 * A tape is a list of blocks: straight instructions, or the body of a loop. A body runs on CST_CHUNK rows at
 * once, instruction by instruction, so that these rows share the cost of decoding.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_TAPE_H
#define CST_EXPR_TAPE_H
#include "expr/partition.h"

enum { CST_CHUNK = 16 };

/* The place of an operand: entry `index` of one of the bases. In the body of a loop, the index of an output,
 * an input or a slot (SCRATCH) is a column of the loop's table; register k of CHUNK has CST_CHUNK entries
 * from k CST_CHUNK on. */
enum {
  CST_BASE_SCRATCH,
  CST_BASE_OUT,
  CST_BASE_CONSTANT,
  CST_BASE_CHUNK,
  CST_BASE_INPUT,
  CST_BASES = CST_BASE_INPUT + CST_LETTERS
};

typedef struct {
  uint8_t op, rbase, abase,
      bbase; /* rbase: scratch or out; in a body chunk too, the others then meaning the row's place */
  int r, a, b;
} cst_instruction;

typedef struct {
  int base, index;
} cst_where;

typedef struct {
  int       first, length, loop; /* instructions; loop -1: straight */
  cst_where term,
      start; /* of a loop of sums: the value of a row; the start of the sum (index of a constant,
                            or unused) */
} cst_tape_block;

struct cst_tape {
  cst_instruction *code;
  cst_tape_block  *block;
  cst_loops        loops;
  int              length, blocks, registers, outputs, letters;
  int              chunk;               /* the first register of the chunks of bodies */
  char             letter[CST_LETTERS]; /* of base CST_BASE_INPUT + j */
  int              nconstant;
  /* each constant 1, 2, 4, 8 times: a run with W lanes reads constants[log2 W] */
  double *constants[4];
};

/* Whether it runs at several states at once (interpret.c): it is straight, and short. */
bool cst_tape_is_wide(const cst_tape *t);
#endif

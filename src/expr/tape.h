/* tape.h: the instructions of a tape, as tape.c writes them and the evaluations of run.h read them.
 *
 * A tape is a row of blocks: straight instructions, or the body of a loop. A body is run on CST_CHUNK rows at once, instruction by
 * instruction, so that what it costs to look at an instruction is shared by that many rows.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_TAPE_H
#define CST_EXPR_TAPE_H
#include "expr/partition.h"

enum { CST_CHUNK = 16 };

/* Where an operand lives: entry `index` from one of the bases. In the body of a loop, the index of an output, an input or a slot (SCRATCH)
 * is a column of the loop's table; register k of CHUNK has CST_CHUNK entries from k CST_CHUNK on. */
enum { CST_BASE_SCRATCH, CST_BASE_OUT, CST_BASE_CONSTANT, CST_BASE_CHUNK, CST_BASE_INPUT, CST_BASES = CST_BASE_INPUT + CST_LETTERS };

typedef struct {
  uint8_t op, rbase, abase, bbase; /* rbase: scratch or out; in a body also chunk, and for the others the row's place */
  int     r, a, b;
} cst_instruction;

typedef struct {
  int base, index;
} cst_where;

typedef struct {
  int       first, length, loop; /* instructions; loop -1: straight */
  cst_where term, start;         /* of a loop of sums: the value of a row; what the sum starts from (index of a constant, or unused) */
} cst_tape_block;

struct cst_tape {
  cst_instruction *code;
  cst_tape_block  *block;
  cst_loops        loops;
  int              length, blocks, registers, outputs, letters;
  int              chunk;               /* the register from which on the chunks of bodies stand */
  char             letter[CST_LETTERS]; /* of base CST_BASE_INPUT + j */
  int              nconstant;
  double          *constants[4]; /* each constant 1, 2, 4, 8 times over: a run with W lanes reads constants[log2 W] */
};
#endif

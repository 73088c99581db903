/* partition.h: the program of some outputs before it becomes C or a tape: straight code, and loops over
 * similar expressions.
 *
 * Two expressions have the same shape when they are the same operations on the same constants and on entries
 * of the same arrays: they differ in the row of entries that they read. An array is one of the arguments, the
 * outputs themselves, or the slots, which keep values that several loops share.
 *
 * Loops are listed in the order in which they run. Straight operation n runs before loop stage[n] and after
 * the previous loop.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_PARTITION_H
#define CST_EXPR_PARTITION_H
#include "expr/expr-internal.h"

enum {
  CST_FROM_CONSTANT, /* arrays that are not arguments; arguments have letters */
  CST_FROM_SLOT,
  CST_FROM_OUT
};
enum {
  CST_PARTITION_NONE = -1,      /* as the largest number of slots: no loops */
  CST_PARTITION_STRAIGHT = 256, /* programs with fewer operations and outputs have no loops */
  CST_LOOP_ROWS = 8,            /* the fewest values of a loop */
  CST_SUM_TERMS = 16,           /* the fewest terms of a sum in a loop */
  CST_SHAPE_STEPS = 200         /* the most operations of a shape */
};

/* An operand that a shape reads: an entry of an array, or a constant. */
typedef struct {
  int    letter;
  double value;
} cst_leaf;

/* An operand k >= 0 is the result of step k, k < 0 is leaf -1 - k; b = a when the operation is unary. */
typedef struct {
  int op, a, b;
} cst_step;

typedef struct {
  cst_step *step;
  cst_leaf *leaf; /* in order of the first visit */
  int       steps, leaves, result;
  uint64_t  hash;
} cst_shape;

typedef struct {
  cst_shape *shape;
  int        shapes, capacity;
  int       *table; /* open addressing: shape or -1; a power of two of slots, at most half full */
  uint32_t   places;
} cst_shapes;

typedef struct {
  int  shape, rows, level; /* loops of the same level do not depend on each other */
  int *index;              /* [leaves][rows]: the entry of each leaf (of a constant: 0) */
  int  sums;  /* 0: every row is a value; else the number of sums whose terms are the rows */
  int *first; /* [sums + 1], the first term of each sum */
  /* every term is added (ADD) or subtracted (SUB), the first from start[origin[sum]] */
  cst_op   sign;
  cst_leaf start;
  int     *origin; /* [sums] */
  int letter; /* the values go to place[row], the sums to place[sum], of CST_FROM_SLOT or CST_FROM_OUT */
  int *place;
} cst_loop;

typedef struct {
  cst_shapes shapes;
  cst_loop  *loop;
  int        count;
} cst_loops;

/* Terms term[first .. first + count) are added to or subtracted from start (-1: the sum begins with the first
 * term); after term i the partial sum is node step[i]. */
typedef struct {
  int      first, count;
  cst_node start;
  cst_op   sign;
} cst_terms;

/* Nodes are renumbered: those that the outputs need, operands first. */
typedef struct {
  cst_vertex    *node;
  int            size, nout, operations;
  cst_node      *out;
  unsigned char *done;  /* of an output: whether a loop writes it */
  int           *home;  /* of a node, the first output that it is, or -1; leaves have none */
  unsigned char *root;  /* whether a value is computed once and read back at its uses */
  int           *value; /* of a node, the loop that computes it, or -1 */
  int           *slot;  /* of a node, or -1 */
  int           *stage;
  cst_node      *straight; /* the operations outside loops, by stage */
  int            nstraight, slots;
  cst_terms     *run;
  int            runs, terms;
  cst_node      *term, *step;
  cst_loops      loops;
} cst_partition;

/* Fills *p, which the caller destroys. Shared values beyond most_slots slots are computed again. */
void cst_partition_create(cst_partition *p, const cst_graph *g, const cst_node *out, int nout,
                          int most_slots);
void cst_partition_destroy(cst_partition *p);
void cst_partition_loops_destroy(cst_loops *l);

/* A hash of every node that ignores which entries are read. cut: roots count as leaves where they are
 * operands. Owned. */
uint64_t *cst_shape_hash(const cst_partition *p, bool cut);

/* Workspace of cst_shape_find for one plan. */
typedef struct {
  const cst_partition *plan;
  const uint64_t      *hash;
  int                 *seen, *number, visit;
} cst_shaper;

/* The number of the shape of n, -1 when it is too large. Fills row[0 .. leaves) with what it reads: the entry
 * of an argument, the node of a slot or output. apart: compute n even when it is a root. row has 2
 * CST_SHAPE_STEPS + 2 entries. */
int  cst_shape_find(cst_shapes *s, cst_shaper *z, cst_node n, bool apart, int *row);
void cst_shapes_destroy(cst_shapes *s);

static inline uint64_t cst_mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static inline uint64_t cst_bits(double x) {
  union {
    double   x;
    uint64_t u;
  } b = {x};
  return b.u;
}

/* The array from which a root is read. */
static inline int cst_partition_letter(const cst_partition *p, cst_node n) {
  return p->home[n] >= 0 ? CST_FROM_OUT : CST_FROM_SLOT;
}
#endif

/* expr.h: arithmetic expressions: parse, hash-consed graph, derivatives, emitted C and an interpreter over
 * lanes.
 *
 * A graph holds every expression of one system. Equal subexpressions are one node (hash-consing), so a
 * derivative shares the work of the original expression. Derivatives are contractions: forward (tangent) and
 * reverse (gradient) sweeps over the graph, repeated for higher orders; no tensor is formed. Both back ends
 * (emitted C and interpreter) evaluate the same nodes in the same order with + - * / sqrt and the
 * deterministic functions of lanes.h only, so their bits agree.
 *
 * Similar expressions become loops: where many outputs, or many terms of one sum, are the same operations on
 * different inputs (the links of a chain, pairs of bodies), both back ends keep one program and a table of
 * indices, so that their length does not grow with the system.
 *
 * Grammar: + - * / ^ (right associative, binds tighter than unary minus: -x^2 = -(x^2)), parentheses,
 * numbers, names, pi, sqrt sin cos tan exp log atan2(y, x), entries of arrays x[i+1] (numbered from 1, the
 * index an integer constant) and sum(i, FROM, TO, TERM), i a new name that stands for the integers FROM .. TO
 * in TERM. expm1 log1p sinh cosh tanh acos asin, and step sign abs min(x, y) max(x, y) ramp(x, w) smoothstep, are functions
 * where the names that are bound or defined do not say otherwise. x^n with integer n becomes products, with half-integer n a square root and products; any other
 * constant or variable exponent becomes pow. Depth of nesting is at most CST_EXPR_DEPTH and a graph has at
 * most CST_EXPR_NODES nodes; beyond that parsing fails.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_EXPR_H
#define CONSTELLA_EXPR_H
#include <stdbool.h>
#include <stdio.h>

enum { CST_EXPR_DEPTH = 200, CST_EXPR_NODES = 2000000 };

typedef struct cst_graph cst_graph;
typedef int              cst_node; /* index into its graph; -1: none */

cst_graph *cst_graph_create(void);             /* owned */
cst_graph *cst_graph_copy(const cst_graph *g); /* owned; the same nodes under the same indices */
void       cst_graph_destroy(cst_graph *g);
int        cst_graph_size(const cst_graph *g);

/* Leaves. An input is entry `index` of the argument array called `array` ('c' parameters, 'q', 'v', 'w', 'u',
 * 'l' multipliers, 't' time); emitted C reads it as q[index], the interpreter from in['q']. */
cst_node cst_graph_constant(cst_graph *g, double value);
cst_node cst_graph_input(cst_graph *g, char array, int index);
bool     cst_graph_is_constant(const cst_graph *g, cst_node n, double *value);
bool     cst_graph_is_zero(const cst_graph *g, cst_node n);
/* Whether n depends on any input of the array. */
bool cst_graph_depends(const cst_graph *g, cst_node n, char array);
/* An upper bound of the degree of n as a polynomial in the inputs of the array (terms may cancel); -1 when n
 * is not a polynomial. */
int cst_graph_degree(const cst_graph *g, cst_node n, char array);
/* How many continuous derivatives n surely has, of what step, sign (CST_JUMPS), abs, min, max (CST_KINKS), ramp and
 * smoothstep (1) are in it; INT_MAX without them. */
enum { CST_JUMPS = -1, CST_KINKS = 0 };
int cst_graph_smoothness(const cst_graph *g, cst_node n);

/* The expressions of degree 1 in the inputs of the array on which n depends nonlinearly: the operands of its
 * products, quotients, powers and functions, each once. (x - a)^2 + y*z + w has x - a, y and z. *part is
 * owned (free()). Returns their number. */
typedef struct {
  cst_node node;
  bool
      dimensionless; /* the argument of sin, cos, tan, exp, expm1, sinh, cosh or tanh, whose unit is 1 */
} cst_linear_part;
int cst_graph_linear_parts(const cst_graph *g, cst_node n, char array, cst_linear_part **part);

/* The inputs of `array` that n depends on: their indices, ascending, in *index (owned, free(); NULL when
 * there are none). */
int cst_graph_support(const cst_graph *g, cst_node n, char array, int **index);

/* Operations; constants are folded and the identities x+0, x-0, 0-x, x*0, x*1, x*-1, x/1, 0/x, --x applied.
 */
cst_node cst_graph_add(cst_graph *g, cst_node a, cst_node b);
cst_node cst_graph_sub(cst_graph *g, cst_node a, cst_node b);
cst_node cst_graph_mul(cst_graph *g, cst_node a, cst_node b);
cst_node cst_graph_div(cst_graph *g, cst_node a, cst_node b);
cst_node cst_graph_neg(cst_graph *g, cst_node a);
cst_node cst_graph_pow(cst_graph *g, cst_node a, cst_node b);
/* A function by its name, -1 where there is none: sqrt sin cos tan exp log atan2 expm1 log1p sinh cosh tanh acos asin step
 * sign abs min max ramp smoothstep. b is the second argument of atan2 min max ramp, else it is ignored. */
cst_node cst_graph_call(cst_graph *g, const char *function, cst_node a, cst_node b);
/* The name of function i = 0, 1, ...; NULL beyond the last. */
const char *cst_graph_function(int i);

/* sum + a b, and sum - a b. */
static inline cst_node cst_graph_add_product(cst_graph *g, cst_node sum, cst_node a, cst_node b) {
  return cst_graph_add(g, sum, cst_graph_mul(g, a, b));
}
static inline cst_node cst_graph_sub_product(cst_graph *g, cst_node sum, cst_node a, cst_node b) {
  return cst_graph_sub(g, sum, cst_graph_mul(g, a, b));
}

typedef struct {
  const char *name; /* borrowed */
  cst_node    node; /* of a plain name */
  /* [count] of an array, entry[0] is name[1 + shift]; NULL: a plain name. Borrowed */
  const cst_node *entry;
  int             count, shift;
} cst_binding;

typedef struct cst_edge_table cst_edge_table;

typedef struct {
  int  offset;       /* of the offending character in the text, from 0 */
  char message[240]; /* what was found; what is allowed; nearest name */
  /* The row of a table to whose numbers it is due, from 0, and the column, -1: no single one. NULL: to none */
  const cst_edge_table *table;
  int                   row, column;
} cst_expr_error;

/* Parses text; names resolve to the nodes bound to them. -1 with *error filled when it is not an expression.
 */
cst_node cst_expr_parse(cst_graph *g, const char *text, const cst_binding *names, int n,
                        cst_expr_error *error);

/* A double sum sum(i, FROM, TO, sum(j, FROM, TO, TERM)) that is kept as a sum over pairs and not written out:
 * TERM depends on i and j only through entries A[i] and B[j] of arrays of inputs, which are the inputs 'x'
 * and 'y' of TERM, and on no other entry of these arrays. The limits of the inner sum are numbers, or i plus
 * a number. */
enum { CST_PAIR_ARRAYS = 24 };
typedef struct {
  cst_node term;
  int      nx, ny; /* arrays read at i, at j */
  int      x[CST_PAIR_ARRAYS],
      y[CST_PAIR_ARRAYS]; /* the index of their first input, for i = FROM and for j = 0 */
  int  xstep[CST_PAIR_ARRAYS], ystep[CST_PAIR_ARRAYS]; /* from one element to the next */
  int  rows, *from, *to; /* [rows], one a value of i: from[i] <= j < to[i]. Owned */
  int  least, most;      /* of all j */
  long pairs,
      blocks; /* pairs of all rows; blocks of eight neighbouring j, from `least` on, that the rows
                           intersect */
} cst_pair_sum;

typedef struct {
  char          array; /* of the inputs that arrays are made of */
  int           least; /* the smallest number of pairs that is kept as such a sum */
  int           n;
  cst_pair_sum *sum; /* [n], owned: cst_parse_pair_sums_destroy */
} cst_pair_sums;
void cst_parse_pair_sums_destroy(cst_pair_sums *s);

/* As cst_expr_parse, but double sums outside of other sums may become sums over pairs: sum k is appended to
 * `pairs` and is the input 'P'[k] of the returned node. */
cst_node cst_expr_parse_pairs(cst_graph *g, const char *text, const cst_binding *names, int n,
                              cst_expr_error *error, cst_pair_sums *pairs);

/* Quotients in out become products with 1/b, one for each divisor b. Where b has a factor sqrt(x), 1/sqrt(x)
 * is one operation, and its powers are what 1/x and sqrt(x) are made of. Quotients of
 * parameters stay. False if nothing else divides; nothing changes then. */
bool cst_graph_share_divisors(cst_graph *g, const cst_node *out, int nout, cst_node *result);
/* Powers of two and signs move out of products and sums, which is exact, and cancel where they meet. */
void cst_graph_gather_scales(cst_graph *g, const cst_node *out, int nout, cst_node *result);
/* The number of operations that out needs. */
int cst_graph_count(const cst_graph *g, const cst_node *out, int nout);

/* The cost of parsing all sums of g: the characters read for their terms, and 16 per term. */
double cst_parse_effort(const cst_graph *g);

/* Derivatives. Their cost is proportional to the operations that out needs, not to the whole graph.
 * Forward: dout[k] = sum_i d out[k] / d x[i] * dx[i]. x are input nodes; dx any nodes. */
void cst_graph_tangent(cst_graph *g, const cst_node *out, int nout, const cst_node *x,
                       const cst_node *dx, int nx, cst_node *dout);
/* Reverse: grad[i] = sum_k seed[k] * d out[k] / d x[i]. */
void cst_graph_gradient(cst_graph *g, const cst_node *out, const cst_node *seed, int nout,
                        const cst_node *x, int nx, cst_node *grad);
/* Replaces the inputs x[i] by the nodes y[i] in out. */
void cst_graph_substitute(cst_graph *g, const cst_node *out, int nout, const cst_node *x,
                          const cst_node *y, int nx, cst_node *result);

/* The quotients, square roots and functions in out that depend on inputs of the arrays alone, "cq", operands
 * before results, in *part (owned, free()): the operations that cost more than a load. Returns their number.
 */
int cst_graph_costly(const cst_graph *g, const cst_node *out, int nout, const char *arrays,
                     cst_node **part);

/* Separates the subexpressions that do not depend on the array: the largest operations in out that depend on
 * none of its inputs become the inputs `letter`[0], ... of result, in the order of *part (owned, free()).
 * Returns their number. */
int cst_graph_split(cst_graph *g, const cst_node *out, int nout, char array, char letter,
                    cst_node **part, cst_node *result);

/* Taylor coefficients along a curve. out are expressions of the inputs x; cst_graph_series_next takes the
 * coefficients x[nx] of the next order, 0 first and `most` last, and gives those of out. Order k costs about
 * k operations per node. x^y and sqrt(x) have no coefficients where x is zero. Owned. */
typedef struct cst_graph_series cst_graph_series;
cst_graph_series               *cst_graph_series_create(cst_graph *g, const cst_node *out, int nout,
                                                        const cst_node *x, int nx, int most);
void cst_graph_series_next(cst_graph_series *s, const cst_node *x, cst_node *out);
void cst_graph_series_destroy(cst_graph_series *s);

/* Values at complex arguments, in[c] as for cst_evaluate_tape; an operation with real operands has the bits
 * of every other evaluation. For derivatives by complex steps. false where an operation on arguments that are
 * not real has no analytic continuation. Entries -1 of out give 0. */
bool cst_graph_eval_complex(const cst_graph *g, const cst_node *out, int nout,
                            const double _Complex *const in[128], double _Complex *result);

/* Emits the statements that compute out[k] into o[k], in terms of `vd` and the vector operations of lanes.h
 * (vset vsqrt vsin vcos vtan and so on, and vrsqrt of core/inverse-root.h); skips entries whose
 * out[k] is -1; constants are written as o[k] = vset(...). Each line begins with indent.
 */
void cst_graph_emit(const cst_graph *g, const cst_node *out, int nout, const char *indent, FILE *f);
/* The same without loops, with cst_inverse_root_of(care, &marks, x) for vrsqrt(x). */
void cst_emit_straight(const cst_graph *g, const cst_node *out, int nout, const char *indent,
                       FILE *f);

/* A tape: the straight-line program of some outputs, for the interpreter. Owned. */
typedef struct cst_tape cst_tape;
cst_tape               *cst_tape_create(const cst_graph *g, const cst_node *out, int nout);
void                    cst_tape_destroy(cst_tape *t);
int cst_tape_registers(const cst_tape *t); /* scratch vectors that a run needs */
int cst_tape_outputs(const cst_tape *t);
/* Evaluates the tape once on scalars. in[c] is the argument array for letter c, e.g. in['q'] (unused ones may
 * be NULL); in has 128 entries. */
void cst_evaluate_tape(const cst_tape *t, const double *const in[128], double *out);
/* The same in quadruple precision (libquadmath); constants are the doubles of the graph. */
void cst_tape_eval_quad(const cst_tape *t, const __float128 *const in[128], __float128 *out);
/* Sums over pairs with the tape t of their term (value) or of its slopes along x, then y: out[0] += the sum,
 * or out[place[k]] += its slope along the input k of the array; place NULL: out[k]. in[array] is the array;
 * other inputs as for the tape. Bits follow the rule of expr/pair-sums.h. */
typedef struct {
  const cst_pair_sum *sum;
  const cst_tape     *value, *slope;
  char                array;
} cst_pair_tapes;
void cst_evaluate_pairs(const cst_pair_tapes *p, bool value, const int *place,
                        const double *const in[128], double *out);
void cst_pairs_eval_quad(const cst_pair_tapes *p, bool value, const int *place,
                         const __float128 *const in[128], __float128 *out);

/* The deterministic elementary functions (those of lanes.h, scalar), for everything outside lanes. */
double cst_elementary_sin(double x), cst_elementary_cos(double x), cst_elementary_tan(double x),
    cst_elementary_exp(double x), cst_elementary_log(double x),
    cst_elementary_atan2(double y, double x), cst_elementary_pow(double x, double y);

#endif

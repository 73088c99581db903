/* parse.h: shared by the files of the parser: the state of one parse and the pieces of the grammar.
 *
 * Every piece starts at p->at and leaves p->at behind what it has read. The first error is kept; after it
 * every function returns -1 (false) and reads no further.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_PARSE_H
#define CST_EXPR_PARSE_H
#include "expr/expr-internal.h"

enum {
  CST_PARSE_SHOWN = 40, /* characters of a word in a message; the longest variable of a sum */
  CST_PARSE_TITLE = 100
};

/* The variable of a sum whose terms are being read, or an argument of the definition that is. */
typedef struct cst_parse_loop {
  char                         name[CST_PARSE_SHOWN + 1];
  cst_node                     node; /* its value; of a sum a constant */
  const double                *cell; /* the value of a column of a table; NULL: it is node */
  const struct cst_parse_loop *outer;
} cst_parse_loop;

/* An array that the term of a sum over pairs reads. regular: its entries are the inputs first, first + step,
 * ... of one array. */
typedef struct {
  const cst_binding *binding;
  bool               regular;
  int                first, step;
} cst_parse_array;

/* A double sum that is read as a sum over pairs. */
typedef struct {
  cst_node     i, j;  /* the inputs of its two variables */
  cst_pair_sum sum;   /* as far as it is known */
  int          first; /* the least i */
  /* that were looked at, because terms are read many times */
  cst_parse_array array[CST_PAIR_ARRAYS];
  int             narray;
} cst_parse_pairs;

/* A definition whose text is being read. */
typedef struct cst_parse_frame {
  const cst_definition         *of;
  const struct cst_parse_frame *outer; /* the one whose text uses it */
} cst_parse_frame;

/* What is known of a definition in this parse. */
typedef struct {
  cst_node node;    /* of a name; -1: not read yet */
  bool     checked; /* its text was read while only the grammar was checked */
} cst_parse_defined;

typedef struct {
  cst_graph  *g;
  const char *text;
  size_t      at; /* the next character */
  int         depth;
  int    idle; /* above 0: inside the term of a sum without terms; only the grammar is checked */
  double terms, read; /* of all sums: terms, characters of them */
  bool   failed;
  const cst_binding    *names;
  int                   n;
  const cst_parse_loop *loop;      /* the innermost */
  const cst_parse_loop *arguments; /* of the definition, the outermost part of `loop` */
  cst_expr_error       *error;
  /* receives double sums that can be sums over pairs; NULL: they are written out */
  cst_pair_sums   *pairs;
  cst_parse_pairs *pair; /* the one whose term is being read */
  /* text is that of frame->of; NULL: an expression */
  const cst_parse_frame *frame;
  cst_parse_defined     *defined; /* [g->definitions] */
  bool                   used; /* the text of a definition is read for an expression that uses it */
  bool                   inside; /* and it is used inside a sum */
  bool foreign; /* it failed on a name that has no meaning there; the message is that name */
  bool cycle;   /* it failed because a definition is defined by itself */
  const cst_edge_table *row_of; /* the table whose row is being read; NULL: none */
  int                   row;
  int within; /* -1; the definition in whose text it failed, or the first of the cycle */
  struct {
    size_t             end; /* the end of the name in the text; 0: the slot is free */
    const cst_binding *binding;
  } seen[64]; /* names that were looked up, because terms are read many times */
} cst_parser;

/* parse.c: characters, words, numbers */
__attribute__((format(printf, 3, 4))) cst_node cst_parse_fail(cst_parser *p, size_t at,
                                                              const char *format, ...);

char cst_parse_peek(cst_parser *p); /* the next character that is not blank; p->at is there */
bool cst_parse_accept(cst_parser *p, char c); /* reads c if it comes next */
/* "; found 'c'" for the character at p->at, or "" at the end */
const char *cst_parse_found(const cst_parser *p, char s[32]);
const char *cst_parse_value(double value, char s[32]); /* value for a message, into s */
bool        cst_parse_digit(char c);
size_t      cst_parse_word(const char *s); /* the length of a name with its apostrophes */

/* parse.c: operations */
bool cst_parse_enter(
    cst_parser *p,
    size_t      at); /* one level deeper, p->depth-- leaves it; false when that is too deep */
cst_node cst_parse_checked(cst_parser *p, cst_node n, size_t at);
cst_node cst_parse_operation(cst_parser *p, cst_op op, cst_node a, cst_node b, size_t at);
cst_node cst_parse_closing(cst_parser *p, char bracket,
                           cst_node n); /* n, when the bracket follows */
cst_node cst_parse_expression(cst_parser *p);
cst_node cst_parse_complete(cst_parser *p); /* the whole text */

/* define.c: definitions. What a parse keeps of those of g; NULL: g has none. Owned, free() */
cst_parse_defined *cst_parse_defined_create(const cst_graph *g);
/* Definition d, used by the word at `at` of n characters, which was read */
cst_node cst_parse_definition(cst_parser *p, const cst_definition *d, size_t at);
/* Counts n characters that are read again, for `what`; an error at `at` when they are too many. */
void cst_parse_charge(cst_parser *p, double n, size_t at, const char *what);
/* The error is due to the numbers of the row that is being read, if one is; at `at` the index or operation. */
void cst_parse_blame_row(cst_parser *p, size_t at);
/* The table that the word of n characters at `at` names; NULL: none. */
const cst_edge_table *cst_parse_table(const cst_parser *p, size_t at, size_t n);
bool                  cst_parse_is_column(const cst_parser *p, size_t at, size_t n);
/* COLUMN(k), its name at `at`; p->at is at its '('. */
cst_node cst_parse_cell(cst_parser *p, size_t at, size_t n);
/* An error about the word at `at`, whose definition depends on `name`, which has no meaning here. */
cst_node cst_parse_foreign(cst_parser *p, size_t at, const cst_definition *d, const char *name);
bool     cst_parse_taken(cst_parser *p, size_t at,
                         size_t n); /* whether the word has a meaning already */
/* The value of n, at `at`; an error about `what` when it is not an integer constant. */
bool cst_parse_integer(cst_parser *p, cst_node n, size_t at, const char *what, double *value);

/* parse-sum.c: sum(i, FROM, TO, TERM), its name at `at`, behind the '(' */
cst_node cst_parse_series(cst_parser *p, size_t at);
/* In the term of a sum over pairs: the entry of array b whose index is the node n; -1: n is not one of its
 * variables. */
cst_node cst_parse_paired(cst_parser *p, const cst_binding *b, cst_node n);
#endif

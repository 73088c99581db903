/* method.h: inside the room: terms of method expressions, the row that a method file ends in, and the program it expands to. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_METHOD_INTERNAL_H
#define CST_METHOD_INTERNAL_H
#include "constella/method.h"
#include "tableau/tableau.h"

/* The cores: one file of core/ each. */
#define CST_CORES(X) X(kick) X(midpoint) X(rk) X(project) X(lagrange)
typedef enum {
#define X(name) CST_CORE_##name,
  CST_CORES(X)
#undef X
      CST_CORE_COUNT
} cst_core_id;

/* One substep of a program. */
typedef struct {
  cst_core_id core;
  double      fraction; /* of the step */
  double      w0, w1;   /* kick */
  int         tangent;  /* kick */
  cst_tableau tableau;  /* rk */
} cst_instruction;

struct cst_program {
  int              n, capacity;
  cst_instruction *step;
};

typedef struct cst_method_row cst_method_row;

/* A parsed term: name(arguments), a number, or [a list of numbers]. */
typedef struct cst_term {
  enum { CST_TERM_NAME, CST_TERM_NUMBER, CST_TERM_LIST } kind;
  char                 *name;
  double                number;
  int                   offset; /* in the text */
  int                   n;      /* arguments or list entries */
  struct cst_term     **arg;
  char                **key; /* NULL entry: positional */
  const cst_method_row *row; /* set by cst_term_method */
} cst_term;

struct cst_method_row {
  cst_method_info info;
  bool            layer; /* a one-step method for q' = v, v' = A(q, v), usable in project(LAYER) */
  int             order; /* of a layer or a plain method */
  /* Whether the arguments are right; *e filled when not. NULL: the method takes none. */
  bool (*check)(const cst_term *t, cst_expr_error *e);
  /* Whether it can step s; NULL: always. */
  bool (*fits)(const cst_term *t, const cst_system *s, char *why, int n);
  cst_properties (*properties)(const cst_term *t, const cst_system *s);
  /* Append its substeps, for `fraction` of the step. */
  void (*expand)(const cst_term *t, cst_program *p, double fraction);
};

/* Resolve t as a method and check its arguments, recursively. */
bool cst_term_method(cst_term *t, cst_expr_error *e);
bool cst_term_error(const cst_term *t, cst_expr_error *e, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* returns false */

bool           cst_term_fits(const cst_term *t, const cst_system *s, char *why, int n);
cst_properties cst_term_properties(const cst_term *t, const cst_system *s);
void           cst_term_expand(const cst_term *t, cst_program *p, double fraction);

cst_program *cst_program_create(const cst_method *m); /* owned */
void         cst_program_destroy(cst_program *p);
void         cst_program_add(cst_program *p, cst_instruction step);
/* Replace the steps from `first` on by those of the adjoint: reversed, each by its own adjoint. false when one has none. */
bool cst_program_adjoint(cst_program *p, int first);
/* Whether the program is its own adjoint. */
bool cst_program_symmetric(const cst_program *p);
/* Substeps can carry compensated sums: kick cores only. */
bool cst_program_compensates(const cst_program *p);

/* Nanoseconds of one substep of one lane of s, very roughly, for planning. */
double cst_instruction_cost(const cst_instruction *p, const cst_system *s);

const cst_term       *cst_method_root(const cst_method *m);
const cst_method_row *cst_method_row_at(int i);
const cst_method_row *cst_method_row_find(const char *name);
#endif

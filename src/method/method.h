/* method.h: inside the room: terms of method expressions, the row that a method file ends in, and the program
 * it expands to. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_METHOD_INTERNAL_H
#define CST_METHOD_INTERNAL_H
#include "constella/method.h"
#include "method/substep.h"

struct cst_program {
  int          n, capacity;
  cst_substep *step;
};

typedef struct cst_method_row cst_method_row;

/* A parsed term: name(arguments), a number, [a list], or {a: [[...]], b: [...], c: [...]}, whose name is
 * `tableau`. */
typedef struct cst_term {
  enum { CST_TERM_NAME, CST_TERM_NUMBER, CST_TERM_LIST, CST_TERM_TABLEAU } kind;
  char                 *name; /* of a number: its expression, NULL where it is a plain one */
  double                number;
  int                   offset; /* in the text */
  int                   n;      /* arguments or list entries */
  struct cst_term     **arg;
  char                **key; /* NULL entry: positional */
  const cst_method_row *row; /* set by cst_term_method */
  cst_layer *own; /* a layer of the user's own: room for it in {...}, a copy where it is named. Owned */
  const cst_layers *layers; /* what names may stand for while the term is checked. Borrowed */
} cst_term;

/* A layer of the user's own under its name: the row that it steps by and what that row finds in `own`. */
typedef struct {
  char                 *name;
  const cst_method_row *row;
  cst_layer             layer;
} cst_own_layer;

struct cst_layers {
  int            n;
  cst_own_layer *layer;
};

/* The layer that a rule makes, under an allowed name. */
void                 cst_layers_add_rule(cst_layers *l, const char *name, const cst_flow_rule *rule);
const cst_own_layer *cst_layers_find(const cst_layers *l,
                                     const char       *name); /* NULL when there is none; l may be NULL */

/* What a system may have beside M, a, V and g that not every method can step. */
enum {
  CST_ON_NONHOLONOMIC = 1,
  CST_ON_FORCES = 2,
  CST_ON_TIME = 4,
  CST_ON_ALL = CST_ON_NONHOLONOMIC | CST_ON_FORCES | CST_ON_TIME
};

struct cst_method_row {
  cst_method_info info;
  unsigned
      on_also; /* bits CST_ON_... of what it steps; of a method that takes methods, beside what these do */
  /* The one-step layer for q' = v, v' = A(q, v) that the term stands for, usable in project(LAYER) and
   * convert(LAYER); false when it stands for none. NULL: the method is no layer. */
  bool (*layer)(const cst_term *t, cst_layer *l);
  /* Whether the arguments are right; *e filled when not. NULL: the method takes none. */
  bool (*check)(const cst_term *t, cst_expr_error *e);
  /* Whether it can step s; NULL: always. */
  bool (*fits)(const cst_term *t, const cst_system *s, char *why, int n);
  cst_properties (*properties)(const cst_term *t, const cst_system *s);
  /* The system that it steps in the place of s, borrowed, and its parameters beyond those of s; such a method
   * stands outermost. NULL: s. */
  const cst_system *(*on)(const cst_term *t, const cst_system *s, double *more);
  /* Whether it is a thermostat: stands outermost as well, or around or within a method that steps another
   * system. */
  bool thermal;
  /* Append its substeps, for `fraction` of the step. */
  void (*expand)(const cst_term *t, cst_program *p, double fraction);
};

/* Resolve t as a method and check its arguments, recursively. */
bool cst_term_method(cst_term *t, cst_expr_error *e);
/* The argument `key` of t, NULL: its positional one; NULL where there is none. */
cst_term *cst_term_argument(const cst_term *t, const char *key);
/* Whether all arguments of t have keys among known, which ends with NULL, each of them once; *e filled when
 * not. */
bool cst_term_keys(const cst_term *t, const char *const *known, cst_expr_error *e);
/* The index of the word that the argument `key` is among `words`, which ends with NULL; 0 where there is
 * none. */
int cst_term_choice(const cst_term *t, const char *key, const char *const *words);
/* Whether it is one of them, or left out; *e filled when not. */
bool cst_term_check_choice(const cst_term *t, const char *key, const char *const *words, cst_expr_error *e);
bool cst_term_error(const cst_term *t, cst_expr_error *e, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* returns false */

/* Whether t is the name of something that cst_term_method would look into: a method or a layer of the user's
 * own. */
bool cst_term_known(const cst_term *t);
/* The name nearest to t's among the methods, the user's layers and, where asked for, the schemes; NULL when
 * none is near. */
const char *cst_term_nearest(const cst_term *t, bool schemes);

/* row->layer of methods that rewrite programs: what t expands to as one tableau, where all its steps are
 * tableaus of together at most CST_MAX_STAGES stages; else false. */
bool cst_program_layer(const cst_term *t, cst_layer *l);

/* row->layer of t; false where there is none. */
bool cst_term_layer(const cst_term *t, cst_layer *l);

/* The system that t steps where it is asked to step s, as cst_method_system has it. */
const cst_system *cst_term_system(const cst_term *t, const cst_system *s, double *more);

/* Make the second derivatives of V that t needs; false with the reason in why[n] where they are too large. */
bool           cst_term_bends(const cst_term *t, const cst_system *s, char *why, int n);
bool           cst_term_fits(const cst_term *t, const cst_system *s, char *why, int n);
cst_properties cst_term_properties(const cst_term *t, const cst_system *s);
void           cst_term_expand(const cst_term *t, cst_program *p, double fraction);

/* Parameters that a system which a method steps in the place of the study's may have more
 * (cst_method_system). */
enum { CST_MORE_PARAMETERS = 4 };

cst_program *cst_program_create(const cst_method *m); /* owned */
/* The same with the substeps that are carried out on s. */
cst_program *cst_program_create_on(const cst_method *m, const cst_system *s);
void         cst_program_destroy(cst_program *p);
void         cst_program_add(cst_program *p, cst_substep step);
/* Replace the steps from `first` on by those of the adjoint: reversed, each by its own adjoint. false when
 * one has none. */
bool cst_program_adjoint(cst_program *p, int first);
/* Whether the program is its own adjoint. */
bool cst_program_symmetric(const cst_program *p);
/* Whether all substeps can carry compensated sums; whether they do so unasked, since every one of them only
 * adds to q and p. */
bool cst_program_compensates(const cst_program *p);
bool cst_program_always_compensates(const cst_program *p);

/* A block of numbers that substeps of a program keep in the record, and where. */
typedef struct {
  const char *name;
  int         at, n;
} cst_state_place;
/* Those of a program on s, one behind the other from component `at` on; owned (free()). */
cst_state_place *cst_program_state(const cst_program *p, const cst_system *s, int at, int *count);

/* A method made ready for a system: what planning, costs and stepping share. */
typedef struct cst_prepared {
  const cst_method *method;
  const cst_system *asked;
  const cst_system *stepped;                   /* asked, or the system that the method steps in its place */
  double            more[CST_MORE_PARAMETERS]; /* parameters that stepped has beyond those of asked */
  cst_properties    properties;                /* on asked */
  cst_program      *program;                   /* the substeps on stepped */
} cst_prepared;
cst_prepared *cst_method_prepare(const cst_method *m, const cst_system *s); /* owned; borrows both */
void          cst_program_prepared_destroy(cst_prepared *p);

/* The names of the cores that step it, each once, behind the n names that are there, up to `most`; how many
 * there are then. */
int cst_program_cores(const cst_program *p, const char **name, int n, int most);

/* Bits 1 << cst_iteration of all that some substep knows. */
unsigned cst_program_iterations(const cst_program *p);

const cst_term       *cst_method_root(const cst_method *m);
const cst_method_row *cst_method_row_at(int i);
const cst_method_row *cst_method_row_find(const char *name);
#endif

/* method.h: internal: terms of method expressions, the row in which a method file ends, and the program to
 * which it expands. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_METHOD_INTERNAL_H
#define CST_METHOD_INTERNAL_H
#include "constella/method.h"
#include "core/keys.h"
#include "method/substep.h"
#include "method/texts/text.h"

struct cst_program {
  int          n, capacity;
  cst_substep *step;
};

typedef struct cst_method_row cst_method_row;

/* A parsed term: name(arguments), a number, [a list], {a: [[...]], b: [...], c: [...]}, whose name is
 * `tableau`, or {left: ..., right: ...}, whose name is this text. */
typedef struct cst_term {
  enum { CST_TERM_NAME, CST_TERM_NUMBER, CST_TERM_LIST, CST_TERM_TABLEAU, CST_TERM_MAP } kind;
  char                 *name; /* of a number: its expression, NULL for a plain number */
  double                number;
  int                   offset; /* in the text */
  int                   n;      /* number of arguments or list entries */
  struct cst_term     **arg;
  char                **key; /* NULL entry: positional */
  const cst_method_row *row; /* set by cst_term_method */
  cst_layer        *own; /* of {a: ..., b: ...}, owned, or of a name that a user gave to a layer */
  const cst_scheme *scheme; /* of the user, under this name, or NULL. Borrowed */
  /* of {left: ..., right: ...}, {point: ...}, {tangent: ...} or {fibre: ...}, or what cst_term_map and others
   * find. Borrowed */
  const cst_text *text;
  cst_layers     *layers; /* those of the method. Borrowed */
} cst_term;

/* A layer of the user: the row by which it is stepped, and the layer that this row finds in `own`. */
typedef struct {
  const cst_method_row *row;
  cst_layer             layer;
} cst_own_layer;

/* That of a text; NULL: it is none. */
static inline cst_own_layer *cst_text_layer(const cst_text *x) {
  return x && CST_TEXTS_LAYERS >> x->of.kind & 1 ? x->made : NULL;
}

/* term-map.c. Reads {left: ..., right: ...}, {point: ...}, {tangent: ...} or {fibre: ...} at text[at] into t; returns
 * where it ends, or -1 with *e filled. Whether text begins like one. */
int  cst_term_read_map(cst_term *t, const char *text, int at, cst_expr_error *e);
bool cst_term_begins_map(const char *text);
/* Finds the map, the retraction of R^n, that of rotations, or the fibre, which the argument x names or is; false with
 * *e filled if it is none. */
bool cst_term_map(cst_term *x, cst_expr_error *e);
bool cst_term_retraction(cst_term *x, double theta, cst_expr_error *e);
bool cst_term_tau(cst_term *x, cst_expr_error *e);
bool cst_term_iota(cst_term *x, cst_expr_error *e);

/* Traits of a system that not every method can step. */
enum {
  CST_STEPS_ALL = CST_NONHOLONOMIC | CST_FORCED | CST_TIMED | CST_DRIVEN,
  CST_STEPS_LAYERS = CST_STEPS_ALL | CST_SLIPS | CST_MASSLESS /* what accelerations are known for */
};

/* How an argument is written: key=value, or the value alone, which the key only stands for in signatures. A row has at
 * most one of the latter, as the first. */
enum { CST_BY_NAME = 1, CST_BY_PLACE = 2 };

struct cst_method_row {
  cst_method_info info;
  /* Its arguments, which it takes once each, up to a row whose key is NULL; `example` is a method with the argument, `doc`
   * a phrase that follows a comma. A term of CST_VALUE_OWN is left to `check`; its member is the term itself. NULL: it
   * takes none, or those that `check` says. */
  const cst_key *arguments;
  /* What is said of arguments that are missing or that it does not take; NULL: what its arguments say. */
  const char *usage;
  /* Those of CST_STEPS_LAYERS that it can step; for a method that takes methods, besides those of its
   * arguments */
  unsigned steps;
  /* CST_NONHOLONOMIC, CST_SEPARABLE: traits that a system must have */
  unsigned needs;
  /* The one-step layer for q' = v, v' = A(q, v) that the term stands for, usable in project(LAYER) and
   * convert(LAYER); false if it stands for none. NULL: the method is not a layer. */
  bool (*layer)(const cst_term *t, cst_layer *l);
  /* Whether the arguments, each of which is as its row says, go together; fills *e if not. NULL: they do. */
  bool (*check)(const cst_term *t, cst_expr_error *e);
  /* Whether it can step s; NULL: always. */
  bool (*fits)(const cst_term *t, const cst_system *s, char *why, int n);
  /* Whether it can step s where this body is flat, if its substeps can; NULL: always. */
  bool (*fits_flat)(const cst_term *t, const cst_system *s, const cst_body *flat, char *why, int n);
  cst_properties (*properties)(const cst_term *t, const cst_system *s);
  /* Fills in the order conditions that its coefficients are to meet, where they are no layer; NULL: none are
   * known, or those of the layer that is its first argument and whose order it has, where of_layer is set. */
  void (*conditions)(const cst_term *t, const cst_system *s, cst_conditions *c);
  bool of_layer;
  /* The system that it steps in place of s, borrowed, and its additional parameters. Such a method must be
   * outermost. NULL: it steps s. */
  const cst_system *(*on)(const cst_term *t, const cst_system *s, double *more);
  /* Whether it is a thermostat. It too must be outermost, or around or inside a method that steps another
   * system. */
  bool thermal;
  /* Whether it carries numbers that no other method keeps up to date: it must be the whole method, at most
   * inside one that steps another system. */
  bool whole;
  /* Appends its substeps, for `fraction` of the step. */
  void (*expand)(const cst_term *t, cst_program *p, double fraction);
};

/* term-sweep.c: the methods that a text with values in braces, key={1, 2}, stands for. NULL with *error filled
 * (offset into text) if the braces are wrong. Owned. */
typedef struct cst_sweep cst_sweep;
cst_sweep               *cst_sweep_create(const char *text, cst_expr_error *error);
void                     cst_sweep_destroy(cst_sweep *s);
int                      cst_sweep_count(const cst_sweep *s); /* of methods; 1 without braces */
/* The expression of method i, owned; and the offset in the text of an offset in this expression, until the
 * next call. */
char *cst_sweep_text(cst_sweep *s, int i);
int   cst_sweep_origin(const cst_sweep *s, int offset);
/* The name of method i together with those that differ from it only in named arguments: the names stand for
 * the arguments. Owned; NULL: no swept argument has a name. */
char *cst_sweep_family(const cst_sweep *s, int i);
/* The swept arguments: their number, their names (NULL: none) and the text of their value in method i
 * (owned). */
int         cst_sweep_arguments(const cst_sweep *s);
const char *cst_sweep_name(const cst_sweep *s, int k);
char       *cst_sweep_value(const cst_sweep *s, int i, int k);

/* Resolves t as a method and checks its arguments, recursively. */
bool cst_term_method(cst_term *t, cst_expr_error *e);
/* The argument `key` of t, or its positional one (NULL); NULL: there is none. */
cst_term *cst_term_argument(const cst_term *t, const char *key);
/* Sets the members of `values` that the rows of t's arguments name: to the arguments, which have been checked, or to the
 * defaults; members of terms that are left out become NULL, others that have no default stay. */
void cst_term_read(const cst_term *t, void *values);
/* values_of(t): the arguments of t in the struct `values` of a method's file, whose members without a default are 0. */
#define CST_VALUES_OF_TERM                                                                         \
  static values values_of(const cst_term *t) {                                                     \
    values x = {0};                                                                                \
    cst_term_read(t, &x);                                                                          \
    return x;                                                                                      \
  }
bool cst_term_error(const cst_term *t, cst_expr_error *e, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* returns false */

/* Whether t is the name of a method or of a user's layer. */
bool cst_term_known(const cst_term *t);
/* The nearest name to t's among the methods, the user's layers and, if asked, the schemes; NULL: none is
 * near. */
const char *cst_term_nearest(const cst_term *t, bool schemes);

/* row->layer of methods that rewrite programs: the expansion of t as one tableau, if all its steps are
 * tableaus with at most CST_MAX_STAGES stages together; else false. */
bool cst_program_layer(const cst_term *t, cst_layer *l);

/* row->layer of t; false if it has none. */
bool cst_term_layer(const cst_term *t, cst_layer *l);

/* The system that t steps when asked to step s; see cst_method_system. */
const cst_system *cst_term_system(const cst_term *t, const cst_system *s, double *more);

/* Makes the second derivatives of V that t needs; false with why[n] if they are too large. */
bool           cst_term_bends(const cst_term *t, const cst_system *s, char *why, int n);
bool           cst_term_fits(const cst_term *t, const cst_system *s, char *why, int n);
cst_properties cst_term_properties(const cst_term *t, const cst_system *s);
void           cst_term_expand(const cst_term *t, cst_program *p, double fraction);

/* Most additional parameters of a system that a method steps in place of the study's (cst_method_system). */
enum { CST_MORE_PARAMETERS = 4 };

cst_program *cst_program_create(const cst_method *m); /* owned */
/* The same with the substeps that are used on s. */
cst_program *cst_program_create_on(const cst_method *m, const cst_system *s);
void         cst_program_destroy(cst_program *p);
void         cst_program_add(cst_program *p, cst_substep step);
/* Replaces the steps from `first` on by those of the adjoint: reversed, each by its own adjoint. False if one
 * has none. */
bool cst_program_adjoint(cst_program *p, int first);
/* Whether the program is its own adjoint. */
bool cst_program_symmetric(const cst_program *p);
/* Whether all substeps can carry compensated sums; whether they always do, because each of them only adds to
 * q and p. */
bool cst_program_compensates(const cst_program *p);
/* Whether its lane code is built for a row of cst_isas: it is for those with all lanes. */
bool cst_program_is_built(const cst_program *p, int isa);
bool cst_program_always_compensates(const cst_program *p);
/* Whether some substep has this feature (substep.h). */
bool cst_program_has(const cst_program *p, unsigned feature);

/* A block of numbers that substeps of a program keep in the record, and its position. */
typedef struct {
  const char *name;
  int         at, n;
} cst_state_place;
/* The blocks of a program on s, consecutive from component `at` on; owned, free(). */
cst_state_place *cst_program_state(const cst_program *p, const cst_system *s, int at, int *count);

/* The name of a block in which substeps keep accelerations or earlier states, so that a step depends on more
 * than q and p; NULL: none. */
const char *cst_program_memory(const cst_program *p);

/* The name of a block of accelerations or earlier states that no start fills; NULL: none. */
const char *cst_program_kept_only(const cst_program *p);

/* A method prepared for a system: shared by planning, costs and stepping. */
typedef struct cst_prepared {
  const cst_method *method;
  const cst_system *asked;
  const cst_system *stepped; /* asked, or the system that the method steps in its place */
  double            more[CST_MORE_PARAMETERS]; /* additional parameters of stepped */
  cst_properties    properties;                /* on asked */
  cst_program      *program;                   /* the substeps on stepped */
  /* a body is flat for some of the parameters that it steps with; as prepared: for the default ones */
  bool flat;
} cst_prepared;
cst_prepared *cst_method_prepare(const cst_method *m,
                                 const cst_system *s); /* owned; borrows both */
void          cst_program_prepared_destroy(cst_prepared *p);

/* Linear systems that it solves (substep.h): per step, and per iteration of the solver, whose iterations all
 * count as those of the substep with the most. */
void cst_method_solves(const cst_prepared *p, double *per_step, double *per_iteration);
/* Whether a step has unknowns that the solver iterates for. */
bool cst_method_iterates(const cst_prepared *p);
/* Appends the names of the cores that step it to the n names in `name`, each once and `most` in all. Returns
 * the number of names. */
int cst_program_cores(const cst_program *p, const char **name, int n, int most);

/* Bits 1 << cst_iteration of the iterations that some substep implements. */
unsigned cst_program_iterations(const cst_program *p);

/* cst_method_fits where this body of s is flat for some parameters that it steps with; NULL: none is. */
bool cst_method_fits_flat(const cst_method *m, const cst_system *s, const cst_body *flat, char *why,
                          int n);

const cst_term       *cst_method_root(const cst_method *m);
const cst_method_row *cst_method_row_find(const char *name);
#endif

/* reader.h: what the files that read a description share: one reading, its names and how lists of expressions
 * are unrolled.
 *
 * Every mistake is reported at its place and reading goes on, up to CST_READING_ERRORS of them. A description
 * is unrolled: an entry of an array is read once for each of its elements, the term of a sum for each of its
 * terms. What is read that way, in characters, is bounded by CST_READING_TEXT; the work of all of it,
 * derivatives included, in nodes that are looked up or met, by CST_READING_WORK.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_READER_H
#define CST_SYSTEM_READER_H
#include "system/internal.h"
#include "system/keys.h"

enum {
  CST_READING_ERRORS = 100,
  CST_READING_TEXT = 100000000,
  CST_READING_WORK = 30000000,
  CST_ORTHOGONAL = 6 /* constraints of a rotation */
};

/* What an expression may refer to: n names. names[-1] is a free place, for the number of an element. */
typedef struct {
  cst_binding *names;
  int          n;
} cst_scope;

/* The names that a list has an entry for. */
typedef struct {
  const char        *of;       /* "constraint" */
  const cst_name    *name;     /* [n] */
  const char *const *variable; /* [n] what the number of an element is called */
  const char *const *text;     /* of every element */
  int                n;
} cst_entries;

/* Where the bodies of one name are described, and where the coordinates of the first of them stand. */
typedef struct {
  cst_yaml *key, *map;
  int       rotation, centre; /* -1: no centre */
  int       size;             /* coordinates of one body */
} cst_body_place;

typedef struct {
  cst_system     *s;
  cst_document   *doc;
  cst_diag       *d;
  cst_yaml       *root;
  const cst_size *sizes;         /* [nsize] that replace defaults */
  int             nsize, before; /* before: errors of others in d */
  double          text;          /* characters of expressions read */
  bool            stopped;
  const char    **i;        /* [ncoordinate] "i" */
  const char    **variable; /* [nfamily] */
  const char     *array;    /* the first coordinate that is an array, NULL: none is */
  cst_binding    *names;    /* [1 + CST_MAX_PAR + ncoordinate] a free place, parameters, coordinates */
  cst_binding     timed[2 + CST_MAX_PAR]; /* a free place, t, parameters */
  cst_body_place *body;                   /* [s->nbody_name] */
  const double   *c;                      /* parameters at which values are judged; NULL: the defaults */
} cst_reading;

/* read-text.c: names, keys and texts. A check that fails reports. */
bool        cst_read_goes_on(const cst_reading *r); /* false after too many mistakes */
bool        cst_read_is_name(const char *s, bool dashes);
bool        cst_read_symbol(cst_reading *r, cst_yaml *n, int offset, const char *name,
                            const char *what); /* offset -1: n as a whole */
bool        cst_read_label(cst_reading *r, cst_yaml *n, const char *what);
cst_yaml   *cst_read_required(cst_reading *r, cst_yaml *map, const char *key, const char *of);
const char *cst_read_text(cst_reading *r, cst_yaml *n, const char *key);
cst_yaml   *cst_read_map(cst_reading *r, const char *key, const char *form);
cst_yaml             **
cst_read_children(cst_yaml   *n,
                              cst_yaml ***keys); /* one allocation, free(); *keys its second half, NULL: not wanted */
const char *cst_read_written(cst_reading *r,
                             cst_yaml *n); /* an entry as it stands: text, or "[a, b]" of a list. Borrowed */
const char *cst_read_join(cst_reading *r, cst_yaml *list); /* "a, b". Borrowed */

/* read-expression.c. Nodes are -1 where an expression was wrong. */
cst_scope cst_read_constants(cst_reading *r);              /* parameters */
cst_scope cst_read_motion(cst_reading *r);                 /* t and parameters */
cst_scope cst_read_positions(cst_reading *r);              /* parameters and coordinates */
cst_scope cst_read_timed(cst_reading *r);                  /* the same and t */
cst_scope cst_read_velocities(cst_reading *r, bool timed); /* with velocities x' */
cst_scope cst_read_with(const cst_reading *r, cst_scope in, const char *variable, int value);
cst_node  cst_read_expression(cst_reading *r, cst_yaml *n, cst_scope in, const char *what);
cst_node  cst_read_potential_expression(cst_reading *r, cst_yaml *n);
bool cst_read_whole(cst_reading *r, cst_yaml *n, int offset, const char *text, int length, const char *what,
                    int least, int most, int *value); /* text[0 .. length) stands at byte offset of n */
cst_entries cst_read_coordinate_entries(const cst_reading *r);
cst_entries cst_read_plain_entries(const cst_reading *r); /* coordinates that are of no body */
cst_entries cst_read_constraint_entries(const cst_reading *r);
bool cst_read_list(cst_reading *r, cst_yaml *list, cst_scope in, const char *what, const cst_entries *e,
                   cst_node *out);
const char *cst_read_where(const cst_reading *r); /* "at the default parameters" */
void cst_read_values(const cst_reading *r, const cst_node *node, int n, const double *q, double *value);
/* Whether all values of the list are good; reports the first one of every name that is not, `where` it is and
 * what it must be. */
bool cst_read_check(cst_reading *r, cst_yaml *list, const char *what, const cst_entries *e,
                    const double *value, bool (*good)(double), const char *where, const char *must);
/* The entries of a list as they stand. Borrowed. */
const char **cst_read_entries_written(cst_reading *r, cst_yaml *list);

/* The texts of all elements of the names: "x", or "x[1]", "x[2]" ... Borrowed. */
const char **cst_read_elements(cst_reading *r, const cst_name *name, int n, int total);

/* "x" or "x[2*n]" as the name of a `what`: all of *a but `at`. */
bool cst_read_declared(cst_reading *r, cst_yaml *n, const char *what, cst_name *a);

/* read-bodies.c, read-inertia.c, read-body-states.c: the key `bodies`, where there is one. */
bool cst_read_has_bodies(const cst_reading *r);
/* Declare their coordinates behind the plain ones; item[] gets the place of each name. */
void cst_read_declare_bodies(cst_reading *r, cst_yaml **item);
void cst_read_fill_bodies(cst_reading *r); /* s->bodies, when all coordinates are declared */
void cst_read_declare_orthogonal(
    cst_reading *r, cst_yaml *const *key); /* families behind the user's own, whose keys these are */
void cst_read_orthogonal(cst_reading *r);  /* their expressions */
void cst_read_inertia(cst_reading *r);
void cst_body_block(const cst_system *s, const cst_body *b, cst_node J[9]); /* tr(I)/2 1 - I */
/* q and v of a state (a map): plain coordinates by lists, bodies by their key. NULL where a list is missing.
 */
void cst_read_start(cst_reading *r, cst_yaml *map, cst_node **q, cst_node **v);
/* Whether the symmetry n moves all bodies; its generator into xi[nq], and as text, NULL after a mistake. */
bool        cst_read_moves_bodies(cst_yaml *n);
const char *cst_read_body_symmetry(cst_reading *r, cst_yaml *n, cst_node *xi);
/* The key `bodies` of a map `of` a state or an exact motion into q[nq], v[nq]; in: what its expressions may
 * name. */
void cst_read_body_states(cst_reading *r, cst_yaml *state, cst_scope in, const char *of, cst_node *q,
                          cst_node *v);

/* read-constraints.c: `name: expression`, or `name: {for: "i = 2..n", expression: "..."}`, as the name *a of
 * constraints behind those that are declared, `what` in messages, with the variable of a family or NULL.
 * Returns the node of the expression. */
cst_yaml *cst_read_family(cst_reading *r, cst_yaml *key, cst_yaml *value, const char *what, cst_name *a,
                          const char **variable);

/* read-velocities.c: constraints on velocities, behind all others: their number; their names; their
 * expressions. */
int  cst_read_count_velocities(const cst_reading *r);
void cst_read_declare_velocities(cst_reading *r);
void cst_read_read_velocities(cst_reading *r);

/* The parts, in this order. */
void cst_read_units(cst_reading *r);
void cst_read_parameters(cst_reading *r);
bool cst_read_coordinates(cst_reading *r); /* false: what follows would be wrong everywhere */
void cst_read_mass(cst_reading *r);
void cst_read_gyroscopic(cst_reading *r);
void cst_read_potential(cst_reading *r);
void cst_read_constraints(cst_reading *r);
void cst_read_forces(cst_reading *r);
void cst_read_symmetries(cst_reading *r);
void cst_read_states(cst_reading *r);
void cst_read_accounts(cst_reading *r); /* the time and what is gathered along it, where there is something */
void cst_read_check_mass(
    cst_reading *r); /* when there are no mistakes: M is symmetric, and positive definite in every state */
#endif

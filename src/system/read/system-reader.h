/* system-reader.h: what the files that read a description share: the state of one reading, its names, and the
 * expansion of lists of expressions.
 *
 * Every mistake is reported with its position. Reading then continues, up to CST_READING_ERRORS mistakes. A
 * description is expanded: an entry of an array is read once per element, the term of a sum once per term.
 * CST_READING_TEXT limits the number of characters that are read in this way. CST_READING_WORK limits the
 * work, derivatives included, measured in visited nodes. For many coordinates both are proportional to their number: what
 * is refused takes no more of time and memory than a system of that size may.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_READER_H
#define CST_SYSTEM_READER_H
#include "expr/edge-table.h"
#include "system/internal.h"
#include "system/read/system-keys.h"

enum {
  CST_READING_ERRORS = 100,
  CST_READING_TEXT = 60000000,
  CST_READING_WORK = 20000000,
  CST_READING_TEXT_EACH = 3000, /* of a coordinate */
  CST_READING_WORK_EACH = 1000,
  CST_READING_CONSTRAINTS = 100000, /* where there are fewer coordinates */
  CST_ORTHOGONAL = 6                /* constraints of one rotation matrix */
};

/* The n names that an expression may use. names[-1] is a free entry for the number of an element. */
typedef struct {
  cst_binding *names;
  int          n;
} cst_scope;

/* The names for which a list has entries. */
typedef struct {
  const char        *of;       /* "constraint" */
  const cst_name    *name;     /* [n] */
  const char *const *variable; /* [n] the name of the number of an element */
  const char *const *text;     /* the name of every element */
  int                n;
} cst_entries;

/* The description of the bodies of one name, and the coordinates of the first of them. */
typedef struct {
  cst_yaml *key, *map;
  int       rotation, centre; /* -1: no centre */
  int       size;             /* number of coordinates of one body */
} cst_body_place;

typedef struct {
  cst_system            *s;
  cst_document          *doc;
  cst_diag              *d;
  cst_yaml              *root;
  const cst_size        *sizes;         /* [nsize] sizes that replace defaults */
  int                    nsize, before; /* before: the number of errors in d at the start */
  double                 text;          /* number of characters of the expressions so far */
  bool                   stopped;
  size_t                 described; /* characters of the description without its tables */
  const cst_edge_table  *table;     /* the row that expressions are read for; NULL: none */
  int                    row;
  const char           **i;        /* [ncoordinate] "i" */
  const char           **variable; /* [nfamily] */
  const cst_edge_table **rows;     /* [nfamily] the table over whose rows it runs, or NULL */
  const char            *array;    /* the first coordinate that is an array; NULL: none is */
  /* [1 + CST_MAX_PAR + ncoordinate] a free entry, parameters, coordinates */
  cst_binding    *names;
  cst_binding     timed[2 + CST_MAX_PAR]; /* a free entry, t, parameters */
  cst_body_place *body;                   /* [s->nbody_name] */
  const double   *c; /* parameters at which values are checked; NULL: the defaults */
} cst_reading;

/* read-names.c: names, keys and texts. A check that fails reports an error. */
bool cst_read_goes_on(const cst_reading *r); /* false after too many mistakes */
/* offset -1: the whole node n */
bool cst_read_symbol(cst_reading *r, cst_yaml *n, int offset, const char *name, const char *what);
bool cst_read_label(cst_reading *r, cst_yaml *n, const char *what);
cst_yaml   *cst_read_required(cst_reading *r, cst_yaml *map, const char *key, const char *of);
const char *cst_read_text(cst_reading *r, cst_yaml *n, const char *key);
/* The word at n, by the row of the key; NULL where there is none, or none that is allowed. Borrowed */
const char *cst_read_choice(cst_reading *r, cst_yaml *n, const cst_key *k);
cst_yaml   *cst_read_map(cst_reading *r, const char *key, const char *form);
/* one allocation, free(); *keys is its second half; keys may be NULL */
cst_yaml **cst_read_children(cst_yaml *n, cst_yaml ***keys);
/* the text of an entry, "[a, b]" for a list. Borrowed */
const char *cst_read_written(cst_reading *r, cst_yaml *n);
const char *cst_read_join(cst_reading *r, cst_yaml *list); /* "a, b". Borrowed */
/* Fills `why` and returns true if expressions cannot use this name of a `what`. */
bool cst_read_wrong_symbol(const char *name, const char *what, char *why, size_t size);

/* read-expression.c. The node of a wrong expression is -1. */
int cst_read_most_constraints(const cst_reading *r);
/* What part of the limits is used. Behind the first of many elements, if `before` was used before them: whether all
 * of them can stay below the limits; an error if not. */
double      cst_read_part(const cst_reading *r);
bool        cst_read_foresee(cst_reading *r, cst_yaml *n, double before, int done, int of);
void        cst_read_expect(cst_reading *r);                 /* the limits for s->nq coordinates */
cst_scope   cst_read_constants(cst_reading *r);              /* parameters */
cst_scope   cst_read_motion(cst_reading *r);                 /* t and parameters */
cst_scope   cst_read_positions(cst_reading *r);              /* parameters and coordinates */
cst_scope   cst_read_timed(cst_reading *r);                  /* parameters, coordinates and t */
cst_scope   cst_read_velocities(cst_reading *r, bool timed); /* also velocities x' */
cst_scope   cst_read_with(const cst_reading *r, cst_scope in, const char *variable, int value);
cst_node    cst_read_expression(cst_reading *r, cst_yaml *n, cst_scope in, const char *what);
cst_node    cst_read_potential_expression(cst_reading *r, cst_yaml *n);
bool        cst_read_whole(cst_reading *r, cst_yaml *n, int offset, const char *text, int length,
                           const char *what, int least, int most,
                           int *value); /* text[0 .. length) starts at byte `offset` of n */
cst_entries cst_read_coordinate_entries(const cst_reading *r);
cst_entries cst_read_plain_entries(const cst_reading *r); /* coordinates that belong to no body */
cst_entries cst_read_constraint_entries(const cst_reading *r);
bool        cst_read_list(cst_reading *r, cst_yaml *list, cst_scope in, const char *what,
                          const cst_entries *e, cst_node *out);
const char *cst_read_where(const cst_reading *r); /* "at the default parameters" */
void        cst_read_values(const cst_reading *r, const cst_node *node, int n, const double *q,
                            double *value);
/* Checks all values of the list. For each name it reports the first value that is not good, `where` it was
 * evaluated and what it must be. Returns true if all values are good. */
bool cst_read_check(cst_reading *r, cst_yaml *list, const char *what, const cst_entries *e,
                    const double *value, bool (*good)(double), const char *where, const char *must);
/* The texts of the entries of a list. Borrowed. */
const char **cst_read_entries_written(cst_reading *r, cst_yaml *list);

/* The names of all elements: "x", or "x[1]", "x[2]" ... Borrowed. */
const char **cst_read_elements(cst_reading *r, const cst_name *name, int n, int total);

/* Reads "x" or "x[2*n]" as the name of a `what`; fills all of *a except `at`. */
bool cst_read_declared(cst_reading *r, cst_yaml *n, const char *what, cst_name *a);

/* read-bodies.c, read-bodies.c, read-states.c: the optional key `bodies`. */
bool cst_read_has_bodies(const cst_reading *r);
/* Declares their coordinates after the plain ones; item[] gets the node of each name. */
void cst_read_declare_bodies(cst_reading *r, cst_yaml **item);
/* fills s->bodies after all coordinates are declared */
void cst_read_fill_bodies(cst_reading *r);
/* declares their families after the user's own, whose keys are `key` */
void cst_read_declare_orthogonal(cst_reading *r, cst_yaml *const *key);
void cst_read_orthogonal(cst_reading *r); /* reads their expressions */
void cst_read_inertia(cst_reading *r);
void cst_body_block(const cst_system *s, const cst_body *b, cst_node J[9]); /* tr(I)/2 1 - I */
/* q and v of a state (a map): plain coordinates from lists, bodies from their key. NULL for a missing list.
 */
void cst_read_start(cst_reading *r, cst_yaml *map, cst_node **q, cst_node **v);

/* read-edges.c: the tables; false after a mistake. The names of columns are checked when all others are known. */
bool cst_read_tables(cst_reading *r);
bool cst_read_check_tables(cst_reading *r);
/* An error of the expression n at the row that is read for, if there is one. */
void cst_read_row_error(cst_reading *r, cst_yaml *n, const char *message);

/* The parts of a description, in this order. */
void cst_read_units(cst_reading *r);
void cst_read_parameters(cst_reading *r);
bool cst_read_coordinates(cst_reading *r); /* false: the rest cannot be read */
bool cst_read_definitions(cst_reading *r); /* read-expression.c; false likewise */
void cst_read_mass(cst_reading *r);
/* s->mass of all coordinates from the mass of the plain ones and of the bodies */
void cst_read_body_masses(cst_reading *r);
void cst_read_gyroscopic(cst_reading *r);
void cst_read_potential(cst_reading *r);
void cst_read_constraints(cst_reading *r);
/* read-mass.c: the names of the constraints of stationary coordinates, behind those of the text; their nodes,
 * behind the `own` nodes of the text; and, when forces are known, whether something else acts on the coordinates */
void cst_read_declare_stationary(cst_reading *r);
void cst_read_stationary(cst_reading *r, int own);
void cst_read_check_stationary(cst_reading *r);
void cst_read_forces(cst_reading *r);
void cst_read_symmetries(cst_reading *r);
void cst_read_states(cst_reading *r);
/* the time and the accounts, if the system has them */
void cst_read_accounts(cst_reading *r);
/* after the derivatives: how figures show the system */
void cst_read_appearance(cst_reading *r);
void cst_read_events(cst_reading *r); /* after the derivatives too */
/* only without mistakes: M must be symmetric, and positive definite in every state */
void cst_read_check_mass(cst_reading *r);
/* The first of n rows with which the leading part of M, whose rows have `stride` entries, is not positive
 * definite; n: there is none. Overwrites M. */
int cst_read_mass_pivot(double *M, int n, int stride);
#endif

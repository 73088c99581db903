/* study.h: the contents of a study file, and the plan that follows from it: cases, members, steps, batches.
 *
 * Reading goes on after errors: every error goes into the cst_diag with its place, and a study is returned
 * only when there was none. A case is (variant of the parameters) x (tolerance) x method x step; cases are
 * numbered in that order, step fastest. A trajectory is one member of one case.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STUDY_H
#define CST_STUDY_H
#include <stdbool.h>
#include <stdint.h>
#include "constella/diag.h"
#include "constella/method.h"
#include "system/system.h"

/* A kind of study, such as order: a row of a list. */
typedef struct cst_kind cst_kind;
int                     cst_kind_count(void);
const cst_kind         *cst_kind_at(int i);              /* NULL behind the last */
const cst_kind         *cst_kind_find(const char *name); /* NULL: there is none */
const char             *cst_kind_name(const cst_kind *k);
const char             *cst_kind_doc(const cst_kind *k); /* one line */

typedef enum { CST_NORM_MAX, CST_NORM_ONE, CST_NORM_TWO } cst_norm;
/* Where errors are taken: after the last step; every step; at the points of the largest step's mesh
 * (docs/errors.md). There, multipliers that belong to the left end of a step are those of the steps that
 * begin at these points, including 0; elsewhere those of the step that ends. */
typedef enum { CST_OVER_END, CST_OVER_MESH, CST_OVER_COARSE } cst_over;
typedef enum { CST_COMPILE_AUTO, CST_COMPILE_NEVER, CST_COMPILE_ALWAYS } cst_compile_request;
typedef enum {
  CST_REFERENCE_NONE,
  CST_REFERENCE_EXACT,
  CST_REFERENCE_SELF,
  CST_REFERENCE_METHOD
} cst_reference_kind;

/* What solves the equations of implicit steps: lanes, many trajectories side by side; petsc, PETSc's own solvers,
 * one trajectory after another. */
typedef enum { CST_ENGINE_AUTO, CST_ENGINE_LANES, CST_ENGINE_PETSC } cst_solver_engine;

typedef struct {
  char *name; /* of an observer, or given by the user */
  /* NULL: none; else in coordinates, velocities x', lambda_NAME, parameters, pi, t */
  char                      *expression;
  cst_node                   node; /* of the expression, in the graph of the system */
  const struct cst_observer *observer;
  int                        line, column; /* of an expression: where the name is written */
} cst_observable;

/* An expression of coordinates, velocities and so on, or a family of them. */
typedef struct {
  char     *text;
  int       n;    /* expressions of the family; 1 without `for` */
  cst_node *node; /* [n] in the graph of the system */
} cst_expressions;

/* A word of the study file, with its place. */
typedef struct {
  char *text; /* NULL: none */
  int   line, column;
} cst_study_word;

/* A one-step method in a C file of the user (constella/layer.h). */
typedef struct {
  char       *name, *file; /* its name in the study; the file as messages name it */
  char        sha256[65];  /* of the bytes of that file */
  int         order;       /* order and doc as the file declares them */
  const char *doc;         /* borrowed from the loaded code, which the study's layers keep */
  /* it was not compiled (cst_reader_layer_withheld); another layer stands for it, which must not
   * be run */
  bool withheld;
} cst_layer_file;

/* A composition scheme of the study, with the largest residual of the conditions for each order. */
typedef struct {
  char  *name;
  int    stages, order;
  double defect[CST_SCHEME_ORDER + 1];
} cst_study_scheme;

/* An argument of methods that is swept: penalty(rattle, omega={20, 40}). */
typedef struct {
  char  *name;
  char **value; /* [nmethod] its text in each method; NULL: it is not swept there */
} cst_argument;

/* Where the text comes from. */
typedef struct {
  char *file, *title; /* file as given on the command line */
  /* canonical text without `compile` and `checkpoint`, with the sha256 of the user's files; the
   * result stores it */
  char *canonical;
  char  sha256[65]; /* of canonical, hexadecimal */
  int   nkey;       /* the keys with their places: "solver", "solver.iteration"; cst_study_place */
  cst_study_word *key;
} cst_study_source;

/* The system with its sets of parameters, and what the file defines for methods. */
typedef struct {
  cst_system *system;
  char       *file; /* a file of the user, as messages name it; NULL: a system of the catalogue */
  char        sha256[65]; /* of the bytes of that file */
  int         nvariant;   /* parameter sets (1 without sweep) */
  double     *parameter;  /* [nvariant][npar] */
  /* a body that is flat at the default parameters, in a set, or in a stage; NULL: none */
  const cst_body   *flat;
  cst_layers       *layers; /* what the file defines for methods, by name */
  int               nlayer;
  cst_layer_file   *layer; /* layers of the user that are written in C */
  int               nscheme;
  cst_study_scheme *scheme;
} cst_study_problem;

/* A sweep over starts: variant = start * nset + set of parameters. */
typedef struct {
  int      n, nset;   /* starts, 0 without such a sweep; sets of parameters */
  char   **name;      /* [n] */
  int     *state;     /* [n] as the state of cst_study_starts */
  int      naxis;     /* of a grid of starts: the coordinates and velocities that vary */
  char   **axis_name; /* [naxis] x, or x' of a velocity */
  double **axis;      /* [naxis][n] */
} cst_study_sweep;

/* `relax`: the method that relaxes the start before a run (relax.h); NULL: none. */
typedef struct {
  cst_method *method;
  double      step, end;
} cst_study_relax;

/* A table of starts: member m starts from start m modulo n. */
typedef struct {
  long    n;          /* 0: members have no starts of their own */
  bool    each;       /* the starts differ between variants */
  double *state;      /* [nvariant or 1][n][2 nq] q, v */
  char   *text;       /* the table from another file; NULL: none */
  char    sha256[65]; /* of its bytes */
} cst_study_table;

/* The start of member 0 before spreading. */
typedef struct {
  int     state;   /* index of the named start, -1 when given by numbers; cst_study_state */
  double *q, *v;   /* [nvariant][nq] */
  bool    project; /* inconsistent data are projected instead of refused */
  unsigned char *
      keep; /* [2 nq] of q, then v: not 0 where a projection moves nothing; NULL: it may move all */
  /* the largest move of a start by `project`, relative to the coordinates or velocities of that start, and its
   * description; 0 and "" up to 1 % */
  double          moved;
  char            moved_text[200];
  cst_study_relax relax;
  cst_study_table table;
} cst_study_starts;

/* The members of every case. */
typedef struct {
  bool     spread;  /* they are spread around the start */
  long     members; /* 1 without ensemble */
  uint64_t seed;
  double   spread_q, spread_v; /* standard deviations, in the units of q and v */
  double  *deviation[2];       /* [nq] each of q and of v; NULL: spread_q, spread_v for all */
  bool     unspread;           /* the key is missing: members start from the same point */
} cst_study_ensemble;

typedef struct {
  double *end; /* [nvariant] */
  int     n;
  double *h; /* [nvariant][n] nominal steps, as written */
  /* of the paths of noise; each step is a multiple; 0: each step has its own path */
  double resolution;
  bool   dyadic, compensated;
} cst_study_steps;

typedef struct {
  int           n;
  cst_method  **method;
  char        **family;    /* [n] methods of one sweep; NULL: it is of none */
  int           nargument; /* those that are swept */
  cst_argument *argument;
} cst_study_methods;

typedef struct {
  cst_reference_kind kind;
  cst_method        *method; /* CST_REFERENCE_METHOD only */
  double             step;
  bool               quad; /* in quadruple precision: the method is gauss(s) */
} cst_study_reference;

typedef struct {
  bool     q, p, lambda; /* error.of */
  cst_norm norm;
  cst_over over;
  cst_norm hidden; /* of G v, over the constraints */
} cst_study_error;

typedef struct {
  int             n;
  cst_observable *observable;
  bool            every;
} cst_study_observe;

typedef struct {
  int               ntolerance;
  double           *tolerance; /* [ntolerance], relative */
  int               max_iterations;
  cst_iteration     iteration; /* of convert(...) */
  cst_solver_engine engine;    /* as the study file has it */
  int               team;      /* ranks per trajectory, from 1 */
} cst_study_solver;

/* What concerns the run and changes no number of it. */
typedef struct {
  cst_compile_request compile;
  double              checkpoint_seconds;
  bool                extensible;     /* the result holds the data that a later end needs */
  int                 timing_repeats; /* how often each class of cases is timed; 0: not at all */
} cst_study_run;

/* Code that needs one section takes this section. */
typedef struct cst_study {
  const cst_kind     *kind;
  void               *own; /* the values of its own keys of the study file; NULL: none */
  cst_study_source    source;
  cst_study_problem   problem;
  cst_study_starts    starts;
  cst_study_sweep     sweep;
  cst_study_ensemble  ensemble;
  cst_study_steps     steps;
  cst_study_methods   methods;
  cst_study_reference reference;
  cst_study_error     error;
  cst_study_observe   observe;
  cst_study_solver    solver;
  cst_study_run       run;
  void **collected; /* what each collector has read of its own keys; NULL: it has none */
} cst_study;

/* Reads the bytes of a file that a study names, as cst_document_fetch. */
typedef const char *cst_fetch(const char *path, char **bytes, size_t *length);
/* Gets these bytes by `fetch`: in the calling process, or under MPI, collectively, on one rank for all. */
typedef const char *cst_share(cst_fetch *fetch, const char *path, char **bytes, size_t *length);
cst_share           cst_reader_share_alone; /* fetch in the calling process */
/* The answer of a cst_share for a layer in C that must not be compiled and loaded. The text is compared, not
 * the pointer.
 */
extern const char cst_reader_layer_withheld[];

/* Reads a study from text, the contents of `file`; the files of a user's system and layers are relative to
 * the folder of `file`; layers in C are compiled, and loaded by each process. NULL with errors in d. The
 * kernels of a user's system are interpreted until they are compiled. Owned. */
cst_study *cst_study_read(const char *file, const char *text, size_t length, cst_share *share,
                          cst_diag *d);
void       cst_study_destroy(cst_study *s);
/* The methods of a text with the keys `layers`, `schemes` and `maps`, as in a study, and `steppers`, which is not read;
 * with the key `study` also the others of a certify study. NULL with errors in d. Owned: cst_layers_destroy. */
cst_layers *cst_study_read_layers(const char *file, const char *text, size_t length,
                                  cst_share *share, cst_diag *d);

/* The place of the value of a key such as solver.iteration, else of the map that it belongs to, else the
 * beginning. */
cst_study_word cst_study_place(const cst_study *s, const char *key);

/* Whether the parameter with this number differs between variants. */
bool cst_study_sweeps(const cst_study *s, int parameter);

typedef struct {
  int    variant, tolerance, method, step; /* indices into the study */
  double h; /* the step taken: nominal, or the nearest number of 20 bits */
  double h_nominal;
  long   n; /* steps; the trajectory ends at n h */
} cst_case;

/* The cases of a study, in order. Owned, free(). */
cst_case *cst_study_cases(const cst_study *s, int *count);

/* The named state that a variant starts from; -1: numbers, or a spread. */
int cst_study_state(const cst_study *s, int variant);

/* Initial state of one member of one variant: spread, projected; q[nq], v[nq]. It depends only on (seed,
 * member, data of the variant). false when the projection fails. */
bool cst_study_member(const cst_study *s, int variant, long member, double *q, double *v);
#endif

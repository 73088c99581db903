/* study.h: what a study file asks for, and the plan made of it: cases, members, steps, batches.
 *
 * Reading never fails half-way: every mistake goes into the cst_diag with its place, and a study is returned only when there
 * was none. A case is (variant of the parameters) x (tolerance) x method x step; cases are numbered in that order, step
 * fastest. A trajectory is one member of one case.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_STUDY_H
#define CONSTELLA_STUDY_H
#include <stdbool.h>
#include <stdint.h>
#include "constella/diag.h"
#include "constella/method.h"
#include "constella/system.h"

/* A kind of study, order for instance: a row of a list that any file may be added to. */
typedef struct cst_kind cst_kind;
int                     cst_kind_count(void);
const cst_kind         *cst_kind_at(int i);              /* NULL behind the last */
const cst_kind         *cst_kind_find(const char *name); /* NULL: there is none */
const char             *cst_kind_name(const cst_kind *k);
const char             *cst_kind_doc(const cst_kind *k); /* one line */

typedef enum { CST_NORM_MAX, CST_NORM_ONE, CST_NORM_TWO } cst_norm;
/* Where errors are taken: after the last step; every step; at the points of the largest step's mesh (docs/errors.md). There multipliers
 * that belong to the left end of a step are those of the steps that begin at its points, 0 among them; elsewhere those of the step that
 * ends. */
typedef enum { CST_OVER_END, CST_OVER_MESH, CST_OVER_COARSE } cst_over;
typedef enum { CST_COMPILE_AUTO, CST_COMPILE_NEVER, CST_COMPILE_ALWAYS } cst_compile_wish;
typedef enum { CST_REFERENCE_NONE, CST_REFERENCE_EXACT, CST_REFERENCE_SELF, CST_REFERENCE_METHOD } cst_reference_kind;

typedef struct {
  char                      *name;       /* an observer's, or the user's own */
  char                      *expression; /* NULL: none; else in coordinates, velocities x', lambda_NAME, parameters, pi, t */
  cst_node                   node;       /* of the expression, in the graph of the system */
  const struct cst_observer *observer;
  int                        line, column; /* of an expression: where the name is written */
} cst_observable;

/* How often the values of an expression, or of a family of them, lie where, over time and members. */
typedef struct {
  char     *name, *expression;
  int       n;    /* expressions of the family; 1 without `for` */
  cst_node *node; /* [n] in the graph of the system */
  int       bins;
  double   *edge;   /* [bins + 1] ascending: bin k is edge[k] <= x < edge[k + 1], the last one with its end */
  bool      fixman; /* every sample weighs (det G M^-1 G')^(-1/2) in the density */
} cst_histogram;

/* A word of the study file, with its place. */
typedef struct {
  char *text; /* NULL: there is none */
  int   line, column;
} cst_study_word;

/* A one-step layer in a C file of the user's (constella/layer.h). */
typedef struct {
  char       *name, *file; /* its name in the study; the file as messages name it */
  char        sha256[65];  /* of the bytes of that file */
  int         order;       /* and what it says of itself: */
  const char *doc;         /* borrowed from the loaded code, which stays */
  bool        withheld;    /* it was not compiled (cst_reader_layer_withheld): some other layer stands for it, which is not to be run */
} cst_layer_file;

typedef struct {
  const cst_kind *kind;
  void           *own;          /* what its keys of the study file say; NULL where it has none */
  char           *file, *title; /* file as given on the command line */
  char       *canonical;  /* canonical text without `compile` and `checkpoint`, with the sha256 of a user's files; what the result stores */
  char        sha256[65]; /* of canonical, hexadecimal */
  cst_system *system;
  char       *system_file;       /* a user's, as messages name it; NULL: of the catalogue */
  char        system_sha256[65]; /* of the bytes of that file */
  cst_compile_wish   compile;    /* changes no result */
  int                nlayer;
  cst_layer_file    *layer;        /* layers of the user's own that are written in C */
  int                nvariant;     /* parameter sets (1 without sweep) */
  double            *parameter;    /* [nvariant][npar] */
  int                nset, nswept; /* of a sweep over nswept starts: variant = start * nset + set of parameters; else nswept is 0 */
  char             **start_name;   /* [nswept] */
  int               *start_state;  /* [nswept] as `state` */
  int                state;        /* index of the named start, -1 when given by numbers; cst_study_state */
  double            *q0, *v0;      /* [nvariant][nq] start of member 0 before spreading */
  bool               ensemble;     /* members are spread around (q0, v0) */
  bool               project;      /* inconsistent data are projected instead of refused */
  long               members;      /* 1 without ensemble */
  uint64_t           seed;
  double             spread_q, spread_v; /* standard deviations, in the units of q and v */
  bool               unspread;           /* the key is left out: members start from the same point */
  cst_method        *relax_method;       /* `relax`: what the start is relaxed with before a run (relax.h); NULL: it is not */
  double             relax_step, relax_end;
  double            *deviation[2];      /* [nq] each of q and of v; NULL: spread_q, spread_v for all */
  long               nstart;            /* members have starts of their own, member m the m-th modulo nstart; 0: they have not */
  bool               starts_each;       /* they differ from variant to variant */
  double            *starts;            /* [nvariant or 1][nstart][2 nq] q, v */
  char              *starts_text;       /* the table that they come from, where they are those of another file; NULL: they are not */
  char               starts_sha256[65]; /* of its bytes */
  double            *end;               /* [nvariant] */
  int                nstep;
  double            *step;       /* [nvariant][nstep] nominal steps, as written */
  double             resolution; /* of the paths of noise, of which each step is a multiple; 0: every step has a path of its own */
  int                nmethod;
  cst_method       **method;
  cst_reference_kind reference;
  cst_method        *reference_method; /* CST_REFERENCE_METHOD only */
  double             reference_step;
  int                reference_line, reference_column; /* where that step is written */
  bool               reference_quad;                   /* in quadruple precision: the method is gauss(s) */
  bool               error_q, error_p, error_lambda;   /* error.of */
  cst_norm           norm;
  cst_over           over;
  cst_norm           hidden; /* of G v, over the constraints */
  int                nobservable;
  cst_observable    *observable;
  int                nhistogram;
  cst_histogram     *histogram;
  bool               averages;       /* time averages of the observables are taken */
  bool               average_fixman; /* every sample of them weighs (det G M^-1 G')^(-1/2) */
  double             burn_in;        /* the part of the run that averages and histograms leave out */
  int                samples;        /* count, at most; 0: none */
  bool               samples_log;
  bool               observe_every;
  int                ntrajectory; /* members whose states are stored, at most */
  long              *trajectory;  /* [ntrajectory]; NULL: the worst ones, which are known when all has run */
  long               trajectory_every;
  cst_study_word     worst_by; /* what the worst are the worst in */
  bool               store_q, store_p, store_v, store_lambda;
  int                nstored; /* names of quantities that are stored besides */
  cst_study_word    *stored;
  int                ntolerance;
  double            *tolerance; /* [ntolerance], relative */
  int                max_iterations;
  cst_iteration      iteration; /* of convert(...) */
  bool               dyadic, compensated;
  bool               extensible; /* the result holds what a longer end needs */
  double             checkpoint_seconds;
  int                timing_repeats; /* every class of cases is timed so often by itself; 0: it is not */
} cst_study;

/* How bytes are got from a file that a study names: as cst_document_fetch. */
typedef const char *cst_fetch(const char *path, char **bytes, size_t *length);
/* Who gets them: the process that asks, or under MPI, where it is a collective function, one rank for all. */
typedef const char *cst_share(cst_fetch *fetch, const char *path, char **bytes, size_t *length);
cst_share           cst_reader_share_alone; /* fetch by the process that asks */
/* What a cst_share answers, instead of the code of a layer in C, when it is not to be compiled and loaded. The text counts, not its place.
 */
extern const char cst_reader_layer_withheld[];

/* Read a study. text is the file's contents; the files of a user's system and layers are looked for in the folder of `file`; layers in C
 * are compiled, and loaded by each process. NULL with the mistakes in d. The kernels of a user's system are interpreted until they are
 * compiled. Owned. */
cst_study *cst_study_read(const char *file, const char *text, size_t length, cst_share *share, cst_diag *d);
void       cst_study_destroy(cst_study *s);

typedef struct {
  int    variant, tolerance, method, step; /* indices into the study */
  double h;                                /* the step taken: nominal, or the nearest number of 20 bits */
  double h_nominal;
  long   n; /* steps; the trajectory ends at n h */
} cst_case;

/* The cases of a study, in order. Owned, free(). */
cst_case *cst_study_cases(const cst_study *s, int *count);

/* The named state that a variant starts from; -1: numbers, or a spread. */
int cst_study_state(const cst_study *s, int variant);

/* Initial state of one member of one variant: spread, projected; q[nq], v[nq]. Independent of everything but (seed, member,
 * variant's data). false when the projection fails. */
bool cst_study_member(const cst_study *s, int variant, long member, double *q, double *v);
#endif

/* reader.h: what the parts of the study-file reader share: typed values with places, evaluated for every
 * parameter set.
 *
 * Every function reports into r->d and goes on; false means that the value is missing, wrong (reported) or
 * cannot be known because the system is (reported elsewhere). Without a system, texts that are no plain
 * numbers are passed over silently. `what` is the name of the value in messages. A node NULL is an absent
 * key: false, silently.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STUDY_READER_H
#define STUDY_READER_H
#include "constella/document.h"
#include "constella/study.h"
#include "core/diag.h"
#include "study/keys.h"

typedef struct cst_reader {
  cst_study    *s;
  cst_document *doc;
  cst_yaml     *root;
  cst_diag     *d;
  cst_share    *share;
  bool          start_known, spread_known;
  cst_yaml     *start;                /* where it stands; NULL: nowhere */
  cst_layers   *layers;               /* the study's own */
  cst_graph    *graph;                /* of the numbers written as expressions */
  cst_binding   binding[CST_MAX_PAR]; /* the system's parameters */
} cst_reader;

#define CST_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* reader-value.c */
bool cst_reader_map(cst_reader *r, cst_yaml *n, const char *what, const char *const *keys, int count);
/* The same with the keys of keys.h for map `in` in these forms. */
bool        cst_reader_keys(cst_reader *r, cst_yaml *n, const char *what, const char *in, int forms);
bool        cst_reader_list(cst_reader *r, cst_yaml *n, const char *what, const char *of, bool may_be_empty);
const char *cst_reader_text(cst_reader *r, cst_yaml *n, const char *what, const char *of);
cst_yaml   *cst_reader_required(cst_reader *r, cst_yaml *map, const char *what, const char *key);
bool cst_reader_choice(cst_reader *r, cst_yaml *n, const char *what, const char *const *names, int count,
                       int *out);
bool cst_reader_flag(cst_reader *r, cst_yaml *n, const char *what, bool *out);
void cst_reader_unknown(cst_reader *r, cst_yaml *n, const char *what, const char *word,
                        const char *const *names, int count);

/* reader-number.c */
bool        cst_reader_constant(cst_reader *r, cst_yaml *n, const char *what,
                                double *out); /* an expression of pi only */
bool        cst_reader_numbers(cst_reader *r, cst_yaml *n, const char *what, double *out); /* out[nvariant] */
bool        cst_reader_number(cst_reader *r, cst_yaml *n, const char *what,
                              double *out); /* equal for every parameter set */
bool        cst_reader_integer(cst_reader *r, cst_yaml *n, const char *what, long low, long high, long *out);
const char *cst_reader_with(const cst_reader *r,
                            int variant);  /* " with L2 = 3" of a swept variant; rotating static buffer */
const char *cst_reader_shortest(double x); /* shortest text that reads back; rotating static buffer */

/* reader-beside.c: a file that node n names; what is wrong with it is reported there. The path of the text
 * `name`, which is relative to the study's folder, owned; its bytes, owned, false when there are none; and
 * whether they are those that the study was written for, where it says so. */
char *cst_reader_beside(const cst_reader *r, const char *name);
bool  cst_reader_fetch(cst_reader *r, cst_yaml *n, cst_fetch *fetch, const char *path, char **bytes,
                       size_t *length);
void  cst_reader_check_sum(cst_reader *r, cst_yaml *sum, const char *path, const char *sha256);

/* reader-family.c: what `for` says: no range, one, or a list of them, each "NAME = FROM..TO", where FROM and
 * TO may use the names before it. Visits every choice of the variables in the order of nested loops, with the
 * names of `names` and of the variables; visit returns false to end. NULL of n: one visit, without variables.
 * false after a mistake. */
typedef bool cst_family_visit(void *context, const cst_binding *names, int n, long number);
bool cst_reader_family(cst_reader *r, cst_yaml *n, const char *what, const cst_binding *names, int count,
                       cst_family_visit *visit, void *context, long *visits);

void cst_file_histograms_destroy(cst_study *s);

/* The keys of the file, in the order of the calls: each may use what those before it have read. */
void cst_file_system(cst_reader *r);  /* system */
void cst_file_start(cst_reader *r);   /* initial */
void cst_start_settle(cst_reader *r); /* start.c: after both; enforce what the starts need, and refuse those
                                         that cannot start */
void cst_file_relax(cst_reader *r, cst_yaml *n); /* relax, in initial; n NULL: there is none */
void cst_file_error(cst_reader *r);              /* error */
void cst_file_steps(cst_reader *r);              /* end, steps */
void cst_file_layers(cst_reader *r);             /* layers */
void cst_file_methods(cst_reader *r);            /* methods, reference */
void cst_file_observe(cst_reader *r);            /* observables, samples, observe, trajectories */
void cst_file_trajectories(cst_reader *r);       /* trajectories; behind observables */
void cst_file_trajectories_destroy(cst_study *s);
void cst_file_noise(cst_reader *r);    /* noise; behind methods, steps and roundoff */
void cst_file_averages(cst_reader *r); /* burn-in, histograms */

/* The map {a: ..., b: ..., c: ...} as a method; NULL when it is none. Owned. */
cst_method *cst_file_tableau(cst_reader *r, cst_yaml *n);

void *cst_reader_memory(size_t n, size_t size); /* zeroed; never NULL */
#endif

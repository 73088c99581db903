/* reader.h: shared by the parts of the study-file reader: typed values with their places, evaluated for every
 * parameter set.
 *
 * Every function reports errors into r->d and continues. False means that the value is missing, wrong
 * (reported here), or unknown because the system is wrong (reported elsewhere). Without a system, texts other
 * than plain numbers are accepted silently. `what` is the name of the value in messages. A NULL node is an
 * absent key: false, without a message.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_READER_H
#define CST_READER_H
#include "core/document.h"
#include "study/rows/study.h"
#include "core/diag.h"
#include "study/file/study-keys.h"

typedef struct cst_reader {
  cst_study    *s;
  cst_document *doc;
  cst_yaml     *root;
  cst_diag     *d;
  cst_share    *share;
  int           before; /* errors in d before this file */
  bool          start_known, start_sound, spread_known;
  cst_yaml     *start;                /* its node; if it is not in the file, that of the system */
  cst_graph    *graph;                /* of numbers written as expressions */
  cst_binding   binding[CST_MAX_PAR]; /* the system's parameters */
  char          refusal[400];         /* the last reason for which a method does not suit */
} cst_reader;

#define CST_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

bool cst_reader_map(cst_reader *r, cst_yaml *n, const char *what, const char *const *keys,
                    int count);
/* cst_reader_map with the keys that study-keys.h lists for map `in` in these forms. */
bool cst_reader_keys(cst_reader *r, cst_yaml *n, const char *what, const char *in, int forms);
/* Reads the values of map n whose rows have a type, or their defaults where n is NULL, into `section`: rows of map `in`
 * of the table in these forms, but for lists and values of several forms, which code of their own reads. section: checks
 * the keys of the map first, as cst_reader_keys, whose result it has. */
void cst_reader_values(cst_reader *r, cst_yaml *n, const char *what, const cst_key *table,
                       const char *in, int forms, void *section);
bool cst_reader_section(cst_reader *r, cst_yaml *n, const char *what, const char *in, int forms,
                        void *section);
/* Reads one value by the row of its key: a number, or the index of a word. */
bool cst_reader_value(cst_reader *r, cst_yaml *n, const cst_key *k, const char *what, double *x);
/* The default of a key as a file would have it; owned. */
cst_document *cst_reader_standard(cst_reader *r, const cst_key *k, cst_yaml **value);
bool          cst_reader_list(cst_reader *r, cst_yaml *n, const char *what, const char *of,
                              bool may_be_empty);
const char   *cst_reader_text(cst_reader *r, cst_yaml *n, const char *what, const char *of);
cst_yaml     *cst_reader_required(cst_reader *r, cst_yaml *map, const char *what, const char *key);
bool cst_reader_choice(cst_reader *r, cst_yaml *n, const char *what, const char *const *names,
                       int count, int *out);
void cst_reader_unknown(cst_reader *r, cst_yaml *n, const char *what, const char *word,
                        const char *const *names, int count);

/* An expression of pi only. */
bool cst_reader_constant(cst_reader *r, cst_yaml *n, const char *what, double *out);
/* One value per parameter set, out[nvariant]. */
bool cst_reader_numbers(cst_reader *r, cst_yaml *n, const char *what, double *out);
/* One value, equal for every parameter set. */
bool cst_reader_number(cst_reader *r, cst_yaml *n, const char *what, double *out);
/* " with L2 = 3" for a swept variant; rotating static buffer. */
const char *cst_reader_with(const cst_reader *r, int variant);
/* The shortest text that reads back as x; rotating static buffer. */
const char *cst_reader_shortest(double x);

/* A file named by node n; errors are reported there. Its path, from a name relative to the
 * study's folder (owned); its bytes (owned; false if they cannot be read); and a check of its checksum
 * against the one in the study. */
char *cst_reader_beside(const cst_reader *r, const char *name);
bool  cst_reader_fetch(cst_reader *r, cst_yaml *n, cst_fetch *fetch, const char *path, char **bytes,
                       size_t *length);
void  cst_reader_check_sum(cst_reader *r, cst_yaml *sum, const char *path, const char *sha256);

/* Appends the single expression in a node to x, whose text is that of the first; false after a mistake. forget: releases
 * them. */
bool cst_reader_expression(cst_reader *r, cst_yaml *n, const char *what, cst_expressions *x);
void cst_reader_forget(cst_expressions *x);
/* Whether a name can be that of datasets, and is not that of an observable; false: reported. of: "a
 * histogram". */
bool cst_reader_name(cst_reader *r, cst_yaml *n, const char *of, const char *name);

void cst_file_methods_destroy(cst_study *s);
/* file-system.c: a body that is flat for the parameters c is noted in s->problem.flat. */
void cst_study_note_flat(cst_study *s, const double *c);

/* The keys of the file, in the order of the calls: each may use what earlier ones have read. */
void cst_file_system(cst_reader *r); /* system */
void cst_file_layers(cst_reader *r); /* layers, schemes, maps, retractions, iotas */
void cst_file_start(cst_reader *r);  /* initial */
/* file-start.c: projects the starts if asked, and reports those that are invalid: after both the first start,
 * which decides on redundant constraints; at last the others, which may be many */
void cst_start_settle(cst_reader *r);
void cst_start_check(cst_reader *r);
void cst_file_relax(cst_reader *r, cst_yaml *n); /* relax, in initial; n NULL: absent */
void cst_file_error(cst_reader *r);              /* error */
void cst_file_steps(cst_reader *r);              /* steps; after end */
void cst_file_methods(cst_reader *r);            /* methods, reference */
void cst_file_observe(cst_reader *r);            /* observables, observe */
void cst_file_noise(cst_reader *r);              /* noise; after methods, steps and roundoff */

/* A method from the map {a: ..., b: ..., c: ...}; NULL if it is invalid. Owned. */
cst_method *cst_file_tableau(cst_reader *r, cst_yaml *n);

void *cst_reader_memory(size_t n, size_t size); /* zeroed; never NULL */
#endif

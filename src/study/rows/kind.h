/* kind.h: a kind of study as a row: the keys it reads, the data it needs, its columns, and how they are
 * computed.
 *
 * A new kind is one file with its row and one line in kinds.h (docs/adding.md).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_KIND_H
#define CST_KIND_H
#include "core/error.h"
#include "study/rows/study.h"
#include "core/keys.h"
#include "system/lane/record.h"

typedef struct cst_plan      cst_plan;
typedef struct cst_reader    cst_reader;
typedef struct cst_case_rows cst_case_rows;
typedef struct cst_columns   cst_columns;

/* What a kind requires of reader, runner, reference and writer, besides CST_NEEDS_EQUAL_STEPS (record.h). */
enum {
  CST_NEEDS_REFERENCE = 1, /* the study file names a reference */
  CST_NEEDS_REFERENCE_ERROR =
      2,                       /* the error of the reference is estimated too, if it is a method */
  CST_NEEDS_NOMINAL_STEPS = 4, /* steps are not rounded unless the file says so */
  CST_NEEDS_WINDOWS = 8,       /* window means are kept */
};

struct cst_kind {
  const char *name, *doc;
  /* NULL, or the command of `constella` that measures such studies. They have no cases: the file has the keys of `keys`
   * alone, the result is FILE.json, and of the members below only `keys` is used. */
  const char *command;
  unsigned    needs;
  /* figures of a report, by the names of `constella list figures`, separated by commas, in order */
  const char *figures;
  /* additional keys of the study file, in its map ""; ends with a row whose key is NULL. NULL: none */
  const cst_key *keys;
  size_t         own; /* bytes of cst_study.own, which these keys fill and which begins as zeros */
  /* After all other keys, and the typed rows of these: reads the others into r->s->own, and reports combinations that make
   * no sense. NULL: there is nothing to do. */
  void (*read)(cst_reader *r);
  /* Declares the columns that follow those of every study, and sets those that are known before the run.
   * Returns their handles, owned: free(). */
  void *(*declare)(const cst_plan *p, cst_columns *c);
  /* Sets the other columns of the open case, from its finished rows; on any rank. */
  cst_error (*conclude)(cst_case_rows *rows, const void *handles);
  /* NULL, or sets the columns that compare steps: of the cases first .. first + nstep - 1, coarse to fine,
   * which differ in nothing else and are concluded; on the rank that concluded them. No case is open. */
  cst_error (*conclude_steps)(cst_case_rows *rows, const void *handles, int first);
  /* NULL, or sets the columns that compare all cases; on one rank, where all columns have their values. What
   * it needs of a case must be in a column. After a kill it is called again, with what it had set. */
  cst_error (*conclude_table)(const cst_plan *p, const void *handles);
};

/* False if the kind is unknown. */
static inline bool cst_study_needs(const cst_study *s, unsigned need) {
  return s->kind && (s->kind->needs & need);
}
#endif

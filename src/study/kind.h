/* kind.h: a kind of study as a row: what it asks of the study file, what must be kept for it, its columns,
 * and how they are concluded.
 *
 * A new kind is one file with its row and one line in kinds.h (docs/adding.md).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_KIND_H
#define CST_KIND_H
#include <petscsys.h>
#include "constella/study.h"
#include "study/columns.h"

typedef struct cst_plan      cst_plan;
typedef struct cst_reader    cst_reader;
typedef struct cst_case_rows cst_case_rows;

/* What reader, runner, reference and writer must do for a kind. */
enum {
  CST_NEEDS_REFERENCE = 1,       /* the study file names a reference */
  CST_NEEDS_REFERENCE_ERROR = 2, /* the error of a method that is the reference is estimated, too */
  CST_NEEDS_NOMINAL_STEPS = 4,   /* steps are taken as written, unless the file says otherwise */
  CST_NEEDS_WINDOWS = 8,         /* means over windows are kept */
};

struct cst_kind {
  const char *name, *doc;
  unsigned    needs;
  const char
      *figures; /* of a report, by the names of analysis/plots.py, separated by commas, in their order */
  const char *const
        *keys; /* of the study file besides those of every study, NULL behind the last; NULL: none */
  size_t own;  /* bytes of what these keys say, cst_study.own, which begins as zeros */
  /* Reads these keys into r->s->own, after all other keys, and refuses what makes no sense in such a study.
   * NULL: nothing. */
  void (*read)(cst_reader *r);
  /* Declares the columns behind those of every study, and sets those that are known before anything is run.
   * Their handles, owned: free().
   */
  void *(*declare)(const cst_plan *p, cst_columns *c);
  /* Sets the other columns for all cases, from the finished rows; on one rank. */
  PetscErrorCode (*conclude)(cst_case_rows *rows, const void *handles);
};

/* False where the kind is not known, too. */
static inline bool cst_study_needs(const cst_study *s, unsigned need) {
  return s->kind && (s->kind->needs & need);
}
#endif

/* run-warnings.h: the warnings of a run. Each is printed on stderr, and kept as text in an attribute of /run, from which
 * `status` and `report` show it again. A warning about trajectories, which `run` finds at its end, and one about
 * the study, before it begins, are kept alike. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUN_WARNINGS_H
#define CST_RUN_WARNINGS_H
#include "study/result/output.h"

typedef enum {
  CST_WARNS_REFERENCE_STEP, /* the reference is hardly more accurate than the runs */
  CST_WARNS_COMPILE,        /* the system, or a part of its steps, could not be compiled */
  CST_WARNS_BUILD,          /* the result that is extended was made by another build */
  CST_WARNS_ROWS,           /* rows of the result that is extended are left out */
  CST_WARNS_REFERENCE,      /* members of the reference took smaller steps */
  CST_WARNS_ENERGY,         /* energies changed by more than half of their parts */
  CST_WARNS_RANK,           /* constraints lost rank */
  CST_WARNS_PASSED,         /* trajectories passed a state at which they do */
  CST_WARNINGS
} cst_warning;

enum { CST_WARNING_WIDTH = 768 }; /* bytes; longer text is cut */

typedef struct {
  const char *attribute; /* of /run */
  const char *label;     /* before the text, in `status` */
  bool        stays;     /* it concerns the first attempt, and a resumed run keeps it */
} cst_warning_row;

extern const cst_warning_row cst_warning_rows[CST_WARNINGS];

/* Warnings that are found before the file is made, on rank 0; "" for none. */
typedef struct {
  char text[CST_WARNINGS][CST_WARNING_WIDTH];
} cst_warnings;

/* Prints a warning on stderr. */
void cst_warning_print(const char *text);
/* On rank 0: prints a warning, if text is not empty, and keeps it in the result. */
void cst_run_warn(cst_output *o, cst_warning w, const char *text);

/* Collective, when the file is made or opened again; first: it is new, and gets the attributes. Keeps those of `early`, and removes
 * those of an earlier attempt that this one finds again if they are still true. */
void cst_run_warnings_begin(cst_output *o, const cst_warnings *early, bool first);
#endif

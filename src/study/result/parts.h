/* parts.h: columns that several kinds of study share: errors against the reference, largest values,
 * constraints. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PARTS_H
#define CST_PARTS_H
#include "study/result/case-rows.h"
#include "study/rows/kind.h"

/* Members that count in the means of a quantity, and the flag "biased" if some do not: those that failed may
 * differ from the others in the very quantity. */
typedef struct {
  cst_number_column members;
  cst_text_column   flag;
} cst_survivor_columns;

cst_survivor_columns cst_parts_survivors_declare(cst_columns *c, const char *of);
void cst_parts_survivors_conclude(cst_survivor_columns x, int icase, long survivors, long members);

/* Endings of the columns' names, by CST_ERROR_... */
extern const char *const cst_parts_endings[CST_ERRORS]; /* "", _q, _p, _lambda */

/* Errors against the reference: the largest over the members and, for several members, their root mean
 * square. */
typedef struct {
  cst_number_column largest[CST_ERRORS], rms[CST_ERRORS];
} cst_error_columns;

void cst_parts_errors_declare(const cst_plan *p, cst_columns *c, cst_error_columns *x);
/* Of the open case. */
cst_error cst_parts_errors_conclude(cst_case_rows *rows, const cst_error_columns *x);

/* Largest values of a quantity over the run and the members that did not fail: *drift is the largest |x -
 * x(0)|; *value is the same for a quantity that drifts, else the largest x. Reads the quantity's figures. */
cst_error cst_parts_quantity_largest(cst_case_rows *rows, int quantity, double *drift,
                                     double *value);
/* What the collector of summaries knows of a study. */
typedef struct {
  bool unknown; /* it is one of an earlier program, which kept no values */
} cst_values_request;
/* Whether the result has the least and the largest value of a quantity (/values): it moves, and the study is none of an
 * earlier program. */
bool cst_parts_has_values(const cst_plan *p, int quantity);
/* The columns of the values of a quantity that drifts: NAME_max, the largest |x - x(0)|; of one with values NAME_min and
 * NAME_max, the least and the largest, and NAME_change. shown: by default. */
typedef struct {
  cst_number_column change, value[CST_VALUES];
} cst_extreme_columns;
cst_extreme_columns cst_parts_extremes_declare(const cst_plan *p, cst_columns *c, int quantity,
                                               bool shown);
/* Of the open case. Reads the quantity's figures. */
cst_error cst_parts_extremes_conclude(cst_case_rows *rows, int quantity,
                                      const cst_extreme_columns *x);
/* The built-in quantity with this name; -1: none. */
int cst_parts_quantity_find(const cst_plan *p, const char *name);

/* The constraints and the hidden constraints, unscaled and scaled. */
enum {
  CST_CONSTRAINT,
  CST_CONSTRAINT_SCALED,
  CST_HIDDEN,
  CST_HIDDEN_SCALED,
  CST_CONSTRAINT_COLUMNS
};
typedef struct {
  cst_number_column largest[CST_CONSTRAINT_COLUMNS];
} cst_constraint_columns;

void cst_parts_constraints_declare(cst_columns *c, cst_constraint_columns *x);
/* Of the open case. */
cst_error cst_parts_constraints_conclude(cst_case_rows *rows, const cst_constraint_columns *x);

/* The largest |q(t) - q(0)|. */
cst_number_column cst_parts_displacement_declare(cst_columns *c, bool shown);
/* Of the open case. */
cst_error cst_parts_displacement_conclude(cst_case_rows *rows, cst_number_column x);
/* Sets a column to the largest number of a channel over the members that did not fail; NaN: there is none. */
cst_error cst_parts_largest(cst_case_rows *rows, const cst_channel_row *row, int which,
                            cst_number_column to);
#endif

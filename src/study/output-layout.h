/* output-layout.h: inside the room: what an output is, and its datasets. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_OUTPUT_LAYOUT_H
#define CST_OUTPUT_LAYOUT_H
#include "study/output.h"

enum { DIM_CASE, DIM_MEMBER, DIM_COORDINATE, DIM_MULTIPLIER, DIM_FIGURE, DIM_SAMPLE, DIM_WINDOW, DIM_PARAMETER, DIM_WORD, DIMS };

struct cst_output {
  const cst_plan *plan;
  cst_record     *record;     /* NULL: what is written is compared */
  cst_result     *file;       /* with this */
  cst_comparison *comparison; /* into that */
  int             nfield, ndim;
  cst_field      *field;
  cst_dimension  *dim;
};

/* All that the file consists of; columns NULL: without the statistics. */
PetscErrorCode cst_output_lay_out(const cst_plan *p, const cst_columns *columns, cst_output **output);
#endif

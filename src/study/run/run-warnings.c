/* run-warnings.c: the warnings of a run, printed and kept (see run-warnings.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/run-warnings.h"
#include <stdio.h>

const cst_warning_row cst_warning_rows[CST_WARNINGS] = {
    [CST_WARNS_REFERENCE_STEP] = {"reference_step", "reference", false},
    [CST_WARNS_COMPILE] = {"not_compiled", "compiler", false},
    [CST_WARNS_BUILD] = {"other_build", "build", true},
    [CST_WARNS_ROWS] = {"rows_left_out", "extended", true},
    [CST_WARNS_REFERENCE] = {"reference_again", "reference", false},
    [CST_WARNS_ENERGY] = {"energy_changed", "energy", false},
    [CST_WARNS_RANK] = {"rank_lost", "rank", false},
    [CST_WARNS_PASSED] = {"passed_singular", "passed", false},
};

void cst_warning_print(const char *text) { fprintf(stderr, "constella: warning: %s\n", text); }

void cst_run_warn(cst_output *o, cst_warning w, const char *text) {
  if (!*text)
    return;
  cst_output_text(o, "/run", cst_warning_rows[w].attribute, text);
  cst_warning_print(text);
}

void cst_run_warnings_begin(cst_output *o, const cst_warnings *early, bool first) {
  for (int w = 0; w < CST_WARNINGS; w++) {
    const cst_warning_row *row = &cst_warning_rows[w];
    if (first)
      cst_output_room(o, "/run", row->attribute, CST_WARNING_WIDTH);
    if (first || !row->stays)
      cst_output_text(o, "/run", row->attribute, early->text[w]);
  }
}

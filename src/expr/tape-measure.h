/* tape-measure.h: the single value of a tape over the lanes of a group, and its magnitude, by vectors; as
 * cst_tape_run_ISA (constella/expr.h). along: at n states, value[n][W]; an input moves by step[its letter]
 * numbers from state to state. signs: the same; returns the lanes, as bits, in which one of them is 0, not a
 * number, or of another sign than `before` [W]. Of these two, scratch has cst_tape_along_registers numbers for
 * each lane.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_MEASURE_H
#define CST_MEASURE_H
#include <stddef.h>
#include "constella/expr.h"
#include "constella/isa.h"

int cst_tape_along_registers(const cst_tape *t);
/* Whether the single value of the tape is that of an input: its letter and index. */
bool cst_tape_is_input(const cst_tape *t, char *letter, int *index);
#define X(isa, w)                                                                                  \
  void cst_tape_measure_##isa(const cst_tape *t, const double *const in[128], double *value,       \
                              double *size, double *scratch);                                      \
  void cst_tape_along_##isa(const cst_tape *t, int n, const double *const in[128],                 \
                            const size_t step[128], double *value, double *scratch);               \
  int  cst_tape_signs_##isa(const cst_tape *t, int n, const double *const in[128],                 \
                            const size_t step[128], const double *before, double *value,           \
                            double *scratch);
CST_ISA_LIST(X)
#undef X
#endif

/* tape-lanes.h: tapes over the lanes of a group, as src/expr/interpret.c compiles it for each row of cst_isas. Arrays are
 * [component][W], aligned to 8 W bytes; bits of each lane equal those of the scalar functions of constella/expr.h.
 *
 * run, pairs: cst_evaluate_tape and cst_evaluate_pairs of each lane; scratch is [cst_tape_registers][W]. measure: the single
 * value of a tape and its magnitude. along: the value at n states, value[n][W]; an input moves by step[its letter] numbers
 * from state to state. signs: the same; returns the lanes, as bits, in which one of the values is 0, not a number, or of
 * another sign than `before` [W]. Of these two, scratch has cst_tape_along_registers numbers for each lane.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TAPE_LANES_H
#define CST_TAPE_LANES_H
#include <stddef.h>
#include "constella/expr.h"
#include "core/lane-form.h"

int cst_tape_along_registers(const cst_tape *t);
/* Whether the single value of the tape is that of an input: its letter and index. */
bool cst_tape_is_input(const cst_tape *t, char *letter, int *index);

typedef void cst_tape_run(const cst_tape *t, const double *const in[128], double *out,
                          double *scratch);
typedef struct {
  cst_tape_run *run;
  void (*measure)(const cst_tape *t, const double *const in[128], double *value, double *size,
                  double *scratch);
  void (*along)(const cst_tape *t, int n, const double *const in[128], const size_t step[128],
                double *value, double *scratch);
  int (*signs)(const cst_tape *t, int n, const double *const in[128], const size_t step[128],
               const double *before, double *value, double *scratch);
  void (*pairs)(const cst_pair_tapes *p, bool value, const int *place, const double *const in[128],
                double *out, double *scratch);
} cst_tape_lanes;

static inline const cst_tape_lanes *cst_tape_lanes_of(int isa) {
  static const cst_tape_lanes *of[CST_ISA_MOST];
  if (!of[isa])
    of[isa] = cst_lane_form(isa, "interpret");
  return of[isa];
}
/* Four lanes in plain C, in every build. */
extern const cst_tape_lanes cst_interpret_portable;
#endif

/* frequencies.h: the key `frequencies`, shared by the files of its collector. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FREQUENCIES_H
#define CST_FREQUENCIES_H
#include "study/channels/channels.h"
#include "study/collect/sampled.h"
#include "study/result/case-rows.h"

enum { CST_FREQUENCIES_MOST = 16, CST_FREQUENCIES_HALVES = 2 };

typedef struct {
  char           *name;
  char           *text[2];     /* of the expression, and of the imaginary part; NULL: it is real */
  cst_expressions expressions; /* one, or two */
  double          every;
  long            terms, window;
} cst_frequency;

typedef struct {
  int            n;
  cst_frequency *each;
} cst_frequencies; /* the values of the key */

extern const cst_key                 cst_frequencies_keys[];
void                                 cst_frequencies_read(cst_reader *r, void *wish);
void                                 cst_frequencies_forget(void *wish);
static inline const cst_frequencies *cst_frequencies_of(const cst_plan *p) {
  return p->study->collected[CST_COLLECTOR(frequencies)];
}

/* /frequencies/NAME, NAME_amplitude [case][member][term], NAME_halves [case][member][half]. */
extern const cst_channel_row cst_frequencies_lines, cst_frequencies_amplitudes,
    cst_frequencies_halves;

void     *cst_frequencies_columns(const cst_plan *p, cst_columns *c);
cst_error cst_frequencies_conclude(cst_case_rows *rows, const void *handles);
#endif

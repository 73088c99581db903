/* rejected.c: the observer `rejected`: the steps that a method with a control of its error has taken again. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "constella/isa.h"
#include "observe/observer.h"

static void describe(const cst_observation *look, int k, cst_quantity *q) {
  (void)look, (void)k;
  *q = (cst_quantity){.name = "rejected",
                      .unit = "1",
                      .doc = "rejected steps of the control of the error; nan: the method has none",
                      .drifts = true,
                      .moves = true};
}

static void measure(const cst_observation *look, const cst_view *view, double *kept, double *value,
                    double *scale) {
  (void)look, (void)kept;
  for (int l = 0; l < cst_isas[view->isa].width; l++) {
    value[l] = view->state ? view->state[l] : NAN;
    scale[l] = view->state ? view->state[l] : 1;
  }
}

const cst_observer cst_observer_rejected = {
    .name = "rejected",
    .doc = "steps that were rejected, of methods that control their error",
    .optional = true,
    .state = "rejected",
    .describe = describe,
    .measure = measure,
};

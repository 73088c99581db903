/* stepper-rest.c: whether an iteration of PETSc's solvers that did not end is at rest at the round-off of its
 * equations, far above that of the unknowns: the test of the lanes' further attempts (core/round-off.h) for a full
 * Jacobian.
 *
 * N is the largest change that a correction shows in some trials while unknowns, coordinates and momenta change by
 * round-off, T the size of the terms, from changes by up to 1.5 times 2^-27, and again 2^-35. A correction of at most 4 N is
 * round-off if N <= 1e-10 T and both sizes agree.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper-single.h"

#define NUMBER    double
#define MAGNITUDE fabs
#define FACTOR    factor
#define SOLVE     solve_factored
#include "core/pivoted.h"

typedef cst_stepper_single single;

enum { TRIALS = 8 };

/* z, changed at random by up to 1.5 times `by` of itself; the generator is that of core/round-off.h. */
static double stirred(double z, double by, unsigned long *state) {
  *state = *state * 6364136223846793005ul + 1442695040888963407ul;
  return z * (1 + by * ((double)(*state >> 33 & 3) - 1.5));
}

/* The numbers of a record that the residual reads, in every lane alike. */
static void stir_record(const single *s, double by, unsigned long *state) {
  const cst_context *C = &s->march.group;
  const int          W = s->st->width, first[] = {C->at.q, C->at.p};
  for (int b = 0; b < 2; b++)
    for (int i = 0; i < C->nq; i++) {
      double *const at = s->record + (size_t)(first[b] + i) * (size_t)W;
      const double  z = stirred(at[0], by, state);
      for (int l = 0; l < W; l++)
        at[l] = z;
    }
}

/* f := the correction by the factors in s->matrix; its largest number, NAN where one is none. */
static double correction(const single *s, double *f) {
  const int n = cst_stepper_single_unknowns(s);
  double    most = 0, odd = 0;
  solve_factored(s->matrix, s->row, n, f);
  for (int k = 0; k < n; k++) {
    most = fmax(fabs(f[k]), most);
    odd += f[k] - f[k];
  }
  return most + odd;
}

/* The largest change of a correction by changes of this size. kept: a copy of the record; y, f: work space. */
static double trials(single *s, const double *x, const double *residual, double by,
                     const double *kept, double *y, double *f) {
  const int     n = cst_stepper_single_unknowns(s);
  double        most = 0;
  unsigned long state = 1;
  for (int t = 0; t < TRIALS; t++) {
    for (int k = 0; k < n; k++)
      y[k] = stirred(x[k], by, &state);
    stir_record(s, by, &state);
    cst_stepper_single_residual(s, y, f);
    memcpy(s->record, kept, s->st->size * sizeof *kept);
    for (int k = 0; k < n; k++)
      f[k] -= residual[k];
    const double size = correction(s, f);
    most = size <= most ? most : size;
  }
  return most;
}

bool cst_stepper_single_rests(single *s, const double *x) {
  const size_t n = (size_t)cst_stepper_single_unknowns(s);
  if (s->form != CST_MATRIX_FULL)
    return false;
  double *J = cst_aligned(n * n + 3 * n + s->st->size);
  double *f = J + n * n, *y = f + n, *work = y + n, *kept = work + n;
  memcpy(kept, s->record, s->st->size * sizeof *kept);
  bool rests = cst_stepper_single_jacobian(s, x, J); /* leaves its factors in s->matrix */
  if (rests) {
    cst_stepper_single_residual(s, x, f);
    const double noise = trials(s, x, f, 0x1p-52, kept, y, work);
    const double terms = trials(s, x, f, 0x1p-27, kept, y, work) * 0x1p27;
    const double again = trials(s, x, f, 0x1p-35, kept, y, work) * 0x1p35;
    rests = correction(s, f) <= 4 * noise && noise <= 1e-10 * terms && again <= 8 * terms;
  }
  free(J);
  return rests;
}

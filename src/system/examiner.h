/* examiner.h: what the files of the examination share: its points, its findings, and slopes of functions at complex and real arguments. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXAMINER_H
#define CST_EXAMINER_H
#include <complex.h>
#include "system/examine.h"
#include "system/linear.h"

typedef double complex cst_complex;

/* Where kernels are taken: their arguments. w and u are of the size of q and v. */
typedef struct {
  double *q, *v, *w, *u, *l; /* [nq], l [ng]; one allocation, at q */
} cst_point;

enum { CST_EXAMINED_STATES = 64, CST_EXAMINED_POINTS = 5, CST_EXAMINED_FEW = 2 }; /* at most; around states; the same of large systems */

typedef struct {
  cst_system      *s;
  const double    *c;
  cst_complex     *C; /* [npar] the parameters again */
  cst_examination *x;
  bool             large;  /* more than CST_MAX_Q coordinates: fewer points */
  int              npoint; /* near the states, not on g = 0 */
  cst_point       *point;
} cst_examiner;

void cst_examiner_say(cst_examiner *e, cst_severity severity, const char *topic, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The parts, each for one aspect. */
void cst_examine_structure(cst_examiner *e);
void cst_examine_states(cst_examiner *e);
void cst_examine_kernels(cst_examiner *e);
void cst_examine_originals(cst_examiner *e);
void cst_examine_compiled(cst_examiner *e);
void cst_examine_symmetries(cst_examiner *e);
void cst_examine_motions(cst_examiner *e);

/* examine-mass.c: smallest and largest eigenvalue of M at q, approximate for large systems. */
void cst_examine_mass(const cst_examiner *e, const double *q, double *least, double *most);

/* examine-points.c: the k-th point near state `state`, arrays included; its functions are finite (true) or not. Free point->q. */
bool cst_examiner_point(const cst_examiner *e, int state, int k, cst_point *p);

/* examine-slope.c: a function of (q, v) with n values, the other arguments and what it is held by its user. value: false where it has no
 * analytic extension. */
typedef struct cst_field cst_field;
struct cst_field {
  const cst_examiner *e;
  const cst_point    *at;
  int                 n;
  cst_kernel_id       kernel;
  int                 index;
  bool (*value)(const cst_field *f, const cst_complex *q, const cst_complex *v, cst_complex *out);
};
/* The nodes out[n] at (q, v) and the other arguments of f->at. */
bool cst_field_nodes(const cst_field *f, const cst_node *out, int n, const cst_complex *q, const cst_complex *v, cst_complex *result);
/* y += A x or A'x for the entries A of a matrix kernel. */
bool cst_field_times(const cst_field *f, cst_kernel_id k, bool transposed, const cst_complex *q, const cst_complex *v, const cst_complex *x,
                     cst_complex *y);
/* out[n] = f(q, v) of f->at. */
void cst_field_value(const cst_field *f, double *out);
/* Directional derivatives at (q, v) of f->at along (dq, dv), either may be NULL for no change. By a complex step; false where there is
 * none.
 */
bool cst_field_slope(const cst_field *f, const double *dq, const double *dv, double *out);
/* By central differences of sixth order with step h. */
void cst_field_difference(const cst_field *f, const double *dq, const double *dv, double h, double *out);

/* Largest magnitude of x[n]; a NaN stays one. */
double cst_largest(const double *x, int n);
#endif

/* examiner.h: what the files of the examination share: its points, its findings, and slopes of functions at
 * complex and real arguments. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXAMINER_H
#define CST_EXAMINER_H
#include <complex.h>
#include "system/examine.h"
#include "system/linear.h"

typedef double complex cst_complex;

/* Where kernels are taken: their arguments, as many of each as cst_system_entries. w and u are of the size of
 * q and v. */
typedef struct {
  double *q, *v, *w, *u, *l; /* one allocation, at q */
} cst_point;

enum {
  CST_EXAMINED_STATES = 64,
  CST_EXAMINED_POINTS = 5,
  CST_EXAMINED_FEW = 2
}; /* at most; around states; the same of large systems */

typedef struct {
  cst_system      *s;
  const double    *c;
  cst_complex     *C; /* [npar] the parameters again */
  cst_examination *x;
  bool             large;  /* more than CST_MAX_Q coordinates: fewer points */
  int              npoint; /* near the states, not on g = 0 */
  cst_point       *point;
} cst_examiner;

void cst_examine_say(cst_examiner *e, cst_severity severity, const char *topic, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The parts, each for one aspect. */
void cst_examine_structure(cst_examiner *e);
void cst_examine_states(cst_examiner *e);
void cst_examine_kernels(cst_examiner *e);
void cst_examine_originals(cst_examiner *e);
void cst_examine_linear(cst_examiner *e);
void cst_examine_pairs(cst_examiner *e);
void cst_examine_compiled(cst_examiner *e);
void cst_examine_symmetries(cst_examiner *e);
void cst_examine_motions(cst_examiner *e);
void cst_examine_nonholonomic(cst_examiner *e);

/* examine-consistency.c: |g| and |G v| of a state; of one that is inconsistent also what would be consistent.
 */
void cst_examine_consistency(cst_examiner *e, const char *topic, const double *q, const double *v);
/* examine-mass.c: smallest and largest eigenvalue of M at q, approximate for large systems. */
void cst_examine_mass(const cst_examiner *e, const double *q, double *least, double *most);

/* examine-points.c: the k-th point near state `state`, arrays included; its functions are finite (true) or
 * not. Free point->q. */
bool cst_examine_point(const cst_examiner *e, int state, int k, cst_point *p);

/* A point that has left the real numbers. */
typedef struct {
  const cst_complex *q, *v, *w, *u, *l;
} cst_complex_point;

/* A change of a point; NULL: that argument does not change. */
typedef struct {
  const double *q, *v, *w, *l; /* l: of the first 2 ng, lambda and z */
} cst_change;

/* examine-slope.c: a function with n values. value: false where it has no analytic extension. */
typedef struct cst_analytic cst_analytic;
struct cst_analytic {
  const cst_examiner *e;
  const cst_point    *at;
  int                 n;
  const cst_node     *node;  /* [n] for cst_examine_field_own */
  int                 index; /* for its user */
  bool (*value)(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
};
/* The nodes out[n] at x. */
bool cst_examine_field_nodes(const cst_analytic *f, const cst_node *out, int n, const cst_complex_point *x,
                             cst_complex *result);
/* A value: that of f->node. */
bool cst_examine_field_own(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
/* y += A z or A'z for the entries A of a matrix kernel. */
bool cst_examine_field_times(const cst_analytic *f, cst_kernel_id k, bool transposed,
                             const cst_complex_point *x, const cst_complex *z, cst_complex *y);
/* out[n] = the value at f->at. */
void cst_examine_field_value(const cst_analytic *f, double *out);
/* Directional derivatives at f->at along d. By a complex step; false where there is none. */
bool cst_examine_field_slope(const cst_analytic *f, const cst_change *d, double *out);
/* By central differences of sixth order with step h. */
void cst_examine_field_difference(const cst_analytic *f, const cst_change *d, double h, double *out);

/* Largest magnitude of x[n]; a NaN stays one. */
double cst_examine_largest(const double *x, int n);
#endif

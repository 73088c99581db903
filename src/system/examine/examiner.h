/* examiner.h: what the files of the examination share: its points, its findings, and slopes of functions at
 * real and complex arguments. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXAMINER_H
#define CST_EXAMINER_H
#include <complex.h>
#include "system/examine/examine.h"
#include "system/point/linear.h"

typedef double complex cst_complex;

/* The arguments at which a kernel is evaluated. Each has cst_system_entries entries; w and u have the sizes
 * of q and v. */
typedef struct {
  double *q, *v, *w, *u, *l; /* one allocation, which starts at q */
} cst_point;

/* the largest number of states; points per state; points per state of a large system */
enum { CST_EXAMINED_STATES = 64, CST_EXAMINED_POINTS = 5, CST_EXAMINED_FEW = 2 };

#define CST_EXAMINED_TIME 0.7

typedef struct {
  cst_system      *s;
  const double    *c;     /* [npar] */
  double          *later; /* NULL, or c with the time of the points */
  cst_complex     *C;     /* [npar] the parameters as complex numbers, and the time of the points */
  cst_examination *x;
  bool             large;  /* more than CST_MAX_Q coordinates: fewer points */
  int              npoint; /* near the states, off the constraint surface g = 0 */
  cst_point       *point;
} cst_examiner;

void cst_examine_say(cst_examiner *e, cst_severity severity, const char *topic, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

/* The parts of the examination, one per aspect. */
void cst_examine_structure(cst_examiner *e);
void cst_examine_states(cst_examiner *e);
void cst_examine_kernels(cst_examiner *e);
void cst_examine_originals(cst_examiner *e);
void cst_examine_compiled(cst_examiner *e);
void cst_examine_symmetries(cst_examiner *e);
void cst_examine_motions(cst_examiner *e);
void cst_examine_nonholonomic(cst_examiner *e);
/* examine-structure.c: the smallest and the largest eigenvalue of M at q, approximate for large systems. */
void cst_examine_mass(const cst_examiner *e, const double *q, double *least, double *most);
/* Whether M at q is positive definite, and not singular up to round-off. Judged with the diagonal scaled to
 * one, so that masses may have any ratio. */
bool cst_examine_mass_is_definite(const cst_examiner *e, const double *q);

/* examine-states.c: the k-th point near state `state`, arrays included. Returns true if its functions are
 * finite. The caller frees point->q. */
bool cst_examine_point(const cst_examiner *e, int state, int k, cst_point *p);

/* A point with complex coordinates. */
typedef struct {
  const cst_complex *q, *v, *w, *u, *l;
} cst_complex_point;

/* A direction in which a point changes; NULL: that argument does not change. */
typedef struct {
  const double *q, *v, *w, *l; /* l: the first 2 ng multipliers, lambda and z */
  double        t;             /* the rate of the time; 0 without one */
} cst_change;

/* examine-slope.c: a function with n values. value returns false where the function has no analytic
 * extension. */
typedef struct cst_analytic cst_analytic;
struct cst_analytic {
  const cst_examiner *e;
  const cst_point    *at;
  int                 n;
  const cst_node     *node;  /* [n] for cst_examine_field_own */
  int                 index; /* free for the function's own use */
  bool (*value)(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
};
/* The value of f->node[n]. */
bool cst_examine_field_own(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
/* out[n] = the value at f->at. */
void cst_examine_field_value(const cst_analytic *f, double *out);
/* Directional derivatives at f->at along d by a complex step. Returns false where the function has none. */
bool cst_examine_field_slope(const cst_analytic *f, const cst_change *d, double *out);
/* The same by central differences of sixth order with step h. */
void cst_examine_field_difference(const cst_analytic *f, const cst_change *d, double h,
                                  double *out);

/* The largest magnitude in x[n]; NaN if an entry is NaN. */
double cst_examine_largest(const double *x, int n);

/* examine-slope.c: G v, the hidden constraints G v + phi0, phi, M v, G'l, the Lagrangian L, the residuals
 * E of the equations of motion with w for the accelerations, and y.E1 + z.E2 + s L with w = (y, A) and
 * l = (lambda, z, s). */
bool cst_examine_function_Gv(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
bool cst_examine_function_hidden(const cst_analytic *f, const cst_complex_point *x,
                                 cst_complex *out);
bool cst_examine_function_phi(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
bool cst_examine_function_Mv(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
bool cst_examine_function_Gl(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
bool cst_examine_function_L(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
bool cst_examine_function_E(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
bool cst_examine_function_yE(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
/* The parts of L, V, T = 1/2 v'M v and A = a.v; of symmetry f->index, the gauge and the generator xi; g. */
bool cst_examine_function_V(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
bool cst_examine_function_T(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
bool cst_examine_function_A(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
bool cst_examine_function_gauge(const cst_analytic *f, const cst_complex_point *x,
                                cst_complex *out);
bool cst_examine_function_xi(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
bool cst_examine_function_g(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);
#endif

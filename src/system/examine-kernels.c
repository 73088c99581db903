/* examine-kernels.c: is every derivative the derivative of what it derives from?
 *
 * The first functions are compared with the expressions of the description. Every other kernel, contracted with directions w, u and
 * multipliers l at unround points, is compared with the slope of the one below it: by a complex step, which has no error but round-off, and
 * by central differences, which know nothing of complex numbers.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include "system/examiner.h"

static const double EXACT = 1e-12, NEARLY = 1e-7, GOOD_ENOUGH = 1e-10;
static const double FIRST_STEP = 0.03, LAST_STEP = 1e-7;

/* What the kernels derive from, as functions of (q, v). */

static bool of_kernel(const cst_field *f, const cst_complex *q, const cst_complex *v, cst_complex *out) {
  return cst_field_nodes(f, f->e->s->kernel_out[f->kernel], f->n, q, v, out);
}

static bool of_Gv(const cst_field *f, const cst_complex *q, const cst_complex *v, cst_complex *out) {
  for (int i = 0; i < f->n; i++) out[i] = 0;
  return cst_field_times(f, CST_K_G, false, q, v, v, out);
}

static bool of_Mv(const cst_field *f, const cst_complex *q, const cst_complex *v, cst_complex *out) {
  for (int i = 0; i < f->n; i++) out[i] = 0;
  return cst_field_times(f, CST_K_M, false, q, v, v, out);
}

static bool of_Gl(const cst_field *f, const cst_complex *q, const cst_complex *v, cst_complex *out) {
  cst_complex *l = cst_system_memory(calloc((size_t)f->e->s->ng + 1, sizeof *l));
  for (int a = 0; a < f->e->s->ng; a++) l[a] = f->at->l[a];
  for (int i = 0; i < f->n; i++) out[i] = 0;
  const bool analytic = cst_field_times(f, CST_K_G, true, q, v, l, out);
  free(l);
  return analytic;
}

/* L from M and a, which are compared with the description, and V. */
static bool of_L(const cst_field *f, const cst_complex *q, const cst_complex *v, cst_complex *out) {
  const cst_system *s = f->e->s;
  cst_complex      *Mv = cst_system_memory(calloc(2 * (size_t)s->nq + 1, sizeof *Mv)), *a = Mv + s->nq, V;
  bool              analytic = cst_field_times(f, CST_K_M, false, q, v, v, Mv);
  analytic &= cst_field_nodes(f, s->kernel_out[CST_K_a], s->nq, q, v, a);
  analytic &= cst_field_nodes(f, &s->V, 1, q, v, &V);
  out[0] = -V;
  for (int i = 0; i < s->nq; i++) out[0] += v[i] * (0.5 * Mv[i] + a[i]);
  free(Mv);
  return analytic;
}

/* How a kernel is made a slope: as it is; a gradient dot w; a matrix times w; what is left of Lq. */
typedef enum { PLAIN, DOT, TIMES, REST } contraction;

typedef struct {
  cst_kernel_id kernel, below;
  const char   *of; /* in words */
  bool (*function)(const cst_field *f, const cst_complex *q, const cst_complex *v, cst_complex *out);
  char        dq, dv; /* the directions, 0 none */
  contraction form;
} derivative;

static const derivative derivatives[] = {
    {CST_K_dV, CST_K_V, "V", of_kernel, 'w', 0, DOT},
    {CST_K_d2V, CST_K_dV, "dV", of_kernel, 'w', 0, TIMES},
    {CST_K_d2Vw, CST_K_dV, "dV", of_kernel, 'w', 0, PLAIN},
    {CST_K_D3Vwu, CST_K_d2Vw, "d2Vw", of_kernel, 'u', 0, PLAIN},
    {CST_K_G, CST_K_g, "g", of_kernel, 'w', 0, TIMES},
    {CST_K_D2gvv, CST_K_g, "G v", of_Gv, 'v', 0, PLAIN},
    {CST_K_D2glw, CST_K_dV, "G'l", of_Gl, 'w', 0, PLAIN},
    {CST_K_D3glwu, CST_K_D2glw, "D2glw", of_kernel, 'u', 0, PLAIN},
    {CST_K_DD2gvv, CST_K_D2gvv, "D2gvv", of_kernel, 'w', 'u', PLAIN},
    {CST_K_Lv, CST_K_V, "L", of_L, 0, 'w', DOT},
    {CST_K_Lq, CST_K_V, "L", of_L, 'w', 0, DOT},
    {CST_K_Lvq, CST_K_Lv, "Lv", of_kernel, 'w', 0, TIMES},
    {CST_K_Lqq, CST_K_Lq, "Lq", of_kernel, 'w', 0, TIMES},
    {CST_K_f, CST_K_Lv, "Lv along v, taken from Lq,", of_kernel, 'v', 0, REST},
    {CST_K_Dfwu, CST_K_f, "f", of_kernel, 'w', 'u', PLAIN},
    {CST_K_DMvw, CST_K_Lv, "M v", of_Mv, 'w', 0, PLAIN},
};
enum { DERIVATIVES = sizeof derivatives / sizeof *derivatives };

static const double *direction(const cst_point *p, char letter) {
  return letter == 'w' ? p->w : letter == 'u' ? p->u : letter == 'v' ? p->v : NULL;
}

/* Row k of the kernel as a slope, y[n], and in *size the sum of what was added. */
static void contract(const cst_examiner *e, const derivative *d, const cst_point *p, double *y, double *size) {
  const cst_system  *s = e->s;
  const cst_pattern *P = &s->pattern[d->kernel];
  const int          n = s->kernel_size[d->kernel];
  double            *x = cst_numbers((size_t)n), *Lq = cst_numbers((size_t)s->nq);
  cst_system_eval(s, d->kernel, e->c, p->q, p->v, p->w, p->u, p->l, x);
  if (d->form == REST) cst_system_eval(s, CST_K_Lq, e->c, p->q, p->v, NULL, NULL, NULL, Lq);
  *size = d->form == REST ? cst_largest(Lq, s->nq) : 0;
  if (d->form == TIMES) cst_pattern_times(P, x, p->w, y);
  if (d->form == DOT) y[0] = 0;
  for (int i = 0; i < n; i++) {
    if (d->form == DOT) y[0] += x[i] * p->w[i];
    if (d->form == PLAIN) y[i] = x[i];
    if (d->form == REST) y[i] = Lq[i] - x[i];
    const double part = fabs(x[i] * (d->form == DOT ? p->w[i] : d->form == TIMES ? p->w[P->column[i]] : 1));
    if (!(part <= *size)) *size = part;
  }
  free(x);
  free(Lq);
}

/* Differences over all points. */
typedef struct {
  double complex_step, central;
  int    skipped, row; /* points without a complex step; row: where the largest difference is */
} difference;

static double most_apart(const double *x, const double *y, int n, double size, int *row) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    const double apart = x[i] == y[i] ? 0 : fabs(x[i] - y[i]) / size;
    if (!(apart <= most)) most = apart, *row = i;
  }
  return most;
}

/* The least over a ladder of steps, since the length over which functions change is not known. */
static double central(const cst_field *f, const double *dq, const double *dv, const double *y, double size, int *row) {
  double *x = cst_numbers((size_t)f->n), *value = cst_numbers((size_t)f->n), least = INFINITY;
  cst_field_value(f, value);
  const double noise = DBL_EPSILON * cst_largest(value, f->n);
  for (double h = FIRST_STEP; h > LAST_STEP && !(least <= GOOD_ENOUGH); h /= 8) {
    cst_field_difference(f, dq, dv, h, x);
    const double apart = most_apart(x, y, f->n, size + noise / h / NEARLY, row);
    if (apart < least) least = apart;
  }
  free(x);
  free(value);
  return least;
}

static void compare_at(const cst_examiner *e, const derivative *d, const cst_point *p, int n, difference *worst) {
  const cst_field f = {.e = e, .at = p, .n = n, .kernel = d->below, .value = d->function};
  double         *x = cst_numbers((size_t)n), *y = cst_numbers((size_t)n), size;
  int             row = 0;
  contract(e, d, p, y, &size);
  size = fmax(size, cst_largest(y, n));
  if (cst_field_slope(&f, direction(p, d->dq), direction(p, d->dv), x)) {
    size = fmax(size, cst_largest(x, n));
    const double apart = most_apart(x, y, n, size, &row);
    if (!(apart <= worst->complex_step)) worst->complex_step = apart, worst->row = row;
  } else {
    worst->skipped++;
  }
  const double apart = central(&f, direction(p, d->dq), direction(p, d->dv), y, size, &row);
  if (!(apart <= worst->central)) {
    worst->central = apart;
    if (worst->skipped) worst->row = row;
  }
  free(x);
  free(y);
}

/* Values of the slope: as many as its function has, 0 where the system has no such kernel. (A Hessian without entries is one of zeros.) */
static int values_of(const cst_system *s, const derivative *d) {
  if (d->form == DOT) return s->kernel_size[d->kernel] > 0;
  return d->form == TIMES ? s->pattern[d->kernel].rows : s->kernel_size[d->kernel];
}

static void compare(cst_examiner *e, const derivative *d, difference *all) {
  difference  worst = {0};
  const int   n = values_of(e->s, d);
  const char *name = cst_kernel_names[d->kernel];
  if (!n) return;
  for (int k = 0; k < e->npoint; k++) compare_at(e, d, &e->point[k], n, &worst);
  if (!(worst.complex_step <= EXACT) || !(worst.central <= NEARLY))
    cst_examiner_say(e, CST_FAULT, "derivatives",
                     "%s is not the derivative of %s: row %d is off by %.2g of its size by a complex step, %.2g by central differences",
                     name, d->of, worst.row + 1, worst.complex_step, worst.central);
  if (worst.skipped)
    cst_examiner_say(e, CST_NOTE, "derivatives", "%s: no complex step at %d of %d points; central differences only", name, worst.skipped,
                     e->npoint);
  if (!(worst.complex_step <= all->complex_step)) all->complex_step = worst.complex_step;
  if (!(worst.central <= all->central)) all->central = worst.central;
}

static int kernels_with_outputs(const cst_system *s) {
  int n = 0;
  for (int k = 0; k < CST_K_COUNT; k++) n += s->kernel_size[k] > 0;
  return n;
}

void cst_examine_kernels(cst_examiner *e) {
  const cst_system *s = e->s;
  difference        all = {0};
  const int         faults = e->x->faults;
  cst_examine_originals(e);
  for (int k = 0; k < DERIVATIVES; k++) compare(e, &derivatives[k], &all);
  if (e->x->faults == faults)
    cst_examiner_say(e, CST_FACT, "derivatives",
                     "%d kernels at %d points: largest difference %.1g (complex step), %.1g (central differences)", kernels_with_outputs(s),
                     e->npoint, all.complex_step, all.central);
}

/* examine-structure.c: describes a system: its mass, and the sparsity of its matrices. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <limits.h>
#include <math.h>
#include "constella/random.h"
#include "system/examine/examiner.h"
#include "system/examine/jumps.h"

/* ---- the mass -------------------------------------------------------------------------------- */

/* The smallest and the largest eigenvalue of the mass matrix at one point: whether it is
 * positive definite, and how close to singular.
 *
 * Small matrices by Jacobi's method (Golub and Van Loan, Matrix Computations, section 8.5), large ones by
 * power iteration with M and with M shifted by its largest eigenvalue, which is accurate enough to judge the
 * stiffness.
 */

enum { MOST_ROTATED = 120, SWEEPS = 30, POWERS = 100 };

/* The rotation of rows and columns p, q of A[n][n] that makes A_pq zero. */
static void rotate(double *A, int n, int p, int q) {
  const size_t N = (size_t)n;
  const size_t P = (size_t)p;
  const size_t Q = (size_t)q;
  const double apart = A[Q * N + Q] - A[P * N + P];
  const double theta = apart / (2 * A[P * N + Q]);
  const double size = fabs(theta) + sqrt(theta * theta + 1);
  const double t = (theta < 0 ? -1 : 1) / size;
  const double c = 1 / sqrt(t * t + 1);
  const double s = t * c;
  for (size_t i = 0; i < N; i++) {
    const double x = A[i * N + P];
    const double y = A[i * N + Q];
    A[i * N + P] = c * x - s * y;
    A[i * N + Q] = s * x + c * y;
  }
  for (size_t i = 0; i < N; i++) {
    const double x = A[P * N + i];
    const double y = A[Q * N + i];
    A[P * N + i] = c * x - s * y;
    A[Q * N + i] = s * x + c * y;
  }
}

/* Makes A nearly diagonal. */
static void diagonalise(double *A, int n) {
  const double size = cst_examine_largest(A, n * n);
  bool         done = false;
  for (int sweep = 0; sweep < SWEEPS && !done; sweep++) {
    done = true;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (fabs(A[p * n + q]) <= DBL_EPSILON / 4 * size)
          continue;
        done = false;
        rotate(A, n, p, q);
      }
  }
}

static void range_of(const double *x, int n, int stride, double *least, double *most) {
  *least = INFINITY;
  *most = -INFINITY;
  for (int i = 0; i < n; i++) {
    const double value = x[i * stride];
    if (!(value >= *least))
      *least = value;
    if (!(value <= *most))
      *most = value;
  }
}

/* 1/sqrt of a diagonal element; 1 where this is no number. */
static double unit_of(double diagonal) { return diagonal > 0 ? 1 / sqrt(diagonal) : 1; }

static void of_small(const cst_examiner *e, const double *q, bool scaled, double *least,
                     double *most) {
  const cst_system *s = e->s;
  const int         n = s->nq;
  double           *A = cst_linear_numbers((size_t)(n * n));
  double           *unit = cst_linear_numbers(n);
  cst_system_matrix(s, CST_K_M, e->c, q, NULL, A);
  for (int i = 0; i < n; i++)
    unit[i] = scaled ? unit_of(A[i * n + i]) : 1;
  for (int i = 0; i < n * n; i++)
    A[i] *= unit[i / n] * unit[i % n];
  if (isfinite(cst_examine_largest(A, n * n)))
    diagonalise(A, n);
  range_of(A, n, n + 1, least, most);
  free(unit);
  free(A);
}

/* The eigenvalue of shift - M with the largest magnitude, or of M if shift is 0. */
static double dominant(const cst_pattern *P, const double *M, double shift) {
  const int n = P->rows;
  double   *x = cst_linear_numbers(n);
  double   *y = cst_linear_numbers(n);
  double    value = 0;
  for (int i = 0; i < n; i++)
    x[i] = cst_random_normal(1, 0, CST_PURPOSE_TEST, 5, (uint32_t)i);
  for (int k = 0; k < POWERS; k++) {
    double xx = 0, xy = 0, size;
    cst_linear_pattern_times(P, M, x, y);
    for (int i = 0; i < n; i++) {
      if (shift != 0)
        y[i] = shift * x[i] - y[i];
      xx += x[i] * x[i];
      xy += x[i] * y[i];
    }
    value = xy / xx;
    size = cst_examine_largest(y, n);
    for (int i = 0; i < n && size > 0; i++)
      x[i] = y[i] / size;
  }
  free(x);
  free(y);
  return value;
}

/* Scales M to a unit diagonal. */
static void scale(const cst_pattern *P, double *M) {
  double *unit = cst_linear_numbers(P->rows);
  for (int a = 0; a < P->rows; a++) {
    unit[a] = 1;
    CST_EACH_ENTRY(P, a, k)
      if (P->column[k] == a)
        unit[a] = unit_of(M[k]);
  }
  for (int a = 0; a < P->rows; a++)
    CST_EACH_ENTRY(P, a, k)
      M[k] *= unit[a] * unit[P->column[k]];
  free(unit);
}

static void of_large(const cst_examiner *e, const double *q, bool scaled, double *least,
                     double *most) {
  const cst_pattern *P = &e->s->model->pattern[CST_K_M];
  double            *M = cst_linear_numbers(P->n);
  cst_system_eval_at(e->s, CST_K_M, e->c, q, M);
  if (scaled)
    scale(P, M);
  *most = dominant(P, M, 0);
  *least = *most - dominant(P, M, *most);
  free(M);
}

static void of_diagonal(const cst_examiner *e, bool scaled, double *least, double *most) {
  const int n = e->s->nq;
  double   *m = cst_linear_numbers(n);
  cst_linear_masses(e->s, e->c, m);
  for (int i = 0; i < n && scaled; i++)
    m[i] *= unit_of(m[i]) * unit_of(m[i]);
  range_of(m, n, 1, least, most);
  free(m);
}

static void find_range(const cst_examiner *e, const double *q, bool scaled, double *least,
                       double *most) {
  if (cst_has(e->s, CST_SEPARABLE))
    of_diagonal(e, scaled, least, most);
  else if (e->s->nq <= MOST_ROTATED)
    of_small(e, q, scaled, least, most);
  else
    of_large(e, q, scaled, least, most);
}

void cst_examine_mass(const cst_examiner *e, const double *q, double *least, double *most) {
  find_range(e, q, false, least, most);
}

bool cst_examine_mass_is_definite(const cst_examiner *e, const double *q) {
  static const double singular = 1e-13;
  double              least, most;
  find_range(e, q, true, &least, &most);
  return least > singular * most && isfinite(most);
}

/* ---- the system ------------------------------------------------------------------------------ */

static bool mass_depends(const cst_system *s) {
  for (int e = 0; e < s->model->kernel_size[CST_K_M]; e++)
    if (cst_graph_depends(s->model->graph, s->model->kernel_out[CST_K_M][e], 'q'))
      return true;
  return false;
}

static bool is_diagonal(const cst_pattern *p) {
  for (int i = 0; i < p->rows; i++)
    CST_EACH_ENTRY(p, i, e)
      if (p->column[e] != i)
        return false;
  return true;
}

static const char *mass_kind(const cst_system *s) {
  if (cst_has(s, CST_SEPARABLE))
    return "constant diagonal";
  const bool depends = mass_depends(s);
  const bool diagonal = is_diagonal(&s->model->pattern[CST_K_M]);
  if (depends)
    return diagonal ? "diagonal, depends on the coordinates" : "matrix, depends on the coordinates";
  return diagonal ? "constant diagonal" : "constant matrix";
}

static void say_elimination(cst_examiner *e) {
  const cst_system *s = e->s;
  const int         ng = s->ng;
  if (!ng)
    cst_examine_say(e, CST_FACT, "structure", "no constraints");
  else if (s->model->gram.form == CST_FORM_SPARSE || s->model->gram.form == CST_FORM_PAIRS)
    cst_examine_say(
        e, CST_FACT, "structure",
        "constraints sparse, %d entries in their factors%s; nonzeros of Dg: %d in %d x %d",
        2 * s->model->gram.row[ng] + ng,
        s->model->gram.form == CST_FORM_PAIRS ? ", too many for lanes" : "",
        s->model->pattern[CST_K_G].n, ng, s->nq);
  else if (s->model->gram.banded)
    cst_examine_say(e, CST_FACT, "structure",
                    "constraints banded, half band %d; nonzeros of Dg: %d in %d x %d",
                    s->model->gram.band, s->model->pattern[CST_K_G].n, ng, s->nq);
  else
    cst_examine_say(e, CST_FACT, "structure", "constraints dense; nonzeros of Dg: %d in %d x %d",
                    s->model->pattern[CST_K_G].n, ng, s->nq);
}

/* For every name the first body. */
static void say_bodies(cst_examiner *e) {
  const cst_system *s = e->s;
  for (int k = 0; k < s->description->nbody_name; k++) {
    const cst_name *name = &s->description->body_name[k];
    char            count[40] = "";
    double          inertia[9], mass, off;
    cst_system_body_inertia(s, name->at, e->c, inertia, &mass);
    off = fabs(inertia[1]);
    off += fabs(inertia[2]);
    off += fabs(inertia[5]);
    if (name->array)
      snprintf(count, sizeof count, "%d bodies, the first: ", name->count);
    if (s->model->bodies[name->at].centre >= 0)
      cst_examine_say(e, CST_FACT, "bodies",
                      "%s: %smass %.6g, inertia about the centre %.6g %.6g %.6g%s", name->name,
                      count, mass, inertia[0], inertia[4], inertia[8],
                      off > 0 ? " and products" : "");
    else
      cst_examine_say(e, CST_FACT, "bodies",
                      "%s: %sturns about the origin, inertia about it %.6g %.6g %.6g%s", name->name,
                      count, inertia[0], inertia[4], inertia[8], off > 0 ? " and products" : "");
  }
}

/* With the examined parameters. */
static void check_bodies(cst_examiner *e) {
  char why[500];
  if (!cst_system_check_bodies(e->s, e->c, why, sizeof why))
    cst_examine_say(e, CST_FAULT, "bodies", "%s", why);
}

static void say_pairs(cst_examiner *e) {
  const cst_system *s = e->s;
  cst_graph        *g = s->model->graph;
  for (int k = 0; k < s->model->npairs; k++) {
    const cst_pairs *p = &s->model->pairs[k];
    const int        value = cst_graph_count(g, &p->sum.term, 1);
    const int        slopes = cst_graph_count(g, p->slope, p->sum.nx + p->sum.ny);
    cst_examine_say(e, CST_FACT, "potential",
                    "a sum over %ld pairs, each of %d operations, its slopes of %d", p->sum.pairs,
                    value, slopes);
  }
}

static int smoothness_of(const cst_system *s, const cst_node *of, int n) {
  int least = INT_MAX;
  for (int i = 0; of && i < n; i++) {
    const int smooth = cst_graph_smoothness(s->model->graph, of[i]);
    least = smooth < least ? smooth : least;
  }
  return least;
}

/* Notes that there are functions which are smooth in pieces. */
static void say_pieces(cst_examiner *e) {
  const cst_system *s = e->s;
  const cst_node    V = s->model->V;
  const int         masses = (int)cst_system_masses(s);
  const struct {
    const char *name;
    int         smooth;
  } part[] = {{"the potential", smoothness_of(s, &V, 1)},
              {"the mass", smoothness_of(s, s->model->mass, masses)},
              {"constraints", smoothness_of(s, s->model->g, s->ng)},
              {"forces", smoothness_of(s, s->model->force, s->model->nforce * s->nq)}};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++)
    if (part[i].smooth < INT_MAX)
      cst_examine_say(e, CST_NOTE, "pieces",
                      "%s: smooth in pieces; derivatives are those between them, and where a step "
                      "passes from one to another it has a lower order",
                      part[i].name);
}

static void say_jumps(cst_examiner *e) {
  char      text[CST_JUMPS_TOLD][CST_JUMP_TEXT];
  const int n = cst_jumps_tell(e->s, text);
  for (int k = 0; k < n; k++)
    cst_examine_say(e, CST_NOTE, "jumps", "%s", text[k]);
}

void cst_examine_structure(cst_examiner *e) {
  const cst_system *s = e->s;
  say_bodies(e);
  check_bodies(e);
  cst_examine_say(e, CST_FACT, "mass", "%s; %sgyroscopic", mass_kind(s),
                  cst_has(s, CST_GYROSCOPIC) ? "" : "not ");
  say_elimination(e);
  say_pairs(e);
  say_pieces(e);
  say_jumps(e);
  if (cst_has(s, CST_LINEAR_V))
    cst_examine_say(e, CST_FACT, "potential", "linear: its Hessian vanishes");
  else if (!s->model->bent)
    cst_examine_say(e, CST_FACT, "potential", "its second derivatives are too large");
  else
    cst_examine_say(e, CST_FACT, "potential", "nonzeros of its Hessian: %d in %d x %d",
                    s->model->pattern[CST_K_d2V].n, s->nq, s->nq);
}

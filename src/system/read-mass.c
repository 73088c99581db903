/* read-mass.c: the mass, a diagonal or rows of a symmetric matrix, and what kind of system it makes.
 *
 * A matrix that is in truth a diagonal is stored as one. That M is symmetric is seen where mirrored entries are one node; else they must
 * agree, to rounding, in every state and near the first one, and the upper triangle stands for both.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "system/reader.h"

static cst_yaml *mass_of(const cst_reading *r) { return cst_yaml_get(r->root, "mass"); }

/* A diagonal. */

static bool is_mass(double x) { return x > 0 && isfinite(x); }

static bool varies(const cst_system *s, const cst_node *node, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (cst_graph_depends(s->graph, node[i], 'q')) return true;
  return false;
}

/* The masses that do not depend on the coordinates; of a matrix (list of rows) those on its diagonal. */
static void check_constant(cst_reading *r, cst_yaml *list, const cst_node *diagonal) {
  cst_system *s = r->s;
  cst_entries e = cst_reading_coordinate_entries(r);
  cst_node   *node = cst_need(malloc(sizeof *node * (size_t)s->nq));
  double     *value = cst_need(malloc(sizeof *value * (size_t)s->nq));
  for (int i = 0; i < s->nq; i++) node[i] = varies(s, diagonal + i, 1) ? cst_graph_constant(s->graph, 1) : diagonal[i];
  cst_reading_values(r, node, s->nq, NULL, value);
  cst_reading_check(r, list, "mass", &e, value, is_mass, "at the default parameters", "positive and finite");
  free(value);
  free(node);
}

static void read_diagonal(cst_reading *r, cst_yaml *list) {
  cst_system *s = r->s;
  cst_entries e = cst_reading_coordinate_entries(r);
  s->mass = cst_system_keep(s, (size_t)s->nq, sizeof *s->mass);
  if (!cst_reading_list(r, list, cst_reading_positions(r), "mass", &e, s->mass)) return;
  s->general = varies(s, s->mass, (size_t)s->nq);
  check_constant(r, list, s->mass);
}

/* A matrix. */

static bool read_rows(cst_reading *r, cst_yaml *list, cst_node *M) {
  char        what[40];
  bool        good = true;
  cst_entries e = cst_reading_coordinate_entries(r);
  for (int i = 0; i < e.n; i++) {
    snprintf(what, sizeof what, "row %d of mass", i + 1);
    good &= cst_reading_list(r, cst_yaml_item(list, i), cst_reading_positions(r), what, &e, M + i * e.n);
  }
  return good;
}

static bool is_diagonal(const cst_system *s, const cst_node *M) {
  for (int k = 0; k < s->nq * s->nq; k++)
    if (k % (s->nq + 1) && !cst_graph_is_zero(s->graph, M[k])) return false;
  return true;
}

static void read_matrix(cst_reading *r, cst_yaml *list) {
  cst_system *s = r->s;
  cst_node    M[CST_MAX_Q * CST_MAX_Q], diagonal[CST_MAX_Q];
  int         n = s->nq;
  if (!read_rows(r, list, M)) return;
  for (int i = 0; i < n; i++) diagonal[i] = M[i * (n + 1)];
  s->matrix = !is_diagonal(s, M);
  s->general = s->matrix || varies(s, M, (size_t)(n * n));
  size_t size = s->matrix ? (size_t)(n * n) : (size_t)n;
  s->mass = memcpy(cst_system_keep(s, size, sizeof *s->mass), s->matrix ? M : diagonal, sizeof *s->mass * size);
  check_constant(r, list, diagonal);
}

/* Whether the list holds rows, and may. Lists of the elements of arrays are no rows. */
static bool has_rows(const cst_reading *r, cst_yaml *const *item, int n) {
  for (int i = 0; i < n; i++)
    if (cst_yaml_is_list(item[i]) && (!r->array || n != r->s->ncoordinate || !r->s->coordinate_name[i].array)) return true;
  return false;
}

void cst_reading_mass(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *list = cst_reading_required(r, r->root, "mass", "of the system");
  cst_yaml  **item = cst_reading_children(cst_yaml_is_list(list) ? list : NULL, NULL);
  int         n = cst_yaml_is_list(list) ? cst_yaml_size(list) : 0;
  s->mass_text = cst_reading_entries_written(r, cst_yaml_is_list(list) ? list : NULL);
  if (!has_rows(r, item, n))
    read_diagonal(r, list);
  else if (r->array)
    cst_yaml_error(r->doc, list, r->d, "a mass matrix is not possible where there are arrays, as '%s'; give its diagonal", r->array);
  else if (n != s->nq)
    cst_yaml_error(r->doc, list, r->d, "mass has %d rows; there must be %d, one for each coordinate", n, s->nq);
  else if (n > CST_MAX_Q)
    cst_yaml_error(r->doc, list, r->d, "a mass matrix of %d coordinates; at most %d are allowed", n, CST_MAX_Q);
  else
    read_matrix(r, list);
  free(item);
}

/* What holds in the states. */

static cst_yaml *entry_of(const cst_reading *r, int i, int j) { return cst_yaml_item(cst_yaml_item(mass_of(r), i), j); }

/* Mirrored entries agree at q, where they are numbers. */
static bool symmetric(cst_reading *r, const double *q, const char *where) {
  cst_system *s = r->s;
  int         n = s->nq;
  double      M[CST_MAX_Q * CST_MAX_Q];
  cst_reading_values(r, s->mass, n * n, q, M);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double a = M[i * n + j], b = M[j * n + i];
      if (s->mass[i * n + j] == s->mass[j * n + i] || !(fabs(a - b) > 1e-12 * fmax(fabs(a), fabs(b)))) continue;
      cst_yaml_error(r->doc, entry_of(r, i, j), r->d,
                     "mass: the entry (%s, %s) is %.13g and the entry (%s, %s) is %.13g %s; the matrix must be symmetric", s->coordinate[i],
                     s->coordinate[j], a, s->coordinate[j], s->coordinate[i], b, where);
      return false;
    }
  return true;
}

/* The matrix (destroyed) is positive definite: Cholesky. */
static bool is_positive(double *M, int n) {
  for (int k = 0; k < n; k++) {
    double diagonal = M[k * n + k], pivot = diagonal;
    for (int j = 0; j < k; j++) pivot -= M[k * n + j] * M[k * n + j];
    if (!(pivot > 1e-14 * diagonal) || !isfinite(pivot)) return false;
    for (int i = k + 1; i < n; i++) {
      for (int j = 0; j < k; j++) M[i * n + k] -= M[i * n + j] * M[k * n + j];
      M[i * n + k] /= sqrt(pivot);
    }
    M[k * n + k] = sqrt(pivot);
  }
  return true;
}

static bool positive(cst_reading *r, const double *q, const char *where) {
  cst_system *s = r->s;
  cst_entries e = cst_reading_coordinate_entries(r);
  double      M[CST_MAX_Q * CST_MAX_Q];
  cst_reading_values(r, s->mass, s->matrix ? s->nq * s->nq : s->nq, q, M);
  if (!s->matrix) return cst_reading_check(r, mass_of(r), "mass", &e, M, is_mass, where, "positive and finite");
  if (is_positive(M, s->nq)) return true;
  cst_yaml_error(r->doc, mass_of(r), r->d, "mass: the matrix is not positive definite %s", where);
  return false;
}

/* A point near q that is nothing special. */
static void move(double *q, int n) {
  for (int i = 0; i < n; i++) q[i] += 0.01 * (1 + fabs(q[i])) * (1 + sqrt(2 + i) - floor(sqrt(2 + i)));
}

static void check_dense(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *n = s->gyroscopic ? cst_yaml_get(r->root, "gyroscopic") : mass_of(r);
  if (s->nq > CST_MAX_Q || s->ng > CST_MAX_G)
    cst_yaml_error(r->doc, n, r->d, "%d coordinates and %d constraints; a system with %s may have at most %d and %d", s->nq, s->ng,
                   s->gyroscopic ? "gyroscopic terms" : "a mass that depends on the coordinates", CST_MAX_Q, CST_MAX_G);
}

static void mirror(cst_system *s) {
  for (int i = 0; i < s->nq; i++)
    for (int j = 0; j < i; j++) s->mass[i * s->nq + j] = s->mass[j * s->nq + i];
}

void cst_reading_check_mass(cst_reading *r) {
  cst_system *s = r->s;
  double      q[CST_MAX_Q];
  char        where[120];
  bool        vary, good = true;
  s->general |= s->gyroscopic;
  if (s->general) check_dense(r);
  if (!s->general || s->nq > CST_MAX_Q) return;
  vary = varies(s, s->mass, s->matrix ? (size_t)(s->nq * s->nq) : (size_t)s->nq);
  for (int k = 0; good && k < (vary ? s->nstate : 1); k++) {
    if (vary)
      snprintf(where, sizeof where, "in the state '%s'", s->state[k].name);
    else
      snprintf(where, sizeof where, "at the default parameters");
    cst_reading_values(r, s->state[k].q, s->nq, NULL, q);
    good = (!s->matrix || symmetric(r, q, where)) && positive(r, q, where);
    move(q, s->nq);
    if (good && s->matrix && !k) good = symmetric(r, q, "near the first state");
  }
  if (good && s->matrix) mirror(s);
}

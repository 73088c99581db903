/* read-mass.c: reads the mass, a diagonal or the rows of a symmetric matrix, and determines the kind of
 * system.
 *
 * A matrix with zeros off its diagonal is stored as a diagonal. M is symmetric if mirrored entries are the
 * same node. Otherwise they must agree to rounding in every state and near the first one, and the upper
 * triangle is used for both. The list concerns the plain coordinates; the masses of bodies (read-bodies.c)
 * are appended.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/diag.h"
#include "system/read/system-reader.h"

static cst_yaml *mass_of(const cst_reading *r) { return cst_yaml_get(r->root, "mass"); }

static bool is_mass(double x) { return x > 0 && isfinite(x); }

static bool varies(const cst_system *s, const cst_node *node, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (cst_graph_depends(s->model->graph, node[i], 'q'))
      return true;
  return false;
}

/* Whether coordinate i has no mass: its entry is written as 0. */
static bool has_none(const cst_system *s, int i) {
  int k = 0;
  while (i >= s->description->coordinate_name[k].at + s->description->coordinate_name[k].count)
    k++;
  return s->description->mass_text[k] && !strcmp(s->description->mass_text[k], "0");
}

/* Checks the masses that do not depend on the coordinates; for a matrix (list of rows) those on its diagonal. A
 * literal 0 on a diagonal is allowed: constraints must hold that coordinate (point/mass.c). */
static void check_constant(cst_reading *r, cst_yaml *list, const cst_node *diagonal) {
  cst_system *s = r->s;
  cst_entries e = cst_read_plain_entries(r);
  cst_node   *node = cst_zeros(s->model->nplain, sizeof *node);
  double     *value = cst_zeros(s->model->nplain, sizeof *value);
  for (int i = 0; i < s->model->nplain; i++)
    if (varies(s, diagonal + i, 1) || (cst_has(s, CST_MASSLESS) && has_none(s, i)))
      node[i] = cst_graph_constant(s->model->graph, 1);
    else
      node[i] = diagonal[i];
  cst_read_values(r, node, s->model->nplain, NULL, value);
  cst_read_check(r, list, "mass", &e, value, is_mass, "at the default parameters",
                 "positive and finite");
  free(value);
  free(node);
}

static void read_diagonal(cst_reading *r, cst_yaml *list) {
  cst_system *s = r->s;
  cst_entries e = cst_read_plain_entries(r);
  s->model->mass = cst_system_keep(s, (size_t)s->model->nplain, sizeof *s->model->mass);
  if (!cst_read_list(r, list, cst_read_positions(r), "mass", &e, s->model->mass))
    return;
  bool some = false;
  for (int i = 0; i < s->model->nplain; i++)
    some |= has_none(s, i);
  cst_system_mark(s, CST_MASSLESS, some);
  check_constant(r, list, s->model->mass);
}

static bool read_rows(cst_reading *r, cst_yaml *list, cst_node *M) {
  char        what[40];
  bool        good = true;
  cst_entries e = cst_read_plain_entries(r);
  for (int i = 0; i < e.n; i++) {
    snprintf(what, sizeof what, "row %d of mass", i + 1);
    cst_node *row = M + i * e.n;
    good &= cst_read_list(r, cst_yaml_item(list, i), cst_read_positions(r), what, &e, row);
  }
  return good;
}

static bool is_diagonal(const cst_system *s, const cst_node *M) {
  const int n = s->model->nplain;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i != j && !cst_graph_is_zero(s->model->graph, M[i * n + j]))
        return false;
  return true;
}

static void read_matrix(cst_reading *r, cst_yaml *list) {
  cst_system *s = r->s;
  const int   n = s->model->nplain;
  cst_node   *M = cst_zeros((long)n * n + n, sizeof *M), *diagonal = M + (size_t)n * (size_t)n;
  if (!read_rows(r, list, M)) {
    free(M);
    return;
  }
  for (int i = 0; i < n; i++)
    diagonal[i] = M[i * (n + 1)];
  const bool   full = !is_diagonal(s, M);
  const size_t size = (size_t)(full ? n * n : n);
  cst_system_mark(s, CST_MASS_MATRIX, full);
  s->model->mass = cst_system_keep(s, size, sizeof *s->model->mass);
  memcpy(s->model->mass, full ? M : diagonal, sizeof *s->model->mass * size);
  check_constant(r, list, diagonal);
  free(M);
}

/* The first plain coordinate that is an array; NULL if there is none. */
static const char *plain_array(const cst_reading *r) {
  const cst_entries e = cst_read_plain_entries(r);
  for (int i = 0; i < e.n; i++)
    if (e.name[i].array)
      return e.n == r->s->description->ncoordinate ? r->array : e.name[i].name;
  return NULL;
}

/* True if the list holds rows. Lists of the elements of arrays are not rows. */
static bool has_rows(const cst_reading *r, cst_yaml *const *item, int n) {
  for (int i = 0; i < n; i++)
    if (cst_yaml_is_list(item[i]) && (!plain_array(r) || n != cst_read_plain_entries(r).n ||
                                      !r->s->description->coordinate_name[i].array))
      return true;
  return false;
}

/* Reads the mass of the plain coordinates. */
static void read_plain(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *list = cst_read_required(r, r->root, "mass",
                                     s->model->nbodies ? "of the coordinates that belong to no body"
                                                         : "of the system");
  cst_yaml  **item = cst_read_children(cst_yaml_is_list(list) ? list : NULL, NULL);
  int         n = cst_yaml_is_list(list) ? cst_yaml_size(list) : 0;
  s->description->mass_text = cst_read_entries_written(r, cst_yaml_is_list(list) ? list : NULL);
  if (!has_rows(r, item, n))
    read_diagonal(r, list);
  else if (plain_array(r))
    cst_yaml_error(
        r->doc, list, r->d,
        "a system with arrays, such as '%s', cannot have a mass matrix; give its diagonal",
        plain_array(r));
  else if (n != s->model->nplain)
    cst_yaml_error(r->doc, list, r->d, "mass has %d rows; there must be %d, one per coordinate", n,
                   s->model->nplain);
  else if (n > CST_MOST_FULL)
    cst_yaml_error(r->doc, list, r->d,
                   "a mass matrix of %d coordinates; at most %d are allowed, as methods eliminate "
                   "it as a full one",
                   n, CST_MOST_FULL);
  else
    read_matrix(r, list);
  free(item);
}

void cst_read_mass(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *n = cst_yaml_get(r->root, "mass");
  if (s->model->nplain || !s->model->nbodies)
    read_plain(r);
  else if (n && cst_yaml_size(n))
    cst_yaml_error(
        r->doc, n, r->d,
        "'mass' concerns 'coordinates', and there are none; the bodies have their own masses");
  if (s->model->nbodies && cst_diag_count(r->d) == r->before)
    cst_read_body_masses(r);
}

static cst_yaml *entry_of(const cst_reading *r, int i, int j) {
  return cst_yaml_item(cst_yaml_item(mass_of(r), i), j);
}

/* Mirrored entries must agree at q, where both are finite. */
static bool symmetric(cst_reading *r, const double *q, const char *where) {
  cst_system *s = r->s;
  int         n = s->nq;
  double     *M = cst_zeros((long)n * n, sizeof *M);
  bool        good = true;
  cst_read_values(r, s->model->mass, n * n, q, M);
  for (int i = 0; i < s->model->nplain && good; i++)
    for (int j = 0; j < i && good; j++) {
      const double lower = M[i * n + j];
      const double upper = M[j * n + i];
      const double size = fmax(fabs(lower), fabs(upper));
      if (s->model->mass[i * n + j] == s->model->mass[j * n + i])
        continue;
      if (!(fabs(lower - upper) > 1e-12 * size))
        continue;
      cst_yaml_error(
          r->doc, entry_of(r, i, j), r->d,
          "mass: the entry (%s, %s) is %.13g and the entry (%s, %s) is %.13g %s; the matrix must "
          "be symmetric",
          s->description->coordinate[i], s->description->coordinate[j], lower,
          s->description->coordinate[j], s->description->coordinate[i], upper, where);
      good = false;
    }
  free(M);
  return good;
}

/* Cholesky's method. */
int cst_read_mass_pivot(double *M, int n, int stride) {
  for (int k = 0; k < n; k++) {
    double *const row = M + k * stride;
    const double  diagonal = row[k];
    double        pivot = diagonal;
    for (int j = 0; j < k; j++)
      pivot -= row[j] * row[j];
    if (!(pivot > 1e-14 * diagonal) || !isfinite(pivot))
      return k;
    for (int i = k + 1; i < n; i++) {
      double *const below = M + i * stride;
      for (int j = 0; j < k; j++)
        below[k] -= below[j] * row[j];
      below[k] /= sqrt(pivot);
    }
    row[k] = sqrt(pivot);
  }
  return n;
}

static bool positive(cst_reading *r, const double *q, const char *where) {
  cst_system *s = r->s;
  const bool  matrix = cst_has(s, CST_MASS_MATRIX);
  cst_entries e = cst_read_plain_entries(r);
  const int   entries = (int)cst_system_masses(s);
  double     *M = cst_zeros(entries, sizeof *M);
  bool        good;
  cst_read_values(r, s->model->mass, entries, q, M);
  for (int i = 0; i < s->nq && cst_has(s, CST_MASSLESS) && !matrix; i++)
    if (cst_graph_is_zero(s->model->graph, s->model->mass[i]))
      M[i] = 1; /* point/mass.c examines those */
  if (matrix) {
    good = cst_read_mass_pivot(M, s->model->nplain, s->nq) == s->model->nplain;
    if (!good)
      cst_yaml_error(r->doc, mass_of(r), r->d, "mass: the matrix is not positive definite %s",
                     where);
  } else
    good = cst_read_check(r, mass_of(r), "mass", &e, M, is_mass, where, "positive and finite");
  free(M);
  return good;
}

/* Moves q to a generic point nearby. */
static void move(double *q, int n) {
  for (int i = 0; i < n; i++) {
    const double root = sqrt(2 + i);
    const double factor = 1 + root - floor(root);
    q[i] += 0.01 * (1 + fabs(q[i])) * factor;
  }
}

/* Whether the mass depends on the coordinates. */
static bool mass_varies(const cst_system *s) {
  return varies(s, s->model->mass, (size_t)cst_system_masses(s));
}

/* Systems with one of these are stepped with full matrices of the coordinates. */
static void check_full(cst_reading *r, bool vary) {
  const cst_system *s = r->s;
  const bool        massless = cst_has(s, CST_MASSLESS);
  const bool        mass = cst_has(s, CST_MASS_MATRIX) || massless || vary;
  if (!(cst_has(s, CST_GYROSCOPIC) || mass) || (s->nq <= CST_MOST_FULL && s->ng <= CST_MOST_FULL))
    return;
  cst_yaml_error(r->doc, mass ? mass_of(r) : cst_yaml_get(r->root, "gyroscopic"), r->d,
                 "%d coordinates and %d constraints; a system with %s may have at most %d and %d",
                 s->nq, s->ng,
                 massless ? "coordinates without mass"
                 : mass   ? "a mass that depends on the coordinates or is not diagonal"
                          : "gyroscopic terms",
                 CST_MOST_FULL, CST_MOST_FULL);
}

static void mirror(cst_system *s) {
  const int n = s->nq;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      s->model->mass[i * n + j] = s->model->mass[j * n + i];
}

void cst_read_check_mass(cst_reading *r) {
  cst_system *s = r->s;
  const bool  matrix = cst_has(s, CST_MASS_MATRIX);
  char        where[120];
  bool        good = true;
  const bool  vary = mass_varies(s);
  if (!(s->model->traits & (CST_MASS_MATRIX | CST_MASSLESS | CST_GYROSCOPIC)) && !vary)
    return;
  const int before = cst_diag_count(r->d);
  check_full(r, vary);
  if (cst_diag_count(r->d) > before)
    return;
  double   *q = cst_zeros(s->nq, sizeof *q);
  const int states = vary ? s->nstate : 1;
  for (int k = 0; good && k < states; k++) {
    if (vary)
      snprintf(where, sizeof where, "in the state '%s'", s->description->state[k].name);
    else
      snprintf(where, sizeof where, "at the default parameters");
    cst_read_values(r, s->description->state[k].q, s->nq, NULL, q);
    good = (!matrix || symmetric(r, q, where)) && positive(r, q, where);
    move(q, s->nq);
    if (good && matrix && !k)
      good = symmetric(r, q, "near the first state");
  }
  free(q);
  if (good && matrix)
    mirror(s);
}

/* ---- the key `stationary` -------------------------------------------------------------------- */

/* Coordinates without mass that only make the Lagrangian stationary.
 *
 * L has no s', so that the equation of s is dV/ds + (dg/ds)'lambda = 0. Where it can be read without multipliers it is
 * a constraint on positions, c = 0, of the name stationary_s:
 *
 *   c = dV/ds     no constraint depends on s
 *   c = dg/ds     V does not, and one constraint g does: s is where g is extremal
 *
 * The multiplier kappa of c vanishes, since the row of s in M A = f - G'lambda - c_q'kappa is then kappa dc/ds = 0, and
 * the motion is that of the system without it. dc/ds must be regular, which point/mass.c examines for all coordinates
 * without mass: M is definite on the velocities with G v = 0 and c_q v = 0.
 */

static cst_yaml *list_of(const cst_reading *r) { return cst_yaml_get(r->root, "stationary"); }

/* The plain coordinate of this name; -1 with an error at n if there is none without mass. */
static int find(cst_reading *r, cst_yaml *n) {
  cst_system *s = r->s;
  const char *name = cst_yaml_text(n), *known[s->description->ncoordinate + 1];
  int         k = 0, plain = 0;
  while (plain < s->description->ncoordinate &&
         s->description->coordinate_name[plain].at < s->model->nplain) {
    known[plain] = s->description->coordinate_name[plain].name;
    plain++;
  }
  while (name && k < plain && strcmp(known[k], name))
    k++;
  if (!name || k == plain)
    cst_yaml_error(r->doc, n, r->d, "'stationary' lists coordinates, and '%s' is none%s",
                   name ? name : "", name ? cst_diag_guess(name, known, plain) : "");
  else if (!s->description->mass_text || !s->description->mass_text[k] ||
           strcmp(s->description->mass_text[k], "0"))
    cst_yaml_error(r->doc, n, r->d,
                   "%s has a mass; only a coordinate with the mass 0 is stationary", name);
  else
    return k;
  return -1;
}

void cst_read_declare_stationary(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *list = list_of(r);
  if (list && !cst_yaml_is_list(list))
    cst_yaml_error(r->doc, list, r->d, "'stationary' is a list of coordinates: [s]");
  for (int i = 0; list && i < cst_yaml_size(list); i++) {
    const int k = find(r, cst_yaml_item(list, i));
    if (k < 0)
      continue;
    const cst_name *of = &s->description->coordinate_name[k];
    const size_t    size = strlen(of->name) + sizeof "stationary_";
    char           *name = cst_system_keep(s, size, 1);
    snprintf(name, size, "stationary_%s", of->name);
    for (int a = 0; a < s->description->nfamily; a++)
      if (!strcmp(s->description->family[a].name, name))
        cst_yaml_error(r->doc, cst_yaml_item(list, i), r->d,
                       "'%s', the constraint of this coordinate, exists already", name);
    s->description->family[s->description->nfamily++] = (cst_name){
        .name = name, .at = s->ng, .count = of->count, .first = 1, .array = of->array, .step = 1};
    s->ng += of->count;
  }
  s->model->nown = s->ng;
}

/* The derivative of a node by an input. */
static cst_node slope(const cst_system *s, cst_node of, char array, int index) {
  const cst_node x = cst_graph_input(s->model->graph, array, index);
  const cst_node one = cst_graph_constant(s->model->graph, 1);
  cst_node       d;
  cst_graph_tangent(s->model->graph, &of, 1, &x, &one, 1, &d);
  return d;
}

static bool depends(const cst_system *s, cst_node of, int i) {
  return of >= 0 && !cst_graph_is_zero(s->model->graph, slope(s, of, 'q', i));
}

/* Whether L depends on coordinate i by terms with velocities. */
static bool is_kinetic(const cst_system *s, int i) {
  const int entries = (int)cst_system_masses(s);
  const int own = cst_has(s, CST_GYROSCOPIC) ? s->nq : 0;
  bool      found = own && !cst_graph_is_zero(s->model->graph, s->model->a[i]);
  for (int k = 0; k < entries && !found; k++)
    found = depends(s, s->model->mass[k], i);
  for (int k = 0; k < own && !found; k++)
    found = depends(s, s->model->a[k], i);
  return found;
}

/* c of coordinate i, or -1 with an error at n; the first `own` constraints are given. */
static cst_node condition(cst_reading *r, cst_yaml *n, int i, int own) {
  const cst_system *s = r->s;
  const bool        bent = depends(s, s->model->V, i);
  int               many = 0, last = -1;
  for (int a = 0; a < own; a++)
    if (depends(s, s->model->g[a], i)) {
      many++;
      last = a;
    }
  if (s->model->npairs || is_kinetic(s, i))
    cst_yaml_error(r->doc, n, r->d, "%s is not stationary: %s", s->description->coordinate[i],
                   s->model->npairs ? "the potential has sums over pairs"
                                    : "the mass or the gyroscopic term depends on it");
  else if (many > 1 || (many && bent))
    cst_yaml_error(r->doc, n, r->d,
                   "the equation of %s contains multipliers: %s; it must be stationary for the "
                   "potential alone, or for one constraint alone",
                   s->description->coordinate[i],
                   bent ? "the potential and a constraint depend on it"
                        : "several constraints depend on it");
  else if (!many && !bent)
    cst_yaml_error(r->doc, n, r->d, "neither the potential nor a constraint depends on %s",
                   s->description->coordinate[i]);
  else
    return slope(s, many ? s->model->g[last] : s->model->V, 'q', i);
  return -1;
}

void cst_read_stationary(cst_reading *r, int own) {
  cst_system *s = r->s;
  cst_yaml   *list = list_of(r);
  for (int i = 0, a = own; list && i < cst_yaml_size(list) && a < s->model->nown; i++) {
    cst_yaml *n = cst_yaml_item(list, i);
    int       k = 0;
    while (strcmp(s->description->coordinate_name[k].name, cst_yaml_text(n)))
      k++;
    for (int e = 0; e < s->description->coordinate_name[k].count && cst_read_goes_on(r); e++)
      s->model->g[a++] = condition(r, n, s->description->coordinate_name[k].at + e, own);
  }
}

/* Whether a force or a constraint on velocities acts on coordinate i. */
static bool is_moved(const cst_system *s, int i) {
  bool found = false;
  for (int k = 0; k < s->model->nforce && !found; k++)
    found = s->model->force[k * s->nq + i] >= 0 &&
            !cst_graph_is_zero(s->model->graph, s->model->force[k * s->nq + i]);
  for (int k = 0; k < s->model->nvel && !found; k++)
    found = s->model->phi[k] >= 0 &&
            !cst_graph_is_zero(s->model->graph, slope(s, s->model->phi[k], 'v', i));
  return found;
}

void cst_read_check_stationary(cst_reading *r) {
  const cst_system *s = r->s;
  cst_yaml         *list = list_of(r);
  for (int i = 0; list && i < cst_yaml_size(list); i++)
    for (int k = 0; k < s->description->ncoordinate; k++) {
      const cst_name *of = &s->description->coordinate_name[k];
      for (int e = 0; e < of->count && !strcmp(of->name, cst_yaml_text(cst_yaml_item(list, i)));
           e++)
        if (is_moved(s, of->at + e)) {
          cst_yaml_error(r->doc, cst_yaml_item(list, i), r->d,
                         "%s is not stationary: a force or a constraint on velocities acts on it",
                         s->description->coordinate[of->at + e]);
          return;
        }
    }
}

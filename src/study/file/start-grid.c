/* start-grid.c: grids in some coordinates and velocities; the others are those of the start `around`. The last
 * coordinate of the system varies fastest.
 *
 *   initial: {grid: {x: {from: -1, to: 1, count: 21}, "y'": [0, 0.1]}, around: default}    one member per point
 *   initial: {sweep: {x: {from: -1, to: 1, count: 21}}, around: default, project: true}    its own cases per point
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/file/starts.h"

typedef struct {
  int     n;
  double *value; /* NULL: not in the grid */
  char   *name;  /* borrowed */
} axis;

static void release(axis *a, int m) {
  for (int k = 0; a && k < m; k++)
    free(a[k].value);
  free(a);
}

static bool read_axes(cst_reader *r, const char *what, cst_yaml *grid, axis *a) {
  bool good = true;
  for (int k = 0; k < cst_yaml_size(grid); k++) {
    cst_yaml   *key = cst_yaml_key(grid, k);
    const char *name = cst_yaml_text(key);
    const int   at = cst_starts_place(r->s->system, name ? name : "", 0);
    if (at < 0) {
      cst_yaml_error(r->doc, key, r->d,
                     "'%s' names coordinates, x, and velocities, x'; '%s' is neither", what,
                     name ? name : "");
      good = false;
    } else {
      a[at].name = (char *)name;
      good &= cst_reader_range(r, cst_yaml_value(grid, k), name, &a[at].value, &a[at].n);
    }
  }
  return good;
}

/* The values of point i at[m], in coordinates that the grid has. */
static void point(const axis *a, int m, long i, double *at) {
  for (int k = m - 1; k >= 0; k--)
    if (a[k].value) {
      at[k] = a[k].value[i % a[k].n];
      i /= a[k].n;
    }
}

static void fill(cst_study *s, const axis *a, long n) {
  for (int v = 0; v < s->nvariant; v++)
    for (long i = 0; i < n; i++)
      point(a, 2 * s->system->nq, i, cst_starts_row(s, v, i));
}

/* Reads the axes of a grid, a[2 nq]; *n points. Owned; NULL after a mistake. */
static axis *grid(cst_reader *r, const char *what, cst_yaml *value, double *n) {
  const int m = 2 * r->s->system->nq;
  *n = 1;
  if (!cst_yaml_is_map(value) || !cst_yaml_size(value)) {
    cst_yaml_error(r->doc, value, r->d,
                   "'%s' must be a map of coordinates, such as {x: {from: -1, to: 1, count: 21}}",
                   what);
    return NULL;
  }
  axis *a = cst_reader_memory((size_t)m, sizeof *a);
  bool  good = read_axes(r, what, value, a);
  for (int k = 0; k < m; k++)
    *n *= a[k].value ? a[k].n : 1;
  if (good)
    return a;
  release(a, m);
  return NULL;
}

static bool read(cst_reader *r, cst_yaml *map, cst_yaml *value) {
  double n;
  axis  *a = grid(r, "grid", value, &n);
  (void)map;
  const bool good = a && cst_starts_make(r, value, n, true);
  if (good)
    fill(r->s, a, (long)n);
  release(a, 2 * r->s->system->nq);
  return good;
}

const cst_start_form cst_start_form_grid = {.key = "grid", .read = read};

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* "x = 0.5, y' = 1" */
static char *label_of(const axis *a, int m, const double *at) {
  char  *text;
  size_t length;
  FILE  *f = cst_need(open_memstream(&text, &length));
  for (int k = 0, n = 0; k < m; k++)
    if (a[k].value)
      fprintf(f, "%s%s = %s", n++ ? ", " : "", a[k].name, cst_reader_shortest(at[k]));
  fclose(f);
  return text;
}

/* The names of the axes, and room for their values at n starts. */
static void make_axes(cst_study *s, const axis *a, int m, int n) {
  s->axis_name = cst_reader_memory((size_t)m, sizeof *s->axis_name);
  s->axis = cst_reader_memory((size_t)m, sizeof *s->axis);
  for (int k = 0; k < m; k++)
    if (a[k].value) {
      s->axis_name[s->naxis] = cst_need(strdup(a[k].name));
      s->axis[s->naxis++] = cst_reader_memory((size_t)n, sizeof(double));
    }
}

/* Start i: its name, its place on the axes, and its values in every parameter set. */
static void make_start(cst_study *s, const axis *a, int i, double *at, double *q, double *v) {
  const int nq = s->system->nq;
  point(a, 2 * nq, i, at);
  s->start_name[i] = label_of(a, 2 * nq, at);
  s->start_state[i] = -1;
  for (int k = 0, n = 0; k < 2 * nq; k++) {
    if (!a[k].value)
      continue;
    s->axis[n++][i] = at[k];
    for (int set = 0; set < s->nvariant; set++)
      *(k < nq ? &q[set * nq + k] : &v[set * nq + k - nq]) = at[k];
  }
}

bool cst_starts_sweep(cst_reader *r, cst_yaml *map) {
  cst_study *s = r->s;
  cst_yaml  *value = cst_yaml_get(map, "sweep");
  double     n;
  cst_reader_keys(r, map, "initial", "initial", CST_START_SWEEP);
  cst_start_project(r, cst_yaml_get(map, "project"));
  cst_file_single_start(r, cst_yaml_get(map, "around"), "around");
  const bool known = r->start_known;
  axis      *a = grid(r, "sweep", value, &n);
  r->start = value;
  r->start_known = false;
  if (!a || !known || !cst_starts_allow_sweep(r, value, n)) {
    release(a, 2 * s->system->nq);
    return false;
  }
  const size_t m = (size_t)s->nvariant * (size_t)s->system->nq;
  double      *q = cst_reader_memory((size_t)n * m, sizeof *q);
  double      *v = cst_reader_memory((size_t)n * m, sizeof *v);
  double      *at = cst_reader_memory(2 * (size_t)s->system->nq, sizeof *at);
  s->start_name = cst_reader_memory((size_t)n, sizeof *s->start_name);
  s->start_state = cst_reader_memory((size_t)n, sizeof *s->start_state);
  make_axes(s, a, 2 * s->system->nq, (int)n);
  for (s->nswept = 0; s->nswept < (int)n; s->nswept++) {
    const size_t first = (size_t)s->nswept * m;
    memcpy(q + first, s->q0, m * sizeof *q);
    memcpy(v + first, s->v0, m * sizeof *v);
    make_start(s, a, s->nswept, at, q + first, v + first);
  }
  free(at);
  release(a, 2 * s->system->nq);
  s->state = -1;
  r->start_known = true;
  cst_starts_multiply(s, (int)n, q, v);
  return true;
}

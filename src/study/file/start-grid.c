/* start-grid.c: `initial: {grid: {x: {from: -1, to: 1, count: 21}, "y'": [0, 0.1]}, around: default}`: one
 * member per point of a grid in some coordinates and velocities; the others are those of the start `around`.
 * The last coordinate of the system varies fastest. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "study/file/starts.h"

typedef struct {
  int     n;
  double *value; /* NULL: not in the grid */
} axis;

static bool read_axes(cst_reader *r, cst_yaml *grid, axis *a) {
  bool good = true;
  for (int k = 0; k < cst_yaml_size(grid); k++) {
    cst_yaml   *key = cst_yaml_key(grid, k);
    const char *name = cst_yaml_text(key);
    const int   at = cst_starts_place(r->s->system, name ? name : "", 0);
    if (at < 0) {
      cst_yaml_error(r->doc, key, r->d,
                     "'grid' names coordinates, x, and velocities, x'; '%s' is neither",
                     name ? name : "");
      good = false;
    } else
      good &= cst_reader_range(r, cst_yaml_value(grid, k), name, &a[at].value, &a[at].n);
  }
  return good;
}

static void fill(cst_study *s, const axis *a, long n) {
  const int m = 2 * s->system->nq;
  for (int v = 0; v < s->nvariant; v++)
    for (long i = 0; i < n; i++) {
      double *x = cst_starts_row(s, v, i);
      long    rest = i;
      for (int k = m - 1; k >= 0; k--)
        if (a[k].value) {
          x[k] = a[k].value[rest % a[k].n];
          rest /= a[k].n;
        }
    }
}

static bool read(cst_reader *r, cst_yaml *map, cst_yaml *value) {
  const int m = 2 * r->s->system->nq;
  double    n = 1;
  (void)map;
  if (!cst_yaml_is_map(value) || !cst_yaml_size(value)) {
    cst_yaml_error(
        r->doc, value, r->d,
        "'grid' must be a map of coordinates, such as {x: {from: -1, to: 1, count: 21}}");
    return false;
  }
  axis *a = cst_reader_memory((size_t)m, sizeof *a);
  bool  good = read_axes(r, value, a);
  for (int k = 0; k < m; k++)
    n *= a[k].value ? a[k].n : 1;
  good = good && cst_starts_make(r, value, n, true);
  if (good)
    fill(r->s, a, (long)n);
  for (int k = 0; k < m; k++)
    free(a[k].value);
  free(a);
  return good;
}

const cst_start_form cst_start_form_grid = {.key = "grid", .read = read};

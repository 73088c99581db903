/* read-appearance.c: the keys `up`, `ground` and `shape`: how figures show the system. Nothing is computed from
 * them, and no result depends on them; they are read after the derivatives, so that the graph does not either.
 *
 *   shape: box                                                        sizes from mass and inertia
 *   shape: {box: [a, b, c]}                                           sides along the axes of the body
 *   shape: {sphere: r}     shape: {cylinder: [r, h]}                  the cylinder along the third axis
 *   shape: {polygon: [[0, 0], [a, 0], [0, b]]}                        corners in the body, with 2 or 3 coordinates
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "core/diag.h"
#include "system/read/system-reader.h"

enum { CORNERS = 3, POLYGON = 3 };

static const struct {
  const char *name;
  int         sizes;
} shape[] = {{"box", 3}, {"sphere", 1}, {"cylinder", 2}, {"polygon", 0}};
enum { SHAPES = sizeof shape / sizeof *shape };
static const char *const shape_name[SHAPES] = {"box", "sphere", "cylinder", "polygon"};

/* The number of a shape; -1 and an error at n if there is none of this name. */
static int named(cst_reading *r, cst_yaml *n, const char *name) {
  for (int i = 0; name && i < SHAPES; i++)
    if (!strcmp(name, shape_name[i]))
      return i;
  cst_yaml_error(r->doc, n, r->d, "unknown shape '%s'%s; allowed: %s", name ? name : "",
                 name ? cst_diag_guess(name, shape_name, SHAPES) : "",
                 cst_diag_join(shape_name, SHAPES));
  return -1;
}

/* Reads a number of the shape; a size must be positive. */
static void read_number(cst_reading *r, cst_yaml *n, cst_scope in, bool size) {
  const cst_node node = cst_read_expression(r, n, in, "shape");
  double         value;
  if (node < 0)
    return;
  cst_read_values(r, &node, 1, NULL, &value);
  if (!isfinite(value) || (size && !(value > 0)))
    cst_yaml_error(r->doc, n, r->d, "shape: the value is %g %s; it must be %s", value,
                   cst_read_where(r), size ? "a positive size" : "a finite number");
}

static void read_sizes(cst_reading *r, cst_yaml *n, cst_scope in, int which) {
  const int count = shape[which].sizes;
  if (count == 1 && cst_yaml_is_scalar(n))
    read_number(r, n, in, true);
  else if (count == 1 || !cst_yaml_is_list(n) || cst_yaml_size(n) != count)
    cst_yaml_error(r->doc, n, r->d, "'%s' must be %s", shape[which].name,
                   count == 1   ? "a radius"
                   : count == 2 ? "a list of a radius and a height, [r, h]"
                                : "a list of 3 sides, [a, b, c]");
  else
    for (int i = 0; i < count; i++)
      read_number(r, cst_yaml_item(n, i), in, true);
}

static void read_corners(cst_reading *r, cst_yaml *n, cst_scope in) {
  if (!cst_yaml_is_list(n) || cst_yaml_size(n) < CORNERS) {
    cst_yaml_error(r->doc, n, r->d,
                   "'polygon' must be a list of at least 3 corners, [[x, y], ...] or [[x, y, z], "
                   "...] in body axes");
    return;
  }
  for (int i = 0; i < cst_yaml_size(n); i++) {
    cst_yaml *corner = cst_yaml_item(n, i);
    const int size = cst_yaml_is_list(corner) ? cst_yaml_size(corner) : 0;
    if (size != 2 && size != 3)
      cst_yaml_error(r->doc, corner, r->d,
                     "corner %d of a polygon must be a list of 2 or 3 coordinates in body axes",
                     i + 1);
    for (int k = 0; k < size && (size == 2 || size == 3); k++)
      read_number(r, cst_yaml_item(corner, k), in, false);
  }
}

static void read_shape(cst_reading *r, const cst_name *body, cst_yaml *n) {
  cst_scope in = cst_read_constants(r);
  if (body->array)
    in = cst_read_with(r, in, "i", body->first);
  if (cst_yaml_is_scalar(n)) {
    if (named(r, n, cst_yaml_text(n)) == POLYGON)
      cst_yaml_error(r->doc, n, r->d, "a polygon needs its corners, {polygon: [[x, y], ...]}");
    return;
  }
  if (!cst_yaml_is_map(n) || cst_yaml_size(n) != 1) {
    cst_yaml_error(r->doc, n, r->d,
                   "'shape' must be one of %s, or a map of one of them to its sizes",
                   cst_diag_join(shape_name, SHAPES));
    return;
  }
  cst_yaml *key = cst_yaml_key(n, 0);
  const int which = named(r, key, cst_yaml_text(key));
  if (which == POLYGON)
    read_corners(r, cst_yaml_value(n, 0), in);
  else if (which >= 0)
    read_sizes(r, cst_yaml_value(n, 0), in, which);
}

static void read_up(cst_reading *r) {
  cst_yaml   *n = cst_yaml_get(r->root, "up");
  const char *axis = n ? cst_read_choice(r, n, cst_system_key("", "up")) : "z";
  if (axis)
    r->s->description->up = axis;
}

static void read_ground(cst_reading *r) {
  cst_yaml *n = cst_yaml_get(r->root, "ground");
  double    value;
  if (!n)
    return;
  const cst_node node = cst_read_expression(r, n, cst_read_constants(r), "ground");
  if (node < 0)
    return;
  cst_read_values(r, &node, 1, NULL, &value);
  if (!isfinite(value))
    cst_yaml_error(r->doc, n, r->d, "ground: the value is not a finite number");
}

void cst_read_appearance(cst_reading *r) {
  read_up(r);
  read_ground(r);
  for (int k = 0; k < r->s->description->nbody_name; k++) {
    cst_yaml *n = cst_yaml_get(r->body[k].map, "shape");
    if (n)
      read_shape(r, &r->s->description->body_name[k], n);
  }
}

/* read-body-symmetries.c: a rotation or translation of all bodies as the generator of a symmetry.
 *
 *   rotation-z: {rotation: [0, 0, 1]}     xi = (hat(n) R, n x centre), n in space axes, through the origin
 *   along-x: {translation: [1, 0, 0]}     xi = (0, n)
 *
 * With either key `generator` concerns the plain coordinates only.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/read/system-reader.h"

enum { AXES = 3 };

static bool read_vector(cst_reading *r, cst_yaml *list, const char *key, cst_node n[3]) {
  bool good = cst_yaml_is_list(list) && cst_yaml_size(list) == AXES;
  if (!good)
    cst_yaml_error(r->doc, list, r->d,
                   "'%s' must be a list of 3 expressions of the parameters, in space axes", key);
  for (int a = 0; a < AXES && good; a++) {
    n[a] = cst_read_expression(r, cst_yaml_item(list, a), cst_read_constants(r), key);
    good = n[a] >= 0;
  }
  return good;
}

/* xi := n x x for the coordinates x at `at`, at + stride, at + 2 stride. */
static void turn(cst_system *s, const cst_node n[3], int at, int stride, cst_node *xi) {
  cst_graph *g = s->graph;
  for (int a = 0; a < AXES; a++) {
    const int      i = (a + 1) % AXES;
    const int      j = (a + 2) % AXES;
    const cst_node x = cst_graph_input(g, 'q', at + i * stride);
    const cst_node y = cst_graph_input(g, 'q', at + j * stride);
    const cst_node taken = cst_graph_mul(g, n[j], x);
    const cst_node given = cst_graph_mul(g, n[i], y);
    xi[at + a * stride] = cst_graph_sub(g, given, taken);
  }
}

static void turn_bodies(cst_system *s, const cst_node n[3], cst_node *xi) {
  for (int k = 0; k < s->nbodies; k++) {
    const cst_body *b = &s->bodies[k];
    for (int column = 0; column < AXES; column++)
      turn(s, n, b->rotation + column, AXES, xi);
    if (b->centre >= 0)
      turn(s, n, b->centre, 1, xi);
  }
}

/* A body that turns about the origin does not take part in a translation. If it holds other bodies, the
 * translation is not a symmetry; the examination finds that. */
static void move_bodies(cst_system *s, const cst_node n[3], cst_node *xi) {
  for (int k = 0; k < s->nbodies; k++)
    if (s->bodies[k].centre >= 0)
      memcpy(xi + s->bodies[k].centre, n, sizeof *n * AXES);
}

bool cst_read_moves_bodies(cst_yaml *n) {
  return cst_yaml_get(n, "rotation") || cst_yaml_get(n, "translation");
}

const char *cst_read_body_symmetry(cst_reading *r, cst_yaml *n, cst_node *xi) {
  cst_system *s = r->s;
  cst_yaml   *rotation = cst_yaml_get(n, "rotation");
  cst_yaml   *translation = cst_yaml_get(n, "translation");
  cst_yaml   *own = cst_yaml_get(n, "generator");
  cst_node    axis[3];
  cst_entries e = cst_read_plain_entries(r);
  for (int i = 0; i < s->nq; i++)
    xi[i] = cst_graph_constant(s->graph, 0);
  if (rotation && translation)
    cst_yaml_error(r->doc, n, r->d,
                   "a symmetry has a rotation or a translation; these are two symmetries");
  if (!read_vector(r, rotation ? rotation : translation, rotation ? "rotation" : "translation",
                   axis))
    return NULL;
  if (s->nplain || own) {
    own = cst_read_required(r, n, "generator",
                            "of the symmetry (for the coordinates that belong to no body)");
    if (!own)
      return NULL;
    if (!cst_read_list(r, own, cst_read_positions(r), "symmetry", &e, xi))
      return NULL;
  }
  if (rotation)
    turn_bodies(s, axis, xi);
  else
    move_bodies(s, axis, xi);
  const char  *written = cst_read_join(r, rotation ? rotation : translation);
  const char  *beside = own ? cst_read_join(r, own) : "";
  const size_t size = strlen(written) + strlen(beside) + 60;
  char        *text = cst_system_keep(s, size, 1);
  snprintf(text, size, "%s of all bodies [%s]%s%s", rotation ? "rotation" : "translation", written,
           own ? ", and " : "", beside);
  return text;
}

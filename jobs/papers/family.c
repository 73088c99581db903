/* family.c: (2.9) of Tao, Owhadi as a layer:
 *
 *   x1 = x + h v + h^2/2 a,   v1 = v + h/2 (a + a1 + h^4 g(x) + h^4 g(x1)),   a = -M^-1 grad V(x) - M^-1
 * f(x) h^2 a
 *
 * for masses 1, the function f = 1 + |x|^2 and the field g = (sin x_2, 1 + x_1 x_2, ...), which is no
 * gradient.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/layer.h"

/* a at x */
static void filtered(const cst_layer_step *s, const cst_node *x, cst_node *a) {
  cst_node f = s->number(s, 1);
  for (int i = 0; i < s->n; i++)
    f = s->add(s, f, s->mul(s, x[i], x[i]));
  const cst_node by = s->add(s, s->number(s, 1), s->mul(s, s->mul(s, s->t, s->t), f));
  s->acceleration(s, x, s->v, a);
  for (int i = 0; i < s->n; i++)
    a[i] = s->div(s, a[i], by);
}

/* v1 += h/2 h^4 g(x) */
static void add_g(const cst_layer_step *s, const cst_node *x) {
  const cst_node h2 = s->mul(s, s->t, s->t);
  const cst_node by = s->mul(s, cst_layer_part(s, 0.5), s->mul(s, h2, h2));
  for (int i = 0; i < s->n; i++) {
    const cst_node other = x[(i + 1) % s->n];
    const cst_node g = i % 2 ? s->add(s, s->number(s, 1), s->mul(s, x[i], other))
                             : s->call(s, "sin", other, other);
    s->v1[i] = s->add(s, s->v1[i], s->mul(s, by, g));
  }
}

static void step(const cst_layer_step *s) {
  cst_node a[s->n], a1[s->n];
  filtered(s, s->q, a);
  cst_layer_copy(s, s->q, s->q1), cst_layer_axpy(s, s->t, s->v, s->q1);
  cst_layer_axpy(s, s->mul(s, cst_layer_part(s, 0.5), s->t), a, s->q1);
  filtered(s, s->q1, a1);
  cst_layer_copy(s, s->v, s->v1), cst_layer_axpy(s, cst_layer_part(s, 0.5), a, s->v1);
  cst_layer_axpy(s, cst_layer_part(s, 0.5), a1, s->v1);
  add_g(s, s->q), add_g(s, s->q1);
  const cst_node L = s->add(s, s->lagrangian(s, s->q, s->v), s->lagrangian(s, s->q1, s->v1));
  *s->S = s->mul(s, cst_layer_part(s, 0.5), L);
}

const cst_layer_method cst_user_layer = {CST_LAYER_VERSION, "family", 2, "(2.9) of Tao, Owhadi.",
                                         step};

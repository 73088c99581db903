/* layer.h: a one-step method of your own, written in C.
 *
 * It steps q' = v, v' = A(q, v) and the action S' = L(q, v), where A are the accelerations that keep the
 * constraints (M A = f - G'lambda, G A = -D2g[v, v]). The function is called once for a system, not for
 * every step: it does not compute numbers, it says how they are computed. A cst_node stands for a number
 * that is computed later; every operation makes another node. The program differentiates these formulas and
 * steps many trajectories at once. There is no `if` on the value of a node.
 *
 *   #include "constella/layer.h"
 *   static void step(const cst_layer_step *s) {                                        // Euler's method
 *     cst_node A[s->n];
 *     s->acceleration(s, s->q, s->v, A);
 *     cst_layer_copy(s, s->q, s->q1), cst_layer_axpy(s, s->t, s->v, s->q1);             // q1 = q + t v
 *     cst_layer_copy(s, s->v, s->v1), cst_layer_axpy(s, s->t, A, s->v1);                // v1 = v + t A
 *     *s->S = s->mul(s, s->t, s->lagrangian(s, s->q, s->v));                           // S = t L
 *   }
 *   const cst_layer_method cst_user_layer = {CST_LAYER_VERSION, "my-euler", 1, "Euler's method.", step};
 *
 * The file is compiled when a study names it, `layers: {mine: {file: mine.c}}`; `mine`, `project(mine)` and
 * `convert(mine)` are then methods of that study. It may include only this header and those of the C
 * library, and use only the operations below. A shared object (.so) made from such a file is accepted too.
 * jobs/layers/kutta38.c is a complete example, jobs/own-layer.yaml a study with it.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_LAYER_H
#define CONSTELLA_LAYER_H

enum { CST_LAYER_VERSION = 1 };

typedef int cst_node; /* -1: none; operations on it give -1 */

/* The data and operations of a step; every array has n entries. The first argument of an operation is the
 * step itself. */
typedef struct cst_layer_step cst_layer_step;
struct cst_layer_step {
  int             n;       /* coordinates */
  cst_node        t;       /* the length of the step, which may be negative */
  const cst_node *q, *v;   /* the state that it starts from; g = 0 and G v = 0 need not hold */
  cst_node       *q1, *v1; /* to be filled: the state at the end, */
  cst_node *S; /* and the integral of L from 0 to t, to the same order, which convert() needs */
  cst_node (*number)(const cst_layer_step *s, double value);
  cst_node (*add)(const cst_layer_step *s, cst_node a, cst_node b);
  cst_node (*sub)(const cst_layer_step *s, cst_node a, cst_node b);
  cst_node (*mul)(const cst_layer_step *s, cst_node a, cst_node b);
  cst_node (*div)(const cst_layer_step *s, cst_node a, cst_node b);
  cst_node (*pow)(const cst_layer_step *s, cst_node a, cst_node b);
  cst_node (*neg)(const cst_layer_step *s, cst_node a);
  /* sqrt sin cos tan exp log expm1 log1p sinh cosh tanh acos asin step sign abs smoothstep, b unused; atan2 min max ramp */
  cst_node (*call)(const cst_layer_step *s, const char *function, cst_node a, cst_node b);
  void (*acceleration)(const cst_layer_step *s, const cst_node *q, const cst_node *v,
                       cst_node *A); /* A filled */
  cst_node (*lagrangian)(const cst_layer_step *s, const cst_node *q, const cst_node *v);
};

/* Describes the method; the file defines one, called cst_user_layer. */
typedef struct {
  int         version; /* CST_LAYER_VERSION */
  const char *name;
  int         order; /* of q, v and S, from 1 on; it is not checked */
  const char *doc;   /* one line */
  void (*step)(const cst_layer_step *s);
} cst_layer_method;
extern __attribute__((visibility("default"))) const cst_layer_method cst_user_layer;

/* c t */
static inline cst_node cst_layer_part(const cst_layer_step *s, double c) {
  return s->mul(s, s->number(s, c), s->t);
}

/* y := x */
static inline void cst_layer_copy(const cst_layer_step *s, const cst_node *x, cst_node *y) {
  for (int i = 0; i < s->n; i++)
    y[i] = x[i];
}

/* y := y + a x */
static inline void cst_layer_axpy(const cst_layer_step *s, cst_node a, const cst_node *x,
                                  cst_node *y) {
  for (int i = 0; i < s->n; i++)
    y[i] = s->add(s, y[i], s->mul(s, a, x[i]));
}
#endif

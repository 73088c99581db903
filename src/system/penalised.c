/* penalised.c: a system with springs in place of its constraints: V + omega^2/2 sum g_j^2.
 *
 * Its derivatives are derived like those of any system, up to third order. omega is an additional parameter,
 * so that one compilation serves all its values. A spring of a constraint g(q, t) pulls with lambda = omega^2
 * g, and its work is that of the constraint.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "core/boundary.h"
#include "system/internal.h"

static cst_node springs(cst_graph *g, const cst_system *s, cst_node omega) {
  cst_node sum = cst_graph_constant(g, 0);
  for (int a = 0; a < s->ng; a++)
    sum = cst_graph_add_product(g, sum, s->g[a], s->g[a]);
  return cst_graph_mul(
      g, cst_graph_mul(g, cst_graph_constant(g, 0.5), cst_graph_mul(g, omega, omega)), sum);
}

/* Clears what was derived from the original system and what that system owns. */
static void forget(cst_system *s) {
  s->ng = s->nfamily = s->nmass = s->nshared = 0;
  s->dropped = NULL;
  s->mass_class = NULL;
  s->exact = NULL;
  s->text = NULL;
  s->nstate = 0;
  s->gram = (cst_gram){0};
  memset(s->bands, 0, sizeof s->bands);
  memset(s->pattern, 0, sizeof s->pattern);
  memset(s->kernel_out, 0, sizeof s->kernel_out);
  memset(s->beside, 0, sizeof s->beside);
  s->bent = false;
  s->npairs = 0;
  s->pairs = NULL;
  memset(s->kernel_size, 0, sizeof s->kernel_size);
  memset(s->kernel, 0, sizeof s->kernel);
  memset(s->kernel_self, 0, sizeof s->kernel_self);
  memset(s->compiled, 0, sizeof s->compiled);
}

/* omega^2 sum g g_t of the constraints of one name. */
static cst_node work_of(const cst_system *x, const cst_system *s, const cst_name *a,
                        cst_node omega) {
  cst_graph     *g = x->graph;
  const cst_node time = cst_graph_input(g, 'c', s->account - 1), one = cst_graph_constant(g, 1);
  cst_node       sum = cst_graph_constant(g, 0), slope;
  for (int k = a->at; k < a->at + a->count; k++) {
    cst_graph_tangent(g, &s->g[k], 1, &time, &one, 1, &slope);
    sum = cst_graph_add_product(g, sum, s->g[k], slope);
  }
  return cst_graph_mul(g, cst_graph_mul(g, omega, omega), sum);
}

/* The integrands of the accounts of V and of the constraints, as they are without springs. */
static void keep_rates(cst_system *x, const cst_system *s, cst_node omega) {
  cst_graph     *g = x->graph;
  const cst_node time = cst_graph_input(g, 'c', s->account - 1), one = cst_graph_constant(g, 1);
  x->rate = cst_system_keep(x, (size_t)(1 + s->ndriven), sizeof *x->rate);
  const bool pumped = cst_has(s, CST_PUMPED);
  if (pumped)
    cst_graph_tangent(g, &s->V, 1, &time, &one, 1, x->rate);
  for (int k = 0; k < s->ndriven; k++)
    x->rate[pumped + k] = work_of(x, s, &s->family[s->driven_name[k]], omega);
}

static cst_system *make(const cst_system *s) {
  cst_system *x = cst_need(malloc(sizeof *x));
  *x = *s;
  forget(x);
  x->graph = cst_graph_copy(s->graph);
  cst_pairs_copy(x, s);
  /* omega is the parameter after those of s */
  const cst_node    omega = cst_graph_input(x->graph, 'c', s->npar);
  const cst_node    spring = springs(x->graph, s, omega);
  cst_system_owned *o = x->owned = cst_need(calloc(1, sizeof *o));
  o->system = x;
  x->parameter[x->npar++] = (cst_parameter){.name = "omega",
                                            .unit = "",
                                            .doc = "stiffness",
                                            .value = 1,
                                            .node = cst_graph_constant(x->graph, 1)};
  if (cst_has(s, CST_TIMED))
    keep_rates(x, s, omega);
  x->V = cst_graph_add(x->graph, s->V, spring);
  x->stiff = s->stiff_text ? cst_graph_add(x->graph, s->stiff, spring) : spring;
  x->stiff_text = "omega^2/2 sum g^2";
  if (cst_system_derive(x)) {
    cst_system_interpret(x);
    return x;
  }
  cst_system_destroy(x);
  return NULL;
}

cst_system *cst_system_penalised(const cst_system *s, char *why, int n) {
  CST_REQUIRE(s && (why || n <= 0), NULL);
  cst_system_owned *o = s->owned;
  if (s->ng == 0)
    snprintf(why, (size_t)n, "penalty replaces constraints by springs, and %s has none", s->name);
  else if (!o->penalised && !(o->penalised = make(s)))
    snprintf(why, (size_t)n, "the derivatives of %s with springs are too large", s->name);
  else
    return o->penalised;
  return NULL;
}

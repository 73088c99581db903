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
    sum = cst_graph_add_product(g, sum, s->model->g[a], s->model->g[a]);
  return cst_graph_mul(
      g, cst_graph_mul(g, cst_graph_constant(g, 0.5), cst_graph_mul(g, omega, omega)), sum);
}

/* Clears what was derived from the original system and what that system owns. */
static void forget(cst_system *s) {
  s->ng = s->description->nfamily = s->model->nmass = s->model->nshared = 0;
  s->model->dropped = NULL;
  s->model->mass_class = NULL;
  s->code->exact = NULL;
  s->description->text = NULL;
  s->nstate = 0;
  s->model->gram = (cst_gram){0};
  memset(s->model->bands, 0, sizeof s->model->bands);
  memset(s->model->pattern, 0, sizeof s->model->pattern);
  memset(s->model->kernel_out, 0, sizeof s->model->kernel_out);
  memset(s->model->beside, 0, sizeof s->model->beside);
  s->model->bent = false;
  s->model->npairs = 0;
  s->model->pairs = NULL;
  memset(s->model->kernel_size, 0, sizeof s->model->kernel_size);
  memset(s->code->kernel, 0, sizeof s->code->kernel);
  memset(s->code->kernel_self, 0, sizeof s->code->kernel_self);
  memset(s->code->compiled, 0, sizeof s->code->compiled);
}

/* omega^2 sum g g_t of the constraints of one name. */
static cst_node work_of(const cst_system *x, const cst_system *s, const cst_name *a,
                        cst_node omega) {
  cst_graph     *g = x->model->graph;
  const cst_node time = cst_graph_input(g, 'c', s->model->account - 1),
                 one = cst_graph_constant(g, 1);
  cst_node sum = cst_graph_constant(g, 0), slope;
  for (int k = a->at; k < a->at + a->count; k++) {
    cst_graph_tangent(g, &s->model->g[k], 1, &time, &one, 1, &slope);
    sum = cst_graph_add_product(g, sum, s->model->g[k], slope);
  }
  return cst_graph_mul(g, cst_graph_mul(g, omega, omega), sum);
}

/* The integrands of the accounts of V and of the constraints, as they are without springs. */
static void keep_rates(cst_system *x, const cst_system *s, cst_node omega) {
  cst_graph     *g = x->model->graph;
  const cst_node time = cst_graph_input(g, 'c', s->model->account - 1),
                 one = cst_graph_constant(g, 1);
  x->model->rate = cst_system_keep(x, (size_t)(1 + s->model->ndriven), sizeof *x->model->rate);
  const bool pumped = cst_has(s, CST_PUMPED);
  if (pumped)
    cst_graph_tangent(g, &s->model->V, 1, &time, &one, 1, x->model->rate);
  for (int k = 0; k < s->model->ndriven; k++)
    x->model->rate[pumped + k] =
        work_of(x, s, &s->description->family[s->model->driven_name[k]], omega);
}

static cst_system *make(const cst_system *s) {
  cst_system *x = cst_system_create(s);
  forget(x);
  x->model->graph = cst_graph_copy(s->model->graph);
  cst_pairs_copy(x, s);
  /* omega is the parameter after those of s */
  const cst_node omega = cst_graph_input(x->model->graph, 'c', s->npar);
  const cst_node spring = springs(x->model->graph, s, omega);
  x->parameter[x->npar++] = (cst_parameter){.name = "omega",
                                            .unit = "",
                                            .doc = "stiffness",
                                            .value = 1,
                                            .node = cst_graph_constant(x->model->graph, 1)};
  if (cst_has(s, CST_TIMED))
    keep_rates(x, s, omega);
  x->model->V = cst_graph_add(x->model->graph, s->model->V, spring);
  x->model->stiff =
      s->description->stiff_text ? cst_graph_add(x->model->graph, s->model->stiff, spring) : spring;
  x->description->stiff_text = "omega^2/2 sum g^2";
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

/* momentum-balance-keys.c: the key `momentum-balance` of the study file: whose momenta are balanced, and how. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collect/momentum-balance.h"
#include "study/collect/tangent.h"

/* clang-format off */
const cst_key cst_balances_keys[] = {
    {"", "momentum-balance", CST_KEYS_ALL, "map", "none: the symmetries of the system", "", "momentum-balance: {symmetries: {x: [1, 0]}}", "Whose momenta the observable momentum-balance follows, and by which equation (docs/momentum-balance.md)."},
    {"momentum-balance", "symmetries", CST_KEYS_ALL, "map", "none", "", "momentum-balance: {symmetries: {x: [1, 0], turn: [-y, x]}}", "Further momenta by name: a list, the generator of a symmetry of L, one expression of the coordinates for each; or a map, a combination of generators that turns with the motion."},
    {"momentum-balance", "form", CST_KEYS_ALL, "discrete, integral or both", "both, the discrete one of methods that have it", "", "momentum-balance: {form: discrete, symmetries: {x: [1, 0]}}", "The discrete momentum equation, exact for methods that solve discrete Euler-Lagrange equations, or the integral of the continuous one over each step by a quadrature."},
    {0},
};
/* clang-format on */

/* While it is read: the expressions of generators and of combinations. */
typedef struct {
  cst_reader     *r;
  cst_balances   *w;
  const char     *generator[CST_BALANCES_MOST];
  cst_expressions fields;                                   /* [ngenerator][nq] */
  cst_expressions weights;                                  /* those that are written */
  int             at[CST_BALANCES_MOST][CST_BALANCES_MOST]; /* of momenta by generator; -1: 0 */
} reading;

/* ---- expressions ----------------------------------------------------------------------------- */

/* Of the coordinates and the parameters alone. */
static bool read_field(reading *x, cst_yaml *n, const char *what, cst_expressions *to) {
  cst_system *s = x->r->s->system;
  if (!cst_reader_expression(x->r, n, what, to))
    return false;
  const cst_node node = to->node[to->n - 1];
  int           *parameter, count = cst_graph_support(s->graph, node, 'c', &parameter);
  bool           timed = cst_graph_depends(s->graph, node, 't');
  for (int k = 0; k < count; k++)
    timed |= s->timed && parameter[k] >= s->account - 1;
  free(parameter);
  if (!timed && !cst_graph_depends(s->graph, node, 'v') && !cst_graph_depends(s->graph, node, 'l'))
    return true;
  cst_yaml_error(x->r->doc, n, x->r->d,
                 "%s: the generator of a symmetry depends on coordinates and parameters alone, not "
                 "on velocities, multipliers or t",
                 what);
  return false;
}

static bool is_new(reading *x, cst_yaml *key, const char *name) {
  const cst_system *s = x->r->s->system;
  if (!cst_reader_name(x->r, key, "a momentum", name))
    return false;
  for (int k = 0; k < s->nsym; k++)
    if (!strcmp(s->symmetry[k], name)) {
      cst_yaml_error(x->r->doc, key, x->r->d, "'%s' is a symmetry of %s already", name, s->name);
      return false;
    }
  if (x->w->n < CST_BALANCES_MOST)
    return true;
  cst_yaml_error(x->r->doc, key, x->r->d, "there are more than %d momenta", CST_BALANCES_MOST);
  return false;
}

static void add_momentum(reading *x, const char *name) {
  for (int a = 0; a < CST_BALANCES_MOST; a++)
    x->at[x->w->n][a] = -1;
  x->w->name[x->w->n++] = strdup(name);
}

/* A list: a generator, and its momentum. */
static void read_generator(reading *x, cst_yaml *key, cst_yaml *list) {
  const char *name = cst_yaml_text(key);
  const int   nq = x->r->s->system->nq;
  char        what[80];
  if (!name || !is_new(x, key, name))
    return;
  if (cst_yaml_size(list) != nq) {
    cst_yaml_error(x->r->doc, list, x->r->d,
                   "the generator '%s' has %d components; %s has %d coordinates", name,
                   cst_yaml_size(list), x->r->s->system->name, nq);
    return;
  }
  snprintf(what, sizeof what, "generator '%.40s'", name);
  for (int i = 0; i < nq; i++)
    if (!read_field(x, cst_yaml_item(list, i), what, &x->fields))
      return;
  x->generator[x->w->ngenerator] = name;
  add_momentum(x, name);
  x->at[x->w->n - 1][x->w->ngenerator++] = -2; /* 1 */
}

/* A map: a combination of generators. */
static void read_combination(reading *x, cst_yaml *key, cst_yaml *map) {
  const char *name = cst_yaml_text(key);
  char        what[80];
  if (!name || !is_new(x, key, name))
    return;
  add_momentum(x, name);
  snprintf(what, sizeof what, "momentum '%.40s'", name);
  for (int i = 0; i < cst_yaml_size(map); i++) {
    const char *of = cst_yaml_text(cst_yaml_key(map, i));
    int         a = 0;
    while (a < x->w->ngenerator && strcmp(x->generator[a], of ? of : ""))
      a++;
    if (a == x->w->ngenerator) {
      cst_reader_unknown(x->r, cst_yaml_key(map, i), "generator", of ? of : "?", x->generator,
                         x->w->ngenerator);
      return;
    }
    if (!read_field(x, cst_yaml_value(map, i), what, &x->weights))
      return;
    x->at[x->w->n - 1][a] = x->weights.n - 1;
  }
}

static void read_symmetries(reading *x, cst_yaml *map) {
  if (!map)
    return;
  if (!cst_yaml_is_map(map) || cst_yaml_size(map) == 0) {
    cst_yaml_error(x->r->doc, map, x->r->d,
                   "'symmetries' is a map of names to generators, {x: [1, 0]}, or to combinations "
                   "of them, {along: {x: cos(th), y: sin(th)}}");
    return;
  }
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < cst_yaml_size(map); i++) {
      cst_yaml *key = cst_yaml_key(map, i), *value = cst_yaml_value(map, i);
      if (cst_yaml_is_list(value) && !pass)
        read_generator(x, key, value);
      else if (cst_yaml_is_map(value) && pass)
        read_combination(x, key, value);
      else if (!pass && !cst_yaml_is_map(value))
        cst_yaml_error(x->r->doc, value, x->r->d,
                       "a momentum is a list, the generator of a symmetry, or a map, a combination "
                       "of generators");
    }
}

/* ---- what is evaluated ----------------------------------------------------------------------- */

static void take_system(reading *x) {
  const cst_system *s = x->r->s->system;
  cst_expressions  *f = &x->fields;
  f->node = cst_need(malloc(sizeof *f->node * (size_t)(s->nsym * s->nq + 1)));
  memcpy(f->node, s->xi, sizeof *f->node * (size_t)(s->nsym * s->nq));
  f->n = s->nsym * s->nq;
  for (int k = 0; k < s->nsym; k++) {
    x->generator[k] = s->symmetry[k];
    add_momentum(x, s->symmetry[k]);
    x->at[k][x->w->ngenerator++] = -2;
  }
}

static cst_node weight_of(const reading *x, int k, int a) {
  cst_graph *g = x->r->s->system->graph;
  const int  at = x->at[k][a];
  return at >= 0 ? x->weights.node[at] : cst_graph_constant(g, at == -2);
}

/* dC/dt along the motion. */
static void differentiate(const cst_system *s, const cst_node *C, int n, cst_node *rate) {
  cst_node q[s->nq], v[s->nq];
  for (int i = 0; i < s->nq; i++) {
    q[i] = cst_graph_input(s->graph, 'q', i);
    v[i] = cst_graph_input(s->graph, 'v', i);
  }
  cst_graph_tangent(s->graph, C, n, q, v, s->nq, rate);
}

static void gather(const reading *x) {
  const cst_system *s = x->r->s->system;
  cst_balances     *w = x->w;
  const int         ng = w->ngenerator, pairs = w->n * ng;
  w->node = cst_zeros((size_t)(ng * (s->nq + 2 * w->n + 1) + 1), sizeof *w->node);
  memcpy(w->node, x->fields.node, sizeof *w->node * (size_t)(ng * s->nq));
  cst_node *C = w->node + ng * s->nq, *gauge = C + 2 * pairs;
  for (int k = 0; k < w->n; k++)
    for (int a = 0; a < ng; a++)
      C[k * ng + a] = weight_of(x, k, a);
  differentiate(s, C, pairs, C + pairs);
  for (int a = 0; a < ng; a++)
    gauge[a] = a < s->nsym ? s->gauge[a] : cst_graph_constant(s->graph, 0);
}

/* ---- the key --------------------------------------------------------------------------------- */

static void read_form(cst_reader *r, cst_yaml *map, cst_balances *w) {
  static const char *const forms[] = {"both", "discrete", "integral"};
  int                      form = 0;
  cst_yaml                *n = cst_yaml_get(map, "form");
  cst_reader_choice(r, n, "form", forms, CST_COUNT(forms), &form);
  w->discrete = form != 2;
  w->integral = form != 1;
  for (int i = 0; form == 1 && r->s->system && i < r->s->nmethod; i++) {
    const char *why = r->s->method[i] ? cst_momenta_refusal(r->s->method[i], r->s->system) : NULL;
    if (!why)
      continue;
    cst_yaml_error(r->doc, n, r->d, "'form' is discrete: %s %s; 'integral' serves every method",
                   cst_method_label(r->s->method[i]), why);
    return;
  }
}

void cst_balances_read(cst_reader *r, void *wish) {
  cst_balances *w = wish;
  cst_yaml     *entry = cst_tangent_entry(r, "momentum-balance");
  cst_yaml     *map = cst_yaml_get(r->root, "momentum-balance");
  reading       x = {.r = r, .w = w};
  w->asked = entry != NULL;
  if (map && !cst_reader_keys(r, map, "momentum-balance", "momentum-balance", CST_KEYS_ALL))
    return;
  if (map && !entry)
    cst_yaml_error(r->doc, map, r->d,
                   "'momentum-balance' has no effect: it is not among the observables");
  if (!entry || !r->s->system)
    return;
  read_form(r, map, w);
  take_system(&x);
  read_symmetries(&x, cst_yaml_get(map, "symmetries"));
  if (w->n == 0 && !cst_yaml_get(map, "symmetries"))
    cst_yaml_error(r->doc, entry, r->d,
                   "'momentum-balance': %s declares no symmetries; the key 'momentum-balance' "
                   "takes generators: momentum-balance: {symmetries: {NAME: [...]}}",
                   r->s->system->name);
  if (w->n > 0)
    gather(&x);
  cst_reader_forget(&x.fields);
  cst_reader_forget(&x.weights);
}

void cst_balances_forget(void *wish) {
  cst_balances *w = wish;
  for (int k = 0; k < w->n; k++)
    free(w->name[k]);
  free(w->node);
}

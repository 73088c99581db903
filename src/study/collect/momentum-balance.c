/* momentum-balance.c: the collector `momentum-balance`: how well single steps satisfy the momentum equation of
 * symmetries, and of directions that turn.
 *
 * Momenta are J_k = sum_a C_ka(q) <p, xi_a(q)> of generators xi_a, symmetries of L. Those with constant C are
 * momenta of symmetries; the others belong to directions that turn with the motion.
 *
 * After every `every` a copy of each trajectory makes one step, with all that substeps keep, and the equation is
 * evaluated between its two states. The largest defects, their floors and the largest change of each momentum
 * are kept.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/momenta.h"
#include "method/scalar-solve.h"
#include "study/channels/channels.h"
#include "study/collect/companions.h"
#include "study/collect/tangent.h"
#include "study/rows/collector.h"
#include "study/file/reader.h"
#include "study/plan/plan.h"
#include "study/result/parts.h"

enum { MOST = 32 };

/* What is found of each momentum in a step, absolute: the discrete equation's defect with its floor, the one
 * by a quadrature with its floor, the change of the momentum. */
enum { DISCRETE, DISCRETE_FLOOR, INTEGRAL, INTEGRAL_FLOOR, CHANGE, FIGURES };

typedef struct {
  bool  asked, discrete, integral;
  int   form;
  int   ngenerator, n; /* generators, momenta */
  char *name[MOST];
  cst_node
      *node; /* xi[ngenerator][nq], C[n][ngenerator], dC/dt[n][ngenerator], gauge[ngenerator] */
} balances;

/* Finds the figures of steps of a method. */
typedef struct balance balance;

/* ---- the study file -------------------------------------------------------------------------- */

enum { BOTH, ONLY_DISCRETE, ONLY_INTEGRAL };
static const char *const forms[] = {"both", "discrete", "integral", NULL};

/* clang-format off */
static const cst_key keys[] = {
    {"", "momentum-balance", CST_KEYS_ALL, "map", "none: the symmetries of the system", "", "momentum-balance: {symmetries: {x: [1, 0]}}", "Whose momenta the observable momentum-balance follows, and by which equation (docs/momentum-balance.md)."},
    {"momentum-balance", "symmetries", CST_KEYS_ALL, "map", "none", "", "momentum-balance: {symmetries: {x: [1, 0], turn: [-y, x]}}", "Further momenta by name: a list, the generator of a symmetry of L, one expression of the coordinates for each; or a map, a combination of generators that turns with the motion."},
    {"momentum-balance", "form", CST_KEYS_ALL, NULL, "both", "", "momentum-balance: {form: discrete, symmetries: {x: [1, 0]}}", "The discrete momentum equation, exact for methods that solve discrete Euler-Lagrange equations, the integral of the continuous one over each step by a quadrature, or both; the discrete one only of methods that have it.",
     .value = {CST_VALUE_CHOICE, CST_AT(balances, form), .words = forms}},
    {0},
};
/* clang-format on */

/* While it is read: the expressions of generators and of combinations. */
typedef struct {
  cst_reader     *r;
  balances       *w;
  const char     *generator[MOST];
  cst_expressions fields;         /* [ngenerator][nq] */
  cst_expressions weights;        /* those that are written */
  int             at[MOST][MOST]; /* of momenta by generator; -1: 0 */
} reading;

/* Of the coordinates and the parameters alone. */
static bool read_field(reading *x, cst_yaml *n, const char *what, cst_expressions *to) {
  cst_system *s = x->r->s->problem.system;
  if (!cst_reader_expression(x->r, n, what, to))
    return false;
  const cst_node node = to->node[to->n - 1];
  int           *parameter, count = cst_graph_support(s->model->graph, node, 'c', &parameter);
  bool           timed = cst_graph_depends(s->model->graph, node, 't');
  for (int k = 0; k < count; k++)
    timed |= parameter[k] >= cst_system_named(s);
  free(parameter);
  if (!timed && !cst_graph_depends(s->model->graph, node, 'v') &&
      !cst_graph_depends(s->model->graph, node, 'l'))
    return true;
  cst_yaml_error(x->r->doc, n, x->r->d,
                 "%s: the generator of a symmetry depends on coordinates and parameters alone, not "
                 "on velocities, multipliers or t",
                 what);
  return false;
}

static bool is_new(reading *x, cst_yaml *key, const char *name) {
  const cst_system *s = x->r->s->problem.system;
  if (!cst_reader_name(x->r, key, "a momentum", name))
    return false;
  for (int k = 0; k < s->nsym; k++)
    if (!strcmp(s->description->symmetry[k], name)) {
      cst_yaml_error(x->r->doc, key, x->r->d, "'%s' is a symmetry of %s already", name, s->name);
      return false;
    }
  if (x->w->n < MOST)
    return true;
  cst_yaml_error(x->r->doc, key, x->r->d, "there are more than %d momenta", MOST);
  return false;
}

static void add_momentum(reading *x, const char *name) {
  for (int a = 0; a < MOST; a++)
    x->at[x->w->n][a] = -1;
  x->w->name[x->w->n++] = strdup(name);
}

/* A list: a generator, and its momentum. */
static void read_generator(reading *x, cst_yaml *key, cst_yaml *list) {
  const char *name = cst_yaml_text(key);
  const int   nq = x->r->s->problem.system->nq;
  char        what[80];
  if (!name || !is_new(x, key, name))
    return;
  if (cst_yaml_size(list) != nq) {
    cst_yaml_error(x->r->doc, list, x->r->d,
                   "the generator '%s' has %d components; %s has %d coordinates", name,
                   cst_yaml_size(list), x->r->s->problem.system->name, nq);
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

static void take_system(reading *x) {
  const cst_system *s = x->r->s->problem.system;
  cst_expressions  *f = &x->fields;
  f->node = cst_need(malloc(sizeof *f->node * (size_t)(s->nsym * s->nq + 1)));
  memcpy(f->node, s->model->xi, sizeof *f->node * (size_t)(s->nsym * s->nq));
  f->n = s->nsym * s->nq;
  for (int k = 0; k < s->nsym; k++) {
    x->generator[k] = s->description->symmetry[k];
    add_momentum(x, s->description->symmetry[k]);
    x->at[k][x->w->ngenerator++] = -2;
  }
}

static cst_node weight_of(const reading *x, int k, int a) {
  cst_graph *g = x->r->s->problem.system->model->graph;
  const int  at = x->at[k][a];
  return at >= 0 ? x->weights.node[at] : cst_graph_constant(g, at == -2);
}

/* dC/dt along the motion. */
static void differentiate(const cst_system *s, const cst_node *C, int n, cst_node *rate) {
  cst_node q[s->nq], v[s->nq];
  for (int i = 0; i < s->nq; i++) {
    q[i] = cst_graph_input(s->model->graph, 'q', i);
    v[i] = cst_graph_input(s->model->graph, 'v', i);
  }
  cst_graph_tangent(s->model->graph, C, n, q, v, s->nq, rate);
}

static void gather(const reading *x) {
  const cst_system *s = x->r->s->problem.system;
  balances         *w = x->w;
  const int         ng = w->ngenerator, pairs = w->n * ng;
  w->node = cst_zeros((size_t)(ng * (s->nq + 2 * w->n + 1) + 1), sizeof *w->node);
  memcpy(w->node, x->fields.node, sizeof *w->node * (size_t)(ng * s->nq));
  cst_node *C = w->node + ng * s->nq, *gauge = C + 2 * pairs;
  for (int k = 0; k < w->n; k++)
    for (int a = 0; a < ng; a++)
      C[k * ng + a] = weight_of(x, k, a);
  differentiate(s, C, pairs, C + pairs);
  for (int a = 0; a < ng; a++)
    gauge[a] = a < s->nsym ? s->model->gauge[a] : cst_graph_constant(s->model->graph, 0);
}

static void check_form(cst_reader *r, cst_yaml *n, balances *w) {
  w->discrete = w->form != ONLY_INTEGRAL;
  w->integral = w->form != ONLY_DISCRETE;
  for (int i = 0; w->form == ONLY_DISCRETE && r->s->problem.system && i < r->s->methods.n; i++) {
    const char *why =
        r->s->methods.method[i]
            ? cst_momenta_refusal(r->s->methods.method[i], r->s->problem.system, r->s->problem.flat)
            : NULL;
    if (!why)
      continue;
    cst_yaml_error(r->doc, n, r->d, "'form' is discrete: %s %s; 'integral' serves every method",
                   cst_method_label(r->s->methods.method[i]), why);
    return;
  }
}

static void read(cst_reader *r, void *request) {
  balances *w = request;
  cst_yaml *entry = cst_tangent_entry(r, "momentum-balance");
  cst_yaml *map = cst_yaml_get(r->root, "momentum-balance");
  reading   x = {.r = r, .w = w};
  w->asked = entry != NULL;
  if (!cst_reader_section(r, map, "momentum-balance", "momentum-balance", CST_KEYS_ALL, w) && map)
    return;
  if (map && !entry)
    cst_yaml_error(r->doc, map, r->d,
                   "'momentum-balance' has no effect: it is not among the observables");
  if (!entry || !r->s->problem.system)
    return;
  check_form(r, cst_yaml_get(map, "form"), w);
  take_system(&x);
  read_symmetries(&x, cst_yaml_get(map, "symmetries"));
  if (w->n == 0 && !cst_yaml_get(map, "symmetries"))
    cst_yaml_error(r->doc, entry, r->d,
                   "'momentum-balance': %s declares no symmetries; the key 'momentum-balance' "
                   "takes generators: momentum-balance: {symmetries: {NAME: [...]}}",
                   r->s->problem.system->name);
  if (w->n > 0)
    gather(&x);
  cst_reader_forget(&x.fields);
  cst_reader_forget(&x.weights);
}

static void forget(void *request) {
  balances *w = request;
  for (int k = 0; k < w->n; k++)
    free(w->name[k]);
  free(w->node);
}

/* ---- defects of a step ----------------------------------------------------------------------- */

/* The defects of the momentum equation in a step.
 *
 * With xi^k = sum_a C_a(q_k) xi_a and what method/momenta.h has of the step, the discrete equation is
 *
 *   J_1 - J_0 = p+ (xi^1 - xi^0)(q1) + sum_j N_j xi^0(x_j) - m'G(q1) xi^1(q1) - L'G(q0) xi^0(q0)
 *
 * (C. Cuell, thesis, (3.39), (4.46)), where m and L are the least squares of p+ - p1 = G1'm, p0 - p- = G0'L:
 * it holds if and only if the step solves the discrete equations along xi, and xi_a are symmetries of L. The
 * other equation is the integral of
 *
 *   dJ/dt = sum_a dC_a/dt <p, xi_a> + sum_a C_a (F - G'lambda) xi_a
 *
 * by the points of a quadrature. Floors are round-off of all terms, and of (q1 - q0)/h.
 */

enum { ROUNDINGS = 16 };

/* The fields at a point: into the outputs of the tape. */
typedef struct {
  double *xi, *C, *rate, *gauge;
} fields;

struct balance {
  const balances   *of;
  const cst_system *s;
  cst_momenta_of   *momenta;
  cst_tape         *tape;
  double           *c;        /* [npar] */
  double           *value[3]; /* of the tape: at q0, at q1, at a point in between */
  double           *G, *S, *force, *mass, *a, *b;
  int              *pivot, m, *row;
};

static int outputs(const balances *w, int nq) { return w->ngenerator * (nq + 2 * w->n + 1); }

/* owned; borrows */
static balance *create_balance(const balances *of, const cst_prepared *p) {
  balance          *x = cst_zeros(1, sizeof *x);
  const cst_system *s = p->asked;
  const size_t      n = (size_t)s->nq, g = (size_t)s->ng;
  x->of = of;
  x->s = s;
  x->momenta = cst_momenta_create(p);
  x->tape = cst_tape_create(s->model->graph, of->node, outputs(of, s->nq));
  for (int k = 0; k < 3; k++)
    x->value[k] = cst_zeros((size_t)outputs(of, s->nq), sizeof(double));
  x->c = cst_zeros((size_t)s->npar + 1, sizeof(double));
  x->G = cst_zeros(g * n + g * g + 4 * n + 2 * g + 1, sizeof(double));
  x->S = x->G + g * n;
  x->force = x->S + g * g;
  x->mass = x->force + n;
  x->a = x->mass + n;
  x->b = x->a + n + g;
  x->pivot = cst_zeros(2 * g + 1, sizeof *x->pivot);
  x->row = x->pivot + g;
  for (int k = 0; k < s->ng; k++)
    if (cst_system_enforces(s, k))
      x->row[x->m++] = k;
  return x;
}

static void destroy_balance(balance *x) {
  if (!x)
    return;
  cst_momenta_destroy(x->momenta);
  cst_tape_destroy(x->tape);
  for (int k = 0; k < 3; k++)
    free(x->value[k]);
  free(x->c);
  free(x->G);
  free(x->pivot);
  free(x);
}

static void set_time(balance *x, double t) { cst_system_set_time(x->s, x->c, t); }

static fields fields_at(balance *x, int which, const double *q, const double *v) {
  const balances *w = x->of;
  double         *out = x->value[which];
  const double   *in[128] = {['c'] = x->c, ['q'] = q, ['v'] = v};
  cst_evaluate_tape(x->tape, in, out);
  fields f = {.xi = out};
  f.C = f.xi + w->ngenerator * x->s->nq;
  f.rate = f.C + w->n * w->ngenerator;
  f.gauge = f.rate + w->n * w->ngenerator;
  return f;
}

/* A sum with the sum of the sizes of its terms. */
typedef struct {
  double value, size;
} total;

static void add(total *t, double x) {
  t->value += x;
  t->size += fabs(x);
}

/* t += sign sum_a by_a (p.xi_a - gauge_a); gauge NULL: none. */
static void add_moment(const balance *x, total *t, double sign, const double *by, const fields *f,
                       const double *p, const double *gauge) {
  const int n = x->s->nq;
  for (int a = 0; a < x->of->ngenerator; a++) {
    if (by[a] == 0)
      continue;
    for (int i = 0; i < n; i++)
      add(t, sign * by[a] * p[i] * f->xi[a * n + i]);
    if (gauge)
      add(t, -sign * by[a] * gauge[a]);
  }
}

static const double *row_of(const balance *x, int a) { return x->G + x->row[a] * x->s->nq; }

/* reaction[nq] := the part of r in the range of G', nearest in M^-1, at q. */
static void find_reaction(balance *x, const double *q, const double *r, double *reaction) {
  const int n = x->s->nq, m = x->m;
  double   *y = x->b + n;
  memset(reaction, 0, sizeof *reaction * (size_t)n);
  if (!m)
    return;
  cst_system_matrix(x->s, CST_K_G, x->c, q, NULL, x->G);
  for (int a = 0; a < m; a++) {
    y[a] = 0;
    for (int i = 0; i < n; i++)
      y[a] += row_of(x, a)[i] * r[i] / x->mass[i];
    for (int b = 0; b < m; b++) {
      x->S[a * m + b] = 0;
      for (int i = 0; i < n; i++)
        x->S[a * m + b] += row_of(x, a)[i] * row_of(x, b)[i] / x->mass[i];
    }
  }
  factor(m, x->S, x->pivot);
  solve_with(m, x->S, x->pivot, y);
  for (int a = 0; a < m; a++)
    for (int i = 0; i < n; i++)
      reaction[i] += row_of(x, a)[i] * y[a];
}

/* The round-off of M (q1 - q0)/h, as a size of a momentum. */
static void add_difference(const balance *x, total *t, const double *C, const fields *f,
                           const cst_momenta_step *k) {
  const int n = x->s->nq;
  for (int a = 0; a < x->of->ngenerator; a++)
    for (int i = 0; i < n; i++)
      t->size += fabs(C[a] * f->xi[a * n + i] * x->mass[i] / k->h) *
                 (fabs(k->q0[i]) + fabs(k->q1[i])) / ROUNDINGS;
}

static void set(double *figure, int which, const total *t) {
  figure[which] = fabs(t->value);
  figure[which + 1] = ROUNDINGS * DBL_EPSILON * t->size;
}

/* Impulses N_j xi^0(x_j) of every momentum. */
static void take_impulses(balance *x, const fields *left, const cst_momenta *d, total *t) {
  const int n = x->s->nq, ng = x->of->ngenerator;
  for (int j = 0; j < d->n; j++) {
    const fields there = fields_at(x, 2, d->place + j * n, x->mass);
    for (int k = 0; k < x->of->n; k++)
      add_moment(x, &t[k], -1, left->C + k * ng, &there, d->impulse + j * n, NULL);
  }
}

/* Reactions at an end: r is p+ - p1, or p0 - p-. */
static void take_reaction(balance *x, const fields *f, const double *q, const double *a,
                          const double *b, total *t) {
  const int n = x->s->nq, ng = x->of->ngenerator;
  double   *reaction = x->force;
  for (int i = 0; i < n; i++)
    x->a[i] = a[i] - b[i];
  find_reaction(x, q, x->a, reaction);
  for (int k = 0; k < x->of->n; k++)
    add_moment(x, &t[k], 1, f->C + k * ng, f, reaction, NULL);
}

static void find_discrete(balance *x, const fields f[2], const cst_momenta_step *s,
                          const cst_momenta *d, const total *change, double *figure) {
  const int ng = x->of->ngenerator;
  total     t[MOST];
  double    turned[MOST] = {0}; /* gcc 14 does not see that ng are set */
  memcpy(t, change, sizeof *t * (size_t)x->of->n);
  for (int k = 0; k < x->of->n; k++) {
    for (int a = 0; a < ng; a++)
      turned[a] = f[1].C[k * ng + a] - f[0].C[k * ng + a];
    add_moment(x, &t[k], -1, turned, &f[1], d->right, NULL);
    add_difference(x, &t[k], f[0].C + k * ng, &f[0], s);
  }
  take_impulses(x, &f[0], d, t);
  set_time(x, s->t + s->h);
  take_reaction(x, &f[1], s->q1, d->right, s->p1, t);
  set_time(x, s->t);
  take_reaction(x, &f[0], s->q0, s->p0, d->left, t);
  for (int k = 0; k < x->of->n; k++)
    set(figure + k * FIGURES, DISCRETE, &t[k]);
}

/* force := F - G'lambda */
static void find_force(balance *x, const double *q, const double *v, const double *lambda) {
  const int n = x->s->nq;
  memset(x->force, 0, sizeof *x->force * (size_t)n);
  if (x->s->model->nforce)
    cst_system_eval(x->s, CST_K_F, x->c, q, v, NULL, NULL, lambda, x->force);
  if (!x->s->ng)
    return;
  cst_system_matrix(x->s, CST_K_G, x->c, q, v, x->G);
  for (int a = 0; a < x->s->ng; a++)
    for (int i = 0; i < n; i++)
      x->force[i] -= x->G[a * n + i] * lambda[a];
}

static void find_integral(balance *x, const cst_momenta_points *o, const total *change,
                          double *figure) {
  const int n = x->s->nq, ng = x->of->ngenerator;
  total     t[MOST];
  memcpy(t, change, sizeof *t * (size_t)x->of->n);
  for (int j = 0; j < o->n; j++) {
    const double *q = o->q + j * n, *v = o->v + j * n;
    set_time(x, o->t[j]);
    const fields there = fields_at(x, 2, q, v);
    find_force(x, q, v, o->lambda + j * x->s->ng);
    cst_system_momentum(x->s, x->c, q, v, x->a);
    for (int k = 0; k < x->of->n; k++) {
      add_moment(x, &t[k], -o->weight[j], there.C + k * ng, &there, x->force, NULL);
      add_moment(x, &t[k], -o->weight[j], there.rate + k * ng, &there, x->a, there.gauge);
    }
  }
  for (int k = 0; k < x->of->n; k++)
    set(figure + k * FIGURES, INTEGRAL, &t[k]);
}

/* figure[n][FIGURES] of a step with the parameters c[npar]; NaN where there are none. */
static void find_figures(balance *x, const double *c, const cst_momenta_step *s, double *figure) {
  const int                 n = x->s->nq, ng = x->of->ngenerator;
  const cst_momenta        *d;
  const cst_momenta_points *o;
  total                     change[MOST] = {{0, 0}};
  memcpy(x->c, c, sizeof *c * (size_t)x->s->npar);
  for (int i = 0; i < n; i++)
    x->a[i] = 1, x->b[i] = 0;
  cst_system_momentum(x->s, x->c, s->q0, x->b, x->force);
  cst_system_momentum(x->s, x->c, s->q0, x->a, x->mass);
  for (int i = 0; i < n; i++)
    x->mass[i] -= x->force[i];
  const fields f[2] = {fields_at(x, 0, s->q0, x->b), fields_at(x, 1, s->q1, x->b)};
  for (int k = 0; k < x->of->n; k++) {
    double *to = figure + k * FIGURES;
    for (int i = 0; i < FIGURES; i++)
      to[i] = NAN;
    add_moment(x, &change[k], 1, f[1].C + k * ng, &f[1], s->p1, f[1].gauge);
    add_moment(x, &change[k], -1, f[0].C + k * ng, &f[0], s->p0, f[0].gauge);
    to[CHANGE] = fabs(change[k].value);
  }
  if (x->of->integral && cst_momenta_sample(x->momenta, c, s, &o))
    find_integral(x, o, change, figure);
  if (x->of->discrete && cst_momenta_find(x->momenta, c, s, &d))
    find_discrete(x, f, s, d, change, figure);
}

/* ---- channels -------------------------------------------------------------------------------- */

/* Of momentum k figure i is number k FIGURES + i; behind them the same over all momenta. */
/* clang-format off */
static const cst_channel_row largest = {"/momentum-balance/%s", NULL, NULL, CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
/* clang-format on */

static const struct {
  const char *ending, *doc;
  bool        integral, change; /* whose it is */
} figures[FIGURES] = {
    [DISCRETE] = {"max", "largest defect of the discrete momentum equation in a step", false,
                  false},
    [DISCRETE_FLOOR] = {"floor", "round-off of that defect", false, false},
    [INTEGRAL] = {"integral_max", "largest defect of the momentum equation, integrated over a step",
                  true, false},
    [INTEGRAL_FLOOR] = {"integral_floor", "round-off of that defect", true, false},
    [CHANGE] = {"change_max", "largest change of the momentum in a step", true, true},
};

static const balances *request_of(const cst_plan *p) {
  return p->study->collected[CST_COLLECTOR(momentum_balance)];
}

static bool wanted(const cst_plan *p) { return request_of(p)->asked; }

static bool has(const cst_plan *p, int figure) {
  const balances *w = request_of(p);
  if (!w->asked || figures[figure].change)
    return w->asked;
  return figures[figure].integral ? w->integral : w->discrete;
}

/* Momenta, and one for all of them. */
static int rows_of(const cst_plan *p) { return wanted(p) ? request_of(p)->n + 1 : 0; }

static void name_of(const cst_plan *p, int k, int figure, char *name, size_t n) {
  const balances *w = request_of(p);
  if (k < w->n)
    snprintf(name, n, "balance_%s_%s", w->name[k], figures[figure].ending);
  else
    snprintf(name, n, "momentum-balance_%s", figures[figure].ending);
}

static double steps(const cst_plan *p, const cst_class *k) {
  const double of_scalars = 30; /* the equation in scalars, in steps */
  return wanted(p) ? (1 + of_scalars) / (double)cst_tangent_steps(p, k) : 0;
}

static double lanes(const cst_plan *p) { return wanted(p) ? 1 : 0; }

static void tell(const cst_plan *p, FILE *out) {
  const balances *w = request_of(p);
  if (!w->asked)
    return;
  fprintf(out, "%-14s ", "balance of");
  for (int k = 0; k < w->n; k++)
    fprintf(out, "%s%s", k ? ", " : "", w->name[k]);
  fprintf(out, "\n");
  for (int i = 0; w->discrete && i < p->study->methods.n; i++) {
    const char *why = cst_momenta_refusal(p->study->methods.method[i], p->study->problem.system,
                                          p->study->problem.flat);
    if (why)
      fprintf(out, "%-14s by the integral only: %s %s\n", "",
              cst_method_label(p->study->methods.method[i]), why);
  }
}

static void declare(const cst_plan *p, cst_channels *c) {
  char name[96];
  for (int k = 0; k < rows_of(p); k++)
    for (int i = 0; i < FIGURES; i++) {
      if (!has(p, i))
        continue;
      name_of(p, k, i, name, sizeof name);
      cst_channels_add(c, &largest, k * FIGURES + i,
                       (cst_channel_use){.name = name, .unit = "1", .doc = figures[i].doc});
    }
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  cst_companions c;
  balance      **of; /* [nmethod], made when first needed */
  double        *x, *y, *figure;
} own;

static void create(cst_collection *x) {
  own            *o = x->own;
  const cst_plan *p = x->run->plan;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_companions_create(&o->c, x->run, 1));
  o->of = cst_zeros(p->study->methods.n, sizeof *o->of);
  o->x = cst_zeros((size_t)cst_plan_state_numbers(p), sizeof(double));
  o->y = cst_zeros((size_t)cst_plan_state_numbers(p), sizeof(double));
  o->figure = cst_zeros((size_t)(rows_of(p) * FIGURES), sizeof(double));
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_companions_destroy(&o->c));
  for (int i = 0; i < x->run->plan->study->methods.n; i++)
    destroy_balance(o->of[i]);
  free(o->of);
  free(o->x);
  free(o->y);
  free(o->figure);
}

static double *number_of(const cst_runner *r, int which, long lane) {
  return cst_rows_numbers(r->rows, &largest, which, lane);
}

/* Methods without the discrete equation have no number of it. */
static void begin(cst_collection *x) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  const cst_plan   *p = r->plan;
  const int         method = r->class->method;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_companions_begin(&o->c));
  if (!o->of[method])
    o->of[method] = create_balance(request_of(p), p->method[method]);
  const bool discrete = !cst_momenta_refusal(p->study->methods.method[method],
                                             p->study->problem.system, p->study->problem.flat);
  for (long l = 0; l < r->work->count; l++)
    for (int k = 0; k < rows_of(p); k++)
      for (int i = 0; i < FIGURES; i++)
        if (has(p, i))
          *number_of(r, k * FIGURES + i, l) = figures[i].integral || discrete ? 0 : NAN;
}

static double larger(double a, double b) { return a >= b || isnan(a) ? a : b; }

static void take(const own *o, const cst_runner *r, long lane) {
  const int all = rows_of(r->plan) - 1;
  for (int k = 0; k < all; k++)
    for (int i = 0; i < FIGURES; i++) {
      if (!has(r->plan, i))
        continue;
      const double x = o->figure[k * FIGURES + i];
      double      *one = number_of(r, k * FIGURES + i, lane);
      double      *most = number_of(r, all * FIGURES + i, lane);
      *one = larger(*one, x);
      *most = larger(*most, x);
      if (isnan(x))
        *one = *most = NAN;
    }
}

/* The equation between the two states of a lane. */
static void look(own *o, const cst_runner *r, long lane) {
  const int     nq = r->plan->study->problem.system->nq;
  const double *c = cst_plan_parameters(r->plan, cst_runner_case(r, lane)->variant);
  cst_companions_get(&o->c, cst_companions_base(&o->c, lane), o->x);
  cst_companions_get(&o->c, cst_companions_column(&o->c, lane, 0), o->y);
  const cst_momenta_step k = {.t = cst_clock_at(r, (double)r->b->step),
                              .h = cst_clock_step(r),
                              .q0 = o->x,
                              .p0 = o->x + nq,
                              .q1 = o->y,
                              .p1 = o->y + nq};
  for (int i = 0; i < rows_of(r->plan) * FIGURES; i++)
    o->figure[i] = NAN;
  if (cst_companions_live(&o->c, lane))
    find_figures(o->of[r->class->method], c, &k, o->figure);
  take(o, r, lane);
}

static cst_error stop(cst_collection *x) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  if (r->replayed || r->b->step % cst_tangent_steps(r->plan, r->class))
    return 0;
  for (long l = 0; l < r->work->count; l++)
    if (cst_runner_lives(r, r->b, l))
      cst_companions_copy(&o->c, l, 0);
  o->c.b->step = r->b->step;
  CST_TRY(cst_companions_advance(&o->c, 1));
  for (long l = 0; l < r->work->count; l++)
    if (cst_runner_lives(r, r->b, l))
      look(o, r, l);
  cst_companions_rest(&o->c);
  return 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Shown: those over all momenta, but for the change; of a single momentum there are no others. */
static void *columns(const cst_plan *p, cst_columns *c) {
  if (!wanted(p))
    return NULL;
  const int          all = rows_of(p) - 1;
  cst_number_column *to = cst_zeros((size_t)((all + 1) * FIGURES), sizeof *to);
  char               name[96];
  for (int k = all; k >= 0; k--)
    for (int i = 0; i < FIGURES; i++) {
      if (!has(p, i))
        continue;
      const bool  shown = k == all && !figures[i].change;
      const char *of = k < all ? request_of(p)->name[k] : "momentum-balance";
      name_of(p, k, i, name, sizeof name);
      to[k * FIGURES + i] = cst_columns_number(c, cst_columns_shown(shown, "map-property", of),
                                               figures[i].doc, "%s", name);
    }
  return to;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const cst_number_column *to = handles;
  for (int k = 0; k < rows_of(rows->plan); k++)
    for (int i = 0; i < FIGURES; i++) {
      const int which = k * FIGURES + i;
      if (has(rows->plan, i))
        CST_TRY(cst_parts_largest(rows, &largest, which, to[which]));
    }
  return 0;
}

/* ---- the row --------------------------------------------------------------------------------- */

const cst_collector cst_collector_momentum_balance = {
    .name = "momentum-balance",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "defects of the momentum equation in a step",
    .keys = {.table = keys, .request = sizeof(balances), .read = read, .forget = forget},
    .plan = {.steps = steps, .lanes = lanes, .tell = tell, .wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .next = cst_tangent_next,
            .stop = stop},
    .file = {.declare = declare,
             .columns = columns,
             .conclude = conclude,
             .figures = "momentum-balance"},
};

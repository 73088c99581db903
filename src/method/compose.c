/* compose.c: compose(METHOD, SCHEME), compose(METHOD, [gammas]) and compose(METHOD1, METHOD2, ...).
 *
 * A scheme replaces one step by steps of gamma_i h. It needs a symmetric base. For another base every substep
 * is METHOD(gamma h/2) followed by adjoint(METHOD)(gamma h/2), which is symmetric (Hairer, Lubich, Wanner,
 * V.3.1). Several methods are applied one after another with equal fractions of the step. On a symmetric base
 * of order 2 that ends in the tangent space, a scheme has its own order. Extrinsic and intrinsic compositions
 * of constrained methods are the same map if g = 0 at every substep (Barbero-Linan et al., (5.7)-(5.10)).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "core/need.h"
#include "method/layer.h"
#include "method/method.h"

/* ---- schemes of the user, by name ------------------------------------------------------------ */

/* In one piece. */
static cst_scheme *copy(const cst_scheme *s) {
  const size_t numbers = sizeof(double) * (size_t)s->stages;
  cst_scheme  *copy = cst_need(malloc(sizeof *copy + numbers + strlen(s->name) + 1));
  double      *gamma = (double *)(void *)(copy + 1);
  char        *name = (char *)(gamma + s->stages);
  *copy = *s;
  memcpy(gamma, s->gamma, numbers);
  strcpy(name, s->name);
  copy->gamma = gamma;
  copy->name = name;
  return copy;
}

const cst_scheme *cst_layers_scheme(const cst_layers *l, const char *name) {
  CST_REQUIRE(name, NULL);
  const cst_text *x = l ? cst_layers_find(l, name) : NULL;
  return x && x->of.kind == CST_TEXT_SCHEME ? x->made : NULL;
}

/* Whether the coefficients are consistent and symmetric. */
static bool are_symmetric(const double *gamma, int stages, char *why, int n) {
  double sum = 0;
  for (int i = 0; i < stages; i++)
    sum += gamma[i];
  if (fabs(sum - 1) > 1e-13) {
    snprintf(why, (size_t)n, "the gammas of a scheme must sum to 1; the sum is %.17g", sum);
    return false;
  }
  for (int i = 0; i < stages / 2; i++) {
    if (fabs(gamma[i] - gamma[stages - 1 - i]) <= 1e-13)
      continue;
    snprintf(
        why, (size_t)n,
        "the gammas of a scheme must be palindromic; number %d is %.17g and number %d is %.17g",
        i + 1, gamma[i], stages - i, gamma[stages - 1 - i]);
    return false;
  }
  return true;
}

bool cst_layers_add_scheme(cst_layers *l, const char *name, const double *gamma, int stages,
                           char *why, int n) {
  CST_REQUIRE(l && name && gamma && why && stages > 0, false);
  if (!are_symmetric(gamma, stages, why, n))
    return false;
  const cst_scheme s = {name, "A scheme of the study.", "", cst_scheme_order(gamma, stages), stages,
                        gamma};
  cst_layers_add(l, name,
                 cst_text_keep(l, &(cst_wording){.kind = CST_TEXT_SCHEME}, copy(&s), free));
  return true;
}

/* ---- the method ------------------------------------------------------------------------------ */

/* The scheme that a name stands for; NULL: none. */
static const cst_scheme *named(const cst_term *s) {
  if (s->kind != CST_TERM_NAME || s->n > 0)
    return NULL;
  return s->scheme ? s->scheme : cst_scheme_find(s->name);
}

static const cst_scheme *scheme_of(const cst_term *t) {
  return t->n == 2 ? named(t->arg[1]) : NULL;
}

static bool is_scheme(const cst_term *t) {
  return t->n == 2 && (scheme_of(t) || t->arg[1]->kind == CST_TERM_LIST);
}

static int gamma_count(const cst_term *t) {
  return scheme_of(t) ? scheme_of(t)->stages : t->arg[1]->n;
}
static double gamma_at(const cst_term *t, int i) {
  return scheme_of(t) ? scheme_of(t)->gamma[i] : t->arg[1]->arg[i]->number;
}

/* Owned. */
static double *gammas(const cst_term *t) {
  double *gamma = cst_need(malloc(sizeof *gamma * (size_t)gamma_count(t)));
  for (int i = 0; i < gamma_count(t); i++)
    gamma[i] = gamma_at(t, i);
  return gamma;
}

static int list_order(const cst_term *t) {
  double   *gamma = gammas(t);
  const int order = cst_scheme_order(gamma, gamma_count(t));
  free(gamma);
  return order;
}

static bool check_list(const cst_term *l, cst_expr_error *e) {
  double sum = 0;
  for (int i = 0; i < l->n; i++) {
    if (l->arg[i]->kind != CST_TERM_NUMBER)
      return cst_term_error(l->arg[i], e, "a list of gammas must hold numbers");
    sum += l->arg[i]->number;
  }
  if (fabs(sum - 1) > 1e-13)
    return cst_term_error(l, e, "the gammas of a composition must sum to 1; the sum is %.17g", sum);
  for (int i = 0; i < l->n; i++) {
    const cst_term *mirror = l->arg[l->n - 1 - i];
    if (fabs(l->arg[i]->number - mirror->number) > 1e-15)
      return cst_term_error(l->arg[i], e, "the gammas of a composition must be palindromic");
  }
  return true;
}

static cst_program base(const cst_term *t) {
  cst_program p = {0};
  cst_term_expand(t->arg[0], &p, 1.0);
  return p;
}

static bool base_reversible(const cst_term *t) {
  cst_program p = base(t);
  bool        has = cst_program_adjoint(&p, 0);
  free(p.step);
  return has;
}

static bool check_methods(const cst_term *t, cst_expr_error *e) {
  for (int i = 0; i < t->n; i++) {
    const cst_term *a = t->arg[i];
    if (i > 0 && named(a))
      return cst_term_error(a, e,
                            "a scheme such as %s goes with exactly one method: compose(rattle, %s)",
                            a->name, a->name);
    if (i > 0 && a->kind == CST_TERM_NAME && a->n == 0 && !cst_term_known(a)) {
      const char *near = cst_term_nearest(a, true);
      return cst_term_error(a, e, "unknown scheme or method '%s'; did you mean '%s'?", a->name,
                            near ? near : "yoshida4");
    }
    if (!cst_term_method(t->arg[i], e))
      return false;
  }
  return true;
}

enum { MOST_SUBSTEPS = 1024 };

/* Number of substeps of t, whose parts have been checked. */
static int substeps(const cst_term *t) {
  cst_program p = {0};
  long        n = 0;
  for (int i = 0; i < (is_scheme(t) ? 1 : t->n); i++) {
    p.n = 0;
    cst_term_expand(t->arg[i], &p, 1.0);
    n += p.n * (is_scheme(t) ? 2L * gamma_count(t) : 1);
  }
  free(p.step);
  return n > MOST_SUBSTEPS ? MOST_SUBSTEPS + 1 : (int)n;
}

static bool check_size(const cst_term *t, cst_expr_error *e) {
  return substeps(t) <= MOST_SUBSTEPS ||
         cst_term_error(t, e, "nested compositions make more than %d substeps per step",
                        MOST_SUBSTEPS);
}

static bool check(const cst_term *t, cst_expr_error *e) {
  for (int i = 0; i < t->n; i++)
    if (t->key[i])
      return cst_term_error(t->arg[i], e, "compose takes no '%s='; write compose(METHOD, SCHEME)",
                            t->key[i]);
  if (t->n < 2)
    return cst_term_error(
        t, e, "compose takes a method and a scheme, or several methods: compose(rattle, yoshida4)");
  if (!is_scheme(t))
    return check_methods(t, e) && check_size(t, e);
  if (!cst_term_method(t->arg[0], e))
    return false;
  if (t->arg[1]->kind == CST_TERM_LIST && !check_list(t->arg[1], e))
    return false;
  if (!check_size(t, e))
    return false;
  return base_reversible(t) ||
         cst_term_error(t->arg[0], e,
                        "a scheme needs a symmetric base or one with an adjoint, and '%s' has none",
                        t->arg[0]->name);
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  for (int i = 0; i < (is_scheme(t) ? 1 : t->n); i++)
    if (!cst_term_fits(t->arg[i], s, why, n))
      return false;
  return true;
}

/* The program that a scheme repeats: the base or, if it is not symmetric, the base and its adjoint. */
static cst_program substep(const cst_term *t, bool *symmetric) {
  cst_program x = base(t);
  const int   n = x.n;
  *symmetric = cst_program_symmetric(&x);
  if (*symmetric)
    return x;
  for (int i = 0; i < n; i++)
    cst_program_add(&x, x.step[i]);
  cst_program_adjoint(&x, n);
  return x;
}

static void append(cst_program *p, const cst_program *x, double fraction) {
  for (int i = 0; i < x->n; i++) {
    cst_program_add(p, x->step[i]);
    p->step[p->n - 1].fraction *= fraction;
  }
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  if (!is_scheme(t)) {
    for (int i = 0; i < t->n; i++)
      cst_term_expand(t->arg[i], p, fraction / t->n);
    return;
  }
  bool         symmetric;
  cst_program  x = substep(t, &symmetric);
  const double part = symmetric ? 1 : 0.5; /* of gamma: the base and its adjoint take half each */
  for (int i = 0; i < gamma_count(t); i++)
    append(p, &x, gamma_at(t, i) * fraction * part);
  free(x.step);
}

static int even(int order) { return order + order % 2; }

/* The order of what a scheme repeats: the base, or the base and its adjoint. */
static int repeated_order(const cst_properties *base) {
  return even(base->order_q < base->order_p ? base->order_q : base->order_p);
}

/* Of a base of a higher order other conditions are to be met. */
static void conditions(const cst_term *t, const cst_system *s, cst_conditions *c) {
  if (!is_scheme(t))
    return;
  const cst_properties x = cst_term_properties(t->arg[0], s);
  if (repeated_order(&x) != 2)
    return;
  double *gamma = gammas(t);
  c->orders = CST_SCHEME_ORDER;
  c->roundoff = CST_SCHEME_VANISHING;
  cst_scheme_defects(gamma, gamma_count(t), c->defect);
  free(gamma);
}

/* If a method's own multipliers leave p off the tangent space (hbvm) by O(h^2), with a sign that alternates
 * between steps, a scheme does not cancel this part, and its square acts on the rest: q gains at most order 4
 * (measured, up to kahan-li8), p and lambda gain nothing. */
static void raise_orders(cst_properties *x, int scheme) {
  const int  own = repeated_order(x);
  const int  order = own > scheme ? own : scheme;
  const bool tangent = x->claims & CST_CLAIM_VELOCITIES || !x->own_lambda;
  if (tangent) {
    x->order_q = x->order_p = order;
    x->order_lambda = x->own_lambda ? 2 : order;
  } else if (order > x->order_q) {
    x->order_q = order < 4 ? order : 4;
  }
}

static int least(int a, int b) { return a < b ? a : b; }

/* 1 for a part whose own multipliers leave p off the tangent space; the next part or step absorbs the normal
 * part of p. */
static int left_by(const cst_properties *x) {
  return x->own_lambda && !(x->claims & CST_CLAIM_VELOCITIES);
}

/* True if the next part absorbs the normal part of p. */
static bool takes_up(const cst_program *next) {
  return next->n > 0 && next->step[0].row->features & CST_TAKES_UP;
}

/* True if the program is one substep that projects. */
static bool projects(cst_program *p) {
  if (p->n != 1)
    return false;
  cst_substep *x = p->step;
  return x->row->project && x->row->project(x->data);
}

/* Properties of part i of t, as far as they concern the state after the whole; appends its program to *whole.
 * A kick without projection of p, before a part that absorbs the normal part, acts like the kick with
 * projection: there SHAKE is RATTLE. */
static cst_properties part(const cst_term *t, int i, const cst_system *s, cst_program *whole) {
  cst_properties x = cst_term_properties(t->arg[i], s);
  cst_program    own = {0}, next = {0};
  cst_term_expand(t->arg[i], &own, 1.0 / t->n);
  if (i + 1 < t->n)
    cst_term_expand(t->arg[i + 1], &next, 1.0);
  if (takes_up(&next) && projects(&own)) {
    x.order_p = x.order_q;
    x.claims |= CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED;
  }
  append(whole, &own, 1);
  free(own.step);
  free(next.step);
  return x;
}

/* The energy error is bounded if the whole is symplectic, or if each part keeps the energy. If parts bound it
 * for different reasons, the energy of their composition drifts. So it does if a part is only conjugate to a
 * symplectic map (newmark): the conjugation depends on the part's step, and those of other steps differ. */
static unsigned common(unsigned x, unsigned y) {
  const unsigned both = x & y;
  return both & (CST_CLAIM_SYMPLECTIC | CST_CLAIM_ENERGY) ? both
                                                          : both & ~(unsigned)CST_CLAIM_BOUNDED;
}

/* Tableaus: derived algebraically. Schemes: the claims of the base, made symmetric. Lists of methods: what
 * all of them claim and their composition keeps, with one more order if it is symmetric. */
static cst_properties properties(const cst_term *t, const cst_system *s) {
  cst_layer l;
  if (cst_program_layer(t, &l))
    return cst_tableau_properties(&l.tableau, s);
  if (is_scheme(t)) {
    cst_properties x = cst_term_properties(t->arg[0], s);
    raise_orders(&x, scheme_of(t) ? scheme_of(t)->order : list_order(t));
    x.claims |= CST_CLAIM_SYMMETRIC;
    x.claims = common(x.claims, x.claims);
    return x;
  }
  cst_program    p = {0};
  cst_properties x = part(t, 0, s, &p);
  cst_properties last = x;
  /* left: parts that leave p off the tangent space; passed: order of p that the next part receives */
  int left = left_by(&x);
  int passed = left ? x.order_p : 2;
  /* one part discards the normal part of p that another one keeps, so the step cannot be reversed */
  bool mixed = false;
  for (int i = 1; i < t->n; i++) {
    cst_properties y = part(t, i, s, &p);
    x.order_q = y.order_q < x.order_q ? y.order_q : x.order_q;
    x.order_p = y.order_p < x.order_p ? y.order_p : x.order_p;
    mixed |= s->ng > 0 && (x.claims ^ y.claims) & CST_CLAIM_VELOCITIES;
    x.claims = common(x.claims, y.claims);
    x.own_lambda &= y.own_lambda;
    x.tangential &= y.tangential;
    left += left_by(&y);
    passed = left_by(&y) ? least(passed, y.order_p) : 2;
    last = y;
  }
  x.claims &= ~(unsigned)CST_CLAIM_SYMMETRIC;
  if (mixed)
    x.claims &= ~(unsigned)CST_CLAIM_BOUNDED;
  if (!mixed && cst_program_symmetric(&p)) {
    x.order_q = even(x.order_q);
    x.order_p = even(x.order_p);
    x.claims |= CST_CLAIM_SYMMETRIC;
  }
  x.lambda_time = x.own_lambda ? 0.5 : 1;
  x.order_lambda = x.own_lambda ? least(least(x.order_q, 2), passed) : x.order_q;
  if (left == t->n && t->n % 2)
    x.order_lambda = 1; /* the normal part changes its sign over the step */
  x.first_impulse = last.first_impulse > 0 ? 1 - (1 - last.first_impulse) / t->n : 0;
  free(p.step);
  return x;
}

const cst_method_row cst_method_row_compose = {
    .info = {.name = "compose",
             .doc = "Composition: a scheme raises the order of a symmetric base (pairs with the "
                    "adjoint make "
                    "any base symmetric); several methods are applied one after another with equal "
                    "fractions "
                    "of the step.",
             .equations = "Phi_{gamma_s h} o ... o Phi_{gamma_1 h},  sum gamma_i = 1",
             .source = "Hairer, Lubich, Wanner, Geometric Numerical Integration, II.4 and V.3",
             .signature = "compose(METHOD, SCHEME)",
             .example = "compose(rattle, yoshida4)"},
    .layer = cst_program_layer,
    .check = check,
    .steps = CST_STEPS_LAYERS,
    .fits = fits,
    .properties = properties,
    .conditions = conditions,
    .expand = expand,
};

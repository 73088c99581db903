/* hbvm.c: hbvm(k=, s=): the line integral methods HBVM(k, s), which keep the energy and the constraints, but
 * not the hidden constraints.
 *
 * The position over a step is a polynomial of degree s; the multiplier is one constant, chosen so that the
 * line integral of Dg(u) u' over the step vanishes; integrals are taken with k >= s Gauss nodes. Symmetric. A
 * polynomial of degree d in the coordinates, g or V, is kept exactly if d s <= 2k, else to O(h^{2k}) per unit
 * of time. Without constraints, and if the multiplier is constant, the order is 2s. Otherwise the paper
 * proves order 2. Measured on every system of the catalogue, q has order 4 for s > 1. p has order 2 only
 * because of its part normal to g = 0, whose sign alternates between steps: it is not a power of h that a
 * scheme could cancel, and its square, of order 4, acts on q.
 *
 * hbvm(s, s) is Gauss collocation for H + lambda.g with constant lambda: it also keeps quadratic momentum
 * maps of symmetries that leave g invariant off g = 0. With M(q) or a(q) the same is done with H(q, p),
 * beyond the paper. Source: Brugnano, Gurioli, Iavernaro, Weinmueller; arithmetic: core/hbvm.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "method/method.h"
#include "method/substep.h"
#include "method/symmetry.h"
#include "tableau/tableau-collocation.h"

enum { MOST_UNKNOWNS = 600 };

typedef struct {
  int k, s;
} values;

static const cst_key arguments[] = {
    {"", "k", CST_BY_NAME, NULL, NULL, "", "hbvm(k=6, s=1)", "the number of nodes",
     .value = {CST_VALUE_INTEGER, CST_AT(values, k), 1, CST_MAX_NODES},
     .called = "the number of nodes k"},
    {"", "s", CST_BY_NAME, "integer from 1 to k", NULL, "", "hbvm(k=64, s=2)", "the degree",
     .value = {CST_VALUE_INTEGER, CST_AT(values, s), 1, CST_MAX_NODES}, .called = "the degree s"},
    {0}};

CST_VALUES_OF_TERM

static bool check(const cst_term *t, cst_expr_error *e) {
  const values x = values_of(t);
  return x.s <= x.k || cst_term_error(cst_term_argument(t, "s"), e,
                                      "the degree s is an integer from 1 to k, here %d", x.k);
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  const int unknowns =
      cst_substep_blocks(s) * values_of(t).s * s->nq + s->ng; /* of Newton's matrix */
  if (s->nq > CST_MAX_Q || s->ng > CST_MAX_G)
    snprintf(why, (size_t)n,
             "hbvm takes at most %d coordinates and %d constraints, and %s has %d and %d",
             CST_MAX_Q, CST_MAX_G, s->name, s->nq, s->ng);
  else if (unknowns > MOST_UNKNOWNS)
    snprintf(why, (size_t)n, "hbvm solves for at most %d unknowns at once, and %s has %d",
             MOST_UNKNOWNS, s->name, unknowns);
  else
    return cst_term_bends(t, s, why, n);
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  const values x = values_of(t);
  cst_program_add(p, cst_substep_hbvm(fraction, x.k, x.s));
}

static int larger(int a, int b) { return a > b ? a : b; }

enum { NO_POLYNOMIAL = 1 << 20 };

/* Degree of node n in q. */
static int degree_of(const cst_system *s, cst_node n) {
  const int degree = cst_graph_degree(s->model->graph, n, 'q');
  return degree < 0 ? NO_POLYNOMIAL : degree;
}

/* Degree of H = (p - a)'M^-1(p - a)/2 + V in (q, p). */
static int degree_of_energy(const cst_system *s) {
  const int n = (int)cst_system_masses(s);
  for (int i = 0; i < n; i++)
    if (degree_of(s, s->model->mass[i]) > 0)
      return NO_POLYNOMIAL;
  int degree = s->model->npairs ? NO_POLYNOMIAL : larger(2, degree_of(s, s->model->V));
  for (int i = 0; i < s->nq && cst_has(s, CST_GYROSCOPIC); i++) {
    const int of_energy = 2 * degree_of(s, s->model->a[i]);
    degree = larger(degree, of_energy);
  }
  return degree;
}

/* True if the line integral of a polynomial's derivative is exact. */
static bool is_exact(values x, int degree) {
  return degree < NO_POLYNOMIAL && degree * x.s <= 2 * x.k;
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  const values x = values_of(t);
  const bool   free = s->ng == 0;
  const bool   gauss = x.k == x.s;
  const int    order = 2 * x.s;
  bool         keeps = true;
  unsigned     claims = CST_CLAIM_SYMMETRIC;
  for (int a = 0; a < s->ng; a++)
    keeps &= !cst_has(s, CST_DRIVEN) && is_exact(x, degree_of(s, s->model->g[a]));
  if (keeps)
    claims |= CST_CLAIM_POSITIONS;
  if (free)
    claims |= CST_CLAIM_VELOCITIES;
  if (is_exact(x, degree_of_energy(s)))
    claims |= CST_CLAIM_ENERGY | CST_CLAIM_BOUNDED;
  if (gauss && cst_symmetry_momenta_are_quadratic(s))
    claims |= CST_CLAIM_MOMENTUM;
  if (gauss && free)
    claims |= CST_CLAIM_SYMPLECTIC | CST_CLAIM_BOUNDED;
  return (cst_properties){.order_q = free || order < 4 ? order : 4,
                          .order_p = free ? order : 2,
                          .order_lambda = 1,
                          .claims = claims,
                          .lambda_time = 0,
                          .own_lambda = true};
}

const cst_method_row cst_method_row_hbvm = {
    .info =
        {.name = "hbvm",
         .doc = "Line integral method HBVM(k, s): keeps the energy and the constraints of "
                "polynomials of "
                "degree up to 2k/s.",
         .equations =
             "u' = sum_{j<s} P_j gamma_j,  u(0) = q0;  P_j: orthonormal Legendre polynomials on "
             "[0, "
             "h]; integrals over k Gauss nodes\n"
             "M gamma_j = mean of P_j (p0 - int (dV(u) + Dg(u)'lambda)),  mean of Dg(u) u' = 0\n"
             "q1 = u(h),  p1 = p0 - int_0^h (dV(u) + Dg(u)'lambda)",
         .notes = "Order 2s without constraints and if the multiplier is constant in time. "
                  "Otherwise the source "
                  "proves order 2; q has order 4 (2 for s = 1), and p order 2 only because of its "
                  "part normal to "
                  "g = 0. lambda is one number per step, of order 1 at its left end, where errors "
                  "are taken.\ng "
                  "and V of degree d in the coordinates are kept exactly if d s <= 2k, else to "
                  "O(h^{2k}); in "
                  "practice a larger k suffices. Velocities violate Dg v = 0 by O(h^2), with a "
                  "sign that "
                  "alternates between steps; no scheme raises the order of q beyond 4, nor that of "
                  "p.\nhbvm(s, s) "
                  "keeps the momenta of linear symmetries; with more nodes they are not "
                  "kept.\nWith a study's "
                  "`solver: {iteration: newton}` Newton's matrix is renewed in every iteration; by "
                  "default only "
                  "if the iteration without second derivatives is slow, at large steps.",
         .source = "Brugnano, Gurioli, Iavernaro, Weinmueller, Line integral solution of "
                   "Hamiltonian systems "
                   "with holonomic constraints, equations (50)-(54)",
         .signature = "hbvm(k=, s=)",
         .example = "hbvm(k=6, s=2)"},
    .steps = CST_TIMED | CST_DRIVEN,
    .arguments = arguments,
    .usage =
        "hbvm takes two whole numbers, k nodes and degree s, 1 <= s <= k <= 64: hbvm(k=6, s=2)",
    .check = check,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};

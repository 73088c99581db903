/* zhang-skeel.c: zhang-skeel(beta=, form=full|simplified|stiff, quadrature=trapezoid|left|right): the
 * linearly implicit methods of Zhang and Skeel.
 *
 * A Verlet step with a force that is filtered by M + beta h^2 Hess V, so that stiff springs need no small
 * step: stable for every quadratic V if beta >= 1/4. The full form adds a third derivative term that makes
 * the force a gradient, and the map symplectic and momentum preserving. It is variational; its Lagrangian is
 * that of the pushforward Newmark method, expanded to second order in a. Without that term (simplified) the
 * map preserves phase-space volume, is its own adjoint, and keeps the momenta of translations; it keeps dp ^
 * dq if the Jacobian of its force M a is symmetric, as with one coordinate or with a separable potential; otherwise angular momenta are not kept and the energy may drift. The
 * stiff form uses only the Hessian of the system's key `stiff`. Source: Zhang, Skeel 1997; Tao, Owhadi.
 * Arithmetic: core/filtered.c.
 *
 * The potential part of the action over a step is taken by the trapezoidal rule or, with order 1, by that of
 * its left or right end: with L_d = h (1/2 u'M u - W(x0)), u = (x1 - x0)/h and W the part of (1.2) at one
 * end, p0 = -D1 L_d = M u + h dW(x0) and p1 = D2 L_d = M u, that is p1 = p0 + h F(x0), x1 = x0 + h M^-1 p1, F
 * = -dW. The variational schemes of section 4.5 of Tao, Owhadi are these methods on the nine entries of a
 * matrix, each of mass 1/2: `left` is the first of them, as printed except for its f_k, and `trapezoid` the
 * second. The filter of their (4.14) weighs a by beta h^2/2, not by beta h^2/2 times the mass, so their beta
 * is twice the one here. jobs/papers/README.md explains the errors in the printed schemes.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "method/families.h"

/* ---- separable systems ----------------------------------------------------------------------- */

/* Whether the filtered force is a gradient without their third derivative.
 *
 * f = M (M + beta h^2 H)^-1 dV with H = Hess V has the Jacobian of a gradient if V separates in coordinates
 * in which M is diagonal: then each component of f is a function of one of them. This is so if all H(q)
 * have one M-orthogonal basis of eigenvectors, which is so if and only if
 *
 *   H(q) M^-1 H(r) = H(r) M^-1 H(q)    for all q, r.
 *
 * The identity is evaluated through the expression graph at scattered points and parameters, along scattered
 * vectors; one that does not hold fails at such points. Linear forces, whose H is constant, satisfy it.
 * Source: Tao, Owhadi, theorem 2.4.
 */

enum { PAIRS = 3 };

static double scattered(int place, int i) { return sin(1.7320508 * (i + 1) + 0.7390851 * place); }

/* Values of the parameters apart from the given ones, at which no relation among those holds. */
static void shift_parameters(const cst_system *s, double *c) {
  cst_system_defaults(s, NULL, c);
  for (int i = 0; i < s->npar; i++)
    c[i] += 0.2 * scattered(1, i) * (c[i] != 0 ? c[i] : 1);
}

typedef struct {
  const cst_system *s;
  double            c[CST_MAX_PAR];
  double           *q, *H, *v; /* a point, the entries of its Hessian, a velocity */
} filter;

/* out := H(q) M^-1 p at the scattered point `place`. */
static void apply(filter *f, int place, const double *p, double *out) {
  const cst_pattern *P = &f->s->model->pattern[CST_K_d2V];
  for (int i = 0; i < f->s->nq; i++)
    f->q[i] = scattered(place, i);
  cst_system_eval_at(f->s, CST_K_d2V, f->c, f->q, f->H);
  cst_system_velocity(f->s, f->c, f->q, p, f->v);
  for (int i = 0; i < P->rows; i++)
    out[i] = 0;
  for (int i = 0; i < P->rows; i++)
    for (int e = P->start[i]; e < P->start[i + 1]; e++)
      out[i] += f->H[e] * f->v[P->column[e]];
}

/* Whether the two products agree along a scattered vector; false where they are not finite. */
static bool commute(filter *f, int pair, double *p, double *half, double *one, double *other) {
  const int n = f->s->nq;
  double    off = 0, size = 0;
  for (int i = 0; i < n; i++)
    p[i] = scattered(40 + pair, i);
  apply(f, 2 * pair + 10, p, half);
  apply(f, 2 * pair + 11, half, one);
  apply(f, 2 * pair + 11, p, half);
  apply(f, 2 * pair + 10, half, other);
  for (int i = 0; i < n; i++) {
    off += fabs(one[i] - other[i]);
    size += fabs(one[i]) + fabs(other[i]);
  }
  return off <= 1e-11 * size;
}

/* Whether Hess V has one M-orthogonal basis of eigenvectors at all q, so that the force
 * M (M + beta h^2 Hess V)^-1 dV is a gradient. */
static bool is_separable(const cst_system *s) {
  const size_t n = (size_t)s->nq;
  filter       f = {.s = s};
  bool         all = cst_system_bend(s);
  if (!all)
    return false;
  double *room = malloc(sizeof *room * (6 * n + (size_t)s->model->pattern[CST_K_d2V].n + 1));
  if (!room)
    abort();
  f.q = room;
  f.v = room + n;
  f.H = room + 6 * n;
  shift_parameters(s, f.c);
  for (int pair = 0; pair < PAIRS && all; pair++)
    all = commute(&f, pair, room + 2 * n, room + 3 * n, room + 4 * n, room + 5 * n);
  free(room);
  return all;
}

/* ---- the method ------------------------------------------------------------------------------ */

typedef struct {
  double beta;
  int    form, quadrature;
} values;

enum { FULL, SIMPLIFIED, STIFF };
static const char *const forms[] = {"full", "simplified", "stiff", NULL};
static const char *const quadratures[] = {"trapezoid", "left", "right", NULL};
static const double      weights[][2] = {{0.5, 0.5}, {1, 0}, {0, 1}};

static const cst_key arguments[] = {
    CST_BETA(values, NULL, "zhang-skeel(beta=0.4)"),
    {"", "form", CST_BY_NAME, NULL, "full", "", "zhang-skeel(beta=0.4, form=simplified)",
     "the force: with the third derivative, without it, or by the Hessian of `stiff` alone",
     .value = {CST_VALUE_CHOICE, CST_AT(values, form), .words = forms}},
    {"", "quadrature", CST_BY_NAME, NULL, "trapezoid", "", "zhang-skeel(beta=0.4, quadrature=left)",
     "the rule for the potential over a step",
     .value = {CST_VALUE_CHOICE, CST_AT(values, quadrature), .words = quadratures}},
    {0}};

CST_VALUES_OF_TERM

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  const bool stiff = values_of(t).form == STIFF;
  if (stiff && s->model->kernel_size[CST_K_dVS])
    return true; /* needs no other derivatives */
  if (!cst_newmark_fits(t, s, why, n))
    return false;
  if (!stiff || s->model->kernel_size[CST_K_dVS])
    return true;
  snprintf(why, (size_t)n,
           "zhang-skeel(form=stiff) needs the Hessian of the stiff part of the potential, and %s "
           "has no key "
           "`stiff`",
           s->name);
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  const values  x = values_of(t);
  const double *w = weights[x.quadrature];
  cst_program_add(p, cst_filtered_kick(fraction, x.beta, w[0], w[1], x.form));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  const values x = values_of(t);
  const bool symplectic = x.form == FULL || s->nq == 1 || (x.form == SIMPLIFIED && is_separable(s));
  const unsigned kept = symplectic ? CST_CLAIM_SYMPLECTIC | CST_CLAIM_MOMENTUM | CST_CLAIM_BOUNDED
                        : cst_symmetry_is_translation(s) && x.form != STIFF ? CST_CLAIM_MOMENTUM
                                                                            : 0;
  const bool     symmetric = x.quadrature == 0;
  return cst_newmark_properties(symmetric ? 2 : 1,
                                (symmetric ? CST_CLAIM_SYMMETRIC : 0) | CST_CLAIM_VOLUME | kept);
}

const cst_method_row cst_method_row_zhang_skeel = {
    .info =
        {.name = "zhang-skeel",
         .doc = "Zhang and Skeel's linearly implicit method: one linear solve per step, stable for "
                "stiff "
                "springs.",
         .equations =
             "x1 = x0 + h v0 + h^2/2 f0,  v1 = v0 + h/2 (f0 + f1),  (M + beta h^2 Hess V) a = -dV\n"
             "full: f = a - 1/2 beta^2 h^4 M^-1 V'''[a, a];  simplified: f = a;  stiff: f = a, "
             "Hess "
             "of the stiff part alone\n"
             "quadrature=left: v1 = v0 + h f0,  x1 = x0 + h v1;  quadrature=right: x1 = x0 + h v0, "
             " "
             "v1 = v0 + h f1",
         .notes =
             "Linearly stable for every h if beta >= 1/4; for smaller beta if h w < 2/sqrt(1 "
             "- 4 beta), w "
             "the largest frequency.\nThe full form is symplectic and keeps momenta. With "
             "strongly nonlinear "
             "springs it breaks down at smaller steps than the simplified form, which "
             "preserves phase-space "
             "volume and linear momentum but is symplectic only if Hess V is diagonal in one "
             "basis everywhere. Otherwise, and of the stiff form, no bound of the energy error "
             "is claimed: it is measured on chaotic orbits in docs/springs.md.\nquadrature=left "
             "and "
             "quadrature=right, of "
             "order 1, are adjoint to each other; between half kicks they are the default.",
         .source = "Zhang, Skeel, Appl. Numer. Math. 25 (1997) 297; Tao, Owhadi, IMA J. Numer. "
                   "Anal. (2016), "
                   "(1.3), (2.7), (2.8), section 4.5",
         .signature = "zhang-skeel(beta=, form=full, quadrature=trapezoid)",
         .example = "zhang-skeel(beta=0.4)"},
    .arguments = arguments,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};

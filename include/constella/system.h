/* system.h: a mechanical system: its sizes and parameters, its evaluation at a point, and the catalogue.
 *
 *   L(q, v) = 1/2 v' M(q) v + a(q).v - V(q, t),   g(q, t) = 0,  G = Dg,   M A = f - G' lambda
 *
 * Constraints on velocities, phi(q) v + phi0(q) = 0, are the last nvel of the ng constraints: their rows of
 * G are those of phi, their g is 0. Forces F(q, v, t) that are not gradients are part of f. Constraints on
 * positions may depend on the time, g(q, t) = 0; their phi0 is g_t, so that G v + phi0 = 0 is dg/dt = 0. The
 * time is a parameter behind those of the text, and methods advance it; behind it are the accounts: the work
 * of each force, the integral of dV/dt, and the work lambda.g_t of the constraints that depend on t.
 *
 * A system is always made by reading a text in the form of design: YAML with coordinates, mass, potential,
 * constraints, symmetries and named states. The systems of the catalogue are such texts, built into the
 * program together with kernels compiled for each instruction set; the same reader reads them. All
 * quantities are in the units that the text states ("" is nondimensional).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_SYSTEM_H
#define CONSTELLA_SYSTEM_H
#include <stdbool.h>
#include "constella/diag.h"
#include "constella/expr.h"
#include "constella/system-data.h"

/* A value for a size parameter that differs from the default. */
typedef struct {
  const char *name;
  int         value;
} cst_size;

/* Reads a description. file is its name in messages; sizes[nsize] replace the defaults of size parameters (an
 * unknown name is an error at 1:1). NULL with errors in d. Derives the kernels' nodes and patterns; attaches
 * no compiled kernels. Owned. */
cst_system *cst_system_read(const char *file, const char *text, size_t length,
                            const cst_size *sizes, int nsize, cst_diag *d);
void        cst_system_destroy(cst_system *s);
/* Makes the interpreter the kernels of every instruction set, with the bits of compiled kernels. Not thread
 * safe. */
void cst_system_interpret(cst_system *s);
/* The catalogue. create returns a new object with compiled kernels attached, NULL when there is no such name;
 * text the description. (With other sizes a description is read again by cst_system_read.) Owned. */
int                cst_catalogue_size(void);
const char        *cst_catalogue_name(int i);
const char *const *cst_catalogue_names(void);
cst_system        *cst_catalogue_create(const char *name);
const char        *cst_catalogue_text(const char *name);

/* Inertia[9] (full, symmetric, body axes, about the centre or the origin) and mass (0 without a centre) of
 * body k for parameters c. */
void cst_system_body_inertia(const cst_system *s, int k, const double *c, double inertia[9],
                             double *mass);
/* Whether no body has this inertia, with the reason in why[n]. That of a flat body, whose largest principal
 * moment is the sum of the other two, is allowed. */
bool cst_body_is_wrong(const double inertia[9], char *why, int n);
/* Whether it is that of a flat body, up to rounding: J is singular then, and the coordinates have no mass
 * matrix that can be inverted. */
bool cst_body_is_flat(const double inertia[9]);
/* The unit that the text states for "time", a coordinate ("x", "x[3]"), a parameter or an observable, behind a
 * blank: " m". "" where it states none. Borrowed. */
const char *cst_system_unit(const cst_system *s, const char *name);
/* The same for the velocity of a coordinate, " m/s"; "" unless the units of both are stated. Rotating static
 * buffer. */
const char *cst_system_speed_unit(const cst_system *s, const char *coordinate);

/* The parameters c[npar] where given[i] (NULL: none is) are those that c holds; fills the others: sizes with
 * their values, the rest with their defaults, which follow the parameters before them. The caller must refuse
 * defaults that are not finite. */
void cst_system_defaults(const cst_system *s, const bool *given, double *c);
/* Evaluates q and v of a state (index) at the parameters c[npar]. The caller checks |g| and |G v|. */
void cst_system_state(const cst_system *s, int state, const double *c, double *q, double *v);
/* Scalar evaluation of a kernel through the graph (slow; set-up, checks and tests). out has kernel_size
 * entries, a matrix only those of its pattern; cst_system_matrix gives the whole matrix, row-major, with its
 * zeros. */
void cst_system_eval(const cst_system *s, cst_kernel_id k, const double *c, const double *q,
                     const double *v, const double *w, const double *u, const double *l,
                     double *out);
/* The same for a kernel of the parameters and the coordinates alone. */
static inline void cst_system_eval_at(const cst_system *s, cst_kernel_id k, const double *c,
                                      const double *q, double *out) {
  cst_system_eval(s, k, c, q, NULL, NULL, NULL, NULL, out);
}
void cst_system_matrix(const cst_system *s, cst_kernel_id k, const double *c, const double *q,
                       const double *v, double *out);
/* p = M(q) v + a(q), and back. false when M(q) is singular. */
void cst_system_momentum(const cst_system *s, const double *c, const double *q, const double *v,
                         double *p);
bool cst_system_velocity(const cst_system *s, const double *c, const double *q, const double *p,
                         double *v);
/* p := p - G'(G G')^-1 G p at q, its part with G p = 0 in the Euclidean sense, for independent constraints
 * and for known redundant ones; NaN where the enforced ones are dependent. It differs from M v + a by G'm,
 * which does no work: momentum maps and (p - a).v are the same. */
void cst_system_tangential(const cst_system *s, const double *c, const double *q, double *p);
/* Whether an exact motion is known from state `state` (index; -1: given by numbers). */
bool cst_system_has_exact(const cst_system *s, int state);
/* The exact motion: q[nq], p[nq] (kinetic), lambda[ng] at time t. */
void cst_system_exact(const cst_system *s, int state, const double *c, const double *q0,
                      const double *v0, double t, double *q, double *p, double *lambda);
/* Multipliers of the continuous equations at (q, v): M A = f - G' lambda, G A = -D2g[v, v]; c holds the time
 * of a system that has one. */
void cst_system_multipliers(const cst_system *s, const double *c, const double *q, const double *v,
                            double *lambda);
/* The acceleration M A = f - G' lambda, A[nq], of these multipliers; without constraints if lambda is NULL. False where
 * there is none. */
bool cst_system_acceleration(const cst_system *s, const double *c, const double *q, const double *v,
                             const double *lambda, double *A);
/* Euclidean projection of q on g = 0, then of v, M-orthogonally, on G v + phi0 = 0. The point is a strict local
 * minimum of the distance to q, and on a single surface of degree two the nearest of all. false when no point
 * is found (q, v unchanged): q is too far away, or equally near to two points. */
bool cst_system_project(const cst_system *s, const double *c, double *q, double *v);
/* Rank of G at q (constraints scaled by the lengths of their rows), and in lambda, where not NULL, the
 * least-norm multipliers with the same force G'lambda. */
int  cst_system_rank(const cst_system *s, const double *c, const double *q);
void cst_system_least_norm(const cst_system *s, const double *c, const double *q, double *lambda);
/* length[ng] > 0 of the constraints at q: the length over which the gradient of g_j changes, which does not
 * depend on the origin of the coordinates (length.c). Returns the length of the system, the largest of them,
 * without constraints that of the potential. */
double cst_system_lengths(const cst_system *s, const double *c, const double *q, double *length);
/* Largest |g_j| / s_j, s_j = L_j sum_k |G_jk|, L_j that of cst_system_lengths at q, and largest |(G v)_j|
 * over sum_k |G_jk| times the largest |v_k|, with their raw values at (q, v); any pointer may be NULL. Of a
 * residual the part that is round-off of the coordinates, below CST_ROUNDOFF r_j with r_j = max_k |q_k| sum_k
 * |G_jk| over the coordinates of g_j (of G v: sum_k |D2g_j[v, e_k]| |q_k|), is divided by s_j + r_j instead.
 */
void cst_system_residuals(const cst_system *s, const double *c, const double *q, const double *v,
                          double *g_max, double *g_scaled, double *gv_max, double *gv_scaled);
#endif

/* system.h: a system as the program has it: names, bodies and states of its description, its kernels at a point, and
 * what is derived on demand. The functions for programs are those of constella/system.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_H
#define CST_SYSTEM_H
#include "constella/isa.h"
#include "constella/system.h"
#include "system/data.h"

/* A name of the description: of one coordinate or constraint, or of an array of them, name[first .. first +
 * count - 1]. */
struct cst_name {
  const char *name, *text; /* text: of a constraint, its expression as written; else NULL */
  const char *range;       /* of a family of constraints, "i = 2..n" as written; else NULL */
  int         at, count;   /* index of its first entry among all; count 1 and first 0: no array */
  int         first;       /* number of the first element (1 for coordinates) */
  bool        array;
  int         step; /* of an array: element first + k is at + k step; 1 except for bodies */
};

/* One rigid body: the places of its coordinates, and its inertia. R maps body to space, R' = R hat(omega)
 * with omega in body axes; its kinetic energy is 1/2 mass |centre'|^2 + 1/2 omega'I omega. In coordinates
 * that is a constant mass: 1/2 tr(R' J R'^T), J = tr(I)/2 1 - I, so that rows of R have the mass matrix J
 * each (of principal axes: column j the mass J_j), and the centre's coordinates the mass. */
struct cst_body {
  const char *name; /* "top", or "link[3]" */
  int rotation; /* R_ab is coordinate rotation + 3 (a - 1) + (b - 1): a the space axis, b the body axis */
  int centre; /* the first of the centre's three coordinates, space axes; -1: the body turns about the origin
               */
  int constraint; /* the first of its six constraints, in the order 11 12 13 22 23 33: (R'R - 1)_ij, on the
                     diagonal half of it */
  /* I11 I12 I13 I22 I23 I33 in body axes, about the centre (the origin where there is none): of
   * the parameters */
  cst_node inertia[6];
  cst_node mass;  /* -1 without a centre */
  int      at[7]; /* where the kernel `body` has these seven numbers; at[6] is -1 without a mass */
};

/* A part of V that is a sum over pairs of elements (cst_pair_sum): V, dV and dVS compute it in loops. Its
 * slopes are along x, then y. Second derivatives have it written out (cst_system_bend). */
struct cst_pairs {
  cst_pair_sum   sum;
  cst_node       slope[2 * CST_PAIR_ARRAYS];
  cst_pair_tapes tapes; /* made at the first use */
};

/* A unit of the key `units`. */
struct cst_unit {
  const char *name,
      *text; /* "time", a coordinate or an array of them, an observable; " s", with a blank */
};

struct cst_state {
  const char *name;
  cst_node   *q, *v; /* [nq] expressions of the parameters */
  bool has_exact;    /* this start has a motion in closed form, expressions of t and parameters: */
  cst_node *exact_q, *exact_v, *exact_lambda;
};

/* Attaches the code compiled for instruction set isa; to a system that has some, the cores that it lacks.
 * Borrowed. */
void cst_system_attach(cst_system *s, int isa, const cst_compiled *x);
/* The form of a core that was compiled for this system, NULL when there is none. Borrowed. */
const void *cst_system_form(const cst_system *s, int isa, const char *core);

/* Whether the inertias and masses for parameters c are those of bodies: false with the reason in why[n]. */
bool cst_system_check_bodies(const cst_system *s, const double *c, char *why, int n);
/* A body that is flat for the parameters c, or NULL: there is none, or the mass is raised for it. What steps with several
 * sets of parameters treats all of them as the flat ones. Borrowed. */
const cst_body *cst_system_flat_at(const cst_system *s, const double *c);
/* One that is flat for the default parameters. */
static inline const cst_body *cst_system_flat(const cst_system *s) {
  return s->model->flat < 0 ? NULL : &s->model->bodies[s->model->flat];
}
/* omega in body axes at q[nq], v[nq]; and R := R exp(hat(x)), R' := R hat(omega) in q and v. x: radians about
 * body axes. */
void cst_system_body_omega(const cst_body *b, const double *q, const double *v, double omega[3]);
void cst_system_body_turn(const cst_body *b, const double x[3], const double omega[3], double *q,
                          double *v);
/* Whether det R < 0 at q: a reflection satisfies the constraints of a rotation. */
bool cst_system_body_is_reflected(const cst_body *b, const double *q);

/* Quantities of a body under the names PREFIX_BODY_C, C one of the characters of `components`: digits are
 * body axes, x y z space axes. */
typedef struct {
  const char *prefix, *components, *doc;
} cst_body_quantity;
extern const cst_body_quantity cst_body_quantities[]; /* up to one without a prefix */
/* One of them as a node of g over the inputs q and v (and c, where g is the graph of s; in other graphs,
 * which only check texts, any input). */
cst_node cst_body_quantity_node(const cst_system *s, cst_graph *g, int body,
                                const cst_body_quantity *what, int component);

/* The values of nodes over the parameters, at c. */
void cst_system_values(const cst_system *s, const cst_node *node, int n, const double *c,
                       double *value);

/* Makes the second and higher derivatives of a V with sums over pairs: kernels d2V, dVH, D3V, DE, RE, DRE and
 * their patterns, interpreted; the nodes of V and dV are then complete. false when they are too large.
 * Nothing to do for other systems. */
bool cst_system_bend(const cst_system *s);
/* V with all its parts as one node; after cst_system_bend. */
cst_node cst_system_whole(const cst_system *s);

/* s with its constraints replaced by springs: V + omega^2/2 sum g_j^2, where omega is one more parameter
 * behind those of s. The stiff part is that of s plus the springs. It has no constraints, and the
 * coordinates, states and symmetries of s. NULL with why[n] filled where s has no constraints, or
 * derivatives that are too large. Made at the first call; owned by s. */
cst_system *cst_system_penalised(const cst_system *s, char *why, int n);

/* Parameters of the text: those behind them are the time and the accounts. */
static inline int cst_system_named(const cst_system *s) {
  return s->npar - (s->model->naccount ? 1 + s->model->naccount : 0);
}
/* Whether constraint a is enforced, or left out because others imply it. */
static inline bool cst_system_enforces(const cst_system *s, int a) {
  return !s->model->dropped || !s->model->dropped[a];
}
/* How many of the first n constraints are enforced. */
static inline int cst_system_enforced(const cst_system *s, int n) {
  int kept = n;
  for (int a = 0; a < n && s->model->dropped; a++)
    kept -= s->model->dropped[a] != 0;
  return kept;
}
/* The number of expressions in s->mass. */
static inline long cst_system_masses(const cst_system *s) {
  return cst_has(s, CST_MASS_MATRIX) ? (long)s->nq * s->nq : s->nq;
}
/* Puts the time into the parameters c[npar] of a system that has one. */
static inline void cst_system_set_time(const cst_system *s, double *c, double t) {
  if (cst_has(s, CST_TIMED))
    c[s->model->account - 1] = t;
}
/* The kernel of the force without G' lambda: f; of separable systems dV, which has the other sign. */
static inline cst_kernel_id cst_system_force_kernel(const cst_system *s) {
  return cst_has(s, CST_SEPARABLE) ? CST_K_dV : CST_K_f;
}
/* What a trait is called in messages, "constraints on velocities": the first of these traits, in their order in
 * traits.c, that s has. NULL: it has none of them, or they have no name. */
const char *cst_trait_among(const cst_system *s, unsigned traits);
/* The largest number of entries of the argument `letter`, one of c q v w u l, that a kernel reads. */
int cst_system_entries(const cst_system *s, char letter);
/* Whether L_xi a = dF with a nonzero F: the momentum map of such a symmetry is <Mv + a, xi> - F. */
bool cst_system_is_gauged(const cst_system *s);
/* The force without G' lambda; forces that depend on multipliers have these, NULL where there are none. */
void cst_system_force(const cst_system *s, const double *c, const double *q, const double *v,
                      const double *lambda, double *f);
/* The largest condition number of the rows of G, each divided by its length at q, within 1.5 h |v| from q:
 * at least 1e5 where the constraints lose rank within a step of size h; 0 where they do not. Slow: for steps that
 * have failed. */
double cst_system_rank_ahead(const cst_system *s, const double *c, const double *q, const double *v,
                             double h);
/* Whether forces that depend on multipliers leave no motion at (q, v) or within 1.5 steps of size h from there. Slow:
 * for steps that have failed. */
bool cst_system_slip_ahead(const cst_system *s, const double *c, const double *q, const double *v,
                           double h);
/* Whether constraints that depend on the time have no solution near (q, v) any more behind a step of size h, or behind
 * 1.5 of them; c holds the time at q. False for systems of more than CST_MAX_Q coordinates or CST_MAX_G constraints, and
 * where (q, v) is far from the constraints itself. Slow: for steps that have failed. */
bool cst_system_no_solution_ahead(const cst_system *s, const double *c, const double *q,
                                  const double *v, double h);
/* Looks for redundant constraints at the start q and at points near it on g = 0: where the rank is the same
 * everywhere and below ng, *dropped[ng] marks the redundant ones (the first ones are kept); else it is NULL.
 * Owned. false with the reason in why[n] and *dropped NULL when the rank changes: the motion from there is
 * not unique. */
bool cst_system_redundant(const cst_system *s, const double *c, const double *q,
                          unsigned char **dropped, char *why, int n);
/* Makes s enforce all constraints except those marked in dropped[ng] (which s owns from now on; NULL: all),
 * and recomputes its structure.
 */
void cst_system_enforce(cst_system *s, unsigned char *dropped);
/* cst_system_redundant and cst_system_enforce in one call. */
bool cst_system_enforce_independent(cst_system *s, const double *c, const double *q, char *why,
                                    int n);
#endif

/* system.h: a mechanical system: its description, its kernels over lanes, and the catalogue.
 *
 *   L(q, v) = 1/2 v' M(q) v + a(q).v - V(q),   g(q) = 0,  G = Dg,   M A = f - G' lambda
 *
 * A system is always made by reading a text in the form of design: YAML with coordinates, mass, potential, constraints, symmetries and
 * named states. The catalogue's systems are such texts, built into the program together with kernels compiled for each instruction set; the
 * reader is the same. All quantities are in the units that the text states ("" is nondimensional).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_SYSTEM_H
#define CONSTELLA_SYSTEM_H
#include <stdbool.h>
#include "constella/diag.h"
#include "constella/document.h"
#include "constella/expr.h"
#include "constella/isa.h"

enum { CST_MAX_Q = 40, CST_MAX_G = 40, CST_MAX_PAR = 32, CST_MAX_SYM = 8 }; /* of a system stepped in lanes */

/* Kernels. One table lists them all: name, number of outputs, and what they are. Every kernel has the same signature; a
 * pointer it does not use may be NULL. Arrays are [component][W]; matrices are row-major and only the entries named by the
 * pattern are written (the others are structurally zero and never read).
 *   V        1          V(q)
 *   dV       nq         grad V(q)
 *   d2V      nq x nq    Hessian of V, entries of pattern_v
 *   mass     nmass      distinct entries of the diagonal mass; parameters only
 *   g        ng         g(q)
 *   G        ng x nq    Dg(q), entries of pattern_g
 *   D2gvv    ng         D2g(q)[v, v]
 *   D2glw    nq         D2(l.g)(q) w
 *   d2Vw     nq         D2V(q) w
 *   xi       nsym x nq  infinitesimal generators, entries of pattern_xi
 */
#define CST_KERNELS(X) X(V) X(dV) X(d2V) X(mass) X(g) X(G) X(D2gvv) X(D2glw) X(d2Vw) X(xi)
typedef enum {
#define X(name) CST_K_##name,
  CST_KERNELS(X)
#undef X
      CST_K_COUNT
} cst_kernel_id;
extern const char *const cst_kernel_names[CST_K_COUNT];

typedef void cst_kernel(const void *self, const double *c, const double *q, const double *v, const double *w, const double *u,
                        const double *l, double *o);

typedef struct {
  const char *name, *unit, *doc; /* unit and doc may be "" */
  double      value;             /* default */
} cst_parameter;

typedef struct cst_system cst_system;

/* An exact motion given by code: q[nq], p[nq], lambda[ng] at time t of the motion that starts at q0, v0 with parameters c. */
typedef void cst_exact(const double *c, const double *q0, const double *v0, double t, double *q, double *p, double *lambda);

typedef struct {
  const char *name;
  cst_node    q[CST_MAX_Q], v[CST_MAX_Q]; /* expressions of the parameters */
  bool        has_exact;                  /* this start has a motion in closed form, expressions of t and parameters: */
  cst_node    exact_q[CST_MAX_Q], exact_v[CST_MAX_Q], exact_lambda[CST_MAX_G];
} cst_state;

struct cst_system {
  const char   *name, *doc, *source;
  int           nq, ng, npar, nsym, nstate;
  const char   *coordinate[CST_MAX_Q], *constraint[CST_MAX_G], *symmetry[CST_MAX_SYM];
  cst_parameter parameter[CST_MAX_PAR];
  cst_state    *state;                               /* [nstate], the first is called default */
  int           nmass;                               /* distinct entries of the diagonal mass */
  int           mass_class[CST_MAX_Q];               /* coordinate i has mass number mass_class[i] */
  bool          mass_unit;                           /* every mass is the literal 1: nothing is multiplied */
  bool          linear_v;                            /* the Hessian of V vanishes identically */
  unsigned char pattern_g[CST_MAX_G * CST_MAX_Q];    /* [ng][nq] 1 where Dg may be nonzero */
  unsigned char pattern_v[CST_MAX_Q * CST_MAX_Q];    /* [nq][nq] */
  unsigned char pattern_xi[CST_MAX_SYM * CST_MAX_Q]; /* [nsym][nq] */
  cst_graph    *graph;
  cst_node      V, g[CST_MAX_G], mass[CST_MAX_Q], xi[CST_MAX_SYM * CST_MAX_Q]; /* mass[i] of coordinate i */
  cst_node     *kernel_out[CST_K_COUNT]; /* outputs of each kernel in the layout above, -1 where structurally zero */
  int           kernel_size[CST_K_COUNT];
  cst_kernel   *kernel[CST_ISA_COUNT][CST_K_COUNT]; /* over lanes */
  const void   *kernel_self[CST_ISA_COUNT];
  cst_exact    *exact; /* exact motion from any start, or NULL */
  const char *potential_text, *constraint_text[CST_MAX_G], *mass_text[CST_MAX_Q], *symmetry_text[CST_MAX_SYM]; /* as written, for `show` */
  char       *text;                                                                                            /* the whole description */
  void       *owned;                                                                                           /* what destroy frees */
};

/* Read a description. file names it in messages. Errors go to d, NULL is returned then. Derives the kernels' nodes and
 * patterns; attaches no compiled kernels. Owned. */
cst_system *cst_system_read(const char *file, const char *text, size_t length, cst_diag *d);
void        cst_system_destroy(cst_system *s);
/* Attach the interpreter as the kernels of every instruction set; same bits as compiled kernels. One thread at a time. */
void cst_system_interpret(cst_system *s);

/* The catalogue. create returns a new object with compiled kernels attached, NULL when there is no such name. Owned. */
int                cst_catalogue_size(void);
const char        *cst_catalogue_name(int i);
const char *const *cst_catalogue_names(void);
cst_system        *cst_catalogue_create(const char *name);

/* Evaluate parameter expressions: c[npar] given. q, v of state s (index), and whether |g|, |G v| are consistent is for the caller. */
void cst_system_state(const cst_system *s, int state, const double *c, double *q, double *v);
/* Scalar evaluation of a kernel through the graph (slow; set-up, checks and tests). out has kernel_size entries, zeros filled in. */
void cst_system_eval(const cst_system *s, cst_kernel_id k, const double *c, const double *q, const double *v, const double *w,
                     const double *u, const double *l, double *out);
/* Whether an exact motion is known from state `state` (index; -1: given by numbers). */
bool cst_system_has_exact(const cst_system *s, int state);
/* The exact motion: q[nq], p[nq] (kinetic), lambda[ng] at time t. */
void cst_system_exact(const cst_system *s, int state, const double *c, const double *q0, const double *v0, double t, double *q, double *p,
                      double *lambda);
/* Multipliers of the continuous equations at (q, v): M A = f - G' lambda, G A = -D2g[v, v]. */
void cst_system_multipliers(const cst_system *s, const double *c, const double *q, const double *v, double *lambda);
/* Euclidean projection of q on g = 0, then of v, M-orthogonally, on G v = 0. false when Newton does not converge (q, v unchanged). */
bool cst_system_project(const cst_system *s, const double *c, double *q, double *v);
/* Largest |g_j| / s_j and |G v|_j / scale with their raw values at (q, v); any pointer may be NULL. s_j = sum_k |G_jk| |q_k|. */
void cst_system_residuals(const cst_system *s, const double *c, const double *q, const double *v, double *g_max, double *g_scaled,
                          double *gv_max, double *gv_scaled);
#endif

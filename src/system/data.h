/* data.h: what a system consists of, without the functions of system.h: its description, its model with sizes, traits
 * and patterns, and its kernels over lanes. Lane code reads no more, but for the bodies of a system.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_DATA_H
#define CST_SYSTEM_DATA_H
#include <stdbool.h>
#include "constella/isa.h"
#include "constella/system-data.h"

/* The round-off of a coordinate that the solver assumes, in units of |q_k|. */
#define CST_ROUNDOFF (4 * 2.220446049250313e-16)

typedef void cst_kernel(const void *self, const double *c, const double *q, const double *v,
                        const double *w, const double *u, const double *l, double *o);

/* The sparsity pattern of a matrix: compressed rows, and the same by columns. Entry e of the kernel is in
 * column[e] of its row; column i has the entries tentry[tstart[i]] .. in the rows trow[..], ascending. */
typedef struct {
  int  rows, columns, n;
  int *start, *column;         /* [rows + 1], [n] */
  int *tstart, *trow, *tentry; /* [columns + 1], [n], [n] */
} cst_pattern;
/* A loop over the entries e of row a. */
#define CST_EACH_ENTRY(pattern, a, e)                                                              \
  for (int e = (pattern)->start[a]; e < (pattern)->start[(a) + 1]; e++)

/* How S = G W G' is stored.
 *   CST_FORM_DENSE    S[a * ng + b]
 *   CST_FORM_BAND     only neighbours couple, in the order `place`: S[place[a] * (2 * band + 1) + place[b] -
 *                     place[a] + band]
 *   CST_FORM_SPARSE   the diagonal S[ng] in the order `place`, then the rows of the upper factor, fill-in included:
 *                     columns column[row[r]] .. of row r, ascending; then the columns of the lower factor, which
 *                     have the same pattern
 *   CST_FORM_PAIRS    pair by pair, S[k]; lanes do not eliminate it, since its factors are too large */
typedef enum { CST_FORM_DENSE, CST_FORM_BAND, CST_FORM_SPARSE, CST_FORM_PAIRS } cst_gram_form;

/* S = G W G', W diagonal: which constraints share which coordinates, and how S is stored and eliminated. */
typedef struct {
  cst_gram_form form;
  bool
      banded; /* it is eliminated in the order `place`, without pivoting: every form but the dense one */
  int    band, size; /* band: ng - 1 unless S is a band; size: numbers in S */
  int    inside;     /* the entries of S among them: a band has more at its ends */
  int   *place;      /* [ng] row of constraint a in the order of elimination */
  int   *order;      /* [ng] the constraint of each row */
  int    n; /* pairs (a, b) that share a coordinate: first the upper ones, place[a] <= place[b], */
  int    upper;        /* their number; then the lower ones */
  int   *a, *b, *at;   /* [n] at: index in S */
  int   *first;        /* [n + 1] terms of each pair: */
  int   *ea, *eb, *i;  /* entries of G of the two rows, and their coordinate */
  int   *row, *column; /* [ng + 1], [row[ng]] of sparse factors; else NULL */
  double work;         /* multiplications of a factorisation */
} cst_gram;

/* A symmetric matrix of nq rows as a band: row r is that of coordinate order[r], and its entry (r, r + d), 0
 * <= d <= band, is at r (band + 1) + d. Elimination in this order leaves (r, i) zero for i > last[r]. Entry e
 * of the upper half goes to at[e]. */
typedef struct {
  int  band, n;       /* n: entries that may be nonzero in the upper half, diagonal included */
  int *order, *place; /* [nq] the coordinate of each row, the row of each coordinate */
  int *last;          /* [nq] */
  int *at, *entry;    /* [n] places in the band; the entries of the pattern */
} cst_bands;

/* A form of lane code in which the kernels of one system are inlined. */
typedef struct {
  /* kick, fold ...; gram: two kernels of a banded system, for all pairs of S and for the upper
   * ones */
  const char *core;
  const void *form; /* its type is known to the files of this core; borrowed */
} cst_form;

/* The compiled code of one system for one instruction set. */
typedef struct {
  const char *key; /* "" in the catalogue; else the fingerprint of the source of a user's object */
  int         nq, ng, npar, nsym, width;
  cst_kernel *kernel[CST_K_COUNT];
  const cst_form *form; /* up to one whose core is NULL */
} cst_compiled;

/* Those of system.h. */
typedef struct cst_name  cst_name;
typedef struct cst_body  cst_body;
typedef struct cst_unit  cst_unit;
typedef struct cst_state cst_state;
typedef struct cst_pairs cst_pairs;

/* An exact motion in C: q[nq], p[nq], lambda[ng] at time t of the motion that starts at q0, v0 with
 * parameters c. */
typedef void cst_exact(const double *c, const double *q0, const double *v0, double t, double *q,
                       double *p, double *lambda);

/* Traits of a system, which are found when it is read and derived. */
enum {
  /* M is a constant diagonal and a = 0 */
  CST_MASS_DIAGONAL = 1 << 0,
  CST_MASS_UNIT = 1 << 1,   /* and every mass is the literal 1: nothing is multiplied */
  CST_MASS_MATRIX = 1 << 2, /* M is written with nq * nq entries */
  /* coordinates have the mass 0; M is positive definite on the velocities with G v = 0 only */
  CST_MASSLESS = 1 << 3,
  /* a body is flat at the default parameters, and constraints on velocities leave it to methods in coordinates:
   * M contains sigma O'O of the rows O of orthogonality of every body, which is zero on the velocities of rotations
   * (read-bodies.c); flat is -1 then */
  CST_MASS_RAISED = 1 << 4,
  CST_GYROSCOPIC = 1 << 5, /* there is an a(q) */
  CST_LINEAR_V = 1 << 6,   /* the Hessian of V is identically zero */
  CST_STIFF = 1 << 7,      /* the text names a stiff part of V */
  CST_PAIRS = 1 << 8,      /* V has sums over pairs, which are not written out */
  CST_BODIES = 1 << 9,
  CST_FORCED = 1 << 10, /* there are forces */
  CST_SLIPS = 1 << 11,  /* a force depends on multipliers */
  CST_PUMPED = 1 << 12, /* the potential depends on t: the account behind those of the forces */
  CST_DRIVEN = 1 << 13, /* a constraint on positions depends on t */
  CST_TIMED = 1 << 14,  /* one of those that are forced, pumped or driven: there are accounts */
  CST_NONHOLONOMIC = 1 << 15, /* constraints on velocities */
  CST_AFFINE =
      1 << 16, /* some constraint has a phi0: one on velocities, or one that depends on t */
  CST_QUADRATIC_G = 1 << 17, /* every g is a polynomial of degree at most 2 in q */
  /* the mass is diagonal and nothing is timed: the force is -dV(q) and p = m v; the others have the kernels
   * f, Lq, M ... */
  CST_SEPARABLE = 1 << 18,
  CST_CONSTRAINED = 1 << 19, /* of any kind, those of rotations too */
  CST_JOINED = 1 << 20       /* besides those of rotations */
};

/* What the text says: names, units and expressions as they are written. */
typedef struct cst_system_text {
  const char *up; /* of pictures alone: the axis that points upwards, "z" or "-x"; "z" by default */
  const char **account_name, **account_doc; /* [naccount] "work_drag" */
  int          nbody_name;                  /* names of bodies as declared: */
  cst_name    *body_name;                   /* at: index in bodies */
  int          nunit;
  cst_unit    *unit;                     /* [nunit] */
  int          ncoordinate, nfamily;     /* names as declared */
  cst_name    *coordinate_name, *family; /* [ncoordinate], [nfamily] */
  const char **coordinate, **constraint; /* [nq], [ng]: of every entry, "x" or "x[3]" */
  const char  *symmetry[CST_MAX_SYM];
  cst_state   *state; /* [nstate], the first is called default */
  const char  *potential_text, *stiff_text, **mass_text, **gyroscopic_text, **force_name,
      **force_text,                /* [nforce] */
      *symmetry_text[CST_MAX_SYM]; /* as written, for `show`; [ncoordinate] */
  char *text;                      /* the whole description */
} cst_system_text;

/* What follows from it: sizes, traits, nodes of the kernels, patterns. Once the system is read, only cst_system_enforce
 * changes it (dropped, gram), and cst_system_bend, which adds second derivatives. */
typedef struct cst_system_model {
  int      nvel;   /* the last of the ng constraints are on velocities */
  int      nforce; /* forces */
  unsigned traits; /* bits of the traits above: cst_has */
  int      ndriven,
      *driven_name; /* the last accounts: those of the constraints family[driven_name[k]] */
  /* of a penalised system the integrands of the accounts behind those of the forces; else NULL */
  cst_node *rate;
  int       naccount,
      account; /* parameters account .. account + naccount - 1; the parameter before them is t */
  int nplain,
      nown; /* the first nplain coordinates belong to no body, the first nown constraints are those of
                       the text */
  int            nbodies, nbody; /* bodies; numbers of the kernel `body` */
  cst_body      *bodies;         /* [nbodies] */
  int            flat;           /* a body that is flat for the default parameters; -1: none */
  int            nmass;          /* distinct entries of the constant diagonal mass; 0 otherwise */
  int           *mass_class;     /* [nq] coordinate i has mass number mass_class[i] */
  cst_pattern    pattern[CST_K_COUNT]; /* of the matrix kernels */
  cst_gram       gram;
  unsigned char *dropped; /* [ng] or NULL: redundant constraints, which are not enforced */
  cst_graph     *graph;
  int            npairs;
  cst_pairs     *pairs; /* [npairs] parts of V that are not in the node V: */
  /* whether the second derivatives of V exist; those of sums over pairs are made on demand */
  bool     bent;
  cst_node whole; /* V with its sums over pairs written out, where that was done */
  cst_node V, *g, *mass, *a, *xi,
      *gauge; /* [ng], [nq] or, with CST_MASS_MATRIX, [nq * nq]; [nq]; [nsym * nq]; [nsym] */
  cst_node *phi, *force; /* [nvel] phi v + phi0; [nforce * nq] */
  cst_node  stiff;       /* the stiff part of V, where there is a stiff_text */
  cst_bands bands[2];    /* of the Hessians of V and of its stiff part, where dVH and dVS exist */
  int       nshared;     /* values that dVH leaves for D3V */
  cst_node *kernel_out[CST_K_COUNT]; /* outputs of each kernel in the layout above */
  /* the outputs that are evaluated beside sums over pairs, where they differ from kernel_out;
   * else NULL */
  cst_node *beside[CST_K_COUNT];
  int       kernel_size[CST_K_COUNT];
} cst_system_model;

/* What evaluates it: kernels for each instruction set, interpreted or compiled. */
typedef struct cst_system_code {
  cst_kernel         *kernel[CST_ISA_MOST][CST_K_COUNT]; /* over lanes */
  const void         *kernel_self[CST_ISA_MOST];
  const cst_compiled *compiled[CST_ISA_MOST]; /* borrowed; NULL where nothing is compiled */
  cst_exact          *exact;                  /* exact motion from any start, or NULL */
} cst_system_code;

/* Whether s has all of these traits. */
static inline bool cst_has(const cst_system *s, unsigned traits) {
  return (s->model->traits & traits) == traits;
}
#endif

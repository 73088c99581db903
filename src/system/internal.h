/* internal.h: what the files of src/system share: the memory behind a system, and the catalogue's generated
 * tables. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_INTERNAL_H
#define CST_SYSTEM_INTERNAL_H
#include <stdio.h>
#include <stdlib.h>
#include "core/need.h"
#include "constella/system.h"

/* What an interpreted kernel is given as self: the programs of all kernels, and how this instruction set runs
 * them. */
typedef struct {
  void (*run)(const cst_tape *t, const double *const in[128], double *out, double *scratch);
  cst_tape *const *tape; /* [CST_K_COUNT] */
  void (*pairs)(const cst_pair_tapes *p, bool value, const int *place, const double *const in[128],
                double *out, double *scratch);
  const cst_system *system;
  double           *scratch;
} cst_interpreter;

/* The expressions that lengths of constraints are made of (length.c): parts row[j] .. row[j + 1] - 1 of
 * constraint j, of the potential for j = ng; the outputs at[i] .. at[i + 1] - 1 of the tape are the value of
 * part i and its slopes. */
typedef struct {
  int           *row, *at, n;
  unsigned char *dimensionless;
  cst_tape      *tape; /* made when first asked for */
} cst_lengths;

typedef struct {
  cst_document   *doc;                 /* names and texts of the system are borrowed from it */
  void           *kept;                /* what cst_system_keep allocated */
  cst_tape       *tape[CST_K_COUNT];   /* programs of the kernels, made when first asked for */
  cst_tape       *preset[CST_MAX_PAR]; /* programs of the defaults that are expressions of other parameters */
  cst_tape      **start, **motion;     /* programs of each state: q and v; exact q, v and lambda */
  cst_lengths     length;
  cst_interpreter interpreter[CST_ISA_COUNT];
  double         *scratch;               /* of the interpreters */
  cst_system     *penalised;             /* made when first asked for */
  void           *loaded[CST_ISA_COUNT]; /* objects of a user's system, and what ends one */
  void (*unload)(void *loaded);
} cst_system_owned;

/* The program of a kernel, beside sums over pairs. Borrowed. */
cst_tape *cst_system_tape(const cst_system *s, cst_kernel_id k);
/* What is evaluated of a kernel beside them. */
static inline const cst_node *cst_system_beside(const cst_system *s, cst_kernel_id k) {
  return s->beside[k] ? s->beside[k] : s->kernel_out[k];
}

/* pairs.c: sums over pairs in V. Whether kernel k adds them; the tapes of sum i, borrowed. */
bool                  cst_pairs_are_in(const cst_system *s, cst_kernel_id k);
const cst_pair_tapes *cst_pairs_tapes(const cst_system *s, int i);
const int            *cst_pairs_place(const cst_system *s,
                                      cst_kernel_id     k); /* rows of the slopes; NULL: as coordinates */
/* Sums from a parsed V, in which they are the inputs P, into s->pairs; V without them; -1: they do not stand
 * in it as parts of a sum. */
cst_node cst_pairs_take(cst_system *s, cst_pair_sums *sums, cst_node V);
void     cst_pairs_copy(cst_system *to, const cst_system *from); /* whose graph is a copy */
void     cst_pairs_destroy(cst_system *s);
/* Where coordinates stand for lanes over the pairs of sum k (system/pairs.h): of[nq], y[ny]; how many places
 * there are. */
int cst_pairs_places(const cst_system *s, int k, int *of, int *y);
/* V written out; -1: too large. */
cst_node cst_pairs_written_out(cst_system *s);
/* derive.c: what is left out at first of a system with sums over pairs. */
bool cst_system_derive_bent(cst_system *s);
/* Whether it is one of them. */
bool cst_system_is_bent_kernel(cst_kernel_id k);
/* interpret.c: kernels that came later are interpreted, whatever the others are. */
void cst_system_interpret_bent(cst_system *s);

/* A system that is part of the program. */
typedef struct {
  const char         *name, *text;
  const cst_compiled *compiled[CST_ISA_COUNT];
} cst_catalogue_entry;
extern const cst_catalogue_entry cst_catalogue_entries[];
extern const int                 cst_catalogue_count;

/* Exact motions in code. */
cst_exact cst_exact_planar_pendulum;

/* Zeroed memory for n things of `size` bytes that lives as long as the system. */
void *cst_system_keep(cst_system *s, size_t n, size_t size);

enum {
  CST_MOST_ENTRIES = 4000000
}; /* of a matrix, of S, and terms of all entries of S: what is dense must be small */

/* Fill kernel outputs, patterns, mass classes and gram. false when the derivatives outgrow the graph or a
 * matrix its entries. */
bool cst_system_derive(cst_system *s);
/* Fill gram from the pattern of G and what is dropped; may be called again. false when it outgrows its
 * entries. */
bool cst_system_structure(cst_system *s);

/* Fill b from the pattern of the Hessian k; false when the band outgrows its entries. A full constant mass
 * makes it as wide as can be. */
bool cst_system_bands(const cst_system *s, cst_kernel_id k, cst_bands *b);
void cst_bands_destroy(cst_bands *b);

/* Entries given by row, ascending in (row, column). Owned. */
cst_pattern cst_structure_pattern_create(int rows, int columns, int n, const int *row, const int *column);
void        cst_structure_pattern_destroy(cst_pattern *p);
void        cst_structure_gram_destroy(cst_gram *s);

/* The C of a system: sizes, patterns and inline kernels in terms of lanes.h. id: SYS_ID, a C identifier. No
 * name of the text enters. */
void cst_system_emit(const cst_system *s, const char *id, FILE *f);
/* What its kernels have in common at a point; after the sizes. */
void cst_system_emit_point(const cst_system *s, FILE *f);
/* Whether lane code may have its sizes and patterns as constants: it is small. Whether it is one of those
 * without forces, a time and a mass that is no constant diagonal, which every core steps that is compiled for
 * systems. */
bool cst_system_is_hot(const cst_system *s);
bool cst_system_is_usual(const cst_system *s);
/* Whether it is so small that everything may be unrolled for it; whether it is one of bodies that nothing but
 * the methods on the group holds together. */
bool cst_system_is_small(const cst_system *s);
bool cst_system_has_free_bodies(const cst_system *s);
/* emit-general.c: whether the core of variational methods is compiled for it, a small general system without
 * forces, and what it takes then. */
bool cst_system_is_hot_general(const cst_system *s);
void cst_system_emit_general(const cst_system *s, FILE *f);
#endif

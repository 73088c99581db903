/* internal.h: what the files of src/system share: the private memory of a system and the catalogue's
 * generated tables. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_INTERNAL_H
#define CST_SYSTEM_INTERNAL_H
#include <stdio.h>
#include <stdlib.h>
#include "core/document.h"
#include "core/need.h"
#include "system/system.h"
#include "expr/bound.h"
#include "system/named-events.h"

/* The `self` argument of an interpreted kernel: the programs of all kernels, and the functions that run them
 * on one instruction set. */
typedef struct {
  void (*run)(const cst_tape *t, const double *const in[128], double *out, double *scratch);
  cst_tape *const *tape; /* [CST_K_COUNT] */
  void (*pairs)(const cst_pair_tapes *p, bool value, const int *place, const double *const in[128],
                double *out, double *scratch);
  const cst_system *system;
  double           *scratch;
} cst_interpreter;

/* The linear expressions that define the lengths of constraints (length.c). Parts row[j] .. row[j + 1] - 1
 * belong to constraint j, or to the potential for j = ng. Outputs at[i] .. at[i + 1] - 1 of the tape are the
 * value of part i and its slopes. */
typedef struct {
  int           *row, *at, n;
  unsigned char *dimensionless;
  cst_tape      *tape; /* created on first use */
} cst_lengths;

typedef struct {
  cst_system   *system;            /* for what is made when it is first asked for */
  cst_document *doc;               /* owns the names and texts that the system borrows */
  void         *kept;              /* memory from cst_system_keep */
  cst_tape     *tape[CST_K_COUNT]; /* programs of the kernels, created on first use */
  /* programs of the defaults that are expressions of other parameters */
  cst_tape            *preset[CST_MAX_PAR];
  cst_tape           **start, **motion; /* programs per state: q and v; exact q, v and lambda */
  cst_lengths          length;
  cst_interpreter      interpreter[CST_ISA_MOST];
  double              *scratch;   /* shared by the interpreters */
  cst_system          *penalised; /* created on first use */
  void               **loaded;    /* [nloaded] shared objects; `unload` closes one */
  int                  nloaded;
  const cst_compiled **added[CST_ISA_MOST]; /* [nadded] cores beyond those of `compiled` */
  int                  nadded[CST_ISA_MOST];
  bool looks[CST_ISA_MOST]; /* for cores that were compiled beforehand (compile/forms.c) */
  void (*unload)(void *loaded);
  int               nevent;
  cst_system_event *event; /* [nevent] */
} cst_system_owned;

/* system-file.c: an empty system, or one with copies of the parts of another, which point to what that one owns. Owned. */
cst_system *cst_system_create(const cst_system *of);

/* length.c: the parts of the constraints, one row for each, or of the potential. Borrowed. */
const cst_lengths *cst_length_parts(const cst_system *s);

/* The program of a kernel without its sums over pairs. Borrowed. */
cst_tape *cst_system_tape(const cst_system *s, cst_kernel_id k);
/* out := the outputs of a kernel, with bounds of what rounds in them. */
void cst_system_bound(const cst_system *s, cst_kernel_id k, const cst_bounded *const in[128],
                      cst_bounded *out);
/* The outputs of a kernel without its sums over pairs. */
static inline const cst_node *cst_system_beside(const cst_system *s, cst_kernel_id k) {
  return s->model->beside[k] ? s->model->beside[k] : s->model->kernel_out[k];
}

/* pairs.c: sums over pairs in V. True if kernel k adds such sums; the tapes of sum i, borrowed. */
bool                  cst_pairs_are_in(const cst_system *s, cst_kernel_id k);
const cst_pair_tapes *cst_pairs_tapes(const cst_system *s, int i);
/* the rows of the slopes; NULL: in the order of the coordinates */
const int *cst_pairs_place(const cst_system *s, cst_kernel_id k);
/* Moves the sums of a parsed V, in which they are the inputs P, to s->pairs. Returns V without them, or -1 if
 * they are not summands of V. */
cst_node cst_pairs_take(cst_system *s, cst_pair_sums *sums, cst_node V);
void     cst_pairs_copy(cst_system *to, const cst_system *from); /* the graph of `to` is a copy */
void     cst_pairs_destroy(cst_system *s);
/* The coordinates that the lanes of sum k read (system/lane/pairs.h): of[nq], y[ny]. Returns the number of
 * places.
 */
int cst_pairs_places(const cst_system *s, int k, int *of, int *y);
/* V with the sums written out; -1: too large. */
cst_node cst_pairs_written_out(cst_system *s);
/* derive.c: derives the kernels that a system with sums over pairs leaves out at first. */
bool cst_system_derive_bent(cst_system *s);
/* True if kernel k is one of them. */
bool cst_system_is_bent_kernel(cst_kernel_id k);
/* interpret.c: interprets the kernels that were derived later, even if the others are compiled. */
void cst_system_interpret_bent(cst_system *s);

/* A system of the built-in catalogue. */
typedef struct {
  const char *name, *text;
} cst_catalogue_entry;
extern const cst_catalogue_entry cst_catalogue_entries[];
extern const int                 cst_catalogue_count;

/* Exact motions that are programmed in C. */
cst_exact cst_planar_pendulum_exact;

/* s has this trait, or not. */
static inline void cst_system_mark(cst_system *s, unsigned trait, bool is) {
  s->model->traits = is ? s->model->traits | trait : s->model->traits & ~trait;
}

/* Zeroed memory for n items of `size` bytes; it lives as long as the system. */
void *cst_system_keep(cst_system *s, size_t n, size_t size);

/* The largest number of entries of a matrix that lanes eliminate, which is on the stack, and of entries of the upper
 * factor of S. Dense matrices must be small. */
enum { CST_MOST_IN_LANES = 4000000, CST_MOST_FACTORS = 400000000 };
/* Of entries of any other matrix, and of terms of all entries of S: some for each coordinate of a large system. */
static inline double cst_system_most_entries(const cst_system *s) {
  return s->nq > 100000 ? 40.0 * s->nq : 4e6;
}
static inline double cst_system_most_terms(const cst_system *s) {
  return s->nq > 400000 ? 100.0 * s->nq : 4e7;
}

/* Fills the kernel outputs, the patterns, the mass classes and gram. Returns false if the derivatives do not
 * fit into the graph or a matrix has too many entries. */
bool cst_system_derive(cst_system *s);
/* Fills gram from the pattern of G and the redundant constraints; may be called again. Returns false if gram
 * has too many entries. */
bool cst_system_structure(cst_system *s);

void cst_bands_destroy(cst_bands *b);

/* A pattern from entries in ascending (row, column) order. Owned. */
cst_pattern cst_structure_pattern_create(int rows, int columns, int n, const int *row,
                                         const int *column);
void        cst_structure_pattern_destroy(cst_pattern *p);
void        cst_structure_gram_destroy(cst_gram *s);

/* Writes the C code of a system: sizes, patterns and inline kernels in terms of lanes.h. id: SYS_ID, a C
 * identifier. The code contains no name from the text. */
void cst_system_emit(const cst_system *s, const char *id, FILE *f);
/* emit-rows.c: for systems whose Newton matrix is compiled, the other operations of a step with G. */
void cst_system_emit_rows(const cst_system *s, FILE *f);
/* Whether it is so small that lane code has its sizes and patterns as constants. */
bool cst_system_is_sized(const cst_system *s);
/* Whether its M(q) is small enough to be eliminated by code of its own, in the core of variational methods. */
bool cst_system_is_eliminated(const cst_system *s);
#endif

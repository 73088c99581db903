/* text.h: what users write for methods: one-step layers, composition schemes, discretization maps, retractions and
 * fibres.
 *
 * cst_layers (constella/method.h) is the registry of all of them. It keeps every text once, with what was made of it,
 * also those that stand in the place of a name, and the names that a study gives to some. It is counted: each method
 * that is made with it holds it, so that it is gone when the study and the last of its methods are.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TEXT_H
#define CST_TEXT_H
#include <stdbool.h>
#include "constella/method.h"
#include "expr/define.h"
#include "method/substep.h"

typedef enum {
  CST_TEXT_MAP,     /* {left: ..., right: ...}, a discretization map (map.h) */
  CST_TEXT_POINT,   /* {point: ...}, a retraction of R^n */
  CST_TEXT_TANGENT, /* {tangent: ...}, a retraction of rotations */
  CST_TEXT_FIBRE,   /* {fibre: ...}, a projection along fibres */
  CST_TEXT_TABLEAU, /* {a: ..., b: ..., c: ...}, a layer with a name */
  CST_TEXT_FILE,    /* a layer in C: the sha256 of its compiled bytes (user-layer.h) */
  CST_TEXT_SCHEME   /* a composition scheme, which has no wording */
} cst_text_kind;
/* Bits 1 << cst_text_kind. */
enum {
  CST_TEXTS_MAPS =
      1 << CST_TEXT_MAP | 1 << CST_TEXT_POINT | 1 << CST_TEXT_TANGENT | 1 << CST_TEXT_FIBRE,
  CST_TEXTS_LAYERS = 1 << CST_TEXT_TABLEAU | 1 << CST_TEXT_FILE,
  CST_TEXTS_SCHEMES = 1 << CST_TEXT_SCHEME
};

/* What is written. */
typedef struct {
  cst_text_kind kind;
  /* expressions of each side, with names q[i], one for each coordinate; 0: one, with names q, for all of
   * them */
  int                n;
  const char *const *side[2]; /* [n], or [1]; NULL: none. The second is that of a map */
  const cst_definition
        *define; /* [ndefine] names without arguments, which the expressions may use */
  int    ndefine;
  double theta; /* of a retraction of R^n */
} cst_wording;

/* A text that is kept. Equal wordings are one text, so that two are the same where pointers are. */
typedef struct cst_text {
  cst_wording of;     /* a copy */
  int         number; /* from 1 on, among those of its kind */
  /* of a layer a cst_own_layer (method.h), of a scheme a cst_scheme; NULL: nothing. `end` destroys it */
  void *made;
  void (*end)(void *made);
  struct cst_text *next;
} cst_text;

/* How many expressions a side has. */
int cst_text_width(const cst_wording *w);
/* The text with this wording; NULL: it is not kept. Borrowed. */
const cst_text *cst_text_find(const cst_layers *l, const cst_wording *w);
/* Keeps a new one, and what was made of it, which `end` destroys. Borrowed: it lives as long as l. */
const cst_text *cst_text_keep(cst_layers *l, const cst_wording *w, void *made,
                              void (*end)(void *made));

/* One more holder of l, who adds what is written in place of names, and calls cst_layers_destroy; of a new one if l
 * is NULL. */
cst_layers *cst_layers_share(const cst_layers *l);
/* Gives a text of l an allowed name; the text with a name, NULL: none. */
void            cst_layers_add(cst_layers *l, const char *name, const cst_text *x);
const cst_text *cst_layers_find(const cst_layers *l, const char *name);
/* The names of texts of these kinds, in the order in which they were given; returns how many. names NULL: only
 * counts. Borrowed. */
int cst_layers_names(const cst_layers *l, unsigned kinds, const char **names);

/* Texts are checked at this many points, and must have numbers at so many of them: coordinate i of one of them,
 * a number with 0.4 <= |x| <= 1.3, in the first half of the points positive. */
enum { CST_TEXT_SAMPLES = 8, CST_TEXT_ENOUGH = 3 };
double cst_text_sample(int point, int i);

/* What lane code reads of a text begins with the text, or with its adjoint. */
typedef struct {
  const cst_text *text;
  bool            adjoint;
} cst_text_bound;
/* What `make` returns, made on first use and owned by the stepper, which destroys it by `end`. NULL from make:
 * too large. */
void *cst_text_bind(const cst_lane_binding *b, const cst_text *x, bool adjoint,
                    void *(*make)(const cst_lane_binding *b, const cst_text *x, bool adjoint),
                    void (*end)(void *));
/* Room on all lanes for the registers of a tape. Owned, free(). */
double *cst_text_scratch(int registers);
#endif

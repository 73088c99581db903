/* method.h: one-step methods: the registry's rows, method expressions, and the program that a batch of lanes steps.
 *
 * A method is written as an expression, name or name(argument, key=value), nested: compose(rattle, yoshida4); a Runge-Kutta
 * tableau {a: [[...], ...], b: [...], c: [...]} may stand where a method or a layer does. Parsing gives a tree; with a system the tree
 * becomes a program: the list of substeps (core, fraction of the step, coefficients) that one step consists of. Wrappers (compose, adjoint,
 * project) only rewrite programs; the arithmetic lives in the cores.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_METHOD_H
#define CONSTELLA_METHOD_H
#include <stdbool.h>
#include "constella/expr.h"
#include "constella/system.h"

/* What a method's row promises; `make test` holds every claim on a covering choice of systems, `make test-all` on every one. */
typedef enum {
  CST_CLAIM_SYMPLECTIC = 1,    /* preserves dp ^ dq on T*N */
  CST_CLAIM_SYMMETRIC = 2,     /* a step of -h undoes a step of h */
  CST_CLAIM_POSITIONS = 4,     /* g(q) = 0, to the solver's tolerance or to round-off as it gathers */
  CST_CLAIM_VELOCITIES = 8,    /* G v = 0 to round-off */
  CST_CLAIM_MOMENTUM = 16,     /* momentum maps of linear symmetries to round-off */
  CST_CLAIM_BOUNDED = 32,      /* energy error bounded over long times at moderate steps */
  CST_CLAIM_ENERGY = 64,       /* the energy to round-off as it gathers */
  CST_CLAIM_VOLUME = 128,      /* preserves volume on T*N */
  CST_CLAIM_TEMPERATURE = 256, /* a thermostat: its noise leaves the Maxwell law on the tangent space as it is at every step */
} cst_claim;

/* How convert(...) and hbvm(...) solve for a step (src/method/core/convert.c, hbvm.c). AUTO: what is cheapest for the system. hbvm has two
 * ways: Newton, and its own simplified one for all others. */
typedef enum {
  CST_ITERATION_AUTO,
  CST_ITERATION_SIMPLIFIED,
  CST_ITERATION_NEWTON,
  CST_ITERATION_CHORD,
  CST_ITERATION_KRYLOV
} cst_iteration;

/* A property set of a whole method expression, as `list` and `show` print it and the tests check it. */
typedef struct {
  int      order_q, order_p, order_lambda; /* on constrained systems; 0: none claimed */
  unsigned claims;
  double   lambda_time;   /* the multipliers of step n -> n+1 are those at t = (n + lambda_time) h */
  bool     own_lambda;    /* multipliers of its own; false: from M A = f - G' lambda at its state */
  double   first_impulse; /* 0 (1), or of a run's first step this part of the impulse, where later ones take up what the last step left */
  bool     tangential;    /* its p is the part of M v + a with G p = 0 (cst_system_tangential); false: M v + a itself (kinetic) */
  double   mean;          /* its multipliers are means over so much time before the step's end; 0: they are not */
} cst_properties;

/* Steps of length h that the multipliers of a step are behind its end: the mean's centre. */
double cst_properties_back(const cst_properties *p, double h);

typedef struct cst_method  cst_method;  /* a parsed expression */
typedef struct cst_program cst_program; /* see src/method/method.h */
typedef struct cst_layers  cst_layers;  /* one-step layers of the user's own, by name */

cst_layers *cst_layers_create(void);           /* owned */
void        cst_layers_destroy(cst_layers *l); /* methods that name its layers stay as they are */
/* Whether a layer may be called that: a letter, then letters, digits, _ and -, at most 48; neither a method nor a scheme, nor taken. why[n]
 * is filled when not. */
bool cst_layers_allow(const cst_layers *l, const char *name, char *why, int n);
/* The tableau {a: ..., b: ..., c: ...} in text under an allowed name. false with *error filled when it is none. */
bool cst_layers_add_tableau(cst_layers *l, const char *name, const char *text, cst_expr_error *error);

/* Parse text; names may also be those of layers (NULL: none), which are copied. NULL with *error filled (offset into text, message with
 * what is allowed and the nearest name). Owned. */
cst_method *cst_method_parse(const char *text, const cst_layers *layers, cst_expr_error *error);
void        cst_method_destroy(cst_method *m);
/* The label: as written, one blank after each comma and colon, numbers in shortest round-trip form, expressions of a tableau without
 * blanks. Borrowed. */
const char *cst_method_label(const cst_method *m);
/* Whether the method can step the system; why[n] is filled when not ("shake needs constraints; henon-heiles has none"). */
bool cst_method_fits(const cst_method *m, const cst_system *s, char *why, int n);
/* The system that is stepped where the method is asked to step s: s itself, or another one (borrowed) whose parameters are those of s and
 * then those that are written into more[4]. The method fits s. */
const cst_system *cst_method_system(const cst_method *m, const cst_system *s, double *more);
/* Whether steps have noise, a thermostat's; whether two methods have the same one or none, so that one path can drive both. */
bool cst_method_has_noise(const cst_method *m);
bool cst_method_same_noise(const cst_method *m, const cst_method *other);
/* Properties of the method on the system. */
cst_properties cst_method_properties(const cst_method *m, const cst_system *s);

/* The registry, for `list` and `show`. */
typedef struct {
  const char *name, *doc, *equations, *source;
  const char *notes;     /* what else one should know to use it, a paragraph a line; NULL: nothing */
  const char *signature; /* "rattle", "compose(METHOD, SCHEME)", "gauss(s)" */
  const char *example;   /* an expression that works by itself, for the tests' loops */
} cst_method_info;
int                    cst_method_count(void);
const cst_method_info *cst_method_info_at(int i);

/* Composition schemes, for `list schemes`. */
typedef struct {
  const char   *name, *doc, *source;
  int           order, stages;
  const double *gamma; /* [stages] */
} cst_scheme;
int               cst_scheme_count(void);
const cst_scheme *cst_scheme_at(int i);
const cst_scheme *cst_scheme_find(const char *name);
#endif

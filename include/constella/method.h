/* method.h: one-step methods: rows of the registry, method expressions, and the program that a batch of lanes
 * runs.
 *
 * A method is written as an expression, name or name(argument, key=value), nested: compose(rattle, yoshida4);
 * a Runge-Kutta tableau {a: [[...], ...], b: [...], c: [...]} may stand where a method or a layer does.
 * Parsing gives a tree; with a system the tree becomes a program: the list of substeps (core, fraction of the
 * step, coefficients) that one step consists of. Wrappers (compose, adjoint, project) only rewrite programs;
 * the arithmetic lives in the cores.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_METHOD_H
#define CONSTELLA_METHOD_H
#include <stdbool.h>
#include "constella/expr.h"
#include "constella/system.h"

/* The claims of a method's row. `make test` tests every claim on a covering choice of systems, `make
 * test-all` on every one. */
typedef enum {
  CST_CLAIM_SYMPLECTIC = 1, /* preserves dp ^ dq on T*N */
  CST_CLAIM_SYMMETRIC = 2,  /* a step of -h undoes a step of h */
  CST_CLAIM_POSITIONS = 4,  /* g(q) = 0, to the solver's tolerance or to accumulated round-off */
  CST_CLAIM_VELOCITIES = 8, /* G v = 0 to round-off */
  CST_CLAIM_MOMENTUM = 16,  /* momentum maps of linear symmetries to round-off */
  /* energy error bounded over long times at moderate steps: the map is symplectic, or conjugate to a
   * symplectic one by a map that is the same in every step, or keeps the energy */
  CST_CLAIM_BOUNDED = 32,
  CST_CLAIM_ENERGY = 64,  /* the energy, to accumulated round-off */
  CST_CLAIM_VOLUME = 128, /* preserves volume on T*N */
  CST_CLAIM_TEMPERATURE =
      256, /* a thermostat: its noise preserves the Maxwell distribution on the tangent space, and its motion
            * e^(-bH) to an order in h (order_measure) */
} cst_claim;

/* How convert(...) and hbvm(...) solve for a step (src/method/core/convert.c, hbvm.c). AUTO: the cheapest way
 * for the system. hbvm has two: Newton's method, and its own simplified one for all other values. */
typedef enum {
  CST_ITERATION_AUTO,
  CST_ITERATION_SIMPLIFIED,
  CST_ITERATION_NEWTON,
  CST_ITERATION_CHORD,
  CST_ITERATION_KRYLOV
} cst_iteration;

/* The properties of a whole method expression, which `constella show` prints and the tests check. */
typedef struct {
  int      order_q, order_p, order_lambda; /* on constrained systems; 0: none claimed */
  unsigned claims;
  double   lambda_time; /* the multipliers of step n -> n+1 are those at t = (n + lambda_time) h */
  /* the method has its own multipliers; false: they follow from M A = f - G' lambda at its state */
  bool own_lambda;
  /* the part of the impulse that the first step of a run takes, where later steps take over what
   * the last one left; 0 means 1 */
  double first_impulse;
  /* its p is the part of M v + a with G p = 0 (cst_system_tangential); false: M v + a itself
   * (kinetic) */
  bool tangential;
  /* the order in h to which it preserves e^(-bH), if it is less than what the claims imply or
   * if it is a thermostat; 0: see cst_properties_measure */
  int order_measure;
  /* its multipliers are means over this time before the end of the step, or since the start if that is later; 0: they are
   * not means */
  double mean;
} cst_properties;

/* The order in h to which a method preserves e^(-bH); 0: none claimed. It follows from volume, which symplectic
 * maps and those conjugate to them preserve, up to the density of the conjugation, and from the order. */
int cst_properties_measure(const cst_properties *p);

/* The whole number of steps of length h next to the time of the mean, at least 1; 0: multipliers are not means. */
double cst_properties_window(const cst_properties *p, double h);
/* The distance, in steps of length h, from the end of step number `step` back to the centre of the mean of its
 * multipliers. */
double cst_properties_back(const cst_properties *p, double h, double step);

typedef struct cst_method  cst_method;  /* a parsed expression */
typedef struct cst_program cst_program; /* see src/method/method.h */
typedef struct cst_layers  cst_layers;  /* what users write for methods, by name */

cst_layers *cst_layers_create(void);           /* owned */
void        cst_layers_destroy(cst_layers *l); /* methods that were made with it stay valid */
/* Whether a layer may have this name: a letter, then letters, digits, _ and -, at most 48; not a method or
 * scheme, and not in use. Else false with the reason in why[n]. */
bool cst_layers_allow(const cst_layers *l, const char *name, char *why, int n);
/* Adds the tableau {a: ..., b: ..., c: ...} in text under an allowed name. false with *error filled when it
 * is not a tableau. */
bool cst_layers_add_tableau(cst_layers *l, const char *name, const char *text,
                            cst_expr_error *error);

/* Parses text; names may also be those of layers (NULL: none), which then live as long as the method. NULL with
 * *error filled (offset into text, message with what is allowed and the nearest name). Owned. */
cst_method *cst_method_parse(const char *text, const cst_layers *layers, cst_expr_error *error);
void        cst_method_destroy(cst_method *m);
/* The label: as written, one blank after each comma and colon, numbers in shortest round-trip form,
 * expressions of a tableau without blanks. Borrowed. */
const char *cst_method_label(const cst_method *m);
/* Whether the method can step the system; else the reason is in why[n] ("shake needs constraints;
 * henon-heiles has none"). */
bool cst_method_fits(const cst_method *m, const cst_system *s, char *why, int n);
/* The system that the method steps in the place of s, which it fits: s itself, or another one (borrowed)
 * whose parameters are those of s followed by those written into more[4]. */
const cst_system *cst_method_system(const cst_method *m, const cst_system *s, double *more);
/* Whether steps have the noise of a thermostat; whether two methods have the same noise or none, so that one
 * path can drive both. */
bool cst_method_has_noise(const cst_method *m);
bool cst_method_same_noise(const cst_method *m, const cst_method *other);
/* Properties of the method on the system. */
cst_properties cst_method_properties(const cst_method *m, const cst_system *s);
/* How well coefficients meet the order conditions: those of rooted trees for a tableau, also for methods that
 * have the order of a layer; those of compositions for a scheme on a base of order 2. */
enum { CST_CONDITIONS = 12 };
typedef struct {
  int    orders;   /* the conditions of order 1 to this one are known; 0: none are */
  double roundoff; /* larger residuals are no round-off */
  double defect[CST_CONDITIONS + 1]; /* of each order the largest residual */
} cst_conditions;
cst_conditions cst_method_conditions(const cst_method *m, const cst_system *s);

/* The registry, for `list` and `show`. */
typedef struct {
  const char *name, *doc, *equations, *source;
  const char *notes;     /* notes for users, a paragraph per line; NULL: none */
  const char *signature; /* "rattle", "compose(METHOD, SCHEME)", "gauss(s)" */
  const char *example;   /* an expression that is valid by itself, for tests */
} cst_method_info;
int                    cst_method_count(void);
const cst_method_info *cst_method_info_at(int i);

/* Composition schemes, for `list schemes`. */
typedef struct {
  const char   *name, *doc, *source;
  int           order, stages;
  const double *gamma; /* [stages] */
} cst_scheme;
/* Orders up to CST_SCHEME_ORDER are recognised; an order condition holds if its residual is at most
 * CST_SCHEME_VANISHING. */
enum { CST_SCHEME_ORDER = CST_CONDITIONS };
#define CST_SCHEME_VANISHING 1e-11
int               cst_scheme_count(void);
const cst_scheme *cst_scheme_at(int i);
const cst_scheme *cst_scheme_find(const char *name);
/* The largest residual, defect[0 .. CST_SCHEME_ORDER], of the conditions for each order, and the order, of the
 * composition with gamma[n] of a symmetric base of order 2. */
void cst_scheme_defects(const double *gamma, int n, double *defect);
int  cst_scheme_order(const double *gamma, int n);
/* Adds a scheme with these coefficients, which are copied, under an allowed name. false with the reason in why[n]
 * if they do not sum to 1 to 1e-13 or are not palindromic. */
bool cst_layers_add_scheme(cst_layers *l, const char *name, const double *gamma, int stages,
                           char *why, int n);
/* The scheme of this name that was added, NULL: none. Borrowed. */
const cst_scheme *cst_layers_scheme(const cst_layers *l, const char *name);
#endif

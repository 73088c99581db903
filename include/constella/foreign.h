/* foreign.h: systems for programs in other languages, which call functions but do not read C structs. The package
 * `constella` for Python uses it (analysis/constella/integrator.py). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_FOREIGN_H
#define CONSTELLA_FOREIGN_H
#include "constella/method.h"
#include "constella/user-stepper.h"
#include "constella/system.h"

/* What a system has names for, in the order of its arrays. */
typedef enum {
  CST_NAMES_COORDINATES, /* q[nq] */
  CST_NAMES_CONSTRAINTS, /* lambda[ng] */
  CST_NAMES_PARAMETERS,  /* c[npar]; with forces or time there are more entries of c than names */
  CST_NAMES_SYMMETRIES,  /* momentum maps [nsym] */
  CST_NAMES_STATES
} cst_names;

/* The system of the description text[length], which messages call `name`; text NULL: the system `name` of the
 * catalogue. NULL with all messages in why[n], a line each. Owned: cst_system_destroy. */
cst_system *cst_foreign_system(const char *name, const char *text, long length, char *why, int n);
/* The number of names; -1: there is no such list. */
int cst_foreign_count(const cst_system *s, cst_names of);
/* Name i; NULL out of range. Borrowed from the system. */
const char *cst_foreign_name(const cst_system *s, cst_names of, int i);
/* The length of the array c of parameters. */
int cst_foreign_parameters(const cst_system *s);
/* The number of constraints on velocities, the last ones of the names. */
int cst_foreign_velocity_constraints(const cst_system *s);
/* Of n states q[n][nq], v[n][nq], which need not satisfy the constraints, at parameters c[npar]: kinetic[n] = v'M v/2
 * and potential[n] = V; the momentum maps <M v + a, xi> - F, map[n][nsym]. NaN where there is no memory. */
void cst_foreign_energies(const cst_system *s, long n, const double *c, const double *q,
                          const double *v, double *kinetic, double *potential);
/* What round-off may change over so many steps h from these states, as in verdicts (docs/verdicts.md): the energy, each momentum
 * map, the largest |g_j|, this scaled, the largest |(G v)_j|, and this scaled; change[n][1 + nsym + 4]. */
void cst_foreign_round_off(const cst_system *s, long n, const double *c, const double *q,
                           const double *v, double h, long steps, double *change);
/* By how much the acceleration of one state is uncertain where its last bits are, and the forces round; A[nq]. NaN: not
 * known. */
void cst_foreign_acceleration_rounding(const cst_system *s, const double *c, const double *q,
                                       const double *v, double *A);
void cst_foreign_momentum_maps(const cst_system *s, long n, const double *c, const double *q,
                               const double *v, double *map);
/* The acceleration A of a state, M A = f - G' lambda with the multipliers that keep the constraints. */
void cst_foreign_acceleration(const cst_system *s, const double *c, const double *q,
                              const double *v, double *acceleration);
/* The methods of the keys `layers` and `schemes` of text[length], the contents of `file`: layers in C are compiled and
 * loaded. NULL with all messages in why[n]. Owned: cst_layers_destroy. */
cst_layers *cst_foreign_layers(const char *file, const char *text, long length, char *why, int n);
/* The cores that the compiler makes for the sizes of s to step it with m, in cores[n], separated by blanks; those that the
 * program has for s are not among them. The seconds that the compiler takes, with the kernels of s where it has none: a rough
 * estimate, often three times too low. 0: nothing is to be compiled. */
double cst_foreign_compiled(const cst_method *m, const cst_system *s, char *cores, int n);
/* The system at parameters c[npar] as the functions that a stepper of a shared library calls. The system is borrowed.
 * Owned: cst_foreign_forget. */
const cst_stepper_system *cst_foreign_stepped(const cst_system *s, const double *c);
void                      cst_foreign_forget(const cst_stepper_system *x); /* NULL is allowed */

/* The processes of mpirun, between cst_integrator_begin and cst_integrator_end: their number, and in *rank
 * this one's. */
int cst_foreign_ranks(int *rank);
/* Text of rank `root` for all of them: length is that of `text` on root; on the others *length is filled, and a text of
 * this length allocated. Collective. Owned: cst_foreign_release. */
char *cst_foreign_share(int root, const char *text, long *length);
void  cst_foreign_release(char *text);
#endif

/* foreign.c: systems, steppers and the processes of mpirun for programs in other languages (constella/foreign.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/diag.h"
#include "constella/foreign.h"
#include "constella/isa.h"
#include "constella/statistics.h"
#include "study/rows/study.h"
#include "core/boundary.h"
#include "core/diag.h"
#include "core/need.h"
#include "method/families.h"
#include "method/method.h"
#include "observe/observer.h"
#include "system/compile/compile.h"

/* ---- the processes of mpirun ----------------------------------------------------------------- */

int cst_foreign_ranks(int *rank) {
  int size;
  CST_REQUIRE(rank, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

char *cst_foreign_share(int root, const char *text, long *length) {
  CST_REQUIRE(length, NULL);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(length, 1, MPI_LONG, root, MPI_COMM_WORLD);
  char *copy = cst_need(calloc((size_t)*length + 1, 1));
  if (rank == root)
    memcpy(copy, text, (size_t)*length);
  for (long done = 0; done < *length; done += INT_MAX) {
    const long rest = *length - done;
    MPI_Bcast(copy + done, rest < INT_MAX ? (int)rest : INT_MAX, MPI_CHAR, root, MPI_COMM_WORLD);
  }
  return copy;
}

void cst_foreign_release(char *text) { free(text); }

/* ---- the functions that a stepper in a shared library gets (constella/user-stepper.h) -------- */

typedef struct {
  cst_stepper_system seen; /* own: this struct */
  const cst_system  *s;
  double             c[]; /* [npar] */
} given;

static const given *of(const cst_stepper_system *x) { return x->own; }

static void mass(const cst_stepper_system *x, const double *q, double *M) {
  const given *g = of(x);
  const int    n = g->s->nq;
  double      *work = cst_need(calloc(4 * (size_t)n, sizeof *work)), *v = work, *p = work + n,
         *at_rest = work + 2 * n, *zero = work + 3 * n;
  cst_system_momentum(g->s, g->c, q, zero, at_rest);
  for (int j = 0; j < n; j++) {
    v[j] = 1;
    cst_system_momentum(g->s, g->c, q, v, p);
    for (int i = 0; i < n; i++)
      M[i * n + j] = p[i] - at_rest[i];
    v[j] = 0;
  }
  free(work);
}

static void potential(const cst_stepper_system *x, const double *q, double *V) {
  cst_system_eval_at(of(x)->s, CST_K_V, of(x)->c, q, V);
}

static void gradient(const cst_stepper_system *x, const double *q, double *dV) {
  cst_system_eval_at(of(x)->s, CST_K_dV, of(x)->c, q, dV);
}

static void hessian(const cst_stepper_system *x, const double *q, double *d2V) {
  cst_system_matrix(of(x)->s, CST_K_d2V, of(x)->c, q, NULL, d2V);
}

static void force(const cst_stepper_system *x, const double *q, const double *v, double *f) {
  const given *g = of(x);
  if (g->s->model->kernel_size[CST_K_f] > 0) {
    cst_system_eval(g->s, CST_K_f, g->c, q, v, NULL, NULL, NULL, f);
    return;
  }
  gradient(x, q, f);
  for (int i = 0; i < g->s->nq; i++)
    f[i] = -f[i];
}

static void constraints(const cst_stepper_system *x, const double *q, double *g) {
  cst_system_eval_at(of(x)->s, CST_K_g, of(x)->c, q, g);
}

static void jacobian(const cst_stepper_system *x, const double *q, double *G) {
  cst_system_matrix(of(x)->s, CST_K_G, of(x)->c, q, NULL, G);
}

static void curvature(const cst_stepper_system *x, const double *q, const double *v,
                      const double *w, double *d2g) {
  cst_system_eval(of(x)->s, CST_K_D2gvw, of(x)->c, q, v, w, NULL, NULL, d2g);
}

static void bend(const cst_stepper_system *x, const double *q, const double *lambda,
                 const double *w, double *out) {
  cst_system_eval(of(x)->s, CST_K_D2glw, of(x)->c, q, NULL, w, NULL, lambda, out);
}

static void acceleration(const cst_stepper_system *x, const double *q, const double *v, double *A) {
  cst_constrained_accelerations(of(x)->s, of(x)->c, q, v, A);
}

const cst_stepper_system *cst_foreign_stepped(const cst_system *s, const double *c) {
  CST_REQUIRE(s && (c || !s->npar), NULL);
  given *g = cst_need(calloc(1, sizeof *g + sizeof(double) * (size_t)s->npar));
  g->s = s;
  if (s->npar)
    memcpy(g->c, c, sizeof(double) * (size_t)s->npar);
  g->seen = (cst_stepper_system){.name = s->name,
                                 .nq = s->nq,
                                 .ng = s->ng,
                                 .nvel = s->model->nvel,
                                 .npar = cst_system_named(s),
                                 .mass = mass,
                                 .potential = potential,
                                 .gradient = gradient,
                                 .hessian = hessian,
                                 .force = force,
                                 .constraints = constraints,
                                 .jacobian = jacobian,
                                 .curvature = curvature,
                                 .bend = bend,
                                 .acceleration = acceleration,
                                 .own = g};
  return &g->seen;
}

void cst_foreign_forget(const cst_stepper_system *x) {
  if (x)
    free((void *)x->own);
}

/* ---- systems --------------------------------------------------------------------------------- */

/* The printed messages of d. */
static void tell(const cst_diag *d, char *why, int n) {
  char  *text = NULL;
  size_t length = 0;
  FILE  *f = open_memstream(&text, &length);
  if (!f)
    cst_need_fail();
  cst_diag_print(d, f);
  fclose(f);
  while (length && text[length - 1] == '\n')
    text[--length] = 0;
  snprintf(why, (size_t)n, "%s", text);
  free(text);
}

cst_system *cst_foreign_system(const char *name, const char *text, long length, char *why, int n) {
  CST_REQUIRE(name && why && n > 0 && (!text || length >= 0), NULL);
  cst_diag   *d = cst_diag_create();
  cst_system *s =
      text ? cst_system_read(name, text, (size_t)length, NULL, 0, d) : cst_catalogue_create(name);
  if (!s && !text)
    cst_diag_add(d, NULL, 0, 0, "no system of the catalogue is called '%s'%s", name,
                 cst_diag_guess(name, cst_catalogue_names(), cst_catalogue_size()));
  *why = 0;
  if (!s)
    tell(d, why, n);
  cst_diag_destroy(d);
  return s;
}

cst_layers *cst_foreign_layers(const char *file, const char *text, long length, char *why, int n) {
  CST_REQUIRE(file && text && length >= 0 && why && n > 0, NULL);
  cst_diag   *d = cst_diag_create();
  cst_layers *l = cst_study_read_layers(file, text, (size_t)length, cst_reader_share_alone, d);
  *why = 0;
  if (!l)
    tell(d, why, n);
  cst_diag_destroy(d);
  return l;
}

double cst_foreign_compiled(const cst_method *m, const cst_system *s, char *cores, int n) {
  enum { MOST = 16 };
  const char *name[MOST + 1] = {NULL}, *reason;
  size_t      length = 0;
  CST_REQUIRE(m && s && cores && n > 0, 0);
  const int     isa = cst_isa_choose(&reason);
  cst_prepared *p = cst_method_prepare(m, s);
  const int     all = isa < 0 ? 0 : cst_program_cores(p->program, name, 0, MOST);
  int           kept = 0;
  *cores = 0;
  for (int i = 0; i < all; i++) {
    const char *const one[] = {name[i], NULL};
    if (!cst_compile_adds(p->stepped, isa, one))
      continue;
    name[kept++] = name[i];
    length += (size_t)snprintf(cores + length, (size_t)n - length, "%s%s", length ? " " : "", *one);
    length = length < (size_t)n ? length : (size_t)n - 1;
  }
  name[kept] = NULL;
  const bool   made = kept || (isa >= 0 && !p->stepped->code->compiled[isa]);
  const double seconds = made ? cst_compile_seconds(p->stepped, isa, name) : 0;
  cst_program_prepared_destroy(p);
  return seconds;
}

int cst_foreign_count(const cst_system *s, cst_names of) {
  CST_REQUIRE(s, -1);
  switch (of) {
  case CST_NAMES_COORDINATES:
    return s->nq;
  case CST_NAMES_CONSTRAINTS:
    return s->ng;
  case CST_NAMES_PARAMETERS:
    return cst_system_named(s);
  case CST_NAMES_SYMMETRIES:
    return s->nsym;
  case CST_NAMES_STATES:
    return s->nstate;
  }
  return -1;
}

const char *cst_foreign_name(const cst_system *s, cst_names of, int i) {
  CST_REQUIRE(s && i >= 0 && i < cst_foreign_count(s, of), NULL);
  switch (of) {
  case CST_NAMES_COORDINATES:
    return s->description->coordinate[i];
  case CST_NAMES_CONSTRAINTS:
    return s->description->constraint[i];
  case CST_NAMES_PARAMETERS:
    return s->parameter[i].name;
  case CST_NAMES_SYMMETRIES:
    return s->description->symmetry[i];
  case CST_NAMES_STATES:
    return s->description->state[i].name;
  }
  return NULL;
}

int cst_foreign_parameters(const cst_system *s) {
  CST_REQUIRE(s, -1);
  return s->npar;
}

int cst_foreign_velocity_constraints(const cst_system *s) {
  CST_REQUIRE(s, -1);
  return s->model->nvel;
}

static double product(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

void cst_foreign_energies(const cst_system *s, long n, const double *c, const double *q,
                          const double *v, double *kinetic, double *potential) {
  CST_REQUIRE(s && n >= 0 && q && v && kinetic && potential);
  const int nq = s->nq;
  double   *p = cst_need(calloc(3 * (size_t)nq, sizeof *p)), *at_rest = p + nq, *zero = p + 2 * nq;
  for (long k = 0; k < n; k++) { /* v'M v/2 of p = M v + a */
    cst_system_momentum(s, c, q + k * nq, v + k * nq, p);
    cst_system_momentum(s, c, q + k * nq, zero, at_rest);
    kinetic[k] = (product(p, v + k * nq, nq) - product(at_rest, v + k * nq, nq)) / 2;
    cst_system_eval_at(s, CST_K_V, c, q + k * nq, potential + k);
  }
  free(p);
}

void cst_foreign_momentum_maps(const cst_system *s, long n, const double *c, const double *q,
                               const double *v, double *map) {
  CST_REQUIRE(s && n >= 0 && q && v && map);
  const int nq = s->nq, nsym = s->nsym;
  double   *p = cst_need(calloc((size_t)(nq + nsym * nq + nsym), sizeof *p));
  double   *xi = p + nq, *gauge = xi + nsym * nq;
  for (long k = 0; k < n && nsym; k++) {
    cst_system_momentum(s, c, q + k * nq, v + k * nq, p);
    cst_system_matrix(s, CST_K_xi, c, q + k * nq, v + k * nq, xi);
    cst_system_eval_at(s, CST_K_gauge, c, q + k * nq, gauge);
    for (int j = 0; j < nsym; j++)
      map[k * nsym + j] = product(p, xi + j * nq, nq) - gauge[j];
  }
  free(p);
}

void cst_foreign_round_off(const cst_system *s, long n, const double *c, const double *q,
                           const double *v, double h, long steps, double *change) {
  CST_REQUIRE(s && n >= 0 && q && v && steps >= 0 && change);
  const int       nq = s->nq, nsym = s->nsym, all = 1 + nsym + 4;
  double         *p = cst_zeros(nq + 2 * all, sizeof *p), *stepped = p + nq;
  double         *evaluated = stepped + all;
  cst_observation look[] = {{.row = CST_OBSERVER(energy), .count = 1},
                            {.row = CST_OBSERVER(momentum), .first = 1, .count = nsym},
                            {.row = CST_OBSERVER(constraint), .first = 1 + nsym, .count = 4}};
  for (int i = 0; i < 3; i++) {
    look[i].system = s;
    look[i].wanted = true;
  }
  for (long k = 0; k < n; k++) {
    const cst_plain_state now = {.c = c, .q = q + k * nq, .p = p, .v = v + k * nq, .h = h};
    cst_system_momentum(s, c, now.q, now.v, p);
    cst_observers_rounding(look, 3, &now, stepped, evaluated);
    for (int i = 0; i < all; i++) {
      const double       sizes[] = {stepped[i] / DBL_EPSILON, evaluated[i] / (2 * DBL_EPSILON)};
      const cst_long_run run = {.steps = steps, .stepped = sizes, .evaluated = sizes + 1};
      change[k * all + i] = cst_growth_round_off(&run, 0);
    }
  }
  free(p);
}

void cst_foreign_acceleration_rounding(const cst_system *s, const double *c, const double *q,
                                       const double *v, double *A) {
  CST_REQUIRE(s && q && v && A);
  double               *force = cst_zeros(s->nq, sizeof *force);
  const cst_plain_state at = {.c = c, .q = q, .v = v};
  cst_observers_rounding_forces(s, &at, force, A);
  free(force);
}

void cst_foreign_acceleration(const cst_system *s, const double *c, const double *q,
                              const double *v, double *acceleration) {
  CST_REQUIRE(s && q && v && acceleration);
  cst_constrained_accelerations(s, c, q, v, acceleration);
}

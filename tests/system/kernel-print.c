/* kernel-print.c SIZE FILE: the driver of test_derivatives.py. It prints every system of the catalogue, with
 * its size parameters replaced by SIZE, and the system of FILE: a line 'system NAME' and, for each of POINTS
 * points, 'point' and lines 'NAME value ...'. These lines hold the arguments c q v w u l of the kernels and
 * every kernel, matrices row by row with their zeros, the mass for every coordinate. The first point has the
 * default parameters and is followed by lines state0, state1 ... (q and v of each state). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "system/system.h"
#include "core/document.h"

enum { POINTS = 3, MOST = CST_MAX_Q * CST_MAX_Q }; /* entries of a kernel */

typedef struct {
  double c[CST_MAX_PAR], q[CST_MAX_Q], v[CST_MAX_Q], w[2 * CST_MAX_Q], u[4 * CST_MAX_Q],
      l[4 * CST_MAX_G + 1];
} point;

static void print(const char *name, const double *x, int n) {
  printf("%s", name);
  for (int i = 0; i < n; i++)
    printf(" %.17g", x[i]);
  printf("\n");
}

/* Uniform generic numbers in (-size, size), the same sequence in every run. */
static double noise(double size) {
  static uint64_t state = 20240611;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return size * ((double)(state >> 11) / 4503599627370496.0 - 1);
}

/* A point near the default start, off the constraints, so that every function is defined. */
static void choose(const cst_system *s, int k, point *x) {
  for (int i = 0; i < s->npar; i++)
    x->c[i] = s->parameter[i].value;
  cst_system_state(s, 0, x->c, x->q, x->v);
  for (int i = 0; i < s->npar; i++)
    if (!s->parameter[i].size && k)
      x->c[i] *= 1 + noise(0.2);
  for (int i = 0; i < s->nq; i++) {
    x->q[i] += noise(0.3);
    x->v[i] += noise(1);
  }
  for (int i = 0; i < cst_system_entries(s, 'w'); i++)
    x->w[i] = noise(1);
  for (int i = 0; i < cst_system_entries(s, 'u'); i++)
    x->u[i] = noise(1);
  for (int a = 0; a < cst_system_entries(s, 'l'); a++)
    x->l[a] = noise(2);
}

static void print_arguments(const cst_system *s, const point *x) {
  double c[CST_MAX_PAR];
  int    n = 0;
  for (int i = 0; i < s->npar; i++)
    if (!s->parameter[i].size)
      c[n++] = x->c[i];
  print("c", c, n);
  print("q", x->q, s->nq);
  print("v", x->v, s->nq);
  print("w", x->w, cst_system_entries(s, 'w'));
  print("u", x->u, cst_system_entries(s, 'u'));
  print("l", x->l, cst_system_entries(s, 'l'));
}

/* V'''[w, w] in the order of the coordinates, from the kernel dVH. */
static void print_third(const cst_system *s, const point *x) {
  const cst_bands *b = &s->model->bands[0];
  double           out[MOST], row[CST_MAX_Q], w[CST_MAX_Q], third[CST_MAX_Q];
  for (int i = 0; i < s->nq; i++)
    w[b->place[i]] = x->w[i];
  cst_system_eval(s, CST_K_dVH, x->c, x->q, NULL, NULL, NULL, NULL, out);
  cst_system_eval(s, CST_K_D3V, x->c, x->q, NULL, w, NULL, out + s->nq + b->n, row);
  for (int i = 0; i < s->nq; i++)
    third[i] = row[b->place[i]];
  print(cst_system_kernel_names[CST_K_D3V], third, s->nq);
}

static void print_kernel(const cst_system *s, cst_kernel_id k, const point *x) {
  const cst_pattern *p = &s->model->pattern[k];
  double             out[MOST], each[CST_MAX_Q];
  /* combined from the entries of other kernels */
  if (k == CST_K_dVH || k == CST_K_dVS || k == CST_K_d2S)
    return;
  if (k == CST_K_D3V && s->model->kernel_size[k]) {
    print_third(s, x);
  } else if (p->rows) {
    cst_system_matrix(s, k, x->c, x->q, x->v, out);
    print(cst_system_kernel_names[k], out, p->rows * p->columns);
  } else if (s->model->kernel_size[k]) {
    cst_system_eval(s, k, x->c, x->q, x->v, x->w, x->u, x->l, out);
    for (int i = 0; k == CST_K_mass && i < s->nq; i++)
      each[i] = out[s->model->mass_class[i]];
    print(cst_system_kernel_names[k], k == CST_K_mass ? each : out,
          k == CST_K_mass ? s->nq : s->model->kernel_size[k]);
  }
}

static void print_states(const cst_system *s, const point *x) {
  for (int k = 0; k < s->nstate; k++) {
    double both[2 * CST_MAX_Q];
    char   name[40];
    cst_system_state(s, k, x->c, both, both + s->nq);
    snprintf(name, sizeof name, "state%d", k);
    print(name, both, 2 * s->nq);
  }
}

static void print_system(const cst_system *s) {
  printf("system %s\n", s->name);
  for (int k = 0; k < POINTS; k++) {
    point x = {0};
    choose(s, k, &x);
    printf("point\n");
    print_arguments(s, &x);
    if (!k)
      print_states(s, &x);
    for (int i = 0; i < CST_K_COUNT; i++)
      print_kernel(s, (cst_kernel_id)i, &x);
  }
}

static cst_system *read_text(const char *name, const char *text, const cst_size *size, int n) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read(name, text, strlen(text), size, n, d);
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  if (!s)
    exit(1);
  return s;
}

/* The system of the catalogue with all its sizes replaced. */
static cst_system *read_sized(const char *name, int value) {
  cst_system *s = cst_catalogue_create(name);
  cst_size    size[CST_MAX_PAR];
  int         n = 0;
  for (int i = 0; i < s->npar; i++)
    if (s->parameter[i].size)
      size[n++] = (cst_size){s->parameter[i].name, value};
  if (!n)
    return s;
  cst_system *sized = read_text(name, cst_catalogue_text(name), size, n);
  cst_system_destroy(s);
  return sized;
}

static cst_system *read_file(const char *path) {
  char       *text;
  size_t      length;
  const char *why = cst_document_fetch(path, &text, &length);
  if (why) {
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
  }
  cst_system *s = read_text(path, text, NULL, 0);
  free(text);
  return s;
}

int main(int count, char **word) {
  if (count < 3) {
    fprintf(stderr, "usage: kernel-print SIZE FILE ...\n");
    return 2;
  }
  for (int i = 0; i < cst_catalogue_size() + count - 2; i++) {
    cst_system *s = i < cst_catalogue_size() ? read_sized(cst_catalogue_name(i), atoi(word[1]))
                                             : read_file(word[2 + i - cst_catalogue_size()]);
    print_system(s);
    cst_system_destroy(s);
  }
  return 0;
}

/* test-kernels.c: every kernel of every system of the catalogue gives the same bits by scalar evaluation of
 * the graph, by the lanes of the interpreter and by compiled code, in every lane of every instruction set of
 * this CPU. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "system/system.h"
#include "tap.h"

enum { LETTERS = 6 };

/* Arguments c q v w u l of the kernels, each with the lanes of one group. */
typedef struct {
  int     n[LETTERS];
  double *x[LETTERS]; /* [n][CST_W_MAX] by lane: x[letter][i * CST_W_MAX + lane] */
} points;

static double *numbers(size_t n) {
  double *x = aligned_alloc(64, (n * sizeof(double) + 64) / 64 * 64);
  if (!x)
    abort();
  return x;
}

/* Uniform in (-size, size), the same sequence in every run. */
static double noise(double size) {
  static unsigned long long state = 11;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return size * ((double)(state >> 11) / 4503599627370496.0 - 1);
}

/* A different point near the default start in each lane, with other parameters except sizes. */
static points choose(const cst_system *s) {
  points  p;
  double *start = numbers((size_t)(2 * s->nq)), c[CST_MAX_PAR];
  for (int i = 0; i < s->npar; i++)
    c[i] = s->parameter[i].value;
  cst_system_state(s, 0, c, start, start + s->nq);
  for (int k = 0; k < LETTERS; k++) {
    p.n[k] = cst_system_entries(s, "cqvwul"[k]);
    p.x[k] = numbers((size_t)(p.n[k] * CST_W_MAX));
    for (int i = 0; i < p.n[k] * CST_W_MAX; i++)
      p.x[k][i] = noise(1);
  }
  for (int i = 0; i < s->npar * CST_W_MAX; i++)
    p.x[0][i] = c[i / CST_W_MAX] * (s->parameter[i / CST_W_MAX].size ? 1 : 1 + 0.2 * p.x[0][i]);
  for (int i = 0; i < s->nq * CST_W_MAX; i++)
    p.x[1][i] = start[i / CST_W_MAX] + 0.3 * p.x[1][i];
  free(start);
  return p;
}

static void forget(points *p) {
  for (int k = 0; k < LETTERS; k++)
    free(p->x[k]);
}

/* Lanes first .. first + width - 1 as arguments of that width; width 1: scalars. */
static void narrow(const points *p, int first, int width, double *in[LETTERS]) {
  for (int k = 0; k < LETTERS; k++) {
    in[k] = numbers((size_t)(p->n[k] * width));
    for (int i = 0; i < p->n[k]; i++)
      memcpy(in[k] + i * width, p->x[k] + i * CST_W_MAX + first, sizeof(double) * (size_t)width);
  }
}

static void release(double *in[LETTERS]) {
  for (int k = 0; k < LETTERS; k++)
    free(in[k]);
}

/* out[lane][size] by scalar evaluation. */
static double *by_scalars(const cst_system *s, cst_kernel_id k, const points *p) {
  double *out = numbers((size_t)(s->model->kernel_size[k] * CST_W_MAX));
  for (int lane = 0; lane < CST_W_MAX; lane++) {
    double *in[LETTERS];
    narrow(p, lane, 1, in);
    cst_system_eval(s, k, in[0], in[1], in[2], in[3], in[4], in[5],
                    out + lane * s->model->kernel_size[k]);
    release(in);
  }
  return out;
}

/* The number of outputs whose bits differ from `expected` when the kernel runs on lanes of set isa. */
static int differing(const cst_system *s, cst_kernel_id k, int isa, const points *p,
                     const double *expected) {
  const int width = cst_isas[isa].width, size = s->model->kernel_size[k];
  double   *in[LETTERS], *out = numbers((size_t)(size * width));
  int       bad = 0;
  for (int first = 0; first < CST_W_MAX; first += width) {
    narrow(p, first, width, in);
    s->code->kernel[isa][k](s->code->kernel_self[isa], in[0], in[1], in[2], in[3], in[4], in[5],
                            out);
    for (int i = 0; i < size; i++)
      for (int lane = 0; lane < width; lane++)
        bad +=
            memcmp(&out[i * width + lane], &expected[(first + lane) * size + i], sizeof *out) != 0;
    release(in);
  }
  free(out);
  return bad;
}

/* A comparison of NaNs would prove nothing. */
static bool all_finite(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]))
      return false;
  return true;
}

static void test_system(const char *name, int isa) {
  cst_system *compiled = cst_catalogue_create(name), *interpreted = cst_catalogue_create(name);
  points      p = choose(compiled);
  char        bad[400] = "";
  int         kernels = 0;
  cst_system_interpret(interpreted);
  for (int k = 0; k < CST_K_COUNT; k++) {
    const cst_kernel_id id = (cst_kernel_id)k;
    if (!compiled->model->kernel_size[k])
      continue;
    double   *expected = by_scalars(compiled, id, &p);
    const int c = differing(compiled, id, isa, &p, expected),
              i = differing(interpreted, id, isa, &p, expected);
    const bool finite = all_finite(expected, compiled->model->kernel_size[k] * CST_W_MAX);
    if (c || i || !finite)
      snprintf(bad + strlen(bad), sizeof bad - strlen(bad), " %s: %d compiled, %d interpreted%s;",
               cst_system_kernel_names[k], c, i, finite ? "" : ", not finite");
    free(expected);
    kernels++;
  }
  if (!compiled->code->compiled[isa])
    strcpy(bad, " nothing is compiled");
  if (!OK(!*bad, "%s on %s: %d kernels compiled, interpreted and by scalars, same bits", name,
          cst_isas[isa].name, kernels))
    NOTE("%s", bad);
  forget(&p);
  cst_system_destroy(compiled);
  cst_system_destroy(interpreted);
}

int main(void) {
  for (int isa = 0; isa < cst_isa_count; isa++) {
    if (!cst_isa_available(isa))
      continue;
    for (int i = 0; i < cst_catalogue_size(); i++)
      test_system(cst_catalogue_name(i), isa);
  }
  return tap_done();
}

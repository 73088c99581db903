/* fuzz-system.c: any bytes as the description of a system. The kernels of a small valid system are run by
 * both interpreters, whose bits must agree, and emitted, and its geometry is computed at its first state;
 * large systems are only read. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "system/internal.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { SMALL = 24, MOST_NODES = 20000, MOST_OUT = SMALL * SMALL + SMALL, MOST_L = 1024 };

typedef struct {
  double c[CST_MAX_PAR], q[SMALL], v[SMALL], w[2 * SMALL], u[4 * SMALL], l[MOST_L];
} point;

static void *must(void *p) {
  if (!p)
    abort();
  return p;
}

/* x[n] in lane `lane` of lanes[n][width]; the others hold other numbers. */
static double *spread(const double *x, int n, int width, int lane) {
  double *lanes = must(aligned_alloc(64, 64 * ((size_t)n + 1)));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < width; j++)
      lanes[i * width + j] = j == lane ? x[i] : 0.25 + x[i];
  return lanes;
}

static void compare(const double *scalar, const double *lanes, int n, int width, int lane) {
  for (int i = 0; i < n; i++) {
    const double a = scalar[i], b = lanes[i * width + lane];
    if (memcmp(&a, &b, sizeof a) && !(isnan(a) && isnan(b))) {
      fprintf(stderr, "output %d of %d: %a by scalars, %a in lane %d of %d\n", i, n, a, b, lane,
              width);
      abort();
    }
  }
}

static void try_lanes(const cst_system *s, cst_kernel_id k, int isa, const point *x,
                      const double *expected) {
  const int           width = cst_isas[isa].width, lane = (int)k % width;
  const double *const from[] = {x->c, x->q, x->v, x->w, x->u, x->l};
  double *in[6], *out = must(aligned_alloc(64, 64 * ((size_t)s->model->kernel_size[k] + 1)));
  for (int i = 0; i < 6; i++)
    in[i] = spread(from[i], cst_system_entries(s, "cqvwul"[i]), width, lane);
  s->code->kernel[isa][k](s->code->kernel_self[isa], in[0], in[1], in[2], in[3], in[4], in[5], out);
  compare(expected, out, s->model->kernel_size[k], width, lane);
  for (int i = 0; i < 6; i++)
    free(in[i]);
  free(out);
}

static void try_kernels(const cst_system *s, const point *x) {
  double out[MOST_OUT];
  for (int k = 0; k < CST_K_COUNT; k++) {
    if (s->model->kernel_size[k] > MOST_OUT)
      abort();
    cst_system_eval(s, (cst_kernel_id)k, x->c, x->q, x->v, x->w, x->u, x->l, out);
    for (int isa = 0; isa < cst_isa_count; isa++)
      if (cst_isa_available(isa) && s->model->kernel_size[k])
        try_lanes(s, (cst_kernel_id)k, isa, x, out);
  }
}

static void try_geometry(cst_system *s, point *x) {
  double out[2 * SMALL];
  char   why[200];
  cst_system_multipliers(s, x->c, x->q, x->v, out);
  cst_system_momentum(s, x->c, x->q, x->v, x->w);
  cst_system_velocity(s, x->c, x->q, x->w, x->u);
  if (s->description->state[0].has_exact)
    cst_system_exact(s, 0, x->c, x->q, x->v, 0.5, x->w, x->u, out);
  cst_system_residuals(s, x->c, x->q, x->v, out, out + 1, out + 2, out + 3);
  cst_system_enforce_independent(s, x->c, x->q, why, sizeof why);
  cst_system_project(s, x->c, x->q, x->v);
}

static void try_system(cst_system *s) {
  FILE *nowhere = must(fopen("/dev/null", "w"));
  point x = {0};
  for (int i = 0; i < s->npar; i++)
    x.c[i] = s->parameter[i].value;
  for (int i = 0; i < cst_system_entries(s, 'w'); i++)
    x.w[i] = 0.1 + 0.07 * i;
  for (int i = 0; i < cst_system_entries(s, 'u'); i++)
    x.u[i] = 0.4 - 0.05 * i;
  for (int a = 0; a < cst_system_entries(s, 'l'); a++)
    x.l[a] = 0.1 - 0.3 * a;
  for (int k = s->nstate - 1; k >= 0; k--)
    cst_system_state(s, k, x.c, x.q, x.v);
  cst_system_interpret(s);
  try_kernels(s, &x);
  cst_system_emit(s, "fuzz", nowhere);
  try_geometry(s, &x);
  fclose(nowhere);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("fuzz.yaml", (const char *)data, size, NULL, 0, d);
  FILE       *nowhere = must(fopen("/dev/null", "w"));
  cst_diag_print(d, nowhere);
  fclose(nowhere);
  if (!s == !cst_diag_count(d))
    abort(); /* a system or errors, never both */
  if (s && s->nq <= SMALL && s->ng <= SMALL && cst_system_entries(s, 'l') <= MOST_L &&
      cst_graph_size(s->model->graph) <= MOST_NODES)
    try_system(s);
  cst_system_destroy(s);
  cst_diag_destroy(d);
  return 0;
}

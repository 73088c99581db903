/* interpreted-kernels.c: kernels over lanes without a compiler, which the interpreter of src/expr runs, and kernels with
 * other roundings. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/lane/interpreted-kernels.h"
#include <math.h>
#include "core/boundary.h"
#include "expr/bound.h"
#include "expr/tape-lanes.h"
#include "system/internal.h"
#include "system/lane/record.h"

#define X(name)                                                                                    \
  static void interpret_##name(const void *self, const double *c, const double *q,                 \
                               const double *v, const double *w, const double *u, const double *l, \
                               double *o) {                                                        \
    const cst_interpreter *m = self;                                                               \
    const double          *in[128]; /* programs read these letters only */                         \
    in['c'] = c, in['q'] = q, in['v'] = v, in['w'] = w, in['u'] = u, in['l'] = l;                  \
    m->run(m->tape[CST_K_##name], in, o, m->scratch);                                              \
  }
CST_KERNELS(X)
#undef X

/* The same for kernels that add sums over pairs. */
#define SUMMED(name)                                                                               \
  static void interpret_pairs_##name(const void *self, const double *c, const double *q,           \
                                     const double *v, const double *w, const double *u,            \
                                     const double *l, double *o) {                                 \
    const cst_interpreter *m = self;                                                               \
    const double          *in[128];                                                                \
    in['c'] = c, in['q'] = q;                                                                      \
    interpret_##name(self, c, q, v, w, u, l, o);                                                   \
    for (int i = 0; i < m->system->model->npairs; i++)                                             \
      m->pairs(cst_pairs_tapes(m->system, i), CST_K_##name == CST_K_V,                             \
               cst_pairs_place(m->system, CST_K_##name), in, o, m->scratch);                       \
  }
SUMMED(V)
SUMMED(dV)
SUMMED(dVS)
#undef SUMMED

static cst_kernel *const kernels[CST_K_COUNT] = {
#define X(name) interpret_##name,
    CST_KERNELS(X)
#undef X
};

/* Memory for the registers of the largest program at the largest width, aligned for it. */
static double *scratch_for(const cst_system *s) {
  int most = 1;
  for (int i = 0; i < s->model->npairs; i++) {
    const cst_pair_tapes *p = cst_pairs_tapes(s, i);
    const int             value = cst_tape_registers(p->value);
    const int             slope = cst_tape_registers(p->slope);
    const int             larger = value > slope ? value : slope;
    if (larger > most)
      most = larger;
  }
  for (int k = 0; k < CST_K_COUNT; k++)
    if (cst_tape_registers(cst_system_tape(s, k)) > most)
      most = cst_tape_registers(cst_system_tape(s, k));
  return cst_need(aligned_alloc(8 * CST_W_MAX, 8 * CST_W_MAX * (size_t)most));
}

static void set_up(cst_system *s) {
  cst_system_owned *o = s->owned;
  if (!o->scratch)
    o->scratch = scratch_for(s);
  for (int i = 0; i < cst_isa_count; i++) {
    o->interpreter[i] = (cst_interpreter){cst_tape_lanes_of(i)->run, o->tape,
                                          cst_tape_lanes_of(i)->pairs, s, o->scratch};
    s->code->kernel_self[i] = &o->interpreter[i];
  }
}

void cst_system_interpret(cst_system *s) {
  CST_REQUIRE(s);
  cst_system_owned *o = s->owned;
  set_up(s);
  for (int i = 0; i < cst_isa_count; i++) {
    s->code->compiled[i] = NULL;
    o->nadded[i] = 0;
    o->looks[i] = false;
    for (int k = 0; k < CST_K_COUNT; k++)
      s->code->kernel[i][k] = kernels[k];
    if (!s->model->npairs)
      continue;
    s->code->kernel[i][CST_K_V] = interpret_pairs_V;
    s->code->kernel[i][CST_K_dV] = interpret_pairs_dV;
    if (s->model->kernel_size[CST_K_dVS])
      s->code->kernel[i][CST_K_dVS] = interpret_pairs_dVS;
  }
}

void cst_system_interpret_bent(cst_system *s) {
  cst_system_owned *o = s->owned;
  free(o->scratch);
  o->scratch = NULL; /* the new programs may be larger */
  set_up(s);
  for (int i = 0; i < cst_isa_count; i++)
    for (int k = 0; k < CST_K_COUNT; k++)
      if (cst_system_is_bent_kernel((cst_kernel_id)k))
        s->code->kernel[i][k] = kernels[k];
}

bool cst_system_bend(const cst_system *s) {
  CST_REQUIRE(s, false);
  const cst_system_owned *o = s->owned;
  if (s->model->bent)
    return true;
  if (!cst_system_derive_bent(o->system))
    return false;
  cst_system_interpret_bent(o->system);
  return true;
}

/* ---- other roundings ------------------------------------------------------------------------- */

/* Outputs are off by the bound of their rounding (interpreted-kernels.h). These kernels are called where an
 * iteration does not end otherwise, so they may take memory and go lane by lane. */

enum { LETTERS = 6 };
static const char letters[LETTERS] = {'c', 'q', 'v', 'w', 'u', 'l'};

/* How many numbers of each letter a kernel reads. */
static void find_reach(const cst_system *s, cst_kernel_id k, int reach[128]) {
  cst_tape_reach(cst_system_tape(s, k), reach);
  if (!cst_pairs_are_in(s, k))
    return;
  reach['c'] = s->npar;
  reach['q'] = s->nq;
}

/* out := the outputs of kernel k in one lane, with their errors. */
static void bound_lane(const cst_system *s, cst_kernel_id k, const int reach[128], int W, int lane,
                       const double *const in[LETTERS], cst_bounded *room, cst_bounded *out) {
  const cst_bounded *of[128];
  for (int i = 0; i < LETTERS; i++) {
    const int letter = letters[i];
    of[letter] = room;
    for (int j = 0; j < reach[letter]; j++) {
      const double x = in[i][j * W + lane];
      *room++ = (cst_bounded){x, letter == 'c' ? 0 : fabs(x) + CST_BOUND_FLOOR};
    }
  }
  cst_system_bound(s, k, of, out);
}

static void call(cst_kernel_id k, const void *self, const double *const in[LETTERS], double *o) {
  cst_rounding     *r = (cst_rounding *)self; /* which a kernel borrows as const */
  const cst_system *s = r->of->system;
  const int         W = r->W;
  r->of->kernel[k](r->of->self, in[0], in[1], in[2], in[3], in[4], in[5], o);
  if (!s->model->kernel_size[k])
    return;
  int reach[128], size = 0;
  find_reach(s, k, reach);
  for (int i = 0; i < LETTERS; i++)
    size += reach[(int)letters[i]];
  const int           n = cst_tape_outputs(cst_system_tape(s, k));
  cst_bounded        *room = cst_need(calloc((size_t)(size + n + 1), sizeof *room));
  cst_bounded        *out = room + size;
  const unsigned long from = r->state;
  for (int l = 0; l < W; l++) {
    if (l < r->apart)
      bound_lane(s, k, reach, W, l, in, room, out);
    r->state = from;
    for (int i = 0; i < n; i++) {
      const bool up = cst_rounding_draw(&r->state) & 1;
      o[i * W + l] += (up ? 0x1p-53 : -0x1p-53) * out[i].error;
    }
  }
  free(room);
}

#define X(name)                                                                                    \
  static void rounded_##name(const void *self, const double *c, const double *q, const double *v,  \
                             const double *w, const double *u, const double *l, double *o) {       \
    call(CST_K_##name, self, (const double *const[LETTERS]){c, q, v, w, u, l}, o);                 \
  }
CST_KERNELS(X)
#undef X

cst_kernel *const cst_rounding_kernels[CST_K_COUNT] = {
#define X(name) rounded_##name,
    CST_KERNELS(X)
#undef X
};

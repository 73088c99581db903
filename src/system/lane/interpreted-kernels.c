/* interpreted-kernels.c: kernels over lanes without a compiler. The interpreter of src/expr runs the program of each
 * kernel. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/boundary.h"
#include "expr/tape-lanes.h"
#include "system/internal.h"

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
    for (int i = 0; i < m->system->npairs; i++)                                                    \
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
  for (int i = 0; i < s->npairs; i++) {
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
    s->kernel_self[i] = &o->interpreter[i];
  }
}

void cst_system_interpret(cst_system *s) {
  CST_REQUIRE(s);
  cst_system_owned *o = s->owned;
  set_up(s);
  for (int i = 0; i < cst_isa_count; i++) {
    s->compiled[i] = NULL;
    o->nadded[i] = 0;
    o->looks[i] = false;
    for (int k = 0; k < CST_K_COUNT; k++)
      s->kernel[i][k] = kernels[k];
    if (!s->npairs)
      continue;
    s->kernel[i][CST_K_V] = interpret_pairs_V;
    s->kernel[i][CST_K_dV] = interpret_pairs_dV;
    if (s->kernel_size[CST_K_dVS])
      s->kernel[i][CST_K_dVS] = interpret_pairs_dVS;
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
        s->kernel[i][k] = kernels[k];
}

bool cst_system_bend(const cst_system *s) {
  CST_REQUIRE(s, false);
  cst_system *x = (cst_system *)s; /* the derived kernels are cached */
  if (s->bent)
    return true;
  if (!cst_system_derive_bent(x))
    return false;
  cst_system_interpret_bent(x);
  return true;
}

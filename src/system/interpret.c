/* interpret.c: kernels over lanes without a compiler: every kernel runs its program on the interpreter of src/expr. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/internal.h"

#define X(name)                                                                                                                            \
  static void interpret_##name(const void *self, const double *c, const double *q, const double *v, const double *w, const double *u,      \
                               const double *l, double *o) {                                                                               \
    const cst_interpreter *m = self;                                                                                                       \
    const double          *in[128]; /* programs read these letters only */                                                                 \
    in['c'] = c, in['q'] = q, in['v'] = v, in['w'] = w, in['u'] = u, in['l'] = l;                                                          \
    m->run(m->tape[CST_K_##name], in, o, m->scratch);                                                                                      \
  }
CST_KERNELS(X)
#undef X

static cst_kernel *const kernels[CST_K_COUNT] = {
#define X(name) interpret_##name,
    CST_KERNELS(X)
#undef X
};

/* Room for the largest program at the largest width, aligned for it. */
static double *scratch_for(const cst_system *s) {
  int most = 1;
  for (int k = 0; k < CST_K_COUNT; k++)
    if (cst_tape_registers(cst_system_tape(s, k)) > most) most = cst_tape_registers(cst_system_tape(s, k));
  return cst_need(aligned_alloc(8 * CST_W_MAX, 8 * CST_W_MAX * (size_t)most));
}

void cst_system_interpret(cst_system *s) {
  static void (*const run[CST_ISA_COUNT])(const cst_tape *, const double *const[128], double *, double *) = {
#define X(isa, lanes) cst_tape_run_##isa,
      CST_ISA_LIST(X)
#undef X
  };
  cst_system_owned *o = s->owned;
  if (!o->scratch) o->scratch = scratch_for(s);
  for (int i = 0; i < CST_ISA_COUNT; i++) {
    o->interpreter[i] = (cst_interpreter){run[i], o->tape, o->scratch};
    s->compiled[i] = NULL;
    s->kernel_self[i] = &o->interpreter[i];
    for (int k = 0; k < CST_K_COUNT; k++) s->kernel[i][k] = kernels[k];
  }
}

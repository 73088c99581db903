/* lanes-of.h: shared by the tests of functions in lanes: runs a comparison with every instruction set. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_LANES_OF_H
#define TESTS_LANES_OF_H
#include "constella/isa.h"
#include "expr/expr-internal.h"
#include "tap.h"

typedef void run(const cst_tape *t, const double *const in[128], double *out, double *scratch);

/* Counts the values of a tape, run on so many lanes, whose bits are not those of the scalar function. */
typedef int differences_of(const cst_tape *t, run *lanes, int width);

/* Evaluates the nodes as a tape with each instruction set that the machine has, and with the portable code.
 * Destroys the graph. */
static void compare_sets(cst_graph *g, const cst_node *node, int n, differences_of *differences,
                         const char *what) {
#define X(name, lanes) {cst_tape_run_##name, lanes},
  static const struct {
    run *run;
    int  width;
  } all[] = {CST_ISA_LIST(X){cst_tape_run_portable, 4}};
#undef X
  cst_tape *t = cst_tape_create(g, node, n);
  for (int isa = 0; isa <= CST_ISA_COUNT; isa++) {
    if (isa < CST_ISA_COUNT && !cst_isa_available(isa))
      continue;
    const int wrong = differences(t, all[isa].run, all[isa].width);
    OK(!wrong, "%s: the bits of the scalar functions, %s (%d others)",
       isa < CST_ISA_COUNT ? cst_isas[isa].name : "portable", what, wrong);
  }
  cst_tape_destroy(t);
  cst_graph_destroy(g);
}
#endif

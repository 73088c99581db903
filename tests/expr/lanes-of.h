/* lanes-of.h: shared by the tests of functions in lanes: runs a comparison with every instruction set. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_LANES_OF_H
#define TESTS_LANES_OF_H
#include "constella/isa.h"
#include "expr/expr-internal.h"
#include "expr/tape-lanes.h"
#include "tap.h"

typedef void run(const cst_tape *t, const double *const in[128], double *out, double *scratch);

/* Counts the values of a tape, run on so many lanes, whose bits are not those of the scalar function. */
typedef int differences_of(const cst_tape *t, run *lanes, int width);

/* Evaluates the nodes as a tape with each instruction set that the machine has, and with the portable code.
 * Destroys the graph. */
static void compare_sets(cst_graph *g, const cst_node *node, int n, differences_of *differences,
                         const char *what) {
  cst_tape *t = cst_tape_create(g, node, n);
  for (int isa = 0; isa <= cst_isa_count; isa++) {
    if (isa < cst_isa_count && !cst_isa_available(isa))
      continue;
    const bool ours = isa < cst_isa_count;
    const int  wrong =
        differences(t, ours ? cst_tape_lanes_of(isa)->run : cst_interpret_portable.run,
                    ours ? cst_isas[isa].width : 4);
    OK(!wrong, "%s: the bits of the scalar functions, %s (%d others)",
       isa < cst_isa_count ? cst_isas[isa].name : "portable", what, wrong);
  }
  cst_tape_destroy(t);
  cst_graph_destroy(g);
}
#endif

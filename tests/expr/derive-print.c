/* derive-print.c: the driver of sympy.py. Each line of the input is six numbers and an expression of x, y, z:
 * the point and a direction; each line of the output the value, the gradient (3) and the second derivatives
 * along the direction, H w (3); or "error: ...". */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include "constella/expr.h"

static void answer(const char *text, const double *q, const double *w) {
  cst_graph     *g = cst_graph_create();
  cst_node       x[3], d[3], out[7];
  cst_expr_error error;
  double         result[7];
  for (int i = 0; i < 3; i++)
    x[i] = cst_graph_input(g, 'q', i), d[i] = cst_graph_input(g, 'w', i);
  const cst_binding names[] = {
      {.name = "x", .node = x[0]}, {.name = "y", .node = x[1]}, {.name = "z", .node = x[2]}};
  const cst_node one = cst_graph_constant(g, 1);
  out[0] = cst_expr_parse(g, text, names, 3, &error);
  if (out[0] < 0) {
    printf("error: %d: %s\n", error.offset, error.message);
  } else {
    cst_graph_gradient(g, out, &one, 1, x, 3, out + 1);
    cst_graph_tangent(g, out + 1, 3, x, d, 3, out + 4);
    cst_tape *t = cst_tape_create(g, out, 7);
    cst_evaluate_tape(t, (const double *const[128]){['q'] = q, ['w'] = w}, result);
    for (int i = 0; i < 7; i++)
      printf("%.17g%c", result[i], i < 6 ? ' ' : '\n');
    cst_tape_destroy(t);
  }
  cst_graph_destroy(g);
}

int main(void) {
  char  *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) {
    double q[3], w[3];
    int    n = 0;
    if (sscanf(line, "%lf %lf %lf %lf %lf %lf %n", q, q + 1, q + 2, w, w + 1, w + 2, &n) != 6)
      return fprintf(stderr, "six numbers and an expression expected\n"), 2;
    answer(line + n, q, w);
  }
  free(line);
  return 0;
}

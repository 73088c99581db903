/* test-loops.c: the kernels of chains and of pairs of bodies become loops of a length that does not grow with
 * the system, with the bits of straight evaluation.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "loops.h"

/* The number of statements of the text, without tables and braces. */
static int statements(const program *p, size_t *size) {
  char *text;
  FILE *f = open_memstream(&text, size);
  cst_graph_emit(p->g, p->out, p->nout, "  ", f);
  fclose(f);
  int n = 0;
  for (const char *c = text; (c = strchr(c, ';')); c++)
    n++;
  free(text);
  return n;
}

/* Link i of a chain whose joints are (q[2i], q[2i + 1]). */
static cst_node link_of(const program *p, int i) {
  cst_graph     *g = p->g;
  const cst_node zero = cst_graph_constant(g, 0), *q = p->q;
  const cst_node x = cst_graph_sub(g, q[2 * i], i ? q[2 * i - 2] : zero),
                 y = cst_graph_sub(g, q[2 * i + 1], i ? q[2 * i - 1] : zero);
  return cst_graph_sub(g, cst_graph_add(g, square(g, x), square(g, y)), square(g, p->c[0]));
}

/* m g sum of y. */
static cst_node height(const program *p, int n) {
  cst_node sum = cst_graph_constant(p->g, 0);
  for (int i = 0; i < n; i++)
    sum = cst_graph_add(
        p->g, sum, cst_graph_mul(p->g, cst_graph_mul(p->g, p->c[1], p->c[2]), p->q[2 * i + 1]));
  return sum;
}

/* g, the entries of Dg, D2g[v, v], Dg^T l, V and its gradient. */
static program chain(int n) {
  program        p = program_create(2 * n > 3 ? 2 * n : 3);
  const cst_node one = cst_graph_constant(p.g, 1);
  cst_node      *g = malloc(2 * (size_t)n * sizeof *g), *gv = g + n;
  for (int i = 0; i < n; i++)
    *add(&p, 1) = g[i] = link_of(&p, i);
  for (int i = 0; i < n; i++) {
    const int first = i ? 2 * i - 2 : 0, count = i ? 4 : 2;
    cst_graph_gradient(p.g, &g[i], &one, 1, p.q + first, count, add(&p, count));
  }
  cst_graph_tangent(p.g, g, n, p.q, p.v, 2 * n, gv);
  cst_graph_tangent(p.g, gv, n, p.q, p.v, 2 * n, add(&p, n));
  cst_graph_gradient(p.g, g, p.l, n, p.q, 2 * n, add(&p, 2 * n));
  const cst_node V = *add(&p, 1) = height(&p, n);
  cst_graph_gradient(p.g, &V, &one, 1, p.q, 2 * n, add(&p, 2 * n));
  free(g);
  return p;
}

/* Every pair of n bodies in space: V = sum of 1/r, its gradient, and D2V w. */
static program pairs(int n) {
  program        p = program_create(3 * n);
  const cst_node one = cst_graph_constant(p.g, 1);
  cst_node       V = cst_graph_constant(p.g, 0);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      cst_node r2 = cst_graph_constant(p.g, 0);
      for (int k = 0; k < 3; k++)
        r2 =
            cst_graph_add(p.g, r2, square(p.g, cst_graph_sub(p.g, p.q[3 * i + k], p.q[3 * j + k])));
      V = cst_graph_sub(p.g, V, cst_graph_div(p.g, p.c[0], cst_graph_call(p.g, "sqrt", r2, -1)));
    }
  *add(&p, 1) = V;
  cst_graph_gradient(p.g, &V, &one, 1, p.q, 3 * n, add(&p, 3 * n));
  cst_node *dV = malloc(3 * (size_t)n * sizeof *dV);
  memcpy(dV, p.out + 1, 3 * (size_t)n * sizeof *dV);
  cst_graph_tangent(p.g, dV, 3 * n, p.q, p.v, 3 * n, add(&p, 3 * n));
  free(dV);
  return p;
}

static void test_chains(void) {
  static const int sizes[] = {1, 7, 8, 20, 1000, 10000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char    what[40];
    program p = chain(sizes[i]);
    snprintf(what, sizeof what, "chain of %d", sizes[i]);
    test_tape(&p, what);
    if (sizes[i] > 8)
      test_emitted(&p, sizes[i] == 1000, what);
    program_destroy(&p);
  }
}

static void test_length(void) {
  program      small = chain(100), large = chain(10000);
  size_t       little, much;
  const int    a = code(&small), b = code(&large);
  const int    c = statements(&small, &little), d = statements(&large, &much);
  double       start = seconds();
  cst_tape    *t = cst_tape_create(large.g, large.out, large.nout);
  const double taped = seconds() - start;
  cst_tape_destroy(t);
  start = seconds();
  statements(&large, &much);
  const double emitted = seconds() - start;
  OK(a == b, "a tape of 100 links has %d instructions, of 10000 links %d", a, b);
  OK(c == d, "the C of 100 links has %d statements, of 10000 links %d", c, d);
  NOTE("%zu and %zu characters", little, much);
  OK(taped < 2 && emitted < 2, "10000 links: a tape in %.3f s, C in %.3f s", taped, emitted);
  program_destroy(&small), program_destroy(&large);
}

static void test_pairs(void) {
  static const int sizes[] = {3, 12, 40};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char    what[40];
    program p = pairs(sizes[i]);
    size_t  size;
    int     count;
    snprintf(what, sizeof what, "%d bodies", sizes[i]);
    free(cst_graph_order(p.g, p.out, p.nout, &count));
    NOTE("%s: %d operations, %d instructions, %d statements", what, count, code(&p),
         statements(&p, &size));
    test_tape(&p, what);
    test_emitted(&p, sizes[i] == 12, what);
    program_destroy(&p);
  }
}

int main(void) {
  test_chains();
  test_length();
  test_pairs();
  return tap_done();
}

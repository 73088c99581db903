/* test-loops-made.c: programs that are hard for loops: edge cases, sums of every form, depth, and random
 * layers of similar values. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "loops.h"

/* Outputs -1, constants, inputs, values twice and values of values among many others. */
static void test_edges(void) {
  enum { N = 300 };
  program p = program_create(2 * N);
  for (int i = 0; i < N; i++) {
    cst_graph     *g = p.g;
    const cst_node product = cst_graph_mul(g, p.q[i], p.v[i]),
                   root = cst_graph_call(g, "sqrt", square(g, p.q[i + 1]), -1);
    cst_node *out = add(&p, 14);
    out[0] = product, out[1] = -1, out[2] = product;
    out[3] = p.q[N - i], out[4] = p.c[0], out[5] = cst_graph_constant(g, -0.0);
    out[6] = cst_graph_constant(g, i % 3 ? 2.5 : INFINITY), out[7] = root;
    out[8] = cst_graph_div(g, cst_graph_call(g, "exp", root, -1), root),
    out[9] = cst_graph_neg(g, root);
    out[10] = cst_graph_call(g, "atan2", cst_graph_constant(g, -0.0), p.v[i]),
    out[11] = cst_graph_add(g, p.v[i], p.v[(i * 7) % N]);
    out[12] = cst_graph_pow(g, p.q[i], cst_graph_sub(g, p.v[0], out[11])),
    out[13] = i % 50 ? out[8] : cst_graph_sub(g, out[8], p.l[i]);
  }
  test_tape(&p, "edges"), test_emitted(&p, true, "edges");
  OK(code(&p) < 200, "edges: %d instructions for %d outputs", code(&p), p.nout);
  program_destroy(&p);
}

/* The chain on either side of +, terms on both sides of a sum that differ, sums of sums, and a sum with
 * another use. */
static void test_sums(void) {
  enum { N = 200 };
  program    p = program_create(2 * N);
  cst_graph *g = p.g;
  cst_node   left = p.v[0], right = cst_graph_call(g, "cos", p.q[0], -1), minus = p.c[0],
           all = cst_graph_constant(g, 0), inputs = p.q[0];
  for (int i = 1; i < N; i++) {
    const cst_node sine = cst_graph_call(g, "sin", p.q[i], -1),
                   product = cst_graph_mul(g, p.q[i], p.v[(7 * i) % N]);
    left = cst_graph_add(g, left, sine), right = cst_graph_add(g, product, right);
    minus = i == 77 ? cst_graph_add(g, minus, product) : cst_graph_sub(g, minus, product);
    inputs = cst_graph_add(g, inputs, p.q[i]);
  }
  for (int k = 0; k < 40; k++) {
    cst_node sum = cst_graph_constant(g, 0);
    for (int i = 0; i < 20 + k % 3; i++)
      sum = cst_graph_add(g, sum, square(g, cst_graph_sub(g, p.q[(i * 3 + k) % N], p.v[k])));
    all = cst_graph_add(g, all, cst_graph_call(g, "sqrt", sum, -1)), *add(&p, 1) = sum;
  }
  const cst_node out[] = {left,
                          right,
                          minus,
                          all,
                          inputs,
                          cst_graph_mul(g, left, right),
                          cst_graph_sub(g, cst_graph_add(g, left, right), all)};
  memcpy(add(&p, 7), out, sizeof out);
  test_tape(&p, "sums"), test_emitted(&p, true, "sums");
  OK(code(&p) < 150, "sums: %d instructions", code(&p));
  program_destroy(&p);
}

/* A sum of 100000 terms, and as many steps of a recurrence, which has no loop. */
static void test_deep(void) {
  enum { N = 100000 };
  program  p = program_create(N);
  cst_node sum = p.v[0], x = p.q[0];
  for (int i = 1; i < N; i++)
    sum = cst_graph_add(p.g, sum, cst_graph_mul(p.g, p.q[i], p.v[i]));
  for (int i = 1; i < N; i++)
    x = cst_graph_call(p.g, "sin", cst_graph_add(p.g, cst_graph_mul(p.g, x, p.v[i]), p.q[i]), -1);
  *add(&p, 1) = sum;
  const double start = seconds();
  OK(code(&p) < 20, "a sum of %d terms: %d instructions", N, code(&p));
  *add(&p, 1) = x;
  cst_tape *t = cst_tape_create(p.g, p.out, p.nout);
  OK(tape_differs(&p, t, NULL, 1, ordinary) == 0, "a deep sum and a deep recurrence");
  cst_tape_destroy(t);
  OK(seconds() - start < 10, "in %.2f s", seconds() - start);
  program_destroy(&p);
}

static int random_below(int n) { return (int)(random_unit() * n); }

/* Expressions made by one random recipe of `steps` operations on the operands x[0 .. n); the recipe is read
 * from its seed. */
static cst_node by_recipe(cst_graph *g, uint64_t recipe, int steps, const cst_node *x, int n) {
  static const char *const calls[] = {"sin", "sqrt", "exp", "cos"};
  const uint64_t           keep = random_state;
  cst_node                 value[40];
  random_state = recipe;
  for (int i = 0; i < n; i++)
    value[i] = x[i];
  for (int i = 0; i < steps; i++) {
    const int      kind = random_below(7);
    const cst_node a = value[random_below(n + i)], b = value[random_below(n + i)];
    value[n + i] = kind == 0   ? cst_graph_sub(g, a, b)
                   : kind == 1 ? cst_graph_div(g, a, b)
                   : kind < 4  ? cst_graph_add(g, a, b)
                   : kind < 6  ? cst_graph_mul(g, a, b)
                               : cst_graph_call(g, calls[random_below(4)], a, -1);
  }
  random_state = keep;
  return value[n + steps - 1];
}

/* Layers of similar values on random earlier ones, sums of some of them; some values are outputs. */
static program random_program(void) {
  enum { MOST = 600 };
  program   p = program_create(50);
  cst_node  value[MOST];
  int       n = 0;
  const int layers = 1 + random_below(4);
  for (; n < 100; n++)
    value[n] = n < 50 ? p.q[n] : p.v[n - 50];
  for (int k = 0; k < layers; k++) {
    const uint64_t recipe = random_state | 1;
    const int      operands = 1 + random_below(4), steps = 1 + random_below(12),
              rows = 5 + random_below(90), from = n;
    for (int r = 0; r < rows; r++) {
      cst_node x[4];
      for (int i = 0; i < operands; i++)
        x[i] = value[random_unit() < 0.3 ? r : random_below(from)];
      value[n++] = by_recipe(p.g, recipe, steps, x, operands);
      if (random_unit() < 0.7)
        *add(&p, 1) = value[n - 1];
    }
    cst_node sum = value[random_below(from)];
    for (int r = from; r < n; r++)
      sum = random_unit() < 0.02 ? cst_graph_sub(p.g, sum, value[r])
                                 : cst_graph_add(p.g, value[r], sum);
    *add(&p, 1) = value[n++] = sum;
  }
  for (int i = 0; i < 30; i++)
    *add(&p, 1) = random_unit() < 0.2 ? -1 : value[random_below(n)];
  return p;
}

static void test_random(int programs) {
  long bad = 0, loops = 0;
  for (int i = 0; i < programs; i++) {
    program   p = random_program();
    cst_tape *t = cst_tape_create(p.g, p.out, p.nout);
    bad += tape_differs(&p, t, NULL, 1, i % 2 ? wild : ordinary) +
           tape_differs(&p, t, cst_interpret_portable.run, 4, ordinary);
    loops += t->loops.count;
    cst_tape_destroy(t);
    if (i % 100 == 0)
      test_emitted(&p, false, "a random program");
    program_destroy(&p);
  }
  OK(bad == 0 && loops > programs, "%d random programs with %ld loops: %ld values differ", programs,
     loops, bad);
}

int main(void) {
  test_edges();
  test_sums();
  test_deep();
  test_random(500);
  return tap_done();
}

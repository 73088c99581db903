/* test-backends.c: in every width that this CPU supports, the interpreter gives in each lane the bits of the
 * scalar evaluation. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/tape-lanes.h"
#include "expressions.h"

enum { WIDEST = 8, POINTS = 4096, PROGRAM = 1024 };
typedef void run(const cst_tape *, const double *const in[128], double *, double *);

typedef struct {
  const char *name;
  int         width;
  run        *run;
} backend;

static int backends_available(backend *list) {
  int n = 0;
  for (int i = 0; i < cst_isa_count; i++)
    if (cst_isa_available(i))
      list[n++] = (backend){cst_lane_suffix(i), cst_isas[i].width, cst_tape_lanes_of(i)->run};
  list[n++] = (backend){"portable", 4, cst_interpret_portable.run};
  return n;
}

static double *vectors(size_t n) { return aligned_alloc(64, (n * sizeof(double) + 64) / 64 * 64); }

/* The number of lanes that differ from the scalar evaluation, over argument arrays of 3 components drawn by
 * draw(). */
static long differing(const cst_tape *t, const backend *b, double (*draw)(void), int rounds,
                      char *example, size_t size) {
  static const char letters[] = "qvwuct";
  const int         W = b->width, outputs = cst_tape_outputs(t);
  double           *out = vectors((size_t)outputs * WIDEST),
         *scratch = vectors((size_t)cst_tape_registers(t) * WIDEST), *args[6],
         *one = vectors((size_t)outputs);
  for (int j = 0; j < 6; j++)
    args[j] = vectors(NQ * WIDEST);
  long bad = 0;
  for (int k = 0; k < rounds; k++) {
    const double *in[128] = {0};
    for (int j = 0; j < 6; j++) {
      in[(int)letters[j]] = args[j];
      for (int i = 0; i < NQ * W; i++)
        args[j][i] = draw();
    }
    b->run(t, in, out, scratch);
    for (int l = 0; l < W; l++) {
      double        lane[6][NQ];
      const double *in1[128] = {0};
      for (int j = 0; j < 6; j++) {
        in1[(int)letters[j]] = lane[j];
        for (int i = 0; i < NQ; i++)
          lane[j][i] = args[j][i * W + l];
      }
      cst_evaluate_tape(t, in1, one);
      for (int o = 0; o < outputs; o++) {
        if (same_bits(one[o], out[o * W + l]))
          continue;
        if (!bad++)
          snprintf(example, size, "q %.17g %.17g %.17g: output %d is %.17g, not %.17g", lane[0][0],
                   lane[0][1], lane[0][2], o, out[o * W + l], one[o]);
      }
    }
  }
  for (int j = 0; j < 6; j++)
    free(args[j]);
  free(out), free(scratch), free(one);
  return bad;
}

static double ordinary(void) { return 4 * random_unit() - 1; }

static double positive(void) { return 0.01 + 3 * random_unit(); }
/* Between -1 and 1, to the ends. */
static double small(void) { return 1 - 2 * random_unit() * (random_unit() < 0.5 ? 1 : 1e-9); }
/* Any finite pattern of bits, and sometimes a special value. */
static double wild(void) {
  static const double special[] = {0.0,
                                   -0.0,
                                   1,
                                   -1,
                                   0.5,
                                   INFINITY,
                                   -INFINITY,
                                   NAN,
                                   0x1p-1074,
                                   0x1p-1022,
                                   0x1.fffffffffffffp1023,
                                   1e16,
                                   709.8,
                                   -745.2,
                                   1e5};
  const double        pick = random_unit();
  if (pick < 0.1)
    return special[(int)(random_unit() * (double)(sizeof special / sizeof *special))];
  return (random_unit() < 0.5 ? -1 : 1) *
         ldexp(1 + random_unit(),
               (int)(pick < 0.5 ? 40 * random_unit() - 20 : 2040 * random_unit() - 1020));
}

static void compare(const setting *s, const cst_node *out, int n, const char *what,
                    double (*draw)(void), const char *drawn, int rounds) {
  backend   list[CST_ISA_MOST + 1];
  const int count = backends_available(list);
  cst_tape *t = cst_tape_create(s->g, out, n);
  for (int i = 0; i < count; i++) {
    char       example[200] = "";
    const long bad = differing(t, &list[i], draw, rounds, example, sizeof example);
    if (!OK(bad == 0, "%s: %s, %s arguments, %d groups of %d", list[i].name, what, drawn, rounds,
            list[i].width))
      NOTE("%ld differ; %s", bad, example);
  }
  cst_tape_destroy(t);
}

static void test_function(const setting *s, const char *text) {
  const cst_node n = parse(s, text);
  compare(s, &n, 1, text, wild, "wild", POINTS);
  compare(s, &n, 1, text, positive, "positive", POINTS);
  compare(s, &n, 1, text, small, "small", POINTS);
}

static void test_functions(const setting *s) {
  static const char *const operators[] = {"x^y", "x + y", "x - y", "x*y", "x/y", "-x"};
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    test_function(s, operators[i]);
  for (int i = 0; call_of(i); i++)
    test_function(s, call_of(i));
}

/* Every expression, its gradient, its second and third order, in one tape. */
static int whole_program(const setting *s, cst_node out[PROGRAM]) {
  const cst_node one = cst_graph_constant(s->g, 1);
  int            n = 0;
  for (int i = 0; i < EXPRESSIONS; i++) {
    cst_node *o = out + n;
    o[0] = parse(s, expressions[i]);
    cst_graph_gradient(s->g, o, &one, 1, s->q, NQ, o + 1);
    cst_graph_tangent(s->g, o + 1, NQ, s->q, s->w, NQ, o + 4);
    cst_graph_tangent(s->g, o + 4, NQ, s->q, s->u, NQ, o + 7);
    n += 10;
  }
  return n;
}

static void test_program(const setting *s) {
  cst_node  out[PROGRAM];
  const int n = whole_program(s, out);
  compare(s, out, n, "all expressions to third order", positive, "positive", 200);
  compare(s, out, n, "all expressions to third order", ordinary, "ordinary", 200);
  compare(s, out, n, "all expressions to third order", wild, "wild", 200);
  cst_tape *t = cst_tape_create(s->g, out, n);
  OK(cst_tape_outputs(t) == n, "outputs are counted");
  OK(cst_tape_registers(t) < cst_graph_size(s->g) / 4, "%d registers for a graph of %d nodes",
     cst_tape_registers(t), cst_graph_size(s->g));
  cst_tape_destroy(t);
}

/* Each tape of one output gives the bits of the tape of all: the reuse of registers is correct. */
static void test_registers(const setting *s) {
  cst_node  out[PROGRAM];
  double    value[PROGRAM];
  const int n = whole_program(s, out);
  int       bad = 0;
  evaluate(s, out, n, &here, value);
  for (int i = 0; i < n; i++)
    bad += !same_bits(value[i], evaluate_one(s, out[i], &here));
  OK(bad == 0, "%d outputs together and one by one", n);
}

static void test_edges(const setting *s) {
  const cst_node product = parse(s, "x*y"),
                 out[] = {s->q[0], -1, parse(s, "2.5"), product, product, parse(s, "x*y + 1"),
                          s->q[0]};
  double value[7] = {0, 77};
  evaluate(s, out, 7, &here, value);
  const double x = here.q[0], xy = x * here.q[1];
  OK(value[0] == x && value[6] == x && value[2] == 2.5 && value[3] == xy && value[4] == xy &&
         value[5] == xy + 1,
     "inputs, constants and repeated outputs");
  OK(value[1] == 77, "an output without node stays as it was");
  compare(s, out, 1, "a tape that only copies", wild, "wild", 8);
  cst_tape *t = cst_tape_create(s->g, NULL, 0);
  cst_evaluate_tape(t, (const double *const[128]){0}, NULL);
  OK(cst_tape_outputs(t) == 0 && cst_tape_registers(t) == 0, "the empty tape");
  cst_tape_destroy(t);
}

/* More registers than fit on the stack of cst_evaluate_tape: a sum of many values that are all live at once.
 */
static void test_many_registers(const setting *s) {
  cst_node sine[700], sum = cst_graph_constant(s->g, 0), product = cst_graph_constant(s->g, 1);
  for (int i = 0; i < 700; i++)
    sine[i] = cst_graph_call(s->g, "sin",
                             cst_graph_mul(s->g, s->q[0], cst_graph_constant(s->g, i + 2)), -1),
    sum = cst_graph_add(s->g, sum, sine[i]);
  for (int i = 0; i < 700; i++)
    product = cst_graph_mul(s->g, product, cst_graph_add(s->g, sum, sine[i]));
  cst_tape *t = cst_tape_create(s->g, &product, 1);
  OK(cst_tape_registers(t) > 256, "%d registers", cst_tape_registers(t));
  cst_tape_destroy(t);
  compare(s, &product, 1, "700 values alive at once", ordinary, "ordinary", 4);
  double total = 0, expected = 1;
  for (int i = 0; i < 700; i++)
    total += cst_elementary_sin(here.q[0] * (i + 2));
  for (int i = 0; i < 700; i++)
    expected *= total + cst_elementary_sin(here.q[0] * (i + 2));
  OK(same_bits(expected, evaluate_one(s, product, &here)), "and their value");
}

int main(void) {
  setting s = setting_create();
  test_functions(&s);
  test_program(&s);
  test_registers(&s);
  test_edges(&s);
  test_many_registers(&s);
  cst_graph_destroy(s.g);
  return tap_done();
}

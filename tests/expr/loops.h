/* loops.h: shared by the tests of loops: programs of many outputs; compares the tape, scalar and over lanes,
 * and the emitted C of a program with an evaluation node by node.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LOOPS_H
#define LOOPS_H
#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "expr/tape-lanes.h"
#include "expr/tape.h"
#include "tap.h"

#ifndef CST_INCLUDE_DIR
#define CST_INCLUDE_DIR "include"
#endif
enum { WIDEST = 8 };
typedef void run(const cst_tape *, const double *const in[128], double *, double *);
typedef void kernel(const double *c, const double *q, const double *v, const double *l, double *o);
static const char letters[] = "cqvl";

static int same_bits(double a, double b) {
  return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a);
}
static uint64_t random_state = 88172645463325252u;
static double   random_unit(void) {
    random_state ^= random_state << 13, random_state ^= random_state >> 7,
        random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-53;
}
static double ordinary(void) { return 4 * random_unit() - 1; }
static double wild(void) {
  static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-1074, 1e200, -1e-200};
  const double        pick = random_unit();
  return pick < 0.05 ? special[(int)(random_unit() * 8)] : 4 * random_unit() - 2;
}
/* Of processor time: on a loaded machine the others pass slowly. */
static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Some outputs in entries of c, q, v and l, of which there are `entries` each. */
typedef struct {
  cst_graph *g;
  cst_node  *out, *q, *v, *l, c[3];
  int        nout, room, entries;
} program;

static program program_create(int entries) {
  program p = {.g = cst_graph_create(), .entries = entries};
  p.q = malloc(3 * (size_t)entries * sizeof *p.q), p.v = p.q + entries, p.l = p.v + entries;
  for (int i = 0; i < 3; i++)
    p.c[i] = cst_graph_input(p.g, 'c', i);
  for (int i = 0; i < entries; i++)
    p.q[i] = cst_graph_input(p.g, 'q', i);
  for (int i = 0; i < entries; i++)
    p.v[i] = cst_graph_input(p.g, 'v', i), p.l[i] = cst_graph_input(p.g, 'l', i);
  return p;
}

static void program_destroy(program *p) {
  cst_graph_destroy(p->g);
  free(p->q), free(p->out);
}

static cst_node *add(program *p, int n) {
  if (p->nout + n > p->room)
    p->room = 2 * p->room + n, p->out = realloc(p->out, (size_t)p->room * sizeof *p->out);
  p->nout += n;
  return p->out + p->nout - n;
}

/* The argument arrays, one value per entry and lane. */
static double *arguments(const program *p, int width, double (*draw)(void)) {
  const size_t n = 4 * (size_t)p->entries * (size_t)width;
  double      *x = aligned_alloc(64, (n * sizeof *x + 64) / 64 * 64);
  for (size_t i = 0; i < n; i++)
    x[i] = draw();
  return x;
}

static void point_into(const program *p, const double *x, int width, const double *in[128]) {
  for (int j = 0; j < 4; j++)
    in[(int)letters[j]] = x + (size_t)j * (size_t)p->entries * (size_t)width;
}

/* Node by node, without a tape. */
static void evaluate(const program *p, const double *const in[128], double *out) {
  int       count;
  cst_node *order = cst_graph_order(p->g, p->out, p->nout, &count);
  double   *value = malloc((size_t)p->g->size * sizeof *value);
  for (int i = 0; i < p->g->size; i++) {
    const cst_vertex *v = &p->g->node[i];
    value[i] = v->op == CST_OP_INPUT && in[v->a] ? in[v->a][v->b] : v->value;
  }
  for (int i = 0; i < count; i++) {
    const cst_vertex *v = &p->g->node[order[i]];
    value[order[i]] = cst_elementary_apply(v->op, value[v->a], v->b < 0 ? 0 : value[v->b]);
  }
  for (int k = 0; k < p->nout; k++)
    if (p->out[k] >= 0)
      out[k] = value[p->out[k]];
  free(value), free(order);
}

static double *untouched(size_t n) {
  double *x = aligned_alloc(64, (n * sizeof *x + 64) / 64 * 64);
  for (size_t i = 0; i < n; i++)
    x[i] = 77;
  return x;
}

/* The number of outputs of lane `lane` that differ from the evaluation node by node. */
static long differing(const program *p, const double *x, const double *out, int width, int lane) {
  double *one = malloc(4 * (size_t)p->entries * sizeof *one), *right = untouched((size_t)p->nout);
  const double *in[128] = {0};
  long          bad = 0;
  for (int i = 0; i < 4 * p->entries; i++)
    one[i] = x[i * width + lane];
  point_into(p, one, 1, in);
  evaluate(p, in, right);
  for (int k = 0; k < p->nout; k++)
    bad += !same_bits(right[k], out[k * width + lane]);
  free(one), free(right);
  return bad;
}

static long tape_differs(const program *p, const cst_tape *t, run *f, int width,
                         double (*draw)(void)) {
  double       *x = arguments(p, width, draw), *out = untouched((size_t)p->nout * (size_t)width);
  double       *scratch = untouched((size_t)cst_tape_registers(t) * (size_t)width);
  const double *in[128] = {0};
  point_into(p, x, width, in);
  if (f)
    f(t, in, out, scratch);
  else
    cst_evaluate_tape(t, in, out);
  long bad = differing(p, x, out, width, 0);
  if (width > 1)
    bad += differing(p, x, out, width, width - 1);
  free(x), free(out), free(scratch);
  return bad;
}

static void test_tape(const program *p, const char *what) {
  cst_tape *t = cst_tape_create(p->g, p->out, p->nout);
  OK(tape_differs(p, t, NULL, 1, ordinary) == 0,
     "%s: the tape has the bits of evaluation node by node", what);
  OK(tape_differs(p, t, NULL, 1, wild) == 0, "%s: with zeros of both signs, infinities and NaN",
     what);
  for (int i = 0; i < cst_isa_count; i++)
    if (cst_isa_available(i))
      OK(tape_differs(p, t, cst_tape_lanes_of(i)->run, cst_isas[i].width, ordinary) +
                 tape_differs(p, t, cst_tape_lanes_of(i)->run, cst_isas[i].width, wild) ==
             0,
         "%s: %s lanes", what, cst_isas[i].name);
  OK(tape_differs(p, t, cst_interpret_portable.run, 4, wild) == 0, "%s: portable lanes", what);
  cst_tape_destroy(t);
}

static int code(const program *p) {
  cst_tape *t = cst_tape_create(p->g, p->out, p->nout);
  const int n = t->length;
  cst_tape_destroy(t);
  return n;
}

static void write_source(const program *p, const char *path) {
  FILE *f = fopen(path, "w");
  fprintf(f, "#include \"constella/lanes.h\"\n#include \"core/inverse-root.h\"\nvoid kernel(const "
             "vd *c, const vd *q, const vd *v, const vd "
             "*l, vd *o) {\n"
             "  (void)c, (void)q, (void)v, (void)l, (void)o;\n");
  cst_graph_emit(p->g, p->out, p->nout, "  ", f);
  fprintf(f, "}\n");
  fclose(f);
}

static void test_loaded(const program *p, kernel *f, int width, const char *what) {
  for (int k = 0; k < 2; k++) {
    double *x = arguments(p, width, k ? wild : ordinary),
           *out = untouched((size_t)width * (size_t)p->nout);
    const double *in[128] = {0};
    point_into(p, x, width, in);
    f(in['c'], in['q'], in['v'], in['l'], out);
    OK(differing(p, x, out, width, 0) + differing(p, x, out, width, width - 1) == 0,
       "%s: the emitted C has the same bits", what);
    free(x), free(out);
  }
}

static void test_compiled(const program *p, const char *directory, const char *flags, int width,
                          const char *what) {
  char source[100], library[100], command[600];
  snprintf(source, sizeof source, "%s/kernel.c", directory),
      snprintf(library, sizeof library, "%s/kernel%d.so", directory, width);
  write_source(p, source);
  snprintf(command, sizeof command,
           "cc -std=gnu11 -O1 -Wall -Wextra -Werror -Wno-psabi -ffp-contract=off %s -DCST_W=%d "
           "-I%s -I%s/../src -shared "
           "-fPIC '%s' -o '%s' -lsleef -lm",
           flags, width, CST_INCLUDE_DIR, CST_INCLUDE_DIR, source, library);
  if (OK(system(command) == 0, "%s: the emitted C of %d lanes compiles without a warning", what,
         width)) {
    void   *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    kernel *f = handle ? (kernel *)dlsym(handle, "kernel") : NULL;
    if (OK(f != NULL, "%s: and loads", what))
      test_loaded(p, f, width, what);
    if (handle)
      dlclose(handle);
    unlink(library);
  }
  unlink(source);
}

/* In plain C with two lanes; if `both`, also for the widest instruction set of this CPU. */
static void test_emitted(const program *p, bool both, const char *what) {
  char      directory[] = "/tmp/constella-loops-XXXXXX", flags[60];
  const int widest = cst_isa_choose(NULL);
  if (system("cc --version >/dev/null 2>&1") || !mkdtemp(directory))
    return;
  test_compiled(p, directory, "-DCST_PORTABLE", 2, what);
  snprintf(flags, sizeof flags, "-march=x86-64-%s -mprefer-vector-width=512",
           widest < 0 ? "" : cst_isas[widest].name);
  if (both && widest >= 0 && cst_isa_count > 1)
    test_compiled(p, directory, flags, cst_isas[widest].width, what);
  rmdir(directory);
}

static cst_node square(cst_graph *g, cst_node a) { return cst_graph_mul(g, a, a); }
#endif

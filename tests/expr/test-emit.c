/* test-emit.c: the emitted C, compiled and loaded, gives the bits of the tape, for every instruction set of
 * this CPU.
 *
 * Runs where the headers are in ./include (or CST_INCLUDE_DIR); skipped where there is no C compiler.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <dlfcn.h>
#include <locale.h>
#include <unistd.h>
#include "expressions.h"

#ifndef CST_INCLUDE_DIR
#define CST_INCLUDE_DIR "include"
#endif
enum { PROGRAM = 1024, WIDEST = 8, ROUNDS = 500 };
typedef void kernel(const double *q, const double *v, const double *w, const double *u,
                    const double *c, const double *t, double *o);

static const struct {
  const char *name, *flags;
  int         width;
} sets[] = {{"v2", "-march=x86-64-v2 -DCST_W=2", 2},
            {"v3", "-march=x86-64-v3 -DCST_W=4", 4},
            {"v4", "-march=x86-64-v4 -mprefer-vector-width=512 -DCST_W=8", 8},
            {"portable", "-DCST_PORTABLE -DCST_W=4", 4}};

static int available(int i) {
#ifdef __x86_64__
  if (i == 0)
    return !!__builtin_cpu_supports("sse4.2");
  if (i == 1)
    return !!__builtin_cpu_supports("avx2");
  if (i == 2)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#endif
  return i == 3;
}

static int program(const setting *s, cst_node out[PROGRAM]) {
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
  for (int i = 0; call_of(i); i++) {
    out[n] = parse(s, call_of(i));
    cst_graph_gradient(s->g, &out[n], &one, 1, s->q, NQ, out + n + 1);
    n += 1 + NQ;
  }
  out[n++] = cst_graph_constant(s->g, INFINITY);
  out[n++] = cst_graph_constant(s->g, -INFINITY);
  out[n++] = cst_graph_constant(s->g, 1e300);
  out[n++] = cst_graph_constant(s->g, -0.0);
  out[n++] = cst_graph_add(s->g, s->q[0], cst_graph_constant(s->g, -1e-310));
  out[n++] = cst_graph_constant(s->g, NAN);
  out[n++] = cst_graph_call(s->g, "atan2", cst_graph_constant(s->g, -0.0), s->q[0]);
  out[n++] = cst_graph_div(s->g, cst_graph_constant(s->g, -1), s->q[1]);
  return n;
}

static void write_source(const setting *s, const cst_node *out, int n, const char *path) {
  FILE *f = fopen(path, "w");
  fprintf(f, "#include \"constella/lanes.h\"\n#include \"core/inverse-root.h\"\nvoid kernel(const "
             "vd *restrict q, const vd *restrict "
             "v, const "
             "vd *restrict w, const vd "
             "*restrict u,\n"
             "            const vd *restrict c, const vd *restrict t, vd *restrict o) {\n  "
             "(void)q, (void)v, "
             "(void)w, (void)u, (void)c, "
             "(void)t;\n");
  cst_graph_emit(s->g, out, n, "  ", f);
  fprintf(f, "}\n");
  fclose(f);
}

static double draw(int k) { return k % 2 ? 4 * random_unit() - 1 : 0.01 + 3 * random_unit(); }

static long differing(const cst_tape *t, kernel *f, int W) {
  const int n = cst_tape_outputs(t);
  double   *args = aligned_alloc(64, 6 * NQ * WIDEST * sizeof *args),
         *out = aligned_alloc(64, PROGRAM * WIDEST * sizeof *out), one[PROGRAM];
  long bad = 0;
  for (int k = 0; k < ROUNDS; k++) {
    for (int i = 0; i < 6 * NQ * WIDEST; i++)
      args[i] = draw(k);
    double *a[6];
    for (int j = 0; j < 6; j++)
      a[j] = args + j * NQ * WIDEST;
    f(a[0], a[1], a[2], a[3], a[4], a[5], out);
    for (int l = 0; l < W; l++) {
      double lane[6][NQ];
      for (int j = 0; j < 6; j++)
        for (int i = 0; i < NQ; i++)
          lane[j][i] = a[j][i * W + l];
      const double *in[128] = {['q'] = lane[0], ['v'] = lane[1], ['w'] = lane[2],
                               ['u'] = lane[3], ['c'] = lane[4], ['t'] = lane[5]};
      cst_evaluate_tape(t, in, one);
      for (int i = 0; i < n; i++)
        bad += !same_bits(one[i], out[i * W + l]);
    }
  }
  free(args), free(out);
  return bad;
}

static void test_set(const cst_tape *t, const char *source, const char *directory, int i) {
  char command[1000], library[300];
  snprintf(library, sizeof library, "%s/%s.so", directory, sets[i].name);
  snprintf(command, sizeof command,
           "cc -std=gnu11 -O2 -Wall -Wextra -Werror -Wno-psabi -ffp-contract=off %s -I%s "
           "-I%s/../src -shared "
           "-fPIC '%s' "
           "-o '%s' -lsleef -lm",
           sets[i].flags, CST_INCLUDE_DIR, CST_INCLUDE_DIR, source, library);
  if (!OK(system(command) == 0, "%s: the emitted text compiles without a warning", sets[i].name))
    return;
  void   *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  kernel *f = handle ? (kernel *)dlsym(handle, "kernel") : NULL;
  if (OK(f != NULL, "%s: it loads", sets[i].name)) {
    const long bad = differing(t, f, sets[i].width);
    OK(bad == 0, "%s: %d outputs at %d points: %ld differ from the tape", sets[i].name,
       cst_tape_outputs(t), ROUNDS * sets[i].width, bad);
  }
  if (handle)
    dlclose(handle);
  unlink(library);
}

/* The second time in a locale with a decimal comma, where the machine has one. */
static void test_twice_the_same(const setting *s, const cst_node *out, int n) {
  char  *text[2];
  size_t size[2];
  for (int k = 0; k < 2; k++) {
    if (k)
      setlocale(LC_ALL, "de_DE.UTF-8");
    FILE *f = open_memstream(&text[k], &size[k]);
    cst_graph_emit(s->g, out, n, "", f);
    fclose(f);
  }
  double value;
  OK(!strcmp(text[0], text[1]), "emitted twice, the same text");
  OK(cst_graph_is_constant(s->g, parse(s, "2.5"), &value) && value == 2.5,
     "numbers have a point in every locale");
  setlocale(LC_ALL, "C");
  free(text[0]), free(text[1]);
}

int main(void) {
  if (system("cc --version >/dev/null 2>&1")) {
    printf("1..0 # SKIP no C compiler\n");
    return 0;
  }
  setting   s = setting_create();
  cst_node  out[PROGRAM];
  const int n = program(&s, out);
  cst_tape *t = cst_tape_create(s.g, out, n);
  char      directory[] = "/tmp/constella-emit-XXXXXX", source[100];
  if (!OK(mkdtemp(directory) != NULL, "a directory to work in"))
    return tap_done();
  snprintf(source, sizeof source, "%s/kernel.c", directory);
  write_source(&s, out, n, source);
  for (int i = 0; i < 4; i++)
    if (available(i))
      test_set(t, source, directory, i);
  test_twice_the_same(&s, out, n);
  unlink(source);
  rmdir(directory);
  cst_tape_destroy(t);
  cst_graph_destroy(s.g);
  return tap_done();
}

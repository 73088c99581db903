/* test-texts.c: what studies define for methods lives as long as they do: a program reads many studies with texts of
 * every kind, one after another, and nothing of them stays.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "study/rows/study.h"
#include "method/method.h"
#include "tap.h"

/* LEAST: less bytes than those of the texts of a study; libfyaml keeps some. */
enum { STUDIES = 100, BEFORE = 4, LEAST = 2000 };

/* %1$d is a number that makes texts of one study others than those of the next. */
static const char of_points[] =
    "study: order\nsystem: planar-pendulum\nend: 1\nsteps: [0.1]\nreference: exact\n"
    "layers:\n"
    "  mine: {a: [[0, 0], [2/3, 0]], b: [1/4 + %1$d - %1$d, 3/4]}\n"
    "  compiled: {file: jobs/layers/kutta38.c}\n"
    "schemes:\n  triple: [1.5, -2, 1.5]\n"
    "maps:\n"
    "  even: {define: {w: v/%1$d}, left: q - v/2 + w^2/8, right: q + v/2 + w^2/8}\n"
    "retractions:\n  bent: {point: q + v + v^3/%1$d}\n"
    "iotas:\n  ray: {fibre: q + q*theta*(1 + theta/%1$d)}\n"
    "methods:\n  - project(mine)\n  - convert(compiled)\n  - compose(rattle, triple)\n"
    "  - discretization(map=even)\n  - discretization(retraction=bent, theta=0.25)\n"
    "  - 'discretization(map={left: q - v/2, right: q + v/2 + v^3/%1$d})'\n"
    "  - convert(mine, iota=ray)\n  - 'convert(rk4, iota={fibre: q + q*theta/%1$d})'\n";
static const char of_rotations[] =
    "study: order\nsystem: pivoted-top\nend: 1\nsteps: [0.1]\n"
    "reference: {method: \"gauss(2)\", step: 0.05}\n"
    "retractions:\n  other: {define: {c: 1/%1$d}, tangent: 1/2 + c*s}\n"
    "  axes: {tangent: [\"x[1]/2\", \"x[2]/2\", \"x[3]/2 + x[1]*x[2]/%1$d\"]}\n"
    "methods:\n  - lie-rattle(retraction=other)\n  - lie-euler-a(retraction=axes)\n"
    "  - 'lie-lobatto(retraction={tangent: 1/2 + s^2/%1$d})'\n";

static const char *share(cst_fetch *fetch, const char *path, char **bytes, size_t *length) {
  return cst_reader_share_alone(fetch, path, bytes, length);
}

static cst_study *read_number(int i) {
  char        text[4096];
  cst_diag   *d = cst_diag_create();
  const char *form = i % 2 ? of_points : of_rotations;
  snprintf(text, sizeof text, form, i + 2);
  cst_study *s = cst_study_read("./t.yaml", text, strlen(text), share, d);
  if (!s)
    cst_diag_print(d, stdout);
  cst_diag_destroy(d);
  return s;
}

/* How many objects are loaded from memory. */
static int loaded(void) {
  char  line[4096];
  int   n = 0;
  FILE *f = fopen("/proc/self/maps", "r");
  while (f && fgets(line, sizeof line, f))
    n += strstr(line, "constella-object") && strstr(line, " r-xp ");
  if (f)
    fclose(f);
  return n;
}

/* The argument of the first method of the study. */
static const cst_text *retraction(const cst_study *s) {
  return cst_method_root(s->methods.method[0])->arg[0]->text;
}

static void one_after_another(void) {
  bool   read = true, gone = true, numbered = true;
  size_t before = 0;
  for (int i = 0; i < STUDIES + BEFORE; i++) {
    if (i == BEFORE)
      before = mallinfo2().uordblks;
    cst_study *s = read_number(i);
    read &= s && s->methods.n == (i % 2 ? 8 : 3) && loaded() == i % 2;
    numbered &= s && (i % 2 || retraction(s)->number == 1);
    cst_study_destroy(s);
    gone &= loaded() == 0;
  }
  const long more = (long)mallinfo2().uordblks - (long)before;
  OK(read, "%d studies with texts of every kind", STUDIES);
  OK(gone, "the layers in C of each are unloaded with it");
  OK(numbered, "the texts of each are counted anew");
  OK(more < LEAST * STUDIES, "and none leaves its registry behind, %ld bytes", more);
}

/* Methods that a program makes with the layers of a file stay when these are destroyed. */
static void method_alone(void) {
  static const char text[] = "layers:\n  compiled: {file: jobs/layers/kutta38.c}\n"
                             "schemes:\n  triple: [1.5, -2, 1.5]\n"
                             "iotas:\n  ray: {fibre: q + q*theta*(1 + theta/3)}\n";
  char              why[400];
  cst_expr_error    e;
  cst_diag         *d = cst_diag_create();
  cst_system       *s = cst_catalogue_create("planar-pendulum");
  cst_layers       *l = cst_study_read_layers("./t.yaml", text, strlen(text), share, d);
  cst_method       *m =
      cst_method_parse("compose(convert(compiled, bias=-0.5, iota=ray), triple)", l, &e);
  cst_layers_destroy(l);
  OK(m && cst_method_fits(m, s, why, sizeof why) && loaded() == 1, "a method outlives its layers");
  cst_prepared *p = cst_method_prepare(m, s);
  OK(p->program->n == 3 && p->properties.order_q == 4, "and expands to %d substeps", p->program->n);
  cst_program_prepared_destroy(p);
  cst_method_destroy(m);
  OK(loaded() == 0, "with it they are gone");
  cst_system_destroy(s);
  cst_diag_destroy(d);
}

int main(void) {
  char cache[] = "/tmp/constella-test-XXXXXX", command[100];
  if (!mkdtemp(cache))
    abort();
  setenv("XDG_CACHE_HOME", cache, 1);
  unsetenv("CONSTELLA_CC");
  one_after_another();
  method_alone();
  snprintf(command, sizeof command, "rm -rf '%s'", cache);
  return system(command) || tap_done();
}

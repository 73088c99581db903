/* test-hostile.c: nesting, length and nonsense are bounded: an error with a place, never a crash, an endless loop or a deep stack. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <time.h>
#include "expressions.h"

/* `n` times open, then middle, then n times end. */
static char *repeated(const char *open, const char *middle, const char *end, size_t n) {
  const size_t a = strlen(open), b = strlen(middle), c = strlen(end);
  char        *s = malloc(n * (a + c) + b + 1), *p = s;
  for (size_t i = 0; i < n; i++, p += a) memcpy(p, open, a);
  memcpy(p, middle, b), p += b;
  for (size_t i = 0; i < n; i++, p += c) memcpy(p, end, c);
  *p = '\0';
  return s;
}

static void test_depth(const setting *s) {
  static const struct {
    const char *open, *end, *what;
    int         at; /* of what is counted in open */
  } forms[] = {{"(", ")", "parentheses", 0},
               {"-", "", "minus signs", 0},
               {"x^", "", "powers", 1},
               {"sin(", ")", "calls", 3},
               {"atan2(x,", ")", "second arguments", 5}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    cst_expr_error error = {-1, ""};
    char          *most = repeated(forms[i].open, "x", forms[i].end, CST_EXPR_DEPTH),
         *more = repeated(forms[i].open, "x", forms[i].end, CST_EXPR_DEPTH + 1),
         *many = repeated(forms[i].open, "x", forms[i].end, 1000000);
    OK(cst_expr_parse(s->g, most, s->names, NAMES, &error) >= 0, "%d nested %s", CST_EXPR_DEPTH, forms[i].what) ||
        (printf("# %s\n", error.message), 0);
    const int offset = CST_EXPR_DEPTH * (int)strlen(forms[i].open) + forms[i].at;
    OK(cst_expr_parse(s->g, more, s->names, NAMES, &error) < 0 && error.offset == offset &&
           !strcmp(error.message, "nested deeper than 200"),
       "one more is refused at %d", offset) ||
        (printf("# %d: %s\n", error.offset, error.message), 0);
    OK(cst_expr_parse(s->g, many, s->names, NAMES, &error) < 0 && error.offset == offset, "a million nested %s", forms[i].what);
    free(most), free(more), free(many);
  }
  char          *wide = repeated("(x)*", "1", "+((x))", 20000);
  cst_expr_error error;
  OK(cst_expr_parse(s->g, wide, s->names, NAMES, &error) >= 0, "nesting is depth, not count");
  free(wide);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A sum and a product of 200000 links: graphs as deep as they are large. */
static void test_long(const setting *s) {
  enum { LINKS = 200000 };
  const double   start = seconds();
  char          *text = repeated("sin(x + y)*x + ", "z", "*y - x", LINKS);
  cst_expr_error error;
  const cst_node n = cst_expr_parse(s->g, text, s->names, NAMES, &error), one = cst_graph_constant(s->g, 1);
  cst_node       grad[NQ], hess[NQ], swapped[NQ];
  OK(n >= 0, "a sum of %d terms parses", 2 * LINKS);
  cst_graph_gradient(s->g, &n, &one, 1, s->q, NQ, grad);
  cst_graph_tangent(s->g, grad, NQ, s->q, s->w, NQ, hess);
  cst_graph_substitute(s->g, hess, NQ, s->q, s->v, NQ, swapped);
  OK(isfinite(evaluate_one(s, hess[0], &here)) && isfinite(evaluate_one(s, swapped[0], &here)), "and derives, substitutes and evaluates");
  free(text);
  cst_node deep = s->q[0];
  for (int i = 0; i < LINKS; i++) deep = cst_graph_call(s->g, "sin", cst_graph_add(s->g, deep, s->q[1]), -1);
  cst_graph_gradient(s->g, &deep, &one, 1, s->q, NQ, grad);
  FILE *f = fopen("/dev/null", "w");
  cst_graph_emit(s->g, grad, NQ, "", f);
  fclose(f);
  OK(isfinite(evaluate_one(s, grad[1], &here)), "%d calls in one another derive, evaluate and are emitted", LINKS);
  if (!OK(seconds() - start < 20, "in a few seconds")) NOTE("%g s", seconds() - start);
}

static void test_powers(const setting *s) {
  const int      size = cst_graph_size(s->g);
  const cst_node n = parse(s, "((((x^65535)^65535)^65535.5)^65535)^-65535.5");
  OK(n >= 0 && cst_graph_size(s->g) - size < 300, "towers of large powers take %d nodes", cst_graph_size(s->g) - size);
}

/* Whatever the text is: a node, or an error with a place inside it and a message. */
static int sound(const setting *s, const char *text) {
  cst_expr_error error = {-1, ""};
  const cst_node n = cst_expr_parse(s->g, text, s->names, NAMES, &error);
  if (n >= 0) return n < cst_graph_size(s->g);
  const size_t length = strlen(error.message);
  return n == -1 && error.offset >= 0 && (size_t)error.offset <= strlen(text) && length > 0 && length < sizeof error.message;
}

static void test_nonsense(void) {
  static const char alphabet[] = "xyzabt'0123456789.eE+-*/^(),  sincoqrtlgpaxn2_#\n\x01\xff\xc3";
  setting           s = setting_create();
  int               bad = 0, parsed = 0;
  for (int i = 0; i < 200000; i++) {
    char      text[40];
    const int n = (int)(random_unit() * 39);
    for (int j = 0; j < n; j++) text[j] = alphabet[(int)(random_unit() * (double)(sizeof alphabet - 1))];
    text[n] = '\0';
    bad += !sound(&s, text);
  }
  OK(bad == 0, "200000 random texts");
  for (int i = 0; i < 100000; i++) {
    char text[200];
    snprintf(text, sizeof text, "%s", expressions[(int)(random_unit() * EXPRESSIONS)]);
    const size_t n = strlen(text);
    for (int k = 0; k <= (int)(random_unit() * 2); k++)
      text[(size_t)(random_unit() * (double)n)] = alphabet[(int)(random_unit() * (double)(sizeof alphabet - 1))];
    if (random_unit() < 0.3) text[(size_t)(random_unit() * (double)n)] = '\0';
    bad += !sound(&s, text);
    cst_expr_error error;
    parsed += cst_expr_parse(s.g, text, s.names, NAMES, &error) >= 0;
  }
  OK(bad == 0 && parsed > 1000, "100000 expressions with mistakes, of which %d still parse", parsed);
  cst_graph_destroy(s.g);
}

static void test_long_words(const setting *s) {
  char *name = repeated("n", "", "", 1000000), *digits = repeated("7", "", "", 1000000), *primes = repeated("'", "", "", 1000000),
       *blanks = repeated(" ", "", "", 1000000);
  cst_expr_error error;
  OK(sound(s, name), "a name of a million letters");
  OK(cst_expr_parse(s->g, digits, s->names, NAMES, &error) < 0 && error.offset == 0 && strstr(error.message, "too large"),
     "a number of a million digits");
  OK(sound(s, primes) && sound(s, blanks), "a million apostrophes, a million blanks");
  free(name), free(digits), free(primes), free(blanks);
}

int main(void) {
  setting s = setting_create();
  test_depth(&s);
  test_long(&s);
  test_powers(&s);
  test_nonsense();
  test_long_words(&s);
  cst_graph_destroy(s.g);
  return tap_done();
}

/* test-hostile.c: deep nesting, long texts and nonsense give an error with a place, never a crash, an endless
 * loop or a deep stack. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <time.h>
#include "expressions.h"

/* `n` times open, then middle, then n times end. */
static char *repeated(const char *open, const char *middle, const char *end, size_t n) {
  const size_t a = strlen(open), b = strlen(middle), c = strlen(end);
  char        *s = malloc(n * (a + c) + b + 1), *p = s;
  for (size_t i = 0; i < n; i++, p += a)
    memcpy(p, open, a);
  memcpy(p, middle, b), p += b;
  for (size_t i = 0; i < n; i++, p += c)
    memcpy(p, end, c);
  *p = '\0';
  return s;
}

static void test_depth(const setting *s) {
  static const struct {
    const char *open, *end, *what;
    int         at; /* in units of open */
  } forms[] = {{"(", ")", "parentheses", 0},
               {"-", "", "minus signs", 0},
               {"x^", "", "powers", 1},
               {"sin(", ")", "calls", 3},
               {"atan2(x,", ")", "second arguments", 5}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    cst_expr_error error = {.offset = -1};
    char          *most = repeated(forms[i].open, "x", forms[i].end, CST_EXPR_DEPTH),
         *more = repeated(forms[i].open, "x", forms[i].end, CST_EXPR_DEPTH + 1),
         *many = repeated(forms[i].open, "x", forms[i].end, 1000000);
    OK(cst_expr_parse(s->g, most, s->names, NAMES, &error) >= 0, "%d nested %s", CST_EXPR_DEPTH,
       forms[i].what) ||
        (printf("# %s\n", error.message), 0);
    const int offset = CST_EXPR_DEPTH * (int)strlen(forms[i].open) + forms[i].at;
    OK(cst_expr_parse(s->g, more, s->names, NAMES, &error) < 0 && error.offset == offset &&
           !strcmp(error.message, "nested deeper than 200"),
       "one more is refused at %d", offset) ||
        (printf("# %d: %s\n", error.offset, error.message), 0);
    OK(cst_expr_parse(s->g, many, s->names, NAMES, &error) < 0 && error.offset == offset,
       "a million nested %s", forms[i].what);
    free(most), free(more), free(many);
  }
  char          *wide = repeated("(x)*", "1", "+((x))", 20000);
  cst_expr_error error;
  OK(cst_expr_parse(s->g, wide, s->names, NAMES, &error) >= 0, "nesting is depth, not count");
  free(wide);
}

/* The sanitizers make the same work take many times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { FEW_SECONDS = 400 };
#else
enum { FEW_SECONDS = 20 };
#endif

/* Of the processor: others may be at work too. */
static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A sum and a product of 200000 links: graphs as deep as they are large. */
static void test_long(const setting *s) {
  enum { LINKS = 200000 };
  const double   start = seconds();
  char          *text = repeated("sin(x + y)*x + ", "z", "*y - x", LINKS);
  cst_expr_error error;
  const cst_node n = cst_expr_parse(s->g, text, s->names, NAMES, &error),
                 one = cst_graph_constant(s->g, 1);
  cst_node grad[NQ], hess[NQ], swapped[NQ];
  OK(n >= 0, "a sum of %d terms parses", 2 * LINKS);
  cst_graph_gradient(s->g, &n, &one, 1, s->q, NQ, grad);
  cst_graph_tangent(s->g, grad, NQ, s->q, s->w, NQ, hess);
  cst_graph_substitute(s->g, hess, NQ, s->q, s->v, NQ, swapped);
  OK(isfinite(evaluate_one(s, hess[0], &here)) && isfinite(evaluate_one(s, swapped[0], &here)),
     "and derives, substitutes and evaluates");
  free(text);
  cst_node deep = s->q[0];
  for (int i = 0; i < LINKS; i++)
    deep = cst_graph_call(s->g, "sin", cst_graph_add(s->g, deep, s->q[1]), -1);
  cst_graph_gradient(s->g, &deep, &one, 1, s->q, NQ, grad);
  FILE *f = fopen("/dev/null", "w");
  cst_graph_emit(s->g, grad, NQ, "", f);
  fclose(f);
  OK(isfinite(evaluate_one(s, grad[1], &here)),
     "%d calls in one another derive, evaluate and are emitted", LINKS);
  if (!OK(seconds() - start < FEW_SECONDS, "in a few seconds"))
    NOTE("%g s", seconds() - start);
}

static void test_powers(const setting *s) {
  const int      size = cst_graph_size(s->g);
  const cst_node n = parse(s, "((((x^65535)^65535)^65535.5)^65535)^-65535.5");
  OK(n >= 0 && cst_graph_size(s->g) - size < 300, "towers of large powers take %d nodes",
     cst_graph_size(s->g) - size);
}

/* Every text gives a node, or an error with a message and a place inside the text. */
static int sound(const setting *s, const char *text) {
  cst_expr_error error = {.offset = -1};
  const cst_node n = cst_expr_parse(s->g, text, s->names, NAMES, &error);
  if (n >= 0)
    return n < cst_graph_size(s->g);
  const size_t length = strlen(error.message);
  return n == -1 && error.offset >= 0 && (size_t)error.offset <= strlen(text) && length > 0 &&
         length < sizeof error.message;
}

static void test_nonsense(void) {
  static const char alphabet[] =
      "xyzabt'0123456789.eE+-*/^(),  sincoqrtlgpaxn2_#[]um\n\x01\xff\xc3";
  setting s = setting_create();
  int     bad = 0, parsed = 0;
  for (int i = 0; i < 200000; i++) {
    char      text[40];
    const int n = (int)(random_unit() * 39);
    for (int j = 0; j < n; j++)
      text[j] = alphabet[(int)(random_unit() * (double)(sizeof alphabet - 1))];
    text[n] = '\0';
    bad += !sound(&s, text);
  }
  OK(bad == 0, "200000 random texts");
  for (int i = 0; i < 100000; i++) {
    char text[200];
    snprintf(text, sizeof text, "%s", expressions[(int)(random_unit() * EXPRESSIONS)]);
    const size_t n = strlen(text);
    for (int k = 0; k <= (int)(random_unit() * 2); k++)
      text[(size_t)(random_unit() * (double)n)] =
          alphabet[(int)(random_unit() * (double)(sizeof alphabet - 1))];
    if (random_unit() < 0.3)
      text[(size_t)(random_unit() * (double)n)] = '\0';
    bad += !sound(&s, text);
    cst_expr_error error;
    parsed += cst_expr_parse(s.g, text, s.names, NAMES, &error) >= 0;
  }
  OK(bad == 0 && parsed > 1000, "100000 expressions with mistakes, of which %d still parse",
     parsed);
  cst_graph_destroy(s.g);
}

static void test_long_words(const setting *s) {
  char *name = repeated("n", "", "", 1000000), *digits = repeated("7", "", "", 1000000),
       *primes = repeated("'", "", "", 1000000), *blanks = repeated(" ", "", "", 1000000);
  cst_expr_error error;
  OK(sound(s, name), "a name of a million letters");
  OK(cst_expr_parse(s->g, digits, s->names, NAMES, &error) < 0 && error.offset == 0 &&
         strstr(error.message, "too large"),
     "a number of a million digits");
  OK(sound(s, primes) && sound(s, blanks), "a million apostrophes, a million blanks");
  free(name), free(digits), free(primes), free(blanks);
}

/* The names of setting with an array xs of their three q. */
static cst_node with_array(const setting *s, const char *text, cst_expr_error *error) {
  cst_binding names[NAMES + 1];
  memcpy(names, s->names, sizeof s->names);
  names[NAMES] = (cst_binding){.name = "xs", .node = -1, .entry = s->q, .count = NQ};
  *error = (cst_expr_error){.offset = -1};
  return cst_expr_parse(s->g, text, names, NAMES + 1, error);
}

static void refused(const setting *s, const char *text, int offset, const char *words,
                    const char *what) {
  cst_expr_error error;
  const cst_node n = with_array(s, text, &error);
  if (!OK(n == -1 && error.offset == offset && strstr(error.message, words), "%s", what))
    NOTE("%d: %d: %s", n, error.offset, error.message);
}

static void test_indices(const setting *s) {
  static const struct {
    const char *text;
    int         offset;
    const char *words;
  } cases[] = {{"xs[1e300]", 3, "index 1e+300 of 'xs' is outside 1 .. 3"},
               {"xs[-1e300]", 3, "index -1e+300 of"},
               {"xs[4294967297]", 3, "index 4294967297 of"},
               {"xs[-4294967295]", 3, "index -4294967295 of"},
               {"xs[9007199254740993]", 3, "index 9007199254740992 of"},
               {"xs[1e308*10]", 8, "not a finite number (inf)"},
               {"xs[(-8)^(1/3)]", 7, "not a finite number (nan)"},
               {"xs[1 + 1e-15]", 3, "it is 1.0000000000000011"},
               {"xs[5e-324]", 3, "it is 4.94065645841247e-324"},
               {"xs[nan]", 3, "unknown name 'nan'"},
               {"xs[sum(i, 1, 500001, 1)]", 3, "more than 500000 terms"},
               {"xs[sum(i, 1, 3, xs[i])]", 3, "it depends on 'x'"},
               {"sum(i, 1, xs[1], i)", 10, "it depends on 'x'"},
               {"sum(i, -1e300, 1e300, i)", 7, "FROM of the sum is -1e+300; at most"},
               {"sum(i, 0, 1e16, i)", 10, "TO of the sum is 1e+16; at most"},
               {"sum(i, -9007199254740992, 9007199254740992, i)", 0, "more than 500000 terms"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    refused(s, cases[i].text, cases[i].offset, cases[i].words, cases[i].text);
}

static void test_sums(void) {
  setting        s = setting_create();
  cst_expr_error error;
  double         start = seconds();
  OK(with_array(&s, "sum(i, 1, 500000, x)", &error) >= 0, "half a million terms");
  refused(&s, "x + sum(i, 1, 250000, y) - sum(i, 0, 250000, z)", 27, "more than 500000 terms",
          "sums together are bounded");
  refused(&s, "sum(i, 1, 1000, sum(j, 1, 1000, y))", 16, "more than 500000 terms",
          "nested sums are bounded");
  refused(&s, "sum(i, 1, 101, sum(j, 1, 101, sum(k, 1, 101, y)))", 30, "more than 500000 terms",
          "thrice nested sums are bounded");
  if (!OK(with_array(&s,
                     "sum(i, 1, 499999, sum(j, 1, 0, x) + sum(k, 2, i - i, sum(l, 1, 1e9, xs[l])))",
                     &error) >= 0,
          "half a million empty sums"))
    NOTE("%d: %s", error.offset, error.message);
  if (!OK(with_array(&s, "sum(i, 1, 450, sum(j, i + 1, 450, 1/(x + i*j)))", &error) >= 0,
          "a hundred thousand pairs"))
    NOTE("%d: %s", error.offset, error.message);
  OK(with_array(&s, "sum(i, 1, 450000, sin(x*i) + cos(y*i) + tan(z + i))", &error) == -1 &&
         strstr(error.message, "too many operations"),
     "the limit on nodes holds in sums");
  if (!OK(seconds() - start < FEW_SECONDS, "in a few seconds"))
    NOTE("%g s", seconds() - start);
  cst_graph_destroy(s.g);
}

static void test_long_terms(const setting *s) {
  const double start = seconds();
  char        *text = repeated("x*y + ", "z", "", 20000), *sum = malloc(strlen(text) + 40);
  sprintf(sum, "sum(i, 1, 500000, %s)", text);
  refused(s, sum, 0, "are together longer than", "a long term is not read half a million times");
  sprintf(sum, "sum(i, 1, 0, %s)", text);
  cst_expr_error error;
  OK(cst_graph_is_zero(s->g, with_array(s, sum, &error)), "and is allowed where there is no term");
  free(text), free(sum);
  text = repeated("0*", "0", "", 500000);
  OK(cst_graph_is_zero(s->g, with_array(s, text, &error)), "half a million zeros");
  free(text);
  if (!OK(seconds() - start < FEW_SECONDS, "in a few seconds"))
    NOTE("%g s", seconds() - start);
}

/* Sums in the terms of sums, entries in the index of entries. */
static void test_deep_sums(const setting *s) {
  char           text[8000] = "", tail[CST_EXPR_DEPTH + 2] = "";
  cst_expr_error error;
  for (int i = 0; i <= CST_EXPR_DEPTH; i++) {
    if (i == CST_EXPR_DEPTH) {
      const size_t end = strlen(text);
      sprintf(text + end, "x%s", tail);
      if (!OK(with_array(s, text, &error) == s->q[0], "%d sums in one another", CST_EXPR_DEPTH))
        NOTE("%d: %s", error.offset, error.message);
      text[end] = '\0';
    }
    sprintf(text + strlen(text), "sum(v_%d, 1, 1, ", i), strcat(tail, ")");
  }
  strcat(text, "x"), strcat(text, tail);
  OK(with_array(s, text, &error) == -1 && !strcmp(error.message, "nested deeper than 200"),
     "one more is refused");
  char *indices = repeated("xs[", "1", "]", 1000000);
  refused(s, indices, 3 * CST_EXPR_DEPTH + 2, "nested deeper than 200", "a million nested indices");
  free(indices);
  indices = repeated("xs[sum(i,", "1", ",1,i)]", 1000000);
  OK(with_array(s, indices, &error) == -1 && !strcmp(error.message, "nested deeper than 200"),
     "sums inside indices count too");
  free(indices);
}

/* Sums and entries with mistakes. */
static void test_array_nonsense(void) {
  static const char        alphabet[] = "xs[i]y'0123.e+-*/^(), jsum(n_\n\xff",
                    *const texts[] = {
                        "sum(i, 1, 3, xs[i]*y)", "sum(i, 1, 2, sum(j, i+1, 3, 1/(xs[i]-xs[j])^2))",
                        "xs[1] + xs[ 2 ]*xs[sum(k, 1, 2, 1)]", "2*sum(i, 3, 1, xs[7*i]) - x"};
  setting s = setting_create();
  int     bad = 0, parsed = 0;
  for (int i = 0; i < 100000; i++) {
    char text[200];
    snprintf(text, sizeof text, "%s", texts[i % 4]);
    const size_t n = strlen(text);
    for (int k = 0; k <= (int)(random_unit() * 2); k++)
      text[(size_t)(random_unit() * (double)n)] =
          alphabet[(int)(random_unit() * (double)(sizeof alphabet - 1))];
    if (random_unit() < 0.3)
      text[(size_t)(random_unit() * (double)n)] = '\0';
    cst_expr_error error;
    const cst_node node = with_array(&s, text, &error);
    parsed += node >= 0;
    bad += node < 0 && (error.offset < 0 || (size_t)error.offset > strlen(text) || !*error.message);
  }
  OK(bad == 0 && parsed > 1000, "100000 sums with mistakes, of which %d still parse", parsed);
  cst_graph_destroy(s.g);
}

int main(void) {
  setting s = setting_create();
  test_depth(&s);
  test_long(&s);
  test_powers(&s);
  test_nonsense();
  test_long_words(&s);
  test_indices(&s);
  test_sums();
  test_long_terms(&s);
  test_deep_sums(&s);
  test_array_nonsense();
  cst_graph_destroy(s.g);
  return tap_done();
}

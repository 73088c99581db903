/* mathml.c: expressions of system files as MathML, as they are written: quotients as fractions, powers
 * raised, x' as a letter with a dot, x[i] and m1 with an index, sums with their limits (mathml.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* vasprintf */
#include "cli/mathml.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

enum { DEEPEST = 200 };

typedef struct {
  const char *at;
  bool        wrong;
  int         depth;
} reader;

/* A part of a formula; fenced: it stands in parentheses, which are not in its text. */
typedef struct {
  char *text; /* owned */
  bool  fenced;
} part;

__attribute__((format(printf, 1, 2))) static char *made(const char *format, ...) {
  char   *text = NULL;
  va_list list;
  va_start(list, format);
  if (vasprintf(&text, format, list) < 0)
    cst_need_fail();
  va_end(list);
  return text;
}

/* *x becomes the text, and what it was is released. */
static void become(part *x, char *text) {
  free(x->text);
  *x = (part){.text = text};
}

static part fence(part x) {
  if (x.fenced)
    become(&x, made("<mrow><mo>(</mo>%s<mo>)</mo></mrow>", x.text));
  return x;
}

static char peek(reader *r) {
  while (isspace((unsigned char)*r->at))
    r->at++;
  return *r->at;
}

static bool take(reader *r, char c) {
  if (peek(r) != c)
    return false;
  r->at++;
  return true;
}

static void expect(reader *r, char c) { r->wrong |= !take(r, c); }

static part sum(reader *r);

/* ---- names ----------------------------------------------------------------------------------- */

static const char *letter(const char *name, size_t n) {
  static const char *const greek[][2] = {
      {"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"}, {"epsilon", "ε"},
      {"zeta", "ζ"},  {"eta", "η"},   {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"},
      {"mu", "μ"},    {"nu", "ν"},    {"xi", "ξ"},    {"pi", "π"},    {"rho", "ρ"},
      {"sigma", "σ"}, {"tau", "τ"},   {"phi", "φ"},   {"chi", "χ"},   {"psi", "ψ"},
      {"omega", "ω"}, {"Gamma", "Γ"}, {"Delta", "Δ"}, {"Theta", "Θ"}, {"Lambda", "Λ"},
      {"Xi", "Ξ"},    {"Sigma", "Σ"}, {"Phi", "Φ"},   {"Psi", "Ψ"},   {"Omega", "Ω"},
  };
  for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
    if (strlen(greek[i][0]) == n && !strncmp(name, greek[i][0], n))
      return greek[i][1];
  return NULL;
}

/* "omega" or "r11" of n characters; its index, if it has one, is what follows the letters. */
static char *symbol(const char *name, size_t n) {
  size_t base = 0;
  while (base < n && isalpha((unsigned char)name[base]))
    base++;
  const char *greek = letter(name, base);
  const int   begin = (int)(base ? base : n);
  const char *index = name + begin + (name[begin] == '_');
  char       *word = greek ? made("<mi>%s</mi>", greek) : made("<mi>%.*s</mi>", begin, name);
  if ((size_t)begin == n)
    return word;
  char *all = made("<msub>%s<mi>%.*s</mi></msub>", word, (int)(name + n - index), index);
  free(word);
  return all;
}

/* ---- an operand ------------------------------------------------------------------------------ */

/* The expressions up to `end`, with commas between them; end 0: that of the text. */
static part list(reader *r, char end) {
  part all = sum(r);
  bool several = false;
  while (take(r, ',')) {
    part next = sum(r);
    become(&all, made("%s<mo>,</mo>%s", all.text, next.text));
    free(next.text);
    several = true;
  }
  if (end)
    expect(r, end);
  all.fenced = !several;
  if (several)
    become(&all, made("<mrow><mo>(</mo>%s<mo>)</mo></mrow>", all.text));
  return all;
}

/* sum(i, FROM, TO, TERM), behind its parenthesis. */
static part sum_over(reader *r) {
  part x[4];
  for (int i = 0; i < 4; i++) {
    x[i] = sum(r);
    expect(r, i < 3 ? ',' : ')');
  }
  part all = {made("<munderover><mo>∑</mo><mrow>%s<mo>=</mo>%s</mrow><mrow>%s</mrow></munderover>"
                   "<mrow>%s</mrow>",
                   x[0].text, x[1].text, x[2].text, x[3].text),
              false};
  for (int i = 0; i < 4; i++)
    free(x[i].text);
  return all;
}

static part call(reader *r, const char *name, size_t n) {
  if (n == 3 && !strncmp(name, "sum", 3))
    return sum_over(r);
  part x = list(r, ')');
  if (n == 4 && !strncmp(name, "sqrt", 4))
    become(&x, made("<msqrt>%s</msqrt>", x.text));
  else if (n == 3 && !strncmp(name, "abs", 3))
    become(&x, made("<mrow><mo>|</mo>%s<mo>|</mo></mrow>", x.text));
  else {
    x = fence(x);
    become(&x, made("<mrow><mi>%.*s</mi>%s</mrow>", (int)n, name, x.text));
  }
  return x;
}

static part named(reader *r) {
  const char *name = r->at;
  while (isalnum((unsigned char)*r->at) || *r->at == '_')
    r->at++;
  const size_t n = (size_t)(r->at - name);
  if (take(r, '('))
    return call(r, name, n);
  part x = {symbol(name, n), false};
  if (take(r, '[')) {
    part index = sum(r);
    expect(r, ']');
    become(&x, made("<msub>%s<mrow>%s</mrow></msub>", x.text, index.text));
    free(index.text);
  }
  return x;
}

static part operand(reader *r) {
  const char c = peek(r);
  if (take(r, '('))
    return list(r, ')');
  if (take(r, '['))
    return list(r, ']');
  if (isalpha((unsigned char)c))
    return named(r);
  char        *end;
  const double value = strtod(r->at, &end);
  const int    n = (int)(end - r->at);
  (void)value;
  r->wrong |= !n;
  const part x = {made("<mn>%.*s</mn>", n, r->at), false};
  r->at = end;
  return x;
}

/* ---- operations ------------------------------------------------------------------------------ */

static part factor(reader *r);

static part power(reader *r) {
  part x = operand(r);
  while (take(r, '\''))
    become(&x, made("<mover>%s<mo>˙</mo></mover>", x.text));
  if (!take(r, '^'))
    return x;
  part exponent = factor(r);
  x = fence(x);
  become(&x, made("<msup><mrow>%s</mrow><mrow>%s</mrow></msup>", x.text, exponent.text));
  free(exponent.text);
  return x;
}

static part factor(reader *r) {
  if (++r->depth > DEEPEST)
    r->wrong = true;
  part x = {0};
  if (r->wrong)
    x.text = made("%s", "");
  else if (take(r, '-')) {
    x = fence(factor(r));
    become(&x, made("<mrow><mo>−</mo>%s</mrow>", x.text));
  } else
    x = power(r);
  r->depth--;
  return x;
}

static part product(reader *r) {
  part x = factor(r);
  while (!r->wrong) {
    if (take(r, '/')) {
      part y = factor(r);
      become(&x, made("<mfrac><mrow>%s</mrow><mrow>%s</mrow></mfrac>", x.text, y.text));
      free(y.text);
    } else if (take(r, '*')) {
      part y = fence(factor(r));
      x = fence(x);
      become(&x, made("%s<mo>&#x2062;</mo>%s", x.text, y.text));
      free(y.text);
    } else
      break;
  }
  return x;
}

static part sum(reader *r) {
  part x = product(r);
  while (!r->wrong && (peek(r) == '+' || peek(r) == '-')) {
    const char c = *r->at++;
    part       y = fence(product(r));
    become(&x, made("%s<mo>%s</mo>%s", x.text, c == '+' ? "+" : "−", y.text));
    free(y.text);
  }
  return x;
}

/* ---- what others call ------------------------------------------------------------------------ */

void cst_mathml_escape(const char *text, FILE *out) {
  for (; *text; text++)
    if (*text == '&')
      fputs("&amp;", out);
    else if (*text == '<')
      fputs("&lt;", out);
    else if (*text == '>')
      fputs("&gt;", out);
    else if (*text == '"')
      fputs("&quot;", out);
    else
      fputc(*text, out);
}

void cst_mathml_name(const char *name, FILE *out) {
  reader r = {.at = name};
  part   x = isalpha((unsigned char)*name) ? named(&r) : (part){made("<mi>%s</mi>", name), false};
  fputs(x.text, out);
  free(x.text);
}

void cst_mathml_write(const char *expression, FILE *out) {
  reader r = {.at = expression};
  part   x = list(&r, 0);
  if (r.wrong || peek(&r)) {
    fputs("<mtext>", out);
    cst_mathml_escape(expression, out);
    fputs("</mtext>", out);
  } else
    fprintf(out, "<mrow>%s</mrow>", x.text);
  free(x.text);
}

/* system-page.c: a page on a system, in HTML: its equations in MathML, degrees of freedom, what ties its
 * bodies, a picture of its first state, parameters, states and what was found of it (system-page.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* vasprintf */
#include "cli/system-page.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

/* ---- expressions as MathML ------------------------------------------------------------------- */

/* They are written as in system files: quotients as fractions, powers raised, x' as a letter with a dot, x[i] and m1
 * with an index, sums with their limits. */

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
      become(&x, made("%s<mo>&#x2062;</mo><mspace width=\"0.17em\"/>%s", x.text, y.text));
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

/* ---- an expression, and text in HTML --------------------------------------------------------- */

/* Text with & < > and quotes as entities. */
static void escape(const char *text, FILE *out) {
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

/* An expression, or a list in parentheses or brackets, as a MathML row; a text that is none as <mtext>. */
static void mathml_write(const char *expression, FILE *out) {
  reader r = {.at = expression};
  part   x = list(&r, 0);
  if (r.wrong || peek(&r)) {
    fputs("<mtext>", out);
    escape(expression, out);
    fputs("</mtext>", out);
  } else
    fprintf(out, "<mrow>%s</mrow>", x.text);
  free(x.text);
}

/* ---- the picture of a system at a state ------------------------------------------------------ */

/* A system at a state as a picture: its points, the rods between them, the axes of its
 * bodies.
 *
 * Coordinates whose names differ only in their last letter x, y, z are a point, and so is a body. A
 * constraint on two points is a line between them; one that is a sphere around a fixed centre, on one
 * point, is a line to that centre, which follows from its gradient: g' = k (x - c).
 */

enum { LARGEST = 300, NAME = 64, SIDE = 420, MARGIN = 40 };

typedef struct {
  char   name[NAME];
  int    at[3]; /* coordinates; -1: none */
  int    body;  /* -1: it is none */
  double x[3];
} point;

typedef struct {
  const cst_system *s;
  const double     *c, *q;
  int               n;
  point            *at; /* [n] */
  int              *of; /* [nq] the point of a coordinate; -1: of none */
  bool              space;
  double            low[2], scale;
} picture;

/* ---- points ---------------------------------------------------------------------------------- */

/* The direction of a coordinate, and the name of its point in key[NAME]; -1: it is of none. */
static int direction(const char *name, char *key) {
  size_t at = 0;
  while (isalpha((unsigned char)name[at]) && isalpha((unsigned char)name[at + 1]))
    at++;
  const char *found = name[at] ? strchr("xyzXYZ", name[at]) : NULL;
  if (!found || strlen(name) >= NAME)
    return -1;
  strcpy(key, name);
  key[at] = '*';
  return (int)(found - "xyzXYZ") % 3;
}

static int find_point(picture *p, const char *key) {
  for (int i = 0; i < p->n; i++)
    if (p->at[i].body < 0 && !strcmp(p->at[i].name, key))
      return i;
  point *x = &p->at[p->n];
  *x = (point){.at = {-1, -1, -1}, .body = -1};
  snprintf(x->name, sizeof x->name, "%s", key);
  return p->n++;
}

static void add_plain(picture *p, int i) {
  char      key[NAME];
  const int d = direction(p->s->coordinate[i], key);
  if (d < 0)
    return;
  const int k = find_point(p, key);
  p->at[k].at[d] = i;
  p->of[i] = k;
}

static void add_body(picture *p, int k) {
  const cst_body *b = &p->s->bodies[k];
  point          *x = &p->at[p->n];
  *x = (point){.at = {-1, -1, -1}, .body = k};
  snprintf(x->name, sizeof x->name, "%.60s", b->name);
  for (int d = 0; d < 3 && b->centre >= 0; d++)
    p->of[x->at[d] = b->centre + d] = p->n;
  for (int e = 0; e < 9; e++)
    p->of[b->rotation + e] = p->n;
  p->n++;
}

static void find_points(picture *p) {
  p->at = cst_zeros(p->s->nq + p->s->nbodies, sizeof *p->at);
  p->of = cst_zeros(p->s->nq, sizeof *p->of);
  for (int i = 0; i < p->s->nq; i++)
    p->of[i] = -1;
  for (int i = 0; i < p->s->nplain; i++)
    add_plain(p, i);
  for (int k = 0; k < p->s->nbodies; k++)
    add_body(p, k);
  for (int k = 0; k < p->n; k++)
    for (int d = 0; d < 3; d++) {
      p->at[k].x[d] = p->at[k].at[d] < 0 ? 0 : p->q[p->at[k].at[d]];
      p->space |= p->at[k].body >= 0 || (d == 2 && p->at[k].at[2] >= 0);
    }
}

/* ---- the plane of the picture ---------------------------------------------------------------- */

/* In space z points upwards, y to the right, and x towards the reader. */
static void project(const picture *p, const double *x, double to[2]) {
  to[0] = p->space ? x[1] - 0.45 * x[0] : x[0];
  to[1] = p->space ? x[2] - 0.3 * x[0] : x[1];
}

static void place(const picture *p, const double *x, double to[2]) {
  project(p, x, to);
  to[0] = MARGIN + (to[0] - p->low[0]) * p->scale;
  to[1] = SIDE - MARGIN - (to[1] - p->low[1]) * p->scale;
}

/* All points and the origin are in it. */
static void fit(picture *p) {
  double high[2] = {0, 0}, at[2];
  for (int k = 0; k < p->n; k++) {
    project(p, p->at[k].x, at);
    for (int d = 0; d < 2; d++) {
      p->low[d] = fmin(p->low[d], at[d]);
      high[d] = fmax(high[d], at[d]);
    }
  }
  double wide = fmax(high[0] - p->low[0], high[1] - p->low[1]);
  if (!(wide > 0) || !isfinite(wide))
    wide = 1;
  for (int d = 0; d < 2; d++)
    p->low[d] = (high[d] + p->low[d] - 1.3 * wide) / 2;
  p->scale = (SIDE - 2 * MARGIN) / (1.3 * wide);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void line(const picture *p, const double *a, const double *b, const char *class, FILE *out) {
  double from[2], to[2];
  place(p, a, from);
  place(p, b, to);
  fprintf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
          from[0], from[1], to[0], to[1]);
}

/* The gradient of constraint a by the coordinates of a point moved by `by` along d. */
static void gradient(const picture *p, int a, const point *x, int d, double by, double *to) {
  const cst_system  *s = p->s;
  const cst_pattern *P = &s->pattern[CST_K_G];
  double            *q = cst_zeros(s->nq, sizeof *q), *G = cst_zeros(P->n, sizeof *G);
  memcpy(q, p->q, (size_t)s->nq * sizeof *q);
  if (x->at[d] >= 0)
    q[x->at[d]] += by;
  cst_system_eval_at(s, CST_K_G, p->c, q, G);
  to[0] = to[1] = to[2] = 0;
  CST_EACH_ENTRY(P, a, e)
    for (int k = 0; k < 3; k++)
      if (P->column[e] == x->at[k])
        to[k] = G[e];
  free(q);
  free(G);
}

/* The centre of the sphere on which constraint a holds a point; false: it is none. */
static bool centre(const picture *p, int a, const point *x, double to[3]) {
  double here[3], there[3], k = 0;
  gradient(p, a, x, 0, 0, here);
  for (int d = 0; d < 3; d++) {
    if (x->at[d] < 0)
      continue;
    gradient(p, a, x, d, 1, there);
    for (int e = 0; e < 3; e++) {
      const double slope = there[e] - here[e];
      if (e == d && k == 0)
        k = slope;
      if (fabs(slope - (e == d ? k : 0)) > 1e-9 * fabs(k))
        return false;
    }
  }
  for (int d = 0; d < 3; d++)
    to[d] = k != 0 ? x->x[d] - here[d] / k : 0;
  return k != 0;
}

static void draw_constraint(const picture *p, int a, FILE *out) {
  int *index = NULL, on[3], found = 0, other = 0;
  int  n = cst_graph_support(p->s->graph, p->s->g[a], 'q', &index);
  for (int i = 0; i < n; i++) {
    const int k = p->of[index[i]];
    int       j = 0;
    while (j < found && on[j] != k)
      j++;
    other += k < 0;
    if (k >= 0 && j == found && found < 3)
      on[found++] = k;
  }
  free(index);
  double c[3];
  if (found == 2 && !other)
    line(p, p->at[on[0]].x, p->at[on[1]].x, "rod", out);
  else if (found == 1 && !other && p->at[on[0]].body < 0 && centre(p, a, &p->at[on[0]], c))
    line(p, c, p->at[on[0]].x, "rod", out);
}

static bool is_of_body(const cst_system *s, int a) {
  for (int k = 0; k < s->nbodies; k++)
    if (a >= s->bodies[k].constraint && a < s->bodies[k].constraint + 6)
      return true;
  return false;
}

static void draw_axes(const picture *p, const point *x, FILE *out) {
  static const char *const class[] = {"axis1", "axis2", "axis3"};
  const double length = 50 / p->scale;
  for (int b = 0; b < 3; b++) {
    double end[3];
    for (int a = 0; a < 3; a++)
      end[a] = x->x[a] + length * p->q[p->s->bodies[x->body].rotation + 3 * a + b];
    line(p, x->x, end, class[b], out);
  }
}

static void draw_point(const picture *p, const point *x, FILE *out) {
  double at[2];
  place(p, x->x, at);
  fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/><text x=\"%.1f\" y=\"%.1f\">", at[0],
          at[1], at[0] + 8, at[1] - 8);
  if (x->body >= 0)
    escape(x->name, out);
  for (int d = 0, first = 1; d < 3 && x->body < 0; d++)
    if (x->at[d] >= 0) {
      fprintf(out, "%s%s", first ? "" : " ", p->s->coordinate[x->at[d]]);
      first = 0;
    }
  fprintf(out, "</text>\n");
}

/* The state q as a picture; false: there is none, since no coordinates are points, or too many. */
static bool system_page_picture(const cst_system *s, const double *c, const double *q, FILE *out) {
  picture p = {.s = s, .c = c, .q = q};
  if (s->nq > LARGEST)
    return false;
  find_points(&p);
  fit(&p);
  if (p.n) {
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\">\n", SIDE, SIDE, SIDE);
    line(&p, (double[]){0, 0, 0}, (double[]){0, 0, 0}, "origin", out);
    for (int a = 0; a < s->ng - s->nvel; a++)
      if (!is_of_body(s, a))
        draw_constraint(&p, a, out);
    for (int k = 0; k < p.n; k++) {
      if (p.at[k].body >= 0)
        draw_axes(&p, &p.at[k], out);
      draw_point(&p, &p.at[k], out);
    }
    fprintf(out, "</svg>\n");
  }
  free(p.at);
  free(p.of);
  return p.n > 0;
}

/* ---- what the page looks like ---------------------------------------------------------------- */

enum { FEW = 60 };

static const char look[] =
    ":root { --ink: #1c1f23; --soft: #5d656e; --line: #dfe3e7; --tint: #f5f7f9; }\n"
    "body { margin: 0 auto; padding: 2rem 1.4rem 4rem; max-width: 62rem; color: var(--ink); "
    "background: #fff; font: 16px/1.55 system-ui, sans-serif; }\n"
    "h1 { margin: 0; font-size: 1.7rem; } h2 { margin: 2.2rem 0 .6rem; font-size: 1.2rem; "
    "border-bottom: 1px solid var(--line); }\n"
    ".soft { color: var(--soft); } math { font-size: 1.1em; } .formula { margin: .5rem 0; "
    "overflow: auto hidden; padding: .15rem 0; }\n"
    "table { border-collapse: collapse; font-size: .9rem; } th, td { padding: .25rem .75rem; "
    "text-align: left; vertical-align: top; border-top: 1px solid var(--line); }\n"
    "thead th { background: var(--tint); } svg { max-width: 100%; border: 1px solid var(--line); "
    "}\n"
    "svg line { stroke: #555; stroke-width: 2; } svg .rod { stroke: #1c1f23; stroke-width: 3; } "
    "svg .axis1 { stroke: #d55e00; } svg .axis2 { stroke: #009e73; } svg .axis3 { stroke: #0072b2; "
    "}\n"
    "svg .origin { stroke: #999; stroke-width: 9; stroke-linecap: square; } svg circle { fill: "
    "#1c1f23; } svg text { font-size: 14px; fill: #5d656e; }\n";

static void text(const char *x, FILE *out) { escape(x ? x : "", out); }

static void cells(int n, const char *const *x, FILE *out) {
  fputs("<tr>", out);
  for (int i = 0; i < n; i++) {
    fputs("<td>", out);
    text(x[i], out);
    fputs("</td>", out);
  }
  fputs("</tr>\n", out);
}

int cst_system_page_freedom(const cst_system *s) {
  int free_of = s->nq - s->ng;
  for (int a = 0; a < s->ng && s->dropped; a++)
    free_of += s->dropped[a];
  return free_of;
}

/* ---- formulas -------------------------------------------------------------------------------- */

/* NAME = EXPRESSION, and behind it `more`. */
static void formula(const char *name, const char *expression, const char *more, FILE *out) {
  fputs("<div class=\"formula\"><math display=\"inline\">", out);
  fputs(name, out);
  fputs("<mo>=</mo>", out);
  mathml_write(expression, out);
  fprintf(out, "%s</math></div>\n", more);
}

static void equations_of_motion(const cst_system *s, FILE *out) {
  static const char v[] = "<mover><mi>q</mi><mo>˙</mo></mover>";
  fprintf(out,
          "<div class=\"formula\"><math><mi>L</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac>"
          "<msup>%s<mi>T</mi></msup><mi>M</mi>%s%s%s<mo>−</mo><mi>V</mi></math></div>\n",
          v, v, s->gyroscopic ? "<mo>+</mo><mi>a</mi><mo>·</mo>" : "", s->gyroscopic ? v : "");
  fprintf(out, "<div class=\"formula\"><math><mi>M</mi><mover><mi>q</mi><mo>¨</mo></mover>"
               "<mo>=</mo><mi>f</mi>");
  if (s->ng)
    fprintf(out, "<mo>−</mo><msup><mi>G</mi><mi>T</mi></msup><mi>λ</mi>");
  fprintf(out, "</math>");
  if (s->ng > s->nvel)
    fprintf(out, ", <math><mi>g</mi><mo>=</mo><mn>0</mn></math>");
  if (s->ng)
    fprintf(out, ", <math><mi>G</mi>%s%s<mo>=</mo><mn>0</mn></math>", v,
            s->affine ? "<mo>+</mo><msub><mi>φ</mi><mn>0</mn></msub>" : "");
  fprintf(out, "; f: what the kinetic energy and the potential%s give</div>\n",
          s->nforce ? ", and the forces," : "");
}

/* The text of a named thing as a formula: LETTER with the name as its index. */
static void indexed(const char *letter, const char *name, const char *expression, const char *more,
                    FILE *out) {
  char  *left = NULL;
  size_t n;
  FILE  *to = cst_need(open_memstream(&left, &n));
  fprintf(to, "<msub><mi>%s</mi><mtext>", letter);
  text(name, to);
  fprintf(to, "</mtext></msub>");
  fclose(to);
  formula(left, expression, more, out);
  free(left);
}

static void constraints(const cst_system *s, FILE *out) {
  for (int k = 0; k < s->nfamily; k++) {
    const cst_name *x = &s->family[k];
    if (!x->text)
      continue;
    char  *range = NULL;
    size_t n;
    FILE  *to = cst_need(open_memstream(&range, &n));
    fprintf(to, "<mo>=</mo><mn>0</mn>");
    if (x->range) {
      fprintf(to, "<mtext>, ");
      text(x->range, to);
      fprintf(to, "</mtext>");
    }
    fclose(to);
    indexed(x->at >= s->ng - s->nvel ? "φ" : "g", x->name, x->text, range, out);
    free(range);
  }
}

static void energies(const cst_system *s, FILE *out) {
  for (int i = 0; i < s->ncoordinate && s->coordinate_name[i].at < s->nplain; i++)
    if (s->mass_text && s->mass_text[i])
      indexed("M", s->coordinate_name[i].name, s->mass_text[i], "", out);
  formula("<mi>V</mi>", s->potential_text ? s->potential_text : "0", "", out);
  for (int k = 0; k < s->nforce; k++)
    indexed("F", s->force_name[k], s->force_text[k], "", out);
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* The body of a coordinate, or the coordinate itself. */
static const char *part_of(const cst_system *s, int i) {
  for (int k = 0; k < s->nbodies; k++) {
    const cst_body *b = &s->bodies[k];
    if ((i >= b->rotation && i < b->rotation + 9) ||
        (b->centre >= 0 && i >= b->centre && i < b->centre + 3))
      return b->name;
  }
  return s->coordinate[i];
}

/* What a constraint ties: bodies and coordinates, each once. */
static void parts(const cst_system *s, int a, FILE *out) {
  const char *had[FEW];
  int        *index = NULL, n = 0;
  const int   velocity = a - (s->ng - s->nvel);
  const int   all = velocity < 0 ? cst_graph_support(s->graph, s->g[a], 'q', &index)
                                 : cst_graph_support(s->graph, s->phi[velocity], 'v', &index);
  for (int i = 0; i < all && n < FEW; i++) {
    const char *part = part_of(s, index[i]);
    int         k = 0;
    while (k < n && strcmp(had[k], part))
      k++;
    if (k < n)
      continue;
    had[n++] = part;
    fputs(n > 1 ? ", " : "", out);
    text(part, out);
  }
  free(index);
}

static bool is_rotation(const cst_system *s, int a) {
  for (int k = 0; k < s->nbodies; k++)
    if (a >= s->bodies[k].constraint && a < s->bodies[k].constraint + 6)
      return true;
  return false;
}

static void joints(const cst_system *s, FILE *out) {
  int n = 0;
  for (int a = 0; a < s->ng && n < FEW; a++) {
    if (is_rotation(s, a))
      continue;
    if (!n++)
      fputs("<table><thead><tr><th>constraint</th><th>ties</th><th>on</th></tr></thead>\n", out);
    fputs("<tr><td>", out);
    text(s->constraint[a], out);
    fputs("</td><td>", out);
    parts(s, a, out);
    fprintf(out, "</td><td>%s%s</td></tr>\n", a >= s->ng - s->nvel ? "velocities" : "positions",
            s->dropped && s->dropped[a] ? ", redundant" : "");
  }
  fputs(n ? "</table>\n" : "<p>None.</p>\n", out);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void parameters(const cst_system *s, const double *c, FILE *out) {
  fputs("<table><thead><tr><th>name</th><th>value</th><th>unit</th><th></th></tr></thead>\n", out);
  for (int k = 0; k < cst_system_named(s); k++) {
    char value[40];
    snprintf(value, sizeof value, "%.10g", c[k]);
    const cst_parameter *p = &s->parameter[k];
    cells(4, (const char *const[]){p->name, value, p->unit, p->doc}, out);
  }
  fputs("</table>\n", out);
}

static void state(const cst_system *s, const double *q, const double *v, FILE *out) {
  fputs("<table><thead><tr><th>coordinate</th><th>q</th><th>v</th></tr></thead>\n", out);
  for (int i = 0; i < s->nq && i < FEW; i++) {
    char at[40], speed[40];
    snprintf(at, sizeof at, "%.6g", q[i]);
    snprintf(speed, sizeof speed, "%.6g", v[i]);
    cells(3, (const char *const[]){s->coordinate[i], at, speed}, out);
  }
  fputs("</table>\n", out);
  if (s->nq > FEW)
    fprintf(out, "<p>and %d more</p>\n", s->nq - FEW);
}

static void findings(const cst_examination *x, FILE *out) {
  static const char *const mark[] = {[CST_FACT] = "", [CST_NOTE] = "note", [CST_FAULT] = "error"};
  fputs("<table>\n", out);
  for (int i = 0; i < x->n; i++)
    cells(3, (const char *const[]){x->at[i].topic, mark[x->at[i].severity], x->at[i].text}, out);
  fputs("</table>\n", out);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void head(const cst_system *s, FILE *out) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
  text(s->name, out);
  fprintf(out, "</title><style>\n%s</style></head><body>\n<h1>", look);
  text(s->name, out);
  fputs("</h1>\n<p>", out);
  text(s->doc, out);
  fputs("</p>\n<p class=\"soft\">", out);
  text(s->source, out);
  fprintf(out,
          "</p>\n<p>coordinates %d, constraints %d (%d on velocities), degrees of freedom %d</p>\n",
          s->nq, s->ng, s->nvel, cst_system_page_freedom(s));
}

void cst_system_page(const cst_system *s, const double *c, const cst_examination *x, FILE *out) {
  double *q = cst_zeros(2 * s->nq, sizeof *q), *v = q + s->nq;
  head(s, out);
  fputs("<h2>Equations</h2>\n", out);
  equations_of_motion(s, out);
  energies(s, out);
  constraints(s, out);
  fputs("<h2>Joints and other constraints</h2>\n", out);
  joints(s, out);
  if (s->nstate)
    cst_system_state(s, 0, c, q, v);
  fputs("<h2>Picture</h2>\n", out);
  if (!s->nstate || !system_page_picture(s, c, q, out))
    fputs("<p>None: its coordinates are no points, or too many.</p>\n", out);
  fputs("<h2>Parameters</h2>\n", out);
  parameters(s, c, out);
  if (s->nstate) {
    fputs("<h2>State ", out);
    text(s->state[0].name, out);
    fputs("</h2>\n", out);
    state(s, q, v, out);
  }
  fputs("<h2>Examination</h2>\n", out);
  findings(x, out);
  fputs("</body></html>\n", out);
  free(q);
}

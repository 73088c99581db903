/* system-page.c: a page on a system, in HTML: its equations in MathML, degrees of freedom, what ties its
 * bodies, a picture of its first state, parameters, states and what was found of it (system-page.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/system-page.h"
#include <stdlib.h>
#include <string.h>
#include "cli/mathml.h"
#include "core/need.h"

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

static void text(const char *x, FILE *out) { cst_mathml_escape(x ? x : "", out); }

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
  cst_mathml_write(expression, out);
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
  if (!s->nstate || !cst_system_page_picture(s, c, q, out))
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

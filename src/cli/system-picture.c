/* system-picture.c: a system at a state as a picture: its points, the rods between them, the axes of its
 * bodies.
 *
 * Coordinates whose names differ only in their last letter x, y, z are a point, and so is a body. A
 * constraint on two points is a line between them; one that is a sphere around a fixed centre, on one
 * point, is a line to that centre, which follows from its gradient: g' = k (x - c).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/mathml.h"
#include "cli/system-page.h"
#include "core/need.h"

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
    cst_mathml_escape(x->name, out);
  for (int d = 0, first = 1; d < 3 && x->body < 0; d++)
    if (x->at[d] >= 0) {
      fprintf(out, "%s%s", first ? "" : " ", p->s->coordinate[x->at[d]]);
      first = 0;
    }
  fprintf(out, "</text>\n");
}

bool cst_system_page_picture(const cst_system *s, const double *c, const double *q, FILE *out) {
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

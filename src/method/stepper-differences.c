/* stepper-differences.c: the numbers of sparse Jacobians by differences of residuals (see stepper-colours.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/stepper-colours.h"
#include <float.h>
#include <math.h>

/* The mass of the unknown u: of a coordinate, or the least one of a constraint's. */
static double mass_of(const cst_colours *c, const double *mass, int W, int u) {
  const cst_system  *s = c->system;
  const cst_pattern *p = &s->pattern[CST_K_G];
  const int          behind = u - c->by.blocks * s->nq, a = s->ng ? behind % s->ng : 0;
  double             least = INFINITY;
  if (!c->by.mass || s->mass_unit)
    return 1;
  if (behind < 0)
    return mass[s->mass_class[c->by.by_rows ? s->bands[0].order[u % s->nq] : u % s->nq] * W];
  CST_EACH_ENTRY(p, a, e)
    least = fmin(least, mass[s->mass_class[p->column[e]] * W]);
  return least < INFINITY ? least : 1;
}

void cst_colours_scale(cst_colours *c, const cst_context *C, int W, const double *record,
                       double h) {
  const double  extent = record[(size_t)C->at.extent * (size_t)W];
  const double *mass = record + (size_t)C->at.mass * (size_t)W;
  double        step = cbrt(DBL_EPSILON) * (extent > 0 ? extent : 1);
  for (int k = 0; k < c->by.power; k++)
    step /= fabs(h);
  for (int r = 0; r < c->n; r++)
    c->step[r] = step * mass_of(c, mass, W, c->order[r]);
}

/* y [n][W] := x, in lane l with the columns of colour (first + l)/2 moved, forth where first + l is even, else back. */
static void move(const cst_colours *c, const double *x, int first, int W, double *y) {
  for (int r = 0; r < c->n; r++)
    for (int l = 0; l < W; l++)
      y[c->order[r] * W + l] = x[r];
  for (int l = 0; l < W && first + l < 2 * c->colours; l++) {
    const int    colour = (first + l) / 2;
    const double sign = (first + l) % 2 ? -1 : 1;
    for (int k = c->first[colour]; k < c->first[colour + 1]; k++) {
      const int r = c->member[k];
      y[c->order[r] * W + l] += sign * c->step[r];
    }
  }
}

/* values := residuals ahead, or differences, behind a move. */
static void take(const cst_colours *c, int first, int W, const double *f, double *values) {
  for (int l = 0; l < W && first + l < 2 * c->colours; l++) {
    const int  colour = (first + l) / 2;
    const bool back = (first + l) % 2;
    for (int k = c->first[colour]; k < c->first[colour + 1]; k++) {
      const int    r = c->member[k];
      const double by = c->by.sign / (2 * c->step[r]);
      for (int e = c->row[r]; e < c->row[r + 1]; e++) {
        double      *at = &values[c->mirror[e]];
        const double here = f[c->order[c->column[e]] * W + l];
        *at = back ? (*at - here) * by : here;
      }
    }
  }
}

void cst_colours_jacobian(const cst_colours *c, const double *x, const unsigned char *dropped,
                          int W, cst_colours_residual *residual, void *context, double *y,
                          double *f, double *values) {
  const int behind = c->by.blocks * c->system->nq, ng = c->system->ng;
  for (int first = 0; first < 2 * c->colours; first += W) {
    move(c, x, first, W, y);
    residual(context, y, f);
    take(c, first, W, f, values);
  }
  for (int r = 0; r < c->n && dropped; r++)
    if (c->order[r] >= behind && dropped[(c->order[r] - behind) % ng])
      for (int e = c->row[r]; e < c->row[r + 1]; e++)
        values[e] = c->column[e] == r;
}

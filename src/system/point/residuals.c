/* residuals.c: how far a state is off the constraints g = 0 and G v + phi0 = 0, in numbers, in units of their
 * round-off, and in words. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/point/residuals.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/boundary.h"
#include "core/need.h"
#include "system/point/linear.h"

/* ---- in words -------------------------------------------------------------------------------- */

const char *cst_worst_say(const cst_system *s, const cst_worst *w, char *text, int n) {
  if (w->at < 0)
    *text = 0;
  else
    snprintf(text, (size_t)n, "worst: %s, %.3g", s->description->constraint[w->at], w->raw_there);
  return text;
}

/* Prints a vector as a list, with arrays as nested lists. */
static void print_list(FILE *f, const cst_system *s, const double *x) {
  fputc('[', f);
  for (int i = 0; i < s->description->ncoordinate; i++) {
    const cst_name *a = &s->description->coordinate_name[i];
    fputs(i ? ", " : "", f);
    fputs(a->array ? "[" : "", f);
    for (int k = 0; k < a->count; k++) {
      const double number = x[a->at + k * a->step] + 0.0; /* 0 instead of -0 */
      fprintf(f, "%s%.17g", k ? ", " : "", number);
    }
    fputs(a->array ? "]" : "", f);
  }
  fputc(']', f);
}

char *cst_worst_state(const cst_system *s, const double *q, const double *v) {
  char  *text = NULL;
  size_t n;
  FILE  *f = open_memstream(&text, &n);
  cst_need(f);
  fputs("{q: ", f);
  print_list(f, s, q);
  fputs(", v: ", f);
  print_list(f, s, v);
  fputc('}', f);
  fclose(f);
  return text;
}

/* ---- in numbers ------------------------------------------------------------------------------ */

double cst_evaluate_scaled(double r, double scale, double rough) {
  const double noise = CST_ROUNDOFF * rough;
  const double x = fabs(r);
  if (x == 0)
    return 0;
  if (!(x > noise))
    return x / (scale + rough);
  const double rest = (x - noise) / scale;
  return fmax(rest, noise / (scale + rough));
}

static void enlarge(cst_worst *m, int j, double r, double scaled) {
  if (!(fabs(r) <= m->raw))
    m->raw = fabs(r); /* keeps a NaN */
  if (!(scaled <= m->scaled)) {
    m->scaled = scaled;
    m->at = j;
    m->raw_there = r;
  }
}

/* rough[j] = sum_k |D2g_j[v, e_k]| |q_k|: sensitivity of (G v)_j to round-off of the coordinates. */
static void velocity_rough(const cst_system *s, const double *c, const double *q, const double *v,
                           double *rough) {
  double *w = cst_linear_numbers(s->nq);
  double *change = cst_linear_numbers(s->ng);
  for (int k = 0; k < s->nq; k++) {
    w[k] = q[k];
    cst_system_eval(s, CST_K_D2gvw, c, q, v, w, NULL, NULL, change);
    for (int j = 0; j < s->ng; j++)
      rough[j] += fabs(change[j]);
    w[k] = 0;
  }
  free(w);
  free(change);
}

static double speed_of(const double *v, int n) {
  double speed = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(v[i]) <= speed))
      speed = fabs(v[i]);
  return speed;
}

static void position_residuals(const cst_system *s, const double *c, const double *q,
                               const double *G, cst_worst *most) {
  const int          ng = s->ng;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double            *g = cst_linear_numbers(ng);
  double            *length = cst_linear_numbers(ng);
  cst_system_eval_at(s, CST_K_g, c, q, g);
  cst_system_lengths(s, c, q, length);
  for (int j = 0; j < ng; j++) {
    double row = 0, far = 0;
    CST_EACH_ENTRY(P, j, e) {
      row += fabs(G[e]);
      far = fmax(far, fabs(q[P->column[e]]));
    }
    const double scaled = cst_evaluate_scaled(g[j], row * length[j], row * far);
    enlarge(most, j, g[j], scaled);
  }
  free(g);
  free(length);
}

/* The round-off of G is needed only if G v exceeds the round-off of its own sum. */
static void velocity_residuals(const cst_system *s, const double *c, const double *q,
                               const double *v, const double *G, cst_worst *most) {
  const int          ng = s->ng;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  const double       speed = speed_of(v, s->nq);
  double            *Gv = cst_linear_numbers(ng);
  double            *row = cst_linear_numbers(ng);
  double            *rough = cst_linear_numbers(ng);
  double            *phi0 = cst_linear_numbers(ng);
  bool               visible = false;
  cst_system_eval_at(s, CST_K_phi0, c, q, phi0);
  for (int j = 0; j < ng; j++) {
    Gv[j] = phi0[j];
    CST_EACH_ENTRY(P, j, e) {
      Gv[j] += G[e] * v[P->column[e]];
      row[j] += fabs(G[e]);
    }
    const double noise = 16 * DBL_EPSILON * row[j] * speed;
    visible |= fabs(Gv[j]) > noise;
  }
  if (visible)
    velocity_rough(s, c, q, v, rough);
  for (int j = 0; j < ng; j++) {
    const double scaled = cst_evaluate_scaled(Gv[j], row[j] * speed, rough[j]);
    enlarge(most, j, Gv[j], scaled);
  }
  free(Gv);
  free(row);
  free(rough);
  free(phi0);
}

void cst_system_worst(const cst_system *s, const double *c, const double *q, const double *v,
                      cst_worst *position, cst_worst *velocity) {
  double *G = cst_linear_numbers(s->model->pattern[CST_K_G].n);
  cst_system_eval_at(s, CST_K_G, c, q, G);
  if (position) {
    *position = (cst_worst){0, 0, -1, 0};
    position_residuals(s, c, q, G, position);
  }
  if (velocity) {
    *velocity = (cst_worst){0, 0, -1, 0};
    velocity_residuals(s, c, q, v, G, velocity);
  }
  free(G);
}

void cst_system_residuals(const cst_system *s, const double *c, const double *q, const double *v,
                          double *g_max, double *g_scaled, double *gv_max, double *gv_scaled) {
  CST_REQUIRE(s && (c || !s->npar) && q && v);
  cst_worst  position, velocity;
  cst_worst *of_g = g_max || g_scaled ? &position : NULL;
  cst_worst *of_gv = gv_max || gv_scaled ? &velocity : NULL;
  cst_system_worst(s, c, q, v, of_g, of_gv);
  if (g_max)
    *g_max = position.raw;
  if (g_scaled)
    *g_scaled = position.scaled;
  if (gv_max)
    *gv_max = velocity.raw;
  if (gv_scaled)
    *gv_scaled = velocity.scaled;
}

/* reader-number.c: numbers of a study file: literals or expressions of the parameters and pi, one value per
 * parameter set. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "expr/define.h"
#include "expr/edge-table.h"
#include "study/file/reader.h"

static const char *const number_wanted = "a number or a quoted expression of the parameters and pi";

const char *cst_reader_shortest(double x) {
  static char ring[8][32];
  static int  turn;
  char       *s = ring[turn++ % 8];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(s, sizeof ring[0], "%.*g", digits, x);
    if (strtod(s, NULL) == x)
      break;
  }
  /* 10, not 1e+01 */
  if (strchr(s, 'e') && fabs(x) >= 1 && fabs(x) < 1e15)
    snprintf(s, sizeof ring[0], "%.15g", x);
  return s;
}

const char *cst_reader_with(const cst_reader *r, int variant) {
  static char      ring[4][256];
  static int       turn;
  const size_t     room = sizeof ring[0];
  char            *text = ring[turn++ % 4];
  const cst_study *s = r->s;
  const int        npar = s->system ? s->system->npar : 0;
  size_t           at = 0;
  *text = 0;
  for (int i = 0; i < npar && at < room; i++) {
    if (!cst_study_sweeps(s, i))
      continue;
    const char *separator = at ? ", " : " with ";
    const char *value = cst_reader_shortest(s->parameter[variant * npar + i]);
    at += (size_t)snprintf(text + at, room - at, "%s%s = %s%s", separator,
                           s->system->parameter[i].name, value,
                           cst_system_unit(s->system, s->system->parameter[i].name));
  }
  if (s->nswept && s->nset && at < room) {
    const char *separator = at ? ", " : " with the start ";
    snprintf(text + at, room - at, "%s%.60s", separator, s->start_name[variant / s->nset]);
  }
  return text;
}

/* Expressions that have the names of the system's parameters have its definitions too. */
static void define(cst_reader *r, bool named) {
  int                   n = 0;
  const cst_definition *d = NULL;
  if (named && r->s->system)
    d = cst_graph_definitions(r->s->system->graph, &n);
  cst_graph_define(r->graph, d, n);
  n = 0;
  const cst_edge_table *t =
      named && r->s->system ? cst_graph_tables(r->s->system->graph, &n) : NULL;
  cst_graph_tabulate(r->graph, t, n);
}

/* The node of the expression at n, or -1. */
static cst_node expression(cst_reader *r, cst_yaml *n, const char *what, const cst_binding *names,
                           int count, bool quiet) {
  cst_expr_error error;
  const char    *text = cst_reader_text(r, n, what, number_wanted);
  if (!text)
    return -1;
  define(r, names != NULL);
  cst_node x = cst_expr_parse(r->graph, text, names, count, &error);
  if (x < 0 && !quiet)
    cst_yaml_error_at(r->doc, n, error.offset, r->d, "'%s': %s", what, error.message);
  return x;
}

bool cst_reader_constant(cst_reader *r, cst_yaml *n, const char *what, double *out) {
  cst_node x = expression(r, n, what, NULL, 0, false);
  /* without names every expression is folded to a finite constant */
  return x >= 0 && cst_graph_is_constant(r->graph, x, out);
}

bool cst_reader_numbers(cst_reader *r, cst_yaml *n, const char *what, double *out) {
  const cst_study *s = r->s;
  int              npar = s->system ? s->system->npar : 0;
  cst_node         x =
      expression(r, n, what, r->binding, s->system ? cst_system_named(s->system) : 0, !s->system);
  if (x < 0)
    return false;
  if (cst_graph_is_constant(r->graph, x, out)) { /* always finite */
    for (int v = 1; v < s->nvariant; v++)
      out[v] = out[0];
    return true;
  }
  bool          good = true;
  const double *in[128] = {0};
  cst_tape     *tape = cst_tape_create(r->graph, &x, 1);
  for (int v = 0; v < s->nvariant && good; v++) {
    in['c'] = s->parameter + (size_t)v * (size_t)npar;
    cst_evaluate_tape(tape, in, out + v);
    good = isfinite(out[v]);
    if (!good)
      cst_yaml_error(r->doc, n, r->d, "'%s' is %s%s; it must be finite", what,
                     isnan(out[v]) ? "not a number" : "infinite", cst_reader_with(r, v));
  }
  cst_tape_destroy(tape);
  return good;
}

bool cst_reader_number(cst_reader *r, cst_yaml *n, const char *what, double *out) {
  if (!n)
    return false;
  double *all = cst_reader_memory((size_t)r->s->nvariant, sizeof *all);
  bool    good = cst_reader_numbers(r, n, what, all);
  for (int v = 1; v < r->s->nvariant && good; v++) {
    good = all[v] == all[0];
    if (!good)
      cst_yaml_error(r->doc, n, r->d,
                     "'%s' changes in the sweep, from %s%s to %s%s; it must be the same for every "
                     "parameter set",
                     what, cst_reader_shortest(all[0]), cst_reader_with(r, 0),
                     cst_reader_shortest(all[v]), cst_reader_with(r, v));
  }
  if (good)
    *out = all[0];
  free(all);
  return good;
}

bool cst_reader_integer(cst_reader *r, cst_yaml *n, const char *what, long low, long high,
                        long *out) {
  double x;
  if (!cst_reader_number(r, n, what, &x))
    return false;
  if (x == floor(x) && x >= (double)low && x <= (double)high) {
    *out = (long)x;
    return true;
  }
  cst_yaml_error(r->doc, n, r->d, "'%s' is %s; it must be an integer from %ld to %ld", what,
                 cst_reader_shortest(x), low, high);
  return false;
}

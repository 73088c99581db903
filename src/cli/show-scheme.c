/* show-scheme.c: the page on a composition scheme: of the list, or of gammas that are given, [EXPR, ...]. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/show.h"
#include "constella/expr.h"
#include "core/need.h"

enum { MOST_GAMMAS = 1024 };

void cst_show_defects(int indent, int order, const double *defect) {
  double most = 0;
  for (int k = 1; k <= order; k++)
    most = fmax(most, defect[k]);
  printf("%-*sup to order %d: largest residual %.2g", indent, indent ? "conditions" : "conditions ",
         order, most);
  if (order < CST_SCHEME_ORDER)
    printf("; of order %d: %.3g", order + 1, defect[order + 1]);
  printf("\n");
}

static void print_gammas(const double *gamma, int n) {
  double defect[CST_SCHEME_ORDER + 1];
  cst_scheme_defects(gamma, n, defect);
  cst_show_defects(CST_SHOW_INDENT, cst_scheme_order(gamma, n), defect);
  printf("%-12s", "gammas");
  for (int i = 0; i < n; i++)
    printf("%s%.17g", i ? ", " : " ", gamma[i]);
  printf("\n");
}

bool cst_show_scheme(const char *name) {
  const cst_scheme *s = cst_scheme_find(name);
  if (!s)
    return false;
  printf("%s: a composition scheme\n\n", s->name);
  cst_show_item("", s->doc);
  cst_show_item("source", s->source);
  printf("%-12s %d on a symmetric base of order 2\n", "order", s->order);
  print_gammas(s->gamma, s->stages);
  return true;
}

/* Length of an expression, which ends before a ',' or ']' outside parentheses. */
static size_t expression_length(const char *text) {
  size_t n = 0;
  int    open = 0;
  for (; text[n] && text[n] != ']' && (open > 0 || text[n] != ','); n++)
    open += (text[n] == '(') - (text[n] == ')');
  return n;
}

/* Reads "[EXPR, ...]" into gamma[MOST_GAMMAS]; returns the number of them, -1 after a mistake. */
static int read_gammas(const char *text, double *gamma, cst_diag *d) {
  cst_graph     *g = cst_graph_create();
  cst_expr_error e;
  int            n = 0;
  const char    *at = text;
  do {
    const size_t   length = expression_length(++at);
    char          *one = cst_need(strndup(at, length));
    const cst_node x = n < MOST_GAMMAS ? cst_expr_parse(g, one, NULL, 0, &e) : -1;
    free(one);
    if (n == MOST_GAMMAS)
      cst_diag_add(d, NULL, 0, 0, "a scheme has at most %d gammas", MOST_GAMMAS);
    else if (x < 0)
      cst_diag_add(d, NULL, 0, 0, "gamma %d of '%s': %s", n + 1, text, e.message);
    n = x < 0 ? -1 : n;
    if (x >= 0)
      cst_graph_is_constant(g, x, &gamma[n++]);
    at += length;
  } while (n >= 0 && *at == ',');
  cst_graph_destroy(g);
  if (n >= 0 && strcmp(at, "]")) {
    cst_diag_add(d, NULL, 0, 0, "'%s': expected ',' or ']' at the end of the gammas", text);
    return -1;
  }
  return n;
}

void cst_show_gammas(const char *text, cst_diag *d) {
  char        why[200] = "";
  double     *gamma = cst_zeros(MOST_GAMMAS, sizeof *gamma);
  const int   n = read_gammas(text, gamma, d);
  cst_layers *l = cst_layers_create();
  if (n > 0 && !cst_layers_add_scheme(l, "gammas", gamma, n, why, sizeof why))
    cst_diag_add(d, NULL, 0, 0, "'%s': %s", text, why);
  if (n > 0 && !*why) {
    printf("a composition scheme of %d substeps\n\n%-12s %d on a symmetric base of order 2\n", n,
           "order", cst_layers_scheme(l, "gammas")->order);
    print_gammas(gamma, n);
  }
  cst_layers_destroy(l);
  free(gamma);
}

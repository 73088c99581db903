/* scheme-own.c: composition schemes of the user, by name. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "core/need.h"
#include "method/method.h"

cst_scheme *cst_scheme_copy(const cst_scheme *s) {
  if (!s)
    return NULL;
  const size_t numbers = sizeof(double) * (size_t)s->stages;
  cst_scheme  *copy = cst_need(malloc(sizeof *copy + numbers + strlen(s->name) + 1));
  double      *gamma = (double *)(void *)(copy + 1);
  char        *name = (char *)(gamma + s->stages);
  *copy = *s;
  memcpy(gamma, s->gamma, numbers);
  strcpy(name, s->name);
  copy->gamma = gamma;
  copy->name = name;
  return copy;
}

const cst_scheme *cst_layers_scheme(const cst_layers *l, const char *name) {
  CST_REQUIRE(name, NULL);
  for (int i = 0; l && i < l->nscheme; i++)
    if (!strcmp(l->scheme[i]->name, name))
      return l->scheme[i];
  return NULL;
}

/* Whether the coefficients are consistent and symmetric. */
static bool check(const double *gamma, int stages, char *why, int n) {
  double sum = 0;
  for (int i = 0; i < stages; i++)
    sum += gamma[i];
  if (fabs(sum - 1) > 1e-13) {
    snprintf(why, (size_t)n, "the gammas of a scheme must sum to 1; the sum is %.17g", sum);
    return false;
  }
  for (int i = 0; i < stages / 2; i++) {
    if (fabs(gamma[i] - gamma[stages - 1 - i]) <= 1e-13)
      continue;
    snprintf(
        why, (size_t)n,
        "the gammas of a scheme must be palindromic; number %d is %.17g and number %d is %.17g",
        i + 1, gamma[i], stages - i, gamma[stages - 1 - i]);
    return false;
  }
  return true;
}

bool cst_layers_add_scheme(cst_layers *l, const char *name, const double *gamma, int stages,
                           char *why, int n) {
  CST_REQUIRE(l && name && gamma && why && stages > 0, false);
  if (!check(gamma, stages, why, n))
    return false;
  const cst_scheme s = {name, "A scheme of the study.", "", cst_scheme_order(gamma, stages), stages,
                        gamma};
  l->scheme = cst_need(realloc(l->scheme, sizeof(cst_scheme *) * (size_t)(l->nscheme + 1)));
  l->scheme[l->nscheme++] = cst_scheme_copy(&s);
  return true;
}

/* file-schemes.c: the key `schemes`: composition schemes of the study, {mine: [EXPR, ...]}. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/file/reader.h"

enum { MOST_SCHEMES = 1000, MOST_GAMMAS = 1024 };

/* Reads the gammas of a scheme; NULL after a mistake. Owned. */
static double *gammas(cst_reader *r, cst_yaml *n, const char *name) {
  bool good = cst_reader_list(r, n, name, "numbers, the gammas of a scheme", false);
  if (good && cst_yaml_size(n) > MOST_GAMMAS) {
    cst_yaml_error(r->doc, n, r->d, "the scheme '%s' has %d gammas; at most %d are allowed", name,
                   cst_yaml_size(n), MOST_GAMMAS);
    good = false;
  }
  if (!good)
    return NULL;
  double *gamma = cst_reader_memory((size_t)cst_yaml_size(n), sizeof *gamma);
  for (int i = 0; i < cst_yaml_size(n); i++)
    good &= cst_reader_constant(r, cst_yaml_item(n, i), name, gamma + i);
  if (good)
    return gamma;
  free(gamma);
  return NULL;
}

/* A name whose scheme is wrong stands for one step, so that its uses cause no further errors. */
static void add(cst_reader *r, cst_yaml *key, cst_yaml *n) {
  static const double one = 1;
  char                why[200];
  const char         *name = cst_yaml_text(key);
  const bool          allowed = cst_layers_allow(r->layers, name, why, sizeof why);
  if (!allowed)
    cst_yaml_error(r->doc, key, r->d, "%s", why);
  double *gamma = gammas(r, n, name);
  bool    good = allowed && gamma;
  if (good && !cst_layers_add_scheme(r->layers, name, gamma, cst_yaml_size(n), why, sizeof why)) {
    cst_yaml_error(r->doc, n, r->d, "the scheme '%s': %s", name, why);
    good = false;
  }
  if (allowed && !good)
    cst_layers_add_scheme(r->layers, name, &one, 1, why, sizeof why);
  free(gamma);
}

/* Keeps what `constella check` tells of the schemes. */
static void note(cst_study *s, const cst_layers *l, cst_yaml *n) {
  s->scheme = cst_reader_memory((size_t)cst_yaml_size(n), sizeof *s->scheme);
  for (int i = 0; i < cst_yaml_size(n); i++) {
    const cst_scheme *x = cst_layers_scheme(l, cst_yaml_text(cst_yaml_key(n, i)));
    if (!x)
      continue;
    cst_study_scheme *out = &s->scheme[s->nscheme++];
    *out = (cst_study_scheme){
        .name = cst_need(strdup(x->name)), .stages = x->stages, .order = x->order};
    cst_scheme_defects(x->gamma, x->stages, out->defect);
  }
}

void cst_file_schemes(cst_reader *r) {
  cst_yaml *n = cst_yaml_get(r->root, "schemes");
  if (n && !cst_yaml_is_map(n))
    cst_yaml_error(r->doc, n, r->d, "'schemes' must be a map of names to lists of numbers");
  if (cst_yaml_size(n) > MOST_SCHEMES)
    cst_yaml_error(r->doc, n, r->d, "there are %d schemes; at most %d are allowed",
                   cst_yaml_size(n), MOST_SCHEMES);
  if (!cst_yaml_is_map(n) || cst_yaml_size(n) > MOST_SCHEMES)
    return;
  for (int i = 0; i < cst_yaml_size(n) && !cst_diag_full(r->d); i++)
    add(r, cst_yaml_key(n, i), cst_yaml_value(n, i));
  note(r->s, r->layers, n);
}

/* file-names.c: a file with the keys `layers`, `schemes`, `maps` and `retractions` alone: methods of the
 * user without a study. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "core/boundary.h"
#include "core/diag.h"
#include "core/need.h"
#include "study/file/reader.h"

static const cst_key with[] = {
    {"", "layers", CST_KEYS_ALL, "map of names to maps", "none", "",
     "layers: {mine: {a: [[0, 0], [1, 0]], b: [0.5, 0.5]}}", "As in a study."},
    {"", "schemes", CST_KEYS_ALL, "map of names to lists of numbers", "none", "",
     "schemes: {mine: [1/(2-2^(1/3)), 1-2/(2-2^(1/3)), 1/(2-2^(1/3))]}", "As in a study."},
    {"", "maps", CST_KEYS_ALL, "map of names to maps", "none", "",
     "maps: {mine: {left: q - v/4, right: q + 3*v/4}}", "As in a study."},
    {"", "retractions", CST_KEYS_ALL, "map of names to maps", "none", "",
     "retractions: {mine: {point: q + v + q*v^2/8}}", "As in a study."},
    {"", "steppers", CST_KEYS_ALL, "map of names to maps", "none", "",
     "steppers: {mine: {python: \"verlet.py:step\", claims: symplectic}}",
     "Steppers of others (docs/certificate.md)."},
    {0}};

cst_layers *cst_study_read_layers(const char *file, const char *text, size_t length,
                                  cst_share *share, cst_diag *d) {
  CST_REQUIRE(file && text && share && d, NULL);
  const int     before = cst_diag_count(d);
  cst_document *doc = cst_document_parse(file, text, length, d);
  if (!doc)
    return NULL;
  cst_reader r = {.s = cst_reader_memory(1, sizeof(cst_study)),
                  .doc = doc,
                  .root = cst_document_root(doc),
                  .d = d,
                  .before = before,
                  .share = share,
                  .layers = cst_layers_create(),
                  .graph = cst_graph_create()};
  r.s->file = cst_need(strdup(file));
  const char *names[CST_MOST_KEYS];
  cst_yaml_check_keys(doc, r.root, names, cst_keys_of(with, "", CST_KEYS_ALL, names), d);
  cst_file_layers(&r);
  cst_file_schemes(&r);
  cst_file_maps(&r);
  cst_study_destroy(r.s);
  cst_graph_destroy(r.graph);
  cst_document_destroy(doc);
  if (cst_diag_count(d) == before)
    return r.layers;
  cst_layers_destroy(r.layers);
  return NULL;
}

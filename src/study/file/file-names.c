/* file-names.c: a file with the keys `layers`, `schemes`, `maps` and `retractions` alone: methods of the
 * user without a study. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "core/boundary.h"
#include "core/diag.h"
#include "core/need.h"
#include "study/file/reader.h"

/* In a study whose kind has its own keys these may stand beside them. */
static void check_keys(const cst_reader *r) {
  const char *names[CST_MOST_KEYS];
  const int   forms = cst_yaml_get(r->root, "study") ? CST_WITH_STUDY : CST_WITH_ALONE;
  const int   n = cst_keys_of(cst_certify_keys, "", forms, names);
  cst_yaml_check_keys(r->doc, r->root, names, n, r->d);
}

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
  check_keys(&r);
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

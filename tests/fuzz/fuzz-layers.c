/* fuzz-layers.c: any bytes as the key `layers` of a study. No file is opened, and nothing is compiled: layers
 * in C are withheld. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/document.h"
#include "study/rows/study.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const char before[] =
    "study: order\nsystem: planar-pendulum\nend: 1.0\nsteps: [0.1]\nmethods: "
    "[project(mine), convert(mine), heun]\nreference: exact\n"
    "layers:\n";

static const char *share(cst_fetch *fetch, const char *path, char **text, size_t *length) {
  (void)path;
  if (fetch != cst_document_fetch)
    return cst_reader_layer_withheld;
  *text = strdup("no layer");
  *length = strlen(*text);
  return NULL;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  char     *text = malloc(sizeof before + size);
  cst_diag *d = cst_diag_create();
  FILE     *nowhere = fopen("/dev/null", "w");
  if (!text || !nowhere)
    abort();
  memcpy(text, before, sizeof before - 1);
  memcpy(text + sizeof before - 1, data, size);
  cst_study *s = cst_study_read("fuzz.yaml", text, sizeof before - 1 + size, share, d);
  cst_diag_print(d, nowhere);
  if (!s == !cst_diag_count(d))
    abort(); /* a study or errors, never both */
  fclose(nowhere);
  cst_study_destroy(s);
  cst_diag_destroy(d);
  free(text);
  return 0;
}

/* reader-beside.c: files that a study names: their paths, their contents, and their checksums. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "study/file/reader.h"

const char cst_reader_layer_withheld[] = "is C code, which is not compiled without permission";

const char *cst_reader_share_alone(cst_fetch *fetch, const char *path, char **bytes,
                                   size_t *length) {
  return fetch(path, bytes, length);
}

char *cst_reader_beside(const cst_reader *r, const char *name) {
  const char *study = r->s->file;
  const char *slash = *name == '/' ? NULL : strrchr(study, '/');
  int         folder = slash ? (int)(slash + 1 - study) : 0;
  size_t      room = (size_t)folder + strlen(name) + 1;
  char       *path = cst_reader_memory(room, 1);
  snprintf(path, room, "%.*s%s", folder, study, name);
  return path;
}

bool cst_reader_fetch(cst_reader *r, cst_yaml *n, cst_fetch *fetch, const char *path, char **bytes,
                      size_t *length) {
  const char *why = r->share(fetch, path, bytes, length);
  if (why)
    cst_yaml_error(r->doc, n, r->d, "%s: %s", path, why);
  return !why;
}

void cst_reader_check_sum(cst_reader *r, cst_yaml *sum, const char *path, const char *sha256) {
  const char *wanted = cst_reader_text(r, sum, "sha256", "the sha256 of the file");
  if (wanted && strcmp(wanted, sha256))
    cst_yaml_error(r->doc, sum, r->d, "sha256 is %s; that of %s is %s", wanted, path, sha256);
}

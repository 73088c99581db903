/* scratch.h: a temporary file for fuzz targets whose reader opens a file by its name. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCRATCH_H
#define SCRATCH_H
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char scratch_folder[] = "/tmp/constella-fuzz-XXXXXX", scratch_file[64];

static void scratch_remove(void) {
  unlink(scratch_file);
  rmdir(scratch_folder);
}

/* In its own folder, which is removed at the end. */
static const char *scratch(const char *name) {
  if (*scratch_file)
    return scratch_file;
  if (!mkdtemp(scratch_folder))
    abort();
  snprintf(scratch_file, sizeof scratch_file, "%s/%s", scratch_folder, name);
  atexit(scratch_remove);
  return scratch_file;
}

static void scratch_write(const char *name, const void *data, size_t size) {
  FILE *f = fopen(scratch(name), "wb");
  if (!f || fwrite(data, 1, size, f) != size || fclose(f))
    abort();
}
#endif

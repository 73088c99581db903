/* folder.c: the temporary folder of one compilation, with the source files and the resulting object. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "system/compile/compile.h"
#include "system/internal.h"

enum { PATH = CST_PATH };

bool cst_folder_open(char folder[PATH], char why[CST_WHY]) {
  const char *base = getenv("TMPDIR");
  if (snprintf(folder, PATH, "%s/constella-XXXXXX", base && *base == '/' ? base : "/tmp") <
          PATH - 200 &&
      mkdtemp(folder))
    return true;
  snprintf(why, CST_WHY, "%.1000s: %s", folder, strerror(errno));
  return false;
}

static int remove_one(const char *path, const struct stat *x, int type, struct FTW *at) {
  (void)x;
  (void)type;
  (void)at;
  remove(path);
  return 0;
}

void cst_folder_remove(const char *folder) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static void make_parents(char *path) {
  for (char *c = strchr(path + 1, '/'); c; c = strchr(c + 1, '/')) {
    *c = 0;
    mkdir(path, 0700);
    *c = '/';
  }
}

bool cst_folder_write(const char *folder, const char *name, const char *text, size_t length,
                      char why[CST_WHY]) {
  char path[PATH + 256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  make_parents(path);
  FILE *f = fopen(path, "w");
  bool  good = f && fwrite(text, 1, length, f) == length;
  if (f && fclose(f))
    good = false;
  if (!good)
    snprintf(why, CST_WHY, "%.1000s: %s", path, strerror(errno));
  return good;
}

bool cst_folder_object(const char *folder, cst_code *code, char why[CST_WHY]) {
  char      path[PATH + 16];
  cst_diag *d = cst_diag_create();
  snprintf(path, sizeof path, "%s/object.so", folder);
  bool good = cst_document_read_file(path, &code->bytes, &code->size, d);
  cst_diag_destroy(d);
  if (!good)
    snprintf(why, CST_WHY, "the compiler wrote no object");
  return good;
}

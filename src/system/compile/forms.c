/* forms.c: cores of a system of the catalogue that were compiled before any study: by `make forms`, for benchmarks and
 * packages. A folder forms holds one shared object per system and row of cst_isas, NAME.ROW.so, with all such cores
 * (cst_compiled_for, `before`); without it studies that gain by it compile what they need when they start.
 *
 * The folder is beside the program (build/forms), or PREFIX/lib/constella/forms. An object whose key is not that of this
 * program's sources is left alone. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/home.h"
#include "core/lane-form.h"
#include "system/compile/compile.h"
#include "system/internal.h"

enum { PATH = CST_PATH };

static bool file_of(const cst_system *s, int isa, char path[PATH]) {
  char name[300];
  snprintf(name, sizeof name, "forms/%.200s.%s.so", s->name, cst_lane_suffix(isa));
  return cst_home_find_built(name, path, PATH);
}

/* The whole file, if no one but its owner, this user or root, may write it: it is executed. */
static bool read_all(const char *path, cst_code *code) {
  struct stat x;
  const int   fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  const bool ours = !fstat(fd, &x) && S_ISREG(x.st_mode) && !(x.st_mode & (S_IWGRP | S_IWOTH)) &&
                    (x.st_uid == geteuid() || x.st_uid == 0);
  code->size = ours ? (size_t)x.st_size : 0;
  code->bytes = ours ? cst_need(malloc(code->size + 1)) : NULL;
  const bool whole = ours && read(fd, code->bytes, code->size) == (ssize_t)code->size;
  close(fd);
  return whole;
}

void cst_forms_attach(cst_system *s, int isa) {
  char     path[PATH], why[CST_WHY];
  cst_code code = {.isa = isa};
  if (!file_of(s, isa, path) || !read_all(path, &code)) {
    cst_compile_free(&code);
    return;
  }
  cst_compile_forms_key(s, isa, code.key);
  cst_load_code(s, &code, why);
  cst_compile_free(&code);
}

bool cst_forms_make(const cst_system *s, int isa, const char *folder, char why[CST_WHY]) {
  char     path[PATH];
  cst_code code;
  snprintf(path, sizeof path, "%.3000s/%.200s.%s.so", folder, s->name, cst_lane_suffix(isa));
  if (!cst_compile_forms(s, isa, &code, why))
    return false;
  FILE *f = fopen(path, "w");
  bool  good = f && fwrite(code.bytes, 1, code.size, f) == code.size;
  good &= f && !fclose(f);
  if (!good)
    snprintf(why, CST_WHY, "%.1000s: %s", path, strerror(errno));
  cst_compile_free(&code);
  return good;
}

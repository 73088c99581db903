/* compile-file.c: compiles a user's C file to a shared object. The file can include the public headers that
 * the program embeds, and no other file, so the text alone identifies the result in the cache. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "constella/random.h"
#include "system/compile/compile.h"
#include "system/internal.h"

enum { SECONDS_ALLOWED = 300 };

static bool is_header(const cst_source *s) {
  return !strncmp(s->path, "include/", strlen("include/"));
}

/* The text with a #line directive for the file name in messages. */
static char *lined(const char *file, const char *text, size_t length, size_t *n) {
  char *result;
  FILE *f = cst_need(open_memstream(&result, n));
  fputs("#line 1 \"", f);
  for (const char *c = file; *c; c++)
    fprintf(f, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
  fputs("\"\n", f);
  fwrite(text, 1, length, f);
  fclose(f);
  return result;
}

static void find_key(const cst_compiler *c, const char *text, size_t length, char key[65]) {
  char  *all;
  size_t n;
  FILE  *f = cst_need(open_memstream(&all, &n));
  fprintf(f, "%s\n%s\n%s\n", c->command, c->version, cst_compiler_flags());
  for (int i = 0; i < cst_source_count; i++)
    if (is_header(&cst_sources[i]))
      fprintf(f, "%s\n%s", cst_sources[i].path, cst_sources[i].text);
  fwrite(text, 1, length, f);
  fclose(f);
  cst_sha256(all, n, key);
  free(all);
}

static bool write_sources(const char *folder, const char *text, size_t length, char why[CST_WHY]) {
  bool good = cst_folder_write(folder, "file.c", text, length, why);
  for (int i = 0; good && i < cst_source_count; i++) {
    const cst_source *source = &cst_sources[i];
    if (is_header(source))
      good = cst_folder_write(folder, source->path, source->text, source->length, why);
  }
  return good;
}

static bool compile(const cst_compiler *c, const char *folder, char why[CST_WHY]) {
  char command[4096], include[CST_PATH + 16], file[CST_PATH + 16], object[CST_PATH + 16];
  snprintf(command, sizeof command, "%s %s -w -shared -fPIC -fvisibility=hidden", c->command,
           cst_compiler_flags());
  snprintf(include, sizeof include, "-I%s/include", folder);
  snprintf(file, sizeof file, "%s/file.c", folder);
  snprintf(object, sizeof object, "%s/object.so", folder);
  return cst_compiler_run(command, (const char *const[]){include, file, "-o", object, "-lm", NULL},
                          folder, SECONDS_ALLOWED, why);
}

static bool make(const cst_compiler *c, const char *folder, const char *file, const char *text,
                 size_t length, cst_code *code, char why[CST_WHY]) {
  size_t n;
  char  *own = lined(file, text, length, &n);
  bool   good = write_sources(folder, own, n, why) && compile(c, folder, why) &&
              cst_folder_object(folder, code, why);
  free(own);
  if (good)
    cst_cache_write(code);
  return good;
}

bool cst_compile_file(const char *file, const char *text, size_t length, cst_code *code,
                      char why[CST_WHY]) {
  cst_compiler c;
  char         folder[CST_PATH];
  *code = (cst_code){.isa = -1};
  if (!cst_folder_open(folder, why))
    return false;
  bool good = cst_compiler_find(&c, folder, why);
  if (good) {
    snprintf(code->compiler, sizeof code->compiler, "%s", c.version);
    find_key(&c, text, length, code->key);
    code->cached = cst_cache_read(code);
    good = code->cached || make(&c, folder, file, text, length, code, why);
  }
  cst_folder_remove(folder);
  return good;
}

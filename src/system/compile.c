/* compile.c: a user's system to a shared object: the program's own text and the emitted header in a private folder, one call of the
 * compiler.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "system/compile.h"
#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "constella/random.h"
#include "system/internal.h"

enum { PATH = 4096, SECONDS_ALLOWED = 300 };

static const char header[] = "gen/user-system.h";

/* What one compilation is made from. */
typedef struct {
  int          isa;
  bool         forms;
  cst_compiler compiler;
  char        *emitted;
  size_t       length;
} recipe;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the private folder --------------------------------------------------------------------------------------------------- */

static bool open_folder(char folder[PATH], char why[CST_WHY]) {
  const char *base = getenv("TMPDIR");
  if (snprintf(folder, PATH, "%s/constella-XXXXXX", base && *base == '/' ? base : "/tmp") < PATH - 200 && mkdtemp(folder)) return true;
  snprintf(why, CST_WHY, "%.1000s: %s", folder, strerror(errno));
  return false;
}

static int remove_one(const char *path, const struct stat *x, int type, struct FTW *at) {
  (void)x, (void)type, (void)at;
  remove(path);
  return 0;
}

static void remove_folder(const char *folder) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static void make_parents(char *path) {
  for (char *c = strchr(path + 1, '/'); c; c = strchr(c + 1, '/')) {
    *c = 0;
    mkdir(path, 0700);
    *c = '/';
  }
}

static bool write_file(const char *folder, const char *name, const char *text, size_t length, char why[CST_WHY]) {
  char path[PATH + 256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  make_parents(path);
  FILE *f = fopen(path, "w");
  bool  good = f && fwrite(text, 1, length, f) == length;
  if (f && fclose(f)) good = false;
  if (!good) snprintf(why, CST_WHY, "%.1000s: %s", path, strerror(errno));
  return good;
}

static bool write_sources(const recipe *r, const char *folder, char why[CST_WHY]) {
  bool good = write_file(folder, header, r->emitted, r->length, why);
  for (int i = 0; good && i < cst_source_count; i++)
    good = write_file(folder, cst_sources[i].path, cst_sources[i].text, cst_sources[i].length, why);
  return good;
}

/* ---- what it costs -------------------------------------------------------------------------------------------------------- */

/* Hot lane code unrolls its loops; the largest are those of Newton's matrix. */
static double unrolled(const cst_system *s) { return (double)s->ng * s->ng * s->nq; }

/* As measured with gcc 12: 0.7 s for a pendulum, 9.5 s for a chain of 20. */
double cst_compile_seconds(const cst_system *s) {
  return 0.7 + 1e-4 * cst_graph_size(s->graph) + (cst_system_is_hot(s) ? 6e-4 * unrolled(s) : 0);
}

/* ---- what it is made from ------------------------------------------------------------------------------------------------- */

static void find_key(const recipe *r, char key[65]) {
  char  *text;
  size_t n;
  FILE  *f = cst_system_memory(open_memstream(&text, &n));
  fprintf(f, "%s\n%s\n%s\n%s\n%s\n%d\n", r->compiler.command, r->compiler.version, cst_compiler_flags(), cst_compiler_isa_flags(r->isa),
          cst_isas[r->isa].name, r->forms);
  for (int i = 0; i < cst_source_count; i++) fprintf(f, "%s\n%s", cst_sources[i].path, cst_sources[i].text);
  fwrite(r->emitted, 1, r->length, f);
  fclose(f);
  cst_sha256(text, n, key);
  free(text);
}

static void emit(const cst_system *s, recipe *r) {
  FILE *f = cst_system_memory(open_memstream(&r->emitted, &r->length));
  cst_system_emit(s, "user", f);
  fclose(f);
}

/* ---- compiling ------------------------------------------------------------------------------------------------------------ */

static const char kernels[] = "src/system/kernels.c";

static bool is_compiled(const recipe *r, const char *path) {
  size_t n = strlen(path);
  return !strcmp(path + n - 2, ".c") && (r->forms || !strcmp(path, kernels));
}

static bool compile(const recipe *r, const char *folder, const char *key, char why[CST_WHY]) {
  enum { MOST = 32, ROOM = PATH + 256 };
  char        command[4096], define[128], text[MOST][ROOM];
  const char *word[MOST + 8];
  int         n = 0, k = 0;
  snprintf(command, sizeof command, "%s %s %s -w -shared -fPIC -fvisibility=hidden%s", r->compiler.command, cst_compiler_flags(),
           cst_compiler_isa_flags(r->isa), r->forms ? "" : " -DCST_NO_FORMS");
  snprintf(define, sizeof define, "-DCST_OBJECT_KEY=\"%s\"", key);
  word[n++] = define;
  word[n++] = "-DCST_SYSTEM_HEADER=\"user-system.h\"";
  for (const char *const *at = (const char *const[]){"include", "src", "gen", NULL}; *at; at++) {
    snprintf(text[k], ROOM, "-I%s/%s", folder, *at);
    word[n++] = text[k++];
  }
  for (int i = 0; i < cst_source_count && k < MOST - 1; i++) {
    if (!is_compiled(r, cst_sources[i].path)) continue;
    snprintf(text[k], ROOM, "%s/%s", folder, cst_sources[i].path);
    word[n++] = text[k++];
  }
  snprintf(text[k], ROOM, "%s/object.so", folder);
  word[n++] = "-o";
  word[n++] = text[k];
  word[n] = NULL;
  return cst_command_run(command, word, folder, SECONDS_ALLOWED, why);
}

static bool read_object(const char *folder, cst_code *code, char why[CST_WHY]) {
  char      path[PATH + 16];
  cst_diag *d = cst_diag_create();
  snprintf(path, sizeof path, "%s/object.so", folder);
  bool good = cst_file_read(path, &code->bytes, &code->size, d);
  cst_diag_destroy(d);
  if (!good) snprintf(why, CST_WHY, "the compiler left no object");
  return good;
}

static bool make(const recipe *r, const char *folder, cst_code *code, char why[CST_WHY]) {
  if (!write_sources(r, folder, why) || !compile(r, folder, code->key, why) || !read_object(folder, code, why)) return false;
  cst_cache_write(code);
  return true;
}

bool cst_compile(const cst_system *s, int isa, bool only_cached, cst_code *code, char why[CST_WHY]) {
  const double start = now();
  recipe       r = {.isa = isa, .forms = cst_system_is_hot(s)};
  char         folder[PATH];
  *code = (cst_code){.isa = isa};
  if (!open_folder(folder, why)) return false;
  bool good = cst_compiler_find(&r.compiler, folder, why);
  if (good) {
    snprintf(code->compiler, sizeof code->compiler, "%s", r.compiler.version);
    emit(s, &r);
    find_key(&r, code->key);
    code->cached = good = cst_cache_read(code);
    if (!good && only_cached) snprintf(why, CST_WHY, "not compiled before");
    if (!good && !only_cached) good = make(&r, folder, code, why);
    free(r.emitted);
  }
  remove_folder(folder);
  code->seconds = now() - start;
  return good;
}

void cst_code_free(cst_code *code) {
  free(code->bytes);
  code->bytes = NULL;
}

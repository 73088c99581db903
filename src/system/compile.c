/* compile.c: a user's system to a shared object: the program's own text and the emitted header in a private folder, one call of the
 * compiler.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/compile.h"
#include <string.h>
#include <time.h>
#include "constella/random.h"
#include "system/internal.h"

enum { PATH = CST_PATH, SECONDS_ALLOWED = 300 };

static const char header[] = "gen/user-system.h";

/* What one compilation is made from. */
typedef struct {
  int          isa;
  bool         forms, bodies; /* bodies: without constraints of the user's */
  cst_compiler compiler;
  char        *emitted;
  size_t       length;
} recipe;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
  FILE  *f = cst_need(open_memstream(&text, &n));
  fprintf(f, "%s\n%s\n%s\n%s\n%s\n%d\n", r->compiler.command, r->compiler.version, cst_compiler_flags(), cst_compiler_isa_flags(r->isa),
          cst_isas[r->isa].name, r->forms);
  for (int i = 0; i < cst_source_count; i++) fprintf(f, "%s\n%s", cst_sources[i].path, cst_sources[i].text);
  fwrite(r->emitted, 1, r->length, f);
  fclose(f);
  cst_sha256(text, n, key);
  free(text);
}

static void emit(const cst_system *s, recipe *r) {
  FILE *f = cst_need(open_memstream(&r->emitted, &r->length));
  cst_system_emit(s, "user", f);
  fclose(f);
}

/* ---- compiling ------------------------------------------------------------------------------------------------------------ */

static const char kernels[] = "src/system/kernels.c";

/* Of the sources the cores; the lane code of observers is a part of one of them. */
static bool is_compiled(const recipe *r, const cst_source *x) {
  const size_t n = strlen(x->path);
  if (strcmp(x->path + n - 2, ".c")) return false;
  return !strcmp(x->path, kernels) ||
         (r->forms && strstr(x->path, "/core/") && (r->bodies || !strstr(x->text, "#define CORE_IS_FOR_BODIES")));
}

static bool compile(const recipe *r, const char *folder, const char *key, char why[CST_WHY]) {
  enum { MOST = 32, ROOM = PATH + 256 };
  char        command[4096], define[128], text[MOST][ROOM];
  const char *word[MOST + 8];
  int         n = 0, k = 0;
  snprintf(command, sizeof command, "%s %s %s -w -shared -fPIC -fvisibility=hidden%s", r->compiler.command, cst_compiler_flags(),
           cst_compiler_isa_flags(r->isa), r->forms ? " -DCST_NO_SMALL_FORMS" : " -DCST_NO_FORMS -DCST_NO_SMALL_FORMS");
  snprintf(define, sizeof define, "-DCST_OBJECT_KEY=\"%s\"", key);
  word[n++] = define;
  word[n++] = "-DCST_SYSTEM_HEADER=\"user-system.h\"";
  for (const char *const *at = (const char *const[]){"include", "src", "gen", NULL}; *at; at++) {
    snprintf(text[k], ROOM, "-I%s/%s", folder, *at);
    word[n++] = text[k++];
  }
  for (int i = 0; i < cst_source_count && k < MOST - 1; i++) {
    if (!is_compiled(r, &cst_sources[i])) continue;
    snprintf(text[k], ROOM, "%s/%s", folder, cst_sources[i].path);
    word[n++] = text[k++];
  }
  snprintf(text[k], ROOM, "%s/object.so", folder);
  word[n++] = "-o";
  word[n++] = text[k];
  word[n] = NULL;
  return cst_compiler_run(command, word, folder, SECONDS_ALLOWED, why);
}

static bool write_sources(const recipe *r, const char *folder, char why[CST_WHY]) {
  bool good = cst_folder_write(folder, header, r->emitted, r->length, why);
  for (int i = 0; good && i < cst_source_count; i++)
    good = cst_folder_write(folder, cst_sources[i].path, cst_sources[i].text, cst_sources[i].length, why);
  return good;
}

static bool make(const recipe *r, const char *folder, cst_code *code, char why[CST_WHY]) {
  if (!write_sources(r, folder, why) || !compile(r, folder, code->key, why) || !cst_folder_object(folder, code, why)) return false;
  cst_cache_write(code);
  return true;
}

bool cst_compile(const cst_system *s, int isa, bool only_cached, cst_code *code, char why[CST_WHY]) {
  const double start = now();
  recipe       r = {.isa = isa, .forms = cst_system_is_usual(s), .bodies = s->nbodies && !s->nown};
  char         folder[PATH];
  *code = (cst_code){.isa = isa};
  if (!cst_folder_open(folder, why)) return false;
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
  cst_folder_remove(folder);
  code->seconds = now() - start;
  return good;
}

void cst_compile_free(cst_code *code) {
  free(code->bytes);
  code->bytes = NULL;
}

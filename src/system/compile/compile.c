/* compile.c: a system to a shared object: the program's own text and the emitted header in a private
 * folder, one call of the compiler for its kernels and for the lane code that is asked for.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "system/compile/compile.h"
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "constella/random.h"
#include "core/boundary.h"
#include "core/lane-form.h"
#include "core/need.h"
#include "system/derive/find-molecules.h"
#include "system/internal.h"

/* ---- the folder ------------------------------------------------------------------------------ */

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

/* ---- compiled code of a system --------------------------------------------------------------- */

static void add(cst_system_owned *o, int isa, const cst_compiled *x) {
  const size_t n = (size_t)o->nadded[isa];
  o->added[isa] = cst_need(realloc(o->added[isa], (n + 1) * sizeof *o->added[isa]));
  o->added[isa][o->nadded[isa]++] = x;
}

void cst_system_attach(cst_system *s, int isa, const cst_compiled *x) {
  CST_REQUIRE(s && x && isa >= 0 && isa < cst_isa_count);
  if (s->code->compiled[isa] && s->code->compiled[isa] != x) {
    add(s->owned, isa, x);
    return;
  }
  memcpy(s->code->kernel[isa], x->kernel, sizeof s->code->kernel[isa]);
  s->code->kernel_self[isa] = NULL;
  s->code->compiled[isa] = x;
  if (s->model->npairs && s->model->bent)
    cst_system_interpret_bent(s);
}

static const void *form_in(const cst_compiled *x, const char *core) {
  for (const cst_form *f = x ? x->form : NULL; f && f->core; f++)
    if (!strcmp(f->core, core))
      return f->form;
  return NULL;
}

/* Compiled code enforces every constraint and divides by masses. */
static bool is_whole(const cst_system *s) { return !s->model->dropped && s->model->flat < 0; }

const void *cst_system_form(const cst_system *s, int isa, const char *core) {
  CST_REQUIRE(s && core && isa >= 0 && isa < cst_isa_count, NULL);
  if (!is_whole(s))
    return NULL;
  cst_system_owned *o = s->owned;
  if (o->looks[isa]) {
    o->looks[isa] = false;
    cst_forms_attach(o->system, isa);
  }
  const void *form = form_in(s->code->compiled[isa], core);
  for (int i = 0; !form && i < o->nadded[isa]; i++)
    form = form_in(o->added[isa][i], core);
  return form;
}

enum { SECONDS_ALLOWED = 300 };

static const char header[] = "gen/user-system.h";

enum { MOST_CORES = 24 };

/* What one compilation is made from. */
typedef struct {
  int               isa;
  bool              cores_only; /* it has compiled kernels */
  const cst_source *core[MOST_CORES];
  int               ncore;
  cst_compiler      compiler;
  char             *emitted;
  size_t            length;
} recipe;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the cores ------------------------------------------------------------------------------- */

static bool is_for(const cst_compiled_for *f, const cst_system *s) {
  if (f->molecules)
    return cst_molecules_are(s);
  if (f->eliminated)
    return cst_system_is_eliminated(s);
  const bool small = !f->most || s->nq + s->ng <= f->most;
  return small && cst_has(s, f->needs) && !(s->model->traits & f->lacks) && cst_system_is_sized(s);
}

/* Whether it is lane code that is compiled for s; forms: by `make forms`. */
static bool suits(const cst_source *x, const cst_system *s, bool forms) {
  return x->form.is && (x->form.before || !forms) && is_whole(s) && is_for(&x->form, s);
}

/* The name of the file, without what is behind the dot. */
static int name_of(const cst_source *x, const char **name) {
  const char *slash = strrchr(x->path, '/');
  *name = slash ? slash + 1 : x->path;
  return (int)strcspn(*name, ".");
}

static const cst_source *find_core(const cst_system *s, const char *core) {
  const char *name;
  for (int i = 0; i < cst_source_count; i++) {
    const int n = name_of(&cst_sources[i], &name);
    if ((int)strlen(core) == n && !strncmp(core, name, (size_t)n) &&
        suits(&cst_sources[i], s, false))
      return &cst_sources[i];
  }
  return NULL;
}

/* Each that s lacks once, in the order of the sources, so that the same cores are the same object. */
static int choose(const cst_system *s, int isa, const char *const *cores,
                  const cst_source *core[MOST_CORES]) {
  int n = 0;
  for (; *cores && n < MOST_CORES; cores++) {
    const cst_source *x = cst_system_form(s, isa, *cores) ? NULL : find_core(s, *cores);
    int               at = 0;
    while (x && at < n && core[at] < x)
      at++;
    if (!x || (at < n && core[at] == x))
      continue;
    memmove(core + at + 1, core + at, (size_t)(n - at) * sizeof *core);
    core[at] = x;
    n++;
  }
  return n;
}

static int choose_forms(const cst_system *s, const cst_source *core[MOST_CORES]) {
  int n = 0;
  for (int i = 0; i < cst_source_count && n < MOST_CORES; i++)
    if (suits(&cst_sources[i], s, true))
      core[n++] = &cst_sources[i];
  return n;
}

bool cst_compile_adds(const cst_system *s, int isa, const char *const *cores) {
  const cst_source *core[MOST_CORES];
  return choose(s, isa, cores, core) > 0;
}

/* ---- what it is made from -------------------------------------------------------------------- */

/* What is compiled, and how, but for the compiler. */
static void find_start(const recipe *r, char key[65]) {
  char  *text;
  size_t n;
  FILE  *f = cst_need(open_memstream(&text, &n));
  fprintf(f, "%s\n%s\n%s\n", cst_compiler_flags(), cst_lane_flags(r->isa), cst_lane_suffix(r->isa));
  fprintf(f, "%d\n", r->cores_only);
  for (int i = 0; i < r->ncore; i++)
    fprintf(f, "%s\n", r->core[i]->path);
  for (int i = 0; i < cst_source_count; i++)
    fprintf(f, "%s\n%s", cst_sources[i].path, cst_sources[i].text);
  fwrite(r->emitted, 1, r->length, f);
  fclose(f);
  cst_sha256(text, n, key);
  free(text);
}

/* The rest of the key tells the compilers apart. */
static void find_rest(const recipe *r, char key[65]) {
  char text[sizeof r->compiler + 80], all[65];
  snprintf(text, sizeof text, "%s\n%s\n%s", key, r->compiler.command, r->compiler.version);
  cst_sha256(text, strlen(text), all);
  memcpy(key + CST_KEY_START, all + CST_KEY_START, sizeof all - CST_KEY_START);
}

static void emit(const cst_system *s, recipe *r) {
  FILE *f = cst_need(open_memstream(&r->emitted, &r->length));
  cst_system_emit(s, "user", f);
  fclose(f);
}

/* ---- what it costs --------------------------------------------------------------------------- */

/* As measured with gcc 12 on systems from planar-pendulum to heavy-top: kicks, stages and Newton's methods take 0.5 to
 * 4 s of processor time each, conversions 2 to 5.5 s. Sizes and texts of cores say less of it than their number. */
double cst_compile_core_seconds(const cst_system *s, int isa, const char *const *cores) {
  const cst_source *core[MOST_CORES];
  return 2 * choose(s, isa, cores, core);
}

/* Kernels took 0.7 to 1.6 s for 100 kB. Those of chains and molecules have 40 to 120 kB, however many links there are. */
double cst_compile_seconds(const cst_system *s, int isa, const char *const *cores) {
  recipe r = {.isa = isa};
  double kernels = 0.1;
  if (!s->code->compiled[isa]) {
    emit(s, &r);
    kernels = 0.1 + 1.2e-5 * (double)r.length;
    free(r.emitted);
  }
  return kernels + cst_compile_core_seconds(s, isa, cores);
}

/* ---- compiling ------------------------------------------------------------------------------- */

static const char kernels[] = "src/system/compile/kernels.c";

/* What kernels.c has its table of cores from: -DCST_CHOSEN(X)=X(core, prefix of its symbol) ... */
static char *chosen(const recipe *r) {
  char       *text;
  size_t      length;
  const char *name;
  FILE       *f = cst_need(open_memstream(&text, &length));
  fprintf(f, "-DCST_CHOSEN(X)=");
  for (int i = 0; i < r->ncore; i++) {
    const int n = name_of(r->core[i], &name);
    fprintf(f, "X(%.*s, %s", n, name, strstr(r->core[i]->path, "/method/") ? "cst_core_" : "cst_");
    for (int k = 0; k < n; k++)
      fputc(name[k] == '-' ? '_' : name[k], f);
    fprintf(f, ") ");
  }
  fclose(f);
  return text;
}

static bool compile(const recipe *r, const char *folder, const char *key, char why[CST_WHY]) {
  enum { MOST = 32, ROOM = PATH + 256 };
  char        command[4096], define[128], text[MOST][ROOM];
  char       *cores = chosen(r);
  const char *word[MOST + 8];
  int         n = 0, k = 0;
  snprintf(command, sizeof command, "%s %s %s -w -shared -fPIC -fvisibility=hidden",
           r->compiler.command, cst_compiler_flags(), cst_lane_flags(r->isa));
  snprintf(define, sizeof define, "-DCST_OBJECT_KEY=\"%s\"", key);
  word[n++] = define;
  word[n++] = cores;
  word[n++] = "-DCST_SYSTEM_HEADER=\"user-system.h\"";
  if (r->cores_only)
    word[n++] = "-DCST_CORES_ONLY";
  for (const char *const *at = (const char *const[]){"include", "src", "gen", NULL}; *at; at++) {
    snprintf(text[k], ROOM, "-I%s/%s", folder, *at);
    word[n++] = text[k++];
  }
  for (int i = -1; i < r->ncore; i++) {
    snprintf(text[k], ROOM, "%s/%s", folder, i < 0 ? kernels : r->core[i]->path);
    word[n++] = text[k++];
  }
  snprintf(text[k], ROOM, "%s/object.so", folder);
  word[n++] = "-o";
  word[n++] = text[k];
  word[n] = NULL;
  const bool good = cst_compiler_run(command, word, folder, SECONDS_ALLOWED, why);
  free(cores);
  return good;
}

static bool write_sources(const recipe *r, const char *folder, char why[CST_WHY]) {
  bool good = cst_folder_write(folder, header, r->emitted, r->length, why);
  for (int i = 0; good && i < cst_source_count; i++)
    good = cst_folder_write(folder, cst_sources[i].path, cst_sources[i].text, cst_sources[i].length,
                            why);
  return good;
}

static bool make(const recipe *r, const char *folder, cst_code *code, char why[CST_WHY]) {
  return write_sources(r, folder, why) && compile(r, folder, code->key, why) &&
         cst_folder_object(folder, code, why);
}

/* From the cache, or made, in a folder of its own; the start of the key is known. */
static bool obtain(recipe *r, bool only_cached, cst_code *code, char why[CST_WHY]) {
  char folder[PATH];
  if (!cst_folder_open(folder, why))
    return false;
  bool good = cst_compiler_find(&r->compiler, folder, why);
  if (good) {
    snprintf(code->compiler, sizeof code->compiler, "%s", r->compiler.version);
    find_rest(r, code->key);
    code->cached = good = cst_cache_read(code);
    if (!good && only_cached)
      snprintf(why, CST_WHY, "not compiled before");
    if (!good && !only_cached)
      good = make(r, folder, code, why);
    if (good && !code->cached)
      cst_cache_write(code);
  }
  cst_folder_remove(folder);
  return good;
}

bool cst_compile(const cst_system *s, int isa, const char *const *cores, bool only_cached,
                 cst_code *code, char why[CST_WHY]) {
  const double start = now();
  bool         good = false;
  recipe       r = {.isa = isa};
  *code = (cst_code){.isa = isa};
  r.ncore = choose(s, isa, cores, r.core);
  r.cores_only = s->code->compiled[isa] && r.ncore;
  emit(s, &r);
  find_start(&r, code->key);
  /* which compiler there is takes a fifth of a short run to find out */
  if (only_cached && !cst_cache_has(code->key))
    snprintf(why, CST_WHY, "not compiled before");
  else
    good = obtain(&r, only_cached, code, why);
  free(r.emitted);
  code->seconds = now() - start;
  return good;
}

static recipe recipe_of_forms(const cst_system *s, int isa, char key[65]) {
  recipe r = {.isa = isa, .cores_only = s->code->compiled[isa]};
  r.ncore = choose_forms(s, r.core);
  emit(s, &r);
  find_start(&r, key);
  return r;
}

void cst_compile_forms_key(const cst_system *s, int isa, char key[65]) {
  recipe r = recipe_of_forms(s, isa, key);
  free(r.emitted);
}

bool cst_compile_forms(const cst_system *s, int isa, cst_code *code, char why[CST_WHY]) {
  char folder[PATH];
  *code = (cst_code){.isa = isa};
  recipe r = recipe_of_forms(s, isa, code->key);
  bool   good = cst_folder_open(folder, why);
  if (good) {
    good = cst_compiler_find(&r.compiler, folder, why) && make(&r, folder, code, why);
    cst_folder_remove(folder);
  }
  free(r.emitted);
  return good;
}

void cst_compile_free(cst_code *code) {
  free(code->bytes);
  code->bytes = NULL;
}

/* test-compile.c: a user's system compiled at run time: its bits are those of the interpreter; the cache;
 * everything that can be missing or broken. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../method/claims.h"
#include "observe/observe.h"
#include "system/compile/compile.h"

/* has the name of a system of the catalogue but is another system */
static const char bead[] = "system: planar-pendulum\n"
                           "coordinates: [x, y, z]\n"
                           "parameters: {a: 1.0, b: 1.5, c: 2.0, m: 1.25, k: 0.3, g: 9.81}\n"
                           "mass: [m, m, 2*m]\n"
                           "potential: m*g*z + k*sin(x)*exp(-y/2) + atan2(y, 3 + x)\n"
                           "constraints: {surface: x^2/a^2 + y^2/b^2 + z^2/c^2 - 1}\n"
                           "symmetries: {turn: [-y, x, 0]}\n"
                           "states: {default: {q: [a, 0, 0], v: [0, 0.5, 0.25]}}\n";
static const char flat[] = "system: coupled-springs\n"
                           "coordinates: [x, y]\n"
                           "parameters: {k: 2.5}\n"
                           "mass: [1, 1]\n"
                           "potential: k*(x^2 + y^2)/2 + x^2*y\n"
                           "states: {default: {q: [0.1, 0.2], v: [0.3, 0]}}\n";

static const char driven[] =
    "system: driven-pendula\n" /* forces, a time, and a mass that depends on q */
    "coordinates: [a, b]\n"
    "parameters: {k: 0.3}\n"
    "mass: [[2, cos(a - b)], [cos(a - b), 1]]\n"
    "potential: -(2*cos(a) + cos(b))*(1 + 0.1*cos(3*t))\n"
    "forces: {drag: [\"-k*a'\", \"-k*b'\"]}\n"
    "states: {default: {q: [0.5, -0.2], v: [0.1, 0.3]}}\n";

static char scratch[] = "/tmp/constella-test-XXXXXX", place[4096];

/* A path in the scratch folder. */
static const char *in_scratch(const char *name) {
  snprintf(place, sizeof place, "%s/%s", scratch, name);
  return place;
}

static cst_system *system_of(const char *text) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("own.yaml", text, strlen(text), NULL, 0, d);
  cst_diag_print(d, stderr);
  if (!s)
    abort();
  cst_diag_destroy(d);
  cst_system_interpret(s);
  return s;
}

static int widest_set(void) { return cst_isa_choose(NULL); }

/* ---- bits ------------------------------------------------------------------------------------ */

static double chance(void) {
  static unsigned long state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

enum { ROOM = 64 * CST_W_MAX };

static int same_kernel(const cst_system *x, const cst_system *y, int isa, int k) {
  static _Alignas(64) double in[6][ROOM], a[ROOM], b[ROOM];
  int                        lanes = cst_isas[isa].width, same = 1;
  for (int i = 0; i < 6 * ROOM; i++)
    in[i / ROOM][i % ROOM] = 2.6 * chance() - 1.3;
  x->code->kernel[isa][k](x->code->kernel_self[isa], in[0], in[1], in[2], in[3], in[4], in[5], a);
  y->code->kernel[isa][k](y->code->kernel_self[isa], in[0], in[1], in[2], in[3], in[4], in[5], b);
  for (int e = 0; e < x->model->kernel_size[k]; e++)
    if (x->model->kernel_out[k][e] >= 0)
      same &= !memcmp(a + e * lanes, b + e * lanes, 8 * (size_t)lanes);
  return same;
}

static void test_kernels(const cst_system *x, const cst_system *y, int isa) {
  for (int k = 0; k < CST_K_COUNT; k++)
    OK(same_kernel(x, y, isa, k), "%s: kernel %s over %s, compiled and interpreted, same bits",
       x->name, cst_system_kernel_names[k], cst_isas[isa].name);
}

enum { LANES = 5, STEPS = 200, STATE = 16 };
typedef struct {
  double q[LANES][STATE], p[LANES][STATE], iterations[LANES];
} result;

static void result_of(cst_system *s, const char *method, int isa, result *out) {
  static problem x;
  run            r;
  problem_of(&x, s);
  memset(out, 0, sizeof *out);
  run_open_on(&r, &x, method, isa, LANES, 1e-14);
  run_start(&r, LANES);
  run_go(&r, 0.02, STEPS);
  for (int l = 0; l < LANES; l++) {
    run_state(&r, l, out->q[l], out->p[l]);
    run_block(&r, l, cst_stepper_layout(r.st)->iterations, 1, &out->iterations[l]);
  }
  OK(run_well(&r, LANES), "%s on %s: no lane fails", method, s->name);
  run_close(&r);
}

/* What is compiled for a study with these methods. */
typedef struct {
  const char *method[8], *core[8]; /* end with NULL */
} selection;

static const selection kicks = {{"rattle", "shake", "euler-b", "compose(rattle, yoshida4)", NULL},
                                {"fold", "kick", NULL}};
static const selection all = {
    {"rattle", "shake", "midpoint", "rk4", "gauss(2)", "project(rk4)", NULL},
    {"project", "kick", "rk", "fold", "midpoint", "no-such", NULL}};
static const selection forced = {{"rk4", "gauss(2)", "convert(rk4, bias=-0.5)", NULL},
                                 {"rk", "convert", NULL}};

static bool runs(const cst_system *s, const char *method) {
  return s->ng || (strcmp(method, "shake") && strncmp(method, "project", 7));
}

static void test_methods(cst_system *x, cst_system *y, const selection *with, int isa) {
  static result a, b;
  for (const char *const *method = with->method; *method; method++) {
    if (!runs(x, *method))
      continue;
    result_of(x, *method, isa, &a);
    result_of(y, *method, isa, &b);
    OK(!memcmp(&a, &b, sizeof a), "%s on %s over %s: compiled and interpreted, same bits", *method,
       x->name, cst_isas[isa].name);
  }
}

/* That the steppers of these methods take a core of the system's own. */
static void test_cores(const cst_system *y, const selection *with, int isa) {
  for (const char *const *method = with->method; *method; method++) {
    cst_expr_error error;
    cst_method    *m = cst_method_parse(*method, NULL, &error);
    cst_prepared  *p = cst_method_prepare(m, y);
    for (int i = 0; i < p->program->n && runs(y, *method); i++) {
      const cst_substep_row *row = p->program->step[i].row;
      OK(cst_substep_core(row, y, isa) != cst_substep_generic(row, isa),
         "%s on %s: a core '%s' of its own", *method, y->name, row->name);
    }
    cst_program_prepared_destroy(p);
    cst_method_destroy(m);
  }
}

static void test_bits(const char *text, const selection *with, int isa) {
  cst_system *x = system_of(text), *y = system_of(text);
  cst_code    code;
  char        why[CST_WHY] = "";
  if (!OK(cst_compile(y, isa, with->core, false, &code, why), "%s is compiled for %s", y->name,
          cst_isas[isa].name))
    NOTE("%s", why);
  if (!OK(cst_load_code(y, &code, why), "and loaded"))
    NOTE("%s", why);
  NOTE("%.3f s", code.seconds);
  cst_compile_free(&code);
  test_kernels(x, y, isa);
  test_cores(y, with, isa);
  test_methods(x, y, with, isa);
  cst_system_destroy(x);
  cst_system_destroy(y);
}

static void load(cst_system *s, const char *const *cores) {
  cst_code code;
  char     why[CST_WHY] = "";
  OK(cst_compile(s, widest_set(), cores, false, &code, why) && cst_load_code(s, &code, why),
     "%s is loaded%s%s", cores[0], *why ? ": " : "", why);
  cst_compile_free(&code);
}

/* Code that comes later does not take away the code of a run that goes on. */
static void test_more(void) {
  cst_system    *s = system_of(bead), *plain = system_of(bead);
  static problem x;
  static result  a, b;
  run            r;
  load(s, (const char *const[]){"kick", NULL});
  problem_of(&x, s);
  run_open_on(&r, &x, "rattle", widest_set(), LANES, 1e-14);
  run_start(&r, LANES);
  run_go(&r, 0.02, STEPS / 2);
  const void *kick = cst_system_form(s, widest_set(), "kick");
  OK(!cst_compile_adds(s, widest_set(), (const char *const[]){"kick", NULL}), "it adds no second");
  load(s, (const char *const[]){"rk", NULL});
  OK(kick && cst_system_form(s, widest_set(), "kick") == kick, "both are there");
  run_go(&r, 0.02, STEPS / 2);
  memset(&a, 0, sizeof a);
  for (int l = 0; l < LANES; l++) {
    run_state(&r, l, a.q[l], a.p[l]);
    run_block(&r, l, cst_stepper_layout(r.st)->iterations, 1, &a.iterations[l]);
  }
  run_close(&r);
  result_of(plain, "rattle", widest_set(), &b);
  OK(!memcmp(&a, &b, sizeof a), "a run goes on with the same bits");
  result_of(s, "rk4", widest_set(), &a);
  result_of(plain, "rk4", widest_set(), &b);
  OK(!memcmp(&a, &b, sizeof a), "and the other core has them");
  cst_system_destroy(plain);
  cst_system_destroy(s);
}

static const char *script(const char *name, const char *text) {
  static char path[4096];
  snprintf(path, sizeof path, "%s", in_scratch(name));
  FILE *f = fopen(path, "w");
  fputs(text, f);
  fclose(f);
  chmod(path, 0700);
  return path;
}

/* A compiler without optimisation, which takes a fraction of the time. */
static void compile_plainly(const char *compiler) {
  char text[200];
  snprintf(text, sizeof text, "#!/bin/sh\nexec %s \"$@\" -O0\n", compiler);
  setenv("CONSTELLA_CC", script("cc", text), 1);
}

/* Studies compile with -O2, and the build compiles v2 with -O1; bits do not depend on that. All cores are tested as studies
 * compile them, for the widest set; the others without optimisation. */
static void tests(void) {
  cst_compiler clang;
  char         why[CST_WHY];
  compile_plainly("cc");
  for (int isa = 0; isa < cst_isa_count; isa++)
    if (cst_isa_available(isa) && isa != widest_set())
      test_bits(bead, &kicks, isa);
  test_more();
  unsetenv("CONSTELLA_CC");
  test_bits(bead, &all, widest_set());
  compile_plainly("cc");
  test_bits(flat, &kicks, widest_set());
  unsetenv("CONSTELLA_CC");
  test_bits(driven, &forced, widest_set());
  setenv("CONSTELLA_CC", "clang", 1);
  if (cst_compiler_find(&clang, scratch, why))
    compile_plainly("clang"), test_bits(bead, &kicks, widest_set());
  else
    NOTE("another compiler is not tried: %s", why);
}

/* ---- the cache ------------------------------------------------------------------------------- */

/* The number of files in a folder with this ending; the path of the last one in `place`. */
static int count_files(const char *folder, const char *ending) {
  DIR *d = opendir(folder);
  int  n = 0;
  for (struct dirent *e; d && (e = readdir(d));) {
    size_t length = strlen(e->d_name), end = strlen(ending);
    if (*e->d_name == '.' || length < end || strcmp(e->d_name + length - end, ending))
      continue;
    snprintf(place, sizeof place, "%s/%s", folder, e->d_name);
    n++;
  }
  if (d)
    closedir(d);
  return n;
}

static const char *const kernels_only[] = {NULL};

/* 1: found in the cache, 0: compiled, -1: neither. */
static int compile(const cst_system *s, cst_code *code, char *why) {
  if (!cst_compile(s, widest_set(), kernels_only, false, code, why))
    return -1;
  return code->cached;
}

static int compile_once(cst_system *s) {
  cst_code code;
  char     why[CST_WHY] = "";
  int      cached = compile(s, &code, why);
  if (cached < 0)
    NOTE("%s", why);
  bool loaded = cached >= 0 && cst_load_code(s, &code, why);
  cst_compile_free(&code);
  return loaded ? cached : -1;
}

/* What was compiled for one study serves those that need the same cores, in whatever order, and no other. */
static void test_sets(const cst_system *s) {
  static const char *const one[] = {"kick", NULL}, *const more[] = {"kick", "fold", NULL},
                           *const again[] = {"fold", "kick", "kick", NULL};
  const char *const *const        wanted[] = {one, more, again};
  cst_code                        code[3];
  char                            why[CST_WHY] = "";
  for (int i = 0; i < 3; i++)
    if (!OK(cst_compile(s, widest_set(), wanted[i], false, &code[i], why), "cores, set %d", i))
      NOTE("%s", why);
  OK(!code[0].cached && !code[1].cached, "a study that needs more cores has them compiled");
  OK(code[2].cached && !strcmp(code[1].key, code[2].key),
     "their order and number make no other object");
  for (int i = 0; i < 3; i++)
    cst_compile_free(&code[i]);
}

static void damage(const char *path, long at, long length) {
  FILE *f = fopen(path, "r+");
  fseek(f, at, at < 0 ? SEEK_END : SEEK_SET);
  int c = fgetc(f);
  fseek(f, -1, SEEK_CUR);
  fputc(c ^ 1, f);
  fclose(f);
  if (length >= 0 && truncate(path, length))
    abort();
}

static void test_cache(void) {
  static const struct {
    const char *what;
    long        at, length;
  } damages[] = {{"a changed byte", 3000, -1},
                 {"a changed seal", -1, -1},
                 {"a short file", 0, 5000},
                 {"an empty file", 0, 0}};
  static const char other_compiler[] = "#!/bin/sh\necho other 1.0\n";
  cst_system       *s = system_of(flat);
  char              folder[4096], entry[4096], text[sizeof flat];
  struct stat       x;
  cst_code          code;
  char              why[CST_WHY] = "";
  snprintf(folder, sizeof folder, "%s", in_scratch("cache"));
  setenv("XDG_CACHE_HOME", folder, 1);
  snprintf(folder, sizeof folder, "%s", in_scratch("cache/constella"));
  OK(!cst_compile(s, widest_set(), kernels_only, true, &code, why) &&
         strstr(why, "not compiled before"),
     "nothing is in the cache at first");
  setenv("CONSTELLA_CC", "/bin/false", 1);
  OK(!cst_compile(s, widest_set(), kernels_only, true, &code, why) &&
         strstr(why, "not compiled before"),
     "and no compiler is asked what it is: %s", why);
  unsetenv("CONSTELLA_CC");
  OK(compile_once(s) == 0, "a system is compiled");
  OK(compile_once(s) == 1, "and found the next time");
  OK(cst_compile(s, widest_set(), kernels_only, true, &code, why) && code.cached,
     "also when nothing may be compiled");
  cst_compile_free(&code);
  setenv("CONSTELLA_CC", script("other", other_compiler), 1);
  OK(!cst_compile(s, widest_set(), kernels_only, true, &code, why) &&
         strstr(why, "not compiled before"),
     "but not that of another compiler: %s", why);
  unsetenv("CONSTELLA_CC");
  OK(count_files(folder, "") == 1 && !stat(folder, &x) && (x.st_mode & 0777) == 0700,
     "the folder holds this entry and is private");
  count_files(folder, ".so");
  strcpy(entry, place);
  for (int i = 0; i < 4; i++) {
    damage(entry, damages[i].at, damages[i].length);
    OK(compile_once(s) == 0 && compile_once(s) == 1, "%s: compiled again and kept",
       damages[i].what);
  }
  chmod(entry, 0666);
  OK(compile_once(s) == 0 && compile_once(s) == 1, "an entry that others may write is not used");
  strcpy(text, flat);
  memcpy(strstr(text, "2.5"), "3.5", 3);
  cst_system *other = system_of(text);
  OK(compile_once(other) == 1, "another default of a parameter is no other code");
  cst_system_destroy(other);
  memcpy(strstr(text, "x^2*y"), "x*y^2", 5);
  other = system_of(text);
  OK(compile_once(other) == 0, "another potential is");
  test_sets(other);
  cst_system_destroy(other);
  cst_system_destroy(s);
}

static void test_refused(void) {
  cst_system *s = system_of(flat), *other = system_of(bead);
  cst_code    code;
  char        why[CST_WHY] = "";
  OK(compile(s, &code, why) >= 0 && !cst_load_code(other, &code, why) &&
         strstr(why, "not that of the system"),
     "code of another system is not taken: %s", why);
  code.key[0] ^= 1;
  OK(!cst_load_code(s, &code, why), "nor code with another fingerprint");
  code.key[0] ^= 1;
  memset(code.bytes, 0, 64);
  OK(!cst_load_code(s, &code, why) && *why && !s->code->compiled[widest_set()],
     "nor what is no object: %s", why);
  char kept[4096];
  snprintf(kept, sizeof kept, "%s", getenv("TMPDIR"));
  setenv("TMPDIR", "/dev/null", 1);
  OK(!cst_load_code(s, &code, why) && strstr(why, "/dev/null/constella-") &&
         strstr(why, ": Not a directory"),
     "no temporary file: %s", why);
  setenv("TMPDIR", kept, 1);
  struct rlimit size, none;
  getrlimit(RLIMIT_FSIZE, &size);
  none = (struct rlimit){0, size.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &none);
  bool loaded = cst_load_code(s, &code, why);
  setrlimit(RLIMIT_FSIZE, &size);
  signal(SIGXFSZ, SIG_DFL);
  OK(!loaded && strstr(why, "/constella-") && strstr(why, ": File too large"), "no room for it: %s",
     why);
  cst_compile_free(&code);
  cst_system_destroy(other);
  cst_system_destroy(s);
}

/* Without a writable cache the system is compiled every time. */
static void test_no_cache(void) {
  char        kept[4096], home[4096];
  cst_system *s = system_of(flat);
  snprintf(kept, sizeof kept, "%s", getenv("XDG_CACHE_HOME"));
  snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : "/");
  setenv("XDG_CACHE_HOME", "/proc", 1);
  OK(compile_once(s) == 0 && compile_once(s) == 0, "a cache folder that cannot be written");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  OK(!cst_cache_folder() && compile_once(s) == 0, "no home");
  setenv("HOME", in_scratch(""), 1);
  OK(compile_once(s) == 0 && compile_once(s) == 1 &&
         count_files(in_scratch(".cache/constella"), ".so") == 1,
     "a home without .cache");
  chmod(in_scratch(".cache/constella"), 0777);
  OK(!cst_cache_folder(), "a folder that others may write is not used");
  setenv("XDG_CACHE_HOME", "relative", 1);
  chmod(in_scratch(".cache/constella"), 0700);
  OK(cst_cache_folder() && strstr(cst_cache_folder(), "/.cache/"),
     "a relative XDG_CACHE_HOME is of no account");
  setenv("XDG_CACHE_HOME", kept, 1);
  setenv("HOME", home, 1);
  cst_system_destroy(s);
}

static void test_at_once(void) {
  enum { PROCESSES = 3 };
  pid_t       child[PROCESSES];
  cst_system *s = system_of(flat);
  int         good = 0, status;
  setenv("XDG_CACHE_HOME", in_scratch("shared"), 1);
  fflush(NULL);
  for (int i = 0; i < PROCESSES; i++)
    if (!(child[i] = fork()))
      _exit(compile_once(s) >= 0 && compile_once(s) == 1 ? 0 : 1);
  for (int i = 0; i < PROCESSES; i++)
    good += waitpid(child[i], &status, 0) == child[i] && status == 0;
  OK(good == PROCESSES, "%d processes at once", PROCESSES);
  OK(count_files(in_scratch("shared/constella"), "") == 1 && compile_once(s) == 1,
     "leave one good entry");
  cst_system_destroy(s);
}

/* ---- the compiler ---------------------------------------------------------------------------- */

static void test_compiler(void) {
  static const char fails[] =
      "#!/bin/sh\nif [ \"$1\" = --version ]; then echo strange 1.0; exit; fi\necho "
      "one >&2\necho two >&2\nexit 3\n";
  static const char dies[] = "#!/bin/sh\necho last words\nkill -9 $$\n";
  static const char idles[] = "#!/bin/sh\nsleep 100\n";
  static const char wraps[] = "#!/bin/sh\nshift\nexec cc \"$@\"\n";
  cst_system       *s = system_of(flat);
  cst_code          code;
  char              why[CST_WHY] = "", two[4200];
  setenv("XDG_CACHE_HOME", in_scratch("third"), 1);
  setenv("CONSTELLA_CC", "/dev/null/cc", 1);
  OK(compile(s, &code, why) < 0 && strstr(why, "/dev/null/cc: Not a directory"), "no compiler: %s",
     why);
  setenv("CONSTELLA_CC", "/bin/false", 1);
  OK(compile(s, &code, why) < 0 && strstr(why, "/bin/false: exit status 1"),
     "a compiler that does not answer");
  setenv("CONSTELLA_CC", script("fails", fails), 1);
  OK(compile(s, &code, why) < 0 && strstr(why, "exit status 3\none\ntwo"),
     "a compiler that fails: its first lines are in the reason");
  setenv("CONSTELLA_CC", "/bin/echo", 1);
  OK(compile(s, &code, why) < 0 && strstr(why, "wrote no object"),
     "a compiler that compiles nothing: %s", why);
  setenv("CONSTELLA_CC", "  ", 1);
  OK(compile(s, &code, why) < 0 && strstr(why, "CONSTELLA_CC"), "no words: %s", why);
  snprintf(two, sizeof two, "%s unused", script("wraps", wraps));
  setenv("CONSTELLA_CC", two, 1);
  OK(compile_once(s) == 0, "a compiler of two words");
  unsetenv("CONSTELLA_CC");
  OK(!cst_compiler_run(script("idles", idles), (const char *const[]){NULL}, scratch, 0.1, why) &&
         strstr(why, "ended after 0.1 s"),
     "a compiler that does not end is ended");
  OK(!cst_compiler_run(script("dies", dies), (const char *const[]){NULL}, scratch, 600, why) &&
         strstr(why, "dies: ended by signal 9\nlast words"),
     "a compiler that dies: %s", why);
  setenv("TMPDIR", "/dev/null", 1);
  OK(compile(s, &code, why) < 0 && strstr(why, "/dev/null/constella-"), "no temporary folder: %s",
     why);
  cst_system_destroy(s);
}

/* The program contains everything that it needs to compile: a compilation works far from the sources. */
static void test_carried(void) {
  int found = 0;
  for (int i = 0; i < cst_source_count; i++)
    found += !strcmp(cst_sources[i].path, "src/system/compile/kernels.c") +
             !strcmp(cst_sources[i].path, "gen/observers.list.h");
  OK(found == 2 && cst_source_count > 5, "the program carries %d texts", cst_source_count);
  if (chdir("/"))
    abort();
}

int main(int argc, char **argv) {
  if (!mkdtemp(scratch))
    abort();
  mkdir(in_scratch("tmp"), 0700);
  setenv("TMPDIR", place, 1);
  compile_plainly("cc"); /* for tests whose result does not depend on optimisation */
  test_carried();
  test_cache();
  test_refused();
  test_no_cache();
  test_at_once();
  test_compiler();
  setenv("TMPDIR", in_scratch("tmp"), 1);
  OK(count_files(place, "") == 0, "no temporary file is left");
  unsetenv("TMPDIR"); /* PETSc and MPI put their own files there */
  int  status = claims_main(&argc, &argv, tests);
  char command[4200];
  snprintf(command, sizeof command, "rm -rf '%s'", scratch);
  return system(command) || status;
}

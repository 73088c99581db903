/* compiler.c: finds and runs the machine's C compiler, with limits of time and memory; compiles C files of
 * users. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "constella/random.h"
#include "system/compile/compile.h"
#include "system/internal.h"

/* The build defines the compiler and flags of its lane code; the same are used for a user's system. */
#ifndef CST_OBJECT_CC
#define CST_OBJECT_CC "cc"
#endif
#ifndef CST_OBJECT_FLAGS
#error CST_OBJECT_FLAGS must hold the flags of lane code
#endif

enum { LINES = 24, PATH = 4096 };

const char *cst_compiler_flags(void) { return CST_OBJECT_FLAGS; }

/* The first lines of folder/messages. */
static void quote(const char *folder, int most, char *text, size_t room) {
  char   path[PATH + 16], line[512];
  size_t n = 0;
  snprintf(path, sizeof path, "%s/messages", folder);
  FILE *f = fopen(path, "r");
  *text = 0;
  if (!f)
    return;
  for (int i = 0; i < most && n + 2 < room; i++) {
    if (!fgets(line, sizeof line, f))
      break;
    line[strcspn(line, "\n")] = 0;
    const char *separator = i ? "\n" : "";
    n += (size_t)snprintf(text + n, room - n, "%s%s", separator, line);
  }
  fclose(f);
}

/* The environment of this process, except for the folder of temporary files (so that files of a killed
 * compiler are removed too) and the language of messages. */
static char **environment(const char *folder) {
  static char temporary[PATH + 16];
  int         n = 0, k = 0;
  while (environ[n])
    n++;
  char **e = cst_zeros(n + 2, sizeof *e);
  for (int i = 0; i < n; i++) {
    const bool replaced = !strncmp(environ[i], "TMPDIR=", 7) || !strncmp(environ[i], "LC_ALL=", 7);
    if (!replaced)
      e[k++] = environ[i];
  }
  snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
  e[k++] = temporary;
  e[k++] = "LC_ALL=C";
  return e;
}

/* What precedes the compiler: a shell that limits it, 4 GiB and $1 seconds of the processor, leaves a watch
 * behind, and becomes the compiler. The watch waits for the end of the pipe, which comes when this process
 * has ended, however it did, and kills the group. */
static const char watch[] = "ulimit -v 4194304 2>/dev/null; ulimit -t $1 2>/dev/null; shift; "
                            "(read x; kill -9 0) <&3 & exec \"$@\" 3<&-";

enum { WATCHED = 3 };

/* The words of the command, behind those of the shell. Owned. */
static char **watched(char *const *argv, const char *seconds) {
  int n = 0;
  while (argv[n])
    n++;
  char **all = cst_zeros(n + 6, sizeof *all);
  all[0] = "sh";
  all[1] = "-c";
  all[2] = (char *)watch;
  all[3] = "sh";
  all[4] = (char *)seconds;
  memcpy(all + 5, argv, sizeof *all * (size_t)n);
  return all;
}

/* posix_spawn, not fork: memory registered with a network card must not be shared with a child. The child has
 * its own process group, so that its children can be killed with it. */
static int start(char *const *argv, const char *folder, int pipe, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t          how;
  char                       messages[PATH + 16];
  char                     **e = environment(folder);
  sigset_t                   none;
  sigemptyset(&none);
  snprintf(messages, sizeof messages, "%s/messages", folder);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, pipe, WATCHED);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_init(&how);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  int status = posix_spawn(pid, "/bin/sh", &files, &how, argv, e);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  free(e);
  return status;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The status of the child; -1 if it was killed. */
static int await(pid_t pid, double seconds) {
  const double end = now() + seconds;
  int          status;
  pid_t        k;
  while ((k = waitpid(pid, &status, WNOHANG)) == 0 || (k < 0 && errno == EINTR)) {
    if (now() > end) {
      kill(-pid, SIGKILL);
      while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
      }
      return -1;
    }
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  return k < 0 ? 0 : status; /* reaped elsewhere: the output shows the result */
}

/* The words of `command`, then the arguments unchanged. One block of memory. */
static char **words(const char *command, const char *const *arguments) {
  size_t n = 2;
  size_t length = strlen(command) + 1;
  for (const char *c = command; *c; c++)
    n += *c == ' ';
  for (int i = 0; arguments[i]; i++)
    n++;
  char **argv = cst_need(malloc(n * sizeof *argv + length));
  char  *text = memcpy(argv + n, command, length);
  char  *word;
  n = 0;
  while ((word = strsep(&text, " ")))
    if (*word)
      argv[n++] = word;
  for (int i = 0; arguments[i]; i++)
    argv[n++] = (char *)arguments[i];
  argv[n] = NULL;
  return argv;
}

static bool fail(int status, const char *name, double seconds, const char *folder,
                 char why[CST_WHY]) {
  int n;
  if (status == -1)
    n = snprintf(why, CST_WHY, "%.300s: ended after %g s", name, seconds);
  else if (WIFSIGNALED(status))
    n = snprintf(why, CST_WHY, "%.300s: ended by signal %d", name, WTERMSIG(status));
  else
    n = snprintf(why, CST_WHY, "%.300s: exit status %d", name, WEXITSTATUS(status));
  quote(folder, LINES, why + n + 1, CST_WHY - (size_t)n - 1);
  if (why[n + 1])
    why[n] = '\n';
  return false;
}

/* Runs the command and awaits its end. 0, or an error number with *status unset. */
static int run(char *const *argv, const char *folder, double seconds, int *status) {
  pid_t pid;
  int   pipe[2];
  char  limit[32];
  if (strchr(argv[0], '/') && access(argv[0], X_OK))
    return errno;
  if (pipe2(pipe, O_CLOEXEC))
    return errno;
  snprintf(limit, sizeof limit, "%.0f", ceil(seconds));
  char    **all = watched(argv, limit);
  const int failed = start(all, folder, pipe[0], &pid);
  free(all);
  close(pipe[0]);
  if (!failed)
    *status = await(pid, seconds);
  close(pipe[1]);
  return failed;
}

bool cst_compiler_run(const char *command, const char *const *arguments, const char *folder,
                      double seconds, char why[CST_WHY]) {
  char **argv = words(command, arguments);
  char   name[256];
  int    status = 0;
  snprintf(name, sizeof name, "%s", argv[0]);
  const int failed = run(argv, folder, seconds, &status);
  free(argv);
  if (failed)
    snprintf(why, CST_WHY, "%s: %s", name, strerror(failed));
  return !failed && (status == 0 || fail(status, name, seconds, folder, why));
}

/* Whether `command` runs; the first line of its output identifies it. */
static bool answers(cst_compiler *c, const char *command, const char *folder, char why[CST_WHY]) {
  const char *const version[] = {"--version", NULL};
  if (!cst_compiler_run(command, version, folder, 30, why))
    return false;
  snprintf(c->command, sizeof c->command, "%s", command);
  quote(folder, 1, c->version, sizeof c->version);
  return true;
}

bool cst_compiler_find(cst_compiler *c, const char *folder, char why[CST_WHY]) {
  const char *chosen = getenv("CONSTELLA_CC");
  if (chosen && *chosen && !chosen[strspn(chosen, " ")]) {
    snprintf(why, CST_WHY, "CONSTELLA_CC is blank; it must name a compiler");
    return false;
  }
  if (chosen && *chosen)
    return answers(c, chosen, folder, why);
  return answers(c, CST_OBJECT_CC, folder, why) || answers(c, "cc", folder, why);
}

/* ---- files of users -------------------------------------------------------------------------- */

/* The file can include the public headers that
 * the program embeds, and no other file, so the text alone identifies the result in the cache. */

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

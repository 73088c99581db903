/* load.c: the bytes of a compiled system become part of this process.
 *
 * They are loaded from memory that has a name only in /proc, where the kernel allows that, else from a temporary file that is removed at
 * once. Nothing of theirs is seen by others; of the program they use libsleef and libc.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "system/compile.h"
#include "system/internal.h"

enum { PATH = 4096 };

/* fd stays open as long as the object is loaded: the loader takes two objects of one name for the same. */
typedef struct {
  void *handle;
  int   fd;
} loaded;

static void unload(void *p) {
  loaded *l = p;
  if (!l) return;
  dlclose(l->handle);
  if (l->fd >= 0) close(l->fd);
  free(l);
}

static bool write_all(int fd, const char *bytes, size_t n) {
  for (ssize_t k; n; bytes += k, n -= (size_t)k)
    if ((k = write(fd, bytes, n)) <= 0) return false;
  return true;
}

static void *open_memory(const cst_code *code, int *fd) {
  char path[64];
  *fd = memfd_create("constella-system", MFD_CLOEXEC);
  if (*fd < 0) return NULL;
  snprintf(path, sizeof path, "/proc/self/fd/%d", *fd);
  void *handle = write_all(*fd, code->bytes, code->size) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!handle) close(*fd), *fd = -1;
  return handle;
}

static void *open_file(const cst_code *code, char why[CST_WHY]) {
  const char *base = getenv("TMPDIR");
  char        path[PATH];
  void       *handle = NULL;
  snprintf(path, sizeof path, "%s/constella-XXXXXX", base && *base == '/' ? base : "/tmp");
  int fd = mkostemp(path, O_CLOEXEC);
  if (fd < 0) {
    snprintf(why, CST_WHY, "%.1000s: %s", path, strerror(errno));
    return NULL;
  }
  if (!write_all(fd, code->bytes, code->size))
    snprintf(why, CST_WHY, "%.1000s: %s", path, strerror(errno));
  else if (!(handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)))
    snprintf(why, CST_WHY, "%.1500s", dlerror());
  close(fd);
  unlink(path);
  return handle;
}

/* Whether what was loaded is what was asked for. */
static const cst_compiled *check(const cst_system *s, const cst_code *code, void *handle) {
  char name[64];
  snprintf(name, sizeof name, "cst_compiled_user_%s", cst_isas[code->isa].name);
  const cst_compiled *x = dlsym(handle, name);
  return x && !strcmp(x->key, code->key) && x->nq == s->nq && x->ng == s->ng && x->npar == s->npar && x->nsym == s->nsym &&
                 x->width == cst_isas[code->isa].width
             ? x
             : NULL;
}

bool cst_code_load(cst_system *s, const cst_code *code, char why[CST_WHY]) {
  cst_system_owned   *o = s->owned;
  loaded              l = {.fd = -1};
  const cst_compiled *x;
  if (!(l.handle = open_memory(code, &l.fd)) && !(l.handle = open_file(code, why))) return false;
  if (!(x = check(s, code, l.handle))) {
    snprintf(why, CST_WHY, "the compiled object is not that of the system");
    dlclose(l.handle);
    if (l.fd >= 0) close(l.fd);
    return false;
  }
  unload(o->loaded[code->isa]);
  o->unload = unload;
  *(loaded *)(o->loaded[code->isa] = cst_system_memory(malloc(sizeof l))) = l;
  cst_system_attach(s, code->isa, x);
  return true;
}

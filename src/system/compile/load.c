/* load.c: loads the bytes of a shared object, usually a compiled system, into this process.
 *
 * The bytes are loaded from an anonymous file in memory (memfd) if the kernel allows that, else from a
 * temporary file that is removed at once. The symbols of the object are local to it; it uses libsleef and
 * libc of the program.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "core/lane-form.h"
#include "core/need.h"
#include "system/compile/compile.h"
#include "system/internal.h"

enum { PATH = 4096 };

/* fd stays open as long as the object is loaded: the loader identifies objects by their names. */
struct cst_object {
  void *handle;
  int   fd;
};

static const char *name_of(int fd, char name[64]) {
  snprintf(name, 64, "/proc/self/fd/%d", fd);
  return name;
}

/* Whether an object is still loaded, as one is that was linked to stay (-z nodelete). */
static bool stays(int fd) {
  char  name[64];
  void *handle = dlopen(name_of(fd, name), RTLD_NOW | RTLD_NOLOAD);
  if (handle)
    dlclose(handle);
  return handle;
}

void cst_load_object_unload(cst_object *o) {
  if (!o)
    return;
  dlclose(o->handle);
  if (o->fd >= 0 && !stays(o->fd))
    close(o->fd);
  free(o);
}

static bool write_all(int fd, const char *bytes, size_t n) {
  for (ssize_t k; n; bytes += k, n -= (size_t)k)
    if ((k = write(fd, bytes, n)) <= 0)
      return false;
  return true;
}

static void *open_memory(const cst_code *code, int *fd) {
  char name[64];
  *fd = memfd_create("constella-object", MFD_CLOEXEC);
  if (*fd < 0)
    return NULL;
  void *handle = write_all(*fd, code->bytes, code->size)
                     ? dlopen(name_of(*fd, name), RTLD_NOW | RTLD_LOCAL)
                     : NULL;
  if (!handle) {
    close(*fd);
    *fd = -1;
  }
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

cst_object *cst_load_object(const cst_code *code, char why[CST_WHY]) {
  cst_object o = {.fd = -1};
  o.handle = open_memory(code, &o.fd);
  if (!o.handle)
    o.handle = open_file(code, why);
  if (!o.handle)
    return NULL;
  cst_object *kept = cst_need(malloc(sizeof o));
  *kept = o;
  return kept;
}

void *cst_load_object_symbol(const cst_object *o, const char *name) {
  return dlsym(o->handle, name);
}

/* The compiled system of the object, or NULL if it is not the one that was requested. */
static const cst_compiled *check(const cst_system *s, const cst_code *code, const cst_object *o) {
  char name[64];
  snprintf(name, sizeof name, "cst_compiled_user_%s", cst_lane_suffix(code->isa));
  const cst_compiled *x = cst_load_object_symbol(o, name);
  return x && !strcmp(x->key, code->key) && x->nq == s->nq && x->ng == s->ng &&
                 x->npar == s->npar && x->nsym == s->nsym && x->width == cst_isas[code->isa].width
             ? x
             : NULL;
}

static void unload(void *object) { cst_load_object_unload(object); }

bool cst_load_code(cst_system *s, const cst_code *code, char why[CST_WHY]) {
  cst_system_owned   *owned = s->owned;
  cst_object         *o = cst_load_object(code, why);
  const cst_compiled *x = o ? check(s, code, o) : NULL;
  if (o && !x)
    snprintf(why, CST_WHY, "the compiled object is not that of the system");
  if (!x) {
    cst_load_object_unload(o);
    return false;
  }
  owned->unload = unload;
  owned->loaded =
      cst_need(realloc(owned->loaded, (size_t)(owned->nloaded + 1) * sizeof *owned->loaded));
  owned->loaded[owned->nloaded++] = o; /* earlier ones stay: steppers have their cores */
  cst_system_attach(s, code->isa, x);
  return true;
}

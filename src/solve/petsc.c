/* petsc.c: fills the table of PETSc's functions (see petsc.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "solve/petsc.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef CST_PETSC_LIBRARY
struct cst_petsc cst_petsc;

static const char *const names[] = {
#define X(name)              CST_PETSC_TEXT(name),
#define CST_PETSC_TEXT(name) #name
    CST_PETSC_NAMES(X)
#undef X
};
enum { NAMES = sizeof names / sizeof *names };
_Static_assert(sizeof cst_petsc == NAMES * sizeof(void *), "one pointer for each name");

static bool  loaded;
static void *from; /* the library */

bool cst_petsc_load(char *why, int n) {
  void *found[NAMES], *library = loaded ? NULL : dlopen(CST_PETSC_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
  if (loaded)
    return true;
  for (int i = 0; library && i < NAMES; i++)
    if (!(found[i] = dlsym(library, names[i])))
      library = NULL;
  if (!library) {
    const char *reason = dlerror();
    snprintf(why, (size_t)n, "%s", reason ? reason : "no reason is given");
    return false;
  }
  memcpy(&cst_petsc, found, sizeof cst_petsc);
  from = library;
  return loaded = true;
}

#else
struct cst_petsc cst_petsc = {
#define X(name) .name = &name,
    CST_PETSC_NAMES(X)
#undef X
};
enum { loaded = true };
static void *const from; /* the program */

bool cst_petsc_load(char *why, int n) {
  (void)why, (void)n;
  return true;
}
#endif

void cst_petsc_blas(char *text, size_t n) {
  char *(*name)(void) = NULL;
  void *at = dlsym(from, "openblas_get_corename"); /* in one of the libraries that it needs */
  memcpy(&name, &at, sizeof name);
  snprintf(text, n, "%s%s", at ? "OpenBLAS " : "unknown", at ? name() : "");
}

bool cst_petsc_is_on(void) {
  PetscBool on = PETSC_FALSE;
  return loaded && !cst_petsc.PetscInitialized(&on) && on;
}

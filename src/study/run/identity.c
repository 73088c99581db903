/* identity.c: identifies the build and the study that a checkpoint belongs to (see identity.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/plan/division.h"
#include "study/run/engine-notes.h"
#include "study/run/identity.h"
#include "study/run/libraries.h"

#ifndef CST_VERSION
#define CST_VERSION "unknown"
#endif
#ifndef CST_COMPILER
#define CST_COMPILER "unknown"
#endif

const char *cst_identity_version(void) { return CST_VERSION; }
const char *cst_identity_compiler(void) { return CST_COMPILER " (" __VERSION__ ")"; }

/* Reads the linker's build identifier of the program itself, the first object in the list. It changes with
 * any code. */
static int find_build(struct dl_phdr_info *info, size_t size, void *text) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    const char *at = (const char *)(info->dlpi_addr + h->p_vaddr);
    const char *end = at + h->p_memsz;
    while (h->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *note = (const void *)at;
      const unsigned char *bytes =
          (const unsigned char *)(note + 1) + (note->n_namesz + 3U) / 4 * 4;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4)
        for (unsigned b = 0; b < note->n_descsz && b < 32; b++)
          sprintf((char *)text + 2 * b, "%02x", bytes[b]);
      at = (const char *)bytes + (note->n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

static void print_quantities(FILE *f, const cst_plan *p) {
  fputs("quantities:", f);
  for (int k = 0; k < p->nquantity; k++)
    fprintf(f, " %s", p->quantity[k].name);
  fputc('\n', f);
}

/* What else the bits of PETSc's solvers depend on. */
static void print_engine(FILE *f) {
  char  blas[64];
  char *options = cst_engine_options();
  cst_engine_blas(blas, sizeof blas);
  fprintf(f, "PETSc options: %s\nBLAS: %s\n", options, blas);
  free(options);
}

const char *cst_identity_build(void) {
  static char build[80];
  if (!*build) {
    strcpy(build, "unknown");
    dl_iterate_phdr(find_build, build);
  }
  return build;
}

char *cst_identity_text(const cst_plan *p, const char *run) {
  char   libraries[512], *text = NULL;
  size_t n;
  FILE  *f = open_memstream(&text, &n);
  cst_need(f);
  cst_libraries(libraries, sizeof libraries);
  fprintf(f, "result file: %s\nstudy: %s\nversion: %s\ncompiler: %s\nlibraries: %s\nbuild: %s\n",
          run, p->study->sha256, CST_VERSION, cst_identity_compiler(), libraries,
          cst_identity_build());
  if (p->part)
    fprintf(f, "part: %ld/%ld\n", p->part, p->division->n);
  if (cst_engine_is_petsc(p))
    print_engine(f);
  if (p->study->team > 1)
    fprintf(f, "ranks per trajectory: %d\n", p->study->team);
  print_quantities(f, p);
  fclose(f);
  return text;
}

bool cst_identity_same(const char *then, const char *now, const char *what, char *why, int n) {
  while (*then && *now) {
    const size_t a = strcspn(then, "\n");
    const size_t b = strcspn(now, "\n");
    if (a != b || strncmp(then, now, a))
      break;
    then += a + (then[a] == '\n');
    now += b + (now[b] == '\n');
  }
  if (!*then && !*now)
    return true;
  snprintf(why, (size_t)n, "%s has \"%.*s\", now it is \"%.*s\"", what, (int)strcspn(then, "\n"),
           then, (int)strcspn(now, "\n"), now);
  return false;
}

/* identity.c: identifies the build and the study that a checkpoint belongs to (see identity.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "study/run/identity.h"
#include <ctype.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "core/text.h"
#include "solve/petsc.h"
#include "study/plan/division.h"
#include "study/run/libraries.h"

/* ---- what a run by PETSc's solvers depends on ------------------------------------------------ */

enum { WORD = 256 };

bool cst_engine_is_petsc(const cst_plan *p) {
  for (int i = 0; i < p->study->methods.n; i++)
    if (cst_plan_is_petsc(p, i))
      return true;
  return false;
}

/* Copies the next word of *text; false: there is none. */
static bool next_word(const char **text, char word[WORD]) {
  *text += strspn(*text, " \t\n");
  const int n = (int)strcspn(*text, " \t\n");
  snprintf(word, WORD, "%.*s", n, *text);
  *text += n;
  return n > 0;
}

static bool is_option(const char *word) { return *word == '-' && isalpha((unsigned char)word[1]); }

static bool has_one_of(const char *word, const char *const *parts) {
  while (*parts && !strstr(word, *parts))
    parts++;
  return *parts != NULL;
}

/* Options with one of these only show something. */
static const char *const shows[] = {
    "monitor", "view",   "converged_reason", "malloc", "options_left", "objects_dump", "log_",
    "help",    "memory", "snes_test",        NULL};

char *cst_engine_options(void) {
  char       *all = NULL, *kept = NULL, word[WORD];
  size_t      n;
  bool        keeps = false;
  const char *rest;
  FILE       *f = cst_need(open_memstream(&kept, &n));
  if (cst_petsc_is_on() && !cst_petsc.PetscOptionsGetAll(NULL, &all)) {
    for (rest = all; next_word(&rest, word);) {
      if (is_option(word))
        keeps = !has_one_of(word, shows);
      if (keeps)
        fprintf(f, "%s%s", ftell(f) ? " " : "", word);
    }
    (void)(*cst_petsc.PetscTrFree)(all, __LINE__, __func__, __FILE__);
  }
  fclose(f);
  return cst_need(kept);
}

bool cst_engine_options_are_plain(const char *text) {
  static const char *const solvers[] = {"-snes_", "-ksp_", "-pc_", "-mat_", "-sub_", "-mg_", NULL};
  static const char *const others[] = {"file", "shell", "python", "append", NULL};
  char                     word[WORD];
  while (next_word(&text, word)) {
    const char *const *of = solvers;
    while (is_option(word) && *of && !cst_text_begins(word, *of))
      of++;
    if (!*of || has_one_of(word, shows) || has_one_of(word, others) ||
        word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,+-")])
      return false;
  }
  return true;
}

void cst_engine_blas(char *text, size_t n) {
  char why[WORD];
  if (cst_petsc_load(why, sizeof why))
    cst_petsc_blas(text, n);
  else
    snprintf(text, n, "unknown: PETSc cannot be loaded");
}

/* ---- the build and the study ----------------------------------------------------------------- */

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
          run, p->study->source.sha256, CST_VERSION, cst_identity_compiler(), libraries,
          cst_identity_build());
  if (p->part)
    fprintf(f, "part: %ld/%ld\n", p->part, p->division->n);
  if (cst_engine_is_petsc(p))
    print_engine(f);
  if (p->study->solver.team > 1)
    fprintf(f, "ranks per trajectory: %d\n", p->study->solver.team);
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

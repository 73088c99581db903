/* engine-notes.c: what a run by PETSc's solvers depends on (see engine-notes.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/engine-notes.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "core/text.h"
#include "solve/petsc.h"

enum { WORD = 256 };

bool cst_engine_is_petsc(const cst_plan *p) {
  for (int i = 0; i < p->study->nmethod; i++)
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

/* fuzz-continue.c: rows from which a longer run continues, with any numbers: texts "INDEX VALUE;INDEX VALUE.." that
 * change a good row of the study that FUZZ_STUDY names. A row that is accepted is converted; the rows have exactly the
 * sizes of the plans, so that a sanitizer sees what is read or written outside. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "core/document.h"
#include "solve/petsc.h"
#include "study/collect/continue-rows.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Of the sanitizer, where there is one: what is allocated between them may leak. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* Open MPI leaves some bytes of the components that it unloads. */
static void start_petsc(void) {
  if (__lsan_disable)
    __lsan_disable();
  if (PetscInitializeNoArguments())
    abort();
  if (__lsan_enable)
    __lsan_enable();
}

typedef struct {
  cst_plan     *plan;
  cst_channels *channels;
  size_t        width;
} side;

/* The study, with another end where one is given. */
static side make(const char *end) {
  cst_diag   *d = cst_diag_create();
  const char *name = getenv("FUZZ_STUDY");
  char       *text = NULL;
  size_t      length;
  side        x = {NULL};
  if (!name || cst_document_fetch(name, &text, &length))
    abort();
  char *at = strstr(text, "end: ");
  if (!at)
    abort();
  memcpy(at + 5, end, 1);
  cst_study *s = cst_study_read("continue.yaml", text, length, cst_reader_share_alone, d);
  x.plan = s ? cst_plan_create(s, cst_isa_choose(NULL), d) : NULL;
  cst_diag_print(d, stderr);
  if (!x.plan)
    abort();
  free(text);
  cst_diag_destroy(d);
  x.channels = cst_channels_create(x.plan, NULL);
  x.width = cst_channels_find(x.channels, &cst_channel_continue, 0)->count;
  return x;
}

static void fill(const side *old, const cst_class *k, double *row) {
  for (size_t i = 0; i < old->width; i++)
    row[i] = 0.25;
  row[CST_CONTINUE_STEP] = (double)k->n;
  row[CST_CONTINUE_HALF_STEP] = 2 * (double)k->n;
  row[CST_CONTINUE_NUMBERS] = (double)(old->width - CST_CONTINUE_HEAD - CST_CONTINUE_SEAL);
  row[CST_CONTINUE_HEAD] = row[CST_CONTINUE_HEAD + 1] = 0;
  cst_continue_seal(row);
}

static void change(const side *old, double *row, char *text) {
  for (char *rest, *x = strtok_r(text, ";", &rest); x; x = strtok_r(NULL, ";", &rest)) {
    char               *value;
    const unsigned long i = strtoul(x, &value, 10);
    if (i < old->width)
      row[i] = strtod(value, NULL);
  }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  static side old, now;
  char        why[200];
  if (!old.plan) {
    start_petsc();
    old = make("2");
    now = make("4");
  }
  char            *text = strndup((const char *)data, size);
  double          *row = malloc(old.width * sizeof *row);
  double          *made = malloc(now.width * sizeof *made);
  const int        which = (int)(size % (size_t)old.plan->nclass);
  const cst_class *from = &old.plan->classes[which];
  if (!text || !row || !made)
    abort();
  fill(&old, from, row);
  change(&old, row, text);
  if (cst_continue_check(old.channels, from, now.channels, row, why, sizeof why))
    cst_continue_convert(old.channels, from, now.channels, &now.plan->classes[which], row, made);
  free(made);
  free(row);
  free(text);
  return 0;
}

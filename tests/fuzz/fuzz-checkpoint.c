/* fuzz-checkpoint.c: any bytes as a checkpoint of the study tests/fuzz/checkpoint.yaml, whose text FUZZ_STUDY
 * names. The digests of inputs with the form of a checkpoint are corrected first, so that the numbers are
 * tested; every second input is left unchanged. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "core/document.h"
#include "constella/random.h"
#include "record/snapshot-form.h"
#include "scratch.h"
#include "solve/petsc.h"
#include "study/run/checkpoint.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static cst_plan *make_plan(void) {
  cst_diag   *d = cst_diag_create();
  const char *name = getenv("FUZZ_STUDY");
  char       *text = NULL;
  size_t      length;
  if (!name || cst_document_fetch(name, &text, &length))
    abort();
  cst_study *s = cst_study_read("checkpoint.yaml", text, length, cst_reader_share_alone, d);
  cst_plan  *p = s ? cst_plan_create(s, cst_isa_choose(NULL), d) : NULL;
  cst_diag_print(d, stderr);
  if (!p)
    abort();
  free(text);
  cst_diag_destroy(d);
  return p;
}

/* Corrects the digests of a checkpoint whose parts are inside it. */
static void seal(unsigned char *data, size_t size) {
  cst_snapshot_trailer t;
  cst_sha256_context   c;
  if (size < sizeof t)
    return;
  memcpy(&t, data + size - sizeof t, sizeof t);
  if (t.count > 1000 || t.index > size ||
      size - t.index != t.count * sizeof(cst_snapshot_entry) + sizeof t)
    return;
  cst_snapshot_entry *e = malloc(t.count * sizeof *e + 1);
  memcpy(e, data + t.index, t.count * sizeof *e);
  for (uint32_t i = 0; i < t.count; i++) {
    if (e[i].offset > t.index || e[i].size > t.index - e[i].offset)
      continue;
    cst_sha256_init(&c);
    cst_sha256_update(&c, data + e[i].offset, e[i].size);
    cst_sha256_final(&c, e[i].digest);
  }
  memcpy(data + t.index, e, t.count * sizeof *e);
  cst_snapshot_seal(e, &t, t.digest);
  memcpy(data + size - sizeof t, &t, sizeof t);
  free(e);
}

static cst_error stop_at_once(void *context, double work, bool *stop) {
  (void)context, (void)work;
  *stop = true;
  return 0;
}

static cst_error quiet(MPI_Comm comm, int line, const char *function, const char *file, cst_error n,
                       bool arises, const char *message, void *context) {
  (void)comm, (void)line, (void)function, (void)file, (void)arises, (void)message, (void)context;
  return n;
}

/* Reads everything that a resumed run reads before its first step. */
static void take(const cst_plan *p, cst_checkpoint *checkpoint) {
  char           why[512];
  size_t         size;
  cst_reference *r = cst_reference_create(p);
  cst_assembly  *k = cst_assembly_create(p, checkpoint, r);
  const bool     good = cst_assembly_take_over(k, why, sizeof why);
  for (int i = 0; good && i < checkpoint->nsaved; i++) {
    const double *rows = cst_checkpoint_rows(checkpoint, i);
    double        sum = 0;
    for (long n = 0; rows && n < checkpoint->saved[i].count * checkpoint->saved[i].numbers; n++)
      sum += rows[n];
    if (sum == 1.5)
      fputc(' ', stderr);
  }
  for (int i = 0; good && i < cst_reference_items(r); i++) {
    const void *bytes;
    bool        stop = false;
    if (!cst_checkpoint_midway(checkpoint, i, &bytes, &size) || !bytes)
      continue;
    cst_error_push(quiet, NULL);
    if (cst_reference_compute(r, i, bytes, size, stop_at_once, NULL, &stop))
      r->at = NULL;
    cst_error_pop();
  }
  cst_assembly_destroy(k);
  cst_reference_destroy(r);
}

/* Whether leaks of memory allocated from here on are reported; only with a sanitizer. */
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));
static void leaks(bool told) {
  if (told && __lsan_enable)
    __lsan_enable();
  if (!told && __lsan_disable)
    __lsan_disable();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  static cst_plan *p;
  char             why[512], name[128];
  unsigned char   *copy = malloc(size + 1);
  if (!p) {
    leaks(false); /* of modules that MPI unloads */
    if (PetscInitializeNoArguments())
      abort();
    leaks(true);
    p = make_plan();
  }
  memcpy(copy, data, size);
  if (size % 2 == 0)
    seal(copy, size);
  scratch_write("r.h5.checkpoint.1", copy, size);
  snprintf(name, sizeof name, "%s/r.h5", scratch_folder);
  cst_checkpoint *checkpoint = cst_checkpoint_create(p);
  if (cst_checkpoint_open(p, checkpoint, name, 1, why, sizeof why))
    take(p, checkpoint);
  cst_checkpoint_destroy(p, checkpoint);
  free(copy);
  return 0;
}

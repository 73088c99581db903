/* fuzz-study.c: any bytes as a study file. No file is opened: where a study names a system file, it gets a
 * description of the catalogue, or none. The canonical text of what is read must read back as the same study.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/document.h"
#include "study/rows/study.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { MEMBERS = 2, MOST_Q = 64, MOST_CASES = 100000 };

/* A system with everything that studies can refer to: sizes, arrays, states, symmetries, a constraint, a mass
 * that varies. */
static const char own[] =
    "system: own\n"
    "coordinates: [z1, z2, \"x[n]\"]\n"
    "parameters: {n: {size: 2}, B: 0.8, R: {default: 2}}\n"
    "mass: [1, 1 + z2^2, 1]\n"
    "gyroscopic: [B*z2, 0, 0]\n"
    "potential: \"(z1 - z2)^2/2 + sum(i, 1, n, x[i]^2)\"\n"
    "constraints: {rod: \"z1^2 + z2^2 + x[1]^2 - R^2\"}\n"
    "symmetries: {nothing: [0, 0, 0]}\n"
    "states: {default: {q: [R, 0, 0], v: [0, 1, 1]}, low: {q: [0, R, 0], v: [1, 0, i]}}\n";

/* The description NAME of the catalogue as the file .../NAME.yaml, no file nothing.yaml, and `own` as every
 * other one, which no compiler takes for a layer. */
static const char *share(cst_fetch *fetch, const char *path, char **text, size_t *length) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path,
             *dot = strrchr(base, '.');
  char       *name = strndup(base, dot ? (size_t)(dot - base) : strlen(base));
  const char *found = cst_catalogue_text(name);
  const bool  nothing = !strcmp(name, "nothing");
  free(name);
  if (nothing)
    return "No such file or directory";
  if (fetch != cst_document_fetch)
    return "cc: exit status 1\nown.yaml:1:7: error";
  *text = strdup(found ? found : own);
  *length = strlen(*text);
  return NULL;
}

static cst_study *read_study(const char *text, size_t length) {
  cst_diag  *d = cst_diag_create();
  cst_study *s = cst_study_read("nowhere/fuzz.yaml", text, length, share, d);
  FILE      *nowhere = fopen("/dev/null", "w");
  if (!nowhere)
    abort();
  cst_diag_print(d, nowhere);
  fclose(nowhere);
  if (!s == !cst_diag_count(d))
    abort(); /* a study or errors, never both */
  cst_diag_destroy(d);
  return s;
}

static void try_study(const cst_study *s) {
  double q[MOST_Q], v[MOST_Q];
  int    n = 0;
  if ((double)s->problem.nvariant * s->solver.ntolerance * s->methods.n * s->steps.n <= MOST_CASES)
    free(cst_study_cases(s, &n));
  for (long m = 0; m < s->ensemble.members && m < MEMBERS && s->problem.system->nq <= MOST_Q; m++)
    cst_study_member(s, s->problem.nvariant - 1, m, q, v);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  cst_study *s = read_study((const char *)data, size);
  if (!s)
    return 0;
  try_study(s);
  cst_study *again = read_study(s->source.canonical, strlen(s->source.canonical));
  if (!again || strcmp(again->source.sha256, s->source.sha256)) {
    fprintf(stderr, "the canonical text reads back as %s study:\n%s\n", again ? "another" : "no",
            s->source.canonical);
    abort();
  }
  cst_study_destroy(again);
  cst_study_destroy(s);
  return 0;
}

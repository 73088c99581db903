/* trust.c: decides which layers in C may be compiled and loaded (see trust.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "cli/trust.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "constella/document.h"
#include "constella/random.h"

/* Whether the file, whose links are resolved, is in the folder or below it. */
static bool is_below(const char *folder, size_t n, const char *file) {
  char *name = strndup(folder, n);
  char  real[PATH_MAX];
  bool  below = name && *name == '/' && realpath(name, real);
  n = below ? strlen(real) : 0;
  free(name);
  return below && !strncmp(file, real, n) && (n == 1 || file[n] == '/');
}

static bool is_in_own_folder(const char *path) {
  char        real[PATH_MAX];
  const char *at = getenv("CONSTELLA_TRUST_CODE");
  if (!at || !realpath(path, real))
    return false;
  for (size_t n; *at; at += n + (at[n] == ':'))
    if (is_below(at, n = strcspn(at, ":"), real))
      return true;
  return false;
}

static bool is_in_own_study(const cst_study *s, const char *path) {
  char  *bytes, sha256[65];
  size_t length;
  if (!s || cst_document_fetch(path, &bytes, &length))
    return false;
  cst_sha256(bytes, length, sha256);
  free(bytes);
  for (int i = 0; i < s->nlayer; i++)
    if (!strcmp(s->layer[i].sha256, sha256))
      return true;
  return false;
}

bool cst_trust_has(const cst_trust *t, const char *path) {
  return t->given || is_in_own_folder(path) || is_in_own_study(t->own, path);
}

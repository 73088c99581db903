/* compare.c: bitwise comparison, and a description of the first difference (see compare.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "study/result/compare.h"

/* Position of a double in the ascending order of all doubles. */
static int64_t rank_of(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits < 0 ? INT64_MIN - bits : bits;
}

/* The distance of two doubles in ulps, as text. */
static void say_distance(double a, double b, char *text, size_t n) {
  const int64_t  i = rank_of(a);
  const int64_t  j = rank_of(b);
  const uint64_t apart = i > j ? (uint64_t)i - (uint64_t)j : (uint64_t)j - (uint64_t)i;
  if (isnan(a) || isnan(b))
    snprintf(text, n, "one is not a number");
  else if (apart == 0)
    snprintf(text, n, "zeros of opposite sign");
  else
    snprintf(text, n, "%llu ulp%s apart", (unsigned long long)apart, apart > 1 ? "s" : "");
}

static long integer(cst_type type, const void *x) {
  if (type == CST_TYPE_I64)
    return *(const long *)x;
  return type == CST_TYPE_I32 ? *(const int *)x : *(const signed char *)x;
}

static void say_first(cst_comparison *c, const char *where, cst_type type, const void *kept,
                      const void *x) {
  char distance[64];
  if (type == CST_TYPE_TEXT) {
    snprintf(c->first, sizeof c->first, "%s is \"%.140s\", computed \"%.140s\"", where,
             (const char *)kept, (const char *)x);
    return;
  }
  if (type != CST_TYPE_F64) {
    const long a = integer(type, kept);
    const long b = integer(type, x);
    snprintf(c->first, sizeof c->first, "%s is %#lx (%ld), computed %#lx (%ld)", where,
             (unsigned long)a, a, (unsigned long)b, b);
    return;
  }
  const double a = *(const double *)kept;
  const double b = *(const double *)x;
  say_distance(a, b, distance, sizeof distance);
  snprintf(c->first, sizeof c->first, "%s is %a (%.17g), computed %a (%.17g), %s", where, a, a, b,
           b, distance);
}

/* Index i of a block, as indices of the dataset in the file. */
static void say_place(const cst_field *f, const long *start, const long *count, long i, char *text,
                      size_t n) {
  long at[CST_FIELD_DIMS];
  for (int k = f->ndim - 1; k >= 0; k--) {
    at[k] = start[k] + i % count[k];
    i /= count[k];
  }
  size_t length = (size_t)snprintf(text, n, "%s[", f->path);
  for (int k = 0; k < f->ndim; k++) {
    const char *separator = k ? ", " : "";
    length += (size_t)snprintf(text + length, n - length, "%s%ld", separator, at[k]);
  }
  snprintf(text + length, n - length, "]");
}

/* All NaNs are equal: their bits depend on the instruction set. 0 and -0 are not. */
static bool same_double(double x, double y) {
  uint64_t a, b;
  memcpy(&a, &x, sizeof a);
  memcpy(&b, &y, sizeof b);
  return a == b || (isnan(x) && isnan(y));
}

/* Whether there is something to compare to a tolerance. */
static bool is_final(const char *path) {
  static const char *const paths[] = {"/final/q", "/final/p", "/final/lambda", "/final/status"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    if (!strcmp(path, paths[i]))
      return true;
  return false;
}

static bool near_double(double x, double y, double tolerance) {
  return fabs(x - y) <= tolerance * fmax(1, fmax(fabs(x), fabs(y)));
}

static bool same(cst_type type, const void *x, const void *y, double tolerance) {
  if (type == CST_TYPE_F64 && tolerance > 0 &&
      near_double(*(const double *)x, *(const double *)y, tolerance))
    return true;
  if (type == CST_TYPE_F64)
    return same_double(*(const double *)x, *(const double *)y);
  return !memcmp(x, y, cst_record_width(type));
}

bool cst_compare_block(cst_comparison *c, cst_result *file, const cst_field *f, const long *start,
                       const long *count, const void *x) {
  long         n = 1;
  const size_t size = cst_record_width(f->type);
  for (int k = 0; k < f->ndim; k++)
    n *= count[k];
  if (c->tolerance > 0 && !is_final(f->path))
    return true;
  char      *kept = calloc((size_t)n + 1, size);
  const bool read = kept && cst_result_read_block(file, f->path, f->type, start, count, kept);
  for (long i = 0; read && i < n; i++) {
    const char *a = kept + (size_t)i * size;
    const char *b = (const char *)x + (size_t)i * size;
    char        where[192];
    c->compared++;
    if (same(f->type, a, b, c->tolerance))
      continue;
    if (!c->different++) {
      say_place(f, start, count, i, where, sizeof where);
      say_first(c, where, f->type, a, b);
    }
  }
  free(kept);
  return read;
}

void cst_compare_numbers(cst_comparison *c, const char *name, const double *kept, const double *x,
                         long n) {
  for (long i = 0; i < n; i++) {
    char where[192];
    c->compared++;
    if (same_double(kept[i], x[i]) || near_double(kept[i], x[i], c->tolerance))
      continue;
    if (c->different++)
      continue;
    snprintf(where, sizeof where, "number %ld of %ld of %s", i, n, name);
    say_first(c, where, CST_TYPE_F64, &kept[i], &x[i]);
  }
}

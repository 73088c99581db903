/* text.c: tests and small changes of text (text.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cst_text_begins(const char *text, const char *start) {
  return !strncmp(text, start, strlen(start));
}

bool cst_text_ends(const char *text, const char *end) {
  const size_t n = strlen(text);
  const size_t m = strlen(end);
  return n > m && !strcmp(text + n - m, end);
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool cst_text_is_name(const char *text, const char *more) {
  if (!is_letter(*text))
    return false;
  while (*text && (is_letter(*text) || (*text >= '0' && *text <= '9') || strchr(more, *text)))
    text++;
  return !*text;
}

int cst_text_stem(const char *path, const char **name) {
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  const char *dot = strrchr(*name, '.');
  return (int)(dot && dot > *name ? (size_t)(dot - *name) : strlen(*name));
}

/* The least number of digits with which x may be read back. A decimal of up to 15 digits is the one that is
 * printed with 15, followed by zeros; below the normal numbers this does not hold. */
static int least_digits(double x) {
  char text[32];
  if (!isnormal(x))
    return 1;
  snprintf(text, sizeof text, "%.14e", x);
  if (strtod(text, NULL) != x)
    return 16;
  const char *end = strchr(text, 'e');
  const char *begin = text + (text[0] == '-');
  while (end[-1] == '0')
    end--;
  return end - begin > 2 ? (int)(end - begin) - 1 : 1; /* of "d." or "d.ddd" */
}

void cst_text_shortest(double x, char *out, size_t size) {
  for (int digits = least_digits(x); digits <= 17; digits++) {
    snprintf(out, size, "%.*g", digits, x);
    if (strtod(out, NULL) == x)
      return;
  }
}

char *cst_text_number(double x, char *out, size_t size) {
  cst_text_shortest(x, out, size);
  if (strchr(out, 'e') && fabs(x) >= 1 && fabs(x) < 1e15)
    snprintf(out, size, "%.15g", x);
  return out;
}

void cst_text_disarm(char *text, char kept) {
  for (; *text; text++)
    if (*text != kept && ((unsigned char)*text < 32 || *text == 127))
      *text = '?';
}

void cst_text_json(const char *text, FILE *out) {
  putc('"', out);
  for (; *text; text++)
    if ((unsigned char)*text < 32)
      fprintf(out, "\\u%04x", (unsigned char)*text);
    else
      fprintf(out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
  putc('"', out);
}

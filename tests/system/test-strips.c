/* test-strips.c: text that is written as loops, and read back piece by piece: the loops have the indices of
 * the pieces, and are few. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/emit/strips.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tap.h"

enum { ROOM = 100000 };

/* Writes [a + b * k] and what is between for this k. */
static void expand(const char *from, const char *end, long k, FILE *f) {
  while (from < end) {
    long a, b;
    int  length = 0;
    if (sscanf(from, "[%ld + %ld * k]%n", &a, &b, &length) == 2 && length) {
      fprintf(f, "[%ld]", a + b * k);
      from += length;
    } else {
      putc(*from++, f);
    }
  }
}

/* The text with its loops written out; the number of loops. */
static char *written_out(const char *text, int *loops) {
  char  *out;
  size_t size;
  FILE  *f = open_memstream(&out, &size);
  *loops = 0;
  while (*text) {
    long n;
    int  length = 0;
    if (sscanf(text, "for (int k = 0; k < %ld; k++) {\n%n", &n, &length) == 1 && length) {
      const char *body = text + length, *end = strstr(body, "\n}\n}\n") + 3;
      for (long k = 0; k < n; k++)
        expand(body, end, k, f);
      text = end + 2;
      ++*loops;
    } else {
      putc(*text++, f);
    }
  }
  fclose(f);
  return out;
}

typedef void piece(int i, FILE *f);

static void check(const char *name, piece *write, int n, int loops) {
  cst_strips *s = cst_strips_open();
  char       *text, *plain;
  size_t      size, length;
  FILE       *f = open_memstream(&text, &size), *g = open_memstream(&plain, &length);
  int         found;
  for (int i = 0; i < n; i++) {
    write(i, cst_strips_next(s));
    fprintf(g, "{\n");
    char  *one, *line, *rest;
    size_t room;
    FILE  *h = open_memstream(&one, &room);
    write(i, h);
    fclose(h);
    for (line = strtok_r(one, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
      fprintf(g, "  %s\n", line);
    free(one);
    fprintf(g, "}\n");
  }
  fclose(g);
  OK(cst_strips_close(s, "", ROOM, f), "%s: is written", name);
  fclose(f);
  char *read = written_out(text, &found);
  OK(!strcmp(read, plain), "%s: every piece is there", name);
  OK(found == loops, "%s: %d loops (%d)", name, loops, found);
  free(read), free(text), free(plain);
}

static void alike(int i, FILE *f) {
  fprintf(f, "x[%d] = y[%d] + z[7];\nw[n] = %s;\n", i, 100 - 3 * i, "1");
}
static void in_turn(int i, FILE *f) {
  if (i % 3 < 2)
    fprintf(f, "x[%d] = %d;\n", i, i % 3);
  if (i % 3 == 2)
    fprintf(f, "y[%d] = x[%d];\n", i / 3, i);
}
static void edges(int i, FILE *f) {
  fprintf(f, i == 0 || i == 19 ? "a[%d] = 0;\n" : "a[%d] = a[0];\n", i);
}
static void squares(int i, FILE *f) { fprintf(f, "a[%d] = 0;\n", i * i); }
static void bend(int i, FILE *f) { fprintf(f, "a[%d] = 0;\n", i < 10 ? i : 2 * i); }

int main(void) {
  check("pieces that are alike", alike, 50, 1);
  check("three in turn", in_turn, 30, 1);
  check("three in turn, and a part", in_turn, 32, 1);
  check("other pieces at the ends", edges, 20, 1);
  check("steps that are not constant", squares, 12, 0);
  check("two steps, one after the other", bend, 20, 2);
  check("few", alike, 2, 0);
  check("one", alike, 1, 0);
  check("none", alike, 0, 0);
  cst_strips *s = cst_strips_open();
  for (int i = 0; i < 100; i++)
    squares(i, cst_strips_next(s));
  FILE *f = tmpfile();
  OK(!cst_strips_close(s, "", 1000, f) && ftell(f) == 0, "text that is too long is not written");
  fclose(f);
  return tap_done();
}

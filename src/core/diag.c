/* diag.c: collects the errors of users with their places, and prints them in order. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* vasprintf */
#include "core/boundary.h"
#include "core/diag.h"
#include "core/need.h"
#include "core/text.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *file, *message; /* file NULL: the command line */
  int   line, column;
  int   rank; /* in order of arrival, to keep the sort stable */
  int   warns;
} mistake;

struct cst_diag {
  mistake *list;
  int      count, room; /* of the kept messages */
  int      errors;      /* including those that are not kept */
};

enum {
  MOST = 100
}; /* messages that are kept and printed; more of them usually repeat one mistake */

cst_diag *cst_diag_create(void) { return cst_need(calloc(1, sizeof(cst_diag))); }

void cst_diag_destroy(cst_diag *d) {
  if (!d)
    return;
  for (int i = 0; i < d->count; i++) {
    free(d->list[i].file);
    free(d->list[i].message);
  }
  free(d->list);
  free(d);
}

static void add(cst_diag *d, int warns, const char *file, int line, int column, const char *format,
                va_list a) {
  char *text = NULL;
  d->errors += !warns;
  if (d->count >= MOST)
    return;
  if (vasprintf(&text, format, a) < 0)
    text = NULL;
  cst_text_disarm(cst_need(text), '\n'); /* it may repeat what the user has written */
  if (d->count == d->room) {
    d->room = d->room ? 2 * d->room : 16;
    d->list = cst_need(realloc(d->list, sizeof(mistake) * (size_t)d->room));
  }
  d->list[d->count] =
      (mistake){file ? cst_need(strdup(file)) : NULL, text, line, column, d->count, warns};
  d->count++;
}

void cst_diag_add(cst_diag *d, const char *file, int line, int column, const char *format, ...) {
  CST_REQUIRE(d && format);
  va_list a;
  va_start(a, format);
  add(d, 0, file, line, column, format, a);
  va_end(a);
}

void cst_diag_warn(cst_diag *d, const char *file, int line, int column, const char *format, ...) {
  CST_REQUIRE(d && format);
  va_list a;
  va_start(a, format);
  add(d, 1, file, line, column, format, a);
  va_end(a);
}

int cst_diag_count(const cst_diag *d) {
  CST_REQUIRE(d, 0);
  return d->errors;
}

bool cst_diag_full(const cst_diag *d) { return d->errors > MOST; }

static int by_place(const void *x, const void *y) {
  const mistake *a = *(const mistake *const *)x;
  const mistake *b = *(const mistake *const *)y;
  int            c = strcmp(a->file ? a->file : "", b->file ? b->file : "");
  if (c)
    return c;
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  if (a->column != b->column)
    return a->column < b->column ? -1 : 1;
  return a->rank - b->rank;
}

static void print_message(const char *text, FILE *out) {
  for (size_t n; *text; text += n) {
    n = strcspn(text, "\n");
    fprintf(out, "%.*s%s", (int)n, text, text[n] ? "\n  " : "");
    n += text[n] == '\n';
  }
  fputc('\n', out);
}

static void print_one(const mistake *m, FILE *out) {
  fputs(m->file ? m->file : "constella", out);
  if (m->file && m->line)
    fprintf(out, ":%d:%d", m->line, m->column);
  fputs(m->warns ? ": warning: " : ": error: ", out);
  print_message(m->message, out);
}

void cst_diag_print(const cst_diag *d, FILE *out) {
  CST_REQUIRE(d && out);
  if (!d->count)
    return;
  const mistake **order = cst_need(malloc(sizeof *order * (size_t)d->count));
  for (int i = 0; i < d->count; i++)
    order[i] = &d->list[i];
  qsort(order, (size_t)d->count, sizeof *order, by_place);
  for (int i = 0; i < d->count; i++)
    print_one(order[i], out);
  if (d->errors > 1)
    fprintf(out, "%d errors%s\n", d->errors,
            d->errors > d->count ? ", of which not all are shown" : "");
  free(order);
}

enum { WORD_MAX = 62 };

static int least(int a, int b) { return a < b ? a : b; }

/* Insertions, deletions, replacements and swaps of neighbours that lead from a to b; WORD_MAX for words that
 * are too long. */
static int distance(const char *a, const char *b) {
  int la = (int)strlen(a);
  int lb = (int)strlen(b);
  int d[3][WORD_MAX + 1];
  if (la > WORD_MAX || lb > WORD_MAX)
    return WORD_MAX;
  for (int j = 0; j <= lb; j++)
    d[0][j] = j;
  for (int i = 1; i <= la; i++) {
    int *now = d[i % 3];
    int *last = d[(i + 2) % 3];
    int *before = d[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= lb; j++) {
      now[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), 1 + least(last[j], now[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = least(now[j], before[j - 2] + 1);
    }
  }
  return d[la % 3][lb];
}

const char *cst_diag_nearest(const char *word, const char *const *names, int n) {
  CST_REQUIRE(word && (names || n <= 0), NULL);
  const char *found = NULL;
  int         best = WORD_MAX;
  int         length = (int)strlen(word);
  for (int i = 0; i < n; i++) {
    int d = distance(word, names[i]);
    int longer = (int)strlen(names[i]);
    if (longer < length)
      longer = length;
    if (d < best && d < length && d <= (longer < 6 ? 1 : longer / 3)) {
      best = d;
      found = names[i];
    }
  }
  return found;
}

const char *cst_diag_guess(const char *word, const char *const *names, int n) {
  enum { ROOM = 256 };
  static char ring[4][ROOM];
  static int  turn;
  const char *near = cst_diag_nearest(word, names, n);
  if (!near)
    return "";
  char *text = ring[turn++ % 4];
  snprintf(text, ROOM, "; did you mean '%s'?", near);
  return text;
}

const char *cst_diag_join(const char *const *names, int n) {
  CST_REQUIRE(names || n <= 0, "");
  enum { ROOM = 2048 };
  static char ring[4][ROOM];
  static int  turn;
  char       *s = ring[turn++ % 4];
  size_t      at = 0;
  *s = 0;
  for (int i = 0; i < n; i++) {
    size_t need = strlen(names[i]) + 2;
    if (at + need + sizeof ", ..." > ROOM) {
      strcpy(s + at, at ? ", ..." : "...");
      break;
    }
    at += (size_t)sprintf(s + at, "%s%s", i ? ", " : "", names[i]);
  }
  return s;
}

/* ---- the reason of the last refused call (see boundary.h) ------------------------------------ */

static _Thread_local char reason[400];

void cst_boundary_refuse(const char *function, const char *condition) {
  snprintf(reason, sizeof reason, "%s: refused, because this does not hold: %s", function,
           condition);
}

const char *cst_boundary_reason(void) { return reason; }

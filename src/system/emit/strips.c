/* strips.c: C code that is the same from piece to piece but for its indices, written as loops (see strips.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/emit/strips.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

enum { PERIODS = 8, LEAST = 3 }; /* the longest period; the fewest repetitions of a loop */

/* A piece: text from `at` on, indices from `index` on. The text has INDEX in place of an index. */
enum { INDEX = 1 };
typedef struct {
  size_t at, index;
} piece;

struct cst_strips {
  FILE  *f;
  char  *text;
  size_t size;
  piece *piece; /* [n + 1] */
  int    n, *index;
};

cst_strips *cst_strips_open(void) {
  cst_strips *s = cst_need(calloc(1, sizeof *s));
  s->f = cst_need(open_memstream(&s->text, &s->size));
  return s;
}

static void mark(cst_strips *s) {
  fflush(s->f);
  if (!(s->n & (s->n - 1)))
    s->piece = cst_need(realloc(s->piece, (2 * (size_t)s->n + 2) * sizeof *s->piece));
  s->piece[s->n] = (piece){.at = s->size};
}

FILE *cst_strips_next(cst_strips *s) {
  mark(s);
  s->n++;
  return s->f;
}

/* Moves the indices out of the text. */
static void split(cst_strips *s) {
  const char       *from = s->text;
  const char *const end = s->text + s->size;
  char             *to = s->text, *behind;
  size_t            n = 0, room = 0;
  int               k = 0;
  for (; from < end; from = behind) {
    for (; k <= s->n && from == s->text + s->piece[k].at; k++)
      s->piece[k] = (piece){(size_t)(to - s->text), n};
    behind = (char *)from + 1;
    *to = *from;
    if (*to++ != '[')
      continue;
    if (!isdigit((unsigned char)from[1]))
      continue;
    if (n == room) {
      room = 2 * room + 64;
      s->index = cst_need(realloc(s->index, room * sizeof *s->index));
    }
    s->index[n++] = (int)strtol(from + 1, &behind, 10);
    *to++ = INDEX;
  }
  for (; k <= s->n; k++)
    s->piece[k] = (piece){(size_t)(to - s->text), n};
}

static size_t length(const cst_strips *s, int i) { return s->piece[i + 1].at - s->piece[i].at; }
static int    indices(const cst_strips *s, int i) {
     return (int)(s->piece[i + 1].index - s->piece[i].index);
}

/* Whether piece `next` is the piece `first`, `times` steps on; the step is from `first` to `second`. */
static bool follows(const cst_strips *s, int first, int second, int times, int next) {
  const int *x = s->index + s->piece[first].index;
  const int *y = s->index + s->piece[second].index;
  const int *z = s->index + s->piece[next].index;
  if (length(s, first) != length(s, next))
    return false;
  if (indices(s, first) != indices(s, next))
    return false;
  const char *one = s->text + s->piece[first].at;
  const char *other = s->text + s->piece[next].at;
  if (memcmp(one, other, length(s, first)))
    return false;
  for (int k = 0; k < indices(s, first); k++) {
    const int stride = y[k] - x[k];
    if (z[k] != x[k] + times * stride)
      return false;
  }
  return true;
}

/* How often `period` pieces from `first` on repeat. */
static int repetitions(const cst_strips *s, int first, int period) {
  for (int times = 1;; times++)
    for (int k = first; k < first + period; k++)
      if (k + times * period >= s->n || !follows(s, k, k + period, times, k + times * period))
        return times;
}

/* The period of the longest loop from `first` on; *times is the number of its repetitions. */
static int best_period(const cst_strips *s, int first, int *times) {
  int best = 1, longest = 1;
  *times = 1;
  for (int period = 1; period <= PERIODS && first + period <= s->n; period++) {
    const int found = repetitions(s, first, period);
    if (found < LEAST || found * period <= longest)
      continue;
    longest = found * period;
    best = period;
    *times = found;
  }
  return best;
}

static void write_piece(const cst_strips *s, int i, int next, const char *indent, FILE *f) {
  const int *x = s->index + s->piece[i].index;
  const int *y = s->index + s->piece[next].index;
  bool       starts = true;
  fprintf(f, "%s{\n", indent);
  for (size_t k = s->piece[i].at; k < s->piece[i + 1].at; k++) {
    const char c = s->text[k];
    if (starts)
      fprintf(f, "%s  ", indent);
    starts = c == '\n';
    if (c != INDEX) {
      putc(c, f);
    } else if (*x == *y) {
      fprintf(f, "%d", *x++), y++;
    } else {
      fprintf(f, "%d + %d * k", *x, *y - *x);
      x++;
      y++;
    }
  }
  fprintf(f, "%s}\n", indent);
}

static void write_all(const cst_strips *s, const char *indent, FILE *f) {
  for (int i = 0, times, period; i < s->n; i += times * period) {
    period = best_period(s, i, &times);
    if (times > 1)
      fprintf(f, "%sfor (int k = 0; k < %d; k++) {\n", indent, times);
    for (int k = i; k < i + period; k++) {
      const int next = times > 1 ? k + period : k;
      write_piece(s, k, next, indent, f);
    }
    if (times > 1)
      fprintf(f, "%s}\n", indent);
  }
}

bool cst_strips_close(cst_strips *s, const char *indent, size_t most, FILE *f) {
  char  *text;
  size_t size;
  mark(s);
  fclose(s->f);
  split(s);
  FILE *written = cst_need(open_memstream(&text, &size));
  write_all(s, indent, written);
  fclose(written);
  const bool fits = size <= most;
  if (fits)
    fwrite(text, 1, size, f);
  free(text);
  free(s->text);
  free(s->piece);
  free(s->index);
  free(s);
  return fits;
}

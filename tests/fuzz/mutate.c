/* mutate.c: mutations of texts: bytes, words, numbers, lines, pieces of other files. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "mutate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = 1000, MOST_FILES = 1000, MOST_MUTATIONS = 4 };

static uint64_t state;
static text     token[MOST_TOKENS], corpus[MOST_FILES], now;
static int      ntoken, ncorpus;

/* SplitMix64, below n. */
static size_t below(size_t n) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return n ? (size_t)((z ^ (z >> 31)) % n) : 0;
}

void mutate_fail(const char *what) {
  perror(what);
  exit(2);
}

static text read_file(const char *name) {
  FILE *f = fopen(name, "rb");
  text  t = {malloc(MUTATE_BYTES), 0};
  if (!f || !t.s)
    mutate_fail(name);
  t.n = fread(t.s, 1, MUTATE_BYTES, f);
  fclose(f);
  return t;
}

void mutate_add(const char *name) {
  if (ncorpus < MOST_FILES)
    corpus[ncorpus++] = read_file(name);
}

const text *mutate_file(int i) { return i < ncorpus ? &corpus[i] : NULL; }

/* Lines "token" with the escapes \xAB \" \\; others are comments. */
void mutate_dictionary(const char *name) {
  text t = read_file(name);
  t.s[t.n < MUTATE_BYTES ? t.n : MUTATE_BYTES - 1] = 0;
  for (char *line = strtok(t.s, "\n"); line && ntoken < MOST_TOKENS; line = strtok(NULL, "\n")) {
    char *open = strchr(line, '"'), *close = strrchr(line, '"'), *to = open;
    if (*line == '#' || close == open)
      continue;
    for (char *from = open + 1; from < close; from++) {
      unsigned code = (unsigned char)*from;
      int      more = 0;
      if (code == '\\' && sscanf(from, "\\x%2x%n", &code, &more) < 1)
        code = (unsigned char)from[1], more = 2;
      *to++ = (char)code;
      if (more)
        from += more - 1;
    }
    token[ntoken++] = (text){open, (size_t)(to - open)};
  }
}

/* ---- mutations of `now`, whose room is MUTATE_BYTES ---- */

/* Replaces the bytes at .. at + gone by s[n]. */
static void replace(size_t at, size_t gone, const char *s, size_t n) {
  if (now.n - gone + n > MUTATE_BYTES)
    return;
  memmove(now.s + at + n, now.s + at + gone, now.n - at - gone);
  memmove(now.s + at, s, n);
  now.n += n - gone;
}

static size_t line_start(size_t at) {
  while (at && now.s[at - 1] != '\n')
    at--;
  return at;
}

static size_t line_end(size_t at) {
  while (at < now.n && now.s[at] != '\n')
    at++;
  return at < now.n ? at + 1 : at;
}

static int is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '.';
}

/* A word from `at` on, its length in *n; 0 when there is none. */
static size_t word_at(size_t at, int number, size_t *n) {
  while (at < now.n && (!is_word(now.s[at]) || (number && !(now.s[at] >= '0' && now.s[at] <= '9'))))
    at++;
  *n = 0;
  while (at + *n < now.n && is_word(now.s[at + *n]))
    ++*n;
  return at;
}

static void flip(void) {
  if (now.n)
    now.s[below(now.n)] ^= (char)(1 << below(8));
}

static void insert_token(void) {
  if (!ntoken)
    return;
  const text *t = &token[below((size_t)ntoken)];
  replace(below(now.n + 1), 0, t->s, t->n);
}

static void swap_word(void) {
  size_t n, at = word_at(below(now.n + 1), 0, &n);
  if (n && ntoken) {
    const text *t = &token[below((size_t)ntoken)];
    replace(at, n, t->s, t->n);
  }
}

static void splice_files(void) {
  const text  *other = &corpus[below((size_t)ncorpus)];
  const size_t from = below(other->n + 1);
  now.n = below(2) ? line_start(below(now.n + 1)) : below(now.n + 1);
  replace(now.n, 0, other->s + from, other->n - from);
}

static void insert_piece(void) {
  const text  *other = &corpus[below((size_t)ncorpus)];
  const size_t from = below(other->n + 1), n = below(other->n - from + 1);
  replace(line_start(below(now.n + 1)), 0, other->s + from, n < 200 ? n : 200);
}

static void truncate_text(void) { now.n = below(now.n + 1); }

static void duplicate_line(void) {
  static char  line[MUTATE_BYTES];
  const size_t at = line_start(below(now.n + 1)), n = line_end(at) - at;
  memcpy(line, now.s + at, n);
  replace(line_start(below(now.n + 1)), 0, line, n);
}

static void drop_line(void) {
  const size_t at = line_start(below(now.n + 1));
  replace(at, line_end(at) - at, "", 0);
}

static void drop_some(void) {
  const size_t at = below(now.n + 1), n = below(now.n - at + 1);
  replace(at, n < 10 ? n : 10, "", 0);
}

static void change_number(void) {
  static const char numbers[][24] = {"0",          "-1",
                                     "1",          "2",
                                     "3",          "1e308",
                                     "-1e308",     "1e-308",
                                     "4.9e-324",   "1e999",
                                     "nan",        "inf",
                                     "0.5",        "40",
                                     "41",         "-0",
                                     "2147483647", "2147483648",
                                     "1e9",        "1000",
                                     "100000",     "9223372036854775808"};
  const char       *to = numbers[below(sizeof numbers / sizeof *numbers)];
  size_t            n, at = word_at(below(now.n + 1), 1, &n);
  if (n)
    replace(at, n, to, strlen(to));
}

void mutate(text *t, uint64_t seed) {
  static void (*const how[])(void) = {flip,         insert_token,  swap_word,      splice_files,
                                      insert_piece, truncate_text, duplicate_line, drop_line,
                                      drop_some,    change_number, change_number,  swap_word};
  state = seed;
  now = *t;
  for (size_t k = 1 + below(MOST_MUTATIONS); k > 0; k--)
    how[below(sizeof how / sizeof *how)]();
  *t = now;
}

/* submit-script.c: fills templates of job scripts: a word in capitals between two @ stands for a value of the
 * submission. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/submit.h"
#include "core/need.h"
#include "core/diag.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";

/* The number of letters of the word that begins with the @ at s; 0: none, as in an e-mail address. */
static size_t word_length(const char *s) {
  size_t n = *s == '@' ? strspn(s + 1, capitals) : 0;
  return n && s[n + 1] == '@' ? n : 0;
}

static const cst_word *find(const cst_word *words, int n, const char *name, size_t length) {
  for (int i = 0; i < n; i++)
    if (strlen(words[i].name) == length && !strncmp(words[i].name, name, length))
      return &words[i];
  return NULL;
}

static void unknown(const char *file, int line, int column, const char *name, size_t length,
                    const cst_word *words, int n, cst_diag *d) {
  const char *names[32];
  char        found[64];
  for (int i = 0; i < n; i++)
    names[i] = words[i].name;
  snprintf(found, sizeof found, "%.*s", (int)length, name);
  cst_diag_add(d, file, line, column, "no word @%s@ in templates; allowed: %s%s", found,
               cst_diag_join(names, n), cst_diag_guess(found, names, n));
}

/* Writes one line, up to `end`, with its words replaced; false where it is to be left out. */
static bool fill_line(FILE *f, const char *file, int line, const char *text, const char *end,
                      const cst_word *words, int n, cst_diag *d) {
  const char *s = text;
  while (s < end) {
    size_t length = word_length(s);
    if (!length) {
      fputc(*s++, f);
      continue;
    }
    const cst_word *w = find(words, n, s + 1, length);
    if (!w)
      unknown(file, line, (int)(s - text) + 1, s + 1, length, words, n, d);
    if (w && !w->value)
      return false;
    if (w)
      fputs(w->value, f);
    s += length + 2;
  }
  return true;
}

char *cst_submit_fill(const char *file, const char *text, const cst_word *words, int n,
                      cst_diag *d) {
  char  *script = NULL;
  size_t length = 0;
  FILE  *f = cst_need(open_memstream(&script, &length));
  int    before = cst_diag_count(d);
  for (int line = 1; *text; line++) {
    const char *end = strchr(text, '\n');
    end = end ? end + 1 : text + strlen(text);
    long start = ftell(f);
    if (!fill_line(f, file, line, text, end, words, n, d))
      fseek(f, start, SEEK_SET);
    text = end;
  }
  long size = ftell(f);
  if (fclose(f))
    abort();
  script[size] = 0;
  if (cst_diag_count(d) == before)
    return script;
  free(script);
  return NULL;
}

char *cst_submit_quote(const char *text) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-=,:@%";
  char  *word = NULL;
  size_t length;
  FILE  *f = cst_need(open_memstream(&word, &length));
  bool   bare = *text && strspn(text, plain) == strlen(text);
  if (!bare)
    fputc('\'', f);
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", f);
    else
      fputc(*text, f);
  if (!bare)
    fputc('\'', f);
  if (fclose(f))
    cst_need_fail();
  return word;
}

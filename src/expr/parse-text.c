/* parse-text.c: the characters of an expression: blanks, words, numbers, and the place of an error. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* strtod_l */
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "expr/parse.h"

cst_node cst_parse_fail(cst_parser *p, size_t at, const char *format, ...) {
  if (p->failed)
    return -1;
  p->failed = true;
  if (at > INT_MAX)
    p->error->offset = INT_MAX;
  else
    p->error->offset = (int)at;
  p->error->table = NULL;
  va_list a;
  va_start(a, format);
  vsnprintf(p->error->message, sizeof p->error->message, format, a);
  va_end(a);
  return -1;
}

/* isalpha and isdigit without a locale. */
bool cst_parse_digit(char c) { return c >= '0' && c <= '9'; }

bool cst_parse_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

char cst_parse_peek(cst_parser *p) {
  const char *text = p->text;
  while (blank(text[p->at]))
    p->at++;
  return text[p->at];
}

bool cst_parse_accept(cst_parser *p, char c) {
  if (p->failed || cst_parse_peek(p) != c)
    return false;
  p->at++;
  return true;
}

const char *cst_parse_found(const cst_parser *p, char s[32]) {
  const unsigned char c = (unsigned char)p->text[p->at];
  if (!c)
    return "";
  snprintf(s, 32, c > 32 && c < 127 ? "; found '%c'" : "; found character 0x%02x", c);
  return s;
}

const char *cst_parse_value(double value, char s[32]) {
  snprintf(s, 32, "%.15g", value);
  if (strtod(s, NULL) != value)
    snprintf(s, 32, "%.17g", value);
  return s;
}

size_t cst_parse_word(const char *s) {
  size_t n = 0;
  while (cst_parse_letter(s[n]) || cst_parse_digit(s[n]))
    n++;
  while (s[n] == '\'')
    n++;
  return n;
}

static size_t digits(const char *s) {
  size_t n = 0;
  while (cst_parse_digit(s[n]))
    n++;
  return n;
}

/* The length of the number at s; 0 when it is malformed, at *bad. */
static size_t number_length(const char *s, size_t *bad) {
  size_t       n = digits(s);
  const bool   whole = n > 0;
  const size_t point = s[n] == '.' ? 1 + digits(s + n + 1) : 0;
  n += point;
  *bad = n;
  if (!whole && point < 2)
    return 0;
  if (s[n] == 'e' || s[n] == 'E') {
    const size_t sign = s[n + 1] == '+' || s[n + 1] == '-';
    const size_t exponent = digits(s + n + 1 + sign);
    if (exponent)
      n += 1 + sign + exponent;
  }
  *bad = n;
  if (cst_parse_letter(s[n]) || s[n] == '.')
    return 0;
  return n;
}

cst_node cst_parse_number(cst_parser *p) {
  const size_t   start = p->at;
  const char    *s = p->text + start;
  size_t         bad;
  const size_t   n = number_length(s, &bad);
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const double   value = n ? strtod_l(s, NULL, plain) : 0;
  freelocale(plain);
  if (!n)
    return cst_parse_fail(
        p, start + bad,
        "malformed number; expected digits with at most one '.' and an exponent such as e-3");
  if (!isfinite(value))
    return cst_parse_fail(p, start, "the number is too large; at most 1.7976931348623157e308");
  if (value == 0 && cst_parse_digit(s[strspn(s, "0.")]))
    return cst_parse_fail(p, start,
                          "the number is too small; at least 4.9406564584124654e-324, or 0");
  p->at += n;
  return cst_parse_checked(p, cst_graph_constant(p->g, value), start);
}

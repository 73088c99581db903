/* keys.c: the values of keys: their bounds in words, and their places (keys.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/keys.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/text.h"

bool cst_value_bounded(const cst_value *v) { return v->low != 0 || v->high != 0 || v->most; }

const cst_key *cst_key_find(const cst_key *table, const char *in, const char *key) {
  const cst_key *k = table;
  while (k->key && (strcmp(k->in, in) || strcmp(k->key, key)))
    k++;
  if (!k->key)
    cst_need_fail();
  return k;
}

static void number(const cst_value *v, double x, char *text, size_t n) {
  if (v->type == CST_VALUE_INTEGER)
    snprintf(text, n, "%.0f", x);
  else
    cst_text_number(x, text, n);
}

/* "above 0 and at most 0.01", "from 1 to 1000" */
static void bounds(const cst_value *v, char *text, size_t n) {
  char       low[32], high[64];
  const bool from = v->low > -CST_NO_LIMIT, to = v->high < CST_NO_LIMIT || v->until;
  number(v, v->low, low, sizeof low);
  number(v, v->high, high, sizeof high);
  if (v->until && v->high < CST_NO_LIMIT)
    snprintf(high, sizeof high, "%s, at most %.0f", v->until, v->high);
  else if (v->until)
    snprintf(high, sizeof high, "%s", v->until);
  if (from && to && !v->above && !v->below)
    snprintf(text, n, "from %s to %s", low, high);
  else if (from && to)
    snprintf(text, n, "%s %s and %s %s", v->above ? "above" : "at least", low,
             v->below ? "below" : "at most", high);
  else if (from)
    snprintf(text, n, "%s %s", v->above ? "above" : "at least", low);
  else
    snprintf(text, n, "%s %s", v->below ? "below" : "at most", high);
}

static const char seeds[] = "integer from 0 to 18446744073709551615";

const char *cst_value_wanted(const cst_value *v, char *text, size_t n) {
  char range[160];
  bounds(v, range, sizeof range);
  if (v->type == CST_VALUE_SEED)
    snprintf(text, n, "an %s", seeds);
  else if (v->type == CST_VALUE_NAME)
    snprintf(text, n, "a letter, then letters, digits, _ and -, at most %d", CST_NAME_MOST);
  else if (v->type == CST_VALUE_INTEGER)
    snprintf(text, n, "%s %s", v->of ? v->of : "an integer", range);
  else
    snprintf(text, n, "%s", v->of ? v->of : range);
  return text;
}

/* "a, b or c", last: " or " */
static void alternatives(const char *const *words, const char *last, char *text, size_t n) {
  size_t at = 0;
  for (int i = 0; words[i] && at < n; i++) {
    const char *before = words[i + 1] ? ", " : last;
    at += (size_t)snprintf(text + at, n - at, "%s%s", i ? before : "", words[i]);
  }
}

const char *cst_value_words(const char *const *words, char *text, size_t n) {
  alternatives(words, " or ", text, n);
  return text;
}

const char *cst_value_text(const cst_value *v, char *text, size_t n) {
  static const char *const names[] = {[CST_VALUE_OWN] = "value",
                                      [CST_VALUE_NUMBER] = "number",
                                      [CST_VALUE_NUMBERS] = "number",
                                      [CST_VALUE_INTEGER] = "integer",
                                      [CST_VALUE_SEED] = seeds,
                                      [CST_VALUE_FLAG] = "flag",
                                      [CST_VALUE_TEXT] = "text",
                                      [CST_VALUE_EXPRESSION] = "expression",
                                      [CST_VALUE_EXPRESSIONS] = "expression",
                                      [CST_VALUE_METHOD] = "method",
                                      [CST_VALUE_LAYER] = "layer",
                                      [CST_VALUE_TABLEAU] = "tableau",
                                      [CST_VALUE_SCHEME] = "scheme"};
  char                     range[160] = "";
  if (cst_value_bounded(v))
    bounds(v, range, sizeof range);
  if (v->type == CST_VALUE_CHOICE)
    alternatives(v->words, v->also ? ", " : " or ", text, n);
  else if (v->type == CST_VALUE_NAME)
    snprintf(text, n, "name: %s", cst_value_wanted(v, range, sizeof range));
  else
    snprintf(text, n, "%s%s%s%s", names[v->type], v->list ? "s" : "",
             !*range                         ? ""
             : cst_text_begins(range, "at ") ? " of "
                                             : " ",
             range);
  return text;
}

const char *cst_key_type(const cst_key *k, char *text, size_t n) {
  const cst_value *v = &k->value;
  char             each[200], list[40] = "";
  if (k->type)
    return k->type;
  cst_value_text(v, each, sizeof each);
  if (v->list && v->entries)
    snprintf(list, sizeof list, "list of at most %d ", v->entries);
  else if (v->list)
    snprintf(list, sizeof list, "list of ");
  snprintf(text, n, "%s%s%s%s", list, each, v->also ? ", or " : "", v->also ? v->also : "");
  return text;
}

const char *cst_value_article(const cst_value *v, const char *type) {
  return v->type == CST_VALUE_CHOICE ? "" : strchr("aeiou", *type) ? "an " : "a ";
}

bool cst_value_allows(const cst_value *v, double x) {
  if (v->type == CST_VALUE_INTEGER && x != floor(x))
    return false;
  return !cst_value_bounded(v) ||
         ((v->above ? x > v->low : x >= v->low) && (v->below ? x < v->high : x <= v->high));
}

static int find(const char *text, const char *const *words) {
  int k = 0;
  while (words[k] && strcmp(words[k], text))
    k++;
  return words[k] ? k : -1;
}

/* Larger integers are not exact. */
static const double most_exact = 9007199254740992;

bool cst_value_parse(const cst_value *v, const char *text, double *x) {
  static const char *const flags[] = {"false", "true", NULL};
  char                    *end;
  if (v->type == CST_VALUE_FLAG || v->type == CST_VALUE_CHOICE)
    return (*x = find(text, v->type == CST_VALUE_FLAG ? flags : v->words)) >= 0;
  if (text[strspn(text, "+-.0123456789eE")])
    return false;
  *x = strtod(text, &end);
  return end != text && !*end && isfinite(*x) && cst_value_allows(v, *x) &&
         (v->type != CST_VALUE_INTEGER || fabs(*x) <= most_exact);
}

void cst_value_set(const cst_value *v, void *section, double x) {
  void *to = (char *)section + v->at;
  if (v->type == CST_VALUE_NUMBER)
    *(double *)to = x;
  else if (v->size == sizeof(bool))
    *(bool *)to = x != 0;
  else if (v->size == sizeof(long))
    *(long *)to = (long)x;
  else
    *(int *)to = (int)x;
}

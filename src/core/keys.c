/* keys.c: the values of keys: their bounds in words, and their places (keys.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/keys.h"
#include <math.h>
#include <stdio.h>
#include "core/text.h"

static bool is_bounded(const cst_value *v) { return v->low != 0 || v->high != 0; }

/* "above 0 and at most 0.01", "from 1 to 1000" */
static void bounds(const cst_value *v, char *text, size_t n) {
  char       low[32], high[32];
  const bool from = v->low > -CST_NO_LIMIT, to = v->high < CST_NO_LIMIT;
  cst_text_number(v->low, low, sizeof low);
  cst_text_number(v->high, high, sizeof high);
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

const char *cst_value_wanted(const cst_value *v, char *text, size_t n) {
  char range[80];
  bounds(v, range, sizeof range);
  if (v->type == CST_VALUE_INTEGER)
    snprintf(text, n, "an integer %s", range);
  else if (v->above && v->low == 0 && !(v->high < CST_NO_LIMIT))
    snprintf(text, n, "positive");
  else
    snprintf(text, n, "%s", range);
  return text;
}

/* "a, b or c" */
static void alternatives(const char *const *words, char *text, size_t n) {
  size_t at = 0;
  for (int i = 0; words[i] && at < n; i++)
    at += (size_t)snprintf(text + at, n - at, "%s%s",
                           i == 0         ? ""
                           : words[i + 1] ? ", "
                                          : " or ",
                           words[i]);
}

const char *cst_key_type(const cst_key *k, char *text, size_t n) {
  const cst_value *v = &k->value;
  if (k->type)
    return k->type;
  const int at = v->type == CST_VALUE_INTEGER  ? snprintf(text, n, "integer ")
                 : v->type == CST_VALUE_NUMBER ? snprintf(text, n, "number ")
                                               : 0;
  if (at && is_bounded(v))
    bounds(v, text + at, n - (size_t)at);
  else if (at)
    text[at - 1] = 0;
  else if (v->type == CST_VALUE_CHOICE)
    alternatives(v->words, text, n);
  else
    snprintf(text, n, "flag");
  return text;
}

bool cst_value_allows(const cst_value *v, double x) {
  if (v->type == CST_VALUE_INTEGER && x != floor(x))
    return false;
  return !is_bounded(v) ||
         ((v->above ? x > v->low : x >= v->low) && (v->below ? x < v->high : x <= v->high));
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

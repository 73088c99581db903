/* keys.h: a table of the keys that the maps of a file may have: the reader takes from it which keys are allowed, and
 * of most of them the type, the bounds, the default and the place of the value; a page on them is printed from it.
 * study/file/study-keys.h and system/read/system-keys.h have the tables.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_KEYS_H
#define CST_CORE_KEYS_H
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "core/need.h"

/* The values that one reader reads, into the member of a struct that its row names. */
typedef enum {
  CST_VALUE_OWN,     /* none of these: code of the key's own reads it */
  CST_VALUE_NUMBER,  /* double */
  CST_VALUE_NUMBERS, /* double *, one for each set of parameters; NULL: absent or wrong; owned */
  CST_VALUE_INTEGER, /* int, long */
  CST_VALUE_SEED,    /* uint64_t, from 0 on */
  CST_VALUE_FLAG,    /* bool */
  CST_VALUE_CHOICE, /* the index of one of the words: int, bool, or an enumeration in their order */
  CST_VALUE_TEXT,   /* char *; NULL: absent; owned */
  CST_VALUE_NAME,   /* the same, of datasets: a letter, then letters, digits, _ and - */
  CST_VALUE_EXPRESSION,  /* cst_expressions, one */
  CST_VALUE_EXPRESSIONS, /* the same, a family of them where the map has the key `for` */
  /* arguments of methods (method/method.h): the term of a method, of a one-step layer, of a layer with a tableau; a
   * composition scheme */
  CST_VALUE_METHOD,
  CST_VALUE_LAYER,
  CST_VALUE_TABLEAU,
  CST_VALUE_SCHEME
} cst_value_type;

typedef struct {
  cst_value_type type;
  size_t         at, size; /* of the member; CST_AT */
  /* of numbers: both are allowed, but for those that `above` and `below` exclude; CST_NO_LIMIT: there is none. Both 0:
   * every number */
  double             low, high;
  bool               above, below;
  const char *const *words; /* of a choice, up to NULL */
  bool               rule;  /* `standard` describes a rule; the caller has set the member by it */
  bool               constant; /* of numbers: an expression of pi alone */
  /* of text: what it must be, "the name of a C file"; of a name: what it names, "a histogram"; of an integer instead of
   * "an integer"; of a number instead of its bounds */
  const char *of;
  /* code of the key reads it, each of the values by this row: a list of such values; or one of another form, "a list of
   * them" */
  bool        list;
  const char *also;
  int         entries; /* of a list, at most; 0: any number */
  /* what messages call the number, or what has the name; NULL: as the key, or as in `of` */
  const char *item;
  /* NULL, or the largest value in this study, where it is below `high`; and what it is */
  double (*most)(const void *study);
  const char *until;
} cst_value;

#define CST_AT(type, member) offsetof(type, member), sizeof(((type *)NULL)->member)
#define CST_NO_LIMIT         __builtin_inf()

typedef struct {
  /* in: path of the map that contains the key: "" the file itself, "states.NAME", where NAME is a name of the
   * user's */
  const char *in, *key;
  /* bits of the forms of that map that have the key; CST_KEYS_ALL: every form; 0: allowed elsewhere */
  int         forms;
  const char *type; /* in words; NULL: those of `value` (cst_key_type) */
  /* default value, which is read as a file would have it, or in words; NULL: the key is required */
  const char *standard;
  const char *unit;    /* "": none */
  const char *example; /* a line of a file with this key */
  const char *doc;
  cst_value   value;
  const char *called; /* the subject of messages on a wrong value; NULL: the reader's own */
} cst_key;

enum {
  CST_KEYS_ALL = -1,
  CST_MOST_KEYS = 64 /* in one map */,
  CST_NAME_MOST = 32 /* letters of a name */
};

/* The row of a key, which the table has. */
const cst_key *cst_key_find(const cst_key *table, const char *in, const char *key);
/* Which values are allowed, without a list or another form: "integer from 1 to 1000", in text[n]; returns text. */
const char *cst_value_text(const cst_value *v, char *text, size_t n);
/* "an integer", "a number"; "" before the words of a choice: the article before such a text. */
const char *cst_value_article(const cst_value *v, const char *type);
/* Which values a key may have: the text of its value, or the row's own words. And the
 * words behind "it must be" where a number, or a name, is none of them. */
const char *cst_key_type(const cst_key *k, char *text, size_t n);
const char *cst_value_wanted(const cst_value *v, char *text, size_t n);
/* "a, b or c", in text[n]; returns text. */
const char *cst_value_words(const char *const *words, char *text, size_t n);
/* Whether there are bounds, and whether a number is between them. */
bool cst_value_bounded(const cst_value *v);
bool cst_value_allows(const cst_value *v, double x);
/* Reads a plain number, a word of a choice, or true and false; false: text is none that is allowed. */
bool cst_value_parse(const cst_value *v, const char *text, double *x);
/* Sets the member of a section to a number, or to the index of a word. */
void cst_value_set(const cst_value *v, void *section, double x);

/* The keys of map `in` in the given forms, names[CST_MOST_KEYS]; returns their number. The table ends with a
 * row whose key is NULL. */
static inline int cst_keys_of(const cst_key *table, const char *in, int forms, const char **names) {
  int n = 0;
  for (const cst_key *k = table; k->key; k++) {
    if (strcmp(k->in, in) || !(k->forms == CST_KEYS_ALL || k->forms & forms))
      continue;
    if (n == CST_MOST_KEYS)
      cst_need_fail();
    names[n++] = k->key;
  }
  return n;
}
#endif

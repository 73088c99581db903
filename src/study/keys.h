/* keys.h: every key that a study file may have, as a table: the reader takes the keys that it allows from it,
 * `constella show study` prints it, and docs/study-file.md repeats it (tests/cli/test_study_page.py holds
 * them together).
 *
 * A new key is one row, and the function that reads its value. Keys that a file brings along by itself
 * (starts.h: the forms of starts) have a row with forms 0: they are described here and allowed there.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_KEYS_H
#define CST_KEYS_H

/* Forms of a map whose keys differ. */
enum {
  CST_KEYS_ALL = -1,
  CST_START_SINGLE = 1, /* of initial */
  CST_START_BODIES = 2,
  CST_START_ENSEMBLE = 4,
  CST_START_TABLE = 8,
  CST_STEPS_HALVED = 1, /* of steps */
  CST_STEPS_COUNTED = 2,
  CST_LAYER_TABLEAU = 1, /* of layers */
  CST_LAYER_FILE = 2,
};

typedef struct {
  const char *in, *key; /* in: the map that has it, by its path: "" the file itself, "initial.spread"; "range"
                           a range of values */
  int forms; /* bits of the forms of that map that have it; CST_KEYS_ALL: every one; 0: allowed by a file of
                its own */
  const char
      *type; /* number, integer, flag, word, text, list, map, expression, and what else may stand there */
  const char *standard; /* the value where it is left out; NULL: it is required */
  const char *unit;     /* "": none; "time" and the like: the unit that the system's text has for it */
  const char *example;  /* a line of a study file that has it */
  const char *doc;
} cst_key;

enum { CST_MOST_KEYS = 32 }; /* of one map */

extern const cst_key cst_keys[]; /* up to one whose key is NULL */

/* The keys of map `in` in the given forms, names[CST_MOST_KEYS]; how many. */
int cst_keys_of(const char *in, int forms, const char **names);
#endif

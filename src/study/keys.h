/* keys.h: the table of all keys of a study file. The reader takes the allowed keys from it, `constella show
 * study` prints it, and docs/study-file.md repeats it (tests/cli/test_study_page.py compares them).
 *
 * A new key needs one row, and the function that reads its value. Keys of the forms of starts (starts.h) have
 * rows with forms 0: they are described here but allowed there.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_KEYS_H
#define CST_KEYS_H

/* Bits for the forms of a map whose keys differ. */
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
  /* in: path of the map that contains the key: "" the file itself, "initial.spread"; "range" any range of
   * values */
  const char *in, *key;
  /* bits of the forms that have the key; CST_KEYS_ALL: every form; 0: allowed elsewhere */
  int forms;
  /* number, integer, flag, word, text, list, map, expression, or other allowed values */
  const char *type;
  const char *standard; /* default value; NULL: the key is required */
  const char *unit;     /* "": none; "time" and the like: as declared by the system */
  const char *example;  /* a line of a study file with this key */
  const char *doc;
} cst_key;

enum { CST_MOST_KEYS = 32 }; /* in one map */

extern const cst_key cst_keys[]; /* ends with a row whose key is NULL */

/* The keys of map `in` in the given forms, names[CST_MOST_KEYS]; returns their number. */
int cst_keys_of(const char *in, int forms, const char **names);
#endif

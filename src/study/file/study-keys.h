/* study-keys.h: the table of all keys of a study file. The reader takes the allowed keys from it, `constella show
 * study` prints it, and docs/study-file.md repeats it (tests/cli/test_study_page.py compares them).
 *
 * Maps: "initial.spread"; "range" any range of values. Types: number, integer, flag, word, text, list, map,
 * expression, or other allowed values. Units "time" and the like are as the system declares them.
 *
 * A new key needs one row; if its value is none of the types of core/keys.h, also the function that reads it. Keys of the
 * forms of starts (starts.h) have rows with forms 0 or CST_START_FILE: they are described here but allowed there. Keys that
 * a collector reads are rows of its own (collector.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STUDY_KEYS_H
#define CST_STUDY_KEYS_H
#include "core/keys.h"

/* Bits for the forms of a map whose keys differ. */
enum {
  CST_START_SINGLE = 1, /* of initial */
  CST_START_BODIES = 2,
  CST_START_ENSEMBLE = 4,
  CST_START_TABLE = 8,
  CST_START_SWEEP = 16,
  CST_START_MOVED = 32, /* a projected state */
  CST_START_FILE = 64,  /* keys of starts in another file, which their forms allow (starts.h) */
  CST_STEPS_HALVED = 1, /* of steps */
  CST_STEPS_COUNTED = 2,
  CST_LAYER_TABLEAU = 1, /* of layers */
  CST_LAYER_FILE = 2,
  CST_WITH_ALONE = 1, /* of a file with methods alone, and of a certify study */
  CST_WITH_STUDY = 2, /* of such a study alone, and of a choose study */
};

/* Steps of a run, at most; in messages. */
#define CST_LONGEST_RUN      1e15
#define CST_LONGEST_RUN_TEXT "1e15"

/* What maps have whose values are not those of a study: system; steps; a range of values; starts in another file. */
typedef struct {
  char *name, *file;
  int   compile;
} cst_keys_of_system;
typedef struct {
  double *from;
  int     halvings;
} cst_keys_of_steps;
typedef struct {
  double from, to;
  int    count;
  bool   log;
} cst_keys_of_range;
typedef struct {
  char *csv, *from;
  long  icase; /* -1: the only one */
} cst_keys_of_starts;

/* Those of the file itself that every study has; and all of them, those of collectors behind the others of the same map; ends with a row whose key is NULL. */
extern const cst_key cst_study_file_keys[];
const cst_key       *cst_study_keys(void);
/* Of a certify study (certify.c), and of a choose study (choose.c). */
extern const cst_key cst_certify_keys[];
#endif

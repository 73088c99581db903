/* study-keys.h: the table of all keys of a study file. The reader takes the allowed keys from it, `constella show
 * study` prints it, and docs/study-file.md repeats it (tests/cli/test_study_page.py compares them).
 *
 * Maps: "initial.spread"; "range" any range of values. Types: number, integer, flag, word, text, list, map,
 * expression, or other allowed values. Units "time" and the like are as the system declares them.
 *
 * A new key needs one row, and the function that reads its value. Keys of the forms of starts (starts.h) have
 * rows with forms 0: they are described here but allowed there. Keys that a collector reads are rows of its
 * own (collector.h).
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
  CST_STEPS_HALVED = 1, /* of steps */
  CST_STEPS_COUNTED = 2,
  CST_LAYER_TABLEAU = 1, /* of layers */
  CST_LAYER_FILE = 2,
  CST_WITH_ALONE = 1, /* of a file with methods alone, and of a certify study */
  CST_WITH_STUDY = 2, /* of such a study alone, and of a choose study */
};

/* All of them, those of collectors behind the others of the same map; ends with a row whose key is NULL. */
const cst_key *cst_study_keys(void);
/* Of a certify study (certify.c), and of a choose study (choose.c). */
extern const cst_key cst_certify_keys[];
#endif

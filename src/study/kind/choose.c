/* choose.c: the kind of study `choose`: which method and step meet a goal on a system at the least cost. It has no
 * trajectories of its own: `constella choose` measures it (analysis/constella/choosing). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/file/study-keys.h"
#include <stddef.h>
#include "study/rows/kind.h"

/* ---- keys ------------------------------------------------------------------------------------ */

/* clang-format off */
static const cst_key choose_keys[] = {
    {"", "study", CST_WITH_STUDY, "word", NULL, "", "study: choose", "The kind of study."},
    {"", "system", CST_WITH_STUDY, "name or file", NULL, "", "system: kepler", "A system of the catalogue, or a file beside the study."},
    {"", "goal", CST_WITH_STUDY, "text", NULL, "", "goal: energy 1e-4 until 1e6, momentum exact", "In the words of `constella choose` (docs/choosing.md)."},
    {"", "initial", CST_WITH_STUDY, "state, file or map", "the first state", "",
     "initial: {q: [1, 0], v: [0, 1]}", "A state of the system, a file with the key `initial` of a study or a table of starts (.csv), or a map as in other studies."},
    {"", "parameters", CST_WITH_STUDY, "map of names to numbers", "none", "", "parameters: {m: 2}", "Values of parameters."},
    {"", "members", CST_WITH_STUDY, "integer", "8", "", "members: 8", "Starts of a heat; eight times as many confirm."},
    {"", "budget", CST_WITH_STUDY, "time", "10min", "", "budget: 90s", "Of computing: 90s, 10min, 1h."},
    {"", "methods", CST_WITH_STUDY, "list of methods", "all that step the system", "", "methods: [rattle, \"gauss(2)\"]", "Only these methods, with their arguments."},
    {0}};
/* clang-format on */

/* ---- the kind -------------------------------------------------------------------------------- */

const cst_kind cst_kind_choose = {
    .name = "choose",
    .doc = "the cheapest method and step that meet a goal on a system",
    .command = "choose",
    .figures = "",
    .keys = choose_keys,
};

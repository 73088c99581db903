/* certify.c: the kind of study `certify`: what methods claim, against what is measured, on several systems. It has
 * no trajectories of its own: `constella certify` measures it (analysis/constella/certifying). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/file/study-keys.h"
#include <stddef.h>
#include "study/rows/kind.h"

/* ---- keys ------------------------------------------------------------------------------------ */

/* The keys of a certify study; layers, schemes, maps, iotas, retractions and steppers also those
 * of a file beside methods. */

static const char *const measures[] = {"quick", "full", NULL};

/* clang-format off */
const cst_key cst_certify_keys[] = {
    {"", "study", CST_WITH_STUDY, "word", NULL, "", "study: certify", "The kind of study."},
    {"", "title", CST_WITH_STUDY, "text", "none", "", "title: Compositions of order 4", "A line for the page."},
    {"", "methods", CST_WITH_STUDY, "list of methods, or all", "the steppers, or the layers, of the file", "",
     "methods: [rattle, \"compose(rattle, suzuki4)\"]", "Method expressions and names of `steppers`. all: every method of `constella list methods`."},
    {"", "systems", CST_WITH_STUDY, "list of names or files", "the default systems (docs/certificate.md)", "",
     "systems: [kepler, double-pendulum]", "Systems of the catalogue, or files beside the study."},
    {"", "claims", CST_WITH_STUDY, "map of claims to numbers, or text", "what the methods claim", "",
     "claims: \"order=4, symplectic\"", "The claims to judge; 1 is the number of a claim that has none."},
    {"", "measure", CST_WITH_STUDY, NULL, "quick", "", "measure: full", "full: more states, smaller steps, longer runs.",
     .value = {CST_VALUE_CHOICE, .words = measures}},
    {"", "layers", CST_KEYS_ALL, "map of names to maps", "none", "", "layers: {mine: {a: [[0, 0], [1, 0]], b: [0.5, 0.5]}}", "As in other studies."},
    {"", "schemes", CST_KEYS_ALL, "map of names to lists of numbers", "none", "",
     "schemes: {mine: [1/(2-2^(1/3)), 1-2/(2-2^(1/3)), 1/(2-2^(1/3))]}", "As in other studies."},
    {"", "maps", CST_KEYS_ALL, "map of names to maps", "none", "", "maps: {mine: {left: q - v/4, right: q + 3*v/4}}", "As in other studies."},
    {"", "iotas", CST_KEYS_ALL, "map of names to maps", "none", "", "iotas: {upright: {fibre: [\"q[1]\", \"q[2]\", \"q[3] + theta[1]\"]}}", "As in other studies."},
    {"", "retractions", CST_KEYS_ALL, "map of names to maps", "none", "", "retractions: {mine: {point: q + v + q*v^2/8}}", "As in other studies."},
    {"", "steppers", CST_KEYS_ALL, "map of names to maps", "none", "",
     "steppers: {mine: {python: \"verlet.py:step\", claims: symplectic}}", "Steppers of others (docs/certificate.md)."},
    {0}};
/* clang-format on */

/* ---- the kind -------------------------------------------------------------------------------- */

const cst_kind cst_kind_certify = {
    .name = "certify",
    .doc = "what methods claim, against what is measured on several systems; verdicts",
    .command = "certify",
    .figures = "",
    .keys = cst_certify_keys,
};

/* kind-certify.c: the kind of study `certify`: what methods claim, against what is measured, on several systems. It has
 * no trajectories of its own: `constella certify` measures it (analysis/constella/certifying). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/file/study-keys.h"
#include "study/kind.h"

const cst_kind cst_kind_certify = {
    .name = "certify",
    .doc = "what methods claim, against what is measured on several systems; verdicts",
    .command = "certify",
    .figures = "",
    .keys = cst_certify_keys,
};

/* kind-choose.c: the kind of study `choose`: which method and step meet a goal on a system at the least cost. It has no
 * trajectories of its own: `constella choose` measures it (analysis/constella/choosing). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/file/study-keys.h"
#include "study/kind.h"

const cst_kind cst_kind_choose = {
    .name = "choose",
    .doc = "the cheapest method and step that meet a goal on a system",
    .command = "choose",
    .figures = "",
    .keys = cst_choose_keys,
};

/* averages.h: the weight of the samples of averages and histograms. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_AVERAGES_H
#define CST_AVERAGES_H
#include "study/file/reader.h"

/* The words of a key `weight`, whose index is whether it is fixman; and whether that has a meaning, else said at its node. */
extern const char *const cst_averages_weights[];
void                     cst_averages_check_weight(cst_reader *r, cst_yaml *weight, bool fixman);
#endif

/* averages.h: the weight of the samples of averages and histograms. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_AVERAGES_H
#define CST_AVERAGES_H
#include "study/file/reader.h"

/* Reads the key `weight` of the map n: whether it is fixman. */
bool cst_averages_read_weight(cst_reader *r, cst_yaml *n);
#endif

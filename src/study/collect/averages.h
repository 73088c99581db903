/* averages.h: what a study asks of time averages: the keys `burn-in` and `averages`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_AVERAGES_H
#define CST_AVERAGES_H
#include "study/collector.h"
#include "study/file/reader.h"

typedef struct {
  bool   given;   /* one of the keys is there */
  bool   fixman;  /* every sample has the weight (det G M^-1 G')^(-1/2) */
  double burn_in; /* the part of the run that averages and histograms leave out */
} cst_averages_wish;

const cst_averages_wish *cst_averages_wish_of(const cst_study *s);
/* Reads the key `weight` of the map n: whether it is fixman. */
bool cst_averages_read_weight(cst_reader *r, cst_yaml *n);
#endif

/* sound.c: the numbers that each channel may hold, in one table (see sound.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/sound.h"
#include <math.h>
#include <stdio.h>
#include "method/core.h"

/* The largest number that a channel may hold. */
typedef enum {
  LARGEST,    /* of its type */
  OF_REASONS, /* the last reason of a failure */
  OF_STEPS,   /* the number of steps of the case */
  OF_SAMPLES, /* the number of samples of a histogram along a trajectory */
  OF_MEMBERS  /* the number of members */
} limit;

typedef struct {
  bool   checked;
  double least;
  limit  most;
  bool   whole;
  bool   gaps; /* NaN stands for a number that there is not */
} range;

/* Channels that are not listed may hold any numbers. */
static const range ranges[CST_CHANNELS] = {
    [CST_CHANNEL_STATUS] = {true, CST_DONE, OF_REASONS, true, false},
    [CST_CHANNEL_STEPS] = {true, 0, OF_STEPS, true, false},
    [CST_CHANNEL_ITERATIONS] = {true, 0, LARGEST, false, false},
    [CST_CHANNEL_EVALUATIONS] = {true, 0, LARGEST, false, false},
    [CST_CHANNEL_ERROR] = {true, 0, LARGEST, false, true},
    [CST_CHANNEL_COUNTS] = {true, 0, OF_SAMPLES, true, false},
    [CST_CHANNEL_JOINED] = {true, 0, OF_MEMBERS, true, false},
    [CST_CHANNEL_SERIES_MAX] = {true, 0, LARGEST, false, true},
    [CST_CHANNEL_SERIES_RMS] = {true, 0, LARGEST, false, true},
    [CST_CHANNEL_SERIES_COUNT] = {true, 0, OF_MEMBERS, true, false},
};

static double largest(const cst_plan *p, int icase, const cst_channel *c) {
  const limit most = ranges[c->kind].most;
  const long  steps = p->cases[icase].n;
  switch (most) {
  case OF_REASONS:
    return CST_REASONS - 1;
  case OF_STEPS:
    return (double)steps;
  case OF_SAMPLES:
    return ((double)steps + 1) * (double)p->study->histogram[c->which].n;
  case OF_MEMBERS:
    return (double)p->study->members;
  default:
    return INFINITY;
  }
}

static double number(cst_type type, const void *x, size_t i) {
  if (type == CST_TYPE_F64)
    return ((const double *)x)[i];
  if (type == CST_TYPE_I64)
    return (double)((const long *)x)[i];
  return type == CST_TYPE_I8 ? ((const signed char *)x)[i] : ((const int *)x)[i];
}

bool cst_sound(const cst_plan *p, int icase, const cst_channel *c, const void *x, size_t n,
               char *why, size_t size) {
  const range *r = &ranges[c->kind];
  const double most = largest(p, icase, c);
  for (size_t i = 0; r->checked && i < n; i++) {
    const double value = number(c->field.type, x, i);
    const bool   inside = value >= r->least && value <= most && (!r->whole || value == rint(value));
    if (inside || (r->gaps && isnan(value)))
      continue;
    snprintf(why, size, "%s has %.17g in case %d; possible are %snumbers from %g to %g",
             c->field.path, value, icase, r->whole ? "whole " : "", r->least, most);
    return false;
  }
  return true;
}

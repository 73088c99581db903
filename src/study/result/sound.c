/* sound.c: the numbers that each channel may hold, as their rows say (see sound.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/sound.h"
#include <math.h>
#include <stdio.h>
#include "method/reason.h"

static double largest(const cst_plan *p, int icase, const cst_channel *c) {
  const long steps = p->cases[icase].n;
  switch (c->row->range.most) {
  case CST_MOST_REASONS:
    return CST_REASONS - 1;
  case CST_MOST_STEPS:
    return (double)steps;
  case CST_MOST_MEMBERS:
    return (double)p->study->members;
  case CST_MOST_OF_OWNER:
    return c->row->range.largest(p, icase, c->which);
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
  const cst_channel_range *r = &c->row->range;
  const double             most = largest(p, icase, c);
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

/* division.c: divides the trajectories of a study between jobs (see division.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/plan/division.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/need.h"

typedef struct {
  double cost; /* of a lane */
  int class;
} costly;

static int costlier(const void *a, const void *b) {
  const costly *x = a;
  const costly *y = b;
  if (x->cost != y->cost)
    return x->cost < y->cost ? 1 : -1;
  return x->class - y->class;
}

cst_division *cst_division_create(const cst_plan *p, long n) {
  cst_division *d = cst_need(calloc(1, sizeof *d));
  costly       *list = cst_zeros(p->nclass, sizeof *list);
  long          next = 0;
  d->n = n;
  d->begin = cst_zeros(p->nclass, sizeof *d->begin);
  for (int k = 0; k < p->nclass; k++)
    list[k] = (costly){(double)p->classes[k].n * p->classes[k].cost, k};
  qsort(list, (size_t)p->nclass, sizeof *list, costlier);
  for (int i = 0; i < p->nclass; i++) {
    d->begin[list[i].class] = next;
    next = (next + p->classes[list[i].class].lanes) % n;
  }
  free(list);
  return d;
}

void cst_division_destroy(cst_division *d) {
  if (d)
    free(d->begin);
  free(d);
}

/* Of `left` lanes that go to one part each, from `begin` on in a circle of n: those of the parts before `part`. */
static long before(long begin, long left, long n, long part) {
  const long end = begin + left;
  long       sum = 0;
  if (part > begin)
    sum += (part < end ? part : end) - begin;
  if (end > n)
    sum += part < end - n ? part : end - n;
  return sum;
}

void cst_division_lanes(const cst_plan *p, const cst_division *d, long part, int class, long *first,
                        long *count) {
  const long each = p->classes[class].lanes / d->n;
  const long left = p->classes[class].lanes % d->n;
  const long begin = d->begin[class];
  *first = (part - 1) * each + before(begin, left, d->n, part - 1);
  *count = part * each + before(begin, left, d->n, part) - *first;
}

void cst_division_members(const cst_plan *p, const cst_division *d, long part, int icase,
                          long *first, long *count) {
  const long from = cst_plan_lane(p, icase, 0);
  const long until = from + p->study->ensemble.members;
  long       a, b;
  cst_division_lanes(p, d, part, p->class_of[icase], &a, &b);
  b += a;
  if (a < from)
    a = from;
  if (b > until)
    b = until;
  *first = a - from;
  *count = b > a ? b - a : 0;
}

static long trajectories_of(const cst_plan *p, const cst_division *d, long part) {
  long first, count, sum = 0;
  for (int k = 0; k < p->nclass; k++) {
    cst_division_lanes(p, d, part, k, &first, &count);
    sum += count;
  }
  return sum;
}

void cst_plan_divide(cst_plan *p, long part, long n) {
  long first, count;
  p->division = cst_division_create(p, n);
  p->part = part;
  p->cost = 0;
  for (int k = 0; k < p->nclass; k++) {
    cst_plan_own_lanes(p, k, &first, &count);
    p->cost += (double)count * (double)p->classes[k].n * p->classes[k].cost;
  }
}

void cst_plan_own_lanes(const cst_plan *p, int class, long *first, long *count) {
  *first = 0;
  *count = p->classes[class].lanes;
  if (p->part)
    cst_division_lanes(p, p->division, p->part, class, first, count);
}

long cst_plan_own_trajectories(const cst_plan *p) {
  return p->part ? trajectories_of(p, p->division, p->part) : p->ncase * p->study->ensemble.members;
}

bool cst_part_parse(const char *text, long *part, long *n) {
  char *end;
  if (!isdigit((unsigned char)*text))
    return false;
  const long k = strtol(text, &end, 10);
  if (*end != '/' || !isdigit((unsigned char)end[1]))
    return false;
  const long all = strtol(end + 1, &end, 10);
  if (*end || k < 1 || k > all || all > CST_PARTS_MOST)
    return false;
  *part = k;
  *n = all;
  return true;
}

void cst_part_print(const cst_plan *p, char text[CST_PART_TEXT]) {
  *text = 0;
  if (p->part)
    snprintf(text, CST_PART_TEXT, "%ld/%ld", p->part, p->division->n);
}

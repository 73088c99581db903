/* cover.h: chooses the pairs of methods and systems for the tests of claims. `make test-all` takes every
 * pair.
 *
 * Methods belong to families and systems to kinds. A pair makes promises, the first of which is that it
 * runs. If a promise is made by enough pairs, the chosen pairs test it
 *   for every method on at least PER_METHOD systems,
 *   for every system with at least PER_SYSTEM methods, and each system meets at least MEETS methods,
 *   for every family on every kind of system at least once;
 * if it is made by fewer, all of them are chosen. A reference system meets every method. The choice goes
 * through the pairs in a fixed order that is scattered over methods and systems, the expensive ones last,
 * and takes a pair if one of the conditions is not yet met. A method or system at the end of its list leaves the
 * order of the others as it is. Then it goes backwards and removes pairs that
 * no condition needs. test-cover.c checks the choice.
 *
 * Tests with their own loops over layers, biases and systems take the combinations whose indices sum to 0
 * modulo m (on_diagonal): about every m-th value for each combination of all other indices.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COVER_H
#define COVER_H
#include <stdbool.h>
#include <stdlib.h>

enum {
  MOST_METHODS = 160,
  MOST_SYSTEMS = 64,
  MOST_PROMISES = 16,
  PER_METHOD = 2,
  PER_SYSTEM = 3,
  MEETS = 6,
  DEAR = 4
};

typedef struct {
  int  methods, systems;
  int  family[MOST_METHODS], kind[MOST_SYSTEMS]; /* from 0, below MOST_METHODS and MOST_SYSTEMS */
  bool reference[MOST_SYSTEMS];
  unsigned promises[MOST_METHODS]
                   [MOST_SYSTEMS];         /* bits, 1: it runs; 0 if the method does not fit */
  int  costly[MOST_METHODS][MOST_SYSTEMS]; /* from 0, below DEAR */
  bool taken[MOST_METHODS][MOST_SYSTEMS];
} cover;

__attribute__((unused)) static bool everything(void) {
  return getenv("CONSTELLA_TEST_ALL") != NULL;
}

__attribute__((unused)) static bool on_diagonal(int sum, int m) {
  return everything() || sum % m == 0;
}

/* The number of chosen pairs that make a promise: of a method, of a system, of a family on a kind. */
typedef struct {
  int method[MOST_METHODS][MOST_PROMISES], system[MOST_SYSTEMS][MOST_PROMISES],
      both[MOST_METHODS][MOST_SYSTEMS][MOST_PROMISES];
} cover_counts;

static int cover_per_system(int promise) { return promise ? PER_SYSTEM : MEETS; }

/* True if a condition is violated without the pair. */
static bool cover_lacks(const cover *c, const cover_counts *n, int i, int k) {
  const int own = c->taken[i][k];
  for (int b = 0; b < MOST_PROMISES; b++)
    if (c->promises[i][k] & 1u << b &&
        (n->method[i][b] - own < PER_METHOD || n->system[k][b] - own < cover_per_system(b) ||
         n->both[c->family[i]][c->kind[k]][b] - own < 1))
      return true;
  return false;
}

static void cover_set(cover *c, cover_counts *n, int i, int k, bool taken) {
  const int more = taken - c->taken[i][k];
  c->taken[i][k] = taken;
  for (int b = 0; b < MOST_PROMISES; b++)
    if (c->promises[i][k] & 1u << b) {
      n->method[i][b] += more;
      n->system[k][b] += more;
      n->both[c->family[i]][c->kind[k]][b] += more;
    }
}

/* A number without common divisors with n, near its golden section. */
static int cover_stride(int n) {
  for (int stride = (int)(n * 0.618034);; stride++) {
    int a = stride, b = n;
    while (b) {
      const int rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 1)
      return stride;
  }
}

__attribute__((unused)) static void cover_choose(cover *c) {
  cover_counts *counts = calloc(1, sizeof *counts);
  const int     all = MOST_METHODS * MOST_SYSTEMS, stride = cover_stride(all);
  if (!counts)
    abort();
  /* the reference systems first, then in order of increasing cost; and backwards */
  for (int way = 0; way < 2; way++)
    for (int m = 0; m < (DEAR + 1) * all; m++) {
      const int n = way ? (DEAR + 1) * all - 1 - m : m,
                at = (int)((long long)(n % all) * stride % all), i = at / MOST_SYSTEMS,
                k = at % MOST_SYSTEMS;
      if (i >= c->methods || k >= c->systems || !c->promises[i][k] ||
          n / all != (c->reference[k] ? 0 : 1 + c->costly[i][k]))
        continue;
      cover_set(c, counts, i, k,
                everything() || c->reference[k] ||
                    ((!way || c->taken[i][k]) && cover_lacks(c, counts, i, k)));
    }
  free(counts);
}

#endif

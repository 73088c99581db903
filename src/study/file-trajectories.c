/* file-trajectories.c: the key `trajectories`: of which members states are stored, how often, and what.
 *
 * Members are a list of numbers and ranges, `all`, a random choice, or the worst ones, which nobody knows before all has run. A member is
 * in a random choice of k when its own random number is among the k smallest: a study with more members then keeps, of those that it had,
 * no others than it kept before.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "study/reader.h"

static const char wanted[] = "a list of numbers and ranges, [0, \"10..19\"], a range, all, {random: 5, seed: 1} or {worst: 5, by: energy}";

typedef struct {
  long member;
  int  at; /* in the list */
} chosen;

static int ascending(const void *a, const void *b) {
  const chosen *x = a, *y = b;
  return x->member != y->member ? (x->member > y->member) - (x->member < y->member) : (x->at > y->at) - (x->at < y->at);
}

/* ---- numbers and ranges ------------------------------------------------------------------------------------------------------ */

/* "FROM..TO"; false where it is none. */
static bool is_range(const char *text, long *from, long *to) {
  int end = 0;
  return text && sscanf(text, " %ld .. %ld %n", from, to, &end) == 2 && !text[end];
}

static void add(cst_study *s, long from, long to) {
  s->trajectory = realloc(s->trajectory, sizeof *s->trajectory * ((size_t)s->ntrajectory + (size_t)(to - from + 1)));
  if (!s->trajectory) abort();
  for (long k = from; k <= to; k++) s->trajectory[s->ntrajectory++] = k;
}

static void read_item(cst_reader *r, cst_yaml *n) {
  cst_study  *s = r->s;
  const char *text = cst_yaml_is_scalar(n) ? cst_yaml_text(n) : NULL;
  long        from, to;
  if (!is_range(text, &from, &to)) {
    if (cst_reader_integer(r, n, "members", 0, s->members - 1, &from)) add(s, from, from);
  } else if (from < 0 || to >= s->members || from > to)
    cst_yaml_error(r->doc, n, r->d, "'members' has the range %s; it must be FROM..TO with numbers from 0 to %ld, the smaller one first",
                   text, s->members - 1);
  else if (s->ntrajectory + (to - from + 1) > s->members)
    cst_yaml_error(r->doc, n, r->d, "'members' has more numbers than there are members, %ld", s->members);
  else
    add(s, from, to);
}

/* The members of a list, each once. */
static void read_list(cst_reader *r, cst_yaml *list) {
  cst_study *s = r->s;
  const int  items = cst_yaml_size(list);
  int       *end = cst_reader_memory((size_t)items, sizeof *end);
  for (int i = 0; i < items && !cst_diag_full(r->d); i++) {
    read_item(r, cst_yaml_item(list, i));
    end[i] = s->ntrajectory;
  }
  chosen *all = cst_reader_memory((size_t)s->ntrajectory, sizeof *all);
  for (int i = 0, k = 0; k < s->ntrajectory; k++) {
    while (k >= end[i]) i++;
    all[k] = (chosen){s->trajectory[k], i};
  }
  qsort(all, (size_t)s->ntrajectory, sizeof *all, ascending);
  for (int i = 1; i < s->ntrajectory && !cst_diag_full(r->d); i++)
    if (all[i].member == all[i - 1].member)
      cst_yaml_error(r->doc, cst_yaml_item(list, all[i].at), r->d, "the member %ld appears twice", all[i].member);
  free(end);
  free(all);
}

/* ---- at random, or by what they did ------------------------------------------------------------------------------------------ */

typedef struct {
  double draw;
  long   member;
} lot;

static int by_lot(const void *a, const void *b) {
  const lot *x = a, *y = b;
  if (x->draw != y->draw) return x->draw < y->draw ? -1 : 1;
  return (x->member > y->member) - (x->member < y->member);
}

static int by_number(const void *a, const void *b) {
  const long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

static void draw(cst_study *s, long n, uint64_t seed) {
  lot *all = cst_reader_memory((size_t)s->members, sizeof *all);
  for (long m = 0; m < s->members; m++) all[m] = (lot){cst_random_uniform(seed, (uint64_t)m, CST_PURPOSE_TRAJECTORIES, 0, 0), m};
  qsort(all, (size_t)s->members, sizeof *all, by_lot);
  for (long k = 0; k < n; k++) add(s, all[k].member, all[k].member);
  qsort(s->trajectory, (size_t)n, sizeof *s->trajectory, by_number);
  free(all);
}

static void read_choice(cst_reader *r, cst_yaml *n) {
  cst_study *s = r->s;
  cst_yaml  *random = cst_yaml_get(n, "random"), *worst = cst_yaml_get(n, "worst"), *seed = cst_yaml_get(n, "seed"),
           *by = cst_yaml_get(n, "by");
  long count = 0, number = 0;
  cst_reader_keys(r, n, "members", "trajectories.members", CST_KEYS_ALL);
  if (!random == !worst) {
    cst_yaml_error(r->doc, n, r->d, "'members' as a map has one of 'random' and 'worst'; it must be %s", wanted);
    return;
  }
  if (random ? by != NULL : seed != NULL) {
    cst_yaml_error(r->doc, random ? by : seed, r->d, "'%s' does not go with '%s'", random ? "by" : "seed", random ? "random" : "worst");
    return;
  }
  if (!cst_reader_integer(r, random ? random : worst, random ? "random" : "worst", 1, s->members, &count)) return;
  if (random) {
    cst_reader_integer(r, seed, "seed", 0, 9007199254740992, &number);
    draw(s, count, (uint64_t)number);
    return;
  }
  by = cst_reader_required(r, n, "members", "by");
  const char *text = cst_reader_text(r, by, "by", "the name of an observable, or error");
  if (!text) return;
  s->ntrajectory = (int)count;
  s->worst_by.text = strdup(text);
  cst_yaml_place(by, &s->worst_by.line, &s->worst_by.column);
}

/* ---- the key ----------------------------------------------------------------------------------------------------------------- */

static void read_members(cst_reader *r, cst_yaml *n) {
  const char *text = cst_yaml_is_scalar(n) ? cst_yaml_text(n) : NULL;
  long        from, to;
  if (cst_yaml_is_list(n))
    read_list(r, n);
  else if (cst_yaml_is_map(n))
    read_choice(r, n);
  else if (text && !strcmp(text, "all"))
    add(r->s, 0, r->s->members - 1);
  else if (is_range(text, &from, &to))
    read_item(r, n);
  else
    cst_yaml_error(r->doc, n, r->d, "'members' is %s%s%s; it must be %s", text && *text ? "'" : "", text && *text ? text : "empty",
                   text && *text ? "'" : "", wanted);
}

/* What is no part of the state is a quantity of the study, which the plan knows (plan-tracks.c). */
static void read_store(cst_reader *r, cst_yaml *n) {
  cst_study *s = r->s;
  const struct {
    const char *name;
    bool       *flag;
  } parts[] = {{"q", &s->store_q}, {"p", &s->store_p}, {"v", &s->store_v}, {"lambda", &s->store_lambda}};
  s->store_q = s->store_p = s->store_lambda = !n;
  if (!cst_reader_list(r, n, "store", "q, p, v, lambda and names of observables", false)) return;
  s->stored = cst_reader_memory((size_t)cst_yaml_size(n), sizeof *s->stored);
  for (int i = 0; i < cst_yaml_size(n); i++) {
    cst_yaml   *item = cst_yaml_item(n, i);
    const char *text = cst_reader_text(r, item, "store", "q, p, v, lambda or the name of an observable");
    size_t      k = 0;
    if (!text) continue;
    while (k < sizeof parts / sizeof *parts && strcmp(text, parts[k].name)) k++;
    bool twice = k < sizeof parts / sizeof *parts && *parts[k].flag;
    for (int j = 0; j < s->nstored; j++) twice |= !strcmp(text, s->stored[j].text);
    if (twice)
      cst_yaml_error(r->doc, item, r->d, "'%s' appears twice", text);
    else if (k < sizeof parts / sizeof *parts)
      *parts[k].flag = true;
    else {
      cst_study_word *x = &s->stored[s->nstored++];
      x->text = strdup(text);
      cst_yaml_place(item, &x->line, &x->column);
    }
  }
}

void cst_file_trajectories(cst_reader *r) {
  cst_study *s = r->s;
  cst_yaml  *n = cst_yaml_get(r->root, "trajectories");
  s->trajectory_every = 1;
  if (!cst_reader_keys(r, n, "trajectories", "trajectories", CST_KEYS_ALL)) return;
  cst_yaml *members = cst_reader_required(r, n, "trajectories", "members");
  cst_reader_integer(r, cst_yaml_get(n, "every"), "every", 1, 1000000000000000, &s->trajectory_every);
  if (members) read_members(r, members);
  read_store(r, cst_yaml_get(n, "store"));
}

void cst_file_trajectories_destroy(cst_study *s) {
  for (int i = 0; i < s->nstored; i++) free(s->stored[i].text);
  free(s->stored);
  free(s->worst_by.text);
}

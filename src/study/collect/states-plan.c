/* states-plan.c: the key `trajectories`: members whose states are stored, how often, and which quantities; and by name
 * the quantities that are stored, and the one by which the worst trajectories are chosen.
 *
 * Members are a list of numbers and ranges, `all`, a random choice, or the worst ones, which are known only
 * after the run. A random choice of k takes the members with the k smallest random numbers, one drawn per
 * member: an extended study with more members then adds members to the stored ones and never drops an old one
 * in favour of another old one.
 *
 * A name is that of a quantity, for instance rotation-z, or of an observer, for instance momentum, which
 * stands for all its quantities.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/states.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/document.h"
#include "constella/random.h"
#include "core/diag.h"
#include "core/need.h"

/* ---- the study file -------------------------------------------------------------------------- */

/* The map `members`. */
typedef struct {
  long     random, worst; /* 0: the key is absent */
  uint64_t seed;
  char    *by;
} choice;

static double members(const void *study) {
  return (double)((const cst_study *)study)->ensemble.members;
}
static double last_member(const void *study) { return members(study) - 1; }

/* clang-format off */
const cst_key cst_states_keys[] = {
    {"", "trajectories", CST_KEYS_ALL, "map", "none", "", "trajectories: {members: [0], every: 10}", "Members whose states and observables are stored along the run."},
    {"trajectories", "members", CST_KEYS_ALL, "list of integers and ranges, a range, all, or a map", NULL, "", "trajectories: {members: [\"0..0\"]}",
     "Numbers of members, from 0, and ranges FROM..TO; as a map: a random choice, {random:, seed:}, or the worst members, {worst:, by:}.",
     .value = {CST_VALUE_INTEGER, .low = 0, .high = CST_NO_LIMIT, .list = true, .most = last_member}},
    {"trajectories", "every", CST_KEYS_ALL, NULL, "1", "steps", "trajectories: {members: [0], every: 5}", "Steps from one stored state to the next.",
     .value = {CST_VALUE_INTEGER, CST_AT(cst_states_request, every), 1, CST_LONGEST_RUN}},
    {"trajectories", "store", CST_KEYS_ALL, "list of q, p, v, lambda and observables", "[q, p, lambda]", "", "trajectories: {members: [0], store: [q, v, energy]}", "Quantities stored of each state."},
    {"trajectories.members", "random", CST_KEYS_ALL, NULL, "none; required without `worst`", "", "trajectories: {members: {random: 1}}", "Number of members drawn.",
     .value = {CST_VALUE_INTEGER, CST_AT(choice, random), 1, CST_NO_LIMIT, .rule = true, .most = members, .until = "the number of members"}},
    {"trajectories.members", "seed", CST_KEYS_ALL, NULL, "0", "", "trajectories: {members: {random: 1, seed: 5}}", "Seed of the random choice.",
     .value = {CST_VALUE_SEED, CST_AT(choice, seed)}},
    {"trajectories.members", "worst", CST_KEYS_ALL, NULL, "none; required without `random`", "", "trajectories: {members: {worst: 1, by: constraint}}",
     "Number of members with the largest values; they are computed once more after the run.",
     .value = {CST_VALUE_INTEGER, CST_AT(choice, worst), 1, CST_NO_LIMIT, .rule = true, .most = members, .until = "the number of members"}},
    {"trajectories.members", "by", CST_KEYS_ALL, "observable, or error", "required with `worst`", "", "trajectories: {members: {worst: 1, by: energy}}",
     "Selects by the largest deviation of this observable, or by the error.",
     .value = {CST_VALUE_TEXT, CST_AT(choice, by), .of = "the name of an observable, or error"}},
    {0},
};
/* clang-format on */

static const char wanted[] =
    "a list of numbers and ranges, [0, \"10..19\"], a range, all, {random: 5, seed: "
    "1} or {worst: 5, by: energy}";

/* Trajectories of a case whose states are stored; members that some of them are drawn from. */
enum { MOST_STORED = 1000000, MOST_DRAWN_FROM = 100000000 };

typedef struct {
  long member;
  int  at; /* index in the list */
} chosen;

static int ascending(const void *a, const void *b) {
  const chosen *x = a, *y = b;
  if (x->member != y->member)
    return x->member > y->member ? 1 : -1;
  return (x->at > y->at) - (x->at < y->at);
}

/* ---- numbers and ranges ---------------------------------------------------------------------- */

/* Parses "FROM..TO"; false if it is not a range. */
static bool is_range(const char *text, long *from, long *to) {
  int end = 0;
  return text && sscanf(text, " %ld .. %ld %n", from, to, &end) == 2 && !text[end];
}

/* Whether so many more may be stored; else that is said at n. */
static bool fit(cst_reader *r, cst_yaml *n, const cst_states_request *w, long more) {
  if (w->n + more <= MOST_STORED)
    return true;
  cst_yaml_error(
      r->doc, n, r->d,
      "the states of %ld members would be stored; of each case those of %d at most can be",
      w->n + more, MOST_STORED);
  return false;
}

static void add(cst_states_request *w, long from, long to) {
  const size_t n = (size_t)w->n + (size_t)(to - from + 1);
  w->member = cst_need(realloc(w->member, sizeof *w->member * n));
  for (long k = from; k <= to; k++)
    w->member[w->n++] = k;
}

static void read_item(cst_reader *r, cst_yaml *n, cst_states_request *w) {
  const cst_study *s = r->s;
  const char      *text = cst_yaml_is_scalar(n) ? cst_yaml_text(n) : NULL;
  const cst_key   *k = cst_key_find(cst_states_keys, "trajectories", "members");
  double           one;
  long             from, to;
  if (!is_range(text, &from, &to)) {
    if (cst_reader_value(r, n, k, "members", &one) && fit(r, n, w, 1))
      add(w, (long)one, (long)one);
  } else if (from < 0 || to >= s->ensemble.members || from > to)
    cst_yaml_error(r->doc, n, r->d,
                   "'members' has the range %s; it must be FROM..TO with numbers from 0 to %ld, "
                   "the smaller one first",
                   text, s->ensemble.members - 1);
  else if (w->n + (to - from + 1) > s->ensemble.members)
    cst_yaml_error(r->doc, n, r->d, "'members' has more numbers than there are members, %ld",
                   s->ensemble.members);
  else if (fit(r, n, w, to - from + 1))
    add(w, from, to);
}

/* The members of a list, each at most once. */
static void read_list(cst_reader *r, cst_yaml *list, cst_states_request *w) {
  const int items = cst_yaml_size(list);
  int      *end = cst_reader_memory((size_t)items, sizeof *end);
  for (int i = 0; i < items && !cst_diag_full(r->d); i++) {
    read_item(r, cst_yaml_item(list, i), w);
    end[i] = w->n;
  }
  chosen *all = cst_reader_memory((size_t)w->n, sizeof *all);
  int     item = 0;
  for (int k = 0; k < w->n; k++) {
    while (k >= end[item])
      item++;
    all[k] = (chosen){w->member[k], item};
  }
  qsort(all, (size_t)w->n, sizeof *all, ascending);
  for (int i = 1; i < w->n && !cst_diag_full(r->d); i++) {
    if (all[i].member != all[i - 1].member)
      continue;
    cst_yaml_error(r->doc, cst_yaml_item(list, all[i].at), r->d, "the member %ld appears twice",
                   all[i].member);
  }
  free(end);
  free(all);
}

/* ---- random choice, or the worst ones -------------------------------------------------------- */

typedef struct {
  double draw;
  long   member;
} lot;

static bool is_above(lot x, lot y) {
  return x.draw != y.draw ? x.draw > y.draw : x.member > y.member;
}

/* Let the entry at i of a heap of n, the largest one first, sink to where it belongs. */
static void sink(lot *heap, long n, long i) {
  for (long child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && is_above(heap[child + 1], heap[child]))
      child++;
    if (!is_above(heap[child], heap[i]))
      return;
    const lot x = heap[i];
    heap[i] = heap[child];
    heap[child] = x;
  }
}

static int by_number(const void *a, const void *b) {
  const long x = *(const long *)a;
  const long y = *(const long *)b;
  return (x > y) - (x < y);
}

/* The n members with the least numbers. */
static void draw(const cst_study *s, cst_states_request *w, long n, uint64_t seed) {
  lot *heap = cst_reader_memory((size_t)n, sizeof *heap);
  for (long m = 0; m < s->ensemble.members; m++) {
    const lot x = {cst_random_uniform(seed, (uint64_t)m, CST_PURPOSE_TRAJECTORIES, 0, 0), m};
    if (m < n)
      heap[m] = x;
    for (long i = n / 2; m == n - 1 && i-- > 0;)
      sink(heap, n, i);
    if (m < n || is_above(x, heap[0]))
      continue;
    heap[0] = x;
    sink(heap, n, 0);
  }
  for (long k = 0; k < n; k++)
    add(w, heap[k].member, heap[k].member);
  qsort(w->member, (size_t)n, sizeof *w->member, by_number);
  free(heap);
}

static void draw_some(cst_reader *r, cst_yaml *at, cst_states_request *w, const choice *x) {
  if (r->s->ensemble.members > MOST_DRAWN_FROM)
    cst_yaml_error(r->doc, at, r->d,
                   "members are drawn from %d at most, and there are %ld; list them",
                   MOST_DRAWN_FROM, r->s->ensemble.members);
  else
    draw(r->s, w, x->random, x->seed);
}

static void take_worst(cst_reader *r, cst_yaml *n, cst_states_request *w, choice *x) {
  cst_yaml *by = cst_reader_required(r, n, "members", "by");
  if (!x->by)
    return;
  w->n = (int)x->worst;
  w->worst_by.text = x->by;
  x->by = NULL;
  cst_yaml_place(by, &w->worst_by.line, &w->worst_by.column);
}

/* other: the key that belongs to the other one. */
static void choose(cst_reader *r, cst_yaml *n, cst_states_request *w, choice *x) {
  const bool  random = cst_yaml_get(n, "random");
  const char *key = random ? "random" : "worst", *other = random ? "by" : "seed";
  const long  count = random ? x->random : x->worst;
  cst_yaml   *given = cst_yaml_get(n, key);
  if (random == (cst_yaml_get(n, "worst") != NULL))
    cst_yaml_error(r->doc, n, r->d,
                   "'members' as a map has one of 'random' and 'worst'; it must be %s", wanted);
  else if (cst_yaml_get(n, other))
    cst_yaml_error(r->doc, cst_yaml_get(n, other), r->d, "'%s' cannot be combined with '%s'", other,
                   key);
  else if (count && fit(r, given, w, count))
    random ? draw_some(r, given, w, x) : take_worst(r, n, w, x);
}

static void read_choice(cst_reader *r, cst_yaml *n, cst_states_request *w) {
  choice x = {0};
  cst_reader_section(r, n, "members", "trajectories.members", CST_KEYS_ALL, &x);
  choose(r, n, w, &x);
  free(x.by);
}

/* ---- the key --------------------------------------------------------------------------------- */

static void read_members(cst_reader *r, cst_yaml *n, cst_states_request *w) {
  const char *text = cst_yaml_is_scalar(n) ? cst_yaml_text(n) : NULL;
  long        from, to;
  if (cst_yaml_is_list(n)) {
    read_list(r, n, w);
  } else if (cst_yaml_is_map(n)) {
    read_choice(r, n, w);
  } else if (text && !strcmp(text, "all")) {
    if (fit(r, n, w, r->s->ensemble.members))
      add(w, 0, r->s->ensemble.members - 1);
  } else if (is_range(text, &from, &to)) {
    read_item(r, n, w);
  } else if (text && *text) {
    cst_yaml_error(r->doc, n, r->d, "'members' is '%s'; it must be %s", text, wanted);
  } else {
    cst_yaml_error(r->doc, n, r->d, "'members' is empty; it must be %s", wanted);
  }
}

/* Names other than q, p, v, lambda are quantities; the plan looks them up. */
static void read_store(cst_reader *r, cst_yaml *n, cst_states_request *w) {
  const struct {
    const char *name;
    bool       *flag;
  } parts[] = {{"q", &w->q}, {"p", &w->p}, {"v", &w->v}, {"lambda", &w->lambda}};
  w->q = w->p = w->lambda = !n;
  if (!cst_reader_list(r, n, "store", "q, p, v, lambda and names of observables", false))
    return;
  w->stored = cst_reader_memory((size_t)cst_yaml_size(n), sizeof *w->stored);
  for (int i = 0; i < cst_yaml_size(n); i++) {
    cst_yaml   *item = cst_yaml_item(n, i);
    const char *text =
        cst_reader_text(r, item, "store", "q, p, v, lambda or the name of an observable");
    size_t k = 0;
    if (!text)
      continue;
    while (k < sizeof parts / sizeof *parts && strcmp(text, parts[k].name))
      k++;
    bool twice = k < sizeof parts / sizeof *parts && *parts[k].flag;
    for (int j = 0; j < w->nstored; j++)
      twice |= !strcmp(text, w->stored[j].text);
    if (twice)
      cst_yaml_error(r->doc, item, r->d, "'%s' appears twice", text);
    else if (k < sizeof parts / sizeof *parts)
      *parts[k].flag = true;
    else {
      cst_study_word *x = &w->stored[w->nstored++];
      x->text = strdup(text);
      cst_yaml_place(item, &x->line, &x->column);
    }
  }
}

void cst_states_read(cst_reader *r, void *request) {
  cst_states_request *w = request;
  cst_yaml           *n = cst_yaml_get(r->root, "trajectories");
  if (!cst_reader_section(r, n, "trajectories", "trajectories", CST_KEYS_ALL, w))
    return;
  cst_yaml *of = cst_reader_required(r, n, "trajectories", "members");
  if (of)
    read_members(r, of, w);
  read_store(r, cst_yaml_get(n, "store"), w);
}

void cst_states_forget(void *request) {
  const cst_states_request *w = request;
  for (int i = 0; i < w->nstored; i++)
    free(w->stored[i].text);
  free(w->stored);
  free(w->worst_by.text);
  free(w->member);
}

/* ---- the plan -------------------------------------------------------------------------------- */

enum { NAMES = 64 };

/* False for observations that the user did not ask for, such as the displacement. */
static bool is_wanted(const cst_observation *x) { return x->wanted; }

/* The allowed names, as far as they are listed in messages. */
static int names_of(const cst_plan *p, const char **name) {
  int n = 0;
  for (int k = 0; k < p->nobservation; k++)
    for (int i = 0; is_wanted(&p->observation[k]) && i < p->observation[k].count && n < NAMES; i++)
      name[n++] = p->quantity[p->observation[k].first + i].name;
  return n;
}

static void refuse(const cst_plan *p, const cst_study_word *w, const char *key, const char *more,
                   cst_diag *d) {
  const char *name[NAMES + 1];
  int         n = names_of(p, name);
  if (more)
    name[n++] = more;
  const char *near = cst_diag_nearest(w->text, name, n);
  cst_diag_add(d, p->study->source.file, w->line, w->column,
               "'%s' has '%s', which this study does not observe; allowed: %s%s%s%s%s", key,
               w->text, !strcmp(key, "store") ? "q, p, v, lambda, " : "", cst_diag_join(name, n),
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool is_stored(const cst_states_found *x, int quantity) {
  bool there = false;
  for (int i = 0; i < x->n; i++)
    there |= x->quantity[i] == quantity;
  return there;
}

/* Names of the datasets in the same group. */
static bool is_reserved(const char *name) {
  static const char *const taken[] = {"t", "q", "p", "v", "lambda", "member"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(name, taken[i]))
      return true;
  return false;
}

static void store(const cst_plan *p, cst_states_found *x, const cst_study_word *w, int quantity,
                  cst_diag *d) {
  const char *name = p->quantity[quantity].name;
  if (is_reserved(name))
    cst_diag_add(d, p->study->source.file, w->line, w->column,
                 "'%s' cannot be stored under that name, which is taken; choose another one", name);
  else if (is_stored(x, quantity))
    cst_diag_add(d, p->study->source.file, w->line, w->column, "'%s' is stored twice", name);
  else
    x->quantity[x->n++] = quantity;
}

/* All quantities with this name, or of the observer with this name, into found[nquantity]. */
static int find(const cst_plan *p, const char *text, int *found) {
  int n = 0;
  for (int k = 0; k < p->nobservation; k++) {
    const cst_observation *x = &p->observation[k];
    const bool             all = is_wanted(x) && !strcmp(text, x->name ? x->name : x->row->name);
    for (int i = 0; i < x->count; i++)
      if (all || (is_wanted(x) && !strcmp(text, p->quantity[x->first + i].name)))
        found[n++] = x->first + i;
  }
  return n;
}

static void find_worst(const cst_plan *p, cst_states_found *x, int *found, cst_diag *d) {
  const cst_study_word *w = &cst_states_request_of(p->study)->worst_by;
  const bool            has_error = p->study->reference.kind != CST_REFERENCE_NONE;
  int                   n;
  x->worst_by = -1;
  if (!w->text)
    return;
  if (has_error && !strcmp(w->text, "error"))
    return;
  n = find(p, w->text, found);
  for (int i = 0; i < n; i++)
    if (!strcmp(w->text, p->quantity[found[i]].name)) {
      found[0] = found[i];
      n = 1;
    } /* the observer has the name of one of its quantities */
  if (n == 0)
    refuse(p, w, "by", has_error ? "error" : NULL, d);
  else if (n > 1)
    cst_diag_add(d, p->study->source.file, w->line, w->column,
                 "'by' has '%s', which is %d quantities; name one of them, '%s' for instance",
                 w->text, n, p->quantity[found[0]].name);
  else
    x->worst_by = found[0];
}

bool cst_states_has_expression(const cst_study *s, const char *name) {
  for (int i = 0; i < s->observe.n; i++)
    if (s->observe.observable[i].node >= 0 && !strcmp(s->observe.observable[i].name, name))
      return true;
  return false;
}

bool cst_states_is_error(const cst_study *s, const cst_study_word *w) {
  return s->reference.kind != CST_REFERENCE_NONE && !strcmp(w->text, "error") &&
         !cst_states_has_expression(s, w->text);
}

/* The worst members are stepped once more, without a partner. */
static void check_error(const cst_plan *p, const cst_study_word *w, cst_diag *d) {
  const cst_study *s = p->study;
  if (s->reference.kind == CST_REFERENCE_SELF && cst_states_request_of(s)->worst_by.text)
    cst_diag_add(d, s->source.file, w->line, w->column,
                 "'store' has 'error', which members that are chosen at the end do not have with "
                 "`reference: self`; name the members, or take another reference");
  if (!s->error.q && !s->error.p)
    cst_diag_add(d, s->source.file, w->line, w->column,
                 "'store' has 'error', which is that of q and p, and 'error' leaves both out");
}

void *cst_states_settle(const cst_plan *p, cst_diag *d) {
  const cst_states_request *w = cst_states_request_of(p->study);
  int                      *found = cst_zeros(p->nquantity, sizeof *found);
  cst_states_found *x = cst_need(calloc(1, sizeof *x + sizeof *x->quantity * (size_t)p->nquantity));
  for (int i = 0; i < w->nstored; i++) {
    if (cst_states_is_error(p->study, &w->stored[i])) {
      x->error = true;
      check_error(p, &w->stored[i], d);
      continue;
    }
    const int n = find(p, w->stored[i].text, found);
    if (n == 0)
      refuse(p, &w->stored[i], "store", NULL, d);
    for (int k = 0; k < n; k++)
      store(p, x, &w->stored[i], found[k], d);
  }
  find_worst(p, x, found, d);
  free(found);
  return x;
}

const cst_states_found *cst_states_found_of(const cst_plan *p) {
  return p->settled[CST_COLLECTOR(states)];
}

static long states_numbers(const cst_plan *p) {
  const cst_states_request *w = cst_states_request_of(p->study);
  return (w->q + w->p + w->v) * (long)p->study->problem.system->nq +
         w->lambda * (long)p->study->problem.system->ng + cst_states_found_of(p)->n +
         cst_states_found_of(p)->error;
}

/* Buffer size: large enough that writes of a few thousand tracks are kilobytes long. */
enum { TRACK_BYTES = 16 << 20 };

long cst_states_depth(const cst_plan *p, const cst_class *k, long tracks) {
  const long all = k->n / cst_states_request_of(p->study)->every + 1;
  const long numbers = states_numbers(p);
  const long fits = TRACK_BYTES / (long)sizeof(double) / (tracks * (numbers > 0 ? numbers : 1));
  if (fits < 1)
    return 1;
  return fits < all ? fits : all;
}

double cst_states_bytes(const cst_plan *p, long batch) {
  double most = 0;
  for (int i = 0; i < p->nclass; i++) {
    const cst_class *k = &p->classes[i];
    const long       chosen = (long)k->ncase * cst_states_request_of(p->study)->n;
    const long       tracks = chosen < batch ? chosen : batch;
    const double bytes = tracks ? 8.0 * (double)tracks * (double)cst_states_depth(p, k, tracks) *
                                      (double)states_numbers(p)
                                : 0;
    most = bytes > most ? bytes : most;
  }
  return most;
}

int cst_states_find(const cst_plan *p, const cst_chosen *c, long icase, long member) {
  const int   n = cst_states_request_of(p->study)->n;
  const long *list;
  if (c->member)
    list = c->member + icase * n;
  else
    list = cst_states_request_of(p->study)->member;
  for (int i = 0; list && i < n; i++)
    if (list[i] == member)
      return i;
  return -1;
}

/* Steps, and nanoseconds, that the worst members take once more after the run. */
static double replay_steps(const cst_plan *p) {
  double sum = 0;
  if (!cst_states_request_of(p->study)->worst_by.text)
    return sum;
  for (int i = 0; i < p->ncase; i++)
    sum += (double)p->cases[i].n * (double)cst_states_request_of(p->study)->n;
  return sum;
}

static double replay_time(const cst_plan *p) {
  const double width = cst_isas[p->isa].width;
  const double lanes = ceil((double)cst_states_request_of(p->study)->n / width) * width;
  double       sum = 0;
  if (!cst_states_request_of(p->study)->worst_by.text)
    return sum;
  for (int i = 0; i < p->ncase; i++) {
    const double cost = p->classes[p->class_of[i]].cost;
    sum += lanes * (double)p->cases[i].n * cost;
  }
  return sum;
}

void cst_states_tell(const cst_plan *p, FILE *out) {
  const cst_states_request *w = cst_states_request_of(p->study);
  if (!w->n)
    return;
  fprintf(out, "%-14s %d per case, every %ld steps, %ld numbers per state\n", "trajectories", w->n,
          w->every, states_numbers(p));
  if (!w->worst_by.text)
    return;
  fprintf(out,
          "%-14s the worst by %s, which are stepped once more when all has run: %.6g steps, about "
          "%.3g s "
          "besides\n",
          "", w->worst_by.text, replay_steps(p), replay_time(p) * 1e-9);
}

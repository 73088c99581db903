/* lags.c: means over pairs of samples that are a time apart (see lags.h): the keys, the sums of each trajectory while it
 * runs, the exact sums over members, and the curves and figures that are made of them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/lags.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/plan/clock.h"

/* The sums over members: of each y_k, of y_k^2 and of y_k y_0, where y is the mean of a member or, with few members,
 * of a part of its run. */
enum { SUM, SQUARE, CROSSED, SUMS };

enum { LEAST_LAGS = 2, MOST_LAGS = 4096, MOST_NUMBERS = 1 << 18, MANY = 16 };

static bool by_members(const cst_plan *p) { return p->study->members >= MANY; }

/* ---- the study file -------------------------------------------------------------------------- */

static void check_name(const cst_lag_kind *kind, cst_reader *r, cst_yaml *n, const cst_lags *w,
                       const char *name) {
  if (!cst_reader_name(r, n, kind->what, name))
    return;
  for (int i = 0; i < w->n; i++)
    if (!strcmp(w->each[i].name, name))
      cst_yaml_error(r->doc, n, r->d, "the name '%s' appears twice in '%s'", name, kind->name);
}

/* Samples for all lags, and for each part of the run. */
static void check_samples(cst_reader *r, cst_yaml *n, const cst_lag *x) {
  const long samples = cst_sampled_most(r->s, x->every);
  const long least = x->lags + CST_LAGS_PARTS + 1;
  if (samples && samples < least)
    cst_yaml_error(r->doc, n, r->d,
                   "'every' is %s, which gives %ld samples in a run; with %ld lags it takes at "
                   "least %ld",
                   cst_reader_shortest(x->every), samples, x->lags, least);
}

static void check_numbers(cst_reader *r, cst_yaml *n, const cst_lag *x) {
  const double numbers = (double)x->lags * (double)x->expressions.n;
  if (numbers > MOST_NUMBERS)
    cst_yaml_error(
        r->doc, n, r->d,
        "%ld lags of %d expressions are %.0f numbers to keep of a trajectory; at most %d "
        "are allowed",
        x->lags, x->expressions.n, numbers, MOST_NUMBERS);
}

static void read_one(const cst_lag_kind *kind, cst_reader *r, cst_yaml *n, cst_lags *w) {
  char what[80];
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d,
                   "%s is a map {name: ..., expression: ..., every: ..., lags: ...}", kind->what);
    return;
  }
  cst_reader_keys(r, n, kind->name, kind->name, CST_KEYS_ALL);
  cst_yaml   *name = cst_reader_required(r, n, kind->name, "name");
  const char *text = cst_reader_text(r, name, "name", "a name");
  if (text)
    check_name(kind, r, name, w, text);
  cst_lag *x = &w->each[w->n++];
  *x = (cst_lag){.name = strdup(text ? text : ""), .every = 1, .lags = LEAST_LAGS};
  snprintf(what, sizeof what, "%s '%.32s'", kind->name, x->name);
  const bool lags = cst_reader_integer(r, cst_reader_required(r, n, kind->name, "lags"), "lags",
                                       LEAST_LAGS, MOST_LAGS, &x->lags);
  if (cst_reader_expressions(r, n, kind->name, what, &x->expressions))
    check_numbers(r, n, x);
  if (!kind->displaces)
    cst_reader_number(r, cst_yaml_get(n, "mean"), "mean", &x->mean);
  if (cst_sampled_read(r, n, kind->name, &x->every) && lags)
    check_samples(r, cst_yaml_get(n, "every"), x);
}

void cst_lags_read(const cst_lag_kind *kind, cst_reader *r, cst_lags *w) {
  cst_yaml *n = cst_yaml_get(r->root, kind->name);
  if (!cst_reader_list(r, n, kind->name, "maps {name: ..., expression: ..., every: ..., lags: ...}",
                       false))
    return;
  const int count = cst_yaml_size(n);
  if (count > CST_LAGS_MOST) {
    cst_yaml_error(r->doc, n, r->d, "'%s' has %d entries; at most %d are allowed", kind->name,
                   count, CST_LAGS_MOST);
    return;
  }
  w->each = cst_zeros(count, sizeof *w->each);
  for (int i = 0; i < count; i++)
    read_one(kind, r, cst_yaml_item(n, i), w);
}

void cst_lags_forget(void *wish) {
  cst_lags *w = wish;
  for (int i = 0; i < w->n; i++) {
    free(w->each[i].name);
    cst_reader_forget(&w->each[i].expressions);
  }
  free(w->each);
}

void cst_lags_as_in(const cst_lag_kind *kind, cst_lags *w, cst_result *file) {
  for (int i = 0; i < w->n; i++) {
    char group[48], name[48];
    snprintf(group, sizeof group, "/%s", kind->name);
    snprintf(name, sizeof name, "%s_pairs", w->each[i].name);
    w->each[i].equal = !cst_result_finds(file, group, name);
  }
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* The first sample of a class, its pairs, and how many of these are in the parts up to `part`. */
static long first_sample(const cst_lag *x, const cst_class *k) {
  const long steps = cst_sampled_steps(k, x->every);
  return (k->after + steps - 1) / steps;
}

static long pairs_of(const cst_lag *x, const cst_class *k) {
  const long n = cst_sampled_count(k, x->every) - first_sample(x, k) - x->lags;
  return x->equal ? n - n % CST_LAGS_PARTS : n;
}

static long before(long pairs, long part) {
  return (part * pairs + CST_LAGS_PARTS - 1) / CST_LAGS_PARTS;
}

cst_demand cst_lags_demand(const cst_lag_kind *kind, const cst_plan *p) {
  static const double of_pair = 0.7;
  const cst_lags     *w = cst_lags_of(kind, p);
  cst_demand          all = {0};
  for (int k = 0; k < w->n && p->nclass; k++) {
    const cst_lag *x = &w->each[k];
    const cst_class *class = &p->classes[0];
    const double samples = (double)cst_sampled_count(class, x->every);
    cst_demand   one = {0};
    cst_values_demand(p, &x->expressions, &one);
    all.lambda |= one.lambda;
    all.nanoseconds += (one.nanoseconds + of_pair * (double)x->lags * x->expressions.n) * samples /
                       (double)(class->n / class->observe + 1);
    all.concludes += 2 * CST_LAGS_PARTS;
  }
  return all;
}

/* Numbers kept of a trajectory: samples that lags reach back to; sums of the open part; of all parts, the sums of y,
 * of y^2 and of y y_0. */
static long kept_numbers(const cst_lag *x) {
  const long samples = (x->lags + 1) * x->expressions.n;
  return samples + (x->lags + 1) + SUMS * (x->lags + 2);
}

void cst_lags_tell(const cst_lag_kind *kind, const cst_plan *p, FILE *out) {
  const cst_lags *w = cst_lags_of(kind, p);
  const char     *unit = cst_system_unit(p->study->system, "time");
  for (int k = 0; k < w->n; k++) {
    const cst_lag *x = &w->each[k];
    fprintf(out, "%-14s %s: %s, %d value%s, until %g%s after every %g%s (%.3g kB per trajectory)\n",
            k                 ? ""
            : kind->displaces ? "displacement"
                              : "correlation",
            x->name, x->expressions.text, x->expressions.n, x->expressions.n > 1 ? "s" : "",
            x->every * (double)x->lags, unit, x->every, unit, 8e-3 * (double)kept_numbers(x));
  }
}

static long cells_of(const cst_lag *x) { return SUMS * (x->lags + 2); }

static int sums_axis(cst_channels *c, const cst_lag *x) {
  return cst_channels_axis(c, "lags and the figure: sums of y, of y^2 and of y y_0", cells_of(x),
                           "%.32s_sum", x->name);
}

void cst_lags_declare(const cst_lag_kind *kind, const cst_plan *p, cst_channels *c) {
  const cst_lags *w = cst_lags_of(kind, p);
  const int       n = w->n;
  if (!n)
    return;
  const int part = cst_channels_axis(c, "part of the run", CST_LAGS_PARTS, "run_part");
  const int pair = cst_channels_axis(c, "number of a part", 2, "part_number");
  const int word = cst_channels_axis(c, "word of an exact sum", CST_SUM_WORDS, "sum_word");
  for (int i = 0; i < CST_LAGS_CHANNELS; i++)
    for (int k = 0; k < n && kind->row[i]; k++) {
      const cst_lag  *x = &w->each[k];
      cst_channel_use use = {.name = x->name};
      if (i == CST_LAGS_PAIRS && x->equal)
        continue;
      if (i == CST_LAGS_KEPT)
        use = (cst_channel_use){.count = (size_t)kept_numbers(x)};
      else if (i == CST_LAGS_OF_PARTS)
        use.axis = part, use.also = pair;
      else if (i == CST_LAGS_CELLS)
        use.axis = sums_axis(c, x), use.also = word;
      else if (i != CST_LAGS_PAIRS)
        use.axis = cst_channels_axis(c, "lag", x->lags + 1, "%.32s_lag", x->name);
      cst_channels_add(c, kind->row[i], k, use);
    }
}

cst_error cst_lags_open(const cst_lag_kind *kind, const cst_plan *p, cst_output *o) {
  const cst_lags *w = cst_lags_of(kind, p);
  for (int k = 0; k < w->n; k++) {
    const cst_lag *x = &w->each[k];
    double        *t = cst_zeros(x->lags + 1, sizeof *t);
    for (int i = 0; i < p->ncase; i++) {
      const cst_class *class = &p->classes[p->class_of[i]];
      for (long j = 0; j <= x->lags; j++)
        t[j] = cst_clock_at(class, (double)j * (double)cst_sampled_steps(class, x->every));
      CST_TRY(cst_output_case(o, kind->row[CST_LAGS_TIME], k, i, t));
      const long pairs = pairs_of(x, class);
      if (!x->equal)
        CST_TRY(cst_output_case(o, kind->row[CST_LAGS_PAIRS], k, i, &pairs));
    }
    free(t);
  }
  return 0;
}

/* ---- sums over members in a result, to which a study adds ------------------------------------ */

/* Writes the sums of one entry. */
static cst_error store(const cst_lag_kind *kind, int which, const cst_lag *x, int icase,
                       const cst_cell *cell, cst_output *o) {
  const long n = cells_of(x);
  cst_sum   *sum;
  long      *count;
  sum = cst_zeros(n, sizeof *sum);
  count = cst_zeros(x->lags + 1, sizeof *count);
  for (long k = 0; k <= x->lags; k++)
    count[k] = (long)cell[SUMS * k].count;
  for (long k = 0; k < n; k++)
    sum[k] = cell[k].sum;
  CST_TRY(cst_output_case(o, kind->row[CST_LAGS_CELLS], which, icase, sum));
  CST_TRY(cst_output_case(o, kind->row[CST_LAGS_COUNT], which, icase, count));
  free(sum);
  free(count);
  return 0;
}

/* Reads the sums of an entry in case icase of the file, sum[n], and their number of terms. */
static bool read_sums(const cst_extension *e, const cst_lag_kind *kind, int which, int icase,
                      long n, cst_sum *sum, long *count) {
  const cst_channel *cells = cst_channels_find(e->channels, kind->row[CST_LAGS_CELLS], which);
  const cst_channel *terms = cst_channels_find(e->channels, kind->row[CST_LAGS_COUNT], which);
  const long         start[3] = {icase, 0, 0}, all[3] = {1, n, CST_SUM_WORDS}, one[2] = {1, 1};
  return cells && terms &&
         cst_result_read_block(e->file, cells->field.path, cells->field.type, start, all, sum) &&
         cst_result_read_block(e->file, terms->field.path, terms->field.type, start, one, count) &&
         *count >= 0 && *count <= e->now->study->members;
}

static cst_error add_case(const cst_extension *e, const cst_lag_kind *kind, int icase,
                          cst_cell *cell) {
  const cst_lags *w = cst_lags_of(kind, e->now);
  for (int i = 0; i < w->n; i++) {
    const long n = cells_of(&w->each[i]);
    cst_sum   *sum = cst_zeros(n, sizeof *sum);
    long       count;
    CST_CHECK(read_sums(e, kind, i, icase, n, sum, &count), MPI_COMM_SELF, CST_ERR_FILE_READ,
              "the sums of %s '%s' in the file cannot be read", kind->name, w->each[i].name);
    for (long k = 0; k < n; k++)
      cst_cell_merge(&cell[k], &(cst_cell){sum[k], 0, (double)count});
    cell += n;
    free(sum);
  }
  return 0;
}

cst_error cst_lags_add(const cst_lag_kind *kind, const cst_extension *e, cst_tallies *t) {
  for (int k = 0; k < e->now->ncase && cst_lags_of(kind, e->now)->n; k++)
    if (e->from[k] >= 0)
      CST_TRY(add_case(e, kind, e->from[k],
                       cst_tallies_at(t, cst_collector_number(kind->collector), k)));
  return 0;
}

const char *cst_lags_anew(const cst_lag_kind *kind, const cst_extension *e) {
  if (cst_lags_of(kind, e->now)->n && by_members(e->old) != by_members(e->now))
    return "with this number of members errors are those of other means";
  return NULL;
}

/* ---- a sample -------------------------------------------------------------------------------- */

static cst_lag_batch *batch_of(const cst_collection *x) { return x->own; }

/* The kept numbers of a group, [numbers][W]. */
typedef struct {
  double *ring;      /* [lags + 1][expressions] */
  double *open;      /* [lags + 1] */
  double *sum[SUMS]; /* [lags + 2] */
} kept;

static kept kept_of(const cst_lag_batch *b, const cst_lag *x, const cst_runner *r, int group) {
  const long W = r->width;
  kept       k = {.ring = b->kept + group * kept_numbers(x) * W};
  k.open = k.ring + (x->lags + 1) * x->expressions.n * W;
  k.sum[0] = k.open + (x->lags + 1) * W;
  for (int i = 1; i < SUMS; i++)
    k.sum[i] = k.sum[i - 1] + (x->lags + 2) * W;
  return k;
}

/* Adds one expression's products with its earlier samples to the open sums; `at`: its place in the ring. */
static void add_products(const kept *k, const cst_lag *x, long W, long at, int i) {
  const long    n = x->expressions.n, size = x->lags + 1;
  const double *now = k->ring + (at * n + i) * W;
  for (long lag = 0; lag < size; lag++) {
    const double *then = k->ring + ((at - lag + size) % size * n + i) * W;
    double       *to = k->open + lag * W;
    for (long l = 0; l < W; l++)
      to[l] += now[l] * then[l];
  }
}

static void add_squares(const kept *k, const cst_lag *x, long W, long at, int i) {
  const long    n = x->expressions.n, size = x->lags + 1;
  const double *now = k->ring + (at * n + i) * W;
  for (long lag = 0; lag < size; lag++) {
    const double *then = k->ring + ((at - lag + size) % size * n + i) * W;
    double       *to = k->open + lag * W;
    for (long l = 0; l < W; l++) {
      const double d = now[l] - then[l];
      to[l] += d * d;
    }
  }
}

/* The open part ends: its means y of a lane go into the sums, and two of them into the rows. */
static void close_lane(const cst_lag_kind *kind, const cst_lag *x, const kept *k, long W, long l,
                       double count, double *y, double *of_part, const cst_class *class) {
  const double spacing = cst_clock_at(class, (double)cst_sampled_steps(class, x->every));
  for (long j = 0; j <= x->lags; j++)
    y[j] = k->open[j * W + l] / count;
  y[x->lags + 1] = kind->figure(y, x->lags, spacing);
  for (long j = 0; j < x->lags + 2; j++) {
    k->sum[SUM][j * W + l] += y[j];
    k->sum[SQUARE][j * W + l] += y[j] * y[j];
    k->sum[CROSSED][j * W + l] += y[j] * y[0];
  }
  of_part[0] = kind->displaces ? y[x->lags] : y[0];
  of_part[1] = y[x->lags + 1];
}

static void close_part(const cst_lag_kind *kind, int which, const kept *k, const cst_runner *r,
                       int group, long part) {
  const cst_lag *x = &cst_lags_of(kind, r->plan)->each[which];
  const long     W = r->width, pairs = pairs_of(x, r->class);
  const long     count = before(pairs, part + 1) - before(pairs, part);
  double        *y = cst_zeros(x->lags + 2, sizeof *y);
  for (long l = 0; l < W && group * W + l < r->work->count; l++) {
    double *rows = cst_rows_numbers(r->rows, kind->row[CST_LAGS_OF_PARTS], which, group * W + l);
    close_lane(kind, x, k, W, l, (double)count, y, rows + 2 * part, r->class);
  }
  memset(k->open, 0, sizeof *k->open * (size_t)((x->lags + 1) * W));
  free(y);
}

/* Takes the sample with this number, counted from the first after the burn-in. */
static void take(const cst_lag_kind *kind, int which, const cst_lag_batch *b, const cst_runner *r,
                 int group, long sample) {
  const cst_lag *x = &cst_lags_of(kind, r->plan)->each[which];
  const kept     k = kept_of(b, x, r, group);
  const long     W = r->width, at = sample % (x->lags + 1), n = x->expressions.n;
  const long     pairs = pairs_of(x, r->class), done = sample - x->lags + 1;
  for (long i = 0; i < n * W; i++)
    k.ring[at * n * W + i] = b->now.value[i] - x->mean;
  if (done <= 0 || done > pairs)
    return;
  const long part = (done - 1) * CST_LAGS_PARTS / pairs;
  for (int i = 0; i < n; i++)
    if (kind->displaces)
      add_squares(&k, x, W, at, i);
    else
      add_products(&k, x, W, at, i);
  if (done == before(pairs, part + 1))
    close_part(kind, which, &k, r, group, part);
}

/* ---- sums over members ----------------------------------------------------------------------- */

/* Adds what a lane has summed over its parts to the cells of one entry. */
static void add_lane(const kept *k, const cst_lag *x, long W, long l, bool whole_runs,
                     cst_cell *cell) {
  const double whole = 1.0 / CST_LAGS_PARTS, first = k->sum[SUM][l] * whole;
  for (long j = 0; j < x->lags + 2; j++, cell += SUMS) {
    const double mean = k->sum[SUM][j * W + l] * whole;
    if (whole_runs) {
      cst_cell_add(&cell[SUM], mean);
      cst_cell_add(&cell[SQUARE], mean * mean);
      cst_cell_add(&cell[CROSSED], mean * first);
      continue;
    }
    for (int i = 0; i < SUMS; i++)
      cst_cell_add(&cell[i], k->sum[i][j * W + l] * whole);
  }
}

/* At the end of the run: trajectories that have failed before add nothing. */
static void add_all(const cst_lag_kind *kind, cst_collection *x) {
  const cst_runner *r = x->run;
  const cst_lags   *w = cst_lags_of(kind, r->plan);
  const bool        whole_runs = by_members(r->plan);
  const long        W = r->width;
  for (long l = 0; l < r->work->count; l++) {
    cst_cell *cell = cst_runner_cells(x, l);
    if (!cell || !cst_runner_lives(r, r->b, l))
      continue;
    for (int i = 0; i < w->n; i++) {
      const kept k = kept_of(&batch_of(x)[i], &w->each[i], r, (int)(l / W));
      add_lane(&k, &w->each[i], W, l % W, whole_runs, cell);
      cell += cells_of(&w->each[i]);
    }
  }
}

/* ---- a batch --------------------------------------------------------------------------------- */

void cst_lags_create(const cst_lag_kind *kind, cst_collection *x) {
  const cst_lags *w = cst_lags_of(kind, x->run->plan);
  for (int i = 0; i < w->n; i++)
    batch_of(x)[i] =
        (cst_lag_batch){cst_values_create(x->run, &w->each[i].expressions),
                        cst_rows_numbers(x->run->rows, kind->row[CST_LAGS_KEPT], i, 0)};
}

void cst_lags_destroy(const cst_lag_kind *kind, cst_collection *x) {
  for (int i = 0; i < cst_lags_of(kind, x->run->plan)->n; i++)
    cst_values_destroy(&batch_of(x)[i].now);
}

void cst_lags_begin(const cst_lag_kind *kind, cst_collection *x) {
  const cst_runner *r = x->run;
  const cst_lags   *w = cst_lags_of(kind, r->plan);
  for (int i = 0; i < w->n; i++) {
    const size_t lanes = (size_t)r->b->groups * (size_t)r->width;
    memset(batch_of(x)[i].kept, 0, sizeof(double) * lanes * (size_t)kept_numbers(&w->each[i]));
    for (long l = 0; l < r->work->count; l++)
      memset(cst_rows_numbers(r->rows, kind->row[CST_LAGS_OF_PARTS], i, l), 0,
             sizeof(double) * 2 * CST_LAGS_PARTS);
  }
}

long cst_lags_next(const cst_lag_kind *kind, const cst_collection *x, long step) {
  const cst_runner *r = x->run;
  const cst_lags   *w = cst_lags_of(kind, r->plan);
  long              next = LONG_MAX;
  for (int i = 0; i < w->n && !r->replayed; i++)
    next = CST_SMALLER(
        next, cst_runner_next_multiple(step, cst_sampled_steps(r->class, w->each[i].every), 0));
  return next;
}

cst_error cst_lags_stop(const cst_lag_kind *kind, cst_collection *x) {
  const cst_runner *r = x->run;
  const cst_lags   *w = cst_lags_of(kind, r->plan);
  for (int i = 0; i < w->n && !r->replayed; i++) {
    const long steps = cst_sampled_steps(r->class, w->each[i].every);
    const long sample = r->b->step / steps - first_sample(&w->each[i], r->class);
    if (r->b->step % steps || sample < 0)
      continue;
    for (int g = 0; g < r->b->groups; g++) {
      cst_sampled_look(&batch_of(x)[i].now, r, g);
      take(kind, i, &batch_of(x)[i], r, g, sample);
    }
  }
  if (r->b->step == r->class->n)
    add_all(kind, x);
  return 0;
}

/* Trajectories that have failed have no numbers of their parts. */
cst_error cst_lags_finish(const cst_lag_kind *kind, cst_collection *x) {
  const cst_runner *r = x->run;
  for (int i = 0; i < cst_lags_of(kind, r->plan)->n; i++)
    for (long l = 0; l < r->work->count; l++) {
      double *rows = cst_rows_numbers(r->rows, kind->row[CST_LAGS_OF_PARTS], i, l);
      for (int j = 0; j < 2 * CST_LAGS_PARTS && !cst_runner_lives(r, r->b, l); j++)
        rows[j] = NAN;
    }
  return 0;
}

/* ---- curves over the lags, and means over members for columns -------------------------------- */

long cst_lags_cells(const cst_lag_kind *kind, const cst_plan *p) {
  const cst_lags *w = cst_lags_of(kind, p);
  long            n = 0;
  for (int i = 0; i < w->n; i++)
    n += cells_of(&w->each[i]);
  return n;
}

cst_tally_term cst_lags_term(const cst_plan *p, int icase, long cell) {
  (void)cell;
  return (cst_tally_term){.step = p->cases[icase].n, .done = true};
}

/* The means of y_k and y_0 over n trajectories or parts, and the (co)variances of these means. */
typedef struct {
  double n, mean, first, of_mean, crossed, of_first;
} moments;

static double spread(double products, double a, double b, double n) {
  return n > 1 ? (products / n - a * b) / (n - 1) : NAN;
}

/* cell: those of y_k and of y_0; units: trajectories, or parts, in each term. */
static moments moments_of(const cst_cell *cell, const cst_cell *first, double units) {
  moments m = {.n = cell->count * units};
  if (!(m.n > 0))
    return (moments){0, NAN, NAN, NAN, NAN, NAN};
  m.mean = cst_sum_value(&cell[SUM].sum) / cell->count;
  m.first = cst_sum_value(&first[SUM].sum) / cell->count;
  m.of_mean = spread(cst_sum_value(&cell[SQUARE].sum) * units, m.mean, m.mean, m.n);
  m.crossed = spread(cst_sum_value(&cell[CROSSED].sum) * units, m.mean, m.first, m.n);
  m.of_first = spread(cst_sum_value(&first[SQUARE].sum) * units, m.first, m.first, m.n);
  return m;
}

/* The error of a mean with this variance; round-off may have made that negative. */
static double error_of(double variance, double n) {
  return cst_batch_means_error(variance < 0 ? 0 : variance, n - 1);
}

/* The curves of one entry, of which kind->row has some. */
static void curves_of(const cst_lag *x, const cst_cell *cell, double units, double *curve[]) {
  for (long k = 0; k <= x->lags; k++) {
    const moments m = moments_of(&cell[SUMS * k], cell, units);
    const double  ratio = m.mean / m.first;
    const double  of_ratio = m.of_mean - 2 * ratio * m.crossed + ratio * ratio * m.of_first;
    curve[CST_LAGS_CURVE][k] = m.mean;
    curve[CST_LAGS_ERROR][k] = error_of(m.of_mean, m.n);
    curve[CST_LAGS_NORMAL][k] = ratio;
    curve[CST_LAGS_NORMAL_ERROR][k] = k ? error_of(of_ratio, m.n) / fabs(m.first) : 0;
  }
}

cst_error cst_lags_total(const cst_lag_kind *kind, const cst_plan *p, int icase, const cst_cell *x,
                         cst_output *o) {
  const cst_lags *w = cst_lags_of(kind, p);
  const double    units = by_members(p) ? 1 : CST_LAGS_PARTS;
  for (int i = 0; i < w->n; i++) {
    const long n = w->each[i].lags + 1;
    double    *curve[CST_LAGS_TIME];
    for (int k = 0; k < CST_LAGS_TIME; k++)
      curve[k] = cst_zeros(n, sizeof *curve[k]);
    curves_of(&w->each[i], x, units, curve);
    for (int k = 0; k < CST_LAGS_TIME; k++) {
      if (kind->row[k])
        CST_TRY(cst_output_case(o, kind->row[k], i, icase, curve[k]));
      free(curve[k]);
    }
    CST_TRY(store(kind, i, &w->each[i], icase, x, o));
    x += SUMS * (n + 1);
  }
  return 0;
}

cst_error cst_lags_means(const cst_lag_kind *kind, cst_case_rows *rows, int which,
                         cst_lag_means *m) {
  const long    members = rows->plan->study->members;
  const double *x;
  cst_average   a[2];
  CST_TRY(cst_case_rows_get(rows, kind->row[CST_LAGS_OF_PARTS], which, &x));
  double *means = cst_zeros(members * CST_LAGS_PARTS, sizeof *means);
  double  mean[2];
  for (int k = 0; k < 2; k++) {
    for (long j = 0; j < members * CST_LAGS_PARTS; j++)
      means[j] = rows->good[j / CST_LAGS_PARTS] ? x[2 * j + k] : NAN;
    a[k] = cst_batch_means_estimate(means, members, CST_LAGS_PARTS);
    mean[k] = cst_ensemble_mean(means, members * CST_LAGS_PARTS);
  }
  free(means);
  *m = (cst_lag_means){mean[0], a[0].error, mean[1], a[1].error};
  return 0;
}

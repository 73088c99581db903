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

enum { MOST_NUMBERS = 1 << 18, MANY = 16 };

static bool by_members(const cst_plan *p) { return p->study->ensemble.members >= MANY; }

/* ---- the study file -------------------------------------------------------------------------- */

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
  const double numbers = (double)x->lags * (double)x->named.expressions.n;
  if (numbers > MOST_NUMBERS)
    cst_yaml_error(
        r->doc, n, r->d,
        "%ld lags of %d expressions are %.0f numbers to keep of a trajectory; at most %d "
        "are allowed",
        x->lags, x->named.expressions.n, numbers, MOST_NUMBERS);
}

void cst_lags_check_one(cst_reader *r, cst_yaml *n, const char *label, bool sound, void *entry) {
  cst_lag *x = entry;
  (void)label;
  if (sound)
    check_numbers(r, n, x);
  if (cst_sampled_check(r, cst_yaml_get(n, "every"), x->every) && x->lags)
    check_samples(r, cst_yaml_get(n, "every"), x);
}

void cst_lags_as_in(void *request, cst_result *file) {
  const cst_named_list *w = request;
  cst_lag              *x = w->each;
  for (int i = 0; i < w->n; i++, x++) {
    char group[48], name[48];
    snprintf(group, sizeof group, "/%s", w->key->key);
    snprintf(name, sizeof name, "%s_pairs", x->named.name);
    x->equal = !cst_result_finds(file, group, name);
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
  static const double   of_pair = 0.7;
  const cst_named_list *w = cst_lags_of(kind, p);
  cst_demand            all = {0};
  for (int k = 0; k < w->n && p->nclass; k++) {
    const cst_lag *x = cst_lag_of(w, k);
    const cst_class *class = &p->classes[0];
    const double samples = (double)cst_sampled_count(class, x->every);
    cst_demand   one = {0};
    cst_values_demand(p, &x->named.expressions, &one);
    all.lambda |= one.lambda;
    all.nanoseconds += (one.nanoseconds + of_pair * (double)x->lags * x->named.expressions.n) *
                       samples / (double)(class->n / class->observe + 1);
    all.concludes += 2 * CST_LAGS_PARTS;
  }
  return all;
}

/* Numbers kept of a trajectory: samples that lags reach back to; sums of the open part; of all parts, the sums of y,
 * of y^2 and of y y_0. */
static long kept_numbers(const cst_lag *x) {
  const long samples = (x->lags + 1) * x->named.expressions.n;
  return samples + (x->lags + 1) + SUMS * (x->lags + 2);
}

void cst_lags_tell(const cst_lag_kind *kind, const cst_plan *p, FILE *out) {
  const cst_named_list *w = cst_lags_of(kind, p);
  const char           *unit = cst_system_unit(p->study->problem.system, "time");
  for (int k = 0; k < w->n; k++) {
    const cst_lag *x = cst_lag_of(w, k);
    fprintf(out, "%-14s %s: %s, %d value%s, until %g%s after every %g%s (%.3g kB per trajectory)\n",
            k                 ? ""
            : kind->displaces ? "displacement"
                              : "correlation",
            x->named.name, x->named.expressions.text, x->named.expressions.n,
            x->named.expressions.n > 1 ? "s" : "", x->every * (double)x->lags, unit, x->every, unit,
            8e-3 * (double)kept_numbers(x));
  }
}

static long cells_of(const cst_lag *x) { return SUMS * (x->lags + 2); }

static int sums_axis(cst_channels *c, const cst_lag *x) {
  return cst_channels_axis(c, "lags and the figure: sums of y, of y^2 and of y y_0", cells_of(x),
                           "%.32s_sum", x->named.name);
}

void cst_lags_declare(const cst_lag_kind *kind, const cst_plan *p, cst_channels *c) {
  const cst_named_list *w = cst_lags_of(kind, p);
  const int             n = w->n;
  if (!n)
    return;
  const int part = cst_channels_axis(c, "part of the run", CST_LAGS_PARTS, "run_part");
  const int pair = cst_channels_axis(c, "number of a part", 2, "part_number");
  const int word = cst_channels_axis(c, "word of an exact sum", CST_SUM_WORDS, "sum_word");
  for (int i = 0; i < CST_LAGS_CHANNELS; i++)
    for (int k = 0; k < n && kind->row[i]; k++) {
      const cst_lag  *x = cst_lag_of(w, k);
      cst_channel_use use = {.name = x->named.name};
      if (i == CST_LAGS_PAIRS && x->equal)
        continue;
      if (i == CST_LAGS_KEPT)
        use = (cst_channel_use){.count = (size_t)kept_numbers(x)};
      else if (i == CST_LAGS_OF_PARTS)
        use.axis = part, use.also = pair;
      else if (i == CST_LAGS_CELLS)
        use.axis = sums_axis(c, x), use.also = word;
      else if (i != CST_LAGS_PAIRS)
        use.axis = cst_channels_axis(c, "lag", x->lags + 1, "%.32s_lag", x->named.name);
      cst_channels_add(c, kind->row[i], k, use);
    }
}

cst_error cst_lags_open(const cst_lag_kind *kind, const cst_plan *p, cst_output *o) {
  const cst_named_list *w = cst_lags_of(kind, p);
  for (int k = 0; k < w->n; k++) {
    const cst_lag *x = cst_lag_of(w, k);
    double        *t = cst_zeros(x->lags + 1, sizeof *t);
    for (int i = 0; i < p->ncase; i++) {
      const cst_class *class = &p->classes[p->class_of[i]];
      for (long j = 0; j <= x->lags; j++)
        t[j] = cst_clock_of(&p->cases[i], (double)j * (double)cst_sampled_steps(class, x->every));
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
         *count >= 0 && *count <= e->now->study->ensemble.members;
}

static cst_error add_case(const cst_extension *e, const cst_lag_kind *kind, int icase,
                          cst_cell *cell) {
  const cst_named_list *w = cst_lags_of(kind, e->now);
  for (int i = 0; i < w->n; i++) {
    const long n = cells_of(cst_lag_of(w, i));
    cst_sum   *sum = cst_zeros(n, sizeof *sum);
    long       count;
    CST_CHECK(read_sums(e, kind, i, icase, n, sum, &count), MPI_COMM_SELF, CST_ERR_FILE_READ,
              "the sums of %s '%s' in the file cannot be read", kind->key.key,
              cst_lag_of(w, i)->named.name);
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

const char *cst_lags_recompute(const cst_lag_kind *kind, const cst_extension *e) {
  if (cst_lags_of(kind, e->now)->n && by_members(e->old) != by_members(e->now))
    return "with this number of members errors are those of other means";
  return NULL;
}

/* ---- a sample -------------------------------------------------------------------------------- */

/* Of a collector at work. */
static const cst_named_list *list_of(const cst_collection *x) {
  return x->run->plan->study->collected[x->number];
}
static const cst_lag_kind *kind_of(const cst_collection *x) {
  return (const cst_lag_kind *)list_of(x)->key;
}

/* The kept numbers of a group, [numbers][W]. */
typedef struct {
  double *ring;      /* [lags + 1][expressions] */
  double *open;      /* [lags + 1] */
  double *sum[SUMS]; /* [lags + 2] */
} kept;

static kept kept_of(double *rows, const cst_lag *x, long W, int group) {
  kept k = {.ring = rows + group * kept_numbers(x) * W};
  k.open = k.ring + (x->lags + 1) * x->named.expressions.n * W;
  k.sum[0] = k.open + (x->lags + 1) * W;
  for (int i = 1; i < SUMS; i++)
    k.sum[i] = k.sum[i - 1] + (x->lags + 2) * W;
  return k;
}

/* Adds one expression's products with its earlier samples to the open sums; `at`: its place in the ring. */
static void add_products(const kept *k, const cst_lag *x, long W, long at, int i) {
  const long    n = x->named.expressions.n, size = x->lags + 1;
  const double *now = k->ring + (at * n + i) * W;
  for (long lag = 0; lag < size; lag++) {
    const double *then = k->ring + ((at - lag + size) % size * n + i) * W;
    double       *to = k->open + lag * W;
    for (long l = 0; l < W; l++)
      to[l] += now[l] * then[l];
  }
}

static void add_squares(const kept *k, const cst_lag *x, long W, long at, int i) {
  const long    n = x->named.expressions.n, size = x->lags + 1;
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
                       double count, double *y, double *of_part, double spacing) {
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
  const cst_lag *x = cst_lag_of(cst_lags_of(kind, r->plan), which);
  const long     W = r->width, pairs = pairs_of(x, r->class);
  const long     count = before(pairs, part + 1) - before(pairs, part);
  const double   spacing = cst_clock_at(r, (double)cst_sampled_steps(r->class, x->every));
  double        *y = cst_zeros(x->lags + 2, sizeof *y);
  for (long l = 0; l < W && group * W + l < r->work->count; l++) {
    double *rows = cst_rows_numbers(r->rows, kind->row[CST_LAGS_OF_PARTS], which, group * W + l);
    close_lane(kind, x, k, W, l, (double)count, y, rows + 2 * part, spacing);
  }
  memset(k->open, 0, sizeof *k->open * (size_t)((x->lags + 1) * W));
  free(y);
}

/* Takes the sample with this number, counted from the first after the burn-in. */
static void take(const cst_lag_kind *kind, int which, const cst_lag_batch *b, const cst_runner *r,
                 int group, long sample) {
  const cst_lag *x = cst_lag_of(cst_lags_of(kind, r->plan), which);
  const long     W = r->width;
  const kept     k = kept_of(b->kept[which], x, W, group);
  const long     at = sample % (x->lags + 1), n = x->named.expressions.n;
  const long     pairs = pairs_of(x, r->class), done = sample - x->lags + 1;
  for (long i = 0; i < n * W; i++)
    k.ring[at * n * W + i] = b->now[which].value[i] - x->mean;
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
static void add_all(const cst_collection *x) {
  const cst_runner     *r = x->run;
  const cst_lag_batch  *b = x->own;
  const cst_named_list *w = list_of(x);
  const bool            whole_runs = by_members(r->plan);
  const long            W = r->width;
  for (long l = 0; l < r->work->count; l++) {
    cst_cell *cell = cst_runner_cells(x, l);
    if (!cell || !cst_runner_lives(r, r->b, l))
      continue;
    for (int i = 0; i < w->n; i++) {
      const cst_lag *of = cst_lag_of(w, i);
      const kept     k = kept_of(b->kept[i], of, W, (int)(l / W));
      add_lane(&k, of, W, l % W, whole_runs, cell);
      cell += cells_of(of);
    }
  }
}

/* ---- a batch --------------------------------------------------------------------------------- */

void cst_lags_create(cst_collection *x) {
  cst_lag_batch *b = x->own;
  b->now = cst_named_values(x->run, list_of(x));
  for (int i = 0; i < list_of(x)->n; i++)
    b->kept[i] = cst_rows_numbers(x->run->rows, kind_of(x)->row[CST_LAGS_KEPT], i, 0);
}

void cst_lags_destroy(cst_collection *x) {
  const cst_lag_batch *b = x->own;
  cst_named_values_destroy(b->now, list_of(x));
}

void cst_lags_begin(cst_collection *x) {
  const cst_runner    *r = x->run;
  const cst_lag_batch *b = x->own;
  const size_t         lanes = (size_t)r->b->groups * (size_t)r->width;
  for (int i = 0; i < list_of(x)->n; i++) {
    memset(b->kept[i], 0, sizeof(double) * lanes * (size_t)kept_numbers(cst_lag_of(list_of(x), i)));
    for (long l = 0; l < r->work->count; l++)
      memset(cst_rows_numbers(r->rows, kind_of(x)->row[CST_LAGS_OF_PARTS], i, l), 0,
             sizeof(double) * 2 * CST_LAGS_PARTS);
  }
}

long cst_lags_next(const cst_collection *x, long step) {
  const cst_runner     *r = x->run;
  const cst_named_list *w = list_of(x);
  long                  next = LONG_MAX;
  for (int i = 0; i < w->n && !r->replayed; i++) {
    const long steps = cst_sampled_steps(r->class, cst_lag_of(w, i)->every);
    next = CST_SMALLER(next, cst_runner_next_multiple(step, steps, 0));
  }
  return next;
}

cst_error cst_lags_stop(cst_collection *x) {
  const cst_runner     *r = x->run;
  const cst_lag_batch  *b = x->own;
  const cst_named_list *w = list_of(x);
  for (int i = 0; i < w->n && !r->replayed; i++) {
    const long steps = cst_sampled_steps(r->class, cst_lag_of(w, i)->every);
    const long sample = r->b->step / steps - first_sample(cst_lag_of(w, i), r->class);
    if (r->b->step % steps || sample < 0)
      continue;
    for (int g = 0; g < r->b->groups; g++) {
      cst_sampled_look(&b->now[i], r, g);
      take(kind_of(x), i, b, r, g, sample);
    }
  }
  if (r->b->step == r->class->n)
    add_all(x);
  return 0;
}

/* Trajectories that have failed have no numbers of their parts. */
cst_error cst_lags_finish(cst_collection *x) {
  const cst_runner *r = x->run;
  for (int i = 0; i < list_of(x)->n; i++)
    for (long l = 0; l < r->work->count; l++) {
      double *rows = cst_rows_numbers(r->rows, kind_of(x)->row[CST_LAGS_OF_PARTS], i, l);
      for (int j = 0; j < 2 * CST_LAGS_PARTS && !cst_runner_lives(r, r->b, l); j++)
        rows[j] = NAN;
    }
  return 0;
}

/* ---- curves over the lags, and means over members for columns -------------------------------- */

long cst_lags_cells(const cst_lag_kind *kind, const cst_plan *p) {
  const cst_named_list *w = cst_lags_of(kind, p);
  long                  n = 0;
  for (int i = 0; i < w->n; i++)
    n += cells_of(cst_lag_of(w, i));
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
  const cst_named_list *w = cst_lags_of(kind, p);
  const double          units = by_members(p) ? 1 : CST_LAGS_PARTS;
  for (int i = 0; i < w->n; i++) {
    const long n = cst_lag_of(w, i)->lags + 1;
    double    *curve[CST_LAGS_TIME];
    for (int k = 0; k < CST_LAGS_TIME; k++)
      curve[k] = cst_zeros(n, sizeof *curve[k]);
    curves_of(cst_lag_of(w, i), x, units, curve);
    for (int k = 0; k < CST_LAGS_TIME; k++) {
      if (kind->row[k])
        CST_TRY(cst_output_case(o, kind->row[k], i, icase, curve[k]));
      free(curve[k]);
    }
    CST_TRY(store(kind, i, cst_lag_of(w, i), icase, x, o));
    x += SUMS * (n + 1);
  }
  return 0;
}

cst_error cst_lags_means(const cst_lag_kind *kind, cst_case_rows *rows, int which,
                         cst_lag_means *m) {
  const long    members = rows->plan->study->ensemble.members;
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

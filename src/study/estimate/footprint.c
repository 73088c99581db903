/* footprint.c: memory and file size of a study (see footprint.h), and what it costs to conclude it (plan.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/estimate/footprint.h"
#include <math.h>
#include <string.h>
#include "study/channels/channels.h"
#include "study/rows/collector.h"
#include "study/plan/plan.h"
#include "study/reference/reference.h"
#include "study/result/conclude.h"
#include "study/result/tallies.h"

/* ---- conclusions ----------------------------------------------------------------------------- */

/* The statistics of the finished rows, case by case, and the shares
 * in which ranks share them. */

/* Nanoseconds, measured: a verdict, that of a momentum, which most methods keep, and more for each group of members
 * that is drawn and for each member; a histogram's bin of a member; a number that is read; one that is sorted, for
 * quantiles; a column. */
static const double verdict = 650e3, of_kept = 100e3, verdict_of_group = 9e3,
                    verdict_of_member = 10e3, of_bin = 3, of_number = 4, of_sorted = 60,
                    of_column = 500;
/* of a share: so short that ranks end together and a stop is not late */
static const double longest_piece = 50e6;
enum { MOST_CASES = 256, USUAL_COLUMNS = 60, GROUPS = 64, LEAST_WINDOWS = 8 };

/* The share of the cases that are observed often enough for a verdict. */
static double share_examined(const cst_plan *p) {
  double cases = 0;
  for (int k = 0; k < p->nclass; k++)
    if (p->classes[k].n / p->classes[k].observe + 1 >= LEAST_WINDOWS)
      cases += p->classes[k].ncase;
  return p->ncase ? cases / p->ncase : 0;
}

static int judged(const cst_plan *p, const cst_observation *x) {
  int n = 0;
  for (int k = x->first; k < x->first + x->count; k++)
    n += p->quantity[k].judged && p->quantity[k].windows;
  return n;
}

static double verdict_cost(const cst_plan *p) {
  const double members = (double)p->study->ensemble.members;
  const double of_members = verdict_of_group * fmin(members, GROUPS) + verdict_of_member * members;
  double       sum = 0;
  for (int i = 0; i < p->nobservation && cst_study_needs(p->study, CST_NEEDS_WINDOWS); i++) {
    const cst_observation *x = &p->observation[i];
    const double           each = x->row == CST_OBSERVER(momentum) ? of_kept : verdict;
    sum += judged(p, x) * (each + of_members);
  }
  return sum * share_examined(p);
}

/* Numbers per trajectory in the file. */
static double row_numbers(const cst_plan *p) {
  cst_channels *c = cst_channels_create(p, NULL);
  double        sum = 0;
  for (int k = 0; k < c->n; k++)
    if (c->channel[k].place >= 0)
      sum += (double)c->channel[k].count;
  cst_channels_destroy(c);
  return sum;
}

double cst_plan_conclusion_cost(const cst_plan *p) {
  const double members = (double)p->study->ensemble.members;
  const double bins = p->collect_bins * p->blocks;
  return verdict_cost(p) + of_column * USUAL_COLUMNS +
         members * (of_bin * bins + of_number * row_numbers(p) + of_sorted * p->nquantity);
}

int cst_plan_conclusion_cases(const cst_plan *p) {
  const int    steps = p->study->steps.n;
  const double fit = fmin(MOST_CASES, longest_piece / cst_plan_conclusion_cost(p));
  return (int)fmax(1, floor(fit / steps)) * steps;
}

int cst_plan_conclusion_shares(const cst_plan *p) {
  const int cases = cst_plan_conclusion_cases(p);
  return (p->ncase + cases - 1) / cases;
}

/* ---- memory and file ------------------------------------------------------------------------- */

static const double program = 30e6; /* code and libraries, without those of PETSc */

/* Rows of the table of reference states; an upper bound that does not merge equal times of different cases.
 */
static double reference_rows(const cst_plan *p) {
  const cst_study *s = p->study;
  double           rows = 0;
  if (s->reference.kind != CST_REFERENCE_METHOD)
    return 0;
  for (int i = 0; i < p->ncase; i++) {
    const cst_class *k = &p->classes[p->class_of[i]];
    const double     times = k->lead > 0 ||
                                 cst_properties_back(&p->method[p->cases[i].method]->properties,
                                                         k->h, (double)k->n) == 0 ||
                                 !s->problem.system->ng
                                 ? 1
                                 : 2;
    rows += times * (double)(k->read > 0 ? k->n / k->read : 0);
  }
  return rows * (double)(s->ensemble.members + cst_reference_twice(s));
}

static double row_bytes(const cst_plan *p) {
  cst_channels *c = cst_channels_create(p, NULL);
  double        bytes = 0;
  for (int k = 0; k < c->n; k++)
    bytes += (double)cst_channel_bytes(&c->channel[k]);
  cst_channels_destroy(c);
  return bytes;
}

/* The cases, the parameters, starts and steps of their sets, and the columns, which every rank has. */
static double case_bytes(const cst_plan *p) {
  const cst_study  *s = p->study;
  const cst_system *on = s->problem.system;
  cst_conclusion   *table = cst_conclude_create(p);
  double            column = 0;
  for (int k = 0; k < cst_conclude_columns(table)->n; k++)
    column += cst_conclude_columns(table)->column[k].label ? CST_TEXT_WIDTH : sizeof(double);
  cst_conclude_destroy(table);
  const double numbers = on->npar + s->steps.n + 2.0 * on->nq;
  return p->ncase * (column + sizeof(cst_case) + 2 * sizeof(int)) +
         s->problem.nvariant * numbers * sizeof(double);
}

/* Arrays over the members of a case with which a rank concludes, and rows that it reads ahead. */
static double conclusion_bytes(const cst_plan *p) {
  static const double ahead = 8 << 20;
  const cst_system   *s = p->study->problem.system;
  const double        rows = row_bytes(p) * (double)p->study->ensemble.members * p->ncase;
  return fmin(ahead, rows) +
         8.0 * (double)p->study->ensemble.members *
             (p->collect_concludes + CST_SUMMARY_NUMBERS + 7 + fmax(s->nq, s->ng));
}

/* Lanes that collectors hold for each one of a batch. */
static double lanes_beside(const cst_plan *p) {
  double sum = 0;
  for (int i = 0; i < cst_collector_count; i++)
    if (cst_collectors[i]->plan.lanes)
      sum += cst_collectors[i]->plan.lanes(p);
  return sum;
}

/* A description that is written out: its graph and kernels by the nodes (measured on nets and chains), patterns, what
 * joins constraints; and sparse factors, with the indices that PETSc's have. */
static double system_bytes(const cst_plan *p) {
  static const double node = 100;
  const cst_system   *s = p->study->problem.system;
  const cst_gram     *g = &s->model->gram;
  double              bytes = node * cst_graph_size(s->model->graph) + 4.0 * sizeof(int) * g->n;
  for (int k = 0; k < CST_K_COUNT; k++)
    bytes += 4.0 * sizeof(int) * s->model->pattern[k].n;
  if (g->n)
    bytes += 3.0 * sizeof(int) * g->first[g->n];
  if (g->row)
    bytes += (sizeof(int) + 2.0 * (sizeof(int) + sizeof(double))) * g->row[s->ng];
  return bytes;
}

/* Matrices of PETSc's solvers: each entry with its values and indices in four places, each number of the two factors
 * with its index. */
static double matrix_bytes(const cst_plan *p) {
  double bytes = 0;
  for (int i = 0; i < p->study->methods.n; i++) {
    const cst_colours_size x = cst_plan_matrices(p, i);
    bytes += 4 * (sizeof(double) + sizeof(int)) * x.entries;
    bytes += 2 * (sizeof(double) + sizeof(int)) * x.factors;
  }
  return bytes;
}

/* Each method keeps a batch: records, their last good columns, saved ones and the solver's vectors; with
 * reference: self also the partner's. A checkpoint copies the active batch. Rank 0 keeps two marks per
 * trajectory. */
double cst_footprint_memory(const cst_plan *p, long batch) {
  const cst_study  *study = p->study;
  const cst_system *s = study->problem.system;
  const double      partner = study->reference.kind == CST_REFERENCE_SELF;
  const double      batches = 4.0 * study->methods.n * (1 + partner + lanes_beside(p));
  const double      per_lane = (batches + 1) * cst_plan_lane_bytes(p) + 2 * row_bytes(p);
  const double      group = cst_isas[p->isa].width * cst_plan_work_bytes(p);
  const double      reference = 8 * reference_rows(p) * (2.0 * s->nq + s->ng);
  const double      status = 2.0 * (double)study->ensemble.members * p->ncase;
  double            sum = program + group + reference + system_bytes(p) + matrix_bytes(p);
  sum += per_lane * (double)batch;
  for (int k = 0; k < cst_collector_count; k++)
    if (cst_collectors[k]->plan.bytes)
      sum += cst_collectors[k]->plan.bytes(p, batch);
  sum += 2 * cst_tallies_bytes(p);
  sum += conclusion_bytes(p);
  sum += case_bytes(p);
  return sum + status;
}

/* The data, and HDF5's overhead per dataset and for the attributes of the study. */
static double file_bytes(const cst_plan *p, const cst_channels *c) {
  static const double run = 2e4;
  static const double dataset = 650;
  const cst_study    *s = p->study;
  const double        texts =
      (double)(strlen(s->source.canonical) + strlen(s->problem.system->description->text) +
               (s->starts.table.text ? strlen(s->starts.table.text) : 0));
  return run + texts + dataset * (c->nfield + c->ndim) +
         cst_record_bytes(c->dim, c->ndim, c->field, c->nfield);
}

/* Pieces that are written of a case, or of its members in a batch. */
static double pieces(const cst_plan *p, const cst_channels *c) {
  static const double of_case = 5;
  const double        of_series = p->study->ensemble.members == 1 ? 2 : 4;
  double              n = of_case + (p->most_samples ? of_series * p->nquantity : 0);
  for (int k = 0; k < c->n; k++)
    n += c->channel[k].place >= 0 && c->channel[k].count;
  return n;
}

/* Measured: the start of the program; what is made of a dataset; a piece that is written, and its bytes. */
static const double start = 0.09, of_dataset = 2e-4, of_piece = 4e-6, of_byte = 1e-9;

cst_footprint cst_footprint_file(const cst_plan *p) {
  cst_conclusion     *table = cst_conclude_create(p);
  cst_channels       *c = cst_channels_create(p, cst_conclude_columns(table));
  const double        bytes = file_bytes(p, c);
  const cst_footprint all = {bytes, start + of_dataset * c->nfield +
                                        of_piece * pieces(p, c) * p->ncase + of_byte * bytes};
  cst_channels_destroy(c);
  cst_conclude_destroy(table);
  return all;
}

/* check.c: `constella check STUDY`: validates a study and prints its plan; runs nothing. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/checked.h"
#include "cli/cli.h"
#include "method/method.h"
#include "study/plan/channels.h"
#include "study/plan/footprint.h"
#include "study/file/reader.h"
#include "study/reference/reference.h"
#include "study/plan/trial.h"

static void print_size(const char *name, double bytes) {
  const char *unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int         k = 0;
  for (; bytes >= 1024 && k < 4; k++)
    bytes /= 1024;
  printf("%-14s %.3g %s\n", name, bytes, unit[k]);
}

static void print_case(const cst_plan *p, int i) {
  const cst_case *c = &p->cases[i];
  printf("%6d  %-36s %-12.6g %-22s %12ld %s\n", i, cst_method_label(p->study->method[c->method]),
         c->h_nominal, cst_reader_shortest(c->h), c->n, cst_reader_shortest((double)c->n * c->h));
}

/* seconds: as steps of it took; NAN: by the plan's estimate. */
static void print_reference(const cst_plan *p, double seconds) {
  double       planned;
  const double steps = cst_reference_work(p, &planned);
  if (steps > 0)
    printf("%-14s %.6g steps of %s%s, about %.3g s more\n", "reference", steps,
           cst_method_label(p->study->reference_method),
           p->study->reference_quad ? " in quadruple precision" : "",
           isnan(seconds) ? planned * 1e-9 : seconds);
}

static void print_steps(const cst_plan *p) {
  int i = 0;
  while (i < p->ncase && p->cases[i].h == p->cases[i].h_nominal)
    i++;
  if (i == p->ncase)
    return;
  printf("%-14s run as the numbers of 20 bits next to them, so that time gathers no round-off; "
         "runs end "
         "where these lead\n",
         "steps");
  printf("%-14s (below); `roundoff: {dyadic-steps: false}` takes steps as they are written\n", "");
}

static void print_layer(const cst_layer_file *x) {
  printf("%-14s %s: %s, sha256 %s\n", "layer", x->name, x->file, x->sha256);
  printf("%-14s order %d: %s\n", "", x->order, x->doc);
}

static void print_averages(const cst_study *s) {
  printf("%-14s over the last %.6g %% of the run\n", "averages", 100 * (1 - s->burn_in));
  for (int i = 0; i < s->nhistogram; i++) {
    const cst_histogram *h = &s->histogram[i];
    printf("%-14s %s: %d values, %d bins from %.6g to %.6g\n", i ? "" : "histograms", h->name, h->n,
           h->bins, h->edge[0], h->edge[h->bins]);
  }
}

static void print_trajectories(const cst_plan *p) {
  const cst_study *s = p->study;
  if (!s->ntrajectory)
    return;
  printf("%-14s %d per case, every %ld steps, %ld numbers per state\n", "trajectories",
         s->ntrajectory, s->trajectory_every, cst_plan_track_numbers(p));
  if (!s->worst_by.text)
    return;
  printf("%-14s the worst by %s, which are stepped once more when all has run: %.6g steps, about "
         "%.3g s "
         "besides\n",
         "", s->worst_by.text, cst_plan_replay_steps(p), cst_plan_replay_time(p) * 1e-9);
}

static void print_extensible(const cst_plan *p) {
  cst_channels      *c = cst_channels_create(p, NULL);
  const cst_channel *x = cst_channels_find(c, CST_CHANNEL_CONTINUE, 0);
  if (x)
    print_size("extensible", (double)cst_channel_bytes(x) * (double)p->study->members * p->ncase);
  cst_channels_destroy(c);
}

/* A few steps tell more than the plan's estimate, but of a user's own system, which a run may compile. */
static void print_trial(const cst_plan *p) {
  const cst_trial t = cst_trial_make(p);
  printf(
      "%-14s about %.3g of the force or the right hand side, as a few steps of each method tell\n",
      "evaluations", t.evaluations);
  if (isnan(t.seconds))
    printf("%-14s about %.3g s on one core of this kind, very roughly\n", "cost",
           cst_plan_time(p) * 1e-9);
  else
    printf("%-14s about %.3g s on one core of this kind\n", "cost", t.seconds);
  print_reference(p, t.reference);
}

static void print_conclusions(const cst_plan *p) {
  printf("%-14s about %.3g s more\n", "conclusions", p->ncase * cst_plan_conclusion_cost(p) * 1e-9);
}

/* Whether no substep of the method solves for anything: all tolerances give the same run. */
static bool ignores_tolerance(const cst_study *s, const cst_method *m) {
  double            more[CST_MORE_PARAMETERS];
  const cst_system *stepped = cst_method_system(m, s->system, more);
  cst_program      *p = cst_program_create_on(m, stepped);
  int               unknowns = 0;
  for (int i = 0; i < p->n; i++)
    unknowns += cst_substep_size_on(&p->step[i], stepped).unknowns;
  cst_program_destroy(p);
  return unknowns == 0;
}

/* The methods whose cases a sweep over tolerances only repeats. */
static void print_repeated(const cst_study *s) {
  const char *label = "tolerances";
  for (int i = 0; i < s->nmethod && s->ntolerance > 1; i++) {
    if (!ignores_tolerance(s, s->method[i]))
      continue;
    printf("%-14s %s solves nothing: its cases of the %d tolerances are the same run\n", label,
           cst_method_label(s->method[i]), s->ntolerance);
    label = "";
  }
}

static void print_plan(const cst_study *s, const cst_plan *p, const cst_agenda *a) {
  printf("%-14s %s (%s study)\n", "study", s->title && *s->title ? s->title : s->file,
         cst_kind_name(s->kind));
  printf("%-14s %s, %d coordinates, %d constraints\n", "system", s->system->name, s->system->nq,
         s->system->ng);
  if (s->system_file)
    printf("%-14s %s, sha256 %s\n", "", s->system_file, s->system_sha256);
  for (int i = 0; i < s->nlayer; i++)
    print_layer(&s->layer[i]);
  if (s->nswept)
    printf("%-14s %d, swept over\n", "starts", s->nswept);
  if (s->nstart)
    printf("%-14s %ld, of members that have their own%s%s\n", "starts", s->nstart,
           s->starts_text ? ", sha256 " : "", s->starts_sha256);
  printf("%-14s %d: %d parameter sets%s x %d tolerances x %d methods x %d steps\n", "cases",
         p->ncase, s->nswept ? s->nset : s->nvariant, s->nswept ? " x starts" : "", s->ntolerance,
         s->nmethod, s->nstep);
  print_repeated(s);
  printf("%-14s %ld per case, %.6g trajectories\n", "members", s->members,
         (double)s->members * p->ncase);
  printf("%-14s %.6g trajectory-steps\n", "work", cst_plan_steps(p));
  if (s->averages)
    print_averages(s);
  printf("%-14s %d of up to %ld lanes\n", "batches", a->n, a->batch);
  print_trial(p);
  print_conclusions(p);
  print_trajectories(p);
  print_size("memory per rank", cst_footprint_memory(p, a->batch));
  print_size("result file", cst_footprint_file(p));
  print_extensible(p);
  print_steps(p);
  printf("\n%6s  %-36s %-12s %-22s %12s %s\n", "case", "method", "step", "run as", "steps",
         "to t =");
  for (int i = 0; i < p->ncase && i < 200; i++)
    print_case(p, i);
  if (p->ncase > 200)
    printf("   ... %d more\n", p->ncase - 200);
}

static int check(int argc, char **argv) {
  const char *file = NULL;
  cst_checked c = {0};
  cst_diag   *d = cst_diag_create();
  cst_options_parse(&cst_command_check, argc, argv, &file, d);
  if (!cst_diag_count(d))
    c = cst_checked_read(file, 1, d);
  const bool bad = cst_diag_count(d) > 0;
  if (!bad)
    cst_reference_warn(c.plan, d);
  cst_diag_print(d, stderr);
  if (!bad)
    print_plan(c.study, c.plan, c.agenda);
  cst_checked_free(&c);
  cst_diag_destroy(d);
  return bad ? 2 : 0;
}

static const cst_option options[] = {
    {"STUDY", .is = CST_OPTION_REQUIRED, .doc = "a study file", .takes = "a study file"},
    {NULL},
};

const cst_command cst_command_check = {.name = "check",
                                       .doc =
                                           "Validates a study and prints its plan; runs nothing.",
                                       .option = options,
                                       .run = check};

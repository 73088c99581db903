/* check.c: `constella check STUDY`: validates a study and prints its plan; runs nothing. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "cli/inputs.h"
#include "cli/cli.h"
#include "cli/run.h"
#include "cli/petsc-options.h"
#include "core/need.h"
#include "method/method.h"
#include "study/channels/channels.h"
#include "study/rows/collector.h"
#include "study/estimate/footprint.h"
#include "study/file/reader.h"
#include "study/reference/reference.h"
#include "study/run/back-end.h"
#include "study/estimate/trial.h"
#include "system/examine/jumps.h"

static const double petsc_bytes = 24e6; /* of PETSc's libraries, which few runs load */

static void say_size(double bytes, char *out, size_t n) {
  const char *unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int         k = 0;
  for (; bytes >= 1024 && k < 4; k++)
    bytes /= 1024;
  snprintf(out, n, "%.3g %s", bytes, unit[k]);
}

static void print_size(const char *name, double bytes) {
  char text[32];
  say_size(bytes, text, sizeof text);
  printf("%-14s %s\n", name, text);
}

/* In what the parameters, tolerance and start of a case differ from those of others; "" without a sweep. */
static void say_variant(const cst_plan *p, const cst_case *c, char *out, size_t n) {
  const cst_study *s = p->study;
  const int        npar = s->problem.system->npar;
  size_t           at = 0;
  *out = 0;
  for (int k = 0; k < npar && at < n; k++)
    if (cst_study_sweeps(s, k))
      at += (size_t)snprintf(
          out + at, n - at, "%s%s=%.6g%s", at ? " " : "", s->problem.system->parameter[k].name,
          s->problem.parameter[c->variant * npar + k],
          cst_system_unit(s->problem.system, s->problem.system->parameter[k].name));
  if (s->solver.ntolerance > 1 && at < n)
    at += (size_t)snprintf(out + at, n - at, "%stolerance=%.6g", at ? " " : "",
                           s->solver.tolerance[c->tolerance]);
  if (s->sweep.n > 1 && at < n)
    snprintf(out + at, n - at, "%s%s", at ? " " : "", s->sweep.name[c->variant / s->sweep.nset]);
}

enum { CELLS = 7, CELL = 256, MOST_CASES = 200 };
typedef char row[CELLS][CELL];

static void say_case(const cst_plan *p, int i, row r) {
  const cst_case *c = &p->cases[i];
  snprintf(r[0], CELL, "%d", i);
  say_variant(p, c, r[1], CELL);
  snprintf(r[2], CELL, "%s", cst_method_label(p->study->methods.method[c->method]));
  snprintf(r[3], CELL, "%.6g", c->h_nominal);
  snprintf(r[4], CELL, "%s", cst_reader_shortest(c->h));
  snprintf(r[5], CELL, "%ld", c->n);
  snprintf(r[6], CELL, "%s", cst_reader_shortest(cst_clock_of(c, (double)c->n)));
}

/* " (s)" if the system states the unit of the time. */
static const char *heading_unit(const cst_system *s) {
  static char text[40];
  const char *unit = cst_system_unit(s, "time");
  snprintf(text, sizeof text, *unit ? " (%s)" : "%s", *unit ? unit + 1 : unit);
  return text;
}

/* The cases in aligned columns; empty columns are left out. */
static void print_cases(const cst_plan *p) {
  row               head = {"case", "parameters", "method", "", "run as", "steps", ""};
  static const bool right[CELLS] = {[0] = true, [5] = true};
  const int         n = p->ncase < MOST_CASES ? p->ncase : MOST_CASES;
  row              *table = cst_need(calloc((size_t)n + 1, sizeof *table));
  int               wide[CELLS] = {0};
  snprintf(head[3], CELL, "step%s", heading_unit(p->study->problem.system));
  snprintf(head[6], CELL, "to t =%s", heading_unit(p->study->problem.system));
  memcpy(table[0], head, sizeof head);
  for (int i = 0; i < n; i++)
    say_case(p, i, table[i + 1]);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < CELLS; k++)
      if (*table[i + 1][k])
        wide[k] = (int)fmax(fmax(wide[k], strlen(table[0][k])), strlen(table[i + 1][k]));
  for (int i = 0; i <= n; i++)
    for (int k = 0; k < CELLS; k++)
      if (wide[k])
        printf(right[k] ? "%*s%s" : "%-*s%s", k == CELLS - 1 ? 0 : wide[k], table[i][k],
               k == CELLS - 1 ? "\n" : "  ");
  if (p->ncase > n)
    printf("... %d more\n", p->ncase - n);
  free(table);
}

/* The result of `constella run STUDY` is in the current folder. */
static void check_room(const cst_plan *p, const char *file, cst_diag *d) {
  struct statvfs disk;
  char           folder[4096], needed[32], there[32];
  const double   bytes = cst_footprint_file(p).bytes;
  if (!getcwd(folder, sizeof folder) || statvfs(folder, &disk))
    return;
  const double room = (double)disk.f_bavail * (double)disk.f_frsize;
  if (bytes <= room)
    return;
  say_size(bytes, needed, sizeof needed);
  say_size(room, there, sizeof there);
  cst_diag_add(d, file, 0, 0, "its result needs %s, and %s has %s free", needed, folder, there);
}

/* seconds: as steps of it took; NAN: by the plan's estimate. Returns them. */
static double print_reference(const cst_plan *p, double seconds) {
  double       planned;
  const double steps = cst_reference_work(p, &planned);
  if (steps <= 0)
    return 0;
  if (isnan(seconds))
    seconds = planned * 1e-9;
  printf("%-14s %.6g steps of %s%s, about %.3g s more\n", "reference", steps,
         cst_method_label(p->study->reference.method),
         p->study->reference.quad ? " in quadruple precision" : "", seconds);
  return seconds;
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

static void print_scheme(const cst_study_scheme *x) {
  printf("%-14s %s: %d substeps, order %d on a symmetric base of order 2\n", "scheme", x->name,
         x->stages, x->order);
  printf("%-15s", "");
  cst_show_defects(0, x->order, x->defect);
}

static void print_collected(const cst_plan *p) {
  for (int k = 0; k < cst_collector_count; k++)
    if (cst_collectors[k]->plan.tell)
      cst_collectors[k]->plan.tell(p, stdout);
}

static void print_extensible(const cst_plan *p) {
  cst_channels      *c = cst_channels_create(p, NULL);
  const cst_channel *x = cst_channels_find(c, &cst_channel_continue, 0);
  if (x)
    print_size("extensible",
               (double)cst_channel_bytes(x) * (double)p->study->ensemble.members * p->ncase);
  cst_channels_destroy(c);
}

/* A few steps tell more than the plan's estimate. Returns the seconds of all. */
static double print_trial(const cst_plan *p, long batch) {
  const bool      loaded = cst_study_load(p);
  const cst_trial t = cst_trial_make(p, batch);
  double          compile = 0;
  const double    gain = loaded ? 1 : cst_study_gain(p, t.seconds, &compile);
  const double    cost = t.seconds / gain + t.counted;
  if (t.counted > 0)
    printf("%-14s unknown: a step takes too long to be tried, or lanes cannot make it\n",
           "evaluations");
  else
    printf("%-14s about %.3g of the force or the right hand side, as a few steps of each method "
           "tell\n",
           "evaluations", t.evaluations);
  printf("%-14s about %.3g s on one core of this kind", "cost", cost);
  if (t.counted > 0)
    printf(", of it %.3g as multiplications count", t.counted);
  if (compile > 0)
    printf(", and about %.2g s to compile the system", compile);
  printf("\n");
  if (t.timing > 0)
    printf("%-14s about %.3g s more\n", "timing", t.timing / gain);
  return cost + compile + t.timing / gain + print_reference(p, t.reference / gain);
}

/* The seconds of everything: before, which have been printed, and the rest of the run. */
static void print_seconds(const cst_plan *p, double before) {
  const double conclusions = p->ncase * cst_plan_conclusion_cost(p) * 1e-9;
  const double writing = cst_footprint_file(p).seconds;
  printf("%-14s about %.3g s more\n", "conclusions", conclusions);
  printf("%-14s about %.3g s more, with the start of the program\n", "writing", writing);
  printf("%-14s about %.3g s on one core\n", "total", before + conclusions + writing);
}

/* Whether no substep of the method solves for anything: all tolerances give the same run. */
static bool ignores_tolerance(const cst_study *s, const cst_method *m) {
  double            more[CST_MORE_PARAMETERS];
  const cst_system *stepped = cst_method_system(m, s->problem.system, more);
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
  for (int i = 0; i < s->methods.n && s->solver.ntolerance > 1; i++) {
    if (!ignores_tolerance(s, s->methods.method[i]))
      continue;
    printf("%-14s %s solves nothing: its cases of the %d tolerances are the same run\n", label,
           cst_method_label(s->methods.method[i]), s->solver.ntolerance);
    label = "";
  }
}

/* Of methods with the same text, the first has it. */
static void print_engines(const cst_plan *p) {
  char text[CELL], last[CELL] = "";
  for (int i = 0; i < p->study->methods.n; i++) {
    cst_plan_engine(p, i, text, sizeof text);
    if (strcmp(text, last))
      printf("%-14s %s: %s\n", i ? "" : "engine", cst_method_label(p->study->methods.method[i]),
             text);
    snprintf(last, sizeof last, "%s", text);
  }
}

/* A trajectory fails where it passes such a place of a constraint. */
static void print_jumps(const cst_system *s) {
  char      text[CST_JUMPS_TOLD][CST_JUMP_TEXT];
  const int n = cst_jumps_tell(s, text);
  for (int k = 0; k < n; k++)
    printf("%-14s %s\n", "jumps", text[k]);
}

static void print_plan(const cst_study *s, const cst_plan *p, const cst_agenda *a) {
  printf("%-14s %s (%s study)\n", "study",
         s->source.title && *s->source.title ? s->source.title : s->source.file,
         cst_kind_name(s->kind));
  printf("%-14s %s, %d coordinates, %d constraints\n", "system", s->problem.system->name,
         s->problem.system->nq, s->problem.system->ng);
  if (s->problem.file)
    printf("%-14s %s, sha256 %s\n", "", s->problem.file, s->problem.sha256);
  for (int i = 0; i < s->problem.nlayer; i++)
    print_layer(&s->problem.layer[i]);
  for (int i = 0; i < s->problem.nscheme; i++)
    print_scheme(&s->problem.scheme[i]);
  if (s->sweep.n)
    printf("%-14s %d, swept over\n", "starts", s->sweep.n);
  if (s->starts.table.n)
    printf("%-14s %ld, of members that have their own%s%s\n", "starts", s->starts.table.n,
           s->starts.table.text ? ", sha256 " : "", s->starts.table.sha256);
  if (*s->starts.moved_text)
    printf("%-14s %s\n", "projected", s->starts.moved_text);
  printf("%-14s %d: %d parameter sets%s x %d tolerances x %d methods x %d steps\n", "cases",
         p->ncase, s->sweep.n ? s->sweep.nset : s->problem.nvariant, s->sweep.n ? " x starts" : "",
         s->solver.ntolerance, s->methods.n, s->steps.n);
  print_repeated(s);
  printf("%-14s %ld per case, %.6g trajectories\n", "members", s->ensemble.members,
         (double)s->ensemble.members * p->ncase);
  printf("%-14s %.6g trajectory-steps\n", "work", cst_plan_steps(p));
  print_jumps(s->problem.system);
  print_engines(p);
  print_collected(p);
  printf("%-14s %d of up to %ld lanes\n", "batches", a->n, a->batch);
  print_seconds(p, print_trial(p, a->batch));
  print_size("memory per rank",
             cst_footprint_memory(p, a->batch) + (cst_petsc_drives(p) ? petsc_bytes : 0));
  print_size("result file", cst_footprint_file(p).bytes);
  print_extensible(p);
  print_steps(p);
  putchar('\n');
  print_cases(p);
}

static int check(int argc, char **argv) {
  const char *file = NULL;
  cst_checked c = {0};
  cst_diag   *d = cst_diag_create();
  cst_options_parse(&cst_command_check, argc, argv, &file, d);
  const cst_kind *measured = cst_diag_count(d) ? NULL : cst_measured_find(file, d);
  if (measured && !cst_diag_count(d))
    return cst_measured_start(measured, file, 1, (const char *const[]){"check=1"});
  if (!cst_diag_count(d))
    c = cst_checked_read(file, 1, d);
  if (c.plan && !cst_diag_count(d))
    check_room(c.plan, file, d);
  const bool bad = cst_diag_count(d) > 0;
  if (!bad)
    cst_reference_warn(c.plan, d);
  cst_diag_print(d, stderr);
  if (!bad)
    print_plan(c.study, c.plan, c.agenda);
  const double seconds = bad ? 0 : cst_study_compile_ahead(c.study, c.plan, 1);
  if (seconds > 0)
    printf("\ncompiled what the run needs, in %.2g s; it is in the cache\n", seconds);
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

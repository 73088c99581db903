/* status.c: `constella status FILE`: prints the state of a run from its result file, also while it runs. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "cli/cli.h"
#include "constella/diag.h"
#include "constella/record.h"
#include "core/text.h"
#include "method/core.h"
#include "study/channels/channels.h"
#include "study/result/failure.h"
#include "record/snapshot.h"
#include "study/run/run-notes.h"
#include "study/run/run-study.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const double silence =
    60; /* seconds without a sign of life after which a run counts as dead; a run gives one about every 10 */

typedef struct {
  long         total, finished;
  cst_failures failures;
} counts;

/* Of a part of a study only its own trajectories count. */
static counts count(cst_result *r) {
  counts c;
  double own;
  c.total = cst_failures_read(&c.failures, r);
  if (cst_result_number(r, "/run", "part_trajectories", &own) && own >= 0 && own < (double)c.total)
    c.total = (long)own;
  c.finished = cst_failures_ended(&c.failures);
  return c;
}

/* The fraction of the work that is done, /run/work_done; where that is missing, of the trajectories. */
static double share(cst_result *r, const counts *c) {
  int     ndim;
  long    e[CST_FIELD_DIMS];
  double *w = cst_result_read(r, cst_channel_work_done.path, &ndim, e);
  double  done = w && ndim == 0 ? *w : NAN;
  free(w);
  if (isfinite(done))
    return fmin(fmax(done, 0), 1);
  return c->total ? (double)c->finished / (double)c->total : 0;
}

static const char *duration(double s) {
  static char text[64];
  if (s < 120)
    snprintf(text, sizeof text, "%.0f s", s);
  else if (s < 7200)
    snprintf(text, sizeof text, "%.0f min %.0f s", floor(s / 60), floor(fmod(s, 60)));
  else if (s < 172800)
    snprintf(text, sizeof text, "%.0f h %.0f min", floor(s / 3600), floor(fmod(s, 3600) / 60));
  else
    snprintf(text, sizeof text, "%.0f d %.0f h", floor(s / 86400), floor(fmod(s, 86400) / 3600));
  return text;
}

static void line(const char *name, const char *text) { printf("%-13s %s\n", name, text); }

static void print_text(cst_result *r, const char *label, const char *name) {
  char *text = cst_result_text(r, "/run", name);
  if (text)
    cst_text_disarm(text, 0);
  if (text && *text)
    line(label, text);
  free(text);
}

typedef struct {
  const char *word; /* running, interrupted, complete, part */
  char        note[128];
} condition;

/* The condition of a run on another host that claims to be running, from its lock. */
static condition condition_elsewhere(const char *file) {
  condition c = {"running", "when it was last written; its process is on another host"};
  bool      held;
  double    age;
  if (!cst_lock_look(file, &held, &age))
    return c;
  if (held || age <= silence)
    snprintf(c.note, sizeof c.note, "on another host, sign of life %s ago", duration(age));
  else {
    c.word = "interrupted";
    snprintf(c.note, sizeof c.note, "its process was on another host; no sign of life for %s",
             duration(age));
  }
  return c;
}

static condition condition_of(cst_result *r, const char *file) {
  char     *written = cst_result_text(r, "/run", "state");
  bool      says_running = written && !strcmp(written, "running");
  int       alive = cst_result_alive(r);
  condition c = {cst_result_state(r), ""};
  if (says_running && alive == 0)
    strcpy(c.note, "its process is gone");
  if (says_running && alive < 0)
    c = condition_elsewhere(file);
  free(written);
  return c;
}

/* "part 2/7, complete", "part 2/7, running", "complete". */
static void print_condition(cst_result *r, const condition *c) {
  char       *part = cst_result_text(r, "/", "part");
  const char *word = strcmp(c->word, "part") ? c->word : "complete";
  if (part)
    cst_text_disarm(part, 0);
  printf("%-13s %s%s%s%s%s%s%s\n", "state", part ? "part " : "", part ? part : "", part ? ", " : "",
         word, *c->note ? " (" : "", c->note, *c->note ? ")" : "");
  free(part);
}

/* Prints advice on each reason of failure. */
static void print_advice(const cst_failures *f) {
  for (int k = 0; k < CST_FAILURES; k++)
    if (f->of[k] && cst_failure_advice(k))
      line("advice", cst_failure_advice(k));
}

static void print_counts(cst_result *r, const counts *c) {
  char why[CST_FAILURE_TEXT];
  cst_failures_say(&c->failures, why, sizeof why);
  printf("%-13s %ld of %ld done", "trajectories", c->finished, c->total);
  if (*why)
    printf(", %ld of them failed (%s)", cst_failures_total(&c->failures), why);
  if (cst_failures_stopped(&c->failures))
    printf(", %ld ended by an event", cst_failures_stopped(&c->failures));
  puts("");
  print_advice(&c->failures);
  print_text(r, "projected", "projected");
  for (int w = 0; w < CST_WARNINGS; w++)
    print_text(r, cst_warning_rows[w].label, cst_warning_rows[w].attribute);
}

/* The end of a run by the attribute that records it; false where there is none. */
static bool find_end(cst_result *r, const char *name, double *end) {
  char      *text = cst_result_text(r, "/run", name);
  const bool found = cst_run_notes_read_time(text, end);
  free(text);
  return found;
}

/* The elapsed time, of all attempts: until now for a live run, else until its end. A run that was killed
 * recorded none, and the time of the file is that of a copy. */
static void print_times(cst_result *r, const char *state, double done) {
  double started;
  double until = (double)time(NULL);
  bool   running = !strcmp(state, "running");
  print_text(r, "started", "started");
  print_text(r, "stopped", "stopped");
  print_text(r, "finished", "finished");
  if (!cst_result_number(r, "/run", "started_unix", &started))
    return;
  if (!running && !find_end(r, "finished", &until) && !find_end(r, "stopped", &until))
    return;
  double elapsed = fmax(until - started, 0);
  double before = 0, earlier = 0, attempts = 1;
  cst_result_number(r, "/run", "work_before", &before);
  cst_result_number(r, "/run", "attempts", &attempts);
  cst_result_number(r, "/run", "seconds_before", &earlier);
  if (attempts > 1 && earlier >= 0) {
    printf("%-13s %s in %.0f attempts", "elapsed", duration(earlier + elapsed), attempts);
    printf(", %s in the last one\n", duration(elapsed));
  } else
    line("elapsed", duration(elapsed));
  if (running && done > before)
    printf("%-13s about %s\n", "time left", duration(elapsed * (1 - done) / (done - before)));
  else if (running)
    line("time left", "not known yet");
}

static const char *size_text(double bytes) {
  static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
  static char              text[32];
  int                      k = 0;
  for (; bytes >= 1000 && k < 4; k++)
    bytes /= 1000;
  snprintf(text, sizeof text, "%.3g %s", bytes, unit[k]);
  return text;
}

/* Whether a checkpoint is complete; else why not. */
static bool valid(const char *file, long number, char *why, int n) {
  cst_snapshot *s = cst_snapshot_open(file, number, why, n);
  bool          ok = s && cst_snapshot_check(s);
  if (s && !ok)
    snprintf(why, (size_t)n, "is damaged");
  cst_snapshot_close(s);
  return ok;
}

static bool is_link(const char *path) {
  struct stat s;
  return !lstat(path, &s) && S_ISLNK(s.st_mode);
}

/* Prints the newest complete checkpoint, and every damaged one. Ignores one that is removed meanwhile,
 * because its run goes on. */
static void print_checkpoints(cst_result *r, const char *file) {
  char               name[CST_SNAPSHOT_PATH], why[128];
  struct stat        s;
  int                n;
  cst_snapshot_owner owner;
  char              *token = cst_result_text(r, "/run", "id"), *real = realpath(file, NULL);
  cst_snapshot_own(&owner, is_link(file) && real ? real : file, token ? token : "");
  (void)cst_snapshot_find(&owner);
  long *number = cst_snapshot_numbers(&owner, &n);
  bool  found = false;
  for (int i = 0; i < n; i++) {
    bool ok = valid(owner.path, number[i], why, sizeof why);
    if (stat(cst_snapshot_name(owner.path, number[i], name), &s))
      continue;
    if (!ok)
      printf("%-13s %ld cannot be used: %s %s\n", "checkpoint", number[i], name, why);
    else if (!found)
      printf("%-13s %ld, %s, %s ago\n", "checkpoint", number[i], size_text((double)s.st_size),
             duration(fmax(difftime(time(NULL), s.st_mtime), 0)));
    found = found || ok;
  }
  free(number);
  free(token);
  free(real);
}

static void print_attempts(cst_result *r) {
  double attempts;
  if (cst_result_number(r, "/run", "attempts", &attempts) && attempts > 1)
    printf("%-13s %.0f time%s\n", "resumed", attempts - 1, attempts > 2 ? "s" : "");
}

static void show(cst_result *r, const char *file) {
  condition state = condition_of(r, file);
  counts    c = count(r);
  double    ranks;
  print_condition(r, &state);
  print_counts(r, &c);
  printf("%-13s %.1f%% done\n", "work", floor(1000 * share(r, &c)) / 10);
  print_times(r, state.word, share(r, &c));
  print_attempts(r);
  print_checkpoints(r, file);
  print_text(r, "host", "host");
  if (cst_result_number(r, "/run", "ranks", &ranks))
    printf("%-13s %.0f\n", "ranks", ranks);
}

/* A certificate. Returns where its reader cannot be started. */
static int record(const char *file) {
  char        word[4200];
  const char *words[] = {"status-record", word, NULL};
  snprintf(word, sizeof word, "file=%s", file);
  return cst_analysis_start(2, words);
}

static int status(int argc, char **argv) {
  char        why[256];
  const char *file = NULL;
  cst_diag   *d = cst_diag_create();
  cst_options_parse(&cst_command_status, argc, argv, &file, d);
  if (!cst_diag_count(d) && cst_text_ends(file, ".json"))
    return record(file);
  cst_result *r = cst_diag_count(d) ? NULL : cst_result_open(file, why, sizeof why);
  if (r)
    show(r, file);
  else if (!cst_diag_count(d))
    cst_diag_add(d, file, 0, 0, "%s", why);
  const bool bad = cst_diag_count(d) > 0;
  cst_diag_print(d, stderr);
  cst_result_close(r);
  cst_diag_destroy(d);
  return bad ? 2 : 0;
}

static const cst_option options[] = {
    {"FILE", .is = CST_OPTION_REQUIRED,
     .doc = "a result, of a run that is finished, interrupted or still going on, or FILE.json of "
            "`constella certify` or `choose`",
     .takes = "a result"},
    {NULL},
};

const cst_command cst_command_status = {
    .name = "status",
    .doc = "The state of a run: how much is done, the time left, failures, the newest checkpoint.",
    .option = options,
    .run = status,
    .reads = true,
};

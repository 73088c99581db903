/* status.c: `constella status FILE`: how far a run is, from its result file alone; also while it runs. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/diag.h"
#include "constella/record.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

int cst_cli_status(int argc, char **argv);

enum { REASONS = 128 };

typedef struct {
  long total, finished, failed, reason[REASONS];
} counts;

static counts count(cst_result *r) {
  counts  c = {0};
  int     ndim;
  long    e[CST_FIELD_DIMS], n = 1;
  double *s = cst_result_read(r, "/final/status", &ndim, e);
  for (int k = 0; s && k < ndim; k++) n *= e[k];
  for (long i = 0; s && i < n; i++) {
    c.total++;
    c.finished += s[i] >= 0;
    c.failed += s[i] > 0;
    if (s[i] > 0 && s[i] < REASONS) c.reason[(int)s[i]]++;
  }
  free(s);
  return c;
}

/* Share of the work that is done. /run/work_done: numbers that add up to the attribute /run work_total (1 when absent); else trajectories.
 */
static double share(cst_result *r, const counts *c) {
  int    ndim;
  long   e[CST_FIELD_DIMS], n = 1;
  double sum = 0, total = 1, *w = cst_result_read(r, "/run/work_done", &ndim, e);
  bool   known = false;
  for (int k = 0; w && k < ndim; k++) n *= e[k];
  for (long i = 0; w && i < n; i++)
    if (isfinite(w[i]) && w[i] > 0) sum += w[i], known = true;
  free(w);
  cst_result_number(r, "/run", "work_total", &total);
  if (known && total > 0) return fmin(sum / total, 1);
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
  for (char *s = text; s && *s; s++)
    if ((unsigned char)*s < 32 || *s == 127) *s = '?';
  if (text && *text) line(label, text);
  free(text);
}

static void print_state(cst_result *r, const char *state) {
  char *written = cst_result_text(r, "/run", "state");
  bool  says_running = written && !strcmp(written, "running");
  int   alive = cst_result_alive(r);
  if (says_running && alive == 0)
    line("state", "interrupted (its process is gone)");
  else if (says_running && alive < 0)
    line("state", "running (so it was left; its process is on another host)");
  else
    line("state", state);
  free(written);
}

static void print_counts(const counts *c) {
  printf("%-13s %ld of %ld done", "trajectories", c->finished, c->total);
  if (c->total) printf(" (%.3g%%)", floor(1000.0 * (double)c->finished / (double)c->total) / 10);
  if (c->failed) printf(", %ld of them failed", c->failed);
  for (int k = 1, any = 0; k < REASONS; k++)
    if (c->reason[k]) printf("%sreason %d: %ld", any++ ? ", " : " (", k, c->reason[k]);
  puts(c->failed ? ")" : "");
}

/* Until now while the run goes on; else until its recorded end, or until the file was last written. */
static void print_times(cst_result *r, const char *file, const char *state, double done) {
  struct stat s;
  double      started, until = (double)time(NULL);
  bool        running = !strcmp(state, "running");
  print_text(r, "started", "started");
  print_text(r, "finished", "finished");
  if (!cst_result_number(r, "/run", "started_unix", &started)) return;
  if (!running && !cst_result_number(r, "/run", "finished_unix", &until) && !stat(file, &s)) until = (double)s.st_mtime;
  double elapsed = fmax(until - started, 0);
  line("elapsed", duration(elapsed));
  if (running && done > 0 && done < 1)
    printf("%-13s about %s\n", "time left", duration(elapsed * (1 - done) / done));
  else if (running)
    line("time left", done > 0 ? "about 0 s" : "not known yet");
}

static void show(cst_result *r, const char *file) {
  const char *state = cst_result_state(r);
  counts      c = count(r);
  double      ranks;
  print_state(r, state);
  print_counts(&c);
  print_times(r, file, state, share(r, &c));
  print_text(r, "host", "host");
  if (cst_result_number(r, "/run", "ranks", &ranks)) printf("%-13s %.0f\n", "ranks", ranks);
}

static const char help[] =
    "constella status FILE\n  The state of a run (running, interrupted, complete), how much is done, and the time left.\n";

/* argv[0] is the name of the command. Exit: 0, 2 for mistakes of the user. */
int cst_cli_status(int argc, char **argv) {
  char        why[256];
  const char *file = NULL;
  cst_diag   *d = cst_diag_create();
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return cst_diag_destroy(d), fputs(help, stdout), 0;
    if (*argv[i] == '-')
      cst_diag_add(d, NULL, 0, 0, "status: no option \"%s\"; allowed: --help", argv[i]);
    else if (file)
      cst_diag_add(d, NULL, 0, 0, "status: one FILE is expected, found \"%s\" and \"%s\"", file, argv[i]);
    else
      file = argv[i];
  }
  if (!file) cst_diag_add(d, NULL, 0, 0, "status: FILE is missing; constella status FILE");
  cst_result *r = file ? cst_result_open(file, why, sizeof why) : NULL;
  if (file && !r) cst_diag_add(d, file, 0, 0, "%s", why);
  int bad = cst_diag_count(d);
  if (bad)
    cst_diag_print(d, stderr);
  else
    show(r, file);
  cst_result_close(r);
  cst_diag_destroy(d);
  return bad ? 2 : 0;
}

/* analysis.c: `constella report`, `plot`, `export` and `compare`: analysis/command.py draws and writes. They run in a
 * child (launch.h), because neither HDF5 nor h5py survives every damaged file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* asprintf */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/launch.h"
#include "constella/record.h"
#include "core/home.h"
#include "core/need.h"
#include "core/text.h"

/* The script: in CONSTELLA_ANALYSIS, or where the program's files are. */
static const char *script(void) {
  static char path[4200];
  const char *set = getenv("CONSTELLA_ANALYSIS");
  if (set)
    snprintf(path, sizeof path, "%s/command.py", set);
  else
    cst_home_find("analysis/command.py", path, sizeof path);
  return path;
}

/* Whether the file opens, under the limits of `table`: h5py never returns from some damaged files. A missing
 * file is left to the script. */
static bool examine(const char *file) {
  char why[512];
  if (access(file, R_OK))
    return true;
  cst_result *r = cst_result_open(file, why, sizeof why);
  if (!r)
    fprintf(stderr, "constella: error: %s: %s\n", file, why);
  cst_result_close(r);
  return r != NULL;
}

/* Of the processor: pages take seconds, those of large results a minute. */
enum { MOST_SECONDS = 900 };

/* Commands that run studies, or steppers, have no limit. */
static bool measures(const char *command) {
  return !strcmp(command, "certify") || !strcmp(command, "choose") || !strcmp(command, "explain") ||
         !strcmp(command, "verify-record");
}

/* Replaces this process by Python with words[0..n), the first of which is the command; words[n] is NULL.
 * Returns when it cannot. */
static int start_python(int n, const char **words) {
  const char  *python = getenv("PYTHON");
  const char **all = cst_need(calloc((size_t)n + 3, sizeof *all));
  all[0] = python ? python : "/usr/bin/python3";
  all[1] = script();
  memcpy(all + 2, words, sizeof *words * (size_t)n);
  if (access(all[1], R_OK)) {
    fprintf(stderr,
            "constella: error: %s cannot be read; set CONSTELLA_ANALYSIS to the folder analysis/\n",
            *all[1] ? all[1] : "analysis/command.py");
  } else {
    /* What they run is this program, and the library beside it. */
    char          self[4200];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
      self[length] = 0;
      setenv("CONSTELLA", self, 1);
    }
    if (!python)
      unsetenv("PYTHONHOME"); /* of another Python, with which this one would not start */
    setenv("OPENBLAS_NUM_THREADS", "1", 0); /* it reserves memory for each */
    setenv("MPLBACKEND", "Agg", 1); /* no display is needed, and none that the environment names */
    setenv("MATPLOTLIBRC", "/dev/null", 1); /* figures are the same for all users; see command.py */
    if (!measures(*words)) {
      /* Large pages and the C library's memory: a quarter of a picture's time went into pages of 4 KiB. */
      setenv("PYTHONMALLOC", "malloc", 0);
      setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
      setrlimit(RLIMIT_CPU, &(struct rlimit){MOST_SECONDS, MOST_SECONDS + 1});
    }
    execv(all[0], (char **)all);
    fprintf(stderr,
            "constella: error: %s cannot be started; set PYTHON to a python3 with h5py and "
            "matplotlib\n",
            all[0]);
  }
  free(all);
  return 2;
}

enum { WIDEST = 100 }; /* inches; more takes more memory than a machine has */

/* The values of the commands; each has some of them. */
typedef struct {
  const char *file, *other, *kind, *output, *methods, *where, *figures, *formats, *style, *x, *y,
      *z, *members, *time, *width, *panel, *columns, *icase;
} request;

enum { MOST_WORDS = 32 };

/* In a child process. words: the command, then "file=...", "other=..." and more; ends with NULL. */
static int examine_and_start(int n, char **words) {
  if (cst_limits_refuse_drawing())
    return 2;
  for (int k = 1; k < n; k++)
    if ((!strncmp(words[k], "file=", 5) && !examine(words[k] + 5)) ||
        (!strncmp(words[k], "other=", 6) && !examine(words[k] + 6)))
      return 2;
  return start_python(n, (const char **)words);
}

/* The script gets the command and a word NAME=VALUE for each argument and option: "file=order.h5",
 * "output=order.pdf". */
static int hand_over(const cst_command *c, const request *q) {
  char *words[MOST_WORDS + 2] = {(char *)c->name};
  int   n = 1;
  for (const cst_option *o = c->option; o->name && n <= MOST_WORDS; o++) {
    const char *value = *(const char *const *)((const char *)q + o->at);
    const char *name = o->name + strspn(o->name, "-");
    if (!value)
      continue;
    if (asprintf(&words[n], "%s=%s", name, value) < 0)
      cst_need_fail();
    if (*o->name != '-')
      for (char *s = words[n]; *s != '='; s++)
        *s = (char)tolower((unsigned char)*s);
    n++;
  }
  const int status = cst_guard(examine_and_start, n, words);
  while (n > 1)
    free(words[--n]);
  return status;
}

/* The default output, in the current folder; NULL: none. Owned. */
static char *default_output(const cst_command *c, const request *q) {
  const char *name;
  const int   length = cst_text_stem(q->file, &name);
  char       *output = NULL;
  if (q->output || q->figures)
    return NULL;
  if ((c == &cst_command_report ? asprintf(&output, "%.*s.html", length, name)
                                : asprintf(&output, "%.*s-%s.png", length, name, q->kind)) < 0)
    abort();
  return output;
}

/* PYTHON may name a program that ends well and writes nothing. */
static bool is_written(const char *output) {
  if (!access(output, F_OK))
    return true;
  fprintf(stderr, "constella: error: %s has not been written; is PYTHON a python3?\n", output);
  return false;
}

static int draw(const cst_command *c, int argc, char **argv) {
  request   q = {0};
  cst_diag *d = cst_diag_create();
  cst_options_parse(c, argc, argv, &q, d);
  const bool bad = cst_diag_count(d) > 0;
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  if (bad)
    return 2;
  char *output = c == &cst_command_compare ? NULL : default_output(c, &q);
  if (output)
    q.output = output;
  int         status = hand_over(c, &q);
  const char *written = q.output ? q.output : q.figures;
  if (!status && written && !is_written(written))
    status = 1;
  if (!status && output && c == &cst_command_plot)
    fprintf(stderr, "%s\n", output);
  free(output);
  return status;
}

static int report(int argc, char **argv) { return draw(&cst_command_report, argc, argv); }
static int plot(int argc, char **argv) { return draw(&cst_command_plot, argc, argv); }
static int export(int argc, char **argv) { return draw(&cst_command_export, argc, argv); }
static int compare(int argc, char **argv) { return draw(&cst_command_compare, argc, argv); }

int cst_analysis_start(int n, const char **words) { return start_python(n, words); }

/* What was given, or the default; NULL: neither. Of values that are no texts these commands have choices alone. */
static const char *value_of(const cst_option *o, const void *given) {
  const void *at = (const char *)given + (o->of.size ? o->of.at : o->at);
  if (cst_option_is_flag(o))
    return *(const bool *)at ? "1" : NULL;
  return o->of.size ? o->of.words[*(const int *)at] : *(const char *const *)at;
}

int cst_analysis_start_with(const cst_command *c, const void *given) {
  const char *words[MOST_WORDS + 2] = {c->name};
  int         n = 1;
  for (const cst_option *o = c->option; o->name && n <= MOST_WORDS; o++) {
    const char *value = value_of(o, given);
    char       *word;
    if (!value)
      continue;
    if (asprintf(&word, "%s=%s", o->name + strspn(o->name, "-"), value) < 0)
      cst_need_fail();
    for (char *s = word; *o->name != '-' && *s != '='; s++)
      *s = (char)tolower((unsigned char)*s);
    words[n++] = word;
  }
  return start_python(n, words);
}

int cst_analysis_list_figures(void) {
  const char *words[] = {"figures", NULL};
  return start_python(1, words);
}

/* ---- the tables ---- */

#define AT(MEMBER) offsetof(request, MEMBER)
#define RESULT                                                                                     \
  { "FILE", .is = CST_OPTION_REQUIRED, .at = AT(file), .doc = "a result", .takes = "a result" }
#define CHOICE                                                                                     \
  {"--methods", .value = "A,B", .at = AT(methods), .doc = "only these methods"}, {                 \
    "--where", .value = "CONDITIONS", .at = AT(where),                                             \
               .doc = "only cases that fulfil them, as in `constella table`"                       \
  }
static const char *const styles[] = {"screen", "paper", NULL};

#define STYLE                                                                                      \
  {                                                                                                \
    "--style", .of = {CST_VALUE_CHOICE, .words = styles}, .standard = "screen", .at = AT(style),   \
               .doc = "paper: sizes and fonts of a journal, no titles"                             \
  }

static const cst_option report_options[] = {
    RESULT,
    {"--output", .short_name = "-o", .value = "PAGE.html", .at = AT(output),
     .doc = "the page; default: FILE's name with .html, in the current folder, unless --figures is "
            "given"},
    {"--figures", .value = "DIR", .at = AT(figures),
     .doc = "write each figure into this folder too"},
    {"--formats", .value = "png,pdf,svg", .standard = "png", .at = AT(formats),
     .doc = "the formats of these figures"},
    CHOICE,
    STYLE,
    {NULL},
};

const cst_command cst_command_report = {
    .name = "report",
    .doc = "Figures and tables of a result in one self-contained page.",
    .option = report_options,
    .run = report,
};

static const cst_option plot_options[] = {
    RESULT,
    {"KIND", .is = CST_OPTION_REQUIRED, .at = AT(kind),
     .doc = "the kind of figure, one of `constella list figures`",
     .takes = "a kind of figure (`constella list figures`)"},
    {"--x", .value = "WHAT,...", .at = AT(x),
     .doc = "the horizontal axis: expressions, columns, or what is swept"},
    {"--y", .value = "WHAT,...", .at = AT(y), .doc = "the vertical axis"},
    {"--z", .value = "COLUMN", .at = AT(z), .doc = "the colour of a map"},
    {"--members", .value = "0,7", .at = AT(members), .doc = "the trajectories of these members"},
    {"--time", .value = "FROM:TO", .at = AT(time), .doc = "this part of the trajectories"},
    {"--other", .value = "FILE", .at = AT(other), .doc = "a second result in the picture (error)"},
    {"--output", .short_name = "-o", .value = "OUT", .at = AT(output),
     .doc = "OUT.png, .pdf or .svg; of kind mechanism also .html, an animation; default: "
            "FILE-KIND.png in "
            "the current folder"},
    {"--width", .value = "INCHES", .at = AT(width),
     .of = {CST_VALUE_NUMBER, .low = 0, .high = WIDEST, .above = true},
     .doc = "of the whole figure"},
    {"--panel", .value = "NAME", .at = AT(panel),
     .doc = "one panel alone, by its name: q, energy, a method of a map; a wrong name lists them"},
    CHOICE,
    STYLE,
    {NULL},
};

const cst_command cst_command_plot = {
    .name = "plot",
    .doc = "Draws one figure of a result; `constella list figures` lists the kinds.",
    .option = plot_options,
    .run = plot,
};

static const cst_option export_options[] = {
    RESULT,
    {"--output", .short_name = "-o", .value = "OUT", .is = CST_OPTION_REQUIRED, .at = AT(output),
     .doc = "OUT.csv or .parquet: the table; OUT.nc: all of it as netCDF for xarray; OUT.tex: a "
            "table for LaTeX",
     .takes = "the name of a file that ends in .csv, .parquet, .nc or .tex"},
    CHOICE,
    {"--columns", .value = "A,B", .at = AT(columns),
     .doc = "of .csv and .parquet: only these columns; of .tex: what is shown of each method"},
    {"--case", .value = "K", .at = AT(icase),
     .of = {CST_VALUE_INTEGER, .low = 0, .high = CST_NO_LIMIT},
     .doc = "of .csv and .parquet: the stored trajectories of case K instead of the table"},
    {NULL},
};

const cst_command cst_command_export = {
    .name = "export",
    .doc = "Writes a result as a table, as netCDF for xarray, or as a table for LaTeX.",
    .option = export_options,
    .run = export,
};

static const cst_option compare_options[] = {
    {"FILE", .is = CST_OPTION_REQUIRED, .at = AT(file), .doc = "a result, A", .takes = "a result"},
    {"OTHER", .is = CST_OPTION_REQUIRED, .at = AT(other), .doc = "another, B",
     .takes = "a second one"},
    CHOICE,
    {"--output", .short_name = "-o", .value = "OUT.csv", .at = AT(output),
     .doc = "write all differences into a table"},
    {NULL},
};

const cst_command cst_command_compare = {
    .name = "compare",
    .doc = "Compares two results: cases, bits, what differs beyond noise (status 1), work.",
    .option = compare_options,
    .run = compare,
};

/* merge-parts.c: finds the parts of a study among files, refuses what cannot be merged, and takes the parts over into one
 * result (see merge-parts.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/merge-parts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/run/extend.h"
#include "study/run/identity.h"
#include "study/run/libraries.h"

/* ---- the parts among the files --------------------------------------------------------------- */

enum { NAMED = 10 }; /* missing parts that are named */

typedef struct {
  cst_merge  *m;
  int         at; /* index of the file */
  const char *path;
  cst_result *file;
  char       *text; /* "2/7" */
  long        part, n;
  cst_diag   *d;
} candidate;

static bool same_text(cst_result *f, const char *name, const char *wanted) {
  char      *text = cst_result_text(f, "/", name);
  const bool same = !strcmp(text ? text : "", wanted ? wanted : "");
  free(text);
  return same;
}

/* The study is the same in all on which the result depends. */
static bool is_of_study(const candidate *c) {
  const cst_study *s = c->m->plan->study;
  char             why[512];
  char            *study = cst_result_text(c->file, "/", "study");
  const bool same = study && cst_identity_same(study, s->source.canonical, "it", why, sizeof why);
  if (!study)
    snprintf(why, sizeof why, "it names no study");
  free(study);
  if (!same)
    cst_diag_add(c->d, c->path, 0, 0, "is of another study than %s: %s", c->m->file[0], why);
  else if (!same_text(c->file, "system_description", s->problem.system->description->text))
    cst_diag_add(c->d, c->path, 0, 0, "has another description of the system than %s",
                 c->m->file[0]);
  else if (!same_text(c->file, "starts", s->starts.table.text))
    cst_diag_add(c->d, c->path, 0, 0, "has other starts than %s", c->m->file[0]);
  else
    return true;
  return false;
}

static bool is_of_build(const candidate *c, const char *what, const char *group, const char *name,
                        const char *now) {
  char      *then = cst_result_text(c->file, group, name);
  const bool same = then && !strcmp(then, now);
  if (!same)
    cst_diag_add(c->d, c->path, 0, 0,
                 "was made by another program: %s '%s', and this one has '%s'; make all parts and "
                 "their result with one program",
                 what, then ? then : "", now);
  free(then);
  return same;
}

/* Other builds may have other bits. */
static bool is_of_program(const candidate *c) {
  char libraries[512];
  cst_libraries(libraries, sizeof libraries);
  return is_of_build(c, "version", "/", "git", cst_identity_version()) &&
         is_of_build(c, "compiler", "/run", "compiler", cst_identity_compiler()) &&
         is_of_build(c, "libraries", "/run", "libraries", libraries);
}

/* Reads which part it is; false: it is none, or one of another number of parts. */
static bool read_part(candidate *c) {
  c->text = cst_result_text(c->file, "/", "part");
  if (!c->text || !cst_part_parse(c->text, &c->part, &c->n)) {
    cst_diag_add(c->d, c->path, 0, 0,
                 "is not a part of a study; `constella run --part K/N` makes one");
    return false;
  }
  if (c->m->division && c->m->division->n != c->n) {
    cst_diag_add(c->d, c->path, 0, 0, "is part %s, and %s is one of %ld parts", c->text,
                 c->m->file[0], c->m->division->n);
    return false;
  }
  return true;
}

static bool is_complete(const candidate *c) {
  const char *state = cst_result_state(c->file);
  if (!strcmp(state, "part"))
    return true;
  cst_diag_add(c->d, c->path, 0, 0,
               "is part %s, which is not complete (%s); finish it with --part %s and --resume",
               c->text, state, c->text);
  return false;
}

/* Whether all trajectories of the part have a status, and all of its numbers are possible. */
static bool has_rows(const candidate *c, const cst_extension *e) {
  const int before = cst_diag_count(c->d);
  long      first, count, without = 0;
  for (int k = 0; k < c->m->plan->ncase; k++) {
    cst_extend_members(e, k, &first, &count);
    const long   start[2] = {k, first}, extent[2] = {1, count};
    signed char *status = cst_need(malloc((size_t)count + 1));
    if (count && !cst_result_read_block(c->file, cst_channel_status.path, CST_TYPE_I8, start,
                                        extent, status))
      memset(status, -1, (size_t)count);
    for (long i = 0; i < count; i++)
      without += status[i] < 0;
    free(status);
  }
  if (without)
    cst_diag_add(c->d, c->path, 0, 0, "is damaged: %ld trajectories of part %s have no rows",
                 without, c->text);
  else
    cst_extend_check(e, c->path, c->d);
  return cst_diag_count(c->d) == before;
}

/* Compares all that a part has with another file of the same part. */
static cst_error compare(const candidate *c, const cst_extension *e, cst_comparison *x) {
  const cst_merge_part *there = &c->m->part[c->part - 1];
  char                  why[512];
  cst_output           *o;
  bool                  closed;
  cst_result           *first = cst_result_open(c->m->file[there->file], why, sizeof why);
  CST_CHECK(first, MPI_COMM_SELF, CST_ERR_FILE_OPEN, "%s", why);
  long *none = cst_zeros(c->m->plan->ncase, sizeof *none); /* a part continues no earlier end */
  CST_TRY(cst_output_compare(c->m->plan, first, none, false, x, &o));
  for (int k = 0; k < c->m->plan->ncase; k++)
    CST_TRY(cst_extend_case(e, o, k));
  CST_TRY(cst_output_close(&o, NULL, &closed, NULL, NULL, 0));
  free(none);
  cst_result_close(first);
  return 0;
}

static cst_error ignore(MPI_Comm comm, int line, const char *function, const char *file,
                        cst_error n, bool arises, const char *text, void *context) {
  (void)comm, (void)line, (void)function, (void)file, (void)arises, (void)text, (void)context;
  return n;
}

/* A part that is there already: a copy is left out. */
static void meet(const candidate *c, const cst_extension *e) {
  const char    *other = c->m->file[c->m->part[c->part - 1].file];
  cst_comparison x = {0};
  cst_error      failed;
  cst_error_push(ignore, NULL);
  failed = compare(c, e, &x);
  cst_error_pop();
  if (failed)
    cst_diag_add(c->d, c->path, 0, 0, "is part %s as %s is, and cannot be compared with it",
                 c->text, other);
  else if (x.different)
    cst_diag_add(
        c->d, c->path, 0, 0,
        "is part %s as %s is, with %ld other numbers of %ld, the first in %s; give the right "
        "one alone",
        c->text, other, x.different, x.compared, x.first);
  else
    fprintf(stderr, "constella: %s is left out: it is part %s, as %s is, with the same bits\n",
            c->path, c->text, other);
}

static void add(const candidate *c) {
  cst_merge_part *x = &c->m->part[c->part - 1];
  char           *token = cst_result_text(c->file, "/run", "id");
  x->file = c->at;
  snprintf(x->token, sizeof x->token, "%s", token ? token : "");
  free(token);
}

static void make_room(cst_merge *m, long n) {
  m->division = cst_division_create(m->plan, n);
  m->part = cst_zeros(n, sizeof *m->part);
  for (long i = 0; i < n; i++)
    m->part[i].file = -1;
}

static void examine(candidate *c) {
  cst_extension e;
  if (!read_part(c) || !is_of_study(c) || !is_of_program(c) || !is_complete(c))
    return;
  if (!c->m->division)
    make_room(c->m, c->n);
  cst_extend_whole(&e, c->file, c->m->plan, c->m->division, c->part);
  if (has_rows(c, &e)) {
    if (c->m->part[c->part - 1].file >= 0)
      meet(c, &e);
    else
      add(c);
  }
  cst_extend_destroy(&e);
}

/* "3/7, 5/7 and 12 more". */
static void report_missing(const cst_merge *m, cst_diag *d) {
  char   text[NAMED * CST_PART_TEXT] = "";
  size_t at = 0;
  long   missing = 0;
  for (long i = 0; m->division && i < m->division->n; i++) {
    if (m->part[i].file >= 0)
      continue;
    if (missing++ < NAMED)
      at += (size_t)snprintf(text + at, sizeof text - at, "%s%ld/%ld", at ? ", " : "", i + 1,
                             m->division->n);
  }
  if (missing > NAMED)
    cst_diag_add(d, NULL, 0, 0, "parts %s and %ld more are missing", text, missing - NAMED);
  else if (missing)
    cst_diag_add(d, NULL, 0, 0, "part%s %s %s missing", missing > 1 ? "s" : "", text,
                 missing > 1 ? "are" : "is");
}

void cst_merge_examine(cst_merge *m, cst_diag *d) {
  const int before = cst_diag_count(d);
  char      why[512];
  for (int i = 0; i < m->nfile; i++) {
    candidate c = {.m = m, .at = i, .path = m->file[i], .d = d};
    c.file = cst_result_open(c.path, why, sizeof why);
    if (c.file)
      examine(&c);
    else
      cst_diag_add(d, c.path, 0, 0, "%s", why);
    cst_result_close(c.file);
    free(c.text);
  }
  if (cst_diag_count(d) == before)
    report_missing(m, d);
}

/* ---- into one result ------------------------------------------------------------------------- */

void cst_merge_share(cst_merge *m) {
  long n = m->division ? m->division->n : 0;
  (void)MPI_Bcast(&n, 1, MPI_LONG, 0, cst_world);
  if (!m->division && n) {
    m->division = cst_division_create(m->plan, n);
    m->part = cst_zeros(n, sizeof *m->part);
  }
  (void)MPI_Bcast(m->part, (int)(n * (long)sizeof *m->part), MPI_BYTE, 0, cst_world);
}

void cst_merge_destroy(cst_merge *m) {
  cst_division_destroy(m->division);
  free(m->part);
}

void cst_merge_mark(const cst_merge *m, cst_checkpoint *checkpoint) {
  for (int k = 0; k < m->plan->nclass; k++)
    memset(checkpoint->lane[k], CST_LANE_DONE, (size_t)m->plan->classes[k].lanes);
}

/* Opens a part again, which must still be the one that was examined. */
static cst_error reopen(const cst_merge *m, long part, cst_result **file) {
  const cst_merge_part *x = &m->part[part - 1];
  const char           *path = m->file[x->file];
  char                  why[512];
  *file = cst_result_open(path, why, sizeof why);
  CST_CHECK(*file, MPI_COMM_SELF, CST_ERR_FILE_OPEN, "%s: %s", path, why);
  char      *token = cst_result_text(*file, "/run", "id");
  const bool same = token && !strcmp(token, x->token);
  free(token);
  CST_CHECK(same, MPI_COMM_SELF, CST_ERR_FILE_UNEXPECTED,
            "%s was replaced while the parts were merged", path);
  return 0;
}

cst_error cst_merge_rows(const cst_merge *m, cst_output *o, cst_tallies *t) {
  int           rank, ranks;
  cst_extension e;
  cst_result   *file;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY_MPI(MPI_Comm_size(cst_world, &ranks));
  for (long part = 1 + rank; part <= m->division->n; part += ranks) {
    CST_TRY(reopen(m, part, &file));
    cst_extend_whole(&e, file, m->plan, m->division, part);
    for (int k = 0; k < m->plan->ncase; k++)
      CST_TRY(cst_extend_case(&e, o, k));
    CST_TRY(cst_extend_tallies(&e, t));
    cst_extend_destroy(&e);
    cst_result_close(file);
  }
  return 0;
}

/* The seconds of each class, from the rates that the part has of its cases. */
static void add_seconds(const cst_merge *m, long part, const double *rate, double *seconds) {
  long first, count;
  for (int k = 0; k < m->plan->nclass; k++) {
    const cst_class *c = &m->plan->classes[k];
    const double     r = rate[c->cases[0]];
    cst_division_lanes(m->plan, m->division, part, k, &first, &count);
    if (isfinite(r) && r > 0)
      seconds[k] += (double)count * (double)c->n / r;
  }
}

cst_error cst_merge_seconds(const cst_merge *m, double *seconds) {
  cst_result *file;
  for (long part = 1; part <= m->division->n; part++) {
    int  ndim;
    long e[CST_FIELD_DIMS];
    CST_TRY(reopen(m, part, &file));
    double *rate = cst_result_read(file, cst_channel_rate.path, &ndim, e);
    if (rate && ndim == 1 && e[0] == m->plan->ncase)
      add_seconds(m, part, rate, seconds);
    free(rate);
    cst_result_close(file);
  }
  return 0;
}

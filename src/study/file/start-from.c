/* start-from.c: `initial: {from: earlier.h5, case: 3}`: members start where the members of a case of an
 * earlier result ended.
 *
 * Failed members are left out; the m-th of the others becomes member m. Velocities are M^-1 (p - a) with the
 * parameters of that case, and the start is projected onto the constraints, which removes the normal part of
 * p that some methods carry. Time starts at 0. The starts become a table as in start-csv.c, which the new
 * result stores.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/record.h"
#include "core/need.h"
#include "study/file/starts.h"

/* Arguments for the fetch, whose signature has only a path. */
static struct {
  const cst_system *system;
  long              icase; /* -1: the only case */
} asked;

/* Final states of a result. */
typedef struct {
  double *status, *q, *p, *c;
  long    ncase, members, icase;
} finals;

static void free_finals(finals *f) {
  free(f->status);
  free(f->q);
  free(f->p);
  free(f->c);
}

static const char *read_finals(cst_result *file, finals *f) {
  static char why[200];
  int         ndim;
  long        e[CST_FIELD_DIMS];
  char       *description = cst_result_text(file, "/", "system_description");
  const bool  same = description && !strcmp(description, asked.system->text);
  free(description);
  if (!same)
    return "has another system, or another description of it";
  if (strcmp(cst_result_state(file), "complete"))
    return "is not complete";
  f->status = cst_result_read(file, "/final/status", &ndim, e);
  if (!f->status || ndim != 2 || e[0] < 1 || e[1] < 1)
    return "has no final states";
  f->ncase = e[0];
  f->members = e[1];
  f->icase = asked.icase;
  if (f->icase < 0 && f->ncase > 1) {
    snprintf(why, sizeof why, "has %ld cases; choose one with `case: K`, 0 to %ld", f->ncase,
             f->ncase - 1);
    return why;
  }
  if (f->icase < 0)
    f->icase = 0;
  if (f->icase >= f->ncase) {
    snprintf(why, sizeof why, "has no case %ld; there are 0 to %ld", f->icase, f->ncase - 1);
    return why;
  }
  const long nq = asked.system->nq;
  const long npar = asked.system->npar;
  f->q = cst_result_read(file, "/final/q", &ndim, e);
  bool states = f->q && ndim == 3 && e[0] == f->ncase && e[1] == f->members && e[2] == nq;
  f->p = cst_result_read(file, "/final/p", &ndim, e);
  states = states && f->p && ndim == 3 && e[0] == f->ncase && e[1] == f->members && e[2] == nq;
  if (!states)
    return "has no final states of this system";
  if (!npar)
    return NULL;
  f->c = cst_result_read(file, "/cases/parameters", &ndim, e);
  const bool parameters = f->c && ndim == 2 && e[0] == f->ncase && e[1] == npar;
  if (!parameters)
    return "has no parameters of this system";
  return NULL;
}

/* Prints the table of the members that ended well; returns their number. */
static long print(const finals *f, FILE *out) {
  const cst_system *s = asked.system;
  const double     *c = f->c ? f->c + f->icase * s->npar : NULL;
  double           *v = cst_reader_memory((size_t)s->nq, sizeof *v);
  long              n = 0;
  for (int i = 0; i < s->nq; i++)
    fprintf(out, "%s%s", i ? "," : "", s->coordinate[i]);
  for (int i = 0; i < s->nq; i++)
    fprintf(out, ",%s'", s->coordinate[i]);
  fputc('\n', out);
  for (long m = 0; m < f->members; m++) {
    const long    row = f->icase * f->members + m;
    const double *q = f->q + row * s->nq;
    const double *p = f->p + row * s->nq;
    if (f->status[row] != 0)
      continue;
    if (!cst_system_velocity(s, c, q, p, v))
      continue;
    for (int i = 0; i < s->nq; i++)
      fprintf(out, "%s%.17g", i ? "," : "", q[i]);
    for (int i = 0; i < s->nq; i++)
      fprintf(out, ",%.17g", v[i]);
    fputc('\n', out);
    n++;
  }
  free(v);
  return n;
}

const char *cst_starts_fetch_result(const char *path, char **bytes, size_t *length) {
  static char why[600];
  cst_result *file = cst_result_open(path, why, sizeof why);
  finals      f = {0};
  if (!file)
    return why;
  const char *reason = read_finals(file, &f);
  if (!reason) {
    char      *text;
    size_t     size;
    FILE      *out = cst_need(open_memstream(&text, &size));
    const long n = print(&f, out);
    fclose(out);
    if (n) {
      *bytes = text;
      *length = size;
    } else {
      free(text);
      reason = "has no member of that case that ended well";
    }
  }
  free_finals(&f);
  cst_result_close(file);
  return reason;
}

static bool read(cst_reader *r, cst_yaml *map, cst_yaml *value) {
  cst_study  *s = r->s;
  const char *name = cst_reader_text(r, value, "from", "the name of a result file");
  long        icase = -1;
  if (cst_yaml_get(map, "case"))
    cst_reader_integer(r, cst_yaml_get(map, "case"), "case", 0, 10000000, &icase);
  if (!name)
    return false;
  asked.system = s->system;
  asked.icase = icase;
  return cst_starts_beside(r, map, value, name, cst_starts_fetch_result);
}

static const char *const also[] = {"case", "sha256", NULL};

const cst_start_form cst_start_form_from = {
    .key = "from", .also = also, .projects = true, .whole = true, .read = read};

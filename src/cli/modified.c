/* modified.c: `constella modified METHOD SYSTEM`: writes the system whose motion a method follows more closely than
 * that of the given one (system/modified-lagrangian.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/inputs.h"
#include "constella/method.h"
#include "core/diag.h"
#include "core/need.h"
#include "expr/write.h"
#include "system/modified-lagrangian.h"

typedef struct {
  const char *method, *system, *output;
} arguments;

static const cst_option options[] = {
    {"METHOD", .is = CST_OPTION_REQUIRED, .at = offsetof(arguments, method),
     .doc = "rattle, euler-a, euler-b or midpoint", .takes = "a method"},
    {"SYSTEM", .is = CST_OPTION_REQUIRED, .at = offsetof(arguments, system),
     .doc = "a system file, or the name of a system of the catalogue",
     .takes = "a system file or the name of a system"},
    {"--output", .short_name = "-o", .value = "FILE.yaml", .at = offsetof(arguments, output),
     .doc = "the system file, which must not exist; default: standard output"},
    {NULL},
};

/* ---- the method ---- */

/* The row of a method; NULL with the reason in d. */
static const cst_modified_row *find_row(const char *text, cst_diag *d) {
  cst_expr_error          e;
  cst_method             *m = cst_method_parse(text, NULL, &e);
  const cst_modified_row *row = cst_modified_rows;
  if (!m) {
    cst_diag_add(d, NULL, 0, 0, "METHOD: %s", e.message);
    return NULL;
  }
  while (row->method && strcmp(row->method, cst_method_label(m)))
    row++;
  if (!row->method)
    cst_diag_add(d, NULL, 0, 0,
                 "METHOD: no modified Lagrangian to order h^2 is known for '%s'; allowed: rattle, "
                 "euler-a, euler-b, midpoint",
                 cst_method_label(m));
  cst_method_destroy(m);
  return row->method ? row : NULL;
}

/* ---- the file ---- */

typedef struct {
  const cst_system *s;
  const char       *step, *prefix; /* names of h and of definitions */
} names;

static const char *name_of(const void *context, char letter, int index) {
  const names *n = context;
  if (letter == 'q')
    return n->s->description->coordinate[index];
  return index == n->s->npar ? n->step : n->s->parameter[index].name;
}

static bool is_taken(const cst_system *s, const char *name, bool as_prefix) {
  const size_t n = strlen(name);
  for (int i = 0; i < s->nq + s->npar; i++) {
    const char *other = i < s->nq ? s->description->coordinate[i] : s->parameter[i - s->nq].name;
    if (as_prefix ? !strncmp(other, name, n) : !strcmp(other, name))
      return true;
  }
  return false;
}

/* The first of the names that the system does not use; the last one otherwise. */
static const char *free_name(const cst_system *s, const char *const *candidate, bool as_prefix) {
  while (candidate[1] && is_taken(s, *candidate, as_prefix))
    candidate++;
  return *candidate;
}

static void write_list(FILE *f, char *const *text, int n) {
  for (int i = 0; i < n; i++)
    fprintf(f, "%s\"%s\"", i ? ", " : "[", text[i]);
  fputs("]", f);
}

static void write_head(FILE *f, const cst_system *s, const char *method, const char *step) {
  fprintf(f, "system: %s-of-%s\n", s->name, method);
  fprintf(f,
          "doc: >-\n  The system that %s with step %s follows on %s, to order %s^2 in its "
          "Lagrangian. Its starts are "
          "those of the method, with the velocities that have the same momenta.\n",
          method, step, s->name, step);
  fprintf(f, "source: Vermeeren, Modified equations for variational integrators, Numer. Math. 137 "
             "(2017) 1001\n");
  fprintf(f, "coordinates: [");
  for (int i = 0; i < s->nq; i++)
    fprintf(f, "%s%s", i ? ", " : "", s->description->coordinate[i]);
  fprintf(f, "]\nparameters:\n");
  for (int i = 0; i < cst_system_named(s); i++)
    fprintf(f, "  %s: %.17g\n", s->parameter[i].name, s->parameter[i].value);
  fprintf(f, "  %s: {default: 0.1, doc: the step of %s}\n", step, method);
}

static void write_definitions(FILE *f, const cst_written *w) {
  if (w->n)
    fputs("define:\n", f);
  for (int k = 0; k < w->n; k++)
    fprintf(f, "  %s: \"%s\"\n", w->name[k], w->text[k]);
}

/* Linear generators of isometries are symmetries of the modified Lagrangian too. xi: [nsym][nq] */
static void write_symmetries(FILE *f, const cst_system *s, char *const *xi) {
  const char *head = "symmetries:\n";
  for (int k = 0; k < s->nsym; k++) {
    if (!cst_graph_is_zero(s->model->graph, s->model->gauge[k]))
      continue;
    fprintf(f, "%s  %s: ", head, s->description->symmetry[k]);
    write_list(f, xi + s->nq * k, s->nq);
    fputs("\n", f);
    head = "";
  }
}

/* out: mass [nq][nq], potential, symmetries [nsym][nq], then q and v of each state */
static void write_file(FILE *f, const names *n, const char *method, const cst_written *w) {
  const cst_system *s = n->s;
  const int         nq = s->nq;
  char *const      *out = w->out;
  write_head(f, s, method, n->step);
  write_definitions(f, w);
  fputs("mass:\n", f);
  for (int i = 0; i < nq; i++) {
    fputs("  - ", f);
    write_list(f, out + nq * i, nq);
    fputs("\n", f);
  }
  fprintf(f, "potential: \"%s\"\n", out[nq * nq]);
  write_symmetries(f, s, out + nq * nq + 1);
  fputs("states:\n", f);
  for (int k = 0; k < s->nstate; k++) {
    char *const *q = out + nq * nq + 1 + nq * (s->nsym + 2 * k);
    fprintf(f, "  %s:\n    q: ", s->description->state[k].name);
    write_list(f, q, nq);
    fputs("\n    v: ", f);
    write_list(f, q + nq, nq);
    fputs("\n", f);
  }
}

/* All nodes of the file in one list, so that they share definitions. Owned. */
static cst_node *all_nodes(const cst_system *s, const cst_modified *m, int *count) {
  const int nq = s->nq;
  cst_node *node =
      cst_need(malloc(sizeof *node * (size_t)(nq * nq + 1 + nq * (s->nsym + 2 * s->nstate))));
  memcpy(node, m->mass, sizeof *node * (size_t)(nq * nq));
  int at = nq * nq;
  node[at++] = m->potential;
  for (int i = 0; i < s->nsym * nq; i++)
    node[at++] = s->model->xi[i];
  for (int k = 0; k < s->nstate; k++) {
    memcpy(node + at, s->description->state[k].q, sizeof *node * (size_t)nq);
    memcpy(node + at + nq, m->v[k], sizeof *node * (size_t)nq);
    at += 2 * nq;
  }
  *count = at;
  return node;
}

enum { MOST_DEFINITIONS = 256 }; /* of a system file */

static int write_modified(const arguments *a, const cst_system *s, const cst_modified_row *row,
                          const cst_modified *m, cst_diag *d) {
  static const char *const steps[] = {"h", "method_h", "of_method_h", NULL};
  static const char *const prefixes[] = {"d", "e", "d_", "define_", NULL};
  const names              n = {s, free_name(s, steps, false), free_name(s, prefixes, true)};
  int                      count;
  cst_node                *node = all_nodes(s, m, &count);
  cst_written              w = cst_graph_write(m->graph, node, count, n.prefix, name_of, &n);
  FILE                    *f = NULL;
  free(node);
  if (w.n > MOST_DEFINITIONS)
    cst_diag_add(d, NULL, 0, 0,
                 "SYSTEM: the file would need %d definitions; a system file has at most %d", w.n,
                 MOST_DEFINITIONS);
  else if (!(f = a->output ? fopen(a->output, "wx") : stdout))
    cst_diag_add(d, a->output, 0, 0, "%s", strerror(errno));
  if (f)
    write_file(f, &n, row->method, &w);
  const bool whole = !f || (fflush(f) == 0 && !ferror(f));
  if (f && a->output && (fclose(f) || !whole))
    cst_diag_add(d, a->output, 0, 0, "it could not be written: %s", strerror(errno));
  cst_written_end(&w);
  return cst_diag_count(d) ? f ? 1 : 2 : whole ? 0 : 1;
}

static int modify(const arguments *a, cst_diag *d) {
  const cst_modified_row *row = find_row(a->method, d);
  cst_system             *s = row ? cst_description_read(a->system, d) : NULL;
  const char             *why = s ? cst_modified_refuses(s) : NULL;
  cst_modified           *m = s && !why ? cst_modified_create(s, row) : NULL;
  if (why)
    cst_diag_add(d, NULL, 0, 0,
                 "SYSTEM: '%s' %s; modified Lagrangians are known for constant diagonal masses "
                 "without constraints, M v'' = -V'(q)",
                 s->name, why);
  else if (s && !m)
    cst_diag_add(d, NULL, 0, 0,
                 "SYSTEM: the second derivatives of the potential of '%s' are too large", s->name);
  const int status = m ? write_modified(a, s, row, m, d) : 2;
  if (s)
    cst_modified_destroy(m, s);
  cst_system_destroy(s);
  return status;
}

static int modified(int argc, char **argv) {
  arguments a = {0};
  cst_diag *d = cst_diag_create();
  cst_options_parse(&cst_command_modified, argc, argv, &a, d);
  const int status = cst_diag_count(d) ? 2 : modify(&a, d);
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return status;
}

const cst_command cst_command_modified = {
    .name = "modified",
    .doc = "Writes the system that a variational method follows to order h^2 (docs/modified.md).",
    .option = options,
    .run = modified,
};

/* cite.c: `constella cite FILE`: BibTeX of what a result was made with: the program, and the sources of its
 * methods, composition schemes and system.
 *
 * The entries are those of bibliography.bib, which is built into the program; the field `usedby` of an entry
 * names the rows that it is a source of. A comment names a row without an entry; for a user's system it has
 * the `source`.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "constella/constella.h"
#include "core/document.h"
#include "core/need.h"
#include "core/text.h"
#include "system/compile/compile.h"

extern const cst_source cst_bibliographys[]; /* bibliography.bib; written by embed.sh */

enum { MOST_USES = 512, WIDTH = 96 };

/* The rows that a result uses, such as "method rattle"; each once. */
typedef struct {
  int  n;
  char name[MOST_USES][WIDTH];
  bool has_entry[MOST_USES]; /* an entry has it */
} uses;

static void add(uses *u, const char *kind, const char *name) {
  char text[WIDTH];
  snprintf(text, sizeof text, "%s %s", kind, name);
  for (int i = 0; i < u->n; i++)
    if (!strcmp(u->name[i], text))
      return;
  if (u->n < MOST_USES)
    strcpy(u->name[u->n++], text);
}

static bool is_method(const char *word) {
  for (int i = 0; i < cst_method_count(); i++)
    if (!strcmp(cst_method_info_at(i)->name, word))
      return true;
  return false;
}

/* Adds the methods and schemes of an expression: its words that are names of rows. */
static void add_expression(uses *u, const char *text) {
  while (*text) {
    char         word[WIDTH];
    const size_t n =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    snprintf(word, sizeof word, "%.*s", (int)n, text);
    if (is_method(word))
      add(u, "method", word);
    if (cst_scheme_find(word))
      add(u, "scheme", word);
    text += n ? n : 1;
  }
}

/* ---- the result ---- */

/* Adds the methods of a study under other keys than `methods`: that of its reference, and the one that
 * relaxes its start. */
static void add_others(uses *u, const char *study, cst_diag *d) {
  cst_document *doc = cst_document_parse("the study of the result", study, strlen(study), d);
  if (!doc)
    return;
  cst_yaml   *root = cst_document_root(doc);
  const char *reference = cst_yaml_text(cst_yaml_get(cst_yaml_get(root, "reference"), "method"));
  const char *relax =
      cst_yaml_text(cst_yaml_get(cst_yaml_get(cst_yaml_get(root, "initial"), "relax"), "method"));
  if (reference)
    add_expression(u, reference);
  if (relax)
    add_expression(u, relax);
  cst_document_destroy(doc);
}

static void read_uses(cst_result *r, uses *u, cst_diag *d) {
  long rows = 0;
  char(*method)[CST_TEXT_WIDTH + 1] = cst_result_read_text(r, "/statistics/method", &rows);
  char *system = cst_result_text(r, "/", "system");
  char *study = cst_result_text(r, "/", "study");
  for (long i = 0; method && i < rows; i++)
    add_expression(u, method[i]);
  if (study)
    add_others(u, study, d);
  if (system)
    cst_text_disarm(system, 0);
  if (system)
    add(u, "system", system);
  add(u, "software", "every");
  free(method);
  free(system);
  free(study);
}

/* ---- the bibliography ---- */

/* Whether the field `usedby` of an entry has one of the uses; marks all that it has. */
static bool is_used(const char *list, const char *end, uses *u) {
  bool any = false;
  for (int i = 0; i < u->n; i++) {
    const size_t n = strlen(u->name[i]);
    const char  *at = strstr(list, u->name[i]);
    while (at && at < end) {
      const bool whole = strchr("{ ", at[-1]) && strchr(",}", at[n]);
      if (whole)
        u->has_entry[i] = true;
      any |= whole;
      at = strstr(at + n, u->name[i]);
    }
  }
  return any;
}

/* Prints the entry without its last field, `usedby`. */
static void print_entry(const char *entry, const char *field) {
  while (isspace((unsigned char)field[-1]))
    field--;
  printf("\n%.*s\n}\n", (int)(field - entry - (field[-1] == ',')), entry);
}

static void print_entries(uses *u) {
  for (const char *entry = strstr(cst_bibliographys[0].text, "\n@"); entry;
       entry = strstr(entry + 1, "\n@")) {
    const char *field = strstr(entry, "\n  usedby");
    const char *end = field ? strstr(field, "\n}") : NULL;
    if (end && is_used(field, end, u))
      print_entry(entry + 1, field);
  }
}

/* Text of a result in a comment: BibTeX knows none, but passes over all that is no entry, and @ begins one. */
static void print_comment(const char *text) {
  for (; *text; text++)
    if (*text == '@')
      printf("(at)");
    else
      putchar(*text);
}

/* Text of a result in a field, which it cannot end. Owned. */
static char *field_of(cst_result *r, const char *name) {
  char *text = cst_result_text(r, "/", name);
  for (char *x = text; x && *x; x++)
    if (!isalnum((unsigned char)*x) && !strchr(" .+_-", *x))
      *x = '-';
  return text;
}

/* Prints the field `source` of a description, on one line, if any. */
static void print_source(const char *description) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = description
                      ? cst_system_read("the result", description, strlen(description), NULL, 0, d)
                      : NULL;
  char       *source = s && s->source ? cst_need(strdup(s->source)) : NULL;
  if (source)
    cst_text_disarm(source, 0);
  if (source) {
    printf(": ");
    print_comment(source);
  }
  free(source);
  cst_system_destroy(s);
  cst_diag_destroy(d);
}

static void print_rest(cst_result *r, const uses *u) {
  for (int i = 0; i < u->n; i++) {
    if (u->has_entry[i])
      continue;
    printf("\n%% no entry: ");
    print_comment(u->name[i]);
    if (!strncmp(u->name[i], "system ", 7)) {
      char *description = cst_result_text(r, "/", "system_description");
      print_source(description);
      free(description);
    }
    printf("\n");
  }
}

/* The version is that of the result, not of this program. */
static void print_software(cst_result *r) {
  char *version = field_of(r, "version");
  char *git = field_of(r, "git");
  printf("@software{Constella,\n  author  = {{The Constella authors}},\n  title   = {Constella: "
         "studies of "
         "structure-preserving integrators for constrained mechanical systems},\n");
  printf("  version = {%s%s%s%s}\n}\n", version ? version : "unknown", git ? " (" : "",
         git ? git : "", git ? ")" : "");
  free(version);
  free(git);
}

static void print(const char *path, cst_diag *d) {
  static uses u;
  char        why[512];
  cst_result *r = cst_result_open(path, why, sizeof why);
  if (!r) {
    cst_diag_add(d, path, 0, 0, "%s", why);
    return;
  }
  read_uses(r, &u, d);
  print_software(r);
  print_entries(&u);
  print_rest(r, &u);
  cst_result_close(r);
}

static int cite(int argc, char **argv) {
  const char *file = NULL;
  cst_diag   *d = cst_diag_create();
  cst_options_parse(&cst_command_cite, argc, argv, &file, d);
  if (!cst_diag_count(d))
    print(file, d);
  const int status = cst_diag_count(d) ? 2 : 0;
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return status;
}

static const cst_option options[] = {
    {"FILE", .is = CST_OPTION_REQUIRED, .doc = "a result", .takes = "a result"},
    {NULL},
};

const cst_command cst_command_cite = {
    .name = "cite",
    .doc = "BibTeX of what a result was made with: methods, composition schemes, system, software.",
    .option = options,
    .run = cite,
    .reads = true,
};

/* list.c: `constella list WHAT`: prints the registries, a line per entry. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/inputs.h"
#include "observe/observer.h"
#include "core/diag.h"
#include "study/rows/collector.h"
#include "study/rows/study.h"
#include "system/library.h"

/* The length of the first sentence. */
static int sentence(const char *text) {
  const char *end = strstr(text, ". ");
  return end ? (int)(end - text) + 1 : (int)strlen(text);
}

static void print_system(const char *name, const char *text, size_t length, cst_diag *d) {
  cst_system *s = cst_system_outline(name, text, length, d);
  if (s)
    printf("%-22s %2d coordinates, %2d constraints  %.*s\n", s->name, s->nq, s->ng,
           sentence(s->doc), s->doc);
  cst_system_destroy(s);
}

/* Those of the library follow; their files are read. */
static void systems(void) {
  int                n;
  const char *const *name = cst_library_names(&n);
  cst_diag          *d = cst_diag_create();
  for (int i = 0; i < cst_catalogue_size(); i++) {
    const char *text = cst_catalogue_text(cst_catalogue_name(i));
    print_system(cst_catalogue_name(i), text, strlen(text), d);
  }
  if (n)
    printf("\nBenchmarks, compiled where they are used:\n");
  for (int i = 0; i < n; i++) {
    size_t length = 0;
    bool   catalogue;
    char  *text = cst_description_text(name[i], &length, &catalogue, d);
    if (text)
      print_system(name[i], text, length, d);
    free(text);
  }
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
}

static void methods(void) {
  for (int i = 0; i < cst_method_count(); i++)
    printf("%-26s %s\n", cst_method_info_at(i)->signature, cst_method_info_at(i)->doc);
}

static void schemes(void) {
  for (int i = 0; i < cst_scheme_count(); i++)
    printf("%-12s order %d, %2d substeps  %s\n", cst_scheme_at(i)->name, cst_scheme_at(i)->order,
           cst_scheme_at(i)->stages, cst_scheme_at(i)->doc);
}

static void observables(void) {
  for (int k = 0; k < cst_observer_count; k++)
    printf("%-20s %s\n", cst_observers[k]->name, cst_observers[k]->doc);
  for (int k = 0; k < cst_collector_count; k++)
    for (const cst_measured *m = cst_collectors[k]->keys.measures; m && m->name; m++)
      printf("%-20s %s\n", m->name, m->doc);
  for (const cst_body_quantity *x = cst_body_quantities; x->prefix; x++)
    printf("%s_BODY_C%*s of a body: %s; C is one of %s\n", x->prefix, 13 - (int)strlen(x->prefix),
           "", x->doc, x->components);
}

static void studies(void) {
  for (int i = 0; i < cst_kind_count(); i++)
    printf("%-20s %s\n", cst_kind_name(cst_kind_at(i)), cst_kind_doc(cst_kind_at(i)));
}

static void (*const lists[])(void) = {systems, methods, observables, studies, schemes};
enum { LISTS = sizeof lists / sizeof *lists };
static const char *const names[LISTS + 2] = {"systems", "methods", "observables",
                                             "studies", "schemes", "figures"};

typedef struct {
  int which;
} request;

static int list(int argc, char **argv) {
  request   q = {0};
  cst_diag *d = cst_diag_create();
  cst_options_parse(&cst_command_list, argc, argv, &q, d);
  const bool bad = cst_diag_count(d) > 0;
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  if (bad)
    return 2;
  if (q.which == LISTS)
    return cst_analysis_list_figures();
  lists[q.which]();
  return 0;
}

static const cst_option options[] = {
    {"WHAT", .is = CST_OPTION_REQUIRED,
     .of = {CST_VALUE_CHOICE, CST_AT(request, which), .words = names},
     .doc = "the names to list; figures: the kinds that `constella plot` draws"},
    {NULL},
};

const cst_command cst_command_list = {.name = "list",
                                      .doc = "Lists what there is, with a line on each.",
                                      .option = options,
                                      .run = list};

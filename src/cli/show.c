/* show.c: `constella show NAME`: prints a page on a system, a method, a scheme or a kind of study from its
 * row, order and claims of a method expression on a system, or the keys of a file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/show.h"
#include "constella/study.h"
#include "core/diag.h"
#include "study/kind.h"

static bool show_kind(const char *name) {
  static const struct {
    unsigned    need;
    const char *doc;
  } needs[] = {{CST_NEEDS_REFERENCE, "a reference in the study file"},
               {CST_NEEDS_REFERENCE_ERROR, "the error of a method that is the reference"},
               {CST_NEEDS_NOMINAL_STEPS, "steps as they are written, not rounded to few bits"},
               {CST_NEEDS_WINDOWS, "means over windows of the run"}};
  const cst_kind *k = cst_kind_find(name);
  const char     *title = "needs";
  if (!k)
    return false;
  printf("%s: a kind of study\n\n", k->name);
  cst_show_item("", k->doc);
  for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
    if (k->needs & needs[i].need) {
      cst_show_item(title, needs[i].doc);
      title = "";
    }
  cst_show_item("figures", k->figures);
  cst_show_keys(k->keys);
  return true;
}

/* The nearest name, for the end of a message. */
static const char *guess(const char *name) {
  const char *names[256];
  int         n = 0;
  for (int i = 0; i < cst_catalogue_size(); i++)
    names[n++] = cst_catalogue_name(i);
  for (int i = 0; i < cst_method_count(); i++)
    names[n++] = cst_method_info_at(i)->name;
  for (int i = 0; i < cst_scheme_count(); i++)
    names[n++] = cst_scheme_at(i)->name;
  for (int i = 0; i < cst_kind_count(); i++)
    names[n++] = cst_kind_name(cst_kind_at(i));
  names[n++] = "study";
  names[n++] = "system";
  return cst_diag_guess(name, names, n);
}

static void report_unknown(const char *name, const cst_expr_error *e, cst_diag *d) {
  if (strpbrk(name, "({"))
    cst_diag_add(d, NULL, 0, 0, "'%s': %s", name, e->message);
  else if (!access(name, R_OK))
    cst_diag_add(d, NULL, 0, 0,
                 "nothing is called '%s'; `constella system %s` examines a system file", name,
                 name);
  else
    cst_diag_add(d, NULL, 0, 0,
                 "nothing is called '%s'; `constella list systems|methods|schemes|studies` tells "
                 "the names%s",
                 name, guess(name));
}

static void show(const char *name, const char *system, cst_diag *d) {
  cst_expr_error e = {0};
  cst_method    *m = cst_show_method_of(name, &e);
  if (*name == '[' && !system)
    cst_show_gammas(name, d);
  else if (!strcmp(name, "study") && !system)
    cst_show_study_keys();
  else if (!strcmp(name, "system") && !system)
    cst_show_system_keys();
  else if (m)
    cst_show_method(name, m, system, d);
  else if (system && (!strcmp(name, "study") || !strcmp(name, "system") ||
                      cst_catalogue_text(name) || cst_scheme_find(name) || cst_kind_find(name)))
    cst_diag_add(d, NULL, 0, 0, "--system is for claims of methods, and '%s' is not a method",
                 name);
  else if (!cst_show_system(name) && !cst_show_scheme(name) && !show_kind(name))
    report_unknown(name, &e, d);
  cst_method_destroy(m);
}

typedef struct {
  const char *name, *system;
} request;

static int show_page(int argc, char **argv) {
  request   q = {0};
  cst_diag *d = cst_diag_create();
  cst_options_parse(&cst_command_show, argc, argv, &q, d);
  if (!cst_diag_count(d))
    show(q.name, q.system, d);
  const bool good = !cst_diag_count(d);
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return good ? 0 : 2;
}

static const cst_option options[] = {
    {"NAME", .is = CST_OPTION_REQUIRED, .at = offsetof(request, name),
     .doc = "a system, method, method expression, composition scheme, list of gammas or kind of "
            "study; study: "
            "every key of a "
            "study file; system: every key of a system file",
     .takes = "one name; `constella list systems|methods|schemes|studies` tells them"},
    {"--system", .value = "NAME|FILE", .at = offsetof(request, system),
     .doc =
         "the system on which order and claims of a method are shown; default: the first of "
         "spherical-pendulum, henon-heiles, lagrange-top and nonholonomic-oscillator that it steps",
     .takes = "a system file or the name of a system"},
    {NULL},
};

const cst_command cst_command_show = {
    .name = "show",
    .doc = "A page on a system, method, scheme or kind of study; what a method claims on a system.",
    .option = options,
    .run = show_page,
};

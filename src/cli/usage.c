/* usage.c: prints the usage of a command from its table (options.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "cli/options.h"
#include "cli/page.h"

enum {
  FORM = 128,
  WIDEST = 28
}; /* WIDEST: longest form that counts for the width of their column */

static bool is_argument(const cst_option *o) { return *o->name != '-'; }

/* "-o FILE", "[--resume]", "STUDY". */
static int short_form(const cst_option *o, char *text, size_t size) {
  const bool  bare = o->is & CST_OPTION_REQUIRED;
  const char *open = bare ? "" : "[";
  const char *close = bare ? "" : "]";
  const char *dots = o->is & (CST_OPTION_REPEATS | CST_OPTION_SPREADS) ? " ..." : "";
  const char *name = o->short_name ? o->short_name : o->name;
  if (!o->value)
    return snprintf(text, size, "%s%s%s%s", open, name, dots, close);
  if (is_argument(o))
    return snprintf(text, size, "%s%s%s%s", open, o->value, dots, close);
  return snprintf(text, size, "%s%s %s%s%s", open, name, o->value, dots, close);
}

void cst_usage_synopsis(const cst_command *c, int at, int width, FILE *out) {
  char text[FORM];
  int  column = at;
  for (const cst_option *o = c->option; o->name || c->passes; o++) {
    const int n =
        o->name ? short_form(o, text, sizeof text) : snprintf(text, sizeof text, "[%s]", c->passes);
    if (column > at && column + 1 + n > width) {
      fprintf(out, "\n%*s", at, "");
      column = at;
    }
    column += fprintf(out, "%s%s", column > at ? " " : "", text);
    if (!o->name)
      break;
  }
}

void cst_usage_summary(const cst_command *c, FILE *out) {
  char text[FORM];
  bool more = c->passes != NULL;
  for (const cst_option *o = c->option; o->name; o++) {
    if (is_argument(o) && short_form(o, text, sizeof text))
      fprintf(out, " %s", text);
    more |= !is_argument(o);
  }
  if (more)
    fputs(" [options]", out);
}

/* "-o, --output FILE" */
static int form(const cst_option *o, char *text, size_t size) {
  if (is_argument(o))
    return snprintf(text, size, "%s", o->value ? o->value : o->name);
  const char *short_name = o->short_name ? o->short_name : "";
  const char *separator = o->short_name ? ", " : "";
  const char *blank = o->value ? " " : "";
  const char *value = o->value ? o->value : "";
  return snprintf(text, size, "%s%s%s%s%s", short_name, separator, o->name, blank, value);
}

void cst_usage_options(const cst_command *c, int indent, FILE *out) {
  char text[FORM], doc[1024];
  int  width = 0;
  for (const cst_option *o = c->option; o->name; o++) {
    const int n = form(o, text, sizeof text);
    if (n > width && n <= WIDEST)
      width = n;
  }
  for (const cst_option *o = c->option; o->name; o++) {
    const int n = form(o, text, sizeof text);
    snprintf(doc, sizeof doc, "%s%s%s%s", o->doc, o->standard ? " (default: " : "",
             o->standard ? o->standard : "", o->standard ? ")" : "");
    fprintf(out, "%*s%-*s  ", indent, "", width, text);
    cst_page_wrap(doc, indent + (n > width ? n : width) + 2, indent + width + 2, out);
  }
}

void cst_usage_page(const cst_command *c, FILE *out) {
  cst_usage_synopsis(c, fprintf(out, "constella %s ", c->name), CST_PAGE_WIDTH, out);
  fputs("\n\n", out);
  cst_page_wrap(c->doc, 0, 0, out);
  fputc('\n', out);
  cst_usage_options(c, 2, out);
  if (!c->notes)
    return;
  fputc('\n', out);
  cst_page_wrap(c->notes, 0, 0, out);
}

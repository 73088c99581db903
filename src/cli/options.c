/* options.c: parses a command line by the table of its command, prints its usage from that table, and breaks the lines of
 * the pages that the program prints (cli.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "core/diag.h"
#include "core/need.h"
#include "core/text.h"

/* ---- paragraphs ------------------------------------------------------------------------------ */

void cst_page_wrap(const char *text, int at, int indent, FILE *out) {
  int column = at;
  while (*text) {
    const int  blanks = (int)strspn(text, " ");
    const int  word = (int)strcspn(text + blanks, " \n");
    const bool ends = text[blanks] == '\n';
    const bool full = column > indent && column + blanks + word > CST_PAGE_WIDTH;
    if (ends || full) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
      text += blanks + ends;
    } else {
      fprintf(out, "%.*s", blanks + word, text);
      column += blanks + word;
      text += blanks + word;
    }
  }
  fputc('\n', out);
}

void cst_page_item(const char *label, const char *text, int indent, FILE *out) {
  if (!text || !*text)
    return;
  fprintf(out, "%-*s ", indent - 1, label);
  cst_page_wrap(text, indent, indent, out);
}

/* ---- command lines --------------------------------------------------------------------------- */

enum { MOST = 32 }; /* rows of a table */

typedef struct {
  const cst_command *command;
  char              *into;
  const char        *given[MOST]; /* by row: the value given last; NULL: none */
  cst_diag          *d;
} parser;

static bool is_argument(const cst_option *o) { return *o->name != '-'; }

bool cst_option_is_flag(const cst_option *o) { return !is_argument(o) && !o->value && !o->of.type; }

/* The length of the name in "--name=value". */
static size_t name_length(const char *word) {
  return strncmp(word, "--", 2) ? strlen(word) : strcspn(word, "=");
}

/* The row of an option by either of its names; -1: there is none. */
static int find_option(const parser *p, const char *word) {
  const size_t n = name_length(word);
  for (int k = 0; p->command->option[k].name; k++) {
    const cst_option *o = &p->command->option[k];
    if (is_argument(o))
      continue;
    if (strlen(o->name) == n && !strncmp(o->name, word, n))
      return k;
    if (o->short_name && !strcmp(o->short_name, word))
      return k;
  }
  return -1;
}

/* The row of the next argument; -1: all are given. One that repeats takes all that follow. */
static int find_argument(const parser *p) {
  for (int k = 0; p->command->option[k].name; k++)
    if (is_argument(&p->command->option[k]) &&
        (!p->given[k] || p->command->option[k].is & CST_OPTION_REPEATS))
      return k;
  return -1;
}

static void unknown_option(const parser *p, const char *word) {
  const char *names[MOST + 1];
  char        name[64];
  int         n = 0;
  for (const cst_option *o = p->command->option; o->name; o++)
    if (!is_argument(o))
      names[n++] = o->name;
  names[n++] = "--help";
  snprintf(name, sizeof name, "%.*s", (int)name_length(word), word);
  cst_diag_add(p->d, NULL, 0, 0, "unknown option '%s'; allowed: %s%s%s%s", name,
               cst_diag_join(names, n), p->command->passes ? " and " : "",
               p->command->passes ? p->command->passes : "", cst_diag_guess(name, names, n));
}

static int word_count(const cst_option *o) {
  int n = 0;
  while (o->of.type == CST_VALUE_CHOICE && o->of.words[n])
    n++;
  return n;
}

/* "a|b" of a choice, in text[n], or what the usage shows else; NULL: nothing. */
static const char *shown(const cst_option *o, char *text, size_t n) {
  size_t at = 0;
  for (int i = 0; !o->value && i < word_count(o) && at < n; i++)
    at += (size_t)snprintf(text + at, n - at, "%s%s", i ? "|" : "", o->of.words[i]);
  return at ? text : o->value;
}

/* What is allowed; NULL: it is not said. */
static const char *wanted(const cst_option *o) {
  static char text[200];
  char        type[160];
  if (o->takes || !o->of.type)
    return o->takes;
  if (o->of.type == CST_VALUE_CHOICE)
    snprintf(text, sizeof text, "one of %s", cst_diag_join(o->of.words, word_count(o)));
  else
    snprintf(text, sizeof text, "%s%s",
             cst_value_article(&o->of, cst_value_text(&o->of, type, sizeof type)), type);
  return text;
}

/* The offset of its member. */
static size_t place(const cst_option *o) { return o->of.size ? o->of.at : o->at; }

/* Takes a value, given or the default; false: it is refused. */
static bool put(const cst_option *o, char *into, const char *value) {
  double x = 0;
  if (o->of.type && !cst_value_parse(&o->of, value, &x))
    return false;
  if (o->of.size)
    cst_value_set(&o->of, into, x);
  else if (o->set)
    return o->set(into + o->at, value);
  else
    *(const char **)(into + o->at) = value;
  return true;
}

/* "--format", or "`constella list`" of an argument. */
static const char *subject(const parser *p, const cst_option *o) {
  static char text[64];
  if (!is_argument(o))
    return o->name;
  snprintf(text, sizeof text, "`constella %s`", p->command->name);
  return text;
}

/* Reports an option that was given before with another value, or under another name: it would replace
 * that. */
static void check_once(const parser *p, int k, const char *value) {
  const cst_option *all = p->command->option, *o = &all[k];
  for (int i = 0; all[i].name && !(o->is & (CST_OPTION_REPEATS | CST_OPTION_SPREADS)); i++)
    if (p->given[i] && i == k && strcmp(p->given[i], value))
      cst_diag_add(p->d, NULL, 0, 0, "'%s' is given twice, as '%s' and as '%s'", o->name,
                   p->given[i], value);
    else if (p->given[i] && i != k && place(&all[i]) == place(o))
      cst_diag_add(p->d, NULL, 0, 0, "'%s' and '%s' are the same; give one of them", all[i].name,
                   o->name);
}

static void set(parser *p, int k, const char *value) {
  const cst_option *o = &p->command->option[k];
  check_once(p, k, value);
  p->given[k] = value;
  if (put(o, p->into, value))
    return;
  cst_diag_add(p->d, NULL, 0, 0, "%s takes %s, not '%s'%s", subject(p, o), wanted(o), value,
               o->of.type == CST_VALUE_CHOICE ? cst_diag_guess(value, o->of.words, word_count(o))
                                              : "");
}

/* Sets an option with its value; returns how many words it has. */
static int set_option(parser *p, int k, int n, char **words) {
  const cst_option *o = &p->command->option[k];
  const char       *equals =
      words[0][name_length(words[0])] == '=' ? words[0] + name_length(words[0]) + 1 : NULL;
  int         used = equals ? 1 : 2;
  const char *takes = wanted(o);
  if (cst_option_is_flag(o)) {
    if (equals)
      cst_diag_add(p->d, NULL, 0, 0, "%s takes no value", o->name);
    *(bool *)(p->into + o->at) = true;
    return 1;
  }
  if (used > n || (!equals && cst_text_begins(words[1], "--"))) {
    cst_diag_add(p->d, NULL, 0, 0, "'%s' needs a value%s%s", words[0], takes ? ": " : "",
                 takes ? takes : "");
    return 1;
  }
  set(p, k, equals ? equals : words[1]);
  while (o->is & CST_OPTION_SPREADS && used < n && *words[used] != '-' && strchr(words[used], '='))
    set(p, k, words[used++]);
  return used;
}

/* "a result and a study file". */
static const char *arguments_wanted(const parser *p) {
  static char text[128];
  size_t      n = 0;
  for (const cst_option *o = p->command->option; o->name; o++)
    if (is_argument(o))
      n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? " and " : "", wanted(o));
  return n ? text : "no argument";
}

/* Takes the option or argument at words[0]; returns how many words it has. The word behind an unknown option
 * may be its value. */
static int take(parser *p, int n, char **words) {
  const int k = *words[0] == '-' ? find_option(p, words[0]) : find_argument(p);
  const int passed =
      *words[0] == '-' && k < 0 && p->command->pass ? p->command->pass(p->into, n, words, p->d) : 0;
  if (passed)
    return passed;
  if (*words[0] != '-') {
    if (k >= 0)
      set(p, k, words[0]);
    else
      cst_diag_add(p->d, NULL, 0, 0, "unexpected argument '%s'; `constella %s` takes %s", words[0],
                   p->command->name, arguments_wanted(p));
    return 1;
  }
  if (k >= 0)
    return set_option(p, k, n, words);
  unknown_option(p, words[0]);
  return n > 1 && *words[1] != '-' && find_argument(p) < 0 ? 2 : 1;
}

static void set_standards(parser *p) {
  for (const cst_option *o = p->command->option; o->name; o++)
    if (o->standard && !put(o, p->into, o->standard))
      cst_need_fail();
}

static void check_required(const parser *p) {
  bool arguments = true;
  for (int k = 0; p->command->option[k].name; k++) {
    const cst_option *o = &p->command->option[k];
    if (p->given[k] || !(o->is & CST_OPTION_REQUIRED))
      continue;
    if (is_argument(o))
      arguments = false;
    else
      cst_diag_add(p->d, NULL, 0, 0, "%s is missing; it takes %s", o->name, wanted(o));
  }
  if (!arguments)
    cst_diag_add(p->d, NULL, 0, 0, "`constella %s` needs %s", p->command->name,
                 arguments_wanted(p));
}

void cst_options_parse(const cst_command *c, int argc, char **argv, void *into, cst_diag *d) {
  parser p = {.command = c, .into = into, .d = d};
  set_standards(&p);
  for (int i = 1; i < argc;)
    i += take(&p, argc - i, argv + i);
  check_required(&p);
}

bool cst_options_ask_help(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return true;
  return false;
}

/* ---- the usage ------------------------------------------------------------------------------- */

enum {
  FORM = 128,
  WIDEST = 28
}; /* WIDEST: longest form that counts for the width of their column */

/* "-o FILE", "[--resume]", "STUDY". */
static int short_form(const cst_option *o, char *text, size_t size) {
  char        room[FORM];
  const bool  bare = o->is & CST_OPTION_REQUIRED;
  const char *value = shown(o, room, sizeof room);
  const char *name = o->short_name ? o->short_name : o->name;
  const bool  both = !is_argument(o) && value;
  return snprintf(text, size, "%s%s%s%s%s%s", bare ? "" : "[",
                  is_argument(o) && value ? value : name, both ? " " : "", both ? value : "",
                  o->is & (CST_OPTION_REPEATS | CST_OPTION_SPREADS) ? " ..." : "", bare ? "" : "]");
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
  char        room[FORM];
  const char *value = shown(o, room, sizeof room);
  if (is_argument(o))
    return snprintf(text, size, "%s", value ? value : o->name);
  return snprintf(text, size, "%s%s%s%s%s", o->short_name ? o->short_name : "",
                  o->short_name ? ", " : "", o->name, value ? " " : "", value ? value : "");
}

/* "draw this many (integer of at least 1; default: 8)" */
static void describe(const cst_option *o, char *text, size_t n) {
  char        room[160];
  const bool  numeric = o->of.type == CST_VALUE_NUMBER || o->of.type == CST_VALUE_INTEGER;
  const char *type = !numeric   ? ""
                     : o->takes ? o->takes
                                : cst_value_text(&o->of, room, sizeof room);
  const bool  facts = numeric || o->standard;
  snprintf(text, n, "%s%s%s%s%s%s", o->doc, facts ? " (" : "", type,
           o->standard ? numeric ? "; default: " : "default: " : "", o->standard ? o->standard : "",
           facts ? ")" : "");
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
    describe(o, doc, sizeof doc);
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

/* cli.h: command lines, and the list of the commands. Each is a row, cst_command_NAME, in the file of its name, with
 * a table of its arguments and options. The parser, the usage that `constella help` prints, the manual page
 * (tools/manual.sh) and the completion of the shell (tools/completion.sh) are made from that table.
 *
 * An option is written `--name VALUE` or `--name=VALUE`, a flag `--name`. Arguments and options may be mixed.
 * A VALUE that begins with -- needs the form with =.
 *
 * The function of a command takes its name as argv[0] and returns the exit status: 0 done, 1 something failed while
 * running, 2 bad input, 75 stopped with a checkpoint.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_H
#define CST_CLI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "constella/diag.h"
#include "core/keys.h"

/* ---- options: options.c ---------------------------------------------------------------------- */

enum { CST_OPTION_REQUIRED = 1, CST_OPTION_REPEATS = 2, CST_OPTION_SPREADS = 4 };

typedef struct {
  const char *name;       /* "--format"; without dashes it is an argument: "STUDY" */
  const char *short_name; /* "-o"; NULL: none */
  /* what the usage shows for the value: "FILE"; NULL: the words of a choice, or a flag, or an argument that the usage
   * shows by its name */
  const char *value;
  /* the value where the option is left out; NULL: none, the member does not change */
  const char *standard;
  const char *doc; /* the meaning, for the usage */
  /* REPEATS: may be given more than once, and each one counts; SPREADS: so do the words NAME=VALUE that
   * follow the value */
  unsigned is;
  size_t   at; /* offset of the member of the command's struct; 0 where `of` has its own */
  bool (*set)(void       *member,
              const char *value); /* false: the value is refused; NULL: the member is a const
                                                   char *, of a flag a bool */
  /* what is allowed, for messages: "the name of a file"; NULL: what `of` says; of an argument, what it is: "a study
   * file" */
  const char *takes;
  /* a number, an integer or a choice: what is allowed, and the member for it; without a member (size 0) the text goes to
   * `set` or to `at`. CST_VALUE_OWN: any text */
  cst_value of;
} cst_option;

typedef struct {
  const char       *name, *doc; /* doc: a sentence for the usage */
  const cst_option *option;     /* ends with name NULL; arguments in their order */
  const char       *notes;      /* for the usage, below the options; NULL: none */
  const char       *passes;     /* what the usage calls the words that `pass` takes; NULL */
  /* Takes an option of another program, with its value, at words[0] of words[0..n); returns how many words it
   * has, 0: it is not one. NULL: no such options. */
  int (*pass)(void *into, int n, char **words, cst_diag *d);
  int (*run)(int argc, char **argv); /* argv[0]: the name of the command; the exit status */
  bool reads;                        /* reads a result without MPI: it runs in a child (launch.h) */
} cst_command;

/* Fills the command's struct `into` from argv[1..argc). All errors go into d. */
void cst_options_parse(const cst_command *c, int argc, char **argv, void *into, cst_diag *d);
/* Whether the words ask for the usage. */
bool cst_options_ask_help(int argc, char **argv);

/* Whether it has no value. */
bool cst_option_is_flag(const cst_option *o);

/* ---- the usage of a command, from its table: options.c --------------------------------------- */

/* "FILE [options]", with a blank before it. */
void cst_usage_summary(const cst_command *c, FILE *out);
/* "FILE [--format text|csv]", from column `at` on in lines of at most `width` columns. */
void cst_usage_synopsis(const cst_command *c, int at, int width, FILE *out);
/* A line for each argument and option: "-o, --output FILE", two or more blanks, its description. */
void cst_usage_options(const cst_command *c, int indent, FILE *out);
/* The page that `constella help COMMAND` prints. */
void cst_usage_page(const cst_command *c, FILE *out);

/* ---- paragraphs of the pages that the program prints: options.c ------------------------------ */

enum { CST_PAGE_WIDTH = 120 };

/* The text in lines of at most CST_PAGE_WIDTH columns, broken at blanks and where the text has a new line;
 * ends the last line. The first line goes on at column `at`; the others are indented by `indent`. */
void cst_page_wrap(const char *text, int at, int indent, FILE *out);
/* A label of `indent` - 1 columns and the text behind it; nothing where the text is NULL or empty. */
void cst_page_item(const char *label, const char *text, int indent, FILE *out);

/* ---- the commands ---------------------------------------------------------------------------- */

/* In the order of `constella help`. */
/* clang-format off */
#define CST_COMMANDS(X) \
  X(run) \
  X(merge) \
  X(extend) \
  X(check) \
  X(list) \
  X(show) \
  X(system) \
  X(table) \
  X(status) \
  X(submit) \
  X(verify) \
  X(report) \
  X(plot) \
  X(export) \
  X(compare) \
  X(certify) \
  X(choose) \
  X(explain) \
  X(modified) \
  X(cite)
/* clang-format on */

#define CST_COMMAND_ROW(NAME) extern const cst_command cst_command_##NAME;
CST_COMMANDS(CST_COMMAND_ROW)
#undef CST_COMMAND_ROW

int cst_analysis_list_figures(
    void); /* analysis.c: the kinds of figures, a line each; the exit status */
/* analysis.c: becomes analysis/command.py with words[0..n), a command and words NAME=VALUE; words[n] is NULL. Returns
 * the exit status where it cannot. */
int cst_analysis_start(int n, const char **words);
/* The same with a word for each option of the command that is set in its struct `given`; of a flag NAME=1. */
int cst_analysis_start_with(const cst_command *c, const void *given);
/* show.c: the line on the order conditions of a composition scheme, `indent` columns from the left: the largest of the
 * residuals defect[1..order], and that of the next order. */
void cst_show_defects(int indent, int order, const double *defect);
#endif

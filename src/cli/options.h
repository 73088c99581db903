/* options.h: command lines. Each command is a row with a table of its arguments and options. The parser, the
 * usage that `constella help` prints, the manual page (tools/manual.sh) and the completion of the shell
 * (tools/completion.sh) are made from that table.
 *
 * An option is written `--name VALUE` or `--name=VALUE`, a flag `--name`. Arguments and options may be mixed.
 * A VALUE that begins with -- needs the form with =.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_OPTIONS_H
#define CST_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "constella/diag.h"

enum { CST_OPTION_REQUIRED = 1, CST_OPTION_REPEATS = 2, CST_OPTION_SPREADS = 4 };

typedef struct {
  const char *name;       /* "--format"; without dashes it is an argument: "STUDY" */
  const char *short_name; /* "-o"; NULL: none */
  /* what the usage shows for the value: "FILE"; lower-case words with | between them are the
   * only ones allowed; NULL: a flag, or an argument that the usage shows by its name */
  const char *value;
  /* the value where the option is left out; NULL: none, the member does not change */
  const char *standard;
  const char *doc; /* the meaning, for the usage */
  /* REPEATS: may be given more than once, and each one counts; SPREADS: so do the words NAME=VALUE that
   * follow the value */
  unsigned is;
  size_t   at; /* offset of the member of the command's struct */
  bool (*set)(void       *member,
              const char *value); /* false: the value is refused; NULL: the member is a const
                                                   char *, of a flag a bool */
  /* what `set` allows, for messages: "a positive number"; of an argument, what it is: "a study
   * file" */
  const char *takes;
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
  bool reads;                        /* reads a result without MPI: it runs in a child (guard.h) */
} cst_command;

/* Fills the command's struct `into` from argv[1..argc). All errors go into d. */
void cst_options_parse(const cst_command *c, int argc, char **argv, void *into, cst_diag *d);
/* Whether the words ask for the usage. */
bool cst_options_ask_help(int argc, char **argv);

/* Values for `set`. */
bool cst_options_positive(void *member, const char *value); /* a finite double above 0 */
bool cst_options_natural(void *member, const char *value);  /* a long from 0 on */
bool cst_options_count(void *member, const char *value);    /* a long from 1 on */

/* usage.c: the usage of a command, from its table. */
/* "FILE [options]", with a blank before it. */
void cst_usage_summary(const cst_command *c, FILE *out);
/* "FILE [--format text|csv]", from column `at` on in lines of at most `width` columns. */
void cst_usage_synopsis(const cst_command *c, int at, int width, FILE *out);
/* A line for each argument and option: "-o, --output FILE", two or more blanks, its description. */
void cst_usage_options(const cst_command *c, int indent, FILE *out);
/* The page that `constella help COMMAND` prints. */
void cst_usage_page(const cst_command *c, FILE *out);
#endif

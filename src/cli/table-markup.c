/* table-markup.c: a table for documents, in Markdown and LaTeX. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/table.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_markdown(const char *s) {
  for (; *s; s++) {
    if (strchr("|\\`*_<>[]", *s))
      putchar('\\');
    putchar(iscntrl((unsigned char)*s) ? ' ' : *s);
  }
}

void cst_table_markdown_print(const cst_table *t, const cst_table_choice *c) {
  char s[CST_TABLE_CELL];
  for (int i = 0; i < c->n; i++) {
    fputs("| ", stdout);
    put_markdown(t->name[c->shown[i]]);
    putchar(' ');
  }
  puts("|");
  for (int i = 0; i < c->n; i++)
    fputs(t->col[c->shown[i]].x ? "| ---: " : "| --- ", stdout);
  puts("|");
  for (long row = 0; row < t->rows; row++) {
    if (!c->keep[row])
      continue;
    for (int i = 0; i < c->n; i++) {
      cst_table_cell(t, c->shown[i], row, false, s);
      fputs("| ", stdout);
      put_markdown(s);
      putchar(' ');
    }
    puts("|");
  }
}

static void put_latex(const char *s) {
  for (; *s; s++) {
    if (strchr("&%$#_{}", *s)) {
      putchar('\\');
      putchar(*s);
    } else if (*s == '\\')
      fputs("\\textbackslash{}", stdout);
    else if (*s == '~')
      fputs("\\textasciitilde{}", stdout);
    else if (*s == '^')
      fputs("\\textasciicircum{}", stdout);
    else if (iscntrl((unsigned char)*s))
      putchar(' ');
    else if (strchr("<>|", *s))
      printf("$%s$", *s == '|' ? "|" : *s == '<' ? "<" : ">");
    else
      putchar(*s);
  }
}

static void put_latex_number(const char *s) {
  const char *e = strchr(s, 'e');
  if (!isdigit((unsigned char)s[s[0] == '-']))
    fputs(!strcmp(s, "-") ? "--" : *s == '-' ? "$-\\infty$" : "$\\infty$", stdout);
  else if (e)
    printf("$%.*s\\cdot 10^{%d}$", (int)(e - s), s, atoi(e + 1));
  else
    printf("$%s$", s);
}

void cst_table_latex_print(const cst_table *t, const cst_table_choice *c) {
  char s[CST_TABLE_CELL];
  fputs("\\begin{tabular}{", stdout);
  for (int i = 0; i < c->n; i++)
    putchar(t->col[c->shown[i]].x ? 'r' : 'l');
  puts("}\n\\hline");
  for (int i = 0; i < c->n; i++) {
    fputs(i ? " & " : "", stdout);
    put_latex(t->name[c->shown[i]]);
  }
  puts(" \\\\\n\\hline");
  for (long row = 0; row < t->rows; row++) {
    if (!c->keep[row])
      continue;
    for (int i = 0; i < c->n; i++) {
      cst_table_cell(t, c->shown[i], row, false, s);
      fputs(i ? " & " : "", stdout);
      if (t->col[c->shown[i]].x)
        put_latex_number(s);
      else
        put_latex(s);
    }
    puts(" \\\\");
  }
  puts("\\hline\n\\end{tabular}");
}

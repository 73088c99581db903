/* page.c: paragraphs of the pages that the program prints (page.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/page.h"
#include <stdbool.h>
#include <string.h>

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

/* document-canonical.c: the canonical text of a document, written without libfyaml so that it does not change
 * with its version: keys sorted, block style, quotes only where they are needed.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/boundary.h"
#include "core/document.h"
#include <stdio.h>
#include <string.h>

/* Whether s may stand without quotes: no character of YAML's syntax, no blank at the end. */
static bool is_plain(const char *s) {
  static const char inside[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-*^/()=<>, '";
  size_t      n = strlen(s);
  const char *first = *s == '-' || *s == '.' || *s == '+' ? s + 1 : s;
  return n && strspn(s, inside) == n && *first &&
         strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_(", *first) &&
         s[n - 1] != ' ';
}

static void write_scalar(const char *s, FILE *f) {
  if (is_plain(s)) {
    fputs(s, f);
    return;
  }
  fputc('"', f);
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      fprintf(f, "\\%c", *s);
    else if (*s == '\n')
      fputs("\\n", f);
    else if (*s == '\t')
      fputs("\\t", f);
    else if (*s == '\r')
      fputs("\\r", f);
    else
      fputc(*s, f);
  }
  fputc('"', f);
}

static void write_node(cst_yaml *n, int indent, FILE *f);

static void write_list(cst_yaml *n, int indent, FILE *f) {
  void     *at = NULL;
  cst_yaml *item;
  while ((item = fy_node_sequence_iterate(n, &at))) {
    fprintf(f, "%*s-", indent, "");
    write_node(item, indent + 2, f);
  }
}

static void write_map(cst_yaml *n, int indent, FILE *f) {
  int                  count = 0;
  void                *at = NULL;
  struct fy_node_pair *pair;
  cst_sorted_key      *keys = cst_need(malloc(sizeof *keys * (size_t)cst_yaml_size(n)));
  while ((pair = fy_node_mapping_iterate(n, &at))) {
    keys[count] =
        (cst_sorted_key){cst_yaml_text(fy_node_pair_key(pair)), fy_node_pair_value(pair), count};
    count++;
  }
  cst_document_sort_keys(keys, count);
  for (int i = 0; i < count; i++) {
    fprintf(f, "%*s", indent, "");
    write_scalar(keys[i].word, f);
    fputc(':', f);
    write_node(keys[i].node, indent + 2, f);
  }
  free(keys);
}

/* Writes n after a colon or dash: on the same line when it is one word or empty, else on lines of its own. */
static void write_node(cst_yaml *n, int indent, FILE *f) {
  if (cst_yaml_is_scalar(n)) {
    fputc(' ', f);
    write_scalar(cst_yaml_text(n), f);
    fputc('\n', f);
  } else if (!cst_yaml_size(n)) {
    fputs(cst_yaml_is_list(n) ? " []\n" : " {}\n", f);
  } else {
    fputc('\n', f);
    (cst_yaml_is_list(n) ? write_list : write_map)(n, indent, f);
  }
}

char *cst_document_canonical(const cst_document *doc) {
  CST_REQUIRE(doc, NULL);
  char     *text = NULL;
  size_t    length = 0;
  FILE     *f = cst_need(open_memstream(&text, &length));
  cst_yaml *root = cst_document_root(doc);
  if (cst_yaml_size(root))
    write_map(root, 0, f);
  else
    fputs("{}\n", f);
  fclose(f);
  return text;
}

/* document-places.h: shared by the files on documents: a document with the places of its nodes, and the order of
 * keys. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_DOCUMENT_PLACES_H
#define CST_CORE_DOCUMENT_PLACES_H
#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/document.h"
#include "core/need.h"

/* Where a node starts: line and column from 1; start, the byte of the text at which its content begins
 * (inside quotes). And its children by number, because libfyaml counts from the first child every time. */
typedef struct cst_place cst_place;
struct cst_place {
  int        line, column;
  size_t     start;
  cst_place *next;         /* of the document */
  int        size;         /* children; meaningless while value is NULL */
  cst_yaml **key, **value; /* [size]; made at the first access, value first in one allocation */
};

struct cst_document {
  char               *file, *text;
  struct fy_diag     *log;
  FILE               *sink;
  char               *sink_text;
  size_t              sink_length;
  struct fy_parser   *parser;
  struct fy_document *tree;
  cst_place          *places; /* of all nodes; the meta pointer of a node points to its place */
};

/* The place of n; the beginning of the text for NULL. */
const cst_place *cst_document_place_of(cst_yaml *n);
/* Replaces key: TEXT by key: {inner: TEXT}. */
void cst_yaml_wrap(cst_yaml *map, const char *key, const char *inner);
#endif

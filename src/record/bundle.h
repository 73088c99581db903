/* bundle.h: a sequence of named blocks of bytes: what a rank contributes to a checkpoint. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_BUNDLE_H
#define CST_BUNDLE_H
#include <stdbool.h>
#include <stddef.h>

/* each section begins at a multiple of CST_BUNDLE_UNIT, and the bundle ends at one */
enum { CST_SECTION_NAME = 16, CST_BUNDLE_UNIT = 64 };

typedef struct {
  char   name[CST_SECTION_NAME];
  size_t size;
  char   unused[CST_BUNDLE_UNIT - CST_SECTION_NAME - sizeof(size_t)];
} cst_section_head;
_Static_assert(sizeof(cst_section_head) == CST_BUNDLE_UNIT, "a head is one unit");

typedef struct {
  char  *bytes; /* aligned to the unit; owned */
  size_t size, room;
} cst_bundle;

typedef struct {
  const cst_section_head *head;
  const void             *bytes; /* [head->size] */
} cst_section;

/* Appends a section. The caller fills its bytes, zero so far, before adding the next one. */
void *cst_bundle_add(cst_bundle *b, const char *name, size_t size);
void  cst_bundle_resize(cst_bundle *b, size_t size);
void  cst_bundle_destroy(cst_bundle *b);
/* Reads the section at *at (0: the first) and advances *at. False after the last section. */
bool cst_bundle_next(const cst_bundle *b, size_t *at, cst_section *s);
bool cst_bundle_section_is(const cst_section *s, const char *name);
#endif

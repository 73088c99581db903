/* bundle.c: a sequence of named blocks of bytes (see bundle.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "record/bundle.h"

static size_t padded(size_t n) {
  return (n + CST_BUNDLE_UNIT - 1) / CST_BUNDLE_UNIT * CST_BUNDLE_UNIT;
}

void cst_bundle_resize(cst_bundle *b, size_t size) {
  if (size > b->room) {
    const size_t room = padded(size + size / 2);
    void        *more = NULL;
    if (posix_memalign(&more, CST_BUNDLE_UNIT, room))
      cst_need_fail();
    if (b->size)
      memcpy(more, b->bytes, b->size);
    free(b->bytes);
    b->bytes = more;
    b->room = room;
  }
  b->size = size;
}

void *cst_bundle_add(cst_bundle *b, const char *name, size_t size) {
  const size_t at = b->size;
  cst_bundle_resize(b, at + sizeof(cst_section_head) + padded(size));
  cst_section_head *head = (cst_section_head *)(void *)(b->bytes + at);
  memset(head, 0, b->size - at);
  snprintf(head->name, sizeof head->name, "%s", name);
  head->size = size;
  return head + 1;
}

bool cst_bundle_next(const cst_bundle *b, size_t *at, cst_section *s) {
  if (*at >= b->size)
    return false;
  s->head = (const cst_section_head *)(const void *)(b->bytes + *at);
  s->bytes = s->head + 1;
  *at += sizeof *s->head + padded(s->head->size);
  return true;
}

void cst_bundle_destroy(cst_bundle *b) {
  free(b->bytes);
  memset(b, 0, sizeof *b);
}

bool cst_bundle_section_is(const cst_section *s, const char *name) {
  return !strncmp(s->head->name, name, CST_SECTION_NAME);
}

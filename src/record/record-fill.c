/* record-fill.c: writes the fill values of a new result, each rank its share, so that the space is really
 * taken. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/record-internal.h"
#include "core/need.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 3 << 20 }; /* bytes: a multiple of the width of every type */

/* One value of the type, as stored. */
static void fill_value(cst_type t, unsigned char *value) {
  const double nan_value = NAN;
  memset(value, t == CST_TYPE_TEXT ? 0 : 0xFF, cst_record_width(t));
  if (t != CST_TYPE_F64)
    return;
  memcpy(value, &nan_value, sizeof nan_value);
  H5Tconvert(H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, 1, value, NULL, H5P_DEFAULT);
}

/* The first `width` bytes again and again, to `size` bytes. */
static void repeat(unsigned char *value, size_t width, size_t size) {
  for (size_t done = width; done < size; done *= 2)
    memcpy(value + done, value, done <= size - done ? done : size - done);
}

/* Fields that follow each other in the file share a block. Block k belongs to rank k modulo the number of ranks. */
typedef struct {
  unsigned char *block;    /* [length] */
  long           length;   /* BLOCK, or what all fields have if that is less */
  long           at, size; /* what of the block waits to be written, and where */
  long           turn;     /* counts the blocks */
  int            type;     /* of the values that fill all of the block, or -1 */
} filler;

static bool is_mine(const cst_record *r, const filler *f) { return f->turn % r->size == r->rank; }

static bool write_block(const cst_record *r, filler *f) {
  const bool ok = !f->size || !is_mine(r, f) || cst_record_put(r, f->block, (size_t)f->size, f->at);
  f->turn += f->size > 0;
  f->size = 0;
  return ok;
}

/* Adds values to the block, of `size` bytes, unless it holds them already. */
static void add(filler *f, cst_type t, long size) {
  if (f->type == (int)t && f->size == 0)
    return;
  fill_value(t, f->block + f->size);
  repeat(f->block + f->size, cst_record_width(t), (size_t)size);
  f->type = size == f->length ? (int)t : -1;
}

/* `size` bytes from `at` on in the file. */
static bool fill_bytes(const cst_record *r, cst_type t, long at, long size, filler *f) {
  const long width = (long)cst_record_width(t);
  while (size) {
    const long room = (f->length - f->size) / width * width;
    const long part = size < room ? size : room;
    if (f->size && (at != f->at + f->size || !part)) {
      if (!write_block(r, f))
        return false;
      continue;
    }
    if (is_mine(r, f))
      add(f, t, part);
    f->at = at - f->size;
    f->size += part;
    at += part;
    size -= part;
  }
  return true;
}

static bool fill_field(const cst_record *r, const cst_record_place *p, filler *f) {
  const cst_record_rows *rows = p->field.rows;
  const long             all = rows ? p->extent[0] * p->extent[1] : 0;
  const long             row = all ? p->size / all : 0;
  bool                   ok = true;
  if (!rows)
    return fill_bytes(r, p->field.type, p->at, p->size, f);
  for (int i = 0; ok && i < rows->n; i++)
    ok = fill_bytes(r, p->field.type, p->at + rows->first[i] * row, rows->count[i] * row, f);
  return ok;
}

static long block_length(const cst_record *r) {
  long length = 0;
  for (int k = 0; k < r->nfield && length < BLOCK; k++)
    length += r->place[k].size < BLOCK ? r->place[k].size : BLOCK;
  return length < BLOCK ? length : BLOCK;
}

bool cst_record_fill(cst_record *r, char *why, int n) {
  filler f = {.length = block_length(r), .type = -1};
  bool   ok = true;
  f.block = cst_need(malloc((size_t)f.length + 1));
  for (int k = 0; ok && k < r->nfield; k++)
    ok = fill_field(r, &r->place[k], &f);
  ok = ok && write_block(r, &f);
  if (!ok)
    snprintf(why, (size_t)n, "cannot fill %s: %s", r->path, strerror(errno));
  free(f.block);
  return ok;
}

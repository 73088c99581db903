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

typedef struct {
  unsigned char *block;
  bool           filled; /* the block has the fill values of this field */
  long
      turn; /* counts the blocks of all fields: block k belongs to rank k modulo the number of ranks */
} filler;

/* `size` bytes of the field from `from` on. */
static bool fill_bytes(const cst_record *r, const cst_record_place *p, long from, long size,
                       filler *f) {
  for (long done = 0; done < size; done += BLOCK, f->turn++) {
    const long left = size - done;
    if (f->turn % r->size != r->rank)
      continue;
    if (!f->filled) {
      fill_value(p->field.type, f->block);
      repeat(f->block, cst_record_width(p->field.type),
             (size_t)(p->size < BLOCK ? p->size : BLOCK));
      f->filled = true;
    }
    if (!cst_record_put(r, f->block, (size_t)(left < BLOCK ? left : BLOCK), p->at + from + done))
      return false;
  }
  return true;
}

static bool fill_field(const cst_record *r, const cst_record_place *p, filler *f) {
  const cst_record_rows *rows = p->field.rows;
  const long             all = rows ? p->extent[0] * p->extent[1] : 0;
  const long             row = all ? p->size / all : 0;
  bool                   ok = true;
  f->filled = false;
  if (!rows)
    return fill_bytes(r, p, 0, p->size, f);
  for (int i = 0; ok && i < rows->n; i++)
    ok = fill_bytes(r, p, rows->first[i] * row, rows->count[i] * row, f);
  return ok;
}

bool cst_record_fill(cst_record *r, char *why, int n) {
  filler f = {.block = cst_need(malloc(BLOCK))};
  bool   ok = true;
  for (int k = 0; ok && k < r->nfield; k++)
    ok = fill_field(r, &r->place[k], &f);
  if (!ok)
    snprintf(why, (size_t)n, "cannot fill %s: %s", r->path, strerror(errno));
  free(f.block);
  return ok;
}

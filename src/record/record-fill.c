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

/* *turn counts the blocks of all fields: block k belongs to rank k modulo the number of ranks. */
static bool fill_field(const cst_record *r, const cst_record_place *p, unsigned char *block,
                       long *turn) {
  bool filled = false;
  for (long done = 0; done < p->size; done += BLOCK, ++*turn) {
    const size_t size = (size_t)(p->size - done < BLOCK ? p->size - done : BLOCK);
    if (*turn % r->size != r->rank)
      continue;
    if (!filled) {
      fill_value(p->field.type, block);
      repeat(block, cst_record_width(p->field.type), size);
      filled = true;
    }
    if (!cst_record_put(r, block, size, p->at + done))
      return false;
  }
  return true;
}

bool cst_record_fill(cst_record *r, char *why, int n) {
  unsigned char *block = cst_need(malloc(BLOCK));
  long           turn = 0;
  bool           ok = true;
  for (int k = 0; ok && k < r->nfield; k++)
    ok = fill_field(r, &r->place[k], block, &turn);
  if (!ok)
    snprintf(why, (size_t)n, "cannot fill %s: %s", r->path, strerror(errno));
  free(block);
  return ok;
}

/* rows.c: the rows of a batch of trajectories, one array per channel (see channels.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"

enum { ALIGNMENT = 64 };

static bool is_of_trajectories(const cst_channel *c) { return *c->field.path && c->count; }

cst_rows *cst_rows_create(const cst_channels *c, long batch, int width) {
  cst_rows *r = cst_need(calloc(1, sizeof *r));
  long      lanes = (batch + width - 1) / width * width;
  r->channels = c;
  r->width = width;
  r->data = cst_zeros(c->n, sizeof *r->data);
  for (int k = 0; k < c->n; k++) {
    if (!is_of_trajectories(&c->channel[k]))
      continue;
    const size_t used = (size_t)lanes * cst_channel_bytes(&c->channel[k]);
    const size_t bytes = (used / ALIGNMENT + 1) * ALIGNMENT;
    r->data[k] = cst_need(aligned_alloc(ALIGNMENT, bytes));
    memset(r->data[k], 0, bytes);
  }
  return r;
}

void cst_rows_destroy(cst_rows *r) {
  if (!r)
    return;
  for (int k = 0; k < r->channels->n; k++)
    free(r->data[k]);
  free(r->data);
  free(r);
}

static size_t stride(const cst_rows *r, const cst_channel *c) {
  return c->in_lanes ? (size_t)r->width : 1;
}

void *cst_rows_at(const cst_rows *r, const cst_channel *c, long lane) {
  if (!c || !is_of_trajectories(c))
    return NULL;
  char        *data = r->data[c - r->channels->channel];
  const size_t row = cst_channel_bytes(c);
  const size_t W = (size_t)r->width;
  const size_t number = row / c->count;
  if (c->in_lanes)
    return data + (size_t)lane / W * W * row + (size_t)lane % W * number;
  return data + (size_t)lane * row;
}

double *cst_rows_numbers(const cst_rows *r, const cst_channel_row *row, int which, long lane) {
  const cst_channel *c = cst_channels_find(r->channels, row, which);
  return cst_rows_at(r, c, lane);
}

void cst_rows_gather(const cst_rows *r, const cst_channel *c, long lane, long n, double *x) {
  for (long l = lane; l < lane + n; l++) {
    const double *from = cst_rows_at(r, c, l);
    for (size_t i = 0; i < c->count; i++)
      *x++ = from[i * stride(r, c)];
  }
}

/* ---- numbers in checkpoints ------------------------------------------------------------------- */

static bool is_kept(const cst_channel *c) { return is_of_trajectories(c) && c->kept; }

size_t cst_rows_kept(const cst_rows *r) {
  size_t n = 0;
  for (int k = 0; k < r->channels->n; k++)
    if (is_kept(&r->channels->channel[k]))
      n += r->channels->channel[k].count;
  return n;
}

void cst_rows_save(const cst_rows *r, long lane, double *row) {
  for (int k = 0; k < r->channels->n; k++) {
    const cst_channel *c = &r->channels->channel[k];
    if (!is_kept(c))
      continue;
    const double *x = cst_rows_at(r, c, lane);
    for (size_t i = 0; i < c->count; i++)
      *row++ = x[i * stride(r, c)];
  }
}

void cst_rows_restore(const cst_rows *r, long lane, const double *row) {
  for (int k = 0; k < r->channels->n; k++) {
    const cst_channel *c = &r->channels->channel[k];
    if (!is_kept(c))
      continue;
    double *x = cst_rows_at(r, c, lane);
    for (size_t i = 0; i < c->count; i++)
      x[i * stride(r, c)] = *row++;
  }
}

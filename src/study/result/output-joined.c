/* output-joined.c: which trajectories of a file were continued from an earlier end (output.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "core/need.h"
#include "study/result/output-internal.h"
#include "study/result/sound.h"

/* A file of an earlier version tells only whether all of it was continued. */
static void joined_of_all(cst_result *file, const cst_plan *p, long *members) {
  char *continued = cst_result_text(file, "/", "continued");
  for (int i = 0; i < p->ncase; i++)
    members[i] = continued ? p->study->members : 0;
  free(continued);
}

long *cst_output_joined(cst_result *file, const cst_plan *p, char *why, size_t n) {
  cst_channels      *channels = cst_channels_create(p, NULL);
  const cst_channel *c = cst_channels_find(channels, &cst_channel_joined, 0);
  long              *members = cst_zeros(p->ncase, sizeof *members);
  const long         start[1] = {0}, count[1] = {p->ncase};
  bool               good = true;
  if (!c || !cst_result_read_block(file, c->field.path, c->field.type, start, count, members))
    joined_of_all(file, p, members);
  else
    good = cst_sound(p, 0, c, members, (size_t)p->ncase, why, n);
  cst_channels_destroy(channels);
  if (good)
    return members;
  free(members);
  return NULL;
}

bool cst_output_is_joined(const cst_output *o, const cst_channel *c, const long *start) {
  if (!(c->row->is & CST_IS_JOINED))
    return false;
  const long first = c->count ? start[1] : 0;
  return first < o->joined[start[0]];
}

bool cst_output_continues(const cst_output *o, int icase, long member) {
  return o->joined && member < o->joined[icase];
}

/* start-keep.c: the key `project` of starts, and what a projection has moved.
 *
 *   project: true,   project: {keep: [x, "y'", top, "top'"]}
 *
 * Names of `keep` are those of coordinates, of arrays and of bodies, for all their coordinates, and with an
 * apostrophe of their velocities.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/file/starts.h"
#include "system/point/keep.h"

static const double worth_telling = 0.01;

/* Marks the coordinates of an array, or of a body. */
static bool mark_all(const cst_system *s, const char *name, size_t n, unsigned char *keep) {
  bool found = false;
  for (int i = 0; i < s->ncoordinate; i++) {
    const cst_name *a = &s->coordinate_name[i];
    if (!a->array || strlen(a->name) != n || strncmp(a->name, name, n))
      continue;
    for (int k = 0; k < a->count; k++)
      keep[a->at + k * a->step] = 1;
    found = found || a->count > 0;
  }
  for (int k = 0; k < s->nbodies; k++) {
    const cst_body *b = &s->bodies[k];
    if (strlen(b->name) != n || strncmp(b->name, name, n))
      continue;
    memset(keep + b->rotation, 1, 9);
    if (b->centre >= 0)
      memset(keep + b->centre, 1, 3);
    found = true;
  }
  return found;
}

static bool mark(const cst_system *s, const char *name, unsigned char *keep) {
  const int    at = cst_starts_place(s, name, 0);
  const size_t length = strlen(name);
  const bool   velocity = length && name[length - 1] == '\'';
  if (at >= 0)
    keep[at] = 1;
  return at >= 0 || mark_all(s, name, length - velocity, keep + (velocity ? s->nq : 0));
}

static void read_names(cst_reader *r, cst_yaml *list) {
  const cst_system *s = r->s->system;
  if (!list)
    return;
  if (!cst_yaml_is_list(list) || !cst_yaml_size(list)) {
    cst_yaml_error(r->doc, list, r->d,
                   "'keep' must be a list of coordinates, x, velocities, x', arrays and bodies");
    return;
  }
  for (int k = 0; s && k < cst_yaml_size(list); k++) {
    const char *name = cst_yaml_text(cst_yaml_item(list, k));
    if (!name || !mark(s, name, r->s->keep))
      cst_yaml_error(r->doc, cst_yaml_item(list, k), r->d,
                     "'%s' of 'keep' is not a coordinate, array or body of %s, nor with an "
                     "apostrophe the velocity of one",
                     name ? name : "", s->name);
  }
}

void cst_start_project(cst_reader *r, cst_yaml *n) {
  cst_study *s = r->s;
  if (!cst_yaml_is_map(n)) {
    cst_reader_flag(r, n, "project", &s->project);
    return;
  }
  s->project = true;
  if (!cst_reader_keys(r, n, "project", "initial.project", CST_KEYS_ALL))
    return;
  if (s->system && (s->system->nq > CST_MOST_KEPT || s->system->ng > CST_MOST_KEPT))
    cst_yaml_error(r->doc, n, r->d,
                   "'keep' is for systems of at most %d coordinates and %d constraints; %s has %d "
                   "and %d",
                   CST_MOST_KEPT, CST_MOST_KEPT, s->system->name, s->system->nq, s->system->ng);
  if (s->system && !s->keep)
    s->keep = cst_reader_memory(2 * (size_t)s->system->nq, sizeof *s->keep);
  read_names(r, cst_reader_required(r, n, "project", "keep"));
}

/* The largest number in x[n]. */
static double scale_of(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* Notes the largest move, relative to the largest coordinate or velocity of this start. */
static void note_move(cst_study *s, const char *of, const double *before, const double *q,
                      const double *v) {
  const int nq = s->system->nq;
  for (int k = 0; k < 2 * nq; k++) {
    const double *was = before + (k < nq ? 0 : nq), *now = k < nq ? q : v;
    const int     i = k % nq;
    const double  scale = fmax(scale_of(was, nq), scale_of(now, nq));
    const double  moved = scale > 0 ? fabs(now[i] - was[i]) / scale : 0;
    if (!(moved > s->moved) || !(moved > worth_telling))
      continue;
    s->moved = moved;
    const char *name = s->system->coordinate[i];
    const char *unit =
        k < nq ? cst_system_unit(s->system, name) : cst_system_speed_unit(s->system, name);
    snprintf(s->moved_text, sizeof s->moved_text,
             "%s%s of %s from %.6g to %.6g%s, %.2g of its scale", name, k < nq ? "" : "'", of,
             was[i], now[i], unit, moved);
  }
}

bool cst_start_move(cst_study *s, const char *of, const double *c, double *q, double *v) {
  const size_t n = (size_t)s->system->nq;
  double      *before = cst_need(malloc(2 * n * sizeof *before));
  memcpy(before, q, n * sizeof *before);
  memcpy(before + n, v, n * sizeof *before);
  const bool good = cst_study_project(s, c, q, v);
  if (good)
    note_move(s, of, before, q, v);
  free(before);
  return good;
}

bool cst_study_project(const cst_study *s, const double *c, double *q, double *v) {
  return s->keep ? cst_system_project_kept(s->system, c, s->keep, q, v)
                 : cst_system_project(s->system, c, q, v);
}

/* test-checkpoint-reader.c: the data from which a batch continues do not change while rank 0 reads other parts of the
 * checkpoint for the next batch. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "study/run/checkpoint.h"
#include "tap.h"

static const char study_text[] =
    "study: ensemble\nsystem: planar-pendulum\ninitial: {members: 24, seed: 1, spread: {v: 0.1}}\n"
    "end: 1\nsteps: [0.1]\nmethods: [rattle]\n";

enum { NUMBERS = 5, COUNT = 8 };

/* Piece i holds the numbers 100 i, 100 i + 1 ... */
static void add_piece(cst_snapshot_writer *w, const cst_plan *p, int i, cst_lane_rows *head) {
  char   bytes[sizeof(cst_lane_rows) + NUMBERS * COUNT * sizeof(double)];
  double row[NUMBERS * COUNT];
  *head = (cst_lane_rows){.icase = 0,
                          .member = (long)i * COUNT,
                          .count = COUNT,
                          .numbers = NUMBERS,
                          .at = cst_plan_position(p, &p->classes[0], 3)};
  for (int k = 0; k < NUMBERS * COUNT; k++)
    row[k] = 100 * i + k;
  memcpy(bytes, head, sizeof *head);
  memcpy(bytes + sizeof *head, row, sizeof row);
  cst_snapshot_add(w, "lanes", bytes, sizeof bytes);
}

static bool write_checkpoint(const cst_plan *p, const char *path) {
  char               why[256];
  cst_lane_rows      head[3];
  cst_snapshot_owner owner;
  cst_snapshot_own(&owner, path, "0123");
  cst_snapshot_writer *w = cst_snapshot_begin(&owner, 1, why, sizeof why);
  if (!w)
    return false;
  for (int i = 0; i < 3; i++)
    add_piece(w, p, i, &head[i]);
  cst_snapshot_add(w, "saved", head, sizeof head);
  cst_snapshot_add(w, "items", NULL, 0);
  cst_snapshot_add(w, "done", NULL, 0);
  return cst_snapshot_commit(w, 0, why, sizeof why);
}

static void origins(cst_checkpoint *checkpoint) {
  const cst_work w = {.class = 0, .first = COUNT + 2, .count = 4, .saved = 1, .skip = 2};
  cst_origin     from;
  OK(cst_checkpoint_origin(checkpoint, &w, &from) && from.numbers == NUMBERS && from.at.step == 3,
     "a part of a piece is gone on from");
  const double *other = cst_checkpoint_rows(checkpoint, 2);
  OK(other && other[0] == 200, "another piece is read meanwhile");
  int wrong = 0;
  for (int k = 0; k < NUMBERS * 4; k++)
    wrong += from.row[k] != 100 + 2 * NUMBERS + k;
  OK(!wrong, "the rows of the first are those of its lanes still (%d are not)", wrong);
}

int main(void) {
  char       path[64], why[256], name[CST_SNAPSHOT_PATH];
  cst_diag  *d = cst_diag_create();
  cst_study *s =
      cst_study_read("past.yaml", study_text, strlen(study_text), cst_reader_share_alone, d);
  cst_plan       *p = s ? cst_plan_create(s, cst_isa_choose(NULL), d) : NULL;
  cst_checkpoint *checkpoint = p ? cst_checkpoint_create(p) : NULL;
  cst_diag_print(d, stdout);
  snprintf(path, sizeof path, "/tmp/cst-past-%d.h5", (int)getpid());
  if (OK(p && write_checkpoint(p, path) &&
             cst_checkpoint_open(p, checkpoint, path, 1, why, sizeof why),
         "a checkpoint of three pieces"))
    origins(checkpoint);
  unlink(cst_snapshot_name(path, 1, name));
  cst_checkpoint_destroy(p, checkpoint);
  cst_plan_destroy(p);
  cst_study_destroy(s);
  cst_diag_destroy(d);
  return tap_done();
}

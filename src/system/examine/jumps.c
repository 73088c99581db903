/* jumps.c: where the constraints and forces of a system may jump, in words (jumps.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/examine/jumps.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "expr/cuts.h"
#include "expr/write.h"

enum { NAME = 80, LONG = 60 }; /* characters: of a name, and of an expression that is shown */

typedef struct {
  const cst_system *s;
  char             *room; /* [NAME] */
} names;

/* x' of x, x'[3] of x[3] */
static const char *velocity(const char *coordinate, char *room) {
  const size_t n = strcspn(coordinate, "[");
  snprintf(room, NAME, "%.*s'%s", (int)n, coordinate, coordinate + n);
  return room;
}

static const char *name_of(const void *context, char letter, int index) {
  const names      *n = context;
  const cst_system *s = n->s;
  if (letter == 'q')
    return s->description->coordinate[index];
  if (letter == 'v')
    return velocity(s->description->coordinate[index], n->room);
  if (letter == 'c')
    return index < cst_system_named(s) ? s->parameter[index].name : "t";
  snprintf(n->room, NAME, "lambda_%s", s->description->constraint[index]);
  return n->room;
}

static void tell(const cst_system *s, const char *what, const char *name, const cst_cut *cut,
                 char text[CST_JUMP_TEXT]) {
  char           room[NAME];
  const names    n = {s, room};
  const cst_node out[] = {cut->sign, cut->beside};
  cst_written w = cst_graph_write(s->model->graph, out, cut->beside < 0 ? 1 : 2, "", name_of, &n);
  bool        shown = !w.n;
  for (int k = 0; k < w.nout; k++)
    shown &= w.out[k] && strlen(w.out[k]) <= LONG; /* NULL: the graph is full */
  if (!shown)
    snprintf(text, CST_JUMP_TEXT, "%s %s: %s may jump", what, name, cut->what);
  else if (cut->beside >= 0)
    snprintf(text, CST_JUMP_TEXT, "%s %s: atan2(%s, %s) jumps where %s = 0 and %s < 0", what, name,
             w.out[0], w.out[1], w.out[0], w.out[1]);
  else
    snprintf(text, CST_JUMP_TEXT, "%s %s: %s has a pole where %s = 0", what, name, cut->what,
             w.out[0]);
  cst_written_end(&w);
}

/* Adds the places in n expressions to the texts, of which there are `told`. */
static int add(const cst_system *s, const char *what, const char *name, const cst_node *out, int n,
               const char *arrays, int told, char text[CST_JUMPS_TOLD][CST_JUMP_TEXT]) {
  cst_cut  *cut;
  const int found = cst_graph_cuts(s->model->graph, out, n, arrays, &cut);
  for (int k = 0; k < found && told < CST_JUMPS_TOLD; k++)
    tell(s, what, name, &cut[k], text[told++]);
  free(cut);
  return told;
}

int cst_jumps_tell(const cst_system *s, char text[CST_JUMPS_TOLD][CST_JUMP_TEXT]) {
  int n = 0;
  for (int a = 0; a < s->ng - s->model->nvel && n < CST_JUMPS_TOLD; a++)
    n = add(s, "constraint", s->description->constraint[a], &s->model->g[a], 1, "q", n, text);
  for (int k = 0; k < s->model->nvel && n < CST_JUMPS_TOLD; k++)
    n = add(s, "constraint", s->description->constraint[s->ng - s->model->nvel + k],
            &s->model->phi[k], 1, "qv", n, text);
  for (int k = 0; k < s->model->nforce && n < CST_JUMPS_TOLD; k++)
    n = add(s, "force", s->description->force_name[k], s->model->force + k * s->nq, s->nq, "qv", n,
            text);
  return n;
}

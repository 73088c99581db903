/* examine.c: the examination of a system: findings, points, and the parts. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/examine/examine.h"
#include <stdarg.h>
#include <string.h>
#include "system/examine/examiner.h"

enum { LONGEST = 2000 }; /* bytes of text per finding */

/* Findings. */

void cst_examine_say(cst_examiner *e, cst_severity severity, const char *topic, const char *format,
                     ...) {
  cst_examination *x = e->x;
  char             text[LONGEST];
  va_list          arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  char *own_topic = cst_need(strdup(topic));
  char *own_text = cst_need(strdup(text));
  x->at = cst_need(realloc(x->at, sizeof *x->at * ((size_t)x->n + 1)));
  x->at[x->n++] = (cst_finding){severity, own_topic, own_text};
  x->faults += severity == CST_FAULT;
}

void cst_examine_destroy(cst_examination *x) {
  if (!x)
    return;
  for (int i = 0; i < x->n; i++) {
    free(x->at[i].topic);
    free(x->at[i].text);
  }
  free(x->at);
  free(x);
}

/* Points. */

static int wanted_points(const cst_examiner *e) {
  const cst_system *s = e->s;
  if (e->large)
    return CST_EXAMINED_FEW;
  if (s->nstate > CST_EXAMINED_POINTS) {
    if (s->nstate < CST_EXAMINED_STATES)
      return s->nstate;
    return CST_EXAMINED_STATES;
  }
  return CST_EXAMINED_POINTS;
}

/* Points near every state in turn; reports states without such points once. */
static void gather_points(cst_examiner *e) {
  const cst_system *s = e->s;
  const int         wanted = wanted_points(e);
  e->point = cst_zeros(wanted, sizeof *e->point);
  for (int k = 0; k < wanted; k++) {
    const int state = k % s->nstate;
    char      topic[200];
    if (cst_examine_point(e, state, k, &e->point[e->npoint])) {
      e->npoint++;
      continue;
    }
    free(e->point[e->npoint].q);
    snprintf(topic, sizeof topic, "state %s", s->description->state[state].name);
    if (k < s->nstate)
      cst_examine_say(e, CST_FAULT, topic,
                      "functions of the system or their derivatives are not finite near it");
  }
}

static void begin(cst_examiner *e) {
  const cst_system *s = e->s;
  e->C = cst_zeros(s->npar, sizeof *e->C);
  for (int i = 0; i < s->npar; i++)
    e->C[i] = e->c[i];
}

/* The points have a time of their own, at which nothing vanishes that does at the start. */
static void set_time(cst_examiner *e) {
  const cst_system *s = e->s;
  if (!cst_has(s, CST_DRIVEN))
    return;
  double *c = cst_zeros(s->npar, sizeof *c);
  memcpy(c, e->c, sizeof *c * (size_t)s->npar);
  c[s->model->account - 1] = CST_EXAMINED_TIME;
  e->C[s->model->account - 1] = CST_EXAMINED_TIME;
  e->c = e->later = c;
}

static void end(cst_examiner *e) {
  for (int k = 0; k < e->npoint; k++)
    free(e->point[k].q);
  free(e->point);
  free(e->C);
  free(e->later);
}

/* The parts of the examination, in their order: a new one is a row here and its function in examiner.h. */
static void (*const parts[])(cst_examiner *e) = {
    cst_examine_structure, /* mass, sparsity, jumps */
    cst_examine_states,    /* whether a motion can start from each */
    set_time,
    gather_points,
    cst_examine_kernels,      /* functions and their derivatives at these points */
    cst_examine_compiled,     /* the bits of compiled kernels */
    cst_examine_symmetries,   /* momentum maps */
    cst_examine_motions,      /* exact motions solve the equations */
    cst_examine_nonholonomic, /* whether the constraints are integrable, and the energy kept */
};

cst_examination *cst_examine(cst_system *s, const double *c) {
  cst_examination *x = cst_need(calloc(1, sizeof *x));
  cst_examiner     e = {.s = s, .c = c, .x = x, .large = s->nq > CST_MAX_Q};
  begin(&e);
  cst_system_bend(s);
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    parts[k](&e);
  end(&e);
  return x;
}

/* examine-structure.c: describes a system: its mass, and the sparsity of its matrices. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <math.h>
#include "system/examine/examiner.h"
#include "system/examine/jumps.h"

static bool mass_depends(const cst_system *s) {
  for (int e = 0; e < s->kernel_size[CST_K_M]; e++)
    if (cst_graph_depends(s->graph, s->kernel_out[CST_K_M][e], 'q'))
      return true;
  return false;
}

static bool is_diagonal(const cst_pattern *p) {
  for (int i = 0; i < p->rows; i++)
    CST_EACH_ENTRY(p, i, e)
      if (p->column[e] != i)
        return false;
  return true;
}

static const char *mass_kind(const cst_system *s) {
  if (!s->general)
    return "constant diagonal";
  const bool depends = mass_depends(s);
  const bool diagonal = is_diagonal(&s->pattern[CST_K_M]);
  if (depends)
    return diagonal ? "diagonal, depends on the coordinates" : "matrix, depends on the coordinates";
  return diagonal ? "constant diagonal" : "constant matrix";
}

static void say_elimination(cst_examiner *e) {
  const cst_system *s = e->s;
  const int         ng = s->ng;
  if (!ng)
    cst_examine_say(e, CST_FACT, "structure", "no constraints");
  else if (s->gram.form == CST_FORM_SPARSE || s->gram.form == CST_FORM_PAIRS)
    cst_examine_say(
        e, CST_FACT, "structure",
        "constraints sparse, %d entries in their factors%s; nonzeros of Dg: %d in %d x %d",
        2 * s->gram.row[ng] + ng, s->gram.form == CST_FORM_PAIRS ? ", too many for lanes" : "",
        s->pattern[CST_K_G].n, ng, s->nq);
  else if (s->gram.banded)
    cst_examine_say(e, CST_FACT, "structure",
                    "constraints banded, half band %d; nonzeros of Dg: %d in %d x %d", s->gram.band,
                    s->pattern[CST_K_G].n, ng, s->nq);
  else
    cst_examine_say(e, CST_FACT, "structure", "constraints dense; nonzeros of Dg: %d in %d x %d",
                    s->pattern[CST_K_G].n, ng, s->nq);
}

/* For every name the first body. */
static void say_bodies(cst_examiner *e) {
  const cst_system *s = e->s;
  for (int k = 0; k < s->nbody_name; k++) {
    const cst_name *name = &s->body_name[k];
    char            count[40] = "";
    double          inertia[9], mass, off;
    cst_system_body_inertia(s, name->at, e->c, inertia, &mass);
    off = fabs(inertia[1]);
    off += fabs(inertia[2]);
    off += fabs(inertia[5]);
    if (name->array)
      snprintf(count, sizeof count, "%d bodies, the first: ", name->count);
    if (s->bodies[name->at].centre >= 0)
      cst_examine_say(e, CST_FACT, "bodies",
                      "%s: %smass %.6g, inertia about the centre %.6g %.6g %.6g%s", name->name,
                      count, mass, inertia[0], inertia[4], inertia[8],
                      off > 0 ? " and products" : "");
    else
      cst_examine_say(e, CST_FACT, "bodies",
                      "%s: %sturns about the origin, inertia about it %.6g %.6g %.6g%s", name->name,
                      count, inertia[0], inertia[4], inertia[8], off > 0 ? " and products" : "");
  }
}

/* With the examined parameters. */
static void check_bodies(cst_examiner *e) {
  char why[500];
  if (!cst_system_check_bodies(e->s, e->c, why, sizeof why))
    cst_examine_say(e, CST_FAULT, "bodies", "%s", why);
}

static void say_pairs(cst_examiner *e) {
  const cst_system *s = e->s;
  cst_graph        *g = s->graph;
  for (int k = 0; k < s->npairs; k++) {
    const cst_pairs *p = &s->pairs[k];
    const int        value = cst_graph_count(g, &p->sum.term, 1);
    const int        slopes = cst_graph_count(g, p->slope, p->sum.nx + p->sum.ny);
    cst_examine_say(e, CST_FACT, "potential",
                    "a sum over %ld pairs, each of %d operations, its slopes of %d", p->sum.pairs,
                    value, slopes);
  }
}

static int smoothness_of(const cst_system *s, const cst_node *of, int n) {
  int least = INT_MAX;
  for (int i = 0; of && i < n; i++) {
    const int smooth = cst_graph_smoothness(s->graph, of[i]);
    least = smooth < least ? smooth : least;
  }
  return least;
}

/* Notes that there are functions which are smooth in pieces. */
static void say_pieces(cst_examiner *e) {
  const cst_system *s = e->s;
  const cst_node    V = s->V;
  const int         masses = s->matrix ? s->nq * s->nq : s->nq;
  const struct {
    const char *name;
    int         smooth;
  } part[] = {{"the potential", smoothness_of(s, &V, 1)},
              {"the mass", smoothness_of(s, s->mass, masses)},
              {"constraints", smoothness_of(s, s->g, s->ng)},
              {"forces", smoothness_of(s, s->force, s->nforce * s->nq)}};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++)
    if (part[i].smooth < INT_MAX)
      cst_examine_say(e, CST_NOTE, "pieces",
                      "%s: smooth in pieces; derivatives are those between them, and where a step "
                      "passes from one to another it has a lower order",
                      part[i].name);
}

static void say_jumps(cst_examiner *e) {
  char      text[CST_JUMPS_TOLD][CST_JUMP_TEXT];
  const int n = cst_jumps_tell(e->s, text);
  for (int k = 0; k < n; k++)
    cst_examine_say(e, CST_NOTE, "jumps", "%s", text[k]);
}

void cst_examine_structure(cst_examiner *e) {
  const cst_system *s = e->s;
  say_bodies(e);
  check_bodies(e);
  cst_examine_say(e, CST_FACT, "mass", "%s; %sgyroscopic", mass_kind(s),
                  s->gyroscopic ? "" : "not ");
  say_elimination(e);
  say_pairs(e);
  say_pieces(e);
  say_jumps(e);
  if (s->linear_v)
    cst_examine_say(e, CST_FACT, "potential", "linear: its Hessian vanishes");
  else if (!s->bent)
    cst_examine_say(e, CST_FACT, "potential", "its second derivatives are too large");
  else
    cst_examine_say(e, CST_FACT, "potential", "nonzeros of its Hessian: %d in %d x %d",
                    s->pattern[CST_K_d2V].n, s->nq, s->nq);
}

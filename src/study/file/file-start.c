/* file-start.c: the key `initial`: a named state, numbers, or an ensemble around either; its keys `project` and `spread`.
 * Then the checks that they are valid starts (several starts: starts.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/file/starts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/file/names.h"
#include "study/file/reader.h"
#include "system/point/keep.h"
#include "system/point/linear.h"
#include "system/point/mass.h"
#include "system/point/residuals.h"
#include "system/read/system-keys.h"

/* ---- the key `project` ----------------------------------------------------------------------- */

/* What is kept of a start, and what a projection has moved.
 *
 *   project: true,   project: {keep: [x, "y'", top, "top'"]}
 *
 * Names of `keep` are those of coordinates, of arrays and of bodies, for all their coordinates, and with an
 * apostrophe of their velocities.
 */

static const double worth_telling = 0.01;

/* Marks the coordinates of an array, or of a body. */
static bool mark_all(const cst_system *s, const char *name, size_t n, unsigned char *keep) {
  bool found = false;
  for (int i = 0; i < s->description->ncoordinate; i++) {
    const cst_name *a = &s->description->coordinate_name[i];
    if (!a->array || strlen(a->name) != n || strncmp(a->name, name, n))
      continue;
    for (int k = 0; k < a->count; k++)
      keep[a->at + k * a->step] = 1;
    found = found || a->count > 0;
  }
  for (int k = 0; k < s->model->nbodies; k++) {
    const cst_body *b = &s->model->bodies[k];
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
  const cst_system *s = r->s->problem.system;
  if (!list)
    return;
  if (!cst_yaml_is_list(list) || !cst_yaml_size(list)) {
    cst_yaml_error(r->doc, list, r->d,
                   "'keep' must be a list of coordinates, x, velocities, x', arrays and bodies");
    return;
  }
  for (int k = 0; s && k < cst_yaml_size(list); k++) {
    const char *name = cst_yaml_text(cst_yaml_item(list, k));
    if (!name || !mark(s, name, r->s->starts.keep))
      cst_yaml_error(r->doc, cst_yaml_item(list, k), r->d,
                     "'%s' of 'keep' is not a coordinate, array or body of %s, nor with an "
                     "apostrophe the velocity of one",
                     name ? name : "", s->name);
  }
}

void cst_start_project(cst_reader *r, cst_yaml *n) {
  cst_study *s = r->s;
  if (!cst_yaml_is_map(n)) {
    double flag = s->starts.project;
    cst_reader_value(r, n, cst_key_find(cst_study_keys(), "initial", "project"), "project", &flag);
    s->starts.project = flag != 0;
    return;
  }
  s->starts.project = true;
  if (!cst_reader_keys(r, n, "project", "initial.project", CST_KEYS_ALL))
    return;
  if (s->problem.system &&
      (s->problem.system->nq > CST_MOST_KEPT || s->problem.system->ng > CST_MOST_KEPT))
    cst_yaml_error(r->doc, n, r->d,
                   "'keep' is for systems of at most %d coordinates and %d constraints; %s has %d "
                   "and %d",
                   CST_MOST_KEPT, CST_MOST_KEPT, s->problem.system->name, s->problem.system->nq,
                   s->problem.system->ng);
  if (s->problem.system && !s->starts.keep)
    s->starts.keep = cst_reader_memory(2 * (size_t)s->problem.system->nq, sizeof *s->starts.keep);
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
  const int nq = s->problem.system->nq;
  for (int k = 0; k < 2 * nq; k++) {
    const double *was = before + (k < nq ? 0 : nq), *now = k < nq ? q : v;
    const int     i = k % nq;
    const double  scale = fmax(scale_of(was, nq), scale_of(now, nq));
    const double  moved = scale > 0 ? fabs(now[i] - was[i]) / scale : 0;
    if (!(moved > s->starts.moved) || !(moved > worth_telling))
      continue;
    s->starts.moved = moved;
    const char *name = s->problem.system->description->coordinate[i];
    const char *unit = k < nq ? cst_system_unit(s->problem.system, name)
                              : cst_system_speed_unit(s->problem.system, name);
    snprintf(s->starts.moved_text, sizeof s->starts.moved_text,
             "%s%s of %s from %.6g to %.6g%s, %.2g of its scale", name, k < nq ? "" : "'", of,
             was[i], now[i], unit, moved);
  }
}

static bool project_noted(cst_study *s, const char *of, const double *c, double *q, double *v) {
  const size_t n = (size_t)s->problem.system->nq;
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
  return s->starts.keep ? cst_system_project_kept(s->problem.system, c, s->starts.keep, q, v)
                        : cst_system_project(s->problem.system, c, q, v);
}

/* ---- the key `spread` ------------------------------------------------------------------------ */

/* The key `spread` of an ensemble: one standard deviation for all coordinates, or one per
 * named coordinate.
 *
 *   spread: {q: 0.1, v: {x: 0.05, "u[2]": 0.2}}
 *
 * Coordinates that a map does not name are not spread. The name of an array stands for all its elements,
 * the name of a body for its rotation.
 */

/* Sets the deviation x of the named coordinates; false: the name is unknown. */
static bool set(const cst_system *s, const char *name, double x, double *each) {
  const int at = cst_starts_place(s, name, 0);
  bool      found = at >= 0 && at < s->nq;
  if (found)
    each[at] = x;
  for (int i = 0; i < s->description->ncoordinate; i++) {
    const cst_name *a = &s->description->coordinate_name[i];
    if (!a->array || strcmp(a->name, name))
      continue;
    for (int k = 0; k < a->count; k++)
      each[a->at + k * a->step] = x;
    found = found || a->count > 0;
  }
  for (int k = 0; k < s->model->nbodies; k++) {
    const cst_body *b = &s->model->bodies[k];
    if (strcmp(b->name, name))
      continue;
    for (int i = 0; i < 9; i++)
      each[b->rotation + i] = x;
    found = true;
  }
  return found;
}

static void by_name(cst_reader *r, cst_yaml *map, const cst_key *row, double *each) {
  const cst_system *s = r->s->problem.system;
  for (int k = 0; s && k < cst_yaml_size(map); k++) {
    const char *name = cst_yaml_text(cst_yaml_key(map, k));
    double      x;
    if (!cst_reader_value(r, cst_yaml_value(map, k), row, name ? name : row->key, &x))
      continue;
    if (!name || !set(s, name, x, each))
      cst_yaml_error(r->doc, cst_yaml_key(map, k), r->d,
                     "'%s' of '%s' is not a coordinate, array or body of %s", name ? name : "",
                     row->key, s->name);
  }
}

/* Reads the deviations of q or v. */
static void half(cst_reader *r, cst_yaml *n, const char *what, double *all, int which) {
  cst_study     *s = r->s;
  const cst_key *row = cst_key_find(cst_study_keys(), "initial.spread", what);
  if (!cst_yaml_is_map(n)) {
    cst_reader_value(r, n, row, what, all);
    return;
  }
  if (!s->problem.system)
    return;
  const size_t nq = (size_t)s->problem.system->nq;
  if (!s->ensemble.deviation[which])
    s->ensemble.deviation[which] = cst_reader_memory(nq, sizeof(double));
  by_name(r, n, row, s->ensemble.deviation[which]);
}

void cst_start_spread(cst_reader *r, cst_yaml *n) {
  const int before = cst_diag_count(r->d);
  if (!cst_reader_keys(r, n, "spread", "initial.spread", CST_KEYS_ALL))
    return;
  half(r, cst_yaml_get(n, "q"), "q", &r->s->ensemble.spread_q, 0);
  half(r, cst_yaml_get(n, "v"), "v", &r->s->ensemble.spread_v, 1);
  r->spread_known = cst_diag_count(r->d) == before;
}

bool cst_study_spreads(const cst_study *s) {
  bool any = s->ensemble.spread_q > 0 || s->ensemble.spread_v > 0;
  for (int k = 0; k < 2; k++)
    for (int i = 0; s->ensemble.deviation[k] && i < s->problem.system->nq; i++)
      any |= s->ensemble.deviation[k][i] > 0;
  return any;
}

/* ---- checks of starts ------------------------------------------------------------------------ */

/* Checks the starts of a study: they must be finite, on the constraints, and without reflections in
 * place of rotations; the mass must be positive there, and the same constraints redundant. The first start
 * decides which are. */

enum { WHY = 400 };

static const double tolerance = 1e-10;  /* on |g_j| / s_j and |G v|_j / scale */
static const double weak_pivot = 1e-12; /* of G G', relative to its diagonal */
/* A study with mistakes elsewhere is refused without a look at more starts than these. */
static const double few = 10000;

/* Where trajectories start: those of a parameter set, or a member that has a start of its own. */
typedef struct {
  int           variant;
  long          member; /* -1: all */
  const double *c;
  double       *q, *v;
} start;

static start start_of(const cst_study *s, int variant, long i) {
  const long k = variant;
  const long nq = s->problem.system->nq;
  start x = {variant, -1, s->problem.parameter + k * s->problem.system->npar, s->starts.q + k * nq,
             s->starts.v + k * nq};
  if (!s->starts.table.n)
    return x;
  x.member = i;
  x.q = cst_starts_row(s, variant, i);
  x.v = x.q + nq;
  return x;
}

/* "the start of member 3"; rotating static buffer. */
static const char *name(const start *x) {
  static char ring[2][64];
  static int  turn;
  if (x->member < 0)
    return "the start";
  char *text = ring[turn++ % 2];
  snprintf(text, sizeof ring[0], "the start of member %ld", x->member);
  return text;
}

static bool is_finite(cst_reader *r, const start *x) {
  const cst_system *s = r->s->problem.system;
  for (int i = 0; i < s->nq; i++) {
    if (isfinite(x->q[i]) && isfinite(x->v[i]))
      continue;
    cst_yaml_error(r->doc, r->start, r->d, "%s is not finite%s: %s is %g%s, its velocity %g%s",
                   name(x), cst_reader_with(r, x->variant), s->description->coordinate[i], x->q[i],
                   cst_system_unit(s, s->description->coordinate[i]), x->v[i],
                   cst_system_speed_unit(s, s->description->coordinate[i]));
    return false;
  }
  return true;
}

/* A reflection satisfies all constraints of a rotation. */
static bool is_turned(cst_reader *r, const start *x) {
  const cst_system *s = r->s->problem.system;
  const char       *where = x->member < 0 ? "" : " at ";
  for (int k = 0; k < s->model->nbodies; k++)
    if (cst_system_body_is_reflected(&s->model->bodies[k], x->q)) {
      cst_yaml_error(r->doc, r->start, r->d,
                     "the matrix of %s is a reflection%s%s%s: its determinant is -1; that of a "
                     "rotation is 1",
                     s->model->bodies[k].name, where, *where ? name(x) : "",
                     cst_reader_with(r, x->variant));
      return false;
    }
  return true;
}

/* The value of the first parameter in the study on which the mass of coordinate i depends; else the start. */
static cst_yaml *mass_place(const cst_reader *r, int i) {
  const cst_system *s = r->s->problem.system;
  cst_yaml         *map = cst_yaml_get(cst_yaml_get(r->root, "system"), "parameters");
  cst_yaml         *found = NULL;
  int              *index;
  const int         n = cst_mass_parameters(s, i, &index);
  for (int k = 0; k < n && !found; k++)
    if (index[k] < cst_system_named(s))
      found = cst_yaml_get(map, s->parameter[index[k]].name);
  free(index);
  return found ? found : r->start;
}

/* The mass of members differs only where it depends on the coordinates. */
static bool has_mass(cst_reader *r, const start *x) {
  const cst_system *s = r->s->problem.system;
  char              why[WHY];
  const bool        varies = !cst_has(s, CST_SEPARABLE);
  if (x->member > 0 && !varies)
    return true;
  const int i = cst_mass_wrong(s, x->c, x->q, why, sizeof why);
  if (i >= 0)
    cst_yaml_error(r->doc, mass_place(r, i), r->d, "%s%s%s%s", why, varies ? " at " : "",
                   varies ? name(x) : "", cst_reader_with(r, x->variant));
  return i < 0;
}

/* ---- redundant constraints ------------------------------------------------------------------- */

/* Finds the constraints that are redundant at a start; owned, NULL: none. */
static bool redundant(cst_reader *r, const start *x, unsigned char **out) {
  char why[WHY];
  if (cst_system_redundant(r->s->problem.system, x->c, x->q, out, why, sizeof why))
    return true;
  const char *of = x->member < 0 ? "" : ", of member ";
  char        member[32] = "";
  if (*of)
    snprintf(member, sizeof member, "%ld", x->member);
  cst_yaml_error(r->doc, r->start, r->d, "%s%s%s%s", why, of, member,
                 cst_reader_with(r, x->variant));
  return false;
}

static bool same(const unsigned char *a, const unsigned char *b, int n) {
  return !a || !b ? a == b : !memcmp(a, b, (size_t)n);
}

/* Whether the enforced constraints are independent at a start on the constraints, and the others dependent on
 * them: a quick test, without the points nearby. */
static bool suffices(const cst_system *s, const start *x) {
  const int kept = cst_system_enforced(s, s->ng);
  if (kept == s->nq || (s->nq > CST_MAX_Q && !s->model->dropped) ||
      cst_system_rank(s, x->c, x->q) != kept)
    return false;
  if (!s->model->dropped)
    return true;
  double   *G = cst_linear_numbers(s->model->pattern[CST_K_G].n);
  cst_schur S;
  cst_system_eval_at(s, CST_K_G, x->c, x->q, G);
  const bool good = cst_linear_schur_create(&S, s, G, NULL) && S.least >= weak_pivot;
  cst_linear_schur_destroy(&S);
  free(G);
  return good;
}

/* The redundant constraints are a property of the system and must be the same at every start. */
static bool is_redundant_alike(cst_reader *r, const start *x, bool on_constraints) {
  const cst_system *s = r->s->problem.system;
  const start       first = start_of(r->s, 0, 0);
  unsigned char    *own;
  if (on_constraints && suffices(s, x))
    return true;
  if (!redundant(r, x, &own))
    return false;
  const bool good = same(own, s->model->dropped, s->ng);
  free(own);
  if (good)
    return true;
  if (x->member < 0)
    cst_yaml_error(r->doc, r->start, r->d,
                   "different constraints are redundant%s and%s; put such parameter sets into "
                   "separate studies",
                   cst_reader_with(r, x->variant), cst_reader_with(r, 0));
  else
    cst_yaml_error(r->doc, r->start, r->d,
                   "different constraints are redundant at %s%s and at %s%s; put such starts into "
                   "separate studies",
                   name(x), cst_reader_with(r, x->variant), name(&first), cst_reader_with(r, 0));
  return false;
}

static bool enforce(cst_reader *r, const start *first) {
  unsigned char *dropped;
  const bool     good = redundant(r, first, &dropped);
  if (good)
    cst_system_enforce(r->s->problem.system, dropped);
  return good;
}

/* ---- constraints ----------------------------------------------------------------------------- */

static bool is_projected(cst_reader *r, const start *x) {
  cst_study *s = r->s;
  if (!s->starts.project || project_noted(s, name(x), x->c, x->q, x->v))
    return true;
  if (s->starts.keep)
    cst_yaml_error(
        r->doc, r->start, r->d,
        "%s: with what 'keep' holds no point on the constraints was found near it%s; keep "
        "less, or start closer to them",
        name(x), cst_reader_with(r, x->variant));
  else if (is_redundant_alike(r, x, false))
    cst_yaml_error(r->doc, r->start, r->d,
                   "%s: no nearest point on the constraints was found%s; it must be closer to them",
                   name(x), cst_reader_with(r, x->variant));
  return false;
}

static bool is_consistent(cst_reader *r, const start *x) {
  const cst_study *s = r->s;
  cst_worst        g, gv;
  char             why[WHY], why_v[WHY];
  cst_system_worst(s->problem.system, x->c, x->q, x->v, &g, &gv);
  if (g.scaled <= tolerance && gv.scaled <= tolerance)
    return true;
  const char *separator = g.at < 0 ? "" : "; ";
  const char *separator_v = gv.at < 0 ? "" : "; ";
  const char *place = s->starts.table.n ? "in 'initial'" : "beside q and v, in the study,";
  cst_worst_say(s->problem.system, &g, why, WHY);
  cst_worst_say(s->problem.system, &gv, why_v, WHY);
  cst_yaml_error(
      r->doc, r->start, r->d,
      "%s is inconsistent%s: |g| = %.3g (%.3g of its scale%s%s), |G v| = %.3g (%.3g of its "
      "scale%s%s); at most 1e-10 of the scale is allowed; `project: true` %s moves it there",
      name(x), cst_reader_with(r, x->variant), g.raw, g.scaled, separator, why, gv.raw, gv.scaled,
      separator_v, why_v, place);
  return false;
}

static bool is_sound(cst_reader *r, const start *x) {
  return is_finite(r, x) && is_turned(r, x) && has_mass(r, x);
}

static bool is_on_constraints(cst_reader *r, const start *x) {
  return !r->s->problem.system->ng ||
         (is_projected(r, x) && is_consistent(r, x) && is_redundant_alike(r, x, true));
}

void cst_start_settle(cst_reader *r) {
  const cst_study *s = r->s;
  if (!r->start_known || !s->problem.nvariant)
    return;
  const start first = start_of(s, 0, 0);
  r->start_sound = is_sound(r, &first) && (!s->problem.system->ng || enforce(r, &first)) &&
                   is_on_constraints(r, &first);
}

void cst_start_check(cst_reader *r) {
  const cst_study *s = r->s;
  const long       n = s->starts.table.n ? s->starts.table.n : 1;
  const bool       many = (double)n * s->problem.nvariant > few;
  bool             good = r->start_sound && !(many && cst_diag_count(r->d) > r->before);
  for (int v = 0; v < s->problem.nvariant && good; v++)
    for (long i = v == 0; i < n && good; i++) {
      const start x = start_of(s, v, i);
      good = is_sound(r, &x) && is_on_constraints(r, &x);
    }
}

/* ---- the key `initial` ----------------------------------------------------------------------- */

static const char start_wanted[] = "the name of a state, a map {q: [...], v: [...]}, an ensemble "
                                   "{members: ..., spread: ...}, a list of "
                                   "starts, or a map with list, grid, csv or from";

static double *q_of(const cst_study *s, int variant) {
  return s->starts.q + (size_t)variant * (size_t)s->problem.system->nq;
}
static double *v_of(const cst_study *s, int variant) {
  return s->starts.v + (size_t)variant * (size_t)s->problem.system->nq;
}
static const double *c_of(const cst_study *s, int variant) {
  return s->problem.parameter + (size_t)variant * (size_t)s->problem.system->npar;
}

static bool state_values(cst_reader *r, int state) {
  cst_study *s = r->s;
  s->starts.state = state;
  for (int v = 0; v < s->problem.nvariant; v++)
    cst_system_state(s->problem.system, state, c_of(s, v), q_of(s, v), v_of(s, v));
  return true;
}

static bool named(cst_reader *r, cst_yaml *n, const char *what) {
  const char *word = cst_reader_text(r, n, what, start_wanted);
  if (!word || !r->s->problem.system)
    return false;
  const cst_system *s = r->s->problem.system;
  const char      **names = cst_reader_memory((size_t)s->nstate, sizeof *names);
  int               i = 0;
  for (int k = 0; k < s->nstate; k++)
    names[k] = s->description->state[k].name;
  while (i < s->nstate && strcmp(names[i], word))
    i++;
  if (i == s->nstate)
    cst_reader_unknown(r, n, "state", word, names, s->nstate);
  free(names);
  return i < s->nstate && state_values(r, i);
}

/* Reads q or v into out[nvariant][nq]. */
static bool vector(cst_reader *r, cst_yaml *n, const char *what, double *out) {
  const cst_study *s = r->s;
  if (!cst_reader_list(r, n, what, "numbers", false) || !s->problem.system)
    return false;
  int nq = s->problem.system->nq;
  int size = cst_yaml_size(n);
  if (size != nq) {
    cst_yaml_error(r->doc, n, r->d, "'%s' has %d entries; %s has %d coordinates: %s", what, size,
                   s->problem.system->name, nq,
                   cst_names_list(s->problem.system->description->coordinate_name,
                                  s->problem.system->description->ncoordinate));
    return false;
  }
  bool    good = true;
  double *one = cst_reader_memory((size_t)s->problem.nvariant, sizeof *one);
  for (int i = 0; i < nq; i++) {
    good &= cst_reader_numbers(r, cst_yaml_item(n, i), what, one);
    for (int v = 0; v < s->problem.nvariant; v++)
      out[v * nq + i] = one[v];
  }
  free(one);
  return good;
}

/* A start given by bodies, as a state of a system file is. */
static bool with_bodies(cst_reader *r, cst_yaml *n) {
  cst_study   *s = r->s;
  const size_t nq = (size_t)s->problem.system->nq;
  cst_node    *q = cst_reader_memory(2 * nq, sizeof *q);
  cst_node    *v = q + nq;
  const bool   good = s->problem.nvariant &&
                    cst_system_read_start(s->problem.system, r->doc, n, c_of(s, 0), r->d, q, v);
  for (int k = 0; k < s->problem.nvariant && good; k++) {
    cst_system_values(s->problem.system, q, (int)nq, c_of(s, k), q_of(s, k));
    cst_system_values(s->problem.system, v, (int)nq, c_of(s, k), v_of(s, k));
  }
  free(q);
  return good;
}

static bool numbers(cst_reader *r, cst_yaml *n, const char *what) {
  const bool bodies = r->s->problem.system && r->s->problem.system->model->nbodies;
  cst_reader_keys(r, n, what, "initial", CST_START_SINGLE | (bodies ? CST_START_BODIES : 0));
  cst_start_project(r, cst_yaml_get(n, "project"));
  r->s->starts.state = -1;
  if (bodies && cst_yaml_get(n, "bodies"))
    return with_bodies(r, n);
  bool q = vector(r, cst_reader_required(r, n, what, "q"), "q", r->s->starts.q);
  bool v = vector(r, cst_reader_required(r, n, what, "v"), "v", r->s->starts.v);
  return q && v;
}

/* A start that is not an ensemble; n NULL: the first state of the system. */
void cst_file_single_start(cst_reader *r, cst_yaml *n, const char *what) {
  cst_yaml *system = cst_yaml_get(r->root, "system");
  cst_yaml *parameters = cst_yaml_get(system, "parameters");
  r->start = n ? n : parameters ? parameters : system;
  if (!n)
    r->start_known = r->s->problem.system && state_values(r, 0);
  else if (cst_yaml_is_map(n))
    r->start_known = numbers(r, n, what);
  else
    r->start_known = named(r, n, what);
}

static void ensemble(cst_reader *r, cst_yaml *n) {
  cst_study     *s = r->s;
  const cst_key *row = cst_key_find(cst_study_keys(), "initial", "members");
  s->ensemble.spread = true;
  if (cst_yaml_get(n, "members") || !cst_yaml_get(n, "relax")) {
    cst_reader_required(r, n, "initial", "members");
    s->ensemble.members =
        (long)row->value.high; /* if unreadable: then accept any number of a member */
  }
  cst_reader_section(r, n, "initial", "initial", CST_START_ENSEMBLE, s);
  cst_start_project(r, cst_yaml_get(n, "project"));
  s->ensemble.unspread = !cst_yaml_get(n, "spread");
  /* file-methods.c checks for a zero spread once the methods are known */
  cst_start_spread(r, cst_yaml_get(n, "spread"));
  cst_file_single_start(r, cst_yaml_get(n, "around"), "around");
  cst_file_relax(r, cst_yaml_get(n, "relax"));
}

/* A start of the system file, or numbers, that is projected: {around: low, project: true}. */
static bool is_moved(cst_yaml *n) {
  return cst_yaml_get(n, "around") && cst_yaml_get(n, "project") && !cst_yaml_get(n, "members") &&
         !cst_yaml_get(n, "seed") && !cst_yaml_get(n, "spread") && !cst_yaml_get(n, "relax");
}

static bool is_ensemble(cst_yaml *n) {
  static const char *const own[] = {"members", "seed", "around", "spread", NULL};
  for (const char *const *key = own; *key; key++)
    if (cst_yaml_get(n, *key))
      return true;
  return cst_yaml_get(n, "relax") && !cst_yaml_get(n, "q") && !cst_yaml_get(n, "bodies");
}

void cst_file_start(cst_reader *r) {
  cst_study *s = r->s;
  cst_yaml  *n = cst_yaml_get(r->root, "initial");
  size_t size = s->problem.system ? (size_t)s->problem.nvariant * (size_t)s->problem.system->nq : 0;
  s->ensemble.members = 1;
  cst_reader_values(r, NULL, "initial", cst_study_keys(), "initial", CST_START_ENSEMBLE, s);
  s->starts.q = cst_reader_memory(size, sizeof(double));
  s->starts.v = cst_reader_memory(size, sizeof(double));
  if (cst_starts_read(r, n))
    return;
  if (is_moved(n)) {
    cst_reader_keys(r, n, "initial", "initial", CST_START_MOVED);
    cst_file_single_start(r, cst_yaml_get(n, "around"), "around");
    cst_start_project(r, cst_yaml_get(n, "project"));
    s->starts.state = -1; /* no exact motion is known from there */
    return;
  }
  if (is_ensemble(n)) {
    ensemble(r, n);
    return;
  }
  cst_file_single_start(r, n, "initial");
  cst_file_relax(r, cst_yaml_is_map(n) ? cst_yaml_get(n, "relax") : NULL);
}

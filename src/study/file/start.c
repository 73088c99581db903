/* start.c: checks the starts of a study: they must be finite, on the constraints, and without reflections in
 * place of rotations; the mass must be positive there, and the same constraints redundant. The first start
 * decides which are. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/file/starts.h"
#include "system/point/linear.h"
#include "system/point/mass.h"
#include "system/point/residuals.h"

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
  const long nq = s->system->nq;
  start      x = {variant, -1, s->parameter + k * s->system->npar, s->q0 + k * nq, s->v0 + k * nq};
  if (!s->nstart)
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
  const cst_system *s = r->s->system;
  for (int i = 0; i < s->nq; i++) {
    if (isfinite(x->q[i]) && isfinite(x->v[i]))
      continue;
    cst_yaml_error(r->doc, r->start, r->d, "%s is not finite%s: %s is %g%s, its velocity %g%s",
                   name(x), cst_reader_with(r, x->variant), s->coordinate[i], x->q[i],
                   cst_system_unit(s, s->coordinate[i]), x->v[i],
                   cst_system_speed_unit(s, s->coordinate[i]));
    return false;
  }
  return true;
}

/* A reflection satisfies all constraints of a rotation. */
static bool is_turned(cst_reader *r, const start *x) {
  const cst_system *s = r->s->system;
  const char       *where = x->member < 0 ? "" : " at ";
  for (int k = 0; k < s->nbodies; k++)
    if (cst_system_body_is_reflected(&s->bodies[k], x->q)) {
      cst_yaml_error(r->doc, r->start, r->d,
                     "the matrix of %s is a reflection%s%s%s: its determinant is -1; that of a "
                     "rotation is 1",
                     s->bodies[k].name, where, *where ? name(x) : "",
                     cst_reader_with(r, x->variant));
      return false;
    }
  return true;
}

/* The value of the first parameter in the study on which the mass of coordinate i depends; else the start. */
static cst_yaml *mass_place(const cst_reader *r, int i) {
  const cst_system *s = r->s->system;
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
  const cst_system *s = r->s->system;
  char              why[WHY];
  if (x->member > 0 && !s->general)
    return true;
  const int i = cst_mass_wrong(s, x->c, x->q, why, sizeof why);
  if (i >= 0)
    cst_yaml_error(r->doc, mass_place(r, i), r->d, "%s%s%s%s", why, s->general ? " at " : "",
                   s->general ? name(x) : "", cst_reader_with(r, x->variant));
  return i < 0;
}

/* ---- redundant constraints ------------------------------------------------------------------- */

/* Finds the constraints that are redundant at a start; owned, NULL: none. */
static bool redundant(cst_reader *r, const start *x, unsigned char **out) {
  char why[WHY];
  if (cst_system_redundant(r->s->system, x->c, x->q, out, why, sizeof why))
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
  int kept = s->ng;
  for (int a = 0; a < s->ng && s->dropped; a++)
    kept -= s->dropped[a];
  if (kept == s->nq || (s->nq > CST_MAX_Q && !s->dropped) || cst_system_rank(s, x->c, x->q) != kept)
    return false;
  if (!s->dropped)
    return true;
  double   *G = cst_linear_numbers(s->pattern[CST_K_G].n);
  cst_schur S;
  cst_system_eval_at(s, CST_K_G, x->c, x->q, G);
  const bool good = cst_linear_schur_create(&S, s, G, NULL) && S.least >= weak_pivot;
  cst_linear_schur_destroy(&S);
  free(G);
  return good;
}

/* The redundant constraints are a property of the system and must be the same at every start. */
static bool is_redundant_alike(cst_reader *r, const start *x, bool on_constraints) {
  const cst_system *s = r->s->system;
  const start       first = start_of(r->s, 0, 0);
  unsigned char    *own;
  if (on_constraints && suffices(s, x))
    return true;
  if (!redundant(r, x, &own))
    return false;
  const bool good = same(own, s->dropped, s->ng);
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
    cst_system_enforce(r->s->system, dropped);
  return good;
}

/* ---- constraints ----------------------------------------------------------------------------- */

static bool is_projected(cst_reader *r, const start *x) {
  cst_study *s = r->s;
  if (!s->project || cst_start_move(s, name(x), x->c, x->q, x->v))
    return true;
  if (s->keep)
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
  cst_system_worst(s->system, x->c, x->q, x->v, &g, &gv);
  if (g.scaled <= tolerance && gv.scaled <= tolerance)
    return true;
  const char *separator = g.at < 0 ? "" : "; ";
  const char *separator_v = gv.at < 0 ? "" : "; ";
  const char *place = s->nstart ? "in 'initial'" : "beside q and v, in the study,";
  cst_worst_say(s->system, &g, why, WHY);
  cst_worst_say(s->system, &gv, why_v, WHY);
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
  return !r->s->system->ng ||
         (is_projected(r, x) && is_consistent(r, x) && is_redundant_alike(r, x, true));
}

void cst_start_settle(cst_reader *r) {
  const cst_study *s = r->s;
  if (!r->start_known || !s->nvariant)
    return;
  const start first = start_of(s, 0, 0);
  r->start_sound =
      is_sound(r, &first) && (!s->system->ng || enforce(r, &first)) && is_on_constraints(r, &first);
}

void cst_start_check(cst_reader *r) {
  const cst_study *s = r->s;
  const long       n = s->nstart ? s->nstart : 1;
  const bool       many = (double)n * s->nvariant > few;
  bool             good = r->start_sound && !(many && cst_diag_count(r->d) > r->before);
  for (int v = 0; v < s->nvariant && good; v++)
    for (long i = v == 0; i < n && good; i++) {
      const start x = start_of(s, v, i);
      good = is_sound(r, &x) && is_on_constraints(r, &x);
    }
}

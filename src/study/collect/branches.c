/* branches.c: the collector `branches`: where a trajectory passes a state in which the gradients of the constraints are
 * dependent, so that the motion may branch. It is there for every system that may have such
 * states. A trajectory that goes on with another velocity than it came has left its branch, and has failed.
 *
 * Of a state that has been examined the distance d from dependence is known. As long as the rows of the gradients differ
 * from those there by less than d less twice their change in the step, the step cannot be near such a state. All other steps
 * are examined, so that what is said of a step depends on its two ends and on the start alone.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "system/system.h"
#include "core/boundary.h"
#include "core/need.h"
#include "expr/tape-lanes.h"
#include "study/channels/channels.h"
#include "study/collect/events.h"
#include "study/result/case-rows.h"
#include "system/internal.h"
#include "system/point/linear.h"
#include "system/point/rank.h"

/* ---- states where motions branch ------------------------------------------------------------- */

/* Only the enforced constraints count.
 *
 * The equations of a step hold on all branches. The motion goes on where its velocity is continuous, v1 - v0 = h (A0 +
 * A1)/2 + O(h^3); on another branch, or with a momentum that the nearly dependent multipliers have spoilt, it is not.
 */

/* What a step from one state to another has of them. */
typedef struct {
  /* before and behind it: a lower bound of their smallest singular value, sqrt(ng) times too small at most */
  double before, behind;
  bool   near;   /* the rows change by more than they are from dependence at one of the ends */
  bool   passes; /* there are dependent rows on the way: the singular value has changed its sign */
} crossing;

/* One end of a step. */
typedef struct {
  const double *c, *q, *p;
  double        distance; /* as in crossing */
} side;

/* The error of the trapezoidal rule, as parts of h |A| and of h |A1 - A0|; and the least one, as a part of |v|. Right
 * motions have at most 0.003 h |A| at steps of 1/50 of their time scale, and half of h |A1 - A0| where a force jumps; those
 * that were wrong had 0.06 h |A| and more. */
static const double BENT = 0.02, CURVED = 0.6, LEAST = 1e-4;
/* A jump of the velocity, as parts of h |A| and of |v|. */
static const double JUMP = 10, JUMP_LEAST = 1e-3;
/* Nearer to dependence than this, accelerations are round-off. */
static const double KNOWN = 1e-5;
/* The relative change of a determinant that does not depend on q, and the moves between the points at which it is taken,
 * relative to the lengths of the constraints. */
static const double CONSTANT = 1e-6, MOVE = 0.3, ARRIVED = 1e-11;
/* Systems of more coordinates or constraints are not looked at. */
enum { MOST_Q = 200, MOST_G = 100, POINTS = 6, CORRECTIONS = 20, ITERATIONS = 4 };

static bool is_enforced(const cst_system *s, int a) {
  return a < s->ng - s->model->nvel && cst_system_enforces(s, a);
}

static int count_enforced(const cst_system *s) {
  int n = 0;
  for (int a = 0; a < s->ng; a++)
    n += is_enforced(s, a);
  return n;
}

/* ---- whether there are such states ----------------------------------------------------------- */

/* Constraints that are left, and G at several states with g = 0. */
typedef struct {
  const cst_system *system;
  bool             *row, *block; /* [ng] that are left; [nq] the coordinates of the block */
  int               points;
  double           *G, *S; /* [POINTS][ng][nq]; a Gram matrix */
  int              *swap, *of, *label;
  uint32_t         *set;
} peeling;

/* det G_B G_B', of the rows that have coordinates of the block B, restricted to B. */
static double determinant(const peeling *x, const double *G, const int *row, int m) {
  const int nq = x->system->nq;
  double    det = 1;
  for (int a = 0; a < m; a++)
    for (int b = 0; b < m; b++) {
      double sum = 0;
      for (int i = 0; i < nq; i++)
        sum += x->block[i] ? G[(long)row[a] * nq + i] * G[(long)row[b] * nq + i] : 0;
      x->S[a * m + b] = sum;
    }
  if (!cst_dense_factor(x->S, x->swap, m))
    return 0;
  for (int a = 0; a < m; a++)
    det *= fabs(x->S[a * m + a]);
  return det;
}

/* Takes away the rows that have coordinates of the block, if these alone make them independent at every state: the
 * remaining rows do not have them, so that all are independent if the remaining ones are. */
static bool peel(const peeling *x) {
  const cst_system  *s = x->system;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  int                m = 0, size = 0;
  for (int i = 0; i < s->nq; i++)
    size += x->block[i];
  for (int a = 0; a < s->ng; a++) {
    bool touches = false;
    CST_EACH_ENTRY(P, a, e)
      touches |= x->block[P->column[e]];
    if (x->row[a] && touches)
      x->of[m++] = a;
  }
  if (!m || m > size)
    return false;
  const double first = determinant(x, x->G, x->of, m);
  bool         constant = first > 0;
  for (int k = 1; k < x->points && constant; k++) {
    const double det = determinant(x, x->G + (long)k * s->ng * s->nq, x->of, m);
    constant = fabs(det - first) <= CONSTANT * first;
  }
  for (int k = 0; k < m && constant; k++)
    x->row[x->of[k]] = false;
  return constant;
}

/* set[nq]: of each coordinate a number of the rows that are left and have it, the same for the same rows. */
static void number_sets(const peeling *x, uint32_t *set) {
  const cst_system  *s = x->system;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  memset(set, 0, sizeof *set * (size_t)s->nq);
  for (int a = 0; a < s->ng; a++) {
    const double part = cst_random_uniform(1, (uint64_t)a, CST_PURPOSE_TEST, 2, 0);
    CST_EACH_ENTRY(P, a, e)
      set[P->column[e]] += x->row[a] ? (uint32_t)(0x1p32 * part) : 0;
  }
}

/* label[nq]: the smallest coordinate with which each is connected by rows that are left. */
static void connect(const peeling *x) {
  const cst_system  *s = x->system;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  bool               moved = true;
  for (int i = 0; i < s->nq; i++)
    x->label[i] = i;
  while (moved) {
    moved = false;
    for (int a = 0; a < s->ng; a++) {
      int least = s->nq;
      if (!x->row[a])
        continue;
      CST_EACH_ENTRY(P, a, e)
        least = x->label[P->column[e]] < least ? x->label[P->column[e]] : least;
      CST_EACH_ENTRY(P, a, e) {
        moved |= x->label[P->column[e]] != least;
        x->label[P->column[e]] = least;
      }
    }
  }
}

static void set_body(const peeling *x, const cst_body *body) {
  for (int i = 0; i < x->system->nq; i++)
    x->block[i] = (i >= body->rotation && i < body->rotation + 9) ||
                  (body->centre >= 0 && i >= body->centre && i < body->centre + 3);
}

/* Blocks are tried until none takes rows away: bodies, coordinates of the same constraints, and what is connected. */
static void peel_all(const peeling *x) {
  const cst_system *s = x->system;
  bool              found = true;
  while (found) {
    found = false;
    for (int k = 0; k < s->model->nbodies; k++) {
      set_body(x, &s->model->bodies[k]);
      found |= peel(x);
    }
    number_sets(x, x->set);
    for (int i = s->nq - 1; i >= 0; i--) {
      for (int j = 0; j < s->nq; j++)
        x->block[j] = x->set[j] == x->set[i];
      if (x->set[i] && peel(x)) {
        number_sets(x, x->set); /* a chain goes from its end */
        found = true;
      }
    }
    connect(x);
    for (int i = 0; i < s->nq; i++) {
      for (int j = 0; j < s->nq; j++)
        x->block[j] = x->label[j] == i;
      found |= x->label[i] == i && peel(x);
    }
  }
}

/* x := a point with g = 0, from not far off; which one does not matter. False: none was found. */
static bool reach(const cst_system *s, const double *c, double *x) {
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double *G = cst_linear_numbers(P->n + (long)s->ng + s->nq), *g = G + P->n, *d = g + s->ng;
  double  step = INFINITY, size = 1;
  bool    good = true;
  for (int k = 0; k < CORRECTIONS && good && step > ARRIVED * size; k++) {
    cst_schur S = {0};
    cst_system_eval_at(s, CST_K_G, c, x, G);
    cst_system_eval_at(s, CST_K_g, c, x, g);
    good = cst_linear_schur_create(&S, s, G, NULL);
    if (good)
      cst_linear_schur_solve(&S, g);
    cst_linear_schur_destroy(&S);
    cst_linear_clear(d, s->nq);
    cst_linear_pattern_add_transposed(P, G, g, d);
    step = size = 0;
    for (int i = 0; i < s->nq; i++) {
      x[i] -= d[i];
      step = fmax(step, fabs(d[i]));
      size = fmax(size, fabs(x[i]));
      good &= isfinite(x[i]);
    }
  }
  free(G);
  return good && step <= ARRIVED * size;
}

/* G at the first state of the description and at points with g = 0 around it. */
static int fill_points(const cst_system *s, const double *c, double *G) {
  double *q = cst_linear_numbers(3L * s->nq + s->ng), *v = q + s->nq, *x = v + s->nq;
  int     n = 0;
  cst_system_state(s, 0, c, q, v);
  const double far = MOVE * cst_system_lengths(s, c, q, x + s->nq);
  for (int k = 0; k < POINTS; k++) {
    for (int i = 0; i < s->nq; i++)
      x[i] = q[i] +
             (k > 0) * far * cst_random_normal(1, (uint64_t)k, CST_PURPOSE_TEST, 1, (uint32_t)i);
    if (reach(s, c, x))
      cst_system_matrix(s, CST_K_G, c, x, NULL, G + (long)(n++) * s->ng * s->nq);
  }
  free(q);
  return n;
}

/* Whether there may be such states. There are none if the gradients are independent at all states with g = 0 by the way
 * in which constraints share coordinates, as of chains and trees of joints, and of rigid molecules. If there may be, of[nq]
 * says which coordinates belong to the other constraints. False of systems that are not looked at. */
static bool are_possible(const cst_system *s, const double *c, bool *of) {
  const int          ng = s->ng, nq = s->nq;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  bool               left = false;
  if (!count_enforced(s) || nq > MOST_Q || ng > MOST_G || cst_has(s, CST_MASSLESS) || !s->nstate)
    return false;
  double *G = cst_linear_numbers((long)POINTS * ng * nq + (long)ng * ng);
  bool   *row = cst_zeros(ng + nq, sizeof *row);
  int    *number = cst_zeros(2 * ng + nq, sizeof *number);
  peeling x = {.system = s,
               .row = row,
               .block = row + ng,
               .points = fill_points(s, c, G),
               .G = G,
               .S = G + (long)POINTS * ng * nq,
               .swap = number,
               .of = number + ng,
               .label = number + 2 * ng,
               .set = cst_zeros(nq, sizeof *x.set)};
  for (int a = 0; a < ng; a++)
    row[a] = is_enforced(s, a);
  if (x.points > 1 && !s->model->dropped &&
      !cst_has(s, CST_DRIVEN)) /* the points are of one time */
    peel_all(&x);
  for (int a = 0; a < ng; a++) {
    left |= row[a];
    CST_EACH_ENTRY(P, a, e)
      of[P->column[e]] |= row[a];
  }
  free(G);
  free(row);
  free(number);
  free(x.set);
  return left;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* The enforced rows of G, divided by length[ng]; A[m][nq]. Returns m. */
static int rows_at(const cst_system *s, const double *c, const double *q, const double *length,
                   double *A) {
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double            *G = cst_linear_numbers(P->n);
  int                m = 0;
  cst_system_eval_at(s, CST_K_G, c, q, G);
  for (int a = 0; a < s->ng; a++) {
    if (!is_enforced(s, a))
      continue;
    cst_linear_clear(A + (long)m * s->nq, s->nq);
    CST_EACH_ENTRY(P, a, e)
      A[(long)m * s->nq + P->column[e]] = G[e] / length[a];
    m++;
  }
  free(G);
  return m;
}

/* The bound for A[m][nq]: 1/sqrt(tr (A A')^-1). u[m]: nearly the left singular vector. */
static double distance_of(const double *A, int m, int nq, double *u) {
  double *S = cst_linear_numbers((long)m * m + m), *b = S + (long)m * m, trace = 0, most = 0;
  int    *swap = cst_zeros(m, sizeof *swap);
  for (int a = 0; a < m; a++)
    for (int k = 0; k < m; k++)
      S[a * m + k] = cst_linear_dot(A + (long)a * nq, A + (long)k * nq, nq);
  const bool good = cst_dense_factor(S, swap, m);
  for (int a = 0; a < m && good; a++) {
    cst_linear_clear(b, m);
    b[a] = 1;
    cst_dense_solve(S, swap, m, b);
    trace += b[a];
    if (!(b[a] > most))
      continue;
    most = b[a];
    cst_linear_copy(u, b, m);
  }
  for (int k = 0; k < ITERATIONS && good && most > 0; k++) {
    const double size = sqrt(cst_linear_dot(u, u, m));
    for (int a = 0; a < m; a++)
      u[a] /= size;
    cst_dense_solve(S, swap, m, u);
  }
  free(S);
  free(swap);
  return good && trace > 0 && most > 0 ? 1 / sqrt(trace) : 0;
}

/* The lengths of the rows at a start, 1 for rows that vanish there: what rows are divided by along the trajectory. */
static void lengths(const cst_system *s, const double *c, const double *q, double *length) {
  cst_rank_lengths(s, c, q, length);
  for (int a = 0; a < s->ng; a++)
    if (!(length[a] > 0))
      length[a] = 1;
}

static crossing look(const cst_system *s, const double *length, const double *c0, const double *q0,
                     const double *c1, const double *q1) {
  const int  nq = s->nq;
  const long size = (long)s->ng * nq;
  double    *A = cst_linear_numbers(2 * size + 2L * s->ng), *B = A + size, *u = B + size;
  double     change = 0, sign = 0;
  crossing   x = {0};
  const int  m = rows_at(s, c1, q1, length, B);
  rows_at(s, c0, q0, length, A);
  for (long k = 0; k < (long)m * nq; k++)
    change += (B[k] - A[k]) * (B[k] - A[k]);
  change = sqrt(change);
  x.behind = distance_of(B, m, nq, u);
  x.before = x.behind - change; /* at least; it is found where that is not enough */
  if (!(x.before > change)) {
    x.before = distance_of(A, m, nq, u + s->ng);
    for (int i = 0; i < nq; i++) { /* w = B'u, and u'A w */
      double w = 0, moved = 0;
      for (int a = 0; a < m; a++) {
        w += u[a] * B[(long)a * nq + i];
        moved += u[a] * A[(long)a * nq + i];
      }
      sign += moved * w;
    }
    x.near = !(fmin(x.before, x.behind) > change);
    x.passes = x.behind == 0 || sign < 0;
  }
  free(A);
  return x;
}

/* ---- whether it has left its branch ---------------------------------------------------------- */

/* Of one end: v of p with G v + phi0 = 0, its acceleration A, and that without constraints. */
typedef struct {
  double *v, *A, *free;
} motion;

static bool motion_at(const cst_system *s, const side *x, const motion *m) {
  double    *lambda = cst_linear_numbers(s->ng);
  const bool known = x->distance > KNOWN;
  bool       good = cst_system_velocity(s, x->c, x->q, x->p, m->v);
  if (known) /* that of a tangential momentum is not tangential */
    good &= cst_system_project_velocity(s, x->c, x->q, m->v);
  good = good && cst_system_acceleration(s, x->c, x->q, m->v, NULL, m->free);
  if (good && known) {
    cst_system_multipliers(s, x->c, x->q, m->v, lambda);
    good = cst_system_acceleration(s, x->c, x->q, m->v, lambda, m->A);
  }
  free(lambda);
  return good;
}

/* |x| of the coordinates `of` in the metric M at this end. */
static double size_of(const cst_system *s, const bool *of, const side *at, const double *x) {
  double *p = cst_linear_numbers(4L * s->nq), *rest = p + s->nq, *y = rest + s->nq, sum = 0;
  for (int i = 0; i < s->nq; i++)
    y[i] = of[i] ? x[i] : 0;
  cst_system_momentum(s, at->c, at->q, y, p);
  cst_system_momentum(s, at->c, at->q, y + s->nq, rest);
  for (int i = 0; i < s->nq; i++)
    sum += y[i] * (p[i] - rest[i]);
  free(p);
  return sqrt(fmax(sum, 0));
}

static bool is_left(const cst_system *s, const bool *of, double h, const side *from, const side *to,
                    const motion *m) {
  const int    nq = s->nq;
  double      *jump = cst_linear_numbers(3L * nq), *off = jump + nq, *turn = off + nq;
  const bool   known = from->distance > KNOWN && to->distance > KNOWN;
  const double speed = size_of(s, of, from, m[0].v), before = size_of(s, of, from, m[0].A);
  for (int i = 0; i < nq; i++) {
    jump[i] = m[1].v[i] - m[0].v[i];
    off[i] = jump[i] - h / 2 * (m[0].A[i] + m[1].A[i]);
    turn[i] = m[1].A[i] - m[0].A[i];
  }
  const double behind = known ? size_of(s, of, from, m[1].A) : 0;
  const double forced = fmax(size_of(s, of, from, m[0].free), size_of(s, of, from, m[1].free));
  /* where the acceleration before it is round-off, that behind it stands for it */
  const double usual = fmax(forced, from->distance > KNOWN ? before : size_of(s, of, to, m[1].A));
  const double bound = h * (BENT * fmax(before, behind) + CURVED * size_of(s, of, from, turn));
  const bool   jumps = size_of(s, of, from, jump) > fmax(JUMP * h * usual, JUMP_LEAST * speed);
  const bool   left = jumps || (known && size_of(s, of, from, off) > fmax(bound, LEAST * speed));
  free(jump);
  return left;
}

/* Whether a step of size h has left its branch, by the coordinates `of`: the velocity jumps by far more than forces and the
 * motion before can make it; or its change is another one than h times the mean of the accelerations at both ends, by more than
 * these differ. False where there is no acceleration. */
static bool has_left(const cst_system *s, const bool *of, double h, const side *from,
                     const side *to) {
  const long nq = s->nq;
  double    *room = cst_linear_numbers(6 * nq);
  motion m[2] = {{room, room + nq, room + 2 * nq}, {room + 3 * nq, room + 4 * nq, room + 5 * nq}};
  const bool left = !cst_has(s, CST_SLIPS) && motion_at(s, from, &m[0]) &&
                    motion_at(s, to, &m[1]) && is_left(s, of, fabs(h), from, to, m);
  free(room);
  return left;
}

/* ---- the collector --------------------------------------------------------------------------- */

/* clang-format off */
const cst_channel_row cst_channel_passed_singular = {"/final/passed_singular", "1", "first time at which the gradients of the constraints were dependent within a step; NaN: never", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {false, 0, CST_MOST_OF_TYPE, false, true, NULL}};
/* clang-format on */

enum { VARIANTS = 16 }; /* of the parameters, that are asked for such states */

/* The coordinates of the constraints whose gradients may be dependent; NULL: there are none. */
static void *settle(const cst_plan *p, cst_diag *d) {
  const cst_system *s = p->study->problem.system;
  double           *c = cst_zeros(s->npar + 1, sizeof *c);
  bool             *of = cst_zeros(s->nq + 1, sizeof *of), possible = false;
  (void)d;
  const int variants = p->study->problem.nvariant, some = CST_SMALLER(variants, VARIANTS);
  for (int k = 0; k < some; k++) {
    const int variant = (int)((long)k * variants / some);
    memcpy(c, cst_plan_parameters(p, variant), (size_t)cst_system_named(s) * sizeof *c);
    possible |= are_possible(s, c, of);
  }
  free(c);
  if (possible)
    return of;
  free(of);
  return NULL;
}

typedef struct {
  bool unknown; /* the study is one of an earlier program, which looked at no states */
} request;

static void as_in(void *x, cst_result *file) {
  request *w = x;
  w->unknown = !cst_result_finds(file, "/final", "passed_singular");
}

static bool wanted(const cst_plan *p) {
  const request *w = p->study->collected[CST_COLLECTOR(branches)];
  return p->settled[CST_COLLECTOR(branches)] && !w->unknown;
}

static void declare(const cst_plan *p, cst_channels *c) {
  if (wanted(p))
    cst_channels_add(c, &cst_channel_passed_singular, 0, (cst_channel_use){0});
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  const cst_tape_lanes *lanes;
  cst_tape             *tape; /* the entries of the rows */
  int                   n;
  int                  *row;             /* [n] of which constraint each is */
  double               *value, *scratch; /* [n][W] at a state */
  /* of each group [n][W]: the entries at the state that was examined, at the last one, and one over the lengths of their rows */
  double      *entry, *before, *scale;
  double      *distance;                    /* [group][W] of that state; -1: none was examined */
  double      *length;                      /* [group][W][ng] of the rows at the start */
  double      *q, *p;                       /* [group][nq][W] of the last state */
  long        *seen;                        /* [group] its step */
  double      *c0, *q0, *p0, *c1, *q1, *p1; /* of one lane, before and behind a step */
  double      *last;                        /* [n][W] */
  cst_locator *locator;
  cst_error    error;
} own;

static void create(cst_collection *x) {
  own               *o = x->own;
  const cst_runner  *r = x->run;
  const cst_system  *s = r->plan->study->problem.system;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  const size_t       W = (size_t)r->width, nq = (size_t)s->nq, ng = (size_t)s->ng;
  const size_t       groups = ((size_t)r->batch + W - 1) / W;
  o->row = cst_zeros(P->n + 1, sizeof *o->row);
  for (int a = 0; a < s->ng - s->model->nvel; a++)
    CST_EACH_ENTRY(P, a, e)
      o->row[o->n++] = a;
  o->lanes = cst_tape_lanes_of(r->plan->isa);
  o->tape = cst_tape_create(s->model->graph, cst_system_beside(s, CST_K_G), o->n);
  const size_t n = (size_t)o->n;
  o->value = cst_aligned(n * W);
  o->last = cst_aligned(n * W);
  o->scratch = cst_aligned((size_t)cst_tape_registers(o->tape) * W);
  o->entry = cst_aligned(groups * n * W);
  o->before = cst_aligned(groups * n * W);
  o->scale = cst_aligned(groups * n * W);
  o->distance = cst_aligned(groups * W);
  o->length = cst_aligned(groups * ng * W);
  o->q = cst_aligned(groups * nq * W);
  o->p = cst_aligned(groups * nq * W);
  o->seen = cst_zeros((long)groups, sizeof *o->seen);
  o->c0 = cst_zeros(2 * s->npar + 4 * s->nq, sizeof *o->c0);
  o->c1 = o->c0 + s->npar;
  o->q0 = o->c1 + s->npar;
  o->p0 = o->q0 + nq;
  o->q1 = o->p0 + nq;
  o->p1 = o->q1 + nq;
  o->locator = cst_locator_create(r);
  cst_runner_watches(r, false, true, false);
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  cst_locator_destroy(o->locator);
  cst_tape_destroy(o->tape);
  double *owned[] = {o->value,    o->last,   o->scratch, o->entry, o->before, o->scale,
                     o->distance, o->length, o->q,       o->p,     o->c0};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  free(o->seen);
  free(o->row);
}

static double *passed(const cst_runner *r, long lane) {
  return cst_rows_numbers(r->rows, &cst_channel_passed_singular, 0, lane);
}

static void begin(cst_collection *x) {
  for (long l = 0; l < x->run->work->count; l++)
    *passed(x->run, l) = NAN;
}

static void read_lane(const double *x, int n, int W, int lane, double *to) {
  for (int i = 0; i < n; i++)
    to[i] = x[i * W + lane];
}

static const double *parameters(const cst_runner *r, int group) {
  return cst_runner_record(r, group) + cst_stepper_layout(r->st)->c * r->width;
}

/* The entries of the rows at a state, in `value`. */
static void evaluate(const own *o, const cst_runner *r, int group, const double *q) {
  const double *in[128] = {['c'] = parameters(r, group), ['q'] = q};
  o->lanes->run(o->tape, in, o->value, o->scratch);
}

/* The state that a group has been in last, of which `value` has the entries. */
static void keep(const own *o, const cst_runner *r, int group, const double *q, const double *p,
                 long step) {
  const size_t W = (size_t)r->width, n = (size_t)r->plan->study->problem.system->nq * W;
  memcpy(o->q + (size_t)group * n, q, n * sizeof *q);
  memcpy(o->p + (size_t)group * n, p, n * sizeof *p);
  memcpy(o->before + (size_t)(group * o->n) * W, o->value, (size_t)o->n * W * sizeof *o->value);
  o->seen[group] = step;
}

/* Sets what rows of a lane are divided by, from its start. */
static void measure(own *o, const cst_runner *r, int group, int lane) {
  const cst_system *s = r->plan->study->problem.system;
  const int         W = r->width, from = group * o->n * W;
  double           *length = o->length + (group * W + lane) * s->ng;
  read_lane(parameters(r, group), s->npar, W, lane, o->c0);
  read_lane(r->q0 + group * s->nq * W, s->nq, W, lane, o->q0);
  cst_system_set_time(s, o->c0, cst_clock_at(r, 0));
  lengths(s, o->c0, o->q0, length);
  for (int e = 0; e < o->n; e++)
    o->scale[from + e * W + lane] = 1 / length[o->row[e]];
  o->distance[group * W + lane] = -1;
}

static void forget(own *o, const cst_runner *r, long step) {
  const cst_layout *at = cst_stepper_layout(r->st);
  const int         W = r->width;
  for (int g = 0; g < r->b->groups; g++) {
    const double *record = cst_runner_record(r, g);
    evaluate(o, r, g, record + at->q * W);
    keep(o, r, g, record + at->q * W, record + at->p * W, step);
    for (int l = 0; l < W; l++)
      measure(o, r, g, l);
  }
}

static void locate(cst_collection *x, long step, bool done) {
  own *o = x->own;
  (void)done;
  cst_locator_begin(o->locator, step);
  forget(o, x->run, step);
}

static void changed(cst_collection *x) {
  own *o = x->own;
  cst_locator_changed(o->locator);
  forget(o, x->run, x->run->b->step);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The lanes of a group whose step may be near such a state; `value` has the entries behind it. */
static int suspects(const own *o, const cst_runner *r, int group, const double *before) {
  const int W = r->width, from = group * o->n * W;
  double    away[CST_W_MAX] = {0}, change[CST_W_MAX] = {0};
  int       bits = 0;
  for (int e = 0; e < o->n; e++)
    for (int l = 0; l < W; l++) {
      const int    at = e * W + l;
      const double d = (o->value[at] - o->entry[from + at]) * o->scale[from + at];
      const double c = (o->value[at] - before[at]) * o->scale[from + at];
      away[l] += d * d;
      change[l] += c * c;
    }
  for (int l = 0; l < W; l++)
    bits |= !(sqrt(away[l]) + 2 * sqrt(change[l]) < o->distance[group * W + l]) << l;
  return bits & r->b->alive[group];
}

/* Whether a change of the velocity tells anything: kicks of a thermostat are no accelerations, and springs in the place of
 * constraints do not hold it. */
static bool is_judged(const cst_runner *r) {
  const cst_prepared *m = r->plan->method[r->class->method];
  return m->stepped == m->asked && !cst_method_has_noise(m->method);
}

/* A step of a lane that may have come near such a state. */
static cst_error look_at(cst_collection *x, int group, int lane, const double *q, const double *p,
                         long step) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  const cst_system *s = r->plan->study->problem.system;
  const bool       *of = r->plan->settled[CST_COLLECTOR(branches)];
  const int         W = r->width, nq = s->nq, last = group * nq * W, at = group * W + lane;
  read_lane(parameters(r, group), s->npar, W, lane, o->c0);
  read_lane(parameters(r, group), s->npar, W, lane, o->c1);
  cst_system_set_time(s, o->c0, cst_clock_at(r, (double)(step - 1)));
  cst_system_set_time(s, o->c1, cst_clock_at(r, (double)step));
  read_lane(o->q + last, nq, W, lane, o->q0);
  read_lane(o->p + last, nq, W, lane, o->p0);
  read_lane(q, nq, W, lane, o->q1);
  read_lane(p, nq, W, lane, o->p1);
  const crossing is = look(s, o->length + at * s->ng, o->c0, o->q0, o->c1, o->q1);
  const side     from = {o->c0, o->q0, o->p0, is.before}, to = {o->c1, o->q1, o->p1, is.behind};
  if (is.near && is_judged(r) && has_left(s, of, cst_clock_step(r), &from, &to)) {
    CST_TRY(cst_locator_open(o->locator, group, lane, step - 1));
    cst_runner_end_lane(r, group, lane, CST_BRANCH_LEFT, step - 1, cst_locator_before(o->locator));
    return 0;
  }
  double *first = passed(r, at);
  if (is.passes && isnan(*first))
    *first = cst_clock_at(r, (double)step);
  for (int e = 0; e < o->n; e++)
    o->entry[(group * o->n + e) * W + lane] = o->value[e * W + lane];
  o->distance[at] = is.behind;
  return 0;
}

static bool quiet(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                  const long *step) {
  own         *o = x->own;
  const int    last = states->n - 1;
  const size_t n = (size_t)(o->n * x->run->width);
  (void)view;
  memcpy(o->last, o->before + (size_t)group * n, n * sizeof *o->last);
  for (int i = 0; i <= last; i++) {
    evaluate(o, x->run, group, states->q + (size_t)i * states->stride);
    if (suspects(o, x->run, group, o->last))
      return false;
    memcpy(o->last, o->value, n * sizeof *o->last);
  }
  keep(o, x->run, group, states->q + (size_t)last * states->stride,
       states->p + (size_t)last * states->stride, step[last]);
  return true;
}

static void watch(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                  const long *step, int i) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  const double     *q = states->q + (size_t)i * states->stride,
               *p = states->p + (size_t)i * states->stride;
  (void)view;
  if (o->error || step[i] <= o->seen[group])
    return;
  evaluate(o, r, group, q);
  const int bits = suspects(o, r, group, o->before + group * o->n * r->width);
  for (int l = 0; l < r->width && !o->error; l++)
    if (bits >> l & 1 && (long)group * r->width + l < r->work->count)
      o->error = look_at(x, group, l, q, p, step[i]);
  keep(o, r, group, q, p, step[i]);
}

static void watched(cst_collection *x, int group, long step) {
  const own *o = x->own;
  cst_locator_passed(o->locator, group, step);
}

/* The marches that look return no error: it is reported at the next stop. */
static cst_error before(cst_collection *x) {
  const own *o = x->own;
  return o->error;
}

/* ---- columns --------------------------------------------------------------------------------- */

static void *columns(const cst_plan *p, cst_columns *c) {
  if (!wanted(p))
    return NULL;
  cst_number_column *x = cst_zeros(1, sizeof *x);
  *x = cst_columns_number(c, cst_columns_use("passed-singular", NULL),
                          "members that did not fail and passed a state where the gradients of "
                          "the constraints are dependent",
                          "passed_singular");
  return x;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const cst_number_column *column = handles;
  const double            *x;
  long                     n = 0;
  if (!column)
    return 0;
  CST_TRY(cst_case_rows_get(rows, &cst_channel_passed_singular, 0, &x));
  for (long m = 0; m < rows->plan->study->ensemble.members; m++)
    n += (rows->good[m] || rows->stopped[m]) && !isnan(x[m]);
  cst_column_set(*column, rows->icase, (double)n);
  return 0;
}

const cst_collector cst_collector_branches = {
    .name = "branches",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "where the gradients of the constraints become dependent",
    .keys = {.request = sizeof(request), .as_in = as_in},
    .plan = {.settle = settle, .wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .locate = locate,
            .changed = changed,
            .before = before,
            .quiet = quiet,
            .watch = watch,
            .watched = watched},
    .file = {.declare = declare, .columns = columns, .conclude = conclude},
};

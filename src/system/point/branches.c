/* branches.c: states where motions branch (branches.h): whether a system has them, whether a step passes one, and whether
 * it goes on behind it on the branch on which it came.
 *
 * The equations of a step hold on all branches. The motion goes on where its velocity is continuous, v1 - v0 = h (A0 +
 * A1)/2 + O(h^3); on another branch, or with a momentum that the nearly dependent multipliers have spoilt, it is not.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "core/boundary.h"
#include "constella/random.h"
#include "system/point/branches.h"
#include "system/point/linear.h"
#include "system/point/rank.h"

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
  return a < s->ng - s->nvel && !(s->dropped && s->dropped[a]);
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
  const cst_pattern *P = &s->pattern[CST_K_G];
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
  const cst_pattern *P = &s->pattern[CST_K_G];
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
  const cst_pattern *P = &s->pattern[CST_K_G];
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
    for (int k = 0; k < s->nbodies; k++) {
      set_body(x, &s->bodies[k]);
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
  const cst_pattern *P = &s->pattern[CST_K_G];
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

bool cst_branches_possible(const cst_system *s, const double *c, bool *of) {
  const int          ng = s->ng, nq = s->nq;
  const cst_pattern *P = &s->pattern[CST_K_G];
  bool               left = false;
  if (!count_enforced(s) || nq > MOST_Q || ng > MOST_G || s->massless || !s->nstate)
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
  if (x.points > 1 && !s->dropped && !s->driven) /* the points are of one time */
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
  const cst_pattern *P = &s->pattern[CST_K_G];
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

/* The bound of branches.h for A[m][nq]: 1/sqrt(tr (A A')^-1). u[m]: nearly the left singular vector. */
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

void cst_branches_lengths(const cst_system *s, const double *c, const double *q, double *length) {
  cst_rank_lengths(s, c, q, length);
  for (int a = 0; a < s->ng; a++)
    if (!(length[a] > 0))
      length[a] = 1;
}

cst_branches_step cst_branches_look(const cst_system *s, const double *length, const double *c0,
                                    const double *q0, const double *c1, const double *q1) {
  const int         nq = s->nq;
  const long        size = (long)s->ng * nq;
  double           *A = cst_linear_numbers(2 * size + 2L * s->ng), *B = A + size, *u = B + size;
  double            change = 0, sign = 0;
  cst_branches_step x = {0};
  const int         m = rows_at(s, c1, q1, length, B);
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

static bool motion_at(const cst_system *s, const cst_branches_end *x, const motion *m) {
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
static double size_of(const cst_system *s, const bool *of, const cst_branches_end *at,
                      const double *x) {
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

static bool is_left(const cst_system *s, const bool *of, double h, const cst_branches_end *from,
                    const cst_branches_end *to, const motion *m) {
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

bool cst_branches_left(const cst_system *s, const bool *of, double h, const cst_branches_end *from,
                       const cst_branches_end *to) {
  const long nq = s->nq;
  double    *room = cst_linear_numbers(6 * nq);
  motion m[2] = {{room, room + nq, room + 2 * nq}, {room + 3 * nq, room + 4 * nq, room + 5 * nq}};
  const bool left = !s->slips && motion_at(s, from, &m[0]) && motion_at(s, to, &m[1]) &&
                    is_left(s, of, fabs(h), from, to, m);
  free(room);
  return left;
}

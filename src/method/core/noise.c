/* noise.c: the kick of a thermostat, and the core of a step that consists only of it.
 *
 *   v <- e^(-r h) v + sqrt((1 - e^(-2 r h)) / b) M^(-1/2) xi       then v M-orthogonally on G v = 0
 *
 * which is exact for dv = -r v dt + sqrt(2 r / b) M^(-1/2) dW at a fixed q, with p = M v + a, M constant, and
 * M^(1/2) its Cholesky factor. r is a rate, or coefficient / m of each coordinate. If step sizes share a
 * path, h consists of increments: the kick is a sequence of one kick per increment, which has the law of a
 * single kick of length h, and the same Brownian path for every h. The projection follows the last kick; if r
 * is one rate this is equal to a projection after each, since both are linear and commute. Where a body is
 * flat, the kick acts on the angular velocities.
 *
 * Cores apply the kick after their substeps themselves (march.h), so that forces and other functions of q
 * need not be computed again. After cores whose state is not q and p this core is used. The normals are those
 * of core/normal.h; their address is the number of the increment, counted from the case's own step times the
 * increments per step.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE noise

struct data {
  int none;
};

#ifdef CST_W
#include "system/system.h"
#include "core/rotation.h"
#include "method/core/lane.h"
#include "method/core/normal.h"
#include "system/lane/acceleration.h"
#define IS_EXPLICIT
#define NOISE_KICK kick

/* ---- the kick -------------------------------------------------------------------------------- */

/* 1 - e^-y, without cancellation for small y. */
CST_INLINE vd one_minus_exp(vd y) {
  vd sum = vset(1);
  for (int k = 16; k > 1; k--)
    sum = 1 - (y * sum) / (double)k;
  return vselect((vl)(y < 0.5), y * sum, 1 - vexp(-y));
}

/* decay: the remaining fraction of p; spread: the standard deviation of the noise; per increment and class of
 * masses. */
static void decay_and_spread(const cst_context *C, const cst_noise *x, const vd *mass, vd *decay,
                             vd *spread) {
  for (int k = 0; k < NMASS; k++) {
    const vd m = vpick(MASS_UNIT, vset(1), mass[k]);
    if (x->by_mass) {
      const vd y = x->rate / m;
      decay[k] = vexp(-y);
      spread[k] = vsqrt(one_minus_exp(2 * y) * (m * x->warmth));
    } else {
      decay[k] = vset(x->decay);
      spread[k] = x->spread * vsqrt(m);
    }
  }
}

/* The lower factor L of M = L L', row-major. */
static void factor(const cst_context *C, const vd *c, const vd *q, vd *A) {
  vd entry[ROOM(C->system->model->pattern[CST_K_M].n)];
  K_M(c, q, entry);
  cst_expand(C, CST_K_M, entry, A);
  for (int k = 0; k < NQ; k++)
    for (int i = k; i < NQ; i++) {
      vd s = A[i * NQ + k];
      for (int j = 0; j < k; j++)
        s -= A[i * NQ + j] * A[k * NQ + j];
      A[i * NQ + k] = vpick(i == k, vsqrt(s), s / A[k * NQ + k]);
    }
}

/* The addresses of the random numbers for the lanes of a record. */
typedef struct {
  vu            seed, member, first;
  unsigned long stream;
} address;

static void draw(const cst_context *C, const address *a, long r, vd *xi) {
  for (int i = 0; i < NQ; i += 4) {
    const int n = i + 4 < NQ ? 4 : NQ - i;
    vd        four[4];
    cst_normals(a->seed, a->member, a->stream, a->first + (unsigned long)r, (unsigned long)i / 4, n,
                four);
    for (int k = 0; k < n; k++)
      xi[i + k] = four[k];
  }
}

static void kick_diagonal(const cst_context *C, const cst_noise *x, const address *a,
                          const vd *mass, vd *p) {
  vd decay[ROOM(NMASS)];
  vd spread[ROOM(NMASS)];
  vd xi[ROOM(NQ)];
  decay_and_spread(C, x, mass, decay, spread);
  for (long r = 0; r < x->increments; r++) {
    draw(C, a, r, xi);
    for (int i = 0; i < NQ; i++)
      p[i] = decay[CLASS(i)] * p[i] + spread[CLASS(i)] * xi[i];
  }
}

static void kick_full(const cst_context *C, const cst_noise *x, const address *a, const vd *c,
                      const vd *q, vd *p) {
  vd A[ROOM(NQ * NQ)];
  vd a0[ROOM(NQ)];
  vd xi[ROOM(NQ)];
  factor(C, c, q, A);
  K_a(c, q, a0);
  for (int i = 0; i < NQ; i++)
    p[i] -= a0[i];
  for (long r = 0; r < x->increments; r++) {
    draw(C, a, r, xi);
    for (int i = 0; i < NQ; i++) {
      vd s = vset(0);
      for (int k = 0; k <= i; k++)
        s += A[i * NQ + k] * xi[k];
      p[i] = x->decay * p[i] + x->spread * s;
    }
  }
  for (int i = 0; i < NQ; i++)
    p[i] += a0[i];
}

#if !CST_SIZED

/* ---- systems with a flat body ---------------------------------------------------------------- */

/* Some coordinates of the rotation of a flat body have no mass, so that the noise is that of the velocities on the group SO(3)^k x R^m: omega of each body in its
 * axes, with alpha = I omega, and v of the ordinary coordinates, with p = M v.
 *
 *   alpha <- e^(-r h) alpha + sqrt((1 - e^(-2 r h)) / b) I^(1/2) xi        the same for p with M
 *   then (omega, v) orthogonally, in the metric of I and M, onto the velocities that keep the user's g = 0
 *
 * All momenta, by variations (method/joints.h), are z[nz]; their inertia consists of blocks: one of 3 for each
 * body, then one of all ordinary coordinates if their mass is a full matrix, else one for each. A body takes
 * the first three normals of its nine coordinates. The user's constraints are eliminated as a dense matrix.
 */

/* nb bodies; no ordinary coordinates; I: the blocks of the inertia of all, factored by cst_ldl. */
typedef struct {
  int nb, no, nz;
  vd *I;
} flat_parts;

static int block_at(const cst_context *C, const flat_parts *f, int at) {
  return at < 3 * f->nb ? 3 : GENERAL ? f->no : 1;
}

#define EACH_BLOCK(at, n, entry)                                                                   \
  for (int at = 0, entry = 0, n = 0; at < f->nz && (n = block_at(C, f, at)) > 0;                   \
       at += n, entry += n * n)

/* list[no] := the ordinary coordinates, ascending; variation[NQ]: theirs, or of a body -1 - its first. */
static void number_variations(const cst_context *C, flat_parts *f, int *list, int *variation) {
  const cst_system *s = C->system;
  for (int i = 0; i < NQ; i++)
    variation[i] = 0;
  for (int b = 0; b < f->nb; b++)
    for (int k = 0; k < 9; k++)
      variation[s->model->bodies[b].rotation + k] = -1 - 3 * b;
  f->no = 0;
  for (int i = 0; i < NQ; i++)
    if (variation[i] >= 0) {
      variation[i] = 3 * f->nb + f->no;
      list[f->no++] = i;
    }
  f->nz = 3 * f->nb + f->no;
}

/* Fills and factors the blocks. */
static void fill_inertia(const cst_context *C, const flat_parts *f, const int *list, const vd *c,
                         const vd *mass, const vd *q) {
  static const int  place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  const cst_system *s = C->system;
  vd                number[s->model->nbody + 1];
  vd               *own = f->I + 9 * f->nb;
  K_body(c, number);
  for (int b = 0; b < f->nb; b++)
    for (int e = 0; e < 9; e++)
      f->I[9 * b + e] = number[s->model->bodies[b].at[place[e]]];
  if (GENERAL) {
    vd entry[ROOM(s->model->pattern[CST_K_M].n)];
    vd M[ROOM(NQ * NQ)];
    K_M(c, q, entry);
    cst_expand(C, CST_K_M, entry, M);
    for (int i = 0; i < f->no; i++)
      for (int k = 0; k < f->no; k++)
        own[i * f->no + k] = M[list[i] * NQ + list[k]];
  } else {
    for (int i = 0; i < f->no; i++)
      own[i] = vpick(MASS_UNIT, vset(1), mass[CLASS(list[i])]);
  }
  EACH_BLOCK(at, n, entry)
  cst_ldl(f->I + entry, n);
}

/* y := the sum of P_k cross R_k over the rows: nine numbers of a body by its variations. */
static void by_variations(const vd *P, const vd *R, vd *y) {
  cst_cross(P, R, y);
  cst_add_cross(P + 3, R + 3, y);
  cst_add_cross(P + 6, R + 6, y);
}

/* z := e^(-r h) z + spread I^(1/2) xi, with I^(1/2) = L D^(1/2) of the factors I = L D L'. */
static void kick_blocks(const cst_context *C, const flat_parts *f, const cst_noise *x, const vd *xi,
                        vd *z) {
  EACH_BLOCK(at, n, entry)
  for (int i = 0; i < n; i++) {
    const vd *L = f->I + entry + i * n;
    vd        s = vset(0);
    for (int k = 0; k <= i; k++) {
      const vd of = xi[at + k] / vsqrt(f->I[entry + k * n + k]);
      s += vpick(k == i, of, L[k] * of);
    }
    z[at + i] = x->decay * z[at + i] + x->spread * s;
  }
}

/* rows[nown][nz] := G of the user's constraints by variations. */
static void reduce_rows(const cst_context *C, const flat_parts *f, const int *variation,
                        const vd *c, const vd *q, vd *rows) {
  vd G[ROOM(NNZ_G)];
  USES_G
  K_G(c, q, G);
  for (int a = 0; a < C->system->model->nown; a++) {
    vd *row = rows + a * f->nz;
    for (int v = 0; v < f->nz; v++)
      row[v] = vset(0);
    ROW_G(a, i, e) {
      const int v = variation[i];
      if (v >= 0) {
        row[v] += G[e];
        continue;
      }
      const int b = -1 - v, first = C->system->model->bodies[b / 3].rotation;
      const int axis = (i - first) % 3, j = (axis + 1) % 3, k = (axis + 2) % 3;
      row[b + j] -= G[e] * q[i - axis + k];
      row[b + k] += G[e] * q[i - axis + j];
    }
  }
}

/* z -= G'm with G I^-1 z = 0 for the user's constraints; those that are redundant have m = 0. */
static void project_blocks(const cst_context *C, const flat_parts *f, const vd *rows, vd *z) {
  const int own = C->system->model->nown;
  vd        X[ROOM(own * f->nz)], S[ROOM(own * own)], m[ROOM(own)];
  for (int a = 0; a < own; a++) {
    vd *row = X + a * f->nz;
    for (int v = 0; v < f->nz; v++)
      row[v] = rows[a * f->nz + v];
    EACH_BLOCK(at, n, entry)
    cst_lu_solve(f->I + entry, row + at, n);
  }
  for (int a = 0; a < own; a++) {
    m[a] = vset(0);
    for (int v = 0; v < f->nz && !DROPPED(a); v++)
      m[a] += X[a * f->nz + v] * z[v];
    for (int b = 0; b < own; b++) {
      vd s = vset(a == b && DROPPED(a));
      for (int v = 0; v < f->nz && !DROPPED(a) && !DROPPED(b); v++)
        s += X[a * f->nz + v] * rows[b * f->nz + v];
      S[a * own + b] = s;
    }
  }
  cst_ldl(S, own);
  cst_lu_solve(S, m, own);
  for (int a = 0; a < own; a++)
    for (int v = 0; v < f->nz; v++)
      z[v] -= rows[a * f->nz + v] * m[a];
}

/* P[9] := R hat(omega) J, J = tr(I)/2 1 - I: M v of the nine coordinates, for alpha = I omega. */
static void carry(const vd *factors, const vd *I, const vd *R, const vd *alpha, vd *P) {
  vd omega[3] = {alpha[0], alpha[1], alpha[2]};
  vd half = 0.5 * (I[0] + I[3] + I[5]);
  vd J[9] = {half - I[0], -I[1], -I[2], -I[1], half - I[3], -I[4], -I[2], -I[4], half - I[5]};
  cst_lu_solve(factors, omega, 3);
  for (int k = 0; k < 3; k++) {
    vd v[3];
    cst_cross(R + 3 * k, omega, v);
    for (int i = 0; i < 3; i++)
      P[3 * k + i] = J[3 * i] * v[0] + J[3 * i + 1] * v[1] + J[3 * i + 2] * v[2];
  }
}

static void store_momenta(const cst_context *C, const flat_parts *f, const int *list, const vd *c,
                          const vd *q, const vd *z, vd *p) {
  const cst_system *s = C->system;
  vd                number[s->model->nbody + 1];
  K_body(c, number);
  for (int b = 0; b < f->nb; b++) {
    const int at = s->model->bodies[b].rotation;
    vd        I[6];
    for (int e = 0; e < 6; e++)
      I[e] = number[s->model->bodies[b].at[e]];
    carry(f->I + 9 * b, I, q + at, z + 3 * b, p + at);
  }
  for (int k = 0; k < f->no; k++)
    p[list[k]] = z[3 * f->nb + k];
}

/* The kick, with the normals of each increment from `draw`. */
static void kick_flat(const cst_context *C, const cst_noise *x, const address *a, const vd *c,
                      const vd *mass, const vd *q, vd *p) {
  int        list[NQ], variation[NQ];
  flat_parts parts = {.nb = C->system->model->nbodies}, *f = &parts;
  number_variations(C, f, list, variation);
  vd I[9 * f->nb + (GENERAL ? f->no * f->no : f->no)];
  vd z[f->nz], normal[ROOM(NQ)], xi[f->nz];
  f->I = I;
  fill_inertia(C, f, list, c, mass, q);
  for (int b = 0; b < f->nb; b++)
    by_variations(p + C->system->model->bodies[b].rotation,
                  q + C->system->model->bodies[b].rotation, z + 3 * b);
  for (int k = 0; k < f->no; k++)
    z[3 * f->nb + k] = p[list[k]];
  for (long r = 0; r < x->increments; r++) {
    draw(C, a, r, normal);
    for (int v = 0; v < 3 * f->nb; v++)
      xi[v] = normal[C->system->model->bodies[v / 3].rotation + v % 3];
    for (int k = 0; k < f->no; k++)
      xi[3 * f->nb + k] = normal[list[k]];
    kick_blocks(C, f, x, xi, z);
  }
  if (C->system->model->nown > 0) {
    vd rows[C->system->model->nown * f->nz];
    reduce_rows(C, f, variation, c, q, rows);
    project_blocks(C, f, rows, z);
  }
  store_momenta(C, f, list, c, q, z, p);
}

#endif

/* p := p - G'm with G p = 0, for methods whose p is tangential. */
static void drop_normal(const cst_context *C, const vd *G, vd *p) {
  vd S[ROOM(GRAM_SIZE)], m[ROOM(NG)];
  USES_G
  for (int a = 0; a < NG; a++) {
    m[a] = vset(0);
    ROW_G(a, i, e)
      m[a] += G[e] * p[i];
  }
  cst_gram_fill(C, G, G, NULL, vset(1.0), 1, S);
  cst_gram_solve(C, S, m, 1);
  for (int i = 0; i < NQ; i++)
    COL_G(i, a, e)
      p[i] -= G[e] * m[a];
}

static void kick(const cst_context *C, const cst_noise *x, const double *record,
                 const double *steps, const double *at_q, double *of_p) {
  const cst_layout at = LAYOUT(C);
  const vd        *c = cst_block(record, at.c);
  const vd        *mass = cst_block(record, at.mass);
  const vd        *q = (const vd *)at_q;
  const address    a = {*(const vu *)cst_block(record, at.seed),
                        *(const vu *)cst_block(record, at.member),
                        *(const vu *)steps * (unsigned long)x->increments, (unsigned long)x->stream};
  vd              *p = (vd *)of_p;
  vd               G[ROOM(NNZ_G)];
  vd               m[ROOM(NG)];
  vd               minv[ROOM(NMASS)];
#if !CST_SIZED
  if (C->flat) {
    kick_flat(C, x, &a, c, mass, q, p);
    return;
  }
#endif
  for (int k = 0; k < NMASS; k++)
    minv[k] = 1.0 / mass[k];
  if (NG > 0)
    K_G(c, q, G);
  if (NG > 0 && C->tangential)
    cst_make_tangent(C, c, q, G, minv, p, m);
  if (GENERAL)
    kick_full(C, x, &a, c, q, p);
  else
    kick_diagonal(C, x, &a, mass, p);
  if (NG > 0)
    cst_make_tangent(C, c, q, G, minv, p, m);
  if (NG > 0 && C->tangential)
    drop_normal(C, G, p);
}

/* ---- a step of nothing else ------------------------------------------------------------------ */

#define LOCAL(X)                                                                                   \
  X(q, NQ, READ(at.q))                                                                             \
  X(p, NQ, STATE(at.p))

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
};

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  (void)C, (void)L, (void)j, (void)x;
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  (void)C, (void)L, (void)j, (void)x;
}

#include "method/core/march.h"
#else
#include <math.h>
#include "constella/expr.h"
#include "constella/random.h"
#include "core/lane-form.h"
#include "method/substep.h"

struct parameters {
  double rate, inverse_temperature;
  int    by_mass; /* the rate of a unit mass */
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->rate == y->rate && x->inverse_temperature == y->inverse_temperature &&
         x->by_mass == y->by_mass;
}

static cst_substep_size size(const void *x, const cst_system *s) {
  const double q = s->nq;
  (void)x;
  return (cst_substep_size){
      .stages = 1,
      .solves_fixed = s->ng > 0,
      .cost = 12 * q + 2 * cst_substep_unit(s) + (!cst_has(s, CST_SEPARABLE) ? 0.5 * q * q * q : 0),
  };
}

/* 1 - e^-y, with the operations of the lane code. */
static double one_minus_exp(double y) {
  double sum = 1;
  for (int k = 16; k > 1; k--)
    sum = 1 - (y * sum) / k;
  return y < 0.5 ? y * sum : 1 - cst_elementary_exp(-y);
}

static void noise(const void *of, int isa, double h, long increments, cst_noise *n) {
  const struct parameters *x = of;
  const double             y = x->rate * (h / (double)increments);
  const double             warmth = 1 / x->inverse_temperature;
  *n = (cst_noise){
      .kick = ((const cst_core *)cst_lane_form(isa, "noise"))->kick,
      .decay = cst_elementary_exp(-y),
      .spread = sqrt(one_minus_exp(2 * y) * warmth),
      .rate = y,
      .warmth = warmth,
      .increments = increments,
      .stream = CST_PURPOSE_NOISE,
      .by_mass = x->by_mass,
  };
}

static cst_error bind(const void *x, const cst_lane_binding *with, void *lane) {
  (void)x, (void)with, (void)lane;
  return 0;
}

static const cst_substep_row row = {
    .name = "noise",
    .data = sizeof(struct parameters),
    .features = CST_COMPENSATES | CST_STEPS_FLAT | CST_NEEDS_EQUAL_STEPS,
    .same = same,
    .size = size,
    .noise = noise,
    .bind = bind,
};

cst_substep cst_substep_noise(double fraction, double rate, double inverse_temperature,
                              bool by_mass) {
  return cst_substep_of(&row, fraction, &(struct parameters){rate, inverse_temperature, by_mass});
}
#endif

/* noise-flat.h: the kick of a thermostat on a system with a flat body. Some coordinates of its rotation have
 * no mass, so that the noise is that of the velocities on the group SO(3)^k x R^m: omega of each body in its
 * axes, with alpha = I omega, and v of the ordinary coordinates, with p = M v.
 *
 *   alpha <- e^(-r h) alpha + sqrt((1 - e^(-2 r h)) / b) I^(1/2) xi        the same for p with M
 *   then (omega, v) orthogonally, in the metric of I and M, onto the velocities that keep the user's g = 0
 *
 * All momenta, by variations (method/joints.h), are z[nz]; their inertia consists of blocks: one of 3 for each
 * body, then one of all ordinary coordinates if their mass is a full matrix, else one for each. A body takes
 * the first three normals of its nine coordinates. The user's constraints are eliminated as a dense matrix.
 * Included only by noise.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_NOISE_FLAT_H
#define CST_NOISE_FLAT_H
#include "core/rotation.h"

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
      variation[s->bodies[b].rotation + k] = -1 - 3 * b;
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
  vd                number[s->nbody + 1];
  vd               *own = f->I + 9 * f->nb;
  K_body(c, number);
  for (int b = 0; b < f->nb; b++)
    for (int e = 0; e < 9; e++)
      f->I[9 * b + e] = number[s->bodies[b].at[place[e]]];
  if (GENERAL) {
    vd entry[ROOM(s->pattern[CST_K_M].n)];
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
  for (int a = 0; a < C->system->nown; a++) {
    vd *row = rows + a * f->nz;
    for (int v = 0; v < f->nz; v++)
      row[v] = vset(0);
    ROW_G(a, i, e) {
      const int v = variation[i];
      if (v >= 0) {
        row[v] += G[e];
        continue;
      }
      const int b = -1 - v, first = C->system->bodies[b / 3].rotation;
      const int axis = (i - first) % 3, j = (axis + 1) % 3, k = (axis + 2) % 3;
      row[b + j] -= G[e] * q[i - axis + k];
      row[b + k] += G[e] * q[i - axis + j];
    }
  }
}

/* z -= G'm with G I^-1 z = 0 for the user's constraints; those that are redundant have m = 0. */
static void project_blocks(const cst_context *C, const flat_parts *f, const vd *rows, vd *z) {
  const int own = C->system->nown;
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
  vd                number[s->nbody + 1];
  K_body(c, number);
  for (int b = 0; b < f->nb; b++) {
    const int at = s->bodies[b].rotation;
    vd        I[6];
    for (int e = 0; e < 6; e++)
      I[e] = number[s->bodies[b].at[e]];
    carry(f->I + 9 * b, I, q + at, z + 3 * b, p + at);
  }
  for (int k = 0; k < f->no; k++)
    p[list[k]] = z[3 * f->nb + k];
}

/* The kick, with the normals of each increment from `draw`. */
static void kick_flat(const cst_context *C, const cst_noise *x, const address *a, const vd *c,
                      const vd *mass, const vd *q, vd *p) {
  int        list[NQ], variation[NQ];
  flat_parts parts = {.nb = C->system->nbodies}, *f = &parts;
  number_variations(C, f, list, variation);
  vd I[9 * f->nb + (GENERAL ? f->no * f->no : f->no)];
  vd z[f->nz], normal[ROOM(NQ)], xi[f->nz];
  f->I = I;
  fill_inertia(C, f, list, c, mass, q);
  for (int b = 0; b < f->nb; b++)
    by_variations(p + C->system->bodies[b].rotation, q + C->system->bodies[b].rotation, z + 3 * b);
  for (int k = 0; k < f->no; k++)
    z[3 * f->nb + k] = p[list[k]];
  for (long r = 0; r < x->increments; r++) {
    draw(C, a, r, normal);
    for (int v = 0; v < 3 * f->nb; v++)
      xi[v] = normal[C->system->bodies[v / 3].rotation + v % 3];
    for (int k = 0; k < f->no; k++)
      xi[3 * f->nb + k] = normal[list[k]];
    kick_blocks(C, f, x, xi, z);
  }
  if (C->system->nown > 0) {
    vd rows[C->system->nown * f->nz];
    reduce_rows(C, f, variation, c, q, rows);
    project_blocks(C, f, rows, z);
  }
  store_momenta(C, f, list, c, q, z, p);
}
#endif

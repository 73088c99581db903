/* pairs.h: lane code: sums over pairs with a compiled term, on the lanes of a group or, trajectory by trajectory, on so many pairs at once.
 *
 * A group of different trajectories is done in lanes. A trajectory alone, whose other lanes are copies of it, and long rows, which would
 * leave the caches with all lanes at once, are done with lanes over the pairs of a row. Both do what expr/pairs.h lays down, so that the
 * bits are the same, whichever is taken and however wide the machine is.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_PAIRS_H
#define CST_SYSTEM_PAIRS_H
#include "constella/lanes.h"
#define VALUE vd
#include "expr/pairs.h"
#undef VALUE

typedef double cst_unaligned __attribute__((vector_size(8 * CST_W), may_alias, aligned(8)));
enum { CST_PAIR_VECTORS = PAIRS_PARTS / CST_W, CST_PAIR_SPARE = PAIRS_PARTS }; /* doubles that may be read behind the last */

/* Lanes whose argument is not that of lane 0. */
CST_INLINE int cst_pairs_differ(const vd *q, int n, int differ) {
  for (int i = 0; i < n && differ != (1 << CST_W) - 2; i++) {
    const vl x = (vl)q[i];
    for (int l = 1; l < CST_W; l++) differ |= (x[l] != x[0]) << l;
  }
  return differ;
}

/* Whether lanes are laid over pairs; `differ` lanes beside the first. */
CST_INLINE int cst_pairs_apart(const cst_pair_sum *s, int differ) {
  const double each = (double)(CST_PAIR_VECTORS * s->blocks);
  return (1 + __builtin_popcount((unsigned)differ)) * each <= 1.2 * (double)s->pairs;
}

CST_INLINE vl cst_pairs_first(int n) {
  vl m;
  for (int l = 0; l < CST_W; l++) m[l] = -(l < n);
  return m;
}

/* Entries of array b at j and the CST_W - 1 behind it; what is behind the last is any number. */
CST_INLINE vd cst_pairs_load(const double *q, int start, int step, int j, int n) {
  if (step == 1) return *(const cst_unaligned *)(q + start + j);
  vd y;
  for (int l = 0; l < CST_W; l++) y[l] = q[start + (l < n ? j + l : j) * step];
  return y;
}

CST_INLINE void cst_pairs_add(double *f, int start, int step, int j, int n, vd o) {
  if (step == 1 && n >= CST_W)
    *(cst_unaligned *)(f + start + j) += o;
  else
    for (int l = 0; l < CST_W && l < n; l++) f[start + (j + l) * step] += o[l];
}

/* Pairs j .. of row i, at most eight: n of them. */
CST_INLINE void cst_pairs_block(const cst_pair_sum *s, pairs_term *term, const vd *c, const vd *x, const double *q, double *f, int j, int n,
                                vd (*part)[CST_PAIR_ARRAYS], int value) {
  vd y[CST_PAIR_ARRAYS], o[2 * CST_PAIR_ARRAYS];
  for (int k = 0; k < CST_PAIR_VECTORS && k * CST_W < n; k++) {
    const int here = j + k * CST_W, left = n - k * CST_W;
    CST_UNROLL for (int b = 0; b < s->ny; b++) y[b] = cst_pairs_load(q, s->y[b], s->ystep[b], here, left);
    term(NULL, c, x, y, o);
    if (left < CST_W) {
      const vl m = cst_pairs_first(left);
      CST_UNROLL for (int a = 0; a < (value ? 1 : s->nx + s->ny); a++) o[a] = vkeep(m, o[a]);
    }
    CST_UNROLL for (int a = 0; a < (value ? 1 : s->nx); a++) part[k][a] += o[a];
    if (!value) CST_UNROLL for (int b = 0; b < s->ny; b++) cst_pairs_add(f, s->y[b], s->ystep[b], here, left, o[s->nx + b]);
  }
}

CST_INLINE void cst_pairs_rows(const cst_pair_sum *s, pairs_term *term, const vd *c, const double *q, double *f, int value) {
  vd     part[CST_PAIR_VECTORS][CST_PAIR_ARRAYS], x[CST_PAIR_ARRAYS];
  double eight[CST_PAIR_VECTORS * CST_W];
  if (value)
    for (int k = 0; k < CST_PAIR_VECTORS; k++) part[k][0] = vset(0);
  for (int i = 0; i < s->rows; i++) {
    const int to = s->to[i];
    int       j = s->from[i];
    CST_UNROLL for (int a = 0; a < s->nx; a++) x[a] = vset(q[s->x[a] + i * s->xstep[a]]);
    if (!value)
      for (int k = 0; k < CST_PAIR_VECTORS; k++) CST_UNROLL for (int a = 0; a < s->nx; a++) part[k][a] = vset(0);
    for (; j + PAIRS_PARTS <= to; j += PAIRS_PARTS) cst_pairs_block(s, term, c, x, q, f, j, PAIRS_PARTS, part, value);
    if (j < to) cst_pairs_block(s, term, c, x, q, f, j, to - j, part, value);
    for (int a = 0; a < s->nx && !value; a++) {
      for (int k = 0; k < CST_PAIR_VECTORS; k++) *(cst_unaligned *)(eight + k * CST_W) = part[k][a];
      f[s->x[a] + i * s->xstep[a]] +=
          ((eight[0] + eight[4]) + (eight[2] + eight[6])) + ((eight[1] + eight[5]) + (eight[3] + eight[7]));
    }
  }
  if (!value) return;
  for (int k = 0; k < CST_PAIR_VECTORS; k++) *(cst_unaligned *)(eight + k * CST_W) = part[k][0];
  f[0] += ((eight[0] + eight[4]) + (eight[2] + eight[6])) + ((eight[1] + eight[5]) + (eight[3] + eight[7]));
}

/* Lane l alone. */
CST_INLINE void cst_pairs_alone(const cst_pair_sum *s, pairs_term *term, int npar, int nq, const vd *c, const vd *q, const int *place, vd *o,
                                int l, int value) {
  const int nf = value ? 1 : nq;
  double    Q[nq + CST_PAIR_SPARE], F[nf + CST_PAIR_SPARE];
  vd        C[npar + 1];
  for (int k = 0; k < npar; k++) C[k] = vset(c[k][l]);
  for (int i = 0; i < nq; i++) Q[i] = q[i][l];
  for (int i = nq; i < nq + CST_PAIR_SPARE; i++) Q[i] = 0;
  for (int i = 0; i < nf; i++) F[i] = o[place ? place[i] : i][l];
  cst_pairs_rows(s, term, C, Q, F, value);
  for (int i = 0; i < nf; i++) ((double *)&o[place ? place[i] : i])[l] = F[i];
}

/* value: o[0] += the sum of terms; else o[place[k]] += its slope along q[k], place NULL: o[k]. */
CST_INLINE void cst_pairs_sum(const cst_pair_sum *s, pairs_term *term, int npar, int nq, const vd *c, const vd *q, const int *place, vd *o,
                              int value) {
  const int differ = cst_pairs_differ(c, npar, cst_pairs_differ(q, nq, 0));
  if (!cst_pairs_apart(s, differ)) {
    if (value)
      o[0] += pairs_value(s, term, NULL, c, q);
    else
      pairs_slope(s, term, NULL, c, q, place, o);
    return;
  }
  for (int l = 0; l < CST_W; l++)
    if (!l || differ >> l & 1) cst_pairs_alone(s, term, npar, nq, c, q, place, o, l, value);
  for (int i = 0; i < (value ? 1 : nq); i++)
    for (int l = 1; l < CST_W; l++)
      if (!(differ >> l & 1)) o[i][l] = o[i][0];
}
#endif

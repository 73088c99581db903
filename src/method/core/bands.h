/* bands.h: lane code: the matrix M + b Hess V of linearly implicit methods, stored as bands of the system's
 * cst_bands, with rows in the order of elimination.
 *
 * `which` is 0 for the Hessian of V and 1 for that of its stiff part; it is a compile-time constant.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_BANDS_H
#define CST_CORE_BANDS_H
#include "system/lane/group.h"
#include "system/lane/gram.h"

/* For LOCAL: those of cst_linear_masses. */
#define CST_MASS_FIELDS(X)                                                                         \
  X(inverse, NMASS, INVERSE(at.mass))                                                              \
  X(M, FULL_MASS)                                                                                  \
  X(factor, FULL_MASS)

#if !CST_SIZED || SYS_FILTERED /* otherwise its sizes are not compiled in */
#if CST_SIZED
#if SYS_STIFF
#define PICK(which, name) ((which) ? name##1 : name##0)
#else
#define PICK(which, name) name##0
#endif
#define BAND(which)    PICK(which, SYS_BAND)
#define ENTRIES(which) PICK(which, SYS_ENTRIES)
#define ORDER(which)   PICK(which, sys_order)
#define PLACE(which)   PICK(which, sys_place)
#define LAST(which)    PICK(which, sys_last)
#define AT(which)      PICK(which, sys_at)
#define NSHARED        SYS_NSHARED
#define HAS_BOTH       SYS_STIFF
#else
#define BAND(which)    (C->system->model->bands[which].band)
#define ENTRIES(which) (C->system->model->bands[which].n)
#define ORDER(which)   (C->system->model->bands[which].order)
#define PLACE(which)   (C->system->model->bands[which].place)
#define LAST(which)    (C->system->model->bands[which].last)
#define AT(which)      (C->system->model->bands[which].at)
#define NSHARED        (C->system->model->nshared)
#define HAS_BOTH       1
#endif
#define LARGER(name) (HAS_BOTH && name(1) > name(0) ? name(1) : name(0))
#define MOST_BAND    (NQ * (LARGER(BAND) + 1))
#define MOST_ENTRIES LARGER(ENTRIES)
/* The output of dVH and dVS: grad V by rows, the Hessian, the subexpressions that D3V shares. */
#define BENT_SIZE (NQ + MOST_ENTRIES + NSHARED)
/* A full constant M, row-major, if there is one, and its factors. */
#define FULL_MASS (GENERAL ? NQ * NQ : 0)

/* The mass as a core stores it: by classes, with its inverse, or full, with its factors. */
typedef struct {
  const vd *mass;
  vd       *inverse, *M, *factor;
} cst_linear_masses;

#define CST_MASSES_OF(C, L, record)                                                                \
  cst_masses_load(                                                                                 \
      C, L->c, L->q,                                                                               \
      (cst_linear_masses){cst_block(record, LAYOUT(C).mass), L->inverse, L->M, L->factor})

CST_INLINE cst_linear_masses cst_masses_load(const cst_context *C, const vd *c, const vd *q,
                                             cst_linear_masses m) {
#if !CST_SIZED
  if (!GENERAL)
    return m;
  const cst_pattern *p = &C->system->model->pattern[CST_K_M];
  vd                 entry[ROOM(p->n)];
  K_M(c, q, entry);
  for (int k = 0; k < NQ * NQ; k++)
    m.M[k] = vset(0);
  for (int i = 0; i < NQ; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      m.M[i * NQ + p->column[e]] = entry[e];
  for (int k = 0; k < NQ * NQ; k++)
    m.factor[k] = m.M[k];
  cst_ldl(m.factor, NQ);
#else
  (void)C, (void)c, (void)q;
#endif
  return m;
}

/* x := M^-1 x, coordinates in their own order. */
CST_INLINE void cst_masses_divide(const cst_context *C, const cst_linear_masses *m, vd *x) {
  (void)C;
  if (GENERAL)
    cst_lu_solve(m->factor, x, NQ);
  else if (!MASS_UNIT) {
    UNROLL
    for (int i = 0; i < NQ; i++)
      x[i] *= m->inverse[CLASS(i)];
  }
}

/* to := M a, a by rows, to in the order of the coordinates. */
CST_INLINE void cst_masses_times(const cst_context *C, const cst_linear_masses *m, int which,
                                 const vd *a, vd *to) {
  UNROLL
  for (int i = 0; i < NQ; i++) {
    if (GENERAL) {
      to[i] = vset(0);
      for (int k = 0; k < NQ; k++)
        to[i] += m->M[i * NQ + k] * a[PLACE(which)[k]];
    } else {
      to[i] = vpick(MASS_UNIT, a[PLACE(which)[i]], m->mass[CLASS(i)] * a[PLACE(which)[i]]);
    }
  }
}

/* A := M + b H, where H contains the entries that dVH or dVS returned. */
CST_INLINE void cst_bands_fill(const cst_context *C, const cst_linear_masses *m, int which, vd b,
                               const vd *H, vd *A) {
  UNROLL
  for (int k = 0; k < NQ * (BAND(which) + 1); k++)
    A[k] = vset(0);
  UNROLL
  for (int e = 0; e < ENTRIES(which); e++)
    A[AT(which)[e]] = b * H[e];
  UNROLL
  for (int r = 0; r < NQ; r++) {
    if (!GENERAL)
      A[r * (BAND(which) + 1)] += vpick(MASS_UNIT, vset(1), m->mass[CLASS(ORDER(which)[r])]);
    for (int i = r; GENERAL && i < NQ; i++)
      A[r * NQ + i - r] += m->M[ORDER(which)[r] * NQ + ORDER(which)[i]];
  }
}

#if !CST_SIZED
/* Row r of A := that of M + b H, of a diagonal mass, where e is its first entry of H; returns the next one. */
CST_INLINE int cst_narrow_row(const cst_bands *bands, int r, const vd *mass, const int *class, vd b,
                              const vd *H, int e, vd *A) {
  const int w = bands->band + 1, end = (r + 1) * w;
  for (int k = 0; k < w; k++)
    A[r * w + k] = vset(0);
  for (; e < bands->n && bands->at[e] < end; e++)
    A[bands->at[e]] = b * H[e];
  A[r * w] += mass ? mass[class[bands->order[r]]] : vset(1);
  return e;
}

/* cst_bands_fill and cst_envelope_solve in one pass and a second one back, for a diagonal mass (NULL: 1) and a
 * band of at most 2, as of chains and rings. The two rows that change stay in registers, since a pivot waits for
 * the one before. Same bits. */
static __attribute__((noinline, unused)) void
cst_narrow_solve(const cst_bands *bands, int n, const vd *restrict mass, const int *restrict class,
                 vd b, const vd *restrict H, vd *restrict A, vd *restrict x) {
  const int  w = bands->band + 1;
  const int *last = bands->last;
  /* Of row r: pivot, the entries right of it, right side; of row r + 1: diagonal, its neighbour, right side. */
  vd  d, near, far, y, d1 = vset(0), near1 = vset(0), y1 = vset(0);
  int e = cst_narrow_row(bands, 0, mass, class, b, H, 0, A);
  if (n > 1) {
    e = cst_narrow_row(bands, 1, mass, class, b, H, e, A);
    d1 = A[w], y1 = x[1];
    near1 = w > 1 ? A[w + 1] : vset(0);
  }
  d = A[0], y = x[0];
  near = w > 1 ? A[1] : vset(0);
  for (int r = 0; r < n; r++) {
    vd      *row = A + (long)r * w;
    const vd inverse = 1.0 / d;
    vd       d2 = vset(0), near2 = vset(0), y2 = vset(0);
    far = w > 2 ? row[2] : vset(0);
    if (r + 2 < n) {
      e = cst_narrow_row(bands, r + 2, mass, class, b, H, e, A);
      d2 = row[2 * w], y2 = x[r + 2];
      near2 = w > 1 ? row[2 * w + 1] : vset(0);
    }
    row[0] = inverse;
    if (last[r] > r) {
      const vd f = near * inverse;
      d1 -= f * near;
      if (last[r] > r + 1)
        near1 -= f * far;
      y1 -= f * y;
      row[1] = f;
    }
    if (last[r] > r + 1) {
      const vd f = far * inverse;
      d2 -= f * far;
      y2 -= f * y;
      row[2] = f;
    }
    x[r] = y;
    d = d1, near = near1, y = y1;
    d1 = d2, near1 = near2, y1 = y2;
  }
  y1 = y = vset(0);
  for (int r = n - 1; r >= 0; r--) {
    const vd *row = A + (long)r * w;
    vd        s = x[r] * row[0];
    if (last[r] > r)
      s -= row[1] * y;
    if (last[r] > r + 1)
      s -= row[2] * y1;
    x[r] = s;
    y1 = y, y = s;
  }
}
#endif

/* b := A^-1 b for a symmetric A. Its upper half is stored by rows, entry (r, r + d) at r (band + 1) + d; row
 * r ends at last[r], fill-in included (cst_bands). A is destroyed. Unrolls where n and last are constants. */
CST_INLINE void cst_envelope_solve(vd *A, vd *b, int n, int band, const int *last) {
  UNROLL
  for (int r = 0; r < n; r++) {
    vd *const pivot = A + (long)r * (band + 1);
    const vd  inverse = 1.0 / pivot[0];
    pivot[0] = inverse;
    UNROLL
    for (int i = r + 1; i <= last[r]; i++) {
      const vd f = pivot[i - r] * inverse;
      UNROLL
      for (int c = i; c <= last[r]; c++)
        A[(long)i * (band + 1) + c - i] -= f * pivot[c - r];
      b[i] -= f * b[r];
      pivot[i - r] = f;
    }
  }
  UNROLL
  for (int r = n - 1; r >= 0; r--) {
    vd s = b[r] * A[(long)r * (band + 1)];
    UNROLL
    for (int i = r + 1; i <= last[r]; i++)
      s -= A[(long)r * (band + 1) + i - r] * b[i];
    b[r] = s;
  }
}

/* x := (M + b H)^-1 x by rows; A is for scratch. */
CST_INLINE void cst_bands_solve(const cst_context *C, const cst_linear_masses *m, int which, vd b,
                                const vd *H, vd *A, vd *x) {
#if !CST_SIZED
  if (!GENERAL && BAND(which) <= 2) {
    cst_narrow_solve(&C->system->model->bands[which], NQ, MASS_UNIT ? NULL : m->mass, C->mass_class,
                     b, H, A, x);
    return;
  }
#endif
  cst_bands_fill(C, m, which, b, H, A);
  cst_envelope_solve(A, x, NQ, BAND(which), LAST(which));
}
#endif
#endif

/* bands.h: lane code: the matrix M + b Hess V of linearly implicit methods, stored as bands of the system's
 * cst_bands, with rows in the order of elimination.
 *
 * `which` is 0 for the Hessian of V and 1 for that of its stiff part; it is a compile-time constant.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_BANDS_H
#define CST_CORE_BANDS_H
#include "system/lane/group.h"
#include "core/band.h"

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
#define BAND(which)    (C->system->bands[which].band)
#define ENTRIES(which) (C->system->bands[which].n)
#define ORDER(which)   (C->system->bands[which].order)
#define PLACE(which)   (C->system->bands[which].place)
#define LAST(which)    (C->system->bands[which].last)
#define AT(which)      (C->system->bands[which].at)
#define NSHARED        (C->system->nshared)
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

CST_INLINE void cst_masses_load(const cst_context *C, const double *record, const vd *c,
                                const vd *q, cst_linear_masses *m) {
  m->mass = cst_block(record, LAYOUT(C).mass);
  UNROLL
  for (int k = 0; k < NMASS; k++)
    m->inverse[k] = 1.0 / m->mass[k];
#if !CST_SIZED
  if (!GENERAL)
    return;
  const cst_pattern *p = &C->system->pattern[CST_K_M];
  vd                 entry[ROOM(p->n)];
  K_M(c, q, entry);
  for (int k = 0; k < NQ * NQ; k++)
    m->M[k] = vset(0);
  for (int i = 0; i < NQ; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      m->M[i * NQ + p->column[e]] = entry[e];
  for (int k = 0; k < NQ * NQ; k++)
    m->factor[k] = m->M[k];
  cst_ldl(m->factor, NQ);
#else
  (void)c, (void)q;
#endif
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
#endif
#endif

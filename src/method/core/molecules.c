/* molecules.c: the kicks of kick.c for one trajectory of a system of like molecules: lanes over molecules,
 * and over pairs in the force.
 *
 * The trajectories of a group are processed one after the other, as arrays of molecules. The operations of
 * kick.c, march.h and gram.h are done on the same operands in the same order; the elimination omits only
 * operations on zeros between molecules, so that the bits agree. The size of an update is the largest of all
 * molecules, and the iteration ends for all molecules at once, as in the general code.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE molecules
#define CORE_IS_FOR_MOLECULES
#define CORE_IS_FOR_ONE_SYSTEM
#ifdef CST_W
#include "system/lane/pairs.h" /* the system's header needs it */

#include "method/core/lane.h"
#include "method/core/molecules-tiles.h"
#if defined(CST_SYSTEM_HEADER) && SYS_IN_MOLECULES
#include "core/dense.h"
#include "method/core/kick-data.h"
#include "system/lane/acceleration.h" /* CST_CLOSE */

#include "method/core/molecules-constraints.h"

/* ---- a step ---------------------------------------------------------------------------------- */

CST_INLINE void extrapolate(history *h, int early, long steps) {
  for (int t = 0; t < TILES; t++) {
    CST_UNROLL
    for (int a = 0; a < KG; a++) {
      vd d = h->x[t][a];
      vd sum = d;
      CST_UNROLL
      for (int k = 0; k < CST_PAST; k++) {
        vd next = d - h->past[k][t][a];
        h->past[k][t][a] = d;
        if (early)
          next = vkeep(vmask(steps > k + 1), next);
        d = next;
        sum += d;
      }
      h->x[t][a] = sum;
    }
  }
}

CST_INLINE void begin(molecule_set *s, double kick, int opens) {
  for (int t = 0; t < TILES; t++) {
    tile *const T = &s->tile[t];
    CST_UNROLL
    for (int k = 0; k < KQ; k++)
      T->pt[k] = T->p[k] - kick * T->dV[k];
    if (opens) {
      CST_UNROLL
      for (int a = 0; a < KG; a++)
        T->impulse[a] = vset(0);
    }
  }
}

CST_INLINE void finish(molecule_set *s, const struct data *own, double h, vd (*x)[KG]) {
  const double kick = own->w1 * h;
  if (!own->idle)
    compute_force(s, s->tile[0].q1);
  for (int t = 0; t < TILES; t++) {
    tile *const T = &s->tile[t];
    CST_UNROLL
    for (int a = 0; a < KG; a++)
      T->impulse[a] += x[t][a];
    CST_UNROLL
    for (int k = 0; k < KQ; k++)
      T->ph[k] -= kick * T->dV[k];
    if (own->tangent)
      make_tangent(s, T);
    CST_UNROLL
    for (int k = 0; k < KQ; k++) {
      T->p[k] = T->ph[k];
      T->q[k] = T->q1[k];
    }
    CST_UNROLL
    for (int e = 0; e < KE; e++)
      T->G[e] = T->G1[e];
  }
}

/* The noise acts on all lanes of a group; only the result of this one is used. */
static __attribute__((noinline)) void make_noise(const cst_context *C, molecule_set *s,
                                                 const cst_noise *noise, const double *record,
                                                 long k, int lane) {
  vd       q[NQ], p[NQ];
  const vl steps = *(const vl *)cst_block(record, LAYOUT(C).step) + k;
  for (int i = 0; i < KQ; i++)
    for (int m = 0; m < COUNT; m++) {
      const int at = sys_molecule_q[i] + m * sys_molecule_qstep[i];
      q[at] = vset(*number(s->tile[0].q, VECTORS, i, m));
      p[at] = vset(*number(s->tile[0].p, VECTORS, i, m));
    }
  noise->kick(C, noise, record, (const double *)&steps, (const double *)q, (double *)p);
  for (int i = 0; i < KQ; i++)
    for (int m = 0; m < TILES * CST_W; m++) {
      const int molecule = m < COUNT ? m : 0;
      const int at = sys_molecule_q[i] + molecule * sys_molecule_qstep[i];
      *number(s->tile[0].p, VECTORS, i, m) = p[at][lane];
    }
}

CST_INLINE int is_broken(const molecule_set *s) {
  vd z = vset(0);
  for (int t = 0; t < TILES; t++) {
    CST_UNROLL
    for (int k = 0; k < KQ; k++) {
      const tile *T = &s->tile[t];
      z += (T->q[k] - T->q[k]) + (T->p[k] - T->p[k]);
    }
  }
  return vany((vl)(z != 0));
}

/* ---- a march --------------------------------------------------------------------------------- */

#define PAST_SIZE  (CST_PAST * NG + 1)
#define PAST_AT(j) (MARCH->warm + MARCH->nsub * NG + (j)*PAST_SIZE)
#define END        (MARCH->smooth ? PAST_AT(MARCH->nsub) : PAST_AT(0))
#define ONE(block) record[(size_t)(block)*CST_W + (size_t)lane]

/* The work space: forces, which are kept, the tiles, the history of each substep, a copy of the record. */
enum {
  FORCES = (sizeof(force_cache) + sizeof(vd) - 1) / sizeof(vd),
  MOLECULES = (sizeof(molecule_set) + sizeof(vd) - 1) / sizeof(vd)
};
enum { HISTORY = sizeof(history) / sizeof(vd) };
#define TILES_AT   ((vd *)C->work + FORCES)
#define HISTORY_AT (TILES_AT + MOLECULES)
#define RECORD_AT  (HISTORY_AT + MARCH->nsub * HISTORY)

static size_t room(const cst_march *m) {
  const cst_context *C = &m->group;
  const int          histories = MARCH->nsub * HISTORY;
  return (size_t)FORCES + (size_t)MOLECULES + (size_t)histories + (size_t)END;
}

static void load_history(const cst_context *C, history *h, const double *record, int lane) {
  for (int j = 0; j < MARCH->nsub; j++) {
    load_numbers(h[j].x[0], KG, KG, sys_molecule_g, sys_molecule_gstep, record,
                 MARCH->warm + j * NG, lane);
    for (int k = 0; k < CST_PAST && MARCH->smooth; k++)
      load_numbers(h[j].past[k][0], KG, KG, sys_molecule_g, sys_molecule_gstep, record,
                   PAST_AT(j) + k * NG, lane);
  }
}

static void store_history(const cst_context *C, history *h, double *record, int lane) {
  for (int j = 0; j < MARCH->nsub; j++) {
    store_numbers(h[j].x[0], KG, KG, sys_molecule_g, sys_molecule_gstep, record,
                  MARCH->warm + j * NG, lane);
    for (int k = 0; k < CST_PAST && MARCH->smooth; k++)
      store_numbers(h[j].past[k][0], KG, KG, sys_molecule_g, sys_molecule_gstep, record,
                    PAST_AT(j) + k * NG, lane);
  }
}

static void enter(const cst_context *C, molecule_set *s, const force *f, const double *record,
                  int lane) {
  const cst_layout at = LAYOUT(C);
  const double     scale = ONE(at.tolerance) * (1 / CST_ROUNDOFF);
  LOAD_Q(q, at.q);
  LOAD_Q(p, at.p);
  LOAD_G(impulse, at.impulse);
  LOAD_G(slack, at.length);
  s->iterations = ONE(at.iterations);
  s->reach = vset(ONE(at.tolerance) * (CST_CLOSE / CST_ROUNDOFF));
  for (int t = 0; t < TILES; t++) {
    CST_UNROLL
    for (int a = 0; a < KG; a++)
      s->tile[t].slack[a] = scale * s->tile[t].slack[a];
    sys_molecule_slopes(s->c, s->tile[t].q, s->tile[t].G);
  }
  restore_force(f, s, NPAR);
}

static void leave(const cst_context *C, molecule_set *s, double *record, int lane, long n) {
  const cst_layout at = LAYOUT(C);
  STORE_Q(q, at.q);
  STORE_Q(p, at.p);
  STORE_G(impulse, at.impulse);
  ONE(at.iterations) = s->iterations;
  if (MARCH->closes)
    ((long *)record)[(size_t)at.step * CST_W + (size_t)lane] += n;
}

/* n steps of one lane; the other lanes of the record do not change. */
static cst_outcome march_lane(const cst_march own, double *record, int lane, long n) {
  const cst_context  *C = &own.group;
  const cst_layout    at = LAYOUT(C);
  molecule_set *const s = (molecule_set *)TILES_AT;
  history *const      h = (history *)HISTORY_AT;
  force *const        kept = find_force((force_cache *)C->work, record + lane);
  const long          steps = ((const long *)record)[(size_t)at.step * CST_W + (size_t)lane];
  const int           predicts = MARCH->smooth;
  const int           early = predicts && steps <= CST_PAST;
  vd                  c[NPAR + 1];
  vd                  hm[NMASS + 1];
  double              inverse[NMASS + 1];
  for (int k = 0; k < NPAR; k++)
    c[k] = vset(ONE(at.c + k));
  for (int k = 0; k < NMASS; k++)
    inverse[k] = 1.0 / ONE(at.mass + k);
  s->c = c;
  s->hm = hm;
  enter(C, s, kept, record, lane);
  load_history(C, h, record, lane);
  for (long k = 0; k < n; k++)
    for (int j = 0; j < MARCH->nsub; j++) {
      vd(*const x)[KG] = h[j].x;
      const double step = MARCH->sub[j].h[lane];
      const int    first = early && k <= CST_PAST;
      for (int i = 0; i < NMASS; i++)
        hm[i] = vset(step * inverse[i]);
      if (predicts)
        extrapolate(&h[j], first, steps + k);
      begin(s, OWN(j)->w0 * step, j == 0 && MARCH->opens);
      const int young = first && steps + k <= CST_PAST;
      if (!solve(s, &own, step, predicts, young, x))
        return (cst_outcome){k, 0, CST_NOT_CONVERGED};
      finish(s, OWN(j), step, x);
      if (__builtin_expect(MARCH->sub[j].noise != NULL, 0))
        make_noise(C, s, MARCH->sub[j].noise, record, k, lane);
    }
  if (is_broken(s))
    return (cst_outcome){n, 0, CST_NOT_FINITE};
  kept->there = 0;
  if (!OWN(MARCH->nsub - 1)->idle)
    keep_force(kept, s, NPAR); /* otherwise the force is not that of the final q */
  leave(C, s, record, lane, n);
  store_history(C, h, record, lane);
  return (cst_outcome){n, 0, CST_DONE};
}

static int lanes_off(vl same) {
  int bits = 0;
  for (int l = 1; l < CST_W; l++)
    bits |= !same[l] << l;
  return bits;
}

/* The lanes that are not copies of the first, or have steps of another length. */
static int distinct_lanes(const cst_context *C, const double *record, int end) {
  const vl *x = (const vl *)record;
  vl        same = (vl)(H(0) == H(0)[0]);
  for (int i = 0; i < end; i++) {
    same &= (vl)(x[i] == x[i][0]);
    if (i % 16 == 15 && lanes_off(same) == (1 << CST_W) - 2)
      break;
  }
  return lanes_off(same);
}

/* Lanes over trajectories are faster if most of them differ and their data fit in the caches. Noise is drawn
 * for all lanes at once. */
static int is_worthwhile(const cst_context *C, int differ) {
  enum { MANY = 24 };
  const int different = 1 + __builtin_popcount((unsigned)differ);
  for (int j = 0; j < MARCH->nsub; j++)
    if (differ && MARCH->sub[j].noise)
      return 0;
  return different * TILES <= COUNT || COUNT >= MANY;
}

static int march(const cst_march *m, double *record, long n, cst_outcome *outcome) {
  const cst_context *C = &m->group;
  const int          end = END;
  const int          differ = distinct_lanes(C, record, end);
  if (!is_worthwhile(C, differ))
    return 0;
  vd *const was = RECORD_AT;
  if (differ)
    memcpy(was, record, sizeof(vd) * (size_t)end);
  for (int l = 0; l < CST_W; l++) {
    if (l && !(differ >> l & 1))
      continue;
    *outcome = march_lane(*m, record, l, n);
    if (outcome->reason == CST_DONE)
      continue;
    outcome->lanes = l ? 1 << l : ((1 << CST_W) - 1) & ~differ;
    if (differ)
      memcpy(record, was, sizeof(vd) * (size_t)end);
    return 1;
  }
  for (int i = 0; i < end; i++) {
    double *const row = record + (size_t)i * CST_W;
    for (int l = 1; l < CST_W; l++)
      if (!(differ >> l & 1))
        row[l] = row[0];
  }
  return 1;
}

#define SYMBOL_(sys, isa) cst_core_molecules_##sys##_##isa
#define SYMBOL(sys, isa)  SYMBOL_(sys, isa)
extern const cst_solo_core SYMBOL(SYS_ID, CST_ISA);
const cst_solo_core        SYMBOL(SYS_ID, CST_ISA) = {room, march};
#endif
#endif

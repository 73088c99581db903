/* molecules-tiles.h: the molecules of one trajectory as tiles of CST_W molecules: how they are read from a
 * record and written back, and the force on them, which is kept from march to march. Part of molecules.c;
 * empty for other systems.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(CST_SYSTEM_HEADER) && SYS_IN_MOLECULES
#include <string.h>

enum {
  COUNT = SYS_MOLECULE_COUNT,
  TILES = (COUNT + CST_W - 1) / CST_W,
  KQ = SYS_MOLECULE_NQ,
  KG = SYS_MOLECULE_NG,
  KE = SYS_MOLECULE_ENTRIES
};
#define EACH_ENTRY(a, k, e)                                                                        \
  CST_UNROLL                                                                                       \
  for (int k = 0, e; k < KQ; k++)                                                                  \
    if ((e = sys_molecule_at[(a)*KQ + k]) >= 0)

/* CST_W molecules. */
typedef struct {
  vd q[KQ];
  vd p[KQ];
  vd dV[KQ];
  vd pt[KQ];
  vd ph[KQ];
  vd q1[KQ];
  vd G[KE];
  vd G1[KE];
  vd f[KG];
  vd slack[KG];
  vd impulse[KG];
} tile;

/* The unknowns of a substep, and the differences from which they are extrapolated. */
typedef struct {
  vd x[TILES][KG];
  vd past[CST_PAST][TILES][KG];
} history;

typedef struct {
  tile      tile[TILES];
  const vd *c;
  const vd *hm; /* by class of mass */
  vd        reach;
  double    iterations;
  int       near; /* whether one correction is enough for all constraints */
  int       bent; /* whether it is only with that of what it leaves (bend.h) */
  int       sure; /* whether all pivots of the last matrix are positive (near-root.h) */
} molecule_set;

/* ---- between a record and tiles -------------------------------------------------------------- */

/* Number k of molecule m in an array of tiles of n vectors, `stride` vectors from tile to tile. */
static inline double *number(vd *first, int stride, int k, int m) {
  return (double *)(first + (m / CST_W) * stride + k) + m % CST_W;
}

/* The lanes after the last molecule are copies of the first. */
static void load_numbers(vd *first, int stride, int n, const int *at, const int *step,
                         const double *record, int block, int lane) {
  for (int k = 0; k < n; k++)
    for (int m = 0; m < TILES * CST_W; m++) {
      const int molecule = m < COUNT ? m : 0;
      const int from = block + at[k] + molecule * step[k];
      *number(first, stride, k, m) = record[(size_t)from * CST_W + (size_t)lane];
    }
}

static void store_numbers(vd *first, int stride, int n, const int *at, const int *step,
                          double *record, int block, int lane) {
  for (int k = 0; k < n; k++)
    for (int m = 0; m < COUNT; m++) {
      const int to = block + at[k] + m * step[k];
      record[(size_t)to * CST_W + (size_t)lane] = *number(first, stride, k, m);
    }
}

enum { VECTORS = sizeof(tile) / sizeof(vd) };
#define LOAD_Q(field, block)                                                                       \
  load_numbers(s->tile[0].field, VECTORS, KQ, sys_molecule_q, sys_molecule_qstep, record, block,   \
               lane)
#define LOAD_G(field, block)                                                                       \
  load_numbers(s->tile[0].field, VECTORS, KG, sys_molecule_g, sys_molecule_gstep, record, block,   \
               lane)
#define STORE_Q(field, block)                                                                      \
  store_numbers(s->tile[0].field, VECTORS, KQ, sys_molecule_q, sys_molecule_qstep, record, block,  \
                lane)
#define STORE_G(field, block)                                                                      \
  store_numbers(s->tile[0].field, VECTORS, KG, sys_molecule_g, sys_molecule_gstep, record, block,  \
                lane)

/* ---- the force ------------------------------------------------------------------------------- */

/* o += the slopes of a sum over pairs at x, both of vectors x and o of every tile. */
CST_INLINE void add_pairs(const cst_pair_sum *sum, const cst_pair_places *p, pairs_term *term,
                          const vd *c, vd *x, vd *o) {
  vd            Q[p->n / CST_W + 1];
  vd            F[p->n / CST_W + 1];
  double *const q = (double *)Q;
  double *const f = (double *)F;
  for (int i = 0; i < p->n / CST_W + 1; i++) {
    F[i] = vset(0);
    Q[i] = vset(0);
  }
  for (int k = 0; k < KQ; k++)
    for (int m = 0; m < COUNT; m++) {
      const int to = p->of[sys_molecule_q[k] + m * sys_molecule_qstep[k]];
      if (to >= 0) {
        q[to] = *number(x, VECTORS, k, m);
        f[to] = *number(o, VECTORS, k, m);
      }
    }
  cst_pairs_rows(sum, p, term, c, q, f, 0);
  for (int k = 0; k < KQ; k++)
    for (int m = 0; m < TILES * CST_W; m++) {
      const int molecule = m < COUNT ? m : 0;
      const int from = p->of[sys_molecule_q[k] + molecule * sys_molecule_qstep[k]];
      if (from >= 0)
        *number(o, VECTORS, k, m) = f[from];
    }
}

static void compute_force(molecule_set *s, vd *x) {
  for (int t = 0; t < TILES; t++) {
    CST_UNROLL
    for (int k = 0; k < KQ; k++)
      s->tile[t].dV[k] = vset(0);
  }
#define ADD(i) add_pairs(&sys_pairs##i, &sys_places##i, sys_pair##i##_dV, s->c, x, s->tile[0].dV);
  SYS_PAIR_SUMS(ADD)
#undef ADD
}

/* The force at the end of a march is that at the start of the next one of the same trajectory. KEPT_FORCES of
 * them are stored with their arguments, identified by the lane of the record for which they were last
 * used. */
enum { KEPT_FORCES = COUNT > 256 ? 8 : 64 };

typedef struct {
  vd     q[TILES][KQ], dV[TILES][KQ];
  double c[CST_MAX_PAR];
  int    there;
} force;

typedef struct {
  const double *of[KEPT_FORCES]; /* a lane */
  force         kept[KEPT_FORCES];
  int           next;
} force_cache;

/* The stored force of a lane; if there is none, it replaces that of another lane. */
static force *find_force(force_cache *all, const double *of) {
  for (int i = 0; i < KEPT_FORCES; i++)
    if (all->of[i] == of)
      return &all->kept[i];
  force *f = &all->kept[all->next];
  all->of[all->next] = of;
  f->there = 0;
  all->next = (all->next + 1) % KEPT_FORCES;
  return f;
}

static void keep_force(force *f, const molecule_set *s, int npar) {
  f->there = 1;
  for (int k = 0; k < npar; k++)
    f->c[k] = s->c[k][0];
  for (int t = 0; t < TILES; t++) {
    memcpy(f->q[t], s->tile[t].q, sizeof f->q[t]);
    memcpy(f->dV[t], s->tile[t].dV, sizeof f->dV[t]);
  }
}

static void restore_force(const force *f, molecule_set *s, int npar) {
  int same = f->there;
  for (int k = 0; k < npar && same; k++)
    same = !memcmp(&f->c[k], &s->c[k], sizeof f->c[k]);
  for (int t = 0; t < TILES && same; t++)
    same = !memcmp(f->q[t], s->tile[t].q, sizeof f->q[t]);
  if (!same) {
    compute_force(s, s->tile[0].q);
    return;
  }
  for (int t = 0; t < TILES; t++)
    memcpy(s->tile[t].dV, f->dV[t], sizeof f->dV[t]);
}
#endif

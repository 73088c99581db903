/* molecules.c: the kicks of kick.c for one trajectory of a system of like molecules: lanes over molecules,
 * and over pairs in the force.
 *
 * The trajectories of a group are processed one after the other, as arrays of molecules. The operations of
 * kick.c, march.h and gram.h are done on the same operands in the same order; the elimination omits only
 * operations on zeros between molecules, so that the bits agree. The size of an update is the largest of all
 * molecules, and the iteration ends for all molecules at once, as in the general code.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE         molecules
#define COMPILED_FOR .molecules = true, .before = true
#ifdef CST_W
#include "system/lane/pairs.h" /* the system's header needs it */

#include "method/core/lane.h"

/* ---- tiles ----------------------------------------------------------------------------------- */

/* The molecules of one trajectory as tiles of CST_W molecules: how they are read from a
 * record and written back, and the force on them, which is kept from march to march.
 */
#if defined(CST_SYSTEM_HEADER) && SYS_MOLECULES
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

#if defined(CST_SYSTEM_HEADER) && SYS_MOLECULES
#include "core/dense.h"
#include "method/core/kick-data.h"
#include "system/lane/rows.h" /* CST_CLOSE */

/* ---- residuals, Newton's method for the impulses, tangential momenta ------------------------- */

#define HM(k) s->hm[sys_molecule_class[k]]

/* S := A W B', rows in the order of elimination; symmetric: the lower half mirrors the upper one. */
CST_INLINE void fill(const molecule_set *s, const vd *A, const vd *B, int symmetric, vd S[KG][KG]) {
  CST_UNROLL
  for (int r = 0; r < KG; r++) {
    CST_UNROLL
    for (int c = 0; c < KG; c++) {
      const int mirrored = symmetric && c < r;
      const int a = sys_molecule_order[mirrored ? c : r];
      const int b = sys_molecule_order[mirrored ? r : c];
      vd        sum = vset(-0.0);
      CST_UNROLL
      for (int k = 0; k < KQ; k++) {
        const int of_a = sys_molecule_at[a * KQ + k];
        const int of_b = sys_molecule_at[b * KQ + k];
        if (of_a >= 0 && of_b >= 0)
          sum += (A[of_a] * HM(k)) * B[of_b];
      }
      S[r][c] = sum;
    }
  }
}

/* The operations of band_lu (system/core/gram.c). */
CST_INLINE void factor(vd S[KG][KG]) {
  CST_UNROLL
  for (int r = 0; r < KG; r++) {
    const vd inverse = 1.0 / S[r][r];
    S[r][r] = inverse;
    CST_UNROLL
    for (int i = r + 1; i < KG; i++) {
      const vd f = S[i][r] * inverse;
      S[i][r] = f;
      CST_UNROLL
      for (int c = r + 1; c < KG; c++)
        S[i][c] -= f * S[r][c];
    }
  }
}

/* x := S^-1 x behind it, with those of band_solve. */
CST_INLINE void substitute(vd S[KG][KG], vd *x) {
  vd b[KG];
  CST_UNROLL
  for (int r = 0; r < KG; r++)
    b[r] = x[sys_molecule_order[r]];
  CST_UNROLL
  for (int r = 1; r < KG; r++) {
    CST_UNROLL
    for (int c = 0; c < r; c++)
      b[r] -= S[r][c] * b[c];
  }
  CST_UNROLL
  for (int r = KG - 1; r >= 0; r--) {
    CST_UNROLL
    for (int c = KG - 1; c > r; c--)
      b[r] -= S[r][c] * b[c];
    b[r] *= S[r][r];
  }
  CST_UNROLL
  for (int r = 0; r < KG; r++)
    x[sys_molecule_order[r]] = b[r];
}

CST_INLINE void eliminate(vd S[KG][KG], vd *x) {
  factor(S);
  substitute(S, x);
}

/* Computes the residuals at the unknowns x. Returns whether every constraint is satisfied; sets s->near and, if
 * corrections may be bent, s->bent. */
CST_INLINE int evaluate(molecule_set *s, int may_bend, vd (*x)[KG]) {
  vl done = vmask(1);
  vl near = vmask(1);
  vl close = vmask(may_bend);
  for (int t = 0; t < TILES; t++) {
    tile *const T = &s->tile[t];
    vd          q1[KQ];
    vd          G1[KE];
    vd          f[KG];
    CST_UNROLL
    for (int k = 0; k < KQ; k++) {
      vd sum = T->pt[k];
      CST_UNROLL
      for (int a = 0; a < KG; a++) {
        const int e = sys_molecule_at[a * KQ + k];
        if (e >= 0)
          sum -= T->G[e] * x[t][a];
      }
      T->ph[k] = sum;
      q1[k] = T->q[k] + HM(k) * sum;
      T->q1[k] = q1[k];
    }
    sys_molecule_values(s->c, q1, f);
    sys_molecule_slopes(s->c, q1, G1);
    CST_UNROLL
    for (int e = 0; e < KE; e++)
      T->G1[e] = G1[e];
    CST_UNROLL
    for (int a = 0; a < KG; a++) {
      vd row = vset(0);
      vd far = vset(0);
      EACH_ENTRY(a, k, e) {
        row += vabs(G1[e]);
        far = vmax(vabs(q1[k]), far);
      }
      const vd room = (CST_ROUNDOFF * row) * (T->slack[a] + far);
      done &= (vl)(vabs(f[a]) <= room);
      near &= (vl)(vabs(0x1p-17 * f[a]) <= room);
      close &= (vl)(s->reach * vabs(f[a]) <= row * T->slack[a]);
      T->f[a] = f[a];
    }
  }
  s->bent = vany(~near) && !vany(~close);
  s->near = !vany(~near) || s->bent;
  return !vany(~done);
}

/* Adds to the correction d of a tile the one of what it leaves, with the factors S (bend.h). */
CST_INLINE void bend(const molecule_set *s, const tile *T, vd S[KG][KG], vd *d) {
  vd way[KQ], q2[KQ], G2[KE], left[KG];
  CST_UNROLL
  for (int k = 0; k < KQ; k++) {
    vd sum = vset(-0.0);
    CST_UNROLL
    for (int a = 0; a < KG; a++) {
      const int e = sys_molecule_at[a * KQ + k];
      if (e >= 0)
        sum += T->G[e] * d[a];
    }
    way[k] = HM(k) * sum;
    q2[k] = T->q1[k] - way[k];
  }
  sys_molecule_slopes(s->c, q2, G2);
  CST_UNROLL
  for (int a = 0; a < KG; a++) {
    vd sum = vset(-0.0);
    EACH_ENTRY(a, k, e)
      sum += (T->G1[e] - G2[e]) * way[k];
    left[a] = 0.5 * sum;
  }
  substitute(S, left);
  CST_UNROLL
  for (int a = 0; a < KG; a++)
    d[a] += left[a];
}

static double largest(vd x) {
  double most = x[0];
  for (int l = 1; l < CST_W; l++)
    most = x[l] > most ? x[l] : most;
  return most;
}

/* x += Newton's correction, unless `only_look`; *of and *size are the sizes of x and of the correction. Sets
 * s->sure where all pivots are positive, or with a step h < 0 negative. */
CST_INLINE void correct(molecule_set *s, double h, int only_look, vd (*x)[KG], double *of,
                        double *size) {
  const vl flip = vmask(h < 0);
  vl       odd = vmask(0);
  vd       X = vset(0);
  vd       D = vset(0);
  for (int t = 0; t < TILES; t++) {
    tile *const T = &s->tile[t];
    vd          S[KG][KG], d[KG];
    fill(s, T->G1, T->G, 0, S);
    CST_UNROLL
    for (int a = 0; a < KG; a++)
      d[a] = T->f[a];
    eliminate(S, d);
    if (s->bent)
      bend(s, T, S, d);
    CST_UNROLL
    for (int a = 0; a < KG; a++) {
      odd |= (vl)S[a][a] ^ flip;
      x[t][a] = vpick(only_look, x[t][a], x[t][a] + d[a]);
      D = vmax(vabs(d[a]), D);
      X = vmax(vabs(x[t][a]), X);
    }
  }
  s->sure = !vany((vl)(odd < 0));
  *of = largest(X);
  *size = largest(D);
}

/* The iteration of march.h and march-iterate.h, for a step h. Returns whether it converged to the near root. */
CST_INLINE int solve(molecule_set *s, const cst_march *m, double h, int predicts, int young,
                     vd (*x)[KG]) {
  double last = INFINITY;
  double of, size;
  int    was_near = 0;
  for (int it = 0;; it++) {
    const int met = evaluate(s, predicts && !young && !m->attempt, x);
    if (met && (!predicts || was_near || it >= 2)) {
      if (it == 0)
        correct(s, h, 1, x, &of, &size);
      return s->sure;
    }
    was_near = s->near;
    if (it == m->max_iterations)
      return 0;
    correct(s, h, 0, x, &of, &size);
    s->iterations++;
    const int missed = size >= 0.98 * last && size <= 1e-12 * of;
    last = size;
    if (size <= (8 * EPS) * of || missed) {
      evaluate(s, 0, x);
      return s->sure;
    }
  }
}

/* Remove from ph its part normal to the constraints at q1. */
CST_INLINE void make_tangent(const molecule_set *s, tile *T) {
  vd S[KG][KG], m[KG];
  fill(s, T->G1, T->G1, 1, S);
  CST_UNROLL
  for (int a = 0; a < KG; a++) {
    m[a] = vset(0);
    EACH_ENTRY(a, k, e)
      m[a] += (T->G1[e] * HM(k)) * T->ph[k];
  }
  eliminate(S, m);
  CST_UNROLL
  for (int a = 0; a < KG; a++) {
    T->impulse[a] += m[a];
    EACH_ENTRY(a, k, e)
      T->ph[k] -= T->G1[e] * m[a];
  }
}

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

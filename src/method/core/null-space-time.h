/* null-space-time.h: lane code: what depends on the time in null-space.c, whose fields it uses. Part of it. */
/* SPDX-License-Identifier: BSD-2-Clause */

/* The times of the ends of substep j and of q_m. */
#define TIME_LEFT(L, j)      START_OF(L, j)
#define TIME_MIDDLE(L, j)    (START_OF(L, j) + OWN(j)->theta * H(j))
#define TIME_RIGHT(L, j)     (START_OF(L, j) + H(j))
#define SET_TIME_RIGHT(L, j) SET_TIME(L, TIME_RIGHT(L, j))

/* G and its factors at the left end, and grad V(q) at the time at which the force acts. */
static void begin_at_time(const cst_context *C, struct local *L, int j) {
  if (OWN(j)->middle != 0)
    SET_TIME(L, TIME_MIDDLE(L, j));
  else
    SET_TIME(L, TIME_LEFT(L, j));
  K_dV(L->c, L->q, L->dV);
  SET_TIME(L, TIME_LEFT(L, j));
  K_G(L->c, L->q, L->G);
  factor(C, L->G, L->A, L->d, L->b);
}

/* Half of the powers at (q, p), at the time t, where the constraints have the impulses m. */
CST_INLINE void gather(const cst_context *C, struct local *L, int j, vd t, const vd *m) {
  vd v[ROOM(NQ)], l[ROOM(NG)];
  (void)t, (void)j, (void)v, (void)l, (void)m;
  if (NACCOUNT == 0)
    return;
  SET_TIME(L, t);
  cst_velocity(C, L->c, L->mass, L->q, L->p, v);
  for (int a = 0; a < NG; a++)
    l[a] = (2 / H(j)) * m[a];
  cst_gather(C, L->own, 0.5 * H(j), L->q, v, l);
}

/* w := the shortest velocity with G w + g_t = 0 at q1. */
static void drive(const cst_context *C, const struct local *L, vd *w) {
  vd rate[ROOM(NG)];
  K_phi0(L->c, L->q1, rate);
  for (int i = 0; i < NQ; i++)
    w[i] = vset(0);
  for (int a = 0, row = 0; a < NG; a++)
    if (!DROPPED(a))
      w[row++] = -rate[a];
  for (int i = 0; i < NR; i++) {
    for (int k = 0; k < i; k++)
      w[i] -= L->A1[k * NR + i] * w[k];
    w[i] /= L->d1[i];
  }
  cst_householder_back(L->A1, L->b1, NQ, NR, w);
}

/* lagrange-point.h: lane code for L at one point (q, v). Part of lagrange.c.
 *
 * In code compiled for one system, the subexpressions that depend on q alone are the numbers of a point
 * (system/emit/emit-general.c): L_v, M and D_q L_v use those of the inertia, L_q all of them. Generic code
 * has only the kernels. The bits are the same.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#if CST_SIZED
#define NUMBERS                  SYS_NLAGRANGE
#define HAS_A                    SYS_GYROSCOPIC
#define FORCED                   0
#define INERTIA_AT(c, q, T)      sys_lagrange_inertia(c, q, NULL, NULL, T)
#define FORCE_AT(c, q, T)        sys_lagrange_force(c, q, NULL, NULL, T)
#define POINT_Lv(c, q, v, T, o)  sys_lagrange_Lv(c, q, v, T, o)
#define POINT_Lq(c, q, v, T, o)  sys_lagrange_Lq(c, q, v, T, o)
#define POINT_M(c, q, T, o)      sys_lagrange_M(c, q, NULL, T, o)
#define POINT_Lvq(c, q, v, T, o) sys_lagrange_Lvq(c, q, v, T, o)
#define ENTRIES(K)               (sizeof sys_lagrange_at_##K / sizeof *sys_lagrange_at_##K) /* upper bound */
#define FILLED(name)             sys_filled_##name
#define ROW_ENTRY(K, i, j, e)                                                                      \
  UNROLL                                                                                           \
  for (int j = 0, e; j < NQ; j++)                                                                  \
    if ((e = sys_lagrange_at_##K[i * NQ + j]) >= 0)
#define EACH_ENTRY(K, i, j, e)                                                                     \
  UNROLL                                                                                           \
  for (int i = 0; i < NQ; i++)                                                                     \
    ROW_ENTRY(K, i, j, e)
#else
#define NUMBERS                  0
#define HAS_A                    GYROSCOPIC
#define FORCED                   (C->system->nforce > 0)
#define INERTIA_AT(c, q, T)      (void)(T)
#define FORCE_AT(c, q, T)        (void)(T)
#define POINT_Lv(c, q, v, T, o)  K_Lv(c, q, v, o)
#define POINT_Lq(c, q, v, T, o)  K_Lq(c, q, v, o)
#define POINT_M(c, q, T, o)      K_M(c, q, o)
#define POINT_Lvq(c, q, v, T, o) K_Lvq(c, q, v, o)
#define ENTRIES(K)               (C->system->pattern[CST_K_##K].n + 1)
#define FILLED(name)             (OWN(0)->filled_##name)
#define EACH_ENTRY(K, i, j, e)                                                                     \
  for (int i = 0; i < NQ; i++)                                                                     \
    for (int e = C->system->pattern[CST_K_##K].start[i], j;                                        \
         e < C->system->pattern[CST_K_##K].start[i + 1] &&                                         \
         (j = C->system->pattern[CST_K_##K].column[e], 1);                                         \
         e++)
#endif

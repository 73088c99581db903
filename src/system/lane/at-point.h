/* at-point.h: lane code: kernels at one point: K_given once for the parameters, K_point of them at q into e[NPOINT], and the
 * kernels with e. Where nothing is in common, and in generic code, they are the kernels themselves.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_AT_POINT_H
#define CST_AT_POINT_H
#include "system/lane/group.h"

#if CST_SIZED && SYS_NPOINT
#define NPOINT                          SYS_NPOINT
#define NGIVEN                          SYS_NGIVEN
#define K_given(c, o)                   sys_given(c, o)
#define K_point(c, k, q, o)             sys_point(c, k, q, o)
#define K_AT(e, k, c, q, v, w, u, l, o) sys_##k##_at(c, q, v, w, u, l, e, o)
#else
#define NPOINT                          0
#define NGIVEN                          0
#define K_given(c, o)                   (void)(o)
#define K_point(c, k, q, o)             (void)(k), (void)(o)
#define K_AT(e, k, c, q, v, w, u, l, o) CALL(C, k, c, q, v, w, u, l, o)
#endif

/* With e of K_point at q. */
#define K_G_AT(e, c, q, o)               K_AT(e, G, c, q, 0, 0, 0, 0, o)
#define K_g_AT(e, c, q, o)               K_AT(e, g, c, q, 0, 0, 0, 0, o)
#define K_M_AT(e, c, q, o)               K_AT(e, M, c, q, 0, 0, 0, 0, o)
#define K_dV_AT(e, c, q, o)              K_AT(e, dV, c, q, 0, 0, 0, 0, o)
#define K_phi0_AT(e, c, q, o)            K_AT(e, phi0, c, q, 0, 0, 0, 0, o)
#define K_f_AT(e, c, q, v, o)            K_AT(e, f, c, q, v, 0, 0, 0, o)
#define K_Lvq_AT(e, c, q, v, o)          K_AT(e, Lvq, c, q, v, 0, 0, 0, o)
#define K_D2gvv_AT(e, c, q, v, o)        K_AT(e, D2gvv, c, q, v, 0, 0, 0, o)
#define K_D2glw_AT(e, c, q, w, l, o)     K_AT(e, D2glw, c, q, 0, w, 0, l, o)
#define K_D2gvw_AT(e, c, q, v, w, o)     K_AT(e, D2gvw, c, q, v, w, 0, 0, o)
#define K_DMvw_AT(e, c, q, v, w, o)      K_AT(e, DMvw, c, q, v, w, 0, 0, o)
#define K_Dphi0w_AT(e, c, q, w, o)       K_AT(e, Dphi0w, c, q, 0, w, 0, 0, o)
#define K_D3glwu_AT(e, c, q, w, u, l, o) K_AT(e, D3glwu, c, q, 0, w, u, l, o)
#define K_DE_AT(e, c, q, v, w, u, l, o)  K_AT(e, DE, c, q, v, w, u, l, o)
#define K_RE_AT(e, c, q, v, w, l, o)     K_AT(e, RE, c, q, v, w, 0, l, o)
#define K_DRE_AT(e, c, q, v, w, u, l, o) K_AT(e, DRE, c, q, v, w, u, l, o)
#endif

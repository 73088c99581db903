/* constraint.c: the observer `constraint`: the residuals of constraints and hidden constraints, raw and
 * scaled.
 *
 * constraint = max_j |g_j|, with the scale s_j and the size of the coordinates; constraint_scaled = max_j
 * |g_j| / s_j (cst_system_residuals, L_j of the start); hidden = |G v| in the norm of the study;
 * hidden_scaled = max_j |G v|_j / (w sum_k |G_jk|) with w the largest |v_k| of any k so far.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "observe/observer.h"
#ifdef CST_OBSERVE
#include "system/lane/acceleration.h"

/* A residual of size x >= 0 in units of its scale, as cst_system_residuals defines it. */
CST_INLINE vd scaled_residual(vd x, vd scale, vd rough) {
  const vd noise = CST_ROUNDOFF * rough, within = vmin(x, noise) / (scale + rough);
  return vselect((vl)(x > noise), vmax((x - noise) / scale, within), vkeep((vl)(x > 0), within));
}

/* kept: the largest |v_k| so far. x[0..1]: constraint raw and scaled; x[2..3]: hidden raw, in the norm of the
 * study, and scaled. The scale of a raw residual is the largest of its scales. */
CST_OBSERVE(constraint) {
  const cst_context *C = view->context;
  const cst_layout   at = LAYOUT(C);
  const vd          *c = cst_block(view->record, at.c), *q = cst_block(view->record, at.q),
           *length = cst_block(view->record, at.length), *v = (const vd *)view->v;
  vd g[ROOM(NG)], G[ROOM(NNZ_G)], phi0[ROOM(NG)], one = vset(0), squares = vset(0), speed = *(vd *)kept,
                                                  *x = (vd *)value, *S = (vd *)scale;
  (void)C;
  USES_G
  U for (int i = 0; i < NQ; i++) speed = vmax(vabs(v[i]), speed);
  if (view->keep != CST_KEEP_NOT) *(vd *)kept = speed;
  K_g(c, q, g);
  K_G(c, q, G);
  if (AFFINE) K_phi0(c, q, phi0);
  U for (int k = 0; k < 4; k++) x[k] = vset(0);
  S[0] = S[2] = vset(0);
  S[1] = S[3] = vset(1);
  U for (int a = 0; a < NG; a++) {
    vd far = vset(0), row = vset(0), r = vpick(AFFINE, phi0[a], vset(0));
    ROW_G(a, i, e) {
      far = vmax(vabs(q[i]), far);
      row += vabs(G[e]);
      r += G[e] * v[i];
    }
    vd w = row * speed;
    vl rest = (vl)(w == 0); /* at rest 0/0 counts as 0 */
    S[0] = vmax(row * (length[a] + far), S[0]);
    S[2] = vmax(w, S[2]);
    x[0] = vmax(vabs(g[a]), x[0]);
    x[1] = vmax(scaled_residual(vabs(g[a]), row * length[a], row * far), x[1]);
    x[2] = vmax(vabs(r), x[2]);
    x[3] = vmax(vselect(rest, vset(0), vabs(r) / w), x[3]);
    one += vabs(r);
    squares += r * r;
  }
  if (look->hidden_norm == 1) x[2] = one;
  if (look->hidden_norm == 2) x[2] = vsqrt(squares);
}
#else
enum { CONSTRAINT, CONSTRAINT_SCALED, HIDDEN, HIDDEN_SCALED, QUANTITIES };

static const char *const hidden[] = {"max_j |(G v)_j|", "sum_j |(G v)_j|", "sqrt(sum_j (G v)_j^2)"};

static const cst_quantity quantities[QUANTITIES] = {
    [CONSTRAINT] = {.name = "constraint", .doc = "largest |g_j|"},
    [CONSTRAINT_SCALED] = {.name = "constraint_scaled",
                           .doc =
                               "largest |g_j| / s_j, s_j = sum_k |G_jk| times the length in which g_j bends"},
    [HIDDEN] = {.name = "hidden"},
    [HIDDEN_SCALED] = {.name = "hidden_scaled",
                       .doc = "largest |(G v)_j| over sum_k |G_jk| times the largest |v_k| so far"}};

static const char *refuse(const cst_system *s) { return s->ng ? NULL : "has no constraints"; }

static int count(const cst_system *s) {
  (void)s;
  return QUANTITIES;
}

static void describe(const cst_observation *look, int k, cst_quantity *q) {
  *q = quantities[k];
  q->unit = "1";
  if (k == HIDDEN) q->doc = hidden[look->hidden_norm];
  q->judged = (k == CONSTRAINT || k == HIDDEN) && look->system->ng > 0;
  q->windows = q->judged && look->wanted;
}

const cst_observer cst_observer_constraint = {
    .name = "constraint",
    .doc = "max |g_j|, and G v in the norm of error: {hidden: ...}; both scaled, too",
    .kept = 1,
    .refuse = refuse,
    .count = count,
    .describe = describe,
};
#endif

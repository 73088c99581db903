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
#include "system/lane/rows.h"

/* A residual of size x >= 0 in units of its scale, as cst_system_residuals defines it. Most are below their
 * noise in all lanes. */
CST_INLINE vd scaled_residual(vd x, vd scale, vd rough) {
  const vd noise = CST_ROUNDOFF * rough, within = vmin(x, noise) / (scale + rough);
  const vl above = (vl)(x > noise);
  if (!vany(above))
    return vkeep((vl)(x > 0), within);
  return vselect(above, vmax((x - noise) / scale, within), vkeep((vl)(x > 0), within));
}

/* Of every constraint a: o[a] = g, o[NG + a] = G v + phi0, o[2 NG + a] the sum of the sizes of its entries
 * of G, o[3 NG + a] the largest size of its coordinates. */
CST_INLINE void look_at_rows(const cst_context *C, const vd *c, const vd *q, const vd *v, vd *o) {
  vd G[ROOM(NNZ_G)], phi0[ROOM(NG)];
  USES_G
  if (CST_HAS_ROWS(LOOK)) {
    C->gram[CST_GRAM_LOOK](NULL, (const double *)c, (const double *)q, (const double *)v, 0, 0, 0,
                           (double *)o);
    return;
  }
  K_g(c, q, o);
  K_G(c, q, G);
  if (AFFINE)
    K_phi0(c, q, phi0);
  UNROLL
  for (int a = 0; a < NG; a++) {
    vd far = vset(0);
    vd row = vset(0);
    vd r = vpick(AFFINE, phi0[a], vset(0));
    ROW_G(a, i, e) {
      far = vmax(vabs(q[i]), far);
      row += vabs(G[e]);
      r += G[e] * v[i];
    }
    o[NG + a] = r;
    o[2 * NG + a] = row;
    o[3 * NG + a] = far;
  }
}

/* kept: the largest |v_k| so far. x[0..1]: constraint raw and scaled; x[2..3]: hidden raw, in the norm of the
 * study, and scaled. The scale of a raw residual is the largest of its scales. */
CST_OBSERVE_KNOWING(constraint, 4, 1, 1 << 1 | 1 << 3) {
  const cst_context *C = view->context;
  const cst_layout   at = LAYOUT(C);
  const vd *c = cst_block(view->record, at.c), *length = cst_block(view->record, at.length),
           *q = now.q, *v = now.v;
  vd o[ROOM(4 * NG)], raw = vset(0), scaled = vset(0), hidden = vset(0), hidden_scaled = vset(0),
                      most = vset(0), swiftest = vset(0), one = vset(0), squares = vset(0),
                      speed = *(vd *)kept, *x = (vd *)value, *S = (vd *)scale;
  const int n = NG, nq = NQ;
  (void)C;
  UNROLL
  for (int i = 0; i < nq; i++)
    speed = vmax(vabs(v[i]), speed);
  if (view->keep != CST_KEEP_NOT)
    *(vd *)kept = speed;
  look_at_rows(C, c, q, v, o);
  UNROLL
  for (int a = 0; a < n; a++) {
    const vd g = vabs(o[a]), r = vabs(o[n + a]), row = o[2 * n + a], far = o[3 * n + a],
             w = row * speed;
    const vl rest = (vl)(w == 0); /* at rest 0/0 counts as 0 */
    most = vmax(row * (length[a] + far), most);
    swiftest = vmax(w, swiftest);
    raw = vmax(g, raw);
    scaled = vmax(scaled_residual(g, row * length[a], row * far), scaled);
    hidden = vmax(r, hidden);
    hidden_scaled = vmax(vkeep(~rest, r / w), hidden_scaled);
    one += r;
    squares += r * r;
  }
  if (look->hidden_norm == 1)
    hidden = one;
  if (look->hidden_norm == 2)
    hidden = vsqrt(squares);
  x[0] = raw, x[1] = scaled, x[2] = hidden, x[3] = hidden_scaled;
  S[0] = most, S[1] = vset(1), S[2] = swiftest, S[3] = vset(1);
}
#else
#include "system/internal.h"

enum { CONSTRAINT, CONSTRAINT_SCALED, HIDDEN, HIDDEN_SCALED, QUANTITIES };

static const char *const hidden[] = {"max_j |(G v)_j|", "sum_j |(G v)_j|", "sqrt(sum_j (G v)_j^2)"};

static const cst_quantity quantities[QUANTITIES] = {
    [CONSTRAINT] = {.name = "constraint", .doc = "largest |g_j|"},
    [CONSTRAINT_SCALED] =
        {.name = "constraint_scaled",
         .doc = "largest |g_j| / s_j, s_j = sum_k |G_jk| times the length in which g_j bends"},
    [HIDDEN] = {.name = "hidden"},
    [HIDDEN_SCALED] = {.name = "hidden_scaled",
                       .doc =
                           "largest |(G v)_j| over sum_k |G_jk| times the largest |v_k| so far"}};

static const char *refuse(const cst_system *s) { return s->ng ? NULL : "has no constraints"; }

static int count(const cst_system *s) {
  (void)s;
  return QUANTITIES;
}

/* Takes a residual into the largest one, and that over its scale. */
static void take_larger(cst_bounded r, double scale, cst_bounded *raw, cst_bounded *scaled) {
  raw->value = fmax(fabs(r.value), raw->value);
  raw->error = fmax(r.error, raw->error);
  if (scale > 0)
    scaled->error = fmax(r.error / scale, scaled->error);
}

static double most_of(const cst_bounded *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(fabs(x[i].value), most);
  return most;
}

/* length[ng] := what the residuals of constraints are scaled with (cst_system_lengths). */
static void lengths_of(const cst_system *s, const cst_bounded_state *now, double *length) {
  double *c = cst_zeros(s->npar + s->nq, sizeof *c), *q = c + s->npar;
  for (int i = 0; i < s->npar; i++)
    c[i] = now->c[i].value;
  for (int i = 0; i < s->nq; i++)
    q[i] = now->q[i].value;
  cst_system_lengths(s, c, q, length);
  free(c);
}

/* Of the largest of several residuals, the largest bound. */
static bool bound(const cst_observation *look, const cst_bounded_state *now, cst_bounded *x) {
  const cst_system        *s = look->system;
  const cst_pattern       *pattern = &s->model->pattern[CST_K_G];
  const cst_bounded *const in[128] = {['c'] = now->c, ['q'] = now->q};
  const double             speed = most_of(now->v, s->nq);
  double                  *length = cst_zeros(s->ng, sizeof *length);
  cst_bounded             *g = cst_zeros(2 * s->ng + pattern->n, sizeof *g);
  cst_bounded             *r = g + s->ng, *G = r + s->ng;
  lengths_of(s, now, length);
  cst_system_bound(s, CST_K_g, in, g);
  cst_system_bound(s, CST_K_G, in, G);
  cst_system_bound(s, CST_K_phi0, in, r);
  for (int k = 0; k < QUANTITIES; k++)
    x[k] = (cst_bounded){0, 0};
  for (int a = 0; a < s->ng; a++) {
    double row = 0;
    CST_EACH_ENTRY(pattern, a, e) {
      row += fabs(G[e].value);
      r[a] = cst_bounded_sum(r[a], cst_bounded_product(G[e], now->v[pattern->column[e]]));
    }
    take_larger(g[a], row * length[a], &x[CONSTRAINT], &x[CONSTRAINT_SCALED]);
    take_larger(r[a], row * speed, &x[HIDDEN], &x[HIDDEN_SCALED]);
  }
  free(length);
  free(g);
  return true;
}

static void describe(const cst_observation *look, int k, cst_quantity *q) {
  *q = quantities[k];
  q->unit = "1";
  if (k == HIDDEN)
    q->doc = hidden[look->hidden_norm];
  q->judged = (k == CONSTRAINT || k == HIDDEN) && look->system->ng > 0;
  q->windows = q->judged && look->wanted;
}

const cst_observer cst_observer_constraint = {
    .name = "constraint",
    .doc = "max |g_j|, and G v in the norm of error: {hidden: ...}; both scaled, too",
    .kept = {.one = 1},
    .refuse = refuse,
    .count = count,
    .describe = describe,
    .bound = bound,
};
#endif

/* map.h: discretization maps, and fibres and retractions of rotations (below), of the user from text.
 *
 * A discretization map is (q, v) -> two points of R^n, the ends of a step that goes from q along v.
 *
 * A map has the properties of the definition: at v = 0 both points are q, and the derivative of right - left
 * along v is the identity there (Barbero-Linan, Martin de Diego, Sato Martin de Almagro, discretization maps,
 * section 3). They are checked by differentiation at sample points when the map is made.
 *
 * A retraction is one point R(q, v), and stands for the maps (R(q, -theta v), R(q, (1 - theta) v)).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_MAP_H
#define CST_MAP_H
#include "system/system.h"
#include "method/substep.h"
#include "method/texts/lane-layer.h"
#include "method/texts/text.h"

enum { CST_MAP_DEFINITIONS = 32 };

/* The expression that is wrong: number `entry` of this side. */
typedef struct {
  int            side, entry;
  cst_expr_error error;
} cst_map_error;

/* The map of a text of kind CST_TEXT_MAP or CST_TEXT_POINT; kept in l; NULL with *error filled if it is none.
 * Borrowed. */
const cst_text *cst_map_make(cst_layers *l, const cst_wording *w, cst_map_error *error);

/* What is known of a map. */
typedef struct {
  bool symmetric; /* left(q, v) = right(q, -v) */
  bool invariant; /* left(q, v) - q and right(q, v) - q are functions of v alone */
  bool linear;    /* it is (q - theta v, q + (1 - theta) v) */
} cst_map_traits;
static inline const cst_map_traits *cst_map_traits_of(const cst_text *m) { return m->made; }

/* The equations of a step by the map, or by its adjoint (right(q, -v), left(q, -v)), on a system,
 * with P the momentum at the left end without its impulse and D what the momentum gains:
 *
 *   value    out left - 0, right - left, E_q, E_w     [4 nq]   at q, v = w, w = (P, D)[2 nq], l = (h)
 *   tangent  out its derivative along u = (dq, dw, dP, dD)[4 nq]
 *   E = grad_(q, w) ( D . right + P . (right - left) - h L(q, w / h) )
 */
typedef struct {
  void (*run)(const cst_tape *t, const double *const in[128], double *out, double *scratch);
  const cst_tape *value, *tangent;
  double         *scratch;
} cst_lane_mapping;

/* Whether they exist on s; false with why[n] filled if not. */
bool cst_mapping_fits(const cst_text *m, const cst_system *s, char *why, int n);
/* The equations, made on first use and owned by the stepper. */
cst_error cst_mapping_bind(const cst_lane_binding *b, const cst_text *m, bool adjoint,
                           cst_lane_mapping *to);

/* ---- fibres ---------------------------------------------------------------------------------- */

/* Projections on the constraints along fibres of the user from text, for convert(LAYER, iota=): points
 * iota(q, theta) of R^n with iota(q, 0) = q; P(d) is the q with d = iota(q, theta) and g(q) = 0 (Patrick, Cuell,
 * Spiteri, Zhang, section 3, Stage 3).
 *
 * The two conditions of the source are checked by differentiation: iota(q, 0) = q at sample points when the
 * text is read, and at the states of a system that the columns of D_theta iota(q, 0) are a complement of ker
 * G, i.e. G D_theta iota is regular.
 */

/* That of a text of kind CST_TEXT_FIBRE, with names q[i], theta[k] or q, theta, kept in l; NULL if it is none, with
 * *error filled for expression number *entry. Borrowed. */
const cst_text *cst_iota_make(cst_layers *l, const cst_wording *w, int *entry,
                              cst_expr_error *error);

/* Whether it is a projection on the constraints of s; false with why[n] filled if not. */
bool cst_iota_fits(const cst_text *x, const cst_system *s, char *why, int n);
/* Its formulas over lanes, made on first use and owned by the stepper. */
cst_error cst_iota_bind(const cst_lane_binding *b, const cst_text *x, const cst_lane_iota **to);

/* ---- retractions of rotations ---------------------------------------------------------------- */

/* Retractions of the rotation group: x -> tau(x), the turn about x with
 *
 *   tan(angle / 2) = t(s) |x|,   s = |x|^2,   t(0) = 1/2
 *
 * so tau(x) is the Cayley map of 2 t x. These are all smooth maps into rotations by less than half a turn
 * that commute with changes of axes, tau(R x) = R tau(x) R'; then tau(-x) = tau(x)'. t = 1/2 is the Cayley
 * map itself, tan(|x| / 2) / |x| the exponential.
 *
 * Any other smooth map is tau(x) = cay(2 t(x)) with a vector t(x) = tan(angle / 2) along the axis of the turn, t(0) = 0
 * and D t(0) = 1/2: three texts, "of axes".
 */

/* The retraction of a text of kind CST_TEXT_TANGENT, an expression of s, or three of x[1], x[2], x[3], kept in l; NULL
 * with *e filled for expression number *entry if it is none. Borrowed. */
const cst_text *cst_tau_make(cst_layers *l, const cst_wording *w, int *entry, cst_expr_error *e);

/* The same over lanes, made on first use and owned by the stepper. t NULL: run is NULL. */
cst_error cst_tau_bind(const cst_lane_binding *b, const cst_text *t, cst_lane_tau *to);
#endif

/* flow.h: one-step layers given by formulas instead of a tableau: (q, v) -> (q1, v1) and S as nodes of the
 * system's graph, from which the derivatives for a conversion are generated.
 *
 *   value     out (q1, v1)[2 nq]              at (q, v), for a step of t
 *   tangent   out D(q1, v1)[dq, dv]  [2 nq]
 *   reverse   out grad_(q,v) (x.q1 + s S)  [2 nq]
 *   second    out D(reverse)[dq, dv, dx]  [2 nq], s held fixed
 *
 * If a rule gives the work of constraints on velocities along its step, s times this work on a variation is
 * added to the reverse: s sum_k N_k . D Q_k over its points Q_k, with covectors N_k that are not
 * differentiated there. In the second they are differentiated.
 *
 * The kernels work on lanes like those of a system, with the arguments c, q, v, w = x [nq], u = (dq, dv)[2
 * nq] or (dq, dv, dx)[3 nq], l = (t, s)[2].
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FLOW_H
#define CST_FLOW_H
#include <stdbool.h>
#include "system/system.h"

typedef enum {
  CST_FLOW_value,
  CST_FLOW_tangent,
  CST_FLOW_reverse,
  CST_FLOW_second,
  CST_FLOW_COUNT
} cst_flow_kernel_id;

/* Points [n] of a step and their covectors, as nodes, with sum_k N_k . D Q_k = - int (phi'lambda) . D q dt.
 */
enum { CST_FLOW_POINTS = 16 };
typedef struct {
  int      n;
  cst_node Q[CST_FLOW_POINTS][CST_MAX_Q], N[CST_FLOW_POINTS][CST_MAX_Q];
} cst_flow_work;

/* A rule makes the formulas of a step of length t from q, v; it fills q1[nq], v1[nq] and S, the integral of
 * L. */
typedef struct cst_flow_rule {
  const char *name;
  const char *doc;  /* one line; NULL if the method's row has it */
  const void *self; /* the rule's own data */
  int         order;
  /* The order of S as the integral of L along a curve, which raises or limits that of conversions (layer.h).
   * 0: that of the step */
  int action;
  int evaluations; /* of A per step; of the coefficients of A if it is expanded */
  /* linear symmetries of a system are symmetries of the step and of S, as conversions need to keep momenta */
  bool equivariant;
  void (*formulas)(const void *self, const cst_system *s, cst_node t, const cst_node *q,
                   const cst_node *v, cst_node *q1, cst_node *v1, cst_node *S);
  /* The work of constraints on velocities along the same step; NULL: the rule does not give it. */
  void (*work)(const void *self, const cst_system *s, cst_node t, const cst_node *q,
               const cst_node *v, cst_flow_work *w);
} cst_flow_rule;

typedef struct cst_flow cst_flow;

/* Whether the formulas exist on s and can be differentiated; false with why[n] filled if not. Makes the
 * formulas, no kernels. */
bool cst_flow_fits(const cst_flow_rule *rule, const cst_system *s, char *why, int n);
/* The kernels of a rule on a system, over the lanes of instruction set isa; without derivatives only the
 * value may be called. NULL with why[n] filled if the formulas do not fit into the graph. Owned; for one
 * thread at a time. */
cst_flow *cst_flow_create(const cst_flow_rule *rule, const cst_system *s, int isa, bool derivatives,
                          char *why, int n);
void      cst_flow_destroy(cst_flow *f);
cst_kernel *const *cst_flow_kernels(const cst_flow *f); /* [CST_FLOW_COUNT], borrowed */
const void        *cst_flow_self(const cst_flow *f);    /* their `self` */
#endif

/* hbvm-row.h: what the program knows of the core of hbvm.c without lanes: its parameters, sizes and costs, and
 * how it is bound. Part of hbvm.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/core/row.h"
#include "tableau/legendre.h"

struct parameters {
  int k, s;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->k == y->k && x->s == y->s;
}

static bool adjoint(void *x) {
  (void)x;
  return true; /* its own */
}

/* fixed: at the start, acceleration and force. */
static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const double             q = s->nq;
  const double             g = s->ng;
  const double             block = x->s * q;
  const double             newton = (s->general ? 2 : 1) * block + g;
  const double             unit = cst_substep_unit(s);
  const double             fixed = 2;
  const double             each = x->k;
  const double             generic = 4;
  const double             iterations = 5;
  return (cst_substep_size){
      .stages = x->s,
      .unknowns = 2 * x->s * s->nq + s->ng,
      .matrix = newton * newton + block * block,
      .fixed = fixed,
      .each = each,
      .solves_fixed = cst_substep_solves(s),
      .solves_each = 1,
      .cost = s->general ? (fixed + 2 * iterations * each) * generic * unit
                         : 0.5 * (fixed + iterations * each) * unit,
  };
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  const int                k = x->k, s = x->s;
  double                  *tables;
  CST_TRY(cst_stepper_bind_numbers(with, (size_t)(2 * k * s + s + 1), &tables));
  cst_legendre_line_tables(k, s, tables, tables + k * s, tables + 2 * k * s);
  *(struct data *)lane =
      (struct data){k, tables, tables + k * s, tables + 2 * k * s, with->iteration};
  return 0;
}

static const cst_substep_row row = {
    .name = "hbvm",
    .data = sizeof(struct parameters),
    .features = CST_COMPENSATES | CST_ALWAYS_COMPENSATES,
    .iterations = 1 << CST_ITERATION_SIMPLIFIED | 1 << CST_ITERATION_NEWTON,
    .same = same,
    .adjoint = adjoint,
    .size = size,
    .jacobian = cst_jacobian_of_corrections,
    .bind = bind,
};

cst_substep cst_substep_hbvm(double fraction, int k, int s) {
  return cst_substep_of(&row, fraction, &(struct parameters){k, s});
}

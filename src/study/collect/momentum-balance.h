/* momentum-balance.h: the momentum equation along steps; shared by the files of the collector
 * `momentum-balance`.
 *
 * Momenta are J_k = sum_a C_ka(q) <p, xi_a(q)> of generators xi_a, symmetries of L. Those with constant C are
 * momenta of symmetries; the others belong to directions that turn with the motion. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_MOMENTUM_BALANCE_H
#define CST_MOMENTUM_BALANCE_H
#include "method/momenta.h"
#include "study/collector.h"
#include "study/file/reader.h"
#include "study/plan/plan.h"

enum { CST_BALANCES_MOST = 32 };

/* What is found of each momentum in a step, absolute: the discrete equation's defect with its floor, the one
 * by a quadrature with its floor, the change of the momentum. */
enum {
  CST_BALANCE_DISCRETE,
  CST_BALANCE_DISCRETE_FLOOR,
  CST_BALANCE_INTEGRAL,
  CST_BALANCE_INTEGRAL_FLOOR,
  CST_BALANCE_CHANGE,
  CST_BALANCE_FIGURES
};

typedef struct {
  bool  asked, discrete, integral;
  int   ngenerator, n; /* generators, momenta */
  char *name[CST_BALANCES_MOST];
  cst_node
      *node; /* xi[ngenerator][nq], C[n][ngenerator], dC/dt[n][ngenerator], gauge[ngenerator] */
} cst_balances;

extern const cst_key cst_balances_keys[];
void                 cst_balances_read(cst_reader *r, void *wish);
void                 cst_balances_forget(void *wish);

/* Finds the figures of steps of a method. */
typedef struct cst_balance cst_balance;

cst_balance *cst_balance_create(const cst_balances *of, const cst_prepared *p); /* owned; borrows */
void         cst_balance_destroy(cst_balance *x);
/* figure[n][CST_BALANCE_FIGURES] of a step with the parameters c[npar]; NaN where there are none. */
void cst_balance_find(cst_balance *x, const double *c, const cst_momenta_step *k, double *figure);
#endif

/* registry.c: the table of methods, generated from list.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "constella/method.h"
#include "core/boundary.h"
#include "method/method.h"

#define METHOD(name) extern const cst_method_row cst_method_row_##name;
#include "method/list.h"
#undef METHOD

static const cst_method_row *const rows[] = {
#define METHOD(name) &cst_method_row_##name,
#include "method/list.h"
#undef METHOD
};

int cst_method_count(void) { return sizeof rows / sizeof *rows; }

const cst_method_info *cst_method_info_at(int i) {
  return i >= 0 && i < cst_method_count() ? &rows[i]->info : NULL;
}

const cst_method_row *cst_method_row_find(const char *name) {
  for (int i = 0; i < cst_method_count(); i++)
    if (!strcmp(rows[i]->info.name, name))
      return rows[i];
  return NULL;
}

/* ---- what follows from the properties of a method -------------------------------------------- */

double cst_properties_window(const cst_properties *p, double h) {
  CST_REQUIRE(p, NAN);
  return p->mean > 0 ? fmax(1, round(p->mean / fabs(h))) : 0;
}

double cst_properties_back(const cst_properties *p, double h, double step) {
  CST_REQUIRE(p, NAN);
  return (1 - p->lambda_time) + 0.5 * fmin(step, cst_properties_window(p, h));
}

static int least(int a, int b) { return a < b ? a : b; }

int cst_properties_measure(const cst_properties *p) {
  CST_REQUIRE(p, 0);
  const unsigned volume = CST_CLAIM_SYMPLECTIC | CST_CLAIM_VOLUME;
  /* conjugate to a symplectic map */
  const bool conjugate = p->claims & CST_CLAIM_BOUNDED && !(p->claims & CST_CLAIM_ENERGY);
  if (p->order_measure > 0)
    return p->order_measure;
  return p->claims & volume || conjugate ? least(p->order_q, p->order_p) : 0;
}

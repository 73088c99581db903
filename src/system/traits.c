/* traits.c: what traits of a system are called where a method, or a key of a study, does not go with them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include "system/system.h"

static const struct {
  unsigned    trait;
  const char *name;
} names[] = {
    {CST_NONHOLONOMIC, "constraints on velocities"},
    {CST_SLIPS, "forces that depend on multipliers"},
    {CST_FORCED, "nonconservative forces"},
    {CST_DRIVEN, "a constraint that depends on t"},
    {CST_MASSLESS, "coordinates without mass"},
    {CST_TIMED, "a potential that depends on t"}, /* if nothing else does */
};

const char *cst_trait_among(const cst_system *s, unsigned traits) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (s->model->traits & traits & names[i].trait)
      return names[i].name;
  return NULL;
}

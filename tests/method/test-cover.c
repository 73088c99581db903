/* test-cover.c: counts the conditions of cover.h again for the chosen pairs; removing a needed pair is
 * noticed. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "energy.h"

/* The number of pairs of a method, a system, a family and a kind (-1: any) that make a promise (-1: any). */
static int count(const cover *c, int method, int system, int family, int kind, int promise,
                 bool taken) {
  int n = 0;
  for (int i = method < 0 ? 0 : method; i < (method < 0 ? c->methods : method + 1); i++)
    for (int k = system < 0 ? 0 : system; k < (system < 0 ? c->systems : system + 1); k++)
      n += (method < 0 || i == method) && (system < 0 || k == system) &&
           (family < 0 || c->family[i] == family) && (kind < 0 || c->kind[k] == kind) &&
           (promise < 0 ? c->promises[i][k] : c->promises[i][k] & 1u << promise) &&
           (!taken || c->taken[i][k]);
  return n;
}

/* True if `least` pairs are chosen, or all if there are fewer. */
static bool enough(const cover *c, int method, int system, int family, int kind, int promise,
                   int least) {
  const int all = count(c, method, system, family, kind, promise, false);
  return count(c, method, system, family, kind, promise, true) >= (all < least ? all : least);
}

static bool method_has(const cover *c, int i) {
  bool has = true;
  for (int b = 0; b < MOST_PROMISES; b++)
    has &= enough(c, i, -1, -1, -1, b, PER_METHOD);
  for (int k = 0; k < c->systems; k++)
    has &= !c->reference[k] || !c->promises[i][k] || c->taken[i][k];
  return has;
}

static bool system_has(const cover *c, int k) {
  bool has = true;
  for (int b = 0; b < MOST_PROMISES; b++)
    has &= enough(c, -1, k, -1, -1, b, cover_per_system(b));
  return has;
}

static bool family_has(const cover *c, int family, int kind) {
  bool has = true;
  for (int b = 0; b < MOST_PROMISES; b++)
    has &= enough(c, -1, -1, family, kind, b, 1);
  return has;
}

/* True if all conditions hold; also counts families and kinds. */
static bool all_have(const cover *c, int *families, int *kinds) {
  bool has = true;
  *families = *kinds = 0;
  for (int i = 0; i < c->methods; i++) {
    has &= method_has(c, i);
    *families += c->family[i] == i;
  }
  for (int k = 0; k < c->systems; k++) {
    has &= system_has(c, k);
    *kinds += c->kind[k] == k;
  }
  for (int i = 0; i < c->methods; i++)
    for (int k = 0; k < c->systems; k++)
      if (c->family[i] == i && c->kind[k] == k)
        has &= family_has(c, i, k);
  return has;
}

/* Without a pair only its method, its system and its family on its kind can violate a condition. */
static bool pair_is_needed(cover *c, int i, int k) {
  c->taken[i][k] = false;
  const bool needed =
      !method_has(c, i) || !system_has(c, k) || !family_has(c, c->family[i], c->kind[k]);
  c->taken[i][k] = true;
  return needed;
}

static void test_holes(cover *c, const char *what) {
  int needed = 0, taken = 0;
  for (int i = 0; i < c->methods; i++)
    for (int k = 0; k < c->systems; k++) {
      if (!c->taken[i][k])
        continue;
      needed += pair_is_needed(c, i, k);
      taken++;
    }
  OK(needed == taken, "%s: none of %d pairs can be left out", what, taken);
}

static void test_scope(const char *what, scope of) {
  cover    *c = cover_of_claims(of);
  int       families, kinds, methods = 0, systems = 0;
  const int taken = count(c, -1, -1, -1, -1, -1, true), all = count(c, -1, -1, -1, -1, -1, false);
  for (int i = 0; i < c->methods; i++)
    if (!method_has(c, i) && ++methods)
      NOTE("%s: too few systems for %s", what, expression_at(i));
  for (int k = 0; k < c->systems; k++)
    if (!system_has(c, k) && ++systems)
      NOTE("%s: too few methods for %s", what, cst_catalogue_name(k));
  OK(!methods, "%s: every method on %d systems or more", what, PER_METHOD);
  OK(!systems, "%s: every system with %d methods or more", what, PER_SYSTEM);
  OK(all_have(c, &families, &kinds), "%s: every family on every kind of system", what);
  OK(families >= 8 && kinds >= 6, "%s: %d families, %d kinds", what, families, kinds);
  OK(everything() ? taken == all : taken < all, "%s: %d of %d pairs", what, taken, all);
  if (!everything())
    test_holes(c, what);
  free(c);
}

static void tests(void) {
  test_scope("orders", SCOPE_ORDER);
  test_scope("bits", SCOPE_RUNS);
  test_scope("constraints", SCOPE_CONSTRAINTS);
  test_scope("momenta", SCOPE_CLAIM(CST_CLAIM_MOMENTUM));
  test_scope("symmetric", SCOPE_CLAIM(CST_CLAIM_SYMMETRIC));
  test_scope("symplectic", SCOPE_CLAIM(CST_CLAIM_SYMPLECTIC));
  test_scope("energy", SCOPE_ENERGY);
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

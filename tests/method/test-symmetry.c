/* test-symmetry.c: the properties of a system's symmetries that methods use: whether they are rigid, and
 * whether Gauss collocation keeps their momenta. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"
#include "method/symmetry.h"

static void tests(void) {
  static const struct {
    const char *text;
    bool        quadratic, rigid;
  } known[] = {
      {"coordinates: [x, y, z]\nmass: [1, 1, 1]\npotential: z\nconstraints: {r: x^2 + y^2 + z^2 - "
       "1}\nsymmetries: {turn: [-y, x, 0]}\n",
       true, true},
      {"coordinates: [x, y, z]\nmass: [1, 1, 1]\npotential: z\nconstraints: {r: (x^2 + y^2 - "
       "1)*exp(x)}\nsymmetries: {turn: [-y, x, 0]}\n",
       false, true},
      {"coordinates: [x, y, z]\nmass: [4, 1, 1]\npotential: z\nconstraints: {r: 4*x^2 + y^2 - "
       "1}\nsymmetries: {turn: [-y/2, 2*x, 0]}\n",
       true, false},
      {"coordinates: [x, y, z]\nmass: [1, 1, 1]\npotential: z\nconstraints: {r: x^2 + y^2 - "
       "1}\nsymmetries: {spin: [-y*(x^2 + y^2), x*(x^2 + y^2), 0]}\n",
       false, true},
      {"coordinates: [x, y, z]\nmass: [1, 1, 1]\ngyroscopic: [0, x, 0]\npotential: z\nsymmetries: "
       "{turn: {generator: [-y, x, 0], gauge: (x^2 - y^2)/2}}\n",
       true, true},
      {"coordinates: [x, y, z]\nmass: [1, 1, 1]\ngyroscopic: [0, 0, x^3/3]\npotential: "
       "z^2\nsymmetries: {along: {generator: [1, 0, 0], gauge: x^2*z}}\n",
       false, true}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "system: s\n%sstates: {default: {q: [0.6, 0.8, 0.3], v: [0, 0, 0]}}\n", known[i].text);
    problem x = described(text);
    OK(cst_symmetry_momenta_are_quadratic(x.s) == known[i].quadratic,
       "momenta %s kept by Gauss: %.60s", known[i].quadratic ? "are" : "are not",
       strstr(text, "symmetries"));
    OK(cst_symmetry_is_rigid(x.s) == known[i].rigid, "and the symmetry is %s",
       known[i].rigid ? "rigid" : "not rigid");
    cst_system_destroy(x.s);
  }
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

/* explicit.c: the explicit Runge-Kutta tableaus, as data. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <string.h>
#include "tableau/tableau.h"

static const cst_tableau tableaus[] = {
    {"euler", "Explicit Euler.", "Euler 1768", 1, 1, false, {0}, {1}, {0}},
    {"explicit-midpoint", "Runge's midpoint rule.", "Runge 1895", 2, 2, false, {0, 0, 1. / 2, 0}, {0, 1}, {0, 1. / 2}},
    {"heun", "Heun's second-order method (explicit trapezoid).", "Heun 1900", 2, 2, false, {0, 0, 1, 0}, {1. / 2, 1. / 2}, {0, 1}},
    {"rk3", "Kutta's third-order method.", "Kutta 1901", 3, 3, false, {0, 0, 0, 1. / 2, 0, 0, -1, 2, 0}, {1. / 6, 2. / 3, 1. / 6}, {0, 1. / 2, 1}},
    {"rk4", "The classical fourth-order method.", "Kutta 1901", 4, 4, false,
     {0, 0, 0, 0, 1. / 2, 0, 0, 0, 0, 1. / 2, 0, 0, 0, 0, 1, 0},
     {1. / 6, 1. / 3, 1. / 3, 1. / 6}, {0, 1. / 2, 1. / 2, 1}},
    {"rk5", "Butcher's fifth-order method with six stages.", "Butcher 1964", 6, 5, false,
     {0,       0,      0,      0,       0,      0,   /**/
      1. / 4,  0,      0,      0,       0,      0,   /**/
      1. / 8,  1. / 8, 0,      0,       0,      0,   /**/
      0,       -1. / 2, 1,     0,       0,      0,   /**/
      3. / 16, 0,      0,      9. / 16, 0,      0,   /**/
      -3. / 7, 2. / 7, 12. / 7, -12. / 7, 8. / 7, 0},
     {7. / 90, 0, 32. / 90, 12. / 90, 32. / 90, 7. / 90}, {0, 1. / 4, 1. / 4, 1. / 2, 3. / 4, 1}},
    {"rk6", "Butcher's sixth-order method with seven stages.", "Butcher 1964", 7, 6, false,
     {0,        0,        0,        0,       0,       0,         0,   /**/
      1. / 3,   0,        0,        0,       0,       0,         0,   /**/
      0,        2. / 3,   0,        0,       0,       0,         0,   /**/
      1. / 12,  1. / 3,   -1. / 12, 0,       0,       0,         0,   /**/
      -1. / 16, 9. / 8,   -3. / 16, -3. / 8, 0,       0,         0,   /**/
      0,        9. / 8,   -3. / 8,  -3. / 4, 1. / 2,  0,         0,   /**/
      9. / 44,  -9. / 11, 63. / 44, 18. / 11, 0,      -16. / 11, 0},
     {11. / 120, 0, 27. / 40, 27. / 40, -4. / 15, -4. / 15, 11. / 120}, {0, 1. / 3, 2. / 3, 1. / 3, 1. / 2, 1. / 2, 1}},
};

const cst_tableau *cst_tableau_at(int i) {
  return i >= 0 && i < (int)(sizeof tableaus / sizeof *tableaus) ? &tableaus[i] : NULL;
}

const cst_tableau *cst_tableau_find(const char *name) {
  for (int i = 0; cst_tableau_at(i); i++)
    if (!strcmp(tableaus[i].name, name)) return &tableaus[i];
  return NULL;
}

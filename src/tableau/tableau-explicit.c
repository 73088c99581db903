/* tableau-explicit.c: the explicit Runge-Kutta tableaus, as data. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <string.h>
#include "tableau/tableau.h"

/* (p + q sqrt 21) / n, rounded once. */
#define R(p, q, n) (double)((p + q * 4.582575694955840006588047193728008489L) / n)

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
    {"rk8", "Cooper and Verner's eighth-order method with eleven stages.", "Cooper, Verner, SIAM J. Numer. Anal. 9 (1972)", 11, 8, false,
     {0,           0,         0,               0,               0,               0,                   0,                 0,                  0,                0,             0, /**/
      1. / 2,      0,         0,               0,               0,               0,                   0,                 0,                  0,                0,             0, /**/
      1. / 4,      1. / 4,    0,               0,               0,               0,                   0,                 0,                  0,                0,             0, /**/
      1. / 7,      R(-7, -3, 98), R(21, 5, 49), 0,              0,               0,                   0,                 0,                  0,                0,             0, /**/
      R(11, 1, 84), 0,        R(18, 4, 63),    R(21, -1, 252),  0,               0,                   0,                 0,                  0,                0,             0, /**/
      R(5, 1, 48), 0,         R(9, 1, 36),     R(-231, 14, 360), R(63, -7, 80),  0,                   0,                 0,                  0,                0,             0, /**/
      R(10, -1, 42), 0,       R(-432, 92, 315), R(633, -145, 90), R(-504, 115, 70), R(63, -13, 35),   0,                 0,                  0,                0,             0, /**/
      1. / 14,     0,         0,               0,               R(14, -3, 126),  R(13, -3, 63),       1. / 9,            0,                  0,                0,             0, /**/
      1. / 32,     0,         0,               0,               R(91, -21, 576), 11. / 72,            R(-385, -75, 1152), R(63, 13, 128),    0,                0,             0, /**/
      1. / 14,     0,         0,               0,               1. / 9,          R(-733, -147, 2205), R(515, 111, 504),  R(-51, -11, 56),    R(132, 28, 245),  0,             0, /**/
      0,           0,         0,               0,               R(-42, 7, 18),   R(-18, 28, 45),      R(-273, -53, 72),  R(301, 53, 72),     R(28, -28, 45),   R(49, -7, 18), 0},
     {1. / 20, 0, 0, 0, 0, 0, 0, 49. / 180, 16. / 45, 49. / 180, 1. / 20},
     {0, 1. / 2, 1. / 2, R(7, 1, 14), R(7, 1, 14), 1. / 2, R(7, -1, 14), R(7, -1, 14), 1. / 2, R(7, 1, 14), 1}},
};

const cst_tableau *cst_tableau_at(int i) {
  return i >= 0 && i < (int)(sizeof tableaus / sizeof *tableaus) ? &tableaus[i] : NULL;
}

const cst_tableau *cst_tableau_find(const char *name) {
  for (int i = 0; cst_tableau_at(i); i++)
    if (!strcmp(tableaus[i].name, name)) return &tableaus[i];
  return NULL;
}

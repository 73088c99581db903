/* boundary.h: the public functions refuse what a caller must not pass: null pointers, indices out of range, calls
 * out of order.
 *
 * A refused call does nothing and returns the value that stands for failure (false, NULL, NaN, an error code).
 * The reason is kept for cst_integrator_message(NULL).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_BOUNDARY_H
#define CST_BOUNDARY_H

/* Keeps the reason: "FUNCTION: not (CONDITION)". */
void cst_boundary_refuse(const char *function, const char *condition);
/* The reason of the last refused call of this thread; "": none. Borrowed until the next one. */
const char *cst_boundary_reason(void);

/* Returns from the function unless the condition is true; the value follows it, none for void. */
#define CST_REQUIRE(condition, ...)                                                                \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      cst_boundary_refuse(__func__, #condition);                                                   \
      return __VA_ARGS__;                                                                          \
    }                                                                                              \
  } while (0)
#endif

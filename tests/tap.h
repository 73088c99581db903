/* tap.h: TAP lines from C tests. Under MPI a check passes only where it passes on every rank; rank 0
 * prints.
 *
 *   OK(condition, "what is true, %d", ...);      one line of TAP
 *   NOTE("figure %g", x);                        a diagnostic line, shown on failure or with prove -v
 *   return tap_done();                           the plan, and 1 when anything failed
 *
 * Define TAP_MPI before including it in a test that runs on several ranks (every rank then calls every OK).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TAP_H
#define TAP_H
#include <stdarg.h>
#include <stdio.h>
#ifdef TAP_MPI
#include <mpi.h>
#endif

static int tap_count, tap_failed;

static inline int tap_rank(void) {
  int rank = 0;
#ifdef TAP_MPI
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
  return rank;
}

__attribute__((format(printf, 4, 5), unused)) static int tap_ok(int ok, const char *file, int line,
                                                                const char *format, ...) {
  int all = !!ok;
#ifdef TAP_MPI
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
#endif
  tap_count++;
  tap_failed += !all;
  if (tap_rank() == 0) {
    va_list a;
    va_start(a, format);
    printf("%sok %d - ", all ? "" : "not ", tap_count);
    vprintf(format, a);
    va_end(a);
    printf("\n");
    if (!all)
      printf("# failed at %s:%d\n", file, line);
    fflush(stdout);
  }
  return all;
}
#define OK(condition, ...) tap_ok((condition), __FILE__, __LINE__, __VA_ARGS__)
#define NOTE(...)                                                                                  \
  do {                                                                                             \
    if (tap_rank() == 0)                                                                           \
      printf("# "), printf(__VA_ARGS__), printf("\n"), fflush(stdout);                             \
  } while (0)

static inline int tap_done(void) {
  if (tap_rank() == 0)
    printf("1..%d\n", tap_count), fflush(stdout);
  return tap_failed != 0;
}
#endif

/* error.h: functions that can fail.
 *
 * Such a function returns a cst_error, 0: done. CST_TRY and CST_TRY_MPI return the error of a call that failed,
 * CST_CHECK raises one where a condition does not hold. The innermost handler is told first where an error
 * arises, with its message, then by each function that passes it on. PETSc's errors reach the same handlers
 * (cli/petsc-options.c).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ERROR_H
#define CST_ERROR_H
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int cst_error;

/* The numbers are those of petscerror.h, since errors of PETSc are returned as they are. */
enum {
  CST_ERR_MEM = 55,
  CST_ERR_SUP = 56,
  CST_ERR_ARG_OUTOFRANGE = 63,
  CST_ERR_FILE_OPEN = 65,
  CST_ERR_FILE_READ = 66,
  CST_ERR_FILE_WRITE = 67,
  CST_ERR_ARG_INCOMP = 75,
  CST_ERR_LIB = 76,
  CST_ERR_PLIB = 77,
  CST_ERR_FILE_UNEXPECTED = 79,
  CST_ERR_CONV_FAILED = 82,
  CST_ERR_MPI = 98
};

/* Returns the error, n as a rule. arises: n arises here, for the reason `message` (NULL: none is given);
 * otherwise it is passed on, and message is NULL. */
typedef cst_error cst_error_handler(MPI_Comm comm, int line, const char *function, const char *file,
                                    cst_error n, bool arises, const char *message, void *context);

/* Until the matching pop, this handler is told alone. Without any, the message goes to stderr. */
void cst_error_push(cst_error_handler *handler, void *context);
void cst_error_pop(void);
/* Tells the innermost handler, and returns what it returns. */
cst_error cst_error_tell(MPI_Comm comm, int line, const char *function, const char *file,
                         cst_error n, bool arises, const char *message);
cst_error cst_error_raise(MPI_Comm comm, int line, const char *function, const char *file,
                          cst_error n, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* What MPI says about its error n. */
cst_error cst_error_raise_mpi(int line, const char *function, const char *file, int n);

#define CST_FAILED(n) __builtin_expect((n) != 0, 0)
#define CST_TRY(...)                                                                               \
  do {                                                                                             \
    const cst_error failed_ = (__VA_ARGS__);                                                       \
    if (CST_FAILED(failed_))                                                                       \
      return cst_error_tell(MPI_COMM_SELF, __LINE__, __func__, __FILE__, failed_, false, NULL);    \
  } while (0)
#define CST_TRY_MPI(...)                                                                           \
  do {                                                                                             \
    const int failed_ = (__VA_ARGS__);                                                             \
    if (CST_FAILED(failed_))                                                                       \
      return cst_error_raise_mpi(__LINE__, __func__, __FILE__, failed_);                           \
  } while (0)
/* In a function that returns no error: ends the program, after the handler has been told. */
#define CST_TRY_OR_ABORT(comm, ...)                                                                \
  do {                                                                                             \
    const cst_error failed_ = (__VA_ARGS__);                                                       \
    if (CST_FAILED(failed_)) {                                                                     \
      (void)cst_error_tell(comm, __LINE__, __func__, __FILE__, failed_, false, NULL);              \
      MPI_Abort(comm, (int)failed_);                                                               \
    }                                                                                              \
  } while (0)
#define CST_CHECK(holds, comm, n, ...)                                                             \
  do {                                                                                             \
    if (CST_FAILED(!(holds)))                                                                      \
      return cst_error_raise(comm, __LINE__, __func__, __FILE__, n, __VA_ARGS__);                  \
  } while (0)

#define CST_SMALLER(a, b) (((a) < (b)) ? (a) : (b))
#define CST_LARGER(a, b)  (((a) < (b)) ? (b) : (a))

/* The ranks that work on a study: all, or those that lead a team (solve/team.h). */
extern MPI_Comm cst_world;
#endif

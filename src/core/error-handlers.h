/* error-handlers.h: functions that can fail, in PETSc's words and without its library (solve/petsc.h loads that).
 *
 * Such a function returns PetscErrorCode, 0: done. PetscCall, PetscCallMPI and PetscCheck return the status of
 * what failed, after the innermost handler has been told. A handler is told where an error arises
 * (PETSC_ERROR_INITIAL, with the message), then by each function that passes it on (PETSC_ERROR_REPEAT, NULL).
 *
 * Files that call PETSc define CST_WITH_PETSC before they include anything: its own header is read then. It takes longer to read
 * than most files to compile, and the others need a few of its names only.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STATUS_H
#define CST_STATUS_H
#ifndef PETSC_HAVE_BROKEN_RECURSIVE_MACRO
#define PETSC_HAVE_BROKEN_RECURSIVE_MACRO /* PETSc does not count calls of MPI */
#endif
#ifdef CST_WITH_PETSC
#include <petscsys.h>
#else
#include <math.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef int PetscErrorCode;
typedef int PetscMPIInt;
typedef enum { PETSC_ERROR_INITIAL = 0, PETSC_ERROR_REPEAT = 1 } PetscErrorType;
/* the numbers of petscerror.h */
#define PETSC_ERR_MEM             55
#define PETSC_ERR_SUP             56
#define PETSC_ERR_ARG_OUTOFRANGE  63
#define PETSC_ERR_FILE_OPEN       65
#define PETSC_ERR_FILE_READ       66
#define PETSC_ERR_FILE_WRITE      67
#define PETSC_ERR_ARG_INCOMP      75
#define PETSC_ERR_LIB             76
#define PETSC_ERR_PLIB            77
#define PETSC_ERR_FILE_UNEXPECTED 79
#define PETSC_ERR_CONV_FAILED     82
#define PETSC_ERR_MPI             98
#define PETSC_COMM_SELF           MPI_COMM_SELF
#define PetscMin(a, b)            (((a) < (b)) ? (a) : (b))
#define PetscMax(a, b)            (((a) < (b)) ? (b) : (a))
#define PetscUnlikely(condition)  __builtin_expect(!!(condition), 0)
#endif
#include <stdarg.h>

/* As PETSc's own handlers: returns the status, n as a rule. */
typedef PetscErrorCode cst_status_handler(MPI_Comm comm, int line, const char *function,
                                          const char *file, PetscErrorCode n, PetscErrorType type,
                                          const char *message, void *context);

/* Until the matching pop, this handler is told alone. Without any, the message goes to stderr. */
void cst_status_push(cst_status_handler *handler, void *context);
void cst_status_pop(void);
/* Tells the innermost handler, and returns what it returns. PETSc calls the first; `context` is not used. */
cst_status_handler cst_status_tell;
PetscErrorCode     cst_status_raise(MPI_Comm comm, int line, const char *function, const char *file,
                                    PetscErrorCode n, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* What MPI says about its status n. */
PetscErrorCode cst_status_raise_mpi(int line, const char *function, const char *file, int n);

/* These take the place of PETSc's macros, which refer to its library. */
#undef PetscFunctionBegin
#undef PetscFunctionReturn
#undef PetscCall
#undef PetscCallMPI
#undef PetscCheck
#undef PetscCallAbort
#define PetscFunctionBegin                                                                         \
  do {                                                                                             \
  } while (0)
#define PetscFunctionReturn(...) return __VA_ARGS__
#define PetscCall(...)                                                                             \
  do {                                                                                             \
    const PetscErrorCode failed_ = (__VA_ARGS__);                                                  \
    if (PetscUnlikely(failed_))                                                                    \
      return cst_status_tell(PETSC_COMM_SELF, __LINE__, __func__, __FILE__, failed_,               \
                             PETSC_ERROR_REPEAT, NULL, NULL);                                      \
  } while (0)
#define PetscCallMPI(...)                                                                          \
  do {                                                                                             \
    const int failed_ = (__VA_ARGS__);                                                             \
    if (PetscUnlikely(failed_))                                                                    \
      return cst_status_raise_mpi(__LINE__, __func__, __FILE__, failed_);                          \
  } while (0)
/* In a function that returns no status: ends the program, after the handler has been told. */
#define PetscCallAbort(comm, ...)                                                                  \
  do {                                                                                             \
    const PetscErrorCode failed_ = (__VA_ARGS__);                                                  \
    if (PetscUnlikely(failed_)) {                                                                  \
      (void)cst_status_tell(comm, __LINE__, __func__, __FILE__, failed_, PETSC_ERROR_REPEAT, NULL, \
                            NULL);                                                                 \
      MPI_Abort(comm, (int)failed_);                                                               \
    }                                                                                              \
  } while (0)
#define PetscCheck(holds, comm, n, ...)                                                            \
  do {                                                                                             \
    if (PetscUnlikely(!(holds)))                                                                   \
      return cst_status_raise(comm, __LINE__, __func__, __FILE__, n, __VA_ARGS__);                 \
  } while (0)
/* The ranks that work on a study: all, or those that lead a team (solve/team.h). */
extern MPI_Comm cst_world;
#undef PETSC_COMM_WORLD
#define PETSC_COMM_WORLD cst_world
#endif

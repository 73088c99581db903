/* error-handlers.c: the handlers of errors (see error-handlers.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/error-handlers.h"
#include <stdio.h>

MPI_Comm cst_world = MPI_COMM_WORLD;

enum { MOST = 16, TEXT = 2048 };

/* A property of the process, as MPI is. */
static struct {
  cst_status_handler *call;
  void               *context;
} handlers[MOST];
static int depth;

void cst_status_push(cst_status_handler *handler, void *context) {
  if (depth < MOST) {
    handlers[depth].call = handler;
    handlers[depth].context = context;
  }
  depth++;
}

void cst_status_pop(void) { depth--; }

PetscErrorCode cst_status_tell(MPI_Comm comm, int line, const char *function, const char *file,
                               PetscErrorCode n, PetscErrorType type, const char *message,
                               void *context) {
  const int top = (depth < MOST ? depth : MOST) - 1;
  (void)context;
  if (top >= 0)
    return handlers[top].call(comm, line, function, file, n, type, message, handlers[top].context);
  if (type == PETSC_ERROR_INITIAL)
    fprintf(stderr, "constella: error: %s\n", message ? message : "no reason is given");
  fprintf(stderr, "  in %s, %s:%d\n", function, file, line);
  return n;
}

PetscErrorCode cst_status_raise(MPI_Comm comm, int line, const char *function, const char *file,
                                PetscErrorCode n, const char *format, ...) {
  char    text[TEXT];
  va_list rest;
  va_start(rest, format);
  vsnprintf(text, sizeof text, format, rest);
  va_end(rest);
  return cst_status_tell(comm, line, function, file, n, PETSC_ERROR_INITIAL, text, NULL);
}

PetscErrorCode cst_status_raise_mpi(int line, const char *function, const char *file, int n) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int  length;
  (void)MPI_Error_string(n, text, &length);
  return cst_status_raise(PETSC_COMM_SELF, line, function, file, PETSC_ERR_MPI, "MPI: %s", text);
}

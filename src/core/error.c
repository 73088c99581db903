/* error.c: the handlers of errors (see error.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/error.h"

MPI_Comm cst_world = MPI_COMM_WORLD;

enum { MOST = 16, TEXT = 2048 };

/* A property of the process, as MPI is. */
static struct {
  cst_error_handler *call;
  void              *context;
} handlers[MOST];
static int depth;

void cst_error_push(cst_error_handler *handler, void *context) {
  if (depth < MOST) {
    handlers[depth].call = handler;
    handlers[depth].context = context;
  }
  depth++;
}

void cst_error_pop(void) { depth--; }

cst_error cst_error_tell(MPI_Comm comm, int line, const char *function, const char *file,
                         cst_error n, bool arises, const char *message) {
  const int top = (depth < MOST ? depth : MOST) - 1;
  if (top >= 0)
    return handlers[top].call(comm, line, function, file, n, arises, message,
                              handlers[top].context);
  if (arises)
    fprintf(stderr, "constella: error: %s\n", message ? message : "no reason is given");
  fprintf(stderr, "  in %s, %s:%d\n", function, file, line);
  return n;
}

cst_error cst_error_raise(MPI_Comm comm, int line, const char *function, const char *file,
                          cst_error n, const char *format, ...) {
  char    text[TEXT];
  va_list rest;
  va_start(rest, format);
  vsnprintf(text, sizeof text, format, rest);
  va_end(rest);
  return cst_error_tell(comm, line, function, file, n, true, text);
}

cst_error cst_error_raise_mpi(int line, const char *function, const char *file, int n) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int  length;
  (void)MPI_Error_string(n, text, &length);
  return cst_error_raise(MPI_COMM_SELF, line, function, file, CST_ERR_MPI, "MPI: %s", text);
}

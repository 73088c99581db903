/* libraries.c: names and versions of the libraries in use (see libraries.h). It includes nothing of lane
 * code, because to clang lanes.h and sleef.h declare different functions. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/libraries.h"
#include <libfyaml.h>
#include <petscversion.h>
#include <sleef.h>
#include <stdio.h>
#include <string.h>
#include "constella/record.h"

void cst_libraries(char *text, size_t n) {
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING], record[64];
  int  length;
  MPI_Get_library_version(mpi, &length);
  mpi[strcspn(mpi, ",\n")] = 0;
  cst_record_library(record, sizeof record);
  snprintf(text, n, "PETSc %d.%d.%d, %s, %.80s, SLEEF %d.%d, libfyaml %s", PETSC_VERSION_MAJOR,
           PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, record, mpi, SLEEF_VERSION_MAJOR,
           SLEEF_VERSION_MINOR, fy_library_version());
}

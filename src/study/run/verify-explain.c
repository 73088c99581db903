/* verify-explain.c: compares the origin of a file with this program, to explain differing bits (see
 * verify-result.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/constella.h"
#include "study/run/identity.h"
#include "study/run/libraries.h"
#include "study/run/verify-result.h"

/* Prints and returns whether an attribute of the file differs from this program. */
static bool differs(cst_result *file, const char *group, const char *name, const char *what,
                    const char *now) {
  char      *then = cst_result_text(file, group, name);
  const bool other = !then || strcmp(then, now);
  if (other)
    printf("  %s: the file has \"%s\", this program \"%s\"\n", what, then ? then : "(nothing)",
           now);
  free(then);
  return other;
}

/* Systems of the catalogue are stored by name; their descriptions come from the program. */
static bool describes(cst_result *file, const char *now) {
  char      *then = cst_result_text(file, "/", "system_description");
  const bool same = then && !strcmp(then, now);
  if (!same)
    puts("  the description of the system: the file has another one than this program");
  free(then);
  return same;
}

/* Rows of another program may be right, and its statistics other ones of the same rows. */
static bool explain_revision(cst_result *file, const cst_verify_counts *counts) {
  if (!differs(file, "/", "git", "revision", cst_identity_version()))
    return false;
  if (counts->wrong_statistics && !counts->different)
    puts("    the trajectories are the same: it may have defined these statistics otherwise; the "
         "changelog tells");
  return true;
}

void cst_verify_explain(const cst_plan *p, cst_result *file, const cst_back_end *b,
                        const cst_verify_counts *counts) {
  char  libraries[512], host[MPI_MAX_PROCESSOR_NAME];
  int   length, other = 0;
  char *compiler = cst_result_text(file, "/run", "compile_compiler");
  cst_libraries(libraries, sizeof libraries);
  MPI_Get_processor_name(host, &length);
  puts("What differs between the file and this program:");
  other += differs(file, "/", "version", "version", CST_RELEASE);
  other += explain_revision(file, counts);
  other += differs(file, "/run", "compiler", "compiler", cst_identity_compiler());
  other += differs(file, "/run", "libraries", "libraries", libraries);
  other += differs(file, "/run", "instruction_set", "instruction set", cst_isas[p->isa].name);
  other += differs(file, "/run", "kernels", "kernels", b->kernels);
  if (compiler && *b->compiler)
    other += differs(file, "/run", "compile_compiler", "compiler of the kernels", b->compiler);
  other += !describes(file, p->study->system->text);
  other += differs(file, "/run", "host_of_rank_0", "host", host);
  if (!other)
    puts("  nothing: the file was damaged, or one of the machines made an error");
  free(compiler);
}

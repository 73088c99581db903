/* cli-main.c: the commands `table` and `status` alone, for their tests. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

int cst_cli_table(int argc, char **argv);
int cst_cli_status(int argc, char **argv);

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "table")) return cst_cli_table(argc - 1, argv + 1);
  if (argc > 1 && !strcmp(argv[1], "status")) return cst_cli_status(argc - 1, argv + 1);
  return fputs("cli-main table | status ...\n", stderr), 2;
}

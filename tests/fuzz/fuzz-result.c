/* fuzz-result.c: any bytes as a result file, read by `table` and `status` in a child, because damaged files
 * may crash HDF5. The child must not hang. A text "edit KIND;PATH INDEX VALUE;.." stands for a good result of
 * FUZZ_RESULTS (a list of files) with other values of datasets and attributes: HDF5 reads it, and what lies behind
 * HDF5 is tested. There the child must not end by a signal either. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <hdf5.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "cli/cli.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* The signal that ended the command in a child process; 0: none. */
static int ended_by(int (*command)(int, char **), int n, char **words) {
  const pid_t child = fork();
  int         status;
  if (child < 0)
    abort();
  if (child == 0) {
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
      _exit(1);
    setrlimit(RLIMIT_CPU, &(struct rlimit){9, 10});
    alarm(60);
    _exit(command(n, words));
  }
  while (waitpid(child, &status, 0) < 0) /* the fuzzer's timer interrupts */
    if (errno != EINTR)
      abort();
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* The fuzzer has a thread, and a child that is forked while that holds a lock waits for ever: a second
 * attempt follows. */
static void try_command(int (*command)(int, char **), int n, char **words, bool never) {
  int by = ended_by(command, n, words);
  if (by == SIGALRM)
    by = ended_by(command, n, words);
  if (by && (never || by == SIGALRM || by == SIGXCPU || by == SIGKILL))
    abort();
}

/* The bytes of the K-th file of FUZZ_RESULTS become the scratch file. */
static bool copy_result(unsigned long k) {
  const char *list = getenv("FUZZ_RESULTS");
  char       *names = strdup(list ? list : ""), *rest, *name = strtok_r(names, "\n", &rest);
  for (char *next = name; next && k-- > 0;)
    if ((next = strtok_r(NULL, "\n", &rest)))
      name = next;
  FILE *f = name ? fopen(name, "rb") : NULL;
  char *bytes = malloc(1 << 22);
  if (!bytes)
    abort();
  const size_t n = f ? fread(bytes, 1, 1 << 22, f) : 0;
  if (f)
    fclose(f);
  scratch_write("r.h5", bytes, n);
  free(bytes);
  free(names);
  return n > 0;
}

/* Sets number `index` of a dataset of numbers, or a text of one of texts. */
static void set_value(hid_t set, unsigned long index, const char *value) {
  const hid_t    type = H5Dget_type(set), space = H5Dget_space(set);
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  const size_t   width = H5Tget_size(type);
  const H5T_class_t class = H5Tget_class(type);
  char        *all = n > 0 && n < 1 << 20 && width < 1 << 12 ? calloc((size_t)n, width + 8) : NULL;
  const double x = strtod(value, NULL);
  if (all && (class == H5T_FLOAT || class == H5T_INTEGER) &&
      H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0) {
    ((double *)(void *)all)[index % (size_t)n] = x;
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
  } else if (all && class == H5T_STRING && H5Tis_variable_str(type) == 0 &&
             H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0) {
    strncpy(all + index % (size_t)n * width, value, width);
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
  }
  free(all);
  H5Sclose(space);
  H5Tclose(type);
}

/* PATH of a dataset; GROUP@NAME is an attribute, with the value as its text or its number. */
static void edit_one(hid_t file, char *path, unsigned long index, const char *value) {
  char *at = strchr(path, '@');
  if (!at) {
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set >= 0) {
      set_value(set, index, value);
      H5Dclose(set);
    }
    return;
  }
  *at = 0;
  const hid_t group = H5Oopen(file, *path ? path : "/", H5P_DEFAULT);
  if (group < 0)
    return;
  const bool   is_text = index % 2;
  const double number = strtod(value, NULL);
  const hid_t  space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(value) + 1);
  H5Adelete(group, at + 1);
  const hid_t a = H5Acreate2(group, at + 1, is_text ? type : H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                             H5P_DEFAULT);
  if (a >= 0) {
    H5Awrite(a, is_text ? type : H5T_NATIVE_DOUBLE, is_text ? (const void *)value : &number);
    H5Aclose(a);
  }
  H5Tclose(type);
  H5Sclose(space);
  H5Oclose(group);
}

static bool edit(const unsigned char *data, size_t size) {
  char *text = strndup((const char *)data, size), *rest;
  char *x = strtok_r(text, ";", &rest);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const hid_t file = x && copy_result(strtoul(x + 5, NULL, 10))
                         ? H5Fopen(scratch_file, H5F_ACC_RDWR, H5P_DEFAULT)
                         : -1;
  while (file >= 0 && (x = strtok_r(NULL, ";", &rest))) {
    char *word, *path = strtok_r(x, " ", &word), *index = strtok_r(NULL, " ", &word);
    if (path && index)
      edit_one(file, path, strtoul(index, NULL, 10), word ? word : "");
  }
  if (file >= 0)
    H5Fclose(file);
  free(text);
  return file >= 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  char *table[] = {"table", scratch_file, "--format", "json", NULL},
       *state[] = {"status", scratch_file, NULL};
  const bool edits = size > 5 && !memcmp(data, "edit ", 5);
  scratch("r.h5");
  if (edits && !edit(data, size))
    return 0;
  if (!edits)
    scratch_write("r.h5", data, size);
  try_command(cst_command_status.run, 2, state, edits);
  try_command(cst_command_table.run, 4, table, edits);
  return 0;
}

/* result.c: reads a result file, finished or not, without MPI.
 *
 * It takes no lock, because file systems without flock would fail. The metadata of a file do
 * not change after the first flush of its run, so reading while ranks write is safe.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include "core/need.h"
#include "record/h5.h"
#include "record/lock.h"

/* Private to src/record: a time limit for HDF5 on files that may be damaged, because the library may
 * then loop for ever. It limits processor time, so that a slow disk or a busy machine does not matter. One
 * watch at a time.
 */
/* ---- damaged files --------------------------------------------------------------------------- */

static const double patience = 1, bytes_a_second = 2e7;

static char             message[5000];
static size_t           length;
static struct sigaction before;

static void expire(int signal) {
  (void)signal;
  if (write(STDERR_FILENO, message, length) < 0)
    _exit(2);
  _exit(2);
}

static void set_timer(double s) {
  const struct itimerval t = {.it_value = {(time_t)s, (suseconds_t)((s - floor(s)) * 1e6)}};
  setitimer(ITIMER_PROF, &t, NULL);
}

/* Starts a watch that watch_end ends, on reading at most `bytes`. After a second plus the time that these
 * bytes may take, the process reports that the file at path is damaged and ends with status 2. */
static void watch_begin(const char *path, double bytes) {
  const struct sigaction ours = {.sa_handler = expire};
  snprintf(message, sizeof message, "%.4096s: error: is damaged: HDF5 does not finish reading it\n",
           path);
  length = strlen(message);
  sigaction(SIGPROF, &ours, &before);
  set_timer(patience + bytes / bytes_a_second);
}

static void watch_end(void) {
  set_timer(0);
  sigaction(SIGPROF, &before, NULL);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct cst_result {
  hid_t  file;
  char  *path;
  double most; /* bytes that a dataset may have in memory; a larger size is taken for damage */
};

static double bytes_of(const cst_result *r, hid_t d) {
  hid_t          space = H5Dget_space(d);
  hid_t          type = H5Dget_type(d);
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  const double   bytes = n < 0 ? INFINITY : (double)n * (double)H5Tget_size(type);
  H5Tclose(type);
  H5Sclose(space);
  return bytes <= r->most ? bytes : INFINITY;
}

static cst_result *open_file(const char *path, char *why, int n) {
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_file_locking(list, false, true);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, list);
  H5Pclose(list);
  if (file < 0) {
    snprintf(
        why, (size_t)n,
        "is not a Constella result: not an HDF5 file, or one whose run was killed at its start");
    return NULL;
  }
  if (!cst_inside_check(file, why, n)) {
    H5Fclose(file);
    return NULL;
  }
  htri_t run = H5Lexists(file, "run", H5P_DEFAULT);
  if (run <= 0 || H5Aexists_by_name(file, "run", "state", H5P_DEFAULT) <= 0) {
    H5Fclose(file);
    snprintf(why, (size_t)n,
             "is not a Constella result: HDF5, but without the attribute /run state");
    return NULL;
  }
  cst_result *r = cst_need(malloc(sizeof *r));
  *r = (cst_result){.file = file, .path = cst_need(strdup(path))};
  return r;
}

cst_result *cst_result_open(const char *path, char *why, int n) {
  enum {
    PACKED = 1000,
    SMALL = 1 << 20
  }; /* largest ratio of the size in memory to that in the file */
  struct stat s;
  cst_h5_quiet();
  if (access(path, R_OK) || stat(path, &s)) {
    snprintf(why, (size_t)n, "%s", strerror(errno));
    return NULL;
  }
  if (!S_ISREG(s.st_mode)) {
    snprintf(why, (size_t)n, "is not a Constella result: %s",
             S_ISDIR(s.st_mode) ? "a folder" : "not a regular file");
    return NULL;
  }
  watch_begin(path, 0);
  cst_result *r = open_file(path, why, n);
  watch_end();
  if (r)
    r->most = PACKED * (double)s.st_size + SMALL;
  return r;
}

void cst_result_close(cst_result *r) {
  if (!r)
    return;
  watch_begin(r->path, 0);
  H5Fclose(r->file);
  watch_end();
  free(r->path);
  free(r);
}

/* Reads dataset d. */
static bool read_dataset(cst_result *r, hid_t d, hid_t type, hid_t here, hid_t there, void *x) {
  watch_begin(r->path, bytes_of(r, d));
  const bool ok = H5Dread(d, type, here, there, H5P_DEFAULT, x) >= 0;
  watch_end();
  return ok;
}

static hid_t open_attribute(cst_result *r, const char *object, const char *name) {
  watch_begin(r->path, 0);
  hid_t a = H5Aopen_by_name(r->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  watch_end();
  return a;
}

/* The text of an attribute of variable or fixed length. */
static char *attribute_text(hid_t a, hid_t type) {
  if (H5Tis_variable_str(type) > 0) {
    char *loan = NULL, *copy = NULL;
    if (H5Aread(a, type, &loan) >= 0 && loan)
      copy = strdup(loan);
    if (loan)
      H5free_memory(loan);
    return copy;
  }
  char *copy = calloc(1, H5Tget_size(type) + 1);
  if (copy && H5Aread(a, type, copy) < 0) {
    free(copy);
    copy = NULL;
  }
  return copy;
}

char *cst_result_text(cst_result *r, const char *group, const char *name) {
  hid_t a = open_attribute(r, group, name);
  if (a < 0)
    return NULL;
  watch_begin(r->path, 0);
  hid_t type = H5Aget_type(a);
  hid_t space = H5Aget_space(a);
  char *text = H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1
                   ? attribute_text(a, type)
                   : NULL;
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(a);
  watch_end();
  return text;
}

bool cst_result_number(cst_result *r, const char *group, const char *name, double *value) {
  hid_t a = open_attribute(r, group, name);
  if (a < 0)
    return false;
  hid_t space = H5Aget_space(a);
  bool  ok = H5Sget_simple_extent_npoints(space) == 1 && H5Aread(a, H5T_NATIVE_DOUBLE, value) >= 0;
  H5Sclose(space);
  H5Aclose(a);
  return ok;
}

/* Opens it, because the functions on unopened objects changed with HDF5 1.12. */
static bool is_dataset(hid_t group, const char *name) {
  hid_t o = H5Oopen(group, name, H5P_DEFAULT);
  bool  yes = o >= 0 && H5Iget_type(o) == H5I_DATASET;
  if (o >= 0)
    H5Oclose(o);
  return yes;
}

int cst_result_list(cst_result *r, const char *group, char (**paths)[96]) {
  H5G_info_t info;
  int        found = 0;
  *paths = NULL;
  watch_begin(r->path, 1e7); /* more entries than one second allows */
  hid_t g = H5Gopen2(r->file, group, H5P_DEFAULT);
  if (g < 0) {
    watch_end();
    return 0;
  }
  hid_t    list = H5Gget_create_plist(g);
  unsigned order = 0;
  H5Pget_link_creation_order(list, &order);
  H5_index_t by = order & H5P_CRT_ORDER_INDEXED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  if (H5Gget_info(g, &info) < 0)
    info.nlinks = 0;
  *paths = malloc(sizeof **paths * (size_t)(info.nlinks + 1));
  for (hsize_t i = 0; *paths && i < info.nlinks; i++) {
    char  name[96];
    char *path = (*paths)[found];
    if (H5Lget_name_by_idx(g, ".", by, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) < 0)
      continue;
    if (!is_dataset(g, name))
      continue;
    if (snprintf(path, sizeof **paths, "%s/%s", strcmp(group, "/") ? group : "", name) <
        (int)sizeof **paths)
      found++;
  }
  H5Pclose(list);
  H5Gclose(g);
  watch_end();
  return found;
}

/* Opens a dataset of the given kind and gets its extents. Negative when it is missing, of another kind or has
 * too many dimensions. */
static hid_t open_dataset(cst_result *r, const char *path, bool text, int *ndim, long *extent,
                          long *total) {
  hsize_t e[H5S_MAX_RANK];
  watch_begin(r->path, 0);
  hid_t d = H5Dopen2(r->file, path, H5P_DEFAULT);
  watch_end();
  if (d < 0)
    return d;
  hid_t space = H5Dget_space(d);
  hid_t type = H5Dget_type(d);
  H5T_class_t class = H5Tget_class(type);
  int  rank = H5Sget_simple_extent_dims(space, e, NULL);
  bool fits = text ? class == H5T_STRING && H5Tis_variable_str(type) <= 0
                   : class == H5T_FLOAT || class == H5T_INTEGER;
  *ndim = rank;
  *total = 1;
  for (int k = 0; k < rank && rank <= CST_FIELD_DIMS; k++) {
    extent[k] = (long)e[k];
    *total = (long)((unsigned long)*total * e[k]);
  }
  H5Tclose(type);
  H5Sclose(space);
  if (fits && rank >= 0 && rank <= CST_FIELD_DIMS && isfinite(bytes_of(r, d)))
    return d;
  H5Dclose(d);
  return -1;
}

double *cst_result_read(cst_result *r, const char *path, int *ndim, long extent[CST_FIELD_DIMS]) {
  long  total;
  hid_t d = open_dataset(r, path, false, ndim, extent, &total);
  if (d < 0)
    return NULL;
  double *x = calloc((size_t)total + 1, sizeof *x);
  if (x && total && !read_dataset(r, d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, x)) {
    free(x);
    x = NULL;
  }
  H5Dclose(d);
  return x;
}

bool cst_result_read_block(cst_result *r, const char *path, cst_type type, const long *start,
                           const long *count, void *data) {
  int     ndim;
  long    extent[CST_FIELD_DIMS], total;
  hsize_t a[CST_FIELD_DIMS], b[CST_FIELD_DIMS];
  hid_t   d = open_dataset(r, path, type == CST_TYPE_TEXT, &ndim, extent, &total);
  if (d < 0)
    return false;
  bool ok = true;
  for (int k = 0; k < ndim; k++) {
    a[k] = (hsize_t)start[k];
    b[k] = (hsize_t)count[k];
    ok = ok && start[k] >= 0 && count[k] >= 0 && start[k] + count[k] <= extent[k];
  }
  hid_t there = H5Dget_space(d);
  hid_t here = ndim ? H5Screate_simple(ndim, b, NULL) : H5Screate(H5S_SCALAR);
  hid_t memory = cst_h5_memory_type(type);
  ok = ok && (!ndim || H5Sselect_hyperslab(there, H5S_SELECT_SET, a, NULL, b, NULL) >= 0);
  ok = ok && read_dataset(r, d, memory, here, there, data);
  H5Tclose(memory);
  H5Sclose(here);
  H5Sclose(there);
  H5Dclose(d);
  return ok;
}

char (*cst_result_read_text(cst_result *r, const char *path, long *rows))[CST_TEXT_WIDTH + 1] {
  int  ndim;
  long extent[CST_FIELD_DIMS];
  char(*x)[CST_TEXT_WIDTH + 1] = NULL;
  hid_t d = open_dataset(r, path, true, &ndim, extent, rows);
  if (d < 0)
    return NULL;
  hid_t stored = H5Dget_type(d);
  hid_t type = cst_h5_text(sizeof *x);
  H5Tset_strpad(type, H5T_STR_NULLTERM);
  H5Tset_cset(type, H5Tget_cset(stored));
  x = calloc((size_t)*rows + 1, sizeof *x);
  if (x && *rows && !read_dataset(r, d, type, H5S_ALL, H5S_ALL, x)) {
    free(x);
    x = NULL;
  }
  H5Tclose(type);
  H5Tclose(stored);
  H5Dclose(d);
  return x;
}

bool cst_result_progress(cst_result *r, long *done, long *total) {
  int     ndim;
  long    e[CST_FIELD_DIMS], n = 1;
  double *s = cst_result_read(r, "/final/status", &ndim, e);
  *done = 0;
  for (int k = 0; s && k < ndim; k++)
    n *= e[k];
  for (long i = 0; s && i < n; i++)
    *done += s[i] >= 0;
  *total = s ? n : 0;
  bool there = s != NULL;
  free(s);
  return there;
}

int cst_result_alive(cst_result *r) {
  char   here[256] = "";
  char  *host = cst_result_text(r, "/run", "host");
  double pid = 0, start = -1;
  gethostname(here, sizeof here - 1);
  bool other = !host || strcmp(here, host) || !cst_result_number(r, "/run", "pid", &pid) || pid < 1;
  free(host);
  if (other)
    return -1;
  if (!cst_result_number(r, "/run", "pid_start", &start))
    start = -1;
  return cst_lock_process_lives((long)pid, start);
}

const char *cst_result_state(cst_result *r) {
  char       *text = cst_result_text(r, "/run", "state");
  const char *state = "interrupted";
  if (text && !strcmp(text, "complete"))
    state = "complete";
  else if (text && !strcmp(text, "part"))
    state = "part";
  else if (text && !strcmp(text, "running") && cst_result_alive(r))
    state = "running";
  free(text);
  return state;
}

bool cst_result_finds(cst_result *file, const char *group, const char *name) {
  char(*paths)[96];
  bool      found = false;
  const int n = cst_result_list(file, group, &paths);
  for (int i = 0; i < n; i++) {
    const char *last = strrchr(paths[i], '/');
    found |= !strcmp(last ? last + 1 : paths[i], name);
  }
  free(paths);
  return found;
}

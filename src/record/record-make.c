/* record-make.c: what rank 0 does with HDF5 alone: it makes all that is in a result, or finds it in an existing
 * one, and tells where each field lies. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/record-internal.h"
#include "core/need.h"
#include "record/lock.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static hid_t create_file(const char *path) {
  hid_t access = cst_driver_access();
  hid_t list = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_obj_track_times(list, false);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, list, access);
  H5Pclose(list);
  H5Pclose(access);
  return file;
}

/* Makes /run, with a header of the old form (see record.c). */
static bool make_run(const cst_record *r, char *why, int n) {
  H5Fset_libver_bounds(r->file, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
  hid_t g = cst_h5_make_group(r->file, "/run");
  H5Fset_libver_bounds(r->file, H5F_LIBVER_V18, H5F_LIBVER_V18);
  if (g < 0)
    cst_h5_reason(why, n, "/run");
  else
    H5Gclose(g);
  return g >= 0;
}

/* Writes the state, and this process so that others can test whether it lives. */
static bool sign(const cst_record *r, char *why, int n) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  hid_t g = H5Gopen2(r->file, "/run", H5P_DEFAULT);
  bool  ok = g >= 0 && cst_h5_put_text(g, "state", CST_STATE_WIDTH, "running") &&
            cst_h5_put_text(g, "host", CST_NOTE_WIDTH, host) &&
            cst_h5_put_number(g, "pid", (double)getpid()) &&
            cst_h5_put_number(g, "pid_start", cst_lock_process_start(getpid()));
  if (!ok)
    cst_h5_reason(why, n, "/run");
  if (g >= 0)
    H5Gclose(g);
  return ok;
}

static bool is_contiguous(hid_t d) {
  hid_t      list = H5Dget_create_plist(d);
  const bool contiguous = H5Pget_layout(list) == H5D_CONTIGUOUS;
  H5Pclose(list);
  return contiguous;
}

/* Where a field lies in a file of this size; its rows are written without HDF5. */
static bool locate(hid_t d, bool is_new, long size, cst_record_place *p, char *why, int n) {
  const haddr_t at = is_new || is_contiguous(d) ? H5Dget_offset(d) : HADDR_UNDEF;
  p->at = p->size && at != HADDR_UNDEF ? (long)at : -1;
  if (!p->size)
    return true;
  const bool whole = p->at >= 0 && p->at <= size - p->size;
  if (!whole)
    snprintf(why, (size_t)n, "%s does not lie in the file in one piece", p->field.path);
  return whole;
}

static bool make_all(cst_record *r, const cst_dimension *dim, hid_t *scale, int ndim,
                     const cst_field *field, hid_t *dataset, char *why, int n) {
  return cst_layout_scales(r->file, dim, ndim, scale, why, n) && make_run(r, why, n) &&
         cst_layout_fields(r->file, field, r->nfield, dim, ndim, scale, dataset, why, n);
}

static bool find_all(cst_record *r, const cst_dimension *dim, hid_t *scale, int ndim,
                     const cst_field *field, hid_t *dataset, char *why, int n) {
  for (int i = 0; i < ndim; i++)
    if ((scale[i] = cst_layout_find_scale(r->file, &dim[i], why, n)) < 0)
      return false;
  for (int k = 0; k < r->nfield; k++)
    if ((dataset[k] = cst_layout_find_field(r->file, &field[k], dim, why, n)) < 0)
      return false;
  return true;
}

/* Files of other programs, or of older versions of this one, may have attributes that cannot change in place.
 */
static bool can_be_signed(const cst_record *r, char *why, int n) {
  hid_t g = H5Gopen2(r->file, "/run", H5P_DEFAULT);
  bool  ok = g >= 0 && cst_h5_in_place(g, "state", true) && cst_h5_in_place(g, "host", true) &&
            cst_h5_in_place(g, "pid", false) && cst_h5_in_place(g, "pid_start", false);
  if (!ok)
    snprintf(
        why, (size_t)n,
        "/run is of another version of the program: its state or process cannot change in place");
  if (g >= 0)
    H5Gclose(g);
  return ok;
}

/* Gives a new file the size with which it holds all fields. HDF5 writes the rest of it in the first flush. */
static bool extend(const cst_record *r, char *why, int n) {
  hsize_t size;
  errno = 0;
  if (H5Fget_filesize(r->file, &size) >= 0 && !truncate(r->aside, (off_t)size))
    return true;
  snprintf(why, (size_t)n, "cannot create the file: %s", strerror(errno));
  return false;
}

static bool flush(cst_record *r, char *why, int n) {
  if (cst_record_written(r, H5Fflush(r->file, H5F_SCOPE_GLOBAL) >= 0))
    return true;
  snprintf(why, (size_t)n, "%s", r->error);
  return false;
}

/* Bytes of the file; 0 where it cannot be found. */
static long file_size(const cst_record *r) {
  struct stat s;
  return stat(*r->aside ? r->aside : r->path, &s) ? 0 : (long)s.st_size;
}

typedef bool all(cst_record *, const cst_dimension *, hid_t *, int, const cst_field *, hid_t *,
                 char *, int);

static void close_all(const hid_t *d, int n) {
  for (int k = 0; k < n; k++)
    if (d[k] >= 0)
      H5Dclose(d[k]);
}

/* Makes or finds all scales and fields, and signs the file. New fields stay open, for their attributes. */
static bool complete(cst_record *r, all *get, const cst_dimension *dim, int ndim,
                     const cst_field *field, char *why, int n) {
  hid_t *scale = cst_need(malloc(sizeof *scale * (size_t)(ndim + r->nfield + 1)));
  hid_t *dataset = scale + ndim;
  for (int k = 0; k < ndim + r->nfield; k++)
    scale[k] = -1;
  const bool is_new = get == make_all;
  bool       ok = get(r, dim, scale, ndim, field, dataset, why, n);
  ok = ok && (is_new || can_be_signed(r, why, n)) && sign(r, why, n);
  ok = ok && (is_new ? extend(r, why, n) : flush(r, why, n));
  const long size = file_size(r);
  for (int k = 0; ok && k < r->nfield; k++)
    ok = locate(dataset[k], is_new, size, &r->place[k], why, n);
  for (int k = 0; ok && is_new && k < r->nfield; k++)
    r->place[k].dataset = dataset[k];
  close_all(scale, ok && is_new ? ndim : ndim + r->nfield);
  free(scale);
  return ok;
}

bool cst_record_make(cst_record *r, const cst_dimension *dim, int ndim, const cst_field *field,
                     char *why, int n) {
  r->file = create_file(r->aside);
  if (r->file < 0) {
    cst_h5_reason(why, n, "cannot create the file");
    return false;
  }
  return complete(r, make_all, dim, ndim, field, why, n);
}

/* Whether there is an unfinished result to continue. */
static bool unfinished(const char *path, char *why, int n) {
  cst_result *r = cst_result_open(path, why, n);
  if (!r)
    return false;
  const char *state = cst_result_state(r);
  const bool  is_complete = !strcmp(state, "complete") || !strcmp(state, "part");
  if (is_complete)
    snprintf(why, (size_t)n, "is complete");
  cst_result_close(r);
  return !is_complete;
}

bool cst_record_find(cst_record *r, const cst_dimension *dim, int ndim, const cst_field *field,
                     char *why, int n) {
  if (!unfinished(r->path, why, n))
    return false;
  hid_t access = cst_driver_access();
  r->file = H5Fopen(r->path, H5F_ACC_RDWR, access);
  H5Pclose(access);
  if (r->file < 0) {
    cst_h5_reason(why, n, "cannot open the file");
    return false;
  }
  return complete(r, find_all, dim, ndim, field, why, n);
}

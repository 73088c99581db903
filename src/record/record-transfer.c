/* record-transfer.c: what a rank does alone with the open result file: it writes and reads parts of fields,
 * puts the file on the disk, and keeps the reason of a failure. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/record-internal.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cst_record_keep(cst_record *r, bool ok, const char *what) {
  if (!ok)
    cst_h5_reason(r->error, sizeof r->error, what);
  return ok;
}

const char *cst_record_error(const cst_record *r) { return r->error; }

static bool transfer(cst_record *r, int f, const long *start, const long *count, void *in,
                     const void *out) {
  if (f < 0 || f >= r->nfield) {
    snprintf(r->error, sizeof r->error, "no field %d; there are %d", f, r->nfield);
    return false;
  }
  const cst_field *field = &r->field[f];
  hsize_t          a[CST_FIELD_DIMS], b[CST_FIELD_DIMS];
  for (int k = 0; k < field->ndim; k++) {
    a[k] = (hsize_t)start[k];
    b[k] = (hsize_t)count[k];
    if (!count[k])
      return true;
  }
  hid_t there = H5Dget_space(r->dataset[f]);
  hid_t here = field->ndim ? H5Screate_simple(field->ndim, b, NULL) : H5Screate(H5S_SCALAR);
  hid_t type = cst_h5_memory_type(field->type);
  bool  ok = here >= 0 &&
            (!field->ndim || H5Sselect_hyperslab(there, H5S_SELECT_SET, a, NULL, b, NULL) >= 0);
  if (ok && in)
    ok = H5Dread(r->dataset[f], type, here, there, H5P_DEFAULT, in) >= 0;
  if (ok && out)
    ok = H5Dwrite(r->dataset[f], type, here, there, H5P_DEFAULT, out) >= 0;
  cst_record_keep(r, ok, field->path);
  H5Tclose(type);
  if (here >= 0)
    H5Sclose(here);
  H5Sclose(there);
  return ok;
}

bool cst_record_write(cst_record *r, int f, const long *start, const long *count,
                      const void *data) {
  return transfer(r, f, start, count, NULL, data);
}

bool cst_record_read(cst_record *r, int f, const long *start, const long *count, void *data) {
  return transfer(r, f, start, count, data, NULL);
}

/* Whether the path still leads to the open file. */
static bool named(const cst_record *r) {
  struct stat mine, there;
  return !fstat(r->disk, &mine) && !stat(r->path, &there) && mine.st_dev == there.st_dev &&
         mine.st_ino == there.st_ino;
}

bool cst_record_sync(const cst_record *r, char *why, int n) {
  const bool written = !fsync(r->disk);
  if (!written)
    snprintf(why, (size_t)n, "%s", strerror(errno));
  else if (!named(r))
    snprintf(why, (size_t)n, "the file was removed or replaced during the run");
  else
    return true;
  return false;
}

/* record-transfer.c: what a rank does alone with the open result file: it writes and reads parts of fields,
 * puts the file on the disk, and keeps the reason of a failure. Attributes are those of rank 0. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/need.h"
#include "record/record-internal.h"

/* ---- attributes ------------------------------------------------------------------------------ */

/* Texts and numbers, of which some can change in place later. */

static void leave(cst_record_carrier *c) {
  if (c->object >= 0)
    H5Oclose(c->object);
  c->object = -1;
}

void cst_record_let_go(cst_record *r) {
  leave(&r->carrier);
  for (int k = 0; k < r->nfield; k++) {
    if (r->place[k].dataset >= 0)
      H5Dclose(r->place[k].dataset);
    r->place[k].dataset = -1;
  }
}

/* The open dataset of a new field, or -1. Attributes mostly come in the order of the fields. */
static hid_t dataset(cst_record *r, const char *path) {
  for (int i = 0; i < r->nfield; i++) {
    const int k = (r->carrier.place + i) % r->nfield;
    if (r->place[k].dataset >= 0 && !strcmp(r->place[k].field.path, path)) {
      r->carrier.place = k;
      return r->place[k].dataset;
    }
  }
  return -1;
}

/* Opens the group or dataset, which stays open until another one is needed; makes a group that is missing, in a new
 * file. */
static hid_t enter(cst_record *r, const char *path) {
  cst_record_carrier *c = &r->carrier;
  const hid_t         field = dataset(r, path);
  if (field >= 0)
    return field;
  if (c->object >= 0 && !strcmp(c->path, path))
    return c->object;
  leave(c);
  snprintf(c->path, sizeof c->path, "%s", path);
  c->object = H5Oopen(r->file, path, H5P_DEFAULT);
  if (c->object < 0 && !r->sealed)
    c->object = cst_h5_make_group(r->file, path);
  return c->object;
}

/* The group or dataset of an attribute. After the first flush only /run, for attributes that change in place: text
 * or number. */
static hid_t carrier(cst_record *r, const char *path, const char *name, bool text) {
  const hid_t o = enter(r, path);
  if (!r->sealed) {
    r->broken |= o < 0;
    return o;
  }
  if (o >= 0 && !strcmp(path, "/run") && cst_h5_in_place(o, name, text))
    return o;
  snprintf(r->error, sizeof r->error,
           "%s of %s: is not a %s that was there at the first flush; only such attributes of /run "
           "change after it",
           name, path, text ? "fixed text" : "number");
  return -1;
}

/* On rank 0. Without an attribute that was to be there, a new file does not get its name. */
static void keep(cst_record *r, bool ok, const char *name) {
  cst_record_keep(r, ok, name);
  r->broken |= !ok && !r->sealed;
}

void cst_record_attribute(cst_record *r, const char *group, const char *name, const char *text) {
  if (r->sealed) {
    snprintf(r->error, sizeof r->error,
             "%s of %s: text of any length cannot change after the first flush", name, group);
    return;
  }
  if (r->rank > 0)
    return;
  hid_t o = carrier(r, group, name, true);
  keep(r, o >= 0 && cst_h5_put_text(o, name, 0, text), name);
}

static void put_text(cst_record *r, const char *group, const char *name, size_t width,
                     const char *text) {
  hid_t o = r->rank > 0 ? -1 : carrier(r, group, name, true);
  if (o < 0)
    return;
  keep(r, cst_h5_put_text(o, name, width, text), name);
}

void cst_record_text(cst_record *r, const char *group, const char *name, const char *text) {
  put_text(r, group, name, CST_NOTE_WIDTH, text);
}

void cst_record_room(cst_record *r, const char *group, const char *name, size_t width) {
  put_text(r, group, name, width, "");
}

void cst_record_number(cst_record *r, const char *group, const char *name, double value) {
  hid_t o = r->rank > 0 ? -1 : carrier(r, group, name, false);
  if (o < 0)
    return;
  keep(r, cst_h5_put_number(o, name, value), name);
}

/* ---- parts of fields ------------------------------------------------------------------------- */

bool cst_record_keep(cst_record *r, bool ok, const char *what) {
  if (!ok)
    cst_h5_reason(r->error, sizeof r->error, what);
  return ok;
}

bool cst_record_written(cst_record *r, bool ok) {
  if (!cst_driver_failure())
    return cst_record_keep(r, ok, "cannot write the file");
  snprintf(r->error, sizeof r->error, "cannot write the file: %s", strerror(cst_driver_failure()));
  return false;
}

const char *cst_record_error(const cst_record *r) { return r->error; }

void cst_record_hold(const cst_record *r, bool take, long at, size_t size) {
  const long         page = 1 << 16; /* the largest page */
  const long         end = (at + (long)size + page - 1) / page * page;
  const struct flock lock = {.l_type = take ? F_WRLCK : F_UNLCK,
                             .l_whence = SEEK_SET,
                             .l_start = at / page * page,
                             .l_len = size ? end - at / page * page : 1L << 61};
  while (r->nfs && fcntl(r->disk, F_SETLKW, &lock) && errno == EINTR)
    ;
}

static bool put(int file, const char *bytes, size_t size, long at) {
  while (size) {
    const ssize_t n = pwrite(file, bytes, size, at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0)
      errno = EIO;
    if (n <= 0)
      return false;
    bytes += n;
    size -= (size_t)n;
    at += n;
  }
  return true;
}

static bool get(int file, char *bytes, size_t size, long at) {
  while (size) {
    const ssize_t n = pread(file, bytes, size, at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0)
      errno = EIO;
    if (n <= 0)
      return false;
    bytes += n;
    size -= (size_t)n;
    at += n;
  }
  return true;
}

bool cst_record_put(const cst_record *r, const void *bytes, size_t size, long at) {
  cst_record_hold(r, true, at, size);
  const bool ok = put(r->disk, bytes, size, at);
  const int  error = errno;
  cst_record_hold(r, false, at, size);
  errno = error;
  return ok;
}

static bool obtain(const cst_record *r, void *bytes, size_t size, long at) {
  cst_record_hold(r, true, at, size);
  const bool ok = get(r->disk, bytes, size, at);
  const int  error = errno;
  cst_record_hold(r, false, at, size);
  errno = error;
  return ok;
}

/* Values are stored with the least byte first. */
static void convert(cst_type t, size_t bytes, void *x, bool in) {
  hid_t there = cst_h5_file_type(t);
  hid_t here = cst_h5_memory_type(t);
  H5Tconvert(in ? there : here, in ? here : there, bytes / cst_record_width(t), x, NULL,
             H5P_DEFAULT);
  H5Tclose(there);
  H5Tclose(here);
}

static bool put_converted(const cst_record *r, cst_type t, const void *x, size_t bytes, long at) {
  if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    return cst_record_put(r, x, bytes, at);
  void *stored = cst_need(malloc(bytes));
  memcpy(stored, x, bytes);
  convert(t, bytes, stored, false);
  const bool ok = cst_record_put(r, stored, bytes, at);
  free(stored);
  return ok;
}

static bool get_converted(const cst_record *r, cst_type t, void *x, size_t bytes, long at) {
  const bool ok = obtain(r, x, bytes, at);
  if (ok && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
    convert(t, bytes, x, true);
  return ok;
}

/* Whether the field has such a block. *run: how many of its last dimensions are whole, and one more: their
 * values lie behind each other. */
static bool has_block(const cst_record_place *p, const long *start, const long *count, int *run) {
  const int ndim = p->field.ndim;
  for (int k = 0; k < ndim; k++)
    if (start[k] < 0 || count[k] < 0 || start[k] > p->extent[k] - count[k])
      return false;
  for (*run = 0; *run < ndim && count[ndim - 1 - *run] == p->extent[ndim - 1 - *run];)
    ++*run;
  *run += *run < ndim;
  return true;
}

/* Writes (`out`) or reads (`in`) a block, one piece of the file after the other. */
static bool move_block(const cst_record *r, const cst_record_place *p, const long *start,
                       const long *count, int run, char *in, const char *out) {
  const int    ndim = p->field.ndim, outer = ndim - run;
  const size_t width = cst_record_width(p->field.type);
  long         index[CST_FIELD_DIMS] = {0};
  size_t       piece = width;
  for (int k = outer; k < ndim; k++)
    piece *= (size_t)count[k];
  for (size_t done = 0;; done += piece) {
    long at = 0;
    int  k;
    for (k = 0; k < ndim; k++)
      at = at * p->extent[k] + start[k] + index[k];
    at = p->at + at * (long)width;
    if (in ? !get_converted(r, p->field.type, in + done, piece, at)
           : !put_converted(r, p->field.type, out + done, piece, at))
      return false;
    for (k = outer - 1; k >= 0 && ++index[k] == count[k]; k--)
      index[k] = 0;
    if (k < 0)
      return true;
  }
}

static bool transfer(cst_record *r, int f, const long *start, const long *count, void *in,
                     const void *out) {
  int run;
  if (f < 0 || f >= r->nfield) {
    snprintf(r->error, sizeof r->error, "no field %d; there are %d", f, r->nfield);
    return false;
  }
  const cst_record_place *p = &r->place[f];
  for (int k = 0; k < p->field.ndim; k++)
    if (!count[k])
      return true;
  if (!has_block(p, start, count, &run)) {
    snprintf(r->error, sizeof r->error, "%s: has no such block", p->field.path);
    return false;
  }
  if (move_block(r, p, start, count, run, in, out))
    return true;
  snprintf(r->error, sizeof r->error, "%s: %s", p->field.path, strerror(errno));
  if (in && !cst_record_is_whole(r))
    snprintf(r->error, sizeof r->error, "%s", CST_RECORD_LOST);
  const bool later =
      out && !r->sealed; /* no rank goes on without the others, which wait in the flush */
  r->broken |= later;
  return later;
}

bool cst_record_write(cst_record *r, int f, const long *start, const long *count,
                      const void *data) {
  return transfer(r, f, start, count, NULL, data);
}

bool cst_record_read(cst_record *r, int f, const long *start, const long *count, void *data) {
  return transfer(r, f, start, count, data, NULL);
}

bool cst_record_sync(const cst_record *r, char *why, int n) {
  const bool written = !fsync(r->disk);
  if (!written)
    snprintf(why, (size_t)n, "%s", strerror(errno));
  return written;
}

void cst_record_ask(cst_record *r, const char *path) {
  snprintf(r->asked, sizeof r->asked, "%s", path);
}

bool cst_record_is_whole(const cst_record *r) {
  static const char signature[8] = "\211HDF\r\n\032\n";
  char              there[sizeof signature];
  struct stat       s;
  return fstat(r->disk, &s) || ((long)s.st_size >= r->bytes &&
                                pread(r->disk, there, sizeof there, 0) == (long)sizeof there &&
                                !memcmp(there, signature, sizeof there));
}

bool cst_record_is_named(const cst_record *r) {
  return *r->aside || (cst_record_is_at(r->disk, r->path) &&
                       (!*r->asked || cst_record_is_at(r->disk, r->asked)));
}

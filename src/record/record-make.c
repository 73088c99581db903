/* record-make.c: makes a result: the empty file, on a disk that has room for all of it; what rank 0 does
 * with HDF5 alone, which makes all that is in a result, or finds it in an existing one, and tells where each field
 * lies; the fill values, of which each rank writes its share. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* fallocate */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "core/need.h"
#include "record/h5.h"
#include "record/lock.h"
#include "record/record-internal.h"

/* ---- dimension scales ------------------------------------------------------------------------ */

/* Attaches dimension scales to fields (see h5.h).
 *
 * The attributes are those of the HDF5 Dimension Scale Specification: DIMENSION_LIST of a field has, for each
 * of its dimensions, references to its scales; REFERENCE_LIST of a scale has references to its fields, each
 * with the number of the dimension. H5DSattach_scale writes the same, but reads, deletes and makes the list of
 * the scale once more for every field, so that each field costs more than the one before it.
 */

/* An element of REFERENCE_LIST, with the padding that H5DSattach_scale gives it. */
typedef struct {
  hobj_ref_t field;
  int        dimension, zero;
} element;
_Static_assert(sizeof(element) == 16, "the specification's element is padded to 16 bytes");

typedef struct {
  element element;
  int     scale;
} attachment;

struct cst_scales {
  const hid_t *scale;
  int          n, count;
  bool         failed;
  hobj_ref_t  *reference; /* [n], to the scales */
  attachment  *all;       /* [count], in the order in which they were made */
  hid_t        type;      /* of DIMENSION_LIST */
};

cst_scales *cst_scales_begin(const hid_t *scale, int n, int nfield) {
  cst_scales *s = cst_zeros(1, sizeof *s);
  s->scale = scale;
  s->n = n;
  s->reference = cst_zeros(n, sizeof *s->reference);
  s->all = cst_zeros((long)nfield * CST_FIELD_DIMS, sizeof *s->all);
  s->type = H5Tvlen_create(H5T_STD_REF_OBJ);
  for (int i = 0; i < n; i++)
    s->failed |= H5Rcreate(&s->reference[i], scale[i], ".", H5R_OBJECT, -1) < 0;
  return s;
}

void cst_scales_end(cst_scales *s) {
  if (!s)
    return;
  H5Tclose(s->type);
  free(s->reference);
  free(s->all);
  free(s);
}

static bool write_list(hid_t object, const char *name, hid_t type, hid_t memory, int count,
                       const void *list) {
  const hsize_t extent = (hsize_t)count;
  hid_t         space = H5Screate_simple(1, &extent, NULL);
  hid_t         a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool    ok = a >= 0 && H5Awrite(a, memory, list) >= 0;
  if (a >= 0)
    H5Aclose(a);
  H5Sclose(space);
  return ok;
}

bool cst_scales_attach(cst_scales *s, hid_t field, int ndim, const int *dim) {
  hvl_t      list[CST_FIELD_DIMS];
  hobj_ref_t self;
  if (!ndim)
    return true;
  if (s->failed || H5Rcreate(&self, field, ".", H5R_OBJECT, -1) < 0)
    return false;
  for (int k = 0; k < ndim; k++) {
    list[k] = (hvl_t){1, &s->reference[dim[k]]};
    s->all[s->count++] = (attachment){{self, k, 0}, dim[k]};
  }
  return write_list(field, DIMENSION_LIST, s->type, s->type, ndim, list);
}

static hid_t element_type(hid_t number) {
  hid_t t = H5Tcreate(H5T_COMPOUND, sizeof(element));
  H5Tinsert(t, "dataset", offsetof(element, field), H5T_STD_REF_OBJ);
  H5Tinsert(t, "dimension", offsetof(element, dimension), number);
  return t;
}

/* Writes what is attached to scale i, in the order in which it was. */
static bool write_attached(const cst_scales *s, int i, hid_t type, hid_t memory) {
  element *list = cst_zeros(s->count, sizeof *list);
  int      n = 0;
  for (int k = 0; k < s->count; k++)
    if (s->all[k].scale == i)
      list[n++] = s->all[k].element;
  const bool ok = !n || write_list(s->scale[i], REFERENCE_LIST, type, memory, n, list);
  free(list);
  return ok;
}

bool cst_scales_write(const cst_scales *s) {
  hid_t type = element_type(H5T_STD_I32LE), memory = element_type(H5T_NATIVE_INT);
  bool  ok = true;
  for (int i = 0; ok && i < s->n; i++)
    ok = write_attached(s, i, type, memory);
  H5Tclose(type);
  H5Tclose(memory);
  return ok;
}

/* ---- the empty file -------------------------------------------------------------------------- */

/* Tries to reserve the bytes; where the file system cannot do so, compares with the free space. */
static int reserve(int fd, double bytes) {
  struct statvfs s;
  if (bytes > 9e18)
    return ENOSPC;
  if (!fallocate(fd, 0, 0, (off_t)bytes))
    return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
    return errno;
  return !fstatvfs(fd, &s) && (double)s.f_bavail * (double)s.f_frsize < bytes ? ENOSPC : 0;
}

/* Follows no link, and replaces nothing. */
bool cst_record_prepare(const char *path, double bytes, char *why, int n) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) {
    snprintf(why, (size_t)n, "cannot create the file: %s", strerror(errno));
    return false;
  }
  int e = reserve(fd, bytes + (1 << 16));
  if (ftruncate(fd, 0))
    e = e ? e : errno;
  close(fd);
  if (!e)
    return true;
  unlink(path);
  snprintf(why, (size_t)n, "cannot create the file of %.3g MiB: %s", bytes / (1 << 20),
           strerror(e));
  return false;
}

/* Whether a name is that of a file under way: BASE, a token of 32 hexadecimal digits, "new". */
static bool is_under_way(const char *name, const char *base) {
  const size_t length = strlen(base);
  if (strncmp(name, base, length) || name[length] != '.')
    return false;
  const char *token = name + length + 1;
  return strspn(token, "0123456789abcdef") == 32 && !strcmp(token + 32, ".new");
}

void cst_record_tidy(const char *path) {
  char           folder[PATH_MAX], name[2 * PATH_MAX];
  const char    *cut = strrchr(path, '/'), *base = cut ? cut + 1 : path;
  struct dirent *e;
  struct stat    s;
  snprintf(folder, sizeof folder, "%.*s", cut ? (int)(cut - path + 1) : 2, cut ? path : "./");
  DIR *d = opendir(folder);
  while (d && (e = readdir(d))) {
    if (!is_under_way(e->d_name, base))
      continue;
    snprintf(name, sizeof name, "%s%s", folder, e->d_name);
    if (!lstat(name, &s) && S_ISREG(s.st_mode))
      unlink(name);
  }
  if (d)
    closedir(d);
}

/* ---- fill values ----------------------------------------------------------------------------- */

/* They are written so that the space is really taken. */

enum { BLOCK = 3 << 20 }; /* bytes: a multiple of the width of every type */

/* One value of the type, as stored. */
static void fill_value(cst_type t, unsigned char *value) {
  const double nan_value = NAN;
  memset(value, t == CST_TYPE_TEXT ? 0 : 0xFF, cst_record_width(t));
  if (t != CST_TYPE_F64)
    return;
  memcpy(value, &nan_value, sizeof nan_value);
  H5Tconvert(H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, 1, value, NULL, H5P_DEFAULT);
}

/* The first `width` bytes again and again, to `size` bytes. */
static void repeat(unsigned char *value, size_t width, size_t size) {
  for (size_t done = width; done < size; done *= 2)
    memcpy(value + done, value, done <= size - done ? done : size - done);
}

/* Fields that follow each other in the file share a block. Block k belongs to rank k modulo the number of ranks. */
typedef struct {
  unsigned char *block;    /* [length] */
  long           length;   /* BLOCK, or what all fields have if that is less */
  long           at, size; /* what of the block waits to be written, and where */
  long           turn;     /* counts the blocks */
  int            type;     /* of the values that fill all of the block, or -1 */
} filler;

static bool is_mine(const cst_record *r, const filler *f) { return f->turn % r->size == r->rank; }

static bool write_block(const cst_record *r, filler *f) {
  const bool ok = !f->size || !is_mine(r, f) || cst_record_put(r, f->block, (size_t)f->size, f->at);
  f->turn += f->size > 0;
  f->size = 0;
  return ok;
}

/* Adds values to the block, of `size` bytes, unless it holds them already. */
static void add(filler *f, cst_type t, long size) {
  if (f->type == (int)t && f->size == 0)
    return;
  fill_value(t, f->block + f->size);
  repeat(f->block + f->size, cst_record_width(t), (size_t)size);
  f->type = size == f->length ? (int)t : -1;
}

/* `size` bytes from `at` on in the file. */
static bool fill_bytes(const cst_record *r, cst_type t, long at, long size, filler *f) {
  const long width = (long)cst_record_width(t);
  while (size) {
    const long room = (f->length - f->size) / width * width;
    const long part = size < room ? size : room;
    if (f->size && (at != f->at + f->size || !part)) {
      if (!write_block(r, f))
        return false;
      continue;
    }
    if (is_mine(r, f))
      add(f, t, part);
    f->at = at - f->size;
    f->size += part;
    at += part;
    size -= part;
  }
  return true;
}

static bool fill_field(const cst_record *r, const cst_record_place *p, filler *f) {
  const cst_record_rows *rows = p->field.rows;
  const long             all = rows ? p->extent[0] * p->extent[1] : 0;
  const long             row = all ? p->size / all : 0;
  bool                   ok = true;
  if (!rows)
    return fill_bytes(r, p->field.type, p->at, p->size, f);
  for (int i = 0; ok && i < rows->n; i++)
    ok = fill_bytes(r, p->field.type, p->at + rows->first[i] * row, rows->count[i] * row, f);
  return ok;
}

static long block_length(const cst_record *r) {
  long length = 0;
  for (int k = 0; k < r->nfield && length < BLOCK; k++)
    length += r->place[k].size < BLOCK ? r->place[k].size : BLOCK;
  return length < BLOCK ? length : BLOCK;
}

bool cst_record_fill(cst_record *r, char *why, int n) {
  filler f = {.length = block_length(r), .type = -1};
  bool   ok = true;
  f.block = cst_need(malloc((size_t)f.length + 1));
  for (int k = 0; ok && k < r->nfield; k++)
    ok = fill_field(r, &r->place[k], &f);
  ok = ok && write_block(r, &f);
  if (!ok)
    snprintf(why, (size_t)n, "cannot fill %s: %s", r->path, strerror(errno));
  free(f.block);
  return ok;
}

/* ---- what is in a result --------------------------------------------------------------------- */

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

/* h5.c: HDF5 as results are written and read: its driver, files that lead to other files, types, attributes,
 * and reasons of failure. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/h5.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- driver ---------------------------------------------------------------------------------- */

/* How HDF5 writes a result (see h5.h): with its own POSIX driver, whose failures are kept here.
 *
 * HDF5 1.10 does not survive a write that fails: a file whose flush failed can be neither flushed nor closed
 * again, and the end of the process crashes in it. So HDF5 is told that all is well, and the caller asks for
 * the first failure after each flush and each close.
 *
 * After the first flush of a result neither its size nor its superblock changes. From then on no truncation and no
 * superblock reaches the file: HDF5 would cut off what another program has meanwhile written behind the end that it knows.
 */

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

enum { SUPERBLOCK = 48 }; /* bytes of version 2 */
static H5FD_class_t posix, ours;
static hid_t        number = -1;
static int          failure;
static bool         sealed;

static herr_t keep(herr_t status) {
  if (status < 0 && !failure)
    failure = errno ? errno : EIO;
  return 0;
}

static herr_t write_bytes(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at, size_t size,
                          const void *bytes) {
  const size_t left = sealed && at < SUPERBLOCK ? (size_t)(SUPERBLOCK - at) : 0;
  errno = 0;
  if (left >= size)
    return 0;
  return keep(posix.write(file, type, list, at + left, size - left, (const char *)bytes + left));
}

static herr_t cut(H5FD_t *file, hid_t list, hbool_t closing) {
  if (sealed)
    return 0;
  errno = 0;
  return keep(posix.truncate(file, list, closing));
}

/* The class of HDF5's POSIX driver, with these two functions. */
static bool make(hid_t access) {
  H5FD_t *file = H5FDopen("/dev/null", H5F_ACC_RDONLY, access, HADDR_UNDEF);
  if (!file)
    return false;
  posix = ours = *file->cls;
  H5FDclose(file);
  ours.name = "constella";
  ours.write = write_bytes;
  ours.truncate = posix.truncate ? cut : NULL;
  number = H5FDregister(&ours);
  return number >= 0;
}

hid_t cst_driver_access(void) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_sec2(access);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_file_locking(access, false, true); /* readers take no lock either (result.c) */
  failure = 0;
  sealed = false;
  if (number >= 0 || make(access))
    H5Pset_driver(access, number, NULL);
  return access;
}

void cst_driver_seal(void) { sealed = true; }
int  cst_driver_failure(void) { return failure; }

/* ---- files in one piece ---------------------------------------------------------------------- */

/* Whether all of an HDF5 file lies in that file. A result is one file. A link or a dataset that
 * leads to another file comes from elsewhere, and could bring the contents of private files into a page or a
 * table, or wait for a pipe for ever.
 */

typedef struct {
  char *why;
  int   n;
} answer;

/* An object that cannot be opened cannot be read later either. */
static bool is_stored_inside(hid_t group, const char *name) {
  const hid_t o = H5Oopen(group, name, H5P_DEFAULT);
  bool        inside = true;
  if (o >= 0 && H5Iget_type(o) == H5I_DATASET) {
    const hid_t list = H5Dget_create_plist(o);
    inside = list >= 0 && H5Pget_layout(list) != H5D_VIRTUAL && H5Pget_external_count(list) == 0;
    H5Pclose(list);
  }
  if (o >= 0)
    H5Oclose(o);
  return inside;
}

static herr_t look(hid_t group, const char *name, const H5L_info_t *link, void *data) {
  const answer *a = data;
  if (link->type == H5L_TYPE_SOFT || (link->type == H5L_TYPE_HARD && is_stored_inside(group, name)))
    return 0;
  snprintf(a->why, (size_t)a->n, "is not a Constella result: /%.100s lies in another file", name);
  return 1;
}

bool cst_inside_check(hid_t file, char *why, int n) {
  answer       a = {why, n};
  const herr_t found = H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, look, &a);
  if (found < 0)
    snprintf(why, (size_t)n, "is damaged: HDF5 cannot list its contents");
  return found == 0;
}

/* ---- types, attributes, reasons -------------------------------------------------------------- */

void cst_h5_quiet(void) {
  H5open();
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

typedef struct {
  char first[160],
      text[160]; /* the innermost description, and the one that quotes MPI or the system, if any */
} reason;

static herr_t collect(unsigned n, const H5E_error2_t *e, void *data) {
  reason *r = data;
  if (!e->desc)
    return 0;
  if (n == 0)
    snprintf(r->first, sizeof r->first, "%s", e->desc);
  if (!*r->text && (strstr(e->desc, "error message") || strstr(e->desc, "MPI_ERR")))
    snprintf(r->text, sizeof r->text, "%s", e->desc);
  return 0;
}

void cst_h5_reason(char *why, int n, const char *what) {
  reason r = {"", ""};
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &r);
  const char *text = *r.text ? r.text : *r.first ? r.first : "HDF5 refuses it";
  if (why && n > 0)
    snprintf(why, (size_t)n, "%s: %s", what, text);
}

hid_t cst_h5_text(size_t width) {
  hid_t t = H5Tcopy(H5T_C_S1);
  H5Tset_size(t, width ? width : H5T_VARIABLE);
  H5Tset_cset(t, H5T_CSET_UTF8);
  if (width)
    H5Tset_strpad(t, H5T_STR_NULLPAD);
  return t;
}

hid_t cst_h5_file_type(cst_type t) {
  switch (t) {
  case CST_TYPE_F64:
    return H5Tcopy(H5T_IEEE_F64LE);
  case CST_TYPE_I64:
    return H5Tcopy(H5T_STD_I64LE);
  case CST_TYPE_I32:
    return H5Tcopy(H5T_STD_I32LE);
  case CST_TYPE_I8:
    return H5Tcopy(H5T_STD_I8LE);
  default:
    return cst_h5_text(CST_TEXT_WIDTH);
  }
}

hid_t cst_h5_memory_type(cst_type t) {
  switch (t) {
  case CST_TYPE_F64:
    return H5Tcopy(H5T_NATIVE_DOUBLE);
  case CST_TYPE_I64:
    return H5Tcopy(H5T_NATIVE_LONG);
  case CST_TYPE_I32:
    return H5Tcopy(H5T_NATIVE_INT);
  case CST_TYPE_I8:
    return H5Tcopy(H5T_NATIVE_SCHAR);
  default:
    return cst_h5_text(CST_TEXT_WIDTH);
  }
}

/* What hundreds of attributes need: made once, and kept as long as the library is in use. */
static hid_t scalar_space(void) {
  static hid_t space = -1;
  return space < 0 ? space = H5Screate(H5S_SCALAR) : space;
}

static hid_t text_type(void) {
  static hid_t type = -1;
  return type < 0 ? type = cst_h5_text(0) : type;
}

/* Writes the attribute, and closes it. */
static bool write_value(hid_t a, hid_t memory, const void *value) {
  const bool ok = a >= 0 && H5Awrite(a, memory, value) >= 0;
  if (a >= 0)
    H5Aclose(a);
  return ok;
}

static bool add(hid_t object, const char *name, hid_t type, hid_t memory, const void *value) {
  const hid_t space = scalar_space();
  return write_value(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), memory,
                     value);
}

static bool put(hid_t object, const char *name, hid_t type, hid_t memory, const void *value,
                bool replace) {
  const bool there = H5Aexists(object, name) > 0;
  if (there && !replace)
    return write_value(H5Aopen(object, name, H5P_DEFAULT), memory, value);
  if (there && H5Adelete(object, name) < 0)
    return false;
  return add(object, name, type, memory, value);
}

void cst_h5_pad(char *row, size_t width, const char *text) {
  size_t n = strlen(text);
  if (n > width)
    for (n = width; n && ((unsigned char)text[n] & 0xC0) == 0x80;)
      n--;
  memset(row, 0, width);
  memcpy(row, text, n);
}

/* The width of a fixed text in bytes; 0 when there is no such text. */
static size_t width_of(hid_t object, const char *name) {
  if (H5Aexists(object, name) <= 0)
    return 0;
  hid_t  a = H5Aopen(object, name, H5P_DEFAULT);
  hid_t  t = H5Aget_type(a);
  size_t width = H5Tget_class(t) == H5T_STRING && H5Tis_variable_str(t) <= 0 ? H5Tget_size(t) : 0;
  H5Tclose(t);
  H5Aclose(a);
  return width;
}

static bool put_fixed(hid_t object, const char *name, size_t width, const char *text) {
  size_t there = width_of(object, name);
  if (there)
    width = there;
  hid_t t = cst_h5_text(width);
  char *padded = malloc(width);
  if (padded)
    cst_h5_pad(padded, width, text);
  bool ok = padded && put(object, name, t, t, padded, !there);
  free(padded);
  H5Tclose(t);
  return ok;
}

bool cst_h5_put_text(hid_t object, const char *name, size_t width, const char *text) {
  if (!text)
    text = "";
  if (width)
    return put_fixed(object, name, width, text);
  return put(object, name, text_type(), text_type(), &text, true);
}

bool cst_h5_add_text(hid_t object, const char *name, const char *text) {
  if (!text)
    text = "";
  return add(object, name, text_type(), text_type(), &text);
}

bool cst_h5_in_place(hid_t object, const char *name, bool text) {
  if (text || H5Aexists(object, name) <= 0)
    return text && width_of(object, name) > 0;
  hid_t a = H5Aopen(object, name, H5P_DEFAULT);
  hid_t t = H5Aget_type(a);
  bool  number = H5Tget_class(t) == H5T_FLOAT;
  H5Tclose(t);
  H5Aclose(a);
  return number;
}

bool cst_h5_put_number(hid_t object, const char *name, double value) {
  return put(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value, false);
}

/* The creation order of links is kept, and no times. */
static hid_t make_group(hid_t parent, const char *name) {
  hid_t list = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_obj_track_times(list, false);
  hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, list, H5P_DEFAULT);
  H5Pclose(list);
  return group;
}

hid_t cst_h5_make_group(hid_t file, const char *path) {
  hid_t group = H5Gopen2(file, "/", H5P_DEFAULT);
  for (const char *at = path; group >= 0 && *at;) {
    char   name[96];
    size_t n = strcspn(at, "/");
    if (n >= sizeof name)
      n = sizeof name - 1;
    memcpy(name, at, n);
    name[n] = 0;
    at += n + (at[n] == '/');
    if (!n)
      continue;
    hid_t  parent = group;
    htri_t there = H5Lexists(parent, name, H5P_DEFAULT);
    group = there > 0 ? H5Gopen2(parent, name, H5P_DEFAULT) : make_group(parent, name);
    H5Gclose(parent);
  }
  return group;
}

void cst_record_library(char *text, size_t n) {
  unsigned major, minor, release;
  H5get_libversion(&major, &minor, &release);
  snprintf(text, n, "HDF5 %u.%u.%u", major, minor, release);
}

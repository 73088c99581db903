/* layout.c: makes the contents of a result file: dimension scales at the root, and fields with their scales,
 * units and names. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/h5.h"
#include "core/need.h"
#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = CST_TYPE_TEXT + 1 };

typedef struct {
  hid_t group;
  char  path[96];
} open_group;

/* What new datasets share. */
typedef struct {
  hid_t       file;
  hid_t       type[TYPES], list[TYPES]; /* as stored, and how they are made; 0: not needed so far */
  open_group *group;                    /* [ngroup], those of the fields */
  int         ngroup, last;             /* last: of the field before this one */
  cst_scales *scales;
} maker;

/* Contiguous, with space on disk from the start, no times. The fill value is only declared here.
 * All ranks write it (record-make.c). */
static hid_t dataset_list(cst_type t) {
  static const double nan_value = NAN;
  static const long   minus_one = -1;
  hid_t               p = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_layout(p, H5D_CONTIGUOUS);
  H5Pset_alloc_time(p, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(p, H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(p, false);
  if (t == CST_TYPE_F64)
    H5Pset_fill_value(p, H5T_NATIVE_DOUBLE, &nan_value);
  else if (t != CST_TYPE_TEXT)
    H5Pset_fill_value(p, H5T_NATIVE_LONG, &minus_one);
  return p;
}

static void end(maker *m) {
  for (int i = 0; i < m->ngroup; i++)
    H5Gclose(m->group[i].group);
  for (int t = 0; t < TYPES; t++)
    if (m->list[t]) {
      H5Tclose(m->type[t]);
      H5Pclose(m->list[t]);
    }
  cst_scales_end(m->scales);
  free(m->group);
}

/* The group of a field: mostly that of the field before it. */
static hid_t enter_group(maker *m, const char *path) {
  open_group g;
  snprintf(g.path, sizeof g.path, "%.*s", (int)(strrchr(path, '/') - path), path);
  for (int i = 0; i < m->ngroup; i++, m->last++)
    if (!strcmp(g.path, m->group[m->last %= m->ngroup].path))
      return m->group[m->last].group;
  g.group = cst_h5_make_group(m->file, g.path);
  if (g.group >= 0) {
    m->last = m->ngroup;
    m->group[m->ngroup++] = g;
  }
  return g.group;
}

static hid_t make_dataset(maker *m, hid_t at, const char *name, cst_type t, int ndim,
                          const hsize_t *extent, char *why, int n) {
  if (!m->list[t]) {
    m->type[t] = cst_h5_file_type(t);
    m->list[t] = dataset_list(t);
  }
  hid_t space = ndim ? H5Screate_simple(ndim, extent, NULL) : H5Screate(H5S_SCALAR);
  hid_t d = H5Dcreate2(at, name, m->type[t], space, H5P_DEFAULT, m->list[t], H5P_DEFAULT);
  if (d < 0)
    cst_h5_reason(why, n, name);
  H5Sclose(space);
  return d;
}

static bool write_entries(hid_t d, const cst_dimension *dim) {
  cst_type t = dim->label ? CST_TYPE_TEXT : CST_TYPE_I64;
  char    *rows = malloc((size_t)dim->size * (dim->label ? CST_TEXT_WIDTH : sizeof(long)));
  hid_t    memory = cst_h5_memory_type(t);
  for (long i = 0; rows && i < dim->size; i++) {
    if (dim->label)
      cst_h5_pad(rows + i * CST_TEXT_WIDTH, CST_TEXT_WIDTH, dim->label[i]);
    else
      ((long *)(void *)rows)[i] = i;
  }
  bool ok = rows && H5Dwrite(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0;
  H5Tclose(memory);
  free(rows);
  return ok;
}

static hid_t make_scale(maker *m, const cst_dimension *dim, char *why, int n) {
  const cst_type t = dim->label ? CST_TYPE_TEXT : CST_TYPE_I64;
  const hsize_t  extent = (hsize_t)dim->size;
  hid_t          d = make_dataset(m, m->file, dim->name, t, 1, &extent, why, n);
  if (d < 0)
    return d;
  bool ok = H5DSset_scale(d, dim->name) >= 0 && cst_h5_add_text(d, "long_name", dim->doc) &&
            cst_h5_add_text(d, "units", "1");
  if (ok && dim->size)
    ok = write_entries(d, dim);
  if (ok)
    return d;
  cst_h5_reason(why, n, dim->name);
  H5Dclose(d);
  return -1;
}

bool cst_layout_scales(hid_t file, const cst_dimension *dim, int ndim, hid_t *scale, char *why,
                       int n) {
  maker m = {.file = file};
  bool  ok = true;
  for (int i = 0; ok && i < ndim; i++)
    ok = (scale[i] = make_scale(&m, &dim[i], why, n)) >= 0;
  end(&m);
  return ok;
}

/* A scale lists the fields that it is attached to, and nothing outside /run may change with a field of
 * /run: such a field is its own scale. */
static bool give_scales(const maker *m, hid_t d, const cst_field *f) {
  if (strncmp(f->path, "/run/", 5))
    return cst_scales_attach(m->scales, d, f->ndim, f->dim);
  return !f->ndim || H5DSset_scale(d, strrchr(f->path, '/') + 1) >= 0;
}

static hid_t make_field(maker *m, const cst_field *f, const cst_dimension *dim, char *why, int n) {
  hsize_t extent[CST_FIELD_DIMS] = {0};
  for (int k = 0; k < f->ndim; k++)
    extent[k] = (hsize_t)dim[f->dim[k]].size;
  hid_t g = enter_group(m, f->path);
  if (g < 0) {
    cst_h5_reason(why, n, f->path);
    return g;
  }
  hid_t d = make_dataset(m, g, strrchr(f->path, '/') + 1, f->type, f->ndim, extent, why, n);
  if (d < 0)
    return d;
  if (cst_h5_add_text(d, "long_name", f->doc) && cst_h5_add_text(d, "units", f->unit) &&
      give_scales(m, d, f))
    return d;
  cst_h5_reason(why, n, f->path);
  H5Dclose(d);
  return -1;
}

bool cst_layout_fields(hid_t file, const cst_field *field, int nfield, const cst_dimension *dim,
                       int ndim, const hid_t *scale, hid_t *dataset, char *why, int n) {
  maker m = {.file = file,
             .group = cst_zeros(nfield, sizeof *m.group),
             .scales = cst_scales_begin(scale, ndim, nfield)};
  bool  ok = true;
  for (int k = 0; ok && k < nfield; k++)
    ok = (dataset[k] = make_field(&m, &field[k], dim, why, n)) >= 0;
  if (ok && !cst_scales_write(m.scales)) {
    cst_h5_reason(why, n, "dimensions");
    ok = false;
  }
  end(&m);
  return ok;
}

/* "6 x 5 x 4" */
static const char *product(int ndim, const hsize_t *extent, char text[96]) {
  size_t n = (size_t)snprintf(text, 96, "%s", ndim ? "" : "a scalar");
  for (int k = 0; k < ndim && n < 96; k++) {
    const char *separator = k ? " x " : "";
    n += (size_t)snprintf(text + n, 96 - n, "%s%llu", separator, (unsigned long long)extent[k]);
  }
  return text;
}

static bool same_extents(hid_t d, const char *path, int ndim, const hsize_t *extent, char *why,
                         int n) {
  hsize_t there[H5S_MAX_RANK];
  char    found[96], wanted[96];
  hid_t   space = H5Dget_space(d);
  int     rank = H5Sget_simple_extent_dims(space, there, NULL);
  H5Sclose(space);
  bool same = rank == ndim && !memcmp(there, extent, sizeof *there * (size_t)ndim);
  if (!same)
    snprintf(why, (size_t)n, "%s has the extents %s, not %s", path, product(rank, there, found),
             product(ndim, extent, wanted));
  return same;
}

static hid_t find(hid_t file, const char *path, cst_type t, int ndim, const hsize_t *extent,
                  char *why, int n) {
  hid_t d = H5Dopen2(file, path, H5P_DEFAULT);
  if (d < 0) {
    snprintf(why, (size_t)n, "%s is not there", path);
    return d;
  }
  hid_t there = H5Dget_type(d);
  hid_t wanted = cst_h5_file_type(t);
  bool  same = H5Tequal(there, wanted) > 0;
  if (!same)
    snprintf(why, (size_t)n, "%s is of another type", path);
  H5Tclose(there);
  H5Tclose(wanted);
  if (same && same_extents(d, path, ndim, extent, why, n))
    return d;
  H5Dclose(d);
  return -1;
}

hid_t cst_layout_find_scale(hid_t file, const cst_dimension *dim, char *why, int n) {
  char    path[sizeof dim->name + 1];
  hsize_t extent = (hsize_t)dim->size;
  snprintf(path, sizeof path, "/%s", dim->name);
  return find(file, path, dim->label ? CST_TYPE_TEXT : CST_TYPE_I64, 1, &extent, why, n);
}

hid_t cst_layout_find_field(hid_t file, const cst_field *f, const cst_dimension *dim, char *why,
                            int n) {
  hsize_t extent[CST_FIELD_DIMS] = {0};
  for (int k = 0; k < f->ndim; k++)
    extent[k] = (hsize_t)dim[f->dim[k]].size;
  return find(file, f->path, f->type, f->ndim, extent, why, n);
}

static bool valid_field(const cst_field *f, int ndim, char *why, int n) {
  size_t length = strlen(f->path);
  size_t room = (size_t)n;
  if (f->path[0] != '/' || length < 2 || f->path[length - 1] == '/') {
    snprintf(why, room, "field path \"%s\" is not /name or /group/name", f->path);
    return false;
  }
  if (f->ndim < 0 || f->ndim > CST_FIELD_DIMS) {
    snprintf(why, room, "%s: %d dimensions; 0 to %d are allowed", f->path, f->ndim, CST_FIELD_DIMS);
    return false;
  }
  for (int k = 0; k < f->ndim; k++) {
    if (f->dim[k] >= 0 && f->dim[k] < ndim)
      continue;
    snprintf(why, room, "%s: no dimension %d; there are %d", f->path, f->dim[k], ndim);
    return false;
  }
  return true;
}

bool cst_layout_valid(const cst_dimension *dim, int ndim, const cst_field *field, int nfield,
                      char *why, int n) {
  for (int i = 0; i < ndim; i++) {
    size_t length = strlen(dim[i].name);
    if (!length || strchr(dim[i].name, '/')) {
      snprintf(why, (size_t)n, "dimension name \"%s\": one word without / is allowed", dim[i].name);
      return false;
    }
    if (dim[i].size < 0) {
      snprintf(why, (size_t)n, "dimension %s has size %ld", dim[i].name, dim[i].size);
      return false;
    }
    for (int k = 0; k < nfield; k++)
      if (!strncmp(field[k].path + 1, dim[i].name, length) &&
          (field[k].path[length + 1] == '/' || !field[k].path[length + 1])) {
        snprintf(why, (size_t)n, "%s: /%s is the scale of a dimension already", field[k].path,
                 dim[i].name);
        return false;
      }
  }
  for (int k = 0; k < nfield; k++) {
    if (!valid_field(&field[k], ndim, why, n))
      return false;
    for (int i = 0; i < k; i++)
      if (!strcmp(field[i].path, field[k].path)) {
        snprintf(why, (size_t)n, "%s: appears twice", field[k].path);
        return false;
      }
  }
  return true;
}

size_t cst_record_width(cst_type type) {
  static const size_t width[] = {[CST_TYPE_F64] = 8,
                                 [CST_TYPE_I64] = 8,
                                 [CST_TYPE_I32] = 4,
                                 [CST_TYPE_I8] = 1,
                                 [CST_TYPE_TEXT] = CST_TEXT_WIDTH};
  return width[type];
}

double cst_record_bytes(const cst_dimension *dim, int ndim, const cst_field *field, int nfield) {
  double sum = 0;
  for (int i = 0; i < ndim; i++)
    sum +=
        (double)dim[i].size * (double)cst_record_width(dim[i].label ? CST_TYPE_TEXT : CST_TYPE_I64);
  for (int k = 0; k < nfield; k++) {
    const cst_record_rows *rows = field[k].rows;
    double                 one = (double)cst_record_width(field[k].type), some = 0;
    for (int i = rows ? 2 : 0; i < field[k].ndim; i++)
      one *= (double)dim[field[k].dim[i]].size;
    for (int i = 0; rows && i < rows->n; i++)
      some += (double)rows->count[i];
    sum += rows ? one * some : one;
  }
  return sum;
}

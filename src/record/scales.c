/* scales.c: attaches dimension scales to fields (see h5.h).
 *
 * The attributes are those of the HDF5 Dimension Scale Specification: DIMENSION_LIST of a field has, for each
 * of its dimensions, references to its scales; REFERENCE_LIST of a scale has references to its fields, each
 * with the number of the dimension. H5DSattach_scale writes the same, but reads, deletes and makes the list of
 * the scale once more for every field, so that each field costs more than the one before it.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/h5.h"
#include "core/need.h"
#include <hdf5_hl.h>
#include <stdlib.h>

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

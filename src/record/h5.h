/* h5.h: private to src/record: functions on HDF5 that the writer and the reader of result files share. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_H5_H
#define CST_H5_H
#include <hdf5.h>
#include "constella/record.h"

#ifndef H5_HAVE_PARALLEL
#error this HDF5 was built without MPI; Constella needs a parallel one
#endif

enum {
  CST_STATE_WIDTH = 16
}; /* bytes of the attribute /run state: fixed, so that it changes in place */

void  cst_h5_quiet(void); /* no error stacks on stderr; also starts the library */
void  cst_h5_reason(char *why, int n,
                    const char *what); /* "what: innermost reason of the last failed call" */
hid_t cst_h5_text(size_t width); /* UTF-8 text, null padded; width 0: variable length. Close it. */
hid_t cst_h5_file_type(cst_type t);   /* as stored: little-endian; close it */
hid_t cst_h5_memory_type(cst_type t); /* as in cst_record_write; close it */
/* Writes text into width bytes, null padded, cut between two characters. */
void cst_h5_pad(char *row, size_t width, const char *text);
/* Width as in cst_h5_text. An existing fixed text keeps its width and is changed in place; another attribute
 * of this name is replaced. */
bool cst_h5_put_text(hid_t object, const char *name, size_t width, const char *text);
/* The same as text of variable length, for an object that has no such attribute. */
bool cst_h5_add_text(hid_t object, const char *name, const char *text);
bool cst_h5_put_number(hid_t object, const char *name, double value); /* in place where it exists */
hid_t cst_h5_make_group(
    hid_t       file,
    const char *path); /* opens path, makes it and its parents where missing; close it */

/* driver.c: how a result is opened for writing; close it. HDF5 does not see writes that fail: the first errno
 * since the last cst_driver_access, or 0. */
hid_t cst_driver_access(void);
int   cst_driver_failure(void);
void  cst_driver_seal(void); /* behind the first flush: HDF5 cuts nothing off any more */

/* h5.c: whether no link and no dataset of the file leads to another file; else false with the reason in
 * why[n]. */
bool cst_inside_check(hid_t file, char *why, int n);

/* Whether the attribute can change in place: it is a fixed text, or a number. */
bool cst_h5_in_place(hid_t object, const char *name, bool text);

/* record-make.c: attaches dimension scales to fields, and writes into each scale, once, what it is attached to. */
typedef struct cst_scales cst_scales;
/* scale[n], borrowed: datasets that H5DSset_scale has made scales; for at most nfield fields. */
cst_scales *cst_scales_begin(const hid_t *scale, int n, int nfield);
/* Dimension k of a new field has the scale dim[k]. */
bool cst_scales_attach(cst_scales *s, hid_t field, int ndim, const int *dim);
bool cst_scales_write(const cst_scales *s);
void cst_scales_end(cst_scales *s); /* NULL is allowed */

/* layout.c: makes dimension scales at the root with their entries, then all fields with their scales, units and
 * long names. The datasets are open then; those that were not made are left as they are. False with the reason in
 * why[n]. */
bool cst_layout_scales(hid_t file, const cst_dimension *dim, int ndim, hid_t *scale, char *why,
                       int n);
bool cst_layout_fields(hid_t file, const cst_field *field, int nfield, const cst_dimension *dim,
                       int ndim, const hid_t *scale, hid_t *dataset, char *why, int n);
/* One of these in an existing file: opens what is there, and compares its type and extents with the given ones.
 * Returns the dataset, or a negative number with the reason in why[n]. */
hid_t cst_layout_find_scale(hid_t file, const cst_dimension *d, char *why, int n);
hid_t cst_layout_find_field(hid_t file, const cst_field *f, const cst_dimension *dim, char *why,
                            int n);
bool  cst_layout_valid(const cst_dimension *dim, int ndim, const cst_field *field, int nfield,
                       char *why, int n);
#endif

/* inside.c: whether all of an HDF5 file lies in that file. A result is one file. A link or a dataset that
 * leads to another file comes from elsewhere, and could bring the contents of private files into a page or a
 * table, or wait for a pipe for ever.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/h5.h"
#include <stdio.h>

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

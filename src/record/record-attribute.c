/* record-attribute.c: attributes of a result, which rank 0 writes: texts and numbers, of which some can change
 * in place later. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/record-internal.h"
#include <stdio.h>
#include <string.h>

/* The group or dataset of an attribute; makes a missing group. After the first flush only /run, for
 * attributes that change in place: text or number. */
static hid_t carrier(cst_record *r, const char *path, const char *name, bool text) {
  hid_t o = H5Oopen(r->file, path, H5P_DEFAULT);
  if (!r->sealed) {
    o = o >= 0 ? o : cst_h5_make_group(r->file, path);
    r->broken |= o < 0;
    return o;
  }
  if (o >= 0 && !strcmp(path, "/run") && cst_h5_in_place(o, name, text))
    return o;
  if (o >= 0)
    H5Oclose(o);
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
  if (o >= 0)
    H5Oclose(o);
}

void cst_record_text(cst_record *r, const char *group, const char *name, const char *text) {
  hid_t o = r->rank > 0 ? -1 : carrier(r, group, name, true);
  if (o < 0)
    return;
  keep(r, cst_h5_put_text(o, name, CST_NOTE_WIDTH, text), name);
  H5Oclose(o);
}

void cst_record_number(cst_record *r, const char *group, const char *name, double value) {
  hid_t o = r->rank > 0 ? -1 : carrier(r, group, name, false);
  if (o < 0)
    return;
  keep(r, cst_h5_put_number(o, name, value), name);
  H5Oclose(o);
}

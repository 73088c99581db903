/* record-attribute.c: attributes of a result, which rank 0 writes: texts and numbers, of which some can change
 * in place later. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/record-internal.h"
#include <stdio.h>
#include <string.h>

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

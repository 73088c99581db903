/* catalogue.c: the systems that are part of the program: their texts are embedded, read like any other, and
 * have compiled kernels. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "core/boundary.h"
#include "core/lane-form.h"
#include "system/internal.h"

/* Systems whose motion is known from every start. */
static const struct {
  const char *name;
  cst_exact  *motion;
} exact[] = {
    {"planar-pendulum", cst_planar_pendulum_exact},
};

int         cst_catalogue_size(void) { return cst_catalogue_count; }
const char *cst_catalogue_name(int i) {
  return i < 0 || i >= cst_catalogue_count ? NULL : cst_catalogue_entries[i].name;
}

const char *const *cst_catalogue_names(void) {
  static const char **names;
  if (names)
    return names;
  names = cst_need(malloc(sizeof *names * (size_t)(cst_catalogue_count + 1)));
  for (int i = 0; i < cst_catalogue_count; i++)
    names[i] = cst_catalogue_entries[i].name;
  return names;
}

static const cst_catalogue_entry *find(const char *name) {
  for (int i = 0; i < cst_catalogue_count; i++)
    if (!strcmp(cst_catalogue_entries[i].name, name))
      return &cst_catalogue_entries[i];
  return NULL;
}

const char *cst_catalogue_text(const char *name) {
  CST_REQUIRE(name, NULL);
  const cst_catalogue_entry *e = find(name);
  return e ? e->text : NULL;
}

/* The build has already read the text: an error here is a bug. */
static cst_system *read_entry(const cst_catalogue_entry *e) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read(e->name, e->text, strlen(e->text), NULL, 0, d);
  if (!s) {
    cst_diag_print(d, stderr);
    abort();
  }
  cst_diag_destroy(d);
  return s;
}

cst_system *cst_catalogue_create(const char *name) {
  CST_REQUIRE(name, NULL);
  const cst_catalogue_entry *e = find(name);
  if (!e)
    return NULL;
  cst_system *s = read_entry(e);
  for (int i = 0; i < cst_isa_count; i++)
    cst_system_attach(s, i, cst_lane_kernels(i, name));
  cst_system_owned *owned = s->owned;
  memset(owned->looks, true, sizeof owned->looks);
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
    if (!strcmp(exact[i].name, name))
      s->exact = exact[i].motion;
  return s;
}

/* file-relax.c: the key `relax` of `initial`: relax the start before the run (relax.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "method/method.h"
#include "study/file/reader.h"

static cst_method *method(cst_reader *r, cst_yaml *n) {
  cst_expr_error error;
  char           why[400];
  const char    *text = cst_reader_text(r, n, "method", "a method such as rattle");
  cst_method    *m = text ? cst_method_parse(text, r->layers, &error) : NULL;
  if (text && !m)
    cst_yaml_error_at(r->doc, n, error.offset, r->d, "%s", error.message);
  if (!m)
    return NULL;
  const bool noise = cst_method_has_noise(m);
  if (!noise && (!r->s->system || cst_method_fits(m, r->s->system, why, sizeof why)))
    return m;
  if (noise)
    snprintf(why, sizeof why, "'%.200s' has noise; 'relax' needs a method without noise",
             cst_method_label(m));
  cst_yaml_error(r->doc, n, r->d, "%s", why);
  cst_method_destroy(m);
  return NULL;
}

static bool positive(cst_reader *r, cst_yaml *n, const char *what, double *out) {
  if (!cst_reader_number(r, n, what, out))
    return false;
  if (*out > 0 && isfinite(*out))
    return true;
  cst_yaml_error(r->doc, n, r->d, "'%s' is %s; it must be a positive number", what,
                 cst_reader_shortest(*out));
  return false;
}

void cst_file_relax(cst_reader *r, cst_yaml *n) {
  cst_study *s = r->s;
  if (!n || !cst_reader_keys(r, n, "relax", "initial.relax", CST_KEYS_ALL))
    return;
  if (s->system && s->system->driven)
    cst_yaml_error(r->doc, n, r->d,
                   "'relax' brings a start to rest, and the constraint '%s' of %s depends on t: "
                   "what is at rest on it at a later time is not at the start",
                   s->system->family[s->system->driven_name[0]].name, s->system->name);
  cst_yaml *end = cst_reader_required(r, n, "relax", "end");
  s->relax_method = method(r, cst_reader_required(r, n, "relax", "method"));
  const bool step_known =
      positive(r, cst_reader_required(r, n, "relax", "step"), "step", &s->relax_step);
  const bool end_known = positive(r, end, "end", &s->relax_end);
  s->state = -1; /* no exact motion is known from the relaxed state */
  if (!step_known || !end_known)
    return;
  const double steps = round(s->relax_end / s->relax_step);
  const bool   whole = fabs(steps * s->relax_step - s->relax_end) <= 1e-9 * s->relax_end;
  if (steps < 1 || steps > 1e9 || !whole)
    cst_yaml_error(r->doc, end, r->d,
                   "'end' is %s; it must be a whole number of steps of %s, from 1 to 1e9",
                   cst_reader_shortest(s->relax_end), cst_reader_shortest(s->relax_step));
}

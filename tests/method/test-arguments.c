/* test-arguments.c: the arguments of every method, by their rows: values at the bounds and beyond them, values of other
 * types, defaults written out, and the signature. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"
#include "core/text.h"

enum { STEPS = 3, ROOM = 400 };

/* What numbers may be: a bound that changes in a row has to change here as well. */
static const char *const ranges[] = {
    "newmark beta number of at least 0",
    "newmark gamma number from 0 to 1",
    "newmark iterations integer from 1 to 100",
    "pushforward-newmark beta number of at least 0",
    "zhang-skeel beta number of at least 0",
    "lagrange-dalembert bias number from -1 to 0",
    "convert bias number from -1 to 0",
    "radau s integer from 1 to 4",
    "bdf k integer from 1 to 5",
    "gauss s integer from 1 to 16",
    "taylor p integer from 1 to 12",
    "taylor-curve p integer from 1 to 4",
    "hbvm k integer from 1 to 64",
    "hbvm s integer from 1 to k",
    "langevin friction number of at least 0",
    "langevin coefficient number of at least 0",
    "langevin inverse-temperature number above 0",
    "baoab friction number of at least 0",
    "baoab inverse-temperature number above 0",
    "baoab drifts integer from 1 to 100",
    "baumgarte alpha number of at least 0",
    "baumgarte beta number of at least 0",
    "penalty omega number above 0",
    "penalty average number of at least 0",
    "staged theta number above 0 and below 1",
    "discretization theta number from 0 to 1",
    "lie-discretization theta number from 0 to 1",
    "lie-generalized-alpha rho number from 0 to 1",
    "generalized-alpha rho number from 0 to 1",
    "hht alpha number from 0 to 1/3",
    "semi-implicit-euler erp number from 0 to 1",
    "linearly-implicit-euler erp number from 0 to 1",
    "dopri5 tolerance number from 1e-15 to 1",
    "vakonomic multiplier number",
};

static bool is_by_place(const cst_key *k) { return (k->forms & CST_BY_PLACE) != 0; }

static bool is_number(const cst_key *k) {
  return k->value.type == CST_VALUE_NUMBER || k->value.type == CST_VALUE_INTEGER;
}

/* ---- examples with another value ------------------------------------------------------------- */

/* Where the value of the argument is in its row's example: [*from, *to). */
static bool find_value(const cst_key *k, int *from, int *to) {
  char        key[60];
  const char *text = k->example;
  snprintf(key, sizeof key, "%s=", k->key);
  const char *at = is_by_place(k) ? strchr(text, '(') : strstr(text, key);
  if (!at)
    return false;
  *from = (int)(at - text) + (is_by_place(k) ? 1 : (int)strlen(key));
  int depth = 0, i = *from;
  for (; text[i] && (depth || !strchr(",)", text[i])); i++)
    depth += (strchr("([{", text[i]) != NULL) - (strchr(")]}", text[i]) != NULL);
  *to = i;
  return true;
}

static const char *with(const cst_key *k, const char *value) {
  static char text[ROOM];
  int         from, to;
  if (!find_value(k, &from, &to))
    return "";
  snprintf(text, sizeof text, "%.*s%s%s", from, k->example, value, k->example + to);
  return text;
}

/* The example without the named argument. */
static const char *without(const cst_key *k) {
  static char text[ROOM];
  int         from, to;
  if (!find_value(k, &from, &to))
    return "";
  from -= (int)strlen(k->key) + 1;
  const bool first = k->example[from - 1] == '(', last = k->example[to] == ')';
  if (!first || last)
    from -= first ? 1 : 2;
  to += first && last ? 1 : first ? 2 : 0;
  snprintf(text, sizeof text, "%.*s%s", from, k->example, k->example + to);
  return text;
}

static void accepted(const char *text) {
  cst_expr_error e = {0};
  cst_method    *m = cst_method_parse(text, NULL, &e);
  if (!OK(m != NULL, "accepted: %s", text))
    NOTE("%s", e.message);
  cst_method_destroy(m);
}

static void refused(const char *text, const char *words) {
  cst_expr_error e = {.offset = -1};
  cst_method    *m = *text ? cst_method_parse(text, NULL, &e) : NULL;
  if (!OK(!m && e.offset > 0 && strstr(e.message, words), "refused: %s: %s", text, words))
    NOTE("%s", m ? "accepted" : e.message);
  cst_method_destroy(m);
}

/* ---- bounds, types --------------------------------------------------------------------------- */

/* At a bound, which is excluded or not, and next to it on both sides. */
static void test_bound(const cst_key *k, const char *type, double bound, bool excluded,
                       double outwards) {
  const bool   whole = k->value.type == CST_VALUE_INTEGER;
  char         text[40], name[40];
  const double out = whole ? bound + outwards : nextafter(bound, outwards * INFINITY);
  const double in = whole ? bound - outwards : nextafter(bound, -outwards * INFINITY);
  snprintf(text, sizeof text, "%.17g", bound);
  if (excluded)
    refused(with(k, text), type);
  else
    accepted(with(k, text));
  snprintf(text, sizeof text, "%.17g", out);
  refused(with(k, text), type);
  snprintf(text, sizeof text, "%.17g", in);
  accepted(with(k, text));
  if (!k->type)
    OK(strstr(type, cst_text_number(bound, name, sizeof name)) != NULL, "%s: %s has the bound %s",
       k->key, type, name);
}

static void test_range(const char *method, const cst_key *k) {
  char             line[ROOM], room[200];
  const cst_value *v = &k->value;
  const char      *type = cst_key_type(k, room, sizeof room);
  int              found = 0;
  snprintf(line, sizeof line, "%s %s %s", method, k->key, type);
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    found += !strcmp(ranges[i], line);
  OK(found == 1, "%s is as it should be", line);
  if (v->low == 0 && v->high == 0)
    return;
  if (v->low > -CST_NO_LIMIT)
    test_bound(k, type, v->low, v->above, -1);
  if (v->high < CST_NO_LIMIT)
    test_bound(k, type, v->high, v->below, 1);
  if (v->type == CST_VALUE_INTEGER)
    refused(with(k, "1.5"), type);
}

/* A value of none of the types that an argument has. */
static void test_types(const cst_key *k) {
  const bool term = k->value.type == CST_VALUE_METHOD || k->value.type == CST_VALUE_LAYER ||
                    k->value.type == CST_VALUE_TABLEAU;
  char        room[200];
  const char *type =
      is_number(k) || k->value.type == CST_VALUE_CHOICE ? cst_key_type(k, room, sizeof room) : "";
  refused(with(k, "[1]"), type);
  refused(with(k, "no-such-word"), type);
  if (term)
    refused(with(k, "3"), "expected a method");
  if (k->value.type == CST_VALUE_LAYER || k->value.type == CST_VALUE_TABLEAU)
    refused(with(k, "rattle"), "is not a layer");
  if (k->value.type == CST_VALUE_TABLEAU)
    refused(with(k, "taylor(3)"), "a layer with a tableau");
  /* form=newmark has no rho, which the example has */
  for (int i = 0; k->value.type == CST_VALUE_CHOICE && k->value.words[i]; i++)
    if (strcmp(k->value.words[i], "newmark"))
      accepted(with(k, k->value.words[i]));
}

/* ---- what values do -------------------------------------------------------------------------- */

static problem *stepped_by(const char *method) {
  static const char *const names[] = {"spherical-pendulum", "henon-heiles", "lagrange-top",
                                      "nonholonomic-oscillator"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    problem *x = problem_open(names[i]);
    if (fits(x, method))
      return x;
    problem_close(x);
  }
  return NULL;
}

/* q and p after a few steps, of the second of two lanes. */
static bool steps_to(const problem *x, const char *method, double *q, double *p) {
  run r;
  run_open(&r, x, method, 2);
  run_start(&r, 2);
  run_go(&r, 0.01, STEPS);
  run_carried(&r, 1, q, p);
  const bool good = run_well(&r, 2);
  run_close(&r);
  return good && isfinite(norm(q, x->s->nq)) && isfinite(norm(p, x->s->nq));
}

static cst_properties properties_of(const problem *x, const char *method) {
  cst_method          *m = method_of(method);
  const cst_properties has = cst_method_properties(m, x->s);
  cst_method_destroy(m);
  return has;
}

static bool agree(const cst_properties *a, const cst_properties *b) {
  return a->order_q == b->order_q && a->order_p == b->order_p &&
         a->order_lambda == b->order_lambda && a->claims == b->claims &&
         a->lambda_time == b->lambda_time && a->own_lambda == b->own_lambda &&
         a->first_impulse == b->first_impulse && a->tangential == b->tangential &&
         a->order_measure == b->order_measure && a->mean == b->mean;
}

static void test_same(const char *one, const char *other) {
  problem *x = *one && *other ? stepped_by(other) : NULL;
  double   q[2][CST_MAX_Q], p[2][CST_MAX_Q];
  if (!OK(x && fits(x, one), "a system for %s and %s", one, other))
    return;
  const cst_properties has[2] = {properties_of(x, one), properties_of(x, other)};
  const size_t         size = sizeof(double) * (size_t)x->s->nq;
  OK(agree(&has[0], &has[1]), "%s and %s have the same properties", one, other);
  OK(steps_to(x, one, q[0], p[0]) && steps_to(x, other, q[1], p[1]) && !memcmp(q[0], q[1], size) &&
         !memcmp(p[0], p[1], size),
     "%s and %s have the same bits", one, other);
  problem_close(x);
}

/* The default written out is the method without it. */
static void test_default(const cst_key *k) { test_same(with(k, k->standard), without(k)); }

/* Named arguments may come first. */
static void test_order(const cst_key *k) {
  char        text[ROOM];
  int         from, to;
  const char *example = k->example;
  find_value(k, &from, &to);
  if (example[to] != ',')
    return;
  const int rest = (int)strlen(example) - 1 - (to + 2);
  snprintf(text, sizeof text, "%.*s%.*s, %.*s)", from, example, rest, example + to + 2, to - from,
           example + from);
  test_same(text, example);
}

/* Tables of coefficients reach as far as the numbers that choose from them. */
static void test_reach(const cst_key *k) {
  for (int side = 0; side < 2; side++) {
    char   text[40];
    double q[CST_MAX_Q], p[CST_MAX_Q];
    snprintf(text, sizeof text, "%g", side ? k->value.high : k->value.low);
    const char *method = with(k, text);
    problem    *x = stepped_by(method);
    OK(x && steps_to(x, method, q, p), "%s takes steps", method);
    if (x)
      problem_close(x);
  }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool has_plain_default(const cst_key *k) {
  const bool own = k->value.type == CST_VALUE_OWN && k->standard && strcmp(k->standard, "none");
  return k->standard && !is_by_place(k) && !k->value.rule &&
         (own || is_number(k) || k->value.type == CST_VALUE_CHOICE);
}

static void test_row(const cst_method_info *m, const cst_key *k) {
  int from, to;
  OK(*k->key && *k->doc && find_value(k, &from, &to) &&
         !strncmp(k->example, m->name, strlen(m->name)),
     "%s: the row of %s is complete", m->name, k->key);
  accepted(k->example);
  test_types(k);
  if (is_number(k))
    test_range(m->name, k);
  if (k->value.type == CST_VALUE_INTEGER && k->value.high < CST_NO_LIMIT)
    test_reach(k);
  if (has_plain_default(k))
    test_default(k);
  if (is_by_place(k))
    test_order(k);
}

/* The signature that follows from the rows: what is required, and defaults that are values. */
static void test_signature(const cst_method_info *m, const cst_key *rows) {
  char   text[ROOM];
  size_t n = (size_t)snprintf(text, sizeof text, "%s(", m->name);
  for (const cst_key *k = rows; k->key; k++) {
    const bool  required = !k->standard || !strncmp(k->standard, "required", 8);
    const char *comma = text[n - 1] == '(' ? "" : ", ";
    if (is_by_place(k))
      n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", comma, k->key);
    else if (required || has_plain_default(k))
      n += (size_t)snprintf(text + n, sizeof text - n, "%s%s=%s", comma, k->key,
                            required ? "" : k->standard);
  }
  snprintf(text + n, sizeof text - n, ")");
  /* discretization has one for each of the arguments that exclude each other */
  if (!strstr(m->signature, " or "))
    OK(!strcmp(text, m->signature), "%s: the signature is %s", m->name, text);
}

static void tests(void) {
  for (int i = 0; i < cst_method_count(); i++) {
    const cst_method_info *m = cst_method_info_at(i);
    const cst_method_row  *row = cst_method_row_find(m->name);
    for (const cst_key *k = row->arguments; k && k->key; k++)
      test_row(m, k);
    if (row->arguments)
      test_signature(m, row->arguments);
    else
      OK(row->check || !strchr(m->signature, '('), "%s: no argument without a row", m->name);
  }
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

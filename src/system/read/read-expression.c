/* read-expression.c: the expressions of a description, the names they may use, those of the key `define` among
 * them, and lists with one entry per name. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <math.h>
#include <string.h>
#include "core/text.h"
#include "expr/budget.h"
#include "expr/define.h"
#include "expr/edge-table.h"
#include "system/read/system-reader.h"

/* ---- expressions ----------------------------------------------------------------------------- */

/* EFFORT: the least cost of an expression, in characters; WHAT: length of the text that names an expression;
 * LEAST_PAIRS: the smallest double sum that is not written out. */
enum { EFFORT = 16, CHARACTERS_PER_NODE = 4, WHAT = 200, LEAST_PAIRS = 16 };

cst_scope cst_read_constants(cst_reading *r) {
  return (cst_scope){r->names + 1, cst_system_named(r->s)};
}
cst_scope cst_read_motion(cst_reading *r) {
  return (cst_scope){r->timed + 1, 1 + cst_system_named(r->s)};
}
cst_scope cst_read_positions(cst_reading *r) {
  cst_system *s = r->s;
  return (cst_scope){r->names + 1, cst_system_named(s) + s->description->ncoordinate};
}

/* The scope `in` with one more name in front. */
cst_scope cst_read_with(const cst_reading *r, cst_scope in, const char *variable, int value) {
  in.names[-1] =
      (cst_binding){.name = variable, .node = cst_graph_constant(r->s->model->graph, value)};
  return (cst_scope){in.names - 1, in.n + 1};
}

static double most_text(const cst_reading *r) {
  return fmax(CST_READING_TEXT, (double)CST_READING_TEXT_EACH * r->s->nq);
}

double cst_read_part(const cst_reading *r) {
  const double text = (r->text + cst_parse_effort(r->s->model->graph)) / most_text(r);
  return fmax(text, cst_graph_part(r->s->model->graph));
}

/* The first ones may take more than the others: only several times what is allowed is too much. */
bool cst_read_foresee(cst_reading *r, cst_yaml *n, double before, int done, int of) {
  enum { MANY = 100000, PART = 1000 };
  static const double several = 2.5;
  if (of < MANY || done != of / PART || !cst_read_goes_on(r))
    return true;
  const double all = before + (cst_read_part(r) - before) * of / done;
  if (all <= several)
    return true;
  r->stopped = true;
  cst_yaml_error(
      r->doc, n, r->d,
      "the description is too large: with its arrays written out, %d expressions like the "
      "first %d of them take %.2g times what is allowed",
      of, done, all);
  return false;
}

int cst_read_most_constraints(const cst_reading *r) {
  return r->s->nq > CST_READING_CONSTRAINTS ? r->s->nq : CST_READING_CONSTRAINTS;
}

void cst_read_expect(cst_reading *r) {
  cst_graph_expect(r->s->model->graph, r->s->nq);
  cst_graph_allow(r->s->model->graph,
                  fmax(CST_READING_WORK, (double)CST_READING_WORK_EACH * r->s->nq));
}

/* Charges an expression of this length; reports an error once the limit is exceeded. */
static bool afford(cst_reading *r, cst_yaml *n, size_t length) {
  if (!cst_read_goes_on(r))
    return false;
  r->text += (double)length + EFFORT;
  cst_graph_spend(r->s->model->graph, (double)length / CHARACTERS_PER_NODE);
  if (r->text + cst_parse_effort(r->s->model->graph) <= most_text(r))
    return true;
  r->stopped = true;
  cst_yaml_error(
      r->doc, n, r->d,
      "the description is too long: with its arrays written out, all expressions together may "
      "have %.0f characters",
      most_text(r));
  return false;
}

/* Whether the message is about a velocity, "unknown name 'x''; ...", or about a definition that depends on
 * one, "it depends on x'; ..." (cst_parse_foreign). */
static bool is_about_velocity(const char *message) {
  static const char named[] = "unknown name '", used[] = "it depends on ";
  const char       *name = strstr(message, named);
  const char       *end = name ? strchr(name, ';') : NULL;
  if (end)
    return end - name > (long)sizeof named && end[-1] == '\'' && end[-2] == '\'';
  name = strstr(message, used);
  end = name ? strchr(name, ';') : NULL;
  return end && end[-1] == '\'';
}

/* Where a velocity may stand, if the expression named one; else "". */
static const char *place_of_velocity(const char *what, const char *message) {
  if (!is_about_velocity(message))
    return "";
  return cst_text_begins(what, "constraint")
             ? "; a constraint on velocities belongs to the key `nonholonomic`"
         : !strcmp(what, "potential")
             ? "; a force that depends on velocities belongs to the key `forces`"
             : "";
}

/* Where a text must be continuous (0), or have a continuous gradient (1). */
static const struct {
  const char *what;
  int         smooth;
} places[] = {{"potential", 0},  {"stiff", 0},        {"mass", 0},
              {"gyroscopic", 0}, {"nonholonomic", 0}, {"constraint", 1}};

/* The first word in the text that makes it less smooth than `least`; 0: it is inside a definition. */
static int place_of_piece(const char *text, int least) {
  static const char *const words[] = {"step(", "sign(", "abs(", "min(", "max("};
  const int                n = least > CST_KINKS ? 5 : 2;
  const char              *first = NULL;
  for (int i = 0; i < n; i++) {
    const char *at = strstr(text, words[i]);
    while (at && at > text && strchr("_abcdefghijklmnopqrstuvwxyz", at[-1]))
      at = strstr(at + 1, words[i]); /* the end of another word, smoothstep( */
    if (at && (!first || at < first))
      first = at;
  }
  return first ? (int)(first - text) : 0;
}

static cst_node check_smooth(cst_reading *r, cst_yaml *n, const char *what, cst_node node) {
  const int smooth = node < 0 ? INT_MAX : cst_graph_smoothness(r->s->model->graph, node);
  int       least = CST_JUMPS;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (cst_text_begins(what, places[i].what))
      least = places[i].smooth;
  if (smooth >= least)
    return node;
  cst_yaml_error_at(r->doc, n, place_of_piece(cst_yaml_text(n), least), r->d,
                    least == CST_KINKS
                        ? "%s: it jumps, by step or sign, which forces alone may; abs, min, max, "
                          "ramp and smoothstep are continuous"
                        : "%s: its gradient jumps, by step, sign, abs, min or max; those of ramp "
                          "and smoothstep are continuous",
                    what);
  return -1;
}

/* An error of a `what` that is due to the numbers of a row. */
static void tell_row(const cst_reading *r, const char *what, const cst_expr_error *error) {
  const cst_edge_table *t = error->table;
  int                   line, at;
  cst_edge_table_place(t, error->row, error->column, &line, &at);
  cst_diag_add(r->d, t->file, line, at, "%s: %s", what, error->message);
}

static cst_node parse(cst_reading *r, cst_yaml *n, int offset, const char *text, cst_scope in,
                      const char *what) {
  cst_system    *s = r->s;
  cst_expr_error error;
  if (!afford(r, n, strlen(text)))
    return -1;
  cst_node node =
      r->table ? cst_expr_parse_row(s->model->graph, text, in.names, in.n, r->table, r->row, &error)
               : cst_expr_parse(s->model->graph, text, in.names, in.n, &error);
  if (node < 0 && error.table)
    tell_row(r, what, &error);
  else if (node < 0)
    cst_yaml_error_at(r->doc, n, offset + error.offset, r->d, "%s: %s%s", what, error.message,
                      place_of_velocity(what, error.message));
  r->stopped |= cst_graph_spent(s->model->graph);
  return node;
}

/* Double sums become sums over pairs of the system if they are summands and nothing depends on t; else they
 * are written out. */
cst_node cst_read_potential_expression(cst_reading *r, cst_yaml *n) {
  cst_system     *s = r->s;
  cst_pair_sums   sums = {.array = 'q', .least = LEAST_PAIRS};
  const cst_scope in = cst_read_positions(r);
  if (!cst_yaml_is_scalar(n) || !afford(r, n, strlen(cst_yaml_text(n))))
    return cst_read_expression(r, n, cst_read_timed(r), "potential");
  cst_node V = cst_expr_parse_pairs(s->model->graph, cst_yaml_text(n), in.names, in.n, NULL, &sums);
  if (V >= 0 && sums.n)
    V = cst_pairs_take(s, &sums, V);
  else
    V = -1;
  cst_parse_pair_sums_destroy(&sums);
  if (V >= 0)
    return check_smooth(r, n, "potential", V);
  return cst_read_expression(r, n, cst_read_timed(r), "potential");
}

cst_node cst_read_expression(cst_reading *r, cst_yaml *n, cst_scope in, const char *what) {
  if (cst_yaml_is_scalar(n))
    return check_smooth(r, n, what, parse(r, n, 0, cst_yaml_text(n), in, what));
  cst_yaml_error(r->doc, n, r->d, "%s must be a number or an expression", what);
  return -1;
}

bool cst_read_whole(cst_reading *r, cst_yaml *n, int offset, const char *text, int length,
                    const char *what, int least, int most, int *value) {
  char    *part = cst_need(strndup(text, (size_t)length));
  double   x = 0;
  cst_node node = parse(r, n, offset, part, cst_read_constants(r), what);
  bool     constant = node >= 0 && cst_graph_is_constant(r->s->model->graph, node, &x);
  bool     good = constant && x == floor(x) && x >= least && x <= most;
  offset += (int)strspn(part, " \n");
  free(part);
  if (good)
    *value = (int)x;
  if (good || node < 0)
    return good;
  if (constant)
    cst_yaml_error_at(r->doc, n, offset, r->d,
                      "%s is %.17g; it must be a whole number from %d to %d", what, x, least, most);
  else
    cst_yaml_error_at(r->doc, n, offset, r->d,
                      "%s must be a whole number: an expression of numbers and size parameters",
                      what);
  return false;
}

cst_entries cst_read_coordinate_entries(const cst_reading *r) {
  const cst_system *s = r->s;
  return (cst_entries){r->array ? "name of 'coordinates'" : "coordinate",
                       s->description->coordinate_name, r->i, s->description->coordinate,
                       s->description->ncoordinate};
}

cst_entries cst_read_plain_entries(const cst_reading *r) {
  cst_system *s = r->s;
  cst_entries e = cst_read_coordinate_entries(r);
  while (e.n && e.name[e.n - 1].at >= s->model->nplain)
    e.n--;
  if (s->model->nbodies)
    e.of = "name of 'coordinates'";
  return e;
}

cst_entries cst_read_constraint_entries(const cst_reading *r) {
  const cst_system *s = r->s;
  return (cst_entries){"constraint", s->description->family, r->variable,
                       s->description->constraint, s->description->nfamily};
}

/* The name of an element in messages. */
static const char *element(const cst_entries *e, int name, int k, const char *what,
                           char text[WHAT]) {
  if (!e->name[name].array)
    return what;
  const cst_name *a = &e->name[name];
  const int       at = a->at + k * a->step;
  snprintf(text, WHAT, "%s of %s", what, e->text[at]);
  return text;
}

/* Checks the number of entries of an array's list. */
static bool counted(cst_reading *r, cst_yaml *list, const char *what, const cst_name *a) {
  if (cst_yaml_size(list) == a->count)
    return true;
  cst_yaml_error(
      r->doc, list, r->d,
      "%s of %s has %d entries; there must be %d, one per element, or one expression for all", what,
      a->name, cst_yaml_size(list), a->count);
  return false;
}

/* Reads the elements of one name: one expression for all, or a list with one per element. Stops at the first
 * mistake. */
static bool elements(cst_reading *r, cst_yaml *n, cst_scope in, const char *what,
                     const cst_entries *e, int name, cst_node *out) {
  const cst_name *a = &e->name[name];
  char            text[WHAT];
  bool            list = a->array && cst_yaml_is_list(n);
  bool            good = true;
  const double    before = cst_read_part(r);
  if (list && !counted(r, n, what, a))
    return false;
  cst_yaml **item = cst_read_children(list ? n : NULL, NULL);
  for (int k = 0; k < a->count && good; k++) {
    cst_scope scope;
    if (a->array)
      scope = cst_read_with(r, in, e->variable[name], a->first + k);
    else
      scope = in;
    cst_node   *o = &out[a->at + k * a->step];
    cst_yaml   *of = list ? item[k] : n;
    const char *shown = element(e, name, k, what, text);
    *o = cst_read_expression(r, of, scope, shown);
    good = *o >= 0 && cst_read_foresee(r, of, before, k + 1, a->count);
  }
  free(item);
  return good;
}

bool cst_read_list(cst_reading *r, cst_yaml *list, cst_scope in, const char *what,
                   const cst_entries *e, cst_node *out) {
  bool good = true;
  if (!list)
    return false;
  if (!cst_yaml_is_list(list)) {
    cst_yaml_error(r->doc, list, r->d, "%s must be a list of %d expressions, one per %s", what,
                   e->n, e->of);
    return false;
  }
  if (cst_yaml_size(list) != e->n) {
    cst_yaml_error(r->doc, list, r->d, "%s has %d entries; there must be %d, one per %s", what,
                   cst_yaml_size(list), e->n, e->of);
    return false;
  }
  cst_yaml **item = cst_read_children(list, NULL);
  for (int i = 0; i < e->n && cst_read_goes_on(r); i++)
    good &= elements(r, item[i], in, what, e, i, out);
  free(item);
  return good && cst_read_goes_on(r);
}

const char *cst_read_where(const cst_reading *r) {
  return r->c ? "with the parameters of the study" : "at the default parameters";
}

void cst_read_values(const cst_reading *r, const cst_node *node, int n, const double *q,
                     double *value) {
  cst_system   *s = r->s;
  double        c[CST_MAX_PAR], t = 0;
  const double *in[128] = {
      ['c'] = c,
      ['t'] = &t,
      ['q'] = q,
  };
  for (int i = 0; i < s->npar; i++)
    if (r->c)
      c[i] = r->c[i];
    else
      c[i] = s->parameter[i].value;
  cst_tape *tape = cst_tape_create(s->model->graph, node, n);
  cst_evaluate_tape(tape, in, value);
  cst_tape_destroy(tape);
}

/* Messages show NaN without a sign. */
static void number(double x, char text[32]) {
  if (isnan(x))
    strcpy(text, "nan");
  else
    snprintf(text, 32, "%g", x);
}

bool cst_read_check(cst_reading *r, cst_yaml *list, const char *what, const cst_entries *e,
                    const double *value, bool (*good)(double), const char *where,
                    const char *must) {
  char text[WHAT], shown[32];
  bool all = true;
  for (int i = 0; i < e->n && cst_read_goes_on(r); i++) {
    const cst_name *a = &e->name[i];
    int             k = 0;
    while (k < a->count && good(value[a->at + k * a->step]))
      k++;
    if (k == a->count)
      continue;
    all = false;
    cst_yaml *item = cst_yaml_item(list, i);
    /* the entry of an array's list, or the diagonal entry of a row */
    if (cst_yaml_is_list(item))
      item = cst_yaml_item(item, a->array ? k : i);
    number(value[a->at + k * a->step], shown);
    cst_yaml_error(r->doc, item, r->d, "%s: the value is %s %s; it must be %s",
                   element(e, i, k, what, text), shown, where, must);
  }
  return all;
}

/* ---- the key `define` ------------------------------------------------------------------------ */

/* Names for subexpressions, and functions of one line, which the
 * expressions below may use (expr/define.h).
 *
 * Every definition is checked here with all names that it may have: parameters, coordinates, velocities and t.
 * The check makes its nodes in a copy of the graph, so that the system has the nodes of its other keys alone.
 */

static const char form[] = "'NAME: expression' or '\"NAME(ARGUMENT, ...)\": expression'";

/* ---- names of definitions -------------------------------------------------------------------- */

/* The part of text up to `end` without blanks around it; *offset becomes its place. Kept by the system. */
static const char *part_of(cst_reading *r, const char *text, const char *end, int *offset) {
  const char *begin = text + *offset;
  while (begin < end && strchr(" \t\n", *begin))
    begin++;
  *offset = (int)(begin - text);
  while (end > begin && strchr(" \t\n", end[-1]))
    end--;
  char *part = cst_system_keep(r->s, (size_t)(end - begin) + 1, 1);
  return memcpy(part, begin, (size_t)(end - begin));
}

static bool is_short(cst_reading *r, cst_yaml *key, int offset, const char *name,
                     const char *what) {
  if (!cst_read_symbol(r, key, offset, name, what))
    return false;
  if (strlen(name) <= CST_DEFINE_NAME)
    return true;
  cst_yaml_error_at(r->doc, key, offset, r->d, "'%s' is too long for the name of a %s; at most %d",
                    name, what, CST_DEFINE_NAME);
  return false;
}

/* Whether a study gives the name to a quantity of a body, as omega_top_1. */
static bool is_quantity(const cst_system *s, const char *name) {
  for (const cst_body_quantity *x = cst_body_quantities; x->prefix; x++)
    for (int k = 0; k < s->description->nbody_name; k++) {
      const size_t before = strlen(x->prefix);
      const size_t body = strlen(s->description->body_name[k].name);
      if (!strncmp(name, x->prefix, before) && name[before] == '_' &&
          !strncmp(name + before + 1, s->description->body_name[k].name, body) &&
          name[before + 1 + body] == '_')
        return true;
    }
  return false;
}

/* What has this name already; NULL: nothing. */
static const char *holder(cst_reading *r, const char *name, const cst_definition *d, int n) {
  const cst_scope known = cst_read_positions(r);
  for (int i = 0; i < known.n; i++)
    if (!strcmp(known.names[i].name, name))
      return i < cst_system_named(r->s) ? "a parameter" : "a coordinate";
  for (int i = 0; i < n; i++)
    if (!strcmp(d[i].name, name))
      return "a definition";
  if (cst_graph_is_column(r->s->model->graph, name))
    return "a table or column";
  return is_quantity(r->s, name) ? "a quantity of a body" : NULL;
}

/* Whether d, whose name is at `offset` of the key, may have it after the definitions all[n]. */
static bool is_free(cst_reading *r, cst_yaml *key, int offset, const char *name,
                    const cst_definition *all, int n) {
  if (!is_short(r, key, offset, name, "definition"))
    return false;
  const char *other = holder(r, name, all, n);
  if (other)
    cst_yaml_error_at(r->doc, key, offset, r->d,
                      "definition '%s': there is already %s of this name", name, other);
  else if (r->array && !strcmp(name, "i"))
    cst_yaml_error_at(r->doc, key, offset, r->d,
                      "'i' is reserved in a system with arrays, such as '%s': it is the number of "
                      "an element",
                      r->array);
  else
    return true;
  return false;
}

/* ---- one definition -------------------------------------------------------------------------- */

/* Appends the argument that ends at `end`. */
static bool read_argument(cst_reading *r, cst_yaml *key, const char *end, int offset,
                          const char **argument, int n) {
  const char *text = cst_yaml_text(key);
  const char *name = part_of(r, text, end, &offset);
  if (n == CST_DEFINE_ARGUMENTS) {
    cst_yaml_error_at(r->doc, key, offset, r->d,
                      "a definition has at most %d arguments; this is one more", n);
    return false;
  }
  if (!is_short(r, key, offset, name, "function's argument"))
    return false;
  for (int i = 0; i < n; i++)
    if (!strcmp(argument[i], name)) {
      cst_yaml_error_at(r->doc, key, offset, r->d, "the argument '%s' appears twice", name);
      return false;
    }
  argument[n] = name;
  return true;
}

/* Reads "(x, w)" behind the name. */
static bool read_arguments(cst_reading *r, cst_yaml *key, const char *bracket, cst_definition *d) {
  const char  *text = cst_yaml_text(key);
  const char  *close = strchr(bracket, ')');
  const char **argument = cst_system_keep(r->s, CST_DEFINE_ARGUMENTS, sizeof *argument);
  d->argument = argument;
  if (!close || close[1 + strspn(close + 1, " \t\n")]) {
    cst_yaml_error_at(r->doc, key, (int)((close ? close + 1 : bracket) - text), r->d,
                      "'%s': a definition is written %s", text, form);
    return false;
  }
  for (const char *from = bracket + 1; from <= close;) {
    const char *end = from + strcspn(from, ",)");
    if (!read_argument(r, key, end, (int)(from - text), argument, d->n))
      return false;
    d->n++;
    from = end + 1;
  }
  return true;
}

/* Reads a definition as all[n]; returns false after a mistake. */
static bool read_definition(cst_reading *r, cst_yaml *key, cst_yaml *value, cst_definition *all,
                            int n) {
  cst_definition *d = &all[n];
  const char     *text = cst_yaml_text(key);
  const char     *bracket = text ? strchr(text, '(') : NULL;
  int             offset = 0;
  if (!text)
    return cst_read_symbol(r, key, -1, NULL, "definition");
  *d = (cst_definition){.text = cst_yaml_text(value)};
  d->name = part_of(r, text, bracket ? bracket : text + strlen(text), &offset);
  bool good = is_free(r, key, offset, d->name, all, n);
  good &= !bracket || read_arguments(r, key, bracket, d);
  if (cst_yaml_is_scalar(value))
    return good;
  cst_yaml_error(r->doc, value, r->d, "the definition '%s' must be a number or an expression",
                 text);
  return false;
}

/* ---- all definitions ------------------------------------------------------------------------- */

/* All names that a definition may have, in the graph of the system. */
static void check_all(cst_reading *r, cst_yaml *const *value, int n) {
  cst_graph           *g = r->s->model->graph;
  cst_definition_state state[CST_DEFINE_MOST];
  cst_expr_error       error[CST_DEFINE_MOST];
  int                  within[CST_DEFINE_MOST], nall;
  const cst_scope      in = cst_read_velocities(r, true);
  for (int k = 0; k < n; k++) {
    state[k] = CST_DEFINE_GOOD;
    if (!cst_graph_spent(g)) /* one message is enough */
      state[k] = cst_definition_check(g, k, in.names, in.n, &error[k], &within[k]);
  }
  const cst_definition *d = cst_graph_definitions(g, &nall);
  for (int k = 0; k < n && cst_read_goes_on(r); k++) {
    char what[80];
    if (state[k] != CST_DEFINE_WRONG &&
        (state[k] != CST_DEFINE_WITHIN || state[within[k]] != CST_DEFINE_GOOD))
      continue;
    snprintf(what, sizeof what, "definition '%s'", d[k].name);
    if (error[k].table)
      tell_row(r, what, &error[k]);
    else
      cst_yaml_error_at(r->doc, value[k], error[k].offset, r->d, "%s: %s", what, error[k].message);
  }
}

/* Reads the map into all[]; returns their number. */
static int read_map(cst_reading *r, cst_yaml *const *key, cst_yaml **value, cst_definition *all,
                    int n) {
  int good = 0;
  for (int k = 0; k < n && cst_read_goes_on(r); k++)
    if (read_definition(r, key[k], value[k], all, good))
      value[good++] = value[k];
  return good;
}

bool cst_read_definitions(cst_reading *r) {
  cst_system *s = r->s;
  const int   before = cst_diag_count(r->d);
  cst_yaml   *map = cst_yaml_get(r->root, "define");
  const int   n = cst_yaml_size(map);
  if (!map)
    return true;
  if (!cst_yaml_is_map(map) || n > CST_DEFINE_MOST) {
    if (!cst_yaml_is_map(map))
      cst_yaml_error(r->doc, map, r->d, "'define' must be a map of %s", form);
    else
      cst_yaml_error(r->doc, map, r->d, "%d definitions; at most %d are allowed", n,
                     CST_DEFINE_MOST);
    return false;
  }
  cst_yaml      **key;
  cst_yaml      **value = cst_read_children(map, &key);
  cst_definition *all = cst_system_keep(s, (size_t)n + 1, sizeof *all);
  const int       good = read_map(r, key, value, all, n);
  cst_graph      *own = s->model->graph;
  if (good == n) {
    cst_graph_define(own, all, good);
    s->model->graph = cst_graph_copy(own);
    check_all(r, value, good);
    cst_graph_destroy(s->model->graph);
    s->model->graph = own;
  }
  free(value);
  return cst_diag_count(r->d) == before;
}

/* read-names.c: names, keys and texts of a description: parameters, sizes and coordinates, which are the names that
 * expressions can use, and units. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "system/read/system-reader.h"

/* ---- texts ----------------------------------------------------------------------------------- */

enum { NAME_MAX_BYTES = 60 };

static const char *const reserved[] = {"t", "pi",
#define OPERATION(OP, name, n, kind, ...) RESERVE_##kind(name)
#define RESERVE_SIGN(name)
#define RESERVE_HIDDEN(name)
#define RESERVE_FREE(name)
#define RESERVE_RESERVED(name) name,
#include "expr/operations.h"
                                       "sum"};
enum { RESERVED = sizeof reserved / sizeof *reserved };

bool cst_read_goes_on(const cst_reading *r) {
  return !r->stopped && cst_diag_count(r->d) - r->before < CST_READING_ERRORS;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* True for a name: letters, digits and '_' (outside expressions also '-'), with a letter first. */
static bool is_name(const char *s, bool dashes) {
  if (!is_letter(*s) || strlen(s) > NAME_MAX_BYTES)
    return false;
  for (; *s; s++)
    if (!is_letter(*s) && !is_digit(*s) && *s != '_' && !(dashes && *s == '-'))
      return false;
  return true;
}

static bool is_reserved(const char *name) {
  for (int i = 0; i < RESERVED; i++)
    if (!strcmp(name, reserved[i]))
      return true;
  return false;
}

bool cst_read_wrong_symbol(const char *name, const char *what, char *why, size_t size) {
  if (!name || !is_name(name, false))
    snprintf(why, size,
             "'%s' is not a valid name of a %s; a name has letters, digits and _, a letter first, "
             "at most %d "
             "characters",
             name ? name : "", what, NAME_MAX_BYTES);
  else if (is_reserved(name))
    snprintf(why, size, "'%s' is reserved and cannot name a %s; reserved: %s", name, what,
             cst_diag_join(reserved, RESERVED));
  else if (!strncmp(name, "lambda_", 7))
    snprintf(why, size,
             "'%s' cannot name a %s; names that begin with lambda_ belong to multipliers", name,
             what);
  else
    return false;
  return true;
}

bool cst_read_symbol(cst_reading *r, cst_yaml *n, int offset, const char *name, const char *what) {
  char why[4096];
  if (!cst_read_wrong_symbol(name, what, why, sizeof why))
    return true;
  if (offset < 0)
    cst_yaml_error(r->doc, n, r->d, "%s", why);
  else
    cst_yaml_error_at(r->doc, n, offset, r->d, "%s", why);
  return false;
}

bool cst_read_label(cst_reading *r, cst_yaml *n, const char *what) {
  const char *name = cst_yaml_text(n);
  if (name && is_name(name, true))
    return true;
  cst_yaml_error(
      r->doc, n, r->d,
      "'%s' is not a valid name of a %s; a name has letters, digits, _ and -, a letter first, at "
      "most %d characters",
      name ? name : "", what, NAME_MAX_BYTES);
  return false;
}

/* The entry `key` of map. Reports an error and returns NULL if it is absent. */
cst_yaml *cst_read_required(cst_reading *r, cst_yaml *map, const char *key, const char *of) {
  cst_yaml *n = cst_yaml_get(map, key);
  if (!n)
    cst_yaml_error(r->doc, map, r->d, "missing key '%s' %s", key, of);
  return n;
}

const char *cst_read_text(cst_reading *r, cst_yaml *n, const char *key) {
  if (!n)
    return "";
  if (!cst_yaml_is_scalar(n))
    cst_yaml_error(r->doc, n, r->d, "'%s' must be text", key);
  return cst_yaml_is_scalar(n) ? cst_yaml_text(n) : "";
}

const char *cst_read_choice(cst_reading *r, cst_yaml *n, const cst_key *k) {
  const char *const *words = k->value.words;
  const char        *text = cst_read_text(r, n, k->key);
  double             which;
  int                count = 0;
  if (!*text)
    return NULL;
  if (cst_value_parse(&k->value, text, &which))
    return words[(int)which];
  while (words[count])
    count++;
  cst_yaml_error(r->doc, n, r->d, "'%s' is '%s'; allowed: %s", k->key, text,
                 cst_diag_join(words, count));
  return NULL;
}

/* The map `key`; NULL if it is absent or not a map. */
cst_yaml *cst_read_map(cst_reading *r, const char *key, const char *form) {
  cst_yaml *map = cst_yaml_get(r->root, key);
  if (!map || cst_yaml_is_map(map))
    return map;
  cst_yaml_error(r->doc, map, r->d, "'%s' must be a map of '%s'", key, form);
  return NULL;
}

cst_yaml **cst_read_children(cst_yaml *n, cst_yaml ***keys) {
  size_t     size = (size_t)cst_yaml_size(n);
  cst_yaml **value = cst_need(calloc(2 * size + 1, sizeof *value));
  cst_yaml_children(n, value + size, value);
  if (keys)
    *keys = value + size;
  return value;
}

static void write_entry(FILE *f, cst_yaml *n) {
  if (!cst_yaml_is_list(n)) {
    fputs(cst_yaml_is_scalar(n) ? cst_yaml_text(n) : "", f);
    return;
  }
  cst_yaml **item = cst_read_children(n, NULL);
  fputc('[', f);
  for (int i = 0; i < cst_yaml_size(n); i++) {
    fputs(i ? ", " : "", f);
    if (cst_yaml_is_scalar(item[i]))
      fputs(cst_yaml_text(item[i]), f);
  }
  fputc(']', f);
  free(item);
}

static const char *keep_text(cst_reading *r, const char *text) {
  return strcpy(cst_system_keep(r->s, strlen(text) + 1, 1), text);
}

const char *cst_read_written(cst_reading *r, cst_yaml *n) {
  char  *text = NULL;
  size_t length = 0;
  if (cst_yaml_is_scalar(n))
    return cst_yaml_text(n);
  FILE *f = cst_need(open_memstream(&text, &length));
  write_entry(f, n);
  fclose(f);
  const char *kept = keep_text(r, text);
  free(text);
  return kept;
}

const char *cst_read_join(cst_reading *r, cst_yaml *list) {
  char      *text = NULL;
  size_t     length = 0;
  FILE      *f = cst_need(open_memstream(&text, &length));
  cst_yaml **item = cst_read_children(list, NULL);
  for (int i = 0; i < cst_yaml_size(list); i++) {
    fputs(i ? ", " : "", f);
    write_entry(f, item[i]);
  }
  fclose(f);
  const char *kept = keep_text(r, text);
  free(item);
  free(text);
  return kept;
}

/* ---- the key `units` ------------------------------------------------------------------------- */

/* The units of time, coordinates and observables. They are texts that figures and
 * messages show. Nothing is computed from them, and no result depends on them. */

enum { LONGEST = 31 }; /* length of a unit in bytes */

static void check_unit(cst_reading *r, cst_yaml *key, cst_yaml *value) {
  const char *name = cst_yaml_text(key);
  const char *unit = cst_read_text(r, value, name);
  if (!is_name(name, true))
    cst_yaml_error(
        r->doc, key, r->d,
        "'%s' under 'units' is not a valid name; it must be 'time', a coordinate or an observable",
        name);
  else if (strlen(unit) > LONGEST)
    cst_yaml_error(r->doc, value, r->d,
                   "the unit of '%s' has %d characters; at most %d are allowed", name,
                   (int)strlen(unit), LONGEST);
}

static void keep_unit(cst_system *s, const char *name, const char *unit) {
  char *text = cst_system_keep(s, strlen(unit) + 2, sizeof *text);
  snprintf(text, strlen(unit) + 2, " %s", unit);
  s->description->unit[s->description->nunit++] = (cst_unit){name, *unit ? text : ""};
}

void cst_read_units(cst_reading *r) {
  cst_yaml   *map = cst_read_map(r, "units", "name: unit");
  const int   n = map ? cst_yaml_size(map) : 0;
  cst_system *s = r->s;
  s->description->unit = cst_system_keep(s, (size_t)n + 1, sizeof *s->description->unit);
  for (int i = 0; i < n; i++) {
    check_unit(r, cst_yaml_key(map, i), cst_yaml_value(map, i));
    if (cst_diag_count(r->d) == r->before)
      keep_unit(s, cst_yaml_text(cst_yaml_key(map, i)),
                cst_read_text(r, cst_yaml_value(map, i), "units"));
  }
}

/* ---- parameters, sizes and coordinates ------------------------------------------------------- */

static void read_default(cst_reading *r, cst_yaml *n, cst_parameter *p) {
  cst_node node = cst_read_expression(r, n, cst_read_constants(r), "default");
  if (node < 0)
    return;
  p->node = node;
  cst_read_values(r, &node, 1, NULL, &p->value);
  if (!isfinite(p->value))
    cst_yaml_error(r->doc, n, r->d, "default: the value is not a finite number");
}

/* The value that replaces the default of a size; NULL if there is none. */
static const cst_size *replacement(const cst_reading *r, const char *name) {
  for (int k = 0; k < r->nsize; k++)
    if (!strcmp(r->sizes[k].name, name))
      return &r->sizes[k];
  return NULL;
}

static void read_size(cst_reading *r, cst_yaml *n, cst_parameter *p) {
  int              value = 1;
  const cst_value *v = &cst_system_key("parameters.NAME", "size")->value;
  const char      *text = cst_yaml_text(n);
  const cst_size  *other = replacement(r, p->name);
  p->size = true;
  if (text)
    cst_read_whole(r, n, 0, text, (int)strlen(text), "size", (int)v->low, (int)v->high, &value);
  else
    cst_yaml_error(r->doc, n, r->d, "size must be a number or an expression");
  if (other && cst_value_allows(v, other->value))
    value = other->value;
  p->value = value;
  p->node = cst_graph_constant(r->s->model->graph, value);
}

/* Reads `name: {default: value, unit: text, doc: text}` or `name: {size: value, ...}`. */
static void read_described(cst_reading *r, cst_yaml *key, cst_yaml *map, cst_parameter *p) {
  cst_yaml *number = cst_yaml_get(map, "default");
  cst_yaml *size = cst_yaml_get(map, "size");
  cst_system_keys_check(r->doc, map, "parameters.NAME", CST_KEYS_ALL, r->d);
  if (number && size)
    cst_yaml_error(r->doc, size, r->d,
                   "parameter '%s' has a default and a size; one of them is allowed", p->name);
  if (size)
    read_size(r, size, p);
  else if (number)
    read_default(r, number, p);
  else
    cst_yaml_error(r->doc, key, r->d,
                   "missing key 'default' of parameter '%s' (or 'size' for an integer size)",
                   p->name);
  p->unit = cst_read_text(r, cst_yaml_get(map, "unit"), "unit");
  p->doc = cst_read_text(r, cst_yaml_get(map, "doc"), "doc");
}

static void read_parameter(cst_reading *r, cst_yaml *key, cst_yaml *value) {
  cst_system *s = r->s;
  /* the value is 1 until a default is read */
  cst_parameter p = {.name = cst_yaml_text(key), .unit = "", .doc = "", .value = 1};
  p.node = cst_graph_constant(s->model->graph, 1);
  if (cst_yaml_is_map(value))
    read_described(r, key, value, &p);
  else
    read_default(r, value, &p);
  if (!cst_read_symbol(r, key, -1, p.name, "parameter"))
    return;
  cst_binding bound = {.name = p.name,
                       .node = p.size ? p.node : cst_graph_input(s->model->graph, 'c', s->npar)};
  r->names[1 + s->npar] = r->timed[2 + s->npar] = bound;
  s->parameter[s->npar++] = p;
}

static void check_sizes(cst_reading *r) {
  cst_system      *s = r->s;
  const cst_value *v = &cst_system_key("parameters.NAME", "size")->value;
  const char      *names[CST_MAX_PAR];
  int              n = 0;
  for (int i = 0; i < s->npar; i++)
    if (s->parameter[i].size)
      names[n++] = s->parameter[i].name;
  for (int k = 0; k < r->nsize; k++) {
    const cst_size *size = &r->sizes[k];
    int             i = 0;
    while (i < n && strcmp(names[i], size->name))
      i++;
    if (i == n)
      cst_yaml_error(r->doc, NULL, r->d, "the system has no size parameter '%s'; %s%s", size->name,
                     n ? "allowed: " : "it has none", n ? cst_diag_join(names, n) : "");
    else if (!cst_value_allows(v, size->value))
      cst_yaml_error(r->doc, NULL, r->d,
                     "size '%s' is %d; it must be a whole number from %g to %.0f", size->name,
                     size->value, v->low, v->high);
  }
}

void cst_read_parameters(cst_reading *r) {
  cst_yaml *map = cst_yaml_get(r->root, "parameters");
  if (map && !cst_yaml_is_map(map))
    cst_yaml_error(r->doc, map, r->d,
                   "'parameters' must be a map of 'name: value' or 'name: {default: value, unit: "
                   "text, doc: text}'");
  else if (cst_yaml_size(map) > CST_MAX_NAMED) {
    cst_yaml_error(r->doc, map, r->d, "%d parameters; at most %d are allowed", cst_yaml_size(map),
                   CST_MAX_NAMED);
    r->stopped = true; /* all that names one of them would be wrong, too */
  } else
    for (int i = 0; i < cst_yaml_size(map); i++)
      read_parameter(r, cst_yaml_key(map, i), cst_yaml_value(map, i));
  check_sizes(r);
}

bool cst_read_declared(cst_reading *r, cst_yaml *n, const char *kind, cst_name *a) {
  char        what[100];
  const char *text = cst_yaml_text(n);
  const char *bracket = text ? strchr(text, '[') : NULL;
  size_t      length = text ? strlen(text) : 0;
  *a = (cst_name){
      .name = text, .count = 1, .first = bracket != NULL, .array = bracket != NULL, .step = 1};
  if (!bracket)
    return cst_read_symbol(r, n, -1, text, kind);
  char *name = cst_system_keep(r->s, (size_t)(bracket - text) + 1, 1);
  a->name = memcpy(name, text, (size_t)(bracket - text));
  if (!cst_read_symbol(r, n, -1, name, kind))
    return false;
  snprintf(what, sizeof what, "the size of '%s'", name);
  if (text[length - 1] == ']')
    return cst_read_whole(r, n, (int)(bracket - text) + 1, bracket + 1,
                          (int)(text + length - bracket) - 2, what, 1, CST_MOST_Q, &a->count);
  cst_yaml_error(r->doc, n, r->d, "'%s': an array of %s is written NAME[SIZE]", text,
                 strcmp(kind, "body") ? "coordinates" : "bodies");
  return false;
}

typedef struct {
  const char *name;
  int         rank; /* position among the parameters, then the coordinates */
} word;

static int by_name(const void *x, const void *y) {
  const word *a = x;
  const word *b = y;
  int         c = strcmp(a->name, b->name);
  return c ? c : a->rank - b->rank;
}

static void check_twice(cst_reading *r, cst_yaml *const *item) {
  const cst_system *s = r->s;
  const int         npar = s->npar;
  int               n = npar + s->description->ncoordinate;
  word             *all = cst_zeros(n, sizeof *all);
  const cst_yaml   *reported = NULL;
  for (int i = 0; i < n; i++)
    all[i] = (word){r->names[1 + i].name, i};
  qsort(all, (size_t)n, sizeof *all, by_name);
  for (int i = 1; i < n && cst_read_goes_on(r); i++) {
    const word *first = &all[i - 1];
    const word *second = &all[i];
    if (strcmp(first->name, second->name))
      continue;
    cst_yaml *at = item[second->rank - npar];
    if (at == reported)
      continue; /* one message per rotation matrix is enough */
    const char *kind = first->rank < npar ? "parameter" : "coordinate";
    cst_yaml_error(r->doc, at, r->d, "coordinate '%s': there is already a %s of this name",
                   second->name, kind);
    reported = at;
  }
  free(all);
}

/* In a system with arrays, i is the number of an element. */
static void check_i(cst_reading *r, cst_yaml *const *item) {
  const cst_system *s = r->s;
  cst_yaml         *map = cst_yaml_get(r->root, "parameters");
  static const char words[] =
      "'i' is reserved in a system with arrays, such as '%s': it is the number of an element";
  if (!r->array)
    return;
  for (int i = 0; i < cst_yaml_size(map); i++)
    if (!strcmp(cst_yaml_text(cst_yaml_key(map, i)), "i"))
      cst_yaml_error(r->doc, cst_yaml_key(map, i), r->d, words, r->array);
  for (int i = 0; i < s->description->ncoordinate; i++)
    if (!strcmp(s->description->coordinate_name[i].name, "i"))
      cst_yaml_error(r->doc, item[i], r->d, words, r->array);
}

/* The names of all elements: "x", or "x[1]", "x[2]" ... */
const char **cst_read_elements(cst_reading *r, const cst_name *name, int n, int total) {
  cst_system  *s = r->s;
  const char **text = cst_system_keep(s, (size_t)total, sizeof *text);
  for (int i = 0; i < n; i++) {
    const size_t width = strlen(name[i].name) + sizeof "[-1000000]";
    char        *room = NULL;
    if (name[i].array)
      room = cst_system_keep(s, (size_t)name[i].count, width);
    for (int k = 0; k < name[i].count; k++, room += room ? width : 0) {
      if (room)
        snprintf(room, width, "%s[%d]", name[i].name, name[i].first + k);
      text[name[i].at + k * name[i].step] = room ? room : name[i].name;
    }
  }
  return text;
}

static void bind(cst_reading *r, const cst_name *a) {
  cst_system *s = r->s;
  cst_node   *q = cst_system_keep(s, (size_t)a->count, sizeof *q);
  for (int k = 0; k < a->count; k++)
    q[k] = cst_graph_input(s->model->graph, 'q', a->at + k * a->step);
  r->names[1 + s->npar + (a - s->description->coordinate_name)] =
      (cst_binding){.name = a->name,
                    .node = a->array ? -1 : q[0],
                    .entry = a->array ? q : NULL,
                    .count = a->array ? a->count : 0};
}

/* Declares the names of the list; returns false after a mistake. */
static bool declare(cst_reading *r, cst_yaml *list, cst_yaml *const *item) {
  cst_system *s = r->s;
  int         n = cst_yaml_size(list);
  int         before = cst_diag_count(r->d);
  for (int k = 0; k < n && cst_read_goes_on(r); k++) {
    cst_name *a = &s->description->coordinate_name[s->description->ncoordinate];
    if (!cst_read_declared(r, item[k], "coordinate", a))
      continue;
    if (a->array && !r->array)
      r->array = cst_yaml_text(item[k]);
    a->at = s->nq;
    r->i[s->description->ncoordinate++] = "i";
    s->nq += a->count;
    if (s->nq > CST_MOST_Q)
      break;
  }
  s->model->nplain = s->nq;
  return cst_diag_count(r->d) == before;
}

static void bind_all(cst_reading *r, cst_yaml *const *item) {
  cst_system *s = r->s;
  for (int k = 0; k < s->description->ncoordinate; k++)
    bind(r, &s->description->coordinate_name[k]);
  check_twice(r, item);
  check_i(r, item);
  s->description->coordinate =
      cst_read_elements(r, s->description->coordinate_name, s->description->ncoordinate, s->nq);
}

/* Finds the list `coordinates`, NULL if the bodies have all coordinates; returns false if it cannot be read.
 */
static bool find_list(cst_reading *r, cst_yaml **list) {
  if (cst_read_has_bodies(r))
    *list = cst_yaml_get(r->root, "coordinates");
  else
    *list = cst_read_required(r, r->root, "coordinates", "of the system");
  if (!*list)
    return cst_read_has_bodies(r);
  if (cst_yaml_is_list(*list) && (cst_yaml_size(*list) || cst_read_has_bodies(r)))
    return true;
  cst_yaml_error(r->doc, *list, r->d, "'coordinates' must be a list of names");
  return false;
}

bool cst_read_coordinates(cst_reading *r) {
  enum { OF_BODY = 12 };
  cst_system *s = r->s;
  cst_yaml   *list, **own;
  int         before = cst_diag_count(r->d);
  if (!find_list(r, &list))
    return false;
  const size_t n = (size_t)cst_yaml_size(list);
  const size_t all = n + OF_BODY * (size_t)cst_yaml_size(cst_yaml_get(r->root, "bodies"));
  cst_yaml   **item = cst_zeros(all, sizeof *item);
  own = cst_read_children(list, NULL);
  memcpy(item, own, sizeof *item * n);
  s->description->coordinate_name =
      cst_system_keep(s, all, sizeof *s->description->coordinate_name);
  r->i = cst_system_keep(s, all, sizeof *r->i);
  bool good = declare(r, list, item);
  if (good && cst_read_has_bodies(r))
    cst_read_declare_bodies(r, item);
  if (s->nq > CST_MOST_Q)
    cst_yaml_error(r->doc, list ? list : cst_yaml_get(r->root, "bodies"), r->d,
                   "there are more than %d coordinates, the maximum", CST_MOST_Q);
  if (cst_diag_count(r->d) == before) {
    cst_read_expect(r);
    bind_all(r, item);
  }
  if (cst_diag_count(r->d) == before)
    cst_read_fill_bodies(r);
  free(own);
  free(item);
  return cst_diag_count(r->d) == before;
}

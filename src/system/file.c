/* file.c: reads the description of a system. Every mistake is reported at its place and reading goes on to the next one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "system/internal.h"

enum { NAME_MAX_BYTES = 60 };

/* names: t, then the parameters read so far, then the coordinates; each expression is bound to a slice of them. */
typedef struct {
  cst_system   *s;
  cst_document *doc;
  cst_diag     *d;
  cst_yaml     *root;
  cst_binding   names[1 + CST_MAX_PAR + CST_MAX_Q];
} reader;

typedef struct {
  const cst_binding *names;
  int                n;
} scope;

static scope constants(const reader *r) { return (scope){r->names + 1, r->s->npar}; }
static scope motion(const reader *r) { return (scope){r->names, 1 + r->s->npar}; }
static scope positions(const reader *r) { return (scope){r->names + 1, r->s->npar + r->s->nq}; }

static const char *const reserved[] = {"t", "pi", "sqrt", "sin", "cos", "tan", "exp", "log", "atan2"};
enum { RESERVED = sizeof reserved / sizeof *reserved };

/* Names. */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Letters, digits and one joining character ('_' inside expressions, '-' too elsewhere), a letter first. */
static bool is_name(const char *s, bool dashes) {
  if (!is_letter(*s) || strlen(s) > NAME_MAX_BYTES) return false;
  for (; *s; s++)
    if (!is_letter(*s) && !is_digit(*s) && *s != '_' && !(dashes && *s == '-')) return false;
  return true;
}

/* The name of something that expressions refer to. */
static bool check_symbol(reader *r, cst_yaml *n, const char *what) {
  const char *name = cst_yaml_text(n);
  if (!name || !is_name(name, false)) {
    cst_yaml_error(r->doc, n, r->d, "'%s' is no name of a %s; a name has letters, digits and _, a letter first, at most %d of them",
                   name ? name : "", what, NAME_MAX_BYTES);
    return false;
  }
  for (int i = 0; i < RESERVED; i++)
    if (!strcmp(name, reserved[i])) {
      cst_yaml_error(r->doc, n, r->d, "'%s' is reserved and cannot name a %s; reserved: %s", name, what, cst_join(reserved, RESERVED));
      return false;
    }
  if (strncmp(name, "lambda_", 7)) return true;
  cst_yaml_error(r->doc, n, r->d, "'%s' cannot name a %s; names that begin with lambda_ are those of multipliers", name, what);
  return false;
}

static bool check_label(reader *r, cst_yaml *n, const char *what) {
  const char *name = cst_yaml_text(n);
  if (name && is_name(name, true)) return true;
  cst_yaml_error(r->doc, n, r->d, "'%s' is no name of a %s; a name has letters, digits, _ and -, a letter first, at most %d of them",
                 name ? name : "", what, NAME_MAX_BYTES);
  return false;
}

/* The entry `key` of map; NULL and an error when it must be there and is not. */
static cst_yaml *required(reader *r, cst_yaml *map, const char *key, const char *of) {
  cst_yaml *n = cst_yaml_get(map, key);
  if (!n) cst_yaml_error(r->doc, map, r->d, "missing key '%s' %s", key, of);
  return n;
}

static const char *text_of(reader *r, cst_yaml *n, const char *key) {
  if (!n) return "";
  if (!cst_yaml_is_scalar(n)) cst_yaml_error(r->doc, n, r->d, "'%s' must be text", key);
  return cst_yaml_is_scalar(n) ? cst_yaml_text(n) : "";
}

/* Expressions. */

static cst_node expression(reader *r, cst_yaml *n, scope in, const char *what) {
  cst_expr_error error;
  if (!cst_yaml_is_scalar(n)) {
    cst_yaml_error(r->doc, n, r->d, "%s must be a number or an expression", what);
    return -1;
  }
  cst_node node = cst_expr_parse(r->s->graph, cst_yaml_text(n), in.names, in.n, &error);
  if (node < 0) cst_yaml_error_at(r->doc, n, error.offset, r->d, "%s: %s", what, error.message);
  return node;
}

/* A list of exactly `count` expressions. texts may be NULL. */
static bool expressions(reader *r, cst_yaml *n, scope in, const char *what, const char *of, int count, cst_node *out, const char **texts) {
  if (!n) return false;
  if (!cst_yaml_is_list(n)) {
    cst_yaml_error(r->doc, n, r->d, "%s must be a list of %d expressions, one for each %s", what, count, of);
    return false;
  }
  if (cst_yaml_size(n) != count) {
    cst_yaml_error(r->doc, n, r->d, "%s has %d entries; there must be %d, one for each %s", what, cst_yaml_size(n), count, of);
    return false;
  }
  bool good = true;
  for (int i = 0; i < count; i++) {
    cst_yaml *item = cst_yaml_item(n, i);
    good &= (out[i] = expression(r, item, in, what)) >= 0;
    if (texts) texts[i] = cst_yaml_text(item);
  }
  return good;
}

/* The value of a node of the parameters at their defaults. */
static double at_defaults(const reader *r, cst_node n) {
  double        c[CST_MAX_PAR], value = NAN, t = 0;
  const double *in[128] = {['c'] = c, ['t'] = &t};
  for (int i = 0; i < r->s->npar; i++) c[i] = r->s->parameter[i].value;
  cst_tape *tape = cst_tape_create(r->s->graph, &n, 1);
  cst_tape_eval(tape, in, &value);
  cst_tape_destroy(tape);
  return value;
}

static void check_finite(reader *r, cst_yaml *list, const cst_node *node, int n, const char *what) {
  for (int i = 0; i < n; i++)
    if (!isfinite(at_defaults(r, node[i])))
      cst_yaml_error(r->doc, cst_yaml_item(list, i), r->d, "%s: the value is not a finite number at the default parameters", what);
}

/* Parameters and coordinates. */

static bool bind(reader *r, cst_yaml *n, const char *what, char array, int index) {
  if (!check_symbol(r, n, what)) return false;
  scope       known = positions(r);
  const char *name = cst_yaml_text(n);
  for (int i = 0; i < known.n; i++)
    if (!strcmp(known.names[i].name, name)) {
      cst_yaml_error(r->doc, n, r->d, "%s '%s': there is already a %s of this name", what, name,
                     i < r->s->npar ? "parameter" : "coordinate");
      return false;
    }
  r->names[1 + known.n] = (cst_binding){name, cst_graph_input(r->s->graph, array, index)};
  return true;
}

static void read_default(reader *r, cst_yaml *n, cst_parameter *p) {
  cst_node node = expression(r, n, constants(r), "default");
  if (node < 0) return;
  p->value = at_defaults(r, node);
  if (!isfinite(p->value)) cst_yaml_error(r->doc, n, r->d, "default: the value is not a finite number");
}

/* `name: value` or `name: {default: value, unit: text, doc: text}`. */
static cst_parameter parameter_of(reader *r, cst_yaml *key, cst_yaml *value) {
  static const char *const keys[] = {"default", "unit", "doc"};
  cst_parameter            p = {.name = cst_yaml_text(key), .unit = "", .doc = "", .value = 1}; /* 1 until a default is read */
  cst_yaml                *number = value;
  if (cst_yaml_is_map(value)) {
    cst_yaml_check_keys(r->doc, value, keys, 3, r->d);
    number = cst_yaml_get(value, "default");
    if (!number) cst_yaml_error(r->doc, key, r->d, "missing key 'default' of parameter '%s'", p.name);
    p.unit = text_of(r, cst_yaml_get(value, "unit"), "unit");
    p.doc = text_of(r, cst_yaml_get(value, "doc"), "doc");
  }
  if (number) read_default(r, number, &p);
  return p;
}

static void read_parameters(reader *r) {
  cst_yaml *map = cst_yaml_get(r->root, "parameters");
  if (!map) return;
  if (!cst_yaml_is_map(map)) {
    cst_yaml_error(r->doc, map, r->d, "'parameters' must be a map of 'name: value' or 'name: {default: value, unit: text, doc: text}'");
    return;
  }
  if (cst_yaml_size(map) > CST_MAX_PAR) {
    cst_yaml_error(r->doc, map, r->d, "%d parameters; at most %d are allowed", cst_yaml_size(map), CST_MAX_PAR);
    return;
  }
  for (int i = 0; i < cst_yaml_size(map); i++) {
    cst_parameter p = parameter_of(r, cst_yaml_key(map, i), cst_yaml_value(map, i));
    if (!bind(r, cst_yaml_key(map, i), "parameter", 'c', r->s->npar)) continue;
    r->s->parameter[r->s->npar++] = p;
  }
}

static bool read_coordinates(reader *r) {
  cst_yaml *list = required(r, r->root, "coordinates", "of the system");
  int       n = cst_yaml_size(list), before = cst_diag_count(r->d);
  if (!list) return false;
  if (!cst_yaml_is_list(list) || !n)
    cst_yaml_error(r->doc, list, r->d, "'coordinates' must be a list of names");
  else if (n > CST_MAX_Q)
    cst_yaml_error(r->doc, list, r->d, "%d coordinates; at most %d are allowed", n, CST_MAX_Q);
  else
    for (int i = 0; i < n; i++) {
      if (!bind(r, cst_yaml_item(list, i), "coordinate", 'q', i)) continue;
      r->s->coordinate[r->s->nq++] = cst_yaml_text(cst_yaml_item(list, i));
    }
  return cst_diag_count(r->d) == before;
}

/* Functions of the coordinates. */

static bool has_rows(cst_yaml *list) {
  for (int i = 0; i < cst_yaml_size(list); i++)
    if (cst_yaml_is_list(cst_yaml_item(list, i))) return true;
  return false;
}

static void read_mass(reader *r) {
  cst_system *s = r->s;
  cst_yaml   *list = required(r, r->root, "mass", "of the system");
  if (cst_yaml_is_list(list) && has_rows(list)) {
    cst_yaml_error(r->doc, list, r->d,
                   "not supported yet: a full mass matrix; give its diagonal, a list of %d expressions of the parameters", s->nq);
    return;
  }
  if (!expressions(r, list, positions(r), "mass", "coordinate", s->nq, s->mass, s->mass_text)) return;
  for (int i = 0; i < s->nq; i++) {
    cst_yaml *item = cst_yaml_item(list, i);
    if (cst_graph_depends(s->graph, s->mass[i], 'q'))
      cst_yaml_error(r->doc, item, r->d, "not supported yet: a mass that depends on the coordinates");
    else if (!(at_defaults(r, s->mass[i]) > 0) || isinf(at_defaults(r, s->mass[i])))
      cst_yaml_error(r->doc, item, r->d, "mass: the value is %g at the default parameters; it must be positive and finite",
                     at_defaults(r, s->mass[i]));
  }
}

static void read_potential(reader *r) {
  cst_yaml *n = required(r, r->root, "potential", "of the system (0 where there is none)");
  if (!n) return;
  r->s->V = expression(r, n, positions(r), "potential");
  r->s->potential_text = cst_yaml_text(n);
}

/* The map `key`, at most `most` entries; NULL when it is absent or wrong. */
static cst_yaml *named_map(reader *r, const char *key, int most, const char *form) {
  cst_yaml *map = cst_yaml_get(r->root, key);
  if (!map) return NULL;
  if (!cst_yaml_is_map(map))
    cst_yaml_error(r->doc, map, r->d, "'%s' must be a map of '%s'", key, form);
  else if (cst_yaml_size(map) > most)
    cst_yaml_error(r->doc, map, r->d, "%d %s; at most %d are allowed", cst_yaml_size(map), key, most);
  else
    return map;
  return NULL;
}

static void read_constraints(reader *r) {
  cst_system *s = r->s;
  cst_yaml   *map = named_map(r, "constraints", CST_MAX_G, "name: expression");
  s->ng = cst_yaml_size(map);
  if (s->ng >= s->nq && s->ng) cst_yaml_error(r->doc, map, r->d, "%d constraints on %d coordinates leave nothing that moves", s->ng, s->nq);
  for (int a = 0; a < s->ng; a++) {
    cst_yaml *value = cst_yaml_value(map, a);
    check_symbol(r, cst_yaml_key(map, a), "constraint");
    s->constraint[a] = cst_yaml_text(cst_yaml_key(map, a));
    s->constraint_text[a] = cst_yaml_text(value);
    s->g[a] = expression(r, value, positions(r), "constraint");
    if (s->g[a] >= 0 && !cst_graph_depends(s->graph, s->g[a], 'q'))
      cst_yaml_error(r->doc, value, r->d, "the constraint depends on no coordinate");
  }
}

static void read_symmetries(reader *r) {
  cst_system *s = r->s;
  cst_yaml   *map = named_map(r, "symmetries", CST_MAX_SYM, "name: [an expression for each coordinate]");
  const char *texts[CST_MAX_Q];
  s->nsym = cst_yaml_size(map);
  for (int k = 0; k < s->nsym; k++) {
    check_label(r, cst_yaml_key(map, k), "symmetry");
    s->symmetry[k] = cst_yaml_text(cst_yaml_key(map, k));
    if (!expressions(r, cst_yaml_value(map, k), positions(r), "symmetry", "coordinate", s->nq, s->xi + k * s->nq, texts)) continue;
    s->symmetry_text[k] = cst_system_memory(strdup(cst_join(texts, s->nq)));
  }
}

/* States. */

static void read_exact(reader *r, cst_yaml *n, cst_state *state) {
  static const char *const keys[] = {"q", "v", "lambda"};
  cst_system              *s = r->s;
  if (!n) return;
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d, "'exact' must be a map with the keys q, v%s", s->ng ? ", lambda" : "");
    return;
  }
  state->has_exact = true;
  cst_yaml_check_keys(r->doc, n, keys, cst_yaml_get(r->root, "constraints") ? 3 : 2, r->d);
  expressions(r, required(r, n, "q", "of the exact motion"), motion(r), "exact q", "coordinate", s->nq, state->exact_q, NULL);
  expressions(r, required(r, n, "v", "of the exact motion"), motion(r), "exact v", "coordinate", s->nq, state->exact_v, NULL);
  if (s->ng)
    expressions(r, required(r, n, "lambda", "of the exact motion"), motion(r), "exact lambda", "constraint", s->ng, state->exact_lambda,
                NULL);
}

static void read_state(reader *r, cst_yaml *key, cst_yaml *n, cst_state *state) {
  static const char *const keys[] = {"q", "v", "exact"};
  cst_system              *s = r->s;
  state->name = cst_yaml_text(key);
  check_label(r, key, "state");
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d, "a state must be a map with the keys q and v");
    return;
  }
  cst_yaml_check_keys(r->doc, n, keys, 3, r->d);
  cst_yaml *q = required(r, n, "q", "of the state"), *v = required(r, n, "v", "of the state");
  if (expressions(r, q, constants(r), "q", "coordinate", s->nq, state->q, NULL)) check_finite(r, q, state->q, s->nq, "q");
  if (expressions(r, v, constants(r), "v", "coordinate", s->nq, state->v, NULL)) check_finite(r, v, state->v, s->nq, "v");
  read_exact(r, cst_yaml_get(n, "exact"), state);
}

static void read_states(reader *r) {
  cst_yaml *map = required(r, r->root, "states", "of the system");
  if (!map) return;
  if (!cst_yaml_is_map(map) || !cst_yaml_size(map)) {
    cst_yaml_error(r->doc, map, r->d, "'states' must be a map of 'name: {q: [...], v: [...]}'");
    return;
  }
  cst_yaml *first = cst_yaml_key(map, 0);
  if (strcmp(cst_yaml_text(first), "default"))
    cst_yaml_error(r->doc, first, r->d, "the first state is '%s'; it must be called 'default'", cst_yaml_text(first));
  r->s->nstate = cst_yaml_size(map);
  r->s->state = cst_system_memory(calloc((size_t)r->s->nstate, sizeof(cst_state)));
  for (int i = 0; i < r->s->nstate; i++) read_state(r, cst_yaml_key(map, i), cst_yaml_value(map, i), &r->s->state[i]);
}

/* The whole. */

static void read_title(reader *r) {
  cst_yaml *n = required(r, r->root, "system", "(the name of the system)");
  if (n && check_label(r, n, "system")) r->s->name = cst_yaml_text(n);
  r->s->doc = text_of(r, cst_yaml_get(r->root, "doc"), "doc");
  r->s->source = text_of(r, cst_yaml_get(r->root, "source"), "source");
}

static void check_supported(reader *r) {
  static const char *const later[] = {"gyroscopic", "nonholonomic", "forces"};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < cst_yaml_size(r->root); k++)
      if (!strcmp(cst_yaml_text(cst_yaml_key(r->root, k)), later[i]))
        cst_yaml_error(r->doc, cst_yaml_key(r->root, k), r->d, "not supported yet: '%s'", later[i]);
}

static void read_all(reader *r) {
  static const char *const keys[] = {"system",      "doc",        "source", "coordinates", "parameters",   "mass",  "potential",
                                     "constraints", "symmetries", "states", "gyroscopic",  "nonholonomic", "forces"};
  cst_yaml_check_keys(r->doc, r->root, keys, sizeof keys / sizeof *keys, r->d);
  check_supported(r);
  r->names[0] = (cst_binding){"t", cst_graph_input(r->s->graph, 't', 0)};
  read_title(r);
  read_parameters(r);
  if (!read_coordinates(r)) {
    static const char *const others[] = {"mass", "potential", "states"};
    for (int i = 0; i < 3; i++) required(r, r->root, others[i], "of the system");
    return; /* what follows would be wrong everywhere */
  }
  read_mass(r);
  read_potential(r);
  read_constraints(r);
  read_symmetries(r);
  read_states(r);
}

cst_system *cst_system_read(const char *file, const char *text, size_t length, cst_diag *d) {
  int           before = cst_diag_count(d);
  cst_document *doc = cst_document_parse(file, text, length, d);
  if (!doc) return NULL;
  cst_system       *s = cst_system_memory(calloc(1, sizeof *s));
  cst_system_owned *o = s->owned = cst_system_memory(calloc(1, sizeof *o));
  o->doc = doc;
  s->graph = cst_graph_create();
  s->text = cst_system_memory(strndup(text, length));
  reader r = {.s = s, .doc = doc, .d = d, .root = cst_document_root(doc)};
  read_all(&r);
  if (cst_diag_count(d) == before && !cst_system_derive(s))
    cst_yaml_error(doc, cst_yaml_get(r.root, "system"), d, "the derivatives need more than %d operations, the most that are allowed",
                   CST_EXPR_NODES);
  if (cst_diag_count(d) == before) return s;
  cst_system_destroy(s);
  return NULL;
}

static void destroy_tapes(cst_tape **tapes, int n) {
  for (int i = 0; tapes && i < n; i++) cst_tape_destroy(tapes[i]);
}

void cst_system_destroy(cst_system *s) {
  if (!s) return;
  cst_system_owned *o = s->owned;
  destroy_tapes(o->tape, CST_K_COUNT);
  destroy_tapes(o->start, s->nstate);
  destroy_tapes(o->motion, s->nstate);
  free(o->start);
  free(o->motion);
  free(o->scratch);
  cst_document_destroy(o->doc);
  free(o);
  for (int k = 0; k < CST_K_COUNT; k++) free(s->kernel_out[k]);
  for (int k = 0; k < s->nsym; k++) free((char *)s->symmetry_text[k]);
  cst_graph_destroy(s->graph);
  free(s->state);
  free(s->text);
  free(s);
}

/* file-layers.c: methods of the user: the keys `layers`, `schemes`, `maps`, `retractions` and `iotas`. Layers are C files,
 * and tableaus written as maps in YAML, which `methods` accepts too.
 *
 * The map of a tableau is converted to the text {a: ..., b: ..., c: ...} of a method expression, with the
 * offset at which each YAML node begins. One parser finds the mistakes of both forms, and they are reported
 * at their place in the file.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/file/reader.h"
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "core/need.h"
#include "method/texts/map.h"
#include "method/method.h"
#include "method/texts/user-layer.h"
#include "system/compile/compile.h"

enum {
  MOST_NODES = 4 * (CST_MAX_STAGES + 1) * (CST_MAX_STAGES + 1),
  DEEPEST = 3,
  MOST_LAYERS = 1000
};

/* A map as text, with the offset of each node. */
typedef struct {
  cst_reader *r;
  FILE       *out;
  char       *text;
  size_t      length;
  int         n, offset[MOST_NODES];
  cst_yaml   *node[MOST_NODES];
} flow;

static void write_node(flow *f, cst_yaml *n, int depth);

/* Writes at most one entry more than a tableau can have, so that the parser reports the excess. */
static void write_list(flow *f, cst_yaml *n, int depth) {
  fputc('[', f->out);
  for (int i = 0; i < cst_yaml_size(n) && i <= CST_MAX_STAGES; i++) {
    if (i)
      fputs(", ", f->out);
    write_node(f, cst_yaml_item(n, i), depth);
  }
  fputc(']', f->out);
}

static void write_map(flow *f, cst_yaml *n, int depth) {
  fputc('{', f->out);
  for (int i = 0; i < cst_yaml_size(n); i++) {
    fprintf(f->out, "%s%s: ", i ? ", " : "", cst_yaml_text(cst_yaml_key(n, i)));
    write_node(f, cst_yaml_value(n, i), depth);
  }
  fputc('}', f->out);
}

static void write_node(flow *f, cst_yaml *n, int depth) {
  double x;
  fflush(f->out);
  f->offset[f->n] = (int)f->length;
  f->node[f->n++] = n;
  if (depth > 0 && cst_yaml_is_map(n))
    cst_yaml_error(f->r->doc, n, f->r->d, "a tableau consists of lists of numbers, not of maps");
  else if (cst_yaml_is_map(n))
    write_map(f, n, depth + 1);
  else if (depth == DEEPEST && cst_yaml_is_list(n))
    cst_yaml_error(f->r->doc, n, f->r->d,
                   "expected a list of numbers in a tableau, not a list of lists");
  else if (cst_yaml_is_list(n))
    write_list(f, n, depth + 1);
  else if (cst_reader_constant(f->r, n, "coefficient", &x))
    fputs(cst_yaml_text(n), f->out);
}

/* Reports an error at the last node that begins at or before its offset. */
static void complain(flow *f, const cst_expr_error *e) {
  int k = f->n - 1;
  while (k > 0 && f->offset[k] > e->offset)
    k--;
  const int within = cst_yaml_is_scalar(f->node[k]) ? e->offset - f->offset[k] : 0;
  cst_yaml_error_at(f->r->doc, f->node[k], within, f->r->d, "%s", e->message);
}

/* Converts the map n, called `what`, to text; false if it has mistakes. */
static bool open_flow(flow *f, cst_reader *r, cst_yaml *n, const char *what, const char *in,
                      int forms) {
  const int before = cst_diag_count(r->d);
  f->r = r;
  f->n = 0;
  f->out = open_memstream(&f->text, &f->length);
  cst_need(f->out);
  if (cst_reader_keys(r, n, what, in, forms) && cst_diag_count(r->d) == before)
    write_node(f, n, 0);
  fclose(f->out);
  return cst_diag_count(r->d) == before;
}

cst_method *cst_file_tableau(cst_reader *r, cst_yaml *n) {
  flow           f;
  cst_expr_error error;
  cst_method    *m = NULL;
  if (open_flow(&f, r, n, "tableau", "methods", CST_KEYS_ALL)) {
    m = cst_method_parse(f.text, NULL, &error);
    if (!m)
      complain(&f, &error);
  }
  free(f.text);
  return m;
}

static void add_tableau(cst_reader *r, const char *name, cst_yaml *n, bool allowed) {
  flow           f;
  cst_expr_error error;
  if (open_flow(&f, r, n, name, "layers.NAME", CST_LAYER_TABLEAU) && allowed &&
      !cst_layers_add_tableau(r->s->problem.layers, name, f.text, &error))
    complain(&f, &error);
  free(f.text);
}

/* Checks that the file exists and has the recorded checksum. */
static bool find_sum(cst_reader *r, cst_yaml *n, cst_yaml *file, cst_layer_file *x) {
  const int before = cst_diag_count(r->d);
  char     *text;
  size_t    length;
  if (!cst_reader_fetch(r, file, cst_document_fetch, x->file, &text, &length))
    return false;
  cst_sha256(text, length, x->sha256);
  free(text);
  cst_reader_check_sum(r, cst_yaml_get(n, "sha256"), x->file, x->sha256);
  return cst_diag_count(r->d) == before;
}

/* Compiles the layer in the file of x; NULL on error or if it is withheld. */
static const cst_text *load(cst_reader *r, cst_yaml *file, cst_layer_file *x) {
  char        why[CST_WHY], *bytes;
  size_t      length;
  const char *reason = r->share(cst_user_layer_fetch, x->file, &bytes, &length);
  x->withheld = reason && !strcmp(reason, cst_reader_layer_withheld);
  if (reason && !x->withheld)
    cst_yaml_error(r->doc, file, r->d, "%s: %s", x->file, reason);
  if (reason)
    return NULL;
  const cst_text *loaded =
      cst_user_layer_open(r->s->problem.layers, x->file, bytes, length, why, sizeof why);
  if (!loaded)
    cst_yaml_error(r->doc, file, r->d, "%s", why);
  free(bytes);
  return loaded;
}

static void note(cst_study *s, cst_layer_file x) {
  s->problem.layer =
      realloc(s->problem.layer, sizeof *s->problem.layer * (size_t)(s->problem.nlayer + 1));
  cst_need(s->problem.layer);
  s->problem.layer[s->problem.nlayer++] = x;
}

static void add_file(cst_reader *r, const char *name, cst_yaml *n, bool allowed) {
  cst_yaml *file = cst_yaml_get(n, "file");
  cst_reader_keys(r, n, name, "layers.NAME", CST_LAYER_FILE);
  const char *text = cst_reader_text(r, file, "file", "the name of a C file");
  if (!text)
    return;
  cst_layer_file  x = {.name = strdup(name), .file = cst_reader_beside(r, text)};
  const cst_text *loaded = find_sum(r, n, file, &x) ? load(r, file, &x) : NULL;
  if (loaded) {
    const cst_flow_rule *rule = cst_text_layer(loaded)->layer.rule;
    x.order = rule->order;
    x.doc = rule->doc;
  }
  if (loaded && allowed)
    cst_layers_add(r->s->problem.layers, name, loaded);
  note(r->s, x);
}

/* Defines a name whose layer is wrong or withheld as a placeholder, so that its uses cause no further errors.
 */
static void stand_in(cst_reader *r, const char *name) {
  cst_expr_error none;
  cst_layers_add_tableau(r->s->problem.layers, name, "{a: [[0]], b: [1]}", &none);
}

static void add(cst_reader *r, cst_yaml *key, cst_yaml *n) {
  char        why[200];
  const char *name = cst_yaml_text(key);
  const bool  allowed = cst_layers_allow(r->s->problem.layers, name, why, sizeof why);
  if (!allowed)
    cst_yaml_error(r->doc, key, r->d, "%s", why);
  (cst_yaml_get(n, "file") ? add_file : add_tableau)(r, name, n, allowed);
  if (allowed && !cst_layers_find(r->s->problem.layers, name))
    stand_in(r, name);
}

static void read_layers(cst_reader *r) {
  cst_yaml *n = cst_yaml_get(r->root, "layers");
  if (n && !cst_yaml_is_map(n))
    cst_yaml_error(r->doc, n, r->d,
                   "'layers' must be a map of names to tableaus, {a: ..., b: ..., c: ...}, and to "
                   "C files, {file: ...}");
  if (cst_yaml_size(n) > MOST_LAYERS)
    cst_yaml_error(r->doc, n, r->d, "there are %d layers; at most %d are allowed", cst_yaml_size(n),
                   MOST_LAYERS);
  if (!cst_yaml_is_map(n))
    return;
  for (int i = 0; i < cst_yaml_size(n) && i < MOST_LAYERS; i++) {
    if (cst_diag_full(r->d))
      return;
    add(r, cst_yaml_key(n, i), cst_yaml_value(n, i));
  }
}

/* ---- schemes --------------------------------------------------------------------------------- */

/* The key `schemes`: composition schemes of the study, {mine: [EXPR, ...]}. */

enum { MOST_SCHEMES = 1000, MOST_GAMMAS = 1024 };

/* Reads the gammas of a scheme; NULL after a mistake. Owned. */
static double *gammas(cst_reader *r, cst_yaml *n, const char *name) {
  bool good = cst_reader_list(r, n, name, "numbers, the gammas of a scheme", false);
  if (good && cst_yaml_size(n) > MOST_GAMMAS) {
    cst_yaml_error(r->doc, n, r->d, "the scheme '%s' has %d gammas; at most %d are allowed", name,
                   cst_yaml_size(n), MOST_GAMMAS);
    good = false;
  }
  if (!good)
    return NULL;
  double *gamma = cst_reader_memory((size_t)cst_yaml_size(n), sizeof *gamma);
  for (int i = 0; i < cst_yaml_size(n); i++)
    good &= cst_reader_constant(r, cst_yaml_item(n, i), name, gamma + i);
  if (good)
    return gamma;
  free(gamma);
  return NULL;
}

/* A name whose scheme is wrong stands for one step, so that its uses cause no further errors. */
static void add_scheme(cst_reader *r, cst_yaml *key, cst_yaml *n) {
  static const double one = 1;
  char                why[200];
  const char         *name = cst_yaml_text(key);
  const bool          allowed = cst_layers_allow(r->s->problem.layers, name, why, sizeof why);
  if (!allowed)
    cst_yaml_error(r->doc, key, r->d, "%s", why);
  double *gamma = gammas(r, n, name);
  bool    good = allowed && gamma;
  if (good && !cst_layers_add_scheme(r->s->problem.layers, name, gamma, cst_yaml_size(n), why,
                                     sizeof why)) {
    cst_yaml_error(r->doc, n, r->d, "the scheme '%s': %s", name, why);
    good = false;
  }
  if (allowed && !good)
    cst_layers_add_scheme(r->s->problem.layers, name, &one, 1, why, sizeof why);
  free(gamma);
}

/* Keeps what `constella check` tells of the schemes. */
static void note_schemes(cst_study *s, const cst_layers *l, cst_yaml *n) {
  s->problem.scheme = cst_reader_memory((size_t)cst_yaml_size(n), sizeof *s->problem.scheme);
  for (int i = 0; i < cst_yaml_size(n); i++) {
    const cst_scheme *x = cst_layers_scheme(l, cst_yaml_text(cst_yaml_key(n, i)));
    if (!x)
      continue;
    cst_study_scheme *out = &s->problem.scheme[s->problem.nscheme++];
    *out = (cst_study_scheme){
        .name = cst_need(strdup(x->name)), .stages = x->stages, .order = x->order};
    cst_scheme_defects(x->gamma, x->stages, out->defect);
  }
}

static void read_schemes(cst_reader *r) {
  cst_yaml *n = cst_yaml_get(r->root, "schemes");
  if (n && !cst_yaml_is_map(n))
    cst_yaml_error(r->doc, n, r->d, "'schemes' must be a map of names to lists of numbers");
  if (cst_yaml_size(n) > MOST_SCHEMES)
    cst_yaml_error(r->doc, n, r->d, "there are %d schemes; at most %d are allowed",
                   cst_yaml_size(n), MOST_SCHEMES);
  if (!cst_yaml_is_map(n) || cst_yaml_size(n) > MOST_SCHEMES)
    return;
  for (int i = 0; i < cst_yaml_size(n) && !cst_diag_full(r->d); i++)
    add_scheme(r, cst_yaml_key(n, i), cst_yaml_value(n, i));
  note_schemes(r->s, r->s->problem.layers, n);
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* The keys `maps`, `retractions` and `iotas`: discretization maps by name, {mine: {left: ..., right:
 * ...}}, for discretization(map=mine); retractions, {mine: {point: ...}} for
 * discretization(retraction=mine, theta=), and of rotations, {mine: {tangent: ...}} for
 * lie-rattle(retraction=mine) and others like it; fibres, {mine: {fibre: ...}} for convert(LAYER,
 * iota=mine). */

enum { MOST_MAPS = 1000 };

/* A map and the nodes of its texts. */
typedef struct {
  int            n; /* texts of each side; 0: one for every coordinate */
  int            ndefine;
  const char    *text[2][CST_MAX_Q];
  cst_definition define[CST_MAP_DEFINITIONS];
  cst_yaml      *left, *right, *definitions;
} parts;

/* The number of texts in a side, 0 for a single one; -1 after a mistake. */
static int read_side(cst_reader *r, cst_yaml *n, const char *what, const char **text) {
  const bool fibre = !strcmp(what, "fibre");
  if (!cst_yaml_is_list(n)) {
    text[0] = cst_reader_text(r, n, what,
                              fibre ? "an expression of q and theta, or a list of them"
                                    : "an expression of q and v, or a list of them");
    return text[0] ? 0 : -1;
  }
  const int count = cst_yaml_size(n);
  if (count < 1 || count > CST_MAX_Q) {
    cst_yaml_error(r->doc, n, r->d,
                   "'%s' has %d expressions; it takes one for each coordinate, at "
                   "most %d",
                   what, count, CST_MAX_Q);
    return -1;
  }
  for (int i = 0; i < count; i++)
    if (!(text[i] = cst_reader_text(r, cst_yaml_item(n, i), what,
                                    fibre ? "an expression of q[i] and theta[k]"
                                          : "an expression of q[i] and v[i]")))
      return -1;
  return count;
}

static bool read_definitions(cst_reader *r, parts *p) {
  cst_yaml *n = p->definitions;
  if (!n)
    return true;
  if (!cst_yaml_is_map(n) || cst_yaml_size(n) > CST_MAP_DEFINITIONS) {
    cst_yaml_error(r->doc, n, r->d, "'define' must be a map of at most %d names to expressions",
                   CST_MAP_DEFINITIONS);
    return false;
  }
  for (int i = 0; i < cst_yaml_size(n); i++) {
    const char *text = cst_reader_text(r, cst_yaml_value(n, i), "define", "an expression");
    if (!text)
      return false;
    p->define[p->ndefine++] =
        (cst_definition){.name = cst_yaml_text(cst_yaml_key(n, i)), .text = text};
  }
  return true;
}

static bool read_parts(cst_reader *r, cst_yaml *n, const char *name, parts *p) {
  static const char *const sides[] = {"left", "right"};
  if (!cst_reader_keys(r, n, name, "maps.NAME", CST_KEYS_ALL))
    return false;
  int count[2];
  p->definitions = cst_yaml_get(n, "define");
  p->left = cst_reader_required(r, n, "maps.NAME", "left");
  p->right = cst_reader_required(r, n, "maps.NAME", "right");
  if (!p->left || !p->right || !read_definitions(r, p))
    return false;
  for (int k = 0; k < 2; k++)
    if ((count[k] = read_side(r, k ? p->right : p->left, sides[k], p->text[k])) < 0)
      return false;
  p->n = count[0];
  if (count[0] == count[1])
    return true;
  char have[2][60];
  for (int k = 0; k < 2; k++)
    snprintf(have[k], sizeof have[k], count[k] ? "%d expressions" : "one for every coordinate",
             count[k]);
  cst_yaml_error(r->doc, p->right, r->d, "left of the map has %s and right has %s", have[0],
                 have[1]);
  return false;
}

static void complain_of_map(cst_reader *r, const parts *p, const cst_map_error *e) {
  cst_yaml *at = e->side ? p->right : p->left;
  if (p->n)
    at = cst_yaml_item(at, e->entry);
  cst_yaml_error_at(r->doc, at, e->error.offset, r->d, "%s", e->error.message);
}

static const cst_text *make_map(cst_reader *r, cst_text_kind kind, const parts *p) {
  const cst_wording w = {
      kind, p->n, {p->text[0], kind == CST_TEXT_MAP ? p->text[1] : NULL}, p->define, p->ndefine, 0};
  cst_map_error   error;
  const cst_text *m = cst_map_make(r->s->problem.layers, &w, &error);
  if (!m)
    complain_of_map(r, p, &error);
  return m;
}

static const cst_text *read_map(cst_reader *r, cst_yaml *n, const char *name) {
  parts p = {0};
  return read_parts(r, n, name, &p) ? make_map(r, CST_TEXT_MAP, &p) : NULL;
}

/* ---- retractions ----------------------------------------------------------------------------- */

static const cst_text *read_point(cst_reader *r, parts *p) {
  p->right = p->left;
  p->n = read_side(r, p->left, "point", p->text[0]);
  return p->n < 0 ? NULL : make_map(r, CST_TEXT_POINT, p);
}

static const cst_text *read_tangent(cst_reader *r, cst_yaml *n, const parts *p) {
  const bool     axes = cst_yaml_is_list(n);
  const char    *text[3];
  int            entry = 0;
  cst_expr_error error;
  if (axes && cst_yaml_size(n) != 3) {
    cst_yaml_error(r->doc, n, r->d,
                   "'tangent' is an expression of s, or a list of three of x[1], x[2], x[3]; this "
                   "one has %d",
                   cst_yaml_size(n));
    return NULL;
  }
  for (int i = 0; i < (axes ? 3 : 1); i++)
    if (!(text[i] = cst_reader_text(r, axes ? cst_yaml_item(n, i) : n, "tangent",
                                    axes ? "an expression of x[i]" : "an expression of s")))
      return NULL;
  const cst_wording w = {CST_TEXT_TANGENT, axes ? 3 : 0, {text}, p->define, p->ndefine, 0};
  const cst_text   *t = cst_tau_make(r->s->problem.layers, &w, &entry, &error);
  if (!t)
    cst_yaml_error_at(r->doc, axes ? cst_yaml_item(n, entry) : n, error.offset, r->d, "%s",
                      error.message);
  return t;
}

static const cst_text *read_retraction(cst_reader *r, cst_yaml *n, const char *name) {
  parts p = {0};
  if (!cst_reader_keys(r, n, name, "retractions.NAME", CST_KEYS_ALL))
    return NULL;
  cst_yaml *tangent = cst_yaml_get(n, "tangent");
  p.definitions = cst_yaml_get(n, "define");
  p.left = cst_yaml_get(n, "point");
  if (!p.left == !tangent)
    cst_yaml_error(r->doc, n, r->d,
                   "a retraction is {point: EXPRESSION of q and v}, or of rotations {tangent: "
                   "EXPRESSION of s}");
  else if (read_definitions(r, &p) || tangent)
    return tangent ? read_tangent(r, tangent, &p) : read_point(r, &p);
  return NULL;
}

/* ---- fibres ---------------------------------------------------------------------------------- */

static const cst_text *read_iota(cst_reader *r, cst_yaml *n, const char *name) {
  parts          p = {0};
  int            entry = 0;
  cst_expr_error error;
  if (!cst_reader_keys(r, n, name, "iotas.NAME", CST_KEYS_ALL))
    return NULL;
  p.definitions = cst_yaml_get(n, "define");
  p.left = cst_reader_required(r, n, "iotas.NAME", "fibre");
  if (!p.left || !read_definitions(r, &p) || (p.n = read_side(r, p.left, "fibre", p.text[0])) < 0)
    return NULL;
  const cst_wording w = {CST_TEXT_FIBRE, p.n, {p.text[0]}, p.define, p.ndefine, 0};
  const cst_text   *x = cst_iota_make(r->s->problem.layers, &w, &entry, &error);
  if (!x)
    cst_yaml_error_at(r->doc, p.n ? cst_yaml_item(p.left, entry) : p.left, error.offset, r->d, "%s",
                      error.message);
  return x;
}

/* ---- all keys -------------------------------------------------------------------------------- */

typedef enum { MAPS, RETRACTIONS, IOTAS } kind;
static const char *const section[] = {"maps", "retractions", "iotas"};

/* What a name stands for whose text is wrong, so that its uses cause no further errors. */
static const cst_text *stand_in_map(cst_layers *l, kind of, bool of_rotations) {
  static const char *const q[] = {"q"}, *const line[] = {"q + v"}, *const half[] = {"1/2"},
                           *const ray[] = {"q + q*theta"};
  int                             entry;
  cst_map_error                   none;
  if (of == IOTAS)
    return cst_iota_make(l, &(cst_wording){CST_TEXT_FIBRE, .side = {ray}}, &entry, &none.error);
  if (of_rotations)
    return cst_tau_make(l, &(cst_wording){CST_TEXT_TANGENT, .side = {half}}, &entry, &none.error);
  return cst_map_make(l,
                      of == MAPS ? &(cst_wording){CST_TEXT_MAP, .side = {q, line}}
                                 : &(cst_wording){CST_TEXT_POINT, .side = {line}},
                      &none);
}

static void add_map(cst_reader *r, cst_yaml *key, cst_yaml *n, kind of) {
  static const cst_text *(*const read[])(cst_reader * r, cst_yaml * n,
                                         const char *name) = {read_map, read_retraction, read_iota};
  char        why[200];
  const char *name = cst_yaml_text(key);
  const bool  allowed = cst_layers_allow(r->s->problem.layers, name, why, sizeof why);
  if (!allowed)
    cst_yaml_error(r->doc, key, r->d, "%s", why);
  const cst_text *x = read[of](r, n, name);
  if (allowed)
    cst_layers_add(r->s->problem.layers, name,
                   x ? x
                     : stand_in_map(r->s->problem.layers, of,
                                    of == RETRACTIONS && cst_yaml_get(n, "tangent") != NULL));
}

static void read_maps(cst_reader *r, kind of) {
  static const char *const forms[] = {"{left: ..., right: ...}", "{point: ...} or {tangent: ...}",
                                      "{fibre: ...}"};
  const char              *key = section[of];
  cst_yaml                *n = cst_yaml_get(r->root, key);
  if (n && !cst_yaml_is_map(n))
    cst_yaml_error(r->doc, n, r->d, "'%s' must be a map of names to maps, %s", key, forms[of]);
  if (cst_yaml_size(n) > MOST_MAPS)
    cst_yaml_error(r->doc, n, r->d, "there are %d %s; at most %d are allowed", cst_yaml_size(n),
                   key, MOST_MAPS);
  if (!cst_yaml_is_map(n) || cst_yaml_size(n) > MOST_MAPS)
    return;
  for (int i = 0; i < cst_yaml_size(n) && !cst_diag_full(r->d); i++)
    add_map(r, cst_yaml_key(n, i), cst_yaml_value(n, i), of);
}

void cst_file_layers(cst_reader *r) {
  read_layers(r);
  read_schemes(r);
  read_maps(r, MAPS);
  read_maps(r, RETRACTIONS);
  read_maps(r, IOTAS);
}

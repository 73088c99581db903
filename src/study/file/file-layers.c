/* file-layers.c: the key `layers`: C files, and tableaus written as maps in YAML, which `methods` accepts
 * too.
 *
 * The map of a tableau is converted to the text {a: ..., b: ..., c: ...} of a method expression, with the
 * offset at which each YAML node begins. One parser finds the mistakes of both forms, and they are reported
 * at their place in the file.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "constella/random.h"
#include "method/method.h"
#include "method/user-layer.h"
#include "study/file/reader.h"
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
      !cst_layers_add_tableau(r->layers, name, f.text, &error))
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
static const cst_flow_rule *load(cst_reader *r, cst_yaml *file, cst_layer_file *x) {
  char        why[CST_WHY], *bytes;
  size_t      length;
  const char *reason = r->share(cst_user_layer_fetch, x->file, &bytes, &length);
  x->withheld = reason && !strcmp(reason, cst_reader_layer_withheld);
  if (reason && !x->withheld)
    cst_yaml_error(r->doc, file, r->d, "%s: %s", x->file, reason);
  if (reason)
    return NULL;
  const cst_flow_rule *rule = cst_user_layer_open(x->file, bytes, length, why, sizeof why);
  if (!rule)
    cst_yaml_error(r->doc, file, r->d, "%s", why);
  free(bytes);
  return rule;
}

static void note(cst_study *s, cst_layer_file x) {
  s->layer = realloc(s->layer, sizeof *s->layer * (size_t)(s->nlayer + 1));
  cst_need(s->layer);
  s->layer[s->nlayer++] = x;
}

static void add_file(cst_reader *r, const char *name, cst_yaml *n, bool allowed) {
  cst_yaml *file = cst_yaml_get(n, "file");
  cst_reader_keys(r, n, name, "layers.NAME", CST_LAYER_FILE);
  const char *text = cst_reader_text(r, file, "file", "the name of a C file");
  if (!text)
    return;
  cst_layer_file       x = {.name = strdup(name), .file = cst_reader_beside(r, text)};
  const cst_flow_rule *rule = find_sum(r, n, file, &x) ? load(r, file, &x) : NULL;
  if (rule) {
    x.order = rule->order;
    x.doc = rule->doc;
  }
  if (rule && allowed)
    cst_layers_add_rule(r->layers, name, rule);
  note(r->s, x);
}

/* Defines a name whose layer is wrong or withheld as a placeholder, so that its uses cause no further errors.
 */
static void stand_in(cst_reader *r, const char *name) {
  cst_expr_error none;
  cst_layers_add_tableau(r->layers, name, "{a: [[0]], b: [1]}", &none);
}

static void add(cst_reader *r, cst_yaml *key, cst_yaml *n) {
  char        why[200];
  const char *name = cst_yaml_text(key);
  const bool  allowed = cst_layers_allow(r->layers, name, why, sizeof why);
  if (!allowed)
    cst_yaml_error(r->doc, key, r->d, "%s", why);
  (cst_yaml_get(n, "file") ? add_file : add_tableau)(r, name, n, allowed);
  if (allowed && !cst_layers_find(r->layers, name))
    stand_in(r, name);
}

void cst_file_layers(cst_reader *r) {
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

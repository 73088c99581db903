/* system-file.c: reads a system from its description, part by part; applies defaults; frees a system. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "core/boundary.h"
#include "expr/budget.h"
#include "system/library.h"
#include "system/read/system-reader.h"

/* A block of memory that lives as long as the system; the newest block comes first. */
typedef struct block {
  struct block *next;
  max_align_t   memory[];
} block;

void *cst_system_keep(cst_system *s, size_t n, size_t size) {
  cst_system_owned *o = s->owned;
  const bool        possible = n <= SIZE_MAX / 2 / size;
  block            *b = cst_need(possible ? calloc(1, sizeof *b + n * size) : NULL);
  b->next = o->kept;
  o->kept = b;
  return b->memory;
}

static void free_kept(cst_system_owned *o) {
  for (block *b = o->kept, *next; b; b = next) {
    next = b->next;
    free(b);
  }
}

static void read_title(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *n = cst_read_required(r, r->root, "system", "(the name of the system)");
  if (n && cst_read_label(r, n, "system"))
    s->name = cst_yaml_text(n);
  s->doc = cst_read_text(r, cst_yaml_get(r->root, "doc"), "doc");
  s->source = cst_read_text(r, cst_yaml_get(r->root, "source"), "source");
}

static void start(cst_reading *r) {
  const int  coordinates = cst_yaml_size(cst_yaml_get(r->root, "coordinates"));
  const int  bodies = cst_yaml_size(cst_yaml_get(r->root, "bodies"));
  const long n = 2 + CST_MAX_PAR + coordinates + 12L * bodies;
  r->before = cst_diag_count(r->d);
  r->names = cst_zeros(n, sizeof *r->names);
  r->timed[1] = (cst_binding){.name = "t", .node = cst_graph_input(r->s->model->graph, 't', 0)};
}

/* Up to the parameters. */
static bool read_head(cst_reading *r) {
  cst_system_keys_check(r->doc, r->root, "", CST_KEYS_ALL, r->d);
  read_title(r);
  cst_read_units(r);
  cst_read_parameters(r);
  return cst_read_tables(r) && cst_read_goes_on(r);
}

static bool good(const cst_reading *r) { return cst_diag_count(r->d) == r->before; }

static bool read_names(cst_reading *r) {
  return cst_read_coordinates(r) && cst_read_check_tables(r) && cst_read_definitions(r);
}

/* False: there are no names for expressions to read, and no other key is read. */
static bool read_all(cst_reading *r) {
  if (!read_head(r))
    return false;
  if (!read_names(r)) {
    static const char *const others[] = {"mass", "potential", "states"};
    for (int i = cst_read_has_bodies(r) ? 2 : 0; i < 3; i++)
      cst_read_required(r, r->root, others[i], "of the system");
    return false;
  }
  cst_read_inertia(r);
  cst_read_mass(r);
  cst_read_gyroscopic(r);
  cst_read_potential(r);
  cst_read_constraints(r);
  cst_read_forces(r);
  if (good(r))
    cst_read_check_stationary(r);
  cst_read_symmetries(r);
  cst_read_states(r);
  cst_read_accounts(r);
  return true;
}

static void derive(cst_reading *r) {
  cst_yaml *title = cst_yaml_get(r->root, "system");
  if (good(r))
    cst_read_check_mass(r);
  if (!good(r) || cst_system_derive(r->s))
    return;
  if (cst_graph_spent(r->s->model->graph))
    cst_yaml_error(
        r->doc, title, r->d,
        "the system is too large: with its arrays and sums written out, its derivatives take more "
        "work than is allowed");
  else
    cst_yaml_error(
        r->doc, title, r->d,
        "the system is too large: its derivatives need more than %d operations, or a matrix more "
        "than %.0f entries",
        cst_graph_most(r->s->model->graph), cst_system_most_entries(r->s));
}

/* A copy of n records, or zeros. Owned. */
static void *copied(const void *x, long n, size_t size) {
  void *y = cst_zeros(n, size);
  return x ? memcpy(y, x, (size_t)n * size) : y;
}

cst_system *cst_system_create(const cst_system *of) {
  cst_system *x = copied(of, 1, sizeof *x);
  x->parameter = copied(of ? of->parameter : NULL, CST_MAX_PAR, sizeof *x->parameter);
  x->description = copied(of ? of->description : NULL, 1, sizeof *x->description);
  x->model = copied(of ? of->model : NULL, 1, sizeof *x->model);
  x->code = copied(of ? of->code : NULL, 1, sizeof *x->code);
  cst_system_owned *o = x->owned = cst_zeros(1, sizeof *o);
  o->system = x;
  return x;
}

/* The system that read_parts of r reads from a description; NULL with errors in d. */
static cst_system *read(const char *file, const char *text, size_t length, cst_diag *d,
                        cst_reading *r, void (*read_parts)(cst_reading *r)) {
  r->described = cst_description_length(text, length);
  cst_document *doc = cst_document_parse(file, text, r->described, d);
  if (!doc)
    return NULL;
  cst_system       *s = cst_system_create(NULL);
  cst_system_owned *o = s->owned;
  o->doc = doc;
  s->model->graph = cst_graph_create();
  s->model->flat = -1;
  s->model->whole = -1;
  s->description->text = cst_need(strndup(text, length));
  r->s = s;
  r->doc = doc;
  r->d = d;
  r->root = cst_document_root(doc);
  start(r);
  cst_graph_allow(s->model->graph, CST_READING_WORK);
  read_parts(r);
  cst_graph_allow(s->model->graph, INFINITY);
  free(r->names);
  if (good(r))
    return s;
  cst_system_destroy(s);
  return NULL;
}

static void read_whole(cst_reading *r) {
  if (!read_all(r))
    return;
  derive(r);
  cst_read_appearance(r);
  cst_read_events(r);
}

cst_system *cst_system_read(const char *file, const char *text, size_t length,
                            const cst_size *sizes, int nsize, cst_diag *d) {
  CST_REQUIRE(file && text && d && (sizes || nsize <= 0), NULL);
  cst_reading r = {.sizes = sizes, .nsize = nsize};
  return read(file, text, length, d, &r, read_whole);
}

static void read_outline(cst_reading *r) {
  if (read_head(r) && read_names(r))
    cst_read_constraints(r);
}

cst_system *cst_system_outline(const char *file, const char *text, size_t length, cst_diag *d) {
  return read(file, text, length, d, &(cst_reading){0}, read_outline);
}

/* Reads a start of a study, which is written like a state of a system. */

bool cst_system_read_start(cst_system *s, const cst_document *doc, cst_yaml *map, const double *c,
                           cst_diag *d, cst_node *q, cst_node *v) {
  CST_REQUIRE(s && doc && map && (c || !s->npar) && d && q && v, false);
  const size_t n = sizeof *q * (size_t)s->nq;
  cst_reading  r = {
       .s = s,
       .doc = (cst_document *)doc,
       .d = d,
       .root = map,
       .before = cst_diag_count(d),
       .c = c,
  };
  cst_node *from_q, *from_v;
  r.names = cst_zeros(1 + CST_MAX_PAR, sizeof *r.names);
  for (int i = 0; i < cst_system_named(s); i++) {
    const cst_parameter *p = &s->parameter[i];
    const cst_node       node = p->size ? p->node : cst_graph_input(s->model->graph, 'c', i);
    r.names[1 + i] = (cst_binding){.name = p->name, .node = node};
  }
  r.i = cst_zeros(s->description->ncoordinate, sizeof *r.i);
  for (int i = 0; i < s->description->ncoordinate; i++) {
    r.i[i] = "i";
    if (s->description->coordinate_name[i].array)
      r.array = s->description->coordinate_name[i].name;
  }
  cst_read_start(&r, map, &from_q, &from_v);
  const bool read = good(&r);
  if (read) {
    memcpy(q, from_q, n);
    memcpy(v, from_v, n);
  }
  free(r.names);
  free(r.i);
  return read;
}

/* Defaults. */

static double preset(const cst_system *s, int i, const double *c) {
  cst_graph        *g = s->model->graph;
  double            value;
  const double     *in[128] = {['c'] = c};
  cst_system_owned *o = s->owned;
  cst_tape        **tape = &o->preset[i];
  if (cst_graph_is_constant(g, s->parameter[i].node, &value))
    return value;
  if (!*tape)
    *tape = cst_tape_create(g, &s->parameter[i].node, 1);
  cst_evaluate_tape(*tape, in, &value);
  return value;
}

void cst_system_defaults(const cst_system *s, const bool *given, double *c) {
  CST_REQUIRE(s && (c || !s->npar));
  for (int i = 0; i < s->npar; i++)
    if (s->parameter[i].size || !given || !given[i])
      c[i] = preset(s, i, c);
}

static void destroy_tapes(cst_tape **tapes, int n) {
  for (int i = 0; tapes && i < n; i++)
    cst_tape_destroy(tapes[i]);
}

/* Frees what cst_system_derive allocated. */
static void free_derived(cst_system *s) {
  for (int k = 0; k < CST_K_COUNT; k++) {
    cst_structure_pattern_destroy(&s->model->pattern[k]);
    free(s->model->kernel_out[k]);
    free(s->model->beside[k]);
  }
  cst_pairs_destroy(s);
  cst_structure_gram_destroy(&s->model->gram);
  for (int i = 0; i < 2; i++)
    cst_bands_destroy(&s->model->bands[i]);
  free(s->model->mass_class);
  free(s->model->dropped);
}

void cst_system_destroy(cst_system *s) {
  if (!s)
    return;
  cst_system_owned *o = s->owned;
  cst_system_destroy(o->penalised);
  destroy_tapes(o->tape, CST_K_COUNT);
  destroy_tapes(o->preset, CST_MAX_PAR);
  destroy_tapes(o->start, s->nstate);
  destroy_tapes(o->motion, s->nstate);
  free(o->start);
  free(o->motion);
  cst_tape_destroy(o->length.tape);
  free(o->length.row);
  free(o->length.at);
  free(o->length.dimensionless);
  free(o->scratch);
  for (int i = 0; i < o->nloaded; i++)
    o->unload(o->loaded[i]);
  free(o->loaded);
  for (int i = 0; i < CST_ISA_MOST; i++)
    free(o->added[i]);
  free_derived(s);
  cst_graph_destroy(s->model->graph);
  cst_document_destroy(o->doc);
  free_kept(o);
  free(s->description->text);
  free(s->description);
  free(s->model);
  free(s->code);
  free(s->parameter);
  free(o);
  free(s);
}

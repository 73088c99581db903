/* user-layer.c: one-step methods that users write in C: the operations available to them, and how they are
 * compiled, tried out and loaded. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "method/texts/user-layer.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "constella/diag.h"
#include "constella/layer.h"
#include "constella/random.h"
#include "core/document.h"
#include "core/need.h"
#include "method/layer.h"
#include "system/compile/compile.h"
#include "system/field.h"

/* ---- code that may crash, end the program or never end --------------------------------------- */

/* It runs in a child process first. */

enum { RETURNED = 113, PATIENCE = 10 }; /* an exit status; real seconds for one of the processor */

static void leave(void) { _exit(1); }

/* exit() must not end what the parent has begun, such as MPI: `leave` is called before all handlers of it. */
static void run_child(void (*work)(void *context), void *context, unsigned seconds) {
  static const int handled[] = {SIGSEGV, SIGBUS, SIGILL,  SIGFPE,  SIGABRT,
                                SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGALRM};
  for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
    signal(handled[i], SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
  alarm(PATIENCE * seconds);
  atexit(leave);
  work(context);
  _exit(RETURNED);
}

static const char *what_of(int status, int seconds) {
  static char what[128];
  const int   how = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == RETURNED)
    return NULL;
  if (how == SIGXCPU || how == SIGALRM)
    snprintf(what, sizeof what, "takes more than %d s", seconds);
  else if (how)
    snprintf(what, sizeof what, "crashes (%s)", strsignal(how));
  else
    snprintf(what, sizeof what, "ends the program");
  return what;
}

/* Calls work(context) in a copy of this process. NULL if it returns; else what it does instead, "crashes
 * (Segmentation fault)", as static text. seconds: of the processor that it may take. Where no process can be
 * made, nothing is called, and the answer is NULL. */
static const char *try_apart(void (*work)(void *context), void *context, int seconds) {
  int         status;
  const pid_t child = fork();
  if (child < 0)
    return NULL;
  if (child == 0)
    run_child(work, context, (unsigned)seconds);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return NULL;
  return what_of(status, seconds);
}

enum { MOST_ORDER = 20, MOST_FUNCTIONS = 64, SECONDS_ALLOWED = 2 };

/* ---- operations ------------------------------------------------------------------------------ */

/* A step under construction; the part visible to the user comes first. */
typedef struct {
  cst_layer_step    seen;
  const cst_system *s;
  int               evaluations; /* evaluations so far */
  char              unknown[64]; /* an unknown function that was called, or "" */
} construction;

static construction *own(const cst_layer_step *s) { return (construction *)s; }

static cst_graph *graph(const cst_layer_step *s) { return own(s)->s->model->graph; }

/* n if it is a node, else -1: a value that the user forgot to set may be any number. */
static cst_node checked(const cst_layer_step *s, cst_node n) {
  return n >= 0 && n < cst_graph_size(graph(s)) ? n : -1;
}

static cst_node number(const cst_layer_step *s, double value) {
  return cst_graph_constant(graph(s), value);
}

#define BINARY(name)                                                                               \
  static cst_node node_##name(const cst_layer_step *s, cst_node a, cst_node b) {                   \
    return cst_graph_##name(graph(s), checked(s, a), checked(s, b));                               \
  }
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
BINARY(pow)

static cst_node node_neg(const cst_layer_step *s, cst_node a) {
  return cst_graph_neg(graph(s), checked(s, a));
}

static bool is_function(cst_graph *g, const char *name) {
  const cst_node one = cst_graph_constant(g, 1);
  return cst_graph_call(g, name, one, one) >= 0;
}

static cst_node call(const cst_layer_step *s, const char *function, cst_node a, cst_node b) {
  if (is_function(graph(s), function))
    return cst_graph_call(graph(s), function, checked(s, a), checked(s, b));
  snprintf(own(s)->unknown, sizeof own(s)->unknown, "%s", function);
  return -1;
}

static bool all_checked(const cst_layer_step *s, const cst_node *x) {
  for (int i = 0; i < s->n; i++)
    if (checked(s, x[i]) < 0)
      return false;
  return true;
}

/* Uses x as a buffer, since A may be q or v. */
static void acceleration(const cst_layer_step *s, const cst_node *q, const cst_node *v,
                         cst_node *A) {
  cst_node   x[CST_MAX_Q];
  const bool good = all_checked(s, q) && all_checked(s, v);
  if (good)
    cst_field_acceleration(own(s)->s, q, v, x, NULL);
  for (int i = 0; i < s->n; i++)
    A[i] = good ? x[i] : -1;
  own(s)->evaluations++;
}

static cst_node lagrangian(const cst_layer_step *s, const cst_node *q, const cst_node *v) {
  return all_checked(s, q) && all_checked(s, v) ? cst_field_lagrangian(own(s)->s, q, v) : -1;
}

/* ---- the rule -------------------------------------------------------------------------------- */

/* A loaded layer. */
typedef struct {
  cst_own_layer           own;
  cst_flow_rule           rule;
  const cst_layer_method *method;
  cst_object             *object;
} layer;

static construction construct(const cst_layer_method *m, const cst_system *s, cst_node t,
                              const cst_node *q, const cst_node *v, cst_node *q1, cst_node *v1,
                              cst_node *S) {
  construction c = {.seen = {.n = s->nq,
                             .t = t,
                             .q = q,
                             .v = v,
                             .q1 = q1,
                             .v1 = v1,
                             .S = S,
                             .number = number,
                             .add = node_add,
                             .sub = node_sub,
                             .mul = node_mul,
                             .div = node_div,
                             .pow = node_pow,
                             .neg = node_neg,
                             .call = call,
                             .acceleration = acceleration,
                             .lagrangian = lagrangian},
                    .s = s};
  *S = -1;
  for (int i = 0; i < s->nq; i++)
    q1[i] = v1[i] = -1;
  m->step(&c.seen);
  *S = checked(&c.seen, *S);
  for (int i = 0; i < s->nq; i++) {
    q1[i] = checked(&c.seen, q1[i]);
    v1[i] = checked(&c.seen, v1[i]);
  }
  return c;
}

static void formulas(const void *self, const cst_system *s, cst_node t, const cst_node *q,
                     const cst_node *v, cst_node *q1, cst_node *v1, cst_node *S) {
  construct(((const layer *)self)->method, s, t, q, v, q1, v1, S);
}

/* It claims only its declared order. */

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  return cst_flow_fits(t->own->rule, s, why, n);
}

static bool own_layer(const cst_term *t, cst_layer *l) {
  *l = *t->own;
  return true;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_layer_add_rule(p, fraction, t->own->rule);
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)s;
  return cst_layer_properties(t->own->rule->order, 0);
}

static const cst_method_row row_of_formulas = {.steps = CST_NONHOLONOMIC | CST_FORCED,
                                               .layer = own_layer,
                                               .fits = fits,
                                               .properties = properties,
                                               .expand = expand};

/* ---- loading --------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static bool fail(char *why, int n, const char *format, ...) {
  va_list a;
  va_start(a, format);
  vsnprintf(why, (size_t)n, format, a);
  va_end(a);
  return false;
}

static bool check(const cst_layer_method *m, char *why, int n) {
  if (!m)
    return fail(why, n,
                "it does not define cst_user_layer; a layer ends in `const cst_layer_method "
                "cst_user_layer = "
                "{...};`");
  if (m->version != CST_LAYER_VERSION)
    return fail(why, n,
                "it is written for version %d of constella/layer.h; this program has version %d",
                m->version, CST_LAYER_VERSION);
  if (!m->name || !*m->name || !m->doc || !m->step)
    return fail(why, n, "its cst_user_layer lacks a name, a doc or a step");
  if (m->order < 1 || m->order > MOST_ORDER)
    return fail(why, n, "its order is %d; it must be from 1 to %d", m->order, MOST_ORDER);
  return true;
}

static bool filled(const cst_node *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] < 0)
      return false;
  return true;
}

/* "sqrt, sin, ..." */
static const char *functions(void) {
  const char *name[MOST_FUNCTIONS];
  int         count = 0;
  while (count < MOST_FUNCTIONS && (name[count] = cst_graph_function(count)))
    count++;
  return cst_diag_join(name, count);
}

/* Tests the formulas on a system of the catalogue: they must be complete. Counts their evaluations of A. */
static bool try_out(layer *l, const char *system, char *why, int n) {
  cst_node    x[2 * CST_MAX_Q], end[2 * CST_MAX_Q], S;
  cst_system *s = cst_catalogue_create(system);
  const int   nq = s->nq;
  for (int i = 0; i < nq; i++) {
    x[i] = cst_graph_input(s->model->graph, 'q', i);
    x[nq + i] = cst_graph_input(s->model->graph, 'v', i);
  }
  const construction c = construct(l->method, s, cst_graph_input(s->model->graph, 'l', 0), x,
                                   x + nq, end, end + nq, &S);
  const bool         full = cst_graph_size(s->model->graph) >= CST_EXPR_NODES;
  cst_system_destroy(s);
  l->rule.evaluations = c.evaluations;
  if (*c.unknown)
    return fail(why, n, "it calls '%s'; the functions are %s", c.unknown, functions());
  if (full)
    return fail(why, n, "its step takes too many operations; at most %d are possible",
                CST_EXPR_NODES);
  if (!filled(end, nq))
    return fail(why, n, "its step does not fill q1");
  if (!filled(end + nq, nq))
    return fail(why, n, "its step does not fill v1");
  return S >= 0 || fail(why, n, "its step does not fill S, the integral of L");
}

/* The layer of an object, or NULL. */
static layer *describe(cst_object *o, char *why, int n) {
  const cst_layer_method *m = cst_load_object_symbol(o, "cst_user_layer");
  if (!check(m, why, n))
    return NULL;
  layer *l = calloc(1, sizeof *l);
  cst_need(l);
  *l = (layer){
      .own = {&row_of_formulas, {.rule = &l->rule}},
      .rule = {.name = m->name, .doc = m->doc, .self = l, .order = m->order, .formulas = formulas},
      .method = m,
      .object = o};
  if (try_out(l, "planar-pendulum", why, n))
    return l;
  free(l);
  return NULL;
}

static void unload(void *made) {
  layer *l = made;
  cst_load_object_unload(l->object);
  free(l);
}

const cst_text *cst_user_layer_open(cst_layers *layers, const char *path, const char *bytes,
                                    size_t length, char *why, int n) {
  char     reason[CST_WHY] = "";
  cst_code code = {.bytes = (char *)bytes, .size = length};
  cst_sha256(bytes, length, code.key);
  const char *const key = code.key;
  const cst_wording w = {CST_TEXT_FILE, .side = {&key}};
  const cst_text   *known = cst_text_find(layers, &w);
  if (known)
    return known;
  cst_object *o = cst_load_object(&code, reason);
  layer      *l = o ? describe(o, reason, sizeof reason) : NULL;
  if (l)
    return cst_text_keep(layers, &w, l, unload);
  cst_load_object_unload(o);
  snprintf(why, (size_t)n, "%s: %s", path, reason);
  return NULL;
}

/* In a child process: loads the object and builds its formulas. cst_user_layer_open reports what is wrong
 * with them. */
static void build(void *code) {
  char        why[CST_WHY];
  cst_object *o = cst_load_object(code, why);
  layer      *l = o ? describe(o, why, sizeof why) : NULL;
  if (l)
    try_out(l, "double-pendulum", why, sizeof why);
}

/* NULL, or why the object cannot be loaded into this process. */
static const char *refuse(const char *bytes, size_t length) {
  static char why[CST_WHY];
  cst_code    code = {.bytes = (char *)bytes, .size = length};
  const char *what = try_apart(build, &code, SECONDS_ALLOWED);
  snprintf(why, sizeof why, "it %s when its formulas are built", what ? what : "");
  return what ? why : NULL;
}

static bool is_object(const char *path) {
  const size_t n = strlen(path);
  return n > 3 && !strcmp(path + n - 3, ".so");
}

static const char *compiled(const char *path, char **bytes, size_t *length) {
  static char why[CST_WHY];
  cst_code    code;
  char       *text;
  size_t      n;
  const char *reason = cst_document_fetch(path, &text, &n);
  if (reason)
    return reason;
  const bool good = cst_compile_file(path, text, n, &code, why);
  free(text);
  if (!good)
    return why;
  *bytes = code.bytes;
  *length = code.size;
  return NULL;
}

const char *cst_user_layer_fetch(const char *path, char **bytes, size_t *length) {
  const char *reason =
      is_object(path) ? cst_document_fetch(path, bytes, length) : compiled(path, bytes, length);
  if (!reason && (reason = refuse(*bytes, *length)))
    free(*bytes);
  return reason;
}

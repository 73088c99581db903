/* test-flow.c: layers given by formulas: taylor(p) compared with gauss(8) and quadrature; the derivatives of
 * every kernel compared with differences of order six and with each other; the work that taylor-curve(p)
 * gives along variations of its points. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"
#include "method/method.h"

enum { LANES = 3, N = CST_MAX_Q, WIDE = CST_W_MAX };

static const char *const systems[] = {
    "spherical-pendulum", "double-pendulum", "rigid-body", "double-pendulum-angles",
    "charged-pendulum",   "henon-heiles",    "kepler",     "magnetised-body"};
enum { SYSTEMS = sizeof systems / sizeof *systems };

static const cst_flow_rule *rule_of(const char *text) {
  cst_method *m = method_of(text);
  cst_layer   l = {0};
  if (!cst_term_layer(cst_method_root(m), &l))
    abort();
  cst_method_destroy(m);
  return l.rule;
}

/* The same rule with S in place of q1[0], so that S can be observed. */
static void show_action(const void *self, const cst_system *s, cst_node t, const cst_node *q,
                        const cst_node *v, cst_node *q1, cst_node *v1, cst_node *S) {
  const cst_flow_rule *rule = self;
  rule->formulas(rule->self, s, t, q, v, q1, v1, S);
  q1[0] = *S;
}

/* A point in all lanes: state, covector x, s, directions (dq, dv, dx). */
typedef struct {
  double q[N], v[N], x[N], u[3 * N], t, s;
} point;

typedef struct {
  const problem *x;
  cst_flow      *flow;
  int            width;
} flow;

static flow flow_open(const problem *x, const cst_flow_rule *rule, int isa, bool derivatives) {
  char why[400];
  flow f = {x, cst_flow_create(rule, x->s, isa, derivatives, why, sizeof why), cst_isas[isa].width};
  if (!f.flow) {
    fprintf(stderr, "%s\n", why);
    abort();
  }
  return f;
}

/* Every lane has a different point: lane l that of l % n; out[2 nq] for each of n points. */
static void run_kernel(const flow *f, cst_flow_kernel_id k, const point *at, int n,
                       double (*out)[2 * N]) {
  static _Alignas(64) double c[CST_MAX_PAR * WIDE], q[N * WIDE], v[N * WIDE], x[N * WIDE],
      u[3 * N * WIDE], l[2 * WIDE], o[2 * N * WIDE];
  const cst_system *s = f->x->s;
  const int         W = f->width, nq = s->nq;
  for (int j = 0; j < W; j++) {
    const point *p = &at[j % n];
    for (int i = 0; i < s->npar; i++)
      c[i * W + j] = f->x->c[i];
    for (int i = 0; i < nq; i++) {
      q[i * W + j] = p->q[i];
      v[i * W + j] = p->v[i];
      x[i * W + j] = p->x[i];
    }
    for (int i = 0; i < 3 * nq; i++)
      u[i * W + j] = p->u[i];
    l[j] = p->t;
    l[W + j] = p->s;
  }
  cst_flow_kernels(f->flow)[k](cst_flow_self(f->flow), c, q, v, x, u, l, o);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < 2 * nq; i++)
      out[j][i] = o[i * W + j];
}

static void run_one(const flow *f, cst_flow_kernel_id k, const point *p, double *out) {
  double all[1][2 * N];
  run_kernel(f, k, p, 1, all);
  memcpy(out, all[0], sizeof all[0]);
}

/* A generic point off the constraints. */
static point point_of(const problem *x, int seed) {
  const double pace = pace_of(x->s->name);
  point        p = {.t = 0.1 * pace, .s = 0.7};
  for (int i = 0; i < x->s->nq; i++) {
    p.q[i] = x->q[i] + 0.02 * sin(seed + 2.3 * i);
    p.v[i] = x->v[i] + 0.1 * cos(2.9 * seed + 1.1 * i);
    p.x[i] = sin(3 * seed + 1.7 * i);
  }
  for (int i = 0; i < 3 * x->s->nq; i++)
    p.u[i] = cos(5 * seed + 1.3 * i);
  return p;
}

/* ---- value ----------------------------------------------------------------------------------- */

static double lagrangian(const problem *x, const double *q, const double *p, const double *v) {
  double a[N], V, L = 0;
  cst_system_eval(x->s, CST_K_V, x->c, q, NULL, NULL, NULL, NULL, &V);
  cst_system_momentum(x->s, x->c, q, (double[N]){0}, a);
  for (int i = 0; i < x->s->nq; i++)
    L += v[i] * (p[i] + a[i]) / 2;
  return L - V;
}

/* (q, v) at time t from p by gauss(8), and L there. */
static double motion(const problem *x, const point *p, double t, double *q, double *v) {
  run    r;
  double momentum[N];
  run_open_on(&r, x, "gauss(8)", widest(), 1, 1e-15);
  cst_batch_reset(r.st, &r.b, 1);
  run_put(&r, 0, p->q, p->v);
  cst_batch_ready(r.st, &r.b);
  run_go(&r, t / 4, 4);
  run_state(&r, 0, q, momentum);
  if (!run_well(&r, 1) || !cst_system_velocity(x->s, x->c, q, momentum, v))
    abort();
  run_close(&r);
  return lagrangian(x, q, momentum, v);
}

/* (q, v) and S at time t. */
static void reference(const problem *x, const point *p, double t, double *out) {
  const cst_tableau g = cst_tableau_gauss(8);
  double            q[N], v[N];
  out[2 * x->s->nq] = 0;
  for (int i = 0; i < g.stages; i++)
    out[2 * x->s->nq] += t * g.b[i] * motion(x, p, t * g.c[i], q, v);
  motion(x, p, t, out, out + x->s->nq);
}

/* The error of (q, v), or of S, after a step of t. */
static double error_of(const problem *x, const flow *f, bool action, double t) {
  const int nq = x->s->nq;
  double    exact[2 * N + 1], found[2 * N];
  point     p = point_of(x, 1);
  p.t = t;
  reference(x, &p, t, exact);
  run_one(f, CST_FLOW_value, &p, found);
  return action ? fabs(found[0] - exact[2 * nq]) : apart(found, exact, 2 * nq);
}

/* The slope of the error of one step, well above round-off. */
static void test_order(const problem *x, const char *text, const cst_flow_rule *rule, bool action) {
  const flow f = flow_open(x, rule, widest(), false);
  double     t = 0.02 * pace_of(x->s->name), coarse, fine;
  while ((fine = error_of(x, &f, action, t)) < 1e-12 && t < pace_of(x->s->name))
    t *= 1.4;
  coarse = error_of(x, &f, action, 1.4 * t);
  const double slope = log(coarse / fine) / log(1.4), order = rule_of(text)->order + 1;
  if (!OK(fabs(slope - order) < 0.2 + 0.06 * order, "%s on %s: one step, error of %s", text,
          x->s->name, action ? "S" : "q, v"))
    NOTE("slope %.3f at %.2g: %.2g, %.2g", slope, t, coarse, fine);
  cst_flow_destroy(f.flow);
}

static void test_orders(void) {
  char text[20];
  for (int i = 0; i < SYSTEMS; i++) {
    problem *x = problem_open(systems[i]);
    for (int p = 1; p <= 12; p += p < 6 ? 1 : 3) {
      if (!on_diagonal(i + p, 2))
        continue;
      snprintf(text, sizeof text, "taylor(%d)", p);
      const cst_flow_rule *rule = rule_of(text),
                          shown = {.name = text, .self = rule, .formulas = show_action};
      test_order(x, text, rule, false);
      test_order(x, text, &shown, true);
    }
    problem_close(x);
  }
}

/* ---- derivatives ----------------------------------------------------------------------------- */

static point moved(const problem *x, const point *p, double by) {
  const int n = x->s->nq;
  point     m = *p;
  for (int i = 0; i < n; i++) {
    m.q[i] += by * p->u[i];
    m.v[i] += by * p->u[n + i];
    m.x[i] += by * p->u[2 * n + i];
  }
  return m;
}

/* The derivative of a kernel along u by central differences of order six. */
static void differences(const flow *f, cst_flow_kernel_id k, const point *p, double *out) {
  static const double weight[] = {3. / 4, -3. / 20, 1. / 60};
  const double        delta = delta_of(f->x->s->name);
  double              plus[2 * N], minus[2 * N];
  memset(out, 0, 2 * N * sizeof *out);
  for (int j = 1; j <= 3; j++) {
    const point right = moved(f->x, p, j * delta), left = moved(f->x, p, -j * delta);
    run_one(f, k, &right, plus);
    run_one(f, k, &left, minus);
    for (int i = 0; i < 2 * f->x->s->nq; i++)
      out[i] += weight[j - 1] / delta * (plus[i] - minus[i]);
  }
}

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

static void test_differences(const flow *f, const char *text, cst_flow_kernel_id of,
                             cst_flow_kernel_id derivative) {
  static const char *const name[] = {"value", "tangent", "reverse", "second"};
  const int                n = 2 * f->x->s->nq;
  const point              p = point_of(f->x, 2);
  double                   exact[2 * N], found[2 * N];
  run_one(f, derivative, &p, exact);
  differences(f, of, &p, found);
  const double off = apart(exact, found, n) / norm(exact, n);
  if (!OK(off < 1e-9, "%s on %s: %s against differences of %s", text, f->x->s->name,
          name[derivative], name[of]))
    NOTE("off by %.2g", off);
  exact[1] += 1e-8 * norm(exact, n);
  OK(apart(exact, found, n) / norm(exact, n) > 1e-9, "%s on %s: another %s is told apart", text,
     f->x->s->name, name[derivative]);
}

/* reverse.d = x.dq1 + s dS for the tangents of d. */
static void test_transpose(const flow *f, const flow *action, const char *text) {
  const int   n = f->x->s->nq;
  const point p = point_of(f->x, 3);
  double      gradient[2 * N], along[2 * N], S[2 * N];
  run_one(f, CST_FLOW_reverse, &p, gradient);
  run_one(f, CST_FLOW_tangent, &p, along);
  run_one(action, CST_FLOW_tangent, &p, S);
  const double left = dot(gradient, p.u, 2 * n), right = dot(p.x, along, n) + p.s * S[0];
  if (!OK(fabs(left - right) <= 1e-12 * (norm(gradient, 2 * n) + fabs(left)),
          "%s on %s: reverse is the transpose of tangent", text, f->x->s->name))
    NOTE("%.17g, %.17g", left, right);
  OK(fabs(left - dot(p.x, along, n)) > 1e-9 * fabs(left), "%s on %s: S has its part in it", text,
     f->x->s->name);
}

/* The second derivatives of x.q1 + s S are symmetric, and reverse is linear in x. */
static void test_symmetric(const flow *f, const char *text) {
  const int n = 2 * f->x->s->nq;
  point     p = point_of(f->x, 4), other = p;
  double    Hp[2 * N], Ho[2 * N], second[2 * N], reverse[2 * N], without[2 * N];
  for (int i = 0; i < 3 * N; i++) {
    other.u[i] = i < n ? sin(0.3 + i) : 0;
    p.u[i] = i < n ? p.u[i] : 0;
  }
  run_one(f, CST_FLOW_second, &p, Hp);
  run_one(f, CST_FLOW_second, &other, Ho);
  const double left = dot(Hp, other.u, n), right = dot(Ho, p.u, n);
  if (!OK(fabs(left - right) <= 1e-12 * n * norm(Hp, n),
          "%s on %s: the second derivatives are symmetric", text, f->x->s->name))
    NOTE("%.17g, %.17g", left, right);
  for (int i = 0; i < 3 * N; i++)
    p.u[i] = i < n ? 0 : p.x[(i - n) % N];
  run_one(f, CST_FLOW_second, &p, second);
  run_one(f, CST_FLOW_reverse, &p, reverse);
  for (int i = 0; i < N; i++)
    p.x[i] = 0;
  run_one(f, CST_FLOW_reverse, &p, without);
  for (int i = 0; i < n; i++)
    without[i] = reverse[i] - without[i];
  OK(apart(second, without, n) <= 1e-12 * norm(reverse, n),
     "%s on %s: reverse is linear in its covector", text, f->x->s->name);
}

static void test_derivatives(const problem *x, const char *text) {
  const cst_flow_rule *rule = rule_of(text),
                      shown = {.name = text, .self = rule, .formulas = show_action};
  flow f = flow_open(x, rule, widest(), true), action = flow_open(x, &shown, widest(), true);
  test_differences(&f, text, CST_FLOW_value, CST_FLOW_tangent);
  test_differences(&f, text, CST_FLOW_reverse, CST_FLOW_second);
  test_transpose(&f, &action, text);
  test_symmetric(&f, text);
  cst_flow_destroy(f.flow);
  cst_flow_destroy(action.flow);
}

/* ---- work ------------------------------------------------------------------------------------ */

typedef struct {
  const cst_flow_rule *rule;
  int                  point, *points; /* the index of the point; the number of points */
} worked;

/* The rule with one of its work points in place of q1, and its covector in place of v1. */
static void show_work(const void *self, const cst_system *s, cst_node t, const cst_node *q,
                      const cst_node *v, cst_node *q1, cst_node *v1, cst_node *S) {
  const worked  *w = self;
  cst_flow_work *work = calloc(1, sizeof *work);
  if (!work)
    abort();
  w->rule->work(w->rule->self, s, t, q, v, work);
  *w->points = work->n;
  for (int i = 0; i < s->nq; i++) {
    q1[i] = work->Q[w->point][i];
    v1[i] = work->N[w->point][i];
  }
  *S = t;
  free(work);
}

/* sum_k N_k . dQ_k along the directions of p. */
static double work_along(const problem *x, const cst_flow_rule *rule, const point *p) {
  double sum = 0, at[2 * N], along[2 * N];
  int    points = 1;
  for (int k = 0; k < points; k++) {
    const worked        w = {rule, k, &points};
    const cst_flow_rule shown = {.name = "work", .self = &w, .formulas = show_work};
    flow                f = flow_open(x, &shown, widest(), true);
    run_one(&f, CST_FLOW_value, p, at);
    run_one(&f, CST_FLOW_tangent, p, along);
    sum += dot(at + x->s->nq, along, x->s->nq);
    cst_flow_destroy(f.flow);
  }
  return sum;
}

/* reverse.d = x.dq1 + s dS + s sum N_k . dQ_k, and second is the derivative of reverse, N_k included. */
static void test_work(const char *system, const char *text) {
  problem             *x = problem_open(system);
  const cst_flow_rule *rule = rule_of(text),
                      shown = {.name = text, .self = rule, .formulas = show_action};
  flow        f = flow_open(x, rule, widest(), true), action = flow_open(x, &shown, widest(), true);
  const int   n = x->s->nq;
  const point p = point_of(x, 3);
  double      gradient[2 * N], along[2 * N], S[2 * N];
  run_one(&f, CST_FLOW_reverse, &p, gradient);
  run_one(&f, CST_FLOW_tangent, &p, along);
  run_one(&action, CST_FLOW_tangent, &p, S);
  const double left = dot(gradient, p.u, 2 * n), plain = dot(p.x, along, n) + p.s * S[0],
               work = p.s * work_along(x, rule, &p);
  if (!OK(fabs(left - plain - work) <= 1e-12 * (norm(gradient, 2 * n) + fabs(left)),
          "%s on %s: reverse has the work in it", text, system))
    NOTE("%.17g, %.17g, %.17g", left, plain, work);
  OK(fabs(work) > 1e-6 * fabs(left), "%s on %s: there is some", text, system);
  test_differences(&f, text, CST_FLOW_value, CST_FLOW_tangent);
  test_differences(&f, text, CST_FLOW_reverse, CST_FLOW_second);
  cst_flow_destroy(f.flow);
  cst_flow_destroy(action.flow);
  problem_close(x);
}

/* Lanes are independent, and every instruction set gives the same bits. */
static void test_bits(const problem *x, const char *text) {
  double first[LANES][2 * N], next[LANES][2 * N], alone[2 * N];
  point  p[LANES];
  for (int j = 0; j < LANES; j++)
    p[j] = point_of(x, 10 + j);
  for (int k = 0; k < CST_FLOW_COUNT; k++) {
    bool same = true;
    int  sets = 0;
    for (int isa = 0; isa < cst_isa_count; isa++) {
      if (!cst_isa_available(isa))
        continue;
      flow f = flow_open(x, rule_of(text), isa, true);
      for (int j = 0; j < LANES; j += f.width)
        run_kernel(&f, (cst_flow_kernel_id)k, p + j, f.width < LANES - j ? f.width : LANES - j,
                   next + j);
      run_one(&f, (cst_flow_kernel_id)k, &p[1], alone);
      same &= !memcmp(alone, next[1], sizeof(double) * 2 * (size_t)x->s->nq);
      for (int j = 0; j < LANES && sets; j++)
        same &= !memcmp(first[j], next[j], sizeof(double) * 2 * (size_t)x->s->nq);
      if (!sets++)
        memcpy(first, next, sizeof first);
      cst_flow_destroy(f.flow);
    }
    OK(same && memcmp(first[0], first[1], sizeof first[0]),
       "%s on %s: kernel %d over %d instruction sets, same bits", text, x->s->name, k, sets);
  }
}

/* Stepping with a layer alone gives the same bits as its value in conversions. */
static void test_value_alone(const problem *x, const char *text) {
  flow all = flow_open(x, rule_of(text), widest(), true),
       alone = flow_open(x, rule_of(text), widest(), false);
  const point p = point_of(x, 5), other = point_of(x, 6);
  double      one[2 * N], two[2 * N], far[2 * N];
  run_one(&all, CST_FLOW_value, &p, one);
  run_one(&alone, CST_FLOW_value, &p, two);
  run_one(&alone, CST_FLOW_value, &other, far);
  const size_t bytes = sizeof(double) * 2 * (size_t)x->s->nq;
  OK(!memcmp(one, two, bytes) && memcmp(one, far, bytes),
     "%s on %s: the value with derivatives and without, same bits", text, x->s->name);
  cst_flow_destroy(all.flow);
  cst_flow_destroy(alone.flow);
}

/* ---- what does not fit ----------------------------------------------------------------------- */

static void swell(const void *self, const cst_system *s, cst_node t, const cst_node *q,
                  const cst_node *v, cst_node *q1, cst_node *v1, cst_node *S) {
  (void)self;
  cst_node sum = t;
  for (int i = 0; i < 150000; i++)
    sum = cst_graph_call(s->model->graph, "sin", cst_graph_add(s->model->graph, sum, q[i % s->nq]),
                         -1);
  for (int i = 0; i < s->nq; i++) {
    q1[i] = sum;
    v1[i] = v[i];
  }
  *S = t;
}

static void forget(const void *self, const cst_system *s, cst_node t, const cst_node *q,
                   const cst_node *v, cst_node *q1, cst_node *v1, cst_node *S) {
  (void)self;
  (void)v;
  for (int i = 0; i < s->nq; i++) {
    q1[i] = q[i];
    v1[i] = -1;
  }
  *S = t;
}

static void refused(const problem *x, const cst_flow_rule *rule, const char *expected) {
  char why[400] = "", again[400] = "";
  bool fits = cst_flow_fits(rule, x->s, why, sizeof why);
  if (!OK(!fits && strstr(why, expected) &&
              !cst_flow_create(rule, x->s, widest(), false, again, sizeof again) &&
              !strcmp(why, again),
          "%s on %s: %s", rule->name, x->s->name, expected))
    NOTE("%s", why);
}

static void test_refused(void) {
  const cst_flow_rule large = {.name = "large", .formulas = swell},
                      empty = {.name = "empty", .formulas = forget};
  problem  *x = problem_open("henon-heiles"), *chain = problem_open("pendulum-chain");
  const int size = cst_graph_size(x->s->model->graph);
  refused(x, &large,
          "large on henon-heiles: its formulas take more operations than can be differentiated");
  refused(x, &empty, "empty on henon-heiles: its formulas do not set all of q1, v1 and S");
  refused(chain, rule_of("taylor(4)"), "couple as a band");
  OK(cst_graph_size(x->s->model->graph) == size, "nothing stays in the graph of the system");
  problem_close(x);
  problem_close(chain);
}

static void tests(void) {
  test_orders();
  for (int i = 0; i < SYSTEMS; i++) {
    problem *x = problem_open(systems[i]);
    if (on_diagonal(i, 2))
      test_derivatives(x, "taylor(2)");
    if (on_diagonal(i + 1, 2))
      test_derivatives(x, "taylor(5)");
    test_bits(x, "taylor(3)");
    test_value_alone(x, "taylor(4)");
    problem_close(x);
  }
  test_work("nonholonomic-oscillator", "taylor-curve(3)");
  test_work("rolling-disk", "taylor-curve(1)");
  test_refused();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }

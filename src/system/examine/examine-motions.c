/* examine-motions.c: checks that an exact motion is a solution.
 *
 * At several times: g(q) = 0, G v = 0, v = dq/dt, M A + G'lambda = f with A = dv/dt, and it starts at its
 * state. Time derivatives are taken by a complex step if the motion is given by expressions, by central
 * differences if it is code.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "system/examine/examiner.h"

static const double IMAGINARY = 1e-30, EXACT = 1e-10, NEARLY = 1e-6;
/* step of central differences, relative to the time in which the motion covers its own size */
static const double STEP = 2e-3;
enum { TIMES = 7, TOPIC = 200 };
static const double times[TIMES] = {0, 0.137, 0.391, 0.877, 1.613, 3.319, 5.771};

typedef struct {
  cst_examiner *e;
  int           state, n;          /* n = 2 nq + ng */
  double        size, speed, unit; /* of q and v at the start; unit of time */
  double       *start;             /* [2 nq] */
  double       *x, *dx;            /* q, v, lambda at one time, and their derivatives */
  bool          rough;             /* dx is from differences */
  double        c[CST_MAX_PAR];    /* the parameters at the time of x */
} motion;

static bool is_code(const motion *m) { return !m->e->s->description->state[m->state].has_exact; }

/* q, v, lambda at complex t; false if not analytic. */
static bool expressed(const motion *m, cst_complex t, cst_complex *z) {
  const cst_examiner *e = m->e;
  const cst_system   *s = e->s;
  cst_graph          *g = s->model->graph;
  const int           nq = s->nq;
  const cst_state    *x = &s->description->state[m->state];
  const cst_complex  *in[128] = {['c'] = e->C, ['t'] = &t};
  bool                analytic = cst_graph_eval_complex(g, x->exact_q, nq, in, z);
  analytic &= cst_graph_eval_complex(g, x->exact_v, nq, in, z + nq);
  if (x->exact_lambda)
    analytic &= cst_graph_eval_complex(g, x->exact_lambda, s->ng, in, z + 2 * nq);
  return analytic;
}

static void value(const motion *m, double t, double *x) {
  cst_examiner     *e = m->e;
  const double     *c = e->c;
  const cst_system *s = e->s;
  const int         n = s->nq;
  const int         state = is_code(m) ? -1 : m->state;
  double           *p = cst_linear_numbers(n);
  double           *v = x + n;
  double           *lambda = x + 2 * n;
  cst_system_exact(s, state, c, m->start, m->start + n, t, x, p, lambda);
  if (!cst_system_velocity(s, c, x, p, v))
    v[0] = NAN;
  free(p);
}

static void difference(const motion *m, double t) {
  const int           n = m->n;
  static const double weight[] = {3. / 4, -3. / 20, 1. / 60};
  const double        h = STEP * m->unit;
  double             *y = cst_linear_numbers(n);
  memset(m->dx, 0, sizeof *m->dx * (size_t)n);
  for (int k = 1; k <= 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      const double factor = sign * weight[k - 1] / h;
      value(m, t + sign * k * h, y);
      for (int i = 0; i < n; i++)
        m->dx[i] += factor * y[i];
    }
  free(y);
}

/* Sets x and dx at time t. */
static void evaluate_at(motion *m, double t) {
  cst_examiner     *e = m->e;
  const cst_system *s = e->s;
  memcpy(m->c, e->c, sizeof *m->c * (size_t)s->npar);
  cst_system_set_time(s, m->c, t);
  value(m, t, m->x);
  m->rough = is_code(m);
  if (!m->rough) {
    cst_complex *z = cst_zeros(m->n, sizeof *z);
    m->rough = !expressed(m, t + IMAGINARY * I, z);
    for (int i = 0; i < m->n; i++)
      m->dx[i] = cimag(z[i]) / IMAGINARY;
    free(z);
  }
  if (m->rough)
    difference(m, t);
}

/* Largest |M A + sign G'lambda - f| relative to the largest of its terms. */
static double imbalance(const motion *m, const double *lambda, double sign) {
  const cst_system  *s = m->e->s;
  const double      *c = m->c;
  const double      *q = m->x;
  const double      *v = q + s->nq;
  const int          n = s->nq;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double            *r = cst_linear_numbers(n);
  double            *a = cst_linear_numbers(n);
  double            *f = cst_linear_numbers(n);
  double            *G = cst_linear_numbers(P->n);
  double            *Gl = cst_linear_numbers(n);
  cst_system_momentum(s, c, q, m->dx + n, r); /* M A + a */
  cst_system_eval_at(s, CST_K_a, c, q, a);
  cst_system_force(s, c, q, v, lambda, f);
  cst_system_eval_at(s, CST_K_G, c, q, G);
  if (s->ng)
    cst_linear_pattern_add_transposed(P, G, lambda, Gl);
  double size = 0, most = 0;
  for (int i = 0; i < n; i++) {
    const double MA = r[i] - a[i];
    const double left = fabs(MA + sign * Gl[i] - f[i]);
    const double pull = fmax(fabs(Gl[i]), fabs(f[i]));
    size = fmax(size, fmax(fabs(MA), pull));
    if (!(left <= most))
      most = left;
  }
  double *owned[] = {r, a, f, G, Gl};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  return most > 0 ? most / size : 0;
}

static double tolerance(const motion *m) { return m->rough ? NEARLY : EXACT; }

static double apart(const double *x, const double *y, int n, double size) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    const double off = fabs(x[i] - y[i]);
    if (!(off <= most))
      most = off;
  }
  return most / size;
}

/* Reports why the equations of motion do not hold: the multipliers, their sign, or the motion itself. */
static void report_imbalance(const motion *m, const char *topic, double t, double left) {
  double           *x = m->x;
  cst_examiner     *e = m->e;
  const cst_system *s = e->s;
  const int         nq = s->nq;
  const int         ng = s->ng;
  const double     *given = x + 2 * nq;
  const char       *unit = cst_system_unit(s, "time");
  double           *lambda = cst_linear_numbers(ng);
  cst_system_multipliers(s, m->c, x, x + nq, lambda);
  if (ng && imbalance(m, given, -1) <= tolerance(m))
    cst_examine_say(e, CST_FAULT, topic,
                    "lambda has the wrong sign; the convention is M A = f - G'lambda");
  else if (ng && imbalance(m, lambda, 1) <= tolerance(m))
    cst_examine_say(
        e, CST_FAULT, topic,
        "lambda is wrong at t = %g%s: %s is %.10g where %.10g makes M A = f - G'lambda hold", t,
        unit, s->description->constraint[0], given[0], lambda[0]);
  else
    cst_examine_say(e, CST_FAULT, topic,
                    "M A = f - G'lambda does not hold at t = %g%s: off by %.2g of its terms", t,
                    unit, left);
  free(lambda);
}

/* Checks one time; *worst is the largest residual. False after a fault. */
static bool holds(motion *m, const char *topic, double t, double *worst) {
  double           *x = m->x;
  cst_examiner     *e = m->e;
  const cst_system *s = e->s;
  const int         n = s->nq;
  const char       *unit = cst_system_unit(s, "time");
  double            g = 0, gv = 0;
  evaluate_at(m, t);
  const double speed = fmax(m->speed, cst_examine_largest(x + n, n));
  const double rate = apart(m->dx, x + n, n, speed);
  const double left = imbalance(m, x + 2 * n, 1);
  if (s->ng)
    cst_system_residuals(s, m->c, x, x + n, NULL, &g, NULL, &gv);
  if (!(g <= EXACT))
    cst_examine_say(e, CST_FAULT, topic, "q leaves the constraints at t = %g%s: scaled |g| %.2g", t,
                    unit, g);
  else if (!(gv <= EXACT))
    cst_examine_say(e, CST_FAULT, topic, "v does not satisfy Gv = 0 at t = %g%s: scaled |Gv| %.2g",
                    t, unit, gv);
  else if (!(rate <= tolerance(m)))
    cst_examine_say(e, CST_FAULT, topic, "v is not dq/dt at t = %g%s: off by %.2g of it", t, unit,
                    rate);
  else if (!(left <= tolerance(m)))
    report_imbalance(m, topic, t, left);
  const double rates = fmax(*worst, rate);
  const double residual = fmax(g, gv);
  *worst = fmax(rates, fmax(left, residual));
  if (!(g <= EXACT && gv <= EXACT))
    return false;
  return rate <= tolerance(m) && left <= tolerance(m);
}

/* Checks that the motion starts at its state. */
static void compare_start(motion *m, const char *topic) {
  double       *x = m->x;
  cst_examiner *e = m->e;
  const int     n = e->s->nq;
  value(m, 0, x);
  const double q = apart(x, m->start, n, m->size);
  const double speed = fmax(m->speed, cst_examine_largest(x + n, n));
  const double v = apart(x + n, m->start + n, n, speed);
  if (!(q <= EXACT))
    cst_examine_say(e, CST_FAULT, topic, "q at t = 0 differs from the state by %.2g of its size",
                    q);
  if (!(v <= EXACT))
    cst_examine_say(e, CST_FAULT, topic, "v at t = 0 differs from the state by %.2g of its size",
                    v);
}

static motion begin(cst_examiner *e, int state) {
  const cst_system *s = e->s;
  const int         n = s->nq;
  motion            m = {
                 .e = e, .state = state, .n = 2 * n + s->ng, .start = cst_linear_numbers(2 * (size_t)n)};
  m.x = cst_linear_numbers(m.n);
  m.dx = cst_linear_numbers(m.n);
  cst_system_state(s, state, e->c, m.start, m.start + n);
  m.size = cst_examine_largest(m.start, n);
  m.speed = cst_examine_largest(m.start + n, n);
  if (!(m.size > 0))
    m.size = 1;
  if (m.speed > 0)
    m.unit = m.size / m.speed;
  else
    m.unit = 1;
  m.speed = m.size / m.unit;
  return m;
}

static void examine_motion(cst_examiner *e, int state) {
  motion    m = begin(e, state);
  double    worst = 0;
  char      topic[TOPIC];
  const int faults = e->x->faults;
  snprintf(topic, sizeof topic, "exact motion %s", e->s->description->state[state].name);
  compare_start(&m, topic);
  bool good = true;
  for (int k = 0; k < TIMES && good; k++)
    good = holds(&m, topic, times[k] * m.unit, &worst);
  if (e->x->faults == faults)
    cst_examine_say(e, CST_FACT, topic,
                    "starts at its state, equations of motion hold to %.1g at %d times%s", worst,
                    TIMES, m.rough ? " (central differences)" : "");
  free(m.start);
  free(m.x);
  free(m.dx);
}

void cst_examine_motions(cst_examiner *e) {
  const cst_system *s = e->s;
  for (int i = 0; i < s->nstate && i < CST_EXAMINED_STATES; i++)
    if (cst_system_has_exact(s, i))
      examine_motion(e, i);
}

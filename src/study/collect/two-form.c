/* two-form.c: the collector `two-form`: how much single steps of the method's map change the two-form dp ^ dq,
 * and the volume, of T*Q.
 *
 * After every `every` pairs of companions are put at x + e w_i and x - e w_i, onto both constraints, and make one
 * step. With the differences W of the pairs over 2e before and after the step, and Omega_ij = omega(w_i, w_j) in
 * (q/L, p T/(m L)), the change of the two-form is the largest |Omega'_ij - Omega_ij| / (|w_i| |w_j|). For the volume
 * the w_i are a basis of the tangent space; its change is |(det Omega' / det Omega)^(1/2) - 1|. The error of
 * either is e^2 times third derivatives of the map, and the solver's error over e; where the number of the
 * measurement is a power of 2 it is made with 2e as well, and the largest difference is the floor.
 *
 * In the exact form W is a vector and its image under the derivative of the step (method/derivative.h), and the
 * floor is the difference to the same from a state that is displaced by a few units of round-off.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/derivative.h"
#include "study/channels/channels.h"
#include "study/collect/companions.h"
#include "study/collect/tangent.h"

/* clang-format off */
static const cst_channel_row largest = {"/tangent/%s", "1", NULL, CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
/* clang-format on */

enum { FORM, FORM_FLOOR, VOLUME, VOLUME_FLOOR, NUMBERS };
/* The distance of companions: where round-off over e and e^2 are about equal. */
static const double distance = 0x1p-18;

static bool has(const cst_plan *p, int number) {
  const bool of_form = number == FORM || number == FORM_FLOOR;
  return cst_tangent_of(p)->asked[of_form ? CST_TANGENT_TWO_FORM : CST_TANGENT_VOLUME];
}

static const cst_tangent_numbers numbers = {
    &largest,
    NUMBERS,
    has,
    {[FORM] = {"two-form_max", "largest change of dp ^ dq in a measured step, for unit vectors"},
     [FORM_FLOOR] =
         {"two-form_floor",
          "error of two-form_max, from twice the distance or a displacement by round-off"},
     [VOLUME] = {"volume_max", "largest relative change of volume in a measured step"},
     [VOLUME_FLOOR] =
         {"volume_floor",
          "error of volume_max, from twice the distance or a displacement by round-off"}},
};

static bool wanted(const cst_plan *p) { return has(p, FORM) || has(p, VOLUME); }

static int vectors(const cst_plan *p) {
  if (has(p, VOLUME))
    return cst_tangent_dimension(p->study->problem.system);
  return cst_tangent_of(p)->vectors;
}

/* Each companion is projected and makes one step. */
static double steps(const cst_plan *p, const cst_class *k) {
  if (wanted(p) && cst_tangent_of(p)->exact)
    return (CST_TANGENT_SCALAR_STEP + CST_TANGENT_SCALAR_VECTOR * vectors(p)) /
           (double)cst_tangent_steps(p, k);
  return wanted(p) ? 4.0 * vectors(p) / (double)cst_tangent_steps(p, k) : 0;
}

/* Of the exact form one, whose scales it uses. */
static int companions(const cst_plan *p) { return cst_tangent_of(p)->exact ? 1 : 2 * vectors(p); }

static double lanes(const cst_plan *p) { return wanted(p) ? companions(p) : 0; }

static const char *calls(const cst_plan *p, double *times) {
  return cst_tangent_of(p)->exact ? NULL : cst_companions_core(p, companions(p), times);
}

static void declare(const cst_plan *p, cst_channels *c) {
  cst_tangent_numbers_declare(&numbers, p, c);
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  cst_companions   c;
  cst_derivative **derivative; /* [nmethod] of the exact form, made when first needed */
  int              k, nq, pairs;
  double          *x, *w;  /* [numbers]; vectors of a lane [k][2 nq] */
  double          *before; /* [lane][k][2 nq] */
  double          *defect,
      *doubled;     /* [lane][pairs + 1], of the distance e and 2e: of pairs, of the volume */
  double *omega[2]; /* [k][k] */
} own;

static void create(cst_collection *x) {
  own         *o = x->own;
  const size_t batch = (size_t)x->run->batch;
  o->k = vectors(x->run->plan);
  o->nq = x->run->plan->study->problem.system->nq;
  o->pairs = o->k * (o->k - 1) / 2;
  const size_t k = (size_t)o->k, state = 2 * (size_t)o->nq;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_companions_create(&o->c, x->run, companions(x->run->plan)));
  o->derivative = cst_zeros(x->run->plan->study->methods.n, sizeof *o->derivative);
  o->x = cst_zeros((size_t)cst_plan_state_numbers(x->run->plan), sizeof(double));
  o->w = cst_zeros(k * state, sizeof(double));
  o->before = cst_zeros(batch * k * state, sizeof(double));
  o->defect = cst_zeros(batch * ((size_t)o->pairs + 1), sizeof(double));
  o->doubled = cst_zeros(batch * ((size_t)o->pairs + 1), sizeof(double));
  for (int i = 0; i < 2; i++)
    o->omega[i] = cst_zeros(k * k, sizeof(double));
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_companions_destroy(&o->c));
  for (int i = 0; i < x->run->plan->study->methods.n; i++)
    cst_derivative_destroy(o->derivative[i]);
  free(o->derivative);
  double *owned[] = {o->x, o->w, o->before, o->defect, o->doubled, o->omega[0], o->omega[1]};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
}

static double *number_of(const cst_runner *r, int number, long lane) {
  return cst_rows_numbers(r->rows, &largest, number, lane);
}

static void begin(cst_collection *x) {
  own *o = x->own;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_companions_begin(&o->c));
  for (long l = 0; l < x->run->work->count; l++)
    for (int i = 0; i < NUMBERS; i++)
      if (number_of(x->run, i, l))
        *number_of(x->run, i, l) = 0;
}

/* Directions in scaled coordinates: a random one, then that which has the largest two-form with it. */
static void draw(own *o, long lane, long turn) {
  const int n = 2 * o->nq;
  for (int i = 0; i < o->k; i++) {
    double *w = o->w + i * n, square = 0;
    for (int e = 0; e < n && i % 2 == 0; e++)
      w[e] = cst_tangent_draw(o->c.run, lane, turn, i * n + e);
    for (int e = 0; e < o->nq && i % 2; e++) {
      w[e] = -w[e - o->nq];
      w[e + o->nq] = w[e - n];
    }
    for (int e = 0; e < n; e++)
      square += w[e] * w[e];
    for (int e = 0; e < n && i % 2 == 0; e++)
      w[e] /= sqrt(square);
  }
}

/* Puts the pairs of a lane at a distance. */
static void put_pairs(own *o, long lane, double e) {
  cst_companions *c = &o->c;
  const int       n = 2 * o->nq;
  const double   *scale = c->scale + 2 * lane;
  for (int i = 0; i < 2 * o->k; i++) {
    const double *w = o->w + i / 2 * n;
    cst_companions_copy(c, lane, i);
    cst_companions_get(c, cst_companions_column(c, lane, i), o->x);
    for (int j = 0; j < n; j++)
      o->x[j] += (i % 2 ? -e : e) * scale[j >= o->nq] * w[j];
    cst_companions_put(c, cst_companions_column(c, lane, i), o->x);
  }
}

/* The differences of the pairs of a lane over 2e, in scaled coordinates. */
static void get_pairs(own *o, long lane, double e, double *w) {
  const cst_companions *c = &o->c;
  const int             n = 2 * o->nq;
  const double         *scale = c->scale + 2 * lane;
  for (int i = 0; i < o->k; i++, w += n) {
    cst_companions_get(c, cst_companions_column(c, lane, 2 * i), o->x);
    memcpy(w, o->x, sizeof(double) * (size_t)n);
    cst_companions_get(c, cst_companions_column(c, lane, 2 * i + 1), o->x);
    for (int j = 0; j < n; j++)
      w[j] = (w[j] - o->x[j]) / (2 * e * scale[j >= o->nq]);
  }
}

static void fill_omega(const own *o, const double *w, double *omega) {
  const int n = 2 * o->nq;
  for (int i = 0; i < o->k; i++)
    for (int j = 0; j < o->k; j++) {
      const double *u = w + i * n, *v = w + j * n;
      double        sum = 0;
      for (int e = 0; e < o->nq; e++)
        sum += u[e] * v[e + o->nq] - u[e + o->nq] * v[e];
      omega[i * o->k + j] = sum;
    }
}

/* log |det A| of A[n][n], which changes. */
static double log_determinant(double *A, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
        best = i;
    for (int j = 0; j < n; j++) {
      const double x = A[k * n + j];
      A[k * n + j] = A[best * n + j];
      A[best * n + j] = x;
    }
    sum += log(fabs(A[k * n + k]));
    for (int i = k + 1; i < n; i++) {
      const double f = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++)
        A[i * n + j] -= f * A[k * n + j];
    }
  }
  return sum;
}

static double length(const double *w, int n) {
  double square = 0;
  for (int e = 0; e < n; e++)
    square += w[e] * w[e];
  return sqrt(square);
}

/* The changes from `before` to w, signed. */
static void compare(const own *o, const double *before, bool volume, double *defect) {
  const int n = 2 * o->nq, k = o->k;
  fill_omega(o, before, o->omega[0]);
  fill_omega(o, o->w, o->omega[1]);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < i; j++)
      *defect++ = (o->omega[1][i * k + j] - o->omega[0][i * k + j]) /
                  (length(before + i * n, n) * length(before + j * n, n));
  *defect = 0;
  if (volume)
    *defect = expm1((log_determinant(o->omega[1], k) - log_determinant(o->omega[0], k)) / 2);
}

/* Measures a step of every lane with pairs at the distance e; NaN where a companion fails. */
static cst_error measure(own *o, const cst_runner *r, double e, double *defect) {
  cst_companions *c = &o->c;
  const size_t    n = (size_t)(2 * o->nq * o->k);
  const long      turn = r->b->step / cst_tangent_steps(r->plan, r->class);
  for (long l = 0; l < r->work->count; l++) {
    if (!cst_runner_lives(r, r->b, l))
      continue;
    draw(o, l, turn);
    put_pairs(o, l, e);
  }
  CST_TRY(cst_companions_project(c));
  cst_companions_restart(c);
  for (long l = 0; l < r->work->count; l++)
    get_pairs(o, l, e, o->before + (size_t)l * n);
  c->b->step = r->b->step;
  CST_TRY(cst_companions_advance(c, 1));
  for (long l = 0; l < r->work->count; l++, defect += o->pairs + 1) {
    get_pairs(o, l, e, o->w);
    compare(o, o->before + (size_t)l * n, has(r->plan, VOLUME), defect);
    for (int i = 0; i <= o->pairs && !cst_companions_live(c, l); i++)
      defect[i] = NAN;
  }
  cst_companions_rest(c);
  return 0;
}

/* ---- the exact form -------------------------------------------------------------------------- */

/* Vectors between scaled coordinates and those of the state. */
static void scale_vectors(const own *o, long lane, bool into_state, double *w) {
  const double *scale = o->c.scale + 2 * lane;
  for (int i = 0; i < o->k; i++)
    for (int e = 0; e < 2 * o->nq; e++) {
      const double by = scale[e >= o->nq];
      w[i * 2 * o->nq + e] *= into_state ? by : 1 / by;
    }
}

/* A step of one lane, from its state displaced by `by`; false: its equations were not solved. */
static bool step_exactly(own *o, const cst_runner *r, cst_derivative *d, long lane, double by,
                         double *before) {
  const size_t  n = (size_t)(2 * o->nq * o->k) * sizeof *before;
  const double *c = cst_plan_parameters(r->plan, cst_runner_case(r, lane)->variant);
  const double *scale = o->c.scale + 2 * lane;
  double       *q = o->x, *p = o->x + o->nq;
  cst_companions_get(&o->c, cst_companions_base(&o->c, lane), o->x);
  for (int e = 0; e < 2 * o->nq; e++)
    o->x[e] += by * scale[e >= o->nq] * cst_tangent_draw(o->c.run, lane, 0, e);
  scale_vectors(o, lane, true, o->w);
  cst_derivative_tangent(d, c, q, p, o->k, o->w);
  memcpy(before, o->w, n);
  const bool good = cst_derivative_step(d, c, cst_clock_step(r), q, p, o->k, o->w);
  scale_vectors(o, lane, false, before);
  scale_vectors(o, lane, false, o->w);
  return good;
}

/* As measure, by derivatives; displaced: from states that differ by a few units of round-off. */
static void measure_exactly(own *o, const cst_runner *r, bool displaced, double *defect) {
  const double     by = displaced ? 0x1p-48 : 0;
  const long       turn = r->b->step / cst_tangent_steps(r->plan, r->class);
  cst_derivative **d = &o->derivative[r->class->method];
  if (!*d)
    *d = cst_derivative_create(r->plan->method[r->class->method]);
  for (long l = 0; l < r->work->count; l++, defect += o->pairs + 1) {
    if (!cst_runner_lives(r, r->b, l))
      continue;
    draw(o, l, turn);
    const bool good = step_exactly(o, r, *d, l, by, o->before);
    compare(o, o->before, has(r->plan, VOLUME), defect);
    for (int i = 0; i <= o->pairs && !good; i++)
      defect[i] = NAN;
  }
}

static cst_error measure_by(own *o, const cst_runner *r, bool again, double *defect) {
  if (cst_tangent_of(r->plan)->exact)
    measure_exactly(o, r, again, defect);
  else
    CST_TRY(measure(o, r, again ? 2 * distance : distance, defect));
  return 0;
}

/* The larger of two numbers; NaN where one is. */
static double larger(double a, double b) { return a >= b || isnan(a) ? a : b; }

static double first_pairs(const own *o, const cst_plan *p) {
  const int k = CST_SMALLER(cst_tangent_of(p)->vectors, o->k);
  return k * (k - 1) / 2;
}

/* Takes the changes of a lane into its numbers; doubled NULL: there are none of 2e. */
static void take(const own *o, const cst_runner *r, long lane, const double *defect,
                 const double *doubled) {
  double *form = number_of(r, FORM, lane), *form_floor = number_of(r, FORM_FLOOR, lane);
  double *volume = number_of(r, VOLUME, lane), *volume_floor = number_of(r, VOLUME_FLOOR, lane);
  for (int i = 0; form && i < first_pairs(o, r->plan); i++) {
    *form = larger(*form, fabs(defect[i]));
    if (doubled)
      *form_floor = larger(*form_floor, fabs(defect[i] - doubled[i]));
  }
  if (!volume)
    return;
  *volume = larger(*volume, fabs(defect[o->pairs]));
  if (doubled)
    *volume_floor = larger(*volume_floor, fabs(defect[o->pairs] - doubled[o->pairs]));
}

static cst_error stop(cst_collection *x) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  const long        every = cst_tangent_steps(r->plan, r->class);
  const long        turn = r->b->step / every;
  const bool        doubles = cst_tangent_of(r->plan)->exact || !(turn & (turn - 1));
  if (r->replayed || r->b->step % every)
    return 0;
  CST_TRY(measure_by(o, r, false, o->defect));
  if (doubles)
    CST_TRY(measure_by(o, r, true, o->doubled));
  for (long l = 0; l < r->work->count; l++) {
    const long at = l * (o->pairs + 1);
    if (cst_runner_lives(r, r->b, l))
      take(o, r, l, o->defect + at, doubles ? o->doubled + at : NULL);
  }
  return 0;
}

static void *columns(const cst_plan *p, cst_columns *c) {
  return cst_tangent_numbers_columns(&numbers, p, c);
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  CST_TRY(cst_tangent_numbers_conclude(&numbers, rows, handles));
  return 0;
}

const cst_collector cst_collector_two_form = {
    .name = "two-form",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "changes of the two-form and of volume in a step",
    .plan = {.steps = steps, .calls = calls, .lanes = lanes, .wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .next = cst_tangent_next,
            .stop = stop},
    .file = {.declare = declare, .columns = columns, .conclude = conclude},
};

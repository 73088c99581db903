/* spectrum.c: the frequencies of a quasi-periodic signal (see spectrum.h).
 *
 * A transform of the windowed samples, padded with zeros to a power of two of at least twice their number, gives
 * the strongest line to half a bin. There d|phi|^2/ds = 0 is solved by Newton's method between two neighbours.
 * Times are counted from the middle of the signal, where phi of a single line is real up to a constant phase. All
 * of it is plain arithmetic in a fixed order, with sines that have the same bits everywhere.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/spectrum.h"
#include <math.h>
#include <stdlib.h>
#include "constella/expr.h"
#include "core/need.h"

/* samples between two exact exponentials; steps of an iteration; passes for a line */
enum { EXACT = 32, STEPS = 60, PASSES = 3 };
static const double pi = 3.14159265358979323846;
static const double ROUND_OFF = 0x1p-40;

typedef struct {
  double re, im;
} pair;

struct cst_spectrum {
  long    n, padded;
  double *window;           /* [n] */
  pair   *root;             /* [padded/2] exp(-2 pi i k / padded) */
  pair   *transformed;      /* [padded] */
  pair   *signal, *weighed; /* [n]: what is left of it, and that times the window */
};

static pair times(pair a, pair b) {
  return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static pair turn(double angle) {
  return (pair){cst_elementary_cos(angle), cst_elementary_sin(angle)};
}

static double time_of(const cst_spectrum *s, long j) {
  return (double)j - 0.5 * (double)(s->n - 1);
}

static long padded_of(long n) {
  long m = 16;
  while (m < 2 * (n - 1)) /* the window is 0 at its ends */
    m *= 2;
  return m;
}

static void set_window(cst_spectrum *s, int power) {
  double sum = 0;
  for (long j = 0; j < s->n; j++) {
    const double hann = 1 + cst_elementary_cos(2 * pi * time_of(s, j) / (double)(s->n - 1));
    s->window[j] = hann;
    for (int k = 1; k < power; k++)
      s->window[j] *= hann;
    sum += s->window[j];
  }
  for (long j = 0; j < s->n; j++)
    s->window[j] /= sum;
}

cst_spectrum *cst_spectrum_create(long n, int power) {
  cst_spectrum *s = cst_need(calloc(1, sizeof *s));
  s->n = n;
  s->padded = padded_of(n);
  s->window = cst_zeros(n, sizeof *s->window);
  s->root = cst_zeros(s->padded / 2, sizeof *s->root);
  s->transformed = cst_zeros(s->padded, sizeof *s->transformed);
  s->signal = cst_zeros(n, sizeof *s->signal);
  s->weighed = cst_zeros(n, sizeof *s->weighed);
  set_window(s, power);
  for (long k = 0; k < s->padded / 2; k++)
    s->root[k] = turn(-2 * pi * (double)k / (double)s->padded);
  return s;
}

void cst_spectrum_destroy(cst_spectrum *s) {
  if (!s)
    return;
  free(s->window);
  free(s->root);
  free(s->transformed);
  free(s->signal);
  free(s->weighed);
  free(s);
}

double cst_spectrum_bytes(long n) { return 40.0 * (double)n + 24.0 * (double)padded_of(n); }

double cst_spectrum_cost(long n) {
  static const double butterfly = 3, refined = 250;
  const double        m = (double)padded_of(n);
  return butterfly * m * log2(m) + refined * (double)n;
}

/* ---- the transform --------------------------------------------------------------------------- */

/* Puts the weighed samples, then zeros, into the order in which butterflies take them. */
static void scatter(cst_spectrum *s) {
  for (long j = 0, to = 0; j < s->padded; j++) {
    s->transformed[to] = j < s->n ? s->weighed[j] : (pair){0, 0};
    long bit = s->padded >> 1;
    for (; to & bit; bit >>= 1)
      to ^= bit;
    to |= bit;
  }
}

static void transform(cst_spectrum *s) {
  pair *x = s->transformed;
  scatter(s);
  for (long half = 1; half < s->padded; half *= 2) {
    const long stride = s->padded / (2 * half);
    for (long first = 0; first < s->padded; first += 2 * half)
      for (long k = 0; k < half; k++) {
        pair      *a = x + first + k, *b = a + half;
        const pair turned = times(*b, s->root[k * stride]);
        *b = (pair){a->re - turned.re, a->im - turned.im};
        *a = (pair){a->re + turned.re, a->im + turned.im};
      }
  }
}

static double power_at(const cst_spectrum *s, long k) {
  const pair x = s->transformed[(k + s->padded) % s->padded];
  return x.re * x.re + x.im * x.im;
}

/* The largest value with at least one period in the signal; -1: the largest is below that, or there is none. */
static long find_peak(const cst_spectrum *s, bool real) {
  const long least = s->padded / (s->n - 1) + 1;
  const long last = real ? s->padded / 2 : s->padded - least;
  long       best = -1;
  for (long k = least; k <= last; k++)
    if (best < 0 ? power_at(s, k) > 0 : power_at(s, k) > power_at(s, best))
      best = k;
  if (best < 0 || power_at(s, best - 1) > power_at(s, best) ||
      power_at(s, best + 1) > power_at(s, best))
    return -1;
  return best;
}

/* ---- refinement ------------------------------------------------------------------------------ */

/* phi(s), and the sums with t and t^2 beside the window. */
typedef struct {
  pair sum, first, second;
} moments;

static moments moments_at(const cst_spectrum *s, double frequency) {
  const pair step = turn(-frequency);
  moments    m = {{0, 0}, {0, 0}, {0, 0}};
  pair       z = {1, 0};
  for (long j = 0; j < s->n; j++) {
    const double t = time_of(s, j);
    z = j % EXACT ? times(z, step) : turn(-frequency * t);
    const pair x = times(z, s->weighed[j]);
    m.sum.re += x.re, m.sum.im += x.im;
    m.first.re += t * x.re, m.first.im += t * x.im;
    m.second.re += t * t * x.re, m.second.im += t * t * x.im;
  }
  return m;
}

/* Half of d|phi|^2/ds, and its derivative. */
static double slope_of(const moments *m) {
  return m->sum.re * m->first.im - m->sum.im * m->first.re;
}

static double bend_of(const moments *m) {
  return m->first.re * m->first.re + m->first.im * m->first.im - m->sum.re * m->second.re -
         m->sum.im * m->second.im;
}

/* The maximum of |phi| between two frequencies, per sample, near x; *phi: its value there. NaN: there is none. Newton's
 * steps square the distance to it, so that the step after a small one is the last. */
static double refine(const cst_spectrum *s, double low, double high, double x, pair *phi) {
  static const double small = 0x1p-30;
  const moments       at_low = moments_at(s, low), at_high = moments_at(s, high);
  const double        near = small * (high - low);
  bool                last = false;
  if (!(slope_of(&at_low) > 0 && slope_of(&at_high) < 0))
    return NAN;
  for (int i = 0; i < STEPS; i++) {
    const moments m = moments_at(s, x);
    const double  slope = slope_of(&m), bend = bend_of(&m);
    *phi = m.sum;
    if (last)
      break;
    if (slope > 0)
      low = x;
    else
      high = x;
    double next = bend < 0 ? x - slope / bend : NAN;
    if (!(next >= low && next <= high))
      next = 0.5 * (low + high);
    last = fabs(next - x) <= near;
    x = next;
  }
  return x;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Weighs what is left of the signal without this mean and, in a real one, without conj(a) exp(-i frequency t). */
static void weigh(cst_spectrum *s, pair mean, double frequency, pair a, bool mirror) {
  const pair step = turn(-frequency), conjugate = {a.re, -a.im};
  pair       z = {1, 0};
  for (long j = 0; j < s->n; j++) {
    pair x = {s->signal[j].re - mean.re, s->signal[j].im - mean.im};
    if (mirror) {
      z = j % EXACT ? times(z, step) : turn(-frequency * time_of(s, j));
      const pair y = times(conjugate, z);
      x.re -= y.re, x.im -= y.im;
    }
    s->weighed[j] = (pair){s->window[j] * x.re, s->window[j] * x.im};
  }
}

/* Takes a exp(i frequency t) off, in a real signal with its conjugate. */
static void take_off(const cst_spectrum *s, double frequency, pair a, bool real, pair *from) {
  const pair step = turn(frequency);
  pair       z = {1, 0};
  for (long j = 0; j < s->n; j++) {
    z = j % EXACT ? times(z, step) : turn(frequency * time_of(s, j));
    const pair x = times(a, z);
    from[j].re = s->signal[j].re - (real ? 2 * x.re : x.re);
    from[j].im = s->signal[j].im - (real ? 0 : x.im);
  }
}

/* The amplitude of a line of a real signal from phi there, to which its conjugate contributes. */
static pair apart(const cst_spectrum *s, double frequency, pair phi) {
  double mirror = 0;
  for (long j = 0; j < s->n; j++)
    mirror += s->window[j] * cst_elementary_cos(2 * frequency * time_of(s, j));
  const double all = 1 - mirror * mirror;
  return (pair){(phi.re - mirror * phi.re) / all, (phi.im + mirror * phi.im) / all};
}

static pair mean_of(const cst_spectrum *s, const pair *x) {
  pair mean = {0, 0};
  for (long j = 0; j < s->n; j++)
    mean.re += s->window[j] * x[j].re, mean.im += s->window[j] * x[j].im;
  return mean;
}

/* Finds the strongest line of what is left, and takes it off. The mean and the conjugate line move its maximum:
 * they are taken off as far as they are known from the passes before. */
static bool find_line(cst_spectrum *s, bool real, double least, double spacing, cst_line *line) {
  pair   mean = mean_of(s, s->signal), a = {0, 0}, phi = {0, 0};
  double x = 0; /* of the pass before */
  weigh(s, mean, 0, a, false);
  transform(s);
  const long   k = find_peak(s, real);
  const long   at = 2 * k > s->padded ? k - s->padded : k;
  const double bin = 2 * pi / (double)s->padded;
  for (int pass = 0; pass < PASSES && k >= 0; pass++) {
    if (pass > 0)
      weigh(s, mean, x, a, real);
    x = refine(s, bin * (double)(at - 1), bin * (double)(at + 1), pass ? x : bin * (double)at,
               &phi);
    a = real && pass == 0 ? apart(s, x, phi) : phi;
    take_off(s, x, a, real, s->weighed);
    mean = mean_of(s, s->weighed);
  }
  const double size = sqrt(a.re * a.re + a.im * a.im);
  if (k < 0 || !(size > least))
    return false;
  *line = (cst_line){x / spacing, real ? 2 * size : size};
  take_off(s, x, a, real, s->signal);
  return true;
}

int cst_spectrum_lines(cst_spectrum *s, const double *re, const double *im, double spacing,
                       int terms, cst_line *line) {
  double size = 0;
  int    found = 0;
  for (long j = 0; j < s->n; j++) {
    s->signal[j] = (pair){re[j], im ? im[j] : 0};
    size = fmax(size, fmax(fabs(s->signal[j].re), fabs(s->signal[j].im)));
  }
  for (int k = 0; k < terms; k++)
    line[k] = (cst_line){NAN, NAN};
  while (found < terms && find_line(s, !im, ROUND_OFF * size, spacing, &line[found]))
    found++;
  return found;
}

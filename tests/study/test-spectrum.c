/* test-spectrum.c: frequencies of known signals, and the rates at which windows find them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "statistics/spectrum.h"
#include "tap.h"

enum { MOST = 4097 };
static double re[MOST], im[MOST];

static void fill(long n, double h, double frequency, double phase) {
  for (long j = 0; j < n; j++) {
    re[j] = 0.7 * cos(frequency * h * (double)j + phase);
    im[j] = 0.7 * sin(frequency * h * (double)j + phase);
  }
}

/* One line of a complex signal is exact, of either sign and at any distance from the bins. */
static void single(void) {
  static const double h = 0.3;
  cst_spectrum       *s = cst_spectrum_create(1025, 1);
  double              off = 0, wrong = 0;
  for (int i = -40; i <= 40; i++) {
    const double frequency = 0.2517 * i + 0.0113;
    cst_line     line[2];
    if (fabs(frequency) * h > 3.1 || fabs(frequency) < 0.05)
      continue;
    fill(1025, h, frequency, 0.4);
    const int n = cst_spectrum_lines(s, re, im, h, 2, line);
    off = fmax(off, fabs(line[0].frequency - frequency));
    wrong = fmax(wrong, fabs(line[0].amplitude - 0.7));
    OK(n == 1 && isnan(line[1].frequency), "%g: one line, not %d", frequency, n);
  }
  OK(off < 2e-13, "a line of a complex signal: frequency to %g", off);
  OK(wrong < 1e-13, "its amplitude to %g", wrong);
  cst_spectrum_destroy(s);
}

/* A line of a real signal is exact too, beside its conjugate and a mean. */
static void conjugate(void) {
  cst_spectrum *s = cst_spectrum_create(1025, 1);
  double        off = 0;
  for (int i = 0; i < 50; i++) {
    const double frequency = 0.2 + 0.2 * i;
    cst_line     line;
    fill(1025, 0.3, frequency, 0.37 * i);
    for (long j = 0; j < 1025; j++)
      re[j] += 0.2;
    cst_spectrum_lines(s, re, NULL, 0.3, 1, &line);
    off = fmax(off, fabs(line.frequency - frequency));
  }
  OK(off < 1e-11, "a line of a real signal: frequency to %g", off);
  cst_spectrum_destroy(s);
}

/* The largest error over phases and some lengths, where there is another line. */
static double error_of(long length, int power) {
  static const double h = 0.1, frequency = 1.2345;
  double              off = 0;
  for (long n = length - 40; n <= length; n += 8) {
    cst_spectrum *s = cst_spectrum_create(n, power);
    for (int i = 0; i < 8; i++) {
      cst_line line;
      fill(n, h, frequency, 0.37 * i);
      for (long j = 0; j < n; j++)
        re[j] += 0.4 * cos(2.13 * h * (double)j);
      cst_spectrum_lines(s, re, NULL, h, 1, &line);
      off = fmax(off, fabs(line.frequency - frequency));
    }
    cst_spectrum_destroy(s);
  }
  return off;
}

static void rates(void) {
  for (int power = 1; power <= 2; power++) {
    const double coarse = error_of(1001, power), fine = error_of(4001, power);
    const double rate = log(coarse / fine) / log(4);
    OK(fabs(rate - (2 * power + 2)) < 0.25, "window %d: the error %g decreases to %g, as T^-%.2f",
       power, coarse, fine, rate);
  }
}

/* Three lines of a real signal beside a mean, by their amplitudes. */
static void several(void) {
  static const double f[] = {0.91, 2.37, 1.5}, a[] = {1, 0.3, 0.01}, h = 0.25;
  cst_spectrum       *s = cst_spectrum_create(2001, 2);
  cst_line            line[4];
  for (long j = 0; j < 2001; j++) {
    re[j] = 5;
    for (int k = 0; k < 3; k++)
      re[j] += a[k] * cos(f[k] * h * (double)j + k);
  }
  const int n = cst_spectrum_lines(s, re, NULL, h, 3, line);
  OK(n == 3, "three lines, not %d", n);
  for (int k = 0; k < 3; k++)
    OK(fabs(line[k].frequency - f[k]) < 1e-8 && fabs(line[k].amplitude - a[k]) < 1e-8,
       "line %d: %.12g, %.12g", k, line[k].frequency, line[k].amplitude);
  cst_spectrum_destroy(s);
}

/* The window is 0 at both ends, whatever is there. */
static void ends(void) {
  for (int power = 1; power <= 2; power++) {
    cst_spectrum *s = cst_spectrum_create(1025, power);
    cst_line      one, other;
    fill(1025, 0.3, 1.2345, 0.37);
    cst_spectrum_lines(s, re, NULL, 0.3, 1, &one);
    re[0] = re[1024] = 1e6;
    cst_spectrum_lines(s, re, NULL, 0.3, 1, &other);
    OK(one.frequency == other.frequency && one.amplitude == other.amplitude,
       "window %d is 0 at its ends: %.17g, %.17g", power, one.frequency, other.frequency);
    cst_spectrum_destroy(s);
  }
}

/* No line: constants, less than a period, numbers that are none. */
static void none(void) {
  cst_spectrum *s = cst_spectrum_create(101, 1);
  cst_line      line;
  for (long j = 0; j < 101; j++)
    re[j] = 0.1;
  OK(!cst_spectrum_lines(s, re, NULL, 1, 1, &line) && isnan(line.frequency), "a constant");
  for (long j = 0; j < 101; j++)
    re[j] = cos(0.03 * (double)j);
  OK(!cst_spectrum_lines(s, re, NULL, 1, 1, &line), "half a period: %g", line.frequency);
  re[50] = NAN;
  OK(!cst_spectrum_lines(s, re, NULL, 1, 1, &line), "no number");
  cst_spectrum_destroy(s);
}

int main(void) {
  single();
  conjugate();
  rates();
  several();
  ends();
  none();
  return tap_done();
}

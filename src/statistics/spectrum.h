/* spectrum.h: the frequencies of a quasi-periodic signal, by windowed Fourier analysis.
 *
 * Of samples f_j at equal distances, with the window w_j = (1 + cos(pi t_j / T))^p on -T < t < T, sum w = 1, the
 * frequency of the strongest line is where |phi(s)|, phi(s) = sum w_j f_j exp(-i s t_j), is largest; the line is
 * taken off, and the next one found in what is left. Where there are other lines the error of a frequency decreases
 * as T^-(2p + 2).
 * Source: Laskar, Froeschle, Celletti, Physica D 56 (1992); Laskar, in Hamiltonian Systems with Three or More
 * Degrees of Freedom (1999).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SPECTRUM_H
#define CST_SPECTRUM_H
#include <stdbool.h>

/* frequency: radians per time. amplitude: of f = A exp(i s t), or of A cos(s t + phase) in a real signal. */
typedef struct {
  double frequency, amplitude;
} cst_line;

typedef struct cst_spectrum cst_spectrum;

/* For signals of n >= 8 samples and the window of this power. */
cst_spectrum *cst_spectrum_create(long n, int power);
void          cst_spectrum_destroy(cst_spectrum *s);

/* Finds at most `terms` lines of the signal re[n] + i im[n] (im NULL: of a real one, whose frequencies are
 * positive) with this time between samples. The mean is left out. Returns how many it has found: it ends where
 * the strongest line left has less than one period in the signal, or is round-off of it. Lines that follow are NaN. */
int cst_spectrum_lines(cst_spectrum *s, const double *re, const double *im, double spacing,
                       int terms, cst_line *line);
/* Bytes and, roughly, nanoseconds of a line, of signals of n samples. */
double cst_spectrum_bytes(long n);
double cst_spectrum_cost(long n);
#endif

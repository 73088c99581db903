/* growth.h: inside the room: what the verdicts on long-time behaviour are made of. docs/verdicts.md has the
 * definitions. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_GROWTH_H
#define CST_GROWTH_H
#include "constella/statistics.h"

/* ---- significance: how unlikely, as deviations of a normal distribution
 * ------------------------------------------------------- */
double cst_significance_of_t(double t, double freedom);             /* with the sign of t */
double cst_significance_of_f(double f, double above, double below); /* large f: positive */
double cst_significance_t_quantile(double normal, double freedom);  /* the inverse of cst_significance_of_t */

/* ---- slopes and scatter of the members, in the cosine basis
 * ---------------------------------------------------------------------- */

/* Members whose windows are all there, as coefficients of the cosine basis. */
typedef struct {
  int     n;                   /* windows in use */
  int     window[CST_WINDOWS]; /* which */
  long    members;
  double  unit, end;
  double *x;                           /* [members][n], of x / unit; entry 0 is not used */
  double  c[CST_WINDOWS][CST_WINDOWS]; /* the basis: c[k][w] */
} cst_spectra;

int  cst_growth_spectra_create(cst_spectra *s, const double *means, long members, double end,
                               double unit); /* 0: no memory */
void cst_growth_spectra_destroy(cst_spectra *s);

typedef struct {
  double slope, error, limit,
      rms; /* of the mean; its standard error; 95 % limit of any drift; rms of the members' own slopes */
  double normal;          /* significance of the slope of the mean */
  double spread, outlier; /* ... of the members' slopes together, of the largest one */
  double deviation;       /* of a window mean from its member's line, rms over members */
  double memory;          /* integrated autocorrelation of these deviations, in windows */
  double swell;           /* significance of more scatter in the last third of the run than in the first */
  double independent;     /* members that count: fewer than there are where they move alike or few are loud */
} cst_slopes;

cst_slopes cst_growth_slopes_find(const cst_spectra *s);

/* ---- powers of time along the paths
 * ------------------------------------------------------------------------------------------------ */

/* x = a + b tau^alpha + white noise + a random walk, a and b of each member its own. */
typedef struct {
  double alpha, low, high; /* maximum likelihood and its 95 % interval */
  double strength;         /* mean over members of (b / its error)^2; about 1 where there is no power */
  double misfit;           /* significance of what the slowest four cosines have beyond the model */
  double bend;             /* significance of a quadratic term in addition to a line: the rate changes */
} cst_power_fit;

cst_power_fit cst_growth_power_members(const cst_spectra *s, double independent);
cst_power_fit cst_growth_power_mean(const cst_spectra *s);

/* ---- growth of the root mean square over members
 * --------------------------------------------------------------------------------------
 */
typedef struct {
  double exponent, low, high;
  int    is_exponential;
  double rough; /* W_6 / W_1: near 1.8 for a random walk, 1/6 for independent noise */
} cst_rms_growth;

/* many: there are enough members to resample them alone. */
cst_rms_growth cst_growth_rms_find(const double *means, long members, double unit, int many);
double         cst_growth_largest_difference(const double *means, long members);
#endif

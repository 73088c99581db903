/* growth.h: internal: the statistics from which verdicts on long-time behaviour are derived. docs/verdicts.md
 * has the definitions. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_GROWTH_H
#define CST_GROWTH_H
#include "constella/isa.h"
#include "constella/statistics.h"

/* ---- significance, as deviations of a normal distribution ------------------------------------ */
double cst_significance_of_t(double t, double freedom);             /* with the sign of t */
double cst_significance_of_f(double f, double above, double below); /* positive for large f */
double cst_significance_t_quantile(double normal,
                                   double freedom); /* inverse of cst_significance_of_t */

/* ---- slopes and scatter of the members, in the cosine basis ---------------------------------- */

/* Cosine coefficients of the members with all windows. */
typedef struct {
  int     n;                   /* number of windows in use */
  int     window[CST_WINDOWS]; /* their indices */
  long    members;
  double  unit, end;
  double *x;                           /* [members][n], of x / unit; entry 0 is unused */
  double  c[CST_WINDOWS][CST_WINDOWS]; /* the basis: c[k][w] */
} cst_spectra;

/* returns 0 if memory is exhausted */
int  cst_growth_spectra_create(cst_spectra *s, const double *means, long members, double end,
                               double unit);
void cst_growth_spectra_destroy(cst_spectra *s);

typedef struct {
  /* of the mean: slope, standard error, 95 % limit of any drift; rms of the members' slopes */
  double slope, error, limit, rms;
  double normal;  /* significance of the slope of the mean */
  double in_time; /* the same from the noise in time alone, not from the scatter of the members */
  double spread, outlier; /* significance of all members' slopes together, and of the largest one */
  double steepest;        /* the largest slope of a member, as a magnitude */
  double
      swollen; /* ratio of the squared scatter of the last third of the run to that of the first */
  double near; /* the same as spread, against the cosines nearest to a line only */
  double deviation; /* of a window mean from its member's line, rms over members */
  double memory;    /* integrated autocorrelation of these residuals, in windows */
  double slowest;   /* the same from the slowest cosines alone: larger where the noise has no end */
  /* significance of a larger scatter in the last third of the run than in the first */
  double swell;
  double scatter; /* significance of a scatter of the slopes beyond their noise in time */
  /* effective number of independent members */
  double independent;
} cst_slopes;

cst_slopes cst_growth_slopes_find(const cst_spectra *s);

/* ---- powers of time along the paths ---------------------------------------------------------- */

/* x = a + b tau^alpha + white noise + a random walk; a and b differ between members. */
typedef struct {
  double alpha, low, high; /* maximum likelihood and its 95 % interval */
  double strength;         /* mean over members of (b / its error)^2; about 1 without a power */
  double misfit;           /* significance of the residuals in the slowest four cosines */
  double bend;             /* significance of a quadratic term added to a line: the rate changes */
  double blur;             /* standard error of that term, as a part of the line */
  double share; /* part of the squares of the slowest four cosines that the power explains */
} cst_power_fit;

cst_power_fit cst_growth_power_members(const cst_spectra *s, double independent);
cst_power_fit cst_growth_power_mean(const cst_spectra *s);

/* ---- drifts, whatever their law -------------------------------------------------------------- */

/* The significance of the change of one path, or of several, that never goes back: 0 for any other. As
 * deviations of a normal distribution, one-sided. */
double cst_growth_monotone(const double *means, long members);
/* The significance of a change from one level to another, anywhere in the run. unit: of the size of the changes;
 * independent: effective number of members. */
double cst_growth_levels(const double *means, long members, double unit, double independent);
/* One-sided significance: that of a two-sided one, and that of the best of n tests. */
double cst_growth_one_sided(double normal);
double cst_growth_best_of(double normal, double n);

/* ---- changes that are over ------------------------------------------------------------------- */

/* How far the mean of the last quarter of the run is from x(0): as rms over members, with its standard error, from the
 * windows of the last half; and from when on the window means differ from it by less than a quarter of that. */
typedef struct {
  double change, error, at;
} cst_move;

cst_move cst_growth_move(const double *means, long members, double end);
/* The change exceeds `most` (rms over members), at 99 %; false where it or `most` is not a number. */
int cst_growth_exceeds(const cst_move *m, double most);

/* ---- growth of the root mean square over members --------------------------------------------- */
typedef struct {
  double exponent, low, high;
  int    is_exponential;
  double rough; /* W_6 / W_1: near 1.8 for a random walk, 1/6 for independent noise */
} cst_rms_growth;
/* many: there are enough members to resample members only, not windows. */
cst_rms_growth cst_growth_rms_find(const double *means, long members, double unit, int many);
double         cst_growth_largest_difference(const double *means, long members);

/* ---- loops that are compiled for each instruction set (statistics/core/growth-lanes.c) ------- */

/* Arrays of lanes are aligned to 64 bytes. */

/* Fits log R_w^2 = c + 2 alpha l_w in W lanes (growth-rms.c), from the same c and alpha: r2[CST_WINDOWS][W],
 * weight[CST_WINDOWS][W], l[CST_WINDOWS]; exponent[W]. */
typedef void cst_growth_fit(const double *r2, const double *weight, const double *l, double c,
                            double alpha, int rounds, double *exponent);
/* x[CST_WINDOWS] := exp x. */
typedef void cst_growth_exp(double *x);
/* sum_j = sum over k = 1 .. n-1 of products[k][j] weight_k phi_k, j < CST_WINDOWS (growth-power.c). */
typedef void cst_growth_project(const double *products, const double *phi, const double *weight,
                                int n, double *sum);

typedef struct {
  int                 width; /* lanes */
  cst_growth_fit     *fit;
  cst_growth_exp     *exp;
  cst_growth_project *project;
} cst_growth_loops;

/* cst_growth_lanes_ISA of the widest set that this CPU has, or of CONSTELLA_ISA. */
const cst_growth_loops *cst_growth_loops_chosen(void);
#endif

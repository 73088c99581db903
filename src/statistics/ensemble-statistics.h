/* ensemble-statistics.h: quantiles of times until something happens, of which some are only known to be later
 * (censored). The other statistics of ensembles are in constella/statistics.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ENSEMBLE_STATISTICS_H
#define CST_ENSEMBLE_STATISTICS_H
#include <stdbool.h>

/* The quantiles quantile[k] for the shares share[m], in (0, 1), of n times: of those with `happened` it happened at
 * time[i], of the others nothing is known after it. NaN where the share is not reached. Kaplan-Meier: the
 * least t with S(t) <= 1 - share, S(t) = product over t_i <= t of 1 - (events at t_i) / (known at t_i).
 * Source: Kaplan, Meier, J. Amer. Statist. Assoc. 53 (1958). */
void cst_survival_quantiles(const double *time, const bool *happened, long n, const double *share,
                            int m, double *quantile);
#endif

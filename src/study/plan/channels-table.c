/* channels-table.c: the table of all channels (channels-table.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/plan/channels-table.h"

const char *const cst_channels_error_names[CST_ERRORS] = {"total", "q", "p", "lambda"};

/* clang-format off */
const cst_channel_row cst_channels_table[CST_CHANNELS] = {
    [CST_CHANNEL_ROWS_UNTIL] = {"/run/rows_until", "1", "all rows of the checkpoints up to this number are in the file; NaN: of none", CST_TYPE_F64, OF_COLUMNS, WRITTEN, {NONE}},
    [CST_CHANNEL_STEP] = {"/cases/h", "1", "step taken", CST_TYPE_F64, ONE, WRITTEN, {CASE, NONE}},
    [CST_CHANNEL_STEPS_TAKEN] = {"/cases/n", "1", "number of steps", CST_TYPE_I64, ONE, WRITTEN, {CASE, NONE}},
    [CST_CHANNEL_TOLERANCE] = {"/cases/tolerance", "1", "tolerance of the solver, relative", CST_TYPE_F64, ONE, WRITTEN, {CASE, NONE}},
    [CST_CHANNEL_REPRESENTATIVE] = {"/cases/representative", "1", "what p is: kinetic, M v + a, or tangential, its part with G p = 0", CST_TYPE_TEXT, ONE, WRITTEN, {CASE, NONE}},
    [CST_CHANNEL_PARAMETERS] = {"/cases/parameters", "1", "parameters of the system", CST_TYPE_F64, PARAMETRIC, WRITTEN, {CASE, PARAMETER, NONE}},
    [CST_CHANNEL_Q] = {"/final/q", "1", "coordinates at the end, or the last good ones", CST_TYPE_F64, ONE, ROW, {CASE, MEMBER, COORDINATE, NONE}},
    [CST_CHANNEL_P] = {"/final/p", "1", "momenta at the end, or the last good ones", CST_TYPE_F64, ONE, ROW, {CASE, MEMBER, COORDINATE, NONE}},
    [CST_CHANNEL_LAMBDA] = {"/final/lambda", "1", "multipliers of the last step, M A = f - G' lambda", CST_TYPE_F64, ONE, ROW, {CASE, MEMBER, MULTIPLIER, NONE}},
    [CST_CHANNEL_STATUS] = {"/final/status", "1", "0 done, 1 solver did not converge, 2 not finite, 3 no consistent start, 4 step-too-large, 5 rank of the constraints lost; -1 not run", CST_TYPE_I8, ONE, ROW, {CASE, MEMBER, NONE}},
    [CST_CHANNEL_STEPS] = {"/final/steps", "1", "good steps", CST_TYPE_I64, ONE, ROW, {CASE, MEMBER, NONE}},
    [CST_CHANNEL_ITERATIONS] = {"/final/iterations", "1", "iterations of the solver, all steps", CST_TYPE_F64, ONE, ROW, {CASE, MEMBER, NONE}},
    [CST_CHANNEL_EVALUATIONS] = {"/final/evaluations", "1", "evaluations of the force, all steps", CST_TYPE_F64, ONE, ROW, {CASE, MEMBER, NONE}},
    [CST_CHANNEL_ERROR] = {"/error/%s", "1", "error against the reference", CST_TYPE_F64, OF_ERRORS, ROW | KEPT, {CASE, MEMBER, NONE}},
    [CST_CHANNEL_FIGURES] = {"/observables/%s", NULL, NULL, CST_TYPE_F64, OF_QUANTITIES, ROW, {CASE, MEMBER, FIGURE, NONE}},
    [CST_CHANNEL_WINDOWS] = {"/windows/%s", NULL, "mean of x - x(0) over a window", CST_TYPE_F64, OF_WINDOWS, ROW | KEPT, {CASE, MEMBER, WINDOW, NONE}},
    [CST_CHANNEL_ACCUMULATORS] = {"accumulators", "1", "", CST_TYPE_F64, ONE, OF_TRAJECTORY | KEPT | IN_LANES, {NONE}},
    [CST_CHANNEL_OBSERVER] = {"%s", "1", "", CST_TYPE_F64, OF_LOOKS, OF_TRAJECTORY | KEPT | IN_LANES, {NONE}},
    [CST_CHANNEL_SAMPLES] = {"samples", "1", "", CST_TYPE_F64, SINGLE, OF_TRAJECTORY | KEPT, {NONE}},
    [CST_CHANNEL_AVERAGES] = {"/averages/mean/%s", NULL, "mean of x - x(0) over each of 64 equal parts of the run after the burn-in", CST_TYPE_F64, OF_AVERAGES, ROW | KEPT | IN_LANES, {CASE, MEMBER, WINDOW, NONE}},
    [CST_CHANNEL_SQUARES] = {"/averages/square/%s", "1", "mean of (x - x(0))^2 over the run after the burn-in", CST_TYPE_F64, OF_AVERAGES, ROW | KEPT | IN_LANES, {CASE, MEMBER, NONE}},
    [CST_CHANNEL_AVERAGE_WEIGHTS] = {"/averages/weight", "1", "mean weight of the samples over each part; the means are of weight times deviation", CST_TYPE_F64, WEIGHTED, ROW | KEPT | IN_LANES, {CASE, MEMBER, WINDOW, NONE}},
    [CST_CHANNEL_AVERAGE_SQUARES] = {"/averages/weight_square", "1", "mean square of the weight of the samples over the run after the burn-in", CST_TYPE_F64, WEIGHTED, ROW | KEPT | IN_LANES, {CASE, MEMBER, NONE}},
    [CST_CHANNEL_COUNTS] = {"/histograms/%s_members", "1", "samples in each bin, then below all bins, above all bins, and not a number", CST_TYPE_F64, OF_HISTOGRAMS, ROW | KEPT | IN_LANES, {CASE, MEMBER, BLOCK, NONE}},
    [CST_CHANNEL_WEIGHTS] = {"/histograms/%s_weights", "1", "weight of the samples in each bin, then the total weight and the sum of squared weights", CST_TYPE_F64, OF_HISTOGRAMS, ROW | KEPT | IN_LANES, {CASE, MEMBER, BLOCK, NONE}},
    [CST_CHANNEL_CONTINUE] = {"/continue/rows", "1", "state from which a longer run continues: step, step at half the step size, count, the numbers, step again", CST_TYPE_F64, EXTENSIBLE, ROW, {CASE, MEMBER, NONE}},
    [CST_CHANNEL_JOINED] = {"/continue/joined", "1", "so many members, from the first on, were continued from an earlier end", CST_TYPE_I64, EXTENSIBLE, WRITTEN, {CASE, NONE}},
    [CST_CHANNEL_HISTOGRAM] = {"/histograms/%s", "1", "samples in each bin, all good members", CST_TYPE_I64, OF_HISTOGRAMS, WRITTEN, {CASE, NONE}},
    [CST_CHANNEL_EDGES] = {"/histograms/%s_edges", "1", "edges: bin k has edge k <= x < edge k + 1; the last one includes its end", CST_TYPE_F64, OF_HISTOGRAMS, WRITTEN, {NONE}},
    [CST_CHANNEL_OUTSIDE] = {"/histograms/%s_outside", "1", "samples below all bins, above all bins, not a number, and the total inside and outside", CST_TYPE_I64, OF_HISTOGRAMS, WRITTEN, {CASE, OUTSIDE, NONE}},
    [CST_CHANNEL_DENSITY] = {"/histograms/%s_density", "1", "weighted fraction of the samples that are numbers, divided by the width of the bin", CST_TYPE_F64, OF_HISTOGRAMS, WRITTEN, {CASE, NONE}},
    [CST_CHANNEL_DENSITY_ERROR] = {"/histograms/%s_error", "1", "standard error of the density", CST_TYPE_F64, OF_HISTOGRAMS, WRITTEN, {CASE, NONE}},
    [CST_CHANNEL_SAMPLE_TIME] = {"/series/t", "1", "time", CST_TYPE_F64, SAMPLED, WRITTEN, {CASE, SAMPLE, NONE}},
    [CST_CHANNEL_SERIES_MAX] = {"/series/%s/max", NULL, "largest |x - x(0)| over the members", CST_TYPE_F64, SAMPLED_EACH, WRITTEN, {CASE, SAMPLE, NONE}},
    [CST_CHANNEL_SERIES_RMS] = {"/series/%s/rms", NULL, "root mean square of x - x(0) over the members", CST_TYPE_F64, SAMPLED_EACH, WRITTEN, {CASE, SAMPLE, NONE}},
    [CST_CHANNEL_SERIES_SUM] = {"/series/%s/sum", "1", "exact sum of (x - x(0))^2 over the members, in units of 2^-200", CST_TYPE_I64, SUMMED, WRITTEN, {CASE, SAMPLE, WORD, NONE}},
    [CST_CHANNEL_SERIES_COUNT] = {"/series/%s/count", "1", "members in the sum", CST_TYPE_I64, SUMMED, WRITTEN, {CASE, SAMPLE, NONE}},
    [CST_CHANNEL_STATE_TIME] = {"/trajectories/%d/t", "1", "time", CST_TYPE_F64, OF_CASES, WRITTEN, {TIME, NONE}},
    [CST_CHANNEL_STATE_Q] = {"/trajectories/%d/q", "1", "coordinates", CST_TYPE_F64, OF_CASES, WRITTEN, {CHOSEN, TIME, COORDINATE, NONE}},
    [CST_CHANNEL_STATE_P] = {"/trajectories/%d/p", "1", "momenta", CST_TYPE_F64, OF_CASES, WRITTEN, {CHOSEN, TIME, COORDINATE, NONE}},
    [CST_CHANNEL_STATE_LAMBDA] = {"/trajectories/%d/lambda", "1", "multipliers of the step that ends here", CST_TYPE_F64, OF_CASES, WRITTEN, {CHOSEN, TIME, MULTIPLIER, NONE}},
    [CST_CHANNEL_STATE_V] = {"/trajectories/%d/v", "1", "velocities", CST_TYPE_F64, OF_CASES, WRITTEN, {CHOSEN, TIME, COORDINATE, NONE}},
    [CST_CHANNEL_STATE_QUANTITY] = {"/trajectories/%d/%s", NULL, NULL, CST_TYPE_F64, OF_STORED, WRITTEN, {CHOSEN, TIME, NONE}},
    [CST_CHANNEL_STATE_MEMBER] = {"/trajectories/%d/member", "1", "member; -1: none", CST_TYPE_I64, OF_CASES, WRITTEN, {CHOSEN, NONE}},
    [CST_CHANNEL_STATISTIC] = {"/statistics/%s", NULL, NULL, CST_TYPE_F64, OF_COLUMNS, WRITTEN, {CASE, NONE}},
    [CST_CHANNEL_RATE] = {"/run/steps_per_second", "1", "trajectory-steps per second and per rank", CST_TYPE_F64, OF_COLUMNS, WRITTEN, {CASE, NONE}},
    [CST_CHANNEL_CPU] = {"/run/cpu_seconds", "1", "CPU time per trajectory in seconds, steps only, smallest of the repeats", CST_TYPE_F64, REPEATED, WRITTEN, {CASE, NONE}},
    [CST_CHANNEL_CPU_MOST] = {"/run/cpu_seconds_most", "1", "CPU time per trajectory in seconds, largest of the repeats", CST_TYPE_F64, REPEATED, WRITTEN, {CASE, NONE}},
    [CST_CHANNEL_CHECKPOINT] = {"/run/checkpoint", "1", "number of the newest checkpoint; NaN: none was taken", CST_TYPE_F64, OF_COLUMNS, WRITTEN, {NONE}},
    [CST_CHANNEL_WORK_DONE] = {"/run/work_done", "1", "fraction of the work that is done", CST_TYPE_F64, OF_COLUMNS, WRITTEN, {NONE}},
};
/* clang-format on */

const char *cst_channel_path(cst_channel_kind kind) { return cst_channels_table[kind].path; }

/* substeps.h: the kinds of substeps of which methods consist: one constructor per file of core/. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SUBSTEPS_H
#define CST_SUBSTEPS_H
#include "method/core.h"
#include "method/substep.h"

/* A kick: the force acts with weights w0 h and w1 h at the two ends; tangent: p is projected onto the tangent
 * space at the right end. */
cst_substep cst_kick(double fraction, double w0, double w1, bool tangent);
/* A projected kick; if w1 is 0, the next substep takes no force at its left end. */
cst_substep cst_kick_apart(double fraction, double w0, double w1);
/* The force is taken at the fraction theta of the drift; 1/2: the midpoint rule. */
cst_substep cst_midpoint(double fraction, double theta);
/* The same map with the constraint at the point where the force is taken. */
cst_substep cst_staged(double fraction, double theta);
/* Leapfrog steps of gamma[n] h without constraint, which acts at the two ends of the whole. gamma is
 * palindromic and lives as long as the substep. */
cst_substep cst_ends(double fraction, const double *gamma, int n);
/* Any discretization map (map.h). */
struct cst_iota;
struct cst_map;
struct cst_tau;
/* null_space: by projection on a basis of ker G instead of multipliers. */
cst_substep cst_mapped(double fraction, const struct cst_map *m, bool null_space);
/* Kick and midpoint if M depends on q or there is an a(q): L is taken at the points theta[r] with weights
 * part[r] h. */
cst_substep cst_lagrange(double fraction, int points, const double *part, const double *theta,
                         bool tangent);
/* That of RATTLE under constraints on velocities, whose reaction the steps on both sides of a point share. */
cst_substep cst_lagrange_nonholonomic(double fraction);
/* Kick and midpoint with a constant diagonal M, by projection on a basis of ker G instead of multipliers: the
 * force acts with weights w0 h and w1 h at the ends and `middle` h at theta. */
cst_substep cst_null_space(double fraction, double w0, double w1, double middle, double theta,
                           bool tangent);
/* On SO(3)^k x R^m: the force acts with weights w0 h and w1 h at the two ends of a single drift, by the
 * Cayley map, the exponential, or a retraction from text. */
cst_substep cst_lie(double fraction, double w0, double w1, bool exponential,
                    const struct cst_tau *tau);
/* On the group by the exponential: the force acts inside the drift, at its fraction theta. */
cst_substep cst_lie_stage(double fraction, double theta);
/* The same by a retraction that does not treat all axes alike (tau.h). */
cst_substep cst_lie_axes(double fraction, double w0, double w1, const struct cst_tau *tau);
cst_substep cst_lie_axes_rattle(double fraction, const struct cst_tau *tau);
/* lie-stage by the exponential of SE(3). */
cst_substep cst_lie_motion(double fraction, double theta);
/* On the group: half the force at each end of a drift in two halves. */
cst_substep cst_lie_rattle(double fraction, bool exponential, const struct cst_tau *tau);
cst_substep cst_rk(double fraction, const cst_layer *l);
/* A tableau on Baumgarte's stabilised equations. */
cst_substep cst_rk_stabilised(double fraction, const cst_layer *l, double alpha, double beta);
/* The same of an implicit tableau, with the multipliers of its stages among the unknowns (core/saddle.c). */
cst_substep cst_saddle(double fraction, const cst_layer *l, double alpha, double beta);
cst_substep cst_substep_project(double fraction);
/* bias: alpha-, in [-1, 0]; the layers of the minus half and of the plus half. by_mass: points are projected
 * orthogonally in the metric M, a constant diagonal. */
cst_substep cst_substep_convert(double fraction, const cst_layer *minus, const cst_layer *plus,
                                double bias, bool by_mass);
/* The same with a projection along fibres from text. */
cst_substep cst_convert_along(double fraction, const cst_layer *minus, const cst_layer *plus,
                              double bias, const struct cst_iota *iota);
/* The same map with w in place of (q, p): q and p = M v + a are those of w. */
cst_substep cst_convert_of_w(double fraction, const cst_layer *minus, const cst_layer *plus,
                             double bias);
/* The layer's step between two projections by the same multipliers; the layer has a tableau. */
cst_substep cst_symmetric(double fraction, const cst_layer *l);
/* From one end of the step to the other by steps of the Dormand-Prince pair, chosen by its error estimate. */
cst_substep cst_dopri5_coefficients(double fraction, double tolerance);
/* Discrete Lagrange-d'Alembert equations. form: 0 midpoint, 1 reversible, 2 leapfrog. */
cst_substep cst_dalembert(double fraction, int form);
/* The same on a basis of the admissible directions; with a constant diagonal M. */
cst_substep cst_dalembert_basis(double fraction, int form);
/* The vakonomic midpoint rule; multiplier: mu of each constraint at the start. */
cst_substep cst_vakonomic(double fraction, double multiplier);
/* A kick by the force filtered by a linear solve, with weights w0 h and w1 h at the two ends. form: 0 full,
 * with the third derivative; 1 simplified; 2 with the Hessian of the stiff part. */
cst_substep cst_filtered_kick(double fraction, double beta, double w0, double w1, int form);
/* A kick by the force at x + beta h^2 a. */
cst_substep cst_pushforward(double fraction, double beta);
/* iterations: Newton iterations per step, from zero force or (from_q) from the position at the start of the
 * step; 0: to convergence. */
cst_substep cst_newmark(double fraction, double beta, double gamma, int iterations, bool from_q);
/* The effect of a heat bath of that temperature on v over the whole step. by_mass: the rate is that of a unit
 * mass. */
cst_substep cst_substep_noise(double fraction, double rate, double inverse_temperature,
                              bool by_mass);
/* Radau IIA with s stages at which g = 0 (positions), G v = 0 (velocities), or both. */
cst_substep cst_constrained_radau(double fraction, int s, bool positions, bool velocities);
/* Generalised-alpha with g = 0 and, if asked, G v = 0 at the end of a step. */
cst_substep cst_constrained_alpha(double fraction, double am, double af, double beta, double gamma,
                                  bool velocities);
/* Generalised-alpha on SO(3)^k x R^m. */
cst_substep cst_lie_alpha(double fraction, double am, double af, double beta, double gamma);
/* BDF with k steps, 1 <= k <= 5, and both constraints. */
cst_substep cst_constrained_bdf(double fraction, int k);
/* Euler with constraints on the level of velocities at the left end; post: positions are corrected;
 * linear: D_v f is taken implicitly. */
cst_substep cst_engine(double fraction, double erp, bool post, bool linear);
/* k nodes, and polynomials of degree below s. */
cst_substep cst_substep_hbvm(double fraction, int k, int s);

/* Checks that there is room for both kinds of data: the parameters of a substep, and what lane code reads. */
#define CST_DATA_FITS(parameters, lane)                                                            \
  _Static_assert(sizeof(parameters) <= CST_SUBSTEP_DATA && sizeof(lane) <= CST_LANE_DATA,          \
                 "raise CST_SUBSTEP_DATA or CST_LANE_DATA")
#endif

/* substeps.h: the kinds of substeps that methods are made of, a line each: what its file of core/ makes of
 * the parameters. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SUBSTEPS_H
#define CST_SUBSTEPS_H
#include "method/substep.h"

/* The force acts for the parts w0 and w1 of h at the two ends; tangent: p is projected on the tangent space
 * at the right end. */
cst_substep cst_kick(double fraction, double w0, double w1, bool tangent);
/* The same, projected, of which the next substep takes no force at its left end where w1 is 0. */
cst_substep cst_kick_apart(double fraction, double w0, double w1);
/* The force is taken at the part theta of the drift; 1/2: the midpoint rule. */
cst_substep cst_midpoint(double fraction, double theta);
/* The same two where M depends on q or there is an a(q): L is taken at points theta[r] for the parts part[r]
 * of h. */
cst_substep cst_lagrange(double fraction, int points, const double *part, const double *theta, bool tangent);
/* Those of kick and midpoint where M is a constant diagonal, by projection on a basis of ker G in the place
 * of multipliers: the force acts for the parts w0 and w1 of h at the ends and for the part `middle` at theta.
 */
cst_substep cst_null_space(double fraction, double w0, double w1, double middle, double theta, bool tangent);
/* On SO(3)^k x R^m: the force acts for the parts w0 and w1 of h at the two ends of a drift in one piece, by
 * the Cayley map or the exponential. */
cst_substep cst_lie(double fraction, double w0, double w1, bool exponential);
/* Half the force at each end of a drift in two halves. */
cst_substep cst_lie_rattle(double fraction, bool exponential);
cst_substep cst_rk(double fraction, const cst_layer *l);
cst_substep cst_substep_project(double fraction);
/* bias: alpha-, in [-1, 0]; the layers of the minus half and of the plus half. */
cst_substep cst_substep_convert(double fraction, const cst_layer *minus, const cst_layer *plus, double bias);
/* The same map with w in the place of (q, p): q and p = M v + a are those of w. For systems without
 * constraints on positions. */
cst_substep cst_convert_of_w(double fraction, const cst_layer *minus, const cst_layer *plus, double bias);
/* From one end of the step to the other by steps of the Dormand-Prince pair that its error estimate chooses.
 */
cst_substep cst_dopri5_coefficients(double fraction, double tolerance);
/* Discrete equations of Lagrange and d'Alembert. form: 0 midpoint, 1 reversible, 2 leapfrog. */
cst_substep cst_dalembert(double fraction, int form);
/* By the force that a linear solve filters, for the parts w0 and w1 of h at the two ends. form: 0 full, with
 * the third derivative; 1 simplified; 2 with the Hessian of the stiff part. */
cst_substep cst_filtered_kick(double fraction, double beta, double w0, double w1, int form);
/* By the force at x + beta h^2 a. */
cst_substep cst_pushforward(double fraction, double beta);
/* iterations: of Newton's method, each step, from the force 0 or, where `from_q`, from the position of the
 * step's start; 0: to its end. */
cst_substep cst_newmark(double fraction, double beta, double gamma, int iterations, bool from_q);
/* Of a thermostat: what a bath of that temperature makes of v in the whole step. by_mass: the rate is that of
 * a unit mass. */
cst_substep cst_substep_noise(double fraction, double rate, double inverse_temperature, bool by_mass);
/* k nodes, and polynomials of degree below s. */
cst_substep cst_substep_hbvm(double fraction, int k, int s);
#endif

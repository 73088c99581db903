/* substep.h: one kind of substep is one row: its arithmetic on lanes (core.h) and what the planner must know
 * of it. The kind's file in core/ ends in the row and defines the parameters of such substeps; no other code
 * depends on the kind of a substep. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SUBSTEP_H
#define CST_SUBSTEP_H
#include "constella/isa.h"
#include "constella/method.h"
#include "core/error.h"
#include "method/core.h"
#include "method/texts/flow.h"
#include "method/texts/lane-layer.h"
#include "tableau/tableau.h"

/* A one-step layer for q' = v, v' = A(q, v), S' = L(q, v): a tableau, or formulas. */
typedef struct {
  const cst_flow_rule *rule; /* NULL: the tableau. Borrowed */
  cst_tableau          tableau;
} cst_layer;

/* Whether two layers are the same map. */
bool cst_program_same_layer(const cst_layer *x, const cst_layer *y);
/* Number of stages; for formulas, of evaluations of A. */
int cst_program_layer_stages(const cst_layer *l);

typedef struct cst_substep_row cst_substep_row;

/* The discrete Lagrangian of which steps of length h solve the Euler-Lagrange equations:
 *   points: L_d = h sum part_r L(q_r, u), q_r = q0 + theta_r (q1 - q0), u = (q1 - q0)/h, at t0 + theta_r h
 *   0: of layers, over h bias and h (1 + bias), as convert(...) has it. */
typedef struct {
  int              points;
  double           part[2], theta[2], bias;
  const cst_layer *minus, *plus;
} cst_action;

enum { CST_SUBSTEP_DATA = 2 * sizeof(cst_layer) + 64 };

/* One substep of a program. */
typedef struct {
  const cst_substep_row *row;
  double                 fraction;          /* of the step */
  _Alignas(16) char data[CST_SUBSTEP_DATA]; /* the row's own parameters */
} cst_substep;

/* Sizes of a substep on a system. Consecutive substeps of one kind are advanced together if `stages`,
 * `unknowns` and `each` are equal. */
typedef struct {
  /* sizes of its data: stages of its layers, points where L is taken, the degree of a line */
  int stages;
  int unknowns; /* unknowns that it solves for */
  int kept;     /* number of these kept for the next step */
  /* number of these (the last ones) whose start is extrapolated if motions are smooth; takes CST_PAST further
   * rows of them, and one number */
  int    predicted;
  double matrix; /* numbers per lane in the solver's matrices */
  /* evaluations of the force or of the right hand side, or of a derivative of it along one direction or in
   * reverse: per step, and per iteration of the solver */
  double fixed, each;
  /* linear systems that are solved, of any size, one right hand side each: the matrix of an iteration, the
   * accelerations of the index-reduced equations, projections of p */
  double solves_fixed, solves_each;
  double cost; /* nanoseconds per lane, a rough estimate for planning */
} cst_substep_size;

/* A block of numbers that substeps keep in the record besides q and p: q nq + g ng + body (number of bodies)
 * + one. Substeps of a program that name the same block share it: what opens a step fills the blocks that others
 * read there. Checkpoints contain it with the rest of the record. */
typedef struct {
  const char *name;
  int         q, g, one, body;
} cst_state_block;

enum { CST_MAX_STATE = 8 }; /* blocks per kind of substep */

enum {
  CST_COMPENSATES = 1, /* it can carry compensated sums */
  /* it always does if nothing else changes q and p, since it only adds to them */
  CST_ALWAYS_COMPENSATES = 2,
  /* its impulse normal to g = 0 at the left end absorbs the normal part of p */
  CST_TAKES_UP = 4,
  CST_TAKES_NO_TIME = 16, /* it takes no time: a projection */
  /* it does not divide by masses of rotation matrices, which vanish for flat bodies */
  CST_STEPS_FLAT = 8,
  /* and CST_NEEDS_EQUAL_STEPS: its noise or its blocks are of the length of the steps before, so that after steps
   * of one length, one of another is none of the method */
  CST_VARIES = 64, /* it changes the length of its lanes' steps */
};

/* Where the Jacobian of a substep's equations is to be had, for solvers other than its own. */
typedef enum {
  CST_JACOBIAN_DIFFERENCES, /* from differences of its residual */
  /* the corrections of its further attempts are those of Newton's method with the Jacobian at the iterate */
  CST_JACOBIAN_CORRECTIONS,
  /* the same, and the Jacobian is -S of the lanes' gram.h: the corrections are S^-1 times the residual */
  CST_JACOBIAN_GRAM,
  /* nowhere: its residual lacks equations that its corrections satisfy */
  CST_JACOBIAN_NONE,
} cst_jacobian;

/* Where the Jacobian of a substep's residual is sparse on long systems: unknowns, and equations, are
 * `blocks` of nq, one for each coordinate, then `impulses` blocks of ng, one for each constraint. What
 * couples them, besides a coordinate with itself in all blocks: */
typedef struct {
  int  blocks;
  bool force; /* the Hessian of V */
  bool bends; /* those of constraints: coordinates of one constraint */
  int impulses; /* blocks of multipliers: 1, or one for each block of coordinates. G, and its transpose */
  bool by_rows; /* coordinates are in the order of the system's bands[0] */
  /* unknowns are those of coordinates times mass / h^power */
  bool mass;
  int  power;
  /* the sign with which the matrix is positive on the coordinates */
  int sign;
  /* where unknowns are 0 the point does not move: the matrix there is that of the step 0 */
  bool rests;
} cst_coupling;

/* Arguments of row->bind, when a stepper is created. */
typedef struct {
  const cst_system *system;
  int               isa;
  cst_iteration     iteration; /* never CST_ITERATION_AUTO */
  /* first components of its blocks in the record, in the order of row->state */
  const int          *state;
  struct cst_stepper *stepper;
} cst_lane_binding;

/* Converts a layer for lane code, with the requested derivatives of formulas. The stepper owns the result. */
cst_error cst_stepper_bind_layer(const cst_lane_binding *b, const cst_layer *l, bool derivatives,
                                 cst_lane_layer *to);
/* The result of `make` for the system, made once for all substeps that ask for it; end destroys it with the
 * stepper. NULL from make: too large. */
cst_error cst_stepper_bind_shared(const cst_lane_binding *b, void *(*make)(const cst_system *s),
                                  void (*end)(void *), void **x);
/* n numbers with the lifetime of the stepper. */
cst_error cst_stepper_bind_numbers(const cst_lane_binding *b, size_t n, double **x);

struct cst_substep_row {
  const char *name; /* of its file, and of its forms compiled for a system */
  const char *file; /* of its lane code for any system, where that has another name; else NULL */
  size_t      data; /* bytes of its parameters */
  unsigned    features;
  /* bits 1 << cst_iteration of the iterations that it implements; 0: it has its own */
  unsigned               iterations;
  const cst_state_block *state; /* terminated by one without a name; NULL: none */
  /* file of its march with lanes over parts of a trajectory (core.h); NULL: none */
  const char *solo;
  /* Whether substeps with the parameters x and y are the same map for the same step. */
  bool (*same)(const void *x, const void *y);
  /* Changes x to the parameters of the adjoint; false: there is none. NULL: there never is. */
  bool (*adjoint)(void *x);
  /* Changes x to the variant that ends by projecting p onto the tangent space; false: it does already. NULL:
   * there is no such variant. */
  bool (*project)(void *x);
  /* For the kick of a thermostat, which follows another substep: its data for lane code in a step of length h
   * with `increments` increments of a shared path. NULL: it is not such a kick. */
  void (*noise)(const void *x, int isa, double h, long increments, cst_noise *n);
  /* Of what is done once for a whole step, before its first substep, wherever it stands in the program: it fills blocks from
   * the state there, or sets the lengths of the step's lanes (since, origin and h of the record; CST_VARIES). The
   * function of lane code for an instruction set. NULL: it is a substep. */
  cst_open *(*opens)(int isa);
  /* Whether another substep replaces it on s; then fills *other. NULL: never. */
  bool (*on)(const cst_substep *x, const cst_system *s, cst_substep *other);
  cst_substep_size (*size)(const void *x, const cst_system *s);
  /* Whether another substep is the same map of a long system s, and has the sparse equations that PETSc's solvers need;
   * then fills *other. NULL: never. */
  bool (*sparse)(const cst_substep *x, const cst_system *s, cst_substep *other);
  /* Where the Jacobian of its residual is to be had. NULL: CST_JACOBIAN_DIFFERENCES. */
  cst_jacobian (*jacobian)(const void *x, const cst_system *s);
  /* What couples its unknowns on a long system without M(q), a(q); false, NULL: its Jacobian is full. */
  bool (*coupling)(const void *x, const cst_system *s, cst_coupling *c);
  /* The layer of which it is a step; NULL: none. */
  const cst_layer *(*layer)(const void *x);
  /* Its discrete Lagrangian; false, NULL: it has none, or the states are not at the ends of it. */
  bool (*action)(const void *x, cst_action *a);
  /* Fills its blocks (zeroed) for a lane that starts from q, v with the parameters c. NULL: they are zero. */
  void (*start)(const void *x, const cst_system *s, const double *c, const double *q,
                const double *v, double *const *state);
  /* Fills its data for lane code (zeroed). NULL: a copy of the parameters. */
  cst_error (*bind)(const void *x, const cst_lane_binding *with, void *lane);
};

/* A substep with row->data bytes of parameters. */
cst_substep cst_substep_of(const cst_substep_row *row, double fraction, const void *data);
/* The substep that replaces x on s (row->on), or x. */
cst_substep      cst_substep_on(const cst_substep *x, const cst_system *s);
cst_substep_size cst_substep_size_on(const cst_substep *x, const cst_system *s);
cst_jacobian     cst_substep_jacobian(const cst_substep *x, const cst_system *s);
/* Whether the corrections are those of Newton's method. */
bool cst_substep_corrects(const cst_substep *x, const cst_system *s);
/* For row->adjoint: the map is its own adjoint. */
bool cst_is_own_adjoint(void *x);
/* CST_JACOBIAN_CORRECTIONS on every system. */
cst_jacobian cst_jacobian_of_corrections(const void *x, const cst_system *s);
/* That of M a = -grad V in the accelerations a at a point that they move by h^2, with the other sign. */
bool cst_coupling_of_accelerations(const void *x, const cst_system *s, cst_coupling *c);
/* Numbers per lane that a substep of this size keeps between steps; smooth: without noise (core.h). */
int cst_substep_kept(const cst_substep_size *size, bool smooth);
/* Linear systems in an evaluation of the accelerations, or of a derivative of them along one direction: 1, or 0
 * where they are the force divided by masses. */
int cst_substep_solves(const cst_system *s);
/* Vectors of q that a stage solves for with the force at it: 2 where it may depend on v. */
int cst_substep_blocks(const cst_system *s);
/* Nanoseconds of a step that is solved by Newton with a full matrix of the coordinates. */
double cst_substep_newton_cost(const cst_system *s);
/* Cost of a substep of s that evaluates the force and the constraints once: the unit of row->size. */
double cst_substep_unit(const cst_system *s);

/* The core of a kind that is compiled for this system, if there is one, else the generic one. */
/* Its lane code for any system; NULL: not built for this row of cst_isas. */
const cst_core *cst_substep_generic(const cst_substep_row *row, int isa);
/* ... and that for s, where there is one. */
const cst_core *cst_substep_core(const cst_substep_row *row, const cst_system *s, int isa);

/* ---- constructors ---------------------------------------------------------------------------- */

/* The kinds of substeps of which methods consist: one constructor per file of core/. */

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
struct cst_text;
/* null_space: by projection on a basis of ker G instead of multipliers. */
cst_substep cst_mapped(double fraction, const struct cst_text *map, bool null_space);
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
                    const struct cst_text *tau);
/* On the group by the exponential: the force acts inside the drift, at its fraction theta. */
cst_substep cst_lie_stage(double fraction, double theta);
/* The same by a retraction that does not treat all axes alike (map.h). */
cst_substep cst_lie_axes(double fraction, double w0, double w1, const struct cst_text *tau);
cst_substep cst_lie_axes_rattle(double fraction, const struct cst_text *tau);
/* lie-stage by the exponential of SE(3). */
cst_substep cst_lie_motion(double fraction, double theta);
/* On the group: half the force at each end of a drift in two halves. */
cst_substep cst_lie_rattle(double fraction, bool exponential, const struct cst_text *tau);
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
                              double bias, const struct cst_text *iota);
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

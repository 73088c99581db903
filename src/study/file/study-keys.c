/* study-keys.c: the table of the keys of a study file (study-keys.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/file/study-keys.h"
#include <stddef.h>
#include <string.h>
#include "core/need.h"
#include "study/rows/study.h"
#include "study/rows/collector.h"

/* In the orders of cst_iteration, cst_solver_engine, cst_norm, cst_over, cst_compile_request. */
static const char *const iterations[] = {"auto", "simplified", "newton", "chord", "krylov", NULL};
static const char *const engines[] = {"auto", "lanes", "petsc", NULL};
static const char *const norms[] = {"max", "one", "two", NULL};
static const char *const times[] = {"end", "mesh", "coarse", NULL};
static const char *const requests[] = {"auto", "never", "always", NULL};
static const char *const observed[] = {"auto", "every", NULL};
static const char *const precisions[] = {"double", "quad", NULL};
static const char *const references[] = {"exact", "self", NULL};
static const char *const spacings[] = {"linear", "log", NULL};
static const char *const parts[] = {"q", "p", "lambda", NULL};

/* clang-format off */
const cst_key cst_study_file_keys[] = {
    {"", "study", CST_KEYS_ALL, "word", NULL, "", "study: order",
     "The kind of study: order (errors against a reference, fitted orders), conservation (drift over long times, verdicts), ensemble (distributions at the end) or work-precision (costs at each accuracy)."},
    {"", "title", CST_KEYS_ALL, "text", "none", "", "title: Orders of compositions", "A line for tables and reports."},
    {"", "system", CST_KEYS_ALL, "name, or a map", NULL, "", "system: planar-pendulum", "The system: a name of the catalogue, or a map with `name` or `file`."},
    {"", "initial", CST_KEYS_ALL, "name, map, or a list of these", "the first state of the system", "", "initial: small",
     "Where trajectories start: a named state, numbers, an ensemble, a table of starts; a list of single starts is a sweep (docs/starts.md)."},
    {"", "end", CST_KEYS_ALL, NULL, NULL, "time", "end: \"10*2^(3/4)\"", "The length of the run. Every step must divide it to 1e-9.",
     .value = {CST_VALUE_NUMBERS, CST_AT(cst_study, steps.end), 0, CST_NO_LIMIT, .above = true, .of = "positive"}},
    {"", "steps", CST_KEYS_ALL, "list of numbers, or a map", NULL, "time", "steps: [0.1, 0.05]", "The steps h, each shorter than the one before. The map is {from:, halvings:} or {counts:}."},
    {"", "methods", CST_KEYS_ALL, "list of methods", NULL, "", "methods: [rattle, \"compose(rattle, suzuki4)\"]",
     "Method expressions (docs/methods.md); those with commas in quotes. A tableau {a:, b:, c:} may replace a name. Values of an argument in braces, omega={20, 40}, are a sweep."},
    {"", "reference", CST_KEYS_ALL, NULL, "none; required in order studies", "", "reference: self",
     "The solution against which errors are measured: the exact motion, the method itself at half the step, or a method at a small step (docs/errors.md).",
     .value = {CST_VALUE_CHOICE, .words = references, .rule = true, .also = "a map"}},
    {"", "error", CST_KEYS_ALL, "map", "{of: [q, p], norm: max, over: end}", "", "error: {norm: two, over: mesh}", "Which errors, in which norm, at which times."},
    {"", "observables", CST_KEYS_ALL, "list", "energy, momentum and constraint, where the system has them", "",
     "observables: [energy, \"height: y\", \"tension: lambda_rod\"]",
     "Quantities measured along the run: names of `constella list observables`, and \"NAME: expression\" of coordinates, velocities x', multipliers lambda_NAME, parameters, t and definitions of the system; a definition alone is named after itself."},
    {"", "observe", CST_KEYS_ALL, NULL, "auto", "", "observe: every",
     "How often extrema, window means and drift are updated: at every k-th step, k the largest odd number not above min(15, n/1024), or at every step.",
     .value = {CST_VALUE_CHOICE, CST_AT(cst_study, observe.every), .words = observed}},
    {"", "solver", CST_KEYS_ALL, "map", "{tolerance: 1e-14, max-iterations: 25}", "", "solver: {tolerance: 1.0e-12}", "How accurately implicit equations are solved."},
    {"", "roundoff", CST_KEYS_ALL, "map", "see its keys", "", "roundoff: {dyadic-steps: false}", "Steps with few significant bits; sums in twice the precision."},
    {"", "checkpoint", CST_KEYS_ALL, "map", "{seconds: 600}", "", "checkpoint: {seconds: 60}", "How often a run saves its state. Changes no result and is not part of the study's identity."},
    {"", "layers", CST_KEYS_ALL, "map of names to maps", "none", "", "layers: {mine: {a: [[0, 0], [1, 0]], b: [0.5, 0.5]}}", "One-step methods of your own: Runge-Kutta tableaus, or C files."},
    {"", "maps", CST_KEYS_ALL, "map of names to maps", "none", "", "maps: {mine: {left: q - v/4, right: q + 3*v/4}}", "Discretization maps of your own, for discretization(map=NAME)."},
    {"", "iotas", CST_KEYS_ALL, "map of names to maps", "none", "", "iotas: {upright: {fibre: [\"q[1]\", \"q[2]\", \"q[3] + theta[1]\"]}}", "Projections on the constraints along fibres of your own, for convert(LAYER, iota=NAME)."},
    {"", "retractions", CST_KEYS_ALL, "map of names to maps", "none", "", "retractions: {mine: {point: q + v + q*v^2/8}}", "Retractions of your own: of R^n, for discretization(retraction=NAME, theta=), and of rotations, for the methods lie-*(retraction=NAME)."},
    {"", "schemes", CST_KEYS_ALL, "map of names to lists of numbers", "none", "", "schemes: {mine: [1/(2-2^(1/3)), 1-2/(2-2^(1/3)), 1/(2-2^(1/3))]}",
     "Composition schemes of your own for compose(METHOD, NAME): their gammas, a palindrome with sum 1 (docs/compositions.md)."},
    {"", "ranks-per-trajectory", CST_KEYS_ALL, NULL, "1", "", "ranks-per-trajectory: 1",
     "Ranks that step one trajectory together: they share the sparse linear systems of `solver: {engine: petsc}` (docs/solver.md). The number of ranks of the run is a multiple of it.",
     .value = {CST_VALUE_INTEGER, CST_AT(cst_study, solver.team), 1, 1024}},
    {"", "timing", CST_KEYS_ALL, "map", "none", "", "timing: {repeats: 2}", "Measures the time of the steps alone, for one batch of every case, after the run (docs/result-file.md)."},
    {"", "extensible", CST_KEYS_ALL, NULL, "false", "", "extensible: true",
     "Stores for every trajectory what `constella extend` needs to continue it to a later end (docs/extending.md).",
     .value = {CST_VALUE_FLAG, CST_AT(cst_study, run.extensible)}},
    {"", "noise", CST_KEYS_ALL, "map", "a path for each step size", "", "noise: {resolution: 0.05}", "How the step sizes share the noise of thermostats (docs/thermostats.md)."},
    {0},
};

static const cst_key of_maps[] = {
    {"system", "name", CST_KEYS_ALL, "name", "none; required without `file`", "", "system: {name: planar-pendulum}", "A system of the catalogue, `constella list systems`.",
     .value = {CST_VALUE_TEXT, CST_AT(cst_keys_of_system, name), .of = "the name of a system"}},
    {"system", "file", CST_KEYS_ALL, "path", "none; required without `name`", "", "system: {file: own.yaml}", "A system file (docs/system-file.md), relative to the study file.",
     .value = {CST_VALUE_TEXT, CST_AT(cst_keys_of_system, file), .of = "the name of a system file"}},
    {"system", "sha256", CST_KEYS_ALL, "text", "not checked", "", NULL, "The checksum that `file` must have. Results store it in their copy of the study."},
    {"system", "parameters", CST_KEYS_ALL, "map of numbers, lists or ranges", "the defaults of the system", "as declared",
     "system: {name: planar-pendulum, parameters: {g: [1, 9.81]}}", "Values of parameters. A list or a range is a sweep: all combinations are run."},
    {"system", "compile", CST_KEYS_ALL, NULL, "auto", "", "system: {name: planar-pendulum, compile: auto}",
     "Whether what is not built in of a system is compiled: if that saves time (auto), never, or always, where failure is an error. The bits are the same.",
     .value = {CST_VALUE_CHOICE, CST_AT(cst_keys_of_system, compile), .words = requests}},
    {"range", "from", CST_KEYS_ALL, NULL, NULL, "of its values", "system: {name: planar-pendulum, parameters: {g: {from: 1, to: 2, count: 3}}}", "The first value.",
     .value = {CST_VALUE_NUMBER, CST_AT(cst_keys_of_range, from), .constant = true}},
    {"range", "to", CST_KEYS_ALL, NULL, NULL, "of its values", "system: {name: planar-pendulum, parameters: {g: {from: 1, to: 3, count: 3}}}", "The last value.",
     .value = {CST_VALUE_NUMBER, CST_AT(cst_keys_of_range, to), .constant = true}},
    {"range", "count", CST_KEYS_ALL, NULL, NULL, "", "system: {name: planar-pendulum, parameters: {g: {from: 1, to: 2, count: 5}}}", "Number of values, both ends included.",
     .value = {CST_VALUE_INTEGER, CST_AT(cst_keys_of_range, count), 1, 1000000, .constant = true, .of = "a whole number"}},
    {"range", "spacing", CST_KEYS_ALL, NULL, "linear", "", "system: {name: planar-pendulum, parameters: {g: {from: 1, to: 100, count: 3, spacing: log}}}",
     "Even differences, or even ratios.",
     .value = {CST_VALUE_CHOICE, CST_AT(cst_keys_of_range, log), .words = spacings}},

    {"initial", "q", CST_START_SINGLE, "list of numbers", NULL, "of the coordinates", "initial: {q: [0, \"-L\"], v: [1, 0]}", "Coordinates, in the system's order; quoted expressions of the parameters are allowed."},
    {"initial", "v", CST_START_SINGLE, "list of numbers", NULL, "of the velocities", "initial: {q: [0, \"-L\"], v: [0.5, 0]}", "Velocities."},
    {"initial", "members", CST_START_ENSEMBLE | CST_START_TABLE, NULL, "required in ensembles; else the number of starts", "", "initial: {members: 8, spread: {q: 0.1}}",
     "Number of trajectories per case.",
     .value = {CST_VALUE_INTEGER, CST_AT(cst_study, ensemble.members), 1, 1e12, .rule = true}},
    {"initial", "seed", CST_START_ENSEMBLE | CST_START_TABLE, NULL, "1", "", "initial: {members: 8, seed: 7, spread: {v: 0.1}}", "Seed of the random numbers.",
     .value = {CST_VALUE_SEED, CST_AT(cst_study, ensemble.seed)}},
    {"initial", "around", CST_START_ENSEMBLE | CST_START_TABLE | CST_START_SWEEP | CST_START_MOVED, "name, or {q:, v:}", "the first state of the system", "", "initial: {members: 8, around: small, spread: {v: 0.1}}",
     "The start around which members are drawn, or that gives the coordinates a table does not name."},
    {"initial", "spread", CST_START_ENSEMBLE | CST_START_TABLE, "map", "none", "", "initial: {members: 8, spread: {q: 0.1, v: 0.2}}",
     "Standard deviations of independent normal displacements; the result is projected onto the constraints."},
    {"initial", "project", CST_START_SINGLE | CST_START_TABLE | CST_START_SWEEP | CST_START_ENSEMBLE | CST_START_MOVED, NULL, "false", "", "initial: {q: [0.1, -1], v: [1, 0], project: true}",
     "Moves the start to the nearest point of the constraints; otherwise a start that violates them by more than 1e-10 of their scale is refused. With `around` alone it moves a named state; members of an ensemble are always projected.",
     .value = {CST_VALUE_FLAG, CST_AT(cst_study, starts.project), .also = "{keep:}"}},
    {"initial.project", "keep", CST_KEYS_ALL, "list of names", NULL, "", "initial: {q: [0.1, -1], v: [1, 0], project: {keep: [x]}}",
     "Coordinates x, velocities x', arrays and bodies (with an apostrophe their velocities) that the projection does not move."},
    {"initial", "relax", CST_START_SINGLE | CST_START_ENSEMBLE, "map", "none", "", "initial: {relax: {method: rattle, step: 0.01, end: 1}}",
     "Moves the start to a minimum of the energy first: steps from rest, and sets the velocities to zero whenever the kinetic energy falls."},
    {"initial", "bodies", CST_START_BODIES, "map of bodies", "none", "", "initial: {bodies: {top: {axis: [1, 0, 0], angle: 0.3, omega: [0, 0, 2]}}}",
     "Orientations and angular velocities of the system's rigid bodies (docs/bodies.md)."},
    {"initial", "list", 0, "list of starts", "none", "", "initial: {list: [default, small]}", "One member per start of the list."},
    {"initial", "grid", 0, "map of coordinates and velocities to values", "none", "of these", "initial: {grid: {\"x'\": {from: 0.5, to: 1, count: 3}}}",
     "One member per point of a grid; the last coordinate varies fastest."},
    {"initial", "sweep", CST_START_SWEEP, "map of coordinates and velocities to values", "none", "of these", "initial: {sweep: {\"x'\": [0.5, 1]}}",
     "Cases of their own for each point of a grid; each coordinate is an axis of tables and figures."},
    {"initial", "csv", CST_START_FILE, "path", "none", "", "initial: {csv: starts.csv}", "One member per row of a table; the first line names coordinates and velocities.",
     .value = {CST_VALUE_TEXT, CST_AT(cst_keys_of_starts, csv), .of = "the name of a file of starts"}},
    {"initial", "from", CST_START_FILE, "path", "none", "", "initial: {from: earlier.h5}", "One member per member of an earlier result, starting where that one ended.",
     .value = {CST_VALUE_TEXT, CST_AT(cst_keys_of_starts, from), .of = "the name of a result file"}},
    {"initial", "case", CST_START_FILE, NULL, "the only one", "", "initial: {from: earlier.h5, case: 0}", "Which case of the result in `from`.",
     .value = {CST_VALUE_INTEGER, CST_AT(cst_keys_of_starts, icase), 0, 1e7, .rule = true}},
    {"initial", "sha256", 0, "text", "not checked", "", NULL, "The checksum that the starts of `csv` or `from` must have. Results store it in their copy of the study."},
    {"initial.spread", "q", CST_KEYS_ALL, NULL, "0", "of the coordinates", "initial: {members: 8, spread: {q: {x: 0.1}}}",
     "Standard deviation of coordinates; for a body's rotation in radians about its axes.",
     .value = {CST_VALUE_NUMBER, CST_AT(cst_study, ensemble.spread_q), 0, CST_NO_LIMIT, .also = "a map of coordinates"}},
    {"initial.spread", "v", CST_KEYS_ALL, NULL, "0", "of the velocities", "initial: {members: 8, spread: {v: {x: 0.1}}}", "Standard deviation of velocities.",
     .value = {CST_VALUE_NUMBER, CST_AT(cst_study, ensemble.spread_v), 0, CST_NO_LIMIT, .also = "a map of coordinates"}},
    {"initial.relax", "method", CST_KEYS_ALL, "method", NULL, "", "initial: {relax: {method: rattle, step: 0.02, end: 1}}", "A method without noise."},
    {"initial.relax", "step", CST_KEYS_ALL, NULL, NULL, "time", "initial: {relax: {method: rattle, step: 0.05, end: 1}}", "The step of that method.",
     .value = {CST_VALUE_NUMBER, CST_AT(cst_study, starts.relax.step), 0, CST_NO_LIMIT, .above = true, .of = "a positive number"}},
    {"initial.relax", "end", CST_KEYS_ALL, NULL, NULL, "time", "initial: {relax: {method: rattle, step: 0.05, end: 2}}", "How long to relax; a whole number of steps.",
     .value = {CST_VALUE_NUMBER, CST_AT(cst_study, starts.relax.end), 0, CST_NO_LIMIT, .above = true, .of = "a positive number"}},

    {"steps", "from", CST_STEPS_HALVED, NULL, NULL, "time", "steps: {from: 0.1, halvings: 2}", "The largest step.",
     .value = {CST_VALUE_NUMBERS, CST_AT(cst_keys_of_steps, from)}},
    {"steps", "halvings", CST_STEPS_HALVED, NULL, NULL, "", "steps: {from: 0.1, halvings: 3}", "Number of halvings; gives halvings + 1 steps.",
     .value = {CST_VALUE_INTEGER, CST_AT(cst_keys_of_steps, halvings), 0, 60}},
    {"steps", "counts", CST_STEPS_HALVED | CST_STEPS_COUNTED, NULL, NULL, "", "steps: {counts: [20, 40]}", "Numbers of steps; h is end / count.",
     .value = {CST_VALUE_INTEGER, .low = 1, .high = CST_LONGEST_RUN, .list = true}},

    {"methods", "a", CST_KEYS_ALL, "list of lists of numbers", NULL, "", "methods: [{a: [[0, 0], [1, 0]], b: [0.5, 0.5]}]", "Coefficients of a Runge-Kutta tableau; expressions such as 1/3 are allowed."},
    {"methods", "b", CST_KEYS_ALL, "list of numbers", NULL, "", "methods: [{a: [[0, 0], [2/3, 0]], b: [1/4, 3/4]}]", "Weights of the tableau."},
    {"methods", "c", CST_KEYS_ALL, "list of numbers", "row sums of a", "", "methods: [{a: [[0, 0], [1, 0]], b: [0.5, 0.5], c: [0, 1]}]", "Nodes of the tableau."},

    {"reference", "method", CST_KEYS_ALL, "method", NULL, "", "reference: {method: \"gauss(4)\", step: 0.05}", "The method of the reference."},
    {"reference", "step", CST_KEYS_ALL, NULL, NULL, "time", "reference: {method: \"gauss(6)\", step: 0.05}", "Longest step of the reference: between two compared times it takes equal steps, none longer.",
     .value = {CST_VALUE_NUMBER, CST_AT(cst_study, reference.step), 0, CST_NO_LIMIT, .above = true, .of = "positive", .item = "the reference's step"}},
    {"reference", "precision", CST_KEYS_ALL, NULL, "double", "", "reference: {method: \"gauss(6)\", step: 0.1, precision: quad}", "quad: only for gauss(s), about 50 times slower, for errors below 1e-13.",
     .value = {CST_VALUE_CHOICE, CST_AT(cst_study, reference.quad), .words = precisions}},

    {"error", "of", CST_KEYS_ALL, NULL, "[q, p]", "", "error: {of: [q, p, lambda]}", "The parts that the column `error` combines. The separate errors of q, p and lambda are always computed.",
     .value = {CST_VALUE_CHOICE, .words = parts, .list = true}},
    {"error", "norm", CST_KEYS_ALL, NULL, "max", "", "error: {norm: one}", "The norm over components.",
     .value = {CST_VALUE_CHOICE, CST_AT(cst_study, error.norm), .words = norms}},
    {"error", "over", CST_KEYS_ALL, NULL, "end", "", "error: {over: coarse}", "When: at the end, the largest over all steps, or the largest over the mesh of the largest step.",
     .value = {CST_VALUE_CHOICE, CST_AT(cst_study, error.over), .words = times}},
    {"error", "hidden", CST_KEYS_ALL, NULL, "max", "", "error: {hidden: two}", "The norm of the hidden constraints |G v| over the constraints.",
     .value = {CST_VALUE_CHOICE, CST_AT(cst_study, error.hidden), .words = norms}},

    {"solver", "tolerance", CST_KEYS_ALL, NULL, "1e-14", "of the constraint's scale", "solver: {tolerance: [1.0e-8, 1.0e-14]}", "A list is a sweep.",
     .value = {CST_VALUE_NUMBER, .low = 0, .high = 0.01, .above = true, .also = "a list of them", .entries = 10000}},
    {"solver", "max-iterations", CST_KEYS_ALL, NULL, "25", "", "solver: {max-iterations: 50}", "Maximal iterations of Newton's method per substep. A step that needs more is repeated, at most twice, with four times as many and a more careful iteration; the trajectory fails if that does not converge either.",
     .value = {CST_VALUE_INTEGER, CST_AT(cst_study, solver.max_iterations), 1, 1000}},
    {"solver", "iteration", CST_KEYS_ALL, NULL, "auto", "", "solver: {iteration: newton}", "How conversions and hbvm solve their equations; changes the cost and the last digits.",
     .value = {CST_VALUE_CHOICE, CST_AT(cst_study, solver.iteration), .words = iterations}},
    {"solver", "engine", CST_KEYS_ALL, NULL, "auto", "", "solver: {engine: petsc}",
     "What solves the equations of implicit steps: lanes, many trajectories side by side, or petsc, PETSc's own solvers with all of their options, one trajectory after another (docs/solver.md).",
     .value = {CST_VALUE_CHOICE, CST_AT(cst_study, solver.engine), .words = engines}},
    {"roundoff", "dyadic-steps", CST_KEYS_ALL, NULL, "false in order studies, else true", "", "roundoff: {dyadic-steps: true}",
     "Rounds the step h to 20 bits, so that t = n h is exact; the run then ends at n h, which differs from `end` by up to 5e-7 of it.",
     .value = {CST_VALUE_FLAG, CST_AT(cst_study, steps.dyadic), .rule = true}},
    {"roundoff", "compensated", CST_KEYS_ALL, NULL, "false", "", "roundoff: {compensated: true}", "Sums q and p in twice the precision, in methods that only add to them.",
     .value = {CST_VALUE_FLAG, CST_AT(cst_study, steps.compensated)}},
    {"checkpoint", "seconds", CST_KEYS_ALL, NULL, "600", "seconds", "checkpoint: {seconds: 30}", "Time between checkpoints; --checkpoint-seconds overrides it.",
     .value = {CST_VALUE_NUMBER, CST_AT(cst_study, run.checkpoint_seconds), 0, CST_NO_LIMIT, .above = true, .of = "positive"}},
    {"timing", "repeats", CST_KEYS_ALL, NULL, NULL, "", "timing: {repeats: 5}", "Number of repeats; the smallest and the largest time are kept.",
     .value = {CST_VALUE_INTEGER, CST_AT(cst_study, run.timing_repeats), 1, 1000}},
    {"noise", "resolution", CST_KEYS_ALL, NULL, NULL, "time", "noise: {resolution: 0.025}", "A step H of which every step is a multiple; all steps then see the same path.",
     .value = {CST_VALUE_NUMBER, CST_AT(cst_study, steps.resolution), 0, CST_NO_LIMIT, .above = true, .of = "positive, and every step a multiple of it", .item = "the noise's resolution"}},

    {"maps.NAME", "left", CST_KEYS_ALL, "expression, or list of them", NULL, "", "maps: {mine: {left: q - v/4, right: q + 3*v/4}}", "The left end of the step from `q` along `v`: one expression for every coordinate, or a list of one for each, with the names `q[i]` and `v[i]`. It is q at v = 0."},
    {"maps.NAME", "right", CST_KEYS_ALL, "expression, or list of them", NULL, "", "maps: {mine: {left: q, right: q + v + v^2/2}}", "The right end, likewise. The derivative of right - left by v is 1 at v = 0."},
    {"maps.NAME", "define", CST_KEYS_ALL, "map of names to expressions", "none", "", "maps: {mine: {define: {s: \"v[1]^2 + v[2]^2\"}, left: [\"q[1]\", \"q[2]\"], right: [\"q[1] + v[1] + s\", \"q[2] + v[2]\"]}}", "Names for parts of these expressions."},
    {"iotas.NAME", "fibre", CST_KEYS_ALL, "expression, or list of them", "required", "", "iotas: {upright: {fibre: [\"q[1]\", \"q[2]\", \"q[3] + theta[1]\"]}}", "The point iota(q, theta) of the fibre through q: a list of one expression for each coordinate, with the names `q[i]` and, one for each constraint, `theta[k]`; or, for a single constraint, one for every coordinate, with the names `q` and `theta`. It is q at theta = 0, and its derivatives by theta lead away from the constraints there."},
    {"iotas.NAME", "define", CST_KEYS_ALL, "map of names to expressions", "none", "", "iotas: {mine: {define: {r: \"1 + theta/2\"}, fibre: q + q*theta*r}}", "Names for parts of these expressions."},
    {"retractions.NAME", "point", CST_KEYS_ALL, "expression, or list of them", "none; required without `tangent`", "", "retractions: {mine: {point: q + v + q*v^2/8}}", "The point R(q, v): one expression for every coordinate, or a list of one for each, with the names `q[i]` and `v[i]`. It is q at v = 0, and its derivative by v is 1 there. The discretization map is (R(q, -theta v), R(q, (1 - theta) v))."},
    {"retractions.NAME", "tangent", CST_KEYS_ALL, "expression, or list of three", "none; required without `point`", "", "retractions: {mine: {tangent: 1/2 + s/24}}", "Of rotations: tan(angle/2)/|x| of the turn about x, as an expression of `s`, the square of |x|. It is 1/2 at s = 0; 1/2 is the Cayley map. A list of three has the vector tan(angle/2) along the axis, which need not be along x, as expressions of `x[1]`, `x[2]`, `x[3]`: 0 at x = 0, where its derivative is 1/2."},
    {"retractions.NAME", "define", CST_KEYS_ALL, "map of names to expressions", "none", "", "retractions: {mine: {define: {r: \"1 + s/12\"}, tangent: r/2}}", "Names for parts of these expressions."},
    {"layers.NAME", "a", CST_LAYER_TABLEAU, "list of lists of numbers", NULL, "", "layers: {mine: {a: [[0, 0], [1, 0]], b: [1/2, 1/2]}}", "As in `methods`."},
    {"layers.NAME", "b", CST_LAYER_TABLEAU, "list of numbers", NULL, "", "layers: {mine: {a: [[0, 0], [1/2, 0]], b: [0, 1]}}", "As in `methods`."},
    {"layers.NAME", "c", CST_LAYER_TABLEAU, "list of numbers", "row sums of a", "", "layers: {mine: {a: [[0]], b: [1], c: [0]}}", "As in `methods`."},
    {"layers.NAME", "file", CST_LAYER_TABLEAU | CST_LAYER_FILE, "path", "none; required without a tableau", "", "layers: {mine: {file: mine.c}}", "A C file with the formulas of a step (docs/adding.md), relative to the study file."},
    {"layers.NAME", "sha256", CST_LAYER_FILE, "text", "not checked", "", NULL, "The checksum that `file` must have. Results store it in their copy of the study."},

    {0},
};
/* clang-format on */

enum {
  MOST_OF_COLLECTORS = 128,
  ROWS = (sizeof cst_study_file_keys + sizeof of_maps) / sizeof(cst_key)
};

typedef struct {
  cst_key row[ROWS + MOST_OF_COLLECTORS];
  int     n;
} table;

/* Adds the rows of a map, NULL: of all maps but the file itself. */
static void add(table *t, const cst_key *k, const char *in) {
  for (; k && k->key; k++) {
    if (in ? strcmp(k->in, in) : !*k->in)
      continue;
    if (t->n == ROWS + MOST_OF_COLLECTORS - 1)
      cst_need_fail();
    t->row[t->n++] = *k;
  }
}

const cst_key *cst_study_keys(void) {
  static table all;
  if (all.n)
    return all.row;
  add(&all, cst_study_file_keys, "");
  for (int c = 0; c < cst_collector_count; c++)
    add(&all, cst_collectors[c]->keys.table, "");
  add(&all, of_maps, NULL);
  for (int c = 0; c < cst_collector_count; c++)
    add(&all, cst_collectors[c]->keys.table, NULL);
  return all.row;
}

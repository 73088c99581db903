#!/usr/bin/python3
"""test_engines.py: `solver: {engine: petsc}`: results agree with the lanes, PETSc's options mean what they say,
Jacobians are those of the residuals, and results, checkpoints and `verify` know the engine."""
# SPDX-License-Identifier: BSD-2-Clause
import re

import h5py
import numpy

from cli import constella, done, limited, made, note, ok, path, run, solve_by_petsc, survives, together, write
from engines import final, net, study

CORRECTED = 'rattle, midpoint, "compose(rattle, yoshida4)"'


def agree():
    methods = CORRECTED + ', euler-a, "gauss(2)", "hbvm(k=4, s=2)", "radau(3)", "project(rk4)", rk4'
    for system in ("double-pendulum", "four-bar", "spherical-pendulum"):
        results = [made(f"{engine}-{system}", study(engine, system, methods)) for engine in ("lanes", "petsc")]
        if None in results:
            continue
        states = [final(f) for f in results]
        apart = abs(states[0] - states[1]).max()
        ok(0 < apart < 1e-11, f"{system}: petsc agrees with the lanes, and is not them", apart)
        ok(
            [f.attrs["engine"] for f in results] == ["lanes", "petsc"]
            and results[1].attrs["petsc_options"] == ""
            and "blas" in results[1]["/run"].attrs
            and "blas" not in results[0]["/run"].attrs,
            f"{system}: results name the engine",
            *[dict(f.attrs) for f in results],
        )


UNITS = """study: conservation
system: {name: planar-pendulum, parameters: {g: RATE, L: LENGTH}}
initial: {q: [0.6*LENGTH, -0.8*LENGTH], v: [0, 0]}
end: END
steps: {counts: [50]}
methods: [METHODS]
solver: {engine: ENGINE}
roundoff: {dyadic-steps: false}
"""
WELL = """system: well
coordinates: [x]
parameters: {k: 1, l: 1}
mass: [1]
potential: k*(x^2/2 + x^4/(4*l^2))
states: {default: {q: [0.7*l], v: [0]}}
"""
TIED = '"gauss(1)", "gauss(2)", radau(2), bdf(2), "generalized-alpha(rho=0.8)", symmetric-project(gauss(2)), midpoint'
FREE = '"gauss(1)", "gauss(2)", radau(2), bdf(2), "generalized-alpha(rho=0.8)", newmark, "hbvm(k=4, s=2)", convert(gauss(2))'


def units():
    """Lengths and times of other units: what a difference step, or an unknown that is 0 at first, must not depend on."""
    file = write("well.system.yaml", WELL)
    for length, rate in ((1, 1), (1, 1e16), (1e-9, 1e10), (1e6, 1e-8)):
        time = (length / rate) ** 0.5
        text = UNITS.replace("0.6*LENGTH", repr(0.6 * length)).replace("0.8*LENGTH", repr(0.8 * length))
        text = text.replace("RATE", repr(float(rate))).replace("LENGTH", repr(float(length))).replace("END", repr(time))
        well = re.sub("initial: .*\n", "", text)
        well = re.sub("system: .*", f"system: {{file: {file}, parameters: {{k: {rate / length!r}, l: {float(length)!r}}}}}", well)
        for name, study_text, methods in (("pendulum", text, TIED), ("well", well, FREE)):
            results = [
                made(f"units-{engine}", study_text.replace("METHODS", methods).replace("ENGINE", engine), "--overwrite")
                for engine in ("lanes", "petsc")
            ]
            if None in results:
                continue
            one, other = (f["/final/q"][()] for f in results)
            apart = abs(one - other).max() / length
            moved = abs(one).max() / length
            ok(apart < 1e-11 < moved, f"{name}, length {length:g}, rate {rate:g}: petsc agrees with the lanes", apart)


def same_bits():
    whole = made("whole", study("petsc"))
    ranks = made("ranks", study("petsc"), "--batch", "1", ranks=2)
    if whole and ranks:
        ok((final(whole) == final(ranks)).all(), "petsc: the same bits on two ranks and in other batches")
    again = constella("verify", path("whole.h5"))
    ok(
        again.returncode == 0 and "3 trajectories, all with the same bits" in again.stdout,
        "verify computes with the same engine",
        again.stdout,
        again.stderr,
    )


def jacobians():
    worst, seen = 0, 0
    for system in ("double-pendulum", "four-bar", "pivoted-top", "two-tops", "kepler"):
        process, _ = run(f"jacobian-{system}", study("petsc", system, CORRECTED), "-snes_test_jacobian")
        ratios = [float(x) for x in re.findall(r"\|\|J - Jfd\|\|_F/\|\|J\|\|_F = (\S+),", process.stdout)]
        ok(
            process.returncode == 0 and (ratios or system == "kepler") and max(ratios, default=0) < 1e-6,
            f"{system}: -snes_test_jacobian finds the Jacobians of {CORRECTED} right",
            process.stderr,
            max(ratios, default=0),
            len(ratios),
        )
        worst, seen = max([worst, *ratios]), seen + len(ratios)
    note(f"{seen} Jacobians, the worst off by {worst:.3g}")


def column(name, *columns):
    """Columns of a result's table, one list each."""
    table = constella("table", path(f"{name}.h5"), "--format", "csv", "--columns", ",".join(columns)).stdout
    rows = [line.split(",") for line in table.splitlines()[1:]]
    return [[float(row[k]) for row in rows] for k in range(len(columns))]


def threads(q, rows, columns):
    """G of a net of beads at q: by threads, those that hold its first row, down and along (jobs/benchmarks)."""
    x, G = q.reshape(3, rows, columns), []
    held = numpy.array([0.6 * numpy.arange(columns), 0.8 * (numpy.arange(1, columns + 1) % 2), numpy.zeros(columns)])
    for i in range(rows):
        for j in range(columns):
            up = x[:, i - 1, j] if i else held[:, j]
            for other, at in ((up, (i - 1, j)), *([(x[:, i, j - 1], (i, j - 1))] if j else [])):
                row = numpy.zeros(x.shape)
                row[:, i, j] = x[:, i, j] - other
                if at[0] >= 0:
                    row[(slice(None), *at)] = other - x[:, i, j]
                G.append(row.ravel())
    return numpy.array(G)


def apart_of(one, other, rows, columns):
    """The largest difference of final states; of momenta of shake (the second method), which has no projection, without
    what impulses change, whose round-off grows with the condition of their matrix."""
    apart = one[:, 0] - other[:, 0]
    if len(apart) > 1:
        q, p = numpy.split(one[1, 0], 2)[0], apart[1, len(apart[1]) // 2 :]
        G = threads(q, rows, columns)
        p -= G.T @ numpy.linalg.lstsq(G.T, p, rcond=None)[0]
    return abs(apart).max()


def nets():
    """3 x 4 beads are a full matrix, 4 x 4 a band of the lanes, 34 x 34 sparse for both engines, and interpreted: their
    code would take longer to write than their steps."""
    for rows, columns, words in ((3, 4, "21 unknowns"), (4, 4, "28 unknowns with"), (34, 34, "2278 unknowns with")):
        if rows == 34:
            study_of = lambda engine: net(engine, rows, columns).replace(", shake, \"compose(rattle, yoshida4)\"", "").replace("end: 0.3", "end: 0.02").replace("name: net", "name: net, compile: never")
        else:
            study_of = lambda engine: net(engine, rows, columns)
        names = [f"net-{engine}-{rows}" for engine in ("lanes", "petsc")]
        results = [made(name, study_of(name.split("-")[1])) for name in names]
        if None in results:
            continue
        states = [final(f) for f in results]
        apart = apart_of(*states, rows, columns)
        ok(0 < apart < 1e-12, f"net of {rows} x {columns}: petsc agrees with the lanes, and is not them", apart)
        errors = [column(name, "energy_max", "constraint_scaled_max", "hidden_scaled_max") for name in names]
        ok(
            numpy.allclose(errors[0][0], errors[1][0], rtol=1e-6) and max(errors[1][1] + errors[1][2][:1]) < 1e-13,
            f"net of {rows} x {columns}: energy and constraints are those of the lanes",
            *errors,
        )
        plan = constella("check", write("net.yaml", study_of("petsc"))).stdout
        ok(words in plan, f"net of {rows} x {columns}: check tells the matrix", plan)
    process, _ = run("net-jacobian", net("petsc", 4, 4).replace("end: 0.3", "end: 0.04"), "-snes_test_jacobian")
    ratios = [float(x) for x in re.findall(r"\|\|J - Jfd\|\|_F/\|\|J\|\|_F = (\S+),", process.stdout)]
    ok(ratios and max(ratios) < 1e-6, "net: -snes_test_jacobian finds the sparse Jacobian right", max(ratios, default=0))
    for words in (("-ksp_type", "gmres", "-pc_type", "ilu"), ("-snes_lag_preconditioner", "1"), ("-pc_type", "cholesky")):
        process, result = run("net-" + words[-1], net("petsc", 4, 4), *words)
        with h5py.File(result) as f, h5py.File(path("net-lanes-4.h5")) as g:
            apart = apart_of(final(f), final(g), 4, 4)
        ok(process.returncode == 0 and apart < 1e-12, f"net: the same motion with {' '.join(words)}", apart)
    cholmod = "-pc_type", "cholesky", "-pc_factor_mat_solver_type", "cholmod", "-mat_cholmod_supernodal_switch", "0"
    process, _ = run("net-supernodal", net("petsc", 4, 4).replace(", shake, \"compose(rattle, yoshida4)\"", ""), *cholmod)
    ok(process.returncode == 0, "net: the matrix is positive definite, as supernodal factors need", process.stderr)


SADDLES = """study: conservation
system: {name: net, parameters: {n: ROWS, m: ROWS, w: 0.2}}
end: END
steps: [0.02]
methods: [METHODS]
solver: {engine: ENGINE}
"""
PENALTIES = '"penalty(newmark, omega=20)", "penalty(pushforward-newmark(beta=0.25), omega=20)", "penalty(gauss(2), omega=20)"'


def saddles():
    """Sparse matrices of all unknowns, by differences of residuals in many columns at once."""
    methods = f'midpoint, "compose(midpoint, yoshida4)", "project(rk3)", staged, {PENALTIES}, "penalty(midpoint, omega=20)"'
    text = SADDLES.replace("METHODS", methods).replace("ROWS", "4").replace("END", "0.3")
    results = [made(f"saddle-{engine}", text.replace("ENGINE", engine)) for engine in ("lanes", "petsc")]
    if None in results:
        return
    states = [final(f) for f in results]
    apart = abs(states[0] - states[1]).reshape(8, 2, -1).max(axis=2)
    apart[3, 1] = apart_of(states[0][[0, 3]], states[1][[0, 3]], 4, 4)  # staged does not project momenta
    ok((apart < 4e-12).all() and (apart[:, 0] > 0).all(), "a net by other methods: petsc agrees with the lanes, and is not them", apart)
    iterations = [f["/final/iterations"][()][[0, 4, 5, 6]] for f in results]
    ok((iterations[1] < 3 * iterations[0]).all(), "corrections shrink well with a matrix a step", *iterations)
    plan = constella("check", write("saddle.yaml", text.replace("ENGINE", "petsc"))).stdout
    ok("sparse Jacobians of up to 76 unknowns, from differences of residuals" in plan, "check tells the matrix", plan)
    short = text.replace("0.3", "0.04").replace("ENGINE", "petsc")
    # accelerations change a net by h^2 of what they change by, and PETSc's differences are better with larger changes
    for some, by in (('midpoint, "project(rk3)", staged', "1e-8"), (PENALTIES, "1e-5")):
        process, _ = run("saddle-jacobian", short.replace(methods, some), "-snes_test_jacobian", "-snes_test_err", by)
        ratios = [float(x) for x in re.findall(r"\|\|J - Jfd\|\|_F/\|\|J\|\|_F = (\S+),", process.stdout)]
        ok(ratios and max(ratios) < 1e-6, f"-snes_test_jacobian finds those of {some} right", max(ratios, default=0), len(ratios))
    for words in (("-ksp_type", "gmres", "-pc_type", "ilu"), ("-snes_lag_jacobian", "1"), ("-pc_factor_mat_solver_type", "mumps")):
        process, result = run("saddle-" + words[-1], short, *words)
        with h5py.File(result) as f, h5py.File(run("saddle-short", short.replace("petsc", "lanes"))[1]) as g:
            apart = abs(final(f) - final(g))[:, :, : final(f).shape[2] // 2].max()
        ok(process.returncode == 0 and apart < 1e-11, f"other methods of a net: the same motion with {' '.join(words)}", apart)


IMPLICIT = '"gauss(2)", "gauss(3)", "radau(3, form=index-1)", "project(gauss(2))", "baumgarte(gauss(2), alpha=5, beta=5)"'


def stages():
    """Implicit tableaus on constraints: the multipliers of their stages are among the unknowns of the sparse matrix."""
    text = SADDLES.replace("METHODS", IMPLICIT).replace("ROWS", "4").replace("END", "0.3")
    results = [made(f"stages-{engine}", text.replace("ENGINE", engine)) for engine in ("lanes", "petsc")]
    if None in results:
        return
    apart = abs(final(results[0]) - final(results[1])).max(axis=(1, 2))
    ok((apart < 1e-13).all() and (apart > 0).all(), "a net by implicit tableaus: petsc agrees with the lanes, and is not them", apart)
    iterations = [f["/final/iterations"][()] for f in results]
    ok((iterations[1] < iterations[0]).all(), "Newton's method takes fewer corrections than the iteration of the lanes", *iterations)
    short = text.replace("0.3", "0.04").replace("ENGINE", "petsc")
    plan = constella("check", write("stages.yaml", short)).stdout
    ok("sparse Jacobians of up to 228 unknowns, from differences of residuals" in plan, "check tells the matrix", plan)
    process, _ = run("stages-jacobian", short, "-snes_test_jacobian")
    ratios = [float(x) for x in re.findall(r"\|\|J - Jfd\|\|_F/\|\|J\|\|_F = (\S+),", process.stdout)]
    ok(len(ratios) > 9 and max(ratios) < 1e-6, f"-snes_test_jacobian finds those of {IMPLICIT} right", max(ratios, default=0), len(ratios))
    some = short.replace(IMPLICIT, '"gauss(2)"')
    for words in (("-ksp_type", "gmres", "-pc_type", "ilu"), ("-snes_lag_jacobian", "1"), ("-pc_factor_mat_solver_type", "mumps")):
        process, result = run("stages-" + words[-1], some, *words)
        with h5py.File(result) as f, h5py.File(run("stages-short", some.replace("petsc", "lanes"))[1]) as g:
            apart = abs(final(f) - final(g)).max()
        ok(process.returncode == 0 and apart < 1e-12, f"gauss(2) on a net: the same motion with {' '.join(words)}", apart)
    orders()


def orders():
    """On a larger net, by steps of three lengths, methods have their orders, and agree."""
    text = SADDLES.replace("METHODS", '"gauss(2)", "radau(2, form=index-1)"').replace("ROWS", "8").replace("ENGINE", "petsc")
    result = made("stages-orders", text.replace("END", "0.25").replace("[0.02]", "[0.125, 0.0625, 0.03125]"))
    if result is None:
        return
    q = result["/final/q"][()].reshape(2, 3, -1)
    step = abs(numpy.diff(q, axis=1)).max(axis=2)
    slopes = numpy.log2(step[:, 0] / step[:, 1])
    ok(abs(slopes[0] - 4) < 0.5 and abs(slopes[1] - 3) < 0.5, "a net of 8 x 8: gauss(2) has order 4, radau(2) order 3", slopes, step)
    apart = abs(q[0, 2] - q[1, 2]).max()
    ok(apart < 2 * step[1, 1], "both tend to one motion", apart, step)


def rests():
    """Iterations that wander at the round-off of their equations are at rest, for petsc as for the lanes."""
    text = study("ENGINE", "underwater-vehicle", '"penalty(gauss(2), omega=20)"').replace("0.02", "0.01").replace("end: 0.5", "end: 0.1")
    results = [made(f"rests-{engine}", text.replace("ENGINE", engine)) for engine in ("lanes", "petsc")]
    if None in results:
        return
    apart = abs(final(results[0]) - final(results[1])).max() / abs(final(results[0])).max()
    ok(0 < apart < 1e-11, "petsc ends no trajectory at round-off, and agrees with the lanes", apart)


def options():
    short = study("petsc").replace("end: 0.5", "end: 0.04")
    process, result = run("gmres", short, "-ksp_type", "gmres", "-pc_type", "jacobi", "-ksp_monitor", "-snes_monitor")
    ok(
        process.returncode == 0 and "KSP Residual norm" in process.stdout and "SNES Function norm" in process.stdout,
        "monitors of SNES and KSP monitor",
        process.stderr,
    )
    with h5py.File(result) as f:
        ok(f.attrs["petsc_options"] == "-ksp_type gmres -pc_type jacobi", "options that change numbers are stored")
    again = constella("verify", result)
    ok(again.returncode == 0 and "all with the same bits" in again.stdout, "verify takes them", again.stdout, again.stderr)
    with h5py.File(result, "r+") as f:
        f.attrs["petsc_options"] = "-snes_view ascii:stolen"
    again = constella("verify", result)
    ok(
        again.returncode == 2 and "plain words" in again.stderr,
        "verify takes no other options from a file",
        again.stderr,
    )
    process, result = run("few", short, "-snes_max_it", "1", "-snes_rtol", "1e-30")
    with h5py.File(result) as f:
        ok(process.returncode == 1 and (f["/final/status"][()] == 1).all(), "-snes_max_it 1: no step converges")
    process, result = run("loose", study("petsc"), "-snes_rtol", "1e-3")
    with h5py.File(result) as f, h5py.File(run("tight", study("petsc"))[1]) as g:
        apart = abs(final(f) - final(g)).max()
        ok(process.returncode == 0 and 1e-11 < apart < 1e-2, "-snes_rtol 1e-3 ends the iteration earlier", apart)
    newton = final(made("newton", short))
    for kind in ("newtontr", "ngmres", "anderson"):
        process, result = run(kind, short, "-snes_type", kind)
        with h5py.File(result) as f:
            apart = abs(final(f) - newton).max()
        ok(process.returncode == 0 and apart < 1e-11, f"-snes_type {kind}: the same motion", process.stderr, apart)
    for words, found in (
        (("-ksp_typ", "gmres"), "unknown PETSc option '-ksp_typ'"),
        (("-snes_type", "lanes"), "allowed: newtonls, newtontr"),
        (("-snes_type", "nonsense"), "-snes_type: unknown type; allowed: newtonls, newtontr"),
    ):
        process, _ = run("wrong", short, *words)
        ok(process.returncode == 2 and found in process.stderr, f"{' '.join(words)} is refused", process.stderr)
    process, _ = run("lanes", study("lanes"), "-ksp_type", "gmres")
    ok(process.returncode == 2 and "engine: petsc" in process.stderr, "lanes: where -ksp_type works", process.stderr)


def refusals():
    for methods, system, found in (
        ('"convert(rk4)"', "double-pendulum", "its elimination satisfies equations that its residual lacks"),
        ('"project(rk4)"', "disk-on-circle", "its elimination satisfies equations that its residual lacks"),
        ('"generalized-alpha(rho=0.8)"', "{name: pendulum-chain, parameters: {n: 101}}", "303 unknowns on pendulum-chain"),
    ):
        process = constella("check", write("refused.yaml", study("petsc", system, methods)))
        ok(process.returncode == 2 and found in process.stderr, f"{methods} on {system} is refused", process.stderr)
    process = constella("check", write("wrong.yaml", study("pets")))
    ok(process.returncode == 2 and "petsc" in process.stderr, "another engine is refused", process.stderr)
    process = constella("check", write("both.yaml", study("petsc", methods='rattle, rk4, "gauss(2)"')))
    ok(
        re.search(r"engine +rattle: petsc: .*corrections", process.stdout)
        and re.search(r"rk4: lanes: it solves no equations", process.stdout)
        and re.search(r"gauss\(2\): petsc: .*differences", process.stdout),
        "check: which engine, and why",
        process.stdout,
    )
    process = constella("check", write("auto.yaml", study("auto")))
    ok(re.search(r"engine +rattle: lanes: about [0-9.]+ multiplications", process.stdout), "check: the choice", process.stdout)


def without_effect():
    """A multiplier that changes no equation fails by its name; written with another factor the constraint holds."""
    system = "system: slight\ncoordinates: [x, y]\nmass: [1, 1]\npotential: y^2/2 + x\nconstraints: {{wall: {0}*x}}\nstates: {{default: {{q: [0, 1], v: [0, 1]}}}}\n"
    text = "study: conservation\nsystem: {{file: slight{0}.yaml}}\nend: 0.2\nsteps: [0.05]\nmethods: [\"gauss(2)\", radau(2), \"generalized-alpha(rho=0.8)\"]\nsolver: {{engine: petsc}}\n"
    for factor, status in ((1e-200, 12), (1e-8, 0)):
        write(f"slight{factor}.yaml", system.format(factor))
        process, result = run(f"slight-{factor}", text.format(factor), "--progress", "none")
        with h5py.File(result) as f:
            found = f["final/status"][:].ravel()
        ok((found == status).all(), f"a constraint {factor}*x ends with status {status}", found, process.stderr)
    told = constella("status", path("slight-1e-200.h5")).stdout
    ok("no-effect" in told and "multiply that constraint" in told, "and what helps is told", told)


def resumed():
    text = study("petsc").replace("end: 0.5", "end: 40").replace("[0.02]", "[0.002]")
    process, result = run("resumed", text, "--max-hours", "0.00005", "-pc_type", "lu")
    if not ok(process.returncode == 75, "a run by petsc stops with a checkpoint", process.stderr, process.stdout):
        return
    words = ("run", path("resumed.yaml"), "-o", result, "--resume", "--progress", "none")
    process = constella(*words, "-pc_type", "lu", "-ksp_type", "gmres")
    ok(
        process.returncode == 2 and "PETSc options: -pc_type lu" in process.stderr,
        "--resume with other options is refused",
        process.stderr,
    )
    with open(path("resumed.yaml"), "w") as f:
        f.write(text.replace("petsc", "lanes"))
    process = constella(*words)
    ok(process.returncode == 2, "--resume with another engine is refused", process.stderr)
    with open(path("resumed.yaml"), "w") as f:
        f.write(text)
    process = constella(*words, "-pc_type", "lu")
    at_once = made("at-once", text)
    with h5py.File(result) as f:
        ok(
            process.returncode == 0 and at_once and (final(f) == final(at_once)).all(),
            "--resume with its own goes on to the same bits",
            process.stderr,
        )


STAR = """system: star
coordinates: [X, Y, "x[n]", "y[n]"]
parameters: {n: {size: 2010}}
mass: [1, 1, 1, 1]
potential: Y + sum(k, 1, n, y[k])
constraints: {rod: {for: "k = 1..n", expression: "(x[k] - X)^2 + (y[k] - Y)^2 - 1"}}
states: {default: {q: [0, 0, cos(i), sin(i)], v: [0, 0, -sin(i), cos(i)]}}
"""


def large_factors():
    """Factors that are too large for lanes are left to PETSc, and no step is made to tell what steps take."""
    write("star-system.yaml", STAR)
    text = re.sub("initial: .*\n", "", study("auto", "{file: star-system.yaml, compile: never}"))
    process = limited("check", write("star.yaml", text), seconds=20)
    ok(
        process.returncode == 0
        and "petsc: the sparse factors of 2010 constraints are too large for lanes" in process.stdout,
        "a hub of 2010 rods is left to petsc, and check says why",
        process.returncode,
        process.stderr,
        process.stdout,
    )
    ok(
        "evaluations    unknown: a step takes too long to be tried" in process.stdout
        and re.search(r"cost +about [1-9][\d.e+]* s .* as multiplications count", process.stdout),
        "what it takes is counted",
        process.stdout,
    )


def resumed_net():
    """The factors that a step takes over from the one before are made again where a run goes on."""
    text = net("petsc", 4, 4).replace("end: 0.3", "end: 20").replace("rattle, shake, ", "")
    process, result = run("resumed-net", text, "--max-hours", "0.00005")
    if not ok(process.returncode == 75, "a run of a net by petsc stops with a checkpoint", process.stderr, process.stdout):
        return
    process = constella("run", path("resumed-net.yaml"), "-o", result, "--resume", "--progress", "none")
    at_once = made("net-at-once", text)
    with h5py.File(result) as f:
        ok(
            process.returncode == 0 and at_once and (final(f) == final(at_once)).all(),
            "it goes on to the same bits",
            process.stderr,
        )


def killed_nets():
    """Runs that are killed go on to the same bits: by factors of PETSc's, and by sparse ones of the lanes."""
    always = "checkpoint: {seconds: 0.05}\n"
    methods = '[rattle, midpoint, "gauss(2)"]'
    survives("killed-petsc", net("petsc", 4, 4).replace("end: 0.3", "end: 5").replace('[rattle, shake, "compose(rattle, yoshida4)"]', methods) + always)
    survives("killed-lanes", net("lanes", 34, 34).replace(', shake, "compose(rattle, yoshida4)"', "").replace("w: 0.2", "w: 0.02").replace("name: net", "name: net, compile: never") + always)


solve_by_petsc()
together([agree, units, same_bits, jacobians, nets, large_factors, saddles, stages, rests, options, refusals, without_effect, resumed, resumed_net, killed_nets])
done()

"""test_solve.py: what goes wrong within a solve, under each of PETSc's solvers that may be chosen: numbers
that are not finite, iterations that come to nothing, signals; the words and the exit statuses that
docs/surviving.md promises.
"""
# SPDX-License-Identifier: BSD-2-Clause
import signal
import subprocess

import h5py

from survive import finish, same, start

from cli import ENVIRONMENT, PROGRAM, constella, digests, done, ok, path, run, together, write
from held import Gate, ticking

SOLVERS = ("lanes", "newtonls", "nrichardson")
BAD = """study: conservation
end: 4.0
steps: [0.5]
"""
FAST = """system: planar-pendulum
initial: {q: [0, -1], v: [%s, 0]}
methods: [rattle, midpoint]
"""
UNSTABLE = """system: henon-heiles
initial: {q: [0.1, 0.2], v: [1.0e+40, 3.0e+40]}
methods: [rattle, rk4]
"""
CURVED = """system: spherical-pendulum
initial: {q: [0.6, 0, -0.8], v: [0, 40, 0]}
methods: [convert(rk4), "convert(heun, bias=-0.5)"]
"""
LONG = """study: conservation
system: {name: pendulum-chain, parameters: {n: 100}}
initial: {members: 64, seed: 7, spread: {v: 0.05}}
end: 8.0
steps: [0.01]
methods: [rattle, midpoint]
"""


def bad(label, start, iterations, solver, reason, words):
    def test():
        name = f"{label}, {words} under {solver}"
        text = BAD + start + f"solver: {{max-iterations: {iterations}}}\n"
        process, result = run(f"{solver}-{label}", text, "-snes_type", solver)
        ok(process.returncode == 1, f"{name}: exit status 1", process.returncode, process.stderr)
        ok(
            f"2 of 2 trajectories failed ({words}: 2)" in process.stderr,
            f"{name}: it says so",
            process.stderr,
        )
        ok("PETSC ERROR" not in process.stderr, f"{name}: not in PETSc's words", process.stderr)
        with h5py.File(result) as f:
            ok((f["final/status"][()] == reason).all(), f"{name}: recorded", f["final/status"][()])

    return test


def struck(study, first, which, solver):
    def test():
        name = f"{which.name} under {solver}"
        result = path(f"{which.name}-{solver}.h5")
        gate = Gate("clock:40", result)
        process = subprocess.Popen(
            [PROGRAM, "run", study, "-o", result, "--progress", "none", "-snes_type", solver],
            env={**ENVIRONMENT, **ticking(), **gate.env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )
        ok(gate.reached(process), f"{name}: the run is at work")
        ok("running" in constella("status", result).stdout, f"{name}: and says so")
        process.send_signal(which)
        gate.heard(process)
        gate.open()
        status, out, err = finish(process)
        ok(status == 75 and "--resume" in out + err, f"{name}: stopped with a checkpoint", status, out, err)
        status, out, err = finish(start(study, result, 2))
        ok(status == 0, f"{name}: resumed, it ends with 0", status, out, err)
        same(name, first, result)

    return test


together(
    [
        *(bad("huge", FAST % "1.0e+200", 25, solver, 4, "step-too-large") for solver in SOLVERS),
        *(bad("fast", FAST % "40", 1, solver, 4, "step-too-large") for solver in SOLVERS),
        *(bad("unstable", UNSTABLE, 25, solver, 2, "not finite") for solver in SOLVERS),
        *(bad("curved", CURVED, 1, solver, 1, "solver did not converge") for solver in SOLVERS),
    ]
)
process, result = run("whole", LONG)
ok(process.returncode == 0, "undisturbed, it ends with 0", process.stderr)
study, first = write("whole.yaml", LONG), digests(result)
together(
    [
        struck(study, first, which, solver)
        for solver, which in (
            ("lanes", signal.SIGTERM),
            ("lanes", signal.SIGINT),
            ("lanes", signal.SIGUSR1),
            ("lanes", signal.SIGUSR2),
            ("newtonls", signal.SIGTERM),
        )
    ]
)
done()

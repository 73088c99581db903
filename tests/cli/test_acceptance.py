#!/usr/bin/env python3
"""test_acceptance.py: each line of the table of docs/errors.md that says when an iteration ends, by itself: where the
solution vanishes its methods converge; where a force or a constraint jumps by 100 times its bound or more, so that no
solution exists, none of them does. The lines are read from the page: one without a case fails. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import h5py

from cli import done, ok, run, write

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/errors.md")
HEAD = "| Methods | An iteration ends when |"
# A mass that hangs on a spring rests at 0, where terms of 9.81 cancel. Something jumps by J, of 1e-12, at its start a: as
# 100 a is below J, no position near a balances the forces.
HANGING = """system: %s
coordinates: [x%s]
parameters: {J: 0, a: 1e-10}
mass: [%s]
potential: 50*(x - 0.0981)^2 + 9.81*x%s
%s
states: {default: {q: [a%s], v: [0%s]}}
"""
CORNER = " + J*abs(x - a)"
# A pendulum near its equilibrium. Numbers near 1 are 1e-16 apart, so that the constraint has the values -J and J only.
JUMP = "J*(2*smoothstep((%s - 1e-17)/1e-20 + 1/2) - 1)"
SWING = """system: %s
coordinates: [x, y]
parameters: {J: 0, a: 1e-10}
mass: [%s, 1]
potential: y
constraints: {rod: x^2 + y^2 - 1 + %s}
states: {default: {q: ["sin(a)", "-cos(a)"], v: [0, 0]}}
"""
BODY = """system: body
parameters: {J: 0, a: 1e-10}
bodies: {one: {rotation: R, centre: [x, y, z], mass: 1, inertia: [0.02, 0.03, 0.04]}}
potential: z
constraints: {px: x + R13/2, py: y + R23/2, pz: x^2 + y^2 + z^2 - 1/4 + %s}
states: {default: {bodies: {one: {centre: [0, 0, -0.5], velocity: [0, a/2, 0], omega: [a, 0, 0]}}}}
"""
SYSTEMS = {
    "hanging": HANGING % ("hanging", "", "1", CORNER, "", "", ""),
    "railed": HANGING % ("railed", ", y", "1, 1", CORNER, "constraints: {rail: y}", ", 0", ", 0"),
    "rubbing": HANGING % ("rubbing", "", "1 + x^2", "", "forces: {rub: [\"-J*sign(x')\"]}", "", ""),
    "braked": HANGING % ("braked", "", "1", "", "forces: {brake: [\"-2*x' - J*sign(x')\"]}", "", ""),
    "turning": HANGING.replace("50*", "J*abs(x - 0.05) + 50*") % ("turning", "", "1", "", "", "", ""),
    "swing": SWING % ("swing", "1", JUMP % "x^2 + y^2 - 1"),
    "heavier": SWING % ("heavier", "1 + x^2", JUMP % "x^2 + y^2 - 1"),
    "body": BODY % (JUMP % "x^2 + y^2 + z^2 - 1/4"),
}
SMALL = {"J": [0, 1e-12], "a": [1e-10, 5e-15], "end": 2}
DYING = {"J": [0, 1e-12], "a": [0.1], "end": 60}  # comes to rest
PETSC = {**SMALL, "end": 0.5, "more": "solver: {engine: petsc}\n"}
IMPLICIT = "{a: [[1/4, 0], [1/2, 1/4]], b: [1/2, 1/2], c: [1/4, 3/4]}"
RESTS = "all, by lanes and by PETSc's solvers"
BEGINS = "the first steps of `bdf`, the start of `pushforward-newmark`"
# For each line, by its methods as the page names them: systems, methods, how they are run.
CASES = {
    "`euler-a`, `euler-b`, `shake`, `rattle`, `discretization`, `project` and their compositions": [
        ("swing", ["euler-a", "euler-b", "shake", "rattle", "discretization(theta=0.3)", "project(rk4)",
                   "compose(rattle, suzuki4)"], SMALL),
    ],
    "`midpoint`, and all of these with M(q), a(q) or `form=null-space`": [
        ("hanging", ["midpoint"], SMALL),
        ("braked", ["midpoint", "rattle"], DYING),
        ("rubbing", ["euler-a", "rattle", "midpoint", "discretization(theta=0.3)", "compose(rattle, suzuki4)"], SMALL),
        ("swing", ["midpoint", "rattle(form=null-space)", "midpoint(form=null-space)"], SMALL),
        ("heavier", ["euler-a", "euler-b", "shake", "rattle", "midpoint"], SMALL),
    ],
    "`staged`": [("railed", ["staged", "staged(theta=0.3)"], SMALL), ("swing", ["staged"], SMALL)],
    "`symmetric-project`": [
        ("swing", ["symmetric-project(gauss(2))", "symmetric-project(rk4)"], SMALL),
        ("railed", ["symmetric-project(gauss(1))", "symmetric-project(gauss(2))", "symmetric-project(gauss(3))"], SMALL),
    ],
    "`lie-...`": [
        ("body", ["lie-euler-a", "lie-euler-b", "lie-lobatto", "lie-rattle", "lie-midpoint", "lie-discretization(theta=0.3)",
                  "rattlie"], SMALL),
    ],
    "`radau`, `bdf`, `generalized-alpha`, `lie-generalized-alpha`, `hht`": [
        ("hanging", ["radau(1)", "radau(2)", "radau(3)", "generalized-alpha(rho=0.8)", "hht(alpha=0.1)"], SMALL),
        ("braked", ["radau(2)", "bdf(1)", "bdf(2)", "generalized-alpha(rho=0.8)", "hht(alpha=0.1)"], DYING),
        ("swing", ["radau(2, form=index-3)", "generalized-alpha(rho=0.8)", "hht(alpha=0.1)"], SMALL),
        ("body", ["lie-generalized-alpha(rho=0.8)"], SMALL),
    ],
    "`gauss`, implicit tableaus, `hbvm`, `convert`, `lagrange-dalembert`, `newmark` and its conjugate, `penalty` with one of "
    "these": [
        ("hanging", ["gauss(1)", "gauss(2)", IMPLICIT, "hbvm(k=2, s=1)", "hbvm(k=4, s=2)", "convert(gauss(1))",
                     "lagrange-dalembert(gauss(1))", "newmark"], SMALL),
        ("braked", ["gauss(2)", "lagrange-dalembert(gauss(1))"], DYING),
        ("turning", ["newmark", "pushforward-newmark(beta=0.25)"], {"J": [0, 1], "a": [0.1], "end": 100}),
        ("swing", ["convert(rk4)"], SMALL),
        ("railed", ["penalty(gauss(2), omega=10)"], SMALL),
    ],
    RESTS: [
        ("hanging", ["midpoint", "gauss(2)", "radau(2)"], SMALL),
        ("hanging", ["midpoint", "gauss(2)", "radau(2)"], PETSC),
        ("swing", ["rattle"], PETSC),
    ],
    BEGINS: [("hanging", ["bdf(2)", "bdf(3)", "pushforward-newmark(beta=0.25)"], SMALL)],
}  # fmt: skip
STUDY = """study: conservation
system: {{file: {system}.system.yaml, compile: never, parameters: {{J: {J}, a: {a}}}}}
end: {end}
steps: [0.1]
methods: [{methods}]
observables: [energy]
samples: {{count: 1}}
roundoff: {{dyadic-steps: false}}
{more}"""


def lines():
    """The methods of each line of the page's table."""
    with open(PAGE) as f:
        table = f.read().split(HEAD + "\n")[1].split("\n\n")[0]
    return [line.strip("|").split(" | ")[0].strip() for line in table.splitlines()[1:]]


def complete():
    """The page's lines are those of the cases, and every method that a line names is tried."""
    found = lines()
    ok(len(found) > 5, "the page has its table", found)
    for line in found:
        if not ok(line in CASES, f"{line}: has a case"):
            continue
        tried = [m for _, methods, _ in CASES[line] for m in methods]
        missed = [x for x in re.findall(r"`([^`]+)`", line) if not any(x.strip(".") in m for m in tried)]
        ok(not missed, f"{line}: all that it names is tried", missed)
    ok(not set(CASES) - set(found), "every case is a line of the page", set(CASES) - set(found))


def judge(number, place):
    """One case: it converges at all J = 0, and not at the last J and a."""
    line = list(CASES)[number]
    system, methods, how = CASES[line][place]
    quoted = ", ".join(m if m[0] == "{" else f'"{m}"' for m in methods)
    process, result = run(f"line-{number}-{place}", STUDY.format(system=system, methods=quoted, **{"more": "", **how}))
    words = f"{line}: {system}{', petsc' if how is PETSC else ''}"
    if not ok(process.returncode == 1, f"{words}: some fail", process.stderr):
        return
    shape = (len(how["J"]), len(how["a"]), len(methods))
    with h5py.File(result) as f:
        jumps = f["cases/parameters"][:, 0].reshape(shape)
        status, steps = f["final/status"][:, 0].reshape(shape), f["final/steps"][:, 0].reshape(shape)
    ok((jumps[0] == 0).all() and (jumps[1] > 0).all(), f"{words}: with and without a jump", jumps)
    for k, method in enumerate(methods):
        ok((status[0, :, k] == 0).all(), f"{words}: {method} converges", status[:, :, k], steps[:, :, k])
        where = steps[1, -1, k] == 0 if line == BEGINS else steps[1, -1, k] > 3 if how is DYING else True
        ok(status[1, -1, k] == 1 and where, f"{words}: {method} does not where nothing solves it", status[:, :, k], steps[:, :, k])


if __name__ == "__main__":
    for name, text in SYSTEMS.items():
        write(f"{name}.system.yaml", text)
    complete()
    for number, cases in enumerate(CASES.values()):
        for place in range(len(cases)):
            judge(number, place)
    done()

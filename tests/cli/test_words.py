#!/usr/bin/python3
"""test_words.py: words on the terminal: tables that are sorted, and conditions with numbers as printed; the plan
of a sweep, and results above the disk's room; ends to which a result can go on; slips that are answered with the
words here."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re

from cli import constella, done, ok, path, run, scratch, write

SYSTEM = """system: bead
coordinates: [x, y]
parameters: {g: 1, L: 1}
mass: [1, 1]
potential: g*y
constraints: {rod: x^2 + y^2 - L^2}
states: {default: {q: [0, -L], v: [1, 0]}}
"""
write("bead.yaml", SYSTEM)
SWEEP = """study: conservation
system: {file: bead.yaml, parameters: {L: [1, 2.15443469003, 4.641588833612779, 10]}}
end: 4
steps: [0.1, 0.05]
methods: [rattle, "compose(rattle, suzuki4)"]
extensible: true
"""
process, result = run("sweep", SWEEP)
ok(process.returncode == 0, "the sweep runs", process.stderr)


def column(*words):
    """The first column of a table, without its header and the notes."""
    lines = constella("table", result, *words).stdout.split("\n\n")[0].splitlines()
    return [line.split()[0] for line in lines[1:]]


def table():
    digits = column("--columns", "L,method", "--where", "method = rattle and step = 0.1")
    ok(digits == ["1", "2.15", "4.64", "10"], "a parameter has as many digits as distinguish it", digits)
    ok(column("--columns", "L", "--where", "L = 4.64") == ["4.64"] * 4, "a condition takes it as it is printed")
    exact = column("--columns", "L", "--where", "L=4.641588833612779")
    ok(exact == ["4.64"] * 4, "and with all digits", exact)
    below = column("--columns", "L", "--where", "L < 4.64 and step=0.1 and method=rattle")
    ok(below == ["1", "2.15"], "what is printed as the bound is not below it", below)
    close = run("close", SWEEP.replace("4.641588833612779", "2.15440001"))[1]
    lines = constella("table", close, "--columns", "L", "--where", "step=0.1, method=rattle").stdout.split()
    ok(lines[1:5] == ["1", "2.15443", "2.1544", "10"], "numbers that are close have more digits", lines)
    for where, words in (
        ("L = 5", "no row has L = 5; there are: 1, 2.15, 4.64, 10"),
        ("method = ratle", "did you mean 'rattle'?"),
        ("L = 10 and step = 0.2", "no row has step = 0.2; there are: 0.1, 0.05"),
    ):
        said = constella("table", result, "--where", where)
        ok(said.returncode == 2 and words in said.stderr, f"{where}: no row, and what there is", said.stderr)
    ok(constella("table", result, "--where", "failed > 0").returncode == 0, "failed > 0: an empty table is no mistake")


def sort():
    up = [float(x) for x in column("--columns", "energy_max", "--sort", "energy_max")]
    down = [float(x) for x in column("--columns", "energy_max", "--sort", "-energy_max")]
    ok(len(up) == 16 and up == sorted(up) and down == up[::-1], "--sort, up and down", up, down)
    words = column("--columns", "L,method", "--sort", "method")
    ok(words == ["1", "1", "2.15", "2.15", "4.64", "4.64", "10", "10"] * 2, "equal rows keep their order", words)
    kept = column("--columns", "L", "--where", "step=0.1", "--sort", "-L")
    ok(kept == ["10", "10", "4.64", "4.64", "2.15", "2.15", "1", "1"], "of chosen rows", kept)
    said = constella("table", result, "--sort", "stp")
    ok(said.returncode == 2 and "did you mean 'step'?" in said.stderr, "an unknown column", said.stderr)


def plan():
    page = constella("check", path("sweep.yaml")).stdout
    lines = page.split("\n\n")[1].splitlines()
    at = [line.find("rattle") for line in lines[1:9:4]]
    ok("parameters" in lines[0] and "L=4.64159" in page, "check prints the parameters of a case", page)
    steps = {line.index("0.1 ") if "0.1 " in line else -1 for line in lines[1::2]}
    ok(len(lines) == 17 and len(set(at)) == 1 and len(steps) == 1, "in aligned columns", *lines)
    big = write("big.yaml", SWEEP.replace("end: 4", "end: 1e13") + "trajectories: {members: [0], every: 1}\n")
    said = constella("check", big)
    ok(
        said.returncode == 2 and re.search(r"its result needs [\d.e+]+ TiB, and \S+ has [\d.e+]+ \wi?B free", said.stderr),
        "check refuses a result that the disk cannot hold",
        said.stderr,
    )


def ends():
    for end, nearest in (("5", "8"), ("13", "8 and 16"), ("1000", "128 and 256")):
        longer = write("longer.yaml", SWEEP.replace("end: 4", f"end: {end}"))
        said = constella("extend", result, longer).stderr
        ok(
            f"longer.yaml:3:6: error: {result}, which ends at 4, can go on to 8, 16, 32 .. 256" in said
            and f"the nearest to {end}: {nearest}\n" in said
            and said.count("error:") == 1,
            f"an end of {end}: one error, with the ends that there are",
            said,
        )


def slips():
    study = "study: order\nend: 1\nsteps: [0.1, 0.05]\nsystem: planar-pendulum\nmethods: [rattle]\nreference: exact\n"
    for old, new, words in (
        ("planar-pendulum", "mine.yaml", "`system: {file: mine.yaml}`"),
        ("reference: exact", "reference: gauss(6)", "`reference: {method: gauss(6), step: ...}`"),
        ("reference: exact", "reference: rk4", "`reference: {method: rk4, step: ...}`"),
        ("[rattle]", "[verlet]", "here: shake and rattle"),
        ("[rattle]", "[Stormer-Verlet]", "here: shake and rattle"),
        ("[rattle]", "[leapfrog]", "here: shake and rattle"),
        ("[rattle]", "[implicit-midpoint]", "here: midpoint"),
        ("[rattle]", "[RATTLE]", "here: rattle\n"),
    ):
        said = constella("check", write("slip.yaml", study.replace(old, new)))
        ok(said.returncode == 2 and words in said.stderr, f"{new}: the words here", said.stderr)
    for old, new, words in (
        ("x^2 + y^2 - L^2", "x' - y", "`nonholonomic`"),
        ("potential: g*y", "potential: g*y + y'^2", "`forces`"),
        ("potential: g*y", "potential: g*z", "allowed: g, L, x, y"),
    ):
        said = constella("system", write("slip-system.yaml", SYSTEM.replace(old, new))).stderr
        ok(words in said and ("`" in said) == ("`" in words), f"{new}: where velocities belong", said)
    said = constella("run", path("sweep.yaml"), "-n", "4", "-o", os.path.join(scratch(), "n.h5"))
    ok(said.returncode == 2 and "mpirun -n 4 constella run" in said.stderr, "-n 4: mpirun starts ranks", said.stderr)


table()
sort()
plan()
ends()
slips()
done()

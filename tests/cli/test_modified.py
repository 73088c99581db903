"""test_modified.py: `constella modified METHOD SYSTEM`: a method follows the written system to order 4 in q and p,
the mass is symmetric and derivatives are right; what is refused."""
# SPDX-License-Identifier: BSD-2-Clause
import math
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, done, h5py, ok, path, run, write

OWN = """system: own
coordinates: [a, b]
parameters: {h: 2, k: {default: 1.5}}
define: {r: sqrt(1 + a^2 + 2*b^2), "well(x)": -exp(-x^2/k)}
mass: [h, 3]
potential: k*r + well(a - b) + log(2 + sin(a))*atan2(b, 3) - (a*b)^3/9 + tanh(a)*log1p(b^2)
symmetries: {none: [0, 0]}
states:
  default: {q: [0.4, -0.3*k], v: [-0.2, 0.5]}
  other: {q: [0, 1/3], v: [sqrt(2), 0]}
"""
END = 1.0
STEPS = (0.04, 0.02, 0.01)
METHODS = ("rattle", "euler-a", "euler-b", "midpoint")


def ends(name, text):
    """q and p at the end, a row a case."""
    process, result = run(name, text)
    if process.returncode:
        return None, process.stderr
    with h5py.File(result, "r") as f:
        return [(*q, *p) for q, p in zip(f["final/q"][:, 0].tolist(), f["final/p"][:, 0].tolist())], ""


def follows(system, method, given, step):
    """Slopes of the largest difference between the method and the motion of the file."""
    process = constella("modified", method, given, "-o", "modified.yaml")
    ok(process.returncode == 0 and not process.stdout, f"{method} on {system}: written", process.stderr)
    start = "initial: other\n" if system == "own" else ""
    source = f"{{file: {given}}}" if system == "own" else system
    rest = f"end: {END}\nroundoff: {{dyadic-steps: false}}\n{start}"
    mine, why = ends("mine", f"study: ensemble\nsystem: {source}\nsteps: {list(STEPS)}\nmethods: [{method}]\n{rest}")
    there, also = ends(
        "there",
        f"study: ensemble\nsystem: {{file: modified.yaml, parameters: {{{step}: {list(STEPS)}}}}}\nsteps: [0.01]\n"
        f"methods: [gauss(4)]\n{rest}",
    )
    if not (mine and there):
        return ok(False, f"{method} on {system}: runs", why + also)
    n = 4 if method in ("rattle", "midpoint") else 2  # symplectic Euler has the momenta of Verlet half a kick away
    off = [max(abs(x - y) for x, y in zip(a[:n], b)) for a, b in zip(mine, there)]
    slopes = [math.log2(off[k] / off[k + 1]) for k in range(len(off) - 1)]
    return ok(all(3.8 < s < 4.2 for s in slopes), f"{method} on {system}: order 4{' in q and p' if n == 4 else ' in q'}", (off, slopes))


def orders():
    write("own.yaml", OWN)
    for method in METHODS:
        for system, given, step in (("kepler", "kepler", "h"), ("own", "own.yaml", "method_h")):
            if os.path.exists(path("modified.yaml")):
                os.remove(path("modified.yaml"))
            follows(system, method, given, step)
        process = constella("system", "modified.yaml")
        ok(process.returncode == 0 and "error" not in process.stdout, f"{method}: the file is sound", process.stdout + process.stderr)


def symmetry():
    process = constella("modified", "rattle", "kepler")
    ok('rotation: ["-y", "x"]' in process.stdout, "symmetries are written", process.stdout)
    write("k.yaml", process.stdout)
    process, result = run("spin", "study: conservation\nsystem: {file: k.yaml}\nend: 20\nsteps: [0.02]\nmethods: [gauss(4)]\nobservables: [energy, momentum]\n")
    with h5py.File(result, "r") as f:
        drift = {name: group[0, 0, 2] for name, group in f["observables"].items()}
        ok(any(0 <= x < 1e-12 for name, x in drift.items() if "rotation" in name or "momentum" in name), "and their momenta kept", drift)


def refusals():
    for words, wanted in (
        (("rk4", "kepler"), "allowed: rattle, euler-a, euler-b, midpoint"),
        (("ratle", "kepler"), "rattle"),
        (("compose(rattle, suzuki4)", "kepler"), "compose"),
        (("rattle", "keppler"), "kepler"),
        (("rattle", "double-pendulum"), "has constraints"),
        (("rattle", "two-tops"), "bodies"),
        (("rattle", "double-pendulum-angles"), "no constant diagonal"),
        (("rattle", "forced-oscillator"), "forces"),
        (("rattle", "dna-chain"), "arrays"),
        (("rattle",), "a system file or the name of a system"),
        (("rattle", "kepler", "-o", "k.yaml"), "exists"),
        (("rattle", "kepler", "-o", "no/such.yaml"), "no/such.yaml"),
    ):
        process = constella("modified", *words)
        ok(process.returncode == 2 and wanted in process.stderr and not process.stdout, f"refused: {' '.join(words)}", process.stderr)


orders()
symmetry()
refusals()
done()

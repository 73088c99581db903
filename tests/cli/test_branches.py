#!/usr/bin/env python3
# test_branches.py: linkages that pass states where the gradients of their constraints are dependent and motions branch: who
# passes them is marked, who leaves the branch has failed, the same however the run is divided. Systems without
# such states are not looked at. TAP.
# SPDX-License-Identifier: BSD-2-Clause
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import h5py
import numpy as np

from cli import CRANK, constella, done, ok, path, write

METHODS = ["project(rk4)", "project(rk8)", "convert(rk4)", "hbvm(k=4, s=2)", "radau(2)", "bdf(3)", "midpoint", "rattle"]
BRANCH, RANK = 11, 5


def study(name, system, initial="default", methods=METHODS, steps="[0.01, 0.005]", end=8, more=""):
    write(
        f"{name}.yaml",
        f"""study: conservation
system: {system}
initial: {initial}
end: {end}
steps: {steps}
methods: {str(methods).replace("'", '"')}
observables: [energy, constraint]
{more}""",
    )
    return f"{name}.yaml"


def read(output):
    with h5py.File(path(output)) as f:
        passed = f["final/passed_singular"][...] if "passed_singular" in f["final"] else None
        return f["final/status"][...], f["final/steps"][...], f["final/q"][...], f["final/p"][...], passed


write("isosceles.yaml", CRANK)

# The motion goes on with X = 2 x: no trajectory that is called right is on the other branch, or has another energy.
said = constella("run", study("alone", "{file: isosceles.yaml}"), "-o", "alone.h5")
status, steps, q, p, passed = read("alone.h5")
status, passed, steps, q = status.ravel(), passed.ravel(), steps.ravel(), q.reshape(-1, 3)
ok(said.returncode == 1, "methods fail at the fold", said.stderr)
good = status == 0
ok(good[[0, 1, 2, 3]].all() and good[6] and good[8], f"projections, hbvm and radau pass: {status}")
ok((status[[4, 5]] == BRANCH).all(), f"the momentum of convert(rk4) is spoilt there: {status[[4, 5]]}")
ok(set(status) <= {0, RANK, BRANCH}, f"{set(status)}")
ok((abs(q[good, 2] - 2 * q[good, 0]) < 1e-9).all(), "who passes is on its branch")
ok((abs(passed[good] - 0.9503) < 0.0101).all(), f"and marked with the first time: {passed[good]}")
ok("passed-singular: 10 trajectories passed a state where the gradients" in said.stderr, "a warning tells", said.stderr)
told = constella("status", "alone.h5").stdout
ok("branch-left: at a state" in told and "passed" in told, "status tells both", told)
table = constella("table", "alone.h5", "--columns", "passed_singular").stdout.split()[1:17]
ok(table == ["1" if x else "0" for x in good], "so does a column", table)

# The last good state is that before the step: the energy has not jumped yet.
x, y, X = q[4]
G = np.array([[x, y, 0], [x - X, y, X - x]])
M = np.diag([1, 1, 0.5])
P = p.reshape(-1, 3)[4]
W = np.linalg.inv(M)
v = W @ (P - G.T @ np.linalg.solve(G @ W @ G.T, G @ W @ P))
start = 0.5 * 0.4**2 * (1 + 2 * np.sin(0.9) ** 2) + 9.81 * np.sin(0.9)
ok(abs(v @ M @ v / 2 + 9.81 * y - start) < 1e-6 and x < 0, f"it ends before the step: {v @ M @ v / 2 + 9.81 * y - start:.2g}")

# Members, divided otherwise, killed, resumed: the same bits.
ENSEMBLE = "{members: 13, seed: 5, around: default, spread: {q: 0.05, v: 0.3}}"
many = study("many", "{file: isosceles.yaml}", ENSEMBLE, ["project(rk4)", "convert(rk4)", "midpoint"], "[0.01]", 20, "extensible: true\n")
constella("run", many, "-o", "many.h5")
whole = read("many.h5")
ok(len(set(whole[0].ravel())) > 1 and (whole[0] == BRANCH).any(), f"some members leave: {whole[0]}")
for batch, ranks in ((1, 0), (5, 2)):
    out = f"many-{batch}.h5"
    constella("run", many, "-o", out, "--batch", str(batch), ranks=ranks)
    same = all(np.array_equal(a, b, equal_nan=True) for a, b in zip(whole, read(out)))
    ok(same, f"batches of {batch}, {ranks or 1} ranks: the same")
single = study("single", "{file: isosceles.yaml}", ENSEMBLE.replace("members: 13", "members: 1"), ["convert(rk4)"], "[0.01]", 20)
constella("run", single, "-o", "single.h5")
ok(all(np.array_equal(a[1, :1], b[0], equal_nan=True) for a, b in zip(whole, read("single.h5"))), "alone: the same")
half = study("half", "{file: isosceles.yaml}", ENSEMBLE, ["project(rk4)", "convert(rk4)", "midpoint"], "[0.01]", 10, "extensible: true\n")
constella("run", half, "-o", "grown.h5")
said = constella("extend", "grown.h5", many)
ok(said.returncode <= 1, "a longer run", said.stderr)
same = [np.array_equal(a, b, equal_nan=True) for a, b in zip(whole, read("grown.h5"))]
ok(all(same), f"has the same states, ends and marks: {same}")
ALL = METHODS + ["convert(gauss(2))", "lagrange-dalembert(gauss(2))", "gauss(2)", "radau(2, form=ggl)", "symmetric-project(rk4)",
                 "generalized-alpha(rho=0.8)", "compose(rattle, suzuki4)", "staged"]
constella("run", study("every", "{file: isosceles.yaml}", ENSEMBLE, ALL, "[0.01]", 20), "-o", "every.h5")
said = constella("verify", "every.h5", "--sample", str(13 * len(ALL)))
different = re.findall(r"case \d+ \((.*), step.*DIFFERENT", said.stdout)
ok(said.returncode == 0, f"verify finds every one of {len(ALL)} methods again, each member alone: {different}", said.stderr)

# A parallelogram that begins at rest, upside down but for 1e-8: nothing is missed, whoever is beside it.
BARS = """system: bars
coordinates: [x1, y1, x2, y2]
parameters: {g: 9.81, al: pi/2 - 2.0e-8, D: 2}
mass: [1, 1, 1, 1]
potential: g*(y1 + y2)
constraints:
  crank: (x1^2 + y1^2 - 1)/2
  rocker: ((x2 - D)^2 + y2^2 - 1)/2
  coupler: ((x2 - x1)^2 + (y2 - y1)^2 - D^2)/2
states: {default: {q: [cos(al), sin(al), D + cos(al), sin(al)], v: [0, 0, 0, 0]}}
"""
write("bars.yaml", BARS)
angles = "{file: bars.yaml, parameters: {al: [1.5707963, 1.2, 0.34221106, 0.51105528]}}"
constella("run", study("rest", angles, methods=["project(rk4)", "midpoint", "rattle", "hbvm(k=4, s=2)"], steps="[0.01, 0.005]", end=8), "-o", "rest.h5")
status, _, q, _, passed = read("rest.h5")
off = abs(q[..., 2] - q[..., 0] - 2) + abs(q[..., 3] - q[..., 1])
ok((off < 1e-6).all() and (status == BRANCH).any(), f"no last good state is on the other branch: {off.max():.2g}")
ok(not np.isnan(passed[status == 0]).any(), f"who gets through is marked: {passed[status == 0]}")
ok(constella("verify", "rest.h5", "--sample", "32").returncode == 0, "each alone: the same")

# In displacements from the start, whose coordinates are all 0.
moved = CRANK.replace("x^2 + y^2", "(x + cos(al))^2 + (y + sin(al))^2").replace("(x - X)^2 + y^2", "(x + cos(al) - X - 2*cos(al))^2 + (y + sin(al))^2")
moved = moved.replace("q: [cos(al), sin(al), 2*cos(al)]", "q: [0, 0, 0]")
write("moved.yaml", moved)
constella("run", study("from-rest", "{file: moved.yaml}", methods=["project(rk4)", "convert(rk4)"]), "-o", "moved.h5")
status = read("moved.h5")[0].ravel()
ok((status[:2] == 0).all() and (status[2:] > 0).all() and (status == BRANCH).any(), f"in displacements: {status}")

# Systems whose constraints are independent everywhere have no such dataset.
FREE = ["planar-pendulum", "double-pendulum", "heavy-top", "pendulum-chain", "tip3p-water", "two-tops", "rigid-body", "fekete"]
LOOPS = ["four-bar", "{file: isosceles.yaml}"]
for k, system in enumerate(FREE + LOOPS):
    said = constella("run", study(f"kind-{k}", system, methods=["rattle"], steps="[0.001]", end=0.002), "-o", f"kind-{k}.h5")
    if said.returncode == 2:
        ok(False, system, said.stderr)
        continue
    ok((read(f"kind-{k}.h5")[4] is not None) == (system in LOOPS), f"{system}: {'is' if system in LOOPS else 'is not'} looked at")
done()

#!/usr/bin/env python3
# test_rank_lost.py: linkages that move through a state where the gradients of their constraints are dependent.
# Each step that fails there says so, with time and condition number, for any number of ranks; steps that fail
# because they are too large do not. TAP.
# SPDX-License-Identifier: BSD-2-Clause
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import h5py
import numpy as np

from cli import constella, done, ok, path, write

CARTESIAN = """system: parallelogram
coordinates: [x1, y1, x2, y2]
mass: [1, 1, 1, 1]
potential: y1 + y2
constraints:
  crank: x1^2 + y1^2 - 1
  rocker: (x2 - 4)^2 + y2^2 - 1
  coupler: (x2 - x1)^2 + (y2 - y1)^2 - 16
states:
  default: {q: [cos(1.2), sin(1.2), 4 + cos(1.2), sin(1.2)], v: [-2*sin(1.2), 2*cos(1.2), -2*sin(1.2), 2*cos(1.2)]}
"""
ANGLES = "{name: four-bar, parameters: {l2: 4, l3: 1}}"
START = "{q: [1.2, 0, 1.2], v: [2, 0, 2]}"
METHODS = [
    "rattle",
    "midpoint",
    "gauss(2)",
    "convert(rk4, bias=-0.5)",
    "convert(rk4)",
    "compose(rattle, yoshida4)",
]


def run(name, system, initial, steps, end, ranks=0):
    write(
        f"{name}.yaml",
        f"""study: conservation
system: {system}
initial: {initial}
end: {end}
steps: {steps}
methods: {str(METHODS).replace("'", '"')}
observe: every
trajectories: {{members: all, every: 1, store: [q]}}
""",
    )
    output = f"{name}-{ranks}.h5"
    said = constella("run", f"{name}.yaml", "-o", output, ranks=ranks)
    if said.returncode > 1:
        ok(False, name, said.stderr)
        raise SystemExit(1)
    with h5py.File(path(output)) as f:
        text = f["/run"].attrs["rank_lost"]
        text = text.decode() if isinstance(text, bytes) else text
        h = np.repeat(f["/cases/h"][...], f["/final/status"].shape[1])
        return said, output, f["/final/status"][...].ravel(), f["/final/q"][...], f["/final/steps"][...].ravel() * h, text


write("parallelogram.yaml", CARTESIAN)
for name, system, initial, angle in (
    ("angles", ANGLES, START, lambda q: q[0]),
    ("cartesian", "{file: parallelogram.yaml}", "default", lambda q: np.arctan2(q[1], q[0])),
):
    said, output, status, q, t, text = run(name, system, initial, "[0.05, 0.01]", 3)
    failed = status > 0
    ok((status == 5).any() and set(status) <= {0, 5, 11}, f"{name}: what fails has lost the rank or its branch: {status}", said.stderr)
    # The bars lie on one line at multiples of pi. Two of them turn, each at less than 2.6: |v| is sqrt(2) times that.
    h = np.tile([0.05, 0.01], len(METHODS))
    off = np.array([abs(np.sin(angle(x[0]))) for x in q])
    ok((off[failed] < 1.5 * np.sqrt(2) * 2.6 * h[failed]).all(), f"{name}: at most 1.5 h |v| from the line", off)
    found = re.search(r"of (\d+) trajectories lost rank, first those of member 0 of .*, behind t = ([\d.]+): "
                      r"condition number ([\d.e+]+)$", text)
    ok(found is not None, f"{name}: /run/rank_lost", text)
    ok(int(found[1]) == (status == 5).sum(), f"{name}: counts them", text)
    ok(abs(float(found[2]) - t[status == 5].min()) < 1e-4, f"{name}: the first in time", text, t[status == 5].min())
    ok(1e5 <= float(found[3]) <= np.inf, f"{name}: its condition number", text)
    ok(text in said.stderr and said.returncode == 1, f"{name}: the run says so", said.stderr)
    told = constella("status", output).stdout
    ok(text in told and "take a smaller step" not in told, f"{name}: status says so", told)
    _, _, again, _, _, same = run(name, system, initial, "[0.05, 0.01]", 3, 2)
    ok((again == status).all() and same == text, f"{name}: the same on two ranks", same)

# The four-bar linkage with its default bars has no such state.
ensemble = "{members: 20, seed: 3, around: default, spread: {q: 0.3, v: 3}}"
said, _, status, _, _, text = run("large", "four-bar", ensemble, "[1, 0.5]", 10)
ok((status > 0).sum() > 50 and not (status == 5).any(), f"steps that are too large lose no rank: {(status > 0).sum()} failed")
ok(text == "" and "rank" not in said.stderr, "and nothing is said of it", said.stderr)
done()

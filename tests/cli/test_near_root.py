#!/usr/bin/env python3
# test_near_root.py: large steps of a pendulum and of a bead on a sphere. The forms of RATTLE are one map, a step
# from a stored state is that of the trajectory, and where no root continues the motion the trajectory fails as
# step-too-large, which every command says. TAP.
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import h5py
import numpy as np

from cli import constella, done, ok, path, write

BEAD = """system: bead
coordinates: [x, y, z]
mass: [1, 1, 1]
potential: 9.81*z
constraints: {sphere: (x^2 + y^2 + z^2 - 1)/2}
states: {default: {q: [1, 0, 0], v: [0, 0.5, 0]}}
"""
PENDULUM = "{name: planar-pendulum, parameters: {g: 9.81}}"
METHODS = ["rattle", "rattle(form=null-space)", "midpoint", "shake"]
# system, q, v, step, number of steps, whether a step fails
STARTS = {
    "pendulum": (PENDULUM, [1, 0], [0, 0], 0.2, 50, False),
    "bead": ("{file: bead.yaml}", [1, 0, 0], [0, 2.9155772464433416, -0.5314641742255477], 0.2, 50, False),
    "upright": (PENDULUM, [0.2392493292139824, 0.9709581651495905], [0, 0], 0.5, 50, True),
}


def study(name, q, v, steps):
    system, _, _, h, _, _ = STARTS[name]
    return f"""study: conservation
system: {system}
initial: {{q: {[float(x) for x in q]}, v: {[float(x) for x in v]}, project: true}}
end: {steps * h!r}
steps: [{h}]
methods: {str(METHODS).replace("'", '"')}
observables: [energy]
observe: every
roundoff: {{dyadic-steps: false}}
trajectories: {{members: all, every: 1, store: [q, v]}}
"""


def run(name, q, v, steps, label):
    """Statuses, steps and for each method q and v [step, coordinate], NaN behind a failure."""
    write(f"{label}.study.yaml", study(name, q, v, steps))
    found = constella("run", f"{label}.study.yaml", "-o", f"{label}.h5", "--overwrite")
    if found.returncode > 1:
        ok(False, label, found.stderr)
    with h5py.File(path(f"{label}.h5")) as f:
        status = f["/final/status"][...].ravel()
        known = f["/trajectories"]
        q = [known[str(k)]["q"][0] for k in range(len(METHODS))]
        v = [known[str(k)]["v"][0] for k in range(len(METHODS))]
    return found, status, q, v


write("bead.yaml", BEAD)
for name, (_, q, v, h, steps, fails) in STARTS.items():
    found, status, Q, V = run(name, q, v, steps, name)
    ok(set(status) == ({4} if fails else {0}), f"{name}: {'all fail as step-too-large' if fails else 'none fails'} {status}")
    ok(found.returncode == (1 if fails else 0), f"{name}: exit status {found.returncode}")
    both = np.isfinite(Q[0]).all(axis=1) & np.isfinite(Q[1]).all(axis=1)
    apart = np.abs(Q[0] - Q[1])[both].max()
    ok(apart < 1e-12 and (np.isfinite(Q[0]) == np.isfinite(Q[1])).all(),
       f"{name}: both forms of rattle agree wherever they exist: {apart:.2g}, {both.sum()} states")
    if fails:
        for command in (["status", f"{name}.h5"], ["table", f"{name}.h5"]):
            said = constella(*command)
            ok("step-too-large" in said.stdout, f"{command[0]} says step-too-large")
        ok("take a smaller step" in constella("status", f"{name}.h5").stdout, "status says what helps")
        continue
    # the largest state of the first twenty, of rattle: its next step alone
    at = int(np.argmax(np.abs(V[0][:20]).max(axis=1)))
    _, _, alone, _ = run(name, Q[0][at], V[0][at], 1, name + "-alone")
    off = np.abs(alone[0][1] - Q[0][at + 1]).max()
    ok(off < 1e-13, f"{name}: a step from state {at} is that of the trajectory: {off:.2g}")
done()

"""bases.py: small studies that lines with keys are put into, for the tests of all keys of a study."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import shutil

from cli import constella, ok, path, write

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

# Studies that a line is put into; the first that accepts it counts.
BASES = [
    {
        "study": "order",
        "system": "planar-pendulum",
        "end": "2.0",
        "steps": "{counts: [20]}",
        "methods": "[rattle]",
        "reference": "self",
    },
    {
        "study": "ensemble",
        "system": "planar-pendulum",
        "end": "2.0",
        "steps": "[0.1]",
        "methods": "[convert(heun)]",
    },
    {
        "study": "order",
        "system": "planar-pendulum",
        "end": "2.0",
        "steps": "[0.1]",
        "methods": '["baoab(friction=1, inverse-temperature=2)"]',
        "reference": '{method: "baoab(friction=1, inverse-temperature=2)", step: 0.05}',
        "noise": "{resolution: 0.05}",
    },
    {"study": "ensemble", "system": "euler-top", "end": "2.0", "steps": "[0.1]", "methods": "[rattle]"},
    {
        "study": "conservation",
        "system": "planar-pendulum",
        "end": "2.0",
        "steps": "[0.1]",
        "methods": "[rattle]",
        "observables": "[lyapunov]",
    },
    {
        "study": "conservation",
        "system": "planar-pendulum",
        "end": "2.0",
        "steps": "[0.1]",
        "methods": "[rattle]",
        "observables": "[momentum-balance]",
        "tangent": "{every: 1}",
    },
    {"study": "ensemble", "system": "planar-pendulum", "end": "20", "steps": "[0.1]", "methods": "[rattle]"},
]


def study(base, *lines):
    """The base with these lines in place of its own."""
    taken = {line.partition(":")[0] for line in lines}
    return "\n".join([f"{k}: {v}" for k, v in base.items() if k not in taken] + list(lines)) + "\n"


def files():
    """Those that examples name."""
    shutil.copy(os.path.join(ROOT, "src", "system", "catalogue", "planar-pendulum.yaml"), path("own.yaml"))
    shutil.copy(os.path.join(ROOT, "jobs", "layers", "kutta38.c"), path("mine.c"))
    write("starts.csv", "x,y,x',y'\n0,-1,1,0\n0.6,-0.8,0.8,0.6\n")
    write("earlier.yaml", study(BASES[1], "initial: {members: 2, spread: {v: 0.1}}"))
    ok(constella("run", path("earlier.yaml"), "-o", path("earlier.h5")).returncode == 0, "an earlier result")

"""rk45_program.py: SciPy's RK45 in a process of its own, without its control of errors, for kepler, whose force it knows."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

import numpy as np
from scipy.integrate import RK45

MU = 1.0


def field(t, y):
    r = y[:2]
    return np.concatenate([y[2:], -MU * r / np.hypot(*r) ** 3])


for line in sys.stdin:
    words = line.split()
    if words[0] == "begin":
        MU = float(dict(w.split("=") for w in words[4:]).get("mu", 1))
        print("ok" if words[1] == "kepler" else f"refuse it does not know {words[1]}", flush=True)
        continue
    h, *state = map(float, words[1:])
    solver = RK45(field, 0.0, np.array(state), h, first_step=abs(h), max_step=abs(h), rtol=1.0, atol=1e6)
    solver.step()
    print("ok", *map(repr, solver.y.tolist()), flush=True)

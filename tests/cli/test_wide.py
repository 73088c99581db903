"""test_wide.py: forces, time, constraints on velocities, gyroscopic terms and general masses with more
coordinates than fit into registers: uncoupled copies of a small system move as the small one does, which other
code steps."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
from cli import constella, done, h5py, ok, run, together, write

LAYERS = ["rk4", "gauss(2)", "dopri5(tolerance=1e-9)"]
KEPT = ["project(rk4)", "baumgarte(rk4, alpha=5, beta=5)"]
MAPS = ["rattle", "euler-a", "midpoint", "compose(euler-b, euler-a)"]
# name: (text, copies, methods); copies are more than 40 coordinates
SYSTEMS = {
    "edges": (
        """coordinates: ["x[n]", "y[n]", "th[n]"]
parameters: {n: {size: 2}, m: 1.3, J: 0.5, g: 1, c: 0.1}
mass: [m, m, J]
potential: sum(i, 1, n, m*g*x[i])
nonholonomic: {edge: {for: "i = 1..n", expression: "sin(th[i])*x'[i] - cos(th[i])*y'[i]"}}
forces: {drag: ["-c*x'[i]", "-c*y'[i]", 0]}
states: {default: {q: [0, 0.5, 0.3], v: [cos(0.3), sin(0.3), 1]}}
""",
        20,
        LAYERS + KEPT,
    ),
    "free-edges": (
        """coordinates: ["x[n]", "y[n]", "th[n]"]
parameters: {n: {size: 2}, m: 1.3, J: 0.5, g: 1}
mass: [m, m, J]
potential: sum(i, 1, n, m*g*x[i])
nonholonomic: {edge: {for: "i = 1..n", expression: "sin(th[i])*x'[i] - cos(th[i])*y'[i]"}}
states: {default: {q: [0, 0.5, 0.3], v: [cos(0.3), sin(0.3), 1]}}
""",
        15,
        [f"discrete-lagrange-dalembert({form})" for form in ("midpoint", "reversible", "leapfrog")],
    ),
    "damped": (
        """coordinates: ["x[n]", "y[n]"]
parameters: {n: {size: 2}, m: 1.3, g: 1, c: 0.2}
mass: [m, m]
potential: sum(i, 1, n, m*g*y[i]*(1 + 0.3*sin(t)))
constraints: {rod: {for: "i = 1..n", expression: "(x[i] - 0.1*sin(t))^2 + y[i]^2 - 1"}}
forces: {drag: ["-c*x'[i]", "-c*y'[i]"]}
states: {default: {q: [sin(0.5), -cos(0.5)], v: [0.1 + 0.4*cos(0.5), 0.4*sin(0.5)]}}
""",
        22,
        LAYERS + KEPT + MAPS,
    ),
    "charges": (
        """coordinates: ["x[n]", "y[n]", "z[n]"]
parameters: {n: {size: 2}, m: 1.3, B: 2}
mass: [m, m, m]
gyroscopic: ["-B*y[i]/2", "B*x[i]/2", 0]
potential: sum(i, 1, n, z[i])
constraints: {ball: {for: "i = 1..n", expression: "x[i]^2 + y[i]^2 + z[i]^2 - 1"}}
states: {default: {q: [0.6, 0, 0.8], v: [0, 0.5, 0]}}
""",
        15,
        LAYERS + KEPT + MAPS + ["convert(rk3, bias=-0.5)"],
    ),
    "polar": (
        """coordinates: ["r[n]", "a[n]"]
parameters: {n: {size: 2}, m: 1.3}
mass: [m, "m*r[i]^2"]
potential: sum(i, 1, n, (r[i] - 1)^2 - r[i]*cos(a[i]))
states: {default: {q: [1, 0.4], v: [0.1, 0.5]}}
""",
        22,
        LAYERS + MAPS + ["convert(rk3, bias=-0.5)"],
    ),
}
STUDY = """study: conservation
system: {{file: {name}.yaml, parameters: {{n: {n}}}}}
end: 0.5
steps: [0.0625]
methods: [{methods}]
observables: [energy]
"""


def final(name, n, methods):
    """q of every method, [method, name of a coordinate, copy]."""
    quoted = ", ".join(f'"{m}"' for m in methods)
    process, result = run(f"{name}-{n}", STUDY.format(name=name, n=n, methods=quoted))
    if not ok(process.returncode == 0, f"{name}: {n} copies run", process.returncode, process.stderr):
        return None
    with h5py.File(result, "r") as f:
        return f["final/q"][:, 0, :].reshape(len(methods), -1, n)


def compare(name):
    text, many, methods = SYSTEMS[name]
    write(f"{name}.yaml", f"system: {name}\n" + text)
    few, wide = final(name, 2, methods), final(name, many, methods)
    if few is None or wide is None:
        return
    start = constella("system", f"{name}.yaml", "--parameters", f"n={many}")
    ok(start.returncode == 0, f"{name}: {many} copies are examined", start.stdout, start.stderr)
    for k, method in enumerate(methods):
        apart = np.abs(wide[k] - few[k][:, :1]).max()
        # dopri5 chooses its steps by a norm over all coordinates
        ok(
            apart < (1e-8 if "dopri5" in method else 1e-12),
            f"{name}: {method}, a copy among {many} moves as one of two",
            apart,
        )


LIMITS = {
    "polar": (
        151,
        "polar.yaml:4:7: error: 302 coordinates and 0 constraints; a system with a mass that depends on the "
        "coordinates or is not diagonal may have at most 300 and 300",
    ),
    "charges": (
        101,
        "charges.yaml:5:13: error: 303 coordinates and 101 constraints; a system with gyroscopic terms may "
        "have at most 300 and 300",
    ),
}
# of methods: the system, copies, method and words
REFUSED = [
    (
        "damped",
        151,
        "rattle",
        "damped has nonconservative forces, and rattle then eliminates full matrices of at most 300 coordinates "
        "and constraints; there are 302 and 151, which layers such as rk4, project(LAYER) and gauss(s) step",
    ),
    (
        "edges",
        15,
        "lagrange-dalembert(rk4)",
        "lagrange-dalembert with constraints on velocities solves for variations of all coordinates with full "
        "matrices, of at most 40 coordinates and 40 constraints, and edges has 45 and 15; "
        "discrete-lagrange-dalembert(reversible) and layers step it",
    ),
]


def refuse():
    for name, (n, words) in LIMITS.items():
        text = constella("system", f"{name}.yaml", "--parameters", f"n={n}").stderr
        ok(text.strip().endswith(words) and text.count("error:") == 1, f"{name}: the limit, once", text)
    for name, n, method, words in REFUSED:
        write("many.study.yaml", STUDY.format(name=name, n=n, methods=f'"{method}"'))
        text = constella("check", "many.study.yaml").stderr
        ok("many.study.yaml:5:11: error: " + words in text, f"{name}: the limit of {method}", text)


if __name__ == "__main__":
    together([lambda name=name: compare(name) for name in SYSTEMS], 2)
    refuse()
    done()

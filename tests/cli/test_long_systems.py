"""test_long_systems.py: systems with many constraints that couple as a band: compiled and interpreted, over
every instruction set, on any ranks, the same bits.

Families differ in what is generated for them (src/system/emit/emit-rows.c): bands of 1, of a few and of
many, several masses, constraints of several forms in turn, coordinates without constraints, and constraints that are
too long for it.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import ENVIRONMENT, differences, digests, done, h5py, ok, path, run, scratch, sets, together, write

ENVIRONMENT["XDG_CACHE_HOME"] = scratch()
ENVIRONMENT.pop("CONSTELLA_CC", None)
BODIES = os.path.abspath("jobs/bodies/ball-chain.yaml")

LINK = "(x[i] - x[i-1])^2 + (y[i] - y[i-1])^2"
SYSTEMS = {
    "even": """coordinates: ["x[n]", "y[n]"]
parameters: {n: {size: 12}, L: 1}
mass: [1, 1]
potential: sum(i, 1, n, y[i])
constraints:
  first: x[1]^2 + y[1]^2 - L^2
  link: {for: "i = 2..n", expression: "LINK - L^2"}
states: {default: {q: [0.6*i, -0.8*i], v: [0.8*i/n, 0.6*i/n]}}
""",
    "space": """coordinates: ["x[n]", "y[n]", "z[n]"]
parameters: {n: {size: 13}, m: 2, k: 0.3}
mass: [m + 1/i, m + 1/i, m + 1/i]
potential: sum(i, 1, n, z[i]) + k*sum(i, 1, n, x[i]^2 + y[i]^4)/2
constraints:
  first: x[1]^2 + y[1]^2 + z[1]^2 - 1
  link: {for: "i = 2..n", expression: "LINK + (z[i] - z[i-1])^2 - 1"}
states: {default: {q: [0.6*i, 0*i, -0.8*i], v: [0, i/n, 0]}}
""",
    "ring": """coordinates: ["x[n]", "y[n]"]
parameters: {n: {size: 24}, r: {default: "1/(2*sin(pi/n))"}}
mass: [1, 1]
potential: sum(i, 1, n, x[i]^2 + 2*y[i]^2)/20
constraints:
  link: {for: "i = 2..n", expression: "LINK - 1"}
  last: (x[1] - x[n])^2 + (y[1] - y[n])^2 - 1
states: {default: {q: [r*cos(2*pi*i/n), r*sin(2*pi*i/n)], v: [-sin(2*pi*i/n)/4, cos(2*pi*i/n)/4]}}
""",
    "ladder": """coordinates: ["x[n]", "y[n]", "z[n]", "u[n]", "v[n]", "w[n]"]
parameters: {n: {size: 12}, m: 1, M: 2.5}
mass: [m, m, m, M, M, M]
potential: sum(i, 1, n, m*z[i]*i + M*w[i])/10
constraints:
  left: {for: "i = 2..n", expression: "LINK + (z[i] - z[i-1])^2 - 1"}
  right: {for: "i = 2..n", expression: "(u[i] - u[i-1])^2 + (v[i] - v[i-1])^2 + (w[i] - w[i-1])^2 - 1"}
  rung: {for: "i = 1..n", expression: "((x[i] - u[i])^2 + (y[i] - v[i])^2 + (z[i] - w[i])^2 - 1)/2"}
states: {default: {q: [1 + 0*i, 0*i, 1-i, 1 + 0*i, 1 + 0*i, 1-i], v: [0, i/n, 0, 0, i/n, 0]}}
""",
    "comb": """coordinates: ["x[n]", "y[n]", "a[n]", "b[n]", "s[3]"]
parameters: {n: {size: 14}}
mass: [1, 1, 1, 1, 2]
potential: sum(i, 1, n, y[i] + b[i]) + (s[1]^2 + s[2]^2 + s[3]^4)/2 + sum(i, 1, n, cos(a[i]))
constraints:
  first: x[1]^2 + y[1]^2 - 1
  spine: {for: "i = 2..n", expression: "LINK - 1"}
  tooth: {for: "i = 1..n", expression: "sqrt((x[i] - a[i])^2 + (y[i] - b[i])^2) - 1"}
states: {default: {q: [0.6*i, -0.8*i, 0.6*i, -1 - 0.8*i, 0.5*i], v: [0, 0, 0, 0, 1]}}
""",
    "wordy": """coordinates: ["x[n]", "y[n]"]
parameters: {n: {size: 12}}
mass: [1, 1]
potential: sum(i, 1, n, y[i])
constraints:
  first: y[1] - sum(j, 1, 60, 1/(j + x[1]^2) - 1/j)
  link: {for: "i = 2..n", expression: "LINK - 1"}
states: {default: {q: [0.6*(i-1), -0.8*(i-1)], v: [0, 0]}}
""",
}
# starts with zeros of either sign: links along an axis, at rest or not, and at right angles
STARTS = {
    "still": "q: [0*i, -1*i], v: [0, 0]",
    "plumb": "q: [0*i, -1*i], v: [i/n, 0]",
    "stairs": "q: [(2*i + 1 - cos(pi*i))/4, -(2*i - 1 + cos(pi*i))/4], v: [0, 0]",
}
SYSTEMS["even"] = SYSTEMS["even"].replace(
    "}}\n", "}" + "".join(f", {name}: {{{at}}}" for name, at in STARTS.items()) + "}\n"
)
STUDY = """study: ensemble
system: {{file: {file}, compile: {compile}}}
initial: {{members: 11, seed: 1, around: {around}, spread: {{q: 0.001, v: 0.02}}}}
end: 1
steps: {steps}
methods: [rattle, shake, euler-b, "compose(rattle, suzuki4)", "project(rk4)"]
observables: [energy, constraint]
"""


def study(name, compile, around):
    steps = "[0.01, 0.005]" if name == "bodies" else "[0.04, 0.01]"
    return STUDY.format(file=f"{name}.yaml", compile=compile, steps=steps, around=around)


def result_of(name, compile, title, around="default", **how):
    title = title if around == "default" else f"{around}, {title}"
    process, result = run(f"{name}-{title}", study(name, compile, around), **how)
    if not ok(process.returncode == 0, f"{name}, {title}: runs", process.returncode, process.stderr):
        return None
    with h5py.File(result, "r") as f:
        kernels = f["run"].attrs["kernels"]
    wanted = "interpreted" if compile == "never" else "compiled"
    ok(
        (kernels.decode() if isinstance(kernels, bytes) else kernels) == wanted,
        f"{name}, {title}: {wanted}",
        kernels,
    )
    return digests(result)


NARROW = ("v2", "v3")


# with less optimisation than that of studies, in a part of its time; the widest set has that of studies
QUICKER = path("cc")


def compare(name, narrow):
    """A system is compiled once for an instruction set, whatever it starts from. What is generated does not
    depend on the set, so each family takes one of the narrow ones in turn. Other starts take two ranks at once."""
    ways = [("compiled", {}), ("two ranks", {"ranks": 2}), *((x, {"env": {"CONSTELLA_ISA": x, "CONSTELLA_CC": QUICKER}}) for x in narrow)]
    for around in ["default", *(STARTS if name == "even" else ())]:
        first = result_of(name, "never", "interpreted", around)
        for title, how in ways if around == "default" else ways[1:]:
            found = result_of(name, "always", title, around, **how)
            if first and found:
                wrong = differences(first, found)
                ok(not wrong, f"{name}, {around}, {title}: the bits of the interpreter", wrong)


if __name__ == "__main__":
    with open(QUICKER, "w") as f:
        f.write('#!/bin/sh\nexec cc "$@" -O1\n')
    os.chmod(QUICKER, 0o755)
    for name, text in SYSTEMS.items():
        write(f"{name}.yaml", f"system: {name}\ndoc: A test.\n" + text.replace("LINK", LINK))
    with open(BODIES) as chain:  # half as long: 48 coordinates, which take half as long to compile
        write("bodies.yaml", chain.read().replace("{size: 8,", "{size: 4,"))
    built = list(sets(*NARROW))
    narrow = [built if name == "even" or os.environ.get("CONSTELLA_TEST_ALL") else built[i % max(len(built), 1) :][:1]
              for i, name in enumerate([*SYSTEMS, "bodies"])]
    together([lambda x=x: compare(*x) for x in zip([*SYSTEMS, "bodies"], narrow)], 2)
    done()

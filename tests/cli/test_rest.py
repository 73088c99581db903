"""test_rest.py: no iteration stops on an easy motion: at rest, at turning points, at equilibria, far from the
origin, in very small and very large units, and where an acceleration passes through zero, over all methods
that iterate. TAP.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import h5py
from cli import constella, done, ok, path, write

LONG = "CONSTELLA_TEST_ALL" in os.environ

HOLONOMIC = [
    "euler-a", "euler-b", "midpoint", "shake", "rattle", "rattle(form=null-space)", "midpoint(form=null-space)",
    "discretization(theta=0.25)", "compose(rattle, suzuki4)", "project(rk4)", "gauss(1)", "gauss(3)", "hbvm(k=3, s=2)",
    "convert(rk4)", "convert(gauss(2))", "lagrange-dalembert(rk4)",
]  # fmt: skip
FREE = ["gauss(2)", "hbvm(k=3, s=2)", "convert(rk4)", "convert(gauss(1))", "newmark", "pushforward-newmark(beta=0.25)",
        "zhang-skeel(beta=0.25)", "midpoint"]  # fmt: skip
BODIES = ["lie-euler-a", "lie-euler-b", "lie-rattle", "lie-lobatto", "rattle", "midpoint", "gauss(2)", "convert(rk4)"]

# A pendulum of length L whose point of suspension is at (X, X).
PENDULUM = """system: shifted
coordinates: [x, y]
parameters: {L: 1, X: 0, g: 1}
mass: [1, 1]
potential: g*(y - X)
constraints: {rod: ((x - X)^2 + (y - X)^2 - L^2)/2}
states:
  default: {q: [X, X - L], v: [0, 0]}
  upright: {q: [X, X + L], v: [0, 0]}
  released: {q: [X + L, X], v: [0, 0]}
  weightless: {q: [X + L, X], v: [0, sqrt(g*L)]}
"""
# Two equal masses with a spring of length 0, at rest in its middle or released.
SPRING = """system: spring
coordinates: [x, y]
parameters: {L: 1}
mass: [1, 2]
potential: (x - y)^2/2 + (x - y)^4/L^2
states:
  default: {q: [L, L], v: [0, 0]}
  released: {q: [L, -L], v: [0, 0]}
  passing: {q: [0, 0], v: [L, -L]}
"""
# Two bars with a common joint, a closed loop with the ground: at rest, in a plane that gravity does not move.
LOOP = """system: loop
bodies:
  one: {rotation: A, centre: [x1, y1, z1], mass: 1, inertia: [0.02, 0.08, 0.09]}
  two: {rotation: B, centre: [x2, y2, z2], mass: 1, inertia: [0.02, 0.08, 0.09]}
potential: g*(z1 + z2)
parameters: {g: 0}
constraints:
  ax: x1 - A11/2
  ay: y1 - A21/2
  az: z1 - A31/2
  bx: x1 + A11/2 - x2 + B11/2
  by: y1 + A21/2 - y2 + B21/2
  bz: z1 + A31/2 - z2 + B31/2
  end: z2 + B31/2
states:
  default: {bodies: {one: {centre: [0.5, 0, 0]}, two: {centre: [1.5, 0, 0]}}}
"""
PASSAGES = """study: ensemble
system: double-pendulum-angles
initial: {members: %d, seed: 4, around: {q: [0, 0], v: [30, 30]}, spread: {q: 1.0, v: 5.0}}
end: %s
steps: [0.005]
methods: ["gauss(1)", "gauss(2)", "gauss(4)", "hbvm(k=4, s=2)"]
observables: [energy]
samples: {count: 1}
"""


def study(file, state, methods, steps, parameters):
    return f"""study: conservation
system: {{file: {file}, parameters: {{{parameters}}}}}
initial: {state}
end: {60 * steps[0]!r}
steps: {steps}
methods: {methods}
samples: {{count: 10}}
roundoff: {{dyadic-steps: false}}
""".replace("'", '"')


def completes(title, text):
    name = title.replace(" ", "-")
    process = constella("run", write(f"{name}.yaml", text), "-o", path(f"{name}.h5"), "--overwrite", "--progress", "none")
    ok(process.returncode == 0, f"{title}: no trajectory stops", process.stderr)


def holonomic():
    file = write("shifted.yaml", PENDULUM)
    for state in ("default", "upright", "released", "weightless"):
        for words, parameters in (("", ""), ("in small units", "L: 1e-6, g: 1e-6"), ("in large units", "L: 1e6, g: 1e6")):
            completes(f"pendulum {state} {words}".strip(), study(file, state, HOLONOMIC, [0.05, 0.001], parameters))
        completes(f"pendulum {state} far away", study(file, state, HOLONOMIC, [0.05, 0.001], "X: 1e6"))


def free():
    file = write("spring.yaml", SPRING)
    for state in ("default", "released", "passing"):
        for length in (1, 1e-6, 1e6):
            completes(f"spring {state} of length {length:g}", study(file, state, FREE, [0.05, 0.001], f"L: {length!r}"))


def bodies():
    file = write("loop.yaml", LOOP)
    for g in (0, 1):
        completes(f"closed loop at rest with gravity {g}", study(file, "default", BODIES, [0.004, 0.0005], f"g: {g}"))


def passages():
    members, end = (1000, "20.0") if LONG else (128, "2.0")
    completes(f"{members} members through zero acceleration", PASSAGES % (members, end))


REFERENCE = """study: order
system: planar-pendulum
initial: {members: 3, seed: 1, around: {q: [0, -1], v: [1.9, 0]}, spread: {v: 0.01}}
end: 4
steps: [0.125, 0.0625, 0.03125]
methods: [rattle]
reference: {method: "gauss(4)", step: %s}
"""


def reference():
    """A member of the reference that stops is taken with half the step, a quarter, and so on."""
    half, file = path("half.h5"), write("half.yaml", REFERENCE % "1.0")
    constella("run", file, "-o", half, "--progress", "none")
    for ranks in (1, 2):
        whole, file = path(f"whole-{ranks}.h5"), write("whole.yaml", REFERENCE % "2.0")
        process = constella("run", file, "-o", whole, "--progress", "none", ranks=ranks)
        words = "3 of 3 trajectories stopped at the step 2"
        ok(process.returncode == 0 and words in process.stderr, f"{ranks} ranks: the reference is taken again", process.stderr)
        ok(words in constella("status", whole).stdout, f"{ranks} ranks: and this is recorded")
        with h5py.File(whole) as w, h5py.File(half) as h:
        with h5py.File(whole) as w, h5py.File(half) as h:
            apart = abs(w["error/total"][()] - h["error/total"][()]).max()
            ok(apart < 1e-15, f"{ranks} ranks: the errors are those of half the step", apart)


holonomic()
free()
bodies()
passages()
reference()
done()

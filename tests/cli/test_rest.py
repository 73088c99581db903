"""test_rest.py: no iteration stops on an easy motion: at rest, at turning points, at equilibria, far from the
origin, in very small and very large units, and where an acceleration passes through zero, over all methods
that iterate. TAP.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os

import h5py
import numpy

from cli import constella, done, ok, path, write

LONG = "CONSTELLA_TEST_ALL" in os.environ
U = 2.0**-53

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


# Systems whose terms cancel at rest, in the sums of a step or inside an expression: V, force, parameters; F: the length
# over which they bend.
CANCELLING = {
    "springs": ("k/2*(d + x - l)^2 + k/2*(d - x - l)^2", None, "k: 100, d: 1.5, l: 1"),
    "lennard-jones": ("4*((1.122462048309373 + x)^(-12) - (1.122462048309373 + x)^(-6))", None, ""),
    "morse": ("(1 - exp(-x))^2", None, ""),
    "log-well": ("x - log(1 + x)", None, ""),
    "cosh": ("(exp(x) + exp(-x))/2", None, ""),
    "exponential": ("exp(x) - x", None, ""),
    "turned-sine": ("-sin(x + 1.5707963267948966)", None, ""),
    "hanging": ("k/2*(x - m*g/k)^2 + m*g*x", None, "k: 100, m: 1, g: 9.81"),
    "hanging-damped": ("k/2*(x - m*g/k)^2 + m*g*x", "-c*x'", "k: 100, m: 1, g: 9.81, c: 2"),
    "rubbing": ("x^2/2", "-0.1*(exp(x'/vs) - exp(-x'/vs))/(exp(x'/vs) + exp(-x'/vs))", "vs: 0.1"),
}
LINE = """system: NAME
coordinates: [x]
parameters: {PARAMETERSa: 0.1}
mass: [1]
potential: "V"
FORCESstates: {default: {q: [a], v: [0]}}
"""
RING = """system: ring
coordinates: [w, x, y, z]
parameters: {a: 0.1}
mass: [1, 1, 1, 1]
potential: exp(w - x) + exp(x - y) + exp(y - z) + exp(z - w)
states: {default: {q: [a, 0, -a, 0], v: [0, a/2, 0, -a/2]}}
"""
SWING = """system: swing
coordinates: [x, y]
parameters: {a: 0.1}
mass: [1, 1]
potential: y
constraints: {rod: x^2 + y^2 - 1REDUNDANT}
forces: {drag: ["-x'", "-y'"]}
states: {default: {q: ["sin(a)", "-cos(a)"], v: [0, 0]}}
"""
AMPLITUDES = [1, 1e-1, 1e-3, 1e-6, 1e-10, 1e-14]
FORCED = ["rattle", "midpoint", "gauss(1)", "gauss(2)", "gauss(3)", "gauss(4)", "radau(1)", "radau(2)", "radau(3)", "bdf(2)",
          "generalized-alpha(rho=0.8)", "hht(alpha=0.1)", "discretization(theta=0.3)", "convert(rk4)", "convert(euler)",
          "convert(gauss(2))", "lagrange-dalembert(rk4)", "compose(midpoint, suzuki4)"]  # fmt: skip
FEW = ["rattle", "midpoint", "gauss(2)", "radau(2)", "bdf(2)", "generalized-alpha(rho=0.8)", "compose(midpoint, suzuki4)"]
UNFORCED = [*FORCED, "hbvm(k=2, s=1)", "hbvm(k=4, s=2)", "newmark", "pushforward-newmark(beta=0.25)", "zhang-skeel(beta=0.25)"]
TIED = ["rattle", "midpoint", "gauss(2)", "gauss(3)", "project(gauss(2))", "radau(2, form=index-1)", "radau(2)", "bdf(2)",
        "generalized-alpha(rho=0.8)", "lagrange-dalembert(rk4)"]  # fmt: skip
SMALL = """study: conservation
system: {file: FILE, compile: never, parameters: {a: AMPLITUDES}}
end: END
steps: STEPS
methods: METHODS
observables: [energy]
samples: {count: 10}
roundoff: {dyadic-steps: false}
"""


def small(name, file, methods, amplitudes=None, steps=(0.1, 0.02), end=10):
    """Every run that converges at the first amplitude does at all others; what is made of small ones is proportional to
    them, as far as the round-off of the terms lets it be."""
    amplitudes = amplitudes or AMPLITUDES
    text = SMALL.replace("FILE", file).replace("END", str(float(end))).replace("STEPS", str(list(steps)))
    text = text.replace("AMPLITUDES", str(amplitudes)).replace("METHODS", str(methods).replace("'", '"'))
    constella("run", write(f"small-{name}.yaml", text), "-o", path(f"small-{name}.h5"), "--overwrite", "--progress", "none")
    with h5py.File(path(f"small-{name}.h5")) as f:
        order = numpy.lexsort((-f["/cases/h"][()], -f["/cases/parameters"][:, -1]))  # stable: methods stay in order
        status = f["/final/status"][:, 0][order].reshape(len(amplitudes), len(steps), len(methods)).transpose(2, 0, 1)
        q = f["/final/q"][:, 0, 0][order].reshape(len(amplitudes), len(steps), len(methods)).transpose(2, 0, 1)
    bad = [
        f"{m}, step {h}, a = {a:g}: status {status[i, k, j]}"
        for i, m in enumerate(methods)
        for j, h in enumerate(steps)
        for k, a in enumerate(amplitudes)
        if status[i, k, j] and not status[i, 0, j]
    ]
    ok(not bad, f"{name}: {status.size} runs, those that converge once do at every amplitude", *bad)
    a = numpy.array(amplitudes)[None, :, None]
    linear = numpy.array([k for k, x in enumerate(amplitudes) if 1e-10 <= x <= 1e-3])
    if linear.size < 2:
        return
    part = (q / a)[:, linear]
    off = abs(part - part[:, :1]) / (0.01 + 1e4 * U / a[:, linear])
    ok(numpy.nanmax(off) < 1, f"{name}: small motions are proportional to their amplitude", numpy.nanmax(off))


def families():
    for name, (V, force, parameters) in CANCELLING.items():
        text = LINE.replace("NAME", name).replace("PARAMETERS", f"{parameters}, " if parameters else "")
        text = text.replace('"V"', f'"{V}"').replace("FORCES", f'forces: {{f: ["{force}"]}}\n' if force else "")
        small(name, write(f"{name}.system.yaml", text), FORCED if force else UNFORCED)
    small("ring", write("ring.system.yaml", RING), UNFORCED)
    small("swing", write("swing.system.yaml", SWING.replace("REDUNDANT", "")), TIED)
    twice = SWING.replace("rod: x^2 + y^2 - 1REDUNDANT", "rod: x^2 + y^2 - 1, twice: 2*x^2 + 2*y^2 - 2")
    small("swing-twice", write("twice.system.yaml", twice.replace("system: swing", "system: twice")), TIED)


def dying():
    """Down to rest, through subnormal numbers."""
    file = write("damped.system.yaml", LINE.replace("NAME", "damped").replace("PARAMETERS", "").replace('"V"', "x^2/2")
                 .replace("FORCES", "forces: {f: [\"-x'\"]}\n"))  # fmt: skip
    small("dying", file, FORCED if LONG else FEW, [1, 1e-280], [0.1], 10000 if LONG else 1600)


# A cart with a pendulum, turned about its rail: bodies that slide and turn between joints whose impulses cancel.
CART = """system: cart
parameters: {g: 9.81}
bodies:
  p: {rotation: P, centre: [xp, yp, zp], mass: 0.5, inertia: [0.0004, 0.0005, 0.0006]}
  r: {rotation: R, centre: [xr, yr, zr], mass: 0.6, inertia: [0.2, 0.19, 0.02]}
potential: g*(0.5*zp + 0.6*zr)
constraints:
  zu: P31
  zw: -P21
  zr: -0.8660254037844387*P32 + 0.49999999999999994*P33
  zs: zp
  zt: -yp
  jx: xp - xr - R13
  jy: yp - yr - R23
  jz: zp - zr - R33
  ju: -P13*R12 - P23*R22 - P33*R32
  jw: -P11*R12 - P21*R22 - P31*R32
states:
  default:
    bodies:
      p: {matrix: MATRIX, centre: [0, 0, 0], velocity: [1, 0, 0], omega: [0, 0, 0]}
      r: {matrix: MATRIX, centre: [0, 0.49999999999999994, -0.8660254037844387], velocity: [-2, 0, 0], omega: [0, 3, 0]}
""".replace(
    "MATRIX", "[[1, 0, 0], [0, 0.8660254037844387, -0.49999999999999994], [0, 0.49999999999999994, 0.8660254037844387]]"
)


def sliding():
    file = write("cart.system.yaml", CART)
    text = """study: conservation
system: {file: FILE, compile: never}
end: 0.2
steps: [0.01, 0.001]
methods: [rattle, lie-rattle, lie-midpoint, rattlie, lie-euler-a, lie-euler-b, lie-lobatto]
samples: {count: 1}
roundoff: {dyadic-steps: false}
""".replace("FILE", file)
    completes("a cart that slides", text)
    with h5py.File(path("a-cart-that-slides.h5")) as f:
        rate = (f["/final/iterations"][()] / f["/final/steps"][()]).reshape(7, 2)
    rate[6] /= 2  # which has two substeps
    ok((rate < 1.2 * rate[0]).all(), "bodies that slide and do not turn take as few iterations as rattle", rate)


# Drake's four-bar linkage at rest: no parts of its energy are exchanged, so that round-off is more than half of them.
LINKAGE = """system: linkage
parameters: {m: 20, I: 29.4666666666666666, l: 4, g: 9.81, qa: "atan2(sqrt(15), 1)"}
coordinates: [a, b, c]
mass:
  - [I + m*l^2/4 + m*l^2, m*l^2/2*cos(a - b), 0]
  - [m*l^2/2*cos(a - b), I + m*l^2/4, 0]
  - [0, 0, I + m*l^2/4]
potential: m*g*(-l/2*sin(a) - l*sin(a) - l/2*sin(b) - l/2*sin(c))
constraints:
  loopx: l*cos(a) + l*cos(b) + 2 - l*cos(c)
  loopz: l*sin(a) + l*sin(b) - l*sin(c)
states:
  default: {q: [qa, pi, pi - qa], v: [0, 0, 0]}
"""
AT_REST = """study: conservation
system: {file: FILE}
end: 10
steps: [0.01, 0.005]
methods: [rattle, "compose(rattle, suzuki4)", "gauss(4)", project(rk4)]
roundoff: {dyadic-steps: false}
observables: [energy]
"""


def resting():
    text = AT_REST.replace("FILE", write("linkage.system.yaml", LINKAGE))
    process = constella("run", write("resting.yaml", text), "-o", path("resting.h5"), "--overwrite", "--progress", "none")
    ok(process.returncode == 0 and "warning" not in process.stderr, "no warning of the energy of a linkage at rest", process.stderr)


# A force of size J that jumps where the velocity is 0: near rest no velocity solves the equations of a step.
JUMP = """study: conservation
system: {file: FILE, compile: never, parameters: {J: [0, 1e-12, 1e-9]}}
end: 100
steps: [0.1]
methods: [midpoint, "gauss(1)", "gauss(2)", "radau(2)", "generalized-alpha(rho=0.8)"]
observables: [energy]
samples: {count: 10}
"""


def jump():
    """Residuals that are wrong by 100 times their round-off, or more, are no round-off."""
    text = LINE.replace("NAME", "jump").replace("PARAMETERS", "J: 0, ").replace('"V"', "50*(x - 0.0981)^2 + 9.81*x")
    file = write("jump.system.yaml", text.replace("FORCES", "forces: {f: [\"-2*x' - J*sign(x')\"]}\n"))
    constella("run", write("jump.yaml", JUMP.replace("FILE", file)), "-o", path("jump.h5"), "--overwrite", "--progress", "none")
    with h5py.File(path("jump.h5")) as f:
        order = numpy.argsort(f["/cases/parameters"][:, 0], kind="stable")
        status = f["/final/status"][:, 0][order].reshape(3, 5).T
    ok((status[:, 0] == 0).all(), "without a jump all methods come to rest", status)
    ok((status[:, 1:] == 1).all(), "a force that jumps by 1e-12 of 9.81 where they rest lets none converge", status)


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
            apart = abs(w["error/total"][()] - h["error/total"][()]).max()
            ok(apart < 1e-15, f"{ranks} ranks: the errors are those of half the step", apart)


holonomic()
free()
bodies()
passages()
families()
sliding()
resting()
dying()
jump()
reference()
done()

"""test_pieces.py: step, sign, abs, min, max, ramp and smoothstep: values at and around their corners in lanes, from
constants and interpreted; derivatives; a ball on a spring that it leaves, against the exact motion; what is refused
at its place; names that stay free."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
from cli import constella, digests, done, made, ok, path, table, together, write

POINTS = [-2.5, -1, -0.25, 0, 0.125, 0.5, 0.75, 1, 1.5, 3]
W = 0.75


def clamp(x):
    return np.clip(x, 0, 1)


FUNCTIONS = {
    "step(x)": lambda x: 0.5 * (np.sign(x) + 1),
    "sign(x)": np.sign,
    "abs(x)": np.abs,
    "min(x, 1 - x)": lambda x: np.minimum(x, 1 - x),
    "max(x, 1/2)": lambda x: np.maximum(x, 0.5),
    "ramp(x, w)": lambda x: np.where(x < W, np.maximum(x, 0) ** 2 / (2 * W), x - W / 2),
    "smoothstep(x)": lambda x: clamp(x) ** 2 * (3 - 2 * clamp(x)),
}
SEVEN = "x, " + ", ".join(f"y{k}" for k in range(7))


def values():
    """The impulses of one Euler step are h times the functions of x."""
    zeros = ", ".join(["0"] * 8)
    system = f"""system: seven
coordinates: [{SEVEN}]
parameters: {{w: {W}}}
mass: [{", ".join(["1"] * 8)}]
potential: 0
forces: {{all: [0, {", ".join(f'"{f}"' for f in FUNCTIONS)}]}}
states: {{default: {{q: [{zeros}], v: [{zeros}]}}}}
"""
    write("seven.system.yaml", system)
    bits = []
    for compile in ("never", "always"):
        f = made(
            "seven-" + compile,
            f"""study: conservation
system: {{file: seven.system.yaml, compile: {compile}}}
end: 0.5
steps: [0.5]
methods: [euler]
initial: {{sweep: {{x: {POINTS}}}}}
""",
        )
        if f is None:
            return
        p = f["final/p"][:, 0, 1:] / 0.5
        bits.append({k: v for k, v in digests(path(f"seven-{compile}.h5")).items() if k.startswith("final")})
        for k, (name, function) in enumerate(FUNCTIONS.items()):
            gap = abs(p[:, k] - function(np.array(POINTS))).max()
            ok(gap < 1e-15, f"{name} {compile} compiled", p[:, k])
    ok(bits[0] == bits[1], "compiled and interpreted values have the same bits")
    text = [name.replace("smoothstep", "SMOOTH").replace("max", "MOST").replace("x", "0.375") for name in FUNCTIONS]
    text = [t.replace("SMOOTH", "smoothstep").replace("MOST", "max") for t in text]
    state = system.replace(f"q: [{zeros}]", 'q: [0, ' + ', '.join(f'"{t}"' for t in text) + ']')
    write("constants.system.yaml", state)
    f = made(
        "constants",
        "study: conservation\nsystem: {file: constants.system.yaml}\nend: 1.0e-9\nsteps: [1.0e-9]\nmethods: [euler]\n",
    )
    gap = [abs(f["final/q"][0, 0, 1 + k] - g(np.array(0.375))) for k, g in enumerate(FUNCTIONS.values())] if f else [1]
    ok(max(gap) < 1e-8, "the same functions of constants", gap)


SMOOTH = """system: cam
coordinates: [x, y]
parameters: {w: 0.5, step: 2}
define:
  "sign(u)": 3*u            # a definition goes before the function
mass: [step, 1 + abs(x)]
potential: sign(y) + abs(x)^3 + max(x, y)^2/2 + ramp(y, w) + min(x*y, 2)
constraints: {cam: "y - smoothstep(x)/4 - ramp(x, 2*w)"}
forces: {drag: ["-step(x - 0.6)*x'", 0]}
states: {default: {q: [0.5, "smoothstep(0.5)/4 + ramp(0.5, 2*w)"], v: [0.4, "0.4*(1.5/4 + 0.5/(2*w))"]}}
"""


def derivatives():
    x = constella("system", write("cam.yaml", SMOOTH))
    ok(x.returncode == 0 and x.stdout.endswith("ok\n"), "derivatives are those between the pieces", x.stdout, x.stderr)
    for part in ("the potential", "the mass", "constraints", "forces"):
        ok(f"{part}: smooth in pieces" in x.stdout, f"a note about {part}", x.stdout)
    x = constella("system", "planar-pendulum")
    ok("pieces" not in x.stdout, "no note where all is smooth", x.stdout)


BALL = """system: ball
coordinates: [x, y]
parameters: {m: 1, g: 1, k: 100}
mass: [m, m]
potential: m*g*y + k*max(-y, 0)^2/2
states: {default: {q: [0, 0.5], v: [1, 0]}}
"""


def ball():
    """A ball falls on a spring: a parabola, part of a sine, a parabola."""
    w, g, up = 10.0, 1.0, 1.0  # up: the speed at y = 0
    contact = (np.pi + 2 * np.arctan2(g / w, up)) / w
    t = 2.0
    since = t - 1 - contact
    exact = since - g * since**2 / 2
    write("ball.system.yaml", BALL)
    methods = ["rattle", "midpoint", "gauss(2)", "compose(rattle, yoshida4)", "taylor(3)", "hbvm(k=4, s=1)"]
    text = f"""study: conservation
system: {{file: ball.system.yaml}}
end: {t}
steps: [0.0025, 0.00125]
methods: [{", ".join(f'"{m}"' for m in methods)}]
roundoff: {{dyadic-steps: false}}
"""
    f = made("ball", text)
    for k, method in enumerate(methods if f else ()):
        error = abs(f["final/q"][2 * k : 2 * k + 2, 0, 1] - exact)
        ok(error[1] < 3e-5, f"{method}: the ball bounces as it should", error)
    rows = table(path("ball.h5"))
    ok(all(r["energy_max"] < 2e-3 for r in rows), "its energy", [r["energy_max"] for r in rows])
    f = made(
        "quad",
        text.replace("conservation", "order").replace(str(methods)[1:-1].replace("'", '"'), '"rattle"')
        + 'reference: {method: "gauss(4)", step: 0.01, precision: quad}\n',
    )
    if f:
        ok(table(path("quad.h5"))[1]["error_q"] < 1e-3, "a reference in quadruple precision")


def refused():
    mistakes = {
        "m*g*y + k": ("m*g*y*step(y) + k", ":5:18: error: potential: it jumps, by step or sign, which forces alone"),
        "mass: [m, m]": ("mass: [m, m*(2 + sign(x))]", ":4:18: error: mass: it jumps"),
        "states:": ("constraints: {a: y + 2 - smoothstep(x) - abs(x)}\nstates:", ":6:42: error: constraint: its gradient"),
        "mass:": ("define: {jump: step(x)}\nmass:", None),
        "*max(-y, 0)^2": ("*max(-y)^2", ": error: potential: max takes 2 arguments"),
        "*max(-y, 0)": ("*maxx(-y, 0)", "unknown function 'maxx'; allowed: sqrt, sin, cos, tan, exp, log, atan2, sum, step"),
        "max(-y, 0)": ("floor(y)", "floor takes numbers, sizes and variables of families and sums, for indices; step(x) is 0"),
    }
    for k, (old, (new, said)) in enumerate(mistakes.items()):
        text = BALL.replace(old, new)
        if said is None:
            text, said = text.replace("m*g*y", "jump*y"), ":6:12: error: potential: it jumps"
        x = constella("system", write(f"piece-{k}.yaml", text))
        ok(x.returncode == 2 and said in x.stderr, f"refused: {new[:40]!r}", x.stderr)
    x = constella("system", write("free.yaml", BALL.replace("m: 1,", "m: 1, step: 1, abs: 2, max: 3,")))
    ok(x.returncode == 0, "names of the functions stay free for parameters", x.stderr)


def smooth_functions():
    """Friction by tanh and a potential of cosh: compiled and interpreted alike, and as they are written with exp; a definition
    of the name goes before the function."""
    text = """system: NAME
coordinates: [x]
mass: [1]
potential: cosh(x) + log1p(x^2) + acos(x/9)*asin(x/9)
forces: {rub: ["-0.1*tanh(x'/0.3) + expm1(-x'^2)*sinh(x')"]}
DEFINE
states: {default: {q: [0.4], v: [1]}}
"""
    spelt = """define:
  cosh(u): (exp(u) + exp(-u))/2
  sinh(u): (exp(u) - exp(-u))/2
  tanh(u): 1 - 2/(exp(2*u) + 1)
  expm1(u): exp(u) - 1"""
    study = """study: conservation
system: {file: NAME.system.yaml, compile: CODE}
end: 4
steps: [0.01]
methods: [rk4, "gauss(2)", midpoint]
samples: {count: 2}
"""
    seen = {}
    for name, define in (("named", ""), ("spelt", spelt)):
        write(f"{name}.system.yaml", text.replace("NAME", name).replace("DEFINE", define))
        x = constella("system", path(f"{name}.system.yaml"))
        ok(x.returncode == 0 and "\nok" in x.stdout, f"smooth functions, {name}: derivatives", x.stdout + x.stderr)
        for code in ("always", "never"):
            f = made(f"{name}-{code}", study.replace("NAME", name).replace("CODE", code))
            seen[name, code] = f["final/q"][:] if f else np.zeros(1)
        ok((seen[name, "always"] == seen[name, "never"]).all(), f"smooth functions, {name}: compiled and interpreted alike")
    apart = abs(seen["named", "never"] - seen["spelt", "never"]).max()
    ok(0 < apart < 1e-13, "smooth functions: as written with exp", apart)


def main():
    together([values, derivatives, ball, refused, smooth_functions])
    done()


main()

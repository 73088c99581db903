"""test_nonholonomic.py: constraints on velocities, forces and the time: lagrange-dalembert against a numpy
program of the same principle (lagrange_dalembert.py), orders, what is kept to round-off, exact motions, the
balance of the energy, and what is refused with its words."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
import lagrange_dalembert as by_hand
from cli import constella, differences, digests, done, made, narrowest, ok, path, run, table, together, write

FORCED = """system: forced
coordinates: [x, y, z]
parameters: {c: 0.2, w: 1.7, a: 0.3}
mass: [1, 1, 1]
potential: (x^2 + y^2)/2 + a*z*cos(w*t)
nonholonomic: {wheel: "z' - y*x' + 0.1*x"}
forces: {drag: ["-c*x'", "-c*y'", 0], drive: [0, sin(t)*x, 0]}
states: {default: {q: [1, 1, 0], v: [0.3, 0.2, 0.2]}}
"""
STUDY = """study: order
system: %s
end: %g
steps: [%s]
methods: [%s]
reference: {method: "gauss(4)", step: 0.01}
"""


def quoted(methods):
    return ", ".join(f'"{m}"' for m in methods)


def by_hand_too():
    cases = [("euler", 0), ("heun", -0.3), ("rk3", -0.5), ("rk4", -1)]
    labels = [f"lagrange-dalembert({name}, bias={bias})" for name, bias in cases]
    for name, text, system in (
        ("linear", "nonholonomic-oscillator", by_hand.Oscillator()),
        ("affine", "{file: forced.yaml}", by_hand.Forced()),
    ):
        f = made("hand-" + name, STUDY % (text, 0.2, 0.1, quoted(labels)))
        if f is None:
            continue
        for k, (layer, bias) in enumerate(cases):
            q, v = np.array([1, 1, 0.0]), np.array([0.3, 0.2, 0.3 if name == "linear" else 0.2])
            for i in range(2):
                q, v = by_hand.step(system, layer, q, v, 0.1 * i, 0.1, bias)
            gap = max(abs(f["final/q"][k, 0] - q).max(), abs(f["final/p"][k, 0] - v).max())
            ok(gap < 2e-14, f"{name}, {labels[k]}: two steps are those of numpy", gap)


def orders():
    expected = {"euler": 1, "heun": 2, "rk3": 3, "rk4": 4, "explicit-midpoint": 2, "gauss(2)": 4, "rk5": 5}
    biases = {
        "euler": (0, -0.5),
        "heun": (-0.3,),
        "rk3": (-0.5, -1),
        "rk4": (0, -0.5),
        "explicit-midpoint": (-1,),
        "gauss(2)": (-0.3,),
        "rk5": (0,),
    }
    methods = {
        f"lagrange-dalembert({l}, bias={b})": expected[l] + (b == -0.5 and expected[l] % 2)
        for l in expected
        for b in biases[l]
    }
    methods.update({"rk4": 4, "project(rk3)": 3})
    for system in ("{file: forced.yaml}", "chaplygin-sleigh"):
        f, result = run(
            "orders-" + system[1:5],
            STUDY % (system, 1, "0.1, 0.05, 0.025", quoted(methods)) + "error: {of: [q, p]}\n",
        )
        rows = table(result)
        if not ok(f.returncode == 0 and len(rows) == 3 * len(methods), f"orders on {system} run", f.stderr):
            continue
        for k, (method, order) in enumerate(methods.items()):
            got = np.log2(rows[3 * k + 1]["error"] / rows[3 * k + 2]["error"])
            ok(abs(got - order) < 0.35, f"{system}: {method} has order {order}", got)


def forced_orders():
    """Forces and the time against a reference in quadruple precision."""
    methods = {
        "midpoint": 2,
        "rattle": 2,
        "convert(rk3, bias=-0.5)": 4,
        "project(rk4)": 4,
        "gauss(2)": 4,
        "compose(rattle, yoshida4)": 4,
    }
    for system, end in (("kapitza", 1), ("damped-double-pendulum", 0.5)):
        f, result = run(
            "forced-" + system,
            f"""study: order
system: {system}
end: {end}
steps: [0.02, 0.01]
methods: [{quoted(methods)}]
reference: {{method: "gauss(6)", step: 0.02, precision: quad}}
error: {{of: [q, p]}}
""",
        )
        rows = table(result)
        for k, (method, order) in enumerate(
            methods.items() if len(rows) == 2 * len(methods) else {"all": 0}.items()
        ):
            got = np.log2(rows[2 * k]["error"] / rows[2 * k + 1]["error"]) if rows else np.nan
            ok(abs(got - order) < 0.3, f"{system}: {method} has order {order}", got, f.stderr)


def redundant():
    """A constraint on velocities that one on positions implies is redundant."""
    system = """system: twice
coordinates: [x, y, th]
mass: [1, 1, 1]
potential: y
constraints: {circle: x^2 + y^2 - 1}
nonholonomic: {again: "x*x' + y*y'", rolling: "x*y' - y*x' + th'/2"}
states: {default: {q: [0.6, -0.8, 0], v: [0.8, 0.6, -2]}}
"""
    write("twice.yaml", system)
    methods = ["rk4", "lagrange-dalembert(rk4, bias=-0.5)"]
    f, result = run("twice", STUDY % ("{file: twice.yaml}", 1, "0.05, 0.025", quoted(methods)))
    for row in table(result)[1::2]:
        ok(
            row["order_q"] > 3.7 and row["error"] < 1e-5,
            f"redundant constraints on velocities: {row['method']}",
            f.stderr,
            row,
        )


def kept():
    methods = ["lagrange-dalembert(rk4)", "lagrange-dalembert(euler, bias=-0.5)", "project(rk4)"]
    f = made(
        "kept",
        f"study: conservation\n"
        f"system: chaplygin-sleigh\n"
        f"end: 500\n"
        f"steps: [0.05]\n"
        f"methods: [{quoted(methods)}]\n",
    )
    rows = table(path("kept.h5")) if f else []
    for row in rows:
        ok(
            row["hidden_scaled_max"] < 1e-14,
            f"phi v = 0 to round-off over 1e4 steps: {row['method']}",
            row["hidden_scaled_max"],
        )
    for system in ("disk-on-circle", "turntable"):
        f, result = run(
            "kept-" + system,
            f"study: conservation\nsystem: {system}\nend: 20\nsteps: [0.02]\nmethods: [{quoted(methods)}]\n",
        )
        for row in table(result):
            worst = max(row["constraint_scaled_max"], row["hidden_scaled_max"])
            ok(worst < 2e-14, f"{system}: g, G v and phi v + phi0 to round-off: {row['method']}", worst)


def exact():
    for system in ("knife-edge", "rolling-disk", "forced-oscillator"):
        f, result = run(
            "exact-" + system,
            f"""study: order
system: {system}
end: 2
steps: [0.05, 0.025]
methods: [rk4, "lagrange-dalembert(rk4, bias=-0.5)"]
reference: exact
""",
        )
        for row in table(result)[1::2]:
            ok(
                row["error"] < 2e-6 and row["order_q"] > 3.8,
                f"{system}: the exact motion, {row['method']}",
                f.stderr,
                row,
            )


def turntable():
    """The centre of the ball is back where it was after a time of 2 pi/(2/7 W)."""
    f = made(
        "turns",
        """study: conservation
system: turntable
end: "7*pi/W"
steps: {counts: [800]}
roundoff: {dyadic-steps: false}
methods: ["lagrange-dalembert(rk4, bias=-0.5)"]
""",
    )
    if f is not None:
        gap = abs(f["final/q"][0, 0, :2] - [1, 0]).max()
        ok(gap < 2e-4, "a ball on a turntable goes round at 2/7 of the rate", gap)


def balance():
    methods = {
        "rk4": 4,
        "project(rk3)": 3,
        "midpoint": 2,
        "rattle": 2,
        "convert(heun)": 2,
        "convert(rk4, bias=-0.5)": 4,
        "lagrange-dalembert(rk3, bias=-0.5)": 4,
    }
    f, result = run(
        "balance",
        f"""study: conservation
system: {{name: kapitza, parameters: {{w: 20}}}}
end: 1
steps: [0.01, 0.005]
methods: [{quoted(methods)}]
observe: every
""",
    )
    rows = table(result)
    for k, (method, order) in enumerate(methods.items()):
        got = np.log2(rows[2 * k]["balance_max"] / rows[2 * k + 1]["balance_max"])
        ok(abs(got - order) < 0.5, f"E - pumped is kept to order {order}: {method}", got, f.stderr)


def same_bits():
    text = (
        STUDY
        % ("{file: forced.yaml}", 1, "0.1, 0.05", quoted(["rk4", "lagrange-dalembert(rk3)", "project(heun)"]))
        + "initial: {members: 11, seed: 2, around: default, spread: {q: 0.1, v: 0.1}}\n"
    )
    first, a = run("bits-1", text)
    ok(first.returncode == 0, "an ensemble of starts on affine constraints runs", first.stderr)
    for name, how in (
        ("three ranks", {"ranks": 3}),
        ("batches of 4", {"words": ("--batch", "4")}),
        ("v2", {"env": {"CONSTELLA_ISA": narrowest()}}),
    ):
        other, b = run("bits-2", text, *how.pop("words", ()), **how)
        ok(
            other.returncode == 0 and not differences(digests(a), digests(b)),
            f"the same bits: {name}",
            other.stderr,
        )


def verified():
    """A result whose lanes are computed again in other company has the same bits, accounts of the work
    included."""
    text = """study: conservation
system: snakeboard
initial: {members: 13, seed: 3, around: default, spread: {q: 0.05, v: 0.05}}
end: 10
steps: [0.05]
methods: ["lagrange-dalembert(rk4, bias=-0.5)", "lagrange-dalembert(heun)", gauss(2), project(rk3)]
"""
    process, result = run("verified", text)
    again = constella("verify", result)
    ok(
        process.returncode == 0 and again.returncode == 0,
        "verify finds the same bits",
        process.stderr,
        again.stdout,
    )


def momentum():
    """The momentum of an admissible symmetry is conserved, also where the constraints change others."""
    methods = ["lagrange-dalembert(heun)", "lagrange-dalembert(rk3, bias=-0.5)"]
    free = "{name: snakeboard, parameters: {a: 0, b: 0}}"
    f, result = run(
        "momentum",
        f"study: conservation\n"
        f"system: {free}\n"
        f"end: 20\n"
        f"steps: [0.05]\n"
        f"methods: [{quoted(methods)}]\n"
        f"observables: [momentum, displacement]\n",
    )
    for row in table(result):
        ok(
            row["rotor_max"] < 1e-14 and row["displacement"] > 0.1,
            f"the momentum of an admissible symmetry is kept by {row['method']}",
            f.stderr,
            row,
        )
    s, w = by_hand.Oscillator(), np.array([1, 0.8, 0.1, 0.3, 0.2, 0.24])
    for bias in (0, -0.3, -0.5):
        _, _, before, after = by_hand.covectors(s, "rk3", w, 0, 0.1, bias)
        work = sum(
            sign * weight * N[2]
            for sign, part in ((-1, bias), (1, 1 + bias))
            for _, weight, N in by_hand.layer(s, "rk3", w[:3], w[3:], 0, 0.1 * part)[3]
        )
        ok(
            abs(after[2] - before[2] - work) < 1e-15,
            f"the momentum equation of another symmetry holds, bias {bias}",
            after[2] - before[2],
            work,
        )


def mistakes():
    cases = [
        ("wheel: \"z' - y*x' + 0.1*x\"", "wheel: \"z'*x' - y\"", "is not linear in the velocities"),
        ("wheel: \"z' - y*x' + 0.1*x\"", 'wheel: "z - y*x"', "belongs under 'constraints'"),
        ("wheel: \"z' - y*x' + 0.1*x\"", "wheel: \"z' - y*u'\"", "unknown name 'u''"),
        ("drive: [0, sin(t)*x, 0]", "drive: x^2/2", "belongs under 'potential'"),
        ("drive: [0, sin(t)*x, 0]", "drive: [0, sin(t)*x]", "there must be 3"),
        ("mass: [1, 1, 1]", "mass: [1, 1, t]", "unknown name 't'"),
        ("v: [0.3, 0.2, 0.2]", "v: [0.3, 0.2, 0.3]", "the start is inconsistent"),
    ]
    for before, after, words in cases:
        write("wrong.yaml", FORCED.replace(before, after))
        process, _ = run("wrong-study", STUDY % ("{file: wrong.yaml}", 1, 0.1, "rk4"))
        said = process.stderr
        ok(process.returncode == 2 and words in said and ".yaml:" in said, f"refused: {words}", said)
    for method, words in (
        ("rattle", "constraints on velocities"),
        ("hbvm(k=4, s=2)", "constraints on velocities"),
        ("convert(rk4)", "constraints on velocities"),
        ("lagrange-dalembert(rattle)", "is not a layer"),
        ("lagrange-dalembert(rk4, bias=-2)", "from -1 to 0"),
        ("lagrange-dalembert(taylor(3))", "stages of a tableau"),
    ):
        process, _ = run("refused", STUDY % ("chaplygin-sleigh", 1, 0.1, quoted([method])))
        ok(process.returncode == 2 and words in process.stderr, f"refused: {method}", process.stderr)
    process, _ = run("refused", STUDY % ("kapitza", 1, 0.01, quoted(["taylor(3)"])))
    ok(
        process.returncode == 2 and "depends on time" in process.stderr,
        "refused: taylor(3) on kapitza",
        process.stderr,
    )


write("forced.yaml", FORCED)
together(
    [
        by_hand_too,
        orders,
        forced_orders,
        redundant,
        kept,
        exact,
        turntable,
        balance,
        momentum,
        verified,
        same_bits,
        mistakes,
    ]
)
done()

"""test_momentum_balance.py: the momentum equation of single steps: exact for methods that solve discrete equations, to
their order by the integral; controls that break it; the same bits for any ranks, batches and interruptions; mistakes."""
# SPDX-License-Identifier: BSD-2-Clause
import math
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, differences, digests, done, h5py, numpy, ok, path, resumes, run, survives, table, together, write

SLEIGH = """study: conservation
system: SYSTEM
end: END
steps: STEPS
roundoff: {dyadic-steps: false}
methods: METHODS
observables: [energy, momentum-balance]
tangent: {every: 0.2}
momentum-balance: {symmetries: {x: [1, 0, 0], y: [0, 1, 0], turn: [-y, x, 1], along: {x: cos(th), y: sin(th)}}}
"""
FORMS = [
    "lagrange-dalembert(heun)",
    "lagrange-dalembert(rk3, bias=-0.5)",
    "lagrange-dalembert(gauss(2), bias=-0.25)",
    "discrete-lagrange-dalembert(midpoint)",
    "discrete-lagrange-dalembert(reversible)",
]
OTHERS = ["discrete-lagrange-dalembert(leapfrog)", "rk4", "project(rk4)", "project(gauss(2))"]


def sleigh(methods, system="chaplygin-sleigh", steps="[0.1, 0.05]", end=6.4):
    names = "[" + ", ".join(f'"{m}"' for m in methods) + "]"
    text = SLEIGH
    for word, by in (("SYSTEM", system), ("STEPS", steps), ("METHODS", names), ("END", str(end))):
        text = text.replace(word, by)
    return text


def rows_of(name, text):
    process, result = run(name, text)
    ok(process.returncode == 0, f"{name}: it runs", process.stderr)
    return table(result) if process.returncode == 0 else []


def discrete():
    """To round-off, while the momentum along the skate changes by 1e-2 in a step."""
    for row in rows_of("discrete", sleigh(FORMS + OTHERS)):
        name = f"{row['method']}, h {row['step']}"
        if row["method"] in FORMS:
            ok(0 < row["momentum-balance_max"] < 3e-15, f"{name}: the discrete equation", row)
            ok(row["momentum-balance_max"] < row["momentum-balance_floor"] < 1e-12, f"{name}: below its floor", row)
        else:
            ok(math.isnan(row["momentum-balance_max"]), f"{name}: has no discrete equation", row)
        ok(row["balance_along_change_max"] > 1e-2, f"{name}: the momentum changes", row)


def integral():
    """Per step one order more than that of the quadrature."""
    orders = {"lagrange-dalembert(heun)": 3, "lagrange-dalembert(gauss(2), bias=-0.25)": 5}
    orders |= {"discrete-lagrange-dalembert(midpoint)": 3, "rk4": 5, "project(rk4)": 5, "project(gauss(2))": 5}
    rows = rows_of("integral", sleigh(orders, steps="[0.05, 0.025]"))
    for first, second in zip(rows[::2], rows[1::2]):
        for what in ("momentum-balance_integral_max", "balance_along_integral_max"):
            order = math.log2(first[what] / second[what])
            ok(abs(order - orders[first["method"]]) < 0.2, f"{first['method']}: {what} is of its order", order)


def forces():
    """Friction, forces that depend on time and position, constraints on positions: their impulses are in the equation."""
    write("driven.yaml", """system: driven
coordinates: [x, y, z]
mass: [2, 2, 2]
potential: 2*g*z
parameters: {g: 9.81, c: 0.3}
constraints: {rod: x^2 + y^2 + z^2 - 1}
forces: {drag: ["-c*x'", "-c*y'", "-c*z'"], wind: [sin(3*t), cos(x)*t, 0]}
symmetries: {rotation: [-y, x, 0]}
states: {default: {q: [1, 0, 0], v: [0, 1, 0.5]}}
""")
    text = """study: conservation
system: {file: driven.yaml}
end: 4
steps: [0.1, 0.05]
methods: [rattle, shake, euler-a, euler-b, midpoint, "discretization(theta=0.25)", "project(gauss(2))"]
observables: [energy, momentum-balance]
tangent: {every: 0.1}
momentum-balance: {symmetries: {east: [1, 0, 0], out: {east: x}}}
"""
    for row in rows_of("forces", text):
        if row["method"] == "project(gauss(2))":
            continue
        name = f"{row['method']}, h {row['step']}"
        ok(0 < row["momentum-balance_max"] < 1e-13, f"{name}: the discrete equation", row)
        ok(row["balance_rotation_change_max"] > 1e-3, f"{name}: though friction takes it", row)
    found = rows_of("orders", text.replace("[0.1, 0.05]", "[0.05, 0.025]"))
    for first, second in zip(found[::2], found[1::2]):
        least = {"euler-a": 1.8, "euler-b": 1.8, "discretization(theta=0.25)": 1.8, "shake": 1.8}.get(first["method"], 2.8)
        what = "balance_rotation_integral_max"
        order = math.log2(first[what] / second[what])
        ok(least < order < 6, f"{first['method']}: by the integral, to its order", order)


def known():
    """x of a body in free fall changes by nothing, z by its weight: z is no symmetry."""
    write("falling.yaml", """system: fall
coordinates: [x, z]
mass: [2, 2]
potential: 2*9.81*z
states: {default: {q: [0, 0], v: [1, 0]}}
""")
    text = """study: conservation
system: {file: falling.yaml}
end: 2
steps: [0.0625]
methods: [rattle]
observables: [momentum-balance]
tangent: {every: 0.0625}
momentum-balance: {symmetries: {x: [1, 0], z: [0, 1]}}
"""
    for row in rows_of("fall", text):
        weight = 2 * 9.81 * row["step_taken"]
        ok(row["balance_x_max"] < 1e-13, "no force, no change", row)
        for what in ("max", "integral_max", "change_max"):
            ok(abs(row[f"balance_z_{what}"] - weight) < 1e-12, f"z: the weight times h is missing: {what}", row)


def controls():
    """A symmetry that the slope breaks."""
    slope = "{name: chaplygin-sleigh, parameters: {slope: 0.1}}"
    for row in rows_of("slope", sleigh(FORMS[:4], slope)):
        ok(row["balance_x_max"] > 1e-3 * row["step"], f"{row['method']}: x is no symmetry on a slope", row)
        ok(row["balance_y_max"] < 3e-15, f"{row['method']}: y is one", row)


def symmetries():
    """Those of the system by themselves, of bodies and with a gauge: by the integral to round-off where they are kept."""
    for system, method in (("euler-top", "lie-rattle"), ("charged-pendulum", "midpoint"), ("spherical-pendulum", "rattle")):
        text = f"study: conservation\nsystem: {system}\nend: 4\nsteps: [0.05]\nmethods: [{method}]\n"
        for row in rows_of(system, text + "observables: [momentum, momentum-balance]\ntangent: {every: 0.5}\n"):
            ok(row["momentum-balance_integral_max"] < 1e-13, f"{system}: kept", row)
            there = row["momentum-balance_max"]
            ok(there < 1e-13 if system == "spherical-pendulum" else math.isnan(there), f"{system}: the discrete equation", row)


def bits():
    text = sleigh([*FORMS[:2], "project(rk4)"], end=12.8).replace("study: conservation", "study: ensemble").replace(
        "end:", "initial: {members: 5, seed: 3, spread: {q: 0.1, v: 0.1}}\nend:"
    )
    whole = run("whole", text)[1]
    plain = text.split("tangent:")[0].replace(", momentum-balance", "")
    a, b = digests(whole), digests(run("plain", plain)[1])
    there = [x for x in b if x in a and x.split("/")[0] in ("final", "series", "windows") or "observables/energy" in x]
    differ = [x for x in there if a.get(x) != b[x]]
    ok(there and not differ, "the trajectories' own bits are those without it", differ)
    for how, more, ranks in (("batches", ["--batch", "2"], 0), ("ranks", [], 2)):
        process, other = run(f"whole-{how}", text, *more, ranks=ranks)
        differ = differences(a, digests(other))
        ok(process.returncode == 0 and not differ, f"the same bits for other {how}", differ, process.stderr)
    verify = constella("verify", whole)
    ok(verify.returncode == 0 and "all with the same bits" in verify.stdout, "verified", verify.stdout, verify.stderr)
    for k, of in (("later", "12.8"), ("members", "5")):
        first = text.replace("end: 12.8", "end: 6.4") if k == "later" else text.replace("members: 5", "members: 3")
        more = "extensible: true\n" if k == "later" else ""
        run(k + "-part", first + more)
        process = constella("extend", path(k + "-part.h5"), write(k + "-more.yaml", text + more), "-o", path(k + ".h5"), "--progress", "none")
        at_once = digests(run(k + "-whole", text + more)[1])
        differ = [x for x in differences(digests(path(k + ".h5")), at_once) if not any(y in x for y in ("continue/", "@continued", "series/"))]
        ok(process.returncode == 0 and not differ, f"extended, {k}: {of}", differ, process.stderr)
    with h5py.File(whole) as f:
        most = [f[f"momentum-balance/balance_{n}_max"][0] for n in ("x", "y", "turn", "along")]
        ok((f["momentum-balance/momentum-balance_max"][0] == numpy.max(most, axis=0)).all(), "the largest of all momenta", most)
    drawn = constella("plot", whole, "momentum-balance", "-o", path("balance.png"))
    ok(drawn.returncode == 0, "drawn", drawn.stderr)


def interrupted():
    text = sleigh(FORMS[:1], steps="[0.1]", end=400) + "checkpoint: {seconds: 0.05}\n"
    resumes("stopped", text)
    survives("killed", text)


def mistakes():
    base = sleigh(["rk4"]).split("tangent:")[0]
    every = "tangent: {every: 0.2}\n"
    key = "momentum-balance: {symmetries: {"
    for name, more, said in (
        ("without", "", "'momentum-balance' needs the key 'tangent'"),
        ("none", every, ":7:23: error: 'momentum-balance': chaplygin-sleigh declares no symmetries; the key"),
        ("short", every + key + "x: [1, 0]}}\n", ":9:36: error: the generator 'x' has 2 components; chaplygin-sleigh has 3 coordinates"),
        ("speed", every + key + "x: [x', 0, 0]}}\n", "generator 'x': the generator of a symmetry depends on coordinates"),
        ("unknown", every + key + "x: [u, 0, 0]}}\n", "generator 'x': unknown name 'u'"),
        ("of", every + key + "x: [1, 0, 0], a: {y: 1}}}\n", ":9:51: error: unknown generator 'y'; allowed: x"),
        ("scalar", every + key + "x: 1}}\n", "a momentum is a list, the generator of a symmetry, or a map"),
        ("twice", every + key + "energy: [1, 0, 0]}}\n", "the name 'energy' is taken by an observable"),
        ("list", every + "momentum-balance: {symmetries: [1]}\n", "'symmetries' is a map of names to generators"),
        ("key", every + "momentum-balance: {symmetry: 1}\n", "did you mean 'symmetries'?"),
        ("form", every + key + "x: [1, 0, 0]}, form: exact}\n", "unknown form 'exact'; allowed: both, discrete, integral"),
        ("method", every + key + "x: [1, 0, 0]}, form: discrete}\n", "'form' is discrete: rk4 is no variational method"),
    ):
        process = constella("check", write(name + ".yaml", base + more))
        ok(process.returncode == 2 and said in process.stderr, f"{name}: refused", process.stderr)
    process = constella("check", write("idle.yaml", base.replace(", momentum-balance", "") + key + "x: [1, 0, 0]}}\n"))
    ok(process.returncode == 2 and "has no effect: it is not among the observables" in process.stderr, "idle: refused", process.stderr)
    for name, method, said in (
        ("several", "compose(rattle, yoshida4)", "consists of several substeps"),
        ("state", "generalized-alpha(rho=0.9)", "is no variational method"),
    ):
        text = f'study: conservation\nsystem: spherical-pendulum\nend: 1\nsteps: [0.1]\nmethods: ["{method}"]\n'
        text += "observables: [momentum-balance]\ntangent: {every: 0.1}\nmomentum-balance: {form: discrete}\n"
        process = constella("check", write(name + ".yaml", text))
        ok(process.returncode == 2 and said in process.stderr, f"{name}: refused", process.stderr)
    noise = '"langevin(rattle, friction=1, inverse-temperature=1)"'
    text = f"study: conservation\nsystem: spherical-pendulum\nend: 1\nsteps: [0.1]\nmethods: [{noise}]\n"
    process = constella("check", write("noise.yaml", text + "observables: [momentum-balance]\ntangent: {every: 0.1}\n"))
    ok(process.returncode == 2 and "has noise, whose kicks" in process.stderr, "noise: refused", process.stderr)
    process = constella("check", write("good.yaml", sleigh(["rk4", FORMS[0]])))
    ok("balance of     x, y, turn, along\n" in process.stdout and "by the integral only: rk4 is no" in process.stdout, "told", process.stdout)


together([discrete, integral, forces, known, controls, symmetries, bits, interrupted, mistakes])
done()

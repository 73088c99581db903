"""test_jumps.py: a constraint that jumps in a step, and a redundant one that no longer follows from the others, end a
trajectory under every kind of method; what passes a cut smoothly goes on. TAP.
"""
# SPDX-License-Identifier: BSD-2-Clause
from cli import constella, done, h5py, numpy, ok, path, write

METHODS = [
    "rattle", "midpoint", "euler-a", "compose(rattle, yoshida4)", "project(rk4)", "convert(rk4)", "symmetric-project(gauss(2))",
    "hbvm(k=4, s=2)", "radau(2)", "gauss(2)", "bdf(2)", "generalized-alpha(rho=0.8)", "dopri5", "baumgarte(rk4, alpha=5, beta=5)",
    "lagrange-dalembert(rk4)", "discretization(theta=0.25)",
]  # fmt: skip
PETSC = ["midpoint", "gauss(2)", "radau(2)"]
# Two wheels, given by points on their rims: the cut of the second is passed at t = pi/2.5, of the first at pi/2.5 too.
GEAR = """system: gear
coordinates: [x, y, u, w]
mass: [1, 1, 1, 1]
potential: 0
constraints:
  first: (x^2 + y^2 - 1)/2
  second: (u^2 + w^2 - 1)/2
  gear: RATIO
states: {default: {q: [1, 0, 1, 0], v: [0, 2.5, 0, 1]}}
"""
# A bead on a table beside a rail that rises from x = 3 on: the rail is redundant before.
RAIL = """system: rail
coordinates: [x, y, z]
mass: [1, 1, 1]
potential: 0
constraints: {table: z, rail: "z - ramp(x - 3, 0.1)"}
states: {default: {q: [1, 0, 0], v: [1, 0.2, 0]}}
"""
# The angle of a point and a pole; v reaches the pole of the constraint at t = 1.
POLE = """system: pole
coordinates: [x, y]
mass: [1, 1]
potential: 0
constraints: {tie: TIE}
states: {default: {q: [0, 0], v: [1, 1]}}
"""
STUDY = """study: conservation
system: {file: FILE}
end: END
steps: [STEP]
methods: [METHODS]
observables: [energy, constraint]
MORE
"""


def run(name, system, end, step=0.01, methods=METHODS, more="", *options, ranks=1):
    write(f"{name}.system.yaml", system)
    texts = {"FILE": f"{name}.system.yaml", "END": f"{end}", "STEP": f"{step}", "MORE": more,
             "METHODS": ", ".join(f'"{m}"' for m in methods)}  # fmt: skip
    text = STUDY
    for word, by in texts.items():
        text = text.replace(word, by)
    result = path(f"{name}.h5")
    process = constella("run", write(f"{name}.yaml", text), "-o", result, "--overwrite", "--progress", "none", *options,
                        ranks=ranks)  # fmt: skip
    with h5py.File(result) as f:
        return process, f["final/status"][:].ravel().astype(int), f["final/steps"][:].ravel().astype(int)


def gear():
    ratio = "atan2(y, x) - 2.5*atan2(w, u)"
    _, status, steps = run("gear", GEAR.replace("RATIO", ratio), 8)
    for k, method in enumerate(METHODS):
        ok((status[k], steps[k]) == (8, 125), f"gear: {method} ends in the step that passes the cut",
           f"status {status[k]} after {steps[k]} steps")  # fmt: skip
    _, status, steps = run("gear-petsc", GEAR.replace("RATIO", ratio), 2, 0.01, PETSC, "solver: {engine: petsc}")
    ok(set(status) == {8} and set(steps) == {125}, "gear: so it does under petsc", f"{status} {steps}")
    system = constella("system", path("gear.system.yaml")).stdout
    check = constella("check", path("gear.yaml")).stdout
    for text in ("atan2(y, x) jumps where y = 0 and x < 0", "atan2(w, u) jumps where w = 0 and u < 0"):
        ok(text in system, f"gear: `system` says that {text}", system)
        ok(text in check, f"gear: `check` says that {text}", check)
    told = constella("status", path("gear.h5")).stdout
    ok("constraint-jumped: 16" in told and "advice        constraint-jumped" in told, "gear: `status` tells the reason", told)
    process, status, _ = run("turn", GEAR.replace("RATIO", "sin(atan2(y, x) - 2*atan2(w, u))").replace("2.5", "2"), 8)
    ok(process.returncode == 0, "gear: a constraint that does not jump at the cut goes on", process.stderr)


def pole():
    _, status, steps = run("pole", POLE.replace("TIE", "y - x + 1e-7*x^2/(x - 1.0042)"), 2)
    with h5py.File(path("pole.h5")) as f:
        x = f["final/q"][..., 0].ravel()
    ok(bool((x < 1.0042).all()) and (status == 8).sum() > 8, "pole: no method steps over it", f"{status} {steps} {x}")
    process, *_ = run("hole", POLE.replace("TIE", "y - x - 1e-2*x^2*sin(x - 1)/(x - 1)"), 2.06, 0.0103)
    ok(process.returncode == 0, "pole: a quotient without a jump goes on", process.stderr)
    write("forced.yaml", POLE.replace("TIE", "y - x") + 'forces: {pull: ["tan(x)", "1/(2 + x^2 + sqrt(x)) + x\'/(1 - y\')"]}\n')
    told = constella("system", path("forced.yaml")).stdout
    ok("force pull: tan has a pole where cos(x) = 0" in told and "force pull: a quotient has a pole where 1 - y' = 0" in told,
       "pole: `system` names those of forces", told)  # fmt: skip
    ok(told.count("jumps  ") == 1 and told.count(" pole ") == 2, "pole: sums of squares and roots are none", told)


def rail():
    _, status, steps = run("rail", RAIL, 4)
    for k, method in enumerate(METHODS):
        ok(status[k] == 9 and 200 <= steps[k] <= 201, f"rail: {method} ends where the dropped constraint does not hold",
           f"status {status[k]} after {steps[k]} steps")  # fmt: skip
    process, *_ = run("before", RAIL, 1.9)
    ok(process.returncode == 0, "rail: it holds before", process.stderr)


def bits():
    """Members that end at different steps, beside others that go on: the same alone, in any batch, on any ranks."""
    methods = ["rattle", "project(rk4)", "gauss(2)"]
    more = "initial: {members: 21, seed: 3, spread: {v: 0.8}}"
    seen = []
    for options, ranks in (((), 1), (("--batch", "1"), 1), (("--batch", "5"), 2)):
        run("bits", GEAR.replace("RATIO", "atan2(y, x) - 2.5*atan2(w, u)"), 1.4, 0.01, methods, more, *options, ranks=ranks)
        with h5py.File(path("bits.h5")) as f:
            seen.append({k: f[f"final/{k}"][:] for k in ("q", "p", "status", "steps")})
    status = seen[0]["status"]
    ok(0 < (status == 8).sum() < status.size, "bits: some members pass the cut, others do not", str(status))
    for other, what in zip(seen[1:], ("alone", "in batches of 5 on two ranks")):
        ok(all(numpy.array_equal(seen[0][k], other[k], equal_nan=True) for k in other), f"bits: members end alike {what}")


def main():
    gear()
    pole()
    rail()
    bits()
    done()


main()

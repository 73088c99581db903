"""test_thermostats.py: noise through the command line: paths that steps share, strong orders, resumed and
extended runs, mistakes."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import (
    constella,
    differences,
    digests,
    done,
    made,
    note,
    numpy,
    ok,
    path,
    run,
    table,
    together,
    write,
)

BATH = "friction=0.5, inverse-temperature=2"

STRONG = """study: order
system: modified-pendulum
initial: {members: 64, seed: 5, spread: {q: 0.05, v: 0.1}}
end: 1.0
steps: {from: 0.1, halvings: 3}
methods: ["langevin(rattle, %s)", "baoab(%s)", "langevin(midpoint, %s)"]
error: {norm: two}
noise: {resolution: 0.0015625}
reference: {method: "baoab(%s)", step: 0.0015625}
"""


def strong_orders():
    """Steps that share a path converge on it, by order one of the root mean square over members; with paths
    of their own they do not."""
    rows = table(made("strong", STRONG % (BATH, BATH, BATH, BATH)).filename)
    for method in dict.fromkeys(r["method"] for r in rows):
        x = [(r["step"], r["error_rms"]) for r in rows if r["method"] == method]
        slope = numpy.polyfit(numpy.log([h for h, _ in x]), numpy.log([e for _, e in x]), 1)[0]
        ok(0.8 < slope < 1.35, f"{method}: strong order {slope:.2f} of the mean square error", x)
    rows = table(
        made("self", (STRONG % (BATH, BATH, BATH, BATH)).split("reference")[0] + "reference: self\n").filename
    )
    x = [r["error_rms"] for r in rows if r["method"].startswith("baoab")]
    ok(len(x) == 4 and all(1.6 < a / b < 2.6 for a, b in zip(x, x[1:])), f"h against h/2 on one path: {x}")


DIFFERENT = """study: ensemble
system: planar-pendulum
initial: {members: 2000, seed: SEED, around: default, spread: {q: 0.1, v: 0.1}}
end: 2
steps: [0.1]
methods: ["langevin(rattle, friction=0.5, inverse-temperature=2)", "baoab(friction=0.5, inverse-temperature=2)"]
samples: {count: 5}
"""


def seeds_matter():
    first, second, again = (made(f"seed{k}", DIFFERENT.replace("SEED", seed)) for k, seed in enumerate("344"))
    q = [f["/final/q"][...] for f in (first, second, again)]
    ok(
        (q[1] == q[2]).all() and (q[0] != q[1]).mean() > 0.9,
        "another seed is another noise, the same one the same",
    )
    apart = abs(q[0][0].mean(axis=0) - q[1][0].mean(axis=0))
    ok((apart < 4 * q[0][0].std(axis=0) * (2 / 2000) ** 0.5).all(), "and means agree", apart)


def starts_alike():
    """Members with the same start differ by their noise."""
    text = DIFFERENT.replace("SEED", "1").replace(", spread: {q: 0.1, v: 0.1}", "").replace("2000", "9")
    ok(
        len(numpy.unique(made("alike", text)["/final/q"][0, :, 0])) == 9,
        "without a spread the noise tells members apart",
    )
    process, _ = run(
        "frozen",
        text.replace(
            '["langevin(rattle, friction=0.5, inverse-temperature=2)", "baoab(friction=0.5, '
            'inverse-temperature=2)"]',
            "[rattle]",
        ),
    )
    ok(
        process.returncode == 2 and "missing key 'spread'" in process.stderr,
        "without noise a spread is asked for",
        process.stderr,
    )


def extended():
    """More steps and members on the same paths: what is there is taken over, the bits are those of a fresh
    run; no multiple is refused."""
    text = (
        DIFFERENT.replace("SEED", "8").replace("2000", "MEMBERS").replace("[0.1]", "STEPS")
        + "noise: {resolution: 0.025}\n"
    )
    run("small", text.replace("MEMBERS", "6").replace("STEPS", "[0.1]"))
    larger = text.replace("MEMBERS", "11").replace("STEPS", "[0.1, 0.05, 0.025]")
    told = constella("extend", path("small.h5"), write("larger.yaml", larger), "-o", path("extended.h5"))
    _, fresh = run("fresh", larger)
    ok(
        told.returncode == 0 and not differences(digests(path("extended.h5")), digests(fresh)),
        "extended: the bits of a fresh run",
        told.stdout,
        told.stderr,
    )
    told = constella(
        "extend",
        path("small.h5"),
        write("odd.yaml", text.replace("MEMBERS", "6").replace("STEPS", "[0.1, 0.04]")),
        "-o",
        path("no.h5"),
    )
    ok(
        told.returncode == 2
        and "odd.yaml:5:14: error: the step is 0.04; it is no multiple of the noise's resolution, 0.025"
        in told.stderr,
        "a step that is no multiple is refused in extend, too",
        told.stderr,
    )
    told = constella("verify", path("extended.h5"))
    ok(told.returncode == 0, "and it is verified", told.stdout, told.stderr)


def left_and_taken_up():
    """A run that is stopped midway and resumed on more ranks has the bits of one that was not."""
    text = (
        DIFFERENT.replace("SEED", "2").replace("end: 2", "end: 2000").replace("members: 2000", "members: 64")
    )
    _, whole = run("whole", text)
    stopped = constella(
        "run",
        write("stopped.yaml", text),
        "-o",
        path("stopped.h5"),
        "--max-hours",
        "1e-4",
        "--checkpoint-seconds",
        "0.1",
    )
    note(f"stopped: exit status {stopped.returncode}")
    resumed = constella("run", path("stopped.yaml"), "-o", path("stopped.h5"), "--resume", "--batch", "8")
    ok(
        stopped.returncode == 75 and resumed.returncode == 0,
        "a run is stopped midway and taken up",
        stopped.stderr,
        resumed.stderr,
    )
    ok(
        not differences(digests(path("stopped.h5")), digests(whole)),
        "its bits are those of an undisturbed one",
    )


MISTAKES = [
    ("planar-pendulum", f"langevin({BATH})", "takes a method"),
    ("planar-pendulum", f"langevin(rattle, midpoint, {BATH})", "takes one method"),
    ("planar-pendulum", "langevin(rattle, friction=1)", "needs inverse-temperature, 1/kT"),
    ("planar-pendulum", "langevin(rattle, inverse-temperature=1)", "needs friction, a rate"),
    ("planar-pendulum", "langevin(rattle, friction=-1, inverse-temperature=1)", "at least 0"),
    ("planar-pendulum", "langevin(rattle, friction=1, inverse-temperature=0)", "inverse-temperature of langevin is a number above 0: 1/kT"),
    (
        "planar-pendulum",
        "langevin(rattle, friction=1, coefficient=1, inverse-temperature=1)",
        "give only one of them",
    ),
    ("planar-pendulum", "langevin(rattle, friction=1, friction=1, inverse-temperature=1)", "appears twice"),
    ("planar-pendulum", f"langevin(rattle, {BATH}, drifts=2)", "takes no 'drifts='"),
    ("planar-pendulum", f"langevin(shake, {BATH})", "methods that leave v on the tangent space"),
    ("planar-pendulum", f"langevin(rk4, {BATH})", "methods that leave v on the tangent space"),
    ("planar-pendulum", f"langevin(hbvm(k=2, s=1), {BATH})", "methods that leave v on the tangent space"),
    ("planar-pendulum", f"baoab(rattle, {BATH})", "the arguments of baoab must be named"),
    ("planar-pendulum", f"baoab({BATH}, drifts=0)", "an integer from 1 to 100"),
    ("planar-pendulum", f"baoab({BATH}, coefficient=1)", "takes no 'coefficient='"),
    ("planar-pendulum", f"compose(langevin(rattle, {BATH}), yoshida4)", "must be outermost"),
    ("planar-pendulum", f"adjoint(baoab({BATH}))", "must be outermost"),
    ("planar-pendulum", f"convert(langevin(rk4, {BATH}))", "must be outermost"),
    ("planar-pendulum", f"project(langevin(rk4, {BATH}))", "must be outermost"),
    ("planar-pendulum", f"langevin(baoab({BATH}), {BATH})", "must be outermost"),
    ("double-pendulum-angles", f"langevin(rattle, {BATH})", "needs a constant mass"),
    ("charged-pendulum", f"baoab({BATH}, drifts=2)", "takes drifts=1"),
    ("charged-pendulum", "langevin(rattle, coefficient=1, inverse-temperature=1)", "is not diagonal"),
]


def mistakes():
    for k, (system, method, words) in enumerate(MISTAKES):
        write(
            f"wrong{k}.yaml",
            f'study: conservation\nsystem: {system}\nend: 10\nsteps: [0.1]\nmethods: ["{method}"]\n',
        )
        told = constella("check", path(f"wrong{k}.yaml"))
        ok(
            told.returncode == 2 and f"wrong{k}.yaml:5:" in told.stderr and words in told.stderr,
            f"{method} on {system} is refused: {words}",
            told.stderr,
        )


together([strong_orders, seeds_matter, starts_alike, extended, left_and_taken_up, mistakes])
done()

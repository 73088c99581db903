"""test_bits.py: a result has the same bits for any number of ranks, batch size, instruction set, type of
solver; alone or in an ensemble.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import sys
import threading

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, differences, digests, done, h5py, narrowest, numpy, ok, path, run, sets, skip, solve_by_petsc, together

LOCK = threading.Lock()

OBSERVABLES = (
    'observables: [energy, momentum, constraint, "height: z", "speed: sqrt(x\'^2 + y\'^2 + z\'^2)", '
    '"tension: 2*L*lambda_rod*cos(t)", "odd: atan2(y, x)*exp(-z)"]'
)
STUDIES = {
    "order": """
study: order
system: double-pendulum
end: 1.0
steps: {from: 0.1, halvings: 3}
methods: [euler-a, euler-b, rattle, shake, midpoint, rk4, project(rk4), "compose(rattle, kahan-li8)", adjoint(euler-a), gauss(2), heun, "hbvm(k=4, s=2)"]
reference: {method: "gauss(4)", step: 0.01}
error: {of: [q, p, lambda], norm: two, over: coarse, hidden: one}
""",
    "exact": """
study: order
system: planar-pendulum
initial: {members: 5, seed: 3, around: default, spread: {q: 0.2, v: 0.3}}
end: 2.0
steps: {counts: [20, 40, 80]}
methods: [rattle, shake, midpoint, "compose(midpoint, suzuki4)", rk3]
reference: exact
error: {over: mesh}
trajectories: {members: [0, 4]}
""",
    "self": """
study: order
system: modified-pendulum
initial: {members: 11, seed: 3, spread: {q: 0.05, v: 0.05}}
end: 1.0
steps: {from: 0.1, halvings: 2}
methods: [rattle, shake, midpoint, euler-b, "compose(rattle, yoshida4)", project(rk6), "hbvm(k=6, s=2)", "compose(hbvm(k=3, s=3), rattle)"]
reference: self
error: {of: [q, p, lambda], norm: one, over: coarse}
""",
    "conservation": """
study: conservation
system: heavy-top
initial: {members: 3, seed: 7, around: default, spread: {q: 0.05, v: 0.1}}
end: 10.0
steps: [0.02]
methods: [rattle, rk4, project(rk4), "compose(rattle, yoshida4)", midpoint, "hbvm(k=2, s=2)"]
error: {hidden: two}
observables: [energy, momentum, constraint, "tilt: r33"]
""",
    "ensemble": """
study: ensemble
system: {name: spherical-pendulum, parameters: {g: [1.0, 9.81], L: [0.7, 1.0]}}
initial: {members: 300, seed: 11, around: default, spread: {q: 0.05, v: 0.2}}
end: 0.5
steps: [0.01]
methods: [rattle, midpoint, "baoab(friction=0.5, inverse-temperature=2)", "langevin(midpoint, friction=0.5, inverse-temperature=2)"]
solver: {tolerance: [1.0e-9, 1.0e-14]}
samples: {count: 20}
trajectories: {members: [0, 77, 299], every: 25}
"""
    + OBSERVABLES,
    "compensated": """
study: conservation
system: planar-pendulum
initial: {members: 17, seed: 2, spread: {v: 0.3}}
end: 30.0
steps: [0.02]
methods: [rattle, shake, euler-a, "compose(rattle, suzuki4)", "langevin(rattle, friction=0.5, inverse-temperature=2)"]
roundoff: {compensated: true}
""",
}
# Here some trajectories fail, and the others continue in the same batches.
FAILING = {
    "fast": """
study: ensemble
system: planar-pendulum
initial: {members: 40, seed: 1, around: default, spread: {v: 8.0}}
end: 50.0
steps: [0.25]
methods: [rattle, midpoint, "compose(rattle, suzuki4)", project(rk4)]
samples: {count: 10}
trajectories: {members: [0, 1, 5], every: 10}
""",
    "escape": """
study: order
system: henon-heiles
initial: {members: 20, seed: 1, around: default, spread: {v: 0.3}}
end: 50.0
steps: [0.25]
methods: [rattle, rk4, midpoint, euler]
reference: self
""",
}
RANKS = (1, 2, 3, 5)
BATCHES = (8, 256, 1024)
SETS = ("v2", "v3", "v4")
TYPES = ("lanes", "newtonls", "nrichardson")
# glibc 2.36 takes the names of CPU features; the elementary functions of libm then choose their plain forms.
PLAIN = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-FMA4,-AVX512F"}


def ways():
    for ranks in RANKS:
        yield f"mpirun -n {ranks}", (), {"ranks": ranks}
    for lanes in BATCHES:
        yield f"--batch {lanes}", ("--batch", lanes), {}
    for isa in SETS:
        yield f"CONSTELLA_ISA={isa}", (), {"env": {"CONSTELLA_ISA": isa}}
    yield "GLIBC_TUNABLES", (), {"env": PLAIN}
    for snes in TYPES:
        yield f"-snes_type {snes}", ("-snes_type", snes), {}
    yield "-snes_type newtonls on 2 ranks with v2 and batches of 16", (
        "-snes_type",
        "newtonls",
        "--batch",
        16,
    ), {"ranks": 2, "env": {"CONSTELLA_ISA": narrowest()}}
    yield "-snes_monitor", ("-snes_monitor",), {}


def lively(name, result):
    with h5py.File(result, "r") as f:
        moved = f["observables/displacement"][..., 2]
        ok((f["final/status"][()] == 0).all(), f"{name}: no trajectory failed", f["final/status"][()])
        ok((moved > 1e-3).all(), f"{name}: every trajectory moved", moved)
        for part in ("q", "p", "lambda"):
            ok(numpy.isfinite(f["final/" + part][()]).all(), f"{name}: /final/{part} is finite")


def same(name, text, status, turn):
    """All ways, or in `make test` a part: each study in a quarter of them, each way on a quarter of the
    studies.
    """
    everything = "CONSTELLA_TEST_ALL" in os.environ
    process, result = run(name, text)
    if not ok(
        process.returncode == status,
        f"{name} runs with exit status {status}",
        process.returncode,
        process.stderr,
    ):
        return
    if status == 0:
        lively(name, result)
    first = digests(result)
    ok(len(first) > 20, f"{name}: the result holds datasets", sorted(first))
    together(
        lambda way=way, k=k: again(name, f"{name}-{k}", text, status, first, *way)
        for k, way in enumerate(ways())
        if everything or (k + turn) % 4 == 0
    )


def again(name, file, text, status, first, title, words, how):
    process, result = run(file, text, *words, **how)
    lacks = [x for x in ("this CPU lacks it", "was built for", "is not built for") if x in process.stderr]
    if process.returncode == 2 and lacks and how.get("env"):
        skip(f"{name}: {title}", f"{lacks[0]}: make ISAS=all test")
    elif ok(
        process.returncode == status,
        f"{name}: {title} runs",
        process.returncode,
        process.stderr,
        process.stdout[-500:],
    ):
        with LOCK:  # HDF5 is not for several threads
            wrong = differences(first, digests(result))
        ok(not wrong, f"{name}: the same bits with {title}", wrong)


SETS_STUDY = """
study: ensemble
system: {system}
end: 2
steps: [0.1, 0.05]
methods: [{methods}]
initial: {{members: 13, seed: 3, around: default, spread: {{q: 0.02, v: 0.02}}}}
trajectories: {{members: [0, 12], every: 5}}
"""


def other_sets():
    """Every instruction set for which the tests build the code of these methods (tests.mk)."""
    usual = 'rattle, midpoint, "gauss(2)", "convert(rk4)", "project(rk4)", rk4, "compose(rattle, yoshida4)"'
    for system, methods in (("double-pendulum", usual), ("euler-top", "rattle, lie-rattle, euler-b")):
        text = SETS_STUDY.format(system=system, methods=methods)
        process, result = run(f"sets-{system}", text)
        if not ok(process.returncode == 0, f"{system} runs with the widest set", process.stderr):
            continue
        first = digests(result)
        for isa in sets(*SETS):
            process, other = run(f"sets-{system}-{isa}", text, env={"CONSTELLA_ISA": isa})
            wrong = differences(first, digests(other)) if process.returncode == 0 else process.stderr
            ok(not wrong, f"{system}: the same bits with {isa}", wrong)


# ---- a member alone


def numbers(values):
    return "[" + ", ".join("%.17g" % x for x in values) + "]"


def alone(name, text, masses, members):
    """Each of the members by itself, from its start printed with 17 digits: /final against the member's
    rows of the ensemble.

    The start is the first stored state. The masses are powers of two times small integers, so that p = M v
    is undone exactly where p/M is exact.
    """
    process, result = run(name, text)
    if not ok(process.returncode == 0, f"{name} runs", process.stderr):
        return
    with h5py.File(result, "r") as f:
        final = {
            part: f["final/" + part][()]
            for part in ("q", "p", "lambda", "steps", "iterations", "evaluations")
        }
        labels = [x.decode() for x in f["statistics/method"][()]]
        q, p = f["trajectories/0/q"][:, 0], f["trajectories/0/p"][:, 0]
    for chosen, member in enumerate(members):
        v = p[chosen] / masses
        if not (masses * v == p[chosen]).all():
            ok(False, f"{name}: the start of member {member} can be read back", masses * v - p[chosen])
        start = f"initial: {{q: {numbers(q[chosen])}, v: {numbers(v)}}}"
        single = "\n".join(
            start if x.startswith("initial:") else x
            for x in text.splitlines()
            if not x.startswith("trajectories:")
        )
        process, result = run(f"{name}-{member}", single)
        if not ok(process.returncode == 0, f"{name}: member {member} alone runs", process.stderr):
            continue
        with h5py.File(result, "r") as f:
            for part, many in final.items():
                one = f["final/" + part][()]
                for row, label in enumerate(labels):
                    ok(
                        many[row, member].tobytes() == one[row, 0].tobytes(),
                        f"{name}: /final/{part} of member {member} alone, {label}",
                        many[row, member],
                        one[row, 0],
                    )


def members_alone():
    members = [0, 13, 299]
    alone(
        "members",
        f"""
study: ensemble
system: spherical-pendulum
initial: {{members: 300, seed: 5, around: default, spread: {{q: 0.05, v: 0.2}}}}
end: 2.0
steps: [0.01]
methods: [rattle, shake, midpoint, euler-a, rk4, project(rk4), "compose(rattle, yoshida4)", gauss(3)]
trajectories: {{members: {members}, every: 200}}
""",
        numpy.ones(3),
        members,
    )


def top_alone():
    alone(
        "top",
        """
study: conservation
system: {name: heavy-top, parameters: {I3: 1.0}}
initial: {members: 3, seed: 7, around: default, spread: {q: 0.05, v: 0.1}}
end: 20.0
steps: [0.02]
methods: [rattle, rk4, project(rk4), "compose(rattle, yoshida4)", midpoint]
trajectories: {members: [0, 1, 2], every: 1000}
""",
        numpy.full(9, 0.5),
        [0, 1, 2],
    )


def beyond():
    """Observables that are undefined at times, whose NaNs differ between instruction sets, and others whose
    squares add up to almost what a series can hold."""
    text = """
study: ensemble
system: planar-pendulum
initial: {members: 300, seed: 7, around: default, spread: {q: 0.1, v: 0.3}}
end: 20.0
steps: [0.25]
methods: [rattle]
observables: [energy, "undefined: log(x)", "huge: 2.7e11*x"]
samples: {count: 10}
"""
    _, result = run("beyond", text)
    first = digests(result)
    with h5py.File(result) as f:
        most, rms = f["series/huge/max"][0], f["series/huge/rms"][0]
        ok(
            ((rms > 1e11) & (rms < most)).any() and (most < 2.0**39).all() and numpy.isfinite(rms).all(),
            "beyond: squares of large numbers are summed",
            most,
            rms,
        )
        undefined = f["observables/undefined"][()]
        bits = undefined[numpy.isnan(undefined)].view(numpy.uint64)
        ok(bits.size and (bits == bits[0]).all(), "beyond: all NaNs are alike", bits[:4])
    for way in (
        ("batches of 8", ("--batch", 8), {}),
        ("batches of 1024", ("--batch", 1024), {}),
        ("3 ranks", (), {"ranks": 3}),
        ("v2", (), {"env": {"CONSTELLA_ISA": narrowest()}}),
    ):
        again("beyond", f"beyond-{way[0].replace(' ', '-')}", text, 0, first, *way)
    verify = constella("verify", path("beyond-v2.h5"), "--sample", 20)
    ok(verify.returncode == 0, "beyond: verified with another instruction set", verify.stdout[-500:])


if __name__ == "__main__":
    solve_by_petsc()  # the ways with options of PETSc
    for turn, (name, text) in enumerate([*STUDIES.items(), *FAILING.items()]):
        same(name, text, int(name in FAILING), turn)
    other_sets()
    members_alone()
    top_alone()
    beyond()
    done()

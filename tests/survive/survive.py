"""survive.py: shared by the tests of interrupted runs: studies of every family, attempts that are
interrupted, and the expected result.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import pathlib
import re
import signal
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from cli import (  # noqa: E402
    BEAD,
    ENVIRONMENT,
    PROGRAM,
    STRIKE,  # noqa: F401
    differences,
    digests,
    hurried,
    ok,
    path,
    run,
    write,
)
from held import LONGEST  # noqa: E402

# Every family of methods, every kind of study, of reference and of accumulator; each takes a second or two,
# and an eighth of it in `make test` (described).
# The number is the exit status.
STUDIES = {
    "conservation": (
        0,
        """
study: conservation
system: double-pendulum
initial: {members: 40, seed: 7, around: default, spread: {q: 0.1, v: 0.1}}
end: 160.0
steps: [0.02, 0.01]
methods: [rattle, shake, midpoint, "compose(rattle, yoshida4)", "hbvm(k=4, s=2)", "convert(rk4)", project(rk4), gauss(2), rk4, "baoab(friction=0.5, inverse-temperature=2)", "langevin(project(rk4), friction=0.5, inverse-temperature=2)"]
trajectories: {members: [3], every: 500}
""",
    ),
    "self": (
        0,
        """
study: order
system: modified-pendulum
initial: {members: 11, seed: 3, spread: {q: 0.05, v: 0.05}}
end: 30.0
steps: {from: 0.01, halvings: 2}
methods: [rattle, shake, midpoint, euler-b, project(rk6), "hbvm(k=6, s=2)", "compose(hbvm(k=3, s=3), rattle)", "convert(gauss(2))"]
reference: self
error: {of: [q, p, lambda], norm: one, over: coarse}
""",
    ),
    "reference": (
        0,
        """
study: order
system: double-pendulum
initial: {members: 70, seed: 3, spread: {q: 0.05, v: 0.05}}
end: 4.0
steps: {from: 0.1, halvings: 2}
methods: [rattle, euler-a, adjoint(euler-a), heun, "compose(rattle, kahan-li8)"]
reference: {method: "gauss(4)", step: 0.0001}
error: {of: [q, p, lambda], over: mesh}
""",
    ),
    "quad": (
        0,
        """
study: order
system: planar-pendulum
initial: {members: 6, seed: 3, spread: {q: 0.05, v: 0.05}}
end: 4.0
steps: {from: 0.1, halvings: 2}
methods: [rattle, "compose(rattle, yoshida6)"]
reference: {method: "gauss(6)", step: 0.0025, precision: quad}
error: {of: [q, p, lambda], over: coarse}
""",
    ),
    "failing": (
        1,
        """
study: ensemble
system: planar-pendulum
initial: {members: 300, seed: 1, around: default, spread: {v: 8.0}}
end: 500.0
steps: [0.25, 0.02]
methods: [rattle, midpoint, "compose(rattle, suzuki4)", project(rk4), "langevin(rattle, friction=0.5, inverse-temperature=2)"]
samples: {count: 10}
trajectories: {members: [0, 1, 5], every: 10}
""",
    ),
    "compensated": (
        0,
        """
study: conservation
system: planar-pendulum
initial: {members: 100, seed: 2, spread: {v: 0.3}}
end: 2000.0
steps: [0.02]
methods: [rattle, shake, euler-a, "compose(rattle, suzuki4)"]
roundoff: {compensated: true}
""",
    ),
}

# Further families: with `make survive`.
MORE = {
    "lie": (
        0,
        """
study: conservation
system: lagrange-top
initial: {members: 20, seed: 4, spread: {v: 0.1}}
end: 20.0
steps: [0.02, 0.01]
methods: [lie-rattle, lie-euler-a, "lie-rattle(retraction=exp)", lie-lobatto, "compose(lie-rattle, suzuki4)"]
trajectories: {members: [3], every: 100}
""",
    ),
    "nonholonomic": (
        0,
        """
study: order
system: rolling-disk
initial: {members: 12, seed: 4, spread: {v: 0.1}}
end: 10.0
steps: {from: 0.05, halvings: 2}
methods: [project(rk4), lagrange-dalembert(rk4), discrete-lagrange-dalembert(reversible), "lagrange-dalembert(heun, bias=-0.5)"]
reference: self
""",
    ),
    "springs": (
        0,
        """
study: conservation
system: double-pendulum
initial: {members: 40, seed: 7, around: low, spread: {q: 0.05, v: 0.05}}
end: 80.0
steps: [0.02]
methods: ["penalty(newmark, omega=20)", "penalty(zhang-skeel(beta=0.4, form=simplified), omega=20, average=0.2)", "penalty(pushforward-newmark(beta=0.25), omega=20)"]
""",
    ),
    "warm": (
        0,
        """
study: ensemble
system: {name: tip3p-water, parameters: {n: 2}}
initial: {members: 16, seed: 3}
end: 2000.0
steps: [0.1]
methods: ["baoab(friction=0.5, inverse-temperature=40)", "langevin(rattle, friction=0.5, inverse-temperature=40)"]
observables: [energy, temperature]
histograms: [{name: height, expression: "Oz[1]", from: -5, to: 5, bins: 20}]
burn-in: 0.1
""",
    ),
    "curves": (
        0,
        """
study: order
system: rolling-disk
initial: {members: 12, seed: 5, spread: {v: 0.1}}
end: 4.0
steps: {from: 0.1, halvings: 2}
methods: ["lagrange-dalembert(taylor-curve(2), bias=-0.5)", "lagrange-dalembert(taylor-curve(3))", "lagrange-dalembert(taylor-curve(1), state=w)", taylor-curve(2), "dopri5(tolerance=1e-8)"]
reference: self
error: {of: [q, p], over: mesh}
""",
    ),
    "forced": (
        0,
        """
study: conservation
system: {name: kapitza, parameters: {a: 0.05, w: [30, 60]}}
initial: {grid: {"x'": {from: -0.2, to: 0.2, count: 9}}, project: true}
end: 8.0
steps: [0.004]
methods: [rattle, midpoint, "convert(rk4, bias=-0.5)", project(rk4), "lagrange-dalembert(rk3, bias=-0.5)", rk4]
observables: [energy, balance, constraint, "angle: atan2(x, y)"]
""",
    ),
    "own": (
        0,
        """
study: conservation
system: {file: bead.yaml, parameters: {c: [1, 2]}}
initial: [default, {q: ["0.8*a", 0, "-0.6*c"], v: [0, 0.7, 0]}]
end: 200.0
steps: [0.02]
layers: {kutta38: {a: [[0, 0, 0, 0], [1/3, 0, 0, 0], [-1/3, 1, 0, 0], [1, -1, 1, 0]], b: [1/8, 3/8, 3/8, 1/8]}}
methods: [rattle, "compose(convert(kutta38, bias=-0.5), yoshida4)", project(kutta38), "discretization(theta=0.3)"]
solver: {tolerance: [1.0e-8, 1.0e-14]}
""",
        {"bead.yaml": BEAD},
    ),
    "waters": (
        0,
        """
study: conservation
system: {name: tip3p-water, parameters: {n: 4}}
initial: {members: 8, seed: 3, around: lattice, spread: {v: 0.05}, relax: {method: rattle, step: 0.05, end: 1}}
end: 40.0
steps: [0.1, 0.05]
methods: [rattle, "convert(rk4)", "hbvm(k=2, s=1)", "baoab(friction=0.5, inverse-temperature=40, drifts=3)"]
""",
    ),
    "paths": (
        0,
        """
study: order
system: planar-pendulum
initial: {members: 400, seed: 5, spread: {q: 0.05, v: 0.1}}
end: 8.0
steps: {from: 0.1, halvings: 3}
methods: ["langevin(rattle, friction=0.5, inverse-temperature=2)", "baoab(friction=0.5, inverse-temperature=2)", "langevin(compose(rattle, yoshida4), friction=0.5, inverse-temperature=2)"]
noise: {resolution: 0.0015625}
reference: {method: "baoab(friction=0.5, inverse-temperature=2)", step: 0.0015625}
""",
    ),
    "averages": (
        0,
        """
study: ensemble
system: double-pendulum
initial: {members: 30, seed: 2}
end: 100.0
steps: [0.05, 0.025]
methods: ["baoab(friction=0.5, inverse-temperature=2, drifts=2)", "penalty(langevin(zhang-skeel(beta=0.4), friction=0.5, inverse-temperature=2), omega=8)"]
observables: [energy, temperature, "height: y1"]
histograms: [{name: heights, expression: y1 + y2, from: -4, to: 4, bins: 16}]
burn-in: 0.1
trajectories: {members: {worst: 3, by: energy}, every: 100}
""",
    ),
    "longer": (
        0,
        """
study: ensemble
system: spherical-pendulum
initial: {members: 60, seed: 1, around: default, spread: {q: 0.05, v: 0.3}}
end: END
steps: [0.04, 0.02]
methods: [rattle, "compose(rattle, suzuki4)", midpoint, "hbvm(k=6, s=2)", "langevin(rattle, friction=0.5, inverse-temperature=2)"]
observe: every
samples: {count: 11, spacing: linear}
trajectories: {members: ["0..9"], every: 10, store: [q, p, v, energy]}
extensible: true
""".replace(
            "END", "120"
        ),
        {},
        "end: 10",
    ),
    "more": (
        0,
        """
study: order
system: lagrange-top
initial: {members: 24, seed: 1, around: default, spread: {v: 0.1}}
end: 4.0
steps: {from: 0.04, halvings: 3}
methods: [lie-rattle, "compose(lie-rattle, suzuki4)", rattle, "convert(rk4)"]
reference: self
""",
        {},
        "members: 10",
    ),
}


def described(name):
    """For a study: its exit status, its text, its further files, and the text of the study that it
    extends. An eighth as long where the number of instants is not chosen, as in `make test`.
    """
    status, text, *rest = {**STUDIES, **MORE}[name]
    if "--instants" not in sys.argv:
        text = re.sub(r"^end: ([0-9.]+)", lambda x: f"end: {float(x[1]) / 8}", text, flags=re.M)
    return status, text, *rest, *({}, None)[len(rest) :]


def undisturbed(name):
    """The study run to its end; (its file, the earlier result that it extends, its digests)."""
    status, text, files, earlier = described(name)
    for file, content in files.items():
        write(file, content)
    of = None
    if earlier:
        process, of = run(
            name + "-earlier", re.sub(earlier.split(":")[0] + r": [0-9.]+", earlier, text, count=1)
        )
        ok(
            process.returncode == status,
            f"{name}: the earlier result ends with {status}",
            process.returncode,
            process.stderr,
        )
    result = path(name + ".h5")
    code, out, err = finish(start(write(name + ".yaml", text), result, 0, of=of, checkpoint=600))
    ok(code == status, f"{name}: undisturbed, it ends with {status}", code, out, err)
    return path(name + ".yaml"), of, digests(result)


def children(pid):
    found = [pid]
    for one in found:
        try:
            for thread in os.listdir(f"/proc/{one}/task"):  # mpirun starts many ranks from several
                with open(f"/proc/{one}/task/{thread}/children") as f:
                    found += [int(x) for x in f.read().split()]
        except OSError:
            pass
    return found[1:]


def ranks_of(pid):
    """The ranks that a launcher has started, or the process itself where it is one."""
    found = []
    for one in [pid, *children(pid)]:
        try:
            with open(f"/proc/{one}/cmdline") as f:
                found += [one] if f.read().split("\0")[0] == PROGRAM else []
        except OSError:
            pass
    return found


def cpu(pid):
    """CPU seconds of these ranks so far."""
    found = 0
    for one in ranks_of(pid):
        try:
            with open(f"/proc/{one}/stat") as f:
                found += sum(int(x) for x in f.read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf(
                    "SC_CLK_TCK"
                )
        except OSError:
            pass
    return found


def kill(pid, which):
    try:
        os.kill(pid, which)
    except ProcessLookupError:
        pass


def kill_all(process):
    for one in [process.pid, *children(process.pid)]:
        kill(one, signal.SIGKILL)


# What strikes a run of which the rank with the number `held` waits at a gate (cli/held.py).
STRIKES = {
    "SIGKILL of all": lambda process, held: kill_all(process),
    "SIGKILL of one rank": lambda process, held: kill(held, signal.SIGKILL),
    "SIGTERM of one rank": lambda process, held: kill(held, signal.SIGTERM),
    "SIGTERM of mpirun": lambda process, held: kill(process.pid, signal.SIGTERM),
    "SIGINT of mpirun": lambda process, held: kill(process.pid, signal.SIGINT),
    "SIGUSR1 of mpirun": lambda process, held: kill(process.pid, signal.SIGUSR1),
}


def start(study, result, ranks, *words, env=None, checkpoint=0.1, of=None, clock=10):
    """Begin or go on with a run; `of` is the earlier result that it extends. Its seconds between checkpoints are
    those of a clock that goes `clock` times as fast.
    """
    command = (["mpirun", "-n", str(ranks)] if ranks else []) + [
        PROGRAM,
        *(["extend", of] if of else ["run"]),
        study,
        "-o",
        result,
        "--resume",
        "--progress",
        "none",
        "--checkpoint-seconds",
        str(checkpoint),
        *map(str, words),
    ]
    return subprocess.Popen(
        command,
        env={**ENVIRONMENT, **hurried(clock), **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )


def who_hangs(pid):
    """For each process of a launcher: its state, its position in the kernel, its processor time."""
    lines = []
    for one in [pid, *children(pid)]:
        try:
            words = open(f"/proc/{one}/stat").read().rsplit(")", 1)[1].split()
            lines.append(
                f"{one} {open(f'/proc/{one}/comm').read().strip()} {words[0]} "
                f"{open(f'/proc/{one}/wchan').read()} {int(words[11]) + int(words[12])} ticks"
            )
        except OSError:
            pass
    return "\n".join(lines)


def finish(process, seconds=LONGEST):
    """(exit status, stdout, stderr); killed, and None, when it hangs."""
    try:
        out, err = process.communicate(timeout=seconds)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        hanging = who_hangs(process.pid)
        kill_all(process)
        out, err = process.communicate()
        return None, out, f"still there after {seconds} s:\n{hanging}\n{err}"


def same(name, first, result):
    return ok(
        not (wrong := differences(first, digests(result))),
        f"{name}: every dataset outside /run is that of the undisturbed run",
        wrong,
    )


def checkpoints(result):
    folder, name = os.path.split(result)
    return sorted(
        (x for x in os.listdir(folder) if x.startswith(name + ".checkpoint.")), key=lambda x: (len(x), x)
    )

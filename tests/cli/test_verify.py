"""test_verify.py: `constella verify`: the same bits again, of finished and unfinished results; altered bits
are found and named."""
# SPDX-License-Identifier: BSD-2-Clause
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import (
    BEAD,
    ENVIRONMENT,
    GOOD,
    PROGRAM,
    constella,
    done,
    h5py,
    hurried,
    numpy,
    ok,
    path,
    run,
    scratch,
    together,
    write,
)
from held import Gate, ticking


ORDER = """study: order
system: double-pendulum
end: 1.0
steps: {from: 0.1, halvings: 2}
methods: [euler-a, rattle, shake, midpoint, project(rk4), "compose(rattle, kahan-li8)", gauss(2), "hbvm(k=4, s=2)", "convert(rk3)"]
reference: {method: "gauss(4)", step: 0.01}
error: {of: [q, p, lambda], norm: two, over: coarse, hidden: one}
trajectories: {members: [0], every: 3}
"""
ENSEMBLE = """study: ensemble
system: {name: spherical-pendulum, parameters: {g: [1.0, 9.81]}}
initial: {members: 90, seed: 11, around: default, spread: {q: 0.05, v: 0.2}}
end: 1.0
steps: [0.02]
methods: [rattle, midpoint, "baoab(friction=0.5, inverse-temperature=2)"]
solver: {tolerance: [1.0e-9, 1.0e-14]}
samples: {count: 20}
trajectories: {members: [0, 77], every: 10}
observables: [energy, "height: z"]
"""
STUDIES = {
    "order": ORDER,
    "members": ORDER.replace(
        "end: 1.0", "initial: {members: 70, seed: 3, around: low, spread: {q: 0.05, v: 0.05}}\nend: 0.4"
    ),
    "quad": ORDER.replace(
        "end: 1.0", "initial: {members: 3, seed: 3, around: low, spread: {q: 0.05, v: 0.05}}\nend: 0.2"
    ).replace("step: 0.01", "step: 0.1, precision: quad"),
    "exact": """study: order
system: planar-pendulum
initial: {members: 5, seed: 3, around: default, spread: {q: 0.2, v: 0.3}}
end: 2.0
steps: {counts: [20, 40]}
methods: [rattle, "compose(midpoint, suzuki4)", rk3]
reference: exact
error: {over: mesh}
""",
    "self": """study: order
system: modified-pendulum
initial: {members: 11, seed: 3, spread: {q: 0.05, v: 0.05}}
end: 1.0
steps: {from: 0.1, halvings: 2}
methods: [rattle, shake, "compose(rattle, yoshida4)", project(rk6), "compose(hbvm(k=3, s=3), rattle)"]
reference: self
error: {of: [q, p, lambda], norm: one, over: coarse}
""",
    "conservation": """study: conservation
system: heavy-top
initial: {members: 3, seed: 7, around: default, spread: {q: 0.05, v: 0.1}}
end: 20.0
steps: [0.02]
methods: [rattle, project(rk4), midpoint, "hbvm(k=2, s=2)"]
observables: [energy, momentum, constraint, "tilt: r33"]
""",
    "ensemble": ENSEMBLE,
    "work-precision": """study: work-precision
system: double-pendulum
end: 0.5
steps: {from: 0.1, halvings: 1}
methods: [rattle, project(rk4)]
reference: {method: "gauss(4)", step: 0.02}
accuracies: [0.1, 0.001]
""",
    "failing": """study: ensemble
system: planar-pendulum
initial: {members: 40, seed: 1, around: default, spread: {v: 8.0}}
end: 50.0
steps: [0.25]
methods: [rattle, midpoint, project(rk4)]
samples: {count: 10}
trajectories: {members: [0, 1, 5], every: 10}
""",
}
OWN = """study: order
system: {file: bead.yaml, parameters: {c: [1, 2]}}
end: 1.0
steps: [0.1, 0.05]
layers:
  thirds: {a: [[0, 0, 0, 0], [1/3, 0, 0, 0], [-1/3, 1, 0, 0], [1, -1, 1, 0]], b: [1/8, 3/8, 3/8, 1/8]}
  mine: {file: kutta38.c}
methods: [rattle, project(thirds), project(mine), "project({a: [[1/2]], b: [1]})"]
reference: {method: "gauss(4)", step: 0.05}
"""


def verdict(process):
    """The last line of what `verify` says."""
    return (process.stdout.splitlines() or [""])[-1]


def all_trajectories(name):
    process, result = run("all-" + name, STUDIES[name], ranks=0)
    with h5py.File(result, "r") as f:
        status = f["final/status"][()]
    ok(process.returncode == int((status > 0).any()), f"{name} runs", process.stderr)
    again = constella("verify", result, "--sample", status.size)
    lines = again.stdout.splitlines()
    ok(
        again.returncode == 0
        and verdict(again).startswith(f"{result}: {status.size} trajectories, all with the same bits"),
        f"{name}: all of its {status.size} trajectories have the same bits",
        *lines[-5:],
        again.stderr,
    )
    ok(
        len(lines) == status.size + 1 and all(x.endswith("from the start: same bits") for x in lines[:-1]),
        f"{name}: a line each",
        *lines[:3],
    )
    if name == "failing":
        failed = sum("failed (" in x for x in lines)
        ok(failed == (status > 0).sum(), "it says which trajectories failed in the run", failed, *lines[:3])
        ok((status > 0).any() and (status == 0).any(), "some of its trajectories fail, others do not", status)


def own():
    """A description of the user's comes out of the file; a C file is looked for beside the result, then where
    the study was."""
    here, there = scratch(), scratch()
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../jobs/layers/kutta38.c")
    for name, text in (("bead.yaml", BEAD), ("own.yaml", OWN), ("kutta38.c", open(source).read())):
        with open(os.path.join(here, name), "w") as f:
            f.write(text)
    process = constella("run", "own.yaml", "--progress", "none", folder=here)
    ok(process.returncode == 0, "a user's system, tableau and layer run", process.stderr)
    os.remove(here + "/bead.yaml")
    ok(
        "16 trajectories, all with the same bits"
        in verdict(constella("verify", "own.h5", "--sample", 99, "--trust-code", folder=here)),
        "without the system's file: it is in the result",
    )
    os.rename(here + "/own.h5", there + "/own.h5")
    again = constella("verify", there + "/own.h5", "--trust-code", folder=here)
    ok(
        "8 trajectories, all with the same bits" in verdict(again),
        "a result elsewhere: the layer is found where the study was",
        again.stdout,
        again.stderr,
    )
    again = constella("verify", "own.h5", "--trust-code", folder=there)
    ok(
        again.returncode == 2 and re.match(r"own\.h5:\d+:\d+: error: kutta38\.c: No such file", again.stderr),
        "a layer that is nowhere: its place",
        again.stderr,
    )
    shutil.copy(here + "/kutta38.c", there)
    ok(
        constella("verify", "own.h5", "--trust-code", folder=there).returncode == 0,
        "a layer beside the result",
    )
    with open(there + "/kutta38.c", "a") as f:
        f.write("\n")
    again = constella("verify", "own.h5", "--trust-code", folder=there)
    ok(again.returncode == 2 and "sha256 is" in again.stderr, "a layer that was changed", again.stderr)
    shutil.copy(here + "/kutta38.c", there)
    with h5py.File(there + "/own.h5", "r+") as f:
        f.attrs["system_description"] = BEAD.replace("g: 1,", "g: 2,")
    again = constella("verify", "own.h5", "--trust-code", folder=there)
    ok(again.returncode == 2 and "sha256 is" in again.stderr, "a description that was changed", again.stderr)


# A layer whose file does something when it is loaded, as a stranger's may.
SPY = """#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void mark(void) { close(open("WHERE", O_CREAT | O_WRONLY, 0600)); }
"""


def strangers():
    """A result that came with a C file: nothing of it is compiled or run unasked."""
    here, source = scratch(), os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "../../jobs/layers/kutta38.c"
    )
    mark, study = (
        os.path.join(here, "mark"),
        GOOD.replace("[rattle, midpoint]", "[rattle, project(mine), convert(mine)]")
        + "layers: {mine: {file: spy.c}}\n",
    )
    with open(os.path.join(here, "spy.c"), "w") as f:
        f.write(SPY.replace("WHERE", mark) + open(source).read())
    for name, text in (
        ("own.yaml", study),
        ("more.yaml", study.replace("[0.1, 0.05]", "[0.1, 0.05, 0.025]")),
    ):
        with open(os.path.join(here, name), "w") as f:
            f.write(text)
    with open(here + "/spy.c", "rb") as f:
        sha256 = hashlib.sha256(f.read()).hexdigest()
    process = constella("run", "own.yaml", "--progress", "none", folder=here)
    ok(
        process.returncode == 0 and os.path.exists(mark),
        "a study that one names runs, with its layers in C",
        process.stderr,
    )

    def verify(title, loads, *words, env=None, file="own.h5"):
        if os.path.exists(mark):
            os.remove(mark)
        again = constella("verify", file, *words, folder=here, env=env)
        ok(
            os.path.exists(mark) == loads,
            f"verify {title}: the layer is {'' if loads else 'not '}loaded",
            again.stdout,
            again.stderr,
        )
        return again

    again = verify("as it is", False)
    ok(
        again.returncode == 0 and "2 trajectories, all with the same bits" in verdict(again),
        "the other methods are verified",
        again.stdout,
        again.stderr,
    )
    said = again.stdout.splitlines()[0]
    ok(
        all(x in said for x in ("'mine'", "spy.c", sha256, "project(mine)", "convert(mine)", "and the statistics of all", "--trust-code"))
        and "statistics" not in verdict(again),
        "what is left out is named, with its file and sha256",
        said,
        verdict(again),
    )
    again = verify("of a case left out", False, "--case", 3)
    ok(
        again.returncode == 2 and "left out" in verdict(again) and "nothing to verify" in verdict(again),
        "where all is left out, nothing is proved",
        again.stdout,
    )
    again = verify("with --trust-code", True, "--trust-code")
    ok(
        again.returncode == 0 and "6 trajectories, all with the same bits" in verdict(again),
        "all are verified",
        again.stdout,
        again.stderr,
    )
    ok(
        verify("from one's own folders", True, env={"CONSTELLA_TRUST_CODE": f"/nowhere:{here}"}).returncode
        == 0,
        "a folder of one's own",
    )
    verify("from another folder", False, env={"CONSTELLA_TRUST_CODE": here + "/no:relative"})
    with open(here + "/none.yaml", "w") as f:
        f.write(GOOD)
    process = constella("extend", "own.h5", "none.yaml", folder=here)
    ok(
        process.returncode == 2
        and not os.path.exists(mark)
        and sha256 in process.stderr
        and "without permission" in process.stderr,
        "extend by a study without the layer: refused, nothing is loaded",
        process.stderr,
    )
    process = constella("extend", "own.h5", "more.yaml", "--progress", "none", folder=here)
    ok(
        process.returncode == 0 and os.path.exists(mark),
        "extend by a study that names the same file",
        process.stdout,
        process.stderr,
    )


def flip(result, dataset, index, bit=0):
    """Another bit in one number; returns the number as it was."""
    with h5py.File(result, "r+") as f:
        d = f[dataset]
        old = d[index]
        raw = bytearray(old.tobytes())
        raw[bit // 8] ^= 1 << bit % 8
        d[index] = numpy.frombuffer(bytes(raw), d.dtype)[0]
        return old


# Of every kind of dataset one number, each in a trajectory of its own; case K keeps the states of members 0
# and 77, or 0, under trajectories/K.
FLIPS = {
    "ensemble": [
        ("final/q", (0, 5, 2)),
        ("final/p", (1, 6, 0)),
        ("final/lambda", (2, 89, 0)),
        ("final/status", (3, 1)),
        ("final/steps", (4, 50)),
        ("final/iterations", (5, 33)),
        ("final/evaluations", (6, 0)),
        ("observables/energy", (7, 4, 2)),
        ("observables/height", (7, 5, 0)),
        ("trajectories/1/q", (1, 3, 2)),
        ("trajectories/2/p", (0, 3, 0)),
        ("trajectories/3/lambda", (1, 5, 0)),
    ],
    "order": [
        ("error/total", (1, 0)),
        ("error/q", (2, 0)),
        ("error/lambda", (5, 0)),
        ("series/energy/max", (8, 2)),
        ("series/constraint/rms", (9, 3)),
        ("trajectories/11/t", (2,)),
    ],
    "conservation": [("windows/energy", (1, 2, 63)), ("windows/tilt", (3, 0, 0))],
}


def owner(name, dataset, index):
    """The trajectory that the number belongs to."""
    if dataset.startswith("trajectories"):
        return int(dataset.split("/")[1]), (0, 77)[index[0]] if name == "ensemble" else 0
    return index[0], 0 if dataset.startswith("series") else index[1]


def flipped(name):
    """One number of each is altered in its last bit: those are found and named, and no others."""
    _, result = run("flip-" + name, STUDIES[name])
    old = {owner(name, *flip_): (*flip_, flip(result, *flip_)) for flip_ in FLIPS[name]}
    again = constella("verify", result, "--sample", 9999)
    lines = {
        tuple(map(int, re.match(r"case (\d+) .*member (\d+):", x).groups())): x
        for x in again.stdout.splitlines()
        if x.startswith("case ")
    }
    ok(
        again.returncode == 1 and f"{len(old)} of {len(lines)} trajectories DIFFER" in verdict(again),
        f"{name}: {len(old)} numbers are altered, {len(old)} trajectories differ",
        verdict(again),
        again.stderr,
    )
    ok(
        all(line.endswith("same bits") for which, line in lines.items() if which not in old),
        f"{name}: no others",
    )
    ok(
        "or one of the machines made an error" in again.stdout,
        f"{name}: the program and the machine are the same",
        again.stdout[-500:],
    )
    for which, (dataset, index, number) in old.items():
        line = lines[which]
        ok(
            f"DIFFERENT, 1 of " in line and f"first: /{dataset}[{', '.join(map(str, index))}] is " in line,
            f"/{dataset}: a flipped bit is found and named",
            line,
        )
        was = (
            f"({number:.17g}), 1 ulp apart"
            if number.dtype == float
            else f"computed {int(number):#x} ({number})".replace("0x0 ", "0 ")
        )
        ok(line.endswith(was), f"/{dataset}: with what it was", line, was)


def other(old):
    """A value that a column has not."""
    return b"?" if isinstance(old, bytes) else 0.5 if numpy.isnan(old) else numpy.nextafter(old, 9)


def statistics(name):
    """Every column is made again from the rows: of each, the number of the last case is altered, and all are named, with that case
    alone. The error of a reference has no rows, but all cases of one system share it."""
    result, altered = path(f"all-{name}.h5"), path(f"columns-{name}.h5")
    shutil.copy(result, altered)
    with h5py.File(altered, "r+") as f:
        columns, last = f["statistics"], f["cases/h"].size - 1
        for column in columns.values():
            column[last] = other(column[last])
        names = set(columns)
    with open(altered, "rb") as f:
        before = f.read()
    good, again = (constella("verify", x, "--sample", 1) for x in (result, altered))
    taken = " (the error of the reference is not computed again)" if "reference: {method" in STUDIES[name] else ""
    ok(
        good.returncode == 0 and f", statistics the same{taken}; " in verdict(good).replace(", sums over members complete", ""),
        f"{name}: the columns are those of the rows, and what is not computed again is named",
        good.stdout,
        good.stderr,
    )
    found = set(re.findall(r"column (\S+): DIFFERENT in 1 of \d+ cases; first: /statistics/\1\[%d\] is " % last, again.stdout))
    ok(
        again.returncode == 1 and found == names and "1 trajectories, all with the same bits" in verdict(again) and ", statistics DIFFER" in verdict(again),
        f"{name}: an altered number of each of {len(names)} columns is found",
        *(names ^ found),
        again.stdout[-2000:],
        again.stderr,
    )
    with open(altered, "rb") as f:
        ok(f.read() == before, f"{name}: `verify` does not write")


def kinds():
    """All kinds of study whose result has a table are among these."""
    listed = {x.split()[0] for x in constella("list", "studies").stdout.splitlines()}
    ok(listed - {"certify", "choose"} <= set(STUDIES), "a study of each kind", listed)


def concluded():
    """A dataset that is concluded beside the columns; columns of another program, and rows that cannot be."""
    text = ENSEMBLE.replace("[1.0, 9.81]", "1.0").replace("members: 90", "members: 9").replace("[0, 77]", "[0]")
    process, result = run("concluded", text + "histograms: [{name: high, expression: z, from: -1, to: 1, bins: 4}]\n", ranks=0)
    with h5py.File(result, "r+") as f:
        f["histograms/high_density"][1, 2] += 1
    again = constella("verify", result, "--sample", 1)
    ok(
        process.returncode == 0 and again.returncode == 1 and "what is concluded of case 1: DIFFERENT, 1 of" in again.stdout,
        "a number of a histogram is found",
        process.stderr,
        again.stdout,
    )
    ok("defined" not in again.stdout, "this program has made the file")
    with h5py.File(result, "r+") as f:
        f["histograms/high_density"][1, 2] -= 1
        f.move("statistics/energy_rms", "statistics/energy_root")
    told = ("column energy_rms: not in the file", "column energy_root: not compared, this program does not make it")
    again = constella("verify", result, "--sample", 1)
    ok(again.returncode == 1 and all(x in again.stdout for x in told), "a column that was renamed", again.stdout)
    with h5py.File(result, "r+") as f:
        f.attrs["git"] = "another"
    again = constella("verify", result, "--sample", 1)
    ok(again.returncode == 0 and all(x in again.stdout for x in told), "another program had other columns", again.stdout)
    with h5py.File(result, "r+") as f:
        f["statistics/energy_mean_end"][2] = 5
    again = constella("verify", result, "--sample", 1)
    ok(
        again.returncode == 1 and "it may have defined these statistics otherwise" in again.stdout,
        "or other ones of the same name",
        again.stdout,
    )
    with h5py.File(result, "r+") as f:
        f["final/status"][0, 0] = 100
    again = constella("verify", result, "--case", 1, "--member", 3)
    ok(again.returncode == 1 and "statistics DIFFER" in verdict(again), "rows that cannot be are told", again.stdout, again.stderr)


def explained():
    """What made the file is set beside what this program is."""
    _, result = run("explained", GOOD)
    flip(result, "final/q", (0, 0, 0))
    with h5py.File(result, "r+") as f:
        f["run"].attrs["compiler"] = "gcc 4.2 -Ofast"
    again = constella("verify", result)
    ok(
        again.returncode == 1 and 'compiler: the file has "gcc 4.2 -Ofast", this program "' in again.stdout,
        "another compiler is named",
        again.stdout,
    )
    ok(
        "hardware" not in again.stdout and "libraries" not in again.stdout,
        "and what is the same is not",
        again.stdout,
    )
    with h5py.File(result, "r+") as f:
        f["run"].attrs["instruction_set"] = "v1"
        f.attrs["system_description"] = "another"
    again = constella("verify", result)
    ok(
        'instruction set: the file has "v1"' in again.stdout and "description of the system" in again.stdout,
        "instruction set and system too",
        again.stdout,
    )
    flip(result, "final/q", (0, 0, 0))
    again = constella("verify", result)
    ok(
        again.returncode == 0 and "compiler" not in again.stdout,
        "where no bits differ nothing of that is said",
        again.stdout,
    )


def refused():
    _, result = run(
        "refused", GOOD.replace("end: 1.0", "initial: {members: 4, seed: 1, spread: {v: 0.1}}\nend: 1.0")
    )
    for words, message in (
        (("--member", 4), "no member 4; there are 0 to 3"),
        (("--case", 4, "--member", -1), "no case 4; there are 0 to 3"),
        (("--member", "two"), "--member takes an integer of at least 0"),
        (("--sample", 0), "--sample takes an integer of at least 1"),
        (("--seed",), "'--seed' needs a value"),
        (("--form-start",), "did you mean '--from-start'"),
        ((result,), "takes a result"),
    ):
        process = constella("verify", result, *words)
        ok(
            process.returncode == 2 and not process.stdout,
            f"verify {' '.join(map(str, words[:3]))[-40:]}: refused",
            process.stdout,
            process.stderr,
        )
        ok(message in process.stderr or "-1" in map(str, words), "with what is allowed", process.stderr)
    ok("one rank" in constella("verify", result, ranks=2).stderr, "two ranks are refused")
    ok(constella("verify", result, ranks=1).returncode == 0, "one rank of mpirun is not")
    ok(constella("verify", write("no.h5", "no")).returncode == 2, "what is no result is refused")
    two = constella("verify", result, "--member", 3, "--member", 1, "--case", 2)
    ok(
        re.findall(r"case (\d+) .*member (\d+)", two.stdout) == [("2", "3"), ("2", "1")],
        "members and cases that are named",
        two.stdout,
    )
    drawn = [constella("verify", result, "--sample", 5, "--seed", s).stdout for s in (1, 1, 2)]
    chosen = [re.findall(r"case (\d+) .*member (\d+)", x) for x in drawn]
    ok(
        len(set(chosen[0])) == 5
        and chosen[0] == chosen[1]
        and chosen[0] != chosen[2]
        and "drawn with seed 2" in drawn[2],
        "the drawing depends on the seed alone",
        *drawn,
    )
    with h5py.File(result, "r+") as f:
        f.attrs["study"] = f.attrs["study"].replace("rattle", "shake")
    ok(
        "not the one that was run" in constella("verify", result).stderr,
        "a study that was changed is refused",
    )
    with h5py.File(result, "r+") as f:
        f.attrs["schema"] = "constella-result 9"
    ok("'constella-result 9'" in constella("verify", result).stderr, "another schema is refused")


LONG = """study: conservation
system: double-pendulum
initial: {members: 24, seed: 7, around: low, spread: {q: 0.05, v: 0.05}}
end: 1000.0
steps: [0.02]
methods: [rattle, "compose(rattle, suzuki4)", project(rk4), midpoint]
observables: [energy, constraint, "pull: lambda_upper"]
"""
ALONE = """study: order
system: double-pendulum
end: 400.0
steps: [0.02, 0.01]
methods: [rattle, "compose(rattle, suzuki4)", midpoint, "hbvm(k=4, s=2)"]
reference: self
error: {over: coarse}
samples: {count: 200}
"""


def checkpoints(result):
    """Their numbers."""
    names = [
        x
        for x in os.listdir(os.path.dirname(result))
        if x.startswith(os.path.basename(result) + ".checkpoint.")
    ]
    return [int(x.rsplit(".", 1)[1]) for x in names if x[-1].isdigit()]


def interrupt(name, text, ranks):
    """The result of a run that was stopped after its second checkpoint, with trajectories finished and on
    their way."""
    study, result = write(name + ".yaml", text), path(name + ".h5")
    command = [
        "mpirun",
        "-n",
        str(ranks),
        PROGRAM,
        "run",
        study,
        "-o",
        result,
        "--progress",
        "none",
        "--checkpoint-seconds",
        "0.1",
        "--batch",
        "8",
    ]
    gate = Gate("clock:25", result)
    process = subprocess.Popen(
        command,
        env={**ENVIRONMENT, **hurried(), **gate.env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def has_some():
        if max(checkpoints(result), default=0) < 3:
            return False
        with h5py.File(result, "r") as f:
            return (f["final/status"][()] >= 0).any()

    # then a little further: the ranks have just begun their next batches
    ok(gate.steps(process, 25, has_some, ranks) and gate.step(process, 10, ranks), f"{name}: some trajectories have ended")
    process.send_signal(signal.SIGUSR1)
    gate.heard(process, ranks)
    gate.open()
    ok(process.wait() == 75, f"{name}: stopped with a checkpoint", process.returncode)
    return result


# What `verify` says of a trajectory that a checkpoint holds on its way.
MIDWAY = r"to step \d+ in checkpoint \d+: same bits$"


def interrupt_midway(name, text, ranks):
    """The same, and what `verify` says of it; another time where all ranks stood between two batches just
    then."""
    for attempt in range(10):
        if attempt:
            for file in [result, *(f"{result}.checkpoint.{number}" for number in checkpoints(result))]:
                os.remove(file)
        result = interrupt(name, text, ranks)
        verified = constella("verify", result, "--sample", 9999)
        if re.search(MIDWAY, verified.stdout, re.MULTILINE):
            break
    return result, verified


def unfinished(name, text, ranks):
    result, first = interrupt_midway(name, text, ranks)
    with h5py.File(result, "r") as f:
        status = f["final/status"][()]
    for words in ((), ("--from-start",)):
        again = constella("verify", result, "--sample", 9999, *words) if words else first
        lines = again.stdout.splitlines()[:-1]
        midway = [x for x in lines if re.search(MIDWAY, x)]
        title = f"{name} {' '.join(words)}"
        ok(
            again.returncode == 0 and len(lines) > 0 and all(x.endswith("same bits") for x in lines),
            f"{title}: all that has begun has the same bits",
            *lines,
            again.stderr,
        )
        ok(len(midway) > 0, f"{title}: trajectories on their way", *lines)
        ok(len(lines) - len(midway) == (status >= 0).sum() > 0, f"{title}: and finished ones", *lines)
        ok(not words or all("from the start" in x for x in lines), f"{title}: where from", *midway)
    if len(lines) < status.size:
        begun = {tuple(map(int, re.match(r"case (\d+) .*member (\d+):", x).groups())) for x in lines}
        case, member = next(
            (c, m) for c in range(status.shape[0]) for m in range(status.shape[1]) if (c, m) not in begun
        )
        again = constella("verify", result, "--case", case, "--member", member)
        ok(
            again.returncode == 0 and "not begun" in again.stdout and "nothing to verify" in verdict(again),
            f"{name}: what has not begun is said to be so",
            again.stdout,
        )
    altered = path(name + "-altered.h5")
    shutil.copy(result, altered)
    case, member = (int(i[0]) for i in numpy.nonzero(status >= 0))
    flip(altered, "final/q", (case, member, 0))
    again = constella("verify", altered, "--case", case, "--member", member)
    ok(
        again.returncode == 1 and f"/final/q[{case}, {member}, 0]" in again.stdout,
        f"{name}: an altered number of a finished one is found",
        again.stdout,
        again.stderr,
    )
    for number in checkpoints(result):
        with open(f"{result}.checkpoint.{number}", "r+b") as f:
            f.seek(-200, os.SEEK_END)
            byte = f.read(1)[0]
            f.seek(-200, os.SEEK_END)
            f.write(bytes([byte ^ 1]))
    again = constella("verify", result, "--case", case, "--member", member)
    ok(
        again.returncode == 0 and "is ignored" in again.stderr and "from the start" in again.stdout,
        f"{name}: damaged checkpoints are ignored",
        again.stdout,
        again.stderr,
    )


def stopped():
    """SIGINT ends it."""
    text = (
        LONG.replace("members: 24", "members: 2")
        .replace("1000.0", "1.0e+6")
        .replace('rattle, "compose(rattle, suzuki4)", project(rk4), ', "")
    )
    result = path("stopped.h5")
    gate = Gate("clock:500", result)
    process = subprocess.Popen(
        [
            PROGRAM,
            "run",
            write("stopped.yaml", text),
            "-o",
            result,
            "--progress",
            "none",
            "--checkpoint-seconds",
            "5",
        ],
        env={**ENVIRONMENT, **ticking(), **gate.env},
        stdout=subprocess.DEVNULL,
    )
    ok(gate.reached(process) and len(checkpoints(result)) == 2, "a long run has checkpoints", checkpoints(result))
    process.send_signal(signal.SIGTERM)
    gate.heard(process)
    gate.open()
    ok(process.wait() == 75, "a long run, stopped", process.returncode)
    again = constella("verify", result)
    lines = re.findall(
        r"member \d: (\d+) steps from step (\d+) in checkpoint \d+ to step (\d+) in checkpoint \d+: "
        r"same bits",
        again.stdout,
    )
    ok(
        again.returncode == 0
        and len(lines) == 2
        and all(int(n) == int(to) - int(since) > 0 < int(since) for n, since, to in lines),
        "both of its trajectories, from the checkpoint before",
        again.stdout,
        again.stderr,
    )
    gate = Gate("clock:2", result)
    with subprocess.Popen(
        [PROGRAM, "verify", result, "--from-start", "--sample", "2"],
        env={**ENVIRONMENT, **gate.env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        ok(gate.reached(process), "`verify` is at work")
        process.send_signal(signal.SIGINT)
        process.wait()
        ok(process.returncode in (-signal.SIGINT, 130), "SIGINT ends `verify`", process.returncode)


together([(lambda name=name: all_trajectories(name)) for name in STUDIES])
together([kinds, *[(lambda name=name: statistics(name)) for name in STUDIES], concluded])
together([own, strangers, *[(lambda name=name: flipped(name)) for name in FLIPS], explained, refused])
together([lambda: unfinished("long", LONG, 2), lambda: unfinished("alone", ALONE, 1), stopped], 2)
done()

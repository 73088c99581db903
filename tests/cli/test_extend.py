"""test_extend.py: `constella extend`: the trajectories of a finished file are taken over, the rest is
computed, and the bits are those of a fresh run."""
# SPDX-License-Identifier: BSD-2-Clause
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import (
    BEAD,
    ENVIRONMENT,
    PROGRAM,
    constella,
    differences,
    digests,
    done,
    h5py,
    hurried,
    ok,
    path,
    run,
    scratch,
    together,
    write,
)
from held import Gate, lingering

ENVIRONMENT["XDG_CACHE_HOME"] = scratch()

ENSEMBLE = """study: ensemble
system: {name: spherical-pendulum, parameters: {g: PARAMETERS}}
initial: {members: MEMBERS, seed: 11, around: default, spread: {q: 0.05, v: 0.2}}
end: 1.0
steps: [STEPS]
methods: [METHODS]
solver: {tolerance: [TOLERANCES]}
samples: {count: 20}
trajectories: {members: [0, 7], every: 10}
observables: [energy, momentum, "height: z"]
"""
CONSERVATION = """study: conservation
system: heavy-top
initial: {members: MEMBERS, seed: 7, around: default, spread: {q: 0.05, v: 0.1}}
end: 10.24
steps: [STEPS]
methods: [METHODS]
error: {hidden: two}
"""
ORDER = """study: order
system: SYSTEM
initial: {members: MEMBERS, seed: 3, around: default, spread: {q: 0.05, v: 0.1}}
end: 1.0
steps: [STEPS]
methods: [METHODS]
reference: REFERENCE
error: {of: [q, p], norm: two, over: OVER}
"""
FAILING = """study: ensemble
system: planar-pendulum
initial: {members: MEMBERS, seed: 1, around: default, spread: {v: 8.0}}
end: 50.0
steps: [0.25]
methods: [METHODS]
samples: {count: 10}
trajectories: {members: [0, 1, 5], every: 10}
"""
USUAL = {
    "MEMBERS": 12,
    "STEPS": "0.04",
    "METHODS": "rattle, midpoint",
    "PARAMETERS": "[9.81]",
    "TOLERANCES": "1.0e-14",
    "OVER": "end",
    "SYSTEM": "planar-pendulum",
    "REFERENCE": "exact",
}
SMALLER, FEWER_METHODS, MORE_METHODS = (
    {"STEPS": "0.04, 0.02"},
    {"METHODS": "rattle"},
    {"METHODS": 'shake, rattle, "compose(rattle, yoshida4)", midpoint'},
)
METHOD = '{method: "gauss(4)", step: 0.02}'


def text(form, *changes):
    values = dict(USUAL)
    for change in changes:
        values.update(change)
    for word, value in values.items():
        form = form.replace(word, str(value))
    return form


# Name: form, what both have, what the larger one has besides, trajectories that are taken over (those of the
# smaller one), reason for the others.
CASES = {
    "members": (ENSEMBLE, {}, {"MEMBERS": 40}, True, None),
    "members, many batches": (ENSEMBLE, {"MEMBERS": 70}, {"MEMBERS": 300}, True, None),
    "methods": (ENSEMBLE, {}, MORE_METHODS, True, None),
    "steps": (ENSEMBLE, {}, SMALLER, True, None),
    "a larger step": (ENSEMBLE, SMALLER, {"STEPS": "0.1, 0.04, 0.02"}, True, None),
    "all at once": (ENSEMBLE, {}, {"MEMBERS": 40, **MORE_METHODS, **SMALLER}, True, None),
    "parameters and tolerances": (
        ENSEMBLE,
        {},
        {"PARAMETERS": "[1.0, 9.81]", "TOLERANCES": "1.0e-9, 1.0e-14", "MEMBERS": 20},
        True,
        None,
    ),
    "one member": (CONSERVATION, {"MEMBERS": 1}, {**MORE_METHODS, **SMALLER}, True, None),
    "one member becomes two": (
        CONSERVATION,
        {"MEMBERS": 1},
        {"MEMBERS": 2},
        False,
        "the file has no sums of its series",
    ),
    "conservation": (CONSERVATION, {"MEMBERS": 3}, {"MEMBERS": 9, **MORE_METHODS, **SMALLER}, True, None),
    "exact": (ORDER, {}, {"MEMBERS": 20, **MORE_METHODS, **SMALLER}, True, None),
    "exact, coarse": (ORDER, {"OVER": "coarse"}, {"MEMBERS": 20, **MORE_METHODS, **SMALLER}, True, None),
    "exact, another coarse mesh": (
        ORDER,
        {"OVER": "coarse", **SMALLER},
        {"STEPS": "0.2, 0.04, 0.02"},
        False,
        "errors are read at other steps",
    ),
    "self": (
        ORDER,
        {"SYSTEM": "modified-pendulum", "REFERENCE": "self"},
        {"MEMBERS": 20, **MORE_METHODS, **SMALLER},
        True,
        None,
    ),
    "method, members": (ORDER, {"REFERENCE": METHOD, **SMALLER}, {"MEMBERS": 90}, True, None),
    "method, of the same times": (
        ORDER,
        {"REFERENCE": METHOD, "METHODS": "rattle"},
        {"MEMBERS": 20, "METHODS": 'rattle, "compose(rattle, yoshida4)"'},
        True,
        None,
    ),
    "method, of other times": (
        ORDER,
        {"REFERENCE": METHOD},
        {"MEMBERS": 20, **SMALLER},
        False,
        "the reference is read at other times",
    ),
    "method, no constraints": (
        ORDER,
        {"REFERENCE": METHOD, "SYSTEM": "henon-heiles"},
        {"MEMBERS": 20, "METHODS": "rattle, rk4, midpoint", **SMALLER},
        True,
        None,
    ),
}


_begun, _beginning = {}, threading.Lock()


def copied(name, study):
    """The result of a study that several cases extend: run once, copied."""
    with _beginning:
        if study not in _begun:
            _begun[study] = run(f"begun-{len(_begun)}", study)[1]
    return shutil.copy(_begun[study], path(name + ".h5"))


def extended(number, name, ranks=0, *words):
    form, both, more, taken, why = CASES[name]
    small, large = text(form, both), text(form, both, more)
    result = copied(f"small-{number}", small)
    process, fresh = run(f"large-{number}", large)
    ok(process.returncode == 0, f"{name}: a fresh run", process.stderr)
    with h5py.File(result, "r") as f:
        had = f["final/status"].size
    with h5py.File(fresh, "r") as f:
        whole = f["final/status"].size
    process = constella(
        "extend",
        result,
        path(f"large-{number}.yaml"),
        "--progress",
        "none",
        *words,
        *(() if number % 5 else ("-snes_type", "lanes")),  # with PETSc, which takes as long to load as the rest
        ranks=ranks,
    )
    said = (
        f"{result}: {had if taken else 0} trajectories are taken over, "
        f"{whole - (had if taken else 0)} are computed" + (f", {had} of them anew: {why}" if why else "")
    )
    ok(
        process.returncode == 0 and process.stdout.splitlines()[0] == said,
        f"{name}: {had} of {whole} are there",
        process.stdout,
        process.stderr,
        said,
    )
    ok(not process.stderr, f"{name}: nothing else is said", process.stderr)
    ok(
        not differences(digests(result), digests(fresh)),
        f"{name}: the bits are those of a fresh run",
        *differences(digests(result), digests(fresh)),
    )
    with h5py.File(result, "r") as f:
        before = f["run"].attrs["work_before"]
        ok((before > 0) == taken and before < 1, f"{name}: a part of the work was not done again", before)
    ok(
        not [x for x in os.listdir(os.path.dirname(result)) if x.startswith(f"small-{number}.h5.")],
        f"{name}: nothing is left beside it",
    )


def of_the_file():
    """What is taken over is the file's own: an altered number comes through, its statistics too; failed
    trajectories stay failed."""
    result = copied("altered", text(ENSEMBLE))
    _, fresh = run("altered-fresh", text(ENSEMBLE, {"MEMBERS": 20}))
    with h5py.File(result, "r+") as f:
        f["final/q"][1, 3, 0] = 7.0
    constella("extend", result, path("altered-fresh.yaml"), "--progress", "none")
    with h5py.File(result, "r") as f:
        ok(
            f["final/q"][1, 3, 0] == 7.0 and differences(digests(result), digests(fresh)) == ["final/q"],
            "an altered number is taken over",
            differences(digests(result), digests(fresh)),
        )
    process, result = run("failing", text(FAILING, {"MEMBERS": 20, "METHODS": "rattle"}))
    again, fresh = run("failing-fresh", text(FAILING, {"MEMBERS": 40, "METHODS": "midpoint, rattle"}))
    ok(process.returncode == 1 == again.returncode, "trajectories that fail", process.stderr, again.stderr)
    process = constella(
        "extend", result, path("failing-fresh.yaml"), "--progress", "none", "--batch", 8, ranks=2
    )
    ok(
        process.returncode == 1 and "20 trajectories are taken over, 60 are computed" in process.stdout,
        "they are taken over as failed, and counted",
        process.stdout,
        process.stderr,
    )
    ok(
        not differences(digests(result), digests(fresh)),
        "with the bits of a fresh run",
        *differences(digests(result), digests(fresh)),
    )
    result = copied("older", text(ENSEMBLE))
    with h5py.File(result, "r+") as f:
        for name in f["series"]:
            if name != "t":
                del f["series"][name]["sum"]
        f["run"].attrs["compiler"] = "gcc 4.2 -Ofast"
    process = constella(
        "extend", result, path("altered-fresh.yaml"), "-o", path("newer.h5"), "--progress", "none"
    )
    ok(
        "0 trajectories are taken over, 40 are computed, 24 of them anew: the file has no sums"
        in process.stdout,
        "a file without sums is computed anew",
        process.stdout,
    )
    ok(
        "made by another build" in process.stderr and "constella verify" in process.stderr,
        "that another build made it is said",
        process.stderr,
    )
    ok(
        not differences(digests(path("newer.h5")), digests(path("altered-fresh.h5")))
        and h5py.File(result, "r")["final/q"].shape[1] == 12,
        "with -o the file stays as it is",
    )


OWN = """study: order
system: {file: bead.yaml, parameters: {c: 2}}
end: 1.0
steps: [0.1, 0.05]
methods: [rattle, project(thirds)]
reference: self
layers:
  thirds: {a: [[0, 0, 0, 0], [1/3, 0, 0, 0], [-1/3, 1, 0, 0], [1, -1, 1, 0]], b: [1/8, 3/8, 3/8, 1/8]}
"""


def own():
    """A user's system and layer; neither may have changed."""
    folder = scratch()

    def put(name, content):
        with open(os.path.join(folder, name), "w") as f:
            f.write(content)

    def extend():
        return constella("extend", "small.h5", "large.yaml", "--progress", "none", folder=folder)

    large = (
        OWN.replace("c: 2}", "c: [1, 2]}").replace("project(thirds)", "project(thirds), project(half)")
        + "  half: {a: [[1/2]], b: [1]}\n"
    )
    put("bead.yaml", BEAD), put("small.yaml", OWN), put("large.yaml", large)
    ok(
        constella("run", "small.yaml", "--progress", "none", folder=folder).returncode == 0,
        "a study of a system of one's own",
    )
    put("bead.yaml", BEAD.replace("m*g*z", "2*m*g*z"))
    process = extend()
    ok(
        process.returncode == 2 and "whose description has changed" in process.stderr,
        "its description must not have changed",
        process.stderr,
    )
    put("bead.yaml", BEAD), put("large.yaml", large.replace("3/8, 3/8", "2/8, 4/8"))
    process = extend()
    ok(
        process.returncode == 2 and "'layers' differs from small.h5" in process.stderr,
        "nor a layer",
        process.stderr,
    )
    put("large.yaml", large)
    ok("4 trajectories are taken over, 8 are computed" in extend().stdout, "one parameter and one layer more")
    constella("run", "large.yaml", "--progress", "none", folder=folder)
    found = differences(digests(folder + "/small.h5"), digests(folder + "/large.h5"))
    ok(not found, "with the bits of a fresh run", *found)


def refused():
    base = text(ORDER, SMALLER, MORE_METHODS, {"REFERENCE": "self"})
    _, result = run("kept", base)
    before = digests(result)
    changes = {
        "end": (
            "end: 1.0",
            "end: 2.0",
            "'end' is 2, and .*kept.h5, which ends at 1, "
            "does not hold the states that a later end needs; run it again with `extensible: true`",
        ),
        "seed": (
            "seed: 3",
            "seed: 4",
            '\'initial\' differs from .* "seed: 3" where this study has "seed: 4"',
        ),
        "system": ("planar-pendulum", "spherical-pendulum", "its system is not that of .*planar-pendulum"),
        "kind": ("study: order", "study: conservation", "'study' differs from"),
        "norm": (
            "norm: two",
            "norm: one",
            '\'error\' differs from .* "norm: two" where this study has "norm: one"',
        ),
        "a key more": (
            "error:",
            "observe: every\nerror:",
            "'observe' is in .*refused.yaml and not in .*kept.h5",
        ),
        "fewer members": ("members: 12", "members: 11", "it has 11 members, .*kept.h5 has 12"),
        "a method less": ("shake, ", "", r"its case 0 \(shake, step 0.04, 25 steps\) is not in"),
        "a step less": ("0.04, 0.02", "0.04", r"its case 1 \(shake, step 0.02, 50 steps\) is not in"),
        "a tolerance": ("end:", "solver: {tolerance: 1.0e-12}\nend:", r"its case 0 \(shake"),
        "iterations": (
            "end:",
            "solver: {max-iterations: 20}\nend:",
            "'solver' is in .*refused.yaml and not in",
        ),
        "a mistake": ("rattle,", "ratle,", "did you mean 'rattle'"),
    }
    for name, (old, new, message) in changes.items():
        process = constella(
            "extend", result, write("refused.yaml", base.replace(old, new, 1)), "--progress", "none"
        )
        ok(
            process.returncode == 2 and re.search(message, process.stderr) and not process.stdout,
            f"{name}: refused, with what differs",
            process.stderr,
            process.stdout,
        )
    study = write(
        "more.yaml",
        base.replace("members: 12", "members: 13").replace("study: order", "study: order\ntitle: more"),
    )
    write("kept.h5.extended", "")
    ok(
        "--resume goes on with it, or remove it" in constella("extend", result, study).stderr,
        "what lies in its way is not overwritten",
    )
    os.remove(result + ".extended")
    for words, message in (
        ((result,), "needs a result and a study"),
        ((study, study), "is not a Constella result"),
        ((result, study, "--overwrite"), "unknown option '--overwrite'"),
        ((result, study, "-o", result), "exists"),
        ((result, study, study), "takes a result and a study file"),
    ):
        process = constella("extend", *words)
        ok(process.returncode == 2 and message in process.stderr, f"{message}: refused", process.stderr)
    with h5py.File(result, "r+") as f:
        f["run"].attrs.modify("state", b"interrupted".ljust(16, b"\0"))
    ok(
        "finish it first" in constella("extend", result, study).stderr,
        "an unfinished file is to be finished first",
    )
    with h5py.File(result, "r+") as f:
        f["run"].attrs.modify("state", b"complete".ljust(16, b"\0"))
    ok(digests(result) == before, "and none of this has changed the file")
    process = constella("extend", result, study, "--progress", "none")
    ok(
        process.returncode == 0 and h5py.File(result, "r").attrs["title"] == "more",
        "a title may change",
        process.stderr,
    )
    process = constella("extend", result, study, "--progress", "none", "--resume")
    ok(
        process.returncode == 0 and "complete already" in process.stdout,
        "what is all there is complete already",
        process.stdout,
        process.stderr,
    )


def sha256(file):
    with open(file, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


LONG = text(CONSERVATION, {"MEMBERS": 16}).replace("10.24", "204.8").replace("0.04", "0.02")


def killed(how, ranks):
    """Killed repeatedly; the file does not change until the new one is complete."""
    name = f"killed-{ranks}"
    _, result = run(name, LONG)
    process, fresh = run(
        name + "-fresh",
        LONG.replace("members: 16", "members: 48").replace(
            "midpoint", 'midpoint, "compose(rattle, suzuki4)"'
        ),
    )
    ok(process.returncode == 0, f"{how.name}: a longer study", process.stderr)
    kept, ended = sha256(result), 0
    line = [
        "extend",
        result,
        path(name + "-fresh.yaml"),
        "--progress",
        "none",
        "--checkpoint-seconds",
        "0.1",
        "--batch",
        "8",
        "--resume",
    ]
    for attempt in range(4):
        gate = Gate("rename:2", ".checkpoint.")
        run_ = subprocess.Popen(
            (["mpirun", "-n", str(ranks)] if ranks else []) + [PROGRAM, *line],
            env={**ENVIRONMENT, **hurried(), **({**lingering(), **gate.env} if attempt < 3 else {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        if attempt < 3:
            old = newest(result)
            ok(gate.reached(run_) and newest(result) > old, f"{how.name}: a checkpoint is written", newest(result))
            run_.send_signal(how)
            ok(how == signal.SIGKILL or gate.heard(run_), f"{how.name}: the run is told")
            gate.open()
        said = run_.communicate()[0]
        if run_.returncode == 0:
            break
        ended += 1
        ok(sha256(result) == kept, f"{how.name}, ended {ended} times: the file is as it was")
        if how != signal.SIGKILL:
            ok(run_.returncode == 75, f"{how.name}: exit status 75", run_.returncode)
    ok(ended == 3, f"{how.name}: it was ended in the middle", ended)
    ok(
        run_.returncode == 0 and f"{result}: complete" in said,
        f"{how.name}: the last one completes it",
        said,
        run_.returncode,
    )
    ok(
        not differences(digests(result), digests(fresh)),
        f"{how.name}: the bits are those of a fresh run",
        *differences(digests(result), digests(fresh)),
    )


def newest(result):
    names = [
        x.rsplit(".", 1)[1]
        for x in os.listdir(os.path.dirname(result))
        if x.startswith(os.path.basename(result) + ".extended.checkpoint.")
    ]
    return max([int(x) for x in names if x.isdigit()], default=0)


def put_in_place():
    """Killed between the last write and the renaming: --resume repairs it."""
    result = copied("place", text(ENSEMBLE))
    write("place-more.yaml", text(ENSEMBLE, {"MEMBERS": 20}))
    constella("extend", result, path("place-more.yaml"), "-o", path("place-new.h5"), "--progress", "none")
    shutil.copy(path("place-new.h5"), result + ".extended")
    process = constella("extend", result, path("place-more.yaml"), "--resume")
    ok(
        process.returncode == 0
        and digests(result) == digests(path("place-new.h5"))
        and not os.path.exists(result + ".extended"),
        "a complete one takes the place of the file",
        process.stderr,
    )


RANKS = {1: 1}  # one rank of mpirun's costs a second more than none

together(
    [
        (
            lambda number=number, name=name: extended(
                number, name, RANKS.get(number, 2 if number % 3 == 2 else 0), *(("--batch", 8) if number % 2 else ())
            )
        )
        for number, name in enumerate(CASES)
    ]
)
together([of_the_file, own, refused, put_in_place])
together([lambda: killed(signal.SIGKILL, 0), lambda: killed(signal.SIGUSR1, 2)], 2)
done()

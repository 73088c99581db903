"""damage.py: gives damaged results and checkpoints to every command that reads them, and counts how many
were read, refused, or ended badly. Not part of the tests.

BUILD=build /usr/bin/python3 tests/survive/damage.py [--files N] [--seed S] [--drawn K]: N damaged files
(2000), a quarter of them checkpoints; every K-th result (10) is also drawn, as report, as each kind of
figure in turn, and as each form of export. Failures are: a signal, a traceback, a mistake of ours, more
than 10 s of processor time, a run that continues from a damaged checkpoint.
"""
# SPDX-License-Identifier: BSD-2-Clause
import collections
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

from survive import ENVIRONMENT, PROGRAM, checkpoints, differences, digests, finish, start

from cli import FOLDER, constella, path, run, write

SECONDS = 10
WAIT = 12 * SECONDS if os.nice(0) < 10 else 1200  # others are at work too, and may come first
KINDS = [line.split()[0] for line in constella("list", "figures").stdout.splitlines()]
STUDIES = {
    "order": "study: order\n"
    "system: planar-pendulum\n"
    "initial: {members: 3, seed: 1, spread: {v: 0.1}}\n"
    "end: 1.0\n"
    "steps: [0.1, 0.05]\n"
    "methods: [rattle, midpoint]\n"
    "reference: self\n",
    "tracks": "study: ensemble\n"
    "system: double-pendulum\n"
    "initial: {members: 20, seed: 1, around: default, spread: {v: 0.1}}\n"
    "end: 2.0\n"
    "steps: [0.1]\n"
    "methods: [rattle]\n"
    "trajectories: {members: [0, 3]}\nhistograms: [{name: h, expression: x1, from: -1, to: 1, bins: 8}]\n",
    "longer": "study: conservation\n"
    "system: spherical-pendulum\n"
    "end: 10.24\n"
    "steps: [0.02]\n"
    'methods: [rattle, "compose(rattle, suzuki4)"]\n'
    "observe: every\n"
    "extensible: true\n",
}
MIDWAY = """study: order
system: planar-pendulum
initial: {members: 24, seed: 7, spread: {v: 0.1}}
end: 600.0
steps: [0.02, 0.01]
methods: [rattle, midpoint, project(rk4)]
reference: self
"""


def option(name, default):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


# ---- damage


def flipped(data, draw):
    for _ in range(draw.choice((1, 1, 2, 5, 50))):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def filled(data, draw):
    n = draw.choice((1, 4, 8, 64, 512, 4096))
    at = draw.randrange(len(data))
    data[at : at + n] = bytes([draw.choice((0, 0xFF))]) * len(data[at : at + n])


def cut(data, draw):
    del data[draw.randrange(len(data)) :]


def swapped(data, draw):
    n = draw.choice((8, 64, 512, 4096))
    a, b = sorted(draw.randrange(max(1, len(data) - n)) for _ in range(2))
    if b - a >= n:
        data[a : a + n], data[b : b + n] = data[b : b + n], data[a : a + n]


def doubled(data, draw):
    n, at = draw.choice((1, 8, 100)), draw.randrange(len(data))
    data[at:at] = data[at : at + n]


def in_head(data, draw):
    """Where what describes the data is dense."""
    for _ in range(draw.choice((1, 2))):
        data[draw.randrange(min(len(data), 4096))] = draw.choice(
            (0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256))
        )


DAMAGES = (flipped, filled, cut, swapped, doubled, in_head)


def damaged(whole, draw):
    while True:
        data, how = bytearray(whole), draw.choice(DAMAGES)
        how(data, draw)
        if data != whole:
            return bytes(data), how.__name__


# ---- commands

counts, bad = collections.Counter(), []


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (4 * SECONDS, 4 * SECONDS))


def outcome(command, words, keep, folder):
    """Run it, and count how it ended; what it said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        [PROGRAM, *words],
        env=ENVIRONMENT,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
        preexec_fn=limit,
    )
    try:
        out, err = process.communicate(timeout=WAIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent, status, said = (
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        process.returncode,
        out + err,
    )
    how = {0: "read", 2: "refused", 1: "failed", 75: "stopped"}.get(status, f"status {status}")
    wrong = (
        "signal"
        if status < 0 or status > 128
        else "traceback"
        if "Traceback" in said
        else "ours"
        if "mistake of the program" in said
        else "PETSc's words"
        if "PETSC ERROR" in said
        else "HDF5's words"
        if "HDF5-DIAG" in said
        else "hang"
        if spent > SECONDS
        else "mute"
        if status in (1, 2) and "error: " not in said and "constella: " not in said and command != "verify"
        else None
    )
    counts[command, wrong or how] += 1
    if wrong:
        name = f"{len(bad)}-{command}-{os.path.basename(keep)}"
        bad.append(f"{name}: {wrong}, status {status}, {spent:.1f} s: {said[-300:]}")
        if "--keep" in sys.argv and os.path.exists(keep):
            shutil.copy(keep, os.path.join(sys.argv[sys.argv.index("--keep") + 1], name))
        print(f"# {bad[-1]}", flush=True)
    return status, out, err


FORMS = ("csv", "nc", "tex")


def read_all(file, study, longer, folder, drawn):
    """drawn: the number of the kind of figure as which it is drawn too, or None."""
    for command, words in (
        ("table", ["table", file]),
        ("table csv", ["table", file, "--format", "csv", "--columns", "all"]),
        ("status", ["status", file]),
        ("cite", ["cite", file]),
        ("verify", ["verify", file, "--sample", "2"]),
        ("extend", ["extend", file, longer, "-o", "new.h5", "--progress", "none"]),
        ("resume", ["run", study, "-o", file, "--resume", "--progress", "none"]),
    ):
        outcome(command, words, file, folder)
        for rest in os.listdir(folder):
            if rest.startswith("new.h5"):
                os.remove(os.path.join(folder, rest))
    if drawn is None:
        return
    kind = KINDS[drawn % len(KINDS)]
    for command, words in (
        ("report", ["report", file, "-o", "page.html"]),
        (f"plot {kind}", ["plot", file, kind, "-o", "figure.png"]),
        *((f"export {form}", ["export", file, "-o", f"out.{form}"]) for form in FORMS),
    ):
        outcome(command, words, file, folder)


def results(n, draw, every):
    bases = {}
    for name, text in STUDIES.items():
        _, result = run(name, text)
        with open(result, "rb") as f:
            bases[name] = f.read()
        write(
            name + "-longer.yaml",
            text.replace("end: 10.24", "end: 20.48")
            if name == "longer"
            else text.replace("[rattle", "[euler-b, rattle"),
        )
    folder = path("work")
    os.makedirs(folder)
    for i in range(n):
        name = draw.choice(list(bases))
        data, how = damaged(bases[name], draw)
        file = os.path.join(folder, f"{name}-{how}-{i}.h5")
        with open(file, "wb") as f:
            f.write(data)
        read_all(
            file, path(name + ".yaml"), path(name + "-longer.yaml"), folder, None if i % every else i // every
        )
        for rest in os.listdir(folder):
            os.remove(os.path.join(folder, rest))


def interrupted():
    """A result with two checkpoints, as {name: bytes}, and what an undisturbed run comes to."""
    _, result = run("whole", MIDWAY)
    whole, study, stopped = digests(result), path("whole.yaml"), path("midway.h5")
    for _ in range(20):
        process = start(study, stopped, 0, checkpoint=0.02)
        while process.poll() is None and len([x for x in checkpoints(stopped) if not x.endswith(".new")]) < 2:
            time.sleep(0.01)
        process.kill()
        finish(process)
        if len([x for x in checkpoints(stopped) if not x.endswith(".new")]) >= 2:
            break
    names = ["midway.h5", *(x for x in checkpoints(stopped) if not x.endswith(".new"))]
    return whole, study, {x: open(os.path.join(FOLDER, x), "rb").read() for x in names}


def resumed(n, draw):
    whole, study, files = interrupted()
    newest = max((x for x in files if "checkpoint" in x), key=lambda x: int(x.rsplit(".", 1)[1]))
    folder = path("resumed")
    for i in range(n):
        shutil.rmtree(folder, True)
        os.makedirs(folder)
        data, how = damaged(files[newest], draw)
        alone = draw.random() < 0.3  # there is no other one
        for name, content in {**files, newest: data}.items():
            if not (alone and "checkpoint" in name and name != newest):
                with open(os.path.join(folder, name), "wb") as f:
                    f.write(content)
        result = os.path.join(folder, "midway.h5")
        if draw.random() < 0.2:
            outcome("status", ["status", result], os.path.join(folder, newest), folder)
            outcome("verify", ["verify", result, "--sample", "2"], os.path.join(folder, newest), folder)
        status, out, err = outcome(
            "resume of a checkpoint",
            ["run", study, "-o", result, "--resume", "--progress", "none"],
            os.path.join(folder, newest),
            folder,
        )
        told = "damaged" in out + err
        same = status == 0 and not differences(whole, digests(result))
        right = told and (status == 2 if alone else same)
        counts[
            "checkpoint",
            "told, " + ("refused" if alone else "the one before is used, same bits") if right else "BELIEVED",
        ] += 1
        if not right:
            bad.append(
                f"checkpoint {i}, {how}: status {status}, told {told}, same {same}: {(out + err)[-300:]}"
            )
            print(f"# {bad[-1]}", flush=True)


if __name__ == "__main__":
    draw, n = random.Random(option("--seed", 1)), option("--files", 2000)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        resumed(n // 4, draw)
        results(n - n // 4, draw, option("--drawn", 10))
    except KeyboardInterrupt:
        print("interrupted; so far:")
    for (command, how), count in sorted(counts.items()):
        print(f"{command:24s} {how:36s} {count}")
    tried = sum(x for (command, _), x in counts.items() if command in ("table", "checkpoint"))
    print(f"{tried} files, {len(bad)} that did not hold")
    sys.exit(1 if bad else 0)

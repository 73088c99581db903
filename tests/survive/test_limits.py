"""test_limits.py: runs under limits on files, descriptors and memory end, soon, with a reason; and runs whose
trajectories fail are stopped at once."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import shutil
import signal
import subprocess
import tempfile

import h5py
from survive import finish, same, start

from cli import ENVIRONMENT, PROGRAM, constella, digests, done, ok, path, run, scratch, skip, together, write
from held import Gate, until

STUDY = """study: conservation
system: double-pendulum
initial: {members: 8, seed: 7, spread: {q: 0.1, v: 0.1}}
end: 4.0
steps: [0.02]
methods: [rattle]
"""
ALL = os.environ.get("CONSTELLA_TEST_ALL")
KIBIBYTES = [0, 1, 2, 4, 8, 16, 40, 80, 160] if ALL else [1, 8, 80]
DESCRIPTORS = range(3, 41) if ALL else [3, 8, 12, 16, 26, 40]


def limited(option, value, ranks, study, *words):
    """(exit status, output) under `ulimit` of the ranks; output goes to pipes, which no limit truncates."""
    folder = scratch()
    inner = (
        f"ulimit -{option} {value}; exec {PROGRAM} run {study} -o r.h5 --progress none "
        f"--checkpoint-seconds 0.1 {' '.join(words)}"
    )
    words = (["mpirun", "-n", str(ranks)] if ranks else []) + ["bash", "-c", inner]
    process = subprocess.Popen(
        words,
        env=ENVIRONMENT,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    status, out, _ = finish(process)
    return status, out


def limits(option, values, ranks, study):
    def test():
        for value in values:
            status, out = limited(option, value, ranks, study)
            name = f"ulimit -{option} {value}, {ranks or 1} ranks"
            ok(status is not None, f"{name}: it ends", out)
            if status != 0 and option != "v":  # without memory the loader prints its own message
                ok(status in (1, 2, 127) and ("error" in out), f"{name}: it says why", status, out)
            ok("PETSC ERROR" not in out, f"{name}: not in PETSc's words", out)

    return test


def memory(study):
    """Memory is refused at a different allocation for each limit."""
    big = write("many.yaml", STUDY.replace("members: 8", "members: 100000").replace("end: 4.0", "end: 0.1"))
    for ranks, kibibytes in [(2, 500000)] + [(0, k) for k in (range(200000, 900000, 50000) if ALL else (300000, 600000))]:
        status, out = limited("v", kibibytes, ranks, big, "--batch", "100000")
        name = f"a batch of 100000 in {kibibytes} KiB, {ranks or 1} ranks"
        ok(status == 1, f"{name}: exit status 1", status, out)
        words = f"constella: error: out of memory on .* \\(the limit is {kibibytes} KiB, ulimit -v\\); a smaller --batch"
        ok(re.search(words, out), f"{name}: it says what would help", out)
        ok("Signal" not in out and "Seq" not in out, f"{name}: no stack, no function's name", out)


def no_room(study):
    """No temporary folder: neither in TMPDIR nor in /tmp."""
    folder = tempfile.mkdtemp(dir="/var/tmp")
    try:
        shutil.copy(study, os.path.join(folder, "s.yaml"))
        inner = f'mount -t tmpfs -o ro none /tmp && cd {folder} && TMPDIR=/proc exec "$0" run s.yaml -o r.h5'
        words = ["unshare", "-m", "sh", "-c", inner, PROGRAM]
        process = subprocess.run(words, env=ENVIRONMENT, capture_output=True, encoding="utf-8")
        if os.path.commonpath(["/tmp", os.path.realpath(PROGRAM)]) == "/tmp":
            skip("no temporary folder", "the program is in /tmp")
            return
        if process.returncode and "constella" not in process.stderr:
            skip("no temporary folder", "no right to mount")
            return
        words = "constella: error: no temporary folder can be made in TMPDIR, nor in /tmp: Read-only file system"
        ok(process.returncode == 2 and words in process.stderr, "no temporary folder: refused", process.stderr)
        ok(os.listdir(folder) == ["s.yaml"], "no temporary folder: no file is made", os.listdir(folder))
    finally:
        shutil.rmtree(folder)


def told(study):
    for ranks, option, value in ((2, "f", 80), (2, "n", 26), (0, "n", 12)):
        status, out = limited(option, value, ranks, study)
        ok(
            re.search(rf"constella: error: the limit on .* is {value} \(ulimit -{option}\)", out),
            f"ulimit -{option} {value}, {ranks or 1} ranks: the limit is named",
            status,
            out,
        )
    status, out = limited("f", 80, 0, study)
    ok(
        out.strip().startswith("constella: error: r.h5: cannot create the file")
        and len(out.splitlines()) == 1,
        "a result that may not be written: one line",
        status,
        out,
    )


def catches(pid, number):
    with open(f"/proc/{pid}/status") as f:
        caught = re.search(r"^SigCgt:\s*(\w+)", f.read(), re.M)
    return bool(int(caught[1], 16) >> (number - 1) & 1)


# Chains with very large velocities: no step converges, not even the careful one, and each attempt is
# expensive.
FAILING = """study: conservation
system: {name: tip3p-water, parameters: {n: 8}}
initial: {members: 64, seed: 1, around: lattice, spread: {q: 0.3, v: 3.0}}
end: 1000.0
steps: [0.5]
methods: ["convert(rk4)"]
"""


def stopped():
    """A slice of one step may take half a minute when all lanes fail: a signal does not wait for its end."""
    study, result = write("failing.yaml", FAILING), path("failing.h5")
    gate = Gate("clock:15", result)
    process = start(study, result, 0, checkpoint=600, env=gate.env)
    ok(gate.reached(process), "failing trajectories: at work")
    process.send_signal(signal.SIGTERM)
    gate.heard(process)
    gate.open()
    status, out, err = finish(process)
    ok(status == 75, "failing trajectories: stopped with a checkpoint", status, out, err)
    with h5py.File(result) as f:
        ok(f["run/work_done"][()] == 0, "and before the end of the slice", f["run/work_done"][()])


SHORT = (
    FAILING.replace("n: 8", "n: 2").replace("end: 1000.0", "end: 2.0").replace("members: 64", "members: 12")
)


def same_bits():
    """Batches that stop in the middle of a slice, and continue from its beginning, give the same rows."""
    process, first = run("short", SHORT)
    first = digests(first)
    result = path("halted.h5")
    for questions in (12, 20, 40):
        gate = Gate(f"clock:{questions}", result)
        process = start(path("short.yaml"), result, 0, env=gate.env)
        ok(gate.reached(process), f"halted: asked {questions} times")
        process.send_signal(signal.SIGTERM)
        gate.heard(process)
        gate.open()
        status, out, err = finish(process)
        ok(status == 75, "halted: it stops with a checkpoint", status, out, err)
    status, out, err = finish(start(path("short.yaml"), result, 0))
    ok(status in (0, 1), "halted: it was stopped three times", status, out, err)
    same("halted", first, result)


def while_starting():
    """A signal ends a process that waits for something other than its work: here for a pipe that no process
    opens."""
    study = write("starting.yaml", STUDY)
    process = subprocess.Popen(
        [PROGRAM, "run", study, "-o", path("starting.h5"), "-options_file", pipe()],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    caught = until(lambda: catches(process.pid, signal.SIGTERM), "SIGTERM is caught", process)
    ok(caught, "a run that begins catches signals")
    process.send_signal(signal.SIGTERM)
    status, out, err = finish(process)  # it ends itself after 20 s
    ok(
        status == 75 and "stopped by a signal" in err,
        "a signal while the run begins ends it",
        status,
        out,
        err,
    )


def pipe():
    name = os.path.join(tempfile.mkdtemp(dir=os.path.dirname(path("x"))), "pipe")
    os.mkfifo(name)
    return name


def names():
    """The longest name of which checkpoints are possible, and one more."""
    small = write("names.yaml", "study: conservation\nsystem: planar-pendulum\nend: 1\nsteps: [0.1]\nmethods: [rattle]\n")
    for n, expected in ((199, 0), (200, 2), (250, 2)):
        process = constella("run", small, "-o", path("n" * (n - 3) + ".h5"))
        ok(process.returncode == expected and ("its checkpoints have names of 56 bytes more" in process.stderr) == (expected == 2), f"a name of {n} bytes", process.stderr)


def put_away():
    """--resume leaves a complete result alone that may not be written, also in a folder that may not."""
    folder = tempfile.mkdtemp()
    text = "study: conservation\nsystem: planar-pendulum\nend: 1\nsteps: [0.1]\nmethods: [rattle]\n"
    study, result = write(f"{folder}/away.yaml", text), f"{folder}/away.h5"
    constella("run", study, "-o", result)
    os.chmod(result, 0o444)
    os.chmod(folder, 0o555)
    somebody = {"user": "nobody"} if os.geteuid() == 0 else {}
    words = [PROGRAM, "run", study, "-o", result, "--resume"]
    process = subprocess.run(words, env=ENVIRONMENT, cwd="/", capture_output=True, text=True, **somebody)
    ok(process.returncode == 0 and "complete already" in process.stdout, "a complete result that may not be written is left alone", process.stdout, process.stderr)
    os.chmod(folder, 0o755)
    shutil.rmtree(folder)


study = write("limits.yaml", STUDY)
together(
    [
        limits("f", KIBIBYTES, 0, study),
        limits("n", DESCRIPTORS, 0, study),
        limits("v", [100000, 250000], 0, study),
        lambda: told(study),
        lambda: no_room(study),
        lambda: memory(study),
        while_starting,
        names,
        put_away,
        same_bits,
    ]
    + (
        [
            limits("f", KIBIBYTES, 2, study),
            limits("n", DESCRIPTORS, 2, study),
            limits("v", [250000], 2, study),
        ]
        if ALL
        else []
    ),
    3,
)
stopped()
done()

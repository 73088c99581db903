"""test_checkpoint.py: checkpoints with valid digests and wrong numbers are refused with a message."""
# SPDX-License-Identifier: BSD-2-Clause
import hashlib
import os
import signal
import struct
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))

from cli import ENVIRONMENT, PROGRAM, constella, done, ok, path, write
from held import Gate, ticking

ENTRY, TRAILER = "<16sQQ32s", "<8sIIQ32s"  # of the index, and of the trailer
# Of a piece of the checkpoint.
FIELDS = [
    "case",
    "member",
    "count",
    "numbers",
    "step",
    "half_step",
    "window",
    "in_window",
    "folds",
    "next_sample",
    "opens",
]

LONG = """study: conservation
system: double-pendulum
initial: {members: 6, seed: 7, around: low, spread: {q: 0.05, v: 0.05}}
end: 1000000.0
steps: [0.02]
methods: [midpoint]
reference: {method: "gauss(2)", step: 100000.0}
samples: {count: 20}
"""


class Checkpoint:
    """The sections of a checkpoint; write() updates all digests."""

    def __init__(self, name):
        self.name = name
        with open(name, "rb") as f:
            data = f.read()
        self.mark, self.version, count, index, _ = struct.unpack(TRAILER, data[-struct.calcsize(TRAILER) :])
        self.sections = []
        for i in range(count):
            title, offset, size, _ = struct.unpack_from(ENTRY, data, index + i * struct.calcsize(ENTRY))
            self.sections.append([title, bytearray(data[offset : offset + size])])

    def find(self, title):
        return [s for s in self.sections if s[0].rstrip(b"\0") == title.encode()]

    def write(self, lie=None):
        """lie: (section, offset, size) of which the index is to say so."""
        body = index = b""
        for i, (title, data) in enumerate(self.sections):
            offset, size = lie[1:] if lie and lie[0] == i else (len(body), len(data))
            index += struct.pack(ENTRY, title, offset, size, hashlib.sha256(data).digest())
            body += data
        trailer = struct.pack("<8sIIQ", self.mark, self.version, len(self.sections), len(body))
        with open(self.name, "wb") as f:
            f.write(body + index + trailer + hashlib.sha256(index + trailer).digest())


def interrupted():
    """The result of a run that was stopped with all its trajectories in progress, and its newest
    checkpoint.
    """
    result = path("long.h5")
    gate = Gate("clock:16000", result)
    process = subprocess.Popen(
        [PROGRAM, "run", write("long.yaml", LONG), "-o", result, "--progress", "none"],
        env={**ENVIRONMENT, **ticking(), **gate.env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    ok(gate.reached(process), "a run is at work")
    process.send_signal(signal.SIGUSR1)
    gate.heard(process)
    gate.open()
    ok(process.wait() == 75, "a run is stopped with a checkpoint")
    names = [f for f in os.listdir(os.path.dirname(result)) if f.startswith("long.h5.checkpoint.")]
    return result, os.path.join(os.path.dirname(result), max(names, key=lambda f: int(f.rsplit(".", 1)[1])))


def refused(title, result, status=2):
    process = constella(
        "run", path("long.yaml"), "-o", result, "--resume", "--progress", "none", "--max-hours", "0.002"
    )
    ok(
        process.returncode == status and "error: " in process.stderr and "Signal" not in process.stderr,
        f"{title}: refused in words",
        process.returncode,
        process.stderr[:400],
    )


def change(name, whole, how):
    """The checkpoint, changed, is the newest one again."""
    folder, base = os.path.dirname(name), os.path.basename(name).rsplit(".", 1)[0]
    for other in os.listdir(folder):
        if other.startswith(base) and os.path.join(folder, other) != name:
            os.remove(os.path.join(folder, other))
    with open(name, "wb") as f:
        f.write(whole)
    checkpoint = Checkpoint(name)
    return how(checkpoint)


def main():
    result, name = interrupted()
    with open(name, "rb") as f:
        whole = f.read()
    Checkpoint(name).write()
    with open(name, "rb") as f:
        ok(f.read() == whole, "a checkpoint that is written again unchanged is the same")
    saved = bytes(Checkpoint(name).find("saved")[0][1])
    good = dict(zip(FIELDS, struct.unpack_from("<11q", saved)))
    lies = [
        (f, x) for f in FIELDS for x in (-1, good[f] + {"step": 10**6, "opens": 2}.get(f, 1), 2**62)
    ] + [("numbers", 0), ("count", 0), ("numbers", 2**61 + good["numbers"])]
    for field, value in lies:

        def lie(c):
            for title in ("saved", "lanes"):
                struct.pack_into("<q", c.find(title)[0][1], 8 * FIELDS.index(field), value)
            c.write()

        change(name, whole, lie)
        refused(f"{field} {value}", result)
    for where, value in (
        ("how it ended", 99.0),
        ("how it ended", float("nan")),
        ("when", -5.0),
        ("when", 1e300),
    ):

        def state(c):
            struct.pack_into("<d", c.find("lanes")[0][1], 88 + 8 * (where == "when"), value)
            c.write()

        change(name, whole, state)
        refused(f"of a trajectory, {where}: {value}", result, 1)
    for title in ("tally", "reference", "seconds", "done", "saved"):

        def cut(c):
            for s in c.find(title):
                s[1] = s[1][:-8] if len(s[1]) else bytearray(8)
            c.write()

        change(name, whole, cut)
        process = constella(
            "run", path("long.yaml"), "-o", result, "--resume", "--progress", "none", "--max-hours", "0.002"
        )
        ok(
            process.returncode in (1, 2) and "error: " in process.stderr,
            f"{title} with a number less: refused",
            process.returncode,
            process.stderr[:300],
        )
    for offset, size in ((2**63, 8), (0, 2**64 - 8), (len(whole), 64)):
        change(name, whole, lambda c: c.write((1, offset, size)))
        refused(f"a section of {size} bytes at {offset}", result)
    with open(name, "wb") as f:
        f.write(whole[:-1] + bytes([whole[-1] ^ 1]))
    refused("the last byte of its digest", result)
    with open(name, "wb") as f:
        f.write(whole)
    process = constella(
        "run", path("long.yaml"), "-o", result, "--resume", "--progress", "none", "--max-hours", "0.0003"
    )
    ok(process.returncode == 75, "as it was written, it is gone on from", process.returncode, process.stderr)


TIMED = """study: conservation
system: {name: kapitza, compile: never, parameters: {w: [30, 60]}}
initial: {grid: {"x'": {from: -0.2, to: 0.2, count: 9}}, project: true}
end: 2000.0
steps: [0.004]
methods: ["convert(rk4, bias=-0.5)", "lagrange-dalembert(rk3, bias=-0.5)"]
observables: [balance]
samples: {count: 2}
"""


def timed():
    """The time and the work of forces are parameters that change: a run that holds them goes on."""
    file, result = write("timed.yaml", TIMED), path("timed.h5")
    for attempt, words in enumerate(([], ["--resume"])):
        found = constella("run", file, "-o", result, "--progress", "none", "--batch", "16", "--max-hours", "0.0001", *words)
        ok(found.returncode == 75, f"attempt {attempt + 1} of a system with time stops with a checkpoint", found.stderr)


main()
timed()
done()

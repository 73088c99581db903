#!/usr/bin/env python3
# test_warnings.py: each kind of warning that a run prints is provoked, and stands with the same words in the result, in
# `constella status` and in the summary of its page; also after --resume of a complete result, and of a run on two ranks. TAP.
# SPDX-License-Identifier: BSD-2-Clause
import html
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import CRANK, ENVIRONMENT, constella, done, h5py, ok, path, scratch, write

ENVIRONMENT["XDG_CACHE_HOME"] = scratch()
HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "../../src/study/run/run-study.c")) as source:
    KINDS = re.findall(r'\[CST_WARNS_\w+\] = \{"(\w+)"', source.read())

PENDULUM = """study: conservation
system: planar-pendulum
end: 4
steps: [0.125]
methods: [rattle]
extensible: true
initial: {members: MEMBERS, seed: 1, around: default, spread: {q: 0.1}}
"""
ORDER = """study: order
system: planar-pendulum
initial: {members: 3, seed: 1, around: {q: [0, -1], v: [1.9, 0]}, spread: {v: 0.01}}
end: 4
steps: [0.125, 0.0625, 0.03125]
methods: [rattle]
reference: {method: "gauss(4)", step: STEP}
"""
LEAP = """study: conservation
system: planar-pendulum
end: 40
steps: [0.5]
methods: [rk4]
"""
OWN = """system: own
coordinates: [x, y, z]
mass: [1, 1, 2]
potential: 9.81*z + 0.3*sin(x)*exp(-y/2) + atan2(y, 3 + x)
constraints: {surface: x^2 + y^2/2.25 + z^2/4 - 1}
states: {default: {q: [1, 0, 0], v: [0, 0.5, 0.25]}}
"""
LONG = """study: conservation
system: {file: own.yaml}
end: 4000
steps: [0.02, 0.01]
initial: {members: 64, seed: 1, around: default, spread: {q: 0.1}}
methods: [rattle]
"""
FOLDS = """study: conservation
system: {file: isosceles.yaml}
end: 8
steps: [0.01]
methods: [METHOD]
observables: [energy, constraint]
"""


def run(name, text, *more, **how):
    """Runs the study; the result's name and what stands on stderr."""
    said = constella("run", write(f"{name}.yaml", text), "-o", path(f"{name}.h5"), "--progress", "none", *more, **how)
    ok(os.path.exists(path(f"{name}.h5")), f"{name} runs", said.stderr)
    return f"{name}.h5", said.stderr


def extended(name, change):
    """A result that is changed, and then gets more members."""
    file, _ = run(name, PENDULUM.replace("MEMBERS", "3"))
    with h5py.File(path(file), "r+") as f:
        change(f)
    text = PENDULUM.replace("MEMBERS", "4")
    said = constella("extend", path(file), write(f"{name}-more.yaml", text), "-o", path(f"{name}-more.h5"), "--progress", "none")
    return f"{name}-more.h5", said.stderr


def other_build():
    def change(f):
        f["run"].attrs["compiler"] = "gcc 4.2 -Ofast"

    return extended("build", change)


def rows_left_out():
    def change(f):
        rows = f["continue/rows"][...]
        del f["continue/rows"]
        f["continue/rows"] = rows[..., :-1]

    return extended("rows", change)


def not_compiled():
    write("own.yaml", OWN)
    return run("own-long", LONG, env={"CONSTELLA_CC": "/dev/null/cc"})


def folds(name, method):
    write("isosceles.yaml", CRANK)
    return run(name, FOLDS.replace("METHOD", f'"{method}"'), ranks=2)


PROVOKED = {
    "reference_step": lambda: run("step", ORDER.replace("STEP", "1.0")),
    "not_compiled": not_compiled,
    "other_build": other_build,
    "rows_left_out": rows_left_out,
    "reference_again": lambda: run("again", ORDER.replace("STEP", "2.0"), ranks=2),
    "energy_changed": lambda: run("leap", LEAP),
    "rank_lost": lambda: folds("lost", "gauss(2)"),
    "passed_singular": lambda: folds("passed", "project(rk4)"),
}


def kept(file):
    """{attribute of /run: text} of the warnings in the result."""
    with h5py.File(path(file)) as f:
        found = {k: f["run"].attrs[k] for k in KINDS}
    return {k: v.decode().rstrip("\0") for k, v in found.items() if v.strip(b"\0")}


def printed(said):
    """The texts of the warnings on stderr."""
    return [line.split("warning: ", 1)[1] for line in said.splitlines() if "warning: " in line]


def summary(file):
    """The sentences of the summary of the result's page."""
    said = constella("report", path(file), "-o", path("page.html"))
    if not ok(said.returncode == 0, f"report {file}", said.stderr):
        return []
    with open(path("page.html"), encoding="utf-8") as page:
        part = re.search(r'<section id="summary">(.*?)</section>', page.read(), re.S)[1]
    return [html.unescape(re.sub("<[^>]*>", "", line)) for line in re.findall("<li>(.*?)</li>", part)]


def agree(file, said, of):
    """The result and its page have what was printed, and nothing else."""
    texts = printed(said)
    ok(sorted(kept(file).values()) == sorted(texts), f"{of}: the result keeps what is printed", kept(file), said)
    status = constella("status", path(file)).stdout
    ok(all(x in status for x in texts), f"{of}: status has it", status)
    sentences = [x.removeprefix("Warning: ") for x in summary(file) if x.startswith("Warning: ")]
    ok(sorted(sentences) == sorted(texts), f"{of}: the summary of the page has it", sentences, texts)


ok(len(KINDS) > 5 and sorted(KINDS) == sorted(PROVOKED), "every kind of the list is provoked", KINDS)
for kind, provoke in PROVOKED.items():
    file, said = provoke()
    ok(kind in kept(file), f"{kind} is provoked", kept(file), said)
    agree(file, said, kind)

file, said = run("none", PENDULUM.replace("MEMBERS", "3"))
agree(file, said, "no warning")
ok(not printed(said) and not kept(file), "a run without warnings has none", said)
before = kept("leap.h5")
constella("run", path("leap.yaml"), "-o", path("leap.h5"), "--resume", "--progress", "none")
ok(before and kept("leap.h5") == before, "--resume of a complete result leaves them", before, kept("leap.h5"))
done()

#!/usr/bin/python3
"""The page on the study file against its reader: every key that the reader accepts is on the page, with an
example that is accepted; and the generated parts of docs/ are up to date."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import subprocess
import sys

from bases import BASES, files, study
from cli import FOLDER, PROGRAM, constella, done, note, ok, path, together, write

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools"))
import pages  # noqa: E402

KEYS = pages.read_keys(constella("show", "study").stdout)

# Where each map stands: a line with %s in the place of a key that does not exist.
PLACES = {
    "": "%s: 1",
    "system": "system: {name: planar-pendulum, %s: 1}",
    "range": "system: {name: planar-pendulum, parameters: {g: {from: 1, to: 2, count: 3, %s: 1}}}",
    "initial": "initial: {q: [0, -1], v: [1, 0], %s: 1}",
    "initial.spread": "initial: {members: 2, spread: {q: 0.1, %s: 1}}",
    "initial.project": "initial: {around: default, project: {keep: [x], %s: 1}}",
    "initial.relax": "initial: {relax: {method: rattle, step: 0.1, end: 1, %s: 1}}",
    "steps": "steps: {from: 0.1, halvings: 1, %s: 1}",
    "methods": "methods: [{a: [[0]], b: [1], %s: 1}]",
    "reference": "reference: {method: rattle, step: 0.1, %s: 1}",
    "error": "error: {%s: 1}",
    "samples": "samples: {%s: 1}",
    "trajectories": "trajectories: {members: [0], %s: 1}",
    "trajectories.members": "trajectories: {members: {random: 1, %s: 1}}",
    "solver": "solver: {%s: 1}",
    "roundoff": "roundoff: {%s: 1}",
    "checkpoint": "checkpoint: {%s: 1}",
    "timing": "timing: {repeats: 1, %s: 1}",
    "averages": "averages: {%s: 1}",
    "noise": "noise: {resolution: 0.1, %s: 1}",
    "layers.NAME": "layers: {mine: {a: [[0]], b: [1], %s: 1}}",
    "extremes": "extremes: [{name: h, expression: y, %s: 1}]",
    "frequencies": "frequencies: [{name: h, expression: y, every: 0.1, %s: 1}]",
    "autocorrelation": "autocorrelation: [{name: h, expression: y, every: 0.1, lags: 4, %s: 1}]",
    "mean-square-displacement": "mean-square-displacement: [{name: h, expression: y, every: 0.1, lags: 4, %s: 1}]",
    "events": "events: [{name: h, when: y, %s: 1}]",
    "maps.NAME": "maps: {mine: {left: q, right: q + v, %s: 1}}",
    "iotas.NAME": "iotas: {mine: {fibre: q + q*theta, %s: 1}}",
    "retractions.NAME": "retractions: {mine: {point: q + v, %s: 1}}",
    "momentum-balance": "momentum-balance: {%s: 1}",
    "stages": "stages: [{until: 0.5, %s: 1}, {}]",
    "tangent": "tangent: {every: 1, %s: 1}",
    "histograms": "histograms: [{name: h, expression: y, from: 0, to: 1, bins: 2, %s: 1}]",
}
# The forms of a map that allow other keys than the one above.
FORMS = {
    "initial": [
        "initial: {members: 2, spread: {q: 0.1}, %s: 1}",
        "initial: {list: [default], %s: 1}",
        "initial: {csv: starts.csv, %s: 1}",
        "initial: {from: earlier.h5, %s: 1}",
        "initial: {grid: {x: [0]}, %s: 1}",
        "initial: {sweep: {x: [0]}, %s: 1}",
    ],
    "steps": ["steps: {counts: [20], %s: 1}"],
    "layers.NAME": ["layers: {mine: {file: mine.c, %s: 1}}"],
}
BODIES = "initial: {bodies: {top: {axis: [0, 0, 1], angle: 0.1, omega: [0, 0, 1]}}, %s: 1}"
NOT_A_KEY = "not-a-key"


def is_accepted(name, *lines):
    """Whether one of the bases is a study with these lines; else the messages."""
    told = ""
    for i, base in enumerate(BASES):
        process = constella("check", write(f"{name}-{i}.yaml", study(base, *lines)))
        if process.returncode == 0:
            return True, ""
        told += process.stderr
    return False, told


def packs(lines):
    """The lines in groups that have no two of the same key, which one study can have together."""
    groups = []
    for line in lines:
        key = line.partition(":")[0]
        for group in groups:
            if (
                key not in ("methods", "noise", "end", "study")
                and key not in group
                and "reference" not in {key, *group}
            ):
                group[key] = line
                break
        else:
            groups.append({key: line})
    return [list(group.values()) for group in groups]


def unaccepted(name, lines):
    """Those of the lines that no base accepts, with what is said. Many are tried together, without those of which it is
    said that they are wrong, or do not go with others; what no such study has had is tried by itself."""
    for i, base in enumerate(BASES):
        tried, names = list(lines), {line.partition(":")[0] for line in lines}
        first = sum(key not in names for key in base)  # own lines come behind those of the base
        while tried:
            file = write(f"{name}-{i}.yaml", study(base, *tried))
            process = constella("check", file)
            if process.returncode == 0:
                lines = [line for line in lines if line not in tried]
                break
            bad = {int(x) - first - 1 for x in re.findall(rf"^{re.escape(file)}:(\d+):\d+: error", process.stderr, re.M)}
            kept = [line for k, line in enumerate(tried) if k not in bad]
            if len(kept) == len(tried):
                break
            names = {line.partition(":")[0] for line in kept}
            first, tried = sum(key not in names for key in base), kept
    answers = [(line, *is_accepted(f"{name}-{k}-alone", line)) for k, line in enumerate(lines)]
    return [f"{line}\n{told}" for line, good, told in answers if not good]


def examples():
    wrong = [
        f"{key['path']}: its example does not have it"
        for key in KEYS
        if key["example"]
        and not re.search(rf"\b{re.escape(key['path'].rpartition('.')[2])}['\"]?:", key["example"])
    ]
    for i, lines in enumerate(packs([key["example"] for key in KEYS if key["example"]])):
        wrong += unaccepted(f"pack{i}-", lines)
    ok(not wrong, f"every one of {len(KEYS)} keys has an example that is accepted", *wrong)
    good, _ = is_accepted("negative", "steps: {from: 0.1, halvings: 3, spacing: log}")
    ok(not good, "a line with a wrong key is not")


def allowed(name, base, line):
    """What the reader allows where a key does not exist."""
    process = constella("check", write(f"{name}.yaml", study(base, line % NOT_A_KEY)))
    found = re.search(rf"'{NOT_A_KEY}'[^\n]*?allowed: ([^;\n]*)", process.stderr)
    return set(found[1].split(", ")) if found else {f"no answer: {process.stderr}"}


def reader():
    for inside, line in PLACES.items():
        page = {key["path"].rpartition(".")[2] for key in KEYS if key["path"].rpartition(".")[0] == inside}
        lines = [line, *FORMS.get(inside, [])]
        taken = set().union(
            *(allowed(f"place-{inside or 'file'}-{i}", BASES[0], x) for i, x in enumerate(lines))
        )
        if inside == "initial":
            taken |= allowed("place-bodies", BASES[3], BODIES)
        ok(
            taken == page,
            f"the reader and the page have the same keys of '{inside}'",
            f"reader alone: {sorted(taken - page)}",
            f"page alone: {sorted(page - taken)}",
        )
    maps = {key["path"].rpartition(".")[0] for key in KEYS}
    ok(maps == set(PLACES), "every map of the page is looked at", sorted(maps ^ set(PLACES)))


def sources():
    """A list of names of keys, instead of rows of the table, could be accepted unseen."""
    listed = subprocess.run(
        [
            "grep",
            "-nE",
            r"\*(const )?keys\[\] = \{|cst_reader_map\(r, [^)]*\{",
            "-r",
            os.path.join(ROOT, "src", "study"),
        ],
        capture_output=True,
        text=True,
    ).stdout
    ok(not listed, "no reader of a study has a list of keys of its own", listed)


def made():
    quick = [] if os.environ.get("CONSTELLA_TEST_ALL") else ["--quick"]
    pages.ask = lambda program, *words: constella(*words).stdout  # of a program that is loaded already
    differ = pages.changed(PROGRAM, True, bool(quick))
    ok(not differ, "pages have what the program's tables and commands print (tools/pages.py PROGRAM writes them)", *differ)


files()
note(f"in {FOLDER}")
together([examples, reader, sources, made])
done()

#!/usr/bin/env python3
"""same-results.py: shows that a change of the program changes no result. Runs shortened jobs and the studies
of some tests, and writes the sha256 of every dataset and attribute outside /run, what `verify` says, and the
messages of refused studies; or compares two such files.

    CONSTELLA=build/constella tools/same-results.py run before.json
    (change the program, build it)
    CONSTELLA=build/constella tools/same-results.py run after.json
    tools/same-results.py compare before.json after.json
"""
# SPDX-License-Identifier: BSD-2-Clause
import json
import os
import re
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))

import cli

# Jobs that are run, with the factor by which their end is divided.
JOBS = {
    "demo-conservation": 16,
    "demo-order": 1,
    "double-pendulum-averages": 4,
    "null-space": 1,
    "springs-chaotic": 4,
    "thermostat": 4,
    "tolerance-sweep": 16,
    "parameter-sweep": 4,
    "lie-top": 1,
    "own-tableau": 1,
    "satellites-conservation": 32,
    "heavy-top-conservation": 8,
    "two-beads-conservation": 1,
    "spherical-ensemble": 20,
    "conversion/orders": 1,
    "conversion/own-layer": 1,
    "conversion/conservation-charged-pendulum": 32,
    "nonholonomic/orders": 1,
    "nonholonomic/kapitza": 1,
    "nonholonomic/energy": 8,
    "bodies/tops": 1,
    "bodies/chain": 1,
    "bodies/loop": 1,
    "papers/tao-owhadi-water-multipliers": 1,
    "papers/barbero-linan-joint": 1,
    "papers/brugnano-table3": 1,
    "papers/cuell-kepler-long": 1,
    "papers/tao-owhadi-dna": 1,
}

STUDIES = {
    "worst": """study: ensemble
system: spherical-pendulum
initial: {members: 40, seed: 1, around: default, spread: {q: 0.05, v: 0.3}}
end: 4
steps: [0.04, 0.02]
methods: [rattle]
observables: [energy, momentum, "height: z", "pull: lambda_rod"]
trajectories: {members: {worst: 4, by: energy}, every: 10, store: [q, p, v, lambda, energy, momentum, pull]}
""",
    "weights": """study: ensemble
system: double-pendulum
initial: {members: 9, seed: 3, around: default, spread: {q: 0.01, v: 0.1}}
end: 20
steps: [0.1, 0.05]
methods: [rattle, "langevin(rattle, friction=0.5, inverse-temperature=2)"]
observables: [energy, temperature, "upper: y1"]
samples: {count: 40}
burn-in: 0.1
averages: {weight: fixman}
histograms:
  - {name: fold, expression: "x1*x2 + y1*y2", from: -1, to: 1, bins: 8, weight: fixman}
  - {name: ends, expression: "x2", from: -2, to: 2, bins: 10}
""",
    "failures": """study: conservation
system: double-pendulum
initial: {members: 12, seed: 5, around: default, spread: {q: 0.3, v: 3}}
end: 40
steps: [0.4, 0.1]
methods: [rattle, midpoint, rk4]
samples: {count: 20}
observe: every
""",
    "one": """study: conservation
system: heavy-top
end: 20
steps: [0.02]
methods: [rattle, project(rk4)]
samples: {count: 30}
reference: self
error: {of: [q, p, lambda], over: coarse}
trajectories: {members: all, every: 50, store: [q, v, lambda, energy]}
""",
}

# Name: an extensible study, what is replaced in the longer one.
EXTENDED = {
    "windows": (
        """study: conservation
system: heavy-top
initial: {members: 6, seed: 3, around: default, spread: {q: 0.05, v: 0.1}}
end: 16
steps: [0.05]
methods: [rattle, midpoint]
samples: {count: 16}
observables: [energy, momentum, "tilt: r33"]
trajectories: {members: [0, 5], every: 20}
extensible: true
observe: every
""",
        ("end: 16", "end: 64"),
    ),
    "members": (
        """study: ensemble
system: planar-pendulum
initial: {members: 5, seed: 3, around: default, spread: {q: 0.2, v: 0.3}}
end: 4
steps: [0.1, 0.05]
methods: [rattle, "langevin(rattle, friction=0.5, inverse-temperature=2)"]
samples: {count: 16}
extensible: true
observe: every
""",
        ("members: 5", "members: 9"),
    ),
    "single": (
        """study: order
system: planar-pendulum
end: 2
steps: [0.1, 0.05]
methods: [rattle, midpoint]
reference: self
error: {of: [q, p], over: coarse}
observe: every
samples: {count: 5, spacing: linear}
extensible: true
""",
        ("end: 2", "end: 4"),
    ),
}


def shorter(text, factor):
    return re.sub(r"^end: ([0-9.e+]+)$", lambda m: f"end: {float(m[1]) / factor!r}", text, flags=re.M)


def of_tests():
    """The texts of test_bits.py, which runs nothing as long as it is not called."""
    path = os.path.join(ROOT, "tests", "cli", "test_bits.py")
    with open(path) as f:
        found = re.search(r"^OBSERVABLES = .*?^}\n", f.read(), re.M | re.S)
    space = {}
    exec(compile(found[0], path, "exec"), space)  # two tables of texts
    return space["STUDIES"]


def outcome(process, result, verify=True):
    found = {"status": process.returncode}
    if process.returncode not in (0, 1) or not os.path.exists(result):
        found["says"] = process.stderr.replace(cli.FOLDER, "")
        return found
    found.update({key: x.decode() if isinstance(x, bytes) else x for key, x in cli.digests(result).items()})
    for unlike in ("/@git", "/@continued"):  # the build; a number drawn for each file
        found.pop(unlike, None)
    if verify:
        process = cli.constella("verify", result)
        found["verify"] = process.returncode
        found["verify says"] = re.sub(r"[0-9.]+ s\b", "", process.stdout).replace(cli.FOLDER, "")
    return found


def measure(only):
    results = {}

    def add(name, text, study=None):
        if only and not re.search(only, name):
            return
        flat = name.replace("/", "-")
        study = study or cli.write(flat + ".yaml", text)
        result = cli.path(flat + ".h5")
        process = cli.constella("run", study, "-o", result, "--overwrite", "--progress", "none", ranks=0)
        results[name] = outcome(process, result)
        print(f"{name}: {len(results[name])} numbers, status {process.returncode}", flush=True)

    for job, factor in JOBS.items():
        with open(os.path.join(ROOT, "jobs", job + ".yaml")) as f:
            text = shorter(f.read(), factor)
        # files of the user are named relative to the study
        for word in set(re.findall(r"[\w./-]+\.(?:yaml|c|csv)\b", text)):
            there = os.path.join(ROOT, "jobs", os.path.dirname(job), word)
            if os.path.exists(there):
                text = text.replace(word, os.path.normpath(there))
        add("jobs/" + job, text)
    for name, text in of_tests().items():
        add("bits/" + name, text)
    for name, text in STUDIES.items():
        add("studies/" + name, text)
    for name, (text, change) in EXTENDED.items():
        if only and not re.search(only, "extended/" + name):
            continue
        add("extended/" + name, text)
        longer = cli.write(f"longer-{name}.yaml", text.replace(*change))
        result = cli.path(f"longer-{name}.h5")
        process = cli.constella("extend", cli.path(f"extended-{name}.h5"), longer, "-o", result, "--progress", "none")
        results["extended/" + name + " longer"] = outcome(process, result)
        print(f"extended/{name} longer: status {process.returncode}", flush=True)
    return results


def compare(a, b):
    bad = 0
    for name in sorted(set(a) | set(b)):
        for what in cli.differences(a.get(name, {}), b.get(name, {})):
            bad += 1
            print(f"{name}: {what} differs")
    numbers = sum(len(x) for x in a.values())
    print(f"{len(a)} studies, {numbers} entries, {bad} differ")
    return bad > 0


def main(words):
    if len(words) in (2, 3) and words[0] == "run":
        with open(words[1], "w") as f:
            json.dump(measure(words[2] if len(words) > 2 else None), f, indent=0, sort_keys=True)
        return 0
    if len(words) == 3 and words[0] == "compare":
        both = []
        for word in words[1:]:
            with open(word) as f:
                both.append(json.load(f))
        return compare(*both)
    print(__doc__.split("\n\n", 1)[1], file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

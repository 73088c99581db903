#!/usr/bin/env python3
"""same-results.py: shows that a change of the program changes no result. Runs shortened jobs, the examples and the studies
of some tests, and writes the sha256 of every dataset and attribute outside /run, what `verify` says, the verdicts of
certificates and choices, and the messages of refused studies; or compares two such files, also of two checkouts.
tests/cli/test_same_results.py checks that every kind of study, collector, method and folder of jobs occurs.

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

# Jobs that are run, with the factor by which their end is divided, and lines that are added.
JOBS = {
    "null-space": 1,
    "springs-chaotic": 4,
    "tolerance-sweep": 16,
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
    "benchmarks/slider-crank": 4,
    "benchmarks/coin": 1,
    "certify/maps": (1, "systems: [planar-pendulum]\n"),
    "frequencies/henon-heiles": 16,
    "frequencies/thermostat": 10,
    "frequencies/diffusion": 4,
    "own-layer": 1,
    "properties/two-form": 50,
    "properties/pendulum": 64,
    "properties/shadow": 8,
    "properties/surface": 1,
    "sections/driven-pendulum": 20,
    "nonholonomic/vakonomic": 4,
    "nonholonomic/momentum-balance": 1,
    "nonholonomic/damping": 4,
    "benchmarks/classics-top": 2,
    "benchmarks/contact-oscillator": 8,
    "benchmarks/pleiades": 6,
    "frequencies/blob": 1,
    "papers/barbero-linan-ends": 1,
    "papers/barbero-linan-maps": 1,
    "papers/brugnano-quadrature": 1,
    "papers/cuell-table1": 1,
    "papers/patrick-iota": 1,
    "own-scheme": 1,
    "argument-sweep": 4,
    "thermostat-springs": 400,
}

# The same of examples: all of them.
EXAMPLES = {
    "averages": 4,
    "conservation": 16,
    "error-along": 4,
    "extend": 8,
    "lyapunov": 16,
    "order": 1,
    "own-system": 1,
    "own-tableau": 1,
    "parameter-sweep": 4,
    "rigid-body": 1,
    "section": 8,
    "thermostat": 4,
    "work-precision": 1,
}

# Folders of jobs that no job of JOBS is in, and why.
WITHOUT = {
    "atlas": "scripts, which write their studies",
    "certify/known": "claims and the steppers that they are about, which certify/truths judges",
    "choosing": "a script, which writes its studies",
    "choosing/fresh": "systems; STUDIES chooses for one of them",
    "engines": "a script and its systems; STUDIES runs one of them",
    "explaining": "a script, which writes its studies",
    "layers": "a layer in C, which own-layer runs",
    "nets": "scripts and a system, which STUDIES runs",
    "python": "a notebook and a script",
    "shooting": "a program that calls the library",
    "systems": "systems, which springs-chaotic and others run",
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
    "engines": """study: conservation
system: {file: jobs/engines/oscillator.system.yaml}
end: 4
steps: [0.05]
methods:
  - generalized-alpha(rho=0.8)
  - hht(alpha=0.1)
  - radau(2)
  - bdf(3)
  - semi-implicit-euler(erp=0.2)
  - linearly-implicit-euler(erp=0.2)
  - baumgarte(rk4, alpha=5, beta=5)
  - symmetric-project(rk4)
  - staged
  - discretization(theta=0.25)
samples: {count: 10}
""",
    "layers": """study: order
system: henon-heiles
end: 2
steps: [0.1, 0.05]
methods: [euler, explicit-midpoint, heun, rk3, rk5, rk6, rk8, taylor(4), dopri5, newmark,
  pushforward-newmark(beta=0.3), zhang-skeel(beta=0.3), lagrange-dalembert(taylor-curve(2))]
reference: {method: gauss(6), step: 0.01}
""",
    "rotations": """study: conservation
system: lagrange-top
end: 2
steps: [0.02]
methods: [lie-euler-a, lie-euler-b, lie-lobatto, lie-rattle, rattlie, lie-generalized-alpha(rho=0.8),
  lie-midpoint, lie-discretization(theta=0.25), "compose(lie-rattle, yoshida4)"]
samples: {count: 10}
""",
    "nets": """study: conservation
system: {file: jobs/nets/cube.system.yaml}
end: 0.25
steps: [0.015625]
methods: [rattle]
samples: {count: 4}
""",
    "petsc": """study: conservation
system: pendulum-chain
end: 1
steps: [0.02]
methods: [rattle, midpoint]
solver: {engine: petsc}
samples: {count: 4}
""",
    "nearby": """study: ensemble
system: {name: double-pendulum, parameters: {L2: 1.0}}
initial: {members: 3, seed: 2, around: default, spread: {q: 0.01, v: 0.01}}
end: 8
steps: [0.05]
methods: [rattle, project(rk4)]
observables: [energy, lyapunov, megno, two-form, volume, reversibility]
tangent: {vectors: 3, every: 0.5}
extremes: [{name: fold, expression: "x1*x2 + y1*y2"}]
samples: {count: 4}
""",
    "stages": """study: conservation
system: {name: damped-double-pendulum, parameters: {k: 0.2}}
end: 4
steps: [0.05]
methods: [rattle, "generalized-alpha(rho=0.9)", dopri5]
stages: [{until: 1}, {until: 2.5, parameters: {k: "5*k", m2: 2}}, {parameters: {k: 0}}]
events: [{name: low, when: x2, take: [y2', k]}]
samples: {count: 10}
""",
    "branches": """study: conservation
system: four-bar
end: 4
steps: [0.01]
methods: [project(rk4), "convert(rk4)", radau(2), rattle]
reference: self
observables: [energy, constraint, error]
samples: {count: 10}
""",
    "ends": """study: order
system: planar-pendulum
end: 2
steps: [0.1, 0.05]
methods: [ends(yoshida4), rattle]
reference: exact
""",
    "choice": """study: choose
system: jobs/choosing/fresh/triple-pendulum.yaml
goal: energy 1e-3 until 20
methods: [rattle]
members: 2
budget: 1min
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
    """`end: 2*pi/7*600` is divided too."""
    divided = re.sub(r"^end: ([0-9.e+]+)$", lambda m: f"end: {float(m[1]) / factor!r}", text, flags=re.M)
    return divided if divided != text or factor == 1 else re.sub(r"^end: (.*)$", rf"end: (\1)/{factor}", text, flags=re.M)


def of_tests():
    """The texts of test_bits.py, which runs nothing as long as it is not called."""
    path = os.path.join(ROOT, "tests", "cli", "test_bits.py")
    with open(path) as f:
        found = re.search(r"^OBSERVABLES = .*?^}\n", f.read(), re.M | re.S)
    space = {}
    exec(compile(found[0], path, "exec"), space)  # two tables of texts
    return space["STUDIES"]


def texts():
    """The studies by name."""
    found = {}
    named = {"jobs/" + job: factor for job, factor in JOBS.items()} | {"examples/" + job: factor for job, factor in EXAMPLES.items()}
    for job, factor in named.items():
        factor, more = factor if isinstance(factor, tuple) else (factor, "")
        with open(os.path.join(ROOT, job + ".yaml")) as f:
            text = shorter(f.read(), factor) + more
        # files of the user are named relative to the study, which is beside links to jobs and examples
        for word in sorted(set(re.findall(r"[\w./-]+\.(?:yaml|c|csv)\b", text))):
            there = os.path.normpath(os.path.join(os.path.dirname(job), word))
            if os.path.exists(os.path.join(ROOT, there)):
                text = re.sub(rf"(?<![\w./-]){re.escape(word)}", there, text)
        found[job] = text
    found.update({"bits/" + name: text for name, text in of_tests().items()})
    found.update({"studies/" + name: text for name, text in STUDIES.items()})
    found.update({"extended/" + name: text for name, (text, _) in EXTENDED.items()})
    return found


def here(text):
    """Without the folders of this run and of this checkout."""
    return text.replace(os.path.realpath(cli.FOLDER), "").replace(cli.FOLDER, "").replace(ROOT, "")


def leaves(thing, name=""):
    """The texts and numbers of a JSON file, by their places, but for the program and its times."""
    if isinstance(thing, (dict, list)):
        found = {}
        for key, x in thing.items() if isinstance(thing, dict) else enumerate(thing):
            if key not in UNLIKE:
                found.update(leaves(x, f"{name}/{key}"))
        return found
    return {name: here(thing) if isinstance(thing, str) else thing}


# Keys of certificates and choices: the program, and what follows from times. In which order methods are tried does too, so
# that the choice of STUDIES has one.
UNLIKE = ("program", "spent", "seconds_of_steps", "cpu_seconds", "rate", "budget", "choice", "units", "timing", "cost",
          "times", "overturns")


def outcome(process, result, verify=True):
    found = {"status": process.returncode}
    if process.returncode not in (0, 1) or not os.path.exists(result):
        found["says"] = here(process.stderr)
        return found
    if result.endswith(".json"):
        with open(result) as f:
            return {**found, **leaves(json.load(f))}
    found.update({key: here(x.decode("latin-1")) if isinstance(x, bytes) else x for key, x in cli.digests(result).items()})
    for unlike in ("/@git", "/@continued"):  # the build; a number drawn for each file
        found.pop(unlike, None)
    if verify:
        process = cli.constella("verify", result)
        found["verify"] = process.returncode
        found["verify says"] = re.sub(r"[0-9.]+ s\b", "", here(process.stdout))
    return found


def measure(only):
    results = {}
    for folder in ("jobs", "examples"):
        os.symlink(os.path.join(ROOT, folder), cli.path(folder))

    def keep(name, process, result):
        results[name] = outcome(process, result)
        print(f"{name}: {len(results[name])} entries, status {process.returncode}", flush=True)

    for name, text in texts().items():
        if only and not re.search(only, name):
            continue
        flat = name.replace("/", "-")
        ending = ".json" if re.match(r"(#.*\n|\n)*study: (certify|choose)$", text, re.M) else ".h5"
        study, result = cli.write(flat + ".yaml", text), cli.path(flat + ending)
        keep(name, cli.constella("run", study, "-o", result, "--overwrite", "--progress", "none", ranks=0), result)
        if name.startswith("extended/"):
            longer = cli.write(flat + "-longer.yaml", text.replace(*EXTENDED[name.split("/")[1]][1]))
            extended = cli.path(flat + "-longer.h5")
            keep(name + " longer", cli.constella("extend", result, longer, "-o", extended, "--progress", "none"), extended)
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

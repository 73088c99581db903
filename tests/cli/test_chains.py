"""test_chains.py: chains of extensions in all orders: every result verifies with the same bits, and of
trajectories that were never continued from an earlier end the windows are compared too. CONSTELLA_TEST_ALL:
chains of three."""
# SPDX-License-Identifier: BSD-2-Clause
import itertools
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, done, h5py, numpy, ok, path, run, together, write

STUDY = """study: conservation
system: {{name: double-pendulum, parameters: {{g: [{gravities}]}}}}
initial: {{members: {members}, seed: 1, around: default, spread: {{q: 0.02, v: 0.02}}}}
end: {end}
steps: [{steps}]
methods: [{methods}]
solver: {{tolerance: [{tolerances}]}}
extensible: true
observe: every
"""
FIRST = {
    "members": 2,
    "end": 4,
    "steps": "0.01",
    "methods": "rattle",
    "gravities": "1",
    "tolerances": "1e-12",
}
# what extensions add to a study, one after the other
ADDED = {
    "steps": ("0.005", "0.0025", "0.00125"),
    "methods": ("midpoint", '"compose(rattle, yoshida4)"', '"compose(rattle, suzuki4)"'),
    "gravities": ("2", "3"),
    "tolerances": ("1e-10", "1e-9"),
}


def add(key):
    """The study with one more entry in a list."""
    return lambda s: {**s, key: f"{s[key]}, {next(x for x in ADDED[key] if x not in s[key])}"}


MORE = {
    "end": lambda s: {**s, "end": 2 * s["end"]},
    "members": lambda s: {**s, "members": s["members"] + 1},
    **{key: add(key) for key in ADDED},
}
ALL = "CONSTELLA_TEST_ALL" in os.environ


def chains():
    """All orders of two; of three where all is tested. Those without an end have nothing to join."""
    pairs = [x for x in itertools.product(MORE, repeat=2) if ALL or "end" in x]
    threes = itertools.product(
        ("end", "members", "methods", "steps"),
        repeat=3,
    ) if ALL else [("end", "members", "end")]
    return [*pairs, *threes]


def joined(file):
    with h5py.File(file) as f:
        return f["continue/joined"][:]


def follow(chain):
    """The result of a chain of extensions, each made once; its study."""
    if not chain:
        return path("first.h5"), FIRST
    name = "-".join(chain)
    before, study = follow(chain[:-1])
    study = MORE[chain[-1]](study)
    output = path(f"{name}.h5")
    if os.path.exists(output):
        return output, study
    process = constella(
        "extend",
        before,
        write(f"{name}.yaml", STUDY.format(**study)),
        "-o",
        output,
        "--progress",
        "none",
    )
    ok(process.returncode == 0, f"{name}: extended", process.stdout, process.stderr)
    return output, study


def check(chain):
    name = " then ".join(chain)
    output, study = follow(chain)
    process = constella("verify", output, "--sample", "400")
    ok(
        process.returncode == 0 and "all with the same bits" in process.stdout,
        f"{name}: the same bits",
        process.stdout,
        process.stderr,
    )
    # members of cases that there were at the last later end
    least = 0
    s = FIRST
    for step in chain:
        s = MORE[step](s)
        if step == "end":
            least = s["members"]
    there = joined(output)
    ok(
        numpy.all((there == 0) | (there == least)) and there.max() == least,
        f"{name}: what was continued",
        there,
    )
    if least:
        ok(
            " not compared: they were continued" in process.stdout,
            f"{name}: verify tells what it leaves out",
            process.stdout,
        )


def damage():
    """A damaged window is found in a trajectory that was not continued, also beside one that was."""
    output, study = follow(("end", "members"))
    with h5py.File(output, "r+") as f:
        windows = f["windows/energy"]
        values = windows[0]
        values[-1, 3] = numpy.nextafter(values[-1, 3], 1e9)
        windows[0] = values
    process = constella("verify", output, "--sample", "400")
    ok(
        process.returncode == 1 and "1 of 3 trajectories DIFFER" in process.stdout and "/windows/energy[0, 2, 3]" in process.stdout,
        "a damaged window of a member in one piece is found",
        process.stdout,
    )


process, _ = run("first", STUDY.format(**FIRST))
ok(process.returncode == 0, "the first result", process.stderr)
# the first ones of all chains, then the chains that begin with them side by side
for kind in MORE:
    follow((kind,))
together([lambda chain=chain: check(chain) for chain in chains()], most=3)
damage()
done()

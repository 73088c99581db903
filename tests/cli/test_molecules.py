#!/usr/bin/env python3
# test_molecules.py: the march over the molecules of one trajectory has the bits of the generic march of an
# interpreted system: for every kick, alone, in groups, with noise, where trajectories fail. TAP. Four
# lanes, many molecules and failures with CONSTELLA_TEST_ALL only.
# SPDX-License-Identifier: BSD-2-Clause
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import differences, digests, done, ok, run

STUDY = """study: conservation
system: {name: tip3p-water, parameters: {n: %d}, compile: %s}
initial: %s
end: %g
steps: [%g]
methods: %s
observables: [energy]
"""
KICKS = (
    '[rattle, shake, euler-a, euler-b, "compose(rattle, suzuki4)", "langevin(rattle, friction=0.1, '
    'inverse-temperature=50)"]'
)
MEMBERS = "{members: %d, seed: 3, around: lattice, spread: {v: 0.001}}"


def compare(what, n, initial, end, step=0.0625, methods=KICKS, env=None):
    results = [
        run(f"molecules-{how}", STUDY % (n, how, initial, end, step, methods), env=env)
        for how in ("always", "never")
    ]
    if any(process.returncode not in (0, 1) for process, _ in results):
        # Status 2: the CPU lacks the instruction set.
        ok(
            any(process.returncode == 2 and env for process, _ in results),
            f"{what}: runs",
            [p.stderr for p, _ in results],
        )
        return
    apart = [
        x
        for x in differences(*(digests(path) for _, path in results))
        if not x.startswith("/run") and "/run" not in x
    ]
    ok(not apart, f"{what}: the same file compiled and interpreted", apart)


compare("one trajectory", 7, "lattice", 20)
compare("three members", 7, MEMBERS % 3, 5)
if "CONSTELLA_TEST_ALL" not in os.environ:
    done()
compare("one trajectory, four lanes", 7, "lattice", 5, env={"CONSTELLA_ISA": "v3"})
compare("many molecules, nine members", 26, MEMBERS % 9, 0.5, methods="[rattle]")
compare("members that fail", 7, MEMBERS % 5, 30, step=1.5, methods="[rattle]")
done()

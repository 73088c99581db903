"""test_scalar.py: CONSTELLA_ISA=scalar starts the program of `make scalar`, which has the same bits; the
message where it was not built. The comparison needs that program: `make test-all` builds it.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import cli
from cli import constella, differences, digests, done, ok, path, run, skip

STUDY = """
study: order
system: {name: %s}
initial: {members: 5, seed: 3, around: default, spread: {v: 0.1}}
end: 0.5
steps: {counts: [10, 20]}
methods: [%s]
reference: self
observables: [energy, "odd: exp(-t)*sqrt(t + 2)"]
"""
METHODS = {
    "double-pendulum": 'rattle, shake, midpoint, project(rk4), "compose(rattle, suzuki4)", gauss(2), "hbvm(k=4, s=2)"',
    "heavy-top": "rattle, midpoint, project(rk4)",
    "henon-heiles": "rattle, midpoint, rk4, dopri5",
}


def missing():
    """A program that stands alone in its folder."""
    shutil.copy(cli.PROGRAM, path("constella"))
    said = subprocess.run(
        [path("constella"), "list", "systems"],
        env={**cli.ENVIRONMENT, "CONSTELLA_ISA": "scalar"},
        capture_output=True,
        text=True,
    )
    ok(
        said.returncode == 2 and "`make scalar` builds it" in said.stderr and not said.stdout,
        "scalar: without its program a message, and exit status 2",
        said.stderr,
    )
    os.remove(path("constella"))


def same_bits():
    if not os.path.exists(os.path.join(os.path.dirname(cli.PROGRAM), "scalar", "constella")):
        return skip("scalar: the same bits", "needs `make scalar`")
    versions = {constella("--version", env={"CONSTELLA_ISA": isa}).stdout.split("\n")[0] for isa in ("", "scalar")}
    if len(versions) > 1:
        return skip("scalar: the same bits", "needs `make scalar` again: it is of another version")
    for system, methods in METHODS.items():
        text = STUDY % (system, methods)
        first, lanes = run(system, text)
        ok(first.returncode == 0, f"{system}: runs", first.stderr)
        for ranks in 0, 2:
            second, scalar = run(f"{system}-{ranks}", text, ranks=ranks, env={"CONSTELLA_ISA": "scalar"})
            ok(
                second.returncode == 0 and not differences(digests(lanes), digests(scalar)),
                f"{system}: the same bits with one lane, {ranks or 'without'} ranks",
                second.stderr,
            )
        verify = constella("verify", lanes, env={"CONSTELLA_ISA": "scalar"})
        ok(verify.returncode == 0, f"{system}: verified with one lane", verify.stdout[-500:], verify.stderr)


if __name__ == "__main__":
    missing()
    same_bits()
    done()

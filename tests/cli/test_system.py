"""test_system.py: `constella system`: its page, its exit status, mistakes at their places."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import FOLDER, constella, done, ok, path, together, write

GOOD = """system: bead
coordinates: [x, y, z]
parameters: {m: 1.5, g: 2, R: 1}
mass: [m, m, m]
potential: m*g*z
constraints: {sphere: x^2 + y^2 + z^2 - R^2}
symmetries: {rotation-z: [-y, x, 0]}
states:
  default: {q: [0.6*R, 0, -0.8*R], v: [0, 0.5, 0]}
"""


def catalogue():
    names = re.findall(r"^ *([a-z][a-z0-9-]*)", constella("list", "systems").stdout, re.M)
    ok(len(names) > 5, "there are systems to examine", names)
    for name in names:
        process = constella("system", name)
        ok(
            process.returncode == 0
            and process.stdout.startswith(f"{name}: ")
            and process.stdout.endswith("\nok\n")
            and not process.stderr,
            f"{name}: ok",
            process.returncode,
            process.stdout,
            process.stderr,
        )


def page():
    process = constella("system", write("bead.yaml", GOOD))
    lines = process.stdout.splitlines()
    ok(
        process.returncode == 0 and not process.stderr,
        "a good file: exit status 0",
        process.returncode,
        process.stderr,
    )
    ok(
        lines[:1] == ["bead: 3 coordinates, 1 constraint, 2 degrees of freedom"],
        "its first line",
        process.stdout,
    )
    for words in (
        "mass .*constant diagonal; not gyroscopic",
        "structure .*nonzeros of Dg: 3 in 1 x 3",
        "state default .*scaled",
        "rank of Dg 1 of 1",
        "derivatives .*14 kernels at 5 points",
        "symmetry rotation-z .*momentum <Mv, xi>",
    ):
        ok(re.search(words, process.stdout), f"the page says: {words}", process.stdout)
    ok(lines[-1:] == ["ok"], "and ends with ok", process.stdout)
    ok(constella("system", path("bead.yaml")).stdout == process.stdout, "twice the same page")


def parameters():
    file = write("parameters.yaml", GOOD)
    process = constella("system", file, "--parameters", "R=sqrt(2)/3", "m=2")
    ok(
        process.returncode == 0 and "eigenvalues from 2 to 2" in process.stdout,
        "values of parameters",
        process.stdout,
        process.stderr,
    )
    process = constella("system", "--parameters", "m=-1", file)
    ok(
        process.returncode == 2 and "not positive definite" in process.stdout,
        "a negative mass",
        process.stdout,
        process.stderr,
    )
    process = constella("system", "pendulum-chain", "--parameters", "n=7", "L=2")
    ok(
        process.returncode == 0
        and process.stdout.startswith("pendulum-chain: 14 coordinates, 7 constraints"),
        "a size",
        process.stdout,
        process.stderr,
    )


def wrong():
    for name, old, new, said in (
        ("potential", "m*g*z", "m*g*x", r"symmetry rotation-z +error: V changes along it"),
        ("state", "q: [0.6*R", "q: [0.7*R", r"state default.*\n.*error: q does not satisfy the constraints"),
        ("generator", "[-y, x, 0]", "[-y, 0, x]", r"error: the constraint sphere changes along it"),
    ):
        process = constella("system", write(name + ".yaml", GOOD.replace(old, new)))
        ok(
            process.returncode == 2 and not process.stderr,
            f"a wrong {name}: exit status 2",
            process.returncode,
            process.stderr,
        )
        ok(re.search(said, process.stdout), f"a wrong {name}: the finding", process.stdout)
        ok(
            re.search(r"\n[1-9] findings?\n$", process.stdout),
            f"a wrong {name}: they are counted",
            process.stdout,
        )


LINKAGE = """system: linkage
coordinates: [x, y, "u[2]"]
mass: [1, 1, 1]
potential: y + u[1]
constraints: {rod: x^2 + y^2 - 1, reach: "(u[1] - x)^2 + (u[2] - y)^2 - 4"}
states:
  default: {q: [0.6, 0.81, [2, 0.8]], v: [0.1, 0, [0, 0]]}
"""


def inconsistent():
    """The worst constraint is named, and the projected state can be pasted."""
    process = constella("system", write("linkage.yaml", LINKAGE))
    ok(
        re.search(r"q does not satisfy the constraints: .*worst: reach, -2.04", process.stdout),
        "the constraint that q violates most",
        process.stdout,
    )
    ok(
        re.search(r"v does not satisfy Gv = 0: .*worst: \w+, ", process.stdout),
        "and the one that v does",
        process.stdout,
    )
    state = re.search(
        r"note: projection moves it by at most \S+ in a coordinate: (\{q: .*\})", process.stdout
    )
    if ok(state, "a projected state is printed", process.stdout):
        text = LINKAGE.replace("{q: [0.6, 0.81, [2, 0.8]], v: [0.1, 0, [0, 0]]}", state[1])
        process = constella("system", write("linkage-pasted.yaml", text))
        ok(
            process.returncode == 0 and process.stdout.endswith("ok\n"),
            "pasted, it is consistent",
            process.stdout,
            process.stderr,
        )
    write(
        "linkage-study.yaml",
        "study: order\n"
        "system: {file: linkage.yaml}\n"
        "end: 1\n"
        "steps: [0.5]\n"
        "methods: [rattle]\n"
        "reference: self\n",
    )
    process = constella("check", path("linkage-study.yaml"))
    ok(
        "the start is inconsistent" in process.stderr and "worst: reach, -2.04" in process.stderr,
        "a study names it, too",
        process.stderr,
    )


def instead():
    """Functions that expressions do not have, and the advice in the message."""
    for old, new, said in (
        ("m*g*z", "m*g*atan(z)", "unknown function 'atan'; write atan2(x, 1)"),
        ("m*g*z", "m*g*floor(z)", "step(x) is 0, 1/2, 1 where x is below, at, above 0"),
        (
            "mass: [m, m, m]",
            "mass: [m, m, m*(1 + t)]",
            "unknown name 't'; the time cannot stand here; it can in potential, constraints, forces",
        ),
    ):
        process = constella("system", write("instead.yaml", GOOD.replace(old, new)))
        ok(process.returncode == 2 and said in process.stderr, said, process.stderr)


def mistakes():
    file = write("mistakes.yaml", GOOD.replace("m*g*z", "m*gg*z").replace("mass: [m, m, m]", "mass: [m, m]"))
    process = constella("system", file)
    ok(
        process.returncode == 2 and process.stdout == "",
        "a file that cannot be read: exit status 2, no page",
        process.returncode,
        process.stdout,
    )
    ok(
        f"{file}:4:7: error: " in process.stderr and f"{file}:5:14: error: " in process.stderr,
        "its mistakes at their places",
        process.stderr,
    )
    good = write("good.yaml", GOOD)
    for words, said in (
        ((), ["needs a system file or the name of a system"]),
        ((path("none.yaml"),), ["there is no file"]),
        (("kepller",), ["there is no file 'kepller'", "did you mean 'kepler'"]),
        ((FOLDER,), [FOLDER]),
        ((good, "more"), ["unexpected argument 'more'"]),
        ((good, "--parameter", "m=1"), ["unknown option '--parameter'", "did you mean '--parameters'"]),
        ((good, "--parameters"), ["needs a value: NAME=VALUE"]),
        ((good, "--parameters", "m"), ["NAME=VALUE, not 'm'"]),
        ((good, "--parameters", "m=one"), ["'m=one'", "unknown name 'one'"]),
        ((good, "--parameters", "mm=1"), ["unknown parameter 'mm'", "allowed: m, g, R"]),
        ((good, "--parameters", "m=1", "m=2"), ["'m' is given twice"]),
        (("pendulum-chain", "--parameters", "n=2.5"), ["a whole number"]),
    ):
        process = constella("system", *words)
        title = " ".join(["system", *map(os.path.basename, words)])
        ok(
            process.returncode == 2 and all(x in process.stderr for x in said) and not process.stdout,
            title,
            process.returncode,
            process.stderr,
            process.stdout,
        )
    process = constella("system", "--help")
    ok(
        process.returncode == 0 and process.stdout.startswith("constella system FILE"),
        "--help",
        process.stdout,
    )


if __name__ == "__main__":
    together([catalogue, page, parameters, wrong, inconsistent, instead, mistakes])
    done()

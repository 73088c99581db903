"""test_own_system.py: a study of a system described in the user's own file: compiled or interpreted, on any
ranks, the same bits; its mistakes."""
# SPDX-License-Identifier: BSD-2-Clause
import hashlib
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import (
    ENVIRONMENT,
    PROGRAM,
    by_rank,
    constella,
    differences,
    digests,
    done,
    h5py,
    made,
    ok,
    path,
    program_for,
    run,
    scratch,
    sets,
    table,
    together,
    write,
)

ENVIRONMENT["XDG_CACHE_HOME"] = scratch()
ENVIRONMENT.pop("CONSTELLA_CC", None)

BEAD = """system: {name}
doc: A bead sliding without friction on an ellipsoid under gravity.
coordinates: [x, y, z]
parameters: {{a: {{default: 1.0, unit: m, doc: semi-axis}}, b: 1.5, c: 2.0, m: {{default: 1.25, unit: kg}}, g: 9.81}}
mass: [m, m, 2*m]
potential: m*g*z + 0.3*sin(x)*exp(-y/2) + atan2(y, 3 + x)
constraints: {{surface: x^2/a^2 + y^2/b^2 + z^2/c^2 - 1}}
symmetries: {{turn: [-y, x, 0]}}
states:
  default: {{q: [a, 0, 0], v: [0, 0.5, 0.25]}}
"""
STUDY = """
study: ensemble
system: {{file: {file}, compile: {compile}, parameters: {{g: [1.0, 9.81]}}}}
initial: {{members: 37, seed: 11, around: default, spread: {{q: 0.02, v: 0.2}}}}
end: 1.0
steps: [0.02, 0.01]
methods: [rattle, shake, midpoint, rk4, project(rk4), "compose(rattle, yoshida4)"]
observables: [energy, momentum, constraint, "height: z", "tension: lambda_surface*cos(t)"]
samples: {{count: 20}}
trajectories: {{members: [0, 36], every: 10}}
"""
NONE = {"CONSTELLA_CC": "/dev/null/cc"}


def study(compile, file="bead.yaml"):
    return STUDY.format(file=file, compile=compile)


def kernels(result):
    with h5py.File(result, "r") as f:
        x = dict(f["run"].attrs)
    return {
        key: x[key].decode() if isinstance(x[key], bytes) else x[key]
        for key in x
        if key == "kernels" or key.startswith("compile_")
    }


def completes(name, text, *words, **how):
    """The result's path; None and a failed test when the study does not complete."""
    process, result = run(name, text, *words, **how)
    return result if ok(process.returncode == 0, f"{name} runs", process.returncode, process.stderr) else None


def same(first, result, title):
    if result:
        wrong = differences(first, digests(result))
        ok(not wrong, f"{title}: the same bits", wrong)


def back_ends():
    write("bead.yaml", BEAD.format(name="bead-on-ellipsoid"))
    plain = completes("never", study("never"))
    if not plain:
        return
    ok(kernels(plain)["kernels"] == "interpreted", "compile: never is interpreted", kernels(plain))
    first = digests(plain)
    ok(len(first) > 20, "the result holds datasets", sorted(first))
    result = completes("always", study("always"))
    same(first, result, "compile: always")
    told = kernels(result)
    ok(
        told["kernels"] == "compiled"
        and told["compile_cached"] == 0
        and told["compile_seconds"] > 0.05
        and told["compile_compiler"],
        "compile: always is compiled",
        told,
    )
    result = completes("again", study("always"))
    same(first, result, "compile: always once more")
    ok(kernels(result)["compile_cached"] == 1, "the second time nothing is compiled", kernels(result))
    result = completes("auto", study("auto"))
    same(first, result, "compile: auto")
    ok(
        kernels(result)["kernels"] == "compiled",
        "compile: auto takes what was compiled before",
        kernels(result),
    )
    result = completes("small", study("auto"), env={"XDG_CACHE_HOME": scratch()})
    same(first, result, "compile: auto, nothing compiled before")
    ok(
        kernels(result)["kernels"] == "interpreted" and "small" in kernels(result)["compile_refused"],
        "a small study is not worth a compiler",
        kernels(result),
    )
    for ranks in (1, 2, 3):
        for compile in ("never", "always"):
            name = f"{compile}-{ranks}"
            same(first, completes(name, study(compile), ranks=ranks), f"compile: {compile} on {ranks} ranks")
    for isa in sets("v2", "v3"):
        same(
            first,
            completes(f"always-{isa}", study("always"), env={"CONSTELLA_ISA": isa}),
            f"compile: always with {isa}",
        )
    mixed(first)


def mixed(first):
    """Ranks of different instruction sets."""
    text, result = write("mixed.yaml", study("always")), path("mixed.h5")
    # sets may lead to other batches
    words = ["run", text, "-o", result, "--overwrite", "--progress", "none", "--batch", "32"]
    narrow = next(sets("v2"), None)
    if not narrow:
        return
    program = program_for(narrow)  # of all ranks: they must be alike
    kinds = [["env", f"CONSTELLA_ISA={narrow}", program, *words], [program, *words], [program, *words]]
    process = subprocess.run(
        by_rank(kinds),
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=1000,
        encoding="utf-8",
    )
    if process.returncode == 2 and "this CPU lacks it" in process.stderr:
        return
    if ok(
        process.returncode == 0, "ranks of different instruction sets run", process.returncode, process.stderr
    ):
        same(first, result, "ranks of different instruction sets")


def names():
    """A user's system with the name of one of the catalogue gets neither its code nor its exact motion."""
    write("planar.yaml", BEAD.format(name="planar-pendulum"))
    write("bead.yaml", BEAD.format(name="bead-on-ellipsoid"))
    for compile in ("never", "always"):
        one, other = completes(f"own-{compile}", study(compile)), completes(
            f"planar-{compile}", study(compile, "planar.yaml")
        )
        if one and other:
            wrong = [
                x
                for x in differences(digests(one), digests(other))
                if not x.startswith("/@") and x != "statistics/system"
            ]
            ok(
                not wrong,
                f"compile: {compile}: the name of a catalogue's system changes nothing but the name",
                wrong,
            )
    text = (
        study("never", "planar.yaml")
        .replace("study: ensemble", "study: order\nreference: exact")
        .replace("members: 37, ", "members: 2, ")
    )
    process, _ = run("exact", text)
    ok(
        process.returncode == 2 and "no exact motion of planar-pendulum is known" in process.stderr,
        "its exact motion is not taken",
        process.stderr,
    )
    result = completes(
        "builtin",
        "study: conservation\nsystem: {name: planar-pendulum}\nend: 1\nsteps: [0.01]\nmethods: [rattle]\n",
    )
    plain = completes(
        "generic",
        "study: conservation\n"
        "system: {name: planar-pendulum, compile: never}\n"
        "end: 1\n"
        "steps: [0.01]\n"
        "methods: [rattle]\n",
    )
    same(digests(result), plain, "compile: never with a system of the catalogue")
    ok(
        kernels(result) == {"kernels": "built-in"} and kernels(plain) == {"kernels": "interpreted"},
        "both say so",
        kernels(result),
        kernels(plain),
    )


def no_compiler():
    write("bead.yaml", BEAD.format(name="bead-on-ellipsoid"))
    large = (
        study("auto")
        .replace("end: 1.0", "end: 2500.0")
        .replace("members: 37,", "members: 64,")
        .replace('[rattle, shake, midpoint, rk4, project(rk4), "compose(rattle, yoshida4)"]', "[rattle]")
    )
    process, result = run("without", large, env={**NONE, "XDG_CACHE_HOME": scratch()}, ranks=2)
    lines = [x for x in process.stderr.splitlines() if "interpreted" in x]
    ok(
        process.returncode == 0 and len(lines) == 1,
        "compile: auto without a compiler runs and says so in one line",
        process.returncode,
        process.stderr,
    )
    ok(
        lines and "bead.yaml is interpreted, not compiled: /dev/null/cc: Not a directory" in lines[0],
        "and why",
        lines,
    )
    ok(
        kernels(result)["kernels"] == "interpreted" and "/dev/null/cc" in kernels(result)["compile_refused"],
        "and keeps it in /run",
        kernels(result),
    )
    same(digests(result), completes("with", large, env={"XDG_CACHE_HOME": scratch()}), "with a compiler")
    ok(
        kernels(path("with.h5"))["kernels"] == "compiled" and kernels(path("with.h5"))["compile_cached"] == 0,
        "which is used for a study of this size",
        kernels(path("with.h5")),
    )
    for ranks in (0, 2):
        process, result = run(f"must-{ranks}", study("always"), env=NONE, ranks=ranks)
        lines = [x for x in process.stderr.splitlines() if x.startswith("constella: error: ")]
        ok(
            process.returncode == 1 and len(lines) == 1,
            f"compile: always without a compiler fails, {ranks} ranks",
            process.returncode,
            process.stderr,
        )
        ok(
            "bead.yaml cannot be compiled: /dev/null/cc: Not a directory" in lines[0] if lines else False,
            "and says why",
            process.stderr,
        )
        ok(not os.path.exists(result), "and leaves no result")


def identity():
    """The study's fingerprint depends on what the system file says, and on nothing about compiling."""
    text = BEAD.format(name="bead-on-ellipsoid")
    write("own.yaml", text)

    def print_of(name, study_text):
        f = made(name, study_text)
        return (
            (
                f.attrs["study_sha256"],
                f.attrs["study"].decode() if isinstance(f.attrs["study"], bytes) else f.attrs["study"],
            )
            if f
            else (None, "")
        )

    first, canonical = print_of("identity-1", study("never", "own.yaml"))
    ok(
        f"sha256: {hashlib.sha256(text.encode()).hexdigest()}" in canonical.replace("'", "").replace('"', ""),
        "the canonical text holds the sha256 of the file",
        canonical,
    )
    ok(print_of("identity-2", study("always", "own.yaml"))[0] == first, "how it is compiled does not enter")
    ok(print_of("identity-3", canonical)[0] == first, "the canonical text is a study of the same fingerprint")
    write("own.yaml", text.replace("9.81", "9.80"))
    ok(print_of("identity-4", study("never", "own.yaml"))[0] != first, "what the file says does")
    process, _ = run("identity-5", canonical)
    ok(
        process.returncode == 2 and "sha256 is " in process.stderr and "that of " in process.stderr,
        "a study refuses another file than its own",
        process.stderr,
    )


def mistakes():
    folder = scratch()
    sub = os.path.join(folder, "sub")
    os.mkdir(sub)

    def put(name, text):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)

    def refused(title, words, command="run", ranks=0, name="s.yaml"):
        process = constella(
            command,
            name,
            *(["-o", path("refused.h5")] if command == "run" else []),
            folder=folder,
            ranks=ranks,
        )
        lines = [x for x in process.stderr.splitlines() if "error: " in x]
        ok(
            process.returncode == 2 and len(lines) == 1 and words in process.stderr,
            f"{command}: {title}",
            process.returncode,
            process.stderr,
        )

    put(
        "s.yaml", "study: conservation\nsystem:\n  file: gone.yaml\nend: 1\nsteps: [0.1]\nmethods: [rattle]\n"
    )
    for command, ranks in (("run", 0), ("run", 2), ("check", 0)):
        refused(
            f"a missing file is an error at its key ({ranks} ranks)",
            "s.yaml:3:9: error: gone.yaml: No such file or directory",
            command,
            ranks,
        )
    put("gone.yaml", BEAD.format(name="bead").replace("m*g*z", "m*h*z"))
    for command, ranks in (("run", 0), ("run", 2), ("check", 0)):
        refused(
            f"a mistake in the file has its place there ({ranks} ranks)",
            "gone.yaml:6:14: error: potential: unknown name 'h'",
            command,
            ranks,
        )
    put(
        "sub/s.yaml",
        "study: conservation\nsystem: {file: bead.yaml}\nend: 1\nsteps: [0.1]\nmethods: [rattle]\n",
    )
    put("sub/bead.yaml", BEAD.format(name="bead").replace("2*m]", "2*m"))
    refused("the file is looked for beside the study", "sub/bead.yaml:", "check", name="sub/s.yaml")
    put("sub/bead.yaml", BEAD.format(name="bead"))
    process = constella("check", "sub/s.yaml", folder=folder)
    ok(
        process.returncode == 0 and "sub/bead.yaml, sha256 " in process.stdout,
        "check shows the file",
        process.stdout,
        process.stderr,
    )
    put(
        "s.yaml",
        "study: conservation\n"
        "system: {file: sub/bead.yaml, compile: often}\n"
        "end: 1\n"
        "steps: [0.1]\n"
        "methods: [rattle]\n",
    )
    refused("an unknown wish", "s.yaml:2:40: error: unknown compile 'often'; allowed: auto, never, always")
    put(
        "s.yaml",
        "study: conservation\n"
        "system: {file: sub/bead.yaml, parameters: {h: 1}}\n"
        "end: 1\n"
        "steps: [0.1]\n"
        "methods: [rattle]\n",
    )
    refused("an unknown parameter of the user's system", "unknown parameter 'h'; allowed: a, b, c, m, g")


if __name__ == "__main__":
    back_ends()
    names()
    no_compiler()
    identity()
    mistakes()
    done()

"""test_own_layer.py: a one-step method in a C file that a study names: orders, the bits of its tableau's,
ranks, identity and mistakes."""
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
    narrowest,
    note,
    numpy,
    ok,
    path,
    run,
    scratch,
    table,
    write,
)
from held import until

ENVIRONMENT["XDG_CACHE_HOME"] = scratch()
ENVIRONMENT.pop("CONSTELLA_CC", None)

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../jobs/layers/kutta38.c")
with open(EXAMPLE) as f:
    KUTTA = f.read()

# mine is the file; named is the tableau of the same method.
STUDY = """study: order
system: double-pendulum
initial: low
end: 2.0
steps: {counts: [40, 80, 160, 320]}
layers:
  mine: {file: kutta38.c}
  named: {a: [[0, 0, 0, 0], [1/3, 0, 0, 0], [-1/3, 1, 0, 0], [1, -1, 1, 0]], b: [1/8, 3/8, 3/8, 1/8]}
methods: [METHODS]
reference: {method: "gauss(8)", step: 0.01}
"""
METHODS = [
    "mine",
    "project(mine)",
    "convert(mine)",
    "convert(mine, bias=-0.5)",
    "compose(convert(mine, bias=-0.5), yoshida4)",
    "convert(minus=named, plus=mine, bias=-0.25)",
]
STEPS = 4

SKEWED = """#include "constella/layer.h"
static void step(const cst_layer_step *s) {   // Euler's method, with a term of second order that knows one axis from the others
  cst_node A[s->n];
  s->acceleration(s, s->q, s->v, A);
  cst_layer_copy(s, s->q, s->q1), cst_layer_axpy(s, s->t, s->v, s->q1);
  cst_layer_copy(s, s->v, s->v1), cst_layer_axpy(s, s->t, A, s->v1);
  s->q1[0] = s->add(s, s->q1[0], s->mul(s, s->mul(s, s->t, s->t), s->q[0]));
  *s->S = s->mul(s, s->t, s->lagrangian(s, s->q, s->v));
}
const cst_layer_method cst_user_layer = {CST_LAYER_VERSION, "skewed", 1, "Euler's method, skewed.", step};
"""


def study(methods=METHODS):
    return STUDY.replace("METHODS", ", ".join(f'"{m}"' for m in methods))


def tableau(method):
    return method.replace("mine", "named")


def final(result):
    """The final state of each case: one row for q and p."""
    with h5py.File(result, "r") as f:
        return numpy.concatenate([f["final/q"][:, 0], f["final/p"][:, 0]], axis=1)


def orders(result):
    rows = table(result)
    for label in METHODS:
        mine = [r for r in rows if r["method"] == label]
        if ok(
            len(mine) == STEPS,
            f"{label}: a row a step, under that label",
            sorted({r["method"] for r in rows}),
        ):
            for part in "qp":
                ok(
                    abs(mine[0][f"order_{part}"] - 4) < 0.1,
                    f"{label}: order 4 in {part}",
                    mine[0][f"order_{part}"],
                )


def tableaus(result):
    process, other = run("named", study([tableau(m) for m in METHODS]))
    if not ok(process.returncode == 0, "the same methods of the tableau", process.stderr):
        return
    apart = numpy.abs(final(result) - final(other)).max(axis=1)
    for i, label in enumerate(METHODS):
        ok(
            apart[STEPS * i : STEPS * (i + 1)].max() < 2e-14,
            f"{label} is {tableau(label)} to round-off",
            apart,
        )
    off = numpy.abs(final(result)[0] - final(result)[STEPS]).max()
    ok(off > 1e-9, "and not just any method", off)
    note(f"off by at most {apart.max():.2g}; from one method to another {off:.2g}")


def same(first, name, title, **how):
    process, other = run(name, study(), **how)
    ok(
        process.returncode == 0 and not differences(first, digests(other)),
        f"{title}: the same bits",
        process.returncode,
        process.stderr,
    )


def bits(result):
    first = digests(result)
    same(first, "two", "two ranks", ranks=2)
    same(first, "fresh", "two ranks, nothing compiled before", ranks=2, env={"XDG_CACHE_HOME": scratch()})
    same(first, "narrow", "the narrowest vectors", env={"CONSTELLA_ISA": narrowest()})
    same(first, "three", "three ranks", ranks=3)
    words = [PROGRAM, "run", path("two.yaml"), "-o", path("alone.h5"), "--overwrite", "--progress", "none"]
    process = ranks_of(words, ["env", "CONSTELLA_CC=/dev/null/cc", "XDG_CACHE_HOME=/dev/null/none", *words])
    ok(
        process.returncode == 0 and not differences(first, digests(path("alone.h5"))),
        "one rank alone needs a compiler",
        process.stderr,
    )


def ranks_of(*commands):
    """One rank per command."""
    return subprocess.run(
        by_rank(commands),
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=1000,
        encoding="utf-8",
    )


def identity(result):
    with h5py.File(result, "r") as f:
        text, print_of = f.attrs["study"], f.attrs["study_sha256"]
    text = text.decode() if isinstance(text, bytes) else str(text)
    sum_of = hashlib.sha256(KUTTA.encode()).hexdigest()
    ok(
        f"file: kutta38.c\n    sha256: {sum_of}" in text,
        "the stored study holds the sha256 of the file",
        text,
    )
    process, again = run("again", text)
    ok(
        process.returncode == 0 and not differences(digests(result), digests(again)),
        "and gives the same result",
        process.stderr,
    )
    write("kutta38.c", KUTTA + "/* another */\n")
    process, other = run("other", study())
    with h5py.File(other, "r") as f:
        ok(f.attrs["study_sha256"] != print_of, "what the file says is a part of the study's fingerprint")
    process, _ = run("refused", text)
    ok(
        process.returncode == 2 and f"sha256 is {sum_of}; that of " in process.stderr,
        "a stored study refuses another file than its own",
        process.stderr,
    )
    write("kutta38.c", KUTTA)


def check():
    process = constella("check", write("check.yaml", study()))
    ok(
        process.returncode == 0
        and "kutta38.c, sha256 " in process.stdout
        and "order 4: Kutta's 3/8 rule." in process.stdout,
        "check tells what the file says",
        process.stdout,
        process.stderr,
    )


def momenta():
    """Conversions of formulas that leave a symmetry alone keep its momentum; others are symplectic all the
    same."""
    write("skewed.c", SKEWED)
    text = (
        "study: conservation\n"
        "system: spherical-pendulum\n"
        "end: 40\n"
        "steps: [0.05]\n"
        "layers: {even: {file: kutta38.c}, skewed: {file: skewed.c}}\n"
        "methods: [convert(even), convert(skewed), skewed]\nobservables: [energy, momentum]\n"
    )
    process, result = run("momenta", text)
    if not ok(process.returncode == 0, "a study of momenta", process.stderr):
        return
    even, skewed, plain = table(result)
    ok(even["rotation-z_max"] < 1e-13, "the example's conversion keeps the momentum", even["rotation-z_max"])
    ok(
        skewed["rotation-z_max"] > 1e-4,
        "that of a layer with an axis of its own does not",
        skewed["rotation-z_max"],
    )
    note(f"momenta off by {even['rotation-z_max']:.2g} and {skewed['rotation-z_max']:.2g}")
    ok(
        skewed["energy_max"] < 0.1 * plain["energy_max"],
        "its energy is better than the layer's",
        skewed["energy_max"],
        plain["energy_max"],
    )


def compiler(name, does):
    """The environment of a run whose compiler is this line of a shell."""
    with open(path(name), "w") as f:
        f.write(f"#!/bin/sh\n{does}\n")
    os.chmod(path(name), 0o755)
    return {"CONSTELLA_CC": path(name), "XDG_CACHE_HOME": scratch()}


def orphans():
    """A compiler, and what it has started, ends with the process that has called it."""
    folder = scratch()
    compiler = os.path.join(folder, "cc")
    with open(compiler, "w") as f:
        f.write('#!/bin/sh\n[ "$1" = --version ] && echo slow && exit\n')
        f.write(f'sleep 9999 & echo $$ $! >"{folder}/new"; mv "{folder}/new" "{folder}/pids"; sleep 9999\n')
    os.chmod(compiler, 0o755)
    process = subprocess.Popen(
        [PROGRAM, "check", write("slow.yaml", study())], env={**ENVIRONMENT, "CONSTELLA_CC": compiler}
    )
    until(lambda: os.path.exists(f"{folder}/pids"), "a compiler", process)
    process.kill()
    process.wait()
    with open(f"{folder}/pids") as f:
        pids = f.read().split()

    def live(pid):
        try:
            with open(f"/proc/{pid}/stat") as f:
                return f.read().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    ended = until(lambda: not any(map(live, pids)), "the end of the compiler", seconds=300)
    ok(ended, "no compiler outlives the program", pids)


def mistakes():
    folder = scratch()
    head, methods = (
        "study: conservation\nsystem: double-pendulum\nend: 1\nsteps: [0.1]\n",
        "methods: [mine, project(mine), convert(mine)]\n",
    )

    def put(name, text):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)

    def refused(title, text, place, words, ways=(("check", 0), ("run", 0)), **how):
        put("s.yaml", text)
        for command, ranks in ways:
            process = constella(
                command,
                "s.yaml",
                *(["-o", "refused.h5"] if command == "run" else []),
                folder=folder,
                ranks=ranks,
                **how,
            )
            told = process.stderr.count(": error: s.yaml") + sum(
                x.startswith("s.yaml:") for x in process.stderr.splitlines()
            )
            ok(
                process.returncode == 2
                and told == 1
                and f"s.yaml:{place}: error: " in process.stderr
                and all(w in process.stderr for w in words),
                f"{command}: {title} ({ranks} ranks)",
                process.returncode,
                process.stderr,
            )
            ok(not os.path.exists(os.path.join(folder, "refused.h5")), "nothing is written")

    def layer(text, kind="mine"):
        return head + f"layers: {{{kind}: {text}}}\n" + methods

    everywhere = (("check", 0), ("run", 0), ("run", 2))
    put("good.c", KUTTA)
    put("empty.c", "")
    put("syntax.c", KUTTA.replace("cst_layer_copy(s, s->q, s->q1);", "cst_layer_copy(s, s->q, s->q1)"))
    put("open.c", KUTTA.replace("cst_layer_copy(s, s->v, s->v1);", ""))
    put(
        "swollen.c",
        KUTTA.replace(
            "*s->S = s->number(s, 0);",
            "*s->S = s->number(s, 0);\n"
            '  for (int i = 0; i < 250000; i++) *s->S = s->call(s, "sin", s->add(s, *s->S, s->t), 0);',
        ),
    )
    refused(
        "a missing file", layer("{file: gone.c}"), "5:23", ["gone.c: No such file or directory"], everywhere
    )
    refused(
        "what the compiler says, with its lines",
        layer("{file: syntax.c}"),
        "5:23",
        ["syntax.c: ", ": exit status 1\n", "\n  syntax.c:11:33: error: expected ';'", "^"],
        everywhere,
    )
    refused(
        "no layer in it",
        layer("{file: empty.c}"),
        "5:23",
        ["empty.c: it does not define cst_user_layer"],
        everywhere,
    )
    refused(
        "a step that fills nothing",
        layer("{file: open.c}"),
        "5:23",
        ["open.c: its step does not fill v1"],
        everywhere,
    )
    refused(
        "no compiler",
        layer("{file: good.c}"),
        "5:23",
        ["good.c: /dev/null/cc: Not a directory"],
        everywhere,
        env={"CONSTELLA_CC": "/dev/null/cc"},
    )
    refused("a misspelt key", layer("{fiel: good.c}"), "5:17", ["unknown key 'fiel'", "did you mean 'file'?"])
    refused(
        "a file and a tableau",
        layer("{file: good.c, a: [[0]]}"),
        "5:31",
        ["unknown key 'a'; allowed: file, sha256"],
    )
    refused(
        "an empty name", layer("{file: ''}"), "5:23", ["'file' is empty; it must be the name of a C file"]
    )
    refused(
        "another file's sha256",
        layer(f"{{file: good.c, sha256: {64 * '0'}}}"),
        "5:39",
        ["that of good.c is " + hashlib.sha256(KUTTA.encode()).hexdigest()],
    )
    refused(
        "a name that is taken",
        layer("{file: good.c}", "rk4").replace("mine", "rk4"),
        "5:10",
        ["the name 'rk4' is taken by a method"],
    )
    for method, column, words in (
        ("adjoint(mine)", 19, ["'mine' has no adjoint"]),
        ("mien", 11, ["did you mean 'mine'?"]),
        ("mine(4)", 11, ["'mine' takes no arguments"]),
        ("'compose(mine, yoshida4)'", 20, ["'mine' has none"]),
    ):
        refused(
            method, layer("{file: good.c}").replace(methods, f"methods: [{method}]\n"), f"6:{column}", words
        )
    refused(
        "a system that formulas do not suit",
        layer("{file: good.c}")
        .replace("double-pendulum", "pendulum-chain")
        .replace(methods, "methods: [mine]\n"),
        "6:11",
        ["couple as a band"],
    )
    refused(
        "formulas that are too many",
        layer("{file: swollen.c}").replace(methods, "methods: [mine]\n"),
        "6:11",
        ["take more operations than can be differentiated"],
    )
    for name, statement, words, ways in (
        ("crash", "*(volatile int *)0 = 1;", "it crashes (Segmentation fault) when", everywhere),
        ("exit", "exit(0);", "it ends the program when", everywhere),
        ("endless", "for (volatile int i = 0;;) i++;", "it takes more than 2 s when", (("check", 0),)),
        (
            "many",
            "cst_node x = s->t; for (int i = 0; i < 3000000; i++) x = s->mul(s, s->add(s, x, s->t), x);"
            " s->q1[0] = x;",
            "its step takes too many operations; at most 2000000",
            (("check", 0),),
        ),
    ):
        put(
            f"{name}.c",
            "#include <stdlib.h>\n" + SKEWED.replace("cst_node A[s->n];", statement + " cst_node A[s->n];"),
        )
        refused(
            f"a step with {statement}", layer(f"{{file: {name}.c}}"), "5:23", [f"{name}.c: {words}"], ways
        )
    put("zero.c", '#include "/dev/zero"\n')
    little = compiler("little", 'ulimit -v 1000000; exec cc "$@"')  # to fill 4 GiB takes nine seconds
    refused("an endless file", layer("{file: zero.c}"), "5:23", ["out of memory"], (("check", 0),), env=little)
    most = 'import mmap; mmap.mmap(-1, 4 << 30, prot=0); print("unlimited")'
    greedy = compiler("greedy", f"""[ "$1" = --version ] && exec cc --version; exec {sys.executable} -c '{most}'""")
    refused("a compiler that wants 4 GiB", layer("{file: good.c}"), "5:23", ["Cannot allocate memory"], (("check", 0),), env=greedy)
    orphans()
    put("s.yaml", layer("{file: good.c}"))
    command = [PROGRAM, "run", os.path.join(folder, "s.yaml"), "-o", os.path.join(folder, "refused.h5")]
    process = ranks_of(command, ["env", "CONSTELLA_ISA=v9", *command])
    ok(
        process.returncode == 2 and process.stderr.count("error: ") == 1 and not os.path.exists(command[-1]),
        "a mistake on one rank only ends all",
        process.stderr,
    )


if __name__ == "__main__":
    write("kutta38.c", KUTTA)
    process, result = run("layers", study())
    if ok(process.returncode == 0, "a study with a layer in C runs", process.stderr):
        orders(result)
        tableaus(result)
        bits(result)
        identity(result)
    check()
    momenta()
    mistakes()
    done()

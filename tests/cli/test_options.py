#!/usr/bin/python3
"""test_options.py: command lines against their tables: the usage, the manual page and the completion of the
shell have every option, and a mistaken one gets the nearest name."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import subprocess

from cli import FOLDER, PROGRAM, constella, done, ok, path, together

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
HELP = constella("help", "all").stdout


def options_of_help():
    """{command: its options and arguments}, from the lines that tools/manual.sh and tools/completion.sh
    read."""
    found, command = {}, None
    for line in HELP.splitlines():
        begins, option = re.match(r"  constella (\S+)", line), re.match(r" {8}(\S.*?)  +\S", line)
        if begins:
            command = begins[1]
            found[command] = []
        elif option and command:
            found[command] += option[1].split(", ")
    return found


OPTIONS = options_of_help()


def written_by(tool, *words):
    process = subprocess.run([os.path.join(TOOLS, tool), *words], input=HELP, capture_output=True, text=True)
    ok(process.returncode == 0 and not process.stderr, f"{tool}: ends well", process.stderr)
    return process.stdout


def usage():
    summary = re.findall(r"^  constella (\S+)", constella("help").stdout, re.M)
    ok(summary == list(OPTIONS) and len(summary) > 10, "help: every command", summary)
    for command, forms in OPTIONS.items():
        page = constella("help", command).stdout
        ok(
            page.startswith(f"constella {command} ") and all(form in page for form in forms),
            f"help {command}: every option",
            page,
        )
        wide = [line for line in page.splitlines() if len(line) > 120]
        ok(not wide, f"help {command}: at most 120 columns", *wide)
        if command in ("run", "cite"):
            ok(
                constella(command, "--help").stdout == page == constella(command, "-h").stdout,
                f"{command} --help: the same",
            )
    process = constella("help", "tabel")
    ok(
        process.returncode == 2 and "did you mean 'table'" in process.stderr,
        "help of an unknown command",
        process.stderr,
    )


def mistakes():
    for command, forms in OPTIONS.items():
        long = [form.split()[0] for form in forms if form.startswith("--")]
        slow = command in ("run", "extend", "verify")  # these start MPI before they report
        for name in long[-1:]:
            wrong = name[:-1] if name[:-1] not in long else name + "s"
            process = constella(command, wrong)
            near = re.search(r"did you mean '([^']*)'", process.stderr)
            ok(
                process.returncode == 2
                and f"unknown option '{wrong}'" in process.stderr
                and near
                and near[1] in long,
                f"{command} {wrong}: the nearest name",
                process.stderr,
            )
        for form in [] if slow else forms[-1:]:
            if re.fullmatch(r"--\S+ [A-Z]\S*", form):
                process = constella(command, form.split()[0])
                ok(
                    f"'{form.split()[0]}' needs a value" in process.stderr,
                    f"{command} {form}: without its value",
                    process.stderr,
                )
    process = constella("run", "--resume=yes")
    ok("--resume takes no value" in process.stderr, "a flag with a value", process.stderr)
    process = constella("run", "x.yaml", "-o", "--overwrite")
    ok("'-o' needs a value" in process.stderr, "an option as a value", process.stderr)
    process = constella("table", "x.h5", "--format=jsn")
    ok("not 'jsn'; did you mean 'json'?" in process.stderr, "a choice, with =", process.stderr)


def repeated():
    """Of two different values one would be lost, unless the usage shows dots behind the option."""
    for command, forms in OPTIONS.items():
        usage_line = constella("help", command).stdout.partition("\n\n")[0]
        for form in forms:
            name, _, value = form.partition(" ")
            if not name.startswith("--") or not value or f"{form} ..." in usage_line:
                continue
            word = value.split("|")[0] if value[0].islower() else "1"
            if command in ("run", "extend", "verify") and name not in ("--batch", "--output", "--sample"):
                continue  # these start MPI before they report
            process = constella(command, name, word, f"{name}={word}x")
            ok(
                process.returncode == 2 and f"'{name}' is given twice" in process.stderr,
                f"{command} {name} {name}: refused",
                process.stderr,
            )
    process = constella("table", "x.h5", "--format", "csv", "--format=csv")
    ok("twice" not in process.stderr, "the same value twice", process.stderr)
    process = constella("submit", "x.yaml", "--queue", "l", "--partition", "s")
    ok(
        "'--queue' and '--partition' are the same" in process.stderr,
        "two names of one option",
        process.stderr,
    )
    process = constella("system", "kepler", "--parameters", "m=1", "--parameters", "k=2")
    ok("twice" not in process.stderr, "dots: each one counts", process.stderr)


def ignored_children():
    """A parent that ignores SIGCHLD hides no exit status."""
    words = ["env", "--ignore-signal=CHLD", PROGRAM, "table", path("missing.h5")]
    process = subprocess.run(words, capture_output=True, text=True)
    ok(process.returncode == 2 and "missing.h5" in process.stderr, "with SIGCHLD ignored", process)


def manual():
    page = written_by("manual.sh", "1.0").replace("\\", "")
    for command, forms in OPTIONS.items():
        part = page.partition(f'"constella {command}"')[2].partition('"constella ')[0]
        ok(
            all(form in part for form in forms),
            f"the manual page: {command}",
            *[form for form in forms if form not in part],
        )


def completion():
    script = path("completion.bash")
    with open(script, "w", encoding="utf-8") as f:
        f.write(written_by("completion.sh"))
    for name in ("layer.h5", "study.yaml", "notes.txt"):
        open(path(name), "w", encoding="utf-8").close()

    def complete(*words):
        text = (
            '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _constella "$1" "${@: -1}" "${@: '
            '-2:1}"; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        run = subprocess.run(
            ["bash", "-c", text, "-", script, PROGRAM, *words], capture_output=True, text=True, cwd=FOLDER
        )
        return sorted(word for word in run.stdout.split("\n") if word)

    kinds = [line.split()[0] for line in constella("list", "figures").stdout.splitlines()]
    ok(
        complete("plot", "layer.h5", "") == sorted(kinds) and len(kinds) > 10,
        "KIND of plot",
        complete("plot", "layer.h5", ""),
    )
    for words, wanted in (
        (("ru",), ["run"]),
        (("help", "ta"), ["table"]),
        (("run", "study.yaml", "--ov"), ["--overwrite"]),
        (("run", "stu"), ["study.yaml"]),
        (("extend", "layer.h5", ""), ["study.yaml"]),
        (("table", ""), ["layer.h5", "study.yaml"]),
        (("table", "layer.h5", "--format", "m"), ["markdown"]),
        (("plot", "-o", "x.png", "layer.h5", "heat"), ["heat"]),
        (("plot", "layer.h5", "drift", "--style", "p"), ["paper"]),
        (("list", "obs"), ["observables"]),
        (("show", "slid"), ["slider-crank"]),
        (("show", "rattle", "--system", "henon"), ["henon-heiles"]),
        (("bogus", "ru"), []),
    ):
        ok(complete(*words) == wanted, f"completion of {' '.join(words)}", complete(*words))
    for command, forms in OPTIONS.items():
        names = sorted(form.split()[0] for form in forms if form.startswith("-"))
        ok(
            complete(command, "-") == sorted([*names, "--help"]),
            f"completion: the options of {command}",
            complete(command, "-"),
        )


together([usage, mistakes, repeated, ignored_children, manual, completion])
done()

#!/usr/bin/python3
"""README.md and docs/*.md are right: every block of YAML is read, of C compiled, of Python run; every command
line gives the output that is printed under it, digit by digit; every link is valid.

The first line of a block shows its kind: `study:` or `system:`, `$ COMMAND`, the word behind the three ticks.
A file has the name that was last written in backticks before it. Lines `...`, and an end of a line ` ...`,
stand for what is left out. Studies that cost more than a moment, and the commands that need their results,
are run with CONSTELLA_TEST_ALL only.
"""
# SPDX-License-Identifier: BSD-2-Clause
import glob
import os
import re
import shutil
import subprocess
import sys

from cli import ENVIRONMENT, PROGRAM, constella, done, note, ok, scratch, together

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ALL = bool(os.environ.get("CONSTELLA_TEST_ALL"))
PAGES = [os.path.join(ROOT, x) for x in ("README.md", "examples/README.md")] + sorted(glob.glob(os.path.join(ROOT, "docs", "*.md")))
MOMENT = 0.3  # seconds of work by `constella check`, above which a study waits for CONSTELLA_TEST_ALL
# Commands that are not run: they install, submit, are stopped at an instant, or decide by times of the machine.
SHOWN = re.compile(r"\bmake\b|\bsubmit\b|--max-hours|--resume|\bmodule\b|\breport\b|\bchoose\b|\bexplain\b")
NOTE = re.compile(r"Maxima are over one step in ")  # under a table; pages may leave it out
# Files of which a page only prints the errors.
WITH_MISTAKES = {
    "wrong.yaml": "study: conservation\nsystem: double-pendulum\nend: 10\nsteps: [0.3]\nmethods: [ratle]\n",
    "wrong-beads.yaml": (
        "two-beads.yaml",
        {"v: [0, ": "v: [0.1, ", "rotation-z: [-y1, x1, 0, -y2, x2, 0]": "rotation-z: [-y1, x1, 0, 0, 0, 0]"},
    ),
}
# Pages whose code another test builds into a separate program, and into a copy of the package.
BUILT_ELSEWHERE = {"adding.md": "tests/cli/test_adding.py"}


class Block:
    def __init__(self, page, line, word, text, before):
        self.page, self.line, self.word, self.text = page, line, word, text
        named = re.findall(r"`([\w./-]+\.(?:yaml|c|py))`", before)
        own = re.match(r"/\* (\S+\.c)", text)
        self.name = own[1].rstrip(":") if own else os.path.basename(named[-1]) if named else None

    def __str__(self):
        return f"{self.page}:{self.line}"


def blocks(path):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    found, start, last = [], None, 0
    for i, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start = i
        else:
            found.append(
                Block(
                    os.path.basename(path),
                    start + 1,
                    lines[start][3:].strip(),
                    "\n".join(lines[start + 1 : i]) + "\n",
                    "\n".join(lines[last:start]),
                )
            )
            start, last = None, i + 1
    return found


# ---- links ---------------------------------------------------------------------------------------


def anchor(heading):
    return re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-")


def links():
    wrong, count = [], 0
    for path in PAGES:
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"```.*?```", "", f.read(), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            name, _, part = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(to):
                wrong.append(f"{os.path.basename(path)}: no {target}")
            elif part:
                with open(to, encoding="utf-8") as f:
                    if part not in [anchor(h) for h in re.findall(r"^#+ (.*)$", f.read(), re.M)]:
                        wrong.append(f"{os.path.basename(path)}: no heading {target}")
    ok(count > 50 and not wrong, f"{count} links lead somewhere", *wrong)


def overview():
    """docs/README.md names every page."""
    with open(os.path.join(ROOT, "docs", "README.md"), encoding="utf-8") as f:
        named = set(re.findall(r"\]\(([\w-]+\.md)\)", f.read()))
    pages = {os.path.basename(p) for p in PAGES} - {"README.md"}
    ok(pages <= named, "docs/README.md names every page", *sorted(pages - named))


# ---- YAML ----------------------------------------------------------------------------------------


def keys_of_studies():
    return {line for line in constella("show", "study").stdout.splitlines() if re.fullmatch(r"[\w.-]+", line)}


CERTIFY_KEYS = {"steppers"}  # of `constella certify --with`
STUDY_KEYS = {key for key in keys_of_studies() if "." not in key}
SYSTEM_KEYS = set(
    (
        "system doc source coordinates parameters mass gyroscopic potential stiff constraints symmetries "
        "states bodies nonholonomic forces edges"
    ).split()
)


def is_study(text):
    return re.match(r"(#[^\n]*\n)*study:", text)


def is_system(text):
    return re.match(r"(#[^\n]*\n)*system:", text) and re.search(r"^(coordinates|bodies):", text, re.M)


def is_quick(path):
    """What `constella check` says of a study's cost; None where it refuses it. Of certificates and choices it tells none."""
    process = constella("check", path, folder=os.path.dirname(path))
    cost = re.search(r"cost +about ([0-9.e+-]+) (s|min|h)", process.stdout)
    if re.search(r"\((certify|choose) study", process.stdout):
        return False, process.stderr
    if process.returncode or not cost:
        return None, process.stderr
    return float(cost[1]) * {"s": 1, "min": 60, "h": 3600}[cost[2]] <= MOMENT, ""


def page_text(page):
    path = [p for p in PAGES if os.path.basename(p) == page]
    if not path:
        return ""
    with open(path[0], encoding="utf-8") as f:
        return f.read()


def read_yaml(block, folder):
    """Save a whole file, and read it; of a part, look at its keys."""
    name = block.name if block.name and block.name.endswith(".yaml") else f"block-{block.line}.yaml"
    where = os.path.join(folder, name)
    if not is_study(block.text) and not is_system(block.text):
        keys = set(re.findall(r"^([\w-]+):", block.text, re.M))
        if keys - STUDY_KEYS - SYSTEM_KEYS - CERTIFY_KEYS:
            return f"{block}: unknown keys {sorted(keys - STUDY_KEYS - SYSTEM_KEYS - CERTIFY_KEYS)}"
        return None
    with open(where, "w", encoding="utf-8") as f:
        f.write(block.text)
    if name == "ensemble.yaml":  # which docs/tour.md extends
        with open(os.path.join(folder, "ensemble-of-12000.yaml"), "w", encoding="utf-8") as f:
            f.write(block.text.replace("members: 10000", "members: 12000"))
    if is_system(block.text):
        process = constella("system", name, folder=folder)
        findings = re.findall(r"error: [^\n]*", process.stdout)
        told = (
            process.returncode == 0
            or findings
            and all(finding in page_text(block.page) for finding in findings)
        )
        return None if told else f"{block}: {process.stdout}{process.stderr}"
    good, why = is_quick(where)
    return None if good is not None else f"{block}: {why}"


# ---- commands ------------------------------------------------------------------------------------


def is_number(word):
    return re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", word)


def same_word(a, b):
    """Equal words, and numbers up to a unit of the last printed digit, except round-off."""
    a, b = a.strip(",;()"), b.strip(",;()")
    if a == b or not (is_number(a) and is_number(b)):
        return a == b
    x, y = float(a), float(b)
    digits = len(re.sub(r"e.*|[-+.]|^0+", "", b).lstrip("0")) or 1
    return abs(x - y) <= 1.5 * 10.0 ** (1 - digits) * abs(y) or abs(x) < 1e-11 > abs(y)


def same_line(a, b):
    """A printed line that ends in `...` matches longer ones."""
    x, y = a.split(), b.split()
    if y and y[-1] == "...":
        x, y = x[: len(y) - 1], y[:-1]
    return len(x) == len(y) and all(map(same_word, x, y))


def same_output(found, printed):
    """Whether the lines are those that are printed, where `...` stands for any. A slow machine reports progress too."""
    printed = [x for x in printed if x.strip()]
    shown = any(x.startswith("progress ") for x in printed)
    found = [x for x in found if x.strip() and (shown or not x.startswith("progress "))]
    if found and printed and NOTE.match(found[-1]) and not NOTE.match(printed[-1]):
        found.pop()
    at = 0
    for k, line in enumerate(printed):
        if line.strip() == "...":
            rest = [x for x in printed[k + 1 :] if x.strip() != "..."]
            if not rest:
                return True
            while at < len(found) and not same_line(found[at], rest[0]):
                at += 1
            continue
        if at >= len(found) or not same_line(found[at], line):
            return False
        at += 1
    return at == len(found)


def split(text):
    """(command, printed lines) of a block of `$ COMMAND`."""
    out = []
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            out.append((line[2:], []))
        elif out:
            out[-1][1].append(line)
    return out


def make_results(command, folder):
    """Run the studies whose results a command reads; false where one of them takes too long."""
    for name in re.findall(r"([\w-]+)\.h5\b", re.sub(r"-o \S+", "", command)):
        study, result = os.path.join(folder, f"{name}.yaml"), os.path.join(folder, f"{name}.h5")
        if os.path.exists(result):
            continue
        if not os.path.exists(study) or not (is_quick(study)[0] or ALL):
            return False
        if subprocess.run(
            [PROGRAM, "run", study, "-o", result, "--progress", "none"],
            cwd=folder,
            env=ENVIRONMENT,
            capture_output=True,
        ).returncode:
            return False
    return True


def can_run(command, folder):
    if SHOWN.search(command) or not make_results(command, folder):
        return False
    studies = [os.path.join(folder, name) for name in re.findall(r"\brun (\S+\.yaml)", command)]
    return all(os.path.exists(x) and (ALL or is_quick(x)[0]) for x in studies)


def run_command(block, command, printed, folder, environment):
    process = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=1000,
    )
    fails = any(re.search(r"(^| )error: |claims? refuted$|differ beyond noise", line) for line in printed)
    if (process.returncode != 0) != fails:
        return f"{block}: $ {command}\nexit status {process.returncode}\n{process.stdout}"
    if printed and not same_output(process.stdout.split("\n"), printed):
        return f"{block}: $ {command}\nprinted:\n" + "\n".join(printed) + f"\nfound:\n{process.stdout}"
    return None


# ---- pages ---------------------------------------------------------------------------------------


def installed():
    """Make pkg-config find the build; returns the variables of the environment."""
    prefix = scratch()
    for folder in ("lib/pkgconfig", "bin"):
        os.makedirs(os.path.join(prefix, folder))
    os.symlink(os.path.join(ROOT, "include"), os.path.join(prefix, "include"))
    os.symlink(PROGRAM, os.path.join(prefix, "bin", "constella"))
    (shared,) = glob.glob(os.path.join(BUILD, "libconstella.so.*.*"))
    for name in ("libconstella.so", "libconstella.so.0"):
        os.symlink(shared, os.path.join(prefix, "lib", name))
    os.symlink(os.path.join(BUILD, "libconstella.a"), os.path.join(prefix, "lib", "libconstella.a"))
    with open(os.path.join(BUILD, "constella.pc"), encoding="utf-8") as f:
        text = re.sub(r"^prefix=.*", f"prefix={prefix}", f.read())
    with open(os.path.join(prefix, "lib", "pkgconfig", "constella.pc"), "w", encoding="utf-8") as f:
        f.write(text)
    return {
        "PATH": os.path.join(prefix, "bin") + ":" + os.environ["PATH"],
        "PKG_CONFIG_PATH": os.path.join(prefix, "lib", "pkgconfig"),
    }


WHERE = installed()
README_FILES = {}


def changed(name, changes):
    """A system of examples/system with parts of it replaced."""
    with open(os.path.join(ROOT, "examples", "system", name), encoding="utf-8") as f:
        text = f.read()
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def folder_for(page):
    folder = scratch()
    for room in ("jobs", "examples"):
        os.symlink(os.path.join(ROOT, room), os.path.join(folder, room))
    os.makedirs(os.path.join(folder, "build"))
    os.symlink(PROGRAM, os.path.join(folder, "build", "constella"))
    for system in [x for room in ("jobs/systems", "examples/system") for x in glob.glob(os.path.join(ROOT, room, "*.yaml"))]:
        shutil.copy(system, folder)
    for name, text in WITH_MISTAKES.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text if isinstance(text, str) else changed(*text))
    for name, text in README_FILES.items():
        if page != "README.md":
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
    return folder


def compile_c(block, folder):
    name = block.name if block.name and block.name.endswith(".c") else f"block-{block.line}.c"
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(block.text)
    told = subprocess.run(
        [
            "bash",
            "-c",
            f"${{CC:-cc}} -std=gnu11 -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags "
            f"constella) {name}",
        ],
        cwd=folder,
        env={**ENVIRONMENT, **WHERE},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return None if told.returncode == 0 else f"{block}: {told.stdout}"


def run_python(block, folder, before):
    """Syntax always; the block behind those before it where its results can be had."""
    try:
        compile(block.text, str(block), "exec")
    except SyntaxError as error:
        return f"{block}: {error}"
    if block.page in BUILT_ELSEWHERE:
        return None
    if re.search(r"^from \.", block.text, re.M):
        return run_module(block, folder)
    if not make_results(block.text.replace('"', " "), folder):
        return None
    told = subprocess.run(
        [sys.executable, "-c", "import h5py\n" + "\n".join([*before, block.text])],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return None if told.returncode == 0 or "No module named" in told.stderr else f"{block}: {told.stderr}"


def run_module(block, folder):
    """A module of the package constella.plot, found in the folder."""
    with open(os.path.join(folder, block.name), "w", encoding="utf-8") as f:
        f.write(block.text)
    name = block.name.removesuffix(".py")
    code = (
        f"import sys; sys.path.insert(0, {os.path.join(ROOT, 'analysis')!r}); import importlib, "
        f"constella.plot as p; p.__path__.append('.'); importlib.import_module('constella.plot.{name}')"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    return None if told.returncode == 0 or "No module named" in told.stderr else f"{block}: {told.stderr}"


def run_console(block, folder, counts):
    wrong, environment = [], {**ENVIRONMENT, **WHERE}
    for command, printed in split(block.text):
        counts["commands"] += 1
        if not can_run(command, folder):
            counts["waiting"] += 1
            continue
        wrong.append(run_command(block, command, printed, folder, environment))
    return wrong


def look_at(path):
    page = os.path.basename(path)
    folder, wrong, python = folder_for(page), [], []
    counts = {"blocks": 0, "commands": 0, "waiting": 0}
    for block in blocks(path):
        counts["blocks"] += 1
        if block.text.startswith("$ "):
            wrong += run_console(block, folder, counts)
        elif block.word == "yaml":
            wrong.append(
                None if page in BUILT_ELSEWHERE and is_study(block.text) else read_yaml(block, folder)
            )
        elif block.word == "c":
            wrong.append(None if page in BUILT_ELSEWHERE else compile_c(block, folder))
        elif block.word == "python":
            wrong.append(run_python(block, folder, python))
            python.append(block.text if "import" in block.text else "")
        elif block.word == "sh":
            wrong.append(
                None
                if subprocess.run(["bash", "-n", "-c", block.text]).returncode == 0
                else f"{block}: not a script"
            )
        elif block.word not in ("", "text"):
            wrong.append(f"{block}: nobody knows what to do with '{block.word}'")
    wrong = [x for x in wrong if x]
    ok(
        not wrong,
        f"{page}: {counts['blocks']} blocks, "
        f"{counts['commands']} commands ({counts['waiting']} shown or waiting)",
        *wrong,
    )


def negative():
    """Errors that must be detected."""
    ok(not same_output(["a 1.234"], ["a 1.244"]), "another digit is seen")
    ok(same_output(["a 1.2341", "b", "c 2"], ["a 1.234", "...", "c 2"]), "what is left out may be anything")
    ok(not same_output(["a 1", "b"], ["a 1"]), "a line more is seen")
    folder = scratch()
    ok(
        read_yaml(Block("x.md", 1, "yaml", "study: order\nsystem: planar-pendulum\nends: 1\n", ""), folder),
        "a study with a wrong key is seen",
    )
    ok(read_yaml(Block("x.md", 1, "yaml", "stops: 3\n", ""), folder), "so is a part with one")


for b in blocks(PAGES[0]):
    if b.word == "yaml" and b.name:
        README_FILES.setdefault(b.name, b.text)
chosen = [p for p in PAGES if not sys.argv[1:] or os.path.basename(p) in sys.argv[1:]]
note("every block" if ALL else "long studies wait for CONSTELLA_TEST_ALL")
together([links, overview, negative, *[lambda p=p: look_at(p) for p in chosen]])
done()

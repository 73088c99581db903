#!/usr/bin/python3
"""pages.py: writes the parts of pages that come from the program: from its tables study-file.md,
system-file.md and methods.md; from commands the numbers that they print.

  tools/pages.py PROGRAM                 writes them all
  tools/pages.py PROGRAM --check         exit status 1 and the names of pages that differ
  tools/pages.py PROGRAM --quick ...     only those of short jobs, and of the tables

Only the text between the lines <!-- made: ... -->, or <!-- from: COMMAND -->, and <!-- end --> is generated;
the rest is written by hand. `from` stands for shell commands, run in the root of the sources, with `constella`
and CONSTELLA set to PROGRAM and RESULTS to a folder that all commands of a page share. The first that fails
ends them, and tools/pages.py. `study examples/NAME.yaml` runs a study into $RESULTS/NAME.h5, once a page; `study
--failing` one of which trajectories fail. The output is compared with the page character by character.
<!-- from, long: COMMAND --> is left out by --quick. Nothing that depends on the machine, such as a time, may
stand in such a part.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs")
MADE = re.compile(r"(<!-- made: [^\n]*-->\n).*?(<!-- end -->)", re.S)
FROM = re.compile(r"(<!-- from(, long)?: ([^\n]*) -->\n).*?(<!-- end -->)", re.S)
# The command `study` of the commands of pages.
STUDY = """study() {
  local wanted=0
  [ "$1" != --failing ] || { wanted=1; shift; }
  local file="$RESULTS/$(basename "$1" .yaml).h5" status=0
  [ ! -e "$file" ] || return 0
  constella run "$1" -o "$file" --progress none > "$RESULTS/log" 2>&1 || status=$?
  [ $status = $wanted ] || { cat "$RESULTS/log" >&2; echo "$1: exit status $status, not $wanted" >&2; return 1; }
}
"""


def ask(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def read_keys(text):
    """The keys of `constella show study` or `show system`, as maps of path, type, default, unit, example and
    doc."""
    keys = []
    for block in text.split("\n\n")[2:]:
        lines = block.strip("\n").split("\n")
        key = {"path": lines[0], "doc": "", "unit": "", "example": ""}
        for line in lines[1:]:
            field = re.match(r"    (type|default|unit|example) +(.*)", line)
            if field and not key["doc"]:
                key[field[1]] = field[2]
            else:
                key["doc"] = f"{key['doc']} {line.strip()}".strip()
        keys.append(key)
    return keys


def cell(text):
    return text.replace("|", "\\|")


def keys_table(keys, heading, titles):
    """A table for the file and one for each map in it; titles: those of maps whose path is not the title."""
    lines, group = [], None
    for key in keys:
        inside, _, name = key["path"].rpartition(".")
        if inside != group:
            columns = ["| key | type | default | unit | meaning | example |", "|---|---|---|---|---|---|"]
            lines += ["", f"{heading} {titles.get(inside, f'`{inside}`')}", "", *columns]
            group = inside
        example = f"`{key['example']}`" if key["example"] else ""
        cells = (f"`{name}`", key["type"], key["default"], key["unit"], key["doc"], example)
        lines.append("| " + " | ".join(cell(x) for x in cells) + " |")
    return "\n".join(lines) + "\n\n"


def study_table(program):
    return keys_table(
        read_keys(ask(program, "show", "study")), "##", {"": "The file", "range": "A range of values"}
    )


def system_table(program):
    return keys_table(read_keys(ask(program, "show", "system")), "###", {"": "The file"})


def fields(text):
    """The labelled paragraphs of `constella show METHOD`, in order; label "" is the description. Arguments are lines
    of one paragraph."""
    out = []
    for line in text.split("\n")[2:]:
        label, rest = line[:13].strip(), line[13:].strip()
        if not rest:
            continue
        if label or not out:
            out.append([label, rest])
        else:
            whole = out[-1][0] == "equations" or (out[-1][0] == "arguments" and line[13] != " ")
            out[-1][1] += ("\n" if whole else " ") + rest
    return out


def escaped(text):
    return re.sub(r"([*_<>|])", r"\\\1", text)


def wrapped(text, indent=""):
    """A paragraph in 110 columns; no line begins with a sign that would start a list."""
    words = []
    for word in re.findall(r"(?:`[^`]*`|[^\s`])+", text):
        if words and re.fullmatch(r"[-+*>#=]+|\d+[.)]", word):
            words[-1] += f" {word}"
        else:
            words.append(word)
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) <= 110:
            lines[-1] += f" {word}"
        else:
            lines.append(indent + word)
    return "\n".join(lines)


def method_sections(program):
    lines = []
    for row in ask(program, "list", "methods").strip().split("\n"):
        signature = re.match(r"\{[^}]*\}|[a-z0-9-]+(\([^)]*\))?", row)[0]
        name = (
            "{a: [[0, 0], [1/2, 0]], b: [0, 1]}"
            if signature.startswith("{")
            else re.match(r"[a-z0-9-]+", signature)[0]
        )
        text = ask(program, "show", name) if not signature.startswith("{") else ""
        heading = "A tableau of your own" if signature.startswith("{") else name
        lines += ["", f"## {heading}", "", f"`{signature}`", ""]
        if not text:
            lines += [wrapped(escaped(row[len(signature) :].strip()))]
            continue
        for label, words in fields(text):
            if label == "equations":
                lines += ["```text", words, "```", ""]
            elif label == "arguments":
                for argument in words.split("\n"):
                    key, rest = argument.split(":", 1)
                    lines += [wrapped(f"- `{key}`:{escaped(rest)}", "  ")]
                lines += [""]
            elif label:
                text = f"`{words}`" if label == "example" else escaped(words)
                lines += [wrapped(f"- **{label}**: {text}", "  ")]
            else:
                lines += [wrapped(escaped(words)), ""]
    return "\n".join(lines) + "\n\n"


PAGES = {"study-file.md": study_table, "system-file.md": system_table, "methods.md": method_sections}


def made(program, name, text):
    """A page of docs/ with the part that a table of the program makes."""
    new, places = MADE.subn(lambda m: m[1] + PAGES[name](program) + m[2], text)
    if places != 1:
        sys.exit(f"docs/{name}: {places} parts to be made; there must be one")
    return new


def printed(program, command, results):
    """What a command prints; ends with its errors if it fails."""
    program = os.path.abspath(program)
    places = {"CONSTELLA": program, "RESULTS": results}
    path = os.path.dirname(program) + os.pathsep + os.environ["PATH"]
    told = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", STUDY + command],
        cwd=ROOT,
        env={**os.environ, **places, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    if told.returncode:
        sys.exit(f"{command}: exit status {told.returncode}\n{told.stderr}")
    return told.stdout


def measured(program, text, quick):
    """A page with what its commands print; the long ones as they stand if quick."""
    with tempfile.TemporaryDirectory() as results:

        def part(m):
            return m[0] if quick and m[2] else m[1] + printed(program, m[3], results) + m[4]

        return FROM.sub(part, text)


def pages():
    """README.md, docs/*.md, jobs/*/README.md."""
    found = ["README.md", *(os.path.join("docs", x) for x in sorted(os.listdir(DOCS)) if x.endswith(".md"))]
    for folder in sorted(os.listdir(os.path.join(ROOT, "jobs"))):
        path = os.path.join("jobs", folder, "README.md")
        found += [path] if os.path.exists(os.path.join(ROOT, path)) else []
    return found


def changed(program, check, quick):
    """The names of pages that differ from what the program says; they are written unless check."""
    differ = []
    for name in pages():
        path = os.path.join(ROOT, name)
        with open(path, encoding="utf-8") as f:
            old = f.read()
        folder, base = os.path.split(name)
        new = made(program, base, old) if folder == "docs" and base in PAGES else old
        new = measured(program, new, quick)
        if new == old:
            continue
        differ.append(name)
        if not check:
            with open(path, "w", encoding="utf-8") as f:
                f.write(new)
    return differ


def main():
    program, check, quick = sys.argv[1], "--check" in sys.argv[2:], "--quick" in sys.argv[2:]
    differ = changed(program, check, quick)
    print("\n".join(differ))
    return 1 if check and differ else 0


if __name__ == "__main__":
    sys.exit(main())

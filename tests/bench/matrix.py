"""matrix.py: `make bench-matrix`: every method on the standard systems (matrix.c), stored as BUILD/matrix.txt with
the name of the machine, compared with a stored run of the same machine and written into a page:
matrix.py [STORED] [--page PAGE].

METHODS='WORD ...' of the environment: only methods whose names hold one of the words, and rattle.
Both numbers of a cell are compared, those of a batch and of a trajectory alone. Status 1: a step takes more than 5
percent longer in one of them; what is faster by as much is printed too.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import pathlib
import platform
import re
import subprocess
import sys

BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
LABEL, CELL = 44, 23  # characters of a method's name and of a cell, as matrix.c prints them
MARGIN = 0.05
PART = re.compile(r"(<!-- measured: make bench-matrix [^\n]*-->\n).*?(<!-- end -->)", re.S)  # of the page


def machine():
    """The name of the processor."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def rows(text):
    """The machine, the words above the table, the systems, and the rows: a name and a cell for each system."""
    first, *lines = text.splitlines()
    at = next((i for i, line in enumerate(lines) if line.startswith("ns a step")), None)
    if not first.startswith("machine: ") or at is None:
        sys.exit("matrix.py: error: this is no table of `make bench-matrix`")
    systems = lines[at + 1].split()
    found = []
    for line in filter(str.strip, lines[at + 2 :]):
        places = [max(LABEL, len(line) - CELL * (len(systems) - k)) for k in range(len(systems) + 1)]
        cells = [line[a:b].strip() for a, b in zip(places, places[1:])]
        found.append((line[: places[0]].strip(), cells))
    return first, lines[at], systems, found


def numbers(text):
    """The machine, and nanoseconds by method, system and place in the cell."""
    first, _, systems, table = rows(text)
    found = {}
    for method, cells in table:
        if method.startswith("share of"):
            continue
        for system, cell in zip(systems, cells):
            for place, value in zip(("batch", "alone"), cell.split("/")):
                if value.strip() not in ("", "failed"):
                    found[method, system, place] = float(value)
    return first, found


def compare(old, new):
    """Prints what differs by more than MARGIN, the slower ones first; returns the number of those."""
    ratios = {key: new[key] / old[key] for key in old if key in new and old[key] > 0}
    slower = sorted((k for k, r in ratios.items() if r > 1 + MARGIN), key=lambda k: -ratios[k])
    faster = sorted((k for k, r in ratios.items() if r < 1 - MARGIN), key=lambda k: ratios[k])
    for word, keys in (("slower", slower), ("faster", faster)):
        for key in keys:
            method, system, place = key
            print(f"{word} {ratios[key]:5.2f}  {old[key]:9.4g} -> {new[key]:9.4g} ns  {method} on {system}, {place}")
    if not os.environ.get("METHODS"):
        for key in sorted(old.keys() - new.keys()):
            print("missing", *key)
    print(f"{len(ratios)} numbers compared: {len(slower)} slower, {len(faster)} faster by more than {MARGIN:.0%}")
    return len(slower)


def page_of(text):
    """The table as a part of a page."""
    machine, title, systems, table = rows(text)
    lines = [f"{machine}. {title}", "", f"| | {' | '.join(systems)} |", "|---" * (len(systems) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in table]
    return "\n" + "\n".join(lines) + "\n\n"


def write(page, text):
    """Replaces the part of the page that is measured."""
    path = pathlib.Path(page)
    before = path.read_text()
    if not PART.search(before):
        sys.exit(f"matrix.py: error: {page} has no part <!-- measured: make bench-matrix ... -->")
    path.write_text(PART.sub(lambda m: m[1] + page_of(text) + m[2], before))


def main():
    words = sys.argv[1:]
    page = words.pop(words.index("--page") + 1) if "--page" in words else None
    words = [word for word in words if word != "--page"]
    stored = pathlib.Path(words[0]).read_text() if words else None
    done = subprocess.run([BUILD / "bench-matrix"], stdout=subprocess.PIPE, text=True, check=True)
    text = f"machine: {machine()}\n{done.stdout}"
    (BUILD / "matrix.txt").write_text(text)
    print(text)
    if page:
        write(page, text)
    if stored is None:
        return 0
    (before, old), (now, new) = numbers(stored), numbers(text)
    if before != now:
        sys.exit(f"matrix.py: error: the stored run is of another machine: {before}")
    return 1 if compare(old, new) else 0


if __name__ == "__main__":
    sys.exit(main())
